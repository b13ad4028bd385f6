import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from calmgam import Boosting, CALMRegressor, FitProgress, StopFit, load
from calmgam.fit.support.progress import WIDTH, Watch


def test_silence_unless_verbose(capsys):
    with Watch().stage("curves") as progress:
        assert progress is None
    assert capsys.readouterr() == ("", "")


def test_a_stage_is_one_line_on_standard_error(capsys):
    with Watch(verbose=True).stage("curves") as progress:
        assert not progress(10, 40)
        assert not progress(40, 40)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1 and err.endswith("\n")
    begun, quarter, full, done = err.split("\r")
    assert begun.strip() == "curves"
    assert quarter.count("█") == WIDTH // 4 and "10/40" in quarter
    assert full.count("█") == WIDTH and "40/40" in full
    assert "curves     done in 0.0 s" in done
    assert len(done.rstrip("\n")) >= len(full)  # nothing of the bar stays behind


def test_callbacks_see_every_step_and_may_stop():
    seen = []
    watch = Watch([seen.append, lambda progress: progress.done == 2])
    with watch.stage("curves") as progress:
        assert not progress(1, 3)
        assert progress(2, 3)
    steps = [(one.stage, one.done, one.total, one.finished) for one in seen]
    assert steps == [
        ("curves", 0, 0, False),
        ("curves", 1, 3, False),
        ("curves", 2, 3, False),
        ("curves", 0, 0, True),
    ]
    assert watch.stopped == "by a callback, in stage 'curves'"
    with pytest.raises(AttributeError):
        seen[0].done = 7


def test_the_search_of_regions_leaves_time_for_curves(monkeypatch):
    watch = Watch(max_seconds=30)
    monkeypatch.setattr(watch, "start", time.monotonic() - 21)
    with watch.stage("regions") as regions, watch.stage("curves") as curves:
        assert regions(1, 5)
        assert not curves(1, 5)
    assert watch.stopped == "by max_seconds=30, in stage 'regions'"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_seconds": 0}, "max_seconds must be .*; got 0"),
        ({"verbose": ["a"]}, "verbose must be True, False, or functions .*; got 'a'"),
    ],
)
def test_what_makes_no_sense_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        CALMRegressor(**parameters).fit([[0.0]], [0.0])


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 3))
    return X, X[:, 0] * (X[:, 1] > 0) + 0.1 * rng.normal(size=1200)


QUICK = {"curves": Boosting(n_bags=2), "n_jobs": 1, "random_state": 0}


def test_time_that_is_not_used_up_changes_nothing(table):
    X, y = table
    free = CALMRegressor(**QUICK).fit(X, y)
    seen = []
    watched = CALMRegressor(max_seconds=1e6, verbose=[seen.append], **QUICK).fit(X, y)
    np.testing.assert_array_equal(watched.predict(X), free.predict(X))
    assert watched.ledger_.stopped == free.ledger_.stopped == ""
    assert {one.stage for one in seen} == {"regions", "curves"}
    assert all(isinstance(one, FitProgress) for one in seen)


def test_a_fit_without_time_is_a_model_and_says_so(table, tmp_path):
    X, y = table
    with pytest.warns(UserWarning, match=r"stopped by max_seconds=1e-09, in stage 'regions'.*docs"):
        calm = CALMRegressor(max_seconds=1e-9, **QUICK).fit(X, y)
    assert calm.n_splits_ == 0
    assert calm.score(X, y) > 0.3  # a GAM sees half of it
    assert "stopped by max_seconds=1e-09, in stage 'regions': the best found" in calm.summary()
    calm.model_.save(tmp_path / "m.json")
    assert load(tmp_path / "m.json").ledger.stopped == calm.ledger_.stopped


def stop_curves(progress):
    if progress.stage == "curves" and progress.done:
        raise StopFit


@pytest.mark.parametrize("curves", [Boosting(n_bags=2), "splines", "backfitting"])
def test_curves_stop_with_the_best_so_far(table, curves, monkeypatch):
    monkeypatch.setattr("calmgam.fit.curves.boosting.CELLS_PER_CALL", 1)  # look after every round
    X, y = table
    growth = {"x0": ["x1 <= 0", "x1 > 0"]}
    quick = {**QUICK, "curves": curves, "growth": growth, "verbose": stop_curves}
    with pytest.warns(UserWarning, match="stopped by a callback, in stage 'curves'"):
        calm = CALMRegressor(**quick).fit(X, y)
    assert np.isfinite(calm.predict(X)).all()
    assert calm.n_splits_ == 1


def test_estimators_with_callbacks_can_be_cloned_and_searched(table):
    X, y = table
    calm = CALMRegressor(verbose=[stop_curves], max_seconds=1e6, max_depth=0, **QUICK)
    assert clone(calm).get_params()["verbose"] == [stop_curves]
    with pytest.warns(UserWarning, match="callback"):
        search = GridSearchCV(calm, {"max_bins": [16, 64]}, cv=2).fit(X, y)
    assert search.best_params_["max_bins"] in (16, 64)
    with pytest.warns(UserWarning, match="callback"):
        parameters = calm.fit(X, y).model_.provenance.settings["parameters"]
    assert "0x" not in str(parameters["verbose"])
