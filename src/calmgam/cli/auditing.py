"""The command that audits one feature, or all: directions, jumps and effects of changes."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from calmgam import Model, load
from calmgam.cli.options import (
    AsJson,
    BetweenClasses,
    ModelFile,
    feature_called,
    read_value,
    wrongly_called,
)
from calmgam.cli.printing import (
    NOTES,
    cell,
    print_result,
)
from calmgam.read.audit import jumps, monotonicity, sensitivity
from calmgam.read.outputs import pair_of
from calmgam.read.texts.summary import N_COLUMNS
from calmgam.read.view_types import joint_jumps
from calmgam.read.views import model_view


def audit(
    model: ModelFile,
    feature: Annotated[
        str | None,
        typer.Argument(metavar="FEATURE", help="One feature in detail; default: all in short."),
    ] = None,
    start: Annotated[str | None, typer.Option("--from", help="Value before a change.")] = None,
    stop: Annotated[str | None, typer.Option("--to", help="Value after it.")] = None,
    given: Annotated[
        str | None,
        typer.Option(help="Only where, say, 'hour <= 7'. Jumps stay those of all."),
    ] = None,
    between: BetweenClasses = None,
    as_json: AsJson = False,
) -> None:
    """Prove what the model does when a feature changes, over all inputs."""
    fitted = load(model)
    has_ends = start is not None, stop is not None
    if feature is None and any(has_ends):
        raise typer.BadParameter("--from and --to need a feature: calmgam audit MODEL FEATURE")
    if any(has_ends) and not all(has_ends):
        raise typer.BadParameter("a change needs both --from and --to")
    with wrongly_called():  # the model is sound, so an error is about what was asked
        fitted = pair_of(fitted, between)
        if feature is None:
            _audit_all(fitted, given, as_json)
            return
        chosen = feature_called(fitted, feature)
        reports: dict[str, Any]
        if start is None or stop is None:
            reports = {
                "monotonicity": monotonicity(fitted, feature, given),
                "jumps": jumps(fitted, feature),
            }
        else:
            ends = read_value(chosen, start), read_value(chosen, stop)
            reports = {"sensitivity": sensitivity(fitted, feature, *ends, given)}
    plain = {name: report.to_dict() for name, report in reports.items()}
    print_result(plain, "\n".join(map(str, reports.values())), as_json)


def _audit_all(model: Model, given: str | None, as_json: bool) -> None:
    """Print a verdict on every feature, the most important one first."""
    table = Table("feature", "the score, as it grows", "hidden jumps", box=None, pad_edge=False)
    plain = []
    features, quiet = model_view(model).features, not sys.stderr.isatty()
    for view in track(features, "audit", console=NOTES, transient=True, disable=quiet):
        found = monotonicity(model, view.name, given)
        is_ordered = found.direction != "unordered"
        proved = "" if found.proved else " (not proved)"
        verdict = f"{found.direction}{proved}" if is_ordered else "levels have no order"
        lines = [cell(str(jump)) for jump in joint_jumps(view.jumps)]
        table.add_row(cell(view.name), verdict, Text("\n").join(lines))
        plain.append(found.to_dict() | {"jumps": [jump.to_dict() for jump in view.jumps]})
    if as_json:
        print_result(plain, "", True)
    else:
        width = None if sys.stdout.isatty() else N_COLUMNS
        Console(highlight=False, width=width, emoji=False).print(table)
