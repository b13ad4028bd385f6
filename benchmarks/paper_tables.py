"""The paper's tables from measured cells: ours beside the published figure and the difference.

A cell reads `ours / published (difference)`, `–` where nothing was measured, `*` where fewer than
five folds were. Ticks compare means over the folds that all compared models finished, rounded as
printed: ties count.
"""

from collections.abc import Iterable
from functools import partial

import pandas as pd

from benchmarks import paper_layout as paper
from benchmarks import tables, verdicts
from benchmarks.datasets import N_FOLDS
from benchmarks.paper_layout import Layout, decimals, published
from benchmarks.registry import DATASETS
from benchmarks.rivals.calm import CONFIGURATIONS, auto_name

MISSING = "–"
WHOSE = ("ours", "published")
TICK = {True: "✓", False: "✗", None: MISSING}
OUR_MODELS = ("calm_paper", "calm")


def beside(measured: pd.DataFrame, layout: Layout) -> pd.DataFrame:
    """Return dataset × label: ours, the published figure and their difference."""
    printed = published(layout)
    folds = measured.groupby(["dataset", "model"])[layout.measure]
    ours, n_folds = folds.mean(), folds.count()

    def cell(dataset: str, label: str) -> str:
        key = (dataset, layout.models[label])
        text = printed.loc[dataset, label]
        if not n_folds.get(key, 0):
            return f"{MISSING} / {text}"
        digits = decimals(text)
        star = "*" if n_folds[key] < N_FOLDS else ""
        difference = round(ours[key], digits) - float(text)
        return f"{ours[key]:.{digits}f}{star} / {text} ({difference:+.{digits}f})"

    cells = [[cell(dataset, label) for label in printed.columns] for dataset in printed.index]
    table = pd.DataFrame(cells, columns=printed.columns)
    table.insert(0, "dataset", printed.index)
    return table.rename_axis(columns=None)


def ours_rounded(measured: pd.DataFrame, layout: Layout, labels: list[str]) -> pd.DataFrame:
    """Return dataset × label over common folds, rounded as printed; better is lower."""
    models = [layout.models[label] for label in labels]
    cells = measured.set_index(["dataset", "fold", "model"])[layout.measure].unstack("model")
    cells = cells.reindex(columns=models).dropna().set_axis(labels, axis=1)
    return as_costs(cells.groupby("dataset").mean(), layout)


def as_costs(table: pd.DataFrame, layout: Layout) -> pd.DataFrame:
    """Round every dataset as the paper prints it; turn the sign where higher is better."""
    digits = published(layout).iloc[:, 0].map(decimals).reindex(table.index).fillna(3).astype(int)
    rounded = table.astype(float).apply(lambda row: row.round(digits[row.name]), axis=1)
    return rounded if layout.lower_is_better else -rounded


def not_worse(costs: pd.DataFrame, ours: str, rivals: list[str]) -> pd.Series:
    """Return per dataset whether ours is no worse than the mean of the rivals."""
    return costs[ours] <= costs[rivals].mean(axis=1) + 1e-9


def any_of(marks: Iterable[pd.Series]) -> pd.Series:
    """Return per dataset whether any mark is true; nothing where none is known."""
    known = pd.concat(list(marks), axis=1).astype(float).max(axis=1)
    return known.map({1.0: True, 0.0: False}).astype(object)


def ticks(measured: pd.DataFrame, layout: Layout, ours: list[str], rivals: list[str]):
    """Return per dataset whether the best of ours is no worse: our figures, the published ones."""
    printed = as_costs(published(layout), layout)
    mine = any_of(
        not_worse(ours_rounded(measured, layout, [label, *rivals]), label, rivals) for label in ours
    )
    theirs = any_of(not_worse(printed, label, rivals) for label in ours)
    return pd.DataFrame({"ours": mine.reindex(printed.index), "published": theirs})


def tick_text(marks: pd.DataFrame) -> list[str]:
    found = marks.where(marks.notna(), None)
    return [f"{TICK[o]} / {TICK[p]}" for o, p in found[list(WHOSE)].to_numpy()]


def counted(marks: pd.DataFrame) -> str:
    """Return how many are ticked of those known: ours, and the published ones if there are any."""
    texts = [
        f"{int(marks[part].sum())} of {marks[part].count()}" for part in marks if part in WHOSE
    ]
    return texts[0] if len(texts) == 1 else f"{texts[0]} (published: {texts[1]})"


def main_table(measured: pd.DataFrame, layout: Layout) -> str:
    """Return table 2 or 3, with CALM against the mean of additive and of pairwise models."""
    table, notes = beside(measured, layout), []
    for rivals in (paper.ADDITIVE, paper.PAIRWISE):
        marks = ticks(measured, layout, ["CALM"], list(rivals))
        title = f"CALM no worse than the mean of {', '.join(rivals)}"
        table[f"≤ {', '.join(rivals)}"] = tick_text(marks)
        notes.append(f"{title}: {counted(marks)}.")
    return with_title(layout, table) + "\n\n" + "\n".join(notes)


def auto_ticks(measured: pd.DataFrame, layout: Layout) -> pd.DataFrame:
    """Return the ticks of CALM-X against X, its number of splits cross-validated if it can be."""
    twins = paper.calm_models(layout.reference, auto_name)
    models = layout.models | {
        label: twin for label, twin in twins.items() if twin in CONFIGURATIONS
    }
    return learner_ticks(measured, Layout(**{**vars(layout), "models": models}), paper.WITH_OWN_GAM)


def learner_ticks(measured: pd.DataFrame, layout: Layout, plain: dict[str, str]) -> pd.DataFrame:
    """Return the ticks of CALM-X against X, X being the paper's rivals or our own learners."""
    layout = Layout(**{**vars(layout), "models": {**layout.models, **plain}})
    return pd.concat(
        ticks(measured, layout, calm_labels(layout, printed), [printed]).assign(learner=printed)
        for printed in plain
    )


def calm_labels(layout: Layout, learner: str = "") -> list[str]:
    return [label for label in layout.models if label.startswith(f"CALM-{learner}")]


def black_box_ticks(measured: pd.DataFrame, layout: Layout) -> pd.DataFrame:
    """Return the ticks of the best CALM variant against the black box."""
    return ticks(measured, layout, calm_labels(layout), [layout.reference.upper()])


def reference_table(measured: pd.DataFrame, layout: Layout) -> str:
    table, marks = beside(measured, layout), learner_ticks(measured, layout, paper.PLAIN)
    for printed, part in marks.groupby("learner", sort=False):
        table[f"CALM-{printed} ≤ {printed}"] = tick_text(part)
    table["best CALM ≤ black box"] = tick_text(black_box_ticks(measured, layout))
    return with_title(layout, table)


def reference_counts(measured: pd.DataFrame) -> str:
    """Return how many of the 225 and of the 75 cells of tables 10 to 15 are ticked."""
    plain, mixed, own, auto, black_box = (
        pd.concat(of_layout(layout) for layout in paper.REFERENCES)
        for of_layout in (
            partial(learner_ticks, measured, plain=paper.PLAIN),
            partial(learner_ticks, measured, plain=paper.WITH_OWN_GAM),
            partial(learner_ticks, measured, plain=paper.OWN),
            partial(auto_ticks, measured),
            partial(black_box_ticks, measured),
        )
    )
    # both in the same order
    either = auto[["ours"]].where(auto[["ours"]].notna(), mixed[["ours"]].to_numpy())
    return (
        "## Ticks of tables 10 to 15\n\n"
        f"- CALM-X no worse than X: {counted(plain)}\n"
        f"- the same with our own GAM instead of EBM: {counted(mixed[['ours']])}\n"
        "- the same, the number of splits of boosted curves and splines cross-validated (-auto): "
        f"{counted(auto[['ours']])}, and with the others as in the paper {counted(either)}\n"
        f"- CALM-X no worse than our own X without regions: {counted(own[['ours']])}\n"
        f"- best CALM no worse than its black box: {counted(black_box)}"
    )


def sizes(measured: pd.DataFrame, task: str) -> pd.DataFrame:
    """Return table 4 or 5: the datasets as measured, and their public homes."""
    found = measured.dropna(subset="n_rows").drop_duplicates("dataset").set_index("dataset")
    chosen = {name: data for name, data in DATASETS.items() if data.task == task}
    return pd.DataFrame(
        {
            "dataset": name,
            "rows": found["n_rows"].get(name, data.n_rows),
            "features": found["n_features"].get(name, data.n_features),
            "home": data.home or "a file of the user",
        }
        for name, data in chosen.items()
    )


def near_published(measured: pd.DataFrame, tolerance: float = 0.03) -> tuple[pd.DataFrame, str]:
    """Return `calm_paper`'s error beside the published one (RMSE or 1 - accuracy), and a count."""
    rows = []
    for layout in (part for part in paper.REFERENCES if part.reference == "xgb"):
        means = (
            measured[measured["model"] == "calm_paper"].groupby("dataset")[layout.measure].mean()
        )
        for dataset, text in published(layout)["CALM-EBM/PDP"].items():
            if dataset in means.dropna():
                pair = round(means[dataset], decimals(text)), float(text)
                ours, theirs = pair if layout.lower_is_better else (1 - pair[0], 1 - pair[1])
                rows.append((dataset, ours, theirs, ours / theirs))
    table = pd.DataFrame(rows, columns=["dataset", "ours", "published", "ratio"])
    near = (table["ratio"] <= 1 + tolerance).sum()
    return (
        table,
        f"within {tolerance:.0%} of the published error, or better: {near} of {len(table)}",
    )


def with_title(layout: Layout, table: pd.DataFrame) -> str:
    return tables.section(f"Table {layout.number}: {layout.title}", table)


def report(measured: pd.DataFrame, synthetic: pd.DataFrame) -> str:
    """Return all tables as Markdown."""
    cases = synthetic.assign(
        dataset=synthetic["dataset"].str.replace(r"case(\d).*", r"case_\1", regex=True)
    )
    near, count = near_published(measured)
    scales = verdicts.over_folds(measured, "calm_paper_response", "calm_paper")
    parts = [
        with_title(paper.SYNTHETIC, beside(cases, paper.SYNTHETIC)),
        main_table(measured, paper.ACCURACY),
        main_table(measured, paper.RMSE),
        tables.section("Table 4: datasets, classification", sizes(measured, "classification")),
        tables.section("Table 5: datasets, regression", sizes(measured, "regression")),
        *(with_title(part, beside(measured, part)) for part in paper.INTERACTIONS),
        *(with_title(part, beside(measured, part)) for part in paper.SECONDS),
        *(reference_table(measured, layout) for layout in paper.REFERENCES),
        reference_counts(measured),
        tables.section(f"calm_paper {count}", near),
        tables.section(f"effect_scale response against link: {verdicts.counts(scales)}", scales),
        *(
            tables.section(f"{ours} against everyone", verdicts.against_everyone(measured, ours))
            for ours in OUR_MODELS
        ),
    ]
    return "\n\n".join(parts)
