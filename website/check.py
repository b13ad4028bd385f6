"""Check the built site: every link leads to a page of it, every anchor exists, nothing is fetched.

    python -m website.check build/site

The folder of the site comes in, a list of complaints goes out; exit code 1 if there are any. Pages
of other sites are not visited.
"""

from __future__ import annotations

import sys
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {"img": "src", "script": "src", "iframe": "src", "source": "src"}  # by the browser itself
LINKS = {"a": "href", "link": "href", **FETCHED}


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember what a tag links to, and its own name."""
        values = dict(attrs)
        self.anchors |= {values[name] or "" for name in ("id", "name") if name in values}
        goal = values.get(LINKS.get(tag, ""))
        if goal:
            self.links.append(goal)
            is_style = tag == "link" and "stylesheet" in (values.get("rel") or "")
            if tag in FETCHED or is_style:
                self.fetched.append(goal)


def complaints(site: Path) -> list[str]:
    """Return what is wrong with the links of a site, page by page."""
    pages = {path.resolve(): Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    if not pages:
        return [f"{site}: there are no pages"]
    return [
        f"{path.relative_to(site.resolve())}: {complaint}"
        for path, page in pages.items()
        for complaint in page_complaints(path, page, pages, site.resolve())
    ]


def page_complaints(path: Path, page: Page, pages: dict[Path, Page], site: Path) -> list[str]:
    """Return what is wrong with the links of one page."""
    outside = [
        f"is fetched from elsewhere: {goal}" for goal in page.fetched if urlsplit(goal).netloc
    ]
    asked = map(partial(complaint_about, path, pages=pages, site=site), dict.fromkeys(page.links))
    return outside + [complaint for complaint in asked if complaint]


def complaint_about(path: Path, goal: str, pages: dict[Path, Page], site: Path) -> str | None:
    """Return what is wrong with one link, if anything."""
    parts = urlsplit(goal)
    if parts.scheme or parts.netloc:
        return None
    start = site if parts.path.startswith("/") else path.parent
    target = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return f"leads nowhere: {goal}"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return f"has no such anchor: {goal}"
    return None


def main() -> None:
    """Check the site in the folder that is named."""
    found = complaints(Path(sys.argv[1]))
    print(*found, sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
