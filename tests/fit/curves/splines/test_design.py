import numpy as np
import pytest

from calmgam import _kernels
from calmgam.fit.curves.splines.design import Design
from oracles import spline_columns
from tables import MixedTable


@pytest.fixture(scope="module")
def table():
    return MixedTable()


@pytest.fixture(scope="module")
def design(table):
    return Design.of_rows(table.cells, table.binned, table.n_leaves)


def scores_of(design, table, coefficients):
    return design.curves(coefficients[:, None]).scores(table.cells)


def test_gram_equals_its_twin():
    rng = np.random.default_rng(0)
    n_cells, first = [5, 3], np.array([0, 1, 2, 3, 3, 7, 7, 7], dtype=np.int32)
    cells = np.stack([rng.integers(0, n, 40) for n in n_cells]).astype(np.uint16)
    basis, weights = rng.uniform(size=(8, 4)), rng.choice([0.0, 1.0, 2.0], 40)
    B = spline_columns(cells, n_cells, first, basis, 11)
    expected = B.T @ (weights[:, None] * B)
    for n_threads in (1, 2):
        gram = _kernels.gram(cells, n_cells, first, basis, weights, 11, n_threads)
        np.testing.assert_allclose(np.triu(gram), np.triu(expected), atol=1e-12)
    with pytest.raises(ValueError, match="gram: first_column must have length 9; got 8"):
        _kernels.gram(cells, [5, 4], first, basis, weights, 11, 1)


def test_normal_equations_are_those_of_the_scores(design, table):
    """X is known from the scores of single coefficients."""
    rng = np.random.default_rng(1)
    X = np.column_stack([scores_of(design, table, unit) for unit in np.eye(len(design.group_of))])
    weights, response = rng.uniform(0, 2, 600), rng.normal(size=600)
    gram, right = design.normal_equations(table.cells, weights, response)
    np.testing.assert_allclose(gram, X.T @ (weights[:, None] * X), atol=1e-9 * np.abs(gram).max())
    np.testing.assert_allclose(right, X.T @ response, atol=1e-9 * np.abs(right).max())


def test_the_intercept_is_in_no_group(design, table):
    assert design.group_of[0] == -1 and design.group_of[1:].min() == 0
    unit = np.eye(len(design.group_of))[0]
    np.testing.assert_allclose(scores_of(design, table, unit), 1)


def test_regions_add_to_what_they_have_in_common(design, table):
    random = np.random.default_rng(2).normal(size=len(design.group_of))
    curves = design.curves(random[:, None])
    plain = Design.of_rows(table.binned.codes, table.binned, [1] * 5)
    assert len(plain.group_of) < len(design.group_of)
    assert [values.shape[1] for values in curves.values] == table.n_leaves
    for values in curves.values[:1]:
        assert np.abs(values[0, 0] - values[0, 1]).max() > 0.01


def test_slots_that_no_row_has_stay_at_zero(design, table):
    curves = design.curves(np.ones((len(design.group_of), 2)))
    for values, codes in zip(curves.values, table.binned.codes, strict=True):
        unseen = np.bincount(codes, minlength=values.shape[-1]) == 0
        assert np.all(values[..., unseen] == 0)
    assert np.any(curves.values[1][..., :-1] != 0)


def test_cells_lead_to_the_same_equations(design, table):
    """X is the sum over features of what the coefficients do to a row's cells."""
    rng = np.random.default_rng(2)
    weights, response = rng.uniform(0, 2, 600), rng.normal(size=600)
    gram, right = design.normal_equations(table.cells, weights, response)
    of_cells, X, first = design.of_cells().toarray(), 0.0, 0
    for line, n_leaves, n_slots in zip(
        table.cells, table.n_leaves, table.binned.n_slots, strict=True
    ):
        X = X + of_cells[first + line.astype(int)]
        first += n_leaves * n_slots
    assert first == len(of_cells)
    np.testing.assert_allclose(X.T @ (weights[:, None] * X), gram, atol=1e-8)
    np.testing.assert_allclose(X.T @ response, right, atol=1e-8)
