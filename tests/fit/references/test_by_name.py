import sys

import numpy as np
import pytest

from calmgam.fit.references.by_name import NAMES
from calmgam.model.schema import Feature, Schema
from prepared import fit_reference
from tables import mixed_table

X, Y, SCHEMA = mixed_table()
TARGETS = {"regression": Y, "classification": (Y > 0).astype(int)}
NUMERIC = Schema(tuple(Feature(name, i, "numeric") for i, name in enumerate("abe")))
HERE = [name for name in NAMES if name != "tabpfn"]  # whose weights must be downloaded


@pytest.mark.parametrize("task", TARGETS)
@pytest.mark.parametrize("name", HERE)
def test_every_name_learns_and_trees_can_be_read(name, task):
    y = TARGETS[task]
    reference = fit_reference(name, X, y, SCHEMA, task=task)
    score = reference.score(X)
    assert score.shape == y.shape
    assert np.corrcoef(score, y)[0, 1] > (0.4 if name.endswith("_early") else 0.75)
    trees = reference.ensemble
    if name.startswith("mlp"):
        assert trees is None
        return
    np.testing.assert_allclose(reference.score_of_sums(trees.score(X)), score, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name", HERE)
def test_same_seed_same_reference_for_any_number_of_jobs(name):
    few = X[:, :2], Y, Schema(SCHEMA.features[:2])
    scores = [
        fit_reference(name, *few, task="regression", random_state=5, n_jobs=n).score(few[0])
        for n in (1, 2)
    ]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("name", HERE)
def test_weights_count(name):
    x = np.tile([[0.0], [1.0]], (200, 1))
    y = np.where(np.arange(400) % 4 < 2, x[:, 0], -x[:, 0])
    weights = np.where(np.arange(400) % 4 < 2, 9.0, 1.0)
    schema = Schema((Feature("x", 0, "numeric"),))
    reference = fit_reference(name, x, y, schema, task="regression", weights=weights)
    np.testing.assert_allclose(
        reference.score(np.array([[1.0]])), 0.8, atol=0.2 if name == "mlp_early" else 0.1
    )


def test_unknown_name():
    with pytest.raises(
        ValueError, match=r"'random_forest', .*got 'xgbost'; did you mean 'xgboost'"
    ):
        fit_reference("xgbost", X, Y, SCHEMA, task="regression")


@pytest.mark.parametrize("name", ["xgboost", "lightgbm", "tabpfn"])
def test_missing_extra(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    text = f'reference="{name}" needs the {name} package: pip install calmgam\\[{name}\\]'
    with pytest.raises(ImportError, match=text):
        fit_reference(name, X, Y, SCHEMA, task="regression")


def test_early_variants_stop_before_the_last_round():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(600, 3)), rng.normal(size=600)
    boosted = fit_reference("xgboost_early", x, y, NUMERIC, task="regression").estimator
    assert boosted.best_iteration < 50
    network = fit_reference("mlp_early", x, y, NUMERIC, task="regression").estimator
    assert network.estimator.n_iter_ < 50
