import math

import pandas as pd
import pytest

from benchmarks import rivals, steps
from benchmarks.rivals.calm import STEPS, settings_by_name
from calmgam import CALMRegressor
from calmgam.fit.regions.search import GROWTHS


def measured(errors, dataset="wine", fold="0"):
    return pd.DataFrame(
        {
            "dataset": dataset,
            "fold": fold,
            "model": list(STEPS),
            "error": errors,
            "rmse": errors,
            "accuracy": float("nan"),
            "n_interactions": range(len(errors)),
        }
    )


def test_every_step_is_one_change_and_the_walk_ends_at_the_default():
    given = settings_by_name()
    assert all(rivals.find(step) for step in STEPS)
    made = CALMRegressor.paper()
    for step, (_, change) in STEPS.items():
        made.set_params(**change)
        expected = {key: value for key, value in given.get(step, {}).items() if key != "preset"}
        assert (
            step == "calm"
            or made.get_params().items()
            >= {key: value for key, value in expected.items() if key in made.get_params()}.items()
        )
    default = CALMRegressor()
    assert {
        key: getattr(made, key) for key in default.get_params(deep=False)
    } == default.get_params(deep=False)
    assert made.growth in GROWTHS


def test_a_step_is_worth_its_error_over_the_one_before():
    cells = pd.concat(
        [measured([8.0, 8, 4, 4, 4, 4, 2, 2]), measured([1.0] * 8, "no2"), measured([9.0] * 8, "x")]
    )
    partly = cells[(cells["dataset"] != "x") | (cells["model"] != "calm")]  # x has no default
    errors = steps.complete(partly)
    assert set(errors.index.get_level_values("dataset")) == {"wine", "no2"}
    table = steps.worth(errors, pd.Series(1.0, index=list(STEPS)))
    assert table["error / step before"].tolist() == pytest.approx(
        [1, 1, 0.5**0.5, 1, 1, 1, 0.5**0.5, 1]
    )
    assert table["better"].tolist() == [0, 0, 1, 0, 0, 0, 1, 0]
    improving = [STEPS[step][0].removeprefix("+ ") for step in ("step_quantiles", "calm_depth2")]
    without = "without appendicitis and spectf"
    assert (table[without] == table["error / step before"]).all()
    assert table["standard error"].iloc[2] == pytest.approx(abs(math.log(0.5)) / 2)
    for unsure in ("spectf", "appendicitis"):
        others = steps.worth(errors.rename({"no2": unsure}), pd.Series(1.0, index=list(STEPS)))
        assert others["error / step before"].iloc[2] == pytest.approx(0.5**0.5)
        assert others[without].iloc[2] == pytest.approx(0.5)
    assert "in 0 of 7 steps: none" in steps.verdict(table)  # 0.35 in the mean, give or take 0.35
    sure = table.assign(**{"standard error": 0.3})
    assert steps.verdict(sure).endswith("in 2 of 7 steps: " + "; ".join(improving) + ".")
    assert table["error / paper"].iloc[-1] == pytest.approx(0.5)


@pytest.fixture
def joint(tmp_path, monkeypatch):
    """A CSV of `make bench-joint` with the default's fold 0 of no2."""
    table = measured([1.0] * 8, "no2").assign(status="ok", task="regression")
    table[table["model"] == "calm"].to_csv(tmp_path / "joint.csv", index=False)
    monkeypatch.setattr(steps, "JOINT", tmp_path / "joint.csv")
    listed = pd.DataFrame({"task": ["regression", "classification"]}, index=["no2", "compas"])
    monkeypatch.setattr(steps, "catalogue", lambda: listed)
    return table


def test_what_is_another_s_model_is_not_measured_again(joint):
    cells = steps.planned(["no2", "compas"], ["0"])
    skipped = {("no2", "calm"), ("no2", steps.RESPONSE)}
    every = {(dataset, step) for dataset in ("no2", "compas") for step in STEPS}
    assert {(cell.dataset, cell.model) for cell in cells} == every - skipped


def test_the_first_two_steps_of_numbers_are_one_model(joint, tmp_path):
    own = joint[~joint["model"].isin(("calm", steps.RESPONSE))]
    own.to_csv(tmp_path / "steps.csv", index=False)
    found = steps.read(tmp_path / "steps.csv").set_index("model")
    assert set(found.index) == set(STEPS)
    assert found.loc[steps.RESPONSE, "n_interactions"] == found.loc[steps.PAPER, "n_interactions"]


def test_the_report_says_on_which_folds():
    folds = [measured([2.0] * 8, fold=str(fold)) for fold in range(5)]
    text = steps.report(pd.concat([*folds, measured([1.0] * 8, "no2")]))
    assert "2 tables: no2 on 1 fold; wine on 5 folds." in text
    assert "numbers (2 tables): 1.0, on the response scale 0.0, published" in text
