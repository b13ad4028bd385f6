"""The model: score(x) = intercept + sum over features of one curve, chosen by a region.

    score(x) = b0 + sum_i f_i^(leaf_i(x))(x_i)       prediction = inverse link of the score

A `Term` is one feature with its tree and one curve per leaf; a `Model` is a term per feature, an
intercept and a link. Both are values: they compare, save and score, and nothing changes them.
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

from calmgam.model.columns import FloatArray
from calmgam.model.ledger import Ledger, PathSplit, check_path
from calmgam.model.plain import Document, Plain
from calmgam.model.provenance import Provenance
from calmgam.model.schema import Feature, Schema
from calmgam.model.shapes import ShapeFunction, slot_codes, weighted_mean
from calmgam.model.tree import PartitionTree

LINKS = ("identity", "logit")
N_CHUNK_ROWS = 2**15


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

    @cached_property
    def _values(self) -> FloatArray:
        # [leaf 0: slots | leaf 1: slots | ...]
        return np.concatenate([shape.values for shape in self.shapes])

    def contribution(self, X: FloatArray) -> FloatArray:
        """Contribution of every row of the encoded matrix."""
        cells = slot_codes(self.feature, self.edges, X[:, self.feature.index]).astype(np.intp)
        if self.tree.n_splits:
            cells += self.tree.leaf_of(X) * self.n_slots
        return np.take(self._values, cells)

    @property
    def importance(self) -> float:
        """Mean absolute contribution over the training rows."""
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
class Model:
    """A conditionally additive local model.

    Attributes
    ----------
    schema : Schema
    intercept : float
    terms : tuple of Term
        One per feature, in the schema's order.
    link : {"identity", "logit"}
        A score is the mean itself, or the log-odds of the second class.
    classes : tuple
        The two class labels of a "logit" model.
    errors : mapping
        Errors on validation rows at fit time, such as {"metric": "rmse", "gam": 1.2, "calm": 1.0};
        None where one is not known.
    ledger : Ledger
        Which splits were considered, kept and refused.
    path : tuple of PathSplit
        All splits of joint growth in order of merit, of which the model has the first ones.
    provenance : Provenance, optional
        Which table, settings and calmgam the model came from. It says nothing of what the model
        is, so it does not count in ``==``.
    """

    schema: Schema
    intercept: float
    terms: tuple[Term, ...]
    link: str = "identity"
    classes: tuple[Any, ...] = ()
    errors: Mapping[str, Any] = field(default_factory=dict, hash=False)
    ledger: Ledger = field(default_factory=Ledger, hash=False)
    path: tuple[PathSplit, ...] = field(default=(), hash=False)
    provenance: Provenance | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "intercept", float(self.intercept))
        object.__setattr__(self, "classes", tuple(map(_plain_scalar, self.classes)))
        object.__setattr__(self, "errors", _checked_errors(self.errors))
        if not math.isfinite(self.intercept):
            raise ValueError(f"intercept must be finite; got {self.intercept}")
        if tuple(term.feature for term in self.terms) != self.schema.features:
            raise ValueError("a model must have one term per feature, in the schema's order")
        if self.link not in LINKS:
            raise ValueError(f"link must be one of {LINKS}; got {self.link!r}")
        if len(self.classes) != (2 if self.link == "logit" else 0):
            raise ValueError(f"a logit model has two classes, others none; got {self.classes}")
        if None in self.classes or len(set(self.classes)) < len(self.classes):
            raise ValueError(f"classes must be two different labels; got {self.classes}")
        self._check_conditions()
        self._check_sums()
        check_path(self.path, self.schema)

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
        if not math.isfinite(sum(highest, start=abs(self.intercept))):
            raise ValueError("the intercept and the curves must add up to finite scores")

    def score(self, X: Any) -> FloatArray:
        """Score of every row: the sum of intercept and contributions, on the link scale."""
        return self.score_encoded(self.schema.encode(X))

    def contributions(self, X: Any) -> FloatArray:
        """Contribution of every feature to every row's score, shape (n_rows, n_features)."""
        return self.contributions_encoded(self.schema.encode(X))

    def predict(self, X: Any) -> FloatArray:
        """Mean response: the score itself, or the probability of the second class."""
        score = self.score(X)
        return score if self.link == "identity" else _logistic(score)

    def classify(self, score: FloatArray) -> Any:
        """Class of every score of a "logit" model: the second where the score is above 0."""
        return np.array(self.classes)[(score > 0).astype(np.intp)]

    def score_encoded(self, X: FloatArray) -> FloatArray:
        """`score` of an encoded matrix."""
        scores = np.full(len(X), self.intercept)

        def add_terms(rows: slice) -> None:
            for term in self.terms:  # always in this order: the same bits for any thread count
                scores[rows] += term.contribution(X[rows])

        _for_chunks(add_terms, len(X))
        return scores

    def contributions_encoded(self, X: FloatArray) -> FloatArray:
        """`contributions` of an encoded matrix."""
        contributions = np.empty((len(X), len(self.terms)), order="F")

        def write_terms(rows: slice) -> None:
            for term in self.terms:
                contributions[rows, term.feature.index] = term.contribution(X[rows])

        _for_chunks(write_terms, len(X))
        return contributions

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
            "errors": dict(self.errors),
            "schema": self.schema.to_dict(),
            "intercept": self.intercept,
            "terms": [term.to_dict() for term in self.terms],
            "ledger": self.ledger.to_dict(),
            "path": [step.to_dict() for step in self.path],
            "provenance": None if self.provenance is None else self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, plain: Document) -> Model:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields(*(field.name for field in fields(cls)))
        schema = Schema.from_dict(plain["schema"])
        has_provenance = plain["provenance"].value is not None
        return plain.make(
            cls,
            schema,
            plain["intercept"].number(),
            tuple(Term.from_dict(part, schema) for part in plain["terms"].items()),
            plain["link"].choice(LINKS),
            tuple(part.value for part in plain["classes"].items()),
            {name: part.value for name, part in plain["errors"].entries().items()},
            Ledger.from_dict(plain["ledger"], schema),
            tuple(PathSplit.from_dict(part, schema) for part in plain["path"].items()),
            Provenance.from_dict(plain["provenance"]) if has_provenance else None,
        )

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


def _plain_scalar(value: Any) -> Any:
    """Return a class label or error as a JSON scalar; a number that is not finite as None."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is not None and not isinstance(value, str | int | float):
        raise ValueError(f"classes and errors must be text, numbers or booleans; got {value!r}")
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _checked_errors(errors: Mapping[str, Any]) -> dict[str, Any]:
    """Return errors as JSON scalars: the metric is text, the others are numbers or None."""
    plain = {name: _plain_scalar(error) for name, error in errors.items()}
    for name, error in plain.items():
        is_number = isinstance(error, int | float) and not isinstance(error, bool)
        is_right = isinstance(error, str) if name == "metric" else error is None or is_number
        if not is_right:
            what = "text" if name == "metric" else "a number or None"
            raise ValueError(f"errors[{name!r}] must be {what}; got {error!r}")
    return plain


def _logistic(score: FloatArray) -> FloatArray:
    return np.exp(-np.logaddexp(0.0, -score))  # 1 / (1 + exp(-score)) without overflow
