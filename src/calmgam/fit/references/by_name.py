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
# Set by hand: more trees than most tables need.
FOREST: dict[str, Any] = {"n_estimators": 500, "max_depth": 25, "min_samples_leaf": 3}
BOOSTING: dict[str, Any] = {"n_estimators": 300, "learning_rate": 0.1}  # set by hand
# Set by hand: as many trees as it takes.
EARLY_BOOSTING = {**BOOSTING, "n_estimators": 1000, "early_stopping_rounds": 20}
LIBRARIES: dict[str, dict[str, Any]] = {
    "xgboost": {"tree_method": "hist"},
    "lightgbm": {"deterministic": True, "force_col_wise": True, "verbose": -1},
}


PARAMETER = "parameter"  # stands for the number of the loss
# How libraries are told to minimise a loss.
OBJECTIVES: dict[str, dict[str, dict[str, Any]]] = {
    "xgboost": {
        "squared_error": {},
        "log_loss": {},
        "absolute_error": {"objective": "reg:absoluteerror"},
        "huber": {"objective": "reg:pseudohubererror", "huber_slope": PARAMETER},
        "quantile": {"objective": "reg:quantileerror", "quantile_alpha": PARAMETER},
        "poisson": {"objective": "count:poisson"},
        "gamma": {"objective": "reg:gamma"},
        "tweedie": {"objective": "reg:tweedie", "tweedie_variance_power": PARAMETER},
    },
    "lightgbm": {
        "squared_error": {},
        "log_loss": {},
        "absolute_error": {"objective": "regression_l1"},
        "huber": {"objective": "huber", "alpha": PARAMETER},
        "quantile": {"objective": "quantile", "alpha": PARAMETER},
        "poisson": {"objective": "poisson"},
        "gamma": {"objective": "gamma"},
        "tweedie": {"objective": "tweedie", "tweedie_variance_power": PARAMETER},
    },
    "random_forest": {"squared_error": {}, "log_loss": {}, "poisson": {"criterion": "poisson"}},
    "mlp": {"squared_error": {}, "log_loss": {}},
    "tabpfn": {"squared_error": {}, "log_loss": {}},
}


def library_options(library: str, loss: Loss) -> dict[str, Any]:
    """Return the settings with which a library minimises a loss; refuse what it cannot."""
    known = OBJECTIVES[library]
    if library in ("mlp", "tabpfn") and loss.n_outputs:
        raise ValueError(
            f"reference={library!r} must be used for a number or two classes; "
            f"got {loss.n_outputs} classes"
        )
    objective = loss.objective(1.0)
    if objective.name not in known:
        others = [name for name in OBJECTIVES if objective.name in OBJECTIVES[name]]
        raise ValueError(
            f"reference={library!r} cannot minimise {loss.name}; "
            f"{listed(['boosted_trees', *others])} can"
        )
    options = known[objective.name]
    return {
        name: objective.parameter if value == PARAMETER else value
        for name, value in options.items()
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
        return _own_trees(schema, loss, edges, random_state, (n_threads, n_jobs))
    options = library_options(library, loss)
    if library == "mlp":
        from calmgam.fit.references.network import Network

        return Network(schema, task, early_stopping=early, random_state=random_state, n_jobs=n_jobs)
    if library == "tabpfn":
        from calmgam.fit.references.tabpfn import TabPFN

        return TabPFN(_optional(library), schema, task, random_state)
    if library == "random_forest":
        from sklearn import ensemble

        return getattr(ensemble, f"RandomForest{kind}")(
            **FOREST, **options, random_state=random_state, n_jobs=n_jobs
        )
    settings = EARLY_BOOSTING if early else BOOSTING
    class_name = f"XGB{kind}" if library == "xgboost" else f"LGBM{kind}"
    return getattr(_optional(library), class_name)(
        **settings, **LIBRARIES[library], **options, random_state=random_state, n_jobs=n_threads
    )


def _own_trees(
    schema: Schema,
    loss: Loss,
    edges: Sequence[FloatArray] | None,
    random_state: int,
    n_threads: tuple[int, int],
) -> Any:
    """Make our own trees; those of many classes are fitted side by side, on the second number."""
    from calmgam.fit.references.boosted_trees import BoostedTrees
    from calmgam.fit.references.class_trees import ClassTrees

    options: dict[str, Any] = {"edges": edges, "random_state": random_state}
    if loss.n_outputs:
        return ClassTrees(schema, loss.n_outputs, n_jobs=n_threads[1], **options)
    return BoostedTrees(schema, loss, n_jobs=n_threads[0], **options)


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
