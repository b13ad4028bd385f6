"""What the estimators' parameters mean, written once; and the paper's settings."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any

from calmgam.fit.curves.boosting import Boosting
from calmgam.fit.regions.heterogeneity.search import Heterogeneity


def joined_signature(first: Callable[..., Any], second: Callable[..., Any]) -> Signature:
    """Return the named parameters of the second function, then of the first, as one signature."""
    own, shared = signature(first).parameters, signature(second).parameters
    named = (one for one in own.values() if one.kind is Parameter.KEYWORD_ONLY)
    itself, *others = shared.values()
    return Signature([itself, *others, *named])


def paper_parameters() -> dict[str, Any]:
    """Return the paper's settings: Algorithms 2 and 4 as printed."""
    growth = Heterogeneity(
        effect="pdp",
        grid="uniform",
        grid_size=20,
        thresholds="uniform",
        n_thresholds=20,
        n_background=None,
        min_drop=0.2,
        min_samples_leaf=1,
        min_heterogeneity=0.0,
        rank="relative",
    )
    curves = Boosting(
        n_bags=8,
        learning_rate=0.1,
        sharing=False,
        shrinking=False,
        momentum=0.0,
        smoothing_rounds=0,
        ridge=0.0,
        level_smoothing=0.0,
    )
    return {
        "reference": "xgboost",
        "growth": growth,
        "max_depth": 2,
        "max_splits": None,
        "curves": curves,
    }


OBJECTIVE = """    objective : str or Loss, default="squared_error"
        What is minimised. Means: ``"squared_error"``, ``"huber"`` or ``Huber(1.35)``, which large
        errors move less. Medians and quantiles: ``"absolute_error"``, ``Quantile(0.9)``. Means with
        a log link: ``"poisson"`` (counts), ``"gamma"`` (sizes), ``"tweedie"`` or ``Tweedie(1.5)``
        (sizes that are often 0). Or a `Loss` of your own.
"""

PARAMETERS = """
    Parameters
    ----------
    reference : str, estimator or callable, default="boosted_trees"
        The black box in which interactions are looked for: ``"boosted_trees"`` (our own, fast),
        ``"xgboost"``, ``"lightgbm"``, ``"random_forest"``, ``"mlp"`` (a network), ``"tabpfn"``;
        ``"xgboost_early"``, ``"lightgbm_early"``, ``"mlp_early"``, which stop on held-out rows; any
        scikit-learn-style estimator (fitted or not), or a function of the data. It is dropped
        after fitting.
    growth : {"joint", "heterogeneity"}, Joint, Heterogeneity or dict, default="joint"
        How regions are found. ``"joint"``: all trees together, best split first;
        ``"heterogeneity"`` (the paper's): each feature's tree alone, where its local effects differ
        between rows. ``Joint(…)`` and ``Heterogeneity(…)`` have settings of their own. Or regions
        given by you, such as ``{"temp": ["season = winter", "season != winter"]}``; nothing is
        searched then.
    max_depth : int, default=3
        Most conditions in a region; 0 gives a plain GAM and needs no reference.
    max_splits : int, "auto" or None, default="auto"
        Splits over all features. ``"auto"``: as many as cross-validation supports, of joint growth
        at most 20; a number is taken as it is; None is no limit.
    condition_features : list of str or int, optional
        Features that conditions may be about; default all.
    never_condition_on : list of str or int, optional
        Features that conditions must not be about.
    interactions : list of groups of str or int, or dict, optional
        Groups of features that may interact; a feature in none of them interacts with no other.
        ``{"allowed": groups, "forbidden": pairs}`` can also say what must not. A curve's feature
        and the conditions of one of its regions count together.
    monotone : dict, optional
        How the score must run along features, whatever the input: ``"increasing"``,
        ``"decreasing"``, or, of numbers, which then keep one curve, ``"convex"`` or ``"concave"``.
        Boosting and splines can. The fit ends with a proof. Conditions are never about these
        features; the monotone ones keep their regions.
    curves : {"boosting", "splines", "networks", "backfitting"} or a part, default="boosting"
        How curves are learned. ``"boosting"``: step functions, boosted; ``"splines"``: smooth
        curves, as smooth as REML finds them, with standard errors; ``"networks"``: a small neural
        network per curve, needs torch; ``"backfitting"``: exact least squares over bins, regression
        only. ``Boosting(…)``, ``Splines(…)``, ``Networks(…)`` and ``Backfitting(…)`` have settings
        of their own.
    max_bins : int, default=1024
        Most bins of a numeric feature.
    feature_types : dict, optional
        What columns are, where the guess would be wrong: ``"nominal"`` (levels without an order,
        also of numbers such as codes), a list of levels in their order, or ``"continuous"``
        (numbers, also of text). ``{"zip": "nominal", "grade": ["A", "B", "C"]}``.
    random_state : int, RandomState or None, default=None
        Same seed, same model, for any `n_jobs`.
    n_jobs : int or None, default=-1
        Threads; -1 uses all cores, None means 1.
    max_seconds : float, optional
        When to stop: after about this time the model is the best found so far, and a warning, the
        ledger and the summary say so. A search of regions may take two thirds of it; if it is
        stopped, there are none. A limit that is not reached changes nothing.
    verbose : bool, callable or list of callables, default=False
        True: show the progress of every stage. Callbacks are called with a `FitProgress` when
        stages begin, advance and end; one that returns True or raises `StopFit` stops the fit, as
        `max_seconds` does. ``[True, callback]`` does both.
"""

ATTRIBUTES = """
    Attributes
    ----------
    model_ : Model
        The fitted model: intercept, terms, link; saves itself as JSON.
    ledger_ : Ledger
        Every split considered, kept or refused, and why; ``ledger_.to_frame()`` is the table,
        ``ledger_.path`` the cross-validated error after the numbers of splits that were tried.
    path_ : tuple of PathSplit
        Joint growth: the splits in order of merit, those beyond the chosen number included.
    flat_features_ : tuple of str
        Features that cross-validation prefers to leave without a curve, in tables of few rows for
        their features.
    feature_importances_ : array
        Mean absolute contributions, scaled to sum to 1.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    n_splits_, n_curves_ : int
        Size of the model; curves = features + splits.
    n_interactions_ : int
        Number of (feature, conditioning feature) pairs.
    n_pairs_ : int
        Number of unordered pairs of features that interact.
"""


SUMMARY = """Conditionally additive local model for {task}.

    Every feature has a few one-dimensional curves; plain conditions on other features say which one
    is active. The score of a row is the intercept plus one curve value per feature{link}.
"""
