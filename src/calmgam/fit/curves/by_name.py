"""Learners of curves by name, and the errors of what they learn.

In: a learner and `CurveData`. Out: its curves. Errors of own GAM and CALM that no cross-validation
has told are measured on the validation rows of the first bag.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from calmgam.fit.curves.backfitting import Backfitting
from calmgam.fit.curves.boosting import Boosting
from calmgam.fit.curves.contract import CurveData, CurveLearner, Curves
from calmgam.fit.curves.networks import Networks
from calmgam.fit.curves.splines.fitting import Splines
from calmgam.fit.support.threads import parallel_map
from calmgam.model.tree import PartitionTree

LEARNERS: dict[str, type[Any]] = {
    "boosting": Boosting,
    "splines": Splines,
    "networks": Networks,
    "backfitting": Backfitting,
}


def check_task(learner: CurveLearner, task: str) -> None:
    """Refuse a learner that cannot minimise the loss."""
    if task not in learner.tasks:
        raise ValueError(
            f"curves={type(learner).__name__}() must be used for {' or '.join(learner.tasks)}: it "
            f"minimises squared error; got {task}"
        )


def fit_curves(
    learner: CurveLearner, data: CurveData, known_errors: Mapping[str, float]
) -> tuple[Curves, dict[str, Any]]:
    """Learn the curves; return them, and the errors of own GAM, CALM and reference.

    Parameters
    ----------
    learner : CurveLearner
    data : CurveData
    known_errors : mapping
        What the search for regions has measured; with "gam" in it nothing is measured here.
    """
    errors: dict[str, Any] = {"metric": data.target.loss.metric, **known_errors}
    tasks = [data]
    if "gam" not in errors and any(tree.n_splits for tree in data.trees):  # own GAM, first bag
        whole = [PartitionTree.trivial()] * len(data.trees)
        first = data.bags[:, :1]
        tasks.append(replace(data, cells=data.binned.codes, trees=whole, bags=first, progress=None))
    n_jobs = max(1, data.n_jobs + 1 - len(tasks))  # side by side, with a thread for own GAM
    learn = partial(_learn, learner, n_jobs)
    curves, *others = parallel_map(learn, tasks, data.n_jobs)
    if "gam" not in errors:
        errors["calm"] = data.target.error_of_loss(curves.losses[0])
        errors["gam"] = data.target.error_of_loss([curves, *others][-1].losses[0])
    return curves, errors


def _learn(learner: CurveLearner, n_jobs: int, data: CurveData) -> Curves:
    return learner.learn(replace(data, n_jobs=n_jobs))
