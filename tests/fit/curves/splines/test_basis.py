import numpy as np
import pytest
from scipy.interpolate import BSpline

from calmgam._kernels import WIDTH
from calmgam.fit.curves.splines.basis import (
    BENT,
    LEVELS,
    MISSING,
    STRAIGHT,
    level_basis,
    spline_basis,
)


def matrix(basis):
    """Values of every slot in every column."""
    columns = np.zeros((len(basis.first), len(basis.transform)))
    for slot, first in enumerate(basis.first):
        columns[slot, first : first + WIDTH] = basis.values[slot]
    return columns


CENTRES = {
    "even": np.linspace(0, 1, 50),
    "skewed": np.exp(np.linspace(0, 12, 300)),
    "few": np.array([1.0, 2.0, 7.0]),
    "one": np.array([3.0]),
    "huge": np.array([-1.7e308, 0.0, 1.7e308]),
}


@pytest.mark.parametrize("centres", CENTRES.values(), ids=CENTRES)
def test_values_add_up_to_one(centres):
    basis = spline_basis(centres, 20)
    values = matrix(basis)
    assert np.all(values >= 0)
    np.testing.assert_allclose(values.sum(axis=1), 1)
    np.testing.assert_array_equal(np.flatnonzero(values[-1]), [values.shape[1] - 1])  # missing
    assert np.all(values[:-1, -1] == 0)


def test_columns_are_cubic_splines():
    centres = np.linspace(2, 5, 40)  # evenly spaced: bins and values say the same
    values = matrix(spline_basis(centres, 12))[:-1, :-1]
    knots = 2 + 3 * np.arange(-3, 13) / 9
    np.testing.assert_allclose(
        values, BSpline.design_matrix(np.minimum(centres, 5 - 1e-12), knots, 3).toarray(), atol=1e-9
    )


def test_coefficients_are_a_slope_and_second_differences():
    basis = spline_basis(CENTRES["skewed"], 15)
    kinds = [STRAIGHT, *[BENT] * 13, MISSING]
    np.testing.assert_array_equal(basis.kinds, kinds)
    splines = basis.transform[:-1, :-1]
    differences = np.diff(splines, 2, axis=0)
    np.testing.assert_allclose(differences[:, 0], 0, atol=1e-12)
    np.testing.assert_allclose(differences[:, 1:], np.eye(13), atol=1e-9)
    np.testing.assert_allclose(splines.sum(axis=0), 0, atol=1e-9)  # constants are apart


def test_outliers_have_few_splines():
    centres = np.append(np.linspace(0, 1, 99), 1e6)
    values = matrix(spline_basis(centres, 40))
    reached = (values[:99] > 1e-6).any(axis=0).sum()
    assert reached >= 20


def test_levels_have_a_column_each():
    for n_slots in (3, 4, 9):
        basis = level_basis(n_slots)
        np.testing.assert_array_equal(matrix(basis) @ basis.transform, np.eye(n_slots))
        assert set(basis.kinds) == {LEVELS}


def test_coefficients_that_no_slot_needs_are_left_out():
    basis = spline_basis(CENTRES["even"], 20)
    bins, missing = np.arange(51) < 50, np.arange(51) == 50
    assert MISSING not in basis.of_slots(bins)[1]
    assert basis.of_slots(missing)[1].tolist() == [MISSING]
    transform, kinds = level_basis(6).of_slots(np.array([1, 0, 0, 1, 0, 0], dtype=bool))
    assert transform.shape == (6, 2) and len(kinds) == 2
