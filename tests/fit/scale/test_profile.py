import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from calmgam import _kernels
from calmgam.fit.data.objectives import loss_of
from calmgam.fit.scale.arrow import Columns
from calmgam.fit.scale.profile import Profile, ProfilePass
from calmgam.fit.scale.sample import Sample
from calmgam.model.schema import Schema
from fit_scale import simulated

GOOD = simulated(60).drop(columns=["w", "o"])


def profile_of(parts, sample_rows=200, **roles):
    columns = Columns.of(parts[0].schema, "y", **roles)
    one_pass = ProfilePass(columns, sample_rows)
    profiles = [one_pass.add(one_pass.start(), part, f"{k}") for k, part in enumerate(parts)]
    return columns, profiles


def batch(frame):
    return pa.RecordBatch.from_pandas(frame, preserve_index=False)


def total(profiles):
    whole = profiles[0]
    for one in profiles[1:]:
        whole = whole + one
    return whole


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("values", [[], [1, 2], [1.5, np.nan], [np.nan], [-3, 0, np.inf]])
def test_summaries_equal_their_twin(values, dtype):
    values = np.array(values, dtype=dtype)
    assert _kernels.summarise(values) == oracles.summarise(values)


def test_the_schema_is_that_of_the_table_in_memory():
    frame = simulated(500).drop(columns=["w", "o"])
    frame["flag"] = frame.a > 0
    frame["level"] = frame.kind.astype("category")
    frame["count"] = np.arange(500)
    columns, profiles = profile_of([batch(frame[:200]), batch(frame[200:])])
    learned = Schema.learn(frame.drop(columns="y"))
    assert total(profiles).schema(columns) == learned


def ordered(values, levels):
    """Return rows with a column of ordered levels."""
    kind = pd.Categorical(values, categories=levels, ordered=True)
    return GOOD[: len(values)].assign(kind=kind)


LOW, HIGH = ["low", "mid", "high"], ["high", "mid", "low"]


def test_ordered_levels_keep_their_order():
    frame = ordered(["high", "low", "high", None] * 10, LOW)
    empty = batch(frame)[:0].set_column(
        3, "kind", pa.array([], batch(frame).schema.field("kind").type)
    )
    columns, profiles = profile_of([empty, batch(frame[:20]), batch(frame[20:])])
    learned = Schema.learn(frame.drop(columns="y"))
    assert learned["kind"].levels == ("low", "high") and learned["kind"].ordered
    assert total(profiles).schema(columns) == learned
    total(profiles[1:]).check()


@pytest.mark.parametrize(
    ("other", "got"),
    [
        (ordered(LOW, HIGH), r"\['high', 'mid', 'low'\] and \['low', 'mid', 'high'\]"),
        (GOOD[:3].assign(kind=LOW), r"no order and \['low', 'mid', 'high'\]"),
    ],
    ids=["another order", "no order"],
)
def test_partitions_must_agree_on_the_order_of_levels(other, got):
    parts = [batch(ordered(LOW, LOW)), batch(other)]
    rule = "column 'kind' must have the same order of levels in all partitions; got "
    for some in (parts, parts[::-1]):
        with pytest.raises(ValueError, match=rule + got):
            total(profile_of(some)[1]).check()
    columns, profiles = profile_of(parts, feature_types={"kind": HIGH})  # a user settles it
    total(profiles).check()
    assert total(profiles).schema(columns)["kind"].levels == ("high", "mid", "low")


def test_a_partition_without_levels_has_no_say():
    nothing = ordered([None] * 3, HIGH)
    whole = total(profile_of([batch(ordered(LOW, LOW)), batch(nothing)])[1])
    assert whole.ranges["kind"].orders == {tuple(LOW)}


@given(st.permutations(range(6)), st.integers(1, 400))
@settings(max_examples=20, deadline=None)
def test_profiles_are_added_in_any_order(order, sample_rows):
    frame = simulated(300).drop(columns=["w", "o"])
    parts = [batch(frame[50 * k : 50 * k + 50]) for k in range(6)]
    columns, profiles = profile_of(parts, sample_rows)
    one, other = total(profiles), total([profiles[k] for k in order])
    assert one.schema(columns) == other.schema(columns)
    assert one.table_sha256(columns) == other.table_sha256(columns)
    assert one.sampled().equals(other.sampled())
    whole = profile_of([batch(frame)], sample_rows)[1][0]
    assert one.sampled().equals(whole.sampled())
    assert one.sampled().num_rows == min(sample_rows, 300)


def test_rows_that_occur_often_are_sampled_as_often():
    hashes, counts = np.arange(3, dtype=np.uint64), np.array([10, 80, 10])
    sample = Sample(20, hashes, counts, None)
    assert np.bincount(sample.positions()).tolist() == [2, 16, 2]
    assert np.bincount(Sample(100, hashes, counts, None).positions()).tolist() == [10, 80, 10]


def faults_of(*frames, **roles):
    with pytest.raises(ValueError) as raised:
        total(profile_of([batch(frame) for frame in frames], **roles)[1]).check()
    return str(raised.value)


def test_partitions_without_faults_pass():
    total(profile_of([batch(GOOD), batch(GOOD)])[1]).check()


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (GOOD.rename(columns={"b": "beta"}), "column 'b' is absent; there are"),
        (GOOD.assign(b="text"), "column 'b' must be numeric as in the dataset; got"),
        (GOOD.assign(kind=1.0), "column 'kind' must be categorical as in the dataset; got double"),
        (GOOD.assign(b=np.nan), "column 'b' has only missing values there, and others elsewhere"),
        (GOOD.assign(b=None), "column 'b' has only missing values there, and others elsewhere"),
        (GOOD[:0], "has no rows"),
        (GOOD.assign(b=np.inf), "column 'b' must be finite or missing; got inf"),
        (GOOD.assign(y=np.nan), "column 'y' must have no missing values"),
        (GOOD.assign(y="text"), "column 'y' must be numeric as in the dataset; got"),
    ],
    ids=["absent", "text", "number", "nan", "null", "empty", "infinite", "target", "text target"],
)
def test_a_fault_names_partition_and_column(bad, fault):
    text = faults_of(GOOD, bad)
    assert text.startswith(f"partition 1: {fault}")


def test_weights_must_not_be_negative():
    frame = GOOD.assign(w=1.0)
    assert "partition 1: column 'w' holds weights, which must be >= 0; got -1" in faults_of(
        frame, frame.assign(w=-1.0), weight="w"
    )


def test_y_must_be_what_the_loss_takes():
    counts = GOOD.assign(y=1.0)
    text = faults_of(counts, counts.assign(y=-1.0), loss=loss_of("poisson"))
    assert text == "partition 1: column 'y' must be >= 0 for poisson; got -1"
    with pytest.raises(ValueError, match="y must be numbers; column 'kind' holds"):
        Columns.of(batch(GOOD).schema, "kind", loss=loss_of("squared_error"))


def test_rows_of_weight_zero_are_not_looked_at():
    frame = GOOD.assign(w=1.0)
    unused = frame.assign(w=0.0, a=np.inf, y=np.nan)
    whole = total(profile_of([batch(one) for one in (frame, unused, unused)], weight="w")[1])
    whole.check()
    assert whole.n_rows == len(frame)
    half = frame.assign(w=0.0)  # its other batch has no value of b
    one_pass = ProfilePass(Columns.of(batch(frame).schema, "y", weight="w"))
    profile = one_pass.add(one_pass.start(), batch(frame), "0")
    for part in (half, frame.assign(b=np.nan)):
        profile = one_pass.add(profile, batch(part), "1")
    with pytest.raises(ValueError, match="partition 1: column 'b' has only missing values"):
        profile.check()


def test_a_column_has_one_role():
    schema = batch(simulated(10)).schema
    with pytest.raises(ValueError, match=r"y and sample_weight must be different .* both are 'y'"):
        Columns.of(schema, "y", weight="y")
    with pytest.raises(ValueError, match="sample_weight and offset must be different columns"):
        Columns.of(schema, "y", weight="w", offset="w")
    with pytest.raises(ValueError, match="must have a column that no role takes"):
        Columns.of(pa.schema([("y", pa.float64())]), "y")


@pytest.mark.parametrize(
    ("labels", "others"),
    [([0, 1, 2], "2"), ([0, 2, 1], "numbers between them"), (list("abc"), "c")],
)
def test_classes_that_the_sample_has_not_seen_are_named(labels, others):
    few = GOOD.assign(y=[labels[0], labels[1]] * 30)
    columns, profiles = profile_of([batch(few), batch(GOOD.assign(y=labels[2]))])
    profiles[0].check_classes(tuple(labels[:2]), columns)
    with pytest.raises(ValueError, match=f"'y' must have two classes; .* in few rows, {others}$"):
        total(profiles).check_classes(tuple(labels[:2]), columns)


def test_many_faults_are_counted():
    text = faults_of(GOOD, *[GOOD.assign(b="text", c="text")] * 4)
    assert text.endswith("… and 3 more")


def test_columns_must_be_there_and_readable():
    schema = batch(GOOD).schema
    with pytest.raises(ValueError, match=r"y must be a column of the dataset: .*; got 'z'"):
        Columns.of(schema, "z")
    times = pa.schema([("y", pa.float64()), ("t", pa.timestamp("s"))])
    with pytest.raises(ValueError, match=r"column 't' holds timestamp\[s\] values"):
        Columns.of(times, "y")


def test_row_numbers_of_pandas_are_no_feature():
    shuffled = pa.Table.from_pandas(GOOD.assign(y=1.0).sample(frac=1, random_state=0))
    assert "__index_level_0__" in shuffled.schema.names
    assert list(Columns.of(shuffled.schema, "y").kinds) == [name for name in GOOD if name != "y"]


def test_no_rows_at_all_are_refused():
    with pytest.raises(ValueError, match="at least one row of weight > 0"):
        Profile().check()
