"""Blocks of pages: found, run in order, blamed by line, kept."""

import pytest

from website import blocks
from website.blocks import BlockError, kept_run, missing_packages, python_blocks, run_page

PAGE = """# Title

```python
x = 2
print(x)
```

=== "Tab"

    ```python title="shown"
    print(x + 1)
    open("made.txt", "w").write("made")
    ```

```text
no python
```
"""


@pytest.fixture
def page(tmp_path):
    (tmp_path / "page.md").write_text(PAGE)
    (tmp_path / "scratch").mkdir()
    return tmp_path / "page.md"


def test_blocks_are_found_with_their_lines_also_in_tabs():
    assert [(block.line, block.indent) for block in python_blocks(PAGE)] == [(4, ""), (11, "    ")]


def test_blocks_run_in_order_in_one_namespace_and_folder(page):
    run = run_page(page, page.parent / "scratch")
    assert run.outputs == ("2\n", "3\n")
    assert (run.folder / "made.txt").read_text() == "made"


@pytest.mark.parametrize(
    ("broken", "line", "error"),
    [("\n\n1 / 0", 6, "ZeroDivisionError"), ("x = 1\nx = (", 5, "SyntaxError")],
)
def test_errors_name_page_line_and_cause(page, broken, line, error):
    page.write_text(PAGE.replace("x = 2", broken))
    with pytest.raises(BlockError, match=rf"page\.md:{line}: {error}: "):
        run_page(page, page.parent / "scratch")


def test_results_are_kept_until_the_code_changes(page, tmp_path):
    kept = tmp_path / "kept"
    first = kept_run(page, kept)
    (first.folder / "made.txt").write_text("kept")
    page.write_text(PAGE.replace("# Title", "# Another title"))
    assert (kept_run(page, kept).folder / "made.txt").read_text() == "kept"
    assert (kept_run(page, kept, fresh=True).folder / "made.txt").read_text() == "made"
    page.write_text(PAGE.replace("x = 2", "x = 7"))
    assert kept_run(page, kept).outputs == ("7\n", "8\n")
    assert len(list(kept.iterdir())) == 1  # what was kept for the page before is gone


def test_results_are_kept_until_calmgam_changes(page, tmp_path, monkeypatch):
    before = blocks.key(page)
    assert blocks.source_digest() == blocks.SOURCE_DIGEST
    monkeypatch.setattr(blocks, "SOURCE_DIGEST", b"another calmgam")
    assert blocks.key(page) != before


def test_a_page_that_fails_keeps_nothing(page, tmp_path):
    page.write_text("```python\nraise ValueError('no')\n```\n")
    with pytest.raises(BlockError):
        kept_run(page, tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == []


def test_packages_that_a_page_needs_are_named_if_missing():
    needs = "# Title\n\n<!-- needs: numpy, no_such_package -->\n"
    assert missing_packages(needs) == ["no_such_package"]
    assert missing_packages(PAGE) == []
