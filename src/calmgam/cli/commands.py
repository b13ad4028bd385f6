"""The commands, one function each."""

from __future__ import annotations

import csv
import io
import sys
import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from calmgam import Model, load
from calmgam.cli.auditing import audit
from calmgam.cli.editing import calibrate, edit, simplify, undo
from calmgam.cli.exports import export
from calmgam.cli.folders import predict_folder, predictions_of
from calmgam.cli.measuring import slices
from calmgam.cli.options import (
    AsJson,
    BetweenClasses,
    Changes,
    Drop,
    Exposure,
    FeatureType,
    Interval,
    Keep,
    MaybeTableFile,
    ModelFile,
    ObjectiveName,
    Offset,
    Settings,
    TableFile,
    TableOrFolder,
    Task,
    TestTarget,
    Version,
    blaming,
    read_change,
    read_feature_types,
    read_number,
    read_objective,
    read_settings,
    reads_tables,
    wrongly_called,
)
from calmgam.cli.outputs import check_outputs
from calmgam.cli.printing import (
    json_text,
    note,
    print_result,
    show,
    show_columns,
    visible,
)
from calmgam.cli.rows import Added, Roles, measured_rows, model_rows, training_rows
from calmgam.cli.tables import Spelling, read_table
from calmgam.model.files import new_file
from calmgam.read.audit import counterfactual
from calmgam.read.texts.summary import explain as explain_text
from calmgam.read.texts.summary import summary as summary_text
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
        Task | None,
        typer.Option(help="Default: classification if the target has two values, or text."),
    ] = None,
    feature_type: FeatureType = None,
    drop: Drop = None,
    weight: Annotated[
        str | None, typer.Option(help="Column with weights of rows.", metavar="COLUMN")
    ] = None,
    objective: ObjectiveName = None,
    offset: Offset = None,
    exposure: Exposure = None,
    setting: Settings = None,
    seed: Annotated[int, typer.Option(help="Same seed, same model.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Fit a model to a table, say what it found, and save it."""
    from calmgam import CALMClassifier, CALMRegressor

    settings = read_settings(setting or (), CALMRegressor())
    if objective is not None:
        settings["objective"], task = read_objective(objective), Task.regression
    check_outputs({"--out": out, "--report": report}, {"the table": table})
    added = Added(offset, exposure)
    roles = Roles(target, weight, read_feature_types(feature_type or ()), drop or (), added)
    rows = training_rows(read_table(table, how, roles.categorical), roles)
    if rows.n_left_out:
        n_rows = rows.n_left_out + len(rows.y)
        note(f"note: {rows.n_left_out:,} of {n_rows:,} rows have no target and are left out")
    types = {name: said for name, said in roles.types.items() if name in rows.X.column_names}
    task = task or Task(rows.guess_task())
    if task is Task.regression:
        rows.check_regression()
    show_columns(rows.X, f"{task.value} of {target}", types)
    estimator = CALMRegressor if task is Task.regression else CALMClassifier
    calm = estimator(random_state=seed, verbose=sys.stderr.isatty()).set_params(**settings)
    if types:
        calm.set_params(feature_types=(calm.feature_types or {}) | types)
    with blaming(settings), rows.numbered():
        calm.fit(rows.X, rows.y, sample_weight=rows.weights, offset=rows.offset)
    calm.model_ = _with_target(calm.model_, target)
    try:
        if out:
            calm.model_.save(out)
        if report:
            calm.report(report, title=f"{target} of {table.name}")
    finally:  # the disk may be full, and the fit was long
        print_result(model_view(calm.model_).to_dict(), calm.summary(), as_json)
    note(f"\nmodel: {out or 'not saved; --out model.json does that'}")
    if report:
        note(f"report: {report}")


@app.command()
@reads_tables
def predict(
    model: ModelFile,
    table: TableOrFolder,
    how: Spelling,
    out: Annotated[
        Path | None, typer.Option(help="CSV file; default: print. Of a folder: a folder.")
    ] = None,
    keep: Keep = None,
    offset: Offset = None,
    exposure: Exposure = None,
    interval: Interval = None,
    as_json: AsJson = False,
) -> None:
    """Predict every row of a table: a number, or a class and probabilities.

    Of two classes the second one's probability is printed, of more those of all.
    """
    names, added = list(dict.fromkeys(keep or ())), Added(offset, exposure)
    if table.is_dir():
        return predict_folder(load(model), table, out, names, added, interval)
    check_outputs({"--out": out}, {"the model": model, "the table": table})
    fitted = load(model)
    rows = model_rows(table, fitted, how, keep=names, added=added)
    predictions = predictions_of(fitted, rows.columns, added, interval)
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
    return None


@app.command()
@reads_tables
def summary(
    model: ModelFile,
    how: Spelling,
    table: MaybeTableFile = None,
    target: TestTarget = None,
    offset: Offset = None,
    exposure: Exposure = None,
    as_json: AsJson = False,
) -> None:
    """Describe a model on one screen; with a table, measure it too."""
    fitted = load(model)
    X, y, added = measured_rows(table, target, fitted, how, Added(offset, exposure))
    view = model_view(fitted, X, y, offset=added)
    print_result(view.to_dict(), summary_text(fitted, X, y, offset=added), as_json)


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
            help="Also: the smallest change that reaches this score or class, or flips the class.",
            metavar="SCORE|flip|CLASS",
        ),
    ] = None,
    probability: Annotated[
        float | None,
        typer.Option(
            help="Also: the smallest change to this probability; of many classes --reach's.",
            min=0,
            max=1,
        ),
    ] = None,
    between: BetweenClasses = None,
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
    with wrongly_called():
        text = explain_text(fitted, values, between)
        plain = prediction_view(fitted, values, between).to_dict()
    for line in plain["lines"]:
        line["value"] = values[line["name"]]  # numbers as numbers
    has_many = fitted.link == "softmax"
    if reach and probability is not None and not has_many:
        raise typer.BadParameter("--reach and --probability must not both be given")
    if reach or probability is not None:
        is_text = has_many or reach in (None, "flip")
        goal = reach if is_text else read_number("--reach", reach or "")
        with wrongly_called():
            found = counterfactual(fitted, values, goal, probability=probability)
        text, plain = f"{text}\n\n{found}", {**plain, "counterfactual": found.to_dict()}
    print_result(plain, text, as_json)


app.command()(audit)
app.command()(slices)


@app.command()
@reads_tables
def report(
    model: ModelFile,
    how: Spelling,
    table: MaybeTableFile = None,
    target: TestTarget = None,
    offset: Offset = None,
    exposure: Exposure = None,
    out: Annotated[
        Path | None, typer.Option(help="HTML file; default: beside the model file.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    origin: Annotated[
        str | None, typer.Option(help="What TABLE is, such as 'held-out rows of 2025'.")
    ] = None,
) -> None:
    """Write one HTML page that shows, audits and runs a model; it opens without network."""
    from calmgam.read.report import report as write_report

    page = out or model.with_suffix(".html")
    check_outputs({"--out": page}, {"the model": model, "the table": table})
    fitted = load(model)
    X, y, added = measured_rows(table, target, fitted, how, Added(offset, exposure))
    rows = {"X": X, "y": y, "offset": added, "origin": origin or (table and table.name)}
    show(str(write_report(fitted, page, **rows, title=title, target=target)))


app.command()(export)


app.command()(edit)
app.command()(simplify)
app.command()(calibrate)
app.command()(undo)


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


def _with_target(model: Model, target: str) -> Model:
    """Let a model remember the name of the column that it predicts."""
    if model.provenance is None:
        return model
    settings = {**model.provenance.settings, "target": target}
    return replace(model, provenance=replace(model.provenance, settings=settings))


def _csv_text(names: Iterable[str], records: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(records)
    return text.getvalue()
