"""The API reference has every public name, each with an example that uses it."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import calmgam
import calmgam.datasets
import calmgam.model.edits
import calmgam.read.audit

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PACKAGES = ("", ".read", ".read.audit", ".model", ".model.edits", ".datasets", ".verify")
# Classes whose members have entries of their own; members of others stand in the class's entry.
CLASSES = (
    calmgam.CALMRegressor,
    calmgam.CALMClassifier,
    calmgam.Model,
    calmgam.model.edits.Editor,
)


def public_names():
    """Yield the names users meet, as they import them, and what they mean."""
    for package in PACKAGES:
        module = import_module(f"calmgam{package}")
        for name in getattr(module, "__all__", [module.__name__.rpartition(".")[2]]):
            if not inspect.ismodule(getattr(module, name)):  # calmgam.datasets, say
                yield f"{module.__name__}.{name}", getattr(module, name)
    for cls in CLASSES:
        for name in dir(cls):
            member = inspect.getattr_static(cls, name)
            if not name.startswith("_") and is_documented(member):
                yield f"{cls.__name__}.{name}", member


def is_documented(member):
    """Whether a member is a method or a property that calmgam, not scikit-learn, wrote."""
    function = getattr(member, "fget", None) or getattr(member, "__func__", member)
    return inspect.isfunction(function) and function.__module__.startswith("calmgam")


def entries():
    """Return (page, identifier, text up to the next entry) of every entry of the reference."""
    return [
        (page.name, *found)
        for page in sorted(REFERENCE.glob("*.md"))
        for found in re.findall(
            r"^::: ([\w.]+)$(.*?)(?=^::: |\Z)", page.read_text(), re.MULTILINE | re.DOTALL
        )
    ]


ENTRIES = entries()


def resolved(identifier):
    """Return what an identifier such as calmgam.read.summary or calmgam.Model.save means."""
    parts = identifier.split(".")
    for n in range(len(parts) - 1, 0, -1):  # a function may have the name of its module
        try:
            owner = import_module(".".join(parts[:n]))
        except ModuleNotFoundError:
            continue
        for name in parts[n:-1]:
            owner = getattr(owner, name)
        is_class = inspect.isclass(owner)
        return (inspect.getattr_static if is_class else getattr)(owner, parts[-1])
    raise AssertionError(f"{identifier} is not a name of calmgam")


def test_every_public_name_has_an_entry():
    documented = {id(resolved(identifier)) for _, identifier, _ in ENTRIES}
    assert [name for name, value in public_names() if id(value) not in documented] == []


def test_every_entry_is_a_public_name():
    public = {id(value) for _, value in public_names()}
    assert [name for _, name, _ in ENTRIES if id(resolved(name)) not in public] == []


def test_no_name_has_two_entries():
    seen = [id(resolved(identifier)) for _, identifier, _ in ENTRIES]
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    ("identifier", "text"), [entry[1:] for entry in ENTRIES], ids=[e[1] for e in ENTRIES]
)
def test_every_entry_has_an_example_that_uses_the_name(identifier, text):
    example = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert example
    assert re.search(rf"\b{identifier.rpartition('.')[2]}\b", example[1])
    assert inspect.getdoc(resolved(identifier))
