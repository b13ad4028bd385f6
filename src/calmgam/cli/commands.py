"""The commands, one function each, and what they show."""

from __future__ import annotations

import csv
import json
import math
import sys
import warnings
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table
from typer.core import TyperGroup

from calmgam import Model, load
from calmgam.cli.options import (
    AsJson,
    Categorical,
    Changes,
    Drop,
    MaybeTableFile,
    Missing,
    ModelFile,
    Numeric,
    Settings,
    TableFile,
    Task,
    TestTarget,
    Version,
    check_name,
    feature_called,
    read_number,
    read_pair,
    read_setting,
    read_value,
)
from calmgam.cli.tables import did_you_mean, read_table, training_rows
from calmgam.model.schema import Feature, Schema
from calmgam.read.audit import counterfactual, jumps, monotonicity, sensitivity
from calmgam.read.text import N_COLUMNS
from calmgam.read.text import explain as explain_text
from calmgam.read.text import summary as summary_text
from calmgam.read.view_types import joint_jumps
from calmgam.read.views import model_view, prediction_view
from calmgam.read.wording import brief_number

MAX_COLUMNS = 40
NOTES = Console(stderr=True, highlight=False, soft_wrap=True)


class Commands(TyperGroup):
    """Commands whose failures and warnings are one line, not a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: _note(f"note: {message}")
            try:
                return super().invoke(ctx)
            except BrokenPipeError:
                raise  # whoever read us has seen enough
            except ModuleNotFoundError as error:
                _note(f"error: {error}; pip install {error.name}")
            except (ValueError, OSError, ImportError) as error:
                _note(f"error: {error}")
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
def fit(
    table: TableFile,
    target: Annotated[str, typer.Option(help="Column to predict.", metavar="COLUMN")],
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
    missing: Missing = None,
    setting: Settings = None,
    seed: Annotated[int, typer.Option(help="Same seed, same model.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Fit a model to a table, say what it found, and save it."""
    from calmgam import CALMClassifier, CALMRegressor

    settings = dict(read_setting(text, CALMRegressor().get_params()) for text in setting or ())
    for path in (out, report):
        if path and not path.parent.is_dir():
            raise typer.BadParameter(f"there is no folder {path.parent}")
    data = read_table(table, categorical or (), missing or ())
    left_out = [target, *([weight] if weight else ()), *(drop or ())]
    for name in [*left_out, *(categorical or ()), *(numeric or ())]:
        check_name("column", name, data.column_names)
    rows = training_rows(data, target, weight, numeric or (), set(left_out))
    if rows.n_left_out:
        _note(f"note: {rows.n_left_out} of {data.num_rows} rows have no target and are left out")
    task = task or Task(rows.guess_task())
    _show_columns(Schema.learn(rows.X), len(rows.y), f"{task.value} of {target}")
    estimator = CALMRegressor if task is Task.regression else CALMClassifier
    calm = estimator(random_state=seed, verbose=sys.stderr.isatty()).set_params(**settings)
    calm.fit(rows.X, rows.y, sample_weight=rows.weights)

    if out:
        calm.model_.save(out)
    if report:
        calm.report(report, title=f"{target} of {table.name}")
    _print(model_view(calm.model_).to_dict(), calm.summary(), as_json)
    _note(f"\nmodel: {out or 'not saved; --out model.json does that'}")
    if report:
        _note(f"report: {report}")


@app.command()
def predict(
    model: ModelFile,
    table: TableFile,
    out: Annotated[Path | None, typer.Option(help="CSV file; default: print.")] = None,
    missing: Missing = None,
    as_json: AsJson = False,
) -> None:
    """Predict every row of a table: a number, or a class and the second class's probability."""
    fitted = load(model)
    X = _rows(table, fitted, missing)
    mean = fitted.predict(X).tolist()
    columns = {"prediction": mean}
    if fitted.link == "logit":
        first, second = fitted.classes
        columns["prediction"] = [second if p > 0.5 else first for p in mean]
        columns[f"probability_{second}"] = mean
    records = list(zip(*columns.values(), strict=True))
    if as_json:
        _print([dict(zip(columns, record, strict=True)) for record in records], "", True)
        return
    with out.open("w", encoding="utf-8", newline="") if out else nullcontext(sys.stdout) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(records)


@app.command()
def summary(
    model: ModelFile,
    table: MaybeTableFile = None,
    target: TestTarget = None,
    missing: Missing = None,
    as_json: AsJson = False,
) -> None:
    """Describe a model on one screen; with a table, measure it too."""
    fitted = load(model)
    X, y = _test_rows(table, target, fitted, missing)
    _print(model_view(fitted, X, y).to_dict(), summary_text(fitted, X, y), as_json)


@app.command()
def explain(
    model: ModelFile,
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
    missing: Missing = None,
    as_json: AsJson = False,
) -> None:
    """Explain one prediction, line by line: a row of a table, or values given by --with."""
    fitted = load(model)
    values: dict[str, Any] = {}
    if table:
        X = _rows(table, fitted, missing)
        if row > X.num_rows:
            raise typer.BadParameter(f"--row must be at most {X.num_rows}; got {row}")
        values = X.slice(row - 1, 1).to_pylist()[0]
    for text in change or ():
        name, value = read_pair(text, "--with")
        values[name] = read_value(feature_called(fitted, name), value)
    text, plain = explain_text(fitted, values), prediction_view(fitted, values).to_dict()
    if reach:
        goal = reach if reach == "flip" else read_number("--reach", reach)
        found = counterfactual(fitted, values, goal)
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
    if feature is None:
        if start or stop:
            raise typer.BadParameter("--from and --to need a feature: calmgam audit MODEL FEATURE")
        _audit_all(fitted, given, as_json)
        return
    chosen = feature_called(fitted, feature)
    reports: dict[str, Any]
    if start is None and stop is None:
        reports = {
            "monotonicity": monotonicity(fitted, feature, given),
            "jumps": jumps(fitted, feature),
        }
    elif start is None or stop is None:
        raise typer.BadParameter("a change needs both --from and --to")
    else:
        ends = read_value(chosen, start), read_value(chosen, stop)
        reports = {"sensitivity": sensitivity(fitted, feature, *ends, given)}
    plain = {name: report.to_dict() for name, report in reports.items()}
    _print(plain, "\n".join(map(str, reports.values())), as_json)


@app.command()
def report(
    model: ModelFile,
    table: MaybeTableFile = None,
    target: TestTarget = None,
    out: Annotated[
        Path | None, typer.Option(help="HTML file; default: beside the model file.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    missing: Missing = None,
) -> None:
    """Write one HTML page that shows, audits and runs a model; it opens without network."""
    from calmgam.read.report import report as write_report

    fitted = load(model)
    X, y = _test_rows(table, target, fitted, missing)
    path = write_report(fitted, out or model.with_suffix(".html"), X=X, y=y, title=title)
    typer.echo(path)


@app.command()
def demo(
    rows: Annotated[int, typer.Option(help="Rows to simulate.", min=100)] = 5000,
    out: Annotated[Path, typer.Option(help="Folder for what is drawn.")] = Path("demo_output"),
    features: Annotated[
        int | None, typer.Option(help="Draw only the most important ones.", min=1)
    ] = None,
) -> None:
    """Fit simulated bike rentals, and show what was found beside what was put in."""
    from calmgam.demo import run

    run(rows, out, features)


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
        table.add_row(
            escape(view.name), verdict, escape("\n".join(map(str, joint_jumps(view.jumps))))
        )
        plain.append(found.to_dict() | {"jumps": [jump.to_dict() for jump in view.jumps]})
    if as_json:
        _print(plain, "", True)
    else:
        width = None if sys.stdout.isatty() else N_COLUMNS
        Console(highlight=False, width=width).print(table)


def _show_columns(schema: Schema, n_rows: int, title: str) -> None:
    """Show what the columns are taken for."""
    table = Table("column", "taken as", "values", box=None, pad_edge=False)
    for feature in schema.features[:MAX_COLUMNS]:
        note = ", some missing" if feature.has_missing else ""
        table.add_row(escape(feature.name), feature.kind, escape(_values_text(feature)) + note)
    _note(f"{title}, {n_rows:,} rows, {schema.n_features} features")
    NOTES.print(table)
    if schema.n_features > MAX_COLUMNS:
        _note(f"and {schema.n_features - MAX_COLUMNS} more columns")
    _note("")


def _values_text(feature: Feature) -> str:
    if feature.is_numeric:
        is_empty = math.isnan(feature.low)
        return (
            "none" if is_empty else f"{brief_number(feature.low)} to {brief_number(feature.high)}"
        )
    first = " ".join(", ".join(feature.levels[:4]).split())  # on one line
    return f"{feature.n_levels}: {first}, …" if feature.n_levels > 4 else first


def _rows(path: Path, model: Model, missing: Iterable[str] | None, *others: str) -> Any:
    """Read the columns that a model asks for, and others, of a table."""
    text = [feature.name for feature in model.schema.features if feature.kind == "categorical"]
    table = read_table(path, text, list(missing or ()))
    wanted = (*model.schema.names, *others)
    for name in wanted:
        if name not in table.column_names:
            hint = did_you_mean(name, table.column_names)
            raise ValueError(f"{path} must have a column called {name!r}; {hint}")
    return table.select(wanted)


def _test_rows(
    path: Path | None, target: str | None, model: Model, missing: Iterable[str] | None
) -> tuple[Any, Any]:
    """Read rows on which a model is measured, if there are any."""
    if (path is None) != (target is None):
        raise typer.BadParameter("measuring a model needs both TABLE and --target")
    if path is None or target is None:
        return None, None
    if target in model.schema.names:
        raise typer.BadParameter(f"{target!r} is a feature of the model, so not its target")
    rows = training_rows(_rows(path, model, missing, target), target)
    if unknown := set(rows.y.tolist()) - set(model.classes or rows.y.tolist()):
        raise ValueError(f"{target!r} must hold the classes {model.classes}; got {unknown}")
    return rows.X, rows.y


def _print(plain: Any, text: str, as_json: bool) -> None:
    typer.echo(json.dumps(plain, ensure_ascii=False, indent=1) if as_json else text)


def _note(text: str) -> None:
    NOTES.print(text, markup=False)
