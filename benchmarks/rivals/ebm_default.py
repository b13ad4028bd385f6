"""Explainable Boosting Machine as it comes, pairs included."""

from dataclasses import replace

from benchmarks.rivals import ebm

RIVAL = replace(ebm.RIVAL, fit=ebm.fit_ebm)
