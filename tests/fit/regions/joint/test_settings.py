import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calmgam import Joint
from calmgam.fit.prepared import Limits

DEFAULT = Joint()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("max_auto_splits", 0, "max_auto_splits must be an integer >= 1; got 0"),
        ("sweeps", 1.5, "sweeps must be an integer >= 1; got 1.5"),
        ("max_bins", 1, "max_bins must be an integer >= 2; got 1"),
        ("refresh", 0, "refresh must be an integer >= 1; got 0"),
        ("few_rows", -1, "few_rows must be an integer >= 0; got -1"),
        ("ridge", -1, r"ridge must be a number in \[0, inf\); got -1"),
        ("max_share", 1.1, r"max_share must be a number in \[0, 1\]; got 1.1"),
    ],
)
def test_settings_are_checked(name, value, message):
    with pytest.raises(ValueError, match=message):
        Joint(**{name: value}).check()


def test_numpy_numbers_are_numbers():
    Joint(max_bins=np.int64(5), ridge=np.float32(0.1)).check()


@pytest.mark.parametrize(("max_splits", "length"), [("auto", 7), (0, 0), (3, 3), (100, 100)])
def test_the_path_is_as_long_as_asked(max_splits, length):
    limits = Limits((), (), max_splits=max_splits)
    assert Joint(max_auto_splits=7).path_length(limits) == length


def test_without_a_limit_the_path_may_be_longer_than_any_table():
    assert DEFAULT.path_length(Limits((), (), max_splits=None)) > 10**9


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_more_rows_never_count_less(fewer, more):
    fewer, more = sorted((fewer, more))
    assert 0 <= DEFAULT.share_of_y(fewer) <= DEFAULT.share_of_y(more) <= DEFAULT.max_share


def test_small_tables_are_swept_more_often():
    assert DEFAULT.n_sweeps(100, False) == DEFAULT.sweeps_of_small > DEFAULT.n_sweeps(10**6, False)
    assert DEFAULT.n_sweeps(5000, True) == DEFAULT.sweeps_of_small
