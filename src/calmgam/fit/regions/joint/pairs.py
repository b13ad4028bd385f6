"""Which pairs of features joint growth looks at: with many features those that trees use together.

In: a reference and rows. Out: for every feature the partners that may be conditions on its curve.
All pairs grow with the square of the features. Where a reference saw an interaction, one of its
trees asks about both features on one path, and the lower question gains something there; so
pairs are ranked by what questions below one another gain, and the first few hundred are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.data.losses import SquaredError
from calmgam.fit.references.boosted_trees import BoostedTrees
from calmgam.fit.references.ensembles import TreeEnsemble
from calmgam.fit.references.reference import Reference
from calmgam.fit.support.parts import tuned
from calmgam.model.schema import FloatArray, Schema

Partners = tuple[frozenset[int], ...]
N_DIRECTIONS = 3  # of many classes' scores


@dataclass(frozen=True)
class PairSettings:
    """How many pairs are looked at, and how many rows tell what a tree's questions gain."""

    max_pairs: int = tuned(
        1000, "leaves the 24 tables as they are; twelve known truths: 200 find as much"
    )
    max_rows: int = tuned(
        2000,
        "set by hand; halved or doubled, one known truth gives the same model: see `constants`",
    )


PAIRS = PairSettings()


def too_many_pairs(n_features: int) -> bool:
    """Whether not all pairs are looked at."""
    return n_features * (n_features - 1) // 2 > PAIRS.max_pairs


def likely_partners(
    reference: Reference, X: FloatArray, scores: FloatArray, schema: Schema
) -> Partners | None:
    """Return for every feature the others with which it may interact; None means all.

    Parameters
    ----------
    reference : Reference
    X : (n_rows, n_features) array
        Encoded rows that the reference was fitted on.
    scores : (n_rows,) array
        The reference's. If its trees cannot be read, our own are fitted to them.
    schema : Schema
    """
    n_features = X.shape[1]
    if not too_many_pairs(n_features):
        return None
    ensemble = reference.ensemble
    some = np.linspace(0, len(X) - 1, min(len(X), PAIRS.max_rows)).astype(np.intp)
    if scores.ndim == 2:
        strength = _used_by_classes(X, scores, schema, some)
    else:
        if ensemble is None:
            ensemble = BoostedTrees(schema, SquaredError()).fit(X, scores).ensemble
        strength = used_together(ensemble, X[some])
    strongest = sorted(strength, key=lambda pair: (-strength[pair], pair))[: PAIRS.max_pairs]
    partners: list[set[int]] = [set() for _ in range(n_features)]
    for one, other in strongest:
        partners[one].add(other)
        partners[other].add(one)
    return tuple(map(frozenset, partners))


def _used_by_classes(
    X: FloatArray, scores: FloatArray, schema: Schema, some: NDArray[np.intp]
) -> dict[tuple[int, int], float]:
    """Return what pairs gain for the leading directions of many classes' scores."""
    centred = scores - scores.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    strength: dict[tuple[int, int], float] = {}
    for direction in directions[:N_DIRECTIONS]:
        trees = BoostedTrees(schema, SquaredError()).fit(X, centred @ direction)
        for pair, gain in used_together(trees.ensemble, X[some]).items():
            strength[pair] = strength.get(pair, 0.0) + gain
    return strength


def used_together(ensemble: TreeEnsemble, X: FloatArray) -> dict[tuple[int, int], float]:
    """Return what every pair of features gains on paths that ask about both.

    The gain of a question is what it takes off the squares of the tree's own values; every feature
    that was asked about above it is its partner.
    """
    counts, means = _node_means(ensemble, X)
    left, right = ensemble.left, ensemble.right
    strength: dict[tuple[int, int], float] = {}
    waiting: list[tuple[int, frozenset[int]]] = [
        (int(root), frozenset()) for root in ensemble.roots
    ]
    while waiting:
        node, above = waiting.pop()
        feature, low, high = int(ensemble.features[node]), int(left[node]), int(right[node])
        if feature < 0 or not counts[low] or not counts[high]:
            continue
        rows = counts[low] * counts[high] / counts[node]
        gain = float(rows * (means[low] - means[high]) ** 2)
        for other in above - {feature}:
            pair = min(feature, other), max(feature, other)
            strength[pair] = strength.get(pair, 0.0) + gain
        waiting += [(child, above | {feature}) for child in (low, high)]
    return strength


def _node_means(ensemble: TreeEnsemble, X: FloatArray) -> tuple[NDArray[np.intp], FloatArray]:
    """Return how many rows every node has, and the mean of their leaves' values."""
    values = X.astype(np.float32).astype(np.float64) if ensemble.float32 else X
    rows = np.repeat(np.arange(len(X)), len(ensemble.roots))
    start = np.tile(ensemble.roots, len(X)).astype(np.intp)
    visited, node = [start], start
    moving = np.arange(len(node))
    while len(moving := moving[ensemble.features[node[moving]] >= 0]):
        node = node.copy()
        node[moving] = _children(ensemble, node[moving], values, rows[moving])
        visited.append(node)
    counts = np.zeros(len(ensemble.features), dtype=np.intp)
    sums = np.zeros(len(ensemble.features))
    reached = ensemble.values[node]
    before: NDArray[np.intp] | None = None
    for level in visited:
        new = slice(None) if before is None else level != before
        counts += np.bincount(level[new], minlength=len(counts))
        sums += np.bincount(level[new], reached[new], len(counts))
        before = level
    return counts, sums / np.maximum(counts, 1)


def _children(
    ensemble: TreeEnsemble, nodes: NDArray[np.intp], values: FloatArray, rows: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return where rows go on from nodes that ask a question."""
    asked = values[rows, ensemble.features[nodes]]
    missing, first = np.isnan(asked), ensemble.left_codes[nodes]
    goes_left = asked <= ensemble.thresholds[nodes]
    levels = np.flatnonzero((first >= 0) & ~missing)
    codes = first[levels] + asked[levels].astype(np.intp)
    goes_left[levels] = ensemble.code_goes_left[codes] > 0
    goes_left[missing] = ensemble.missing_left[nodes[missing]] > 0
    return np.where(goes_left, ensemble.left[nodes], ensemble.right[nodes]).astype(np.intp)
