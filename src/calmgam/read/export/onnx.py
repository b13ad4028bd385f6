"""The program as an ONNX graph, in double precision throughout.

Slots are found by halving, all rows at once; labels by ONNX's own encoder. Every operator is one
that ONNX Runtime has for doubles, so nothing is rounded to single precision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calmgam.model.columns import label as label_of
from calmgam.model.glassbox import Model
from calmgam.read.export.program import Branch, Input, Lookup, Program

OPSET, ML_OPSET, IR_VERSION = 17, 2, 8
OFFSET = "offset"


def to_onnx(model: Model, missing: str = "", offset: bool = False) -> Any:
    """Return a model as an ONNX graph.

    Parameters
    ----------
    model : Model
    missing : str
        The text that stands for a missing label, since ONNX has none; NaN is a missing number.
    offset : bool
        There is one more input, ``offset``, which is added to the score.

    Returns
    -------
    onnx.ModelProto
        Inputs: one per feature, by its name, of shape (rows,): doubles, or labels as text.
        Outputs: ``score``, ``prediction`` (the mean, or the probability of the second or of every
        class), ``contributions``, and of a classifier ``label``; where an input has that name,
        with an underscore at its end: ``score_``.
    """
    from onnx import TensorProto, checker, helper

    if offset and model.link == "softmax":
        raise ValueError("a model of several classes takes no offset")
    program = Program.of(model)
    graph = _Graph(program)
    inputs = []
    for column in program.inputs:
        if not column.name or (offset and column.name == OFFSET):
            raise ValueError(f"the name of an input must be its own; got {column.name!r}")
        if missing in column.labels:
            raise ValueError(f"missing must be no level of {column.name!r}; got {missing!r}")
        kind = TensorProto.DOUBLE if column.is_numeric else TensorProto.STRING
        inputs.append(helper.make_tensor_value_info(column.name, kind, ["rows"]))
    if offset:
        inputs.append(helper.make_tensor_value_info(OFFSET, TensorProto.DOUBLE, ["rows"]))
    for i in range(len(program.inputs)):
        graph.encode(i, missing)
    outputs = graph.outputs([graph.values(lookup) for lookup in program.lookups], offset)
    proto = helper.make_model(
        helper.make_graph(graph.nodes, "calmgam", inputs, outputs, graph.tables),
        opset_imports=[
            helper.make_opsetid("", OPSET),
            helper.make_opsetid("ai.onnx.ml", ML_OPSET),
        ],
        ir_version=IR_VERSION,
        producer_name="calmgam",
    )
    checker.check_model(proto)
    return proto


@dataclass
class _Graph:
    """Nodes and tables of a graph that is being written."""

    program: Program
    nodes: list[Any] = field(default_factory=list)
    tables: list[Any] = field(default_factory=list)
    slots: dict[int, str] = field(default_factory=dict)
    is_missing: dict[int, str] = field(default_factory=dict)

    @property
    def _prefix(self) -> str:
        prefix = "calmgam/"
        while any(column.name.startswith(prefix) for column in self.program.inputs):
            prefix += "/"
        return prefix

    def output(self, name: str) -> str:
        """Return the name of an output: that of no input."""
        while any(column.name == name for column in self.program.inputs):
            name += "_"
        return name

    def add(self, operator: str, *inputs: str, result: str = "", **settings: Any) -> str:
        """Add a node; return the name of its result: a new one, or that of an output."""
        from onnx import helper

        name = self.output(result) if result else f"{self._prefix}{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **settings))
        return name

    def table(self, values: Any, dtype: Any) -> str:
        """Add a constant; return its name."""
        from onnx import numpy_helper

        name = f"{self._prefix}table{len(self.tables)}"
        self.tables.append(numpy_helper.from_array(np.array(values, dtype=dtype), name))
        return name

    def encode(self, i: int, missing: str) -> None:
        """Find the slot of every value of a column; of numbers only whether they are missing."""
        column = self.program.inputs[i]
        if column.is_numeric:
            self.is_missing[i] = self.add("IsNaN", column.name)
            return
        codes = _codes(column) | {missing: len(column.labels) + 1}
        self.slots[i] = self.add(
            "LabelEncoder",
            column.name,
            domain="ai.onnx.ml",
            keys_strings=[text.encode() for text in codes],
            values_int64s=list(codes.values()),
            default_int64=len(column.labels),
        )

    def values(self, lookup: Lookup) -> str:
        """Look up what a column adds, of shape (rows, outputs)."""
        numeric = self.program.inputs[lookup.input].is_numeric
        cell = self._slot(lookup) if numeric else self.slots[lookup.input]
        if len(lookup.rules) > 1:
            n_slots = self.table(lookup.n_slots, np.int64)
            start = self.add("Mul", self._leaf(lookup, 0), n_slots)
            cell = self.add("Add", start, cell)
        table = self.table(lookup.values.reshape(-1, self.program.n_outputs), np.float64)
        return self.add("Gather", table, cell, axis=0)

    def _slot(self, lookup: Lookup) -> str:
        """Halve the ranges of all numbers at once; the place of a missing one is the last."""
        from onnx import TensorProto

        name = self.program.inputs[lookup.input].name
        n_bits = len(lookup.edges).bit_length()
        edges = np.full(2**n_bits - 1, math.inf)
        edges[: len(lookup.edges)] = lookup.edges
        position = ""
        for bit in reversed(range(n_bits)):
            step = 2**bit
            table = self.table(edges[step - 1 :], np.float64)
            edge = self.add("Gather", table, position or self.table(0, np.int64))
            above = self.add("Cast", self.add("Greater", name, edge), to=TensorProto.INT64)
            move = self.add("Mul", above, self.table(step, np.int64))
            position = self.add("Add", position, move) if position else move
        last = self.table(lookup.n_slots - 1, np.int64)
        is_missing = self.is_missing[lookup.input]
        return self.add("Where", is_missing, last, position or self.table(0, np.int64))

    def _leaf(self, lookup: Lookup, index: int) -> str:
        branch = lookup.branches[index]
        if branch.is_leaf:
            return self.table(branch.leaf, np.int64)
        yes, no = self._leaf(lookup, branch.yes), self._leaf(lookup, branch.no)
        return self.add("Where", self._holds(branch), yes, no)

    def _holds(self, branch: Branch) -> str:
        column = self.program.inputs[branch.input]
        if not column.is_numeric:
            codes = {c for a, b in branch.inside for c in range(int(a) + 1, int(b) + 1)}
            codes |= {len(column.labels) + 1} if branch.missing else set()
            held = [slot in codes for slot in range(len(column.labels) + 2)]
            return self.add("Gather", self.table(held, np.bool_), self.slots[branch.input])
        holds = self.is_missing[branch.input]
        holds = holds if branch.missing else self.add("And", holds, self.table(False, np.bool_))
        for low, high in branch.inside:
            above = self.add("Greater", column.name, self.table(low, np.float64))
            up_to = self.add("LessOrEqual", column.name, self.table(high, np.float64))
            holds = self.add("Or", holds, self.add("And", above, up_to))
        return holds

    def outputs(self, parts: list[str], offset: bool) -> list[Any]:
        """Add up, and apply the inverse of the link."""
        from onnx import TensorProto, helper

        program, shape = self.program, _shape("rows")
        total = self.table(program.intercepts, np.float64)
        if offset:
            total = self.add("Add", self._column(OFFSET), total)
        for part in parts:
            total = self.add("Add", total, part)
        stacked = self.add("Concat", *[self._column(part) for part in parts], axis=1)
        if program.n_outputs == 1:
            score = self._squeezed(total, result="score")
            self._squeezed(stacked, axis=2, result="contributions")
        else:
            score, shape = (
                self.add("Identity", total, result="score"),
                _shape("rows", program.n_outputs),
            )
            self.add("Identity", stacked, result="contributions")
        self._predict(score)
        each = _shape("rows", len(parts), *shape[1:])
        found = [("score", shape), ("prediction", shape), ("contributions", each)]
        outputs = [(name, int(TensorProto.DOUBLE), sizes) for name, sizes in found]
        if program.classes:
            outputs.append(("label", self._classify(score), _shape("rows")))
        return [helper.make_tensor_value_info(self.output(n), kind, s) for n, kind, s in outputs]

    def _predict(self, score: str) -> None:
        if self.program.link == "logit":  # Sigmoid of ONNX Runtime loses small probabilities
            odds = self.add("Exp", self.add("Neg", score))
            total = self.add("Add", odds, self.table(1.0, np.float64))
            self.add("Reciprocal", total, result="prediction")
            return
        operator = {"identity": "Identity", "log": "Exp", "softmax": "Softmax"}
        settings = {"axis": 1} if self.program.link == "softmax" else {}
        self.add(operator[self.program.link], score, result="prediction", **settings)

    def _classify(self, score: str) -> int:
        """Write the most probable class; return the type of its label."""
        from onnx import TensorProto

        if self.program.link == "softmax":
            chosen = self.add("ArgMax", score, axis=1, keepdims=0)
        else:
            is_second = self.add("Greater", score, self.table(0.0, np.float64))
            chosen = self.add("Cast", is_second, to=TensorProto.INT64)
        classes = self.program.classes
        is_whole = all(isinstance(one, int) and not isinstance(one, bool) for one in classes)
        texts = list(map(str, classes))
        labels = self.table(classes, np.int64) if is_whole else self.table(texts, object)
        self.add("Gather", labels, chosen, result="label")
        return int(TensorProto.INT64 if is_whole else TensorProto.STRING)

    def _column(self, name: str) -> str:
        return self.add("Unsqueeze", name, self.table([1], np.int64))

    def _squeezed(self, name: str, axis: int = 1, result: str = "") -> str:
        return self.add("Squeeze", name, self.table([axis], np.int64), result=result)


def _codes(column: Input) -> dict[str, int]:
    """Return codes by text: labels, and numbers as they are most often written."""
    spelled = {text: k for n, k in column.numbers for text in (label_of(n), repr(n))}
    return spelled | {text: k for k, text in enumerate(column.labels)}


def _shape(*sizes: str | int | None) -> list[str | int | None]:
    return list(sizes)
