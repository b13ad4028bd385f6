"""What examples print, beside what pages show.

    python -m website.outputs

A ``text`` block right below a python block shows what that block printed. `differences` says where
it is another text (numbers aside: they may differ in the last digits from machine to machine), and
the command writes all of them anew. The site has what was printed when it was built, also below
blocks whose page shows nothing.
"""

from __future__ import annotations

import re

from website.blocks import ROOT, kept_run, missing_packages, python_blocks

SHOWN = re.compile(r"\s*^ *```text\n(.*?)^ *```[ ]*$", re.MULTILINE | re.DOTALL)
VARIES = re.compile(r"[█▏▎▍▌▋▊▉]+|[0-9a-f]{8,}|[-+−]?\d[\d.,:e−-]*", re.IGNORECASE)


def pieces(text: str, outputs: tuple[str, ...]) -> list[tuple[str, str | None, str, int]]:
    """Cut a page behind every python block.

    Returns
    -------
    list of (text before, text shown below the block or None, indented text printed, line)
        What is left of the page comes last, with nothing shown and nothing printed.
    """
    cut, start = [], 0
    for block, output in zip(python_blocks(text), outputs, strict=True):
        printed = [f"{block.indent}{line}".rstrip() for line in output.rstrip().splitlines()]
        shown = SHOWN.match(text, block.end)
        end = shown.start(1) if shown else block.end
        cut.append((text[start:end], shown and shown[1], "\n".join(printed), block.line))
        start = shown.end(1) if shown else block.end
    return [*cut, (text[start:], None, "", 0)]


def with_outputs(text: str, outputs: tuple[str, ...]) -> str:
    """Return a page's text with what each block printed below it."""
    parts = []
    for before, shown, printed, _ in pieces(refreshed(text, outputs), outputs):
        parts.append(before + (shown or ""))
        if shown is None and printed:
            fence = before.rpartition("\n")[2]
            indent = fence[: fence.index("`")]
            parts.append(f"\n\n{indent}```text\n{printed}\n{indent}```")
    return "".join(parts)


def refreshed(text: str, outputs: tuple[str, ...]) -> str:
    """Return a page's text whose shown texts are those that were printed."""
    return "".join(
        before + (f"{printed}\n" if shown and printed else shown or "")
        for before, shown, printed, _ in pieces(text, outputs)
    )


def differences(text: str, outputs: tuple[str, ...]) -> list[int]:
    """Return the lines of the blocks below which another text is shown than was printed."""
    return [
        line
        for _, shown, printed, line in pieces(text, outputs)
        if shown is not None and printed and masked(shown) != masked(printed)
    ]


def masked(text: str) -> list[list[str]]:
    """Return the words of every line, without numbers and bars."""
    return [VARIES.sub("#", line).split() for line in text.strip().splitlines()]


def main() -> None:
    """Write what the examples print into all pages that show it."""
    for page in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        if python_blocks(text) and not missing_packages(text):
            new = refreshed(text, kept_run(page).outputs)
            if new != text:
                page.write_text(new, encoding="utf-8")
                print(page.relative_to(ROOT))


if __name__ == "__main__":
    main()
