"""What mkdocs does with the pages beyond markdown: the parts are in the modules beside this one.

Runs the pages' examples and puts their pictures and printed text into the pages; makes pages of
CONTRIBUTING.md and CHANGELOG.md; lists the options of commands; mends links that leave docs/.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parents[1]))  # mkdocs loads hooks by path, mike from anywhere

from website.blocks import ROOT, BlockError, Run, kept_run, missing_packages, python_blocks
from website.commands import with_commands
from website.links import PAGES, links_for_site
from website.outputs import differences, with_outputs

LOG = get_plugin_logger("examples")
RUNS: dict[str, Run] = {}
SOURCES = {page: source for source, page in PAGES.items()}


def on_pre_build(config: Any) -> None:
    """Draw without a screen."""
    import matplotlib

    matplotlib.use("agg")


def on_files(files: Any, config: Any) -> Any:
    """Add pages from the top of the repository; run every page, add the files that it shows."""
    for source, page in PAGES.items():
        if files.get_file_from_path(page) is None:
            files.append(File.generated(config, page, content=(ROOT / source).read_text("utf-8")))
    for page in list(files.documentation_pages()):
        text = page.content_string
        if python_blocks(text) and not missing_packages(text):
            RUNS[page.src_uri] = run = run_of(page.src_uri)
            for path in sorted(run.folder.rglob("*")):
                if f"]({path.name})" in text:
                    home = Path(page.src_uri).parent / path.name
                    files.append(File.generated(config, home.as_posix(), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Put in what the examples printed and the options of commands; mend links."""
    name = page.file.src_uri
    if name in RUNS:
        outputs = RUNS[name].outputs
        text = (ROOT / source_of(name)).read_text("utf-8")  # with its front matter: lines count
        for line in differences(text, outputs):
            LOG.warning(f"{name}:{line} prints another text than is shown; see: make outputs")
        markdown = with_outputs(markdown, outputs)
    markdown = with_commands(markdown)
    repository = config.repo_url and f"{config.repo_url}/blob/main"
    return links_for_site(markdown, source_of(name), repository)


def run_of(name: str) -> Run:
    """Return the results of a page; a block that fails fails the build."""
    try:
        with warnings.catch_warnings():  # tests show them; here they would be mkdocs' own
            warnings.simplefilter("ignore")
            return kept_run(ROOT / source_of(name))
    except BlockError as error:
        raise PluginError(f"an example does not run: {error}") from error


def source_of(name: str) -> str:
    """Return the path in the repository of a page of the site."""
    inside_docs = f"docs/{name}"
    return inside_docs if (ROOT / inside_docs).exists() else SOURCES[name]
