"""Text blocks of pages are written anew from what their examples print."""

from website import blocks
from website.refresh import refresh

PAGE = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"


def test_a_page_is_written_once(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks.kept_run, "__defaults__", (tmp_path / "kept", False))
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    assert refresh(page)
    assert page.read_text() == PAGE.replace("3", "2")
    assert not refresh(page)


def test_a_page_that_cannot_run_is_left_alone(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(f"<!-- needs: no_such_package -->\n\n{PAGE}")
    assert not refresh(page)
    assert "needs no_such_package" in capsys.readouterr().out
