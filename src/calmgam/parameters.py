"""What the estimators' parameters mean, written once; and the paper's settings."""

from __future__ import annotations

from typing import Any

from calmgam.fit.curves.boosting import Boosting
from calmgam.fit.regions.heterogeneity.search import Heterogeneity


def paper_parameters() -> dict[str, Any]:
    """Return the paper's settings."""
    growth = Heterogeneity(
        effect="pdp",
        grid="uniform",
        grid_size=20,
        thresholds="uniform",
        n_thresholds=19,
        equal_up_to=10,
        n_background=None,
        min_drop=0.2,
        drop_scale="spread",
        min_samples_leaf=10,
        min_heterogeneity=1e-3,
        rank="relative",
    )
    return {
        "reference": "xgboost",
        "growth": growth,
        "max_depth": 2,
        "max_splits": None,
        "curves": Boosting(n_bags=8),
    }


PARAMETERS = """
    Parameters
    ----------
    reference : str, estimator or callable, default="boosted_trees"
        The black box in which interactions are looked for: ``"boosted_trees"`` (our own, fast),
        ``"xgboost"``, ``"lightgbm"``, ``"random_forest"``, ``"mlp"`` (a network), ``"tabpfn"``;
        ``"xgboost_early"``, ``"lightgbm_early"``, ``"mlp_early"``, which stop on held-out rows; any
        scikit-learn-style estimator (fitted or not), or a function of the data. It is dropped
        after fitting.
    keep_reference : bool, default=False
        Keep the fitted reference as ``reference_``.
    growth : {"joint", "heterogeneity"}, Joint or Heterogeneity, default="joint"
        How regions are found. ``"joint"``: all trees together, best split first;
        ``"heterogeneity"`` (the paper's): each feature's tree alone, where its local effects differ
        between rows. ``Joint(…)`` and ``Heterogeneity(…)`` have settings of their own.
    max_depth : int, default=3
        Most conditions in a region; 0 gives a plain GAM and needs no reference.
    max_splits : int, "auto" or None, default="auto"
        Splits over all features. ``"auto"``: as many as cross-validation supports, of joint growth
        at most 20; a number is taken as it is; None is no limit.
    sparsity : float, default=1.0
        With ``max_splits="auto"``: how many standard errors of held-out loss fewer splits may
        cost. 0 takes the best; more is simpler.
    split_features : list of str or int, optional
        Features that may get several curves; default all.
    condition_features : list of str or int, optional
        Features that conditions may be about; default all.
    partitions : dict, optional
        Regions given by you, such as ``{"temp": ["season = winter", "season != winter"]}``;
        nothing is searched then.
    curves : {"boosting", "splines", "networks", "backfitting"} or a part, default="boosting"
        How curves are learned. ``"boosting"``: step functions, boosted; ``"splines"``: smooth
        curves, as smooth as REML finds them, with standard errors; ``"networks"``: a small neural
        network per curve, needs torch; ``"backfitting"``: exact least squares over bins, regression
        only. ``Boosting(…)``, ``Splines(…)``, ``Networks(…)`` and ``Backfitting(…)`` have settings
        of their own.
    max_bins : int, default=1024
        Most bins of a numeric feature.
    random_state : int, RandomState or None, default=None
        Same seed, same model, for any `n_jobs`.
    n_jobs : int or None, default=-1
        Threads; -1 uses all cores, None means 1.
    verbose : bool, default=False
        Show the progress of every stage.
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
    reference_ : fitted estimator
        With ``keep_reference=True``.
"""


SUMMARY = """Conditionally additive local model for {task}.

    Every feature has a few one-dimensional curves; plain conditions on other features say which one
    is active. The score of a row is the intercept plus one curve value per feature{link}.
"""
