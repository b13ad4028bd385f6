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
from calmgam.fit.regions.heterogeneity.growing import grow_all
from calmgam.fit.regions.heterogeneity.how_many import cross_validate_shares
from calmgam.fit.regions.heterogeneity.settings import HeterogeneitySettings
from calmgam.fit.regions.one_standard_error import Selection
from calmgam.fit.support.threads import parallel_map


@dataclass(repr=False)
class Heterogeneity(HeterogeneitySettings):
    """Regions as in the paper: each feature's tree alone, where its local effects differ.

    Parameters
    ----------
    thresholds : {"quantile", "uniform", "all"}
        Which cuts of a numeric feature are tried as conditions.
    n_thresholds : int
        How many of them.
    n_background : int or None
        Rows whose effects are compared, drawn from larger tables; None takes all.
    min_samples_leaf : int
        Fewest training rows in a region.
    effect : {"pdp", "ale", "rhale", "shap"}
        The local effects that are compared. ``"pdp"``: centred ICE curves of the reference;
        ``"ale"``: its slopes between grid values; ``"rhale"``: its derivatives, in bins chosen so
        that they vary little; ``"shap"``: SHAP values (link scale).
    effect_scale : {"link", "response"}
        Scale of the effects of a classifier: log-odds or probabilities.
    grid : {"quantile", "uniform"}
        Where along a feature its effect is evaluated.
    grid_size : int
        Number of grid values.
    equal_up_to : int
        Numeric features with at most this many distinct values get conditions ``= value``.
    min_drop : float
        A split must remove more than this share of its region's heterogeneity.
    drop_scale : {"variance", "spread"}
        Whether a region's variance is compared with the mean variance of its two parts, or with
        the square of their mean spread, for which one homogeneous part counts more.
    min_heterogeneity : float
        Regions below this share of the target's variance are left whole.
    rank : {"absolute", "relative"}
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
            return Regions(grown.trees, grown.ledger(), reference=reference, errors=errors)
        settings, prepared = self.sampled(prepared)
        selection = Selection()
        if enough_rows(prepared.target):
            selection = cross_validate_shares(prepared, settings, grown.n_splits)
        grown = grown.keeping(selection.n_splits, selection.reason)
        ledger = grown.ledger(selection.points)
        return Regions(grown.trees, ledger, reference=reference, errors=selection.errors)


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
