"""A small table as plain text: the first column at the left, numbers at the right."""

from __future__ import annotations

from collections.abc import Sequence

from calmgam.read.words.wording import cut_apart

N_FIRST = 40  # characters of the first column


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write rows below their header, columns lined up.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of sequences of str
    """
    first = cut_apart([row[0] for row in rows], N_FIRST)
    lines = [list(header), *([name, *row[1:]] for name, row in zip(first, rows, strict=True))]
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    texts = (
        "  ".join(
            text.ljust(width) if k == 0 else text.rjust(width)
            for k, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
    return "\n".join(text.rstrip() for text in texts)
