"""Three small tables to learn with, each drawn once from a simulation whose truth is known.

    X, y = load_bikes()               # a number: rentals in an hour
    X, y = load_credit()              # yes or no: does a borrower default?
    X, y, exposure = load_claims()    # counts: claims of policies, with years at risk

`simulate_bikes` and so on draw new rows; `true_rentals`, `true_log_odds` and `true_claim_rate`
are the truths.
"""

from calmgam.datasets.bikes import load_bikes, simulate_bikes, true_rentals
from calmgam.datasets.claims import load_claims, simulate_claims, true_claim_rate
from calmgam.datasets.credit import load_credit, simulate_credit, true_log_odds

__all__ = [
    "load_bikes",
    "load_claims",
    "load_credit",
    "simulate_bikes",
    "simulate_claims",
    "simulate_credit",
    "true_claim_rate",
    "true_log_odds",
    "true_rentals",
]
