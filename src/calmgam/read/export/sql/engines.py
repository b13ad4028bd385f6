"""SQL of DuckDB, SQLite and PostgreSQL, where it is their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calmgam.read.export.sql.dialect import (
    MAX_DIGITS,
    NUMBER,
    Dialect,
    Search,
    balanced,
    listed,
)
from calmgam.read.export.sql.grid import Grid, grid_of


class DuckDB(Dialect):
    """DuckDB: columns at a time, so every step of a search is a stage for all features."""

    double, string = "DOUBLE", "VARCHAR"
    kept = " NOT MATERIALIZED "

    def __init__(self) -> None:
        self._lists: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Quote a text; NUL by its number."""
        return " || chr(0) || ".join(super(DuckDB, self).text(part) for part in text.split("\0"))

    def number(self, value: float) -> str:
        """Write a double: without an exponent it would be a decimal."""
        return repr(value) if "e" in repr(value) else f"{value!r}e0"

    def as_number(self, column: str) -> str:
        """Read a column as numbers; NaN becomes NULL."""
        number = super().as_number(column)
        return f"CASE WHEN isnan({number}) THEN NULL ELSE {number} END"

    def as_text(self, column: str) -> str:
        """Read a column as labels: 5.0 is the label 5, NaN is NULL."""
        is_float = f"typeof({column}) IN ('DOUBLE', 'FLOAT')"
        number = f"TRY_CAST({column} AS DOUBLE)"
        return (
            f"CASE WHEN {is_float} AND isnan({number}) THEN NULL "
            f"WHEN {is_float} AND {number} = trunc({number}) AND abs({number}) < 1e16 "
            f"THEN CAST(TRY_CAST({number} AS BIGINT) AS VARCHAR) ELSE CAST({column} AS VARCHAR) END"
        )

    def parsed(self, column: str) -> str:
        """Read the number that a label spells; NULL if it spells none."""
        text = f"CAST({column} AS VARCHAR)"
        return (
            f"CASE WHEN regexp_matches({text}, {self.text(NUMBER)}) AND length({text}) <= "
            f"{MAX_DIGITS} THEN TRY_CAST(trim({text}) AS DOUBLE) END"
        )

    def slots(self, searches: Sequence[Search]) -> list[dict[str, str]]:
        """Find all slots at once: a cell of a grid each, then a stage per step that is left."""
        grids = {search.alias: grid_of(search.edges) for search in searches}
        steps = {search.alias: self._steps(search, grids[search.alias]) for search in searches}
        n_stages = max(map(len, steps.values()), default=0)
        return [
            {
                alias if k + 1 == len(own) else f"{alias}_{k}": own[k]
                for alias, own in steps.items()
                if k < len(own)
            }
            for k in range(n_stages)
        ]

    def _steps(self, search: Search, grid: Grid | None) -> list[str]:
        """Return the expressions of a search; each reads what came out of the one before."""
        number, edges = search.number, self._list(search.edges.tolist())
        if grid is None:
            n_bits = len(search.edges).bit_length()
            half = 2 ** (n_bits - 1)
            middle = self.number(float(search.edges[half - 1]))
            steps = [f"CASE WHEN {number} > {middle} THEN {half} ELSE 0 END"]
            n_left = n_bits - 1
        else:
            place = f"({number} - {self.number(grid.low)}) * {self.number(grid.scale)}"
            cell = f"floor(LEAST(GREATEST({place}, 0e0), {grid.n_cells - 1}e0))"
            steps = [f"{self._list(grid.first, 'INTEGER')}[CAST({cell} AS INTEGER) + 1]"]
            n_left = grid.n_steps
        for bit in reversed(range(n_left)):
            before = f"{search.alias}_{len(steps) - 1}"
            # beyond the last edge there is NULL, which is never exceeded
            is_above = f"{number} > {edges}[{before} + {2**bit}]"
            steps.append(f"{before} + CASE WHEN {is_above} THEN {2**bit} ELSE 0 END")
        return steps

    def picked(self, values: Sequence[float], position: str) -> str:
        """Look a value up in a list."""
        return f"{self._list(values)}[{position} + 1]"

    def _list(self, values: Sequence[float], kind: str = "DOUBLE") -> str:
        """Keep a list beside the rows; return its name.

        It is written as one text, since thousands of literals take longer to plan than to run, and
        stands in one place, since a list within an expression is made again for every 2,048 rows.
        """
        text = f"CAST('[{', '.join(map(repr, values))}]' AS {kind}[])"
        return self._lists.setdefault(text, f"v{len(self._lists)}")

    def shared(self) -> dict[str, str]:
        """Return the lists that all rows look into."""
        return {alias: text for text, alias in self._lists.items()}

    def ranked(self, sizes: Sequence[str], n: int) -> list[dict[str, str]]:
        """Sort a list of sizes and positions in every row."""
        pairs = ", ".join(f"{{'s': -({size}), 'p': {place}}}" for place, size in enumerate(sizes))
        sorted_pairs = f"list_sort(list_filter([{pairs}], lambda u: u.s < 0))"
        return [
            {"ranking": sorted_pairs},
            {f"r{rank}": f"ranking[{rank}].p" for rank in range(1, n + 1)},
        ]


class SQLite(Dialect):
    """SQLite: values carry their own types, and there is no NaN and no list."""

    double = "REAL"

    def text(self, text: str) -> str:
        """Quote a text; NUL by its number."""
        return " || char(0) || ".join(super(SQLite, self).text(part) for part in text.split("\0"))

    def flag(self, value: bool) -> str:
        """Write true or false, which are numbers."""
        return str(int(value))

    def number(self, value: float) -> str:
        """Write a double; if its decimals are many, as a fraction of whole numbers.

        SQLite reads up to 15 digits without fail, not always the 16th and 17th.
        """
        digits = repr(value).lstrip("-").split("e")[0].replace(".", "").strip("0")
        if len(digits) <= 15 and (value == 0 or 1e-15 < abs(value) < 1e15):
            return repr(value)
        numerator, denominator = value.as_integer_ratio()
        if abs(numerator) >= 2**62 or denominator == 1:
            return repr(value)
        text = f"({numerator}.0"
        while denominator > 1:
            factor = min(denominator, 2**52)
            text, denominator = f"{text} / {factor}.0", denominator // factor
        return f"{text})"

    def as_text(self, column: str) -> str:
        """Read a column as labels: 5.0 is the label 5."""
        return (
            f"(CASE WHEN typeof({column}) = 'real' AND {column} = CAST({column} AS INTEGER) "
            f"AND abs({column}) < 1e16 THEN CAST(CAST({column} AS INTEGER) AS TEXT) "
            f"WHEN typeof({column}) = 'real' THEN '' || {column} ELSE CAST({column} AS TEXT) END) "
            "COLLATE BINARY"
        )

    def parsed(self, column: str) -> str:
        """Read the number that a label spells, checked sign by sign; NULL if it spells none."""
        text = f"trim(lower(CAST({column} AS TEXT)), ' ' || char(9, 10, 11, 12, 13))"
        mantissa = _unsigned(f"substr({text}, 1, instr({text} || 'e', 'e') - 1)")
        power = _unsigned(f"substr({text}, instr({text} || 'e', 'e') + 1)")
        checks = [
            f"length({text}) <= {MAX_DIGITS}",
            f"{mantissa} GLOB '*[0-9]*'",
            f"NOT {mantissa} GLOB '*[^0-9.]*'",
            f"NOT {mantissa} GLOB '*.*.*'",
            f"(instr({text}, 'e') = 0 OR {power} GLOB '[0-9]' OR {power} GLOB '[0-9][0-9]')",
        ]
        return (
            f"CASE WHEN typeof({column}) IN ('integer', 'real') THEN CAST({column} AS REAL) "
            f"WHEN {' AND '.join(checks)} THEN CAST({text} AS REAL) END"
        )

    def slots(self, searches: Sequence[Search]) -> list[dict[str, str]]:
        """Nest comparisons in a balanced way."""
        return [{search.alias: self._slot(search) for search in searches}]

    def _slot(self, search: Search) -> str:
        slots = list(map(str, range(len(search.edges) + 1)))
        edges = [self.number(float(edge)) for edge in search.edges]
        return balanced(slots, lambda k: f"{search.number} <= {edges[k]}")

    def picked(self, values: Sequence[float], position: str) -> str:
        """Nest comparisons of positions; equal neighbours are one case."""
        ends = [k for k in range(len(values)) if k + 1 == len(values) or values[k] != values[k + 1]]
        items = [repr(float(values[end])) for end in ends]
        return balanced(items, lambda k: f"{position} <= {ends[k]}")

    def largest(self, numbers: Sequence[str]) -> str:
        """Write the largest of some numbers."""
        return f"MAX({', '.join(numbers)})"


class PostgreSQL(Dialect):
    """PostgreSQL: rows at a time, with arrays and a binary search of its own."""

    double = "double precision"
    collation = ' COLLATE "C"'
    max_name_bytes = 63
    folds_case = False

    def can_hold(self, text: str) -> bool:
        """Tell whether a column can hold a text: not the sign NUL."""
        return "\0" not in text and super().can_hold(text)

    def text(self, text: str) -> str:
        """Quote a text in a way that no setting changes."""
        return "E" + super().text(text.replace("\\", "\\\\"))

    def as_number(self, column: str) -> str:
        """Read a column as numbers; NaN becomes NULL."""
        return f"NULLIF({super().as_number(column)}, 'NaN'::float8)"

    def as_text(self, column: str) -> str:
        """Read a column as labels; NaN, which only numbers are, becomes NULL."""
        types = "'float4'::regtype, 'float8'::regtype, 'numeric'::regtype"
        return (
            f"(CASE WHEN pg_typeof({column}) IN ({types}) AND CAST({column} AS TEXT) = 'NaN' "
            f'THEN NULL ELSE CAST({column} AS TEXT) END) COLLATE "C"'
        )

    def parsed(self, column: str) -> str:
        """Read the number that a label spells; NULL if it spells none."""
        text = f"CAST({column} AS TEXT)"
        return (
            f"CASE WHEN {text} ~ {self.text(NUMBER)} AND length({text}) <= {MAX_DIGITS} "
            f"THEN CAST({text} AS float8) END"
        )

    def slots(self, searches: Sequence[Search]) -> list[dict[str, str]]:
        """Use width_bucket, which counts the numbers that are not above: so the next ones up."""
        above = {s.alias: self._array(np.nextafter(s.edges, np.inf).tolist()) for s in searches}
        return [{s.alias: f"width_bucket({s.number}, {above[s.alias]})" for s in searches}]

    def picked(self, values: Sequence[float], position: str) -> str:
        """Look a value up in an array."""
        return f"({self._array(values)})[{position} + 1]"

    def _array(self, values: Sequence[float]) -> str:
        return "'{" + ",".join(repr(float(value)) for value in values) + "}'::float8[]"

    def exponential(self, number: str) -> str:
        """Write exp of a number, within what PostgreSQL does not refuse."""
        return f"exp(LEAST(GREATEST({number}, -700), 709))"

    def query(self, table: str, stages: Sequence[dict[str, str]], outputs: Sequence[str]) -> str:
        """Compute stage after stage in every row, so that a WHERE outside reaches the table."""
        first, *others = stages
        text = f"SELECT\n  {', '.join(outputs)}\nFROM (SELECT {listed(first)} FROM {table}) AS s0"
        for k, stage in enumerate(others):
            text += f"\nCROSS JOIN LATERAL (SELECT {listed(stage)} OFFSET 0) AS s{k + 1}"
        return text


DIALECTS: dict[str, type[Dialect]] = {"duckdb": DuckDB, "postgres": PostgreSQL, "sqlite": SQLite}


def _unsigned(number: str) -> str:
    """Write a text without the sign it begins with."""
    return f"substr({number}, 1 + (substr({number}, 1, 1) IN ('+', '-')))"
