"""Contributions as an explanation of SHAP, for its plots; nothing is estimated."""

from __future__ import annotations

from typing import Any

import numpy as np

from calmgam.model.exact.rows import decode_value
from calmgam.model.glassbox import Model


def to_shap(model: Model, X: Any) -> Any:
    """Return the exact contributions of rows as a ``shap.Explanation``.

    They add up to the score, but they are the model's own terms, not Shapley values: where a
    feature has several curves, all of an interaction is in the feature whose curve is chosen.

    Parameters
    ----------
    model : Model
    X : data frame or array

    Returns
    -------
    shap.Explanation
        Values of shape (n_rows, n_features), or (n_rows, n_features, n_classes); the base value is
        the intercept.
    """
    from shap import Explanation

    encoded = model.schema.encode(X)
    values = model.contributions_encoded(encoded)
    shown = np.empty(encoded.shape, dtype=object)
    for feature in model.schema.features:
        shown[:, feature.index] = [decode_value(feature, v) for v in encoded[:, feature.index]]
    return Explanation(
        values,
        base_values=np.broadcast_to(model.intercept, (len(values), *values.shape[2:])).copy(),
        data=np.ascontiguousarray(encoded),
        display_data=shown,
        feature_names=list(model.schema.names),
        output_names=list(map(str, model.classes)) if values.ndim == 3 else None,
    )
