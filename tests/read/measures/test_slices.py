"""Slices: every row is in one, their means are the rows' means, and none tells of a few rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_models import hand_model

from calmgam import CALMRegressor, Quantile
from calmgam.model.objectives import Objective
from calmgam.read import plot_slices, slices

rng = np.random.default_rng(0)
N = 400
X = pd.DataFrame(
    {
        "hour": rng.uniform(0, 23, N),
        "job": rng.choice(["nurse", "cook", "pilot"], N, p=[0.5, 0.495, 0.005]),
        "flag": rng.random(N) < 0.5,
        "zone": rng.integers(0, 40, N),
    }
)
MODEL = hand_model()
Y = MODEL.predict(X) + rng.normal(size=N)


@pytest.mark.parametrize("by", ["hour", "job", "flag", "zone", rng.integers(0, 4, N)])
def test_slices_add_up_to_all_rows(by):
    found = slices(MODEL, X, Y, by)
    assert sum(one.n_rows for one in found.slices) == N
    assert sum(one.share for one in found.slices) == pytest.approx(1)
    assert min(one.n_rows for one in found.slices) >= 5
    total = sum(one.share * one.observed for one in found.slices)
    assert total == pytest.approx(Y.mean())
    squares = sum(one.share * one.error**2 for one in found.slices)
    assert squares == pytest.approx(np.mean((Y - MODEL.predict(X)) ** 2))


def test_a_slice_holds_the_means_of_its_rows():
    one = slices(MODEL, X, Y, "flag").slices[1]
    rows = X["flag"].to_numpy()
    assert (one.values, one.n_rows) == ("True", rows.sum())
    assert one.observed == pytest.approx(Y[rows].mean())
    assert one.predicted == pytest.approx(MODEL.predict(X)[rows].mean())
    assert one.error == pytest.approx(np.sqrt(np.mean((Y - MODEL.predict(X))[rows] ** 2)))


@given(
    st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=1, max_size=40),
    st.integers(1, 6),
)
@settings(max_examples=150, deadline=None)
def test_no_slice_and_no_difference_of_slices_tells_of_few_rows(labels, min_rows):
    n = len(labels)
    found = slices(MODEL, X[:n], Y[:n], np.array(labels, dtype=object), min_rows=min_rows)
    sizes = [one.n_rows for one in found.slices]
    assert sum(sizes) == (n if n >= min_rows else 0)
    assert all(size >= min_rows for size in sizes)


def test_few_different_numbers_are_slices_of_their_own_and_bands_have_round_ends():
    few = slices(MODEL, X, Y, pd.Series(rng.integers(1, 4, N), name="grade"))
    assert few.by == "grade" and [one.values for one in few.slices] == ["1", "2", "3"]
    whole = slices(MODEL, X, Y, "zone").slices
    assert whole[0].values.startswith("zone <= ") and "." not in "".join(s.values for s in whole)


def test_rates_of_counts_are_per_exposure():
    model = replace(MODEL, link="log", objective=Objective("poisson"))
    exposure = rng.uniform(0.2, 4, N)
    counts = rng.poisson(exposure * model.predict(X)).astype(float)
    one = slices(model, X, counts, "flag", offset=np.log(exposure)).slices[0]
    rows = ~X["flag"].to_numpy()
    assert one.observed == pytest.approx(counts[rows].sum() / exposure[rows].sum())


def test_weights_count_and_rows_without_weight_do_not():
    weights = np.where(X["flag"], 2.0, 0.0)
    (only,) = slices(MODEL, X, Y, "flag", sample_weight=weights).slices
    assert (only.values, only.n_rows, only.share) == ("True", X["flag"].sum(), 1.0)


def test_what_cannot_be_sliced_is_refused():
    with pytest.raises(ValueError, match="by must be a column of X; got 'height'"):
        slices(MODEL, X, Y, "height")
    with pytest.raises(ValueError, match="by must have one value per row, 400; got 3"):
        slices(MODEL, X, Y, [1, 2, 3])
    with pytest.raises(ValueError, match="min_rows must be an integer of at least 1; got 0"):
        slices(MODEL, X, Y, "flag", min_rows=0)


def test_the_text_and_the_picture_name_the_slices():
    found = slices(MODEL, X, Y, "job")
    lines = str(found).split("\n")
    assert lines[0] == "400 rows by job" and lines[1].split()[-1] == "RMSE"
    assert found.worst.error == max(one.error for one in found.slices)
    ax = plot_slices(MODEL, X, Y, "job")
    assert next(text.get_text().split("  ")[0] for text in ax.get_yticklabels()) == "nurse"
    assert "too few" in str(slices(MODEL, X[:3], Y[:3], "job"))


@pytest.mark.parametrize("objective", [Quantile(0.9), "absolute_error"])
def test_of_quantiles_rows_below_are_counted(objective):
    """Within a slice the quantiles differ; their mean is not the quantile of the slice."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(0, 3, 2000), "b": rng.choice(["u", "v"], 2000)})
    y = X.a.to_numpy() + rng.normal(size=2000)
    model = CALMRegressor(objective=objective, max_depth=0, n_jobs=1, random_state=0).fit(X, y)
    found = model.slices(X, y, by="b")
    level = 0.5 if objective == "absolute_error" else 0.9
    assert found.level == level
    below = y <= model.predict(X)
    for one in found.slices:
        assert one.predicted == pytest.approx(level)
        assert one.observed == pytest.approx(below[X.b == one.values].mean())
        assert one.observed == pytest.approx(level, abs=0.04)
    assert "share of rows up to their predicted quantile" in str(found)
