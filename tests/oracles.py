"""Numpy twins of the kernels, one section per header of cpp/: as clear as can be, not fast."""

from itertools import pairwise

import numpy as np
from scipy.optimize import nnls
from sklearn.isotonic import isotonic_regression

from calmgam._kernels import VALIDATES
from calmgam.fit.data.robust_losses import Quantile
from calmgam.fit.references.ensembles import TreeEnsemble

# ---- heterogeneity.hpp: variances by the book, one candidate at a time ---------------------------


def heterogeneity(curves, weights):
    """Weighted variance over the rows, summed over the columns."""
    if weights.sum() == 0:
        return 0.0
    mean = np.average(curves, axis=0, weights=weights)
    return np.average((curves - mean) ** 2, axis=0, weights=weights).sum()


def heterogeneity_in_bins(effects, bins, weights):
    """Weighted variance within every bin, weighted by the bins."""
    if weights.sum() == 0:
        return 0.0
    parts = [(weights[bins == b], effects[bins == b, None]) for b in np.unique(bins)]
    return sum(w.sum() * heterogeneity(part, w) for w, part in parts) / weights.sum()


def split_gains(heterogeneity_of, weights, codes, n_conditions, ordered, min_rows):
    """Part of weight * heterogeneity that each candidate takes away; -1 if it may not be tried.

    `heterogeneity_of` is a function of a mask of rows.
    """

    def within(rows):
        return weights[rows].sum() * heterogeneity_of(rows)

    def gain(left):
        enough = min(left.sum(), (~left).sum()) >= min_rows
        if not enough or weights[left].sum() <= 0 or weights[~left].sum() <= 0:
            return -1.0
        return within(np.ones_like(left)) - within(left) - within(~left)

    gains = []
    for line, n, is_ordered in zip(codes, n_conditions, ordered, strict=True):
        missing = line == n + 1
        for t in range(n):
            left = line <= t if is_ordered else line == t
            gains.append((gain(left), gain(left | missing) if missing.any() else -1.0))
        gains.append((gain(~missing), -1.0))
    return np.array(gains).reshape(-1, 2)


# ---- ensemble.hpp, ice.hpp: one row and one tree at a time ---------------------------------------


def leaf_value(trees: TreeEnsemble, node: int, row: np.ndarray) -> float:
    """Value of the leaf to which a row descends."""
    while trees.features[node] >= 0:
        x = row[trees.features[node]]
        if np.isnan(x):
            left = trees.missing_left[node] == 1
        elif trees.left_codes[node] >= 0:
            left = trees.code_goes_left[trees.left_codes[node] + int(x)] == 1
        else:
            left = (np.float64(np.float32(x)) if trees.float32 else x) <= trees.thresholds[node]
        node = trees.left[node] if left else trees.right[node]
    return trees.values[node]


def leaf_sums(trees: TreeEnsemble, X: np.ndarray) -> np.ndarray:
    """Sum the leaves of every row."""
    return np.array([sum(leaf_value(trees, root, row) for root in trees.roots) for row in X])


def ice_sums(
    trees: TreeEnsemble, X: np.ndarray, feature: int, grid: np.ndarray, all_trees: bool
) -> np.ndarray:
    """Sum the leaves of every row at every grid value."""
    ends = [*trees.roots[1:], len(trees.features)]
    roots = [
        root
        for root, end in zip(trees.roots, ends, strict=True)
        if all_trees or feature in trees.features[root:end]
    ]
    sums = np.zeros((len(X), len(grid)))
    for k, row in enumerate(X):
        for m, value in enumerate(grid):
            changed = np.where(np.arange(len(row)) == feature, value, row)
            sums[k, m] = sum(leaf_value(trees, root, changed) for root in roots)
    return sums


# ---- trees.hpp: sides as masks of rows -----------------------------------------------------------


def boost_trees(codes, n_slots, ordered, target, seed, settings):
    """Return the scores of all rows after the best round, and its number."""
    weights, rows = target.weights, np.arange(len(target.values))
    counted = trains = weights > 0

    def random():
        nonlocal seed
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        return (seed >> 11) / 2**53

    def last_slots():
        """Last slot of every bin of every feature; missing has the last bin for itself."""
        for n, is_ordered in zip(n_slots, ordered, strict=True):
            shift, n_values, n_bins = random(), n - 1, settings.max_bins
            last = list(range(n_values))
            if is_ordered and n_values > n_bins:
                step = (n_values - 1) / (n_bins - 1)
                last = [int((k + shift) * step) for k in range(n_bins - 1)] + [n_values - 1]
            yield last

    def worth(gradient, hessian):
        return gradient.sum() ** 2 / (hessian.sum() + settings.ridge)

    def ways(i, last, inside, gradient, hessian):
        """Slots of feature i that go left, one set after the other."""
        missing, here = n_slots[i] - 1, np.unique(codes[i][inside])
        if ordered[i]:
            any_missing = missing in here
            for missing_left in [False, True] if any_missing else [False]:
                for end in last:
                    yield [*range(end + 1), *([missing] if missing_left else [])], any_missing
            return

        def height(level):
            there = inside & (codes[i] == level)
            return gradient[there].sum() / (hessian[there].sum() + settings.level_smoothing)

        levels = sorted(here.tolist(), key=height)
        for n in range(1, len(levels)):
            yield levels[:n], None

    def best_split(inside, gradient, hessian, bins):
        best = 0.0, None
        for i, last in enumerate(bins):
            for slots, any_missing in ways(i, last, inside, gradient, hessian):
                left = np.isin(codes[i], slots) & inside
                right = inside & ~left
                if min(left.sum(), right.sum()) < settings.min_samples_leaf:
                    continue
                if min(hessian[left].sum(), hessian[right].sum()) < 1e-3:
                    continue
                sides = [worth(gradient[side], hessian[side]) for side in (left, right, inside)]
                gain = sides[0] + sides[1] - sides[2]
                if gain > best[0] * (1 + 1e-9):
                    goes_left = np.isin(np.arange(n_slots[i]), slots)
                    follows = 2 * left.sum() >= inside.sum()
                    if any_missing is None:  # levels without rows follow the majority
                        goes_left[np.setdiff1d(np.arange(n_slots[i]), codes[i][inside])] = follows
                    elif not any_missing:
                        goes_left[-1] = follows
                    best = gain, goes_left[codes[i]]
        return best

    def tree(gradient, hessian, bins):
        leaves = [np.ones(len(rows), dtype=bool)]
        splits = [best_split(trains, gradient, hessian, bins)]
        while len(leaves) < settings.max_leaves:
            k = int(np.argmax([gain for gain, _ in splits]))
            gain, goes_left = splits[k]
            if gain <= 0:
                break
            parts = leaves[k] & goes_left, leaves[k] & ~goes_left
            leaves[k : k + 1], splits[k : k + 1] = [parts[0]], [None]
            leaves.append(parts[1])
            splits.append(None)
            for j in (k, -1):
                splits[j] = best_split(leaves[j] & trains, gradient, hessian, bins)
        step = np.zeros(len(rows))
        for leaf in leaves:
            there = leaf & trains
            slope, weight = gradient[there].sum(), hessian[there].sum()
            height = slope / (weight + settings.ridge + 1e-12)
            most = target.loss.max_step
            step[leaf] = settings.learning_rate * np.clip(height, -most, most)
        return step

    score = np.full(len(rows), target.best_constant())
    gained, best = 0.0, (0.0, 0, score)
    for n in range(1, settings.max_rounds + 1):
        kept_out = np.zeros(len(rows), dtype=bool)
        if settings.validation_share > 0:
            kept_out[counted] = [random() < settings.validation_share for _ in range(counted.sum())]
        trains = counted & ~kept_out
        before = target.losses(score, rows)
        score = score + tree(*target.derivatives(score, rows), list(last_slots()))
        gained += (weights * (before - target.losses(score, rows)))[kept_out].sum()
        if not kept_out.any() or gained > best[0]:
            best = gained, n, score
        if n + 1 - best[1] > settings.patience:
            break
    return best[2], best[1]


# ---- convex.hpp: a line, and bends upwards of any size at every centre ---------------------------


def nearest_convex(centres, heights, weights):
    """Return the nearest convex heights, as non-negative least squares."""
    hinges = np.maximum(centres[:, None] - centres[None, :-1], 0.0)  # the first: the slope
    ones = np.ones(len(centres))
    columns = np.column_stack([ones, -ones, -hinges[:, 0], hinges])
    roots = np.sqrt(weights)
    sizes, _ = nnls(columns * roots[:, None], heights * roots, maxiter=100 * len(centres))
    return columns @ sizes


# ---- boosting.hpp: one bag, in double precision --------------------------------------------------


def nearest_run(run, centres, curve, hessian):
    """Return the nearest curve that runs so, but for missing, which comes last."""
    heights, weights = run.sign * curve[:-1], np.maximum(hessian[:-1], 1e-9 * hessian[:-1].sum())
    if run.is_bend:
        nearest = nearest_convex(centres, heights, weights)
    else:
        nearest = isotonic_regression(heights, sample_weight=weights)
    return np.append(run.sign * nearest, curve[-1])


def boost_one_bag(binned, cells, trees, target, trains, validates, seed, settings):
    """Return intercept, heights of all cells, validation loss and number of the best round.

    Leaves below a condition share a curve, which learns before theirs do, if there is sharing.
    Of constrained features this knows numbers with one curve.
    """
    n_slots, runs = binned.n_slots, binned.runs
    ordered = [feature.is_numeric for feature in binned.features]
    n_leaves = [tree.n_leaves for tree in trees]
    l2 = settings.ridge * target.loss.max_hessian
    max_step = target.loss.max_step

    def height(gradient, hessian):
        step = gradient / (hessian + l2) if hessian > 0 else 0.0
        return settings.learning_rate * np.clip(step, -max_step, max_step)

    def tree_step(gradient, hessian, rows, cuts):
        """Heights of the bins between cuts, for those cuts that leave enough rows on both sides."""
        step, start = np.empty(len(gradient)), 0
        for cut in sorted(set(cuts)):
            if min(rows[start : cut + 1].sum(), rows[cut + 1 :].sum()) >= settings.min_samples_leaf:
                step[start : cut + 1] = height(
                    gradient[start : cut + 1].sum(), hessian[start : cut + 1].sum()
                )
                start = cut + 1
        step[start:] = height(gradient[start:].sum(), hessian[start:].sum())
        return step

    def best_cuts(*sums):
        """The best cut, then the best within what it leaves; the first of equals."""
        running = np.cumsum(sums, axis=1)  # exact ties where bins are empty

        def gains(start, end):
            low = running[:, start - 1] if start else np.zeros(3)
            left, right = (
                running[:, start:end].T - low,
                running[:, end - 1] - running[:, start:end].T,
            )
            whole = running[:, end - 1] - low
            enough = np.minimum(left[:, 2], right[:, 2]) >= settings.min_samples_leaf
            return np.where(enough, score(left.T) + score(right.T) - score(whole), 0.0)

        def score(part):
            return part[0] ** 2 / (part[1] + l2 + 1e-12)

        cuts = []
        for _ in range(settings.max_leaves - 1):
            ends = [0, *(cut + 1 for cut in cuts), running.shape[1]]
            all_gains = np.concatenate([gains(start, end) for start, end in pairwise(ends)])
            if all_gains.max() > 0:
                cuts.append(int(all_gains.argmax()))
        return cuts

    def random_cuts(n_bins):
        return [(next(random) >> 32) * (n_bins - 1) >> 32 for _ in range(settings.max_leaves - 1)]

    def numeric_step(gradient, hessian, rows):
        gradient_missing, hessian_missing = gradient[-1], hessian[-1]
        bins = gradient[:-1], hessian[:-1], rows[:-1]
        if len(bins[0]) == 1:
            cuts = []
        elif smooth:
            cuts = random_cuts(len(bins[0]))
        else:
            cuts = best_cuts(*bins)
        return [*tree_step(*bins, cuts), height(gradient_missing, hessian_missing)]

    def level_step(gradient, hessian, rows):
        at_rest = settings.level_smoothing * hessian.sum() / max(rows.sum(), 1e-300)
        return [height(g, h + at_rest) for g, h in zip(gradient, hessian, strict=True)]

    def sums(f, values):
        size = n_leaves[f] * n_slots[f]
        return np.bincount(cells[f], values, size).reshape(n_leaves[f], n_slots[f])

    y, loss_of = target.values, target.loss
    n_outputs = max(loss_of.n_outputs, 1)
    randoms = [splitmix64(seed)]
    if loss_of.n_outputs:  # every class draws its own cuts
        randoms = [splitmix64(next(splitmix64(seed + k))) for k in range(n_outputs)]
    training = target.weights * trains
    intercept = loss_of.best_constant(y, training, target.offset)
    score = target.scores(
        np.tile(intercept, (len(y), 1)) if loss_of.n_outputs else np.full(len(y), intercept)
    )
    bandwidth = None
    if isinstance(loss_of, Quantile):
        start = loss_of.losses(y, np.full(len(y), target.best_constant()))
        bandwidth = loss_of.share_of_loss(len(y)) * np.average(start, weights=target.weights)
    all_curves = [[np.zeros(size) for size in zip(n_leaves, n_slots, strict=True)] for _ in randoms]
    all_velocities = [[np.zeros_like(curve) for curve in curves] for curves in all_curves]
    all_shared_velocities = [
        [np.zeros((tree.n_splits, n)) for tree, n in zip(trees, n_slots, strict=True)]
        for _ in randoms
    ]
    spans = [leaves_below(tree) for tree in trees]
    all_hessian_sums = [[sums(f, training) for f in range(len(cells))] for _ in randoms]
    best_loss, best_round, best = np.inf, 0, None
    smooth, last_news, news_loss = True, 0, np.inf

    for n_rounds in range(settings.max_rounds + 1):
        if bandwidth is None:
            gradient, hessian = loss_of.derivatives(y, score)
        else:
            gradient, hessian = loss_of.smoothed_derivatives(y, score, bandwidth)
        gradients_of = np.reshape(gradient, (len(y), n_outputs)).T * training
        hessians_of = np.maximum(np.reshape(hessian, (len(y), n_outputs)).T, 1e-6) * training
        losses = loss_of.losses(y, score)
        loss = np.average(losses, weights=target.weights * validates)
        if bandwidth is not None:
            bandwidth = loss_of.share_of_loss(len(y)) * loss
        if n_rounds == 0 or loss < best_loss * (1 - settings.tolerance):
            best_loss, best_round = loss, n_rounds
            least_fall = loss_of.least_news / (target.weights @ validates)
            if n_rounds == 0 or loss < (news_loss - least_fall) * (1 - settings.tolerance):
                news_loss, last_news = loss, n_rounds
            best = np.concatenate([curve.ravel() for curves in all_curves for curve in curves])
        if smooth and (
            n_rounds >= settings.smoothing_rounds or n_rounds - last_news >= settings.patience / 2
        ):
            smooth, last_news = False, n_rounds
        if n_rounds - last_news >= settings.patience:
            break
        momentum = min(settings.momentum, n_rounds / max(n_rounds + settings.momentum_rounds, 1))

        moved = []
        for k in range(n_outputs):  # classes move apart, and meet in the next round
            random = randoms[k]  # of `random_cuts`
            gradient, hessian = gradients_of[k], hessians_of[k]
            curves, velocities = all_curves[k], all_velocities[k]
            shared_velocities, hessian_sums = all_shared_velocities[k], all_hessian_sums[k]
            total = np.zeros(len(y))
            for f in range(len(cells)):
                if not loss_of.is_quadratic and n_rounds % 4 == 0:
                    hessian_sums[f] = sums(f, hessian)
                step = numeric_step if ordered[f] else level_step
                gradients, hessians, rows = sums(f, gradient), hessian_sums[f], sums(f, training)
                shared = np.zeros_like(gradients)
                spans_that_share = spans[f] if settings.sharing else []
                for velocity, below in zip(shared_velocities[f], spans_that_share):  # noqa: B905
                    left = gradients - hessians * shared
                    whole = step(*(part[below].sum(axis=0) for part in (left, hessians, rows)))
                    velocity[:] = np.array(whole) + momentum * velocity
                    shared[below] += velocity
                leaves = zip(gradients - hessians * shared, hessians, rows, strict=True)
                heights = np.array([step(*leaf) for leaf in leaves])
                velocities[f] = heights + momentum * velocities[f]
                change = shared + velocities[f]
                curves[f] += change
                if runs[f].sign:
                    (curve,), centres = curves[f].copy(), binned.centres[f]
                    curves[f][:] = nearest_run(runs[f], centres, curve, hessians[0])
                    change += curves[f] - curve
                    velocities[f] += curves[f] - curve
                moves = change.ravel()[cells[f]]
                total += moves
                gradient = gradient - hessian * moves
            moved.append(total)
        score = score + (np.transpose(moved) if loss_of.n_outputs else moved[0])
    return intercept, best, best_loss, best_round


def leaves_below(tree):
    """Return the leaves below every condition, parents first: those with the same way to it."""
    ways = [region.conditions for region in tree.regions]
    conditions = {way[:depth]: None for way in ways for depth in range(len(way))}
    return [
        [
            leaf
            for leaf, way in enumerate(ways)
            if len(way) > len(above) and way[: len(above)] == above
        ]
        for above in conditions
    ]


def splitmix64(state):
    """Yield the generator's 64-bit integers."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        yield z ^ (z >> 31)


# ---- joint.hpp: one condition at a time, sides as masks of rows ----------------------------------


def joint_options(
    residual,
    weights,
    cells,
    n_leaves,
    n_bins,
    codes,
    code_features,
    n_conditions,
    ordered,
    subsets,
    min_rows,
    l2,
    noise,
    charge_steps=False,
):
    """For every leaf of every feature what may be tried, in order: [(gain, candidates, left)].

    `left` says of every code whether it goes left.
    """

    def worth(rows):
        total = weights[rows].sum()
        return (weights[rows] @ residual[rows]) ** 2 / (total + l2) if total > 0 else 0.0

    def gain(inside, bins, goes_left, freedom):
        left, right = inside & goes_left, inside & ~goes_left
        if min(left.sum(), right.sum()) < min_rows:
            return 0.0
        sides = ((left & (bins == b), right & (bins == b)) for b in np.unique(bins))
        return -freedom * noise + sum(
            worth(low) + worth(high) - worth(low | high) - noise
            for low, high in sides
            if low.any() and high.any()
        )

    def step_gain(i, leaf, goes_left):
        """What the step that fits best in all cells takes away in one leaf."""
        height, spread = np.zeros(n_leaves[i]), np.zeros(n_leaves[i])
        for one in range(n_leaves[i]):
            both = np.zeros(len(residual), dtype=bool)
            for cell in range(one * n_bins[i], (one + 1) * n_bins[i]):
                inside = cells[i] == cell
                if (inside & goes_left).any() and (inside & ~goes_left).any():
                    both |= inside
                    n_left, n_right = (
                        weights[inside & side].sum() for side in (goes_left, ~goes_left)
                    )
                    spread[one] += n_left * n_right / (n_left + n_right)
            if both.any():
                share = weights[both & goes_left].sum() / weights[both].sum()
                moved = goes_left - share
                height[one] = (weights * moved * residual)[both].sum()
        if spread.sum() == 0:
            return 0.0
        step = height.sum() / spread.sum()
        return max(2 * step * height[leaf] - step**2 * spread[leaf], 0.0)

    def options(i, leaf, j):
        inside, bins = cells[i] // n_bins[i] == leaf, cells[i] % n_bins[i]
        n, missing = n_conditions[j], n_conditions[j] + 1
        any_missing = bool((codes[j][inside] == missing).any())
        tried = [[*range(missing)]] if any_missing else []
        for missing_left in [[], [missing]] if any_missing else [[]]:
            if ordered[j]:
                tried += [[*range(t + 1), *missing_left] for t in range(n)]
                continue
            order = level_order(codes[j][inside], bins[inside], weights[inside], residual[inside])
            tried += [[level, *missing_left] for level in order]
            if subsets[j]:
                tried += [[*order[:k], *missing_left] for k in range(1, min(5, n // 2) + 1)]
                tried += [
                    [*order[n - k :], *missing_left] for k in range(1, min(5, (n - 1) // 2) + 1)
                ]
        for chosen in tried:
            left = np.isin(np.arange(n + 2), chosen)
            is_set = not ordered[j] and left[:n].sum() > 1 and not left[: n + 1].all()
            freedom = n + 2 * np.sqrt(n * n_bins[i]) if is_set else 0
            is_charged = charge_steps and ordered[j]
            charge = step_gain(i, leaf, left[codes[j]]) if is_charged else 0.0
            yield gain(inside, bins, left[codes[j]], freedom) - charge, j, left

    def level_order(levels, bins, weights, residual):
        def table(values):
            sums = np.zeros((n, n_slots))
            np.add.at(sums, (levels[named], bins[named]), values[named])
            return sums

        n, n_slots, named = n_conditions[j], n_bins[i], levels < n_conditions[j]
        weight = table(weights)
        profile = table(weights * residual) / np.sqrt(weight + l2 + 1e-300)
        direction = profile[np.argmax((profile**2).sum(axis=1))]
        for _ in range(8):
            position = profile @ direction
            if np.linalg.norm(position @ profile) == 0:
                break
            direction = position @ profile / np.linalg.norm(position @ profile)
        height = position / np.sqrt(weight.sum(axis=1) + l2 + 1e-300)
        return np.argsort(height, kind="stable").tolist()

    found = [[[] for _ in range(n)] for n in n_leaves]
    for i, leaves in enumerate(found):
        for leaf, tried in enumerate(leaves):
            for j, feature in enumerate(code_features):
                if feature != i and n_conditions[j] > 0:
                    tried += options(i, leaf, j)
    return found


def backfit(cells, n_leaves, n_bins, turns, weights, l2, n_sweeps, residual, doubt=None):
    """Return what is left of the residual."""
    for _ in range(n_sweeps):
        noise = np.average(residual**2, weights=weights)
        for i in turns:
            line, n_cells = cells[i], n_leaves[i] * n_bins[i]
            weight = np.bincount(line, weights, n_cells)
            sums = np.bincount(line, weights * residual, n_cells)
            heights = np.divide(sums, weight + l2, out=np.zeros(n_cells), where=weight > 0)
            if doubt is not None:
                shares = np.divide(weight, weight + l2, out=np.zeros(n_cells), where=weight > 0)
                gain, freedom = (
                    values.reshape(n_leaves[i], n_bins[i]).sum(axis=1)
                    for values in (sums * heights, shares)
                )
                at_least = noise * (freedom + 2 * np.sqrt(freedom * doubt) + 2 * doubt)
                chance = np.ones(n_leaves[i])
                np.divide(noise * freedom, gain, out=chance, where=gain > at_least)
                heights *= np.repeat(1 - chance, n_bins[i])
            residual = residual - heights[line]
    return residual


# ---- gram.hpp: the design written out ------------------------------------------------------------


def spline_columns(cells, n_cells, first_column, basis, n_columns):
    """Values of every row in every column."""
    B = np.zeros((cells.shape[1], n_columns))
    start = 0
    for term_cells, size in zip(cells, n_cells, strict=True):
        for row, cell in enumerate(start + term_cells.astype(int)):
            B[row, first_column[cell] : first_column[cell] + basis.shape[1]] += basis[cell]
        start += size
    return B


# ---- held_out.hpp: one row at a time -------------------------------------------------------------


def held_out_means(cells, n_cells, heights, roles):
    """Mean heights of every part and row over the bags in which the row validates."""
    means = np.zeros((len(cells), len(roles), heights.shape[1]))
    for i, line in enumerate(cells):
        for row, cell in enumerate(line.tolist()):
            own = heights[roles[row] == VALIDATES, :, sum(n_cells[:i]) + cell]
            means[i, row] = own.mean(axis=0)
    return means


# ---- factors.hpp: matrix products, one coordinate after the other --------------------------------


def slopes_and_curvatures(parts, gradient, hessian):
    """Return the slope along every part, and the curvatures along all pairs of them."""
    return parts @ gradient, (parts * hessian) @ parts.T


def bounded_minimum(slopes, curvatures, start, max_sweeps, tolerance):
    """Return the x in 0..1 with the largest slopes @ step - step @ curvatures @ step / 2."""
    x = start.copy()
    for _ in range(max_sweeps):
        before = x.copy()
        for k, curvature in enumerate(np.diagonal(curvatures)):
            if curvature > 0:
                x[k] += (slopes[k] - curvatures[k] @ (x - start)) / curvature
                x[k] = min(max(x[k], 0.0), 1.0)
        if np.abs(x - before).max(initial=0.0) < tolerance:
            break
    return x


# ---- moments.hpp: one row at a time --------------------------------------------------------------


def mix_column(values, hashes):
    """Hash one more value of every row."""
    mixed = []
    for value, hash_ in zip(values.tolist(), hashes.tolist(), strict=True):
        value = float(value) + 0.0
        bits = int(np.float64(value).view(np.uint64)) if value == value else 0x7FF8000000000000
        hash_ = (hash_ ^ bits) * 0x9E3779B97F4A7C15 % 2**64
        hash_ = (hash_ ^ (hash_ >> 32)) * 0xD6E8FEB86659FD93 % 2**64
        mixed.append(hash_ ^ (hash_ >> 29))
    return np.array(mixed, dtype=np.uint64)


def find_slots(values, edges):
    """Number of edges below every value; missing: two more than the last bin's."""
    slots = (edges[None, :] < values[:, None]).sum(axis=1)
    return np.where(np.isnan(values), len(edges) + 1, slots).astype(np.uint16)


def add_cells(codes, n_cells, fold, n_folds, summands):
    """Sums by fold and cell of all features, one after the other."""
    sums = np.zeros((n_folds, sum(n_cells)), dtype=np.int64)
    for i, line in enumerate(codes):
        for row, code in enumerate(line):
            sums[fold[row], sum(n_cells[:i]) + code] += summands[row]
    return sums


def add_pairs(codes, n_cells, fold, n_folds, weights):
    """Tiles of all pairs of features, i < j, one after the other."""
    tiles = []
    for i, n_left in enumerate(n_cells):
        for j in range(i + 1, len(n_cells)):
            tile = np.zeros((n_folds, n_left, n_cells[j]), dtype=np.int64)
            np.add.at(tile, (fold, codes[i], codes[j]), weights)
            tiles.append(tile.reshape(n_folds, -1))
    return np.concatenate(tiles, axis=1)


def summarise(values):
    """Smallest, largest, number of missing values, whether all others are whole."""
    rest = values[~np.isnan(values)].astype(float)
    low, high = rest.min(initial=np.inf), rest.max(initial=-np.inf)
    return low, high, len(values) - len(rest), bool(np.all(rest == np.floor(rest)))
