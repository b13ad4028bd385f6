import pytest

from benchmarks import readme, steps, synthetic

PAGE = "before\n<!-- benchmarks:speed -->\nold\n<!-- /benchmarks -->\nafter <!-- other -->\n"


def test_tables_replace_what_stood_between_the_marks(tmp_path):
    (tmp_path / "speed.md").write_text("Made by `x`.\n\n## a against b\n\n| 1 |\n")
    page = readme.filled(PAGE, tmp_path)
    assert page == (
        "before\n<!-- benchmarks:speed -->\n"
        "Made by `x`.\n\n**a against b**\n\n| 1 |\n"
        "<!-- /benchmarks -->\nafter <!-- other -->\n"
    )
    assert readme.filled(page, tmp_path) == page


def test_what_is_not_measured_is_said_to_be_so(tmp_path):
    page = readme.filled(PAGE, tmp_path)
    assert "old" not in page
    assert "Not measured yet: `make bench-speed`" in page


@pytest.mark.parametrize("page", readme.PAGES, ids=lambda page: page.name)
def test_pages_hold_the_tables_as_measured(page):
    text = page.read_text()
    assert readme.BLOCK.search(text)
    assert readme.filled(text, readme.RESULTS) == text  # else: make bench-readme


@pytest.mark.parametrize("benchmark", [steps, synthetic])
def test_tables_are_made_of_the_cells_beside_them(benchmark):
    assert benchmark.OUT.with_suffix(".md").read_text() == benchmark.page(benchmark.OUT)
