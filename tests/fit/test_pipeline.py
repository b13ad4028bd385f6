import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import calmgam.fit.pipeline as pipeline
import calmgam.fit.scale.rows as all_rows
import calmgam.fit.support.memory as memory
from calmgam import Boosting, CALMClassifier, CALMRegressor
from calmgam.fit.data.target import Target
from calmgam.fit.regions.found import Regions
from calmgam.model.tree import PartitionTree

QUICK = {"random_state": 0, "n_jobs": 1, "max_depth": 0, "curves": Boosting(max_rounds=20)}
N_ROWS = 4000


@pytest.fixture(autouse=True)
def small_samples(monkeypatch):
    """A sample of 1,000 rows: then 4,000 rows are a large table."""
    monkeypatch.setattr(pipeline, "SAMPLE_ROWS", 1000)
    monkeypatch.setattr(all_rows, "SAMPLE_ROWS", 1000)


@pytest.fixture
def frame():
    x = np.random.default_rng(0).normal(size=N_ROWS)
    return pd.DataFrame({"x": x, "id": np.arange(N_ROWS), "y": x + (np.arange(N_ROWS) % 2)})


def warnings_of(fit, *table):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit(*table)
    return caught


def texts_of(fit, *table):
    return [str(one.message) for one in warnings_of(fit, *table)]


def batches(frame):
    return pa.Table.from_pandas(frame, preserve_index=False).to_batches(700)


def test_large_tables_in_memory_are_warned_of_as_small_ones(frame, monkeypatch):
    sizes = []
    monkeypatch.setattr(pipeline, "LARGE_TABLE", 3000)
    monkeypatch.setattr(memory, "available_memory", lambda: -1)
    monkeypatch.setattr(memory, "estimate_memory", lambda *size: sizes.append(size) or 0)
    caught = warnings_of(CALMRegressor(**QUICK).fit, frame[["x", "id"]], frame.y)
    memory_text, text = (str(one.message) for one in caught)
    assert memory_text.startswith("this fit will take about")
    assert text.startswith("column 'id' looks like an identifier")
    assert {one.filename for one in caught} == {__file__}
    assert sizes == [(N_ROWS, 2, 0, 1)]  # all rows are held, but no scores of them


@pytest.mark.parametrize("n_rows", [900, N_ROWS])
def test_datasets_are_warned_of_too(frame, n_rows, monkeypatch):
    """Of memory only where the sample, all that is held, is the whole."""
    monkeypatch.setattr(memory, "available_memory", lambda: 0)
    texts = texts_of(CALMRegressor(**QUICK).fit, batches(frame[:n_rows]), "y")
    assert any(text.startswith("column 'id' looks like an identifier") for text in texts)
    assert any("of memory" in text for text in texts) == (n_rows == 900)


@pytest.mark.parametrize("n_rows", [900, N_ROWS])
def test_rare_classes_of_datasets_are_warned_of(frame, n_rows):
    y = np.where(np.arange(N_ROWS) % 450 == 0, "rare", "often")
    rows = batches(frame[["x"]].assign(y=y)[:n_rows])
    texts = texts_of(CALMClassifier(**QUICK).fit, rows, "y")
    assert any(text.startswith("class 'rare' has") for text in texts)


def test_a_table_of_a_fitted_model_is_not_new(frame):
    model = CALMRegressor(**QUICK)
    assert texts_of(model.fit, frame[["x", "id"]], frame.y)
    assert not texts_of(model.refit, frame[["x", "id"]], frame.y)


def test_a_feature_must_be_left_that_is_neither_kept_nor_flat():
    X = np.random.default_rng(0).normal(size=(300, 3))
    model = CALMRegressor(**QUICK).fit(X, X[:, 0])
    plan = model._plan()
    target = Target.regression(X[:, 0], np.ones(300))
    prepared = pipeline.prepare(X, target, plan, model.model_.schema)
    trees = (PartitionTree.trivial(),) * 3
    regions = Regions(trees, flat=frozenset({2}), kept=frozenset({0, 1}))
    rule = r"keep must leave a feature to learn; got all but \['x2'\], which are flat"
    with pytest.raises(ValueError, match=rule):
        pipeline.learn_the_rest(model.model_, prepared, regions, plan)
    some = Regions(trees, flat=frozenset({2}), kept=frozenset({0}))
    assert len(pipeline.learn_the_rest(model.model_, prepared, some, plan).terms) == 3
