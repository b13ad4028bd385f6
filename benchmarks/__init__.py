"""Measure calmgam and its rivals side by side; see benchmarks/README.md."""
