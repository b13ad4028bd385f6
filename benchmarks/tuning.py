"""Write docs/tuning.md: every number of the method that was tuned, and every other constant.

    python -m benchmarks.tuning

Read off the source: settings declared with `tuned(value, reason)`, and constants at the top of the
files of `fit/` with the comment beside them.
"""

import ast
import dataclasses
import importlib
import inspect
import re
from pathlib import Path

from calmgam.fit.support.parts import tuned_settings

ROOT = Path(__file__).parents[1]
FIT = ROOT / "src" / "calmgam" / "fit"
PAGE = ROOT / "docs" / "tuning.md"
HEAD = """# Tuned numbers

Made by `python -m benchmarks.tuning`, from the source. What a setting means is in the docstring of
its class; on which rows choices were made, and what was looked at before, is told in
[benchmarks.md](benchmarks.md).

## Settings of stages

| where | setting | value | chosen by |
| --- | --- | --- | --- |
"""
CONSTANTS = """
## Other constants

Limits of machines, ties and rounding, and choices without a trial.

| where | constant | value | why |
| --- | --- | --- | --- |
"""


def settings_of_stages():
    """Return (file, class and setting, value, reason) of every tuned setting, file by file."""
    rows = []
    for path in sorted(FIT.rglob("*.py")):
        place = path.relative_to(FIT.parent).as_posix()
        if "tuned(" not in path.read_text() or path.name == "parts.py":
            continue
        module = importlib.import_module("calmgam." + place.removesuffix(".py").replace("/", "."))
        for name, kind in vars(module).items():
            is_class = inspect.isclass(kind) and dataclasses.is_dataclass(kind)
            if is_class and kind.__module__ == module.__name__:
                own = vars(kind).get("__annotations__", {})
                rows += [
                    (place, f"{name}.{setting}", value, reason)
                    for setting, value, reason in tuned_settings(kind)
                    if setting in own
                ]
    return rows


def constants():
    """Return (file, name, value, comment) of every number at the top of a file."""
    rows = []
    for path in sorted(FIT.rglob("*.py")):
        lines = path.read_text().splitlines()
        for node in ast.parse("\n".join(lines)).body:
            if not isinstance(node, ast.Assign) or not is_number(node.value):
                continue
            why = re.search(r"#\s*(.+)$", lines[node.end_lineno - 1])
            first = node.lineno - 2
            while not why and lines[first].startswith("#") and lines[first - 1].startswith("#"):
                first -= 1
            above = " ".join(line.strip("# ") for line in lines[first : node.lineno - 1])
            names = ast.unparse(node.targets[0]).strip("()")
            value = ast.unparse(node.value).strip("()")
            place = path.relative_to(FIT.parent).as_posix()
            rows.append((place, names, value, why[1] if why else above))
    return rows


def is_number(node):
    """Whether an expression is a number, or several."""
    if isinstance(node, ast.Tuple):
        return all(map(is_number, node.elts))
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def page():
    """Return the text of the page."""
    lines = [HEAD]
    lines += [f"| `{a}` | `{b}` | `{c!r}` | {d} |\n" for a, b, c, d in settings_of_stages()]
    lines.append(CONSTANTS)
    lines += [f"| `{a}` | `{b}` | `{c}` | {d.strip(' …')} |\n" for a, b, c, d in constants()]
    return "".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page())
