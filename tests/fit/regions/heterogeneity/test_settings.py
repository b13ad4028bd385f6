import numpy as np
import pytest

from calmgam import CALMRegressor, Heterogeneity


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("min_drop", 1.0, r"min_drop must be a number in \[0, 1\); got 1.0"),
        ("min_drop", float("nan"), r"min_drop must be a number in \[0, 1\); got nan"),
        ("min_heterogeneity", -1, r"min_heterogeneity must be a number in \[0, inf\); got -1"),
        ("grid", "even", "grid must be one of 'quantile', 'uniform'; got 'even'"),
        ("effect", "lime", "effect must be one of 'pdp', 'ale', 'rhale', 'shap'; got 'lime'"),
    ],
)
def test_settings_are_checked(name, value, message):
    with pytest.raises(ValueError, match=message):
        Heterogeneity(**{name: value}).check()


def test_numpy_numbers_are_numbers():
    Heterogeneity(grid_size=np.int64(5), min_drop=np.float32(0.1)).check()


def test_shap_values_are_of_the_link_scale():
    with pytest.raises(ValueError, match='effect_scale must be "link" with effect="shap"'):
        Heterogeneity(effect="shap", effect_scale="response").check()


def test_paper_settings_can_be_overridden():
    paper = CALMRegressor.paper(max_depth=3, growth__min_drop=0.1)
    growth = paper.growth
    assert (growth.thresholds, growth.n_thresholds, paper.max_depth) == ("uniform", 20, 3)
    assert growth.n_background is None
    assert growth.min_drop == 0.1


@pytest.mark.parametrize("setting", ["drop_scale", "equal_up_to"])
def test_what_the_paper_does_not_name_is_no_setting(setting):
    with pytest.raises(TypeError, match=setting):
        Heterogeneity(**{setting: 1})
