"""Write what the examples of pages print into the pages' own text blocks.

    python -m website.refresh docs/tutorial.md docs/gallery/*.md

Pages come in; those whose printed text has changed are written again. The site shows what was
printed when it was built, whatever stands in the sources: this is for who reads them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from website.blocks import kept_run, missing_packages, with_outputs


def refresh(page: Path) -> bool:
    """Run a page and tell whether its text blocks had to be written anew."""
    text = page.read_text(encoding="utf-8")
    if missing := missing_packages(text):
        print(f"{page}: left alone, needs {', '.join(missing)}")
        return False
    after = with_outputs(text, kept_run(page).outputs, add=False)
    page.write_text(after, encoding="utf-8")
    return after != text


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("agg")  # draw without a screen
    for name in sys.argv[1:]:
        if refresh(Path(name).resolve()):
            print(f"{name}: written anew")
