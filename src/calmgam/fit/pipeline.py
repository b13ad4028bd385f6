"""The method on one page: a table becomes `Prepared`, `Regions` are found, curves learned.

    prepare     table -> schema, bins, target, bags                      fit/data
    regions     reference, trees, how many of their splits are kept      fit/references, regions
    curves      all curves at once, in these regions                     fit/curves
    model       averages of bags, in canonical form and the user's units

`fit`, `refit_splits` and `stability` of the estimators all come through here. Of a large table a
sample is prepared, in which regions are found; curves are learned from all rows (`fit/scale/`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calmgam.fit.constraints import Constraints
from calmgam.fit.curves.assembling import assemble
from calmgam.fit.curves.boosting import Boosting
from calmgam.fit.curves.by_name import check_loss, check_runs, fit_curves
from calmgam.fit.curves.contract import CurveData, CurveLearner
from calmgam.fit.curves.splines.fitting import Splines
from calmgam.fit.data.bags import draw_bags
from calmgam.fit.data.binning import MAX_BINS, Binned, bin_table
from calmgam.fit.data.checks import decoder, warn_of_columns, warn_of_rare_classes
from calmgam.fit.data.losses import Loss, SquaredError
from calmgam.fit.data.target import Target
from calmgam.fit.policies import positions_of, read_policy
from calmgam.fit.prepared import Limits, Prepared
from calmgam.fit.references.fitting import ReferenceLearner
from calmgam.fit.regions.found import Regions
from calmgam.fit.regions.given import Partition, given_trees
from calmgam.fit.regions.growth import Growth
from calmgam.fit.regions.search import search_regions
from calmgam.fit.regions.stability import stability_of
from calmgam.fit.scale.arrow import Columns
from calmgam.fit.scale.batches import fold_of
from calmgam.fit.scale.fitting import learn_from_moments
from calmgam.fit.scale.profile import SAMPLE_ROWS, ProfilePass
from calmgam.fit.scale.rows import (
    LARGE_TABLE,
    N_FOLDS,
    AllRows,
    Large,
    Roles,
    as_frame,
    sampled_target,
    take_rows,
)
from calmgam.fit.scale.sources import engine_of
from calmgam.fit.scale.sums import check_sums, why_no_sums
from calmgam.fit.support.memory import warn_of_memory
from calmgam.fit.support.progress import StopFit, Watch
from calmgam.fit.support.settings import check_integer
from calmgam.model.canonical import cell_counts
from calmgam.model.feature_types import read_feature_types
from calmgam.model.glassbox import Model, Term
from calmgam.model.intervals import MIN_ROWS, Intervals
from calmgam.model.ledger import SplitRecord
from calmgam.model.links import response
from calmgam.model.schema import FloatArray, Schema
from calmgam.model.shapes import slot_codes
from calmgam.model.tree import PartitionTree

ReadTarget = Callable[[Any, FloatArray, FloatArray | None], Target]


@dataclass(frozen=True, eq=False)
class Plan:
    """What the parameters of an estimator ask for.

    Attributes
    ----------
    reference : str, estimator or callable
    growth : Growth, or mapping of regions
        How regions are found; or the regions themselves, and nothing is searched.
    curves : CurveLearner
    max_depth, max_splits
        As in `Limits`.
    condition_features, never_condition_on, interactions
        As in `read_policy`; features by name or position.
    monotone : mapping or None
        As in `Constraints.read`.
    max_bins : int
    feature_types : mapping or None
        As in `Schema.learn`.
    seed, n_jobs : int
    watch : Watch
        Who is told of the progress, and may stop.
    """

    reference: Any
    growth: Growth | Mapping[str, Partition]
    curves: CurveLearner
    max_depth: int
    max_splits: int | str | None
    condition_features: Iterable[str | int] | None
    never_condition_on: Iterable[str | int] | None
    interactions: Any
    monotone: Mapping[str | int, str] | None
    max_bins: int
    feature_types: Mapping[str | int, Any] | None
    seed: int
    n_jobs: int
    watch: Watch

    def check(self, loss: Loss) -> None:
        """Refuse what makes no sense, before any work is done."""
        if isinstance(self.growth, Growth):
            self.growth.check()
        self.curves.check()
        check_loss(self.curves, loss)
        check_integer("max_bins", self.max_bins, low=2, high=MAX_BINS)


def prepare(X: Any, target: Target, plan: Plan, schema: Schema | None = None) -> Prepared:
    """Encode and bin the rows, draw the bags, and warn of what a new table is like.

    Parameters
    ----------
    X : data frame or array
        Checked.
    target : Target
    plan : Plan
    schema : Schema, optional
        That of a fitted model, whose table is not new; learned from X if not given.
    """
    plan.check(target.loss)
    if schema is not None:
        return prepare_rows(X, target, plan, schema)
    schema = Schema.learn(X, feature_types=plan.feature_types)
    warn_of_memory(target.n_rows, schema.n_features, plan.curves.n_bags, target.loss.n_outputs or 1)
    prepared = prepare_rows(X, target, plan, schema)
    warn_of_columns(prepared.X, schema, names_said(plan, schema))
    warn_of_rare_classes(target)
    return prepared


def prepare_rows(X: Any, target: Target, plan: Plan, schema: Schema) -> Prepared:
    """Encode and bin the rows, draw the bags."""
    bag_rng, search_rng = np.random.default_rng(plan.seed).spawn(2)
    constraints = Constraints.read(plan.monotone, schema)
    check_runs(plan.curves, constraints.runs.values(), target.loss)
    limits = read_limits(plan, constraints, schema)
    encoded = schema.encode(X)
    binned = bin_rows(encoded, schema, plan, constraints)
    return Prepared(
        encoded,
        binned,
        target,
        ReferenceLearner(plan.reference, schema, decoder(X, encoded, schema), plan.seed),
        limits.splitting(binned.varying),
        draw_bags(target, plan.curves.n_bags, bag_rng),
        plan.seed,
        search_rng,
        plan.n_jobs,
    )


def names_said(plan: Plan, schema: Schema) -> Collection[str]:
    """Return the columns of which users say what they are."""
    return read_feature_types(plan.feature_types, schema.names).keys()


def bin_rows(X: FloatArray, schema: Schema, plan: Plan, constraints: Constraints) -> Binned:
    """Bin the rows; every threshold that growth may ask for is a cut."""
    n_spaced = plan.growth.n_spaced if isinstance(plan.growth, Growth) else 0
    binned = bin_table(X, schema, plan.max_bins, n_spaced)
    return replace(binned, runs=constraints.of(schema.n_features))


def read_limits(plan: Plan, constraints: Constraints, schema: Schema) -> Limits:
    """Read how large the model may become, and what may stand together.

    Conditions are never about constrained features: crossing one would switch other curves.
    """
    split_features = plan.growth.split_features if isinstance(plan.growth, Growth) else None
    positions = positions_of(split_features, schema, "split_features")
    policy = read_policy(
        plan.condition_features, plan.never_condition_on, plan.interactions, schema
    )
    asked = tuple(j for j in policy.condition_features if j not in constraints.runs)
    return Limits(
        tuple(i for i in positions if i not in constraints.whole),
        replace(policy, condition_features=asked),
        plan.max_depth,
        plan.max_splits,
    )


def prepare_dataset(
    dataset: Any, roles: Roles, plan: Plan, read: ReadTarget, loss: Loss | None
) -> Large:
    """Go through a dataset once, and prepare a sample of its rows.

    Parameters
    ----------
    dataset : path, Arrow dataset, record batches, Dask or Spark data frame
    roles : Roles
        Names of the columns of y, weights and offset.
    plan : Plan
    read : callable
        Makes the target of y, weights and offset.
    loss : Loss or None
        Which numbers y may be; None: classes.
    """
    engine = engine_of(dataset)
    columns = Columns.of(
        engine.schema, roles.target, roles.weight, roles.offset, plan.feature_types, loss
    )
    with plan.watch.stage("sample") as progress:
        statistic = ProfilePass(columns, SAMPLE_ROWS, plan.n_jobs)
        profile = engine.map_reduce(statistic, columns.names, progress)
    profile.check()
    schema, table = profile.schema(columns), profile.sampled()
    y, weights, offset = sampled_target(table, columns)
    target = read(y, np.ones(len(y)) if weights is None else weights, offset)
    plan.check(target.loss)
    if target.n_rows < profile.n_rows:
        check_sums(plan.curves, plan.monotone, target)
        if target.classes:
            profile.check_classes(target.classes, columns)
    columns = replace(columns, classes=target.classes, loss=target.loss)
    if target.n_rows == profile.n_rows:  # fitted as a table in memory
        n_outputs = target.loss.n_outputs or 1
        warn_of_memory(target.n_rows, schema.n_features, plan.curves.n_bags, n_outputs)
    prepared = prepare_rows(as_frame(table.select(list(columns.kinds))), target, plan, schema)
    warn_of_columns(prepared.X, schema, names_said(plan, schema))
    warn_of_rare_classes(target)
    rows = AllRows.of_dataset(engine, columns, profile, target)
    folds = fold_of(profile.sample.hashes[profile.sample.positions()], N_FOLDS)
    return Large(prepared, folds, rows, profile.n_rows, profile.table_sha256(columns))


def prepare_large(X: Any, target: Target, plan: Plan) -> Large:
    """Prepare a sample of a large table in memory."""
    plan.check(target.loss)
    schema = Schema.learn(X, feature_types=plan.feature_types)
    warn_of_memory(target.n_rows, schema.n_features, n_bags=0)  # bags are of the sample alone
    encoded = schema.encode(X)
    warn_of_columns(encoded, schema, names_said(plan, schema))
    rows = AllRows.in_memory(encoded, target)
    some, folds = rows.sample()
    prepared = prepare_rows(take_rows(X, some), target.take(some), plan, schema)
    return Large(prepared, folds, rows, len(encoded))


def is_large(target: Target, plan: Plan) -> bool:
    """Whether curves of a table in memory are learned from sums over its rows."""
    return (
        target.n_rows >= LARGE_TABLE
        and isinstance(target.loss, SquaredError)
        and why_no_sums(plan.curves, plan.monotone, target) is None
    )


def find_regions(prepared: Prepared, plan: Plan) -> Regions:
    """Find the regions, or take those that are given."""
    if not isinstance(plan.growth, Growth):
        regions = Regions(given_trees(plan.growth, prepared))
    elif plan.max_depth == 0:
        regions = no_regions(prepared)
    else:
        regions = _searched(plan.growth, prepared, plan.watch)
    prepared.limits.policy.check(regions.trees, prepared.schema)
    return regions


def no_regions(prepared: Prepared) -> Regions:
    """Return the regions of a plain GAM."""
    return Regions((PartitionTree.trivial(),) * prepared.schema.n_features)


def _searched(growth: Growth, prepared: Prepared, watch: Watch) -> Regions:
    """Search regions; a search that is stopped has found none."""
    with watch.stage("regions") as progress:
        try:
            return search_regions(growth, replace(prepared, progress=progress))
        except StopFit:
            return no_regions(prepared)


def learn_curves(prepared: Prepared, regions: Regions, plan: Plan) -> Model:
    """Learn all curves in the regions, and make the model."""
    with plan.watch.stage("curves") as progress:
        data = CurveData(
            prepared.binned.cells(regions.trees),
            prepared.binned,
            regions.trees,
            prepared.target,
            prepared.bags,
            prepared.seed,
            prepared.n_jobs,
            progress,
        )
        features = [i for i in range(len(regions.trees)) if i not in regions.flat | regions.kept]
        curves, errors = fit_curves(plan.curves, data.only(features), regions.errors)
    model = assemble(
        prepared.schema, data, curves.among(features, data.shapes), errors, regions.kept
    )
    prove(model, prepared)
    intervals = _intervals(prepared, regions, lambda: curves.out_of_bag(data.only(features)))
    return replace(model, ledger=regions.ledger, path=regions.path, intervals=intervals)


def prove(model: Model, prepared: Prepared, kept: frozenset[int] = frozenset()) -> None:
    """Refuse a model that may break a promise."""
    Constraints.kept_by(prepared.binned).prove(model, prepared.binned.centres, kept)


def learn_the_rest(old: Model, prepared: Prepared, regions: Regions, plan: Plan) -> Model:
    """Learn curves around those of another model that are kept, as they are, edits included."""
    names = prepared.schema.names
    if regions.kept and len(regions.kept | regions.flat) == len(names):
        flat = [names[i] for i in sorted(regions.flat - regions.kept)]
        raise ValueError(f"keep must leave a feature to learn; got all but {flat}, which are flat")
    model = learn_curves(prepared, regions, plan)
    if not regions.kept:
        return model
    terms = [
        _recounted(old.terms[i], prepared) if i in regions.kept else term
        for i, term in enumerate(model.terms)
    ]
    model = replace(model, terms=tuple(terms), intervals=None)
    prove(model, prepared, regions.kept)
    return model


def _recounted(term: Term, prepared: Prepared) -> Term:
    """Return a term of another fit with the rows of this one."""
    codes = slot_codes(term.feature, term.edges, prepared.X[:, term.feature.index])
    shape = term.tree.n_leaves, term.n_slots
    counts = cell_counts(codes, term.tree.leaf_of(prepared.X), shape, prepared.target.weights)
    shapes = zip(term.shapes, counts, strict=True)
    return replace(term, shapes=tuple(replace(one, counts=rows) for one, rows in shapes))


def _intervals(
    prepared: Prepared, regions: Regions, score_out_of_bag: Callable[[], FloatArray | None]
) -> Intervals | None:
    """Measure errors where bags predict rows that they did not train on; None if they cannot.

    Nor are errors measured of rates whose exposures differ: with another exposure they are others.
    The regions have seen all rows; `benchmarks/intervals.py` measures that this hardly matters.
    """
    target = prepared.target
    if target.classes or target.offset is not None or target.by_exposure:
        return None
    out_of_bag = score_out_of_bag()
    if out_of_bag is None:
        return None
    shift, factor = target.units
    rows = np.flatnonzero(np.isfinite(out_of_bag) & (target.weights > 0))
    if len(rows) < MIN_ROWS:
        return None
    return Intervals.learn(
        regions.trees,
        prepared.X[rows],
        response(target.loss.link, shift + factor * out_of_bag[rows]),
        target.mean + target.scale * target.values[rows],
        target.weights[rows],
    )


def learn_curves_of_all(large: Large, regions: Regions, plan: Plan) -> Model:
    """Learn all curves from all rows of a large table, and make the model."""
    if large.is_whole:
        return learn_curves(large.prepared, regions, plan)
    assert isinstance(plan.curves, Boosting | Splines)  # `check_sums`, `is_large`
    model, out_of_fold = learn_from_moments(large, regions, plan.curves, plan.watch)
    regions = replace(regions, trees=tuple(term.tree for term in model.terms))
    return replace(model, intervals=_intervals(large.prepared, regions, lambda: out_of_fold))


def count_returns(
    prepared: Prepared, splits: tuple[SplitRecord, ...], plan: Plan, n_boot: int
) -> list[dict[str, Any]]:
    """Count how often splits come back when the rows are drawn again."""
    *_, rng = np.random.default_rng(plan.seed).spawn(3)  # two are for `prepare`
    if not isinstance(plan.growth, Growth):
        return []  # nothing was searched
    with plan.watch.stage("stability") as progress:
        rows = replace(prepared, rng=rng, bags=prepared.bags[:, :0], progress=progress)
        return stability_of(splits, plan.growth, rows, n_boot)
