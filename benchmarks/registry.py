"""The paper's 25 datasets: their public homes, and what is done to each before anyone splits it.

A home is `uci:<id>`, `openml:<id>`, `pmlb:<name>`, `sklearn:<name>` or `url:<address>`; MIMIC-II
has none, since its use needs an agreement with its owner. The target is moved to the last column
and called `target`; classes become 0 and 1.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

COMPAS = "github.com/propublica/compas-analysis/raw/master/compas-scores-two-years.csv"
COMPAS_FEATURES = (
    *("sex", "age", "age_cat", "race", "juv_fel_count", "juv_misd_count", "juv_other_count"),
    *("priors_count", "c_charge_degree"),
)


@dataclass(frozen=True)
class Dataset:
    """One dataset of the paper.

    Attributes
    ----------
    home, target
        Where it is to be had, and its target column there.
    n_rows, n_features
        What must be left after the preparation.
    positive
        The label that becomes class 1; empty for regression.
    drop
        Columns that are left out.
    steps
        What else is done, in this order, to the table as it comes from its home.
    categorical
        Columns whose values are levels although they may look like numbers.
    """

    home: str
    target: str
    n_rows: int
    n_features: int
    positive: str = ""
    drop: tuple[str, ...] = ()
    steps: tuple[Callable[[pd.DataFrame], pd.DataFrame], ...] = ()
    categorical: tuple[str, ...] = ()

    @property
    def task(self) -> str:
        """Return "classification" where there is a positive label, else "regression"."""
        return "classification" if self.positive else "regression"

    def prepared(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the table of the home as the benchmarks use it, or say how its size differs."""
        for step in self.steps:
            table = step(table)
        table = table.drop(columns=list(self.drop)).reset_index(drop=True)
        target = table.pop(self.target)
        if self.positive:
            target = (target.astype(str).str.strip().str.rstrip(".") == self.positive).astype(int)
        if (found := table.shape) != (wanted := (self.n_rows, self.n_features)):
            raise ValueError(f"{self.home} must give {wanted} rows and features; got {found}")
        return table.assign(target=target)

    def categories_of(self, table: pd.DataFrame) -> list[str]:
        """Return the columns of text, and those that only look like numbers."""
        text = table.select_dtypes(exclude="number").columns
        return [name for name in table.columns if name in text or name in self.categorical]


def without_missing(table: pd.DataFrame) -> pd.DataFrame:
    return table.replace("?", float("nan")).dropna()


def numeric(table: pd.DataFrame) -> pd.DataFrame:
    return table.apply(pd.to_numeric)


def unknown_as_level(table: pd.DataFrame) -> pd.DataFrame:
    return table.fillna("unknown")


def screened(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the rows of ProPublica's analysis, with a described charge, and the paper's columns."""
    kept = table["days_b_screening_arrest"].between(-30, 30) & (table["is_recid"] != -1)
    kept &= (table["c_charge_degree"] != "O") & (table["score_text"] != "N/A")
    kept &= table["c_charge_desc"].notna()
    return table.loc[kept, [*COMPAS_FEATURES, "two_year_recid"]]


def functioning_days(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the hours in which bikes could be rented; day, month and weekday instead of the date."""
    table = table[table["Functioning Day"] == "Yes"]
    date = pd.to_datetime(table["Date"], format="%d/%m/%Y").dt
    return table.assign(day=date.day, month=date.month, weekday=date.day_of_week)


def seconds_since_midnight(table: pd.DataFrame) -> pd.DataFrame:
    compact = table["date"].astype(str).str.replace(r"^(\d{4}-\d\d-\d\d)(?=\d)", r"\1 ", regex=True)
    time = pd.to_datetime(compact).dt
    return table.assign(nsm=time.hour * 3600 + time.minute * 60 + time.second)


SENSORY = (
    *("Occasion", "Judges", "Interval", "Sittings", "Position", "Squares"),
    *("Rows", "Columns", "Halfplot", "Trellis", "Method"),
)
PARKINSONS = {"home": "uci:189", "n_rows": 5875, "n_features": 19}
DATASETS = {
    "adult": Dataset(
        "uci:2", "income", 45222, 13, ">50K", drop=("fnlwgt",), steps=(without_missing,)
    ),
    "compas": Dataset(f"url:https://{COMPAS}", "two_year_recid", 6167, 9, "1", steps=(screened,)),
    "heloc": Dataset("openml:46932", "RiskPerformance", 10459, 23, "Bad"),
    "mimic2": Dataset("", "target", 24508, 17, "1"),
    "appendicitis": Dataset("pmlb:appendicitis", "target", 106, 7, "1"),
    "phoneme": Dataset("pmlb:phoneme", "target", 5404, 5, "1"),
    "spectf": Dataset("pmlb:spectf", "target", 349, 44, "1"),
    "magic": Dataset("uci:159", "class", 19020, 10, "g"),
    "bank": Dataset("uci:222", "y", 45211, 16, "yes", steps=(unknown_as_level,)),
    "churn": Dataset(
        "pmlb:churn",
        "target",
        *(5000, 19, "1"),
        drop=("phone number",),
        categorical=("state", "area code", "international plan", "voice mail plan"),
    ),
    "bike_sharing": Dataset(
        "uci:275", "cnt", 17379, 11, drop=("instant", "dteday", "casual", "registered", "atemp")
    ),
    "california_housing": Dataset("sklearn:california_housing", "MedHouseVal", 20640, 8),
    "parkinsons_motor": Dataset(
        target="motor_UPDRS", drop=("subject#", "total_UPDRS"), **PARKINSONS
    ),
    "parkinsons_total": Dataset(
        target="total_UPDRS", drop=("subject#", "motor_UPDRS"), **PARKINSONS
    ),
    "seoul_bike": Dataset(
        *("uci:560", "Rented Bike Count", 8465, 14),
        drop=("Date", "Functioning Day"),
        steps=(functioning_days,),
    ),
    "wine": Dataset("uci:186", "quality", 6497, 11, drop=("color",)),
    "energy": Dataset(
        "uci:374", "Appliances", 19735, 28, drop=("date",), steps=(seconds_since_midnight,)
    ),
    "ccpp": Dataset("uci:294", "PE", 9568, 4),
    "electrical": Dataset("uci:471", "stab", 10000, 12, drop=("stabf",)),
    "elevators": Dataset("openml:216", "Goal", 16599, 18),
    "no2": Dataset("openml:547", "no2_concentration", 500, 7),
    "sensory": Dataset("openml:546", "Score", 576, 11, categorical=SENSORY),
    "airfoil": Dataset("uci:291", "scaled-sound-pressure", 1503, 5),
    "skill_craft": Dataset("uci:272", "LeagueIndex", 3338, 19, steps=(without_missing, numeric)),
    "ailerons": Dataset("openml:296", "goal", 13750, 40),
}
