"""Files that are complete or not there: every file that calmgam writes is written here.

A regular file is written under another name beside its place and then moved there, so that a full
disk or an interrupt leaves the old one. Its permissions stay. A link is followed; a device or a
pipe is written to and stays what it is.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any


@contextmanager
def new_file(path: str | os.PathLike[str], mode: str = "w", **options: Any) -> Iterator[IO[Any]]:
    """Open a file for writing; it takes its place when the block ends without an error.

    Parameters
    ----------
    path : path
    mode : {"w", "wb"}
    **options
        Of `open`; text is UTF-8 by default.
    """
    if "b" not in mode:
        options.setdefault("encoding", "utf-8")
    path = Path(path)
    if path.exists() and not path.is_file():
        with open(path, mode, **options) as file:  # a folder is refused here
            yield file
        return
    path = Path(os.path.realpath(path))  # a link to a pipe, such as /dev/stdout, leads nowhere
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, mode, **options) as file:
            yield file
        os.chmod(name, _permissions(path))
        os.replace(name, path)
    except BaseException as error:
        with suppress(FileNotFoundError):
            os.unlink(name)
        if isinstance(error, OSError) and error.errno and error.filename in (None, name):
            raise OSError(error.errno, error.strerror, str(path)) from None  # the name users know
        raise


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file."""
    with new_file(path) as file:
        file.write(text)


def _permissions(path: Path) -> int:
    """Permissions of the file that is replaced, or those of any new file."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
