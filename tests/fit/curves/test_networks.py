import sys
from functools import partialmethod

import numpy as np
import pytest

from calmgam import CALMRegressor
from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.curves.by_name import LEARNERS
from calmgam.fit.curves.contract import CurveData
from calmgam.fit.curves.networks import WHOLE, NetworkInputs, Networks, slot_values
from calmgam.fit.data.bags import draw_bags
from calmgam.fit.data.binning import bin_table
from calmgam.fit.data.target import Target
from calmgam.fit.regions.given import given_trees
from calmgam.model.schema import Schema
from prepared import prepared_of
from tables import MixedTable, any_tree, in_given_order

torch = pytest.importorskip("torch", reason="neural curves need torch: the extra dev-all")
SHORT = Networks(min_steps=150)
EVERYONE = np.full((600, 1), TRAINS, dtype=np.uint8)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Estimators, too, train for a short time."""
    short = type(
        "Short", (Networks,), {"__init__": partialmethod(Networks.__init__, min_steps=1000)}
    )
    monkeypatch.setitem(LEARNERS, "networks", short)


def learn(table, target=None, seed=0):
    target = target or table.target()
    return SHORT.learn(table.data(target, draw_bags(target, 1, np.random.default_rng(0)), seed))


def gated(n_rows=600):
    """A table whose effect of x depends on the sign of z."""
    X = np.random.default_rng(0).uniform(-1, 1, (n_rows, 2))
    return X, np.where(X[:, 1] > 0, 1, -1) * np.sin(2 * X[:, 0])


def test_regions_learn_curves_of_their_own():
    X, y = gated()
    regions = {"x0": ["x1 <= 0", "x1 > 0"]}
    model = CALMRegressor(curves="networks", growth=regions, random_state=0, n_jobs=1).fit(X, y)
    assert np.mean((model.predict(X) - y) ** 2) < 0.02 * np.var(y)
    low, high = model.model_.terms[0].shapes
    middle = np.abs(X[:, 0]) < 0.8
    np.testing.assert_allclose(low(X[middle, 0]), -high(X[middle, 0]), atol=0.25)
    plain = CALMRegressor(curves="networks", max_depth=0, random_state=0, n_jobs=1).fit(X, y)
    assert np.mean((plain.predict(X) - y) ** 2) > 0.8 * np.var(y)


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_mixed_tables_are_learned_and_scored_by_their_cells(task):
    table = MixedTable()
    target = table.target(task)
    curves = learn(table, target)
    every = np.arange(len(target.values))
    before = np.average(target.losses(np.full(len(every), curves.intercepts[0]), every))
    assert np.average(target.losses(curves.scores(table.cells), every)) < 0.75 * before
    assert curves.losses.shape == (1,)
    for value, n_leaves, n_slots in zip(
        curves.values, table.n_leaves, table.binned.n_slots, strict=True
    ):
        assert value.shape == (1, n_leaves, n_slots)
        assert np.isfinite(value).all()


def test_shrinkage_keeps_regions_of_few_rows_near_the_whole():
    X, _ = gated(400)
    y = np.random.default_rng(1).normal(size=400)
    prepared = prepared_of(X, y, max_bins=16)
    trees = given_trees({"x0": ["x1 <= -0.95", "x1 > -0.95"]}, prepared)
    binned = prepared.binned
    roles = np.full((400, 1), TRAINS | VALIDATES, dtype=np.uint8)
    data = CurveData(binned.cells(trees), binned, trees, prepared.target, roles)

    def difference(ridge):
        curves = Networks(min_steps=400, ridge=ridge).learn(data)
        few, many = curves.values[0][0][:, :-1]
        return np.abs(few - many).mean()

    assert difference(100.0) < 0.5 * difference(0.0)


def test_weights_count():
    x = np.tile([0.0, 1.0], 200)
    y = np.where(np.arange(400) % 4 < 2, x, -x)
    weights = np.where(np.arange(400) % 4 < 2, 9.0, 1.0)
    model = CALMRegressor(curves="networks", max_depth=0, random_state=0, n_jobs=1)
    model.fit(x[:, None], y, sample_weight=weights)
    np.testing.assert_allclose(model.predict([[1.0]]), 0.8, atol=0.1)


def test_same_seed_same_curves_and_threads_are_put_back():
    table = MixedTable()
    before = torch.get_num_threads()
    one, same, other = (learn(table, seed=seed) for seed in (1, 1, 2))
    assert torch.get_num_threads() == before
    for a, b, c in zip(one.values, same.values, other.values, strict=True):
        np.testing.assert_array_equal(a, b)
        assert not np.array_equal(a, c)


def test_the_order_of_the_columns_does_not_matter():
    X, y = gated(200)
    options = {"curves": "networks", "max_depth": 0, "random_state": 0, "n_jobs": 1}
    there = CALMRegressor(**options).fit(X, y).predict(X)
    back = CALMRegressor(**options).fit(X[:, ::-1], y).predict(X[:, ::-1])
    np.testing.assert_allclose(there, back, atol=1e-5)


def test_a_split_feature_has_a_network_for_all_rows_and_one_for_each_region():
    table = MixedTable()
    in_given_order(table.binned, [4, 3, 2, 1, 0])
    inputs = NetworkInputs.of(table.data(table.target(), EVERYONE))
    lines = list(zip(inputs.features.tolist(), inputs.leaves.tolist(), strict=True))
    assert lines[:4] == [(4, WHOLE), (4, 0), (4, 1), (3, WHOLE)]
    assert len(lines) == 5 + sum(n for n in table.n_leaves if n > 1)


def test_inputs_stay_within_what_a_network_has_seen():
    table = MixedTable()
    inputs = NetworkInputs.of(table.data(table.target(), EVERYONE))
    for line, (i, leaf) in enumerate(zip(inputs.features, inputs.leaves, strict=True)):
        n_slots = table.binned.n_slots[i]
        rows = (table.cells[i] // n_slots == leaf) | (leaf == WHOLE)
        seen = np.unique((table.cells[i] % n_slots)[rows])
        marked, silent = inputs.marks[line, :n_slots] > 0, inputs.silent[line, :n_slots]
        if table.binned.features[i].is_numeric:
            own = inputs.numbers[line, seen[seen < n_slots - 1]]
            inside = inputs.numbers[line, : n_slots - 1]
            assert (inside.min(), inside.max()) == (own.min(), own.max())
            assert (np.diff(inside) >= 0).all()
            marked, silent = marked[-1:], silent[-1:]
            assert not inputs.marks[line, : n_slots - 1].any()
            assert not inputs.silent[line, : n_slots - 1].any()
            seen = [0] if n_slots - 1 in seen else []
        else:
            assert (inputs.numbers[line] == 0).all()
        np.testing.assert_array_equal(np.flatnonzero(marked), seen)
        np.testing.assert_array_equal(silent, ~marked)
    used = inputs.marks[inputs.marks > 0]
    assert len(np.unique(used)) == len(used)  # no two networks share a vector


def test_values_of_slots_fall_into_them():
    table = MixedTable()
    for i, feature in enumerate(table.schema.features):
        values = slot_values(table.binned, i)
        assert len(values) == table.binned.n_slots[i]
        if feature.is_numeric:
            edges = table.binned.edges[i]
            np.testing.assert_array_equal(
                np.searchsorted(edges, values[:-1]), range(len(edges) + 1)
            )


def test_a_level_that_a_region_has_not_seen_stays_what_it_is_elsewhere():
    X, _ = gated(400)
    levels = np.where((X[:, 1] > 0) & (X[:, 0] > 0.5), "high", np.where(X[:, 0] > 0, "a", "b"))
    y = 3.0 * (levels == "high") + (X[:, 1] > 0) * (levels == "a")
    table = np.column_stack([X[:, 1:].astype(object), levels.astype(object)])
    regions = {"x1": ["x0 <= 0", "x0 > 0"]}
    model = CALMRegressor(curves="networks", growth=regions, random_state=0, n_jobs=1).fit(table, y)
    low, _ = model.model_.terms[1].shapes
    high, other = low.feature.levels.index("high"), low.feature.levels.index("b")
    assert low.counts[high] == 0
    assert low.values[high] - low.values[other] > 1


def test_small_tables_are_gone_through_more_often():
    settings = Networks(n_epochs=10, min_steps=3000, batch_size=32)
    assert settings.epochs(32 * 100) == 30
    assert settings.epochs(32 * 1000) == 10


def test_a_table_that_spares_no_row_is_fitted():
    X, y = gated(20)
    schema = Schema.learn(X)
    binned = bin_table(schema.encode(X), schema, 8)
    target = Target.regression(y, np.ones(20))
    roles = draw_bags(target, 3, np.random.default_rng(0))
    curves = SHORT.learn(CurveData(binned.codes, binned, [any_tree(1)] * 2, target, roles))
    assert (roles & TRAINS).all()
    assert np.isfinite(curves.scores(binned.codes)).all()


def test_without_torch_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"pip install calmgam\[networks\]"):
        CALMRegressor(curves="networks", max_depth=0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
