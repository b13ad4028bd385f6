"""Why boosted trees do so well on doctor_contacts: its people are in both parts of a fold.

    python -m benchmarks.persons

Every person has up to five rows, one a year. Fold 0 of the rows is compared with a fold of whole
people; beside models stands the mean of a person's own training rows, which knows nothing else.
"""

import os

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold

from benchmarks import datasets, rivals, tables
from benchmarks.environments import ROOT
from benchmarks.preprocessing import prepare
from benchmarks.targets import folder
from benchmarks.worker import SEED, scores

TABLE, MODELS = "doctor_contacts", ("own_gam", "hist_gradient_boosting")
OUT = ROOT / "benchmarks/results/persons.csv"


def persons_of(X: pd.DataFrame) -> np.ndarray:
    """Return whose row it is: a person's rows follow each other, every one a year older."""
    same = np.abs(np.diff(X["age"]) - 1.0) < 1e-3
    for name in ("ndisease", "sex", "black"):
        values = X[name].to_numpy()
        same &= values[1:] == values[:-1]
    return np.cumsum(np.r_[True, ~same])


def own_means(y: np.ndarray, person: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the mean of every test row's person, with one row of the overall mean added."""
    overall = y[train].mean()
    rows = pd.Series(y[train]).groupby(person[train]).agg(["sum", "count"])
    means = (rows["sum"] + overall) / (rows["count"] + 1)
    return means.reindex(person[test]).fillna(overall).to_numpy()


def measured(split: str, train: np.ndarray, test: np.ndarray) -> list[dict]:
    """Return the deviance of every model on a split."""
    X, y, task = datasets.load(TABLE)
    person = persons_of(X)
    facts = {"split": split, "known": np.isin(person[test], person[train]).mean()}
    found = {"own_means": own_means(y, person, train, test)}
    for name in MODELS:
        rival = rivals.find(name)
        given = prepare(X.iloc[train], y[train], X.iloc[test], task, rival)
        fitted = rival.fit(given.X_train, given.y_train, task, 1, SEED)
        found[name] = rival.predict(fitted, given.X_test)
    return [
        {**facts, "model": name, "deviance": scores(task, y[test], predicted)["deviance"]}
        for name, predicted in found.items()
    ]


def main() -> None:
    os.environ["CALMGAM_DATA"] = folder()
    X, y, _ = datasets.load(TABLE)
    people = GroupKFold(datasets.N_FOLDS, shuffle=True, random_state=0)
    rows = measured("rows", *datasets.rows_of("0", len(X)))
    rows += measured("people", *next(people.split(X, y, persons_of(X))))
    pd.DataFrame(rows).to_csv(OUT, index=False, lineterminator="\n")
    wide = pd.DataFrame(rows).pivot(index=["split", "known"], columns="model", values="deviance")
    OUT.with_suffix(".md").write_text(
        "Made by `python -m benchmarks.persons`.\n\n"
        + tables.section("Deviance; known: test rows whose person trains", wide.reset_index())
        + "\n"
    )


if __name__ == "__main__":
    main()
