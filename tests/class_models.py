"""Models of many classes, made from any model of a number: the same trees, random curves."""

from dataclasses import replace

import numpy as np

from calmgam.model import Term


def with_classes(model, classes, seed=0):
    """Return the model with a random curve per class beside its own, and random intercepts."""
    rng = np.random.default_rng(seed)

    def grown(shape):
        noise = rng.normal(size=(shape.n_slots, len(classes)))
        values = noise * (1 + np.abs(shape.values)[:, None])
        return replace(shape, values=values, spreads=np.abs(noise))

    terms = tuple(Term(t.feature, t.tree, tuple(map(grown, t.shapes))) for t in model.terms)
    intercept = tuple(rng.normal(size=len(classes)))
    return replace(
        model, intercept=intercept, terms=terms, link="softmax", classes=tuple(classes), errors={}
    )
