"""How well a model does on given rows: in total, in groups of rows, by slice."""
