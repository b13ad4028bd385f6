"""What rows that the fit has not seen say about a model's errors and probabilities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.columns import FloatArray
from calmgam.model.edits.editor import Editor
from calmgam.model.edits.naming import Rescale
from calmgam.model.fields import added_to_scores
from calmgam.model.glassbox import Model
from calmgam.model.intervals import Intervals, middles
from calmgam.model.measures import checked_target

N_FOLDS = 5  # each is calibrated by the others
N_STEPS, TOLERANCE = 50, 1e-10  # Newton's, and when they have settled


def with_intervals(model: Model, X: Any, y: Any, offset: Any = None) -> Model:
    """Return the model with intervals measured on given rows (split conformal prediction)."""
    if model.classes:
        raise ValueError("intervals are of numbers; the model is a classifier")
    encoded = model.schema.encode(X)
    y = checked_target(y, len(encoded), model.classes)
    trees = [term.tree for term in model.terms]
    added = added_to_scores(offset, len(encoded), model.link)
    middle, moved = middles(model.link, model.score_encoded(encoded), added)
    return replace(model, intervals=Intervals.learn(trees, encoded, middle, y - moved))


def calibrated(
    model: Model, X: Any, y: Any, *, offset: Any = None, who: str = "", why: str = ""
) -> Model:
    """Return the model with scores scaled to fit given rows, if that helps on rows left out.

    Log-odds a + b * score (Platt scaling) are again those of a model with the same regions. Each
    fifth of the rows judges the scale that the others ask for; where the mean log loss does not
    fall by more than one standard error, the model is returned as it is.
    """
    if model.link != "logit":
        raise ValueError(f"calibration is of probabilities; the model's link is {model.link!r}")
    encoded = model.schema.encode(X)
    labels = checked_target(y, len(encoded), model.classes) == model.classes[1]
    score = model.score_encoded(encoded)
    added = added_to_scores(offset, len(encoded), model.link)
    offsets = np.broadcast_to(added, len(score))
    fold = np.arange(len(score)) % N_FOLDS
    gains = np.zeros(len(score))
    for k in range(N_FOLDS):
        others, rows = fold != k, fold == k
        if labels[others].all() or not labels[others].any():
            return model
        slope, shift = platt(score[others], labels[others], offsets[others])
        gains[rows] = log_losses(score[rows] + offsets[rows], labels[rows])
        gains[rows] -= log_losses(slope * score[rows] + shift + offsets[rows], labels[rows])
    if gains.mean() <= gains.std() / np.sqrt(len(gains)):
        return model
    slope, shift = platt(score, labels, offsets)
    reason = why or f"log loss {gains.mean():.2g} lower on rows left out"
    return Editor(model, who, (encoded, y, added)).apply(Rescale(slope, shift), reason).done()


def platt(
    score: FloatArray, positive: NDArray[np.bool_], offset: FloatArray
) -> tuple[float, float]:
    """Return the slope and shift of the score with the smallest log loss, by Newton's method."""
    design = np.column_stack([score, np.ones(len(score))])
    weights = np.zeros(2)
    for _ in range(N_STEPS):
        share = 1 / (1 + np.exp(-np.clip(design @ weights + offset, -500, 500)))
        hessian = design.T @ (design * (share * (1 - share))[:, None]) + 1e-9 * np.eye(2)
        step = np.linalg.solve(hessian, design.T @ (positive - share))
        loss = log_losses(design @ weights + offset, positive).sum()
        while log_losses(design @ (weights + step) + offset, positive).sum() > loss:
            step = step / 2  # Newton's step may be too long where probabilities are near 0 or 1
            if np.abs(step).max() < TOLERANCE:
                break
        weights = weights + step
        if np.abs(step).max() < TOLERANCE:
            break
    return max(float(weights[0]), 1e-6), float(weights[1])


def log_losses(score: FloatArray, positive: NDArray[np.bool_]) -> FloatArray:
    """Return the log loss of every row."""
    return np.logaddexp(0.0, np.where(positive, -score, score))
