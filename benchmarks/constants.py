"""What the constants of joint growth matter: each halved and doubled, on known truths.

    python -m benchmarks.constants

The truths are a few of `benchmarks.shapes` and one without interactions. Found are interactions,
false are splits that join nothing; R² is that of the score against the true score on new rows.
`--constants` measures some of them again, with the fits as they are beside them, and leaves the
other rows of the CSV alone. Settings that matter elsewhere: `benchmarks.settings`.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from pkgutil import resolve_name
from unittest.mock import patch

import numpy as np
import pandas as pd

from benchmarks import tables
from benchmarks.environments import ROOT
from benchmarks.run import names
from benchmarks.shapes import Truth, fit_one

FACTORS = (0.5, 2.0)
SMALL = (
    Truth(300, 5, strength="weak"),
    Truth(500, 20, ()),
    Truth(500, 20, (3, 2), columns="correlated"),
)
LARGE = (Truth(10_000, 50),)  # where targets are part y, and not all pairs are searched
OF_LARGE = ("sweeps", "few_rows", "share_per_row", "max_share", "max_pairs", "max_rows")
NOT_HERE = ("n_background", "max_directions")  # see `benchmarks.settings`
AS_THEY_ARE = "all as they are, {} truths"
HOLDERS = {  # constants that are no setting of `Joint`, and where growth looks them up
    "calmgam.fit.regions.joint.path.CROWDING": (
        "rows_per_bin",
        "bins_per_row",
        "min_bins",
        "memory",
    ),
    "calmgam.fit.regions.joint.pairs.PAIRS": ("max_pairs", "max_rows"),
    "calmgam.fit.data.folds.FOLDS": (
        "n_folds",
        "most_folds",
        "affordable_rows",
        "affordable_cells",
        "min_rows",
    ),
}


def constants() -> dict[str, float]:
    """Return every tuned number of joint growth by name."""
    from calmgam import Joint
    from calmgam.fit.data.folds import FOLDS
    from calmgam.fit.regions.joint.crowding import CROWDING
    from calmgam.fit.regions.joint.pairs import PAIRS
    from calmgam.fit.support.parts import tuned_settings

    parts = (Joint, type(CROWDING), type(PAIRS), type(FOLDS))
    every = {name: value for part in parts for name, value, _ in tuned_settings(part)}
    return {name: value for name, value in every.items() if name not in NOT_HERE}


def changed(value: float, factor: float) -> float:
    """Return a constant times a factor; whole numbers stay whole, shares at most 1."""
    if isinstance(value, int):
        return max(1, round(value * factor))
    return min(value * factor, 1.0) if value < 1 else value * factor


@contextmanager
def growth_with(name: str, value: float) -> Iterator[object]:
    """Give a way of growing with one constant changed, while the block lasts."""
    from calmgam import Joint

    for place, held in HOLDERS.items():
        if name in held:
            with patch(place, replace(resolve_name(place), **{name: value})):
                yield "joint"
            return
    yield Joint(**{name: value})


def measure(name: str, value: float) -> list[dict]:
    """Fit the truths on which a constant may matter."""
    with growth_with(name, value) as growth:
        rows = [fit_one(truth, 0, growth) for truth in (LARGE if name in OF_LARGE else SMALL)]
    return [{"constant": name, "value": value, **row, "growth": "joint"} for row in rows]


def measured(chosen: list[str]) -> Iterator[dict]:
    """Fit with everything as it is, then with one constant after the other changed."""
    default = constants()
    for name in ("max_auto_splits", "sweeps"):  # one of either group
        if any((one in OF_LARGE) == (name in OF_LARGE) for one in chosen):
            size = "large" if name in OF_LARGE else "small"
            for row in measure(name, default[name]):
                yield {**row, "constant": AS_THEY_ARE.format(size), "value": None}
    for name in chosen:
        for value in dict.fromkeys(changed(default[name], factor) for factor in FACTORS):
            yield from measure(name, value)


@dataclass
class Written:
    """A CSV of measured rows: those of what is measured again make way, others stay.

    Attributes
    ----------
    path : Path
    column : str
        Says what a row is about.
    order : list of str
        All that rows may be about; others are dropped.
    """

    path: Path
    column: str
    order: list[str]
    new: list[dict] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Only this reading gives the other rows back as they were written.
        known = pd.read_csv(self.path, float_precision="round_trip") if self.path.exists() else None
        self.rows = self.known = known

    def add(self, row: dict) -> None:
        """Print a row and write it among the others."""
        print(row, flush=True)
        self.new.append(row)
        rows = pd.DataFrame(self.new)
        if self.known is not None:
            others = set(self.order) - set(rows[self.column])
            rows = pd.concat([self.known[self.known[self.column].isin(others)], rows])
        places = rows[self.column].map(self.order.index)
        self.rows = rows.iloc[np.argsort(places, kind="stable")]
        self.rows.to_csv(self.path, index=False)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per constant and value: what was found and made up, and the mean R²."""
    groups = rows.groupby(["constant", "value"], sort=False, dropna=False)
    table = groups.agg(
        truths=("truth", "size"),
        found=("found", "sum"),
        missed=("missed", "sum"),
        false=("false", "sum"),
        r2=("r2", "mean"),
    ).reset_index()
    default = table["constant"].map(constants())
    return table.assign(
        value=[
            f"{v:g} ({d:g})" if v == v else "" for v, d in zip(table["value"], default, strict=True)
        ]
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.constants", description="Halve and double every constant."
    )
    parser.add_argument("--constants", type=names, default=list(constants()))
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/constants.csv")
    options = parser.parse_args(arguments)
    order = [*(AS_THEY_ARE.format(size) for size in ("small", "large")), *constants()]
    written = Written(options.out, "constant", order)
    for row in measured(options.constants):
        written.add(row)
    tables.publish(options.out, parser.prog, tables.markdown(summary(written.rows)))


if __name__ == "__main__":
    main()
