"""Explainable Boosting Machine with pairs as in the paper: 0.9 per feature."""

from dataclasses import replace
from functools import partial

from benchmarks.rivals import ebm

RIVAL = replace(ebm.RIVAL, fit=partial(ebm.fit_ebm, interactions=0.9))
