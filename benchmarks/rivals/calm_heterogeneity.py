"""calmgam with the paper's way of growing regions, otherwise by default."""

from dataclasses import replace
from functools import partial

from benchmarks.rivals import calm

RIVAL = replace(calm.RIVAL, fit=partial(calm.fit_calm, growth="heterogeneity"))
