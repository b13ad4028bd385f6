"""Local effects of a feature: what growth by heterogeneity compares."""
