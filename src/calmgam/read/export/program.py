"""A model as a small program that any language can run: encode, look up, add.

    encode    a column's value becomes a number, or missing: numbers stay, a known label becomes its
              code 0..L-1, any other label the code L
    look up   a value's slot is the number of edges below it, or the last slot if it is missing; a
              tree of tests on other columns says in which leaf's table to look
    add       score = intercept + offset + contributions; the link's inverse makes it a prediction

A test holds where low < value <= high for one of its intervals; of a missing value it says itself
whether it holds. Codes are numbers, too, with the edges 0..L-1, so there is one kind of test and
one kind of lookup. All exporters print this program, and the report page runs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calmgam.model.columns import FloatArray
from calmgam.model.glassbox import Model, Term
from calmgam.model.schema import Feature
from calmgam.model.tree import Node as ModelNode
from calmgam.model.value_sets import Interval

FORMAT, VERSION = "calmgam-program", 1
TABLES = ("inputs", "lookups", "intercepts", "link", "classes")  # what runtimes are told


@dataclass(frozen=True)
class Input:
    """One column: its name, and how its values become numbers.

    Attributes
    ----------
    name : str
    kind : {"numeric", "boolean", "categorical"}
    labels : tuple of str
        A label's code is its position; empty for numbers.
    numbers : tuple of (float, int)
        Numbers that stand for a label whatever way they are written (5, 5.0, "5.00"), and its code.
    """

    name: str
    kind: str
    labels: tuple[str, ...] = ()
    numbers: tuple[tuple[float, int], ...] = ()

    @property
    def is_numeric(self) -> bool:
        """Values are numbers, not labels."""
        return self.kind == "numeric"


@dataclass(frozen=True)
class Branch:
    """An inner node (a test, and where to go on) or a leaf with its number."""

    input: int = -1
    inside: tuple[Interval, ...] = ()
    missing: bool = False
    yes: int = -1
    no: int = -1
    leaf: int = -1

    @property
    def is_leaf(self) -> bool:
        """There is nothing more to test."""
        return self.leaf >= 0


@dataclass(frozen=True, eq=False)
class Lookup:
    """What one column adds: a tree of tests on others, and a table of values for every leaf.

    Attributes
    ----------
    input : int
    branches : tuple of Branch
        The root first, parents before children.
    rules : tuple of str
        Every leaf's region in words.
    edges : array
        A value's slot is the number of edges below it; missing values have the last slot.
    values : array of shape (n_leaves, n_slots, n_outputs)
    counts : array of shape (n_leaves, n_slots)
        Training rows.
    """

    input: int
    branches: tuple[Branch, ...]
    rules: tuple[str, ...]
    edges: FloatArray
    values: FloatArray
    counts: FloatArray

    @property
    def n_slots(self) -> int:
        """Number of slots, missing included."""
        return len(self.edges) + 2


@dataclass(frozen=True, eq=False)
class Program:
    """Inputs, one lookup per input, intercepts (one per output), link and classes."""

    inputs: tuple[Input, ...]
    lookups: tuple[Lookup, ...]
    intercepts: tuple[float, ...]
    link: str
    classes: tuple[Any, ...]

    @classmethod
    def of(cls, model: Model) -> Program:
        """Spell a model out."""
        return cls(
            tuple(map(_input, model.schema.features)),
            tuple(map(_lookup, model.terms)),
            tuple(map(float, np.atleast_1d(model.intercept))),
            model.link,
            model.classes,
        )

    @property
    def n_outputs(self) -> int:
        """Number of scores: one, or one for every class of a "softmax" model."""
        return len(self.intercepts)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; the only ones that JSON lacks are infinite ends of intervals."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "link": self.link,
            "classes": list(self.classes),
            "intercepts": list(self.intercepts),
            "inputs": [
                {
                    "name": column.name,
                    "kind": column.kind,
                    "labels": list(column.labels),
                    "numbers": [list(pair) for pair in column.numbers],
                }
                for column in self.inputs
            ],
            "lookups": [
                {
                    "input": lookup.input,
                    "branches": list(map(plain_branch, lookup.branches)),
                    "rules": list(lookup.rules),
                    "edges": lookup.edges.tolist(),
                    "values": lookup.values.tolist(),
                }
                for lookup in self.lookups
            ],
        }


def plain_branch(branch: Branch) -> dict[str, Any]:
    """Return a branch as plain values.

    Parameters
    ----------
    branch : Branch
    """
    if branch.is_leaf:
        return {"leaf": branch.leaf}
    return {
        "input": branch.input,
        "inside": [list(ends) for ends in branch.inside],
        "missing": branch.missing,
        "yes": branch.yes,
        "no": branch.no,
    }


def _input(feature: Feature) -> Input:
    return Input(
        feature.name, feature.kind, feature.levels, tuple(sorted(feature.code_of_number.items()))
    )


def _lookup(term: Term) -> Lookup:
    feature = term.feature
    edges = term.edges if feature.is_numeric else np.arange(float(feature.n_levels))
    values = np.stack([shape.values for shape in term.shapes])
    n_leaves, n_slots = values.shape[:2]
    return Lookup(
        feature.index,
        tuple(map(_branch, term.tree.nodes)),
        tuple(map(str, term.tree.regions)),
        edges,
        values.reshape(n_leaves, n_slots, -1),
        np.stack([shape.counts for shape in term.shapes]),
    )


def _branch(node: ModelNode) -> Branch:
    condition = node.condition
    if condition is None:
        return Branch(leaf=node.leaf)
    support = condition.support
    return Branch(
        condition.feature.index, support.intervals, support.missing, node.left, node.right
    )
