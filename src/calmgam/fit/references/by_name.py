"""References that are known by name, with the paper's settings where it has some.

In: a name and what the reference will be fitted on. Out: an estimator that is not fitted yet.
Names that end in `_early` stop when the loss on held-out rows no longer falls.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Sequence
from typing import Any

from calmgam.fit.data.losses import Loss
from calmgam.model.schema import FloatArray, Schema

NAMES = (
    "boosted_trees",
    "xgboost",
    "xgboost_early",
    "lightgbm",
    "lightgbm_early",
    "random_forest",
    "mlp",
    "mlp_early",
    "tabpfn",
)
FOREST: dict[str, Any] = {"n_estimators": 500, "max_depth": 25, "min_samples_leaf": 3}
BOOSTING: dict[str, Any] = {"n_estimators": 300, "learning_rate": 0.1}
EARLY_BOOSTING = {**BOOSTING, "n_estimators": 1000, "early_stopping_rounds": 20}
LIBRARIES: dict[str, dict[str, Any]] = {
    "xgboost": {"tree_method": "hist"},
    "lightgbm": {"deterministic": True, "force_col_wise": True, "verbose": -1},
}


def named_reference(
    name: str,
    schema: Schema,
    loss: Loss,
    *,
    edges: Sequence[FloatArray] | None = None,
    random_state: int,
    n_threads: int = 1,
    n_jobs: int = 1,
) -> Any:
    """Make the estimator called `name`.

    Parameters
    ----------
    name : str
    schema : Schema
        Trees of ours and networks see the table in their own way.
    loss : Loss
    edges : sequence of arrays, optional
        Cuts of numbers that are known already; our own trees take them.
    random_state : int
    n_threads : int
        For boosting, which is slower on more threads where tables are small.
    n_jobs : int
        For anything else.
    """
    if name not in NAMES:
        nearest = difflib.get_close_matches(name, NAMES, n=1, cutoff=0.3)
        hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
        raise ValueError(
            f"reference must be one of {listed(NAMES)}, an estimator or a function; "
            f"got {name!r}{hint}"
        )
    task, kind = loss.task, "Regressor" if loss.task == "regression" else "Classifier"
    library, early = name.removesuffix("_early"), name.endswith("_early")
    if library == "boosted_trees":
        from calmgam.fit.references.boosted_trees import BoostedTrees

        return BoostedTrees(schema, loss, edges=edges, random_state=random_state, n_jobs=n_threads)
    if library == "mlp":
        from calmgam.fit.references.network import Network

        return Network(schema, task, early_stopping=early, random_state=random_state, n_jobs=n_jobs)
    if library == "tabpfn":
        from calmgam.fit.references.tabpfn import TabPFN

        return TabPFN(_optional(library), schema, task, random_state)
    if library == "random_forest":
        from sklearn import ensemble

        return getattr(ensemble, f"RandomForest{kind}")(
            **FOREST, random_state=random_state, n_jobs=n_jobs
        )
    settings = EARLY_BOOSTING if early else BOOSTING
    class_name = f"XGB{kind}" if library == "xgboost" else f"LGBM{kind}"
    return getattr(_optional(library), class_name)(
        **settings, **LIBRARIES[library], random_state=random_state, n_jobs=n_threads
    )


def listed(values: Any) -> str:
    """Return values as a list in a sentence."""
    return ", ".join(repr(value) for value in values)


def _optional(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f'reference="{package}" needs the {package} package: pip install calmgam[{package}]'
        ) from error
