"""One adapter file per model, each with a value called RIVAL that says how to run it.

Nothing heavy is imported at the top of an adapter, so that the runner can read it anywhere; a new
rival is a new file here, a new configuration of calmgam a line in calm.py.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

XGBOOST = (  # xgboost-cpu is the same package without the CUDA payload
    "xgboost-cpu==3.2.0; platform_system == 'Linux' and platform_machine == 'x86_64'",
    "xgboost==3.2.0; platform_system != 'Linux' or platform_machine != 'x86_64'",
)
SKLEARN = "scikit-learn==1.9.1"
TORCH = "torch==2.13.0"
# Tasks whose target is a number, and the loss that fits each.
LOSSES = {
    "regression": "squared_error",
    "count": "poisson",
    "rate": "poisson",
    "nonnegative": "tweedie",
    "positive": "gamma",
}
TWEEDIE_POWER = 1.5


def mean_response(model, X):
    """Return values of a regressor; of a classifier probabilities of class 1, or of all of many."""
    if not hasattr(model, "predict_proba"):
        return model.predict(X)
    probabilities = model.predict_proba(X)
    return probabilities[:, 1] if probabilities.shape[1] == 2 else probabilities


def as_categories(X):
    """Return a data frame whose text columns are pandas categories."""
    text = X.select_dtypes(exclude=["number", "bool"]).columns
    return X.astype(dict.fromkeys(text, "category"))


@dataclass(frozen=True)
class Rival:
    """How one model is installed, fitted and asked.

    Attributes
    ----------
    requirements
        What pip installs into the model's environment. "." is calmgam's source tree; empty means
        the environment that runs the benchmark.
    fit
        ``fit(X, y, task, n_jobs, seed) -> model``; with `sample_weight`, if it takes weights.
    predict
        ``predict(model, X)`` -> values, or probabilities of class 1 (of every class, if many).
    n_interactions
        ``n_interactions(model)`` -> a count, or None where the word has no meaning.
    imports
        Modules loaded before the clock starts.
    accepts_text
        Whether text columns are given as they are; otherwise as numeric codes.
    scaling
        "z-score" or "min-max" for inputs, with z-scored targets; empty: as they are.
    bare
        Packages that pip installs without their own, often far larger, requirements.
    """

    requirements: tuple[str, ...]
    fit: Callable[..., Any]
    predict: Callable[..., Any] = mean_response
    n_interactions: Callable[[Any], int | None] = lambda model: None
    imports: tuple[str, ...] = ()
    accepts_text: bool = False
    scaling: str = ""
    bare: tuple[str, ...] = ()


def find(name: str) -> Rival:
    """Return calmgam as configured, the rival of that file, or of any module by its dotted path."""
    from benchmarks.rivals.calm import CONFIGURATIONS

    if name in CONFIGURATIONS:
        return CONFIGURATIONS[name]
    return importlib.import_module(name if "." in name else f"{__name__}.{name}").RIVAL
