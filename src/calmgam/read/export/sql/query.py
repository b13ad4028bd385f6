"""The program as one SELECT, or a view: encode, look up, add, in stages that engines run in order.

Aliases: k keeps a column, x is an encoded number, t a label, n the number that a label spells,
l a leaf, s a slot, i a cell, c a contribution, z a score; a and b are the most probable class and
the next one, d a contribution to be ranked, r the place of a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calmgam.model.glassbox import Model
from calmgam.read.export.program import Branch, Input, Lookup, Program
from calmgam.read.export.sql.dialect import Dialect, Search, balanced, joined
from calmgam.read.export.sql.engines import DIALECTS

Stage = dict[str, str]


def to_sql(
    model: Model,
    dialect: str = "duckdb",
    table: str = "rows",
    *,
    view: str | None = None,
    keep: Sequence[str] = (),
    contributions: bool = False,
    n_reasons: int = 0,
    offset: str | None = None,
) -> str:
    """Write a model as a SELECT that scores the rows of a table, or as a view.

    Parameters
    ----------
    model : Model
    dialect : {"duckdb", "postgres", "sqlite"}
    table : str
        Name of the table with the model's columns; a dot separates its schema.
    view : str, optional
        Make a view of this name.
    keep : sequence of str
        Columns of the table to pass on.
    contributions : bool
        Give every feature's contribution, too.
    n_reasons : int
        Give the features with the largest contributions, too, each with the rule that selected
        its curve.
    offset : str, optional
        Column to be added to the score.

    Returns
    -------
    str
        One statement, without a semicolon.
    """
    if dialect not in DIALECTS:
        raise ValueError(f"dialect must be one of {tuple(DIALECTS)}; got {dialect!r}")
    if offset is not None and model.link == "softmax":
        raise ValueError("a model of several classes takes no offset")
    writer = _Writer(Program.of(model), DIALECTS[dialect](), tuple(keep), offset)
    outputs = writer.outputs(contributions, n_reasons)
    language = writer.language
    source = ".".join(map(language.name, table.split(".")))
    text = language.query(source, writer.stages(n_reasons), outputs)
    return text if view is None else f"CREATE VIEW {language.name(view)} AS\n{text}"


@dataclass(frozen=True)
class _Writer:
    """Writes a program's stages and outputs in a dialect."""

    program: Program
    language: Dialect
    keep: tuple[str, ...]
    offset: str | None

    def stages(self, n_reasons: int) -> list[Stage]:
        """Return the stages from the table to scores and ranks."""
        program = self.program
        searches = [
            Search(f"s{lookup.input}", f"x{lookup.input}", lookup.edges)
            for lookup in program.lookups
            if program.inputs[lookup.input].is_numeric and len(lookup.edges)
        ]
        leaves = {f"l{p.input}": self._leaf(p) for p in program.lookups if len(p.rules) > 1}
        stages = [self._read(), self._codes(), *self.language.slots(searches), leaves]
        stages.append({f"i{lookup.input}": self._cell(lookup) for lookup in program.lookups})
        stages.append(dict(self._parts()))
        stages.append({f"z{k}": self._score(k) for k in range(program.n_outputs)})
        if n_reasons:
            stages += self._compared()
            sizes = [f"abs(d{lookup.input})" for lookup in program.lookups]
            stages += self.language.ranked(sizes, n_reasons)
        return [stage for stage in stages if stage]

    def _read(self) -> Stage:
        """Read the table: numbers, labels, and the numbers that labels spell."""
        language = self.language
        stage = {f"k{j}": language.name(name) for j, name in enumerate(self.keep)}
        for i, column in enumerate(self.program.inputs):
            name = language.name(column.name)
            if column.is_numeric:
                stage[f"x{i}"] = language.as_number(name)
                continue
            stage[f"t{i}"] = language.as_text(name)
            if column.numbers:
                stage[f"n{i}"] = language.parsed(name)
        if self.offset is not None:
            stage["o"] = language.as_number(language.name(self.offset))
        return stage

    def _codes(self) -> Stage:
        columns = enumerate(self.program.inputs)
        return {f"x{i}": self._code(i, column) for i, column in columns if not column.is_numeric}

    def _code(self, i: int, column: Input) -> str:
        """Find a label's code by its text, then by its number."""
        language = self.language
        codes = {text: k for k, text in enumerate(column.labels) if language.can_hold(text)}
        if column.kind == "boolean":  # as engines write their booleans
            codes |= {text.lower(): code for text, code in codes.items()}
        found = [self._found(f"t{i}", [(language.text(t), codes[t]) for t in sorted(codes)])]
        if column.numbers:
            found.append(
                self._found(f"n{i}", [(language.number(n), code) for n, code in column.numbers])
            )
        found.append(str(len(column.labels)))
        return f"CASE WHEN t{i} IS NOT NULL THEN COALESCE({', '.join(filter(None, found))}) END"

    def _found(self, alias: str, codes: list[tuple[str, int]]) -> str:
        """Search a key among sorted ones; NULL if it is not there."""
        if not codes:
            return ""
        collation = self.language.collation if alias.startswith("t") else ""
        items = [f"CASE WHEN {alias} = {key} THEN {code} END" for key, code in codes]
        return balanced(items, lambda k: f"{alias} <= {codes[k][0]}{collation}")

    def _leaf(self, lookup: Lookup) -> str:
        def walk(index: int) -> str:
            branch = lookup.branches[index]
            if branch.is_leaf:
                return str(branch.leaf)
            yes, no = walk(branch.yes), walk(branch.no)
            return f"CASE WHEN {self._holds(branch)} THEN {yes} ELSE {no} END"

        return walk(0)

    def _holds(self, branch: Branch) -> str:
        value, is_missing = f"x{branch.input}", f"x{branch.input} IS NULL"
        column = self.program.inputs[branch.input]
        if column.is_numeric:
            held = [self._between(value, *ends) for ends in branch.inside]
        else:
            codes = [c for a, b in branch.inside for c in range(int(a) + 1, int(b) + 1)]
            held = [f"{value} IN ({', '.join(map(str, codes))})"] if codes else []
        held += [is_missing] if branch.missing else []
        return joined(held, "OR") or "1 = 0"

    def _between(self, value: str, low: float, high: float) -> str:
        ends = [f"{value} > {self.language.number(low)}"] if np.isfinite(low) else []
        ends += [f"{value} <= {self.language.number(high)}"] if np.isfinite(high) else []
        return f"({' AND '.join(ends) or f'{value} IS NOT NULL'})"

    def _cell(self, lookup: Lookup) -> str:
        """Return the place of a value in the lookup's table."""
        i, n_slots = lookup.input, lookup.n_slots
        if self.program.inputs[i].is_numeric:
            slot = f"s{i}" if len(lookup.edges) else "0"
            slot = f"CASE WHEN x{i} IS NULL THEN {n_slots - 1} ELSE {slot} END"
        else:
            slot = f"COALESCE(x{i}, {n_slots - 1})"
        return f"l{i} * {n_slots} + {slot}" if len(lookup.rules) > 1 else slot

    def _parts(self) -> Iterator[tuple[str, str]]:
        for lookup in self.program.lookups:
            for k in range(self.program.n_outputs):
                values = lookup.values[:, :, k].ravel().tolist()
                yield f"c{lookup.input}_{k}", self.language.picked(values, f"i{lookup.input}")

    def _score(self, k: int) -> str:
        first = [self.language.number(self.program.intercepts[k])]
        first += ["o"] if self.offset is not None else []
        return joined(first + [f"c{p.input}_{k}" for p in self.program.lookups], "+")

    def _compared(self) -> list[Stage]:
        """Return contributions that are ranked: of many classes those of the first two differ."""
        program, n = self.program, self.program.n_outputs
        if n == 1:
            return [{f"d{p.input}": f"c{p.input}_0" for p in program.lookups}]
        first = {"a": self._highest(range(n))}
        others = [(k, self._highest([j for j in range(n) if j != k])) for k in range(n)]
        parts = {}
        for p in program.lookups:
            pick = [_case(y, [(k, f"c{p.input}_{k}") for k in range(n)]) for y in ("a", "b")]
            parts[f"d{p.input}"] = " - ".join(pick)
        return [first, {"b": _case("a", others)}, parts]

    def _highest(self, outputs: Sequence[int]) -> str:
        """Return the number of the highest score; of equal ones the first."""
        *others, last = outputs
        cases = [
            f"WHEN {' AND '.join(f'z{k} >= z{j}' for j in outputs if j != k)} THEN {k}"
            for k in others
        ]
        return f"CASE {' '.join(cases)} ELSE {last} END"

    def outputs(self, contributions: bool, n_reasons: int) -> list[str]:
        """Return the columns of the result, and check that their names differ."""
        columns = {name: f"k{j}" for j, name in enumerate(self.keep)}
        named = [*columns.items(), *self._predictions()]
        if contributions:
            named += self._contributions()
        for rank in range(1, n_reasons + 1):
            named += self._reason(rank)
        language, seen = self.language, set()
        for name, _ in named:
            key = name.lower() if language.folds_case else name
            if key in seen or len(name.encode()) > language.max_name_bytes:
                raise ValueError(
                    f"columns of the result must have different names of at most "
                    f"{language.max_name_bytes} bytes; got {name!r}"
                )
            seen.add(key)
        return [f"{expression} AS {language.name(name)}" for name, expression in named]

    def _predictions(self) -> list[tuple[str, str]]:
        program, language = self.program, self.language
        if program.link == "identity":
            return [("score", "z0"), ("prediction", "z0")]
        if program.link == "log":
            return [("score", "z0"), ("prediction", language.exponential("z0"))]
        labels = [self._label(label) for label in program.classes]
        if program.link == "softmax":
            return self._class_predictions(labels)
        chosen = f"CASE WHEN z0 > 0 THEN {labels[1]} ELSE {labels[0]} END"
        probability = f"1 / (1 + {language.exponential('-z0')})"
        return [("score", "z0"), ("prediction", chosen), ("probability", probability)]

    def _class_predictions(self, labels: list[str]) -> list[tuple[str, str]]:
        numbers, n = range(len(labels)), len(labels)
        highest = self.language.largest([f"z{k}" for k in numbers])
        odds = [self.language.exponential(f"z{k} - {highest}") for k in numbers]
        chosen = _case(self._highest(range(n)), list(enumerate(labels)))
        classes = self.program.classes
        return [
            *((f"score_{classes[k]}", f"z{k}") for k in numbers),
            ("prediction", chosen),
            *((f"probability_{classes[k]}", f"{odds[k]} / ({' + '.join(odds)})") for k in numbers),
        ]

    def _label(self, label: Any) -> str:
        if isinstance(label, bool):
            return self.language.flag(label)
        if isinstance(label, str):
            return self.language.text(label)
        return self.language.number(label) if isinstance(label, float) else str(label)

    def _contributions(self) -> list[tuple[str, str]]:
        program = self.program
        ends = [f"_{label}" for label in program.classes] if program.n_outputs > 1 else [""]
        return [
            (f"contribution_{program.inputs[p.input].name}{end}", f"c{p.input}_{k}")
            for p in program.lookups
            for k, end in enumerate(ends)
        ]

    def _reason(self, rank: int) -> list[tuple[str, str]]:
        language, inputs = self.language, self.program.inputs
        lookups = [(place, p) for place, p in enumerate(self.program.lookups)]
        names = [(place, language.text(inputs[p.input].name)) for place, p in lookups]
        parts = [(place, f"d{p.input}") for place, p in lookups]
        rules = [(place, self._rule(p)) for place, p in lookups]
        return [
            (f"reason_{rank}{suffix}", _case(f"r{rank}", cases))
            for suffix, cases in (("", names), ("_contribution", parts), ("_rule", rules))
        ]

    def _rule(self, lookup: Lookup) -> str:
        rules = [self.language.text(rule) for rule in lookup.rules]
        return rules[0] if len(rules) == 1 else _case(f"l{lookup.input}", list(enumerate(rules)))


def _case(value: str, cases: list[tuple[int, str]]) -> str:
    branches = " ".join(f"WHEN {key} THEN {result}" for key, result in cases)
    return f"CASE {value} {branches} END"
