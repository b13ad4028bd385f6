"""Large tables: a sample finds the regions, sums over all rows the curves.

first pass     ranges, levels, a sample                            profile.py
the sample     bins, reference, growth, selection: as any table    fit/regions
second pass    moments of all rows in the cells of these regions   moments.py
curves         boosting from the moments                           boosting.py
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from calmgam.fit.curves.assembling import assemble_counted
from calmgam.fit.curves.boosting import Boosting
from calmgam.fit.data.binning import Binned
from calmgam.fit.prepared import Prepared
from calmgam.fit.regions.found import Regions
from calmgam.fit.scale.boosting import MomentData, boost_moments
from calmgam.fit.scale.inside_bins import in_fine_bins
from calmgam.fit.scale.moments import Cells, Expansion, FixedPoint, Moments
from calmgam.fit.scale.rows import AllRows
from calmgam.fit.support.progress import Watch
from calmgam.model.glassbox import Model
from calmgam.model.schema import FloatArray

N_PASSES = 4  # of losses other than squared error
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
    prepared: Prepared, rows: AllRows, regions: Regions, curves: Boosting, watch: Watch
) -> Model:
    """Learn all curves from all rows; `prepared` is the sample that found the regions.

    Squared error takes one pass over the rows, any other loss a few: each expands it around the
    scores of the curves that the last one led to.
    """
    trees, target = regions.trees, prepared.target
    cells = Cells(bins_of_gram(prepared.binned, trees), trees)
    order = [i for i in prepared.binned.order if i not in regions.flat]
    expansion, n_passes = None, 1
    if not target.loss.is_quadratic:
        start = target.best_constant()
        expansion, n_passes = Expansion(target.loss, start), N_PASSES
        curves = scaled(curves, target.loss.max_hessian)
    for k in range(n_passes):
        with watch.stage(f"rows {k + 1}/{n_passes}") as progress:
            moments = rows.moments(cells, prepared.n_jobs, progress, expansion)
        with watch.stage("curves") as progress:
            fixed = expansion.fixed(rows.fixed) if expansion else rows.fixed
            seed, n_jobs = prepared.seed, prepared.n_jobs
            data = MomentData(moments, cells, fixed, order, seed, n_jobs, progress)
            boosted = boost_moments(data, curves)
        if expansion:
            heights = [values.mean(axis=0).ravel() for values in boosted.values]
            expansion = Expansion(target.loss, float(boosted.intercepts.mean()), heights)
    errors: dict[str, Any] = {"metric": target.loss.metric, **regions.errors}
    if target.loss.is_quadratic:
        errors.setdefault("calm", target.error_of_loss(boosted.losses[0]))
    intercept = float(boosted.intercepts.mean())
    found = replace(boosted, values=in_fine_bins(boosted.values, intercept, cells, prepared))
    counts = counts_of(moments, cells, rows.fixed)
    model = assemble_counted(prepared.schema, trees, cells.fine, counts, found, target, errors)
    return replace(model, ledger=regions.ledger, path=regions.path)


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
