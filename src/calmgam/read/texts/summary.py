"""A model in words: `summary` on one screen, `explain` for one prediction.

Views of `calmgam.read.views` come in, text of at most 100 columns goes out. Printed contributions
are rounded so that the printed lines add up to the printed score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from calmgam.model.glassbox import Model
from calmgam.model.ledger import Ledger
from calmgam.model.links import probability_of
from calmgam.model.trail import EditRecord
from calmgam.read.outputs import Between
from calmgam.read.texts.advice import advice_lines
from calmgam.read.view_types import JumpView, ModelView, PredictionView, joint_jumps
from calmgam.read.views import model_view, prediction_view
from calmgam.read.words.numbers import brief_number, number_texts, scale_of
from calmgam.read.words.wording import (
    cut,
    cut_apart,
    cut_middle,
    label_texts,
    shown_view,
    title_text,
    wrap,
)

N_COLUMNS = 100
N_LINES = 40
N_FEATURES = 12
N_NAME = 28
N_LABEL = 40
N_RULE_LINES = 4
MIN_TREE_LINES = 8
N_JUMPS = 5
N_EXPLAINED = 20
N_CLASSES = 5
BLOCKS = " ▏▎▍▌▋▊▉█"


def summary(
    model: Model,
    X: Any = None,
    y: Any = None,
    n_features: int | None = N_FEATURES,
    *,
    sample_weight: Any = None,
    offset: Any = None,
) -> str:
    """Describe a model on one screen.

    Size, where it stands between its own GAM and the reference, features by importance with what
    they depend on, hidden jumps, and the trees.

    Parameters
    ----------
    model : Model
    X : data frame or array, optional
    y : array, optional
        With X: measure the model on these rows too.
    n_features : int or None
        How many features to list; None: all of them, with every jump and every tree.
    sample_weight, offset : array, optional
        Of the rows of X.
    """
    if n_features is not None and n_features < 1:
        raise ValueError(f"n_features must be at least 1, or None for all; got {n_features}")
    view = shown_view(model_view(model, X, y, sample_weight, offset))
    stopped = model.ledger.stopped and f"stopped {model.ledger.stopped}: the best found so far"
    history = [line for line in (history_text(model.ledger), stopped, origin_text(model)) if line]
    history += [cut(f"edited {trail_text(record)}", N_COLUMNS) for record in model.trail]
    everything = _summary_lines(view, history, None)
    if n_features is None:
        return "\n".join(everything)
    lines = _summary_lines(view, history, n_features)
    if lines != everything:
        lines.append(f"all {len(everything)} lines: summary(n_features=None)")
    return "\n".join(lines)


def explain(model: Model, row: Any, between: Between = None, offset: float = 0.0) -> str:
    """Write one prediction as a ledger: intercept and contributions, which add up to the score.

    Parameters
    ----------
    model : Model
    row : mapping, sequence or one-row table
        A value for every feature, by name or in the model's order.
    between : (label, label), optional
        The score is the log-odds of one class against another; if there are many, by default of the
        most probable one against the next.
    offset : float
        Added to the score.
    """
    view = prediction_view(model, row, between, offset)
    return "\n".join(_ledger_lines(shown_view(view)))


def size_texts(view: ModelView) -> tuple[str, str]:
    """Say what a model predicts and from how many rows, and how large it is.

    Parameters
    ----------
    view : ModelView
    """
    task = _probability_text(view) if view.link == "logit" else _regression_text(view)
    if view.link == "softmax":
        task = f"probabilities of {len(view.classes)} classes"
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
    named = {"own GAM": view.gam, "CALM": view.calm, "reference": view.reference}
    known = {name: error for name, error in named.items() if error is not None}
    if not known:
        return ""
    errors = map(" ".join, zip(known, number_texts(list(known.values()), 4), strict=True))
    metric = view.metric.replace("_", " ")
    return f"{metric} on validation rows: {' → '.join(errors)}{_standing_text(view.standing)}"


def _standing_text(standing: float | None) -> str:
    if standing is None:
        return ""
    if standing > 1:
        return "  (better than the reference)"
    return f"  ({standing:.0%} of the way)" if standing >= 0 else "  (worse than the own GAM)"


def _score_text(view: PredictionView) -> str:
    if not view.probabilities:
        return "score"
    second, first = (cut_middle(str(label), N_LABEL // 3) for label in view.classes)
    return f"log-odds of {first} against {second}"


def _regression_text(view: ModelView) -> str:
    link = ", log link" if view.link == "log" else ""
    return "regression" if view.objective == "squared error" else f"{view.objective}{link}"


def _probability_text(view: ModelView | PredictionView) -> str:
    return f"probability of {cut_middle(str(view.classes[1]), N_NAME)}"


def history_text(ledger: Ledger) -> str:
    """Say how many splits were considered and kept; nothing if none was looked for.

    Parameters
    ----------
    ledger : Ledger
    """
    if not ledger.splits:
        return ""
    kept, considered = len(ledger.accepted), len(ledger.splits)
    way = "joint growth" if ledger.is_joint else f"heterogeneity ({ledger.effect})"
    chosen = ", by cross-validation" if ledger.is_cross_validated else ""
    return f"splits by {way}: {kept} kept of {considered} considered{chosen}"


def origin_text(model: Model) -> str:
    """Say where a model came from; nothing if it does not know.

    Parameters
    ----------
    model : Model
    """
    origin = model.provenance
    if origin is None:
        return ""
    weighted = "weighted " if origin.weighted else ""
    return (
        f"fitted by calmgam {origin.library_version} on {origin.date[:10]} to {origin.n_rows:,} "
        f"{weighted}rows (SHA-256 {origin.table_sha256[:12]}…), {origin.randomness}"
    )


def trail_text(record: EditRecord) -> str:
    """Say in one line what an edit was, by whom and why, and what it did.

    Parameters
    ----------
    record : EditRecord
    """
    who = f" by {record.who}" if record.who else ""
    why = f": {record.why}" if record.why else ""
    effect = record.effect
    bound = "" if effect.exact else "at most "
    change = f"score changed by up to {bound}{brief_number(effect.largest_change)}"
    if effect.loss_before is not None and effect.loss_after is not None:
        losses = number_texts([effect.loss_before, effect.loss_after], 4)
        change += f"; {effect.metric} {losses[0]} → {losses[1]} on {effect.n_rows:,} rows"
    return f"{record.date[:10]} {edit_text(record.edit)}{who}{why} ({change})"


def edit_text(edit: Mapping[str, Any]) -> str:
    """Write an edit as the call that makes it.

    Parameters
    ----------
    edit : mapping
        As in `EditRecord`.
    """
    settings = [
        f"{name}={value!r}" if not isinstance(value, list | Mapping) else f"{name}: {len(value)}"
        for name, value in edit.items()
        if name not in ("edit", "feature")
    ]
    feature = [str(edit["feature"])] if edit.get("feature") else []
    return f"{edit['edit']}({', '.join([*feature, *settings])})"


def _summary_lines(view: ModelView, history: list[str], n_features: int | None) -> list[str]:
    """Write the summary; all of it if the number of features is None, else about one screen."""
    lines = [
        *_head_lines(view),
        *history,
        "",
        *_importance_lines(view, n_features),
        *_jump_lines(view, None if n_features is None else N_JUMPS),
    ]
    n_lines = max(N_LINES - 1 - len(lines), MIN_TREE_LINES)
    return [*lines, *_tree_lines(view, None if n_features is None else n_lines)]


def _head_lines(view: ModelView) -> Iterator[str]:
    task, size = size_texts(view)
    yield f"Conditionally additive local model · {task}"
    yield size
    if errors := error_text(view):
        yield errors
        yield from advice_lines(view)
    if view.performance:
        measures = (f"{name} {brief_number(v, 4)}" for name, v in view.performance.items())
        yield f"on the given rows: {', '.join(measures)}"


def _importance_lines(view: ModelView, n_features: int | None) -> Iterator[str]:
    shown = view.features if n_features is None else view.moving[:n_features]
    others = view.features[len(shown) :]
    brief = _brief_names(view)
    width = max(7, *(len(brief[feature.name]) for feature in shown))
    largest = shown[0].importance
    scale = scale_of([largest], 4)
    yield f"{'feature':{width}}  {'importance':31} curves  depends on"
    for feature in shown:
        bar = _bar(feature.importance / largest if largest else 0.0)
        number = scale.text(feature.importance)
        line = f"{brief[feature.name]:{width}}  {bar} {number:>10} {len(feature.parts):>6}  "
        conditions = ", ".join(brief[other] for other in feature.conditioned_on)
        yield cut(line + conditions, N_COLUMNS).rstrip()
    if others:
        total = sum(feature.importance for feature in others)
        together = f"together {scale.text(total)}" if total else "without effect"
        yield f"and {len(others)} more, {together}"


def _jump_lines(view: ModelView, n_jumps: int | None) -> list[str]:
    """Write the largest hidden jumps: where a feature switches the curves of others."""
    found = [(f.name, jump) for f in view.features for jump in joint_jumps(f.jumps)]
    found.sort(key=lambda named: -max(-named[1].low, named[1].high))
    brief = _brief_names(view)
    lines = [
        cut(f"    {brief[name]} {_brief_jump(jump, brief)}", N_COLUMNS) for name, jump in found
    ]
    if n_jumps is not None and len(lines) > n_jumps:
        lines[n_jumps - 1 :] = [f"    and {len(lines) - n_jumps + 1} more"]
    if view.link == "softmax" and view.n_splits:
        return ["", "hidden jumps are those of two classes: jumps(feature, between=(…, …))"]
    return (
        ["", "hidden jumps, where a feature switches the curves of others", *lines] if lines else []
    )


def _brief_names(view: ModelView) -> dict[str, str]:
    """Return the features' names as they fit into a column, different from each other."""
    names = [feature.name for feature in view.features]
    return dict(zip(names, cut_apart(names, N_NAME), strict=True))


def _brief_jump(jump: JumpView, names: Mapping[str, str]) -> JumpView:
    terms = tuple(names[name] for name in jump.terms)
    return replace(jump, place=cut(jump.place, N_NAME), terms=terms)


def _tree_lines(view: ModelView, n_lines: int | None) -> list[str]:
    """Write the trees of the most important features, in at most `n_lines`."""
    lines = []
    for feature in view.features:
        if feature.partition:
            lines += ["", title_text(feature.name, feature.conditioned_on, N_COLUMNS)]
        for branch in feature.partition:
            share = "" if branch.leaf is None else f"  {feature.parts[branch.leaf].share:.0%}"
            indent = "    " * (branch.depth + 1)
            rule = indent + cut_middle(branch.rule, N_COLUMNS - 6 - len(indent))
            lines.append(rule + share)
    if n_lines is not None and len(lines) > n_lines:
        lines[n_lines - 1 :] = [f"… and {len(lines) - n_lines + 1} more lines of trees"]
    return lines


def _ledger_lines(view: PredictionView) -> Iterator[str]:
    lines = view.largest(N_EXPLAINED)
    contributions = [line.contribution for line in lines]
    parts = [view.intercept, *contributions, *([view.offset] if view.offset else [])]
    scale = scale_of([*parts, view.score], 4, contributions)
    numbers = scale.sum_texts(parts)
    largest = max(map(abs, contributions)) or 1.0

    average = ("  ", _probability_of_average(view)) if view.probability is not None else ("", "")
    table = [("intercept", numbers[0], *average)]
    labels = label_texts([(line.name, line.label) for line in lines], N_LABEL)
    for line, label, number in zip(lines, labels, numbers[1:], strict=False):
        bar = _bar(abs(line.contribution / largest), 10)
        table.append((label, number, f"  {bar}  ", line.rule))
    if view.offset:
        table.append(("offset", numbers[-1], "", ""))
    table.append((_score_text(view), scale.text(view.score, signed=True), "", ""))
    for label, probability in view.probabilities[:N_CLASSES]:
        name = f"probability of {cut_middle(str(label), N_NAME)}"
        table.append((name, f"{probability:.1%}", "", ""))
    if view.probability is not None and not view.probabilities:
        table.append((_probability_text(view), f"{view.probability:.1%}", "", ""))
    if view.mean is not None:
        table.append(("prediction, e to the score", brief_number(view.mean, 4), "", ""))

    width, digits = (max(len(row[k]) for row in table) for k in (0, 1))
    for label, number, bar, rule in table:
        start = f"{label:{width}}  {number:>{digits}}{bar}"
        rules = wrap(rule, N_COLUMNS - len(start), N_RULE_LINES).split("\n")
        yield (start + f"\n{' ' * len(start)}".join(rules)).rstrip()


def _probability_of_average(view: PredictionView) -> str:
    """Say the intercept on the scale of probabilities; of a pair of many classes there is none."""
    if view.probabilities:
        return ""
    return f"a probability of {float(probability_of(view.intercept)):.1%}"


def _bar(share: float, width: int = 20) -> str:
    """Bar of block characters, an eighth of a column exact."""
    eighths = round(8 * width * share)
    return ("█" * (eighths // 8) + BLOCKS[eighths % 8].strip()).ljust(width)
