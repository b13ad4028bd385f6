import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from calmgam.model.ledger import Ledger, PathPoint, PathSplit, SplitRecord, check_path
from calmgam.model.regions import Condition, Region
from calmgam.model.schema import Feature, Schema

HOUR = Feature("hour", 1, "numeric", low=0.0, high=23.0)
EARLY = Condition(HOUR, "<=", 7.5, False)
ROOT = SplitRecord("temp", Region(), EARLY, 0, 100, 40, 60, 1.0, 2.0, 0.75, True)
LEFT = SplitRecord(
    "temp", Region((EARLY,)), None, 1, 40, 0, 0, 0.4, 0.5, 0.0, False, "no condition"
)
RIGHT = replace(LEFT, region=Region((EARLY.negate(),)), n_rows=60, share=0.6)
OTHER = SplitRecord("hour", Region(), None, 0, 100, 0, 0, 1.0, 0.25, 0.0, False, "no condition")
LEDGER = Ledger(2, (ROOT, LEFT, RIGHT, OTHER))
SCHEMA = Schema((Feature("temp", 0, "numeric"), HOUR))


def test_a_record_knows_what_the_split_takes_away():
    assert ROOT.heterogeneity_after == 0.5
    assert ROOT.gain == 1.5
    assert (ROOT.condition_feature, OTHER.condition_feature) == ("hour", None)


def test_features_follow_from_the_records():
    temp, hour = LEDGER.features
    assert (temp.feature, temp.n_leaves) == ("temp", 2)
    assert (temp.heterogeneity_before, temp.heterogeneity_after) == (2.0, 0.5)
    assert (hour.heterogeneity_before, hour.heterogeneity_after) == (0.25, 0.25)


def test_the_bound_counts_every_feature_or_is_unknown():
    assert LEDGER.bound == math.sqrt(2 * (0.5 + 0.25))
    assert math.isnan(replace(LEDGER, n_features=3).bound)


def test_accepted_splits():
    assert LEDGER.accepted == (ROOT,)


def test_rows_are_plain():
    rows = LEDGER.rows()
    assert [row["condition"] for row in rows] == ["hour <= 7.5", None, None, None]
    assert [row["region"] for row in rows][:2] == ["everywhere", "hour <= 7.5"]
    assert all(type(v) in (str, int, float, bool, type(None)) for row in rows for v in row.values())


def test_frame():
    frame = LEDGER.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.to_dict("records")[0] == LEDGER.rows()[0]


def test_without_pandas_the_frame_is_a_list(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    assert LEDGER.to_frame() == LEDGER.rows()


def test_another_number_of_splits_is_not_what_cross_validation_chose():
    records = tuple(replace(ROOT, accepted=k < 2, reason="") for k in range(3))
    path = tuple(PathPoint(k, 1.0, 0.1, chosen=k == 2) for k in range(4))
    ledger = Ledger(2, records, path, is_joint=True)
    for n_splits in range(4):
        kept = ledger.keeping(n_splits)
        assert len(kept.accepted) == n_splits
        assert kept.is_cross_validated == (n_splits == 2)
        assert Ledger.from_dict(kept.to_dict(), SCHEMA).is_cross_validated == (n_splits == 2)
    assert ledger.keeping(3).keeping(2).is_cross_validated
    assert not replace(ledger, path=()).is_cross_validated


def test_an_empty_ledger_is_legal():
    assert Ledger(3).rows() == []
    assert Ledger(0).bound == pytest.approx(0)


def test_ledgers_come_back_from_plain_values():
    unknown = replace(OTHER, drop=math.nan)
    point = PathPoint(0, np.float64(1.5), math.nan, True)
    ledger = Ledger(2, (ROOT, LEFT, unknown), (point,), is_joint=True, effect="ale")
    reread = Ledger.from_dict(ledger.to_dict(), SCHEMA)
    assert reread == ledger
    assert hash(reread) == hash(ledger)
    assert unknown != OTHER
    assert type(reread.path[0].error) is type(point.error) is float
    step = PathSplit(0, 0, ROOT)
    assert PathSplit.from_dict(step.to_dict(), SCHEMA) == step


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([PathSplit(1, 0, ROOT)], r"path\[0\] must split the feature of its record"),
        ([PathSplit(0, 1, ROOT)], r"path\[0\] must split one of the 1 leaves of 'temp'"),
        ([PathSplit(0, 0, ROOT), PathSplit(0, 2, ROOT)], "one of the 2 leaves .* got leaf 2"),
        ([PathSplit(0, 0, LEFT)], "by a condition"),
    ],
)
def test_a_path_whose_steps_cannot_follow_each_other_is_refused(steps, message):
    with pytest.raises(ValueError, match=message):
        check_path(steps, SCHEMA)
    check_path([PathSplit(0, 0, ROOT), PathSplit(0, 1, ROOT)], SCHEMA)
