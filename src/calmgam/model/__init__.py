"""What a model is: schema, regions, trees, curves and their sum. Immutable values, no fitting."""

from calmgam.model.glassbox import Model, Term
from calmgam.model.parsing import parse_region
from calmgam.model.regions import Condition, Region
from calmgam.model.schema import Feature, Schema
from calmgam.model.serialize import from_json, load, save, to_json
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
    "from_json",
    "load",
    "parse_region",
    "save",
    "slot_codes",
    "to_json",
]
