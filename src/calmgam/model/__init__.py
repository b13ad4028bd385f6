"""What a model is: schema, regions, trees, curves and their sum. Immutable values, no fitting."""

from calmgam.model.glassbox import Model, Term
from calmgam.model.regions import Condition, Region
from calmgam.model.schema import Feature, Schema
from calmgam.model.shapes import ShapeFunction, slot_codes
from calmgam.model.tree import Node, PartitionTree

__all__ = [
    "Condition",
    "Feature",
    "Model",
    "Node",
    "PartitionTree",
    "Region",
    "Schema",
    "ShapeFunction",
    "Term",
    "slot_codes",
]
