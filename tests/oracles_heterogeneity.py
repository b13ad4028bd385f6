"""Numpy twin of the heterogeneity kernel: variances by the book, one candidate at a time."""

import numpy as np


def heterogeneity(curves, weights):
    """Weighted variance over the rows, summed over the columns."""
    if weights.sum() == 0:
        return 0.0
    mean = np.average(curves, axis=0, weights=weights)
    return np.average((curves - mean) ** 2, axis=0, weights=weights).sum()


def split_gains(curves, weights, codes, n_conditions, ordered, min_rows):
    """Part of weight * heterogeneity that each candidate takes away; -1 if it may not be tried."""

    def within(rows):
        return weights[rows].sum() * heterogeneity(curves[rows], weights[rows])

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
