"""The command that measures a model on the slices of a table."""

from __future__ import annotations

from typing import Annotated

import typer

from calmgam import load
from calmgam.cli.options import (
    AsJson,
    Exposure,
    ModelFile,
    Offset,
    TableFile,
    feature_called,
    reads_tables,
    wrongly_called,
)
from calmgam.cli.printing import print_result
from calmgam.cli.rows import Added, measured_rows
from calmgam.cli.tables import Spelling
from calmgam.read.measures.outcomes import outcomes
from calmgam.read.measures.slices import feature_slices


@reads_tables
def slices(
    model: ModelFile,
    table: TableFile,
    target: Annotated[str, typer.Option(help="Column with the truth.", metavar="COLUMN")],
    how: Spelling,
    by: Annotated[
        list[str] | None,
        typer.Option(help="Slice by this feature; default: all.", metavar="FEATURE"),
    ] = None,
    of_class: Annotated[
        str | None, typer.Option("--class", help="Of many classes: the one to look at.")
    ] = None,
    offset: Offset = None,
    exposure: Exposure = None,
    as_json: AsJson = False,
) -> None:
    """Measure a model on the levels or bands of features: rows, observed, predicted, error."""
    fitted = load(model)
    names = {feature_called(fitted, name).name for name in by or ()} or set(fitted.schema.names)
    X, y, added = measured_rows(table, target, fitted, how, Added(offset, exposure))
    with wrongly_called():
        rows = outcomes(fitted, X, y, offset=added, of_class=of_class)
    found = [one for one in feature_slices(fitted, X, rows) if one.by in names]
    print_result([one.to_dict() for one in found], "\n\n".join(map(str, found)), as_json)
