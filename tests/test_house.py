"""The rules of the house: one idea to a file, short functions, few parameters, and a docstring."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "calmgam"
FILES = sorted(SOURCE.rglob("*.py"))
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_CONSTRUCTOR_PARAMETERS = 16
MAX_STAGE_PARAMETERS = 8  # of any function in fit/


def functions(node, owner=""):
    """Yield every function below a node with its full name, e.g. Model.score."""
    for child in ast.iter_child_nodes(node):
        name = owner
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = f"{owner}.{child.name}".lstrip(".")
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield name, child
        yield from functions(child, name)


def n_parameters(function):
    """Count the parameters of a function, those with defaults included; self and cls are none."""
    given = function.args
    names = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    stars = bool(given.vararg) + bool(given.kwarg)
    return len(names) - (names[:1] in (["self"], ["cls"])) + stars


def n_fields(class_node):
    """Count the fields of a class: what a dataclass or a named tuple makes its parameters."""
    return sum(isinstance(line, ast.AnnAssign) for line in class_node.body)


def offenders(path, text):
    """Yield (rule, where) of everything in a file that breaks a rule."""
    module = ast.parse(text)
    if len(text.splitlines()) > MAX_FILE_LINES:
        yield "long file", path
    if not ast.get_docstring(module):
        yield "no docstring", path
    for name, function in functions(module):
        where = f"{path} {name}"
        if function.end_lineno - function.lineno >= MAX_FUNCTION_LINES:
            yield "long function", where
        if function.name == "__init__" and n_parameters(function) > MAX_CONSTRUCTOR_PARAMETERS:
            yield "many constructor parameters", where
        if path.startswith("fit/") and n_parameters(function) > MAX_STAGE_PARAMETERS:
            yield "many stage parameters", where
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef) and n_fields(node) > MAX_CONSTRUCTOR_PARAMETERS:
            yield "many constructor parameters", f"{path} {node.name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_the_rules_hold(path):
    assert list(offenders(path.relative_to(SOURCE).as_posix(), path.read_text())) == []


def test_each_rule_can_be_broken():
    parameters = ", ".join(f"p{i}" for i in range(17))
    long = f"class A:\n    def __init__(self, {parameters}):\n" + "        x = 1\n" * 400
    fields = "class B:\n" + "".join(f"    f{i}: int\n" for i in range(17))
    assert set(offenders("fit/long.py", long + fields)) == {
        ("long file", "fit/long.py"),
        ("no docstring", "fit/long.py"),
        ("long function", "fit/long.py A.__init__"),
        ("many constructor parameters", "fit/long.py A.__init__"),
        ("many stage parameters", "fit/long.py A.__init__"),
        ("many constructor parameters", "fit/long.py B"),
    }


def test_what_is_within_the_rules_breaks_none():
    parameters = ", ".join(f"p{i}" for i in range(8))
    method = f"    def f(self, {parameters}):\n" + "        x = 1\n" * 59
    assert list(offenders("fit/short.py", f'"""Short."""\nclass A:\n{method}')) == []
