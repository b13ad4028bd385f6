"""Step 2 as a whole: which regions, found in which way.

In: the prepared table and a way of growing. Out: `Regions`: one tree per feature, the path, the
ledger, the reference and held-out errors.
"""

from __future__ import annotations

from dataclasses import replace

from calmgam.fit.prepared import Prepared
from calmgam.fit.references.boosted_trees import MAX_CUTS
from calmgam.fit.regions.found import Regions
from calmgam.fit.regions.growth import Growth
from calmgam.fit.regions.heterogeneity.search import Heterogeneity
from calmgam.fit.regions.joint.search import Joint

GROWTHS: dict[str, type[Growth]] = {"joint": Joint, "heterogeneity": Heterogeneity}


def search_regions(growth: Growth, prepared: Prepared) -> Regions:
    """Find the regions of all features; the reference's error is measured if folds did not."""
    references = replace(prepared.references, edges=prepared.binned.coarsened(MAX_CUTS).edges)
    prepared = replace(prepared, references=references)
    found = growth.search(prepared)
    if prepared.has_validation_rows and not found.errors:
        found = replace(found, errors={"reference": prepared.reference_error()})
    return found
