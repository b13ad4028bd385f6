import numpy as np
import pandas as pd
import pytest

from benchmarks import shapes
from benchmarks.shapes import Truth, judged


def pairs(*listed):
    return [frozenset(pair) for pair in listed]


def test_interactions_follow_one_another():
    assert Truth(10, 9, (2, 3)).interactions == [(1, 2), (3, 4, 5)]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (pairs(), (0, 2, 0)),
        (pairs({1, 2}), (1, 1, 0)),
        (pairs({1, 2}, {2, 1}, {1, 3}), (1, 1, 1)),
        (pairs({3, 4}), (0, 2, 0)),
        (pairs({3, 4}, {3, 5}, {0, 5}), (1, 1, 1)),
    ],
)
def test_splits_are_judged_by_the_interactions(found, expected):
    counts = judged(found, [(1, 2), (3, 4, 5)])
    assert tuple(counts.values()) == expected


@pytest.mark.parametrize("columns", ["normal", "correlated", "mixed"])
def test_the_true_regions_are_those_of_the_score(columns):
    truth = Truth(400, 8, (2, 3), columns=columns)
    X, _, _ = truth.draw(np.random.default_rng(0), 400)
    regions = shapes.true_regions(truth, X)
    assert list(regions) == ["x1", "x3"]
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(8)])
    last = frame.eval(regions["x1"][-1])
    assert 0.3 < last.mean() < 0.7
    other = shapes.Truth(400, 8, (2,), columns=columns)
    alone = other.draw(np.random.default_rng(0), 400)[1]
    first = 2 * X[:, 0]
    np.testing.assert_allclose(alone[~last], first[~last])


def test_a_run_writes_what_was_found(tmp_path, monkeypatch):
    monkeypatch.setattr(
        shapes, "grid", lambda name: [Truth(300, 4), Truth(200, 3, task="classification")]
    )
    out = tmp_path / "results" / "shapes.csv"
    shapes.main(["--out", str(out)])
    written = pd.read_csv(out)
    assert written["growth"].tolist() == ["joint", "heterogeneity", "given"] * 2
    first = written.iloc[0]
    assert (first["found"], first["missed"]) == (1, 0)
    assert first["r2"] > 0.9
    assert "at least as much as the paper's growth" in out.with_suffix(".md").read_text()
