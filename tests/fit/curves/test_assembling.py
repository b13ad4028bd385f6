from dataclasses import replace

import numpy as np
import pytest

from calmgam.fit.curves.assembling import assemble
from calmgam.fit.curves.boosting import Boosting, boost
from calmgam.fit.data.bags import draw_bags
from calmgam.fit.data.target import Target
from tables import REGIONS, MixedTable

ERRORS = {"metric": "rmse", "gam": 2.0, "calm": 1.0}
DEPTH_ONE = {
    "a": ["b <= 0", "b > 0"],
    "b": ["a <= 0.2 or missing", "a > 0.2"],
    "c": ["e <= 1", "e > 1"],
    "e": ["c in {p, q, r} or missing", "c not in {p, q, r}"],
}


class Assembled:
    """A boosted table and its model."""

    def __init__(self, task="regression", weights=None, regions=REGIONS):
        self.table = table = MixedTable(regions)
        self.target = table.target(task, weights)
        if task == "regression":
            self.target = replace(self.target, mean=70.0, scale=25.0)
        else:
            self.target = replace(self.target, classes=("no", "yes"))
        roles = draw_bags(self.target, 5, np.random.default_rng(0))
        self.data = table.data(self.target, roles, seed=1)
        self.curves = boost(self.data, Boosting(max_rounds=60, learning_rate=0.05))
        self.model = self.assemble(self.curves)

    def assemble(self, curves):
        return assemble(self.table.schema, self.data, curves, ERRORS)

    def of_bag(self, bag):
        one = slice(bag, bag + 1)
        values = [values[one] for values in self.curves.values]
        return self.assemble(
            replace(self.curves, intercepts=self.curves.intercepts[one], values=values)
        )


WEIGHTS = np.random.default_rng(1).choice([0.0, 0.5, 3.0], 600)


@pytest.fixture(
    scope="module",
    params=[("regression", None), ("classification", None), ("regression", WEIGHTS)],
    ids=["regression", "classification", "weighted"],
)
def fitted(request):
    return Assembled(*request.param)


def test_the_score_is_the_mean_over_bags(fitted):
    table, curves, target = fitted.table, fitted.curves, fitted.target
    scores = curves.intercepts[:, None] + sum(
        values.reshape(5, -1)[:, row_cells]
        for values, row_cells in zip(curves.values, table.cells, strict=True)
    )
    expected = target.mean + target.scale * scores.mean(axis=0)
    counts = target.weights > 0  # a row without weight may have the only value of its slot
    np.testing.assert_allclose(
        fitted.model.score_encoded(table.X)[counts], expected[counts], rtol=1e-9, atol=1e-9
    )


def test_every_term_has_mean_zero(fitted):
    contributions = fitted.model.contributions_encoded(fitted.table.X)
    means = np.average(contributions, axis=0, weights=fitted.target.weights)
    np.testing.assert_allclose(means, 0, atol=1e-9 * fitted.target.scale)
    score = fitted.model.score_encoded(fitted.table.X)
    mean = np.average(score, weights=fitted.target.weights)
    assert fitted.model.intercept == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["even", "weighted"])
def test_every_curve_of_depth_one_has_mean_zero_in_its_region(weights):
    fitted = Assembled(weights=weights, regions=DEPTH_ONE)
    X, weights = fitted.table.X, fitted.target.weights
    for term in fitted.model.terms:
        contribution, leaf_of_row = term.contribution(X), term.tree.leaf_of(X)
        for leaf in range(term.tree.n_leaves):
            rows = leaf_of_row == leaf
            mean = np.average(contribution[rows], weights=weights[rows])
            assert mean == pytest.approx(0, abs=1e-9 * fitted.target.scale)
            assert term.shapes[leaf].mean == pytest.approx(mean, abs=1e-9)


def test_spreads_compare_bags_in_canonical_form(fitted):
    bags = [fitted.of_bag(bag) for bag in range(5)]
    assert fitted.model.intercept == pytest.approx(np.mean([bag.intercept for bag in bags]))
    for i, term in enumerate(fitted.model.terms):
        for leaf, shape in enumerate(term.shapes):
            values = np.array([bag.terms[i].shapes[leaf].values for bag in bags])
            np.testing.assert_allclose(shape.values, values.mean(axis=0), atol=1e-9)
            np.testing.assert_allclose(
                shape.spreads, fitted.curves.band * values.std(axis=0), atol=1e-9
            )
    assert max(shape.spreads.max() for term in fitted.model.terms for shape in term.shapes) > 0


def test_constants_shifted_between_terms_are_no_spread():
    """The same model in another gauge in every bag: each term off by a constant."""
    fitted = Assembled()
    moves = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    values = [np.repeat(values[:1], 5, axis=0) for values in fitted.curves.values]
    values[0] = values[0] + moves[:, None, None]
    intercepts = fitted.curves.intercepts[0] - moves
    model = fitted.assemble(replace(fitted.curves, intercepts=intercepts, values=values))
    for term in model.terms:
        for shape in term.shapes:
            np.testing.assert_allclose(shape.spreads, 0, atol=1e-9)


def test_counts_are_sums_of_weights(fitted):
    table = fitted.table
    for term, row_cells in zip(fitted.model.terms, table.cells, strict=True):
        counts = np.concatenate([shape.counts for shape in term.shapes])
        expected = np.bincount(row_cells, fitted.target.weights, len(counts))
        np.testing.assert_allclose(counts, expected)


def test_slots_that_no_row_has_seen_take_the_mean_of_their_curve():
    plain = Assembled(regions={})
    never_missing, level_never_rare = plain.model.terms[1], plain.model.terms[3]
    assert never_missing.shapes[0].counts[-1] == 0
    assert never_missing.shapes[0].values[-1] == pytest.approx(0, abs=1e-9)
    assert level_never_rare.shapes[0].counts[-2] == 0
    assert level_never_rare.shapes[0].values[-2] == pytest.approx(0, abs=1e-9)
    seen_missing = plain.model.terms[0].shapes[0]
    assert seen_missing.counts[-1] > 0 and abs(seen_missing.values[-1]) > 1e-6


def test_what_the_model_says_of_itself(fitted):
    model = fitted.model
    is_classification = fitted.target.loss.task == "classification"
    assert model.link == ("logit" if is_classification else "identity")
    assert model.classes == (("no", "yes") if is_classification else ())
    assert model.errors == ERRORS
    assert [term.tree.n_leaves for term in model.terms] == [3, 1, 2, 1, 2]


def test_a_constant_target_gives_a_constant_model():
    fitted = Assembled()
    target = Target.regression(np.full(600, 7.0), np.ones(600))
    fitted.data = replace(fitted.data, target=target)
    zeros = [np.zeros_like(values) for values in fitted.curves.values]
    model = fitted.assemble(replace(fitted.curves, intercepts=np.zeros(5), values=zeros))
    np.testing.assert_array_equal(model.score_encoded(fitted.table.X), 7.0)
