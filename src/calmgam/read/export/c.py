"""The program as one C99 file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import accumulate

from calmgam.model.glassbox import Model
from calmgam.read.export.program import Lookup, Program
from calmgam.read.export.runtimes import runtime, with_tables

LINKS = ("identity", "logit", "log", "softmax")
PER_LINE = 6


def to_c(model: Model, prefix: str = "calm") -> str:
    """Write a model as one C99 file that allocates nothing.

    Parameters
    ----------
    model : Model
    prefix : str
        What the names in the file begin with.

    Returns
    -------
    str
        Source code with the functions ``…_code`` (of a label), ``…_score``, ``…_predict``,
        ``…_classify``, ``…_contributions``, ``…_reasons`` and ``…_rule`` of one row of doubles.
    """
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", prefix):
        raise ValueError(f"prefix must be a name in C; got {prefix!r}")
    program = Program.of(model)
    text = with_tables(runtime("scorer.c"), "\n".join(_tables(program)) + "\n", "//")
    text = text.replace("// tables\n", "/* tables */\n").replace("// code\n", "/* code */\n")
    return text.replace("MODEL_N_", f"{prefix.upper()}_N_").replace("MODEL", prefix)


def _tables(program: Program) -> Iterable[str]:
    inputs, lookups = program.inputs, program.lookups
    yield (
        f"enum {{ MODEL_N_INPUTS = {len(inputs)}, MODEL_N_OUTPUTS = {program.n_outputs}, "
        f"MODEL_LINK = {LINKS.index(program.link)} }};"
    )
    labels = _starts(len(column.labels) for column in inputs)
    numbers = _starts(len(column.numbers) for column in inputs)
    yield _array(
        "MODEL_input MODEL_inputs",
        (
            f"{{{text(column.name)}, {int(column.is_numeric)}, {labels[i]}, {len(column.labels)}, "
            f"{numbers[i]}, {len(column.numbers)}}}"
            for i, column in enumerate(inputs)
        ),
    )
    yield _array("char *const MODEL_labels", (text(x) for c in inputs for x in c.labels))
    yield _array("double MODEL_numbers", (number(x) for c in inputs for x, _ in c.numbers))
    yield _array("int MODEL_codes", (str(code) for c in inputs for _, code in c.numbers))
    yield from _lookup_tables(lookups)
    yield _array("double MODEL_intercepts", map(number, program.intercepts))


def _lookup_tables(lookups: tuple[Lookup, ...]) -> Iterable[str]:
    branches = [branch for lookup in lookups for branch in lookup.branches]
    inside = _starts(len(branch.inside) for branch in branches)
    ends = (ends for branch in branches for ends in branch.inside)
    yield _array("double MODEL_inside", (f"{{{number(a)}, {number(b)}}}" for a, b in ends), "[2]")
    yield _array(
        "MODEL_branch MODEL_branches",
        (
            f"{{{b.input}, {inside[k]}, {len(b.inside)}, {int(b.missing)}, {b.yes}, {b.no}, "
            f"{b.leaf}}}"
            for k, b in enumerate(branches)
        ),
    )
    starts = zip(
        _starts(len(lookup.branches) for lookup in lookups),
        _starts(len(lookup.rules) for lookup in lookups),
        _starts(len(lookup.edges) for lookup in lookups),
        _starts(lookup.values.size for lookup in lookups),
        strict=True,
    )
    yield _array("double MODEL_edges", (number(x) for p in lookups for x in p.edges.tolist()))
    yield _array(
        "double MODEL_values", (number(x) for p in lookups for x in p.values.ravel().tolist())
    )
    yield _array("char *const MODEL_rules", (text(rule) for p in lookups for rule in p.rules))
    yield _array(
        "MODEL_lookup MODEL_lookups",
        (
            f"{{{p.input}, {branch}, {rule}, {edge}, {len(p.edges)}, {value}}}"
            for p, (branch, rule, edge, value) in zip(lookups, starts, strict=False)
        ),
    )


def _array(declaration: str, items: Iterable[str], more: str = "") -> str:
    """Write a table; one without items has a zero, since C knows no empty arrays."""
    texts = list(items) or ["{0}" if more else "0"]
    lines = (", ".join(texts[k : k + PER_LINE]) for k in range(0, len(texts), PER_LINE))
    return f"static const {declaration}[]{more} = {{\n    " + ",\n    ".join(lines) + "\n};"


def number(value: float) -> str:
    """Write a double that C reads bit for bit."""
    return repr(float(value)) if math.isfinite(value) else ("" if value > 0 else "-") + "INFINITY"


def text(value: str) -> str:
    """Write a text as bytes of UTF-8; one with the sign NUL, which C cannot hold, as NULL."""
    if "\0" in value:
        return "NULL"
    plain = set(range(32, 127)) - set(map(ord, '"\\?'))  # two question marks may be a trigraph
    encoded = value.encode("utf-8", "surrogatepass")
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in encoded) + '"'


def _starts(sizes: Iterable[int]) -> list[int]:
    """Where parts of these sizes begin when they lie one behind the other."""
    return [0, *accumulate(sizes)]
