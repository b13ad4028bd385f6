"""The method on one page: a table becomes `Prepared`, `Regions` are found, curves learned.

    prepare     table -> schema, bins, target, bags                      fit/data
    regions     reference, trees, how many of their splits are kept      fit/references, regions
    curves      all curves at once, in these regions                     fit/curves
    model       averages of bags, in canonical form and the user's units

`fit`, `refit_splits` and `stability` of the estimators all come through here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calmgam.fit.curves.assembling import assemble
from calmgam.fit.curves.by_name import check_task, fit_curves
from calmgam.fit.curves.contract import CurveData, CurveLearner
from calmgam.fit.data.bags import draw_bags
from calmgam.fit.data.binning import MAX_BINS, bin_table
from calmgam.fit.data.checks import decoder, warn_of_identifiers, warn_of_rare_classes
from calmgam.fit.data.target import Target
from calmgam.fit.prepared import Limits, Prepared, positions_of
from calmgam.fit.references.fitting import ReferenceLearner
from calmgam.fit.regions.found import Regions
from calmgam.fit.regions.given import Partition, given_trees
from calmgam.fit.regions.growth import Growth
from calmgam.fit.regions.search import search_regions
from calmgam.fit.regions.stability import stability_of
from calmgam.fit.support.progress import stage
from calmgam.fit.support.settings import check_integer
from calmgam.model.glassbox import Model
from calmgam.model.ledger import SplitRecord
from calmgam.model.schema import Schema
from calmgam.model.tree import PartitionTree


@dataclass(frozen=True, eq=False)
class Plan:
    """What the parameters of an estimator ask for.

    Attributes
    ----------
    reference : str, estimator or callable
    growth : Growth
    curves : CurveLearner
    max_depth, max_splits, sparsity, split_features, condition_features
        As in `Limits`; features by name or position.
    partitions : mapping or None
        Regions given by the user; nothing is searched then.
    max_bins : int
    seed, n_jobs : int
    verbose : bool
    """

    reference: Any
    growth: Growth
    curves: CurveLearner
    max_depth: int
    max_splits: int | str | None
    sparsity: float
    split_features: Iterable[str | int] | None
    condition_features: Iterable[str | int] | None
    partitions: Mapping[str, Partition] | None
    max_bins: int
    seed: int
    n_jobs: int
    verbose: bool

    def check(self, task: str) -> None:
        """Refuse what makes no sense, before any work is done."""
        self.growth.check()
        self.curves.check()
        check_task(self.curves, task)
        check_integer("max_bins", self.max_bins, low=2, high=MAX_BINS)
        if self.partitions is not None and not isinstance(self.partitions, Mapping):
            raise ValueError(
                "partitions must map names of features to their regions, such as "
                f'{{"temp": ["hour <= 7", "hour > 7"]}}; got {self.partitions!r}'
            )


def prepare(X: Any, target: Target, plan: Plan, schema: Schema | None = None) -> Prepared:
    """Encode and bin the rows, draw the bags.

    Parameters
    ----------
    X : data frame or array
        Checked.
    target : Target
    plan : Plan
    schema : Schema, optional
        That of a fitted model; learned from X if not given.
    """
    plan.check(target.loss.task)
    bag_rng, search_rng = np.random.default_rng(plan.seed).spawn(2)
    is_new = schema is None
    schema = schema or Schema.learn(X)
    limits = Limits(
        positions_of(plan.split_features, schema, "split_features"),
        positions_of(plan.condition_features, schema, "condition_features"),
        plan.max_depth,
        plan.max_splits,
        plan.sparsity,
    )
    encoded = schema.encode(X)
    if is_new:
        warn_of_identifiers(encoded, schema)
        warn_of_rare_classes(target)
    return Prepared(
        encoded,
        bin_table(encoded, schema, plan.max_bins),
        target,
        ReferenceLearner(plan.reference, schema, decoder(X, encoded, schema), plan.seed),
        limits,
        draw_bags(target, plan.curves.n_bags, bag_rng),
        plan.seed,
        search_rng,
        plan.n_jobs,
    )


def find_regions(prepared: Prepared, plan: Plan) -> Regions:
    """Find the regions, or take those that are given."""
    if plan.partitions is not None:
        return Regions(given_trees(plan.partitions, prepared))
    if plan.max_depth == 0:
        return Regions((PartitionTree.trivial(),) * prepared.schema.n_features)
    with stage("regions", plan.verbose) as progress:
        return search_regions(plan.growth, replace(prepared, progress=progress))


def learn_curves(prepared: Prepared, regions: Regions, plan: Plan) -> Model:
    """Learn all curves in the regions, and make the model."""
    with stage("curves", plan.verbose) as progress:
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
        features = [i for i in range(len(regions.trees)) if i not in regions.flat]
        curves, errors = fit_curves(plan.curves, data.only(features), regions.errors)
    model = assemble(prepared.schema, data, curves.among(features, data.shapes), errors)
    return replace(model, ledger=regions.ledger, path=regions.path)


def count_returns(
    prepared: Prepared, splits: tuple[SplitRecord, ...], plan: Plan, n_boot: int
) -> list[dict[str, Any]]:
    """Count how often splits come back when the rows are drawn again."""
    *_, rng = np.random.default_rng(plan.seed).spawn(3)  # two are for `prepare`
    with stage("stability", plan.verbose) as progress:
        rows = replace(prepared, rng=rng, bags=prepared.bags[:, :0], progress=progress)
        return stability_of(splits, plan.growth, rows, n_boot)
