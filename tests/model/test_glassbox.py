import pickle
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from model_strategies import SCHEMA, TABLE, models

from calmgam.model import Condition, Model, PartitionTree, Schema, ShapeFunction, Term, glassbox

X, OTHER, JOB, FLAG = SCHEMA.features


def term(feature, tree=None, edges=(), seed=0):
    tree = tree or PartitionTree.trivial()
    rng = np.random.default_rng(seed)
    n_slots = (len(edges) if feature.is_numeric else feature.n_levels) + 2
    curves = (
        ShapeFunction(
            feature, edges, rng.normal(size=n_slots), np.arange(n_slots), np.ones(n_slots)
        )
        for _ in range(tree.n_leaves)
    )
    return Term(feature, tree, tuple(curves))


ON_FLAG = PartitionTree.trivial().split(0, Condition(FLAG, "=", (1,)))
ON_X_AND_FLAG = ON_FLAG.split(0, Condition(X, "<=", 0.0)).split(0, Condition(X, "<=", -1.0))
TERMS = (term(X, ON_FLAG, [0.0, 1.0]), term(OTHER), term(JOB, ON_X_AND_FLAG), term(FLAG))
MODEL = Model(SCHEMA, 0.5, TERMS)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(models())
def test_a_score_is_the_sum_of_its_contributions(model):
    with np.errstate(over="ignore", invalid="ignore"):
        scores = model.score_encoded(TABLE)
        total = np.full(len(TABLE), model.intercept)
        for column in model.contributions_encoded(TABLE).T:
            total += column
    np.testing.assert_array_equal(scores, total)


def test_a_contribution_is_the_active_curve():
    job = MODEL.terms[JOB.index]
    leaf_of_row = job.tree.leaf_of(TABLE)
    for row, leaf in zip(TABLE[::97], leaf_of_row[::97], strict=True):
        expected = job.shapes[leaf](row[[JOB.index]])
        assert job.contribution(row[None])[0] == expected[0]


def test_counts_and_importances():
    assert (MODEL.n_splits, MODEL.n_curves) == (4, 8)
    assert (MODEL.n_interactions, MODEL.n_pairs) == (3, 3)
    flag_on_x = term(FLAG, PartitionTree.trivial().split(0, Condition(X, "<=", 0.0)))
    mutual = Model(SCHEMA, 0.0, (*TERMS[:3], flag_on_x))
    assert (mutual.n_interactions, mutual.n_pairs) == (4, 3)
    shape = MODEL.terms[1].shapes[0]
    expected = np.average(np.abs(shape.values), weights=shape.counts)
    assert MODEL.importances[1] == pytest.approx(expected)


def test_text():
    assert str(MODEL) == repr(MODEL) == "Model(4 features, 4 splits, 8 curves, identity)"
    assert repr(TERMS[0]) == "Term(x, 2 curves)"
    assert repr(TERMS[1]) == "Term(other numbers, 1 curve)"


def test_data_frames_score_by_name():
    frame = pd.DataFrame(
        {"flag": [True, False, None], "job": ["nurse", "pilot", None], "x": [0.0, None, 2.0],
         "unused": [1, 2, 3], "other numbers": [1, 2, 3]}
    )  # fmt: skip
    encoded = [[0, 1, 0, 1], [np.nan, 2, 3, 0], [2, 3, np.nan, np.nan]]
    np.testing.assert_array_equal(MODEL.score(frame), MODEL.score_encoded(np.array(encoded)))
    np.testing.assert_allclose(
        MODEL.intercept + MODEL.contributions(frame).sum(axis=1), MODEL.predict(frame)
    )


def test_logit_predicts_probabilities_without_overflow():
    schema = Schema.learn(np.zeros((1, 1)))
    slots = [-1e4, 0.0, 1e4, -50.0]
    shape = ShapeFunction(schema.features[0], [0.0, 1.0], slots, np.ones(4), np.zeros(4))
    step = Term(schema.features[0], PartitionTree.trivial(), (shape,))
    model = Model(schema, 0.0, (step,), "logit", ("no", "yes"))
    probabilities = model.predict(np.array([[-1.0], [0.5], [2.0], [np.nan]]))
    np.testing.assert_allclose(probabilities, [0.0, 0.5, 1.0, np.exp(-50.0)], rtol=1e-12)


def test_a_class_is_that_of_the_score():
    logit = Model(SCHEMA, 0.5, TERMS, "logit", ("no", "yes"))
    scores = np.array([-1.0, -0.0, 0.0, 1e-17, 1.0])  # 1e-17 has the probability 0.5
    assert logit.classify(scores).tolist() == ["no", "no", "no", "yes", "yes"]


def test_threads_do_not_change_the_bits(monkeypatch):
    rows = np.tile(TABLE, (3, 1))
    scores, parts = MODEL.score_encoded(rows), MODEL.contributions_encoded(rows)
    monkeypatch.setattr(glassbox, "N_CHUNK_ROWS", 100)
    np.testing.assert_array_equal(MODEL.score_encoded(rows), scores)
    np.testing.assert_array_equal(MODEL.contributions_encoded(rows), parts)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    np.testing.assert_array_equal(MODEL.score_encoded(rows), scores)


def test_no_rows():
    assert MODEL.score_encoded(np.empty((0, 4))).shape == (0,)
    assert MODEL.contributions_encoded(np.empty((0, 4))).shape == (0, 4)


def test_models_are_values():
    twin = Model(SCHEMA, np.float64(0.5), TERMS)
    assert twin == MODEL
    assert hash(twin) == hash(MODEL)
    assert pickle.loads(pickle.dumps(MODEL)) == MODEL
    assert Model(SCHEMA, 0.25, TERMS) != MODEL
    labels = Model(
        SCHEMA, 0.5, TERMS, "logit", tuple(np.array([3, 4])), {"calm": np.float64("nan")}
    )
    assert labels.classes == (3, 4)
    assert type(labels.classes[0]) is int
    assert labels.errors == {"calm": None}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"intercept": np.inf}, "intercept must be finite; got inf"),
        ({"terms": TERMS[:3]}, "one term per feature"),
        ({"terms": TERMS[::-1]}, "one term per feature"),
        ({"link": "probit"}, "link must be one of"),
        ({"link": "logit"}, "two classes"),
        ({"classes": ("a", "b")}, "two classes"),
        ({"link": "logit", "classes": ("a", [])}, "classes and errors must be"),
    ],
)
def test_wrong_models_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Model(**({"schema": SCHEMA, "intercept": 0.0, "terms": TERMS} | changes))


def test_wrong_terms_are_refused():
    shape = term(X).shapes[0]
    with pytest.raises(ValueError, match="one curve for each of its 2 leaves; got 1"):
        Term(X, ON_FLAG, (shape,))
    with pytest.raises(ValueError, match="of its feature"):
        Term(OTHER, PartitionTree.trivial(), (shape,))
    with pytest.raises(ValueError, match="same edges"):
        Term(X, ON_FLAG, (shape, shape.refined([1.0])))
    with pytest.raises(ValueError, match="'flag' itself"):
        Term(FLAG, ON_FLAG, term(FLAG).shapes * 2)


def test_conditions_must_ask_about_features_of_the_model():
    stranger = Schema.learn(np.zeros((1, 4))).features[3]
    tree = PartitionTree.trivial().split(0, Condition(stranger, "<=", 0.0))
    with pytest.raises(ValueError, match="a feature of the model"):
        Model(SCHEMA, 0.0, (term(X, tree), *TERMS[1:]))


@pytest.mark.slow
def test_a_million_rows_are_scored_in_seconds():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1_000_000, 20))
    schema = Schema.learn(rows)
    edges = np.quantile(rows[:10_000, 0], np.linspace(0, 1, 1025)[1:-1])
    terms = []
    for feature in schema.features:
        tree = PartitionTree.trivial()
        if feature.index % 3 == 0:
            first, second = schema.features[feature.index - 1], schema.features[feature.index - 2]
            tree = tree.split(0, Condition(first, "<=", 0.0)).split(0, Condition(second, "<=", 0.0))
            tree = tree.split(2, Condition(second, "<=", 0.5))
        terms.append(term(feature, tree, edges))
    model = Model(schema, 0.0, tuple(terms))
    start = time.perf_counter()
    model.score(rows)
    assert time.perf_counter() - start < 8.0  # about 1 s on two free cores
