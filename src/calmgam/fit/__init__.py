"""How a model is found: one stage per file, values in, value out."""
