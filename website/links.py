"""Links that leave docs/: on a code host they lead to a file, on the site to a page or nowhere.

A page's text comes in, the same text with links that hold on the site goes out. A link to one of
the repository's own pages (README, CONTRIBUTING, CHANGELOG) leads to the page made of it. Any other
file outside docs/ is linked in the repository, if ``repo_url`` is set in mkdocs.yml, and is a word
in code type otherwise.
"""

from __future__ import annotations

import posixpath
import re

PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]*)(#[^)\s]*)?\)")
CODE = re.compile(r"^( *)(```+|~~~+).*?^\1\2[ ]*$|`[^`\n]+`(?!\])", re.MULTILINE | re.DOTALL)


def links_for_site(text: str, source: str, repository: str | None = None) -> str:
    """Return a page's text with links that hold on the site.

    Parameters
    ----------
    text : str
        Markdown.
    source : str
        Path of the file in the repository, such as ``docs/map.md`` or ``CHANGELOG.md``.
    repository : str, optional
        Address under which files of the repository are read, if there is one.
    """
    kept = [found.span() for found in CODE.finditer(text)]

    def replaced(link: re.Match[str]) -> str:
        if not link[2] or any(start <= link.start() < end for start, end in kept):
            return link[0]
        return site_link(link[1], link[2], link[3] or "", source, repository)

    return LINK.sub(replaced, text)


def site_link(words: str, target: str, anchor: str, source: str, repository: str | None) -> str:
    """Return one link as it is on the site."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    page = PAGES.get(source, source.removeprefix("docs/"))
    if path in PAGES or path.startswith("docs/"):
        goal = PAGES.get(path, path.removeprefix("docs/"))
        return f"[{words}]({posixpath.relpath(goal, posixpath.dirname(page) or '.')}{anchor})"
    if repository:
        return f"[{words}]({repository.rstrip('/')}/{path}{anchor})"
    return words if "`" in words or words == path else f"{words} (`{path}`)"
