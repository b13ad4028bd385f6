"""The commands that make a model from a model: edits, fewer steps, calibration, the way back."""

from __future__ import annotations

from typing import Annotated

import typer

from calmgam import load
from calmgam.cli.options import (
    AsJson,
    EditsFile,
    Exposure,
    MaybeTableFile,
    ModelFile,
    NewModel,
    Offset,
    TableFile,
    TestTarget,
    Who,
    read_edits,
    reads_tables,
    wrongly_called,
)
from calmgam.cli.outputs import check_outputs
from calmgam.cli.printing import counted, print_result, show
from calmgam.cli.rows import Added, measured_rows
from calmgam.cli.tables import Spelling
from calmgam.model.edits.simplify import count_steps
from calmgam.read.texts.summary import trail_text


@reads_tables
def edit(
    model: ModelFile,
    edits: EditsFile,
    out: NewModel,
    how: Spelling,
    table: MaybeTableFile = None,
    target: TestTarget = None,
    offset: Offset = None,
    exposure: Exposure = None,
    who: Who = "",
    as_json: AsJson = False,
) -> None:
    """Edit a model: a JSON list of edits, each with its reason; with a table, measure the loss."""
    check_outputs({"--out": out}, {"the model": model, "the edits": edits, "the table": table})
    fitted = load(model)
    X, y, added = measured_rows(table, target, fitted, how, Added(offset, exposure))
    edited = fitted.edit(X, y, offset=added, who=who).replay(read_edits(edits)).done()
    edited.save(out)
    made = edited.trail[len(fitted.trail) :]
    print_result([record.to_dict() for record in made], "\n".join(map(trail_text, made)), as_json)


@reads_tables
def simplify(
    model: ModelFile,
    table: TableFile,
    target: Annotated[str, typer.Option(help="Column with the truth.", metavar="COLUMN")],
    out: NewModel,
    how: Spelling,
    tolerance: Annotated[
        float, typer.Option(help="How much the loss may grow, relatively.", min=0)
    ] = 0.005,
    offset: Offset = None,
    exposure: Exposure = None,
    who: Who = "",
    why: Annotated[str, typer.Option(help="The reason, for the trail.")] = "",
    as_json: AsJson = False,
) -> None:
    """Leave the fewest bands whose loss on a table, best one not trained on, stays the same."""
    check_outputs({"--out": out}, {"the model": model, "the table": table})
    fitted = load(model)
    X, y, added = measured_rows(table, target, fitted, how, Added(offset, exposure))
    simple = fitted.simplify(X, y, tolerance, offset=added, who=who, why=why)
    simple.save(out)
    record = simple.trail[-1]
    steps = count_steps(fitted), count_steps(simple)
    text = f"{steps[0]} steps -> {steps[1]}\n{trail_text(record)}"
    plain = {"steps_before": steps[0], "steps_after": steps[1], "record": record.to_dict()}
    print_result(plain, text, as_json)


@reads_tables
def calibrate(
    model: ModelFile,
    table: TableFile,
    target: Annotated[str, typer.Option(help="Column with the truth.", metavar="COLUMN")],
    out: NewModel,
    how: Spelling,
    offset: Offset = None,
    exposure: Exposure = None,
    who: Who = "",
    as_json: AsJson = False,
) -> None:
    """Measure intervals, or scale probabilities if that helps, on a table not trained on."""
    check_outputs({"--out": out}, {"the model": model, "the table": table})
    fitted = load(model)
    X, y, added = measured_rows(table, target, fitted, how, Added(offset, exposure))
    with wrongly_called():
        if fitted.classes:
            better = fitted.calibrated(X, y, offset=added, who=who)
        else:
            better = fitted.with_intervals(X, y, offset=added)
    better.save(out)
    made = better.trail[len(fitted.trail) :]
    done = "intervals measured again" if better.intervals else "no scale helps: as it was"
    text = "\n".join(map(trail_text, made)) or done
    print_result([record.to_dict() for record in made], text, as_json)


def undo(
    model: ModelFile,
    out: NewModel,
    edits: Annotated[int, typer.Option(help="How many edits to take back.", min=1)] = 1,
) -> None:
    """Return to the model before its last edits, exactly."""
    check_outputs({"--out": out}, {"the model": model})
    fitted = load(model)
    with wrongly_called():
        before = fitted.undo(edits)
    before.save(out)
    left = len(before.trail)
    show(f"{counted(edits, 'edit')} taken back, {left or 'none'} left")
