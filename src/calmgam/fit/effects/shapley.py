"""SHAP effects: a reference and rows come in, what every feature adds to every score goes out.

    phi(x^k) sums to score(x^k) - base, on the link scale

XGBoost and LightGBM compute exact tree SHAP themselves; scikit-learn's trees are left to the `shap`
package. What these cannot explain exactly (a network, a function, scikit-learn's categorical
splits) is sampled: from a few rows, features take the row's values in random order and back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logit

from calmgam.fit.effects.pdp import BATCH_ROWS
from calmgam.fit.references.ensembles import library_of
from calmgam.fit.references.reference import Reference

N_ORDERS = 20  # random orders of the features, each used both ways
AGREE = 1e-3  # exact values add up to the score, but for single precision


def shap_values(reference: Reference, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """SHAP values of every feature in every row, (n, d).

    Parameters
    ----------
    reference : Reference
    X : (n, d) encoded rows
    rng : numpy Generator
        Draws the rows to start from and the orders, where values are sampled.
    """
    values = _tree_shap(reference, X)
    if values is not None:
        rest = reference.score(X) - values.sum(axis=1)
        if np.ptp(rest) <= AGREE * max(1.0, np.ptp(values.sum(axis=1))):
            return values
    return _sampled(reference, X, rng)


def _tree_shap(reference: Reference, X: np.ndarray) -> np.ndarray | None:
    """Exact values by the library's own implementation or by `shap`; None if there is none."""
    model, data = reference.estimator, reference.data(X)
    library = library_of(model)
    if library == "xgboost":
        values, bases = _last_apart(_xgboost_contributions(model, data))
    elif library == "lightgbm":
        values, bases = _last_apart(model.predict(data, pred_contrib=True))
    elif library is not None:
        explainer = _shap().TreeExplainer(model)
        values = explainer.shap_values(data, check_additivity=False)
        bases = explainer.expected_value
    else:
        return None
    if values.ndim == 3:  # a forest explains the probability of either class
        values = _on_log_odds(values[:, :, 1], np.ravel(bases)[1], reference.min_probability)
    return reference.slope * values if values.shape == X.shape else None


def _last_apart(contributions: Any) -> tuple[np.ndarray, np.ndarray]:
    return np.asarray(contributions, dtype=np.float64)[:, :-1], contributions[:, -1]


def _xgboost_contributions(model: Any, data: Any) -> np.ndarray:
    import xgboost

    table = xgboost.DMatrix(
        data,
        missing=model.missing,
        feature_types=model.feature_types,
        enable_categorical=model.enable_categorical,
        nthread=model.n_jobs,
    )
    n_rounds = getattr(model, "best_iteration", None)
    rounds = (0, 0 if n_rounds is None else n_rounds + 1)
    return model.get_booster().predict(table, pred_contribs=True, iteration_range=rounds)


def _on_log_odds(values: np.ndarray, base: float, min_probability: float) -> np.ndarray:
    """Stretch every row's values of the probability so that they add up to its log-odds."""
    ends = np.clip([base + values.sum(axis=1), np.full(len(values), base)], min_probability, None)
    ends = np.minimum(ends, 1.0 - min_probability)
    change = values.sum(axis=1)
    slope = 1.0 / (ends[1] * (1.0 - ends[1]))  # where the probability hardly changes
    np.divide(logit(ends[0]) - logit(ends[1]), change, out=slope, where=np.abs(change) > 1e-9)
    return slope[:, None] * values


def _sampled(reference: Reference, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Mean change of the score as the features of some row take the values of every other.

    All rows come from the same ones, so that chance moves them alike and sums are exact.
    """
    values = np.zeros(X.shape)
    for start in X[rng.integers(len(X), size=N_ORDERS)]:
        order = rng.permutation(X.shape[1])
        for turn in (order, order[::-1]):
            rows, before = np.tile(start, (len(X), 1)), reference.score(start[None])
            for i in turn:
                rows[:, i] = X[:, i]
                after = _scores(reference, rows)
                values[:, i] += after - before
                before = after
    return values / (2 * N_ORDERS)


def _scores(reference: Reference, X: np.ndarray) -> np.ndarray:
    batches = range(0, len(X), BATCH_ROWS)
    return np.concatenate([reference.score(X[start : start + BATCH_ROWS]) for start in batches])


def _shap() -> Any:
    try:
        import shap
    except ImportError as error:
        raise ImportError(
            'effect="shap" needs the shap package for trees of scikit-learn: '
            "pip install calmgam[shap]"
        ) from error
    return shap
