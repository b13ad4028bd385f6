"""A small model to edit: two numbers, levels, a tree of two splits."""

import itertools

import numpy as np

from calmgam.model import Feature, Model, PartitionTree, Schema, ShapeFunction, Term
from calmgam.model.intervals import Intervals
from calmgam.model.regions import Condition

SCHEMA = Schema(
    (
        Feature("age", 0, "numeric", has_missing=True, low=18.0, high=90.0),
        Feature("hour", 1, "numeric", low=0.0, high=23.0, whole=True),
        Feature("job", 2, "categorical", ("nurse", "cook", "smith")),
    )
)
AGE, HOUR, JOB = SCHEMA.features


def shape(feature, edges, values, counts=None):
    values = np.array(values, dtype=float)
    counts = np.arange(1.0, len(values) + 1) if counts is None else np.array(counts, dtype=float)
    return ShapeFunction(feature, np.array(edges, dtype=float), values, counts, values**2)


TREE = PartitionTree.from_nested(
    (Condition(HOUR, "<=", 7.0), None, (Condition(JOB, "=", (0,)), None, None))
)
EDGES = [20, 30, 40, 50]
MODEL = Model(
    SCHEMA,
    1.5,
    (
        Term(
            AGE,
            TREE,
            (
                shape(AGE, EDGES, [0.5, -1, 2, 1, 3, 0.25]),
                shape(AGE, EDGES, [1, 2, 1, 2, 1, 0.5], [0, 3, 1, 0, 4, 2]),
                shape(AGE, EDGES, [-1, -2, -3, -2, -5, 0]),
            ),
        ),
        Term(
            HOUR,
            PartitionTree.trivial(),
            (shape(HOUR, [3, 7, 12, 18], [0.1, 0.3, 0.2, 0.55, 0.4, 0]),),
        ),
        Term(JOB, PartitionTree.trivial(), (shape(JOB, [], [0.3, -0.2, 0.25, 0, 0]),)),
    ),
    intervals=Intervals((0.0,), (1.0, 2.0), (), tuple(np.arange(1, 100) / 50), 100),
)
AGES = [19, 22, 28, 32, 35, 43, 47, 55, 64, 70, np.nan]
# every input that the model can tell apart
ROWS = np.array(list(itertools.product(AGES, [1, 5, 7, 9, 15, 20], [0, 1, 2])), dtype=float)
