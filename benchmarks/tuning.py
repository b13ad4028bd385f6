"""Write docs/tuning.md: every number of the method that was tuned, and every other constant.

    python -m benchmarks.tuning

Read off the source: settings declared with `tuned(value, reason)`, and constants of `fit/`,
`model/` and the kernels with the comment behind or above them.
"""

import ast
import dataclasses
import importlib
import inspect
import re
from pathlib import Path

from calmgam.fit.support.parts import tuned_settings

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "calmgam"
FIT, MODEL, KERNELS = PACKAGE / "fit", PACKAGE / "model", ROOT / "cpp"
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
    """Return (file, name, value, comment) of every number at the top of a file or of a class."""
    rows = []
    for path in [*sorted(FIT.rglob("*.py")), *sorted(MODEL.rglob("*.py"))]:
        lines = path.read_text().splitlines()
        for prefix, node in assignments(ast.parse("\n".join(lines))):
            if holds_numbers(node.value):
                names = prefix + unbracketed(targets(node))
                value = unbracketed(node.value)
                why = comment(lines, node.lineno, node.end_lineno, "#")
                rows.append((path.relative_to(PACKAGE).as_posix(), names, value, why))
    return rows


def assignments(module):
    """Yield (prefix of its name, node) of what a module and its classes assign, but for fields."""
    for node in module.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            numbers = (n for n in node.body if isinstance(getattr(n, "value", None), ast.Constant))
            yield from ((f"{node.name}.", n) for n in numbers if isinstance(n, ast.Assign))


def targets(node):
    """Return what an assignment assigns to."""
    return node.target if isinstance(node, ast.AnnAssign) else node.targets[0]


def unbracketed(node):
    """Return the text of an expression, a tuple's without brackets."""
    text = ast.unparse(node)
    return text[1:-1] if isinstance(node, ast.Tuple) and text.startswith("(") else text


def holds_numbers(node):
    """Whether an expression is made of numbers; the keys of a dictionary may be words."""
    keys = {id(key) for one in ast.walk(node) if isinstance(one, ast.Dict) for key in one.keys}
    constants = [c for c in ast.walk(node) if isinstance(c, ast.Constant) and id(c) not in keys]
    kinds = {type(constant.value) for constant in constants}
    return bool(kinds) and kinds <= {int, float}


def kernel_constants():
    """Return (file, name, value, comment) of every number that the headers of kernels declare."""
    pattern = re.compile(r"^(?:    static )?constexpr [\w:]+ (\w+) = (-?[\d.]+[\de. <-]*);")
    rows = []
    for path in sorted(KERNELS.glob("*.hpp")):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines, start=1):
            if found := pattern.search(line):
                why = comment(lines, number, number, "//")
                rows.append((path.relative_to(ROOT).as_posix(), *found.groups(), why))
    return rows


def comment(lines, first, last, sign):
    """Return the comment behind what stands in these lines, or else the one right above."""
    if behind := re.search(rf"{sign}+\s*(.+)$", lines[last - 1]):
        return behind[1]
    above = []
    while first >= 2 and lines[first - 2].lstrip().startswith(sign):
        above.insert(0, lines[first - 2].lstrip(f"{sign} "))
        first -= 1
    return " ".join(above)


def page():
    """Return the text of the page."""
    lines = [HEAD]
    lines += [f"| `{a}` | `{b}` | `{c!r}` | {d} |\n" for a, b, c, d in settings_of_stages()]
    lines.append(CONSTANTS)
    lines += [
        f"| `{a}` | `{b}` | `{c}` | {d} |\n" for a, b, c, d in [*constants(), *kernel_constants()]
    ]
    return "".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page())
