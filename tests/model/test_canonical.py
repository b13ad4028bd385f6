import time
from dataclasses import replace

import numpy as np
import pytest
from canonical_form import canonical, with_thresholds
from numpy.testing import assert_allclose

from calmgam.model.canonical import CanonicalPlan, cell_counts, slot_points
from calmgam.model.glassbox import Model, Term
from calmgam.model.regions import Condition
from calmgam.model.schema import Feature, Schema
from calmgam.model.shapes import ShapeFunction
from calmgam.model.tree import PartitionTree

# ---- random models ---------------------------------------------------------------------------


def numeric(index):
    return Feature(f"x{index}", index, "numeric", has_missing=True)


def random_feature(rng, index):
    kind = rng.choice(["numeric", "numeric", "categorical", "boolean"])
    levels = {"numeric": (), "boolean": ("False", "True")}.get(kind, tuple("abcde"))
    return Feature(f"x{index}", index, str(kind), levels, has_missing=True, has_rare=True)


def random_rows(rng, features, n_rows):
    common = rng.normal(size=n_rows)
    columns = []
    for feature in features:
        column = rng.normal(size=n_rows) + rng.choice([0, 1]) * common
        if not feature.is_numeric:
            column = np.clip(np.round(column + 1.5), 0, feature.n_levels)
        elif rng.random() < 0.5:
            column = np.round(column, 1)
        columns.append(np.where(rng.random(n_rows) < 0.1, np.nan, column))
    return np.column_stack(columns)


def any_input(rng, features, trees, n_rows):
    """Rows far from the training rows: thresholds, their neighbours, missing, unseen levels."""
    X = 2 * random_rows(rng, features, n_rows)
    for feature in features:
        column = X[:, feature.index]
        if not feature.is_numeric:
            column[:] = rng.integers(0, feature.n_levels + 1, n_rows)
        conditions = [n.condition for tree in trees for n in tree.nodes if n.condition is not None]
        at = [edge for c in conditions if c.feature == feature for edge in c.edges]
        if at:
            rows = rng.random(n_rows) < 0.5
            near = np.r_[at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf)]
            column[rows] = rng.choice(near, rows.sum())
        column[rng.random(n_rows) < 0.2] = np.nan
    return X


def random_condition(rng, feature):
    missing = bool(rng.random() < 0.5)
    if not feature.is_numeric:
        size = rng.integers(1, max(feature.n_levels - 1, 1) + 1)
        codes = tuple(sorted(rng.choice(feature.n_levels, size, replace=False).tolist()))
        return Condition(feature, "=", codes, missing)
    threshold = float(rng.normal())
    if rng.random() < 0.25:
        bounds = (threshold - 0.3, threshold + rng.random())
        return Condition(feature, "=", threshold, missing, bounds)
    return Condition(feature, "<=", threshold, missing)


def random_tree(rng, own_feature, conditions, max_depth, n_splits):
    """Split at random by conditions of a small pool, so that trees share them."""
    tree = PartitionTree.trivial()
    for _ in range(n_splits):
        leaf = int(rng.integers(tree.n_leaves))
        condition = conditions[rng.integers(len(conditions))]
        if condition.feature == own_feature or len(tree.regions[leaf].conditions) == max_depth:
            continue
        region = tree.regions[leaf]
        if region.implies(condition) or region.contradicts(condition):
            continue
        tree = tree.split(leaf, condition)
    return tree


def random_model(seed, max_depth=3, n_splits=5):
    rng = np.random.default_rng(seed)
    features = tuple(random_feature(rng, index) for index in range(rng.integers(3, 7)))
    pool = [random_condition(rng, feature) for feature in features for _ in range(2)]
    X = random_rows(rng, features, 200)
    weights = rng.random(200) if rng.random() < 0.5 else None
    terms = []
    for feature in features:
        tree = random_tree(rng, feature, pool, max_depth, n_splits)
        edges = np.sort(rng.normal(size=5)) if feature.is_numeric else np.empty(0)
        n_slots = len(slot_points(feature, edges))
        terms.append(make_term(feature, tree, edges, rng.normal(size=(tree.n_leaves, n_slots))))
    model = Model(Schema(features), float(rng.normal()), tuple(terms), "identity")
    return model, X, weights, rng


def make_term(feature, tree, edges, values):
    none = np.zeros(values.shape[1])
    shapes = (ShapeFunction(feature, edges, curve, none, none) for curve in values)
    return Term(feature, tree, tuple(shapes))


def values_of(model):
    return [np.array([shape.values for shape in term.shapes]) for term in model.terms]


def with_values(model, values):
    terms = [
        make_term(term.feature, term.tree, term.edges, curves)
        for term, curves in zip(model.terms, values, strict=True)
    ]
    return replace(model, terms=tuple(terms))


def plan_of(model):
    """Plan of a canonical model, whose edges are complete and whose counts are known."""
    trees = [term.tree for term in model.terms]
    edges = [term.edges for term in model.terms]
    counts = [np.array([shape.counts for shape in term.shapes]) for term in model.terms]
    return CanonicalPlan(model.schema.features, trees, edges, counts)


def with_steps(model, plan, heights):
    """Add steps of given heights to the curves of a canonical model."""
    changes = heights @ plan._steps
    values = []
    for pieces, curves in zip(plan._pieces, values_of(model), strict=True):
        change, changes = np.split(changes, [pieces.shares.size])
        values.append(curves + change.reshape(pieces.shares.shape)[:, pieces.piece_of_slot])
    return with_values(model, values)


def leaf_means(model, X, weights):
    """Mean of every curve over its region's rows, the term being centred, and those rows."""
    weights = np.ones(len(X)) if weights is None else weights
    means, totals = [], []
    for term in model.terms:
        contribution = term.contribution(X)
        contribution = contribution - np.average(contribution, weights=weights)
        for region in term.tree.regions:
            inside = weights * region.contains(X)
            totals.append(inside.sum())
            means.append(contribution @ inside / max(inside.sum(), 1e-300))
    return np.array(means), np.array(totals)


def leaf_objective(model, X, weights):
    means, rows = leaf_means(model, X, weights)
    return np.sum(rows * means**2)


def assert_same_curves(left, right, tolerance):
    assert_allclose(left.intercept, right.intercept, rtol=0, atol=tolerance)
    for left_curves, right_curves in zip(values_of(left), values_of(right), strict=True):
        assert_allclose(left_curves, right_curves, rtol=0, atol=tolerance)


# ---- properties of every model ---------------------------------------------------------------


@pytest.mark.parametrize("seed", range(200))
def test_canonical_form_of_random_models(seed):
    model, X, weights, rng = random_model(seed)
    result = canonical(model, X, weights)

    trees = [term.tree for term in model.terms]
    anything = np.vstack([X, any_input(rng, model.schema.features, trees, 500)])
    score = model.score_encoded(anything)
    assert_allclose(result.score_encoded(anything), score, rtol=0, atol=1e-9)

    assert_allclose(result.intercept, np.average(score[: len(X)], weights=weights), atol=1e-9)
    contributions = result.contributions_encoded(X)
    assert_allclose(np.average(contributions, axis=0, weights=weights), 0, atol=1e-9)

    assert_same_curves(canonical(result, X, weights), result, 1e-8)

    plan = plan_of(result)
    disguised = with_steps(result, plan, rng.normal(size=len(plan._steps)))
    assert_allclose(disguised.score_encoded(anything), score, rtol=0, atol=1e-9)
    assert_same_curves(canonical(disguised, X, weights), result, 1e-8)

    assert leaf_objective(result, X, weights) <= leaf_objective(disguised, X, weights) + 1e-9


@pytest.mark.parametrize("seed", range(50))
def test_depth_one_curves_have_mean_zero_in_their_regions(seed):
    model, X, weights, _ = random_model(seed, max_depth=1)
    means, rows = leaf_means(canonical(model, X, weights), X, weights)
    assert_allclose(means[rows > 0], 0, atol=1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_bags_together_equal_bags_one_by_one(seed):
    model, X, weights, rng = random_model(seed)
    plan = plan_of(canonical(model, X, weights))
    bags = [rng.normal(size=(2, 3, *term.slot_shares.shape)) for term in plan._pieces]
    shift, values = plan.apply(bags)
    for bag in np.ndindex(2, 3):
        bag_shift, bag_values = plan.apply([curves[bag] for curves in bags])
        assert_allclose(shift[bag], bag_shift, atol=1e-12)
        for together, alone in zip(values, bag_values, strict=True):
            assert_allclose(together[bag], alone, atol=1e-12)


# ---- small models worked out by hand -----------------------------------------------------------


def split(*conditions):
    """Tree that splits all its leaves by each condition in turn."""
    tree = PartitionTree.trivial()
    for condition in conditions:
        for leaf in reversed(range(tree.n_leaves)):
            tree = tree.split(leaf, condition)
    return tree


def small_model(features, trees, edges, values):
    terms = map(make_term, features, trees, edges, values)
    return Model(Schema(tuple(features)), 0.0, tuple(terms), "identity")


def test_threshold_becomes_an_edge_and_missing_follows_its_side():
    x, z = numeric(0), numeric(1)
    tree = split(Condition(z, "<=", 0.5, missing=True))
    values = [np.array([[3.0, 3.0, 3.0], [1.0, 1.0, 1.0]]), np.zeros((1, 3))]
    model = small_model([x, z], [tree, PartitionTree.trivial()], [np.array([0.0]), [2.0]], values)
    X = np.array([[-1.0, 0.0], [1.0, 1.0], [-1.0, 3.0], [1.0, np.nan]])
    result = canonical(model, X)
    x_term, z_term = result.terms
    assert result.intercept == pytest.approx(2)
    assert_allclose(values_of(result)[0], 0, atol=1e-12)
    assert_allclose(z_term.edges, [0.5, 2.0])
    assert_allclose(z_term.shapes[0].values, [1, -1, -1, 1])
    assert_allclose(z_term.shapes[0].counts, [1, 1, 1, 1])
    assert_allclose([shape.counts for shape in x_term.shapes], [[1, 1, 0], [1, 1, 0]])


def test_unseen_level_follows_the_other_side():
    x, job = numeric(0), Feature("job", 1, "categorical", ("a", "b", "c"), True, True)
    tree = split(Condition(job, "=", (0, 2), missing=False))
    values = [np.array([[2.0, 2.0], [-2.0, -2.0]]), np.zeros((1, 5))]
    model = small_model([x, job], [tree, PartitionTree.trivial()], [[], []], values)
    X = np.column_stack([np.zeros(4), [0.0, 1.0, 2.0, 3.0]])
    result = canonical(model, X)
    assert_allclose(values_of(result)[1][0], [2, -2, 2, -2, -2])


def test_mutual_conditioning_leaves_the_pure_interaction():
    x, z = numeric(0), numeric(1)
    trees = [split(Condition(z, "<=", 0.0)), split(Condition(x, "<=", 0.0))]
    values = [np.array([[5.0, 1.0, 0.0], [2.0, 4.0, 0.0]]), np.array([[1.0, 7.0, 0], [3.0, 0, 0]])]
    model = small_model([x, z], trees, [[0.0], [0.0]], values)
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    result = canonical(model, X)
    assert_allclose(result.score_encoded(X), model.score_encoded(X), atol=1e-12)
    assert_allclose(leaf_means(result, X, None)[0], 0, atol=1e-12)


def test_coinciding_steps_are_shared_and_do_not_explode():
    x, z = numeric(0), numeric(1)
    trees = [split(Condition(z, "<=", 0.0)), split(Condition(x, "<=", 0.0))]
    rng = np.random.default_rng(0)
    values = [rng.normal(size=(2, 3)), rng.normal(size=(2, 3))]
    model = small_model([x, z], trees, [[0.0], [0.0]], values)
    column = np.r_[-np.ones(50_000), np.ones(50_000)]
    for n_different in (0, 1):
        X = np.column_stack([column, column])
        X[:n_different, 1] *= -1
        result = canonical(model, X)
        assert_allclose(result.score_encoded(X), model.score_encoded(X), atol=1e-9)
        assert max(np.abs(curves).max() for curves in values_of(result)) < 10


def movable_steps(features, trees):
    edges = with_thresholds([np.empty(0)] * len(features), trees)
    counts = [
        np.ones((tree.n_leaves, len(slot_points(feature, cuts))))
        for feature, tree, cuts in zip(features, trees, edges, strict=True)
    ]
    return len(CanonicalPlan(features, trees, edges, counts)._steps)


def test_deep_steps_move_only_where_the_taker_knows_their_conditions():
    features = [numeric(index) for index in range(3)]
    _, y, z = features
    deep, whole = split(Condition(y, "<=", 0.0), Condition(z, "<=", 0.0)), PartitionTree.trivial()
    # y (2 steps) moves at the root; z below it (2 nodes, 2 steps each) only if f_z knows y <= 0
    assert movable_steps(features, [deep, whole, whole]) == 2
    assert movable_steps(features, [deep, whole, split(Condition(y, "<=", 1.0))]) == 2 + 0 + 2
    assert movable_steps(features, [deep, whole, split(Condition(y, "<=", 0.0))]) == 2 + 4 + 2
    # another side for missing values is another condition
    other = split(Condition(y, "<=", 0.0, missing=True))
    assert movable_steps(features, [deep, whole, other]) == 2 + 0 + 2


def test_repeated_conditions_on_one_feature_restrict_the_step_not_the_curves():
    x, z = numeric(0), numeric(1)
    tree = split(Condition(z, "<=", 0.0)).split(1, Condition(z, "<=", 1.0))
    values = [np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]]), np.zeros((1, 2))]
    model = small_model([x, z], [tree, PartitionTree.trivial()], [[], []], values)
    X = np.column_stack([np.zeros(4), [-1.0, 0.5, 2.0, 3.0]])
    result = canonical(model, X)
    assert_allclose(values_of(result)[0], 0, atol=1e-12)
    assert_allclose(result.intercept + values_of(result)[1][0], [1, 2, 4, 4], atol=1e-12)


def test_weights_count_as_repeated_rows():
    model, X, _, rng = random_model(5)
    weights = rng.integers(0, 4, len(X))
    repeated = canonical(model, np.repeat(X, weights, axis=0))
    assert_same_curves(canonical(model, X, weights.astype(float)), repeated, 1e-10)


def test_plain_gam_is_centred():
    model, X, weights, _ = random_model(3, n_splits=0)
    result = canonical(model, X, weights)
    assert_allclose(result.score_encoded(X), model.score_encoded(X), atol=1e-12)
    assert_allclose(leaf_means(result, X, weights)[0], 0, atol=1e-12)


def test_plan_refuses_a_threshold_that_is_no_edge():
    features = [numeric(0), numeric(1)]
    trees = [split(Condition(features[1], "<=", 0.5)), PartitionTree.trivial()]
    with pytest.raises(ValueError, match="every threshold on 'x1' must be one of its edges; got"):
        CanonicalPlan(features, trees, [np.empty(0)] * 2, [np.ones((2, 2)), np.ones((1, 2))])


def test_sixteen_bags_on_a_million_rows_are_quick():
    rng = np.random.default_rng(0)
    n_rows, n_edges = 1_000_000, 1023
    features = [numeric(index) for index in range(20)]
    edges = [np.arange(n_edges) + 0.5] * 20
    codes = rng.integers(0, n_edges + 1, n_rows).astype(np.uint16)
    trees = [split(Condition(features[(i + 1) % 20], "<=", 511.5)) for i in range(10)]
    trees += [PartitionTree.trivial()] * 10
    leaves = [(codes > 511).astype(np.int32) * (tree.n_leaves - 1) for tree in trees]
    bags = [rng.normal(size=(16, tree.n_leaves, n_edges + 2)) for tree in trees]
    start = time.perf_counter()
    counts = [
        cell_counts(codes, leaf_of_row, (tree.n_leaves, n_edges + 2))
        for tree, leaf_of_row in zip(trees, leaves, strict=True)
    ]
    CanonicalPlan(features, trees, edges, counts).apply(bags)
    assert time.perf_counter() - start < 2
