"""calmgam with at most two conditions in a region."""

from dataclasses import replace
from functools import partial

from benchmarks.rivals import calm

RIVAL = replace(calm.RIVAL, fit=partial(calm.fit_calm, max_depth=2))
