"""The pages stay in step with the code: examples run, tables are complete, links lead somewhere."""

import re
from pathlib import Path

import pytest

import calmgam
from calmgam import Boosting, CALMRegressor, Heterogeneity
from calmgam.parameters import paper_parameters
from website.blocks import kept_run, missing_packages, python_blocks

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
EXAMPLES = [page for page in PAGES if python_blocks(page.read_text())]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", EXAMPLES, ids=name_of)
def test_examples_run(page):
    if missing := missing_packages(page.read_text()):
        pytest.skip(f"{name_of(page)} needs {', '.join(missing)}")
    run = kept_run(page, fresh=True)  # and the site that is built next need not run it again
    shown = re.findall(r"!\[[^\]]*\]\(([^)/:]+)\)", page.read_text())
    assert [picture for picture in shown if not (run.folder / picture).exists()] == []


def test_parameters_page_has_every_parameter_and_its_default():
    assert settings_listed("parameter") == [CALMRegressor().get_params()]


def test_parameters_page_lists_settings_of_parts_with_their_defaults():
    parts = [calmgam.Joint(), calmgam.Heterogeneity(), calmgam.Boosting()]
    for listed, part in zip(settings_listed("setting", joined=False), parts, strict=True):
        assert listed
        assert listed.items() <= part.get_params().items()


def test_parameters_page_has_what_paper_changes():
    page = (ROOT / "docs" / "parameters.md").read_text()
    section = page.partition("## What `paper()` changes")[2]
    paper, parts = paper_parameters(), {"Heterogeneity": Heterogeneity, "Boosting": Boosting}
    for name in ("growth", "curves"):
        (part,) = re.findall(rf"`{name}=(.+?\))`", section, re.DOTALL)
        assert eval(part, parts) == paper[name]


def settings_listed(head, joined=True):
    """Return names and defaults of the tables with this head, together or one by one."""
    page = (ROOT / "docs" / "parameters.md").read_text()
    tables = re.findall(rf"^\| {head} \| default .*\n\|.*\n((?:\|.*\n)+)", page, re.MULTILINE)
    rows = [re.findall(r"^\| `(\w+)` \| `(.*?)` \|", table, re.MULTILINE) for table in tables]
    rows = [[row for table in rows for row in table]] if joined else rows
    return [{name: eval(default) for name, default in table} for table in rows]


def test_map_has_every_room_and_every_file_outside_rooms():
    page = (ROOT / "docs" / "map.md").read_text()
    package = ROOT / "src" / "calmgam"
    paths = [*package.rglob("*.py"), *(ROOT / "cpp").glob("*.hpp")]
    sources = [p.relative_to(package if package in p.parents else ROOT).as_posix() for p in paths]
    inside = [s for s in sources if s.startswith(("fit/", "read/")) and s.count("/") > 1]
    rooms = {f"{s.rpartition('/')[0]}/" for s in inside}
    files = [s for s in sources if s not in inside and not s.endswith("__init__.py")]
    assert [name for name in (*rooms, *files) if f"`{name}`" not in page] == []


def test_map_has_every_benchmark():
    files = [path.name for path in (ROOT / "benchmarks").glob("[!_]*.py")]
    page = (ROOT / "docs" / "map.md").read_text()
    assert [name for name in files if f"`{name}`" not in page] == []


def test_map_has_only_files_that_exist():
    page = (ROOT / "docs" / "map.md").read_text()
    named = re.findall(r"`([\w./]+\.(?:py|hpp|cpp|txt|toml|md))`", page)
    places = (ROOT, ROOT / "src" / "calmgam", ROOT / "benchmarks")
    assert named
    assert [n for n in named if not any((place / n).exists() for place in places)] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    text = page.read_text()
    written = "".join(block.code for block in python_blocks(text))  # pictures of the examples
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", re.sub(r"`[^`\n]+`", "", text))
    there = [f'"{target}"' in written or (page.parent / target).exists() for target in targets]
    assert [target for target, exists in zip(targets, there, strict=True) if not exists] == []
