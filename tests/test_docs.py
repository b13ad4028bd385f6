"""The pages stay in step with the code: examples run, tables are complete, links lead somewhere."""

import re
from pathlib import Path

import pytest

from calmgam import CALMRegressor

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
EXAMPLES = [page for page in PAGES if "```python" in page.read_text()]


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.name)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    example = "\n".join(blocks).replace("simulate_bikes()", "simulate_bikes(200)")
    exec(compile(example, str(page), "exec"), {})


def test_parameters_page_has_every_parameter_and_its_default():
    page = (ROOT / "docs" / "parameters.md").read_text()
    listed = dict(re.findall(r"^\| `(\w+)` \| `(.*?)` \|", page, flags=re.MULTILINE))
    assert {name: eval(default) for name, default in listed.items()} == CALMRegressor().get_params()


def test_map_has_every_source_file():
    page = (ROOT / "docs" / "map.md").read_text()
    package = ROOT / "src" / "calmgam"
    sources = [path.relative_to(package).as_posix() for path in package.rglob("*.py")]
    sources += [path.relative_to(ROOT).as_posix() for path in (ROOT / "cpp").iterdir()]
    missing = [s for s in sources if f"`{s}`" not in page and not s.endswith("/__init__.py")]
    assert missing == []


def test_map_has_only_files_that_exist():
    page = (ROOT / "docs" / "map.md").read_text()
    named = re.findall(r"`([\w./]+\.(?:py|hpp|cpp|txt|toml|md))`", page)
    places = (ROOT, ROOT / "src" / "calmgam", ROOT / "benchmarks")
    assert named
    assert [n for n in named if not any((place / n).exists() for place in places)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
    assert [target for target in targets if not (page.parent / target).exists()] == []
