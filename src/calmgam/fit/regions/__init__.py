"""Step 2: which regions, and how many."""
