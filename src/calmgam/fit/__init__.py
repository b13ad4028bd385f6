"""How a model is found: a folder is a stage, in the order of the method; values in, value out."""
