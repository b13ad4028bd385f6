"""Simplify: few bands, the loss kept, exact largest change."""

from dataclasses import replace

import numpy as np
import pytest

from calmgam.model import Feature, Model, PartitionTree, Schema, ShapeFunction, Term
from calmgam.model.edits import Simplify, count_steps
from calmgam.model.edits.simplify import find_bands

FEATURES = (
    Feature("income", 0, "numeric", low=0.0, high=1.0),
    Feature("noise", 1, "numeric", low=0.0, high=1.0),
    Feature("job", 2, "categorical", tuple("abcdef")),
)
EDGES = np.arange(1, 200) / 200


def truth(X):
    return np.where(X[:, 0] <= 0.3, 0.0, np.where(X[:, 0] <= 0.7, 2.0, 1.0)) + (X[:, 2] > 2)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((4000, 2)), rng.integers(6, size=4000)])
    return X, truth(X) + rng.normal(size=len(X)) / 2


@pytest.fixture
def model(rows):
    """Return the truth with wiggles on every curve."""
    rng = np.random.default_rng(1)
    X = np.zeros((200, 3))
    X[:, 0] = np.append(EDGES, 1.0)
    curves = [truth(X), np.zeros(200), np.array([0, 0, 0, 1, 1, 1.0])]
    terms = []
    for feature, heights in zip(FEATURES, curves, strict=True):
        edges = EDGES if feature.is_numeric else np.array([])
        values = np.append(
            heights + rng.normal(size=len(heights)) / 20, [0, 0][feature.is_numeric :]
        )
        counts = np.where(np.arange(len(values)) < len(heights), 4000 / len(heights), 0.0)
        shape = ShapeFunction(feature, edges, values, counts, 0 * counts)
        terms.append(Term(feature, PartitionTree.trivial(), (shape,)))
    return Model(Schema(FEATURES), 0.0, tuple(terms))


def table(X):
    frame = X.astype(object)
    frame[:, 2] = np.array(list("abcdef"))[X[:, 2].astype(int)]
    return frame


def test_noise_goes_and_steps_stay_at_round_cuts(model, rows):
    X, y = rows
    simple = model.simplify(table(X), y, why="shorter")
    assert count_steps(model) == 406
    assert count_steps(simple) <= 8
    assert simple.terms[0].edges.tolist() == [0.3, 0.7]
    assert simple.terms[1].edges.tolist() == []
    assert len(set(simple.terms[2].shapes[0].values[:6])) == 2
    record = simple.trail[-1]
    assert (record.name, record.why) == ("simplify", "shorter")
    assert record.effect.loss_after <= 1.005 * record.effect.loss_before
    X[:, 2] = np.arange(len(X)) % 6
    changes = np.abs(simple.score_encoded(X) - model.score_encoded(X))
    assert changes.max() <= record.effect.largest_change + 1e-12
    assert simple.undo() == model


def test_a_classifier_is_judged_by_log_loss(model, rows):
    X, y = rows
    classifier = replace(model, link="logit", classes=("no", "yes"))
    labels = np.where(y > 1, "yes", "no")
    simple = classifier.simplify(table(X), labels)
    assert count_steps(simple) < count_steps(classifier) / 5
    assert simple.trail[-1].effect.metric == "log loss"


def test_an_offset_is_added_to_scores(model, rows):
    X, y = rows
    offset = np.linspace(-3, 3, len(y))
    plain, shifted = (
        model.simplify(table(X), y),
        model.simplify(table(X), y + offset, offset=offset),
    )
    assert shifted.terms == plain.terms
    effects = [one.trail[-1].effect for one in (plain, shifted)]
    np.testing.assert_allclose(effects[1].loss_after, effects[0].loss_after)
    np.testing.assert_allclose(effects[1].loss_before, effects[0].loss_before)
    with pytest.raises(ValueError, match=r"offset must have 4000 values; got shape \(2,\)"):
        model.edit(table(X), y, offset=[1.0, 2.0])


def test_without_tolerance_the_loss_must_not_rise(model, rows):
    X, y = rows
    edit = find_bands(model, X, y, 0.0)
    before, after = (np.mean((y - m.score_encoded(X)) ** 2) for m in (model, edit.apply(model)))
    assert after <= before


def test_the_edit_is_a_list_of_bands(model, rows):
    edit = find_bands(model, *rows, 0.005)
    assert isinstance(edit, Simplify)
    assert [band.feature for band in edit.bands] == ["income", "noise", "job"]
    assert str(edit) == "simplify(3 curves, tolerance=0.005)"
    with pytest.raises(ValueError, match="tolerance must be a number >= 0; got -1"):
        find_bands(model, *rows, -1)
    with pytest.raises(ValueError, match="bands must be edits of the name 'bands'"):
        Simplify(({"edit": "round"},))
