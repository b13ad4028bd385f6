"""What users type into options."""

import pytest
import typer
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from calmgam import CALMRegressor
from calmgam.cli.options import as_typed, read_settings
from shell import QUICK, refusal, run, write


def test_a_dotted_setting_is_one_of_a_part():
    parts = Pipeline([("scale", StandardScaler()), ("curves", Ridge())])
    assert read_settings(["curves.alpha=0.5", "verbose=True"], parts) == {
        "curves__alpha": 0.5,
        "verbose": True,
    }
    assert parts.get_params()["curves__alpha"] == 0.5


def test_a_misspelt_setting_of_a_part_is_answered_with_the_nearest():
    parts = Pipeline([("scale", StandardScaler()), ("curves", Ridge())])
    with pytest.raises(typer.BadParameter, match=r"did you mean 'curves\.alpha'"):
        read_settings(["curves.alhpa=0.5"], parts)
    with pytest.raises(typer.BadParameter, match=r"no parameter is called 'curve\.alpha'"):
        read_settings(["curve.alpha=0.5"], parts)


def test_words_are_words_and_literals_are_values():
    texts = ["growth=heterogeneity", "max_splits=None", 'condition_features=["a"]']
    assert read_settings(texts, CALMRegressor()) == {
        "growth": "heterogeneity",
        "max_splits": None,
        "condition_features": ["a"],
    }


def test_a_setting_of_a_part_that_is_a_word_is_a_wrong_call(folder):
    fit = ["fit", folder / "bikes.csv", "--target", "busy", "--set", "curves=boosting"]
    assert "Invalid value: " in refusal(*fit, "--set", "curves.nonsense=1")


def test_messages_name_options_instead_of_parameters():
    for message, typed in {
        "of_class must be one of 3, such as 'a'; got None": "--class must be one of 3, such as 'a'",
        "between needs a model": "--between needs a model",
        "target=0.3 may be: say probability=0.3": "--reach 0.3 may be: say --probability 0.3",
        "column 'between' is between 0 and 1": "column 'between' is between 0 and 1",
    }.items():
        assert as_typed(message) == typed


def test_with_takes_names_that_hold_an_equals_sign(tmp_path):
    table = write(tmp_path / "t.csv", "a,a=b,y\n" + "1,2,3.5\n2,3,4\n3,3,1\n" * 5)
    out = tmp_path / "m.json"
    run("fit", table, "--target", "y", *QUICK, "--out", out)
    assert "a=b = 7 " in run("explain", out, table, "--with", "a=b=7").stdout
