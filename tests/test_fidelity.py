"""`paper()` is the paper: its trees are those of Algorithm 2, its curves those of Algorithm 4."""

import numpy as np
import pandas as pd
import pytest

import paper_algorithms as paper
from calmgam import Boosting, CALMRegressor
from calmgam._kernels import TRAINS, VALIDATES
from calmgam.fit.curves.boosting import boost
from calmgam.fit.curves.contract import CurveData
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.target import Target
from calmgam.model.schema import Feature
from calmgam.parameters import paper_parameters
from tables import any_tree, in_given_order

N_TABLES = 60


def random_table(rng, n_rows=80):
    """Numbers with and without ties, skewed ones, a copy, a constant, levels and booleans."""
    columns = {
        "a": rng.uniform(-1, 1, n_rows),
        "b": rng.lognormal(0, 2, n_rows),
        "c": rng.integers(0, rng.integers(2, 30), n_rows),
        "d": rng.choice(["p", "q", "r"], n_rows),
        "e": rng.random(n_rows) < 0.4,
    }
    columns["copy"] = columns["a"] if rng.random() < 0.5 else np.full(n_rows, 3.0)
    return pd.DataFrame(columns)


def random_function(rng, frame):
    """A sum of curves and products of curves, gates among them; some features are left out."""

    def curve(name):
        column = frame[name].to_numpy()
        if column.dtype.kind not in "fi":
            level = rng.choice(column)
            return lambda x: (x == level).to_numpy().astype(float)
        at, width = rng.choice(column), np.std(column.astype(float)) + 0.1
        shapes = (
            lambda x: (x.to_numpy() > at).astype(float),
            lambda x: np.tanh((x.to_numpy() - at) / width),
            lambda x: np.sin(3 * (x.to_numpy() - at) / width),
        )
        return shapes[rng.integers(3)]

    n_used = rng.integers(2, min(frame.shape[1], 5) + 1)
    names = rng.choice(frame.columns, n_used, replace=False)
    terms = [(rng.normal(), [(n, curve(n)) for n in names[:k]]) for k in (1, 2)]
    for _ in range(rng.integers(0, 5)):
        chosen = rng.choice(names, rng.integers(2, min(len(names), 3) + 1), replace=False)
        terms.append((rng.normal(), [(name, curve(name)) for name in chosen]))

    def f(data):
        return sum(
            weight * np.prod([part(data[name]) for name, part in product], axis=0)
            for weight, product in terms
        )

    return f


def found_splits(ledger):
    """The accepted records of the ledger as the paper's splits."""
    splits = {}
    for record in ledger.accepted:
        condition = record.condition
        feature, value = condition.feature, condition.value
        if not feature.is_numeric:
            value = feature.levels[value[0]]
            value = value == "True" if feature.kind == "boolean" else value
        splits.setdefault(record.feature, []).append(
            paper.Split(
                record.feature,
                record.depth,
                (feature.name, condition.operator, value),
                record.n_left,
                record.n_right,
                record.heterogeneity_before,
                record.drop,
            )
        )
    return splits


def compared(seed):
    """Yield the splits of every feature: ours and the paper's."""
    rng = np.random.default_rng(seed)
    frame = random_table(rng)
    f = random_function(rng, frame)
    y = 100 * f(frame) + 7  # the reference is exact, in the units of y
    calm = CALMRegressor.paper(
        reference=lambda data: 100 * f(data) + 7,
        curves=Boosting(n_bags=1, max_rounds=1),
        random_state=0,
        n_jobs=1,
    ).fit(frame, y)
    found = found_splits(calm.ledger_)
    for feature in frame.columns:
        yield found.get(feature, []), paper.grow_tree(lambda X: 100 * f(X) + 7, frame, feature)


def test_every_tree_is_that_of_algorithm_2():
    trees = [pair for seed in range(N_TABLES) for pair in compared(seed)]
    for ours, theirs in trees:
        assert len(ours) == len(theirs)
        for mine, split in zip(ours, theirs, strict=True):
            assert (mine.depth, mine.condition) == (split.depth, split.condition)
            assert (mine.n_left, mine.n_right) == (split.n_left, split.n_right)
            assert mine.heterogeneity == pytest.approx(split.heterogeneity, rel=1e-9)
            assert mine.drop == pytest.approx(split.drop, rel=1e-9)
    n_splits = [len(theirs) for _, theirs in trees]
    assert len(trees) - n_splits.count(0) >= 100
    assert sum(n > 1 for n in n_splits) >= 50
    assert n_splits.count(0) >= 50  # without heterogeneity, or none that a condition removes


# ---- curves --------------------------------------------------------------------------------------

# The kernel computes in single precision. Where every leaf has 2^k rows and the rate is 1/2, all
# numbers are sums of few powers of two, and nothing is rounded: any difference is the algorithm's.
N_ROWS, N_BINS, RATE, N_ROUNDS = 8, 4, 0.5, 3


def balanced_table(rng):
    """Rows of two features with one or two regions: every cell of either has as many rows."""
    n_regions = rng.integers(1, 3, size=2)
    cells = [rng.permutation(np.arange(N_ROWS) % (n * N_BINS)) for n in n_regions]
    bins, regions = [c % N_BINS for c in cells], [c // N_BINS for c in cells]
    y = rng.integers(-4, 5, N_ROWS).astype(float)
    return bins, regions, y - y[::-1]  # whose mean is 0


def our_curves(bins, regions, y, settings):
    """Boosted curves of features whose regions and bins are given."""
    features = tuple(Feature(f"x{i}", i, "numeric") for i in range(len(bins)))
    edges, centres = np.arange(N_BINS - 1.0), np.arange(1.0 * N_BINS)
    n_slots = N_BINS + 1  # and missing
    cells = np.array([r * n_slots + b for r, b in zip(regions, bins, strict=True)], dtype=np.uint16)
    many = len(bins)
    binned = in_given_order(
        Binned(features, (edges,) * many, (centres,) * many, cells, (True,) * many)
    )
    trees = [any_tree(int(of.max()) + 1) for of in regions]
    target = Target(Target.regression(y, np.ones(len(y))).loss, y, np.ones(len(y)))
    everyone = np.full((len(y), 1), TRAINS | VALIDATES, dtype=np.uint8)
    return boost(CurveData(cells, binned, trees, target, everyone), settings)


def test_curves_are_those_of_algorithm_4():
    printed = paper_parameters()["curves"]
    settings = printed.set_params(
        learning_rate=RATE, max_rounds=N_ROUNDS, min_samples_leaf=1, tolerance=0.0
    )
    n_compared = 0
    for seed in range(800):
        bins, regions, y = balanced_table(np.random.default_rng(seed))
        theirs, lead = paper.boost(bins, regions, N_BINS, y, RATE, N_ROUNDS, settings.max_leaves)
        if lead < 0.1:  # cuts of equal worth: either tree is right
            continue
        ours = our_curves(bins, regions, y, settings)
        assert ours.rounds[0] == N_ROUNDS
        for (feature, region), heights in theirs.items():
            mine = ours.values[feature][0, region, :N_BINS]
            np.testing.assert_allclose(mine, heights, rtol=0, atol=1e-9)
        n_compared += len(theirs)
    assert n_compared >= 150


# ---- the bound -----------------------------------------------------------------------------------


def best_distance(calm, frame, f):
    """Root mean squared difference of the best curves on the model's trees to the reference."""
    codes = [np.unique(frame[name], return_inverse=True)[1] for name in frame.columns]
    leaves = [term.tree.leaf_of(calm.model_.schema.encode(frame)) for term in calm.model_.terms]
    indicators = [
        np.eye(leaf.max() * 1000 + code.max() + 1)[leaf * 1000 + code]
        for leaf, code in zip(leaves, codes, strict=True)
    ]
    design = np.hstack([block[:, block.any(axis=0)] for block in indicators])
    best = design @ np.linalg.lstsq(design, f(frame), rcond=None)[0]
    return np.sqrt(np.mean((f(frame) - best) ** 2))


@pytest.mark.parametrize("max_splits", [0, 2, None])
def test_the_ledger_bounds_the_distance_to_the_reference_in_units_of_y(max_splits):
    distances = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.integers(0, 12, (400, 4)) / 11, columns=list("abcd"))
        shape = random_function(rng, frame)
        f = lambda X, shape=shape: 1000 * shape(X) - 5  # noqa: E731
        calm = CALMRegressor.paper(
            reference=f,
            max_splits=max_splits,
            curves=Boosting(n_bags=1, max_rounds=1),
            random_state=0,
            n_jobs=1,
        ).fit(frame, f(frame))
        distance = best_distance(calm, frame, f)
        assert distance <= calm.ledger_.bound * (1 + 1e-9) + 1e-6
        distances.append((distance, calm.ledger_.bound))
    away = [(distance, bound) for distance, bound in distances if distance > 1]
    assert len(away) >= 5  # there is something to bound
    assert min(bound / distance for distance, bound in away) < 10  # and it is not far off
