import pandas as pd
import pytest

from benchmarks import paper_layout, paper_tables
from benchmarks.paper_layout import ACCURACY, REFERENCES, RMSE


def cells(dataset, task, values):
    """Return measured cells; a list is one value per fold."""
    measure = "rmse" if task == "regression" else "accuracy"
    return pd.DataFrame(
        {
            "dataset": dataset,
            "model": model,
            "fold": str(fold),
            "task": task,
            measure: value,
            "error": value if task == "regression" else 1 - value,
            "fit_seconds": 1.0,
            "n_interactions": 3.0,
            "n_rows": 500,
            "n_features": 7,
            "is_before": False,
        }
        for model, folds in values.items()
        for fold, value in enumerate(folds)
    )


@pytest.fixture
def measured():
    no2 = {
        "calm_paper": [0.494] * 5,
        "own_gam": [0.5] * 5,
        "nam": [0.40, 0.58],
        "ebm": [0.49] * 5,
        "xgboost": [0.46] * 5,
    }
    spectf = {"calm_paper": [0.9], "ebm": [0.8], "nam": [0.8], "xgboost": [0.95]}
    columns = {"r2": float("nan"), "auc": float("nan")}
    both = [cells("no2", "regression", no2), cells("spectf", "classification", spectf)]
    return pd.concat(both).assign(**columns)


def test_cells_show_ours_the_published_figure_and_the_difference(measured):
    row = paper_tables.beside(measured, RMSE).set_index("dataset").loc["no2"]
    assert row["CALM"] == "0.49 / 0.49 (+0.00)"
    assert row["XGB"] == "0.46 / 0.47 (-0.01)"
    assert row["EB2M"] == "– / 0.47"
    row = paper_tables.beside(measured, ACCURACY).set_index("dataset").loc["spectf"]
    assert row["CALM"] == "0.900* / 0.894 (+0.006)"  # one fold of five


def test_cells_and_ticks_of_an_earlier_paper_have_a_sign(measured):
    old = measured.assign(is_before=measured["model"] == "calm_paper")
    row = paper_tables.beside(old, RMSE).set_index("dataset").loc["no2"]
    assert row["CALM"] == "0.49† / 0.49 (+0.00)"
    assert "†" not in row["XGB"]
    marks = paper_tables.ticks(old, RMSE, ["CALM"], ["EBM"])
    assert paper_tables.tick_text(marks.loc[["no2", "wine"]]) == ["✗† / ✓", "– / ✓"]
    text = paper_tables.reference_counts(old)
    assert "of an earlier `paper()` (†): 1 of the 1 CALM-X beside our own X" in text


def test_main_ticks_compare_with_the_mean_of_the_rivals_on_common_folds(measured):
    marks = paper_tables.ticks(measured, RMSE, ["CALM"], ["NAM", "EBM"])
    # Folds 0 and 1: CALM 0.494 prints as the mean of NAM and EBM, 0.490, but is worse.
    assert marks.loc["no2", "ours"] is False
    assert not marks.loc["no2", "is_sure"]  # two folds
    assert pd.isna(marks.loc["wine", "ours"])
    worse = measured.replace({"rmse": {0.58: 0.60}})  # NAM 0.50, EBM 0.49
    marks = paper_tables.ticks(worse, RMSE, ["CALM"], ["NAM", "EBM"])
    assert marks.loc["no2", "ours"] is True
    assert paper_tables.tick_text(marks.loc[["no2", "wine"]]) == ["✓* / ✓", "– / ✓"]
    assert paper_tables.ticks(measured, RMSE, ["CALM"], ["EBM"]).loc["no2", "is_sure"]


def test_ticks_against_pairs_are_counted_with_and_without_node_ga2m(measured):
    more = cells("no2", "regression", {"eb2m": [0.5], "gami_net": [0.49], "node_ga2m": [0.4]})
    table = paper_tables.pairwise_counts(pd.concat([measured, more]))
    ours = table[table["model"] == "calm_paper"]
    assert list(ours["ours"]) == ["1 of 1", "0 of 1", "1 of 1"]  # 0.494; 0.463; 0.495
    assert list(ours["on five folds"]) == [0, 0, 0]
    assert list(table.loc[table["model"] == "calm", "ours"]) == ["0 of 0"] * 3


def test_the_summary_has_the_counts_against_pairs_and_of_matched_structure(measured):
    more = cells("no2", "regression", {"eb2m": [0.5], "calm": [0.6]})
    text = paper_tables.summary(pd.concat([measured, more]))
    assert "EB2M: 1 of 1 (`calm_paper`) and 0 of 1 (`calm`), published 10 of 25; " in text
    assert "published 17 of 25 (the paper ticks 16); EB2M, GAMI-Net" in text
    assert "no worse in 1 of 1 cells (0 cells are of an earlier `paper()`)." in text


def test_the_paper_s_own_count_is_shown_where_it_differs(measured):
    assert "published: 11 of 15); the paper ticks 10 of 15." in paper_tables.main_table(
        measured, RMSE
    )
    assert "the paper ticks" not in paper_tables.main_table(measured, ACCURACY)


def test_higher_accuracy_is_better(measured):
    marks = paper_tables.ticks(measured, ACCURACY, ["CALM"], ["NAM", "EBM"])
    assert marks.loc["spectf", "ours"] is True
    marks = paper_tables.ticks(measured, ACCURACY, ["CALM"], ["XGB"])
    assert marks.loc["spectf", "ours"] is False


def test_counts_of_the_published_figures():
    nothing = cells("no2", "regression", {"calm": [1.0]}).assign(accuracy=1.0)
    plain = pd.concat(
        paper_tables.learner_ticks(nothing, layout, paper_layout.PLAIN) for layout in REFERENCES
    )
    best = pd.concat(paper_tables.black_box_ticks(nothing, layout) for layout in REFERENCES)
    assert paper_tables.counted(plain) == "0 of 0 (published: 218 of 225)"
    assert paper_tables.counted(best) == "0 of 0 (published: 40 of 75)"


def test_own_learners_and_rivals_are_counted_apart(measured):
    text = paper_tables.reference_counts(measured)
    assert "CALM-X no worse than X: 1 of 2 (published" in text  # 0.494 against EBM's 0.490
    assert "CALM-X no worse than our own X without regions: 1 of 1\n" in text
    assert "best CALM no worse than its black box: 0 of 2" in text


def test_cross_validated_numbers_of_splits_are_counted_where_both_were_measured(measured):
    def line(part=0, **more):
        extra = [
            cells("no2", "regression", {name.replace("_", "-"): [value] * 5})
            for name, value in more.items()
        ]
        text = paper_tables.reference_counts(pd.concat([measured, *extra]))
        (found,) = [line for line in text.splitlines() if "cross-validated" in line]
        return found.rpartition(": ")[2].split(", and with the others as in the paper ")[part]

    assert line() == line(calm_xgb_pdp_spline_auto=0.4) == "0 of 0"  # no pyGAM was measured
    boosted = {"calm_xgb_pdp_boosting_auto": 0.49}
    assert line(**boosted) == "1 of 1"  # own GAM: 0.50, EBM: 0.49
    assert line(calm_xgb_pdp_boosting_auto=0.51) == "0 of 1"
    splines = {"spline": 0.48, "calm_rf_pdp_spline_auto": 0.49, "calm_xgb_pdp_spline_auto": 0.48}
    assert line(**boosted, **splines) == "2 of 3"
    networks = {"calm_dnn_pdp_boosting_auto": 0.6, "calm_dnn_rhale_boosting_auto": 0.5}
    assert line(**boosted, **networks) == "2 of 2"  # the better effect counts
    assert line(calm_xgb_pdp_nam_auto=0.1) == "0 of 0"  # there is no such configuration
    assert line(calm_xgb_pdp_nam=0.4) == "1 of 1"  # networks count as the paper has them
    assert line(part=1) == "1 of 1"  # calm_paper: 0.494
    assert line(part=1, calm_xgb_pdp_boosting_auto=0.51) == "0 of 1"  # a twin comes first


def test_one_good_variant_is_enough(measured):
    good = cells("no2", "regression", {"calm-xgb-pdp-spline": [0.46]})
    (layout,) = (part for part in REFERENCES if part.name == "regr_rmse_reference_xgb")
    marks = paper_tables.black_box_ticks(pd.concat([measured, good]), layout)
    assert marks.loc["no2", "ours"] is True


def test_near_published_compares_errors(measured):
    table, text = paper_tables.near_published(measured)
    ratios = dict(zip(table["dataset"], table["ratio"], strict=True))
    assert ratios["no2"] == pytest.approx(0.494 / 0.492)
    assert ratios["spectf*"] == pytest.approx(0.1 / 0.106)  # one fold
    assert text.endswith("2 of 2")


def test_rivals_stand_beside_their_published_errors(measured):
    more = cells("no2", "regression", {"node_ga2m": [0.57], "eb2m": [0.6]})
    zero = cells("elevators", "regression", {"node_ga2m": [0.003]})  # in print: 0.00
    table = paper_tables.rivals_near_published(pd.concat([measured, more, zero]))
    near, off = table.set_index("rival").to_numpy().T
    rows = dict(zip(table["rival"], zip(near, off, strict=True), strict=True))
    assert rows["NODE-GA2M"] == ("1 of 1: no2*", "")  # in print: 0.52
    assert rows["EB2M"] == ("0 of 1: ", "no2* 1.28")  # in print: 0.47
    assert rows["EBM"] == ("1 of 2: no2", "spectf* 1.89")  # in print: an accuracy of 0.894


def test_our_copies_stand_beside_sizes_in_print_where_those_differ(measured):
    table = paper_tables.sizes(measured, "regression").set_index("dataset")
    assert table.loc["no2", "features in print, if others"] == ""
    assert list(table.loc["electrical"])[1:3] == [12, 13]


def test_report_has_the_fifteen_tables(measured):
    cases = [("case1-seed0", 0.9), ("case1-seed1", 1.0)]
    synthetic = pd.DataFrame(cases, columns=["dataset", "r2"]).assign(model="calm_paper", fold="0")
    text = paper_tables.report(measured, synthetic)
    assert all(f"## Table {number}: " in text for number in range(1, 16))
    assert "0.950* / 0.995 (-0.045)" in text
