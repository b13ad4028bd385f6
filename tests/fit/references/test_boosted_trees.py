import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingRegressor

import oracles
from calmgam import _kernels
from calmgam.fit.data.log_losses import Gamma, Poisson, Tweedie
from calmgam.fit.data.losses import Loss
from calmgam.fit.data.robust_losses import Huber, Quantile
from calmgam.fit.data.target import Target
from calmgam.fit.references.boosted_trees import BoostedTrees, TreeSettings
from calmgam.model.schema import Feature, Schema
from prepared import LOSSES
from tables import mixed_table

X, Y, SCHEMA = mixed_table()
NUMERIC = Schema(tuple(Feature(name, i, "numeric") for i, name in enumerate("abc")))


# ---- the kernel and its twin --------------------------------------------------------------------


class Given(Loss):
    """A loss that the kernels do not know, though they know one like it."""

    link = "logit"

    def losses(self, y, score):
        return LOSSES["classification"].losses(y, score)

    def derivatives(self, y, score):
        return LOSSES["classification"].derivatives(y, score)


class Slots:
    """Random rows of two numbers (one with missing values) and a feature of levels."""

    def __init__(self, seed, n_rows, task, uneven):
        rng = np.random.default_rng(seed)
        self.n_slots, self.ordered = [12, 5, 6], [True, True, False]
        self.codes = np.array([rng.integers(0, n, n_rows) for n in (11, 5, 6)], dtype=np.uint16)
        signal = (self.codes[0] > 4) * (self.codes[2] % 2 - 0.5) + 0.3 * (self.codes[1] == 4)
        y = signal + 0.3 * rng.normal(size=n_rows)
        weights = rng.uniform(0.9, 1.1, n_rows)  # equal ones would make equal gains
        if uneven:
            weights *= rng.integers(0, 4, n_rows)
        loss = task if isinstance(task, Loss) else LOSSES[task]
        values = {"logit": (y > 0).astype(float), "log": np.exp(2 * y)}.get(loss.link, y)
        if isinstance(loss, Poisson | Tweedie):
            values[values < 0.5] = 0.0
        self.target = Target(loss, values, weights)
        weights[0] = 1.0

    def boost(self, chosen, seed=0, n_threads=1):
        return _kernels.boost_trees(
            self.codes,
            self.n_slots,
            self.ordered,
            self.target.values,
            self.target.weights,
            self.target.offsets,
            loss=self.target.kernel_loss(),
            base=self.target.best_constant(),
            max_step=self.target.loss.max_step,
            seed=seed,
            n_threads=n_threads,
            **vars(chosen),
        )

    def scores(self, boosted):
        roots, features, slots, left, right, missing_left, left_codes, flags, values = boosted
        scores = np.full(self.codes.shape[1], self.target.best_constant())
        for row, codes in enumerate(self.codes.T):
            for node in roots:
                while (i := features[node]) >= 0:
                    if codes[i] == self.n_slots[i] - 1:
                        goes_left = missing_left[node]
                    elif left_codes[node] >= 0:
                        goes_left = flags[left_codes[node] + codes[i]]
                    else:
                        goes_left = codes[i] <= slots[node]
                    node = left[node] if goes_left else right[node]
                scores[row] += values[node]
        return scores


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n_rows=st.integers(4, 120),
    task=st.sampled_from(
        [
            *("regression", "classification", Poisson(), Gamma(), Tweedie(1.3)),
            *(Huber(0.5), Quantile(0.8), Given()),
        ]
    ),
    uneven=st.booleans(),
    validation_share=st.sampled_from([0.0, 0.3]),
    max_bins=st.sampled_from([3, 6, 32]),
    ridge=st.sampled_from([0.5, 5.0]),
)
def test_trees_are_those_of_the_twin(seed, n_rows, task, uneven, validation_share, max_bins, ridge):
    table = Slots(seed, n_rows, task, uneven)
    chosen = TreeSettings(
        max_rounds=4,
        patience=1,
        validation_share=validation_share,
        max_leaves=5,
        max_bins=max_bins,
        min_samples_leaf=3,
        ridge=ridge,
    )
    boosted = table.boost(chosen, seed)
    twin, n_rounds = oracles.boost_trees(
        table.codes, table.n_slots, table.ordered, table.target, seed, chosen
    )
    assert len(boosted[0]) == n_rounds
    np.testing.assert_allclose(table.scores(boosted), twin, atol=1e-9)


def test_arrays_that_do_not_fit_are_refused():
    table = Slots(0, 50, "regression", False)
    table.codes = np.ascontiguousarray(table.codes[:, :-1])
    with pytest.raises(ValueError, match="trees: a line of codes must have length 50; got 49"):
        table.boost(TreeSettings())


def test_threads_give_the_same_bits():
    table = Slots(0, 50_000, "classification", True)
    for one, other in zip(*(table.boost(TreeSettings(), n_threads=n) for n in (1, 3)), strict=True):
        np.testing.assert_array_equal(one, other)


# ---- the estimator ------------------------------------------------------------------------------


def test_scores_are_those_of_its_ensemble_whatever_the_column():
    model = BoostedTrees(SCHEMA, LOSSES["regression"]).fit(X, Y)
    sums = model.ensemble.base + oracles.leaf_sums(model.ensemble, X)
    np.testing.assert_allclose(model.predict(X), sums, atol=1e-12)
    assert set(model.ensemble.features) == {-1, *range(X.shape[1])}


def test_all_rows_in_all_cuts_are_scikit_learns_trees():
    """Without what is ours (few cuts a tree, shrunken leaves) both grow the same trees."""
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=(800, 3)), 1)
    y = np.sin(3 * x[:, 0]) * x[:, 1] + 0.1 * rng.normal(size=800)
    chosen = TreeSettings(
        max_rounds=10, validation_share=0.0, learning_rate=0.3, max_bins=255, ridge=0.0
    )
    ours = BoostedTrees(NUMERIC, LOSSES["regression"], chosen).fit(x, y)
    theirs = HistGradientBoostingRegressor(max_iter=10, learning_rate=0.3).fit(x, y)
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), atol=1e-5)


def test_weights_are_as_good_as_copies():
    x = np.round(np.random.default_rng(0).normal(size=(300, 3)), 1)
    y, weights = np.sin(3 * x[:, 0]) * x[:, 1], 1.0 + np.arange(300) % 3
    copies = np.repeat(np.arange(300), weights.astype(int))
    chosen = TreeSettings(min_samples_leaf=1, validation_share=0.0, max_bins=255)
    weighted = BoostedTrees(NUMERIC, LOSSES["regression"], chosen).fit(x, y, weights)
    copied = BoostedTrees(NUMERIC, LOSSES["regression"], chosen).fit(x[copies], y[copies])
    np.testing.assert_allclose(weighted.predict(x), copied.predict(x), atol=1e-9)


def test_noise_stops_a_large_table_at_once():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2500, 3)), rng.normal(size=2500)
    trees = BoostedTrees(NUMERIC, LOSSES["regression"]).fit(x, y).ensemble
    assert len(trees.roots) < 5
    reached = {*trees.roots.tolist(), *trees.left.tolist(), *trees.right.tolist()} - {-1}
    assert reached == set(range(len(trees.features)))  # nothing is kept of trees that were dropped
    y = np.sin(3 * x[:, 0]) * x[:, 1] + 0.1 * y
    assert len(BoostedTrees(NUMERIC, LOSSES["regression"]).fit(x, y).ensemble.roots) > 20


@pytest.mark.parametrize("n_rows", [1, 2, 50, 2500])
def test_a_rare_class_and_empty_columns_are_no_trouble(n_rows):
    x = np.random.default_rng(0).normal(size=(n_rows, 3))
    x[:, 1] = np.nan
    y = np.eye(1, n_rows)[0]
    model = BoostedTrees(NUMERIC, LOSSES["classification"]).fit(x, y)
    assert np.isfinite(model.predict(x)).all()
    np.testing.assert_allclose(model.predict_proba(x).sum(axis=1), 1.0)


def test_levels_may_be_many():
    schema = Schema((Feature("c", 0, "categorical", tuple(map(str, range(400)))),))
    x = np.arange(4000.0)[:, None] % 400
    y = x[:, 0] % 7
    model = BoostedTrees(schema, LOSSES["regression"]).fit(x, y)
    assert np.abs(model.predict(x) - y).mean() < 0.1 * y.std()
    assert np.isfinite(model.predict(np.array([[400.0], [np.nan]]))).all()  # unseen, missing


def test_survives_pickling():
    model = BoostedTrees(SCHEMA, LOSSES["regression"]).fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
