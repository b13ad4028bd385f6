"""Learners of curves by name, and the errors of what they learn.

In: a learner and `CurveData`. Out: its curves. Errors of own GAM and CALM that no cross-validation
has told are measured on the validation rows of the first bag.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from calmgam.fit.curves.backfitting import Backfitting
from calmgam.fit.curves.boosting import Boosting
from calmgam.fit.curves.contract import CurveData, CurveLearner, Curves
from calmgam.fit.curves.networks import Networks
from calmgam.fit.curves.splines.fitting import Splines
from calmgam.fit.data.losses import Loss
from calmgam.fit.data.runs import Run
from calmgam.fit.support.progress import quiet
from calmgam.fit.support.threads import parallel_map
from calmgam.model.tree import PartitionTree

LEARNERS: dict[str, type[Any]] = {
    "boosting": Boosting,
    "splines": Splines,
    "networks": Networks,
    "backfitting": Backfitting,
}


def check_loss(learner: CurveLearner, loss: Loss) -> None:
    """Refuse a learner that cannot minimise the loss."""
    if loss.n_outputs and not isinstance(learner, Boosting):
        raise ValueError(  # its beginning is what scikit-learn asks for
            "Only binary classification is supported. The type of the target is multiclass: "
            f"curves={type(learner).__name__}() must be used for a number or two classes, "
            f"curves=Boosting() for more; got {loss.n_outputs} classes"
        )
    if why := learner.cannot(loss):
        raise ValueError(f"curves={type(learner).__name__}() cannot minimise {loss.name}: {why}")


def check_runs(learner: CurveLearner, runs: Iterable[Run], loss: Loss) -> None:
    """Refuse constraints that a learner cannot keep."""
    for run in set(runs) - {Run.free}:
        if loss.link == "softmax":
            raise ValueError(
                "monotone must be left out for three and more classes, which have a score each; "
                "got some. Fit two of them, or one against the others"
            )
        if run not in learner.runs:
            able = [word for word, part in LEARNERS.items() if run in part.runs]
            raise ValueError(
                f"curves must be {' or '.join(map(repr, able))} for {run.value!r} in monotone; "
                f"got {type(learner).__name__}()"
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
        beside = replace(
            data,
            cells=data.binned.codes,
            trees=whole,
            bags=first,
            progress=quiet(data.progress),
        )
        tasks.append(beside)
    n_jobs = max(1, data.n_jobs + 1 - len(tasks))  # side by side, with a thread for own GAM
    learn = partial(_learn, learner, n_jobs)
    curves, *others = parallel_map(learn, tasks, data.n_jobs)
    if "gam" not in errors:
        errors["calm"] = data.target.error_of_loss(curves.losses[0])
        errors["gam"] = data.target.error_of_loss([curves, *others][-1].losses[0])
    return with_last_constant(curves, data), errors


def with_last_constant(curves: Curves, data: CurveData) -> Curves:
    """Add the constant to all scores that a loss may ask for when its curves are done."""
    target, which = data.target, data.target.loss.last_constant
    if not which:
        return curves
    if which == "all":
        rows, scores = np.arange(target.n_rows), curves.scores(data.cells)
    else:
        rows, scores = curves.held_out_scores(data)
    known = target.values[rows], target.weights[rows], target.scores(scores, rows)
    return curves.shifted(target.loss.correction(*known))


def _learn(learner: CurveLearner, n_jobs: int, data: CurveData) -> Curves:
    return learner.learn(replace(data, n_jobs=n_jobs))
