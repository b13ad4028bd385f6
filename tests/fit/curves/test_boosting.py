import signal
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from calmgam import _kernels
from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.curves.boosting import Boosting, boost
from calmgam.fit.curves.contract import CurveData
from calmgam.fit.data.bags import draw_bags
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.log_losses import Gamma, Poisson, Tweedie
from calmgam.fit.data.losses import LogLoss, Loss, SquaredError
from calmgam.fit.data.robust_losses import AbsoluteError, Huber, Quantile
from calmgam.fit.data.runs import Run
from calmgam.fit.data.softmax import SoftmaxLoss
from calmgam.fit.data.target import Target
from calmgam.model.schema import Feature
from oracles import boost_one_bag
from tables import REGIONS, MixedTable, any_tree, in_given_order

# every round counts as better than the one before: the curves are those of the last round
LAST_ROUND = {"tolerance": -1e12, "patience": 10**6}


def quick(**options):
    return Boosting(**{"learning_rate": 0.1, "max_rounds": 40, **options})


def columns(codes, n_slots, ordered):
    """Cells given directly, without a table: one leaf per feature."""
    codes = np.array(codes, dtype=np.uint16)
    features, edges = [], []
    for i, (n, is_ordered) in enumerate(zip(n_slots, ordered, strict=True)):
        levels = () if is_ordered else tuple(f"level {k}" for k in range(n - 2))
        features.append(Feature(f"x{i}", i, "numeric" if is_ordered else "categorical", levels))
        edges.append(np.arange(n - 2.0) if is_ordered else np.empty(0))
    centres = [np.arange(len(cuts) + 1.0) for cuts in edges]
    single = (True,) * len(features)
    return in_given_order(Binned(tuple(features), tuple(edges), tuple(centres), codes, single))


def boost_columns(binned, target, roles, n_leaves=None, **options):
    trees = [any_tree(n) for n in n_leaves or [1] * len(binned.codes)]
    return boost(CurveData(binned.codes, binned, trees, target, roles, seed=5), quick(**options))


def bags(target, n_bags=3, seed=0):
    return draw_bags(target, n_bags, np.random.default_rng(seed))


def everyone(n_rows, n_bags=1):
    """Roles with which all rows train and validate."""
    return np.full((n_rows, n_bags), TRAINS | VALIDATES, dtype=np.uint8)


def assert_same(one, other):
    """Assert that two results have the same bits."""
    for name in ("intercepts", "losses", "rounds"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for mine, theirs in zip(one.values, other.values, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def of_bags(curves, chosen):
    return replace(
        curves,
        intercepts=curves.intercepts[chosen],
        losses=curves.losses[chosen],
        rounds=curves.rounds[chosen],
        values=[values[chosen] for values in curves.values],
    )


class Table(MixedTable):
    """The mixed table, boosted by one short call."""

    def boost(self, target, roles, **options):
        return boost(self.data(target, roles), quick(**options))


@pytest.fixture(scope="module")
def table():
    return Table()


class LogCosh(Loss):
    """A loss that the kernels do not know."""

    def losses(self, y, score):
        return np.log(np.cosh(y - score))

    def derivatives(self, y, score):
        slope = np.tanh(y - score)
        return slope, np.maximum(1.0 - slope**2, 1e-3)


DEEP = {
    "a": ["b <= -1", "b > -1 and b <= -0.5", "b > -0.5 and b <= 0", "b > 0 and b <= 1", "b > 1"],
    "c": [
        *(f"b <= 0 and e {e}" for e in ("<= 0.5", "> 0.5 and e <= 1", "> 1")),
        *(f"b > 0 and e {e}" for e in ("<= 0.5", "> 0.5 and e <= 2", "> 2")),
    ],
}


# ---- against the twin ----------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize(
    "options",
    [
        {"smoothing_rounds": 0, **LAST_ROUND},
        {"smoothing_rounds": 40, **LAST_ROUND},
        {"smoothing_rounds": 10, "weighted": True, **LAST_ROUND},
        {"smoothing_rounds": 20, "deep": True, **LAST_ROUND},
        {"smoothing_rounds": 20, "deep": True, "sharing": False, **LAST_ROUND},
        {"max_leaves": 2, "smoothing_rounds": 0, "momentum": 0, "ridge": 0, "min_samples_leaf": 0},
        {"smoothing_rounds": 5, "momentum": 0.5, "patience": 1, "min_samples_leaf": 40},
    ],
    ids=["best cuts", "random cuts", "weighted", "deep", "alone", "plain", "early stop"],
)
def test_kernel_equals_its_twin(table, task, options):
    options = dict(options)
    table = Table(DEEP) if options.pop("deep", False) else table
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 3.0], len(table.y))
    target = table.target(task, weights if options.pop("weighted", False) else None)
    assert_like_its_twin(table, target, options)


@pytest.mark.parametrize(
    "loss",
    [Poisson(), Gamma(), Tweedie(1.4), AbsoluteError(), Quantile(0.8), Huber(0.5), LogCosh()],
    ids=lambda loss: loss.name,
)
def test_every_loss_equals_its_twin(table, loss):
    rng = np.random.default_rng(1)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], len(table.y))
    spread = (table.y - table.y.mean()) / table.y.std()
    y = np.exp(spread) if loss.link == "log" else spread
    if isinstance(loss, Poisson | Tweedie):
        y[spread < -1] = 0.0
    target = Target.regression(y, weights, loss)
    assert_like_its_twin(table, target, {"smoothing_rounds": 10, **LAST_ROUND}, n_bags=1)


@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize("a", [Run.increasing, Run.convex])
@pytest.mark.parametrize("e", [Run.decreasing, Run.concave])
def test_curves_that_run_one_way_equal_their_twin(task, a, e):
    table = Table({"c": REGIONS["c"]})
    runs = (a, Run.free, Run.free, Run.free, e)
    table.binned = in_given_order(replace(table.binned, runs=runs))
    options = {"smoothing_rounds": 20, **LAST_ROUND}
    assert_like_its_twin(table, table.target(task), options, n_bags=1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sharing", [False, True])
@pytest.mark.parametrize("smoothing_rounds", [0, 10])
def test_many_classes_equal_their_twin(weighted, sharing, smoothing_rounds):
    table, rng = Table(DEEP), np.random.default_rng(1)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], len(table.y)) if weighted else np.ones(len(table.y))
    noisy = table.y + 0.3 * rng.normal(size=len(table.y)) * table.y.std()
    codes = np.digitize(noisy, np.quantile(noisy, [0.2, 0.5, 0.9])).astype(np.float64)
    target = Target.classification(codes, weights, ("a", "b", "c", "d"))
    options = {"smoothing_rounds": smoothing_rounds, "sharing": sharing, **LAST_ROUND}
    assert_like_its_twin(table, target, options, n_bags=2)


def assert_like_its_twin(table, target, options, n_bags=3):
    roles = bags(target, n_bags)
    curves = table.boost(target, roles, **options)
    seeds = np.random.default_rng(5).integers(2**63, size=n_bags).tolist()
    for bag, seed in enumerate(seeds):
        intercept, heights, loss, n_rounds = boost_one_bag(
            table.binned,
            table.cells,
            table.trees,
            target,
            roles[:, bag] & TRAINS != 0,
            roles[:, bag] & VALIDATES != 0,
            seed,
            quick(**options),
        )
        assert curves.rounds[bag] == n_rounds > 0
        assert curves.intercepts[bag] == pytest.approx(intercept, rel=1e-12)
        assert curves.losses[bag] == pytest.approx(loss, rel=1e-5)
        classes = range(target.loss.n_outputs)
        mine = np.concatenate(
            [values[bag][k].ravel() for k in classes for values in curves.values]
            or [values[bag].ravel() for values in curves.values]
        )
        np.testing.assert_allclose(mine, heights, rtol=1e-4, atol=1e-4 * np.abs(heights).max())


def test_fast_exp_and_log_are_accurate():
    """A row of each class, and their log-odds as intercept: every number is known."""
    binned = columns([[0, 1]], [4], [False])
    plain = {"ridge": 0, "level_smoothing": 0, "momentum": 0, "learning_rate": 1, **LAST_ROUND}
    for log_odds in np.linspace(-13, 13, 101):
        w = np.exp(log_odds)
        target = Target(LogLoss(), np.array([1.0, 0.0]), np.array([w, 1.0]))
        before = boost_columns(binned, target, everyone(2), max_rounds=0)
        loss = (w * np.logaddexp(0, -log_odds) + np.logaddexp(0, log_odds)) / (w + 1)
        assert before.losses[0] == pytest.approx(loss, rel=1e-6)
        after = boost_columns(binned, target, everyone(2), max_rounds=1, **plain)
        p = w / (w + 1)
        gradients = after.values[0][0, 0, :2] * p * (1 - p)
        np.testing.assert_allclose(gradients, [1 - p, -p], rtol=1e-6, atol=1e-7)


# ---- bags, lanes, threads ------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_threads_do_not_change_a_bit(table, task):
    target = table.target(task)
    data = table.data(target, bags(target, 19))
    one = boost(data, quick())
    assert one.values[0].shape == (19, 3, table.binned.n_slots[0])
    for n_jobs in (2, 3):
        assert_same(one, boost(replace(data, n_jobs=n_jobs), quick()))


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_a_bag_does_not_know_its_neighbours(table, task):
    target = table.target(task)
    roles = bags(target, 11)
    options = {"smoothing_rounds": 0, "momentum": 0, "patience": 1, "max_rounds": 500}
    together = table.boost(target, roles, **options)
    assert len(set(together.rounds)) > 3
    for bag in (0, 4, 7, 9):
        alone = table.boost(target, roles[:, [bag]], **options)
        assert_same(of_bags(together, [bag]), alone)


def test_random_cuts_of_a_bag_do_not_depend_on_later_bags(table):
    target = table.target()
    roles = bags(target, 9)
    assert_same(of_bags(table.boost(target, roles), slice(2)), table.boost(target, roles[:, :2]))


def test_stopping_for_breath_changes_nothing(table, monkeypatch):
    target = table.target("classification")
    whole = table.boost(target, bags(target))
    monkeypatch.setattr("calmgam.fit.curves.boosting.CELLS_PER_CALL", 1)  # one round per call
    assert_same(table.boost(target, bags(target)), whole)


# ---- who learns from whom ------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_validation_rows_teach_nothing(table, task):
    target = table.target(task)
    roles = bags(target, 1)
    other = target.values.copy()
    validates = roles[:, 0] == VALIDATES
    other[validates] = 1 - other[validates]
    one = table.boost(target, roles, **LAST_ROUND)
    two = table.boost(replace(target, values=other), roles, **LAST_ROUND)
    assert one.losses[0] < two.losses[0]
    assert_same(replace(one, losses=two.losses), two)


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_rows_of_weight_zero_do_not_matter(table, task):
    target, n = table.target(task), len(table.y)
    rng = np.random.default_rng(2)
    extra = rng.integers(0, n, 50)
    cells = np.hstack([table.cells, table.cells[:, extra]])
    more = replace(
        target,
        values=np.append(target.values, 1 - target.values[extra]),
        weights=np.append(target.weights, np.zeros(50)),
    )
    roles = bags(target)
    more_roles = np.vstack([roles, rng.choice([TRAINS, VALIDATES], (50, 3)).astype(np.uint8)])
    data = CurveData(cells, table.binned, table.trees, more, more_roles, seed=5)
    curves = boost(data, quick())
    assert_same(table.boost(target, roles), curves)


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_weight_two_is_a_row_twice(table, task):
    target, roles = table.target(task), bags(table.target(task))
    twice = np.flatnonzero(np.random.default_rng(2).random(len(table.y)) < 0.4)
    weights = np.ones(len(table.y))
    weights[twice] = 2
    weighted = table.boost(replace(target, weights=weights), roles)
    values = np.append(target.values, target.values[twice])
    data = CurveData(
        np.hstack([table.cells, table.cells[:, twice]]),
        table.binned,
        table.trees,
        Target(target.loss, values, np.ones(len(values))),
        np.vstack([roles, roles[twice]]),
        seed=5,
    )
    repeated = boost(data, quick())
    np.testing.assert_array_equal(weighted.rounds, repeated.rounds)
    for mine, theirs in zip(weighted.values, repeated.values, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-6)


# ---- curves --------------------------------------------------------------------------------------


def test_regions_that_do_not_share_learn_from_their_own_rows_alone():
    rng = np.random.default_rng(0)
    bins, leaf = rng.integers(0, 10, 400), rng.integers(0, 3, 400)
    y = rng.normal(size=400)
    y -= (np.bincount(leaf, y) / np.bincount(leaf))[leaf]  # so that every region has mean 0
    binned = columns([bins + 11 * leaf], [11], [True])
    options = {"sharing": False, "smoothing_rounds": 0, **LAST_ROUND}
    target = Target(SquaredError(), y, np.ones(400))
    together = boost_columns(binned, target, everyone(400), [3], **options)
    assert together.shared == {}
    for own in range(3):
        rows = leaf == own
        target = Target(SquaredError(), y[rows], np.ones(rows.sum()))
        alone = columns([bins[rows]], [11], [True])
        curve = boost_columns(alone, target, everyone(rows.sum()), **options).values[0][0, 0]
        np.testing.assert_allclose(together.values[0][0, own], curve, atol=1e-5)


def test_every_region_learns_its_own_curve():
    rng = np.random.default_rng(0)
    bins, leaf = rng.integers(0, 10, 2000), rng.integers(0, 2, 2000)
    target = Target.regression(np.where(leaf == 1, 1.0, -1.0) * (bins - 4.5), np.ones(2000))
    binned = columns([bins + 11 * leaf], [11], [True])
    curves = boost_columns(binned, target, bags(target), [2], max_rounds=500).values[0][..., :10]
    straight = (np.arange(10) - 4.5) / target.scale
    np.testing.assert_allclose(curves.mean(axis=0), [-straight, straight], atol=0.02)


@pytest.mark.parametrize("ordered", [True, False])
def test_a_leaf_without_rows_has_what_the_others_have_in_common(ordered):
    rng = np.random.default_rng(0)
    bins = rng.integers(0, 4, 300)
    target = Target.regression(bins + rng.normal(size=300), np.ones(300))
    binned = columns([bins + 12 * rng.integers(0, 2, 300)], [6], [ordered])  # leaves 0 and 2
    values = boost_columns(binned, target, bags(target), [3]).values[0]
    assert np.all(np.diff(values.mean(axis=0)[:, :4]) > 0)  # in all three leaves


def test_missing_numbers_learn_apart():
    rng = np.random.default_rng(0)
    slots = rng.integers(0, 6, 1000)  # the last slot is missing
    target = Target.regression(np.where(slots == 5, 3.0, 0.01 * slots), np.ones(1000))
    values = boost_columns(
        columns([slots], [6], [True]), target, bags(target), max_rounds=500
    ).values[0]
    heights = values.mean(axis=0)[0] * target.scale
    assert heights[5] - heights[4] == pytest.approx(3 - 0.04, abs=0.05)


def test_levels_have_no_order():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 9, 500)
    target = Target.regression(rng.normal(size=9)[codes] + rng.normal(size=500), np.ones(500))
    order = rng.permutation(9)
    binned, relabelled = (columns([c], [9], [False]) for c in (codes, order[codes]))
    one = boost_columns(binned, target, bags(target))
    other = boost_columns(relabelled, target, bags(target))
    np.testing.assert_allclose(other.values[0][:, :, order], one.values[0], rtol=1e-5)


def test_rare_levels_learn_slowly():
    codes = np.repeat([0, 1, 2], [300, 300, 5])
    target = Target(SquaredError(), np.array([0.0, 1.0, 1.0])[codes], np.ones(605))
    common, rare = boost_columns(
        columns([codes], [5], [False]), target, everyone(605), max_rounds=20
    ).values[0][0, 0, 1:3]
    assert 0 < rare < 0.7 * common


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_training_loss_never_rises_without_momentum(table, task):
    target = table.target(task)
    losses = [
        table.boost(
            target,
            everyone(len(table.y)),
            max_rounds=n_rounds,
            momentum=0,
            smoothing_rounds=0,
            **LAST_ROUND,
        ).losses[0]
        for n_rounds in range(25)
    ]
    assert np.all(np.diff(losses) < 0)


# ---- stopping ------------------------------------------------------------------------------------


def test_no_rounds_give_the_mean_alone(table):
    target = table.target()
    roles = bags(target)
    curves = table.boost(target, roles, max_rounds=0)
    assert all(np.all(values == 0) for values in curves.values)
    np.testing.assert_array_equal(curves.rounds, 0)
    for bag in range(3):
        trains, validates = roles[:, bag] == TRAINS, roles[:, bag] == VALIDATES
        mean = target.values[trains].mean()
        assert curves.intercepts[bag] == pytest.approx(mean)
        loss = np.mean((target.values[validates] - mean) ** 2)
        assert curves.losses[bag] == pytest.approx(loss, rel=1e-5)


def test_a_bag_keeps_its_best_round(table):
    target = table.target()
    long = table.boost(target, bags(target), momentum=0.5, patience=10, max_rounds=1000)
    assert np.all((long.rounds > 10) & (long.rounds < 900))
    for bag, n_rounds in enumerate(long.rounds.tolist()):
        short = table.boost(target, bags(target), momentum=0.5, patience=10, max_rounds=n_rounds)
        assert_same(of_bags(short, [bag]), of_bags(long, [bag]))


def test_a_constant_is_learned_at_once(table):
    target = Target.regression(np.full(600, 7.0), np.ones(600))
    curves = table.boost(target, bags(target))
    assert all(np.all(values == 0) for values in curves.values)
    np.testing.assert_array_equal(curves.losses, 0)


def test_noise_stops_early(table):
    y = np.random.default_rng(0).normal(size=600)
    target = Target.regression(y, np.ones(600))
    roles = bags(target, 8)
    curves = table.boost(target, roles, learning_rate=0.02, max_rounds=5000)
    assert np.all(curves.rounds < 200)
    assert np.all(curves.losses <= table.boost(target, roles, max_rounds=0).losses)


@pytest.mark.parametrize("least_news", [0.1, 0.0])
def test_classes_that_are_told_apart_stop_early(monkeypatch, least_news):
    """Their loss falls for ever, but by less and less."""
    monkeypatch.setattr(SoftmaxLoss, "least_news", least_news)
    codes = np.tile(np.arange(30), 20)
    target = Target.classification(codes // 10 * 1.0, np.ones(600), ("a", "b", "c"))
    binned = columns([codes], [31], [True])
    curves = boost_columns(binned, target, bags(target), max_rounds=3000, patience=20)
    assert np.all(curves.losses < 0.03)
    assert np.all(curves.rounds < 1000) if least_news else np.all(curves.rounds > 1500)


@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize("n_rows", range(1, 11))
def test_tiny_tables(task, n_rows):
    tiny = Table()
    tiny.cells, tiny.y = np.ascontiguousarray(tiny.cells[:, :n_rows]), tiny.y[:n_rows]
    target = tiny.target(task)
    curves = tiny.boost(target, bags(target))
    heights = np.concatenate([values.ravel() for values in curves.values])
    assert np.isfinite([*heights, *curves.intercepts, *curves.losses]).all()


def test_progress_is_told(table):
    target, calls = table.target(), []
    data = table.data(
        target, bags(target), progress=lambda done, total: calls.append((done, total))
    )
    boost(data, quick())
    assert calls[-1] == (40, 40)


ENDLESS = """
import signal
import numpy as np
from calmgam.fit.data.bags import draw_bags
from calmgam.fit.data.binning import bin_table
from calmgam.fit.curves.boosting import Boosting, boost
from calmgam.fit.curves.contract import CurveData
from calmgam.fit.data.target import Target
from calmgam.model.schema import Schema
from calmgam.model.tree import PartitionTree

signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
X = np.random.default_rng(0).normal(size=(20_000, 5))
schema = Schema.learn(X)
binned = bin_table(X, schema, 256)
target = Target.regression(X[:, 0], np.ones(len(X)))
roles = draw_bags(target, 16, np.random.default_rng(0))
settings = Boosting(max_rounds=10**9, patience=10**9)
trees = [PartitionTree.trivial()] * 5
boost(CurveData(binned.codes, binned, trees, target, roles, n_jobs=2,
      progress=lambda done, total: print(done, flush=True)), settings)
"""


@pytest.mark.timeout(60)
def test_control_c_stops_boosting():
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.readline()  # boosting has begun
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors


# ---- the small print -----------------------------------------------------------------------------


def test_without_validation_rows_there_are_forty_rounds():
    target = Target.regression(np.arange(29.0), np.ones(29))
    binned = columns([np.arange(29)], [30], [True])
    curves = boost_columns(binned, target, bags(target), learning_rate=0.01, max_rounds=1000)
    np.testing.assert_array_equal(curves.rounds, 95)  # nothing says when to stop


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_turns_follow_the_order(table, task):
    """Features in another order are boosted as a table with these columns would be."""
    target, order = table.target(task), [3, 0, 4, 1, 2]
    data = table.data(target, bags(target))
    ordered = boost(replace(data, binned=in_given_order(replace(data.binned), order)), quick())
    shuffled = Binned(
        tuple(table.binned.features[i] for i in order),
        tuple(table.binned.edges[i] for i in order),
        tuple(table.binned.centres[i] for i in order),
        table.binned.codes[order],
        table.binned.one_value_a_bin,
    )
    trees = [table.trees[i] for i in order]
    moved = replace(data, cells=table.cells[order], binned=in_given_order(shuffled), trees=trees)
    expected = boost(moved, quick())
    for turn, i in enumerate(order):
        np.testing.assert_array_equal(ordered.values[i], expected.values[turn])
    np.testing.assert_array_equal(ordered.losses, expected.losses)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"learning_rate": 2}, r"learning_rate must be a number in \(0, 1\]; got 2"),
        ({"max_rounds": -1}, r"max_rounds must be an integer from 0 to 2147483647; got -1"),
        ({"patience": 0}, r"patience must be an integer from 1 to 2147483647; got 0"),
        ({"max_rounds": 2**31}, r"max_rounds must be .* to 2147483647; got 2147483648"),
        ({"max_leaves": 4}, r"max_leaves must be one of 2, 3; got 4"),
        ({"min_samples_leaf": -1}, r"min_samples_leaf must be a number in \[0, inf\); got -1"),
        ({"momentum": 1}, r"momentum must be a number in \[0, 1\); got 1"),
        ({"smoothing_rounds": 0.5}, r"smoothing_rounds must be an integer .* or None; got 0.5"),
        ({"ridge": -1}, r"ridge must be a number in \[0, inf\); got -1"),
        ({"level_smoothing": "x"}, r"level_smoothing must be a number in \[0, inf\); got 'x'"),
    ],
)
def test_settings_check_themselves(wrong, message):
    with pytest.raises(ValueError, match=message):
        Boosting(**wrong).check()


def test_arrays_that_do_not_agree_are_refused(table):
    target = table.target()
    with pytest.raises(ValueError, match="bags must have 600 rows, as cells have; got 599"):
        table.boost(target, bags(target)[:-1])
    with pytest.raises(TypeError):  # no silent copies
        _kernels.BagGroup(table.cells.astype(int))


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ((), "one leaf more than conditions; got 0 nodes"),
        ((0, 0), "one leaf more than conditions; got 2 nodes"),
        ((0, 0, 7), "parents must be conditions that come first; node 2 has 7"),
        ((0, 0, 0, 0, 0), "a condition must have two sides; one has 4"),
    ],
)
def test_the_kernel_refuses_nodes_that_are_no_tree(table, parents, message):
    tree, target = SimpleNamespace(parents=parents, n_splits=0), table.target()
    with pytest.raises(ValueError, match=message):
        boost(replace(table.data(target, bags(target)), trees=[tree] * 5), quick())
