import pandas as pd
import pytest

from benchmarks import rivals
from benchmarks.rivals import gami_net
from benchmarks.rivals.calm import AS_DEFAULT, CONFIGURATIONS, settings_by_name
from calmgam import CALMRegressor


def test_paper_configurations_are_three_references_and_their_effects_by_three_learners():
    settings = settings_by_name()
    names = [name for name in settings if name.startswith("calm-") and "shap" not in name]
    paper = [name for name in names if not name.endswith("-auto")]
    assert len([*paper, "calm_paper"]) == 12
    assert settings["calm_paper"]["reference"] == "xgboost"
    assert settings["calm-dnn-rhale-spline"] == {
        "preset": "paper",
        "reference": "mlp",
        "growth__effect": "rhale",
        "curves": "splines",
    }
    assert settings["gam-nam"] == {"preset": "paper", "max_depth": 0, "curves": "networks"}


def test_steps_and_splines_have_a_twin_with_a_cross_validated_number_of_splits():
    settings = settings_by_name()
    twins = {name.removesuffix("-auto"): name for name in settings if name.endswith("-auto")}
    assert len(twins) == 8
    for name, twin in twins.items():
        paper = "calm_paper" if name == "calm-xgb-pdp-boosting" else name
        assert settings[twin] == {**AS_DEFAULT, **settings[paper]}
        assert settings[twin]["curves"] in ("boosting", "splines")


def test_without_splits_a_twin_is_the_own_gam():
    default = CALMRegressor().get_params()
    assert {name: default[name] for name in AS_DEFAULT} == AS_DEFAULT


def test_only_networks_need_torch():
    for name, rival in CONFIGURATIONS.items():
        assert (rivals.TORCH in rival.requirements) == name.endswith("-nam")


def test_rivals_are_found_by_configuration_file_or_path():
    assert rivals.find("own_gam") is CONFIGURATIONS["own_gam"]
    assert rivals.find("spline").requirements == ("pygam==0.12.0",)
    assert rivals.find("tests.benchmarks.mean_rival").requirements == ()
    with pytest.raises(ModuleNotFoundError, match="no_such_rival"):
        rivals.find("no_such_rival")


def test_text_becomes_codes_for_gami_net_and_new_levels_none():
    X = pd.DataFrame({"age": [0.5, 1.0, 0.0], "job": ["nurse", "cook", "pilot"]})
    codes = gami_net.codes_of(X, {"job": ["cook", "nurse"]})
    assert codes.tolist() == [[0.5, 1], [1.0, 0], [0.0, -1]]
