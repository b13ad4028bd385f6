import os

import numpy as np
import pytest

from benchmarks import datasets

needs_data = pytest.mark.skipif(
    not os.environ.get("CALMGAM_DATA"), reason="CALMGAM_DATA is not set"
)


@needs_data
def test_public_tables_match_their_catalogue():
    for name in ("no2", "sensory", "appendicitis"):
        X, y, task = datasets.load(name)
        listed = datasets.catalogue().loc[name]
        assert X.shape == (listed["n_rows"], listed["n_features"])
        assert task == listed["task"]
        assert len(y) == len(X)
        text = X.select_dtypes(exclude="number").columns
        assert list(text) == [c for c in listed["categorical_columns"].split(";") if c]


@needs_data
def test_unknown_table_is_named():
    with pytest.raises(ValueError, match=r"one of adult, .*; got 'wien'"):
        datasets.load("wien")


def test_missing_folder_is_explained(monkeypatch):
    monkeypatch.delenv("CALMGAM_DATA", raising=False)
    with pytest.raises(RuntimeError, match="CALMGAM_DATA must name the folder"):
        datasets.load("wine")


def test_folds_are_disjoint_and_complete():
    X, y, _ = datasets.load("case1-seed0")
    tested = []
    for fold in range(datasets.N_FOLDS):
        X_train, y_train, X_test, y_test = datasets.split(X, y, str(fold))
        assert set(X_train.index).isdisjoint(X_test.index)
        np.testing.assert_array_equal(y_train, y[X_train.index])
        np.testing.assert_array_equal(y_test, y[X_test.index])
        tested += list(X_test.index)
    assert sorted(tested) == list(range(len(X)))


def test_case_2_switches_the_curve_of_x2_in_four_quadrants():
    X, y, _ = datasets.load("case2-seed1")
    rest = (y - X["x0"] ** 2 - np.log(X["x1"].abs())) / 2
    curves = {
        (True, True): np.sin(np.pi / 2 * X["x2"]),
        (True, False): np.cos(np.pi / 2 * X["x2"]),
        (False, True): np.sin(2 * np.pi * X["x2"]),
        (False, False): np.cos(2 * np.pi * X["x2"]),
    }
    for (first, second), curve in curves.items():
        inside = ((X["x0"] >= 0) == first) & ((X["x1"] >= 0) == second)
        np.testing.assert_allclose(rest[inside], curve[inside], atol=1e-12)


def test_simulations_repeat_and_seeds_differ():
    for case in ("case1", "case3"):
        first, again, other = (datasets.load(f"{case}-seed{s}") for s in (0, 0, 1))
        assert first[0].equals(again[0])
        assert list(first[0].columns) == ["x1", "x2", "x3"]
        assert not np.array_equal(first[1], other[1])


def test_million_has_five_interactions():
    X, y, task = datasets.simulate_million(n_rows=20_000)
    assert (X.shape, task) == ((20_000, 20), "regression")
    for i, threshold in enumerate((-0.4, -0.2, 0.0, 0.2, 0.4)):
        above = X[f"x{i + 5}"] > threshold
        slopes = [np.polyfit(X.loc[side, f"x{i}"], y[side], 1)[0] for side in (above, ~above)]
        assert slopes[0] - slopes[1] == pytest.approx(3, abs=0.4)
