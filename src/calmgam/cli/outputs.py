"""Files to write, looked at before any work: they can be written, and are nobody's input."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import typer

from calmgam.cli.tables import STDIN


def check_outputs(outputs: Mapping[str, Path | None], inputs: Mapping[str, Path | None]) -> None:
    """Refuse files that cannot be written, that are read, or that are written twice.

    Parameters
    ----------
    outputs, inputs : mapping
        Path by the word that the user knows it under; None is no file.
    """
    read = {word: path for word, path in inputs.items() if path is not None and path != STDIN}
    written: dict[str, Path] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        _check_writable(option, path)
        for word, other in read.items():
            if _is_same(path, other):
                raise typer.BadParameter(f"{option} {path} would overwrite {word} {other}")
        for word, other in written.items():
            if _is_same(path, other):
                raise typer.BadParameter(f"{word} and {option} must be two files; both are {path}")
        written[option] = path


def _check_writable(option: str, path: Path) -> None:
    if path == STDIN:
        raise typer.BadParameter(f"{option} must name a file; got {str(path)!r}")
    if path.is_dir():
        raise typer.BadParameter(f"{option} must name a file; {path} is a folder")
    if path.exists() and not os.access(path, os.W_OK):
        raise typer.BadParameter(f"{option}: {path} must be writable")
    if path.exists() and not path.is_file():
        return  # a device or a pipe
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise typer.BadParameter(f"{option}: there is no folder {folder}")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise typer.BadParameter(
            f"{option}: no file can be written into {folder}: {error.strerror}"
        ) from None


def _is_same(one: Path, other: Path) -> bool:
    """Tell whether two paths are one file, or would be where case does not count."""
    if one.exists() and other.exists():
        return one.is_file() and os.path.samefile(one, other)
    if one.exists() or other.exists():
        return False
    return os.path.realpath(one).casefold() == os.path.realpath(other).casefold()
