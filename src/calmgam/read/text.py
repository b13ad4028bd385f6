"""A model in words: `summary` on one screen, `explain` for one prediction.

Views of `calmgam.read.views` come in, text of at most 100 columns goes out. Printed contributions
are rounded so that the printed lines add up to the printed score.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from calmgam.model.glassbox import Model
from calmgam.read.view_types import ModelView, PredictionView, joint_jumps
from calmgam.read.views import model_view, prediction_view
from calmgam.read.wording import brief_number, cut

N_COLUMNS = 100
N_LINES = 40
N_FEATURES = 12
N_JUMPS = 5
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
    lines = [
        *_head_lines(view),
        "",
        *_importance_lines(view),
        *_jump_lines(view),
    ]
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


def size_texts(view: ModelView) -> tuple[str, str]:
    """Say what a model predicts and from how many rows, and how large it is.

    Parameters
    ----------
    view : ModelView
    """
    task = "regression" if view.link == "identity" else f"probability of {view.classes[1]}"
    counts = (
        (view.n_features, "feature"),
        (view.n_splits, "split"),
        (view.n_curves, "curve"),
        (view.n_pairs, "interacting pair"),
    )
    size = " · ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts)
    return f"{task} · {view.n_rows:,.0f} rows", size


def error_text(view: ModelView) -> str:
    """Say where a model stands between its own GAM and the reference; nothing if unknown.

    Parameters
    ----------
    view : ModelView
    """
    names = (("own GAM", view.gam), ("CALM", view.calm), ("reference", view.reference))
    errors = [f"{name} {brief_number(error, 4)}" for name, error in names if error is not None]
    if not errors:
        return ""
    way = f"  ({view.standing:.0%} of the way)" if view.standing is not None else ""
    return f"{view.metric.replace('_', ' ')} on validation rows: {' → '.join(errors)}{way}"


def _head_lines(view: ModelView) -> Iterator[str]:
    task, size = size_texts(view)
    yield f"Conditionally additive local model · {task}"
    yield size
    if errors := error_text(view):
        yield errors
    if view.performance:
        measures = (f"{name} {brief_number(v, 4)}" for name, v in view.performance.items())
        yield f"on the given rows: {', '.join(measures)}"


def _importance_lines(view: ModelView) -> Iterator[str]:
    shown, others = view.features[:N_FEATURES], view.features[N_FEATURES:]
    width = max(7, *(min(len(feature.name), 28) for feature in shown))
    largest = shown[0].importance
    n_decimals = _n_decimals(largest, 4)
    yield f"{'feature':{width}}  {'importance':31} curves  depends on"
    for feature in shown:
        bar = _bar(feature.importance / largest if largest else 0.0)
        number = f"{feature.importance:.{n_decimals}f}"
        line = f"{cut(feature.name, width):{width}}  {bar} {number:>10} {len(feature.parts):>6}  "
        yield cut(line + ", ".join(feature.conditioned_on), N_COLUMNS).rstrip()
    if others:
        total = sum(feature.importance for feature in others)
        yield f"and {len(others)} more, together {total:.{n_decimals}f}"


def _jump_lines(view: ModelView) -> list[str]:
    """Write the largest hidden jumps: where a feature switches the curves of others."""
    found = [(f.name, jump) for f in view.features for jump in joint_jumps(f.jumps)]
    found.sort(key=lambda named: -max(-named[1].low, named[1].high))
    lines = [cut(f"    {name} {jump}", N_COLUMNS) for name, jump in found]
    if len(lines) > N_JUMPS:
        lines[N_JUMPS - 1 :] = [f"    and {len(lines) - N_JUMPS + 1} more"]
    return (
        ["", "hidden jumps, where a feature switches the curves of others", *lines] if lines else []
    )


def _tree_lines(view: ModelView, n_lines: int) -> list[str]:
    """Write the trees of the most important features, in at most `n_lines`."""
    lines = []
    for feature in view.features:
        if feature.partition:
            lines += ["", cut(feature.title, N_COLUMNS)]
        for branch in feature.partition:
            share = "" if branch.leaf is None else f"  {feature.parts[branch.leaf].share:.0%}"
            rule = cut("    " * (branch.depth + 1) + branch.rule, N_COLUMNS - 6)
            lines.append(rule + share)
    if len(lines) > n_lines:
        lines[n_lines - 1 :] = [f"… and {len(lines) - n_lines + 1} more lines of trees"]
    return lines


def _ledger_lines(view: PredictionView) -> Iterator[str]:
    lines = view.largest(N_EXPLAINED)
    parts = [view.intercept, *(line.contribution for line in lines)]
    n_decimals = _n_decimals(max(map(abs, [*parts, view.score])), 4)
    rounded = [f"{number:+.{n_decimals}f}" for number in round_to_sum(parts, n_decimals)]
    largest = max(map(abs, parts[1:])) or 1.0

    table = [("intercept", rounded[0], "", "")]
    for line, number in zip(lines, rounded[1:], strict=True):
        bar = _bar(abs(line.contribution) / largest, 10)
        table.append((cut(line.label, 40), number, f"  {bar}  ", line.rule))
    table.append(("score", f"{view.score:+.{n_decimals}f}", "", ""))
    if view.probability is not None:
        table.append((f"probability of {view.classes[1]}", f"{view.probability:.1%}", "", ""))

    width, digits = (max(len(row[k]) for row in table) for k in (0, 1))
    for label, number, bar, rule in table:
        start = f"{label:{width}}  {number:>{digits}}{bar}"
        indent = " " * len(start)
        yield textwrap.fill(
            start + rule, N_COLUMNS, subsequent_indent=indent, break_on_hyphens=False
        )


def round_to_sum(values: Sequence[float], n_decimals: int) -> list[float]:
    """Round numbers so that they add up to their rounded sum.

    Every number is rounded down, then those with the largest remainders go up by one unit.

    Parameters
    ----------
    values : sequence of float
    n_decimals : int
    """
    scaled = [value * 10**n_decimals for value in values]
    floors = [math.floor(number) for number in scaled]
    n_up = round(math.fsum(scaled)) - sum(floors)
    by_remainder = sorted(range(len(scaled)), key=lambda k: floors[k] - scaled[k])
    for k in by_remainder[:n_up]:
        floors[k] += 1
    return [number / 10**n_decimals for number in floors]


def _n_decimals(largest: float, n_digits: int) -> int:
    """Decimals that show a number of this size with `n_digits` digits."""
    return max(0, n_digits - 1 - math.floor(math.log10(largest))) if largest > 0 else 0


def _bar(share: float, width: int = 20) -> str:
    """Bar of block characters, an eighth of a column exact."""
    eighths = round(8 * width * share)
    return ("█" * (eighths // 8) + BLOCKS[eighths % 8].strip()).ljust(width)
