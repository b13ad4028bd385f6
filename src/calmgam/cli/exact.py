"""Commands about all inputs of a model: its range, another model, certificates and their check."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from calmgam import load
from calmgam.cli.commands import app, print_result
from calmgam.cli.options import (
    AsJson,
    BetweenClasses,
    ModelFile,
    feature_called,
    read_number,
    read_value,
    reads_tables,
    wrongly_called,
)
from calmgam.cli.outputs import check_outputs
from calmgam.cli.printing import show
from calmgam.cli.rows import model_rows
from calmgam.cli.tables import Spelling
from calmgam.model.exact.difference import difference
from calmgam.model.glassbox import Model
from calmgam.read.audit import (
    AtMost,
    Monotone,
    NoInfluence,
    Range,
    certify,
    compare,
    score_range,
)
from calmgam.read.audit.claims import Claim
from calmgam.read.outputs import pair_of
from calmgam.verify import verify

CHANGE = re.compile(r"(.+?)\s*:\s*(.+?)\s*->\s*(.+?)(?:\s*<=\s*([^\s<=]+))?\s*")

Given = Annotated[str | None, typer.Option(help="Only where, say, 'age <= 30'.", metavar="REGION")]
Features = Annotated[list[str] | None, typer.Option(metavar="FEATURE")]
CertificateFile = Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="JSON file.")]


@app.command("range")
def range_of_scores(
    model: ModelFile,
    given: Given = None,
    between: BetweenClasses = None,
    as_json: AsJson = False,
) -> None:
    """Find the smallest and the largest score over all inputs, exactly."""
    fitted = load(model)
    with wrongly_called():
        found = score_range(fitted, given, between)
    print_result(found.to_dict(), str(found), as_json)


@app.command("compare")
@reads_tables
def compare_models(
    model: ModelFile,
    other: ModelFile,
    how: Spelling,
    data: Annotated[
        Path | None,
        typer.Option(help="Rows of which is said how many move.", exists=True, metavar="TABLE"),
    ] = None,
    threshold: Annotated[
        float, typer.Option(help="Count rows that move by more than this.", min=0)
    ] = 0.0,
    given: Given = None,
    between: BetweenClasses = None,
    as_json: AsJson = False,
) -> None:
    """Find how far the score can move from one model to another, over all inputs, exactly."""
    with wrongly_called():
        first, second = (pair_of(load(path), between) for path in (model, other))
        both = difference(first, second)
    rows = None if data is None else model_rows(data, both, how).columns
    with wrongly_called():
        found = compare(first, second, rows, threshold, given)
    print_result(found.to_dict(), str(found), as_json)


@app.command("certify")
def write_certificate(
    model: ModelFile,
    certificate: CertificateFile,
    increasing: Features = None,
    decreasing: Features = None,
    no_influence: Features = None,
    scores: Annotated[
        bool, typer.Option("--range", help="The smallest and the largest score.")
    ] = False,
    low: Annotated[float | None, typer.Option(help="Every score is at least this.")] = None,
    high: Annotated[float | None, typer.Option(help="Every score is at most this.")] = None,
    at_most: Annotated[
        list[str] | None,
        typer.Option(
            help="A change of one feature and its bound, such as 'age: 30 -> 40 <= 0.2'.",
            metavar="CHANGE",
        ),
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="Of directions, and of no influence.", min=0)
    ] = 0.0,
    given: Given = None,
) -> None:
    """Prove claims about a model, and write proofs that `calmgam verify` checks."""
    check_outputs({"the certificate": certificate}, {"the model": model})
    fitted = load(model)
    for name in (*(increasing or ()), *(decreasing or ()), *(no_influence or ())):
        feature_called(fitted, name)
    is_range = scores or low is not None or high is not None
    claims: list[Claim] = [Range(low, high, given)] if is_range else []
    claims += [Monotone(name, "increasing", tolerance, given) for name in increasing or ()]
    claims += [Monotone(name, "decreasing", tolerance, given) for name in decreasing or ()]
    claims += [NoInfluence(name, tolerance, given) for name in no_influence or ()]
    claims += [_read_change(text, fitted, given) for text in at_most or ()]
    if not claims:
        raise typer.BadParameter("there must be something to prove: --range, --increasing, …")
    show(str(certify(fitted, certificate, claims)))


@app.command("verify")
def check_certificate(
    model: ModelFile,
    certificate: Annotated[
        Path,
        typer.Argument(metavar="CERTIFICATE", help="JSON file.", exists=True, dir_okay=False),
    ],
) -> None:
    """Check a certificate about a model; `python -m calmgam.verify` does the same."""
    load(model)  # what is no model is refused here
    texts = (path.read_text("utf-8") for path in (model, certificate))
    show("\n".join(verify(*texts)))


def _read_change(text: str, model: Model, given: str | None) -> AtMost:
    """Read FEATURE: START -> STOP <= BOUND; without a bound the largest change is proved."""
    found = CHANGE.fullmatch(text)
    if not found:
        raise typer.BadParameter(f"--at-most must be like 'age: 30 -> 40 <= 0.2'; got {text!r}")
    name, start, stop, limit = found.groups()
    feature = feature_called(model, name)
    bound = None if limit is None else read_number("a bound", limit)
    return AtMost(name, read_value(feature, start), read_value(feature, stop), bound, given)
