import numpy as np
import pytest

from calmgam.fit.data.bags import training_rows, validation_rows
from calmgam.fit.policies import Policy
from calmgam.fit.prepared import Limits
from prepared import prepared_of


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("max_depth", -1, "max_depth must be an integer from 0 to 100; got -1"),
        ("max_depth", 1.5, "max_depth must be an integer from 0 to 100; got 1.5"),
        ("max_depth", True, "max_depth must be an integer from 0 to 100; got True"),
        ("max_splits", -2, 'max_splits must be an integer >= 0, "auto" or None; got -2'),
        ("max_splits", "all", "max_splits must be an integer >= 0, \"auto\" or None; got 'all'"),
    ],
)
def test_limits_check_themselves(name, value, message):
    with pytest.raises(ValueError, match=message):
        Limits((0,), Policy((1,)), **{name: value})


def test_numpy_numbers_are_numbers():
    Limits((0,), Policy((1,)), max_depth=np.int64(1), max_splits=np.int64(2))


@pytest.fixture
def prepared():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    weights = rng.uniform(1, 2, 200)
    return prepared_of(X, X[:, 0] + X[:, 1] ** 2, weights=weights, n_bags=2)


def test_some_rows_are_taken_everywhere(prepared):
    rows = np.arange(5, 100, 3)
    some = prepared.take(rows, n_jobs=7)
    np.testing.assert_array_equal(some.X, prepared.X[rows])
    np.testing.assert_array_equal(some.binned.codes, prepared.binned.codes[:, rows])
    np.testing.assert_array_equal(some.target.values, prepared.target.values[rows])
    np.testing.assert_array_equal(some.target.weights, prepared.target.weights[rows])
    np.testing.assert_array_equal(some.bags, prepared.bags[rows])
    assert (some.n_rows, some.n_jobs, prepared.n_jobs) == (len(rows), 7, 1)
    assert some.limits is prepared.limits


def test_the_reference_is_judged_on_rows_that_it_has_not_seen(prepared):
    training, validation = training_rows(prepared.bags), validation_rows(prepared.bags)
    score = prepared.fit_reference(training).score(prepared.X[validation])
    y = prepared.target.mean + prepared.target.scale * prepared.target.values[validation]
    predicted = prepared.target.mean + prepared.target.scale * score
    weights = prepared.target.weights[validation]
    expected = np.sqrt(np.average((y - predicted) ** 2, weights=weights))
    assert prepared.reference_error() == pytest.approx(expected)
    assert prepared.has_validation_rows
    assert not prepared_of(prepared.X, y=prepared.X[:, 0], n_bags=0).has_validation_rows
