"""calmgam: its default, and every configuration that is measured, in one table.

The paper's are called calm-<reference>-<effect>-<curves>, e.g. calm-rf-pdp-spline; its main one is
`calm_paper`. With -auto behind, the number of splits is cross-validated, and there are as many bags
as in the default. gam-<curves> is a curve learner without regions; with boosted curves, `own_gam`.
"""

from dataclasses import replace
from functools import partial
from itertools import product

from benchmarks.rivals import LOSSES, TORCH, XGBOOST, Rival

REFERENCES = {"xgb": "xgboost", "rf": "random_forest", "dnn": "mlp"}
CURVES = {"boosting": "boosting", "spline": "splines", "nam": "networks"}  # in names -> parameter
AS_DEFAULT = {"max_splits": "auto", "curves": "boosting"}  # without splits, they are the own GAM
SEEDS = {f"calm_seed{seed}": seed for seed in range(1, 5)}  # of the default, beside seed 0
# From the paper to the default, one change after the other: what each is, and what it sets.
STEPS = {
    "calm_paper_response": ("the paper to the letter", {"growth__effect_scale": "response"}),
    "calm_paper": ("+ effects on the link scale: `paper()`", {"growth__effect_scale": "link"}),
    "step_quantiles": (
        "+ thresholds and grid at quantiles, ten rows in a region",
        {"growth": "heterogeneity"},
    ),
    "step_sharing": ("+ shared and shrunk curves, sixteen bags", {"curves": "boosting"}),
    "step_auto": ("+ cross-validated number of splits", {"max_splits": "auto"}),
    "step_reference": ("+ our boosted trees as reference", {"reference": "boosted_trees"}),
    "calm_depth2": ("+ joint growth", {"growth": "joint"}),
    "calm": ("+ three conditions in a region: the default", {"max_depth": 3}),
}
EFFECTS = (("xgb", "pdp"), ("rf", "pdp"), ("dnn", "pdp"), ("dnn", "rhale"), ("xgb", "shap"))


def paper_name(reference: str, effect: str, curves: str) -> str:
    """Return the name of one of the paper's configurations."""
    main = (reference, effect, curves) == ("xgb", "pdp", "boosting")
    return "calm_paper" if main else f"calm-{reference}-{effect}-{curves}"


def auto_name(reference: str, effect: str, curves: str) -> str:
    """Return the name of the same configuration with a cross-validated number of splits."""
    return f"calm-{reference}-{effect}-{curves}-auto"


def gam_name(curves: str) -> str:
    return "own_gam" if curves == "boosting" else f"gam-{curves}"


def fit_calm(
    X, y, task, n_jobs, seed, sample_weight=None, preset="default", more_seed=0, **settings
):
    from calmgam import CALMClassifier, CALMRegressor

    estimator = CALMRegressor if task in LOSSES else CALMClassifier
    made = estimator.paper() if preset == "paper" else estimator()
    if LOSSES.get(task, "squared_error") != "squared_error":  # which older revisions lack
        made.set_params(objective=LOSSES[task])
    made.set_params(n_jobs=n_jobs, random_state=seed + more_seed, **settings)
    return made.fit(X, y, sample_weight=sample_weight)


RIVAL = Rival(
    requirements=(".", *XGBOOST),
    fit=fit_calm,
    n_interactions=lambda model: model.n_interactions_,
    imports=("calmgam.estimators",),
    accepts_text=True,
)


def settings_by_name() -> dict[str, dict]:
    """Return the parameters of every configuration."""
    paper = {"preset": "paper"}
    found = {
        "own_gam": {"max_depth": 0},
        "gam-backfitting": {"max_depth": 0, "curves": "backfitting"},
        **{f"calm_{number}_splits": {"max_splits": number} for number in (8, 10, 40)},
        "calm_heterogeneity": {"growth": "heterogeneity", "max_splits": None},
        **{name: {"more_seed": seed} for name, seed in SEEDS.items()},
        "calm_paper_21": {**paper, "growth__n_thresholds": 21},
    }
    so_far = dict(paper)
    for name, (_, change) in list(STEPS.items())[:-1]:  # the last is the default
        if "growth" in change:  # another part has its own settings
            so_far = {key: value for key, value in so_far.items() if "growth" not in key}
        so_far = {**so_far, **change}
        found[name] = so_far
    smooth = {name: {"curves": word} for name, word in CURVES.items() if name != "boosting"}
    for curves, learner in smooth.items():
        found[gam_name(curves)] = {**paper, "max_depth": 0, **learner}
    for (reference, effect), curves in product(EFFECTS, CURVES):
        chosen = {"reference": REFERENCES[reference], "growth__effect": effect}
        learner = smooth.get(curves, {})  # boosted curves have the paper's bags
        found[paper_name(reference, effect, curves)] = {**paper, **chosen, **learner}
        if curves != "nam" and effect != "shap":
            auto = {**paper, **chosen, **AS_DEFAULT, **learner}
            found[auto_name(reference, effect, curves)] = auto
    return found


def configured(settings: dict) -> Rival:
    """Return the rival with these parameters; only curves of networks need torch."""
    rival = replace(RIVAL, fit=partial(fit_calm, **settings))
    if settings.get("preset") == "paper":  # its references
        rival = replace(rival, imports=(*rival.imports, "sklearn.ensemble", "xgboost"))
    if settings.get("curves") == "networks":
        requirements, imports = (*rival.requirements, TORCH), (*rival.imports, "torch")
        rival = replace(rival, requirements=requirements, imports=imports)
    return rival


CONFIGURATIONS = {name: configured(settings) for name, settings in settings_by_name().items()}
