"""What all stages need: checks of settings, progress, threads."""
