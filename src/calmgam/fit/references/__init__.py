"""Step 1: the black box in which interactions are looked for."""
