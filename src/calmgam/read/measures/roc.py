"""Decisions of a classifier: the ROC curve, and the confusion table at a threshold.

In: a model of classes and rows with their labels. Out: what happens to the rows of both kinds where
a probability above a threshold decides for a class; of many classes for one against all others. The
thresholds lie at least some rows apart, so that the curve does not tell one row from another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.fields import checked_weights
from calmgam.model.glassbox import Model
from calmgam.model.measures import checked_target
from calmgam.model.rounding import roundest
from calmgam.read.measures.outcomes import MIN_ROWS, outcomes
from calmgam.read.measures.performance import area_under_curve
from calmgam.read.view_types import View
from calmgam.read.words.numbers import brief_number, data_number
from calmgam.read.words.table import text_table
from calmgam.read.words.wording import shown_name

MAX_THRESHOLDS = 200
ROUND = 0.5  # the threshold of `predict` is always there


@dataclass(frozen=True, repr=False)
class Confusion(View):
    """Which class rows have, and which is predicted.

    Attributes
    ----------
    classes : tuple
    threshold : float or None
        Of the second class's probability; None where the most probable of many classes is
        predicted.
    table : tuple of tuple of float
        Rows (their weight, if they have one): a line per true class, a column per predicted one.
    n_rows : int
    """

    classes: tuple[Any, ...]
    threshold: float | None
    table: tuple[tuple[float, ...], ...]
    n_rows: int

    @property
    def accuracy(self) -> float:
        """Share of the rows whose class is predicted."""
        return _share(np.trace(self.table), np.sum(self.table))

    @property
    def recalls(self) -> tuple[float, ...]:
        """Of the rows of every class, the share that is found."""
        return tuple(_share(line[k], sum(line)) for k, line in enumerate(self.table))

    @property
    def precisions(self) -> tuple[float, ...]:
        """Of the rows predicted to be of every class, the share that is."""
        columns = zip(*self.table, strict=True)
        return tuple(_share(column[k], sum(column)) for k, column in enumerate(columns))

    def __str__(self) -> str:
        names = [shown_name(str(label)) for label in self.classes]
        rows = [
            [name, *map(brief_number, line), f"{recall:.1%}"]
            for name, line, recall in zip(names, self.table, self.recalls, strict=True)
        ]
        rows.append(["precision", *(f"{share:.1%}" for share in self.precisions), ""])
        how = "" if self.threshold is None else f" if above {data_number(self.threshold)}"
        table = text_table(["true \\ predicted", *names, "recall"], rows)
        head = f"accuracy {self.accuracy:.1%} of {self.n_rows:,} rows"
        return f"{head}; {names[1]}{how}\n{table}" if how else f"{head}\n{table}"

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class Roc(View):
    """The ROC curve: how many rows of both kinds have a probability above a threshold.

    Attributes
    ----------
    label
        The class whose probability decides.
    area : float or None
        AUC, of all rows; None if all or none have the class.
    n_rows : int
    positive, negative : float
        Rows (weight) with and without the class.
    thresholds : tuple of float
        From 0 to 1.
    true_positive, false_positive : tuple of float
        Rows of both kinds above every threshold.
    """

    label: Any
    area: float | None
    n_rows: int
    positive: float
    negative: float
    thresholds: tuple[float, ...]
    true_positive: tuple[float, ...]
    false_positive: tuple[float, ...]

    def __str__(self) -> str:
        name = shown_name(str(self.label))
        area = "" if self.area is None else f"AUC {self.area:.4f}, "
        head = f"{area}{self.n_rows:,} rows, {brief_number(self.positive)} of them {name}"
        chosen = np.unique(np.linspace(0, len(self.thresholds) - 1, 11).round().astype(int))
        rows = [
            [
                f"above {data_number(self.thresholds[k])}",
                f"{_share(self.true_positive[k], self.positive):.1%}",
                f"{_share(self.false_positive[k], self.negative):.1%}",
            ]
            for k in chosen.tolist()
        ]
        return f"{head}\n{text_table(['probability', f'of {name}', 'of others'], rows)}"

    __repr__ = __str__


def roc(
    model: Model,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    offset: Any = None,
    of_class: Any = None,
    min_rows: int = MIN_ROWS,
) -> Roc:
    """Find how well a classifier's probabilities tell a class from the others.

    Parameters
    ----------
    model : Model
        Of two classes or more.
    X : data frame or array
    y : array
        Labels of the classes.
    sample_weight, offset : array, optional
    of_class
        With many classes: the label of the one that is told from all others.
    min_rows : int
        Rows between two thresholds, at least.

    Returns
    -------
    Roc
    """
    _check_classes(model, "roc")
    rows = outcomes(model, X, y, sample_weight, offset, of_class)
    label = model.classes[1] if model.link == "logit" else of_class
    is_positive = rows.observed > 0
    weights, probability = rows.weights, rows.predicted
    positive = float(weights[is_positive].sum())
    negative = float(weights.sum()) - positive
    area = None
    if positive > 0 and negative > 0:
        area = area_under_curve(probability, is_positive, weights)
    thresholds = _thresholds(probability, min_rows)
    return Roc(
        label=label,
        area=area,
        n_rows=rows.n_rows,
        positive=positive,
        negative=negative,
        thresholds=tuple(thresholds.tolist()),
        true_positive=_above(probability[is_positive], weights[is_positive], thresholds),
        false_positive=_above(probability[~is_positive], weights[~is_positive], thresholds),
    )


def confusion(
    model: Model,
    X: Any,
    y: Any,
    threshold: float | None = None,
    *,
    sample_weight: Any = None,
    offset: Any = None,
) -> Confusion:
    """Count which class rows have, and which is predicted.

    Parameters
    ----------
    model : Model
        Of two classes or more.
    X : data frame or array
    y : array
        Labels of the classes.
    threshold : float, optional
        The second of two classes is predicted if its probability is above; default 0.5. Of many
        classes the most probable one is predicted.
    sample_weight, offset : array, optional

    Returns
    -------
    Confusion
    """
    _check_classes(model, "confusion")
    prediction = model.predict(X, offset)
    y = checked_target(y, len(prediction), model.classes)
    weights = checked_weights(sample_weight, len(prediction))
    n_classes = len(model.classes)
    if model.link == "softmax":
        if threshold is not None:
            raise ValueError(f"threshold must be None with {n_classes} classes; got {threshold}")
        predicted = np.argmax(prediction, axis=1)
    else:
        threshold = ROUND if threshold is None else threshold
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold must be a number in [0, 1]; got {threshold}")
        predicted = (prediction > threshold).astype(np.intp)
    codes = np.array([model.classes.index(label) for label in y.tolist()], dtype=np.intp)
    cells = np.bincount(codes * n_classes + predicted, weights, n_classes**2)
    table = tuple(map(tuple, cells.reshape(n_classes, n_classes).tolist()))
    return Confusion(model.classes, threshold, table, len(codes))


def _check_classes(model: Model, name: str) -> None:
    if not model.classes:
        raise ValueError(f"{name} needs a model of classes; got the link {model.link!r}")


def _thresholds(probability: FloatArray, min_rows: int) -> FloatArray:
    """Return 0, 1, the usual threshold, and others with enough rows between them."""
    n = len(probability)
    if n < 2 * min_rows:
        return np.array([0.0, 1.0])
    distinct, counts = np.unique(probability, return_counts=True)
    below = np.cumsum(counts)
    wanted = n * np.arange(1, MAX_THRESHOLDS) / MAX_THRESHOLDS
    ends = np.unique(np.searchsorted(below, wanted))
    ends = ends[ends < len(distinct) - 1]
    cuts = roundest(distinct[ends], distinct[ends + 1])
    middle = int(np.searchsorted(distinct, ROUND, "right"))
    n_middle = int(below[middle - 1]) if middle else 0
    kept, marks = [], [0, n]  # rows below the thresholds that are kept
    candidates = [(ROUND, n_middle), *zip(cuts.tolist(), below[ends].tolist(), strict=True)]
    for cut, n_below in candidates:
        if cut == ROUND or min(abs(n_below - mark) for mark in marks) >= min_rows:
            kept.append(cut)
            marks.append(n_below)
    return np.unique([0.0, *kept, 1.0])


def _above(
    probability: FloatArray, weights: FloatArray, thresholds: FloatArray
) -> tuple[float, ...]:
    """Return the weight of the rows above every threshold."""
    order = np.argsort(probability, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    n_below = np.searchsorted(probability[order], thresholds, "right")
    return tuple((below[-1] - below[n_below]).tolist())


def _share(part: Any, whole: Any) -> float:
    return float(part / whole) if whole > 0 else 0.0
