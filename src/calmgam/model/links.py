"""Links: from scores to predictions, and how steep that is."""

from __future__ import annotations

from typing import Any

import numpy as np

from calmgam.model.columns import FloatArray

LINKS = ("identity", "logit", "log", "softmax")
# behind "score"
SCALES = {"identity": "", "logit": " (log-odds)", "log": " (log)", "softmax": ""}
MAX_LOG = 60.0  # logarithms beyond are no prediction; it keeps every product finite


def response(link: str, score: FloatArray) -> FloatArray:
    """Return the prediction of scores: the inverse of the link.

    Parameters
    ----------
    link : {"identity", "logit", "log", "softmax"}
    score : array
        Of "softmax" with an axis of classes, the last one.
    """
    if link == "softmax":
        return softmax(score)
    if link == "logit":
        probability: FloatArray = probability_of(score)
        return probability
    return np.exp(score) if link == "log" else score


def probability_of(score: Any) -> Any:
    """Return the second class's probability of scores, or of one score, of a classifier.

    Parameters
    ----------
    score : float or array
    """
    return np.exp(-np.logaddexp(0.0, -score))  # 1 / (1 + exp(-score)) without overflow


def softmax(score: FloatArray) -> FloatArray:
    """Return the probabilities of all classes, which are the last axis of the scores.

    Parameters
    ----------
    score : (..., n_classes) array
    """
    odds = np.exp(score - score.max(axis=-1, keepdims=True))
    probabilities: FloatArray = odds / odds.sum(axis=-1, keepdims=True)
    return probabilities


def response_slope(link: str, score: FloatArray) -> FloatArray:
    """Return the derivative of `response`.

    Parameters
    ----------
    link : {"identity", "logit", "log"}
    score : array
    """
    if link == "identity":
        return np.ones(len(score))
    mean = response(link, score)
    return mean * (1.0 - mean) if link == "logit" else mean
