"""calmgam: its default, and every configuration that is measured, in one table.

The paper's are called calm-<reference>-<effect>-<curves>, e.g. calm-rf-pdp-spline; gam-<curves> is
the same curve learner without regions.
"""

from dataclasses import replace
from functools import partial
from itertools import product

from benchmarks.rivals import TORCH, XGBOOST, Rival

REFERENCES = {"xgb": "xgboost", "rf": "random_forest", "dnn": "mlp"}
CURVES = ("boosting", "spline", "nam")
EFFECTS = (("xgb", "pdp"), ("rf", "pdp"), ("dnn", "pdp"), ("dnn", "rhale"), ("xgb", "shap"))


def fit_calm(X, y, task, n_jobs, seed, preset="default", **settings):
    from calmgam import CALMClassifier, CALMRegressor

    estimator = CALMRegressor if task == "regression" else CALMClassifier
    make = estimator.paper if preset == "paper" else estimator
    return make(n_jobs=n_jobs, random_state=seed, **settings).fit(X, y)


RIVAL = Rival(
    requirements=(".", *XGBOOST),
    fit=fit_calm,
    n_interactions=lambda model: model.n_interactions_,
    imports=("calmgam.estimators", "sklearn.ensemble", "xgboost"),
    accepts_text=True,
)


def settings_by_name() -> dict[str, dict]:
    """Return the parameters of every configuration."""
    paper = {"preset": "paper"}
    found = {
        "own_gam": {"max_depth": 0},
        "calm_depth2": {"max_depth": 2},
        "calm_heterogeneity": {"growth": "heterogeneity"},
        "calm_paper": paper,  # the same as calm-xgb-pdp-boosting
        "calm_paper_response": {**paper, "effect_scale": "response"},
    }
    for curves in CURVES:
        found[f"gam-{curves}"] = {**paper, "max_depth": 0, "curves": curves}
    for (reference, effect), curves in product(EFFECTS, CURVES):
        found[f"calm-{reference}-{effect}-{curves}"] = {
            **paper,
            "reference": REFERENCES[reference],
            "effect": effect,
            "curves": curves,
        }
    return found


def configured(settings: dict) -> Rival:
    """Return the rival with these parameters; only curves of networks need torch."""
    rival = replace(RIVAL, fit=partial(fit_calm, **settings))
    if settings.get("curves") == "nam":
        return replace(
            rival, requirements=(*RIVAL.requirements, TORCH), imports=(*RIVAL.imports, "torch")
        )
    return rival


CONFIGURATIONS = {name: configured(settings) for name, settings in settings_by_name().items()}
