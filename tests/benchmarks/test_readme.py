from benchmarks import readme

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


def test_pages_have_places_for_tables():
    for page in readme.PAGES:
        assert readme.BLOCK.search(page.read_text())
