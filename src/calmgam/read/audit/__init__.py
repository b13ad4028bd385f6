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

# Most functions have the name of their module: here the name means the function.
from calmgam.read.audit.certify import certify
from calmgam.read.audit.claims import AtMost, Monotone, NoInfluence, Range
from calmgam.read.audit.comparison import Comparison, compare
from calmgam.read.audit.counterfactual import Counterfactual, counterfactual
from calmgam.read.audit.jumps import Jump, Jumps, jumps
from calmgam.read.audit.monotonicity import Monotonicity, monotonicity
from calmgam.read.audit.reasons import Reasons, reasons
from calmgam.read.audit.score_range import ScoreRange, score_range
from calmgam.read.audit.sensitivity import Sensitivity, sensitivity

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
