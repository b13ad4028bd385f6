"""Tables from the CSV files of `benchmarks.run`, printed and written as Markdown.

    python -m benchmarks.tables benchmarks/results/speed.csv --compare own_gam:ebm \
        --out benchmarks/results/speed.md

A comparison takes the (dataset, fold) cells that both models finished, averages folds, and gives
ours / rival for the error and rival / ours for the seconds; ratios are averaged geometrically.
"""

import argparse
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd

MEASURES = {"error": "error", "fit_seconds": "fit s", "n_interactions": "interactions"}


def read(path: Path) -> pd.DataFrame:
    """Return the finished cells of a CSV."""
    table = pd.read_csv(path, dtype={"fold": str})
    return table[table["status"] == "ok"]


def read_first(*paths: Path) -> pd.DataFrame:
    """Return the finished cells of several CSVs; the first that has a cell counts."""
    cells = pd.concat([read(path) for path in paths if path.exists()])
    return cells.drop_duplicates(["dataset", "model", "fold"])


def geometric_mean(ratios: pd.Series) -> float:
    return float(np.exp(np.log(ratios).mean()))


def wide(measured: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return dataset × model, the mean over folds."""
    mean = measured.pivot_table(measure, "dataset", "model", sort=False)
    return mean.reset_index().rename_axis(columns=None)


def compare(measured: pd.DataFrame, ours: str, rival: str) -> pd.DataFrame:
    """Return one row per dataset and a last one with the geometric means of the ratios."""
    cells = measured.set_index(["dataset", "fold", "model"])[list(MEASURES)].unstack("model")
    both = cells.reindex(columns=[(m, name) for m in MEASURES for name in (ours, rival)])
    both = both.dropna(subset=[("error", ours), ("error", rival)])
    mean = both.groupby("dataset").mean()
    mean = mean.reindex([name for name in measured["dataset"].unique() if name in mean.index])
    table = pd.DataFrame({"dataset": mean.index})
    for measure, label in MEASURES.items():
        for name in (ours, rival):
            table[f"{label} {name}"] = mean[measure, name].to_numpy()
    error = mean["error", ours] / mean["error", rival]
    speed = mean["fit_seconds", rival] / mean["fit_seconds", ours]
    table["error ratio"] = error.to_numpy()
    table["times faster"] = speed.to_numpy()
    table.loc[len(table)] = {
        "dataset": "geometric mean",
        "error ratio": geometric_mean(error),
        "times faster": geometric_mean(speed),
    }
    return table


def summarise(measured: pd.DataFrame, pairs: list[list[str]]) -> pd.DataFrame:
    """Return one row per comparison: how many datasets, ratios in the mean, the worst error."""
    rows = []
    for ours, rival in pairs:
        *each, mean = compare(measured, ours, rival).to_dict("records")
        rows.append(
            {
                "model": ours,
                "rival": rival,
                "datasets": len(each),
                "error ratio": mean["error ratio"],
                "largest": max(row["error ratio"] for row in each),
                "times faster": mean["times faster"],
            }
        )
    return pd.DataFrame(rows)


def comparison_text(measured: pd.DataFrame, ours: str, rival: str) -> str:
    return section(f"{ours} against {rival}", compare(measured, ours, rival))


def section(title: str, table: pd.DataFrame) -> str:
    return f"## {title}\n\n{markdown(table)}"


def markdown(table: pd.DataFrame) -> str:
    """Return a Markdown table with aligned columns; numbers have four significant digits."""
    lines = [list(table.columns), *table.map(cell_text).to_numpy().tolist()]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    is_number = [pd.api.types.is_numeric_dtype(table[c]) for c in table.columns]
    rules = [
        "-" * (width - number) + ":" * number
        for width, number in zip(widths, is_number, strict=True)
    ]
    return "\n".join(
        f"| {' | '.join(aligned(line, widths, is_number))} |"
        for line in [lines[0], rules, *lines[1:]]
    )


def publish(out: Path, command: str, text: str) -> None:
    """Print a text, and write it beside the CSV that it is made from, with the command."""
    out.with_suffix(".md").write_text(f"Made by `{command}`.\n\n{text}\n")
    print("\n" + text)


def aligned(line, widths, is_number):
    for text, width, number in zip(line, widths, is_number, strict=True):
        yield text.rjust(width) if number else text.ljust(width)


def cell_text(value) -> str:
    if isinstance(value, str | bool):
        return str(value)
    if pd.isna(value):
        return ""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tables", description="Compare measured models."
    )
    parser.add_argument("results", type=Path, help="CSV written by benchmarks.run")
    parser.add_argument("--compare", action="append", default=[], metavar="OURS:RIVAL")
    parser.add_argument("--wide", action="append", default=[], metavar="MEASURE", help="e.g. error")
    parser.add_argument("--out", type=Path, help="Markdown file")
    parser.add_argument("--summary", type=Path, help="Markdown file with a line per comparison")
    options = parser.parse_args(arguments)
    measured = read(options.results)
    pairs = [pair.split(":") for pair in options.compare]
    parts = [comparison_text(measured, *pair) for pair in pairs]
    parts += [section(measure, wide(measured, measure)) for measure in options.wide]
    text = "\n\n".join(parts)
    print(text)
    if options.out:
        command = shlex.join(["python", "-m", "benchmarks.tables", *(arguments or sys.argv[1:])])
        options.out.write_text(f"Made by `{command}`.\n\n{text}\n")
    if options.summary:
        options.summary.write_text(markdown(summarise(measured, pairs)) + "\n")


if __name__ == "__main__":
    main()
