"""The commands, one function each."""

from __future__ import annotations

import csv
import io
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from calmgam import Model, load
from calmgam.cli.options import (
    AsJson,
    Categorical,
    Changes,
    Drop,
    Keep,
    MaybeTableFile,
    ModelFile,
    Numeric,
    Settings,
    TableFile,
    Task,
    TestTarget,
    Version,
    blaming,
    feature_called,
    read_change,
    read_number,
    read_settings,
    read_value,
    reads_tables,
    wrongly_called,
)
from calmgam.cli.outputs import check_outputs
from calmgam.cli.printing import NOTES, cell, json_text, note, show, show_columns, visible
from calmgam.cli.rows import Roles, measured_rows, model_rows, training_rows
from calmgam.cli.tables import Spelling, read_table
from calmgam.model.files import new_file
from calmgam.read.audit import counterfactual, jumps, monotonicity, sensitivity
from calmgam.read.text import N_COLUMNS
from calmgam.read.text import explain as explain_text
from calmgam.read.text import summary as summary_text
from calmgam.read.view_types import joint_jumps
from calmgam.read.views import model_view, prediction_view


class Commands(TyperGroup):
    """Commands whose failures and warnings are one line, not a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: note(f"note: {message}")
            try:
                return super().invoke(ctx)
            except typer.BadParameter as error:
                error.message = visible(error.message)
                raise
            except BrokenPipeError:
                raise  # whoever read us has seen enough
            except ModuleNotFoundError as error:
                note(f"error: {error}; pip install {error.name}")
            except MemoryError:
                note("error: there is not enough memory")
            except (ValueError, OSError, ImportError) as error:
                note(f"error: {error}")
            raise typer.Exit(1)


app = typer.Typer(
    cls=Commands,
    name="calmgam",
    help="Tabular models that people can read: fit, look, ask, predict.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def _calmgam(version: Version = False) -> None:
    pass


@app.command()
@reads_tables
def fit(
    table: TableFile,
    target: Annotated[str, typer.Option(help="Column to predict.", metavar="COLUMN")],
    how: Spelling,
    out: Annotated[Path | None, typer.Option(help="Model file to write.")] = None,
    report: Annotated[Path | None, typer.Option(help="HTML page to write.")] = None,
    task: Annotated[
        Task | None, typer.Option(help="Default: classification if the target has two values.")
    ] = None,
    categorical: Categorical = None,
    numeric: Numeric = None,
    drop: Drop = None,
    weight: Annotated[
        str | None, typer.Option(help="Column with weights of rows.", metavar="COLUMN")
    ] = None,
    setting: Settings = None,
    seed: Annotated[int, typer.Option(help="Same seed, same model.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Fit a model to a table, say what it found, and save it."""
    from calmgam import CALMClassifier, CALMRegressor

    settings = read_settings(setting or (), CALMRegressor())
    check_outputs({"--out": out, "--report": report}, {"the table": table})
    roles = Roles(target, weight, categorical or (), numeric or (), drop or ())
    rows = training_rows(read_table(table, how, roles.categorical), roles)
    if rows.n_left_out:
        n_rows = rows.n_left_out + len(rows.y)
        note(f"note: {rows.n_left_out:,} of {n_rows:,} rows have no target and are left out")
    task = task or Task(rows.guess_task())
    if task is Task.regression:
        rows.check_regression()
    show_columns(rows.X, f"{task.value} of {target}")
    estimator = CALMRegressor if task is Task.regression else CALMClassifier
    calm = estimator(random_state=seed, verbose=sys.stderr.isatty()).set_params(**settings)
    with blaming(settings):
        calm.fit(rows.X, rows.y, sample_weight=rows.weights)
    try:
        if out:
            calm.model_.save(out)
        if report:
            calm.report(report, title=f"{target} of {table.name}")
    finally:  # the disk may be full, and the fit was long
        _print(model_view(calm.model_).to_dict(), calm.summary(), as_json)
    note(f"\nmodel: {out or 'not saved; --out model.json does that'}")
    if report:
        note(f"report: {report}")


@app.command()
@reads_tables
def predict(
    model: ModelFile,
    table: TableFile,
    how: Spelling,
    out: Annotated[Path | None, typer.Option(help="CSV file; default: print.")] = None,
    keep: Keep = None,
    as_json: AsJson = False,
) -> None:
    """Predict every row of a table: a number, or a class and the second class's probability."""
    check_outputs({"--out": out}, {"the model": model, "the table": table})
    fitted = load(model)
    names = list(dict.fromkeys(keep or ()))
    rows = model_rows(table, fitted, how, keep=names)
    predictions = _predictions(fitted, rows.columns)
    for name in names:
        if name in predictions:
            raise typer.BadParameter(f"--keep {name!r}: a column of predictions has that name")
    columns = {name: rows.verbatim.column(name).to_pylist() for name in names} | predictions
    records = list(zip(*columns.values(), strict=True))
    if as_json:
        text = json_text([dict(zip(columns, record, strict=True)) for record in records])
    else:
        text = _csv_text(columns, records)
    if out is None:
        typer.echo(visible(text) if sys.stdout.isatty() else text, nl=False)
    else:
        with new_file(out, newline="") as file:
            file.write(text)


@app.command()
@reads_tables
def summary(
    model: ModelFile,
    how: Spelling,
    table: MaybeTableFile = None,
    target: TestTarget = None,
    as_json: AsJson = False,
) -> None:
    """Describe a model on one screen; with a table, measure it too."""
    fitted = load(model)
    X, y = measured_rows(table, target, fitted, how)
    _print(model_view(fitted, X, y).to_dict(), summary_text(fitted, X, y), as_json)


@app.command()
@reads_tables
def explain(
    model: ModelFile,
    how: Spelling,
    table: MaybeTableFile = None,
    row: Annotated[int, typer.Option(help="Which row; 1 is the first.", min=1)] = 1,
    change: Changes = None,
    reach: Annotated[
        str | None,
        typer.Option(
            help="Also: the smallest change that reaches this score, or flips the class.",
            metavar="SCORE|flip",
        ),
    ] = None,
    probability: Annotated[
        float | None,
        typer.Option(help="Also: the smallest change that reaches this probability.", min=0, max=1),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain one prediction, line by line: a row of a table, or values given by --with."""
    fitted = load(model)
    values: dict[str, Any] = {}
    if table:
        X = model_rows(table, fitted, how).columns
        if row > X.num_rows:
            raise typer.BadParameter(f"--row must be at most {X.num_rows}; got {row}")
        values = X.slice(row - 1, 1).to_pylist()[0]
    values |= dict(read_change(text, fitted) for text in change or ())
    for name in fitted.schema.names:
        if name not in values:
            raise typer.BadParameter(f"there is no value of {name!r}: give a TABLE, or --with")
    text, plain = explain_text(fitted, values), prediction_view(fitted, values).to_dict()
    for line in plain["lines"]:
        line["value"] = values[line["name"]]  # numbers as numbers
    if reach and probability is not None:
        raise typer.BadParameter("--reach and --probability must not both be given")
    if reach or probability is not None:
        goal = reach if reach in (None, "flip") else read_number("--reach", reach)
        with wrongly_called():
            found = counterfactual(fitted, values, goal, probability=probability)
        text, plain = f"{text}\n\n{found}", {**plain, "counterfactual": found.to_dict()}
    _print(plain, text, as_json)


@app.command()
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
    _print(plain, "\n".join(map(str, reports.values())), as_json)


@app.command()
@reads_tables
def report(
    model: ModelFile,
    how: Spelling,
    table: MaybeTableFile = None,
    target: TestTarget = None,
    out: Annotated[
        Path | None, typer.Option(help="HTML file; default: beside the model file.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
) -> None:
    """Write one HTML page that shows, audits and runs a model; it opens without network."""
    from calmgam.read.report import report as write_report

    page = out or model.with_suffix(".html")
    check_outputs({"--out": page}, {"the model": model, "the table": table})
    fitted = load(model)
    X, y = measured_rows(table, target, fitted, how)
    show(str(write_report(fitted, page, X=X, y=y, title=title)))


@app.command()
def demo(
    rows: Annotated[int, typer.Option(help="Rows to simulate.", min=100)] = 5000,
    out: Annotated[Path, typer.Option(help="Folder for what is drawn.", file_okay=False)] = Path(
        "demo_output"
    ),
    features: Annotated[
        int | None, typer.Option(help="Draw only the most important ones.", min=1)
    ] = None,
) -> None:
    """Fit simulated bike rentals, and show what was found beside what was put in."""
    from calmgam.demo import run

    run(rows, out, features)


def _predictions(model: Model, X: Any) -> dict[str, list[Any]]:
    mean = model.predict(X).tolist()
    if model.link != "logit":
        return {"prediction": mean}
    classes = model.classify(model.score(X)).tolist()
    return {"prediction": classes, f"probability_{model.classes[1]}": mean}


def _csv_text(names: Iterable[str], records: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(records)
    return text.getvalue()


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
        _print(plain, "", True)
    else:
        width = None if sys.stdout.isatty() else N_COLUMNS
        Console(highlight=False, width=width, emoji=False).print(table)


def _print(plain: Any, text: str, as_json: bool) -> None:
    if as_json:
        typer.echo(json_text(plain), nl=False)
    else:
        show(text)
