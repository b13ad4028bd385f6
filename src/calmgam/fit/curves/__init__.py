"""Step 3: the curves in given regions."""
