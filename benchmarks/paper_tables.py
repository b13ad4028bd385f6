"""The paper's tables from measured cells: ours beside the published figure and the difference.

A cell reads `ours / published (difference)`, `–` where nothing was measured, `*` where fewer than
five folds were. Ticks compare unrounded means over the folds that all compared models finished, and
have a `*` where these are fewer than five; those of the published figures, which are known rounded
only, count ties.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import product

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
GA2MS = (  # CALM's rivals with pairs: one alone, all, and those whose fit here is good
    ("EB2M",),
    tuple(paper.PAIRWISE),
    tuple(name for name in paper.PAIRWISE if name != "NODE-GA2M"),
)
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


def on_common_folds(measured: pd.DataFrame, layout: Layout, labels: list[str]) -> pd.DataFrame:
    """Return (dataset, fold) × label, where all were measured; better is lower."""
    models = [layout.models[label] for label in labels]
    cells = measured.set_index(["dataset", "fold", "model"])[layout.measure].unstack("model")
    return as_costs(cells.reindex(columns=models).dropna().set_axis(labels, axis=1), layout)


def as_costs(table: pd.DataFrame, layout: Layout) -> pd.DataFrame:
    """Turn the sign where higher is better."""
    return table.astype(float) * (1 if layout.lower_is_better else -1)


def not_worse(costs: pd.DataFrame, ours: str, rivals: list[str]) -> pd.Series:
    """Return per dataset whether ours is no worse than the mean of the rivals."""
    means = costs[rivals].mean(axis=1)
    return costs[ours] <= means + 1e-9 * means.abs()  # a sum's order must not decide


def any_of(marks: Iterable[pd.Series]) -> pd.Series:
    """Return per dataset whether any mark is true; nothing where none is known."""
    known = pd.concat(list(marks), axis=1).astype(float).max(axis=1)
    return known.map({1.0: True, 0.0: False}).astype(object)


def ticks(measured: pd.DataFrame, layout: Layout, ours: list[str], rivals: list[str]):
    """Return per dataset whether the best of ours is no worse: our figures, the published ones.

    `is_sure` is whether five folds say so.
    """
    printed = as_costs(published(layout), layout)
    cells = {label: on_common_folds(measured, layout, [label, *rivals]) for label in ours}
    by_dataset = {label: part.groupby("dataset") for label, part in cells.items()}
    mine = any_of(not_worse(part.mean(), label, rivals) for label, part in by_dataset.items())
    n_folds = pd.concat([part.size() for part in by_dataset.values()], axis=1).max(axis=1)
    theirs = any_of(not_worse(printed, label, rivals) for label in ours)
    return pd.DataFrame(
        {
            "ours": mine.reindex(printed.index),
            "published": theirs,
            "is_sure": n_folds.reindex(printed.index).fillna(0) >= N_FOLDS,
        }
    )


def tick_text(marks: pd.DataFrame) -> list[str]:
    found = marks.where(marks.notna(), None)
    return [
        f"{TICK[ours]}{'' if sure or ours is None else '*'} / {TICK[theirs]}"
        for ours, theirs, sure in found[[*WHOSE, "is_sure"]].to_numpy()
    ]


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
        notes.append(f"{title}: {counted(marks)}{in_print(layout, rivals)}.")
    return with_title(layout, table) + "\n\n" + "\n".join(notes)


def in_print(layout: Layout, rivals: Iterable[str]) -> str:
    """Return what the paper itself counts, where its printed figures lead to another number."""
    count = paper.TICKS_IN_PRINT.get((layout.number, tuple(rivals)))
    return "" if count is None else f"; the paper ticks {count}"


def pairwise_counts(measured: pd.DataFrame) -> pd.DataFrame:
    """Return how often `paper()` and the default are no worse than GA2Ms, tables 2 and 3 together.

    With the number of those ticks that rest on five folds.
    """
    rows = []
    for model, rivals in product(OUR_MODELS, GA2MS):
        marks = pd.concat(
            ticks(
                measured,
                replace(layout, models={**layout.models, "CALM": model}),
                ["CALM"],
                list(rivals),
            )
            for layout in (paper.ACCURACY, paper.RMSE)
        )
        rows.append(
            {
                "model": model,
                "no worse than the mean of": ", ".join(rivals),
                "ours": f"{int(marks['ours'].sum())} of {marks['ours'].count()}",
                "on five folds": int((marks["is_sure"] & marks["ours"].notna()).sum()),
                "published": f"{int(marks['published'].sum())} of {len(marks)}",
            }
        )
    return pd.DataFrame(rows)


def auto_ticks(measured: pd.DataFrame, layout: Layout) -> pd.DataFrame:
    """Return the ticks of CALM-X against X, its number of splits cross-validated if it can be."""
    twins = paper.calm_models(layout.reference, auto_name)
    models = layout.models | {
        label: twin for label, twin in twins.items() if twin in CONFIGURATIONS
    }
    return learner_ticks(measured, replace(layout, models=models), paper.WITH_OWN_GAM)


def learner_ticks(measured: pd.DataFrame, layout: Layout, plain: dict[str, str]) -> pd.DataFrame:
    """Return the ticks of CALM-X against X, X being the paper's rivals or our own learners."""
    layout = replace(layout, models={**layout.models, **plain})
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


def interaction_means(measured: pd.DataFrame) -> pd.DataFrame:
    """Return the mean number of interactions, on the datasets that a model was measured on."""
    of_model = measured.groupby(["model", "dataset"])["n_interactions"].mean()
    rows = []
    for layout, task in zip(paper.INTERACTIONS, ("classes", "numbers"), strict=True):
        printed = published(layout)["CALM"].astype(float)
        for model in ("calm_paper", "calm_paper_response", "calm_additive", "calm"):
            found = of_model.get(model, pd.Series(dtype=float)).reindex(printed.index).dropna()
            if len(found):
                theirs = printed[found.index].mean()
                rows.append((task, model, len(found), found.mean(), theirs))
    return pd.DataFrame(rows, columns=["task", "model", "datasets", "ours", "published CALM"])


def counts(measured: pd.DataFrame) -> str:
    """Return what is counted over all tables, as Markdown."""
    return "\n\n".join(
        [
            tables.section("Ticks against models with pairs", pairwise_counts(measured)),
            reference_counts(measured),
            tables.section("Interactions, mean over datasets", interaction_means(measured)),
        ]
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
        counts(measured),
        tables.section(f"calm_paper {count}", near),
        tables.section(f"effect_scale response against link: {verdicts.counts(scales)}", scales),
        *(
            tables.section(f"{ours} against everyone", verdicts.against_everyone(measured, ours))
            for ours in OUR_MODELS
        ),
    ]
    return "\n\n".join(parts)
