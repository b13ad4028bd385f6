"""Edits: Model -> Model, with a trail."""

from calmgam.model.edits.bands import Bands
from calmgam.model.edits.edit import Edit, read_edit
from calmgam.model.edits.editor import Editor, undo
from calmgam.model.edits.heights import Clamp, Flatten, Monotone, Round, Smooth
from calmgam.model.edits.naming import RenameLevels, Rescale, SetReference
from calmgam.model.edits.regions import DropSplit, DropTerm, MergeRegions
from calmgam.model.edits.simplify import Simplify, count_steps

__all__ = [
    "Bands",
    "Clamp",
    "DropSplit",
    "DropTerm",
    "Edit",
    "Editor",
    "Flatten",
    "MergeRegions",
    "Monotone",
    "RenameLevels",
    "Rescale",
    "Round",
    "SetReference",
    "Simplify",
    "Smooth",
    "count_steps",
    "read_edit",
    "undo",
]
