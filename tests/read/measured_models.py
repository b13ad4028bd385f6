"""Models of every kind, and rows with outcomes to measure them on."""

from dataclasses import replace

import numpy as np
import pandas as pd
from reading_models import hand_model

from calmgam.model.objectives import Objective
from calmgam.model.provenance import Provenance, table_digest
from class_models import with_classes

rng = np.random.default_rng(0)
N = 300
X = pd.DataFrame(
    {
        "hour": rng.uniform(0, 23, N),
        "job": rng.choice(["nurse", "cook"], N),
        "flag": rng.random(N) < 0.5,
    }
)
NUMBERS, PAIR = hand_model(), hand_model("logit")
MANY = with_classes(hand_model(), ("red", "green", "blue"))
COUNTS = replace(hand_model(), link="log", objective=Objective("poisson"))
Y = pd.Series(NUMBERS.predict(X) + rng.normal(size=N), name="rentals")
LABELS = np.where(rng.random(N) < PAIR.predict(X), "yes", "no")
COLOURS = np.array([rng.choice(MANY.classes, p=p) for p in MANY.predict(X)])
EXPOSURE = rng.uniform(0.2, 3, N)
COUNTED = rng.poisson(EXPOSURE * COUNTS.predict(X)).astype(float)


def fitted_to(model, X, y, **settings):
    origin = Provenance(
        "0.1.0", settings, 7, len(X), False, "2026-01-31T23:59:59Z", table_digest(X, y)
    )
    return replace(model, provenance=origin)
