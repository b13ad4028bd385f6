"""Edits of regions and terms: merge two regions, drop a split, drop a term.

Curves that become one take the mean of the training rows, slot by slot, so that the mean of the
term stays; a dropped term leaves its mean in the intercept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calmgam.model.edits.edit import Edit, region_called, term_called, unspoken, with_terms
from calmgam.model.edits.heights import mean_height
from calmgam.model.glassbox import Model, Term
from calmgam.model.regions import Condition, Region
from calmgam.model.shapes import ShapeFunction
from calmgam.model.tree import PartitionTree


@dataclass(frozen=True)
class MergeRegions(Edit):
    """Give two regions of a feature one curve; if they are the two sides of a split, it goes.

    Parameters
    ----------
    feature : str
    regions : two str
        As the model writes them: "hour <= 7".
    """

    name = "merge_regions"

    feature: str
    regions: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.regions) != 2:
            raise ValueError(f"regions must be two; got {len(self.regions)}")

    def apply(self, model: Model) -> Model:
        """Return the model with one curve for both regions."""
        term = term_called(model, self.feature)
        first, second = (leaf_called(model, term, text) for text in self.regions)
        if first == second:
            raise ValueError(f"regions must be two different ones; got {self.regions[0]!r} twice")
        low, high = sorted((first, second))
        parent = _parent_of(term.tree, low, high)
        if parent is not None:
            return with_terms(model, _collapsed(term, parent))
        joint = _averaged([term.shapes[low], term.shapes[high]])
        shapes = list(term.shapes)
        for leaf in (low, high):
            shapes[leaf] = replace(shapes[leaf], values=joint.values, spreads=joint.spreads)
        return with_terms(model, replace(term, shapes=tuple(shapes)))


@dataclass(frozen=True)
class DropSplit(Edit):
    """Drop a split of a feature, and those below it: one curve takes their place.

    Parameters
    ----------
    feature : str
        Whose curves are split.
    condition : str
        One side of the split: "hour <= 7".
    where : str, optional
        The region that is split, if several are by this condition; "everywhere" is the whole.
    """

    name = "drop_split"

    feature: str
    condition: str
    where: str | None = None

    def apply(self, model: Model) -> Model:
        """Return the model without the split."""
        term = term_called(model, self.feature)
        asked = region_called(model, self.condition)
        above = None if self.where is None else region_called(model, self.where)
        found, splits = [], []
        for index, region in _walk(term.tree):
            condition = term.tree.nodes[index].condition
            if condition is None:
                continue
            splits.append(f"{condition} (in {region})")
            sides = (Region((condition,)), Region((condition.negate(),)))
            is_asked = any(_same(side, asked) for side in sides)
            if is_asked and (above is None or _same(region, above)):
                found.append(index)
        if len(found) != 1:
            where = "" if self.where is None else f" in {self.where!r}"
            raise ValueError(
                f"{self.feature!r} must have one split {self.condition!r}{where}; it has "
                f"{len(found)}; its splits are: {'; '.join(splits) or 'none'}"
            )
        return with_terms(model, _collapsed(term, found[0]))


@dataclass(frozen=True)
class DropTerm(Edit):
    """Let a feature contribute nothing: its tree and curves go, its mean joins the intercept.

    Conditions of other features on it stay.

    Parameters
    ----------
    feature : str
    """

    name = "drop_term"

    feature: str

    def apply(self, model: Model) -> Model:
        """Return the model without the term."""
        term = term_called(model, self.feature)
        whole = _averaged(term.shapes)
        flat = replace(
            whole, values=np.zeros_like(whole.values), spreads=np.zeros_like(whole.spreads)
        )
        return with_terms(
            model,
            Term(term.feature, PartitionTree.trivial(), (flat,)),
            shift=mean_height(whole.values, whole.counts) if whole.counts.any() else 0.0,
        )


def leaf_called(model: Model, term: Term, text: str) -> int:
    """Return the leaf whose region a text describes."""
    asked = region_called(model, text)
    for leaf, region in enumerate(term.tree.regions):
        if _same(region, asked):
            return leaf
    regions = "; ".join(map(str, term.tree.regions))
    raise ValueError(
        f"{text!r} must be a region of {term.feature.name!r}; its regions are: {regions}"
    )


def _same(first: Region, second: Region) -> bool:
    first, second = unspoken(first), unspoken(second)
    return first.implies(second) and second.implies(first)


def _walk(tree: PartitionTree) -> list[tuple[int, Region]]:
    """Return the nodes with their regions, parents first."""
    found, waiting = [], [(0, Region())]
    while waiting:
        index, region = waiting.pop()
        found.append((index, region))
        node = tree.nodes[index]
        if node.condition is not None:
            waiting.append((node.right, region.with_condition(node.condition.negate())))
            waiting.append((node.left, region.with_condition(node.condition)))
    return found


def _parent_of(tree: PartitionTree, low: int, high: int) -> int | None:
    """Return the node whose children are these leaves."""
    for index, node in enumerate(tree.nodes):
        if node.condition is not None:
            leaves = [tree.nodes[child].leaf for child in (node.left, node.right)]
            if leaves == [low, high]:
                return index
    return None


def _collapsed(term: Term, index: int) -> Term:
    """Return the term with a node of its tree turned into a leaf."""
    groups: list[list[int]] = []

    def nested(at: int) -> Any:
        node = term.tree.nodes[at]
        if node.condition is None or at == index:
            groups.append(_leaves_below(term.tree, at))
            return None
        condition: Condition = node.condition
        left = nested(node.left)
        return condition, left, nested(node.right)

    tree = PartitionTree.from_nested(nested(0))
    shapes = tuple(_averaged([term.shapes[leaf] for leaf in group]) for group in groups)
    return Term(term.feature, tree, shapes)


def _leaves_below(tree: PartitionTree, index: int) -> list[int]:
    node = tree.nodes[index]
    if node.condition is None:
        return [node.leaf]
    return _leaves_below(tree, node.left) + _leaves_below(tree, node.right)


def _averaged(shapes: Sequence[ShapeFunction]) -> ShapeFunction:
    """Return the mean of curves over their rows, slot by slot."""
    if len(shapes) == 1:
        return shapes[0]
    counts = np.array([shape.counts for shape in shapes])
    totals = counts.sum(axis=1, keepdims=True)
    weights = np.where(counts.sum(axis=0) > 0, counts, np.where(totals.any(), totals, 1.0))
    weights = weights / weights.sum(axis=0)
    return replace(
        shapes[0],
        values=np.einsum("ls...,ls->s...", [shape.values for shape in shapes], weights),
        counts=counts.sum(axis=0),
        spreads=np.einsum("ls...,ls->s...", [shape.spreads for shape in shapes], weights),
    )
