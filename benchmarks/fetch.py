"""Bring the paper's datasets from their public homes into a folder for CALMGAM_DATA.

    pip install ucimlrepo openml pmlb
    python -m benchmarks.fetch --out data
    python -m benchmarks.fetch --out data --datasets mimic2 --file mimic2.csv

The folder gets one <name>.csv.gz each, the target last, and datasets.csv, which lists them.
"""

import argparse
from pathlib import Path

import pandas as pd

from benchmarks.registry import DATASETS, Dataset
from benchmarks.run import names


def from_uci(identifier: str) -> pd.DataFrame:
    from ucimlrepo import fetch_ucirepo

    return fetch_ucirepo(id=int(identifier)).data.original


def from_openml(identifier: str) -> pd.DataFrame:
    import openml

    table, *_ = openml.datasets.get_dataset(int(identifier)).get_data()
    return table


def from_pmlb(name: str) -> pd.DataFrame:
    import pmlb

    return pmlb.fetch_data(name)


def from_sklearn(name: str) -> pd.DataFrame:
    from sklearn import datasets

    return getattr(datasets, f"fetch_{name}")(as_frame=True).frame


CLIENTS = {
    "uci": from_uci,
    "openml": from_openml,
    "pmlb": from_pmlb,
    "sklearn": from_sklearn,
    "url": pd.read_csv,
}


def fetch(dataset: Dataset) -> pd.DataFrame:
    """Return the table as its home gives it."""
    client, _, where = dataset.home.partition(":")
    if not client:
        raise ValueError("this dataset has no public home: name its file with --file")
    return CLIENTS[client](where)


def store(name: str, raw: pd.DataFrame, folder: Path) -> None:
    """Prepare a table, write it into the folder and list it there."""
    dataset = DATASETS[name]
    table = dataset.prepared(raw)
    folder.mkdir(parents=True, exist_ok=True)
    table.to_csv(folder / f"{name}.csv.gz", index=False)
    row = {
        "name": name,
        "task": dataset.task,
        "n_rows": dataset.n_rows,
        "n_features": dataset.n_features,
        "categorical_columns": ";".join(dataset.categories_of(table.drop(columns="target"))),
        "source": dataset.home or "a file of the user",
    }
    catalogue = folder / "datasets.csv"
    listed = pd.read_csv(catalogue, keep_default_na=False) if catalogue.exists() else pd.DataFrame()
    others = listed[listed["name"] != name] if len(listed) else listed
    pd.concat([others, pd.DataFrame([row])]).to_csv(catalogue, index=False)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fetch", description="Bring the datasets into a folder."
    )
    with_home = [name for name, dataset in DATASETS.items() if dataset.home]
    parser.add_argument("--datasets", type=names, default=with_home, help="comma-separated")
    parser.add_argument("--file", type=Path, help="CSV of a single dataset, instead of its home")
    parser.add_argument("--out", type=Path, required=True, help="folder to extend")
    options = parser.parse_args(arguments)
    if options.file and len(options.datasets) != 1:
        parser.error(f"--file must come with one dataset; got {len(options.datasets)}")
    for name in options.datasets:
        try:
            raw = pd.read_csv(options.file) if options.file else fetch(DATASETS[name])
            store(name, raw, options.out)
        except Exception as problem:  # the other datasets may still come
            print(f"{name}: {type(problem).__name__}: {problem}")
        else:
            print(f"{name}: {options.out / name}.csv.gz")


if __name__ == "__main__":
    main()
