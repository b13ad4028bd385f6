"""The page about the command line has every command and every option, as the commands say."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from calmgam.cli.exact import app
from website.commands import MARKER, commands, with_commands

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()


def test_the_page_has_a_place_for_every_command():
    places = [name for what, name in MARKER.findall(PAGE) if name]
    assert sorted(places) == sorted(commands())
    assert "<!-- commands -->" in PAGE


@pytest.mark.parametrize("name", commands())
def test_options_are_those_of_help(name):
    text = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "300", "NO_COLOR": "1"}).output
    offered = set(re.findall(r"^[│| *]+(--[\w-]+)", text, re.MULTILINE)) - {"--help"}
    listed = set(re.findall(r"^\| `(--[\w-]+)", with_commands(f"<!-- options of {name} -->"), re.M))
    assert listed == offered


def test_arguments_choices_and_defaults_are_said():
    fit = with_commands("<!-- options of fit -->")
    assert "| `TABLE` |" in fit
    assert "| `--task regression\\|classification` |" in fit
    assert "| `--target COLUMN` | Column to predict. (required) |" in fit
    assert "| `--seed NUMBER` | Same seed, same model. (default: 0) |" in fit
    assert "(may come several times)" in fit
    assert "`[TABLE]`" in with_commands("<!-- options of summary -->")


def test_no_marker_is_left():
    assert not MARKER.search(with_commands(PAGE))
