"""Who wins: one model against another, dataset by dataset, and the counts.

Over folds a difference counts when it is larger than one standard error of the paired fold
differences; on a single fold when it is larger than a tolerance.
"""

import numpy as np
import pandas as pd

WORDS = {-1: "better", 0: "level", 1: "worse"}


def errors_of(measured: pd.DataFrame, ours: str, rival: str) -> pd.DataFrame:
    """Return (dataset, fold) × {ours, rival}: the errors of the cells that both finished."""
    errors = measured.set_index(["dataset", "fold", "model"])["error"].unstack("model")
    errors = errors.reindex(measured["dataset"].unique(), level="dataset")
    return errors.reindex(columns=[ours, rival]).dropna()


def over_folds(measured: pd.DataFrame, ours: str, rival: str) -> pd.DataFrame:
    """Return one row per dataset with at least two folds: difference, standard error, verdict."""
    errors = errors_of(measured, ours, rival)
    folds = errors.assign(difference=errors[ours] - errors[rival]).groupby("dataset", sort=False)
    table = folds.mean().assign(se=folds["difference"].sem()).dropna()
    # where one fold alone differs, the two are equal but for rounding
    outside = table["difference"].abs() > table["se"] * (1 + 1e-9)
    table["verdict"] = (np.sign(table["difference"]) * outside).map(WORDS)
    return table.reset_index().rename_axis(columns=None)


def on_fold(
    measured: pd.DataFrame, ours: str, rival: str, fold: str = "0", tolerance: float = 0.01
) -> pd.DataFrame:
    """Return one row per dataset: the ratio of errors on a fold; within the tolerance is level."""
    table = errors_of(measured[measured["fold"] == fold], ours, rival).droplevel("fold")
    table["ratio"] = table[ours] / table[rival]
    outside = (table["ratio"] - 1).abs() > tolerance
    table["verdict"] = (np.sign(table["ratio"] - 1) * outside).map(WORDS)
    return table.reset_index().rename_axis(columns=None)


def counts(table: pd.DataFrame) -> str:
    """Return the verdicts of a table counted, e.g. "better 14, level 9, worse 1 (of 24)"."""
    found = table["verdict"].value_counts()
    counted = ", ".join(f"{word} {found.get(word, 0)}" for word in WORDS.values())
    return f"{counted} (of {len(table)})"


def against_everyone(measured: pd.DataFrame, ours: str) -> pd.DataFrame:
    """Return the counts against every other model, by either rule."""
    rules = {"folds, one standard error": over_folds, "fold 0, 1 %": on_fold}
    rows = []
    for rival in (name for name in measured["model"].unique() if name != ours):
        for rule, compared in rules.items():
            found = compared(measured, ours, rival)["verdict"].value_counts()
            if len(found):
                rows.append((rival, rule, *(found.get(word, 0) for word in WORDS.values())))
    return pd.DataFrame(rows, columns=["rival", "rule", *WORDS.values()])
