"""Where errors and warnings send readers: pages of the documentation, by name."""

from __future__ import annotations


def see(page: str) -> str:
    """Return the end of a message that points to a page: `` (see docs/data.md)``.

    Parameters
    ----------
    page : str
        Name of the page, without folder and ending; a heading may follow a ``#``.
    """
    name, sign, heading = page.partition("#")
    return f" (see docs/{name}.md{sign}{heading})"
