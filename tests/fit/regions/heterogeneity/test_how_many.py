import numpy as np
import pytest

from calmgam import Boosting, CALMClassifier, CALMRegressor, Heterogeneity
from calmgam.fit.data.losses import SquaredError
from calmgam.fit.data.target import Target
from calmgam.fit.regions.heterogeneity import how_many as shares
from calmgam.fit.regions.heterogeneity.growing import grow_all
from calmgam.fit.regions.heterogeneity.how_many import cross_validate_shares, shares_of
from prepared import prepared_of, target_of

QUICK = {"curves": Boosting(n_bags=2, max_rounds=50), "random_state": 0, "n_jobs": 1}


@pytest.mark.parametrize(
    ("n_splits", "tried"),
    [
        (1, {0: 0.0, 1: 1.0}),
        (2, {0: 0.0, 1: 0.5, 2: 1.0}),
        (3, {0: 0.0, 1: 0.25, 2: 0.5, 3: 1.0}),
        (10, {0: 0.0, 3: 0.25, 5: 0.5, 10: 1.0}),
    ],
)
def test_shares_that_come_to_the_same_number_are_tried_once(n_splits, tried):
    assert shares_of(n_splits) == tried
    assert list(tried) == sorted(tried)


class Case:
    """Rows with one strong interaction, ready to be cross-validated."""

    def __init__(self, n_rows=400):
        rng = np.random.default_rng(0)
        self.X = rng.uniform(-1, 1, (n_rows, 3))
        y = 3 * self.X[:, 0] * (self.X[:, 1] > 0) + 0.2 * rng.normal(size=n_rows)
        self.target = target_of(y)

    def select(self, n_splits=4, target=None, **options):
        options = {"rng": 7, "max_bins": 64, "limits": {"max_depth": 1}, **options}
        prepared = prepared_of(self.X, target or self.target, **options)
        return cross_validate_shares(prepared, Heterogeneity(), n_splits)


def test_a_true_split_is_kept():
    found = Case().select()
    assert found.n_splits > 0
    assert [point.n_splits for point in found.points] == [0, 1, 2, 4]
    assert [point.n_splits for point in found.points if point.chosen] == [found.n_splits]
    assert found.errors["calm"] < 0.8 * found.errors["gam"]
    assert found.errors["reference"] < found.errors["gam"]


def test_folds_are_searched_without_the_rows_that_they_predict(monkeypatch):
    """Rows left out may have any y: what is found and predicted without them stays the same."""
    case, folds, losses = Case(200), [], []
    boosted = shares.boosted_losses

    def watched(validation, trees, *rest):
        losses.append((validation, trees, boosted(validation, trees, *rest)))
        return losses[-1][2]

    def watched_growth(reference, prepared, settings):
        folds.append((prepared, grow_all(reference, prepared, settings)))
        return folds[-1][1]

    monkeypatch.setattr(shares, "boosted_losses", watched)
    monkeypatch.setattr(shares, "grow_all", watched_growth)
    case.select()
    prepared, grown = folds[0]
    first, *_ = [validation for validation, *_ in losses]
    assert prepared.n_rows == prepared.binned.n_rows == prepared.target.n_rows == 175  # of 200
    np.testing.assert_array_equal(prepared.X, np.delete(case.X, first, axis=0))

    moved = case.target.values.copy()
    moved[first] += 2.0
    before, folds_before = [one for one in losses if one[0] is first], folds.copy()
    assert len(before) > 1
    losses.clear()
    folds.clear()
    case.select(target=Target(SquaredError(), moved, case.target.weights))
    assert folds[0][1].ledger() == grown.ledger()
    assert folds[1][1].ledger() != folds_before[1][1].ledger()  # of these they are training rows
    for (_, trees, old), (_, same, new) in zip(before, losses, strict=False):
        assert trees == same
        # (y + 2 - s)² - (y - s)² = 4 (y - s) + 4, if the prediction s has stayed
        np.testing.assert_allclose(((new - old - 4) / 4) ** 2, old, atol=1e-9)


def test_folds_side_by_side_give_the_same_bits():
    calls = []
    one = Case(160).select(progress=lambda *call: calls.append(call))
    assert one == Case(160).select(n_jobs=2)
    assert calls == [(k + 1, 8) for k in range(8)]


# ---- the whole way, as in the paper -------------------------------------------------------------


def paper(X, y, kind=CALMRegressor, **options):
    pytest.importorskip("xgboost", reason="the paper's reference needs xgboost")
    return kind.paper(**{**QUICK, **options}).fit(X, y)


def additive(n_rows=1500):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 6))
    truth = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] ** 2 + X[:, 2] - 0.5 * X[:, 3]
    return X, truth + rng.normal(size=n_rows)


def test_what_an_overfitted_reference_makes_up_is_not_kept():
    X, y = additive()
    options = {"growth__min_drop": 0.05}
    assert paper(X, y, **options).n_splits_ > 0
    found = paper(X, y, max_splits="auto", **options)
    assert found.n_splits_ == 0
    assert "beyond the 0 splits that cross-validation keeps" in {
        record.reason for record in found.ledger_.splits
    }
    gam = paper(X, y, max_depth=0)
    np.testing.assert_array_equal(found.predict(X), gam.predict(X))


def test_noise_is_left_alone():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 4)), rng.random(600) < 0.5
    options = {"kind": CALMClassifier, "growth__min_drop": 0.02}
    assert paper(X, y, **options).n_splits_ > 0
    assert paper(X, y, max_splits="auto", **options).n_splits_ == 0


def test_clear_interactions_stay_as_they_were_found():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (1000, 4))
    y = 3 * X[:, 0] * X[:, 1] + 2 * X[:, 2] * X[:, 3] + 0.1 * rng.normal(size=1000)
    everything, found = (paper(X, y, max_depth=1, max_splits=limit) for limit in (None, "auto"))
    assert found.n_splits_ == everything.n_splits_ > 0
    assert [term.tree for term in found.model_.terms] == [
        term.tree for term in everything.model_.terms
    ]
    np.testing.assert_array_equal(found.predict(X), everything.predict(X))
    assert {"gam", "calm", "reference"} <= set(found.model_.errors)
    with pytest.raises(ValueError, match="the path, which growth='joint' alone makes; got 1"):
        found.refit_splits(1, X, y)
