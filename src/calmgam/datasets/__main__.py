"""Write the bundled tables again: one draw of each simulation."""

from pathlib import Path

from calmgam.datasets import bikes, claims, credit
from calmgam.datasets.tables import write_table

folder = Path(__file__).parent
X, y = bikes.simulate_bikes()
write_table(X.assign(rentals=y), "bikes", folder)
X, y = credit.simulate_credit()
write_table(X.assign(default=y), "credit", folder)
X, y, exposure = claims.simulate_claims()
write_table(X.assign(exposure=exposure, claims=y), "claims", folder)
