"""Classes that are put together at runtime: what users see is what the site shows.

The reference reads sources without running them. A class whose docstring or signature is an
expression, or its parent's, has none there; this extension asks the class itself.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import griffe

KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: griffe.ParameterKind.positional_only,
    inspect.Parameter.POSITIONAL_OR_KEYWORD: griffe.ParameterKind.positional_or_keyword,
    inspect.Parameter.VAR_POSITIONAL: griffe.ParameterKind.var_positional,
    inspect.Parameter.KEYWORD_ONLY: griffe.ParameterKind.keyword_only,
    inspect.Parameter.VAR_KEYWORD: griffe.ParameterKind.var_keyword,
}


class MadeClasses(griffe.Extension):
    """Give every public class without a docstring the docstring and signature it has at runtime."""

    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Look at a class after its source was read."""
        if cls.docstring is not None or cls.name.startswith("_"):
            return
        made = getattr(import_module(cls.module.path), cls.name, None)
        text = inspect.getdoc(made)
        if text:
            cls.docstring = griffe.Docstring(text, parent=cls)
        if "__init__" in cls.members:
            cls.members["__init__"].parameters = parameters(made.__init__)


def parameters(function: Any) -> griffe.Parameters:
    """Return the parameters of a function as it is at runtime."""
    return griffe.Parameters(
        *(
            griffe.Parameter(
                one.name,
                kind=KINDS[one.kind],
                default=None if one.default is one.empty else repr(one.default),
            )
            for one in inspect.signature(function).parameters.values()
        )
    )
