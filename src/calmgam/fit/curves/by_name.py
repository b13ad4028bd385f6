"""Step 3 as a whole: which learner fits the curves, and the model that they make.

In: the binned rows and a `Search`, the trees found. Out: the `Model`. Learners are found by name;
what one takes and gives is written in `fit/curves/contract.py`. Errors of own GAM and CALM that no
cross-validation has told are measured on the validation rows of the first bag.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from calmgam.fit.curves.assembling import assemble
from calmgam.fit.curves.backfitting import BackfittingSettings, backfit
from calmgam.fit.curves.boosting import BoostingSettings, boost
from calmgam.fit.curves.contract import Curves, Progress, Roles
from calmgam.fit.curves.nam import NamSettings, fit_networks
from calmgam.fit.curves.splines.fitting import SplineSettings, fit_splines
from calmgam.fit.data.binning import Binned, content_order
from calmgam.fit.data.target import Target
from calmgam.fit.regions.search import Search
from calmgam.fit.support.threads import parallel_map
from calmgam.model.glassbox import Model
from calmgam.model.schema import FloatArray, Schema
from calmgam.model.tree import PartitionTree

Learn = Callable[..., Curves]


@dataclass(frozen=True)
class Learner:
    """A way to learn curves.

    Attributes
    ----------
    learn : callable
        As written in `fit/curves/contract.py`.
    settings : type
        Of its settings.
    parameters : tuple of str
        Settings that are parameters of the estimators.
    tasks : tuple of str
        What it can be used for.
    """

    learn: Learn
    settings: type
    parameters: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ("regression", "classification")

    def configured(self, estimator: Any, task: str) -> Learn:
        """Return `learn` with the settings that an estimator's parameters ask for."""
        if task not in self.tasks:
            raise ValueError(
                f"curves={estimator.curves!r} must be used for {' or '.join(self.tasks)}: it "
                f"minimises squared error; got {task}"
            )
        parameters = {name: getattr(estimator, name) for name in self.parameters}
        return partial(self.learn, settings=self.settings(**parameters))


LEARNERS = {
    "boosting": Learner(
        boost, BoostingSettings, ("learning_rate", "max_rounds", "patience", "max_leaves")
    ),
    "spline": Learner(fit_splines, SplineSettings),
    "nam": Learner(fit_networks, NamSettings),
    "backfitting": Learner(backfit, BackfittingSettings, tasks=("regression",)),
}


def fit_curves(
    learn: Learn,
    schema: Schema,
    X: FloatArray,
    binned: Binned,
    found: Search,
    target: Target,
    classes: tuple[Any, ...],
    roles: Roles,
    *,
    seed: int,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Model:
    """Fit the curves on trees that were found.

    Parameters
    ----------
    learn : callable
        A learner with its settings.
    schema : Schema
    X : (n_rows, n_features) array
        Encoded training rows.
    binned : Binned
        The same rows.
    found : Search
    target : Target
    classes : tuple
        The two labels of a classifier.
    roles : (n_rows, n_bags) array
        As `draw_bags` gives them.
    seed : int
    n_jobs : int
        Threads; the result does not depend on it.
    progress : callable, optional
        Called with (steps done, steps).
    """
    learn = partial(
        learn,
        binned=binned,
        target=target,
        seed=seed,
        order=content_order(binned),
    )
    cells = binned.cells(found.trees, X)
    errors: dict[str, Any] = {"metric": target.metric, **found.errors}
    fits = [partial(learn, cells, trees=found.trees, roles=roles, progress=progress)]
    if "gam" not in errors and any(tree.n_splits for tree in found.trees):  # own GAM, first bag
        whole = [PartitionTree.trivial()] * len(found.trees)
        fits.append(partial(learn, binned.codes, trees=whole, roles=roles[:, :1]))
    threads = max(1, n_jobs + 1 - len(fits))  # side by side, with a thread for own GAM
    curves, *others = parallel_map(lambda fit: fit(n_jobs=threads), fits, n_jobs)
    if "gam" not in errors:
        errors["calm"] = target.error_of_loss(curves.losses[0])
        errors["gam"] = target.error_of_loss([curves, *others][-1].losses[0])
    return assemble(schema, binned, found.trees, cells, curves, target, classes, errors)
