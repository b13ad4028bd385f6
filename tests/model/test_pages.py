import re
from pathlib import Path

from calmgam.model.pages import see

ROOT = Path(__file__).parents[2]


def test_a_message_names_its_page():
    assert see("data") == " (see docs/data.md)"
    assert see("data#targets") == " (see docs/data.md#targets)"


def test_every_page_and_heading_that_messages_point_to_is_there():
    sources = (ROOT / "src" / "calmgam").rglob("*.py")
    named = [
        name for path in sources for name in re.findall(r"see\([\"']([^\"']+)", path.read_text())
    ]
    assert len(named) > 5
    for one in named:
        name, _, heading = one.partition("#")
        page = ROOT / "docs" / f"{name}.md"
        assert page.exists(), one
        headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}
        assert not heading or heading in slugs, one
