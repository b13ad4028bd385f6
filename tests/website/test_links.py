"""Links that leave docs/ lead to pages of the site, to the repository, or are plain words."""

import pytest

from website.links import links_for_site


@pytest.mark.parametrize(
    ("source", "text", "on_site"),
    [
        ("docs/map.md", "[a](method.md#x)", "[a](method.md#x)"),
        ("docs/map.md", "[a](../README.md)", "[a](index.md)"),
        ("docs/targets/counts.md", "[a](../../CONTRIBUTING.md)", "[a](../contributing.md)"),
        ("CONTRIBUTING.md", "[m](docs/map.md#a)", "[m](map.md#a)"),
        ("CONTRIBUTING.md", "[c](CHANGELOG.md)", "[c](changelog.md)"),
        ("docs/map.md", "[src/a.py](../src/a.py)", "src/a.py"),
        ("docs/map.md", "[`a`](../src/a.py)", "`a`"),
        ("docs/map.md", "[the code](../src/a.py)", "the code (`src/a.py`)"),
        ("docs/map.md", "[out](https://example.org/a)", "[out](https://example.org/a)"),
        ("docs/map.md", "![picture](../a.png)", "![picture](../a.png)"),
        ("docs/map.md", "[here](#there)", "[here](#there)"),
        ("docs/map.md", "`[a](../src/a.py)`", "`[a](../src/a.py)`"),
        ("docs/map.md", "```\n[a](../src/a.py)\n```", "```\n[a](../src/a.py)\n```"),
    ],
)
def test_links_hold_on_the_site(source, text, on_site):
    assert links_for_site(text, source) == on_site


def test_files_are_linked_where_there_is_a_repository():
    text = links_for_site("[the code](../src/a.py#L3)", "docs/map.md", "https://host/blob/main/")
    assert text == "[the code](https://host/blob/main/src/a.py#L3)"
