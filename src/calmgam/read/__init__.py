"""How a model is read: nothing here fits."""
