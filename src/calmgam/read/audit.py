"""Questions about a model, answered exactly and with rows as evidence.

jumps(model, "hour")                    where moving a feature switches other features' curves
sensitivity(model, "hour", 7, 8)        what a change of a feature does to the score
monotonicity(model, "hour")             proof of a direction, or counterexamples
counterfactual(model, row, "flip")      the smallest change that flips a decision
reasons(model, row)                     the largest contributions and the rules behind them
score_range(model)                      the smallest and the largest score
compare(model_a, model_b)               the largest change from one model to another
certify(model, path, claims)            proofs that others can check, of claims such as Monotone
"""

from calmgam.read.certify import certify
from calmgam.read.claims import AtMost, Monotone, NoInfluence, Range
from calmgam.read.comparison import Comparison, compare
from calmgam.read.counterfactual import Counterfactual, counterfactual
from calmgam.read.jumps import Jump, Jumps, jumps
from calmgam.read.monotonicity import Monotonicity, monotonicity
from calmgam.read.reasons import Reasons, reasons
from calmgam.read.score_range import ScoreRange, score_range
from calmgam.read.sensitivity import Sensitivity, sensitivity

__all__ = [
    "AtMost",
    "Comparison",
    "Counterfactual",
    "Jump",
    "Jumps",
    "Monotone",
    "Monotonicity",
    "NoInfluence",
    "Range",
    "Reasons",
    "ScoreRange",
    "Sensitivity",
    "certify",
    "compare",
    "counterfactual",
    "jumps",
    "monotonicity",
    "reasons",
    "score_range",
    "sensitivity",
]
