"""The list of commands and their arguments and options, from the commands themselves.

A page says ``<!-- commands -->`` where the list of commands belongs, ``<!-- options of fit -->``
where the arguments and options of ``fit`` belong; the site has tables there.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, get_args

MARKER = re.compile(r"^<!-- (commands|options of ([\w-]+)) -->$", re.MULTILINE)


@cache
def commands() -> dict[str, Any]:
    """Return the commands of calmgam by name."""
    from typer.main import get_command

    from calmgam.cli.exact import app

    return dict(sorted(get_command(app).commands.items()))  # type: ignore[attr-defined]


def with_commands(text: str) -> str:
    """Return a page's text with tables in place of the markers."""
    return MARKER.sub(lambda found: options(found[2]) if found[2] else overview(), text)


def overview() -> str:
    """Return a table of all commands."""
    rows = [(f"`calmgam {name}`", first_line(one.help)) for name, one in commands().items()]
    return table(("command", "does"), rows)


def options(name: str) -> str:
    """Return a table of the arguments and options of a command."""
    command, kinds = commands()[name], kinds_of(name)
    rows = [(spelled(one, kinds[one.name]), said(one)) for one in command.params]
    return table((f"`calmgam {name}`", first_line(command.help)), rows)


def kinds_of(name: str) -> dict[str, Any]:
    """Return the types of a command's parameters by their names."""
    from typer.utils import get_params_from_function

    from calmgam.cli.exact import app

    functions = {one.name or one.callback.__name__: one.callback for one in app.registered_commands}
    parameters = get_params_from_function(functions[name])
    return {name: one.annotation for name, one in parameters.items()}


def spelled(parameter: Any, kind: Any) -> str:
    """Return what is typed: an argument's word, or an option with that of its value."""
    word = parameter.metavar or value_word(kind)
    if parameter.param_type_name == "argument":
        return f"`{word if parameter.required else f'[{word}]'}`"
    names = " / ".join([*parameter.opts, *parameter.secondary_opts])
    return f"`{names}`" if parameter.is_flag else f"`{names} {word}`"


def value_word(kind: Any) -> str:
    """Return a word for values of a type: what may be chosen, or PATH, NUMBER, TEXT."""
    kinds = [one for one in (kind, *get_args(kind)) if isinstance(one, type)]
    for one in kinds:
        if issubclass(one, Enum):
            return "|".join(str(choice.value) for choice in one)
    words = {Path: "PATH", int: "NUMBER", float: "NUMBER"}
    return next((words[one] for one in kinds if one in words), "TEXT")


def said(parameter: Any) -> str:
    """Return what a parameter means, whether it is needed and what it is otherwise."""
    notes = ["required"] if parameter.required and parameter.param_type_name == "option" else []
    if getattr(parameter, "multiple", False):
        notes.append("may come several times")
    value = parameter.default
    if isinstance(value, (int, float, str)) and not isinstance(value, bool) and value != "":
        notes.append(f"default: {getattr(value, 'value', value)}")
    return " ".join([parameter.help or "", f"({'; '.join(notes)})" if notes else ""]).strip()


def first_line(text: str | None) -> str:
    """Return the first line of a text."""
    return (text or "").strip().partition("\n")[0]


def table(heads: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    """Return a markdown table of two columns; bars, and words in angle brackets, are escaped."""
    lines = [heads, ("---", "---"), *rows]
    return "\n".join("| " + " | ".join(cell(one) for one in line) + " |" for line in lines)


def cell(text: str) -> str:
    """Return the text of a cell of a table."""
    escaped = text if text.startswith("`") else text.replace("<", "&lt;")
    return escaped.replace("|", "\\|").replace("\n", " ")
