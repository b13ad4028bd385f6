"""Tables as people bring them: each has a well-defined result or an error that names the thing."""

import datetime
import warnings

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from calmgam import Boosting, CALMClassifier, CALMRegressor, Heterogeneity, Joint

QUICK = {"curves": Boosting(n_bags=2, max_rounds=40), "n_jobs": 1, "random_state": 0}
N_ROWS = 120


def regressor(**settings):
    return CALMRegressor(**{**QUICK, **settings})


def classifier(**settings):
    return CALMClassifier(**{**QUICK, **settings})


def make_table(n_rows=N_ROWS):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "a": rng.normal(size=n_rows),
            "b": rng.normal(size=n_rows),
            "c": rng.choice(list("uvw"), n_rows),
        }
    )


def outcome(table):
    return (table["a"] * np.where(table["c"] == "u", 2, -1) + table["b"]).to_numpy()


X = make_table()
Y = outcome(X)


def with_value(values, row, value):
    """Values with another in one row."""
    changed = values.astype(object if not isinstance(value, float) else values.dtype)
    changed[row] = value
    return changed


@pytest.fixture(scope="module")
def fitted():
    return regressor().fit(X, Y)


def check_additive(estimator, X):
    """Finite scores that are exactly the intercept plus the contributions."""
    scores = estimator.model_.score(X)
    contributions = np.asarray(estimator.contributions(X), dtype=float)
    assert np.isfinite(scores).all()
    total = estimator.model_.intercept + contributions.sum(1)
    np.testing.assert_allclose(total, scores, rtol=0, atol=1e-9)
    assert len(estimator.predict(X)) == len(scores)


# ---- columns -------------------------------------------------------------------------------------


def test_a_constant_column_contributes_nothing():
    table = X.assign(k=3.0)
    estimator = regressor().fit(table, Y)
    check_additive(estimator, table.assign(k=[np.nan, *range(N_ROWS - 1)]))
    np.testing.assert_array_equal(estimator.contributions(table)["k"], 0)
    assert estimator.feature_importances_[3] == 0


def test_duplicated_columns_share_the_effect():
    X = make_table(400)  # with fewer rows a feature, one more feature changes the bins of growth
    table, y = X.assign(again=X["a"]), outcome(X)
    estimator = regressor(max_splits=1).fit(table, y)
    check_additive(estimator, table)
    without = regressor(max_splits=1).fit(X, y)
    correlation = np.corrcoef(estimator.predict(table), without.predict(X))[0, 1]
    assert correlation > 0.98


@pytest.mark.parametrize("values", [np.arange(N_ROWS), [f"row {i}" for i in range(N_ROWS)]])
def test_identifiers_are_warned_of_where_the_user_calls(values):
    with pytest.warns(UserWarning, match="column 'id' looks like an identifier") as caught:
        estimator = regressor().fit(X.assign(id=values), Y)
    assert caught[0].filename == __file__
    check_additive(estimator, X.assign(id=values[::-1]))


def test_ordinary_tables_warn_of_nothing():
    rng = np.random.default_rng(0)
    table = X.assign(year=rng.integers(1950, 2025, N_ROWS), n=rng.poisson(9, N_ROWS), f=X["a"] > 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        regressor().fit(table, Y).predict(table)


def test_a_column_without_values():
    table = X.assign(nothing=np.nan, none=None)
    estimator = regressor().fit(table, Y)
    check_additive(estimator, table)
    check_additive(estimator, table.assign(nothing=1.0))


def test_levels_and_booleans_and_nullable_types():
    rng = np.random.default_rng(1)
    table = X.assign(
        flag=X["a"] > 0,
        nullable_flag=pd.array(X["b"] > 0, dtype="boolean"),
        nullable_int=pd.array(rng.integers(0, 9, N_ROWS), dtype="Int64"),
        nullable_float=pd.array(X["b"], dtype="Float64"),
        string=X["c"].astype("string"),
        category=X["c"].astype("category"),
        ordered=pd.Categorical(X["c"], ["w", "u", "v"], ordered=True),
    )
    table.loc[3, table.columns[4:]] = pd.NA
    estimator = regressor().fit(table, Y)
    check_additive(estimator, table)
    kinds = [feature.kind for feature in estimator.model_.schema.features]
    assert (
        kinds
        == [*["numeric"] * 2, "categorical", *["boolean"] * 2, *["numeric"] * 2]
        + ["categorical"] * 3
    )
    assert estimator.model_.schema["ordered"].levels == ("w", "u", "v")


@pytest.mark.parametrize(
    "convert",
    [
        pl.from_pandas,
        pa.Table.from_pandas,
        lambda X: X.to_numpy(object),
        lambda X: X.values.tolist(),
    ],
    ids=["polars", "pyarrow", "objects", "lists"],
)
def test_any_kind_of_table_gives_the_same_model(fitted, convert):
    table = convert(X)
    estimator = regressor().fit(table, Y)
    check_additive(estimator, table)
    np.testing.assert_array_equal(estimator.predict(table), fitted.predict(X))


ODD_NAMES = ["<script>alert('a')</script>", "q\"u'o\nte \\ß漢 & <= 3", "", "missing"]


def test_any_text_is_a_name(tmp_path):
    import calmgam

    table = X.assign(d=X["a"] > X["b"]).set_axis(ODD_NAMES, axis=1)
    estimator = regressor(growth=Joint(min_samples_leaf=5)).fit(table, Y)
    check_additive(estimator, table)
    assert list(estimator.contributions(table)) == ODD_NAMES
    estimator.model_.save(tmp_path / "odd.json")
    assert calmgam.load(tmp_path / "odd.json") == estimator.model_
    assert estimator.n_splits_ > 0


def test_names_may_be_numbers_but_not_both(fitted):
    numbered = X.set_axis([0, 1, 2], axis=1)
    estimator = regressor().fit(numbered, Y)
    check_additive(estimator, numbered)
    assert not hasattr(estimator, "feature_names_in_")
    np.testing.assert_array_equal(estimator.predict(numbered), fitted.predict(X))
    np.testing.assert_array_equal(estimator.predict(numbered[[2, 0, 1]]), fitted.predict(X))
    with pytest.raises(TypeError, match="all input features have string names"):
        regressor().fit(X.set_axis([0, "b", "c"], axis=1), Y)


DATES = pd.date_range("2024-01-01", periods=N_ROWS)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (pd.concat([X, X[["b"]]], axis=1), ValueError, "'b' 2 times"),
        (X.assign(b=[np.inf, *X["b"][1:]]), ValueError, "'b' must be finite or missing"),
        (np.full((N_ROWS, 2), [1, -np.inf]), ValueError, "'x1' must be finite or missing"),
        (X.assign(d=DATES), ValueError, "column 'd' holds Datetime.*convert it to numbers"),
        (X.assign(d=datetime.date(2024, 1, 1)), ValueError, "column 'd' holds date values"),
        (X.assign(d=DATES - DATES[0]), ValueError, "column 'd' holds Duration"),
        (X.assign(d=[[1]] * N_ROWS), ValueError, "column 'd' holds nested values"),
        (sparse.csr_array(np.eye(N_ROWS)), TypeError, "sparse matrix: .*text is read as it is"),
        (dict(X), ValueError, "got a dict: pandas.DataFrame"),
        (X.to_dict("records"), ValueError, "got a list of dicts: pandas.DataFrame"),
        (X[["a", "b"]].to_records(), ValueError, "got a structured array: pandas.DataFrame"),
        (np.ones((N_ROWS, 2, 2)), ValueError, "dim 3"),
        (np.ones(N_ROWS), ValueError, "Expected 2D array"),
        (X["a"], ValueError, "2-dimensional container"),
        (np.ones((N_ROWS, 2)) * 1j, ValueError, "Complex data not supported"),
        (X[[]], ValueError, "at least one column"),
        (X.iloc[:-1], ValueError, "same number of rows; got 119 and 120"),
    ],
)
def test_tables_that_are_refused(table, error, message):
    with pytest.raises(error, match=message):
        regressor().fit(table, Y)


def test_empty_frames_are_refused(fitted):
    with pytest.raises(ValueError, match="at least one row; got 0"):
        regressor().fit(X.iloc[:0], Y[:0])
    with pytest.raises(ValueError, match="at least one row; got 0"):
        fitted.predict(X.iloc[:0])


# ---- few rows ------------------------------------------------------------------------------------


def test_one_row_is_its_own_mean():
    estimator = regressor().fit(X.iloc[:1], [4.5])
    check_additive(estimator, X)
    np.testing.assert_allclose(estimator.predict(X), 4.5)


def test_one_row_per_class():
    estimator = classifier().fit(X.iloc[:2], ["no", "yes"])
    check_additive(estimator, X)
    assert set(estimator.predict(X)) <= {"no", "yes"}


def test_one_row_in_one_class():
    estimator = classifier().fit(X, np.arange(N_ROWS) == 17)
    check_additive(estimator, X)
    assert estimator.predict_proba(X)[:, 1].mean() < 0.2


# ---- targets -------------------------------------------------------------------------------------

YES_NO = np.where(Y > 0, "yes", "no")


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (YES_NO, ["no", "yes"]),
        (YES_NO.astype(object), ["no", "yes"]),
        (pd.Series(YES_NO, index=np.arange(N_ROWS)[::-1] + 1000), ["no", "yes"]),
        (pd.Series(YES_NO, dtype="category"), ["no", "yes"]),
        (pl.Series(YES_NO), ["no", "yes"]),
        (pa.array(YES_NO), ["no", "yes"]),
        (YES_NO.tolist(), ["no", "yes"]),
        (Y > 0, [False, True]),
        (pd.Series(Y > 0, dtype="boolean"), [False, True]),
        (pd.Series(np.where(Y > 0, 7, 3), dtype="Int64"), [3, 7]),
        (np.where(Y > 0, 1.0, -1.0), [-1.0, 1.0]),
        (pd.Series(Y > 0, dtype=object), [False, True]),
        (pd.Series(np.where(Y > 0, 7, 3), dtype=object), [3, 7]),
    ],
)
def test_labels_of_any_type(y, classes):
    estimator = classifier(max_splits=1).fit(X, y)  # cross-validated on 120 rows it may be 0
    assert estimator.classes_.tolist() == classes
    assert estimator.model_.classes == tuple(classes)
    predicted = estimator.predict(X)
    assert predicted.dtype == estimator.classes_.dtype
    assert np.mean(predicted == np.array(classes)[(Y > 0).astype(int)]) > 0.8
    np.testing.assert_array_equal(predicted == classes[1], estimator.decision_function(X) > 0)
    assert estimator.score(X, y) == np.mean(predicted == np.array(classes)[(Y > 0).astype(int)])


def test_rows_go_by_place_not_by_index(fitted):
    y = pd.Series(Y, index=np.random.default_rng(0).permutation(N_ROWS))
    np.testing.assert_array_equal(regressor().fit(X, y).predict(X), fitted.predict(X))


@pytest.mark.parametrize("column", [Y[:, None], pd.DataFrame({"y": Y})])
def test_a_column_vector_is_warned_of(fitted, column):
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        estimator = regressor().fit(X, column)
    np.testing.assert_array_equal(estimator.predict(X), fitted.predict(X))


@pytest.mark.parametrize(
    ("make", "y", "message"),
    [
        (regressor, with_value(Y, 4, np.nan), r"y contains NaN\. .* got .*nan.* in row 4"),
        (
            regressor,
            with_value(Y, 4, np.inf),
            r"y contains infinity .* y must be finite; got inf in row 4",
        ),
        (regressor, np.column_stack([Y, Y]), r"y should be a 1d array, got .* \(120, 2\)"),
        (regressor, with_value(Y, 3, "low"), "y must be numbers; got 'low' in row 3; .*Classifier"),
        (regressor, DATES, "y must be numbers; got .*; make numbers of dates"),
        (regressor, [10**400] * N_ROWS, "y must be numbers; got 1000.* in row 0"),
        (regressor, None, "requires y to be passed"),
        (classifier, with_value(YES_NO, 5, None), r"y contains NaN\. .* got None in row 5"),
        (classifier, with_value(YES_NO, 5, 1), "y must be labels of one kind"),
        (classifier, pd.Series(Y > 0, dtype="boolean").where(Y < 1), "y contains NaN"),
        (classifier, np.zeros(N_ROWS), r"one class only: \[0\.0\]"),
        (classifier, Y, "Unknown label type: continuous"),
        (
            classifier,
            pd.Series(["a", 1] * (N_ROWS // 2)),
            "labels of one kind.*got 'a' in row 0 and 1 in row 1",
        ),
        (classifier, DATES, r"labels of one kind.*got .*2\d\d\d"),
        (
            classifier,
            [datetime.date(2024, 1, 1 + one) for one in Y > 0],
            r"got datetime.date\(.*: turn them",
        ),
        (classifier, np.arange(N_ROWS), "120 classes in 120 rows: .*CALMRegressor"),
    ],
)
def test_targets_that_are_refused(make, y, message):
    with pytest.raises(ValueError, match=message):
        make().fit(X, y)


@pytest.mark.parametrize("factor", [1e-250, 1e250])
def test_targets_of_any_size(fitted, factor):
    scaled = regressor().fit(X, factor * Y)
    np.testing.assert_allclose(scaled.predict(X), factor * fitted.predict(X), rtol=1e-6)


def test_a_constant_target():
    np.testing.assert_array_equal(regressor().fit(X, np.full(N_ROWS, 3.3)).predict(X), 3.3)


# ---- weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [regressor, classifier])
def test_rows_of_weight_zero_are_as_if_absent(make):
    y = Y if make is regressor else YES_NO
    odd = X.assign(a=np.where(Y > 1, 1e6, X["a"]), c=np.where(Y > 1, "odd", X["c"]))
    weighted = make().fit(odd, y, sample_weight=np.where(Y > 1, 0, 1.0))
    without = make().fit(X[Y <= 1], y[Y <= 1])
    assert weighted.model_ == without.model_


@pytest.mark.parametrize("make", [regressor, classifier])
def test_whole_weights_are_like_repeated_rows(make):
    y = Y if make is regressor else YES_NO
    weights = np.random.default_rng(0).integers(0, 4, N_ROWS)
    settings = {"max_depth": 0, "curves": Boosting(max_rounds=40)}
    weighted = make(**settings).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(N_ROWS), weights)
    repeated = make(**settings).fit(X.iloc[rows], y[rows])
    scores = [estimator.contributions(X).sum(axis=1) for estimator in (weighted, repeated)]
    assert np.corrcoef(scores)[0, 1] > 0.97
    small = slice(0, 12)
    weighted = make().fit(X[small], y[small], sample_weight=weights[small])
    rows = rows[rows < 12]
    assert weighted.model_ == make().fit(X.iloc[rows], y[rows]).model_


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (2, r"sample_weight must have 120 values; got shape \(\)"),
        (np.ones((N_ROWS, 2)), r"sample_weight must have 120 values; got shape \(120, 2\)"),
        ("w", "sample_weight must be numbers; got 'w' in row 0"),
        (["a"] * N_ROWS, "sample_weight must be numbers; got 'a' in row 0"),
    ],
)
def test_weights_that_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        regressor().fit(X, Y, sample_weight=weights)
    with pytest.raises(ValueError, match="offset must be numbers; got 'w' in row 0"):
        regressor().fit(X, Y, offset="w")


def test_many_rare_classes_are_one_warning():
    y = np.where(np.arange(N_ROWS) < 8, np.arange(N_ROWS) % 4, 9)
    with pytest.warns(UserWarning, match="class 0 has 2 of 120 rows, 3 more have few") as caught:
        classifier().fit(X, y)
    assert len(caught) == 1


def test_weights_that_leave_one_class_are_refused():
    with pytest.raises(ValueError, match=r"a row of sample_weight > 0; got one class only: \['no'"):
        classifier().fit(X, YES_NO, sample_weight=(YES_NO == "no").astype(float))


# ---- new rows ------------------------------------------------------------------------------------


def test_values_never_seen_have_a_defined_score(fitted):
    for changes in (
        {"a": np.nan},
        {"c": None},
        {"c": "new"},
        {"a": np.nan, "b": np.nan, "c": np.nan},
        {"a": 1e300, "b": -1e300},
        {"c": 1.5},
    ):
        check_additive(fitted, X.assign(**changes))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (X[["a", "c"]], "now missing:\n- b"),
        (X.rename(columns={"b": "B"}), "unseen at fit time:\n- B\n(.|\n)*now missing:\n- b"),
        (X.assign(b=np.inf), "'b' must be finite or missing"),
        (X.assign(b="text"), "column 'b' must hold numbers; got 'text'"),
        (X.assign(b=DATES), "column 'b' holds Datetime"),
        (np.ones((3, 2)), "X has 2 features, but CALMRegressor is expecting 3"),
    ],
)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_new_rows_that_are_refused(fitted, table, message):
    for method in (fitted.predict, fitted.contributions):
        with pytest.raises(ValueError, match=message):
            method(table)


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_columns_are_found_by_name_in_every_kind_of_frame(fitted, convert):
    moved = convert(X.assign(z=1)[["z", "c", "a", "b"]])
    np.testing.assert_array_equal(fitted.predict(moved), fitted.predict(X))
    contributions = nw.from_native(fitted.contributions(moved))
    assert contributions.columns == ["a", "b", "c"]
    np.testing.assert_array_equal(contributions.to_numpy(), fitted.contributions(X).to_numpy())


def test_frames_and_arrays_may_change_places_with_a_warning():
    numbers = X[["a", "b"]]
    by_name, by_place = regressor().fit(numbers, Y), regressor().fit(numbers.to_numpy(), Y)
    expected = by_name.predict(numbers)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_array_equal(by_name.predict(numbers.to_numpy()), expected)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        np.testing.assert_array_equal(by_place.predict(numbers), expected)
    with pytest.raises(ValueError, match="X has 3 features"), pytest.warns(UserWarning):
        by_place.predict(X)


# ---- rare events ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n_events", [1, 3])
def test_rare_events_are_not_learned_by_heart(n_events):
    rng = np.random.default_rng(0)
    table, y = rng.normal(size=(2000, 5)), np.arange(2000) < n_events
    message = f"class True has {n_events} of 2000 rows: with fewer than 10 events"
    with pytest.warns(UserWarning, match=message):
        estimator = CALMClassifier(n_jobs=1, random_state=0).fit(table, y)
    assert estimator.predict_proba(table)[:, 1].max() < 0.2
    fresh = estimator.predict_proba(rng.normal(size=(5000, 5)))[:, 1]
    assert fresh.mean() < 5 * n_events / 2000


def test_ten_events_need_no_warning():
    table, y = np.random.default_rng(0).normal(size=(200, 2)), np.arange(200) < 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier(max_depth=0).fit(table, y)


# ---- more cells than codes -----------------------------------------------------------------------


@pytest.mark.parametrize("growth", [Joint, Heterogeneity])
def test_regions_stay_within_what_codes_can_tell_apart(growth):
    """Three curves of 30,000 bins are more than 65,536 cells: two are made, and none is lost."""
    rng = np.random.default_rng(0)
    table = rng.uniform(-1, 1, (40_000, 2))
    y = np.select([table[:, 1] < -0.3, table[:, 1] < 0.3], [table[:, 0], -table[:, 0]], 0.0)
    settings = {"max_bins": 30_000, "max_splits": 4, "growth": growth(split_features=[0])}
    estimator = regressor(**settings).fit(table, y)
    assert estimator.model_.terms[0].tree.n_leaves == 2
