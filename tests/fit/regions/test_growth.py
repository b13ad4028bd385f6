import numpy as np
import pytest

from calmgam import Heterogeneity, Joint
from prepared import prepared_of

WAYS = [Joint, Heterogeneity]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("thresholds", "few", "thresholds must be one of 'quantile', 'uniform', 'all'; got 'few'"),
        ("n_thresholds", 0, "n_thresholds must be an integer >= 1; got 0"),
        ("n_background", 0, "n_background must be an integer >= 2 or None; got 0"),
        ("min_samples_leaf", None, "min_samples_leaf must be an integer >= 1; got None"),
    ],
)
def test_settings_are_checked(way, name, value, message):
    with pytest.raises(ValueError, match=message):
        way(**{name: value}).check()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("min_samples_leaf", "n_background", "on_background"),
    [(10, 10, 10), (5000, 10, 50), (3, 500, 3)],
)
def test_leaf_sizes_mean_training_rows(way, min_samples_leaf, n_background, on_background):
    growth = way(min_samples_leaf=min_samples_leaf, n_background=n_background)
    settings, some = growth.sampled(prepared_of(np.arange(1000.0)[:, None], np.arange(1000)))
    assert settings.min_samples_leaf == on_background
    assert type(settings) is way
    assert some.n_rows == n_background
    assert growth.min_samples_leaf == min_samples_leaf


@pytest.mark.parametrize("n_background", [None, 50, 1000])
def test_small_tables_are_searched_as_they_are(n_background):
    growth, prepared = Joint(n_background=n_background), prepared_of(np.eye(50), np.arange(50))
    state = prepared.rng.bit_generator.state
    assert growth.sampled(prepared) == (growth, prepared)
    assert prepared.rng.bit_generator.state == state


def test_conditions_are_about_the_features_that_are_allowed():
    rng = np.random.default_rng(0)
    prepared = prepared_of(
        rng.normal(size=(50, 3)), np.arange(50), limits={"condition_features": [2, 0]}
    )
    candidates = Joint(n_thresholds=7).candidates(prepared)
    assert [(one.feature.index, one.n_conditions) for one in candidates] == [(0, 7), (2, 7)]
