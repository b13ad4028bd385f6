"""Datasets by name: load(name) -> (X, y, task), and the rows of one fold.

- the public tables of the folder CALMGAM_DATA (one <name>.csv.gz each, listed in datasets.csv),
  and of one of amounts with zeros, as `<name>-positive`, its rows above 0;
- `case1-seed0` … `case3-seed4`: the paper's synthetic cases;
- `million`: a simulated table of 1,000,000 rows with five true interactions.
Folds are those of KFold(5, shuffle=True, random_state=0); the fold `all` trains and tests on
every row, for measurements of time and memory.
"""

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

N_FOLDS = 5
SYNTHETIC = r"case([123])-seed(\d+)"
POSITIVE = "-positive"  # behind the name of a table: its rows above 0


def load(name: str) -> tuple[pd.DataFrame, np.ndarray, str]:
    """Return the features, the target and the task.

    Tasks are "regression", "classification", and those of `benchmarks.targets`: "count", "rate"
    (events per unit of exposure, which `weights` returns), "nonnegative" (amounts, some of them 0),
    "positive" and "multiclass". Classes are 0, 1, 2, … in the order of their labels.
    """
    if name == "million":
        return simulate_million()
    if synthetic := re.fullmatch(SYNTHETIC, name):
        case, seed = map(int, synthetic.groups())
        return simulate_case(case, seed)
    return read_table(name)


def folder() -> Path:
    if not os.environ.get("CALMGAM_DATA"):
        raise RuntimeError(
            "the environment variable CALMGAM_DATA must name the folder that holds datasets.csv "
            "and the <name>.csv.gz files; it is not set"
        )
    return Path(os.environ["CALMGAM_DATA"])


def catalogue() -> pd.DataFrame:
    """Return one row per public table: its task, size and categorical columns."""
    return pd.read_csv(folder() / "datasets.csv", keep_default_na=False).set_index("name")


def read_table(name: str) -> tuple[pd.DataFrame, np.ndarray, str]:
    table, listed = stored(name)
    target, weights = table.pop("target").to_numpy(), weights_in(table, listed)
    if weights is not None:
        table = table.drop(columns=weights.name)
    task = listed["task"]
    if task == "rate":
        target = target / weights.to_numpy()
    elif task == "multiclass" or target.dtype == object:
        target = np.unique(target.astype(str), return_inverse=True)[1]
    return table, target, "positive" if name.endswith(POSITIVE) else task


def weights(name: str) -> np.ndarray | None:
    """Return the exposure or the survey weight of every row, if the table has one."""
    if name == "million" or re.fullmatch(SYNTHETIC, name):
        return None
    found = weights_in(*stored(name))
    return None if found is None else found.to_numpy(dtype=float)


def stored(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return a table as it is stored, and its line of the catalogue."""
    listed, base = catalogue(), name.removesuffix(POSITIVE)
    if base not in listed.index:
        raise ValueError(f"dataset must be one of {', '.join(listed.index)}; got {name!r}")
    path = folder() / f"{base}.csv.gz"
    table = pd.read_csv(path, keep_default_na=False, na_values=[""])  # "NA" may be a level
    categorical = [c for c in listed.loc[base, "categorical_columns"].split(";") if c]
    table[categorical] = table[categorical].astype(str)
    if base != name:
        table = table[table["target"] > 0].reset_index(drop=True)
    return table, listed.loc[base]


def weights_in(table: pd.DataFrame, listed: pd.Series) -> pd.Series | None:
    column = listed.get("exposure") or listed.get("weight")
    return table[column] if column else None


def split(X: pd.DataFrame, y: np.ndarray, fold: str):
    """Return X_train, y_train, X_test, y_test of a fold: "0" to "4", or "all"."""
    train, test = rows_of(fold, len(X))
    return X.iloc[train], y[train], X.iloc[test], y[test]


def rows_of(fold: str, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that train and those that test."""
    if fold == "all":
        return np.arange(n_rows), np.arange(n_rows)
    return list(KFold(N_FOLDS, shuffle=True, random_state=0).split(np.arange(n_rows)))[int(fold)]


def simulate_case(case: int, seed: int, n_rows: int = 1000):
    """Return one of the paper's three synthetic cases: features uniform on [-1, 1], no noise."""
    first = 0 if case == 2 else 1
    columns = np.random.default_rng(seed).uniform(-1, 1, (3, n_rows))
    a, b, c = columns
    additive = a**2 + np.log(np.abs(b))
    if case == 1:
        y = additive + 2 * np.where(b >= 0, np.sin(np.pi / 2 * c), np.cos(np.pi / 2 * c))
    elif case == 2:
        slow = np.where(b >= 0, np.sin(np.pi / 2 * c), np.cos(np.pi / 2 * c))
        fast = np.where(b >= 0, np.sin(2 * np.pi * c), np.cos(2 * np.pi * c))
        y = additive + 2 * np.where(a >= 0, slow, fast)
    else:
        y = a**2 + np.log(np.abs(b)) * np.sin(np.pi / 2 * c)
    X = pd.DataFrame({f"x{first + i}": column for i, column in enumerate(columns)})
    return X, y, "regression"


def simulate_million(n_rows: int = 1_000_000, n_features: int = 20, seed: int = 0):
    """Return additive curves in every feature, and five curves that a sixth to tenth one switches.

    The curve of x0 has one sign when x5 is over a threshold and the other one below it; so have
    x1 given x6, …, x4 given x9.
    """
    rng = np.random.default_rng(seed)
    columns = rng.uniform(-1, 1, (n_features, n_rows))  # one contiguous row per feature
    y = rng.normal(0, 0.5, n_rows)
    for i, column in enumerate(columns):
        y += np.sin(np.pi * column) if i % 2 else column**2
    for i, threshold in enumerate((-0.4, -0.2, 0.0, 0.2, 0.4)):
        y += np.where(columns[i + 5] > threshold, 1.5, -1.5) * columns[i]
    X = pd.DataFrame(columns.T, columns=[f"x{i}" for i in range(n_features)])
    return X, y, "regression"
