"""Methods of estimators say what the functions of `calmgam.read` say; the notebook card."""

import inspect
import re

import pytest
import sklearn
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

from calmgam import Boosting, CALMClassifier, CALMRegressor, read
from calmgam.demo import simulate_bikes
from calmgam.model import to_json
from calmgam.read import audit, plots
from calmgam.read.texts.card import card
from calmgam.verify import verify

X, RENTALS = simulate_bikes(300)
TABLE = X, RENTALS > 200
ROW = X.iloc[0].to_dict()

FORWARDED = {
    "summary": read.summary,
    "explain": read.explain,
    "jumps": audit.jumps,
    "sensitivity": audit.sensitivity,
    "monotonicity": audit.monotonicity,
    "counterfactual": audit.counterfactual,
    "reasons": audit.reasons,
    "score_range": audit.score_range,
    "certify": audit.certify,
    "plot_feature": plots.plot_feature,
    "plot_model": plots.plot_model,
    "plot_importance": plots.plot_importance,
    "plot_prediction": plots.plot_prediction,
    "plot_trees": plots.plot_trees,
    **{name: getattr(read, name) for name in read.__all__ if name.startswith("to_")},
}
ARGUMENTS = {
    "summary": (),
    "explain": (ROW,),
    "jumps": ("hour",),
    "sensitivity": ("hour", 5, 8, {"season": "summer"}),
    "monotonicity": ("hour", "season = summer"),
    "counterfactual": (ROW, "flip", ["hour", "wind"], 2),
    "reasons": (ROW, 2, "negative"),
    "score_range": ("hour <= 7",),
    "to_python": (),
    "to_javascript": (),
    "to_c": ("rentals",),
    "to_sql": ("sqlite", "bikes"),
    "to_table": (),
    "to_onnx": (),
    "to_shap": (X,),
    "to_pmml": (),
}
PICTURES = {
    "plot_feature": ("hour",),
    "plot_model": (2,),
    "plot_importance": (2,),
    "plot_prediction": (ROW,),
    "plot_sensitivity": ("hour", 5, 8),
    "plot_trees": (),
}


@pytest.fixture(scope="module")
def calm():
    partitions = {"hour": ["workingday = True", "workingday != True"]}
    estimator = CALMClassifier(
        growth=partitions, curves=Boosting(n_bags=1), n_jobs=1, random_state=0
    )
    return estimator.fit(*TABLE)


@pytest.mark.parametrize("name", FORWARDED)
def test_methods_take_what_the_functions_take(name):
    method = list(inspect.signature(getattr(CALMClassifier, name)).parameters.values())[1:]
    function = list(inspect.signature(FORWARDED[name]).parameters.values())[1:]
    assert [(p.name, p.default) for p in method] == [(p.name, p.default) for p in function]


@pytest.mark.parametrize("name", ARGUMENTS)
def test_methods_answer_as_the_functions_do(calm, name):
    answer = getattr(calm, name)(*ARGUMENTS[name])
    assert str(answer) == str(FORWARDED[name](calm.model_, *ARGUMENTS[name]))


def test_models_are_compared_with_models_and_estimators(calm):
    other = CALMClassifier(curves=Boosting(n_bags=1), max_splits=0, n_jobs=1, random_state=0)
    other.fit(*TABLE)
    expected = str(audit.compare(calm.model_, other.model_, X, 0.5, "hour <= 7"))
    for second in (other, other.model_):
        assert str(calm.compare(second, X, 0.5, "hour <= 7")) == expected
    assert isinstance(calm.plot_comparison(other, X, 0.5), Axes)


def test_certificates_are_about_the_model(calm, tmp_path):
    path = calm.certify(tmp_path / "certificate.json", [audit.Range()])
    (line,) = verify(to_json(calm.model_), path.read_text())
    found = calm.score_range()
    low, high = map(float, re.findall(r"-?[\d.]+", line))
    assert (low, high) == pytest.approx((found.low, found.high))


@pytest.mark.parametrize("name", PICTURES)
def test_methods_draw(calm, name):
    assert isinstance(getattr(calm, name)(*PICTURES[name]), Axes | Figure)


def test_sensitivity_is_drawn_with_what_was_asked(calm):
    ax = calm.plot_sensitivity("hour", 5, 8, given={"season": "summer"})
    report = calm.sensitivity("hour", 5, 8, given={"season": "summer"})
    assert ax.get_title(loc="right") == "hour: 5 → 8"
    assert len(ax.get_yticks()) == len(report.curves) + len(report.switches) + 1


@pytest.mark.parametrize("name", {**ARGUMENTS, **PICTURES, "report": ("page.html",)})
def test_nothing_is_said_before_the_fit(name):
    arguments = {**ARGUMENTS, **PICTURES, "report": ("page.html",)}[name]
    with pytest.raises(NotFittedError):
        getattr(CALMRegressor(), name)(*arguments)


def test_a_fitted_estimator_writes_its_page(calm, tmp_path):
    path = calm.report(tmp_path / "page.html", *TABLE, title="Busy & more")
    assert "<title>Busy &amp; more</title>" in path.read_text()
    assert "AUC" in calm.summary(*TABLE)


def test_notebooks_show_the_card_of_a_fitted_estimator(calm):
    shown = calm._repr_html_()
    assert shown == calm._repr_mimebundle_()["text/html"] == card(calm.model_, "CALMClassifier")
    assert "CALMClassifier" in shown


def test_unfitted_estimators_are_shown_by_scikit_learn():
    assert "sk-" in CALMRegressor()._repr_html_()
    assert "calmgam-card" not in CALMRegressor()._repr_mimebundle_()["text/html"]


def test_text_display_is_respected(calm):
    with sklearn.config_context(display="text"):
        assert not hasattr(calm, "_repr_html_")
        assert "text/html" not in calm._repr_mimebundle_()
