"""A model at a glance: its summary, what to try next, its card in notebooks."""
