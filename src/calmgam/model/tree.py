"""Partition trees: which region a row lies in.

A tree of conditions sends every row to exactly one leaf, so its leaves' regions neither overlap nor
leave gaps. `PartitionTree(nodes)` checks that it is one tree without unreachable leaves;
`leaf_of(X)` maps rows of the encoded matrix to leaves, numbered from left to right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.model.columns import FloatArray
from calmgam.model.partition import MAX_DEPTH, nested_splits, too_deep
from calmgam.model.plain import Document, Plain
from calmgam.model.regions import Condition, Mask, Region
from calmgam.model.schema import Schema

Rows = slice | NDArray[np.intp]
Holds = Callable[[Condition, Rows], Mask]


@dataclass(frozen=True)
class Node:
    """An inner node (rows that satisfy its condition go left) or a leaf with its number."""

    condition: Condition | None = None
    left: int = -1
    right: int = -1
    leaf: int = -1

    def __post_init__(self) -> None:
        is_leaf = self.condition is None
        if (self.leaf >= 0) != is_leaf or (min(self.left, self.right) >= 0) == is_leaf:
            raise ValueError(
                f"a node has a condition and two children, or a leaf number; got {self}"
            )


@dataclass(frozen=True)
class PartitionTree:
    """A binary tree of conditions; `nodes[0]` is the root, and parents come before children."""

    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        walk = list(self._walk())
        order = [index for index, _ in walk]
        if sorted(order) != list(range(len(self.nodes))):
            raise ValueError(f"nodes must form one tree; the root reaches {order}")
        position = {index: position for position, index in enumerate(order)} | {-1: -1}
        nodes = [self.nodes[index] for index in order]
        leaves = [node.leaf for node in nodes if node.condition is None]
        if leaves != list(range(len(leaves))):
            raise ValueError(f"leaves must be numbered from left to right; got {leaves}")
        for _, region in walk:
            if region.is_empty:
                raise ValueError(f"no row can reach {region}")
        # equal trees have equal nodes: parents first, left before right
        nodes = [replace(n, left=position[n.left], right=position[n.right]) for n in nodes]
        object.__setattr__(self, "nodes", tuple(nodes))

    def _walk(self) -> Iterator[tuple[int, Region]]:
        """Nodes with their regions, parents first, left before right."""
        stack = [(0, Region())]
        n_visits = 0
        while stack:
            index, region = stack.pop()
            n_visits += 1
            if not 0 <= index < len(self.nodes) or n_visits > len(self.nodes):
                raise ValueError(f"nodes must form one tree; node {index} does not fit into one")
            yield index, region
            node = self.nodes[index]
            if node.condition is not None:
                if len(region.conditions) == MAX_DEPTH:
                    raise too_deep()
                stack.append((node.right, region.with_condition(node.condition.negate())))
                stack.append((node.left, region.with_condition(node.condition)))

    @classmethod
    def trivial(cls) -> PartitionTree:
        """Return the tree with one leaf: everywhere."""
        return cls((Node(leaf=0),))

    @classmethod
    def from_regions(cls, regions: Sequence[Region]) -> PartitionTree:
        """Return the tree whose leaves are these regions, in the tree's own order.

        Regions that overlap or leave a gap are refused, and so are partitions that cannot be made
        by splitting in two again and again. Missing values of a feature that had none in training
        need not be covered: they go where the first split on that feature sends them.
        """
        return cls.from_nested(nested_splits(regions))

    @classmethod
    def from_nested(cls, nested: Any) -> PartitionTree:
        """Return the tree of `None` (a leaf) or `(condition, nested_left, nested_right)`."""
        nodes: list[Node] = []

        def add(part: Any, leaf: int, depth: int = 0) -> int:
            """Append `part`, whose first leaf has number `leaf`; return the next leaf's number."""
            if part is None:
                nodes.append(Node(leaf=leaf))
                return leaf + 1
            if depth == MAX_DEPTH:
                raise too_deep()
            condition, left, right = part
            position = len(nodes)
            nodes.append(Node(leaf=0))  # its place; the children come behind it
            leaf = add(left, leaf, depth + 1)
            right_position = len(nodes)
            leaf = add(right, leaf, depth + 1)
            nodes[position] = Node(condition, position + 1, right_position)
            return leaf

        add(nested, 0)
        return cls(tuple(nodes))

    def split(self, leaf: int, condition: Condition) -> PartitionTree:
        """Return a new tree in which `leaf` has become two leaves.

        The left one keeps the number; those to the right of it move up by one.
        """
        if not 0 <= leaf < self.n_leaves:
            raise ValueError(f"leaf must be in 0..{self.n_leaves - 1}; got {leaf}")
        nodes = [replace(n, leaf=n.leaf + 1) if n.leaf > leaf else n for n in self.nodes]
        position = next(i for i, node in enumerate(nodes) if node.leaf == leaf)
        nodes[position] = Node(condition, len(nodes), len(nodes) + 1)
        return PartitionTree((*nodes, Node(leaf=leaf), Node(leaf=leaf + 1)))

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The leaves' regions."""
        return tuple(r for index, r in self._walk() if self.nodes[index].condition is None)

    @property
    def n_leaves(self) -> int:
        """Number of leaves, which is the number of curves."""
        return self.n_splits + 1

    @property
    def n_splits(self) -> int:
        """Number of conditions."""
        return len(self.nodes) // 2

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Which condition is above every condition, then above every leaf; the root has itself."""
        conditions = [i for i, node in enumerate(self.nodes) if node.condition is not None]
        leaves = [i for i, node in enumerate(self.nodes) if node.condition is None]
        above = {0: 0}
        for position, index in enumerate(conditions):
            above[self.nodes[index].left] = above[self.nodes[index].right] = position
        return tuple(above[index] for index in (*conditions, *leaves))

    @property
    def depth(self) -> int:
        """Largest number of conditions on the way to a leaf."""
        return max(len(region.conditions) for region in self.regions)

    @cached_property
    def condition_features(self) -> tuple[int, ...]:
        """Sorted indexes of the features that the conditions ask about."""
        return tuple(sorted({n.condition.feature.index for n in self.nodes if n.condition}))

    def leaf_of(self, X: FloatArray) -> NDArray[np.int32]:
        """Leaf of every row of the encoded matrix."""
        return self.leaf_where(
            len(X), lambda condition, rows: condition.holds(X[:, condition.feature.index][rows])
        )

    def leaf_where(self, n_rows: int, holds: Holds) -> NDArray[np.int32]:
        """Leaf of every row, given where conditions hold.

        Parameters
        ----------
        n_rows : int
        holds : callable
            Of a condition and some rows: the mask of those that satisfy it.
        """
        leaf_of_row = np.zeros(n_rows, dtype=np.int32)
        waiting: list[tuple[int, Rows]] = [(0, slice(None))]
        while waiting:
            index, rows = waiting.pop()
            node = self.nodes[index]
            if node.condition is None:
                leaf_of_row[rows] = node.leaf
                continue
            mask = holds(node.condition, rows)
            for child, side in ((node.left, mask), (node.right, ~mask)):
                inside = np.flatnonzero(side)
                waiting.append((child, inside if isinstance(rows, slice) else rows[inside]))
        return leaf_of_row

    def __str__(self) -> str:
        return "\n".join(self._lines(0, ""))

    def _lines(self, index: int, indent: str) -> Iterator[str]:
        node = self.nodes[index]
        if node.condition is None:
            yield f"{indent}leaf {node.leaf}"
            return
        for condition, child in (
            (node.condition, node.left),
            (node.condition.negate(), node.right),
        ):
            below = self.nodes[child]
            if below.condition is None:
                yield f"{indent}{condition}: leaf {below.leaf}"
            else:
                yield f"{indent}{condition}:"
                yield from self._lines(child, indent + "    ")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: nested {"condition", "left", "right"}; a leaf is {}."""
        return self._plain_node(self.nodes[0])

    def _plain_node(self, node: Node) -> dict[str, Any]:
        if node.condition is None:
            return {}
        return {
            "condition": node.condition.to_dict(),
            "left": self._plain_node(self.nodes[node.left]),
            "right": self._plain_node(self.nodes[node.right]),
        }

    @classmethod
    def from_dict(cls, plain: Document, schema: Schema) -> PartitionTree:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain)
        return plain.make(cls.from_nested, _nested_from_dict(plain, schema))


def _nested_from_dict(plain: Plain, schema: Schema, depth: int = 0) -> Any:
    if plain.value == {}:
        return None
    if depth == MAX_DEPTH:
        raise too_deep()
    plain.fields("condition", "left", "right")
    condition = Condition.from_dict(plain["condition"], schema)
    left, right = (_nested_from_dict(plain[s], schema, depth + 1) for s in ("left", "right"))
    return condition, left, right
