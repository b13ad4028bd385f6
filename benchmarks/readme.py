"""Put measured tables where readers see them: results/<name>.md into README.md and docs/.

    python -m benchmarks.readme

A page holds ``<!-- benchmarks:speed -->`` … ``<!-- /benchmarks -->``; what stands in between is
replaced by the tables of results/speed.md, or by the command that would make them.
"""

import re
from pathlib import Path

from benchmarks.environments import ROOT

PAGES = (
    ROOT / "README.md",
    *(
        ROOT / f"docs/{page}.md"
        for page in ("benchmarks", "curves", "joint-growth", "method", "reading", "scale")
    ),
)
RESULTS = ROOT / "benchmarks" / "results"
BLOCK = re.compile(r"(<!-- benchmarks:(\w+) -->\n).*?(<!-- /benchmarks -->)", re.DOTALL)


def filled(page: str, results: Path) -> str:
    """Return a page with the tables that lie in a folder."""
    return BLOCK.sub(lambda block: block[1] + measured(block[2], results) + block[3], page)


def measured(name: str, results: Path) -> str:
    file = results / f"{name}.md"
    if not file.exists():
        return f"*Not measured yet: `make bench-{name}`.*\n"
    return re.sub(r"^## (.*)$", r"**\1**", file.read_text(), flags=re.MULTILINE)


def main() -> None:
    for page in PAGES:
        page.write_text(filled(page.read_text(), RESULTS))
        print(f"filled {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
