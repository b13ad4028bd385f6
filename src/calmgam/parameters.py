"""What the estimators' parameters mean, written once; and the paper's settings."""

from __future__ import annotations

PAPER = {
    "reference": "xgboost",
    "growth": "heterogeneity",
    "effect": "pdp",
    "grid": "uniform",
    "grid_size": 20,
    "thresholds": "uniform",
    "n_thresholds": 19,
    "equal_up_to": 10,
    "n_background": None,
    "min_drop": 0.2,
    "drop_scale": "spread",
    "max_depth": 2,
    "max_splits": None,
    "min_samples_leaf": 10,
    "min_heterogeneity": 1e-3,
    "rank": "relative",
    "curves": "boosting",
    "n_bags": 8,
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
    growth : {"joint", "heterogeneity"}, default="joint"
        How regions are found. ``"joint"``: all trees together, best split first;
        ``"heterogeneity"`` (the paper's): each feature's tree alone, where its local effects differ
        between rows.
    effect : {"pdp", "ale", "rhale", "shap"}, default="pdp"
        Heterogeneity: the local effects that are compared. ``"pdp"``: centred ICE curves of the
        reference; ``"ale"``: its slopes between grid values; ``"rhale"``: its derivatives, in bins
        chosen so that they vary little; ``"shap"``: SHAP values (link scale).
    effect_scale : {"link", "response"}, default="link"
        Heterogeneity: scale of the effects of a classifier: log-odds or probabilities.
    grid : {"quantile", "uniform"}, default="quantile"
        Heterogeneity: where along a feature its effect is evaluated.
    grid_size : int, default=20
        Heterogeneity: number of grid values.
    thresholds : {"quantile", "uniform", "all"}, default="quantile"
        Which cuts of a numeric feature are tried as conditions.
    n_thresholds : int, default=31
        How many of them.
    equal_up_to : int, default=0
        Numeric features with at most this many distinct values get conditions ``= value``.
    n_background : int or None, default=50_000
        Rows on which regions are searched, drawn from larger tables; None takes all.
    min_drop : float, default=0.2
        Heterogeneity: a split must remove more than this share of its region's.
    drop_scale : {"variance", "spread"}, default="variance"
        Heterogeneity: whether a region's variance is compared with the mean variance of its two
        parts, or with the square of their mean spread, for which one homogeneous part counts more.
    max_depth : int, default=3
        Most conditions in a region; 0 gives a plain GAM and needs no reference.
    max_splits : int, "auto" or None, default="auto"
        Splits over all features. ``"auto"``: as many as cross-validation supports, of joint growth
        at most 20; a number is taken as it is; None is no limit.
    sparsity : float, default=1.0
        With ``max_splits="auto"``: how many standard errors of held-out loss fewer splits may
        cost. 0 takes the best; more is simpler.
    min_samples_leaf : int, default=10
        Fewest training rows in a region.
    min_heterogeneity : float, default=1e-3
        Heterogeneity: regions below this share of the target's variance are left whole.
    rank : {"absolute", "relative"}, default="absolute"
        Heterogeneity: which splits `max_splits` prefers, the largest drops in absolute terms or
        relative ones.
    split_features : list of str or int, optional
        Features that may get several curves; default all.
    condition_features : list of str or int, optional
        Features that conditions may be about; default all.
    partitions : dict, optional
        Regions given by you, such as ``{"temp": ["season = winter", "season != winter"]}``;
        nothing is searched then.
    curves : {"boosting", "spline", "nam", "backfitting"}, default="boosting"
        How curves are learned. ``"boosting"``: step functions, boosted; ``"spline"``: smooth
        curves, as smooth as REML finds them, with standard errors; ``"nam"``: a small neural
        network per curve, needs torch; ``"backfitting"``: exact least squares over bins, regression
        only.
    max_bins : int, default=1024
        Most bins of a numeric feature.
    n_bags : int, default=16
        Boosting: models fitted on different training rows and averaged; their spread gives the
        bands.
    learning_rate : float, default=0.025
        Boosting: shrinkage of every step.
    max_rounds : int, default=5000
        Boosting: most rounds.
    patience : int, default=50
        Boosting: rounds without a better validation loss before a bag stops.
    max_leaves : {2, 3}, default=3
        Boosting: leaves of the small tree that one step adds to a curve.
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
