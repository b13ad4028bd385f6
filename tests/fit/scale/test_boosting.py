from dataclasses import replace

import numpy as np
import pytest

from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.curves.boosting import Boosting
from calmgam.fit.curves.shrinking import HeldOut, worth_of_regions
from calmgam.fit.data.losses import SquaredError
from calmgam.fit.data.target import Target
from calmgam.fit.scale.batches import MemoryBatch, fold_of, row_hashes
from calmgam.fit.scale.boosting import MomentData, _boosted, boost_moments
from calmgam.fit.scale.lines import fold_sums, gram_of, lines_of
from fit_scale import moments_pass, table_of, trees_of
from oracles import boost_one_bag

DEEP = {
    "x0": ["x1 <= 0", "x1 > 0 and x2 <= 0.5", "x1 > 0 and x2 > 0.5"],
    "x2": ["x1 <= 0.3", "x1 > 0.3"],
}


@pytest.fixture(params=[{}, DEEP], ids=["whole", "deep"])
def learned(request):
    """A table, its moments, and the rows as direct boosting sees them."""
    X, y, weights = table_of(600, weighted=True)
    trees = trees_of(X, request.param)
    one_pass = moments_pass(X, y, weights, trees=trees)
    batch = MemoryBatch(X, y, weights)
    moments = one_pass.add(one_pass.start(), batch)
    data = MomentData(moments, one_pass.cells, one_pass.fixed, turns=[0, 1, 2], seed=3)
    rows = np.arange(len(y))
    cells, _ = one_pass.cells.of(batch, rows, 1)
    z = (y - one_pass.fixed.mean) / one_pass.fixed.scale
    target = Target(SquaredError(), z, weights)
    return data, cells.astype(np.intp), target, fold_of(row_hashes(batch), 3)


@pytest.mark.parametrize(
    "options",
    [
        {"smoothing_rounds": 0, "max_rounds": 30},
        {"smoothing_rounds": 15, "max_rounds": 30},
        {"smoothing_rounds": 5, "momentum": 0.5, "patience": 3, "min_samples_leaf": 40},
        {"max_leaves": 2, "momentum": 0.0, "ridge": 0.0, "max_rounds": 20, "smoothing_rounds": 0},
    ],
    ids=["best cuts", "random cuts", "early stop", "plain"],
)
def test_bags_from_sums_are_those_from_rows(learned, options):
    data, cells, target, fold = learned
    settings = Boosting(**{"learning_rate": 0.2, "tolerance": 0.0, "patience": 50, **options})
    folds = [fold_sums(data.moments, data.fixed, k) for k in range(3)]
    bags = _boosted(data, settings, folds)
    seeds = np.random.default_rng(data.seed).integers(2**63, size=3).tolist()
    for k, (bag, seed) in enumerate(zip(bags, seeds, strict=True)):
        intercept, heights, loss, n_rounds = boost_one_bag(
            data.cells.binned,
            cells,
            data.cells.trees,
            target,
            fold != k,
            fold == k,
            seed,
            settings,
        )
        assert bag.intercept == pytest.approx(intercept, abs=1e-8)
        assert bag.best_round == n_rounds
        assert bag.best_loss == pytest.approx(loss, rel=1e-5)
        lines = np.split(bag.curves(), np.cumsum(_sizes(data))[:-1])
        leaves = [
            part[tree.n_splits * n :]
            for part, tree, n in zip(
                lines, data.cells.trees, data.cells.binned.n_slots, strict=True
            )
        ]
        np.testing.assert_allclose(np.concatenate(leaves), heights, atol=2e-5)


def _sizes(data):
    return [
        (2 * tree.n_splits + 1) * n
        for tree, n in zip(data.cells.trees, data.cells.binned.n_slots, strict=True)
    ]


def test_lines_are_sums_of_the_gram_matrix(learned):
    data, cells, target, fold = learned
    n_cells = int(data.cells.firsts[-1])
    indicators = np.zeros((len(fold), n_cells))
    for i, line in enumerate(cells):
        indicators[np.arange(len(fold)), data.cells.firsts[i] + line] = 1
    weights = target.weights * (fold == 1)
    expected = indicators.T @ (weights[:, None] * indicators)
    gram = gram_of(data.moments, data.cells, data.fixed, 1)
    np.testing.assert_allclose(gram, expected, rtol=1e-6)
    lines = lines_of(gram, data.cells)
    n_slots, tree = data.cells.binned.n_slots[0], data.cells.trees[0]
    of_root = expected[: tree.n_leaves * n_slots].reshape(tree.n_leaves, n_slots, -1).sum(axis=0)
    np.testing.assert_allclose(lines[: n_slots - 1], np.cumsum(of_root[:-1], axis=0), rtol=1e-5)
    np.testing.assert_allclose(lines[n_slots - 1], of_root[-1], rtol=1e-5)


def test_threads_change_nothing_and_features_left_out_stay_flat(learned):
    data = replace(learned[0], turns=[0, 2])
    one = boost_moments(data, Boosting(max_rounds=40))
    two = boost_moments(replace(data, n_jobs=2), Boosting(max_rounds=40))
    for a, b in zip(one.values, two.values, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not one.values[1].any() and one.values[0].any()


def test_regions_are_shrunk_to_their_worth_on_the_rows_left_out(learned):
    data, cells, target, fold = learned
    settings = Boosting(max_rounds=60, learning_rate=0.3)
    plain = boost_moments(data, replace(settings, shrinking=False))
    shrunk = boost_moments(data, settings)
    roles = np.where(fold[:, None] == np.arange(3), VALIDATES, TRAINS).astype(np.uint8)
    held_out = HeldOut(np.arange(len(fold)), cells.astype(np.uint16), roles, target, ())
    own = {i: plain.values[i] - common for i, common in plain.shared.items()}
    factors = worth_of_regions(held_out, plain, own)
    assert all(factor < 1 for factor in factors.values())
    for i, values in enumerate(plain.values):
        expected = plain.shared[i] + factors[i] * own[i] if i in own else values
        np.testing.assert_allclose(shrunk.values[i], expected, atol=1e-5)


def test_progress_is_told(learned):
    seen = []
    boost_moments(replace(learned[0], progress=lambda *at: seen.append(at)), Boosting(max_rounds=7))
    assert seen[-1] == (7, 7)
