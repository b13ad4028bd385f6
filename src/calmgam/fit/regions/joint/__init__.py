"""All trees grown together, best split first: the default."""
