"""Docstrings that are put together when a class is made: what users see is what the site shows.

The reference reads sources without running them. A class whose docstring is an expression, or that
takes over its parent's, has none there; this extension asks the class itself.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import griffe


class MadeDocstrings(griffe.Extension):
    """Give every public class without a docstring the one that it has at runtime."""

    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Look at a class after its source was read."""
        if cls.docstring is None and not cls.is_private:
            made = inspect.getdoc(getattr(import_module(cls.module.path), cls.name, None))
            if made:
                cls.docstring = griffe.Docstring(made, parent=cls)
