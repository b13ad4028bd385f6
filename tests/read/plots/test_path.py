from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from calmgam import Boosting, CALMRegressor, Heterogeneity
from calmgam.model.ledger import Ledger
from calmgam.read.plots.canvas import new_axes
from calmgam.read.plots.path import draw_path, plot_path
from calmgam.read.texts.summary import history_text


@pytest.fixture(scope="module")
def calm():
    X, y = table()
    return CALMRegressor(curves=Boosting(n_bags=1, max_rounds=20), random_state=0, n_jobs=1).fit(
        X, y
    )


def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, (400, 3)), columns=["size", "age", "noise"])
    return X, 4 * X["size"] * (X["age"] > 0) + 0.3 * rng.normal(size=400)


def test_the_picture_shows_the_path(calm):
    ledger = calm.ledger_
    ax = calm.plot_path()
    errors, places = ax.lines[0].get_data()
    assert errors.tolist() == [point.error for point in ledger.path]
    assert places.tolist() == [point.n_splits for point in ledger.path]
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[0] == "0  no split"
    assert labels[1].startswith("1  size: age\N{NO-BREAK SPACE}≤")
    bold = [k for k, label in enumerate(ax.get_yticklabels()) if label.get_weight() == "bold"]
    assert bold == [calm.n_splits_]
    marked = ax.lines[-1].get_xydata().tolist()
    assert marked == [[p.error, p.n_splits] for p in ledger.path if p.chosen]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # no split at the top


def test_a_number_that_was_not_tried_can_be_marked(calm):
    tried = {point.n_splits for point in calm.ledger_.path}
    n_splits = next(k for k in range(100) if k not in tried)
    records = calm.ledger_.splits[:1] * n_splits
    ax = draw_path(Ledger(3, records, calm.ledger_.keeping(n_splits).path, is_joint=True))
    bold = [k for k, label in enumerate(ax.get_yticklabels()) if label.get_weight() == "bold"]
    assert bold == [n_splits]


def test_the_number_asked_for_is_marked_and_told(calm):
    asked = next(p.n_splits for p in calm.ledger_.path if p.n_splits != calm.n_splits_)
    for n_splits in (asked, calm.n_splits_):
        ledger = calm.ledger_.keeping(n_splits)
        ax = draw_path(ledger)
        assert ax.lines[-1].get_xydata()[:, 1].tolist() == [n_splits]
        told = f"{n_splits} kept of {len(ledger.splits)} considered"
        by = "" if n_splits == asked else ", by cross-validation"
        assert history_text(ledger) == f"splits by joint growth: {told}{by}"


def test_the_picture_says_why_the_lowest_error_was_not_taken(calm):
    ledger, chosen = calm.ledger_, calm.n_splits_
    other = next(point.n_splits for point in ledger.path if point.n_splits != chosen)
    lowest = {True: -1.0, False: 1.0}
    for best in (chosen, other):
        path = tuple(replace(p, error=lowest[p.n_splits == best]) for p in ledger.path)
        label = draw_path(replace(ledger, path=path)).get_xlabel().replace("\n", " ")
        told = f"Marked: {chosen}, not {best} with the lowest error of growth's quick model"
        assert (told in label) == (best == other)
        assert ("the fewest splits within one standard error" in label) == (best == other)
        separate = draw_path(replace(ledger, path=path, is_joint=False)).get_xlabel()
        assert ("lowest error: the fewest" in separate.replace("\n", " ")) == (best == other)
    asked = draw_path(ledger.keeping(0)).get_xlabel().replace("\n", " ")
    best = min(ledger.path, key=lambda point: point.error).n_splits
    assert f"Marked: the number asked for, 0; the lowest error is at {best}." in asked


def test_some_numbers_of_splits_are_enough(calm):
    X, y = table()
    options = {"growth": Heterogeneity(min_drop=0.02, sparsity=0.0)}
    ledger = clone(calm).set_params(**options).fit(X, y).ledger_
    ax = draw_path(ledger)
    tried = [point.n_splits for point in ledger.path]
    assert ax.get_yticks().tolist() == ax.lines[0].get_data()[1].tolist() == tried
    labels = ax.get_yticklabels()
    assert [label.get_text() for label in labels] == ["0  no split", *map(str, tried[1:])]
    bold = [k for k, label in zip(tried, labels, strict=True) if label.get_weight() == "bold"]
    assert (
        bold == [len(ledger.accepted)] == [point.n_splits for point in ledger.path if point.chosen]
    )
    low, high = ax.get_ylim()
    assert low > tried[-1] > 0 > high


def test_given_axes_are_used_and_the_picture_can_be_drawn(calm, tmp_path):
    ax = new_axes(5, 4)
    assert plot_path(calm.model_, ax) is ax
    ax.figure.savefig(tmp_path / "path.png")
    assert (tmp_path / "path.png").stat().st_size > 1000


def test_without_a_path_there_is_no_picture():
    with pytest.raises(ValueError, match="the ledger must have a path"):
        draw_path(Ledger())
