"""Large tables: a sample finds the regions, sums over all rows the curves.

first pass     ranges, levels, a sample                            profile.py
the sample     bins, reference, growth, selection: as any table    fit/regions
               thresholds placed between their neighbouring cuts   thresholds.py
second pass    moments of all rows in the cells of these regions   moments.py
curves         boosting or splines from the moments                boosting.py, splines.py
last pass      of a log link: predictions add up to what was seen  totals.py
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam.fit.curves.assembling import assemble_counted
from calmgam.fit.curves.boosting import BoostedCurves, Boosting
from calmgam.fit.curves.contract import Curves
from calmgam.fit.curves.splines.fitting import Splines
from calmgam.fit.data.binning import Binned
from calmgam.fit.data.losses import Loss
from calmgam.fit.data.target import Target
from calmgam.fit.prepared import Prepared
from calmgam.fit.regions.found import Regions
from calmgam.fit.scale.boosting import MomentData, boost_moments
from calmgam.fit.scale.inside_bins import in_fine_bins
from calmgam.fit.scale.lines import without_regions
from calmgam.fit.scale.moments import Cells, Expansion, FixedPoint, Moments
from calmgam.fit.scale.quick import quick_curves
from calmgam.fit.scale.rows import Large
from calmgam.fit.scale.splines import splines_of_moments
from calmgam.fit.scale.thresholds import place_thresholds
from calmgam.fit.support.progress import Watch, quiet
from calmgam.model.glassbox import Model
from calmgam.model.schema import FloatArray
from calmgam.model.tree import PartitionTree

N_PASSES = 3  # of losses other than squared error, from curves of the sample on
# Cells of the Gram matrix, whose lines are that long; bins of a number, however many features.
MAX_GRAM_CELLS, MIN_BINS, MAX_BINS = 4096, 32, 255


def bins_of_gram(binned: Binned, trees: Any) -> Binned:
    """Return bins so wide that the Gram matrix stays small, of no rows."""
    n_curves = [tree.n_leaves for tree in trees]
    levels = sum(
        n * curves
        for feature, n, curves in zip(binned.features, binned.n_slots, n_curves, strict=True)
        if not feature.is_numeric
    )
    numbers = sum(c for f, c in zip(binned.features, n_curves, strict=True) if f.is_numeric)
    room = (MAX_GRAM_CELLS - levels) // max(numbers, 1) - 1  # missing is a slot, too
    coarse = binned.coarsened(min(max(room, MIN_BINS), MAX_BINS))
    nothing = np.empty((len(n_curves), 0), dtype=np.uint16)
    fine = replace(coarse.fine or binned, codes=nothing)
    return replace(coarse, codes=nothing, fine=fine)


def learn_from_moments(
    large: Large, regions: Regions, learner: Boosting | Splines, watch: Watch
) -> tuple[Model, FloatArray | None]:
    """Learn all curves from all rows, and score the sample by bags that left its rows out.

    Squared error takes one pass over the rows, any other loss a few: each expands it around the
    scores of the curves that the last one led to. A log link takes one more, for its last constant.
    """
    rows = large.rows
    with watch.stage("thresholds"):
        prepared, regions, start = prepare_curves(large.prepared, regions)
    trees, loss = regions.trees, prepared.target.loss
    cells = Cells(bins_of_gram(prepared.binned, trees), trees)
    curves, n_expansions = start, 1 if loss.is_quadratic else N_PASSES
    n_passes = n_expansions + bool(loss.last_constant)
    for k in range(n_expansions):
        expansion = None if loss.is_quadratic else expanded(loss, curves, rows.fixed)
        with watch.stage(f"rows {k + 1}/{n_passes}") as progress:
            moments = rows.moments(cells, prepared.n_jobs, progress, expansion)
        with watch.stage("curves") as progress:
            data = MomentData(
                moments,
                cells,
                expansion.fixed(rows.fixed) if expansion else rows.fixed,
                [i for i in prepared.binned.turns if i not in regions.flat],
                prepared.seed,
                prepared.n_jobs,
                progress,
            )
            curves = learn_sums(data, learner, loss)
            errors = errors_of(curves, data, learner, prepared.target, regions.errors)
    intercept = float(curves.intercepts.mean())
    found = replace(curves, values=in_fine_bins(curves.values, intercept, cells, prepared))
    if loss.last_constant:
        with watch.stage(f"rows {n_passes}/{n_passes}") as progress:
            totals = rows.totals(cells, found, loss, prepared.n_jobs, progress)
        found = found.shifted(totals.correction)
    counts = counts_of(moments, cells, rows.fixed)
    model = assemble_counted(
        prepared.schema, trees, cells.fine, counts, found, prepared.target, errors
    )
    model = replace(model, ledger=regions.ledger, path=regions.path)
    return model, out_of_fold(found, prepared, trees, large.folds)


def out_of_fold(
    curves: Curves, prepared: Prepared, trees: tuple[PartitionTree, ...], folds: NDArray[np.intp]
) -> FloatArray | None:
    """Score every row of the sample by the bag that left its fold out; None if none did."""
    if not isinstance(curves, BoostedCurves):
        return None
    scores, cells = curves.intercepts[folds], prepared.binned.cells(trees)
    for bag in range(len(curves.intercepts)):
        rows = np.flatnonzero(folds == bag)
        for line, values in zip(cells, curves.values, strict=True):
            scores[rows] += values[bag].ravel()[line[rows]]
    return scores


def prepare_curves(prepared: Prepared, regions: Regions) -> tuple[Prepared, Regions, Curves]:
    """Place the thresholds; return sample, regions, and the curves of the sample."""
    cells = Cells(bins_of_gram(prepared.binned, regions.trees), regions.trees)
    curves = quick_curves(prepared, cells, regions.flat)
    return *place_thresholds(prepared, regions, cells, curves), curves


def expanded(loss: Loss, curves: Curves, fixed: FixedPoint) -> Expansion:
    """Return the loss as least squares around the scores of curves."""
    heights = [values.mean(axis=0).ravel() for values in curves.values]
    return Expansion(loss, float(curves.intercepts.mean()), heights, fixed.largest)


def learn_sums(data: MomentData, learner: Boosting | Splines, loss: Loss) -> Curves:
    """Learn curves from sums over rows."""
    if isinstance(learner, Splines):
        return splines_of_moments(data, learner, loss)
    return boost_moments(data, scaled(learner, 1.0 if loss.is_quadratic else loss.max_hessian))


def errors_of(
    curves: Curves,
    data: MomentData,
    learner: Boosting | Splines,
    target: Target,
    known_errors: Mapping[str, float],
) -> dict[str, Any]:
    """Return the errors of own GAM and CALM, on the first fold if no cross-validation has told.

    The sums of another loss than squared error belong to the scores of the CALM: a GAM would need
    passes of its own, so nothing is measured.
    """
    errors: dict[str, Any] = {"metric": target.loss.metric, **known_errors}
    if "gam" in errors or not target.loss.is_quadratic:
        return errors
    gam = curves
    if any(tree.n_splits for tree in data.cells.trees):
        moments, cells = without_regions(data.moments, data.cells)
        beside = replace(data, moments=moments, cells=cells, progress=quiet(data.progress))
        gam = learn_sums(beside, learner, target.loss)
    errors["calm"] = target.error_of_loss(curves.losses[0])
    errors["gam"] = target.error_of_loss(gam.losses[0])
    return errors


def scaled(curves: Boosting, hessian: float) -> Boosting:
    """Return the settings with pseudo-rows and rows in units of hessians."""
    return replace(
        curves,
        ridge=curves.ridge * hessian,
        min_samples_leaf=curves.min_samples_leaf * hessian,
        level_smoothing=curves.level_smoothing * hessian,
    )


def counts_of(moments: Moments, cells: Cells, fixed: FixedPoint) -> list[FloatArray]:
    """Return the rows' weights in every fine slot of every curve."""
    counts = np.ldexp(moments.counts[0].astype(float), -fixed.count_bits)
    counts *= moments.n_rows / counts[: cells.n_fine_cells[0]].sum()  # of mean 1, as in `Target`
    parts = np.split(counts, np.cumsum(cells.n_fine_cells)[:-1])
    return [part.reshape(tree.n_leaves, -1) for tree, part in zip(cells.trees, parts, strict=True)]
