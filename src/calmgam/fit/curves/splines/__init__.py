"""Smooth curves: penalised cubic splines, as smooth as REML finds them."""
