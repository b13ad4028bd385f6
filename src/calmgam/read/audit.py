"""Questions about a model, answered exactly and with rows as evidence.

jumps(model, "hour")                    where moving a feature switches other features' curves
sensitivity(model, "hour", 7, 8)        what a change of a feature does to the score
monotonicity(model, "hour")             proof of a direction, or counterexamples
counterfactual(model, row, "flip")      the smallest change that flips a decision
reasons(model, row)                     the largest contributions and the rules behind them
"""

from calmgam.read.counterfactual import Counterfactual, counterfactual
from calmgam.read.jumps import Jump, Jumps, jumps
from calmgam.read.monotonicity import Monotonicity, monotonicity
from calmgam.read.reasons import Reasons, reasons
from calmgam.read.sensitivity import Sensitivity, sensitivity

__all__ = [
    "Counterfactual",
    "Jump",
    "Jumps",
    "Monotonicity",
    "Reasons",
    "Sensitivity",
    "counterfactual",
    "jumps",
    "monotonicity",
    "reasons",
    "sensitivity",
]
