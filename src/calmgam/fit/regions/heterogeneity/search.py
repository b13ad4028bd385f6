"""Growth by heterogeneity as a whole: reference, trees, and how many of their splits are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from calmgam.fit.data.folds import enough_rows
from calmgam.fit.prepared import Prepared
from calmgam.fit.references.reference import Reference
from calmgam.fit.regions.found import Regions
from calmgam.fit.regions.growth import SHARED
from calmgam.fit.regions.heterogeneity.growing import grow_all
from calmgam.fit.regions.heterogeneity.how_many import cross_validate_shares
from calmgam.fit.regions.heterogeneity.settings import HeterogeneitySettings
from calmgam.fit.regions.one_standard_error import Selection
from calmgam.fit.support.threads import parallel_map


@dataclass(repr=False)
class Heterogeneity(HeterogeneitySettings):  # noqa: D101
    __doc__ = f"""Regions as in the paper: each feature's tree alone, where its effects differ.
{SHARED}
    effect : {{"pdp", "ale", "rhale", "shap"}}
        The local effects that are compared. ``"pdp"``: centred ICE curves of the reference;
        ``"ale"``: its slopes between grid values; ``"rhale"``: its derivatives, in bins chosen so
        that they vary little; ``"shap"``: SHAP values (link scale).
    effect_scale : {{"link", "response"}}
        Scale of the effects of a classifier: log-odds or probabilities.
    grid : {{"quantile", "uniform"}}
        Where along a feature its effect is evaluated.
    grid_size : int
        Number of grid values.
    min_drop : float
        A split must remove more than this share of its region's heterogeneity.
    min_heterogeneity : float
        Regions below this share of the target's variance are left whole; 0 leaves those whole that
        have none but for rounding.
    rank : {{"absolute", "relative"}}
        Which splits `max_splits` prefers: the largest drops in absolute or in relative terms.
    """

    def search(self, prepared: Prepared) -> Regions:
        """Find the trees of all features."""
        is_auto = prepared.limits.max_splits == "auto"
        if is_auto:  # then folds judge the reference, and show progress
            reference, errors = prepared.fit_reference(with_trees=True), dict[str, float]()
            grown = grow_all(reference, replace(prepared, progress=None), self)
        else:
            reference, errors = _fit_and_judge(prepared)
            grown = grow_all(reference, prepared, self)
        if not is_auto or not grown.n_splits:
            ledger = grown.ledger(scale=prepared.target.scale)
            return Regions(grown.trees, ledger, errors=errors)
        settings, prepared = self.sampled(prepared)
        selection = Selection()
        if enough_rows(prepared.target):
            selection = cross_validate_shares(prepared, settings, grown.n_splits)
        grown = grown.keeping(selection.n_splits, selection.reason)
        ledger = grown.ledger(selection.points, prepared.target.scale)
        return Regions(grown.trees, ledger, errors=selection.errors)


def _fit_and_judge(prepared: Prepared) -> tuple[Reference, dict[str, float]]:
    """Fit the reference on all rows and, beside it, one on training rows alone for its error."""
    if not prepared.has_validation_rows:
        return prepared.fit_reference(with_trees=True), {}
    half = max(1, prepared.n_jobs // 2)
    fits: list[Callable[[], Any]] = [
        partial(prepared.fit_reference, n_jobs=half, with_trees=True),
        partial(prepared.reference_error, n_jobs=half),
    ]
    reference, error = parallel_map(lambda fit: fit(), fits, prepared.n_jobs)
    return replace(reference, n_jobs=prepared.n_jobs), {"reference": error}
