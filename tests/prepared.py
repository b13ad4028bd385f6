"""Prepared tables and fitted references, as the stages before leave them."""

import numpy as np

from calmgam.fit.data.bags import draw_bags
from calmgam.fit.data.binning import bin_table
from calmgam.fit.data.losses import LogLoss, SquaredError
from calmgam.fit.data.target import Target
from calmgam.fit.policies import positions_of, read_policy
from calmgam.fit.prepared import Limits, Prepared
from calmgam.fit.references.fitting import ReferenceLearner
from calmgam.model.schema import Schema

LOSSES = {"regression": SquaredError(), "classification": LogLoss()}


def limits_of(
    schema,
    split_features=None,
    condition_features=None,
    never_condition_on=None,
    interactions=None,
    **options,
):
    """Limits on some features, by name or position; without them on all."""
    return Limits(
        positions_of(split_features, schema, "split_features"),
        read_policy(condition_features, never_condition_on, interactions, schema),
        **options,
    )


def target_of(y, task="regression", weights=None):
    """The target of y as users bring it; a number is standardised."""
    weights = np.ones(len(y)) if weights is None else weights
    y = np.asarray(y, dtype=np.float64)
    return getattr(Target, task)(y, weights)


def prepared_of(
    X,
    y,
    schema=None,
    *,
    task="regression",
    reference="boosted_trees",
    weights=None,
    decode=None,
    rng=0,
    n_jobs=1,
    max_bins=1024,
    n_spaced=0,
    n_bags=1,
    limits=None,
    progress=None,
):
    """A table as all stages see it; limits are a dict or `Limits`, rng a seed or a generator.

    Without a schema X is a frame or an array as users bring it, otherwise it is encoded; y can be
    a target already.
    """
    if schema is None:
        schema = Schema.learn(X)
        X = schema.encode(X)
    target = y if isinstance(y, Target) else target_of(y, task, weights)
    return Prepared(
        X,
        bin_table(X, schema, max_bins, n_spaced),
        target,
        ReferenceLearner(reference, schema, decode),
        limits if isinstance(limits, Limits) else limits_of(schema, **(limits or {})),
        draw_bags(target, n_bags, np.random.default_rng(0)),
        seed=0,
        rng=np.random.default_rng(rng),
        n_jobs=n_jobs,
        progress=progress,
    )


def fit_reference(
    reference,
    X,
    y,
    schema,
    *,
    task="regression",
    weights=None,
    random_state=0,
    n_jobs=1,
    with_trees=True,
    decode=None,
    y_mean=0.0,
    y_scale=1.0,
    classes=(0, 1),
    edges=None,
):
    """A reference that has learned y as it stands: standardised, or 0 and 1."""
    weights = np.ones(len(y)) if weights is None else weights
    target = Target(LOSSES[task], y, weights, y_mean, y_scale, tuple(classes))
    learner = ReferenceLearner(reference, schema, decode, random_state, edges)
    return learner.fit(X, target, n_jobs=n_jobs, with_trees=with_trees)
