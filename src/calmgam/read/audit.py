"""Questions about a model, answered exactly and with rows as evidence.

jumps(model, "hour")                              where other features' curves switch
sensitivity(model, "hour", 7, 8)                  what a change does to the score
monotonicity(model, "hour")                       proof of a direction, or counterexamples
"""

from calmgam.read.jumps import Jump, Jumps, jumps
from calmgam.read.monotonicity import Monotonicity, monotonicity
from calmgam.read.sensitivity import Sensitivity, sensitivity

__all__ = [
    "Jump",
    "Jumps",
    "Monotonicity",
    "Sensitivity",
    "jumps",
    "monotonicity",
    "sensitivity",
]
