"""A model in words: `summary` on one screen, `explain` for one prediction.

Views of `calmgam.read.views` come in, text of at most 100 columns goes out. Printed contributions
are rounded so that the printed lines add up to the printed score.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from calmgam.model.glassbox import Model
from calmgam.read.views import (
    ImportanceView,
    ModelView,
    PredictionView,
    model_view,
    number_text,
    prediction_view,
)

N_COLUMNS = 100
N_LINES = 40
N_FEATURES = 12
N_EXPLAINED = 20
BLOCKS = " ▏▎▍▌▋▊▉█"


def summary(model: Model, X: Any = None, y: Any = None) -> str:
    """Describe a model on one screen.

    Size, where it stands between its own GAM and the reference, features by importance with what
    they depend on, and the trees.

    Parameters
    ----------
    model : Model
    X : data frame or array, optional
    y : array, optional
        With X: measure the model on these rows too.
    """
    view = model_view(model, X, y)
    lines = [*_size_lines(view), *_error_lines(view), "", *_importance_lines(view)]
    return "\n".join([*lines, *_tree_lines(view, N_LINES - len(lines))])


def explain(model: Model, row: Any) -> str:
    """Write one prediction as a ledger: intercept and contributions, which add up to the score.

    Parameters
    ----------
    model : Model
    row : mapping, sequence or one-row table
        A value for every feature, by name or in the model's order.
    """
    return "\n".join(_ledger_lines(prediction_view(model, row)))


def _size_lines(view: ModelView) -> Iterator[str]:
    task = "regression" if view.link == "identity" else f"probability of {view.classes[1]}"
    n_rows = f"{view.n_rows:,.0f} rows"
    yield f"Conditionally additive local model · {task} · {n_rows}"
    counts = (
        (view.n_features, "feature"),
        (view.n_splits, "split"),
        (view.n_curves, "curve"),
        (view.n_pairs, "interacting pair"),
    )
    yield " · ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts)


def _error_lines(view: ModelView) -> Iterator[str]:
    names = (("own GAM", view.gam), ("CALM", view.calm), ("reference", view.reference))
    errors = [f"{name} {number_text(error, 4)}" for name, error in names if error is not None]
    if errors:
        way = f"  ({view.standing:.0%} of the way)" if view.standing is not None else ""
        yield f"{view.metric} on validation rows: {' → '.join(errors)}{way}"
    if view.performance:
        measures = (f"{name} {number_text(v, 4)}" for name, v in view.performance.items())
        yield f"on the given rows: {', '.join(measures)}"


def _importance_lines(view: ModelView) -> Iterator[str]:
    shown, others = view.features[:N_FEATURES], view.features[N_FEATURES:]
    width = min(max(len(feature.name) for feature in shown), 28)
    largest = max(shown[0].importance, 1e-300)
    yield f"{'feature':{width}}  importance (mean |contribution|)    curves  depends on"
    for feature in shown:
        bar = _bar(feature.importance / largest, 20)
        depends = ", ".join(feature.conditioned_on) or "–"
        number = number_text(feature.importance)
        line = f"{_cut(feature.name, width):{width}}  {bar} {number:>12}  {len(feature.parts):>6}  "
        yield _cut(f"{line}{depends}", N_COLUMNS)
    if others:
        total = number_text(sum(feature.importance for feature in others))
        yield f"and {len(others)} more, together {total}"


def _tree_lines(view: ModelView, n_lines: int) -> Iterator[str]:
    """Write the trees of the most important features, as many as fit whole into `n_lines`."""
    split = [feature for feature in view.features if feature.partition]
    blocks = [["", *_partition_lines(feature)] for feature in split]
    n_shown = 0
    while n_shown < len(blocks):
        n_more = len(blocks) - n_shown - 1
        n_lines -= len(blocks[n_shown])
        if n_lines < (2 if n_more else 0):
            break
        yield from blocks[n_shown]
        n_shown += 1
    if n_shown < len(blocks):
        yield from ("", f"and the trees of {', '.join(f.name for f in split[n_shown:])}")
