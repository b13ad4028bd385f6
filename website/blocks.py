"""Run the examples of a page: all its ``python`` blocks in order, in one namespace and one folder.

A page comes in; what every block printed and the files it wrote come out. A block that fails stops
the page with an error that names the page and the line. `kept_run` remembers the results in
``build/pages`` until its code or calmgam changes; tests run every page afresh and leave their
results there, so that the site that is built after them runs nothing twice.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "build" / "pages"
NEEDS = re.compile(r"^<!-- needs: (.+) -->$", re.MULTILINE)  # packages that a page imports
DIGITS = 16  # of the digest in a folder's name
FENCE = re.compile(r"^( *)```python\b[^\n]*\n(.*?)^\1```[ ]*$", re.MULTILINE | re.DOTALL)


class BlockError(Exception):
    """A block of a page failed."""


@dataclass(frozen=True)
class Block:
    """A python block: its code, the line of the page it starts on, where in the text it ends."""

    code: str
    line: int
    end: int
    indent: str


@dataclass(frozen=True)
class Run:
    """What a page did: the text that each block printed, and the folder of the files it wrote."""

    outputs: tuple[str, ...]
    folder: Path


def python_blocks(text: str) -> list[Block]:
    """Return the python blocks of a page, also those inside tabs and notes."""
    return [
        Block(
            code=textwrap.dedent(found[2]),
            line=text.count("\n", 0, found.start(2)) + 1,
            end=found.end(),
            indent=found[1],
        )
        for found in FENCE.finditer(text)
    ]


def missing_packages(text: str) -> list[str]:
    """Return the packages a page says it needs that are not installed: it cannot be run."""
    names = [name for line in NEEDS.findall(text) for name in line.split(", ")]
    return [name for name in names if find_spec(name) is None]


def run_page(page: Path, folder: Path) -> Run:
    """Run the blocks of a page in a folder; with a `BlockError`, if one of them fails."""
    names: dict[str, object] = {"__name__": "__main__"}
    blocks = python_blocks(page.read_text(encoding="utf-8"))
    with inside(folder):
        return Run(tuple(run_block(block, page, names) for block in blocks), folder)


def run_block(block: Block, page: Path, names: dict[str, object]) -> str:
    """Run one block and return what it printed; lines of tracebacks are lines of the page."""
    printed = io.StringIO()
    try:
        code = compile("\n" * (block.line - 1) + block.code, str(page), "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, names)
    except Exception as error:
        raise BlockError(f"{place(error, block, page)}: {type(error).__name__}: {error}") from error
    return printed.getvalue()


def place(error: Exception, block: Block, page: Path) -> str:
    """Return page:line of an error: the innermost line of the page that was running."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(page)]
    if isinstance(error, SyntaxError) and error.filename == str(page):
        lines.append(error.lineno)
    name = page.relative_to(ROOT) if ROOT in page.parents else page.name
    return f"{name}:{lines[-1] if lines else block.line}"


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder, and leave pyplot without figures."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")


def kept_run(page: Path, kept: Path = KEPT, fresh: bool = False) -> Run:
    """Run a page, unless the result for this text and this calmgam is at hand (or fresh=True)."""
    home = kept / key(page)
    if fresh or not home.exists():
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept, prefix="running-") as scratch:
            files = Path(scratch) / "files"
            files.mkdir()
            outputs = run_page(page, files).outputs
            (Path(scratch) / "outputs.json").write_text(json.dumps(outputs))
            for earlier in kept.glob(f"{home.name[:-DIGITS]}{'?' * DIGITS}"):
                shutil.rmtree(earlier)
            shutil.copytree(scratch, home)
    outputs = json.loads((home / "outputs.json").read_text())
    return Run(tuple(outputs), home / "files")


def key(page: Path) -> str:
    """Return the folder name of a page's results: its name and a digest of code and calmgam."""
    name = page.relative_to(ROOT) if ROOT in page.parents else Path(page.name)
    code = "\0".join(block.code for block in python_blocks(page.read_text(encoding="utf-8")))
    digest = hashlib.sha256(SOURCE_DIGEST + code.encode()).hexdigest()[:DIGITS]
    return f"{'-'.join(name.with_suffix('').parts)}-{digest}"


def source_digest() -> bytes:
    """Return a digest of calmgam's sources, kernels and bundled data, and of this module."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    package = ROOT / "src" / "calmgam"
    for path in sorted([*package.rglob("*"), *(ROOT / "cpp").rglob("*")]):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.digest()


SOURCE_DIGEST = source_digest()  # of the sources that this process imports, also if they change
