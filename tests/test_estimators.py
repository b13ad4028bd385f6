import inspect
import pickle
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier
from sklearn.compose import make_column_transformer
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    parametrize_with_checks,
)

import calmgam
from calmgam import Boosting, CALMClassifier, CALMRegressor, Joint
from calmgam.parameters import ATTRIBUTES, PARAMETERS, paper_parameters

QUICK = {"curves": Boosting(n_bags=2, max_rounds=100), "n_jobs": 1}
BOTH = [CALMRegressor, CALMClassifier]


@parametrize_with_checks(
    [kind(**QUICK, growth=growth) for kind in BOTH for growth in ("joint", "heterogeneity")]
    + [kind(n_jobs=1, curves="splines", max_depth=0) for kind in BOTH]
    + [CALMRegressor(n_jobs=1, curves="backfitting", max_depth=0)]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", BOTH)
def test_column_names_are_checked_as_in_scikit_learn_but_found_by_name(kind):
    # its own estimators also refuse reversed columns, which ours find by name
    with pytest.raises(AssertionError, match=r"predict did not raise|score did not raise"):
        check_dataframe_column_names_consistency(kind.__name__, kind(**QUICK))
    names = [f"col{i}" for i in range(4)]
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 4)), columns=names)
    estimator = kind(**QUICK).fit(X, np.arange(40) % 2)
    assert estimator.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(estimator.predict(X[names[::-1]]), estimator.predict(X))
    for wrong, message in [
        (X.add_prefix("another_"), "unseen at fit time:\n- another_col0"),
        (X[names[:3]], "seen at fit time, yet now missing:\n- col3"),
    ]:
        with pytest.raises(ValueError, match=message):
            estimator.predict(wrong)


# ---- a table with everything ---------------------------------------------------------------------


def make_table(n_rows=300, seed=0):
    """The slope of "size" depends on "colour", that of "age" on "flag"."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n_rows)),
            "flag": rng.random(n_rows) < 0.4,
            "age": rng.integers(20, 60, n_rows),
            "town": rng.choice(["p", "q"], n_rows),
            "rate": pd.array(rng.uniform(size=n_rows), dtype="Float64"),
        },
        index=rng.permutation(n_rows) + 7,
    )
    X.loc[X.index[:9], "rate"] = pd.NA
    slope = np.where(X["colour"] == "red", 2.0, -2.0)
    y = slope * X["size"] + np.where(X["flag"], 0.1, -0.1) * (X["age"] - 40)
    return X, y.to_numpy(float) + 0.1 * rng.normal(size=n_rows)


X, Y = make_table()


def quick(kind=CALMRegressor, **settings):
    curves = clone(QUICK["curves"])  # parts can be changed
    return kind(**{**QUICK, "curves": curves, "random_state": 0, **settings})


def target(kind):
    return Y if kind is CALMRegressor else np.where(Y > 0, "high", "low")


@pytest.fixture(scope="module", params=BOTH)
def fitted(request):
    return quick(request.param).fit(X, target(request.param))


def conditions(estimator):
    """Every (feature, conditioning feature) pair by name."""
    names = estimator.model_.schema.names
    terms = estimator.model_.terms
    return {(names[t.feature.index], names[j]) for t in terms for j in t.conditioned_on}


def pairs(estimator):
    """Every pair of features that interact, the first by name before the second."""
    return {tuple(sorted(pair)) for pair in conditions(estimator)}


# ---- results -------------------------------------------------------------------------------------


@pytest.mark.parametrize("convert", [None, pl.from_pandas], ids=["pandas", "polars"])
def test_contributions_are_a_frame_like_the_table(fitted, convert):
    table = convert(X) if convert else X
    contributions = fitted.contributions(table)
    assert type(contributions) is type(table)
    assert list(contributions.columns) == list(X.columns)
    if convert is None:
        assert contributions.index.equals(X.index)
    scores = fitted.model_.score(table)
    total = fitted.model_.intercept + contributions.to_numpy().sum(axis=1)
    np.testing.assert_allclose(total, scores, rtol=0, atol=1e-9)


def test_predictions_follow_from_scores():
    regressor, classifier = (quick(kind).fit(X, target(kind)) for kind in BOTH)
    np.testing.assert_array_equal(regressor.predict(X), regressor.model_.score(X))
    score = classifier.decision_function(X)
    np.testing.assert_allclose(classifier.predict_proba(X)[:, 1], 1 / (1 + np.exp(-score)))
    np.testing.assert_allclose(classifier.predict_proba(X).sum(axis=1), 1)
    assert classifier.classes_.tolist() == ["high", "low"]
    np.testing.assert_array_equal(classifier.predict(X) == "low", score > 0)


def test_sizes_and_importances(fitted):
    assert ("colour", "size") in pairs(fitted)
    assert fitted.n_interactions_ == len(conditions(fitted))
    assert fitted.n_pairs_ == len(pairs(fitted))
    assert fitted.n_curves_ == 6 + fitted.n_splits_
    assert fitted.n_splits_ == len(fitted.ledger_.accepted)
    assert fitted.n_features_in_ == 6
    assert fitted.feature_names_in_.tolist() == list(X.columns)
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    assert set(fitted.model_.errors) == {"metric", "gam", "calm", "reference"}


def test_what_says_nothing_matters_least(fitted):
    least = set(X.columns[np.argsort(fitted.feature_importances_)[:2]])
    # of 300 labels the slope of age may not be learned: its sign depends on the flag
    assert least == {"town", "rate"} or (is_classifier(fitted) and least == {"town", "age"})


def test_saved_models_give_the_same_scores(fitted, tmp_path):
    fitted.model_.save(tmp_path / "model.json")
    model = calmgam.load(tmp_path / "model.json")
    np.testing.assert_array_equal(model.score(X), fitted.model_.score(X))
    assert model == fitted.model_


# ---- tools of scikit-learn -----------------------------------------------------------------------


def test_clone_and_pickle(fitted):
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(X)
    back = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(back.predict(X), fitted.predict(X))
    pd.testing.assert_frame_equal(back.contributions(X), fitted.contributions(X))


def test_pipeline_and_frames_from_transformers():
    numbers = X[["size", "age"]]
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, quick()).fit(numbers, Y)
    assert pipeline[-1].feature_names_in_.tolist() == ["size", "age"]
    assert pipeline[-1].contributions(scaler.transform(numbers)).index.equals(X.index)
    pipeline.set_output(transform="polars")
    assert pipeline.fit(numbers, Y).predict(numbers).shape == (300,)


@pytest.mark.parametrize("kind", BOTH)
def test_search_and_cross_validation(kind):
    y = target(kind)
    search = GridSearchCV(quick(kind), {"max_depth": [0, 1]}, cv=2).fit(X, y)
    assert search.best_params_ == {"max_depth": 1}
    # a number of splits: halves of 150 rows are too few to cross-validate one
    assert cross_val_score(quick(kind, max_splits=4), X, y, cv=2).min() > 0.5


# ---- references ----------------------------------------------------------------------------------


def encoder(learner):
    levels = OneHotEncoder(sparse_output=False, handle_unknown="error")
    columns = make_column_transformer((levels, ["colour", "flag", "town"]), remainder="passthrough")
    return make_pipeline(columns, learner)


TABLE = X.assign(rate=X["rate"].astype(float).fillna(0.5))


def own_function(data):
    """Know the truth; insist on the types of the user's table."""
    assert isinstance(data, pd.DataFrame)
    assert list(data["colour"].cat.categories) == ["blue", "green", "red"]
    assert data["flag"].dtype == bool
    slope = np.where(data["colour"] == "red", 2.0, -2.0)
    return slope * data["size"] + np.where(data["flag"], 0.1, -0.1) * (data["age"] - 40)


@pytest.mark.parametrize(
    "reference",
    [
        encoder(GradientBoostingRegressor()),
        encoder(ExtraTreesRegressor(20)).fit(TABLE, Y),
        own_function,
    ],
    ids=["unfitted", "fitted", "function"],
)
def test_references_see_the_table_as_the_user_does(reference):
    estimator = quick(reference=reference, growth=Joint(n_background=200))
    estimator.fit(TABLE, Y)
    assert ("colour", "size") in pairs(estimator)
    if reference is own_function:
        assert pairs(estimator) >= {("colour", "size"), ("age", "flag")}
        assert estimator.model_.errors["reference"] == pytest.approx(0.1, rel=0.3)


def test_references_on_polars():
    def function(data):
        assert data.schema["colour"] == pl.Categorical
        return np.where(data["colour"] == "red", 2.0, -2.0) * data["size"].to_numpy()

    estimator = quick(reference=function).fit(pl.from_pandas(TABLE), Y)
    assert ("colour", "size") in pairs(estimator)


def test_references_on_object_arrays():
    def function(data):
        assert data.dtype == object
        return np.where(data[:, 1] == "red", 2.0, -2.0) * data[:, 0].astype(float)

    estimator = quick(reference=function).fit(TABLE.to_numpy(object), Y)
    assert ("x0", "x1") in pairs(estimator)


def test_an_unfitted_reference_stays_unfitted():
    reference = encoder(GradientBoostingRegressor())
    quick(reference=reference, growth=Joint(n_background=200)).fit(TABLE, Y)
    assert not hasattr(reference, "n_features_in_")


def test_a_plain_gam_needs_no_reference():
    estimator = quick(max_depth=0, reference="nonsense").fit(X, Y)
    assert estimator.n_splits_ == 0
    assert estimator.model_.errors["gam"] == estimator.model_.errors["calm"]
    assert "reference" not in estimator.model_.errors


def test_a_missing_extra_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(ImportError, match=r"pip install calmgam\[xgboost\]"):
        CALMRegressor.paper().fit(X, Y)


@pytest.mark.parametrize("kind", BOTH)
def test_the_paper_preset(kind):
    pytest.importorskip("xgboost")
    estimator = kind.paper(**QUICK, max_depth=1, random_state=0)
    paper, changed = paper_parameters(), {"max_depth": 1, "curves": QUICK["curves"]}
    assert estimator.get_params(deep=False) == estimator.get_params(deep=False) | paper | changed
    assert ("size", "colour") in conditions(estimator.fit(X, target(kind)))


# ---- structure -----------------------------------------------------------------------------------


def test_given_regions_are_used():
    given = {"size": ["colour = red", "colour != red"], "age": ["flag = True", "flag != True"]}
    estimator = quick(growth=given, reference="nonsense").fit(X, Y)
    assert conditions(estimator) == {("size", "colour"), ("age", "flag")}
    assert estimator.n_splits_ == 2
    assert estimator.ledger_.splits == ()
    with pytest.raises(ValueError, match=r"growth\['size'\]"):
        quick(growth={"size": ["colour = red"]}).fit(X, Y)


def test_features_and_splits_can_be_limited():
    only = quick(
        growth=Joint(split_features=["size", 3]), condition_features=["colour", "flag"]
    ).fit(X, Y)
    assert conditions(only) == {("size", "colour"), ("age", "flag")}
    assert quick(max_splits=1).fit(X, Y).n_splits_ == 1
    assert quick(max_splits=0).fit(X, Y).n_splits_ == 0
    one_deep = quick(max_depth=1).fit(X, Y)
    assert max(term.tree.n_leaves for term in one_deep.model_.terms) == 2
    with pytest.raises(ValueError, match=r"split_features must name features; got 'sise'"):
        quick(growth=Joint(split_features=["sise"])).fit(X, Y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("growth", "greedy"),
        ("curves", "lines"),
        ("max_depth", -1),
        ("max_bins", 1),
        ("curves__n_bags", 0),
        ("curves__learning_rate", 2),
        ("growth__n_background", 0),
        ("reference", "nonsense"),
    ],
)
def test_wrong_settings_are_named(name, value):
    message = rf"{name.split('__')[-1]} must be .*; got {value!r}"
    with pytest.raises(ValueError, match=message):
        quick().set_params(**{name: value}).fit(X, Y)


# ---- fits that are told about, stopped, repeated or fail -----------------------------------------


def test_progress_goes_to_standard_error(capfd):
    quick(verbose=True).fit(X, Y)
    shown = capfd.readouterr()
    assert shown.out == ""
    done = re.findall(r"(\w+) +done in [\d.]+ s", shown.err)
    assert done == ["regions", "curves"]
    assert re.search(r"curves .* \d+/100 ", shown.err)
    quick().fit(X, Y)
    assert capfd.readouterr() == ("", "")


INTERRUPTED = """
import numpy as np, sys
from calmgam import Boosting, CALMRegressor
rng = np.random.default_rng(0)
X, y = rng.normal(size=(20_000, 10)), rng.normal(size=20_000)
estimator = CALMRegressor(max_depth=0, n_jobs=2, curves=Boosting(max_rounds=10**9, patience=10**9))
print("fitting", flush=True)
try:
    estimator.fit(X, y)
except KeyboardInterrupt:
    print([name for name in vars(estimator) if name.endswith("_")])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def test_control_c_stops_the_fit_at_once():
    command = [sys.executable, "-c", INTERRUPTED]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "fitting\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        start = time.perf_counter()
        output, _ = process.communicate(timeout=60)
    assert output == "[]\n"
    assert time.perf_counter() - start < 5


def fitted_attributes(estimator):
    return {name for name in vars(estimator) if name.endswith("_")}


@pytest.mark.parametrize("kind", BOTH)
def test_a_new_fit_forgets_the_last_one(kind):
    estimator = quick(kind).fit(X, target(kind))
    assert {"feature_names_in_", "n_features_in_"} <= fitted_attributes(estimator)
    estimator.fit(TABLE[["size", "age"]].to_numpy(), target(kind))
    fresh = quick(kind).fit(TABLE[["size", "age"]].to_numpy(), target(kind))
    assert fitted_attributes(estimator) == fitted_attributes(fresh)
    assert estimator.n_features_in_ == 2
    assert estimator.model_ == fresh.model_


@pytest.mark.parametrize("kind", BOTH)
def test_a_failed_fit_loses_nothing(kind):
    estimator = quick(kind).fit(X, target(kind))
    before, expected = dict(vars(estimator)), estimator.predict(X)

    def stop(_):
        raise KeyboardInterrupt

    for table, settings, error in (
        (X.assign(size=np.inf), {}, ValueError),
        (X[["size"]], {"curves": Boosting(n_bags=0)}, ValueError),
        (X[["size"]], {"reference": stop}, KeyboardInterrupt),
    ):
        estimator.set_params(**settings)
        with pytest.raises(error):
            estimator.fit(table, target(kind))
        estimator.set_params(**{name: before[name] for name in settings})
        assert vars(estimator) == before
    np.testing.assert_array_equal(estimator.predict(X), expected)


# ---- documentation -------------------------------------------------------------------------------


def documented_defaults(kind):
    parameters = kind.__doc__.split("Attributes")[0]
    entries = re.findall(r"^    (\w+) : (.*)$", parameters, re.MULTILINE)
    return {
        name: "None" if "optional" in text else text.split("default=")[1] for name, text in entries
    }


@pytest.mark.parametrize("kind", BOTH)
def test_every_parameter_is_documented_with_its_default(kind):
    parameters = inspect.signature(kind.__init__).parameters.values()
    defaults = {one.name: one.default for one in parameters if one.name != "self"}
    assert all(one.kind is one.KEYWORD_ONLY for one in parameters if one.name != "self")
    assert list(documented_defaults(kind)) == list(defaults)
    for name, text in documented_defaults(kind).items():
        assert eval(text) == defaults[name], name
    assert PARAMETERS in kind.__doc__


@pytest.mark.parametrize("kind", BOTH)
def test_every_fitted_attribute_is_documented(kind):
    estimator = quick(kind).fit(X, target(kind))
    public = {name for name in dir(estimator) if name.endswith("_") and not name.startswith("_")}
    heads = re.findall(
        r"^    (\w[^:\n]*)(?: :.*)?$", kind.__doc__.split("Attributes")[1], re.MULTILINE
    )
    documented = {name for head in heads for name in re.findall(r"\w+_\b", head)}
    assert documented == public
    assert ATTRIBUTES in kind.__doc__
