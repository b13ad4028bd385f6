import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from calmgam import Joint, _kernels
from calmgam.fit.data.binning import bin_table
from calmgam.fit.regions.candidates import candidates_for
from calmgam.fit.regions.joint.path import JointTable, grow_path, trees_after
from calmgam.model.schema import Schema
from prepared import limits_of

# ---- kernels and their twins --------------------------------------------------------------------


class KernelTable:
    """Random rows of two numbers and two categories (one of three levels), in trees of some leaves.

    Codes beyond a feature's conditions are other levels and missing.
    """

    def __init__(self, seed, n_rows=120, uneven=True, missing=True):
        rng = np.random.default_rng(seed)
        self.n_leaves, self.n_bins = [1, 2, 3, 2], [4, 3, 5, 6]
        self.n_conditions, self.ordered = [5, 1, 3, 6], [True, True, False, False]
        sizes = np.multiply(self.n_leaves, self.n_bins)
        self.cells = np.array([rng.integers(0, n, n_rows) for n in sizes], dtype=np.uint32)
        tops = [n + 1 + missing for n in self.n_conditions]
        self.codes = np.array([rng.integers(0, n, n_rows) for n in tops], dtype=np.uint16)
        self.weights = rng.uniform(0.1, 3, n_rows) if uneven else np.ones(n_rows)
        self.residual = rng.normal(size=n_rows) + (self.codes[0] > 2) * (self.cells[1] % 3 - 1.0)

    def growth(
        self,
        min_rows=3.0,
        ridge=1.0,
        subsets=(False, False, True, True),
        turns=None,
        doubt=None,
        charge_steps=True,
    ):
        conditions = self.codes, [0, 1, 2, 3], self.n_conditions, self.ordered, list(subsets)
        turns = list(range(len(self.cells))) if turns is None else turns
        growth = _kernels.JointGrowth(
            self.weights, self.n_bins, *conditions, turns, min_rows, ridge, doubt, charge_steps
        )
        for i, (cells, n_leaves) in enumerate(zip(self.cells, self.n_leaves, strict=True)):
            growth.set_cells(i, cells, n_leaves)
        return growth

    def twin(
        self,
        min_rows=3.0,
        ridge=1.0,
        noise=0.1,
        subsets=(False, False, True, True),
        charge_steps=True,
    ):
        table = self.residual, self.weights, self.cells, self.n_leaves, self.n_bins
        conditions = self.codes, [0, 1, 2, 3], self.n_conditions, self.ordered, subsets
        return oracles.joint_options(*table, *conditions, min_rows, ridge, noise, charge_steps)


def assert_same_splits(found, twin):
    assert [len(leaves) for leaves in found] == [len(leaves) for leaves in twin]
    for leaves, twin_leaves in zip(found, twin, strict=True):
        for (gain, which, left), options in zip(leaves, twin_leaves, strict=True):
            best = max((option[0] for option in options), default=0.0)
            if which < 0:
                assert (gain, left) == (0.0, b"")
                assert best <= 1e-9
                continue
            assert gain == pytest.approx(best, abs=1e-9)
            mask = np.frombuffer(left, dtype=bool)
            tried = [
                option[0] for option in options if option[1] == which and all(option[2] == mask)
            ]
            assert tried[0] == pytest.approx(gain, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), missing=st.booleans(), noise=st.sampled_from([0.0, 0.5]))
def test_gains_of_several_outputs_are_those_of_the_twin_added_up(seed, missing, noise):
    table, none = KernelTable(seed, 120, True, missing), (False,) * 4
    residuals = np.stack([table.residual, KernelTable(seed + 1).residual, table.residual**2])
    found = table.growth(subsets=none).best_splits(residuals, noise)
    twins = []
    for residual in residuals:
        table.residual = residual
        twins.append(table.twin(noise=noise / len(residuals), subsets=none))
    added = []
    for leaves in zip(*twins, strict=True):
        added.append([])
        for options in zip(*leaves, strict=True):
            total = {}
            for gain, which, left in (one for of_output in options for one in of_output):
                key = which, left.tobytes()
                total[key] = total.get(key, 0.0) + gain
            added[-1].append([(g, k[0], np.frombuffer(k[1], bool)) for k, g in total.items()])
    assert_same_splits(found, added)


def test_an_output_given_twice_counts_as_one():
    table = KernelTable(3)
    once = table.growth().best_splits(table.residual, 0.0)
    twice = table.growth().best_splits(np.stack([table.residual] * 2) / np.sqrt(2), 0.0)
    for leaves, others in zip(once, twice, strict=True):
        for (gain, *split), (other, *other_split) in zip(leaves, others, strict=True):
            assert other == pytest.approx(gain)
            assert split == other_split


def test_outputs_are_backfitted_one_by_one():
    table = KernelTable(5)
    residuals = np.stack([table.residual, table.residual**2])
    alone = residuals.copy()
    table.growth().backfit(4, residuals)
    for line in alone:
        table.growth().backfit(4, line)
    np.testing.assert_array_equal(residuals, alone)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n_rows=st.integers(1, 150),
    uneven=st.booleans(),
    missing=st.booleans(),
    min_rows=st.sampled_from([1.0, 5.0, 30.0]),
    ridge=st.sampled_from([0.0, 5.0]),
    noise=st.sampled_from([0.0, 0.5]),
    charge_steps=st.booleans(),
)
def test_splits_are_those_of_the_twin(
    seed, n_rows, uneven, missing, min_rows, ridge, noise, charge_steps
):
    table = KernelTable(seed, n_rows, uneven, missing)
    growth = table.growth(min_rows, ridge, charge_steps=charge_steps)
    found = growth.best_splits(table.residual, noise)
    assert_same_splits(found, table.twin(min_rows, ridge, noise, charge_steps=charge_steps))


def test_what_is_kept_of_the_weights_follows_the_cells():
    """Later residuals and other trees are judged as if nothing had been kept."""
    table, other = KernelTable(0), KernelTable(1)
    growth = table.growth()
    growth.best_splits(table.residual, 0.1)
    table.residual = other.residual
    table.cells[2], table.n_leaves[2] = other.cells[2] % 5, 1
    growth.set_cells(2, table.cells[2], 1)
    assert_same_splits(growth.best_splits(table.residual, 0.1), table.twin())


def test_what_gained_too_little_is_taken_as_it_was():
    table = KernelTable(0)
    growth = table.growth()
    before = growth.best_splits(table.residual, 0.1)
    table.residual = KernelTable(1).residual
    assert growth.best_splits(table.residual, 0.1, at_least=np.inf) == before
    growth.set_cells(1, table.cells[1], table.n_leaves[1])  # as if it had been split
    found = growth.best_splits(table.residual, 0.1, at_least=np.inf)
    assert_same_splits(found[1:2], table.twin()[1:2])
    assert [found[i] for i in (0, 2, 3)] == [before[i] for i in (0, 2, 3)]
    assert_same_splits(growth.best_splits(table.residual, 0.1), table.twin())


def test_what_is_too_large_to_keep_is_judged_alike():
    rng = np.random.default_rng(0)
    n_bins, n_rows = 40_000, 300
    codes = rng.integers(0, 260, (1, n_rows)).astype(np.uint16)
    bins = rng.integers(0, 3, n_rows).astype(np.uint32)
    residual = rng.normal(size=n_rows)
    found = []
    for n in (3, n_bins):
        growth = _kernels.JointGrowth(
            np.ones(n_rows), [n], codes, [1], [260], [True], [False], [0], 3.0, 1.0
        )
        growth.set_cells(0, bins, 1)
        found.append([growth.best_splits(residual, 0.1) for _ in range(2)])
    assert found[0] == found[1]


def test_leaves_times_many_levels_may_be_more_than_sixteen_bits_hold():
    """Cells 1 and 65,537 are not the same."""
    no_codes, residual = np.zeros((0, 4), np.uint16), np.array([1.0, 3.0, -1.0, -3.0])
    growth = _kernels.JointGrowth(np.ones(4), [40_000], no_codes, [], [], [], [], [0], 1.0, 0.0)
    growth.set_cells(0, np.array([1, 1, 65_537, 65_537], np.uint32), 2)
    growth.backfit(1, residual)
    np.testing.assert_array_equal(residual, [-1.0, 1.0, 1.0, -1.0])


def test_rows_without_weight_follow_the_others():
    table = KernelTable(4)
    table.weights[::3] = 0.0
    there = table.weights > 0
    residual = table.residual.copy()
    growth = table.growth()
    growth.backfit(4, residual)
    shape = table.n_leaves, table.n_bins, range(4), table.weights
    twin = oracles.backfit(table.cells, *shape, 1.0, 4, table.residual)
    np.testing.assert_allclose(residual, twin, atol=1e-12)
    found = growth.best_splits(table.residual, 0.1)
    for name in ("cells", "codes", "weights", "residual"):
        setattr(table, name, np.ascontiguousarray(getattr(table, name)[..., there]))
    assert_same_splits(found, table.twin())


def test_without_subsets_one_level_is_named():
    table, none = KernelTable(0), [False] * 4
    found = table.growth(subsets=none).best_splits(table.residual, 0.1)
    assert_same_splits(found, table.twin(subsets=none))
    for leaves in found:
        for _, which, left in leaves:
            mask = np.frombuffer(left, dtype=bool)
            if which >= 2 and not mask[:-1].all():
                assert mask[:-1].sum() == 1


def test_threads_give_the_same_bits():
    table = KernelTable(1, 400)
    few, many = (table.growth().best_splits(table.residual, 0.1, n_threads=n) for n in (1, 3))
    assert few == many


def test_a_bin_without_rows_on_one_side_costs_no_noise_whatever_the_weights():
    """(0.4 + 0.1) + 0.1 < (0.1 + 0.1) + 0.4: no rows must not look like 1e-16 of a row."""
    codes = np.array([[0, 1, 4, 0, 2, 0, 2]], dtype=np.uint16)  # of three conditions; 4 is missing
    cells = np.array([[0] * 7, [0, 0, 0, 1, 1, 2, 2]], dtype=np.uint32)
    weights, residual = np.array([0.1, 0.1, 0.4, 1, 1, 1, 1]), np.array([0.0, 0, 0, 1, -1, -1, 1])
    conditions = codes, [0], [3], [True], [False]
    growth = _kernels.JointGrowth(weights, [1, 3], *conditions, [0, 1], 1.0, 0.0)
    for i in range(2):
        growth.set_cells(i, cells[i], 1)
    _, [(gain, _, left)] = growth.best_splits(residual, 0.5)
    assert gain == 3.0
    assert left == bytes([1, 1, 0, 0, 1])


def test_a_step_that_is_the_same_in_all_bins_is_no_interaction():
    """It is an effect of the feature that the condition is about."""
    rng = np.random.default_rng(0)
    codes, cells = rng.integers(0, 4, (1, 400)).astype(np.uint16), rng.integers(0, 3, (2, 400))
    leaves = rng.integers(0, 2, 400)
    growth = _kernels.JointGrowth(
        np.ones(400), [3, 3], codes, [0], [3], [True], [False], [0, 1], 1.0, 5.0, None, True
    )
    growth.set_cells(0, cells[0].astype(np.uint32), 1)
    growth.set_cells(1, (3 * leaves + cells[1]).astype(np.uint32), 2)
    step = np.where(codes[0] <= 1, 1.0, -1.0)
    for residual, most in ((step, 1e-9), (step * (cells[1] - 1), np.inf)):
        means = np.array([residual[cells[1] == b].mean() for b in range(3)])
        _, leaf_splits = growth.best_splits(residual - means[cells[1]], 0.0)
        for gain, _, left in leaf_splits:
            assert gain <= most
            assert most < 1 or left == bytes([1, 1, 0, 0, 0])
    # in one leaf alone it is an interaction with what leads to that leaf
    growth.set_cells(1, (3 * leaves + cells[1]).astype(np.uint32), 2)
    (_, (inside, _, left)) = growth.best_splits(np.where(leaves == 1, 4 * step, 0.0), 0.0)[1]
    assert inside > 100
    assert left == bytes([1, 1, 0, 0, 0])


def test_rows_not_weights_fill_a_leaf():
    table = KernelTable(2)
    table.weights = table.weights * 100
    few, *_ = table.growth(min_rows=61.0).best_splits(table.residual, 0.1)  # of 120
    assert all(gain == 0 for gain, *_ in few)


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    ridge=st.sampled_from([0.0, 0.5, 5.0]),
    doubt=st.sampled_from([None, 0.0, 1.0, 4.0]),
)
def test_backfitting_is_that_of_the_twin_and_never_makes_it_worse(seed, ridge, doubt):
    table = KernelTable(seed)
    turns = np.random.default_rng(seed).permutation(len(table.cells)).tolist()
    growth, residual = table.growth(ridge=ridge, turns=turns, doubt=doubt), table.residual.copy()
    squares = [table.weights @ residual**2]
    for _ in range(6):
        growth.backfit(1, residual)
        squares.append(table.weights @ residual**2)
    shape = table.cells, table.n_leaves, table.n_bins, turns, table.weights
    twin = oracles.backfit(*shape, ridge, 6, table.residual, doubt)
    np.testing.assert_allclose(residual, twin, atol=1e-12)
    assert np.all(np.diff(squares) <= 1e-12)


def test_many_sweeps_lead_to_the_least_squares_fit():
    """Shrinking slows the steps down; it does not change where they lead."""
    table = KernelTable(3)
    columns = [
        line[:, None] == np.arange(n * m)
        for line, n, m in zip(table.cells, table.n_leaves, table.n_bins, strict=True)
    ]
    root = np.sqrt(table.weights)
    design = np.hstack(columns).astype(float)
    heights = np.linalg.lstsq(root[:, None] * design, root * table.residual, rcond=None)[0]
    residual = table.residual.copy()
    table.growth(ridge=2.0).backfit(3000, residual)
    np.testing.assert_allclose(residual, table.residual - design @ heights, atol=1e-6)


@pytest.mark.parametrize("name", ["residual", "weights", "codes", "cells"])
def test_arrays_that_do_not_fit_are_refused(name):
    table = KernelTable(0)
    setattr(table, name, np.ascontiguousarray(getattr(table, name)[..., :-1]))
    with pytest.raises(ValueError, match=r"joint growth: .* must have length 1"):
        table.growth().best_splits(table.residual, 0.1)
    with pytest.raises(ValueError, match=r"joint growth: .* must have length 1"):
        table.growth().backfit(1, table.residual)


def many_cells(n_rows=300, n_features=20, n_bins=30):
    """Return codes with twice as many cells as rows, and their kernel without conditions."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_bins, (n_features, n_rows)).astype(np.uint32)
    none = np.empty((0, n_rows), dtype=np.uint16), [], [], [], []
    order = list(range(n_features))
    shape = np.ones(n_rows), [n_bins] * n_features
    growth = _kernels.JointGrowth(*shape, *none, order, 1.0, 5.0, doubt=3.0)
    for i, line in enumerate(codes):
        growth.set_cells(i, line, 1)
    return growth, codes, rng


def test_in_doubt_noise_is_not_learned_by_heart():
    """Least squares over twice as many cells as rows would leave nothing."""
    growth, codes, rng = many_cells()
    noise = rng.normal(size=codes.shape[1])
    residual = noise.copy()
    growth.backfit(400, residual)
    assert residual.var() > 0.8 * noise.var()
    assert sum(growth.moved()) <= 2


def test_in_doubt_what_stands_out_from_noise_is_learned():
    growth, codes, rng = many_cells()
    truth = 3.0 * (codes[4] > 14) + 2.0 * (codes[7] > 9)
    residual = truth - truth.mean() + 0.3 * rng.normal(size=len(truth))
    growth.backfit(100, residual)
    assert residual.var() < 0.1 * truth.var()
    assert growth.moved()[4] and growth.moved()[7]
    assert sum(growth.moved()) <= 5


def test_without_doubt_every_curve_moves():
    table = KernelTable(0)
    growth = table.growth()
    assert not any(growth.moved())
    growth.backfit(1, table.residual)
    assert all(growth.moved())


def test_only_some_conditions_may_be_tried():
    table = KernelTable(0)
    growth = table.growth()
    growth.best_splits(table.residual, 0.1)
    growth.try_only(1, [2])
    found = growth.best_splits(table.residual, 0.1)
    twin = table.twin()
    twin[1] = [[option for option in leaf if option[1] == 2] for leaf in twin[1]]
    assert_same_splits(found, twin)


@pytest.mark.parametrize(
    ("feature", "candidates", "message"),
    [
        (4, [0], "feature must be below 4; got 4"),
        (0, [1, 4], r"candidates\[1\] must be below 4; got 4"),
        (0, [0] * 5, "the number of candidates must be"),
    ],
)
def test_conditions_are_tried_on_features_that_are_there(feature, candidates, message):
    with pytest.raises(ValueError, match=message):
        KernelTable(0).growth().try_only(feature, candidates)


def test_turns_are_those_of_features():
    with pytest.raises(ValueError, match=r"turns\[0\] must be a feature, below 4; got 4"):
        KernelTable(0).growth(turns=[4])


# ---- the path -----------------------------------------------------------------------------------


class Grown:
    """A path on a frame whose denoised target is a formula of the encoded matrix."""

    def __init__(
        self,
        frame,
        formula,
        weights=None,
        *,
        min_samples_leaf=10,
        n_jobs=1,
        **limits,
    ):
        self.schema = Schema.learn(frame)
        self.X = self.schema.encode(frame)
        self.binned = bin_table(self.X, self.schema, 256)
        limits = limits_of(self.schema, **{"max_splits": 6, **limits})
        candidates = [
            candidates_for(self.binned, j, thresholds="quantile", n_thresholds=31)
            for j in limits.policy.condition_features
        ]
        settings = Joint(min_samples_leaf=min_samples_leaf)
        self.scores = formula(self.X)
        self.path, _ = grow_path(
            JointTable.of(self.binned, candidates, settings.max_bins),
            self.scores,
            np.ones(len(self.X)) if weights is None else weights,
            settings,
            limits,
            n_jobs=n_jobs,
        )

    @property
    def texts(self):
        return [
            (step.record.feature, str(step.record.region), str(step.record.condition))
            for step in self.path
        ]

    @property
    def pairs(self):
        return [(step.record.feature, step.record.condition_feature) for step in self.path]


def uniform(n_rows=1500, n_features=4, seed=0):
    X = np.random.default_rng(seed).uniform(-1, 1, (n_rows, n_features))
    return pd.DataFrame(X, columns=list("abcdefgh")[:n_features])


def two_gates(X):
    return 3 * X[:, 0] * (X[:, 1] > 0) + X[:, 2] * (X[:, 3] > 0.2)


def smooth(X):
    return np.sin(3 * X[:, 0]) * X[:, 1] + 0.7 * X[:, 2] * X[:, 3] + X[:, 1]


def test_strong_interactions_come_first():
    grown = Grown(uniform(), two_gates)
    assert grown.pairs[:2] == [("a", "b"), ("c", "d")]
    thresholds = [step.record.condition.threshold for step in grown.path[:2]]
    assert thresholds == pytest.approx([0, 0.2], abs=0.04)
    gains = [step.record.gain for step in grown.path]
    assert gains[0] > 5 * gains[1] > 10 * sum(gains[2:])


@pytest.mark.parametrize("threshold", [-0.6, 0.07, 0.93])
def test_thresholds_lie_between_candidates_too(threshold):
    frame = uniform()
    frame.loc[::10, "b"] = np.nan
    grown = Grown(frame, lambda X: X[:, 0] * (X[:, 1] > threshold), split_features=[0])
    condition, b = grown.path[0].record.condition, frame["b"]
    cuts = grown.binned.edges[1]
    assert condition.threshold in cuts
    # of all cuts the one that sends fewest rows to the wrong side
    wrong = [((b > threshold) != (b > cut)).sum() for cut in cuts]
    assert ((b > threshold) != (b > condition.threshold)).sum() == min(wrong)


def test_additive_truth_gains_next_to_nothing():
    grown = Grown(uniform(), lambda X: np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + (X[:, 2] > 0))
    assert sum(step.record.gain for step in grown.path) < 2e-3 * grown.scores.var()


def test_a_constant_score_has_no_path():
    assert Grown(uniform(100), lambda X: np.zeros(len(X))).path == ()


def test_beginnings_lead_to_trees_that_contain_one_another():
    grown = Grown(uniform(), smooth, max_splits=9)
    assert len(grown.path) == 9
    for k, step in enumerate(grown.path):
        trees = trees_after(grown.path[:k], 4)
        assert sum(tree.n_splits for tree in trees) == k
        tree, record = trees[step.feature], step.record
        inside = tree.leaf_of(grown.X) == step.leaf
        left = inside & record.condition.contains(grown.X)
        assert record.feature == grown.schema.names[step.feature]
        assert record.region == tree.regions[step.leaf]
        assert record.depth == len(record.region.conditions)
        counts = record.n_rows, record.n_left, record.n_right
        assert counts == (inside.sum(), left.sum(), (inside & ~left).sum())
        assert record.share == pytest.approx(inside.mean())
        assert 0 < record.drop <= 1
        assert record.accepted


def test_a_shorter_path_is_the_beginning_of_a_longer_one():
    assert Grown(uniform(), smooth, max_splits=3).path == Grown(uniform(), smooth).path[:3]
    assert Grown(uniform(), smooth, max_splits=0).path == ()


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n_rows=st.integers(2, 80),
    max_depth=st.integers(0, 3),
    min_samples_leaf=st.integers(1, 12),
    uneven=st.booleans(),
)
def test_paths_keep_their_promises(seed, n_rows, max_depth, min_samples_leaf, uneven):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(np.round(rng.normal(size=(n_rows, 3)), 1), columns=list("abc"))
    frame = frame.mask(rng.random(frame.shape) < 0.15)
    frame.iloc[0] = 0.0  # every column has a value
    frame["d"] = rng.choice(["p", "q", "r", "s"], n_rows)
    weights = rng.exponential(size=n_rows) if uneven else np.ones(n_rows)
    scores = 3 * rng.normal(size=n_rows)
    grown = Grown(
        frame,
        lambda X: scores,
        weights / weights.mean(),
        max_splits=20,
        max_depth=max_depth,
        min_samples_leaf=min_samples_leaf,
    )
    for i, tree in enumerate(trees_after(grown.path, 4)):
        assert tree.depth <= max_depth
        assert i not in tree.condition_features
        counts = np.bincount(tree.leaf_of(grown.X), minlength=tree.n_leaves)
        assert tree.n_leaves == 1 or counts.min() >= min_samples_leaf
    for step in grown.path:
        condition = step.record.condition
        if condition.feature.is_numeric and np.isfinite(condition.threshold):
            assert condition.threshold in grown.binned.edges[condition.feature.index]


def test_split_and_condition_features_restrict_the_path():
    assert {feature for feature, _ in Grown(uniform(), smooth, split_features=[1, 2]).pairs} == {
        "b",
        "c",
    }
    assert {other for _, other in Grown(uniform(), smooth, condition_features=[0, 3]).pairs} == {
        "a",
        "d",
    }


def test_of_equals_the_first_feature_wins():
    frame = uniform(n_features=2)
    frame = frame.assign(same_a=frame["a"], same_b=frame["b"])
    grown = Grown(frame, lambda X: X[:, 0] * (X[:, 1] > 0))
    assert grown.pairs[0] == ("a", "b")
    assert Grown(frame[frame.columns[::-1]], lambda X: X[:, 1] * (X[:, 0] > 0)).pairs[0] == (
        "same_a",
        "same_b",
    )


@pytest.mark.parametrize("exponent", [-40, 9])
def test_the_unit_of_the_score_does_not_matter(exponent):
    scaled = Grown(uniform(), lambda X: 2.0**exponent * smooth(X))
    assert scaled.texts == Grown(uniform(), smooth).texts


def test_the_order_of_columns_does_not_matter():
    permuted = Grown(uniform()[list("dbca")], lambda X: smooth(X[:, [3, 1, 2, 0]]), max_splits=4)
    assert permuted.texts == Grown(uniform(), smooth, max_splits=4).texts


def test_threads_do_not_change_the_path():
    assert Grown(uniform(), smooth, n_jobs=3).path == Grown(uniform(), smooth).path


@pytest.mark.parametrize("chosen", [[1], [0, 2, 5], [0, 1, 3, 4, 6, 7]])
def test_sets_of_levels_are_recovered(chosen):
    levels = np.random.default_rng(1).choice(list("pqrstuvw"), 1500)
    grown = Grown(
        uniform().assign(kind=levels),
        lambda X: X[:, 0] * np.isin(X[:, 4], chosen),
        split_features=[0],
    )
    condition = grown.path[0].record.condition
    assert grown.pairs[0] == ("a", "kind")
    assert set(condition.codes) in (set(chosen), set(range(8)) - set(chosen))
    assert len(condition.codes) <= 4  # the shorter side is named


def test_levels_that_a_region_does_not_have_are_not_named():
    rng = np.random.default_rng(1)
    frame = uniform().assign(kind=rng.choice(list("pqrstuvw"), 1500))
    frame.loc[frame["b"] > 0, "kind"] = rng.choice(["p", "w"], int((frame["b"] > 0).sum()))
    grown = Grown(frame, lambda X: X[:, 0] * (X[:, 1] > 0) * (3 + (X[:, 4] == 7)))
    assert grown.pairs[:2] == [("a", "b"), ("a", "kind")]
    assert len(grown.path[1].record.condition.codes) == 1


def test_missing_values_can_be_the_condition():
    frame = uniform()
    frame.loc[::3, "b"] = np.nan
    assert Grown(frame, lambda X: X[:, 0] * np.isnan(X[:, 1])).texts[0] == (
        "a",
        "everywhere",
        "b is not missing",
    )


@pytest.mark.parametrize("missing_left", [False, True])
def test_missing_values_take_the_side_that_they_resemble(missing_left):
    frame = uniform()
    frame.loc[::3, "b"] = np.nan

    def formula(X):
        return X[:, 0] * (~(X[:, 1] > 0) if missing_left else X[:, 1] <= 0)

    condition = Grown(frame, formula).path[0].record.condition
    assert condition.threshold == pytest.approx(0, abs=0.05)
    assert condition.missing == missing_left


def test_weights_decide_what_counts():
    weights = np.where(uniform()["b"] > 0, 1.0, 1e-9)
    grown = Grown(uniform(), two_gates, weights / weights.mean(), max_splits=1)
    assert grown.pairs == [("c", "d")]  # nearly all the weight lies on one side of the other gate
