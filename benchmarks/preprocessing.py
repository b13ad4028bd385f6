"""What is done to a table before a model that cannot take it as it is: codes, then scales.

Everything is learned from the training rows. Targets of regression are z-scored for models whose
inputs are scaled; `Prepared.restored` takes their predictions back to the original scale.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.preprocessing import MinMaxScaler, OrdinalEncoder, StandardScaler

from benchmarks.rivals import Rival

SCALERS = {"z-score": StandardScaler, "min-max": MinMaxScaler}


class Prepared(NamedTuple):
    """Both parts of a table as a model gets them."""

    X_train: pd.DataFrame
    y_train: np.ndarray
    X_test: pd.DataFrame
    y_mean: float = 0.0
    y_scale: float = 1.0

    def restored(self, predicted: np.ndarray) -> np.ndarray:
        """Return predictions on the scale of the original target."""
        return self.y_mean + self.y_scale * predicted


def prepare(X_train, y_train, X_test, task: str, rival: Rival) -> Prepared:
    """Return the tables as a rival wants them."""
    if not rival.accepts_text:
        X_train, X_test = coded(X_train, X_test)
    if not rival.scaling:
        return Prepared(X_train, y_train, X_test)
    X_train, X_test = scaled(X_train, X_test, rival.scaling)
    if task == "classification":
        return Prepared(X_train, y_train, X_test)
    y_mean, y_scale = float(y_train.mean()), float(y_train.std())
    return Prepared(X_train, (y_train - y_mean) / y_scale, X_test, y_mean, y_scale)


def coded(X_train, X_test):
    """Replace text by numeric codes learned from the training rows; an unseen level is -1."""
    text = X_train.select_dtypes(exclude="number").columns
    if not len(text):
        return X_train, X_test
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    encoder.fit(X_train[text])
    parts = (X_train, X_test)
    codes = (dict(zip(text, encoder.transform(X[text]).T, strict=True)) for X in parts)
    return tuple(X.assign(**columns) for X, columns in zip(parts, codes, strict=True))


def scaled(X_train, X_test, scaling: str):
    """Scale every column of numbers by what the training rows say."""
    numbers = X_train.select_dtypes(include="number").columns
    scaler = SCALERS[scaling]().set_output(transform="pandas").fit(X_train[numbers])
    return tuple(X.assign(**scaler.transform(X[numbers])) for X in (X_train, X_test))
