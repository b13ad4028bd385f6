"""The paper's tables from measured cells: ours beside the published figure and the difference.

A cell reads `ours / published (difference)`, `–` where nothing was measured, `*` where fewer than
five folds were, `†` where a model had other settings than now (`is_before`): an earlier `paper()`,
which was not yet the paper as printed; rivals before they were mended. Ticks compare unrounded
means over the folds that all compared models finished, and have a `*` where these are fewer than
five, a `†` where any cell has; those of the published figures, which are known rounded only, count
ties.
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
    by_cell = measured.groupby(["dataset", "model"])
    ours, n_folds = by_cell[layout.measure].mean(), by_cell[layout.measure].count()
    is_before = by_cell["is_before"].any()

    def cell(dataset: str, label: str) -> str:
        key = (dataset, layout.models[label])
        text = printed.loc[dataset, label]
        if not n_folds.get(key, 0):
            return f"{MISSING} / {text}"
        digits = decimals(text)
        signs = signs_of(n_folds[key] >= N_FOLDS, is_before[key])
        difference = round(ours[key], digits) - float(text)
        return f"{ours[key]:.{digits}f}{signs} / {text} ({difference:+.{digits}f})"

    cells = [[cell(dataset, label) for label in printed.columns] for dataset in printed.index]
    table = pd.DataFrame(cells, columns=printed.columns)
    table.insert(0, "dataset", printed.index)
    return table.rename_axis(columns=None)


def signs_of(is_sure: bool, is_before: bool) -> str:
    return f"{'' if is_sure else '*'}{'†' if is_before else ''}"


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

    `is_sure` is whether five folds say so, `is_before` whether any model had other settings.
    """
    printed = as_costs(published(layout), layout)
    models = [layout.models[label] for label in (*ours, *rivals)]
    old = measured[measured["is_before"] & measured["model"].isin(models)]
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
            "is_before": printed.index.isin(old["dataset"]),
        }
    )


def tick_text(marks: pd.DataFrame) -> list[str]:
    found = marks.where(marks.notna(), None)
    return [
        f"{TICK[ours]}{'' if ours is None else signs_of(*signs)} / {TICK[theirs]}"
        for ours, theirs, *signs in found[[*WHOSE, "is_sure", "is_before"]].to_numpy()
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
    return "" if count is None else f"; the paper ticks {count} of {len(published(layout))}"


def pairwise_counts(measured: pd.DataFrame) -> pd.DataFrame:
    """Return how often `paper()` and the default are no worse than GA2Ms, tables 2 and 3 together.

    With the number of those ticks that rest on five folds.
    """
    rows = []
    for model, rivals in product(OUR_MODELS, GA2MS):
        parts = {
            layout.number: ticks(
                measured,
                replace(layout, models={**layout.models, "CALM": model}),
                ["CALM"],
                list(rivals),
            )
            for layout in (paper.ACCURACY, paper.RMSE)
        }
        marks = pd.concat(parts.values())
        by_table = {number: int(part["published"].sum()) for number, part in parts.items()}
        in_print = sum(paper.TICKS_IN_PRINT.get((n, rivals), k) for n, k in by_table.items())
        theirs = f"{sum(by_table.values())} of {len(marks)}"
        if in_print != sum(by_table.values()):
            theirs += f" (the paper ticks {in_print})"
        rows.append(
            {
                "model": model,
                "no worse than the mean of": ", ".join(rivals),
                "ours": f"{int(marks['ours'].sum())} of {marks['ours'].count()}",
                "on five folds": int((marks["is_sure"] & marks["ours"].notna()).sum()),
                "published": theirs,
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


def matched_ticks(measured: pd.DataFrame) -> pd.DataFrame:
    """Return the ticks of CALM-X against our own X: nothing but the regions differs."""
    return pd.concat(learner_ticks(measured, layout, paper.OWN) for layout in paper.REFERENCES)


def reference_counts(measured: pd.DataFrame) -> str:
    """Return how many of the 225 and of the 75 cells of tables 10 to 15 are ticked."""
    plain, mixed, auto, black_box = (
        pd.concat(of_layout(layout) for layout in paper.REFERENCES)
        for of_layout in (
            partial(learner_ticks, measured, plain=paper.PLAIN),
            partial(learner_ticks, measured, plain=paper.WITH_OWN_GAM),
            partial(auto_ticks, measured),
            partial(black_box_ticks, measured),
        )
    )
    own = matched_ticks(measured)
    # both in the same order
    either = auto[["ours"]].where(auto[["ours"]].notna(), mixed[["ours"]].to_numpy())
    return (
        "## Ticks of tables 10 to 15\n\n"
        f"- CALM-X no worse than X: {counted(plain)}\n"
        f"- the same with our own GAM instead of EBM: {counted(mixed[['ours']])}\n"
        "- the same, the number of splits of boosted curves and splines cross-validated (-auto): "
        f"{counted(auto[['ours']])}, and with the others as in the paper {counted(either)}\n"
        f"- CALM-X no worse than our own X without regions: {counted(own[['ours']])}\n"
        f"- best CALM no worse than its black box: {counted(black_box)}\n"
        f"- of an earlier `paper()` (†): {(own['is_before'] & own['ours'].notna()).sum()} of the "
        f"{own['ours'].count()} CALM-X beside our own X"
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
                old = measured[measured["is_before"] & (measured["model"] == model)]["dataset"]
                n_old, theirs = found.index.isin(old).sum(), printed[found.index].mean()
                rows.append((task, model, len(found), n_old, found.mean(), theirs))
    columns = ["task", "model", "datasets", "of earlier settings", "ours", "published CALM"]
    return pd.DataFrame(rows, columns=columns)


def counts(measured: pd.DataFrame) -> str:
    """Return what is counted over all tables, as Markdown."""
    return "\n\n".join(
        [
            tables.section("Ticks against models with pairs", pairwise_counts(measured)),
            reference_counts(measured),
            tables.section("Interactions, mean over datasets", interaction_means(measured)),
            tables.section("Rivals beside their published errors", rivals_near_published(measured)),
        ]
    )


def summary(measured: pd.DataFrame) -> str:
    """Return the main counts in two sentences."""
    pairs = pairwise_counts(measured)
    texts = [
        f"{rivals}: {' and '.join(f'{row.ours} (`{row.model}`)' for row in part.itertuples())}, "
        f"published {part['published'].iloc[0]}"
        for rivals, part in pairs.groupby("no worse than the mean of", sort=False)
    ]
    own = matched_ticks(measured)
    return (
        "Tables on which a CALM is no worse than the mean of models with pairs: "
        f"{'; '.join(texts)}. The paper's configurations against the same learner without regions, "
        f"so that nothing else differs: no worse in {counted(own[['ours']])} cells "
        f"({(own['is_before'] & own['ours'].notna()).sum()} cells are of an earlier `paper()`)."
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
            "features in print, if others": paper.FEATURES_IN_PRINT.get(name, ""),
            "home": data.home or "a file of the user",
        }
        for name, data in chosen.items()
    )


def errors_beside(measured: pd.DataFrame, layout: Layout, label: str, model: str) -> pd.DataFrame:
    """Return a model's error beside the published one (RMSE or 1 - accuracy), at its precision.

    Without the datasets whose error is printed with less than two digits that count.
    """
    folds = measured[measured["model"] == model].groupby("dataset")
    means, n_folds = folds[layout.measure].mean().dropna(), folds[layout.measure].count()
    is_before, rows = folds["is_before"].any(), []
    for dataset, text in published(layout)[label].items():
        if dataset in means and float(text) >= 10 ** (1 - decimals(text)):
            pair = round(means[dataset], decimals(text)), float(text)
            ours, theirs = pair if layout.lower_is_better else (1 - pair[0], 1 - pair[1])
            name = dataset + signs_of(n_folds[dataset] >= N_FOLDS, is_before[dataset])
            rows.append((name, ours, theirs, ours / theirs))
    return pd.DataFrame(rows, columns=["dataset", "ours", "published", "ratio"])


def near_published(measured: pd.DataFrame, tolerance: float = 0.03) -> tuple[pd.DataFrame, str]:
    """Return `calm_paper`'s error beside the published one, and a count."""
    layouts = (part for part in paper.REFERENCES if part.reference == "xgb")
    table = pd.concat(errors_beside(measured, x, "CALM-EBM/PDP", "calm_paper") for x in layouts)
    near = (table["ratio"] <= 1 + tolerance).sum()
    return (
        table,
        f"within {tolerance:.0%} of the published error, or better: {near} of {len(table)}",
    )


def rivals_near_published(measured: pd.DataFrame, tolerance: float = 0.1) -> pd.DataFrame:
    """Return where every rival is near its published error, and how far off it is elsewhere."""
    rows = []
    for label, model in {**paper.ADDITIVE, **paper.PAIRWISE}.items():
        layouts = (paper.ACCURACY, paper.RMSE)
        table = pd.concat(errors_beside(measured, part, label, model) for part in layouts)
        near = table["ratio"] <= 1 + tolerance
        others = table[~near][["dataset", "ratio"]].to_numpy()
        rows.append(
            {
                "rival": label,
                f"within {tolerance:.0%} of the published error, or better": (
                    f"{near.sum()} of {len(table)}: {', '.join(table['dataset'][near])}"
                ),
                "error / published elsewhere": ", ".join(f"{name} {x:.2f}" for name, x in others),
            }
        )
    return pd.DataFrame(rows)


def with_title(layout: Layout, table: pd.DataFrame) -> str:
    return tables.section(f"Table {layout.number}: {layout.title}", table)


def report(measured: pd.DataFrame, synthetic: pd.DataFrame) -> str:
    """Return all tables as Markdown."""
    cases = synthetic.assign(
        dataset=synthetic["dataset"].str.replace(r"case(\d).*", r"case_\1", regex=True),
        is_before=False,
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
