"""The model: score(x) = intercept + sum over features of one curve, chosen by a region.

    score(x) = b0 + sum_i f_i^(leaf_i(x))(x_i)       prediction = inverse link of the score

A `Term` is one feature with its tree and one curve per leaf; a `Model` is a term per feature, an
intercept and a link. Both are values: they compare, save and score, and nothing changes them.
With three classes or more there is a score per class (softmax): curves have an axis of classes, the
regions are shared by all, and the log-odds of one class against another are a model of their own.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from calmgam.model.changing import Changing
from calmgam.model.columns import FloatArray
from calmgam.model.fields import added_to_scores, checked_errors, plain_intercept, plain_scalar
from calmgam.model.intervals import Intervals, middles
from calmgam.model.ledger import Ledger, PathSplit, check_path
from calmgam.model.links import LINKS, response
from calmgam.model.objectives import NATURAL, Objective
from calmgam.model.plain import Document, Plain
from calmgam.model.provenance import Provenance
from calmgam.model.schema import Feature, Schema
from calmgam.model.shapes import ShapeFunction, slot_codes, weighted_mean
from calmgam.model.trail import EditRecord
from calmgam.model.tree import PartitionTree

N_CHUNK_ROWS = 2**15  # scored at once: a matter of memory


@dataclass(frozen=True)
class Term:
    """A feature's part of the model: a tree over other features and one curve per leaf."""

    feature: Feature
    tree: PartitionTree
    shapes: tuple[ShapeFunction, ...]

    def __post_init__(self) -> None:
        name = self.feature.name
        if len(self.shapes) != self.tree.n_leaves:
            raise ValueError(
                f"term {name!r} must have one curve for each of its {self.tree.n_leaves} leaves; "
                f"got {len(self.shapes)}"
            )
        if any(shape.feature != self.feature for shape in self.shapes):
            raise ValueError(f"curves of term {name!r} must be curves of its feature")
        if any(not np.array_equal(shape.edges, self.edges) for shape in self.shapes):
            raise ValueError(f"curves of term {name!r} must share the same edges")
        if len({shape.n_outputs for shape in self.shapes}) > 1:
            raise ValueError(f"curves of term {name!r} must have values for the same classes")
        if self.feature.index in self.tree.condition_features:
            raise ValueError(f"the tree of term {name!r} must not ask about {name!r} itself")

    @property
    def edges(self) -> FloatArray:
        """The edges that all curves share."""
        return self.shapes[0].edges

    @property
    def n_slots(self) -> int:
        """The number of slots of every curve."""
        return self.shapes[0].n_slots

    @property
    def n_outputs(self) -> int:
        """How many values a slot has: one, or one per class."""
        return self.shapes[0].n_outputs

    @cached_property
    def _values(self) -> FloatArray:
        # [leaf 0: slots | leaf 1: slots | ...]
        return np.concatenate([shape.values for shape in self.shapes])

    def contribution(self, X: FloatArray) -> FloatArray:
        """Contribution of every row of the encoded matrix, to every class if there are many."""
        cells = slot_codes(self.feature, self.edges, X[:, self.feature.index]).astype(np.intp)
        if self.tree.n_splits:
            cells += self.tree.leaf_of(X) * self.n_slots
        return np.take(self._values, cells, axis=0)

    @property
    def importance(self) -> float:
        """Mean absolute contribution over the training rows, and over classes if there are many."""
        counts = np.concatenate([shape.counts for shape in self.shapes])
        return weighted_mean(np.abs(self._values), counts)

    @property
    def conditioned_on(self) -> tuple[int, ...]:
        """Indexes of the features that the tree asks about."""
        return self.tree.condition_features

    def __str__(self) -> str:
        n_leaves = self.tree.n_leaves
        return f"Term({self.feature.name}, {n_leaves} curve{'s' if n_leaves > 1 else ''})"

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        shapes = [shape.to_dict() for shape in self.shapes]
        return {"feature": self.feature.name, "tree": self.tree.to_dict(), "shapes": shapes}

    @classmethod
    def from_dict(cls, plain: Document, schema: Schema) -> Term:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields("feature", "tree", "shapes")
        feature = plain["feature"].find(schema.by_name, "the name of a feature")
        tree = PartitionTree.from_dict(plain["tree"], schema)
        shapes = (ShapeFunction.from_dict(d, feature) for d in plain["shapes"].items())
        return plain.make(cls, feature, tree, tuple(shapes))


@dataclass(frozen=True)
class Model(Changing):
    """A conditionally additive local model.

    Attributes
    ----------
    schema : Schema
    intercept : float or tuple of float
        One per class of a "softmax" model.
    terms : tuple of Term
        One per feature, in the schema's order.
    link : {"identity", "logit", "log", "softmax"}
        A score is the prediction itself, the log-odds of the second class, or the logarithm of the
        mean; or there is one per class, and probabilities are exp(score) / sum of exp(scores).
    classes : tuple
        The two class labels of a "logit" model, three or more of a "softmax" model.
    errors : mapping
        On validation rows: {"metric": "rmse", "gam": 1.2, "calm": 1.0}; None if not known.
    ledger : Ledger
        Which splits were considered, kept and refused.
    path : tuple of PathSplit
        All splits of joint growth in order of merit, of which the model has the first ones.
    provenance : Provenance, optional
        Which table, settings and calmgam the model came from; no part of ``==``.
    objective : Objective
        What the fit has minimised; by default the loss that goes with the link.
    intervals : Intervals, optional
        How far new rows may lie from their predictions; of numbers alone.
    trail : tuple of EditRecord
        The edits that the model has been through; no part of ``==``.
    """

    schema: Schema
    intercept: Any
    terms: tuple[Term, ...]
    link: str = "identity"
    classes: tuple[Any, ...] = ()
    errors: Mapping[str, Any] = field(default_factory=dict, hash=False)
    ledger: Ledger = field(default_factory=Ledger, hash=False)
    path: tuple[PathSplit, ...] = field(default=(), hash=False)
    provenance: Provenance | None = field(default=None, compare=False)
    objective: Objective = field(default=None)  # type: ignore[assignment]
    intervals: Intervals | None = None
    trail: tuple[EditRecord, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if self.objective is None:
            object.__setattr__(self, "objective", Objective(NATURAL.get(self.link, "custom")))
        object.__setattr__(self, "classes", tuple(map(plain_scalar, self.classes)))
        object.__setattr__(self, "errors", checked_errors(self.errors))
        if tuple(term.feature for term in self.terms) != self.schema.features:
            raise ValueError("a model must have one term per feature, in the schema's order")
        if self.link not in LINKS:
            raise ValueError(f"link must be one of {LINKS}; got {self.link!r}")
        self._check_classes()
        self._check_conditions()
        self._check_sums()
        check_path(self.path, self.schema)

    def _check_classes(self) -> None:
        """Refuse classes, intercepts and curves that do not belong together."""
        n, allowed = len(self.classes), {"logit": (2, 2), "softmax": (3, math.inf)}
        low, high = allowed.get(self.link, (0, 0))
        if not low <= n <= high:
            raise ValueError(
                "a logit model has two classes, a softmax model three or more, others none; "
                f"got {self.classes}"
            )
        if None in self.classes or len(set(self.classes)) < n:
            raise ValueError(f"classes must be different labels; got {self.classes}")
        if self.link == "softmax":
            object.__setattr__(self, "intercept", tuple(map(float, self.intercept)))
            if len(self.intercept) != n or any(t.n_outputs != n for t in self.terms):
                raise ValueError(
                    f"intercept and curves must have a value for each of the {n} classes"
                )
        else:
            object.__setattr__(self, "intercept", float(self.intercept))
            if any(term.n_outputs != 1 for term in self.terms):
                raise ValueError("only curves of a softmax model have values for classes")
        if not np.all(np.isfinite(self.intercept)):
            raise ValueError(f"intercept must be finite; got {self.intercept}")

    def _check_conditions(self) -> None:
        """Refuse conditions on features of another table."""
        trees = (node.condition for term in self.terms for node in term.tree.nodes)
        records = (*self.ledger.splits, *(step.record for step in self.path))
        history = (c for r in records for c in (*r.region.conditions, r.condition))
        features = self.schema.features
        for condition in filter(None, chain(trees, history)):
            index = condition.feature.index
            if index >= len(features) or condition.feature != features[index]:
                raise ValueError(f"condition {condition} must ask about a feature of the model")

    def _check_sums(self) -> None:
        """Refuse curves so high that a score could be infinite."""
        highest = [max(float(np.abs(s.values).max()) for s in term.shapes) for term in self.terms]
        if not math.isfinite(sum(highest, start=float(np.abs(self.intercept).max()))):
            raise ValueError("the intercept and the curves must add up to finite scores")

    def score(self, X: Any, offset: Any = None) -> FloatArray:
        """Score of every row: intercept, contributions and offset added up, on the link scale.

        With many classes there is one score per class, (n_rows, n_classes).
        """
        score = self.score_encoded(self.schema.encode(X))
        return score if offset is None else score + added_to_scores(offset, len(score), self.link)

    def contributions(self, X: Any) -> FloatArray:
        """Contribution of every feature to every row's score, (n_rows, n_features[, n_classes])."""
        return self.contributions_encoded(self.schema.encode(X))

    def predict(self, X: Any, offset: Any = None) -> FloatArray:
        """Return predictions: means, the second class's probabilities, or those of every class."""
        return response(self.link, self.score(X, offset))

    def classify(self, score: FloatArray) -> Any:
        """Class of every score: the second where it is above 0; of many the one with the highest.

        Of equal scores the first class's counts.
        """
        if self.link == "softmax":
            return np.array(self.classes)[np.argmax(score, axis=1)]
        return np.array(self.classes)[(score > 0).astype(np.intp)]

    def score_encoded(self, X: FloatArray) -> FloatArray:
        """`score` of an encoded matrix."""
        scores = np.full((len(X), *np.shape(self.intercept)), self.intercept)

        def add_terms(rows: slice) -> None:
            for term in self.terms:  # always in this order: the same bits for any thread count
                scores[rows] += term.contribution(X[rows])

        _for_chunks(add_terms, len(X))
        return scores

    def contributions_encoded(self, X: FloatArray) -> FloatArray:
        """`contributions` of an encoded matrix."""
        shape = len(X), len(self.terms), *np.shape(self.intercept)
        contributions = np.empty(shape, order="F")

        def write_terms(rows: slice) -> None:
            for term in self.terms:
                contributions[rows, term.feature.index] = term.contribution(X[rows])

        _for_chunks(write_terms, len(X))
        return contributions

    def between(self, first: Any, second: Any) -> Model:
        """Return the log-odds of one class against another as a model of two: `outputs.py`."""
        from calmgam.model.outputs import between  # it knows models, so it cannot come first

        return between(self, first, second)

    def of_class(self, label: Any) -> Model:
        """Return the score of one class of many as a model of a number: `outputs.py`."""
        from calmgam.model.outputs import of_class

        return of_class(self, label)

    @property
    def n_splits(self) -> int:
        """Number of splits of all trees."""
        return sum(term.tree.n_splits for term in self.terms)

    @property
    def n_curves(self) -> int:
        """Number of curves: features and splits."""
        return sum(len(term.shapes) for term in self.terms)

    @property
    def n_interactions(self) -> int:
        """Number of (feature, conditioning feature) pairs."""
        return sum(len(term.conditioned_on) for term in self.terms)

    @property
    def n_pairs(self) -> int:
        """Number of unordered pairs of features that interact."""
        return len({frozenset((t.feature.index, j)) for t in self.terms for j in t.conditioned_on})

    @property
    def importances(self) -> FloatArray:
        """Mean absolute contribution of every feature over the training rows."""
        return np.array([term.importance for term in self.terms])

    def __str__(self) -> str:
        return (
            f"Model({self.schema.n_features} features, {self.n_splits} splits, "
            f"{self.n_curves} curves, {self.link})"
        )

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "link": self.link,
            "classes": list(self.classes),
            "objective": self.objective.to_dict(),
            "errors": dict(self.errors),
            "schema": self.schema.to_dict(),
            "intercept": self.intercept if self.link != "softmax" else list(self.intercept),
            "terms": [term.to_dict() for term in self.terms],
            "ledger": self.ledger.to_dict(),
            "path": [step.to_dict() for step in self.path],
            "provenance": None if self.provenance is None else self.provenance.to_dict(),
            "intervals": None if self.intervals is None else self.intervals.to_dict(),
            "trail": [record.to_dict() for record in self.trail],
        }

    @classmethod
    def from_dict(cls, plain: Document) -> Model:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields(*(field.name for field in fields(cls)))
        schema = Schema.from_dict(plain["schema"])
        known = {name: plain[name].value is not None for name in ("provenance", "intervals")}
        return plain.make(
            cls,
            schema,
            plain_intercept(plain["intercept"], plain["link"]),
            tuple(Term.from_dict(part, schema) for part in plain["terms"].items()),
            plain["link"].choice(LINKS),
            tuple(part.value for part in plain["classes"].items()),
            {name: part.value for name, part in plain["errors"].entries().items()},
            Ledger.from_dict(plain["ledger"], schema),
            tuple(PathSplit.from_dict(part, schema) for part in plain["path"].items()),
            Provenance.from_dict(plain["provenance"]) if known["provenance"] else None,
            Objective.from_dict(plain["objective"]),
            Intervals.from_dict(plain["intervals"], schema) if known["intervals"] else None,
            tuple(EditRecord.from_dict(part) for part in plain["trail"].items()),
        )

    def predict_interval(self, X: Any, coverage: float = 0.9, offset: Any = None) -> FloatArray:
        """Return an interval for every row, (n_rows, 2), that holds new outcomes this often.

        Parameters
        ----------
        X : data frame or array
        coverage : float
            Between 0.01 and 0.99.
        offset : array or number, optional
            What is added to the score.
        """
        if self.classes:
            raise ValueError(
                "intervals are of numbers; a classifier's probabilities say how sure it is: use "
                "predict_proba, and the report's calibration curve"
            )
        if self.intervals is None:
            raise ValueError(
                "the model does not know the size of its errors: give it rows that it has not "
                "seen, model.with_intervals(X, y), with their offset if there is one"
            )
        encoded = self.schema.encode(X)
        added = added_to_scores(offset, len(encoded), self.link)
        middle, moved = middles(self.link, self.score_encoded(encoded), added)
        width = self.intervals.half_widths(encoded, middle, coverage)
        low = middle - width if self.link == "identity" else np.maximum(middle - width, 0.0)
        return np.column_stack([low + moved, middle + width + moved])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a JSON file, which `calmgam.load` reads."""
        from calmgam.model import serialize  # it knows models, so it cannot come first

        serialize.save(self, path)


def _for_chunks(work: Callable[[slice], None], n_rows: int) -> None:
    """Call `work` on slices of rows that fit into the cache, in two threads if there are many."""
    chunks = [slice(start, start + N_CHUNK_ROWS) for start in range(0, n_rows, N_CHUNK_ROWS)]
    n_threads = min(2, os.cpu_count() or 1, len(chunks))
    if n_threads < 2:
        for chunk in chunks:
            work(chunk)
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(work, chunks))
