"""Each tree grown alone, where local effects differ between rows: the paper's way."""
