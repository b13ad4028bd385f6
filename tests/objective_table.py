"""A simulated table with a target for every objective."""

import numpy as np
import pandas as pd

from calmgam import Boosting
from calmgam.fit.data.objectives import LOSSES

QUICK = {"n_jobs": 1, "random_state": 0}
SMALL = Boosting(n_bags=4, learning_rate=0.1, max_rounds=200, patience=20)
EVERY = [*LOSSES.values()]


class Table:
    """Rows whose effect of `a` turns round with `b`, and a target for every loss."""

    def __init__(self, n=1200, seed=0):
        rng = np.random.default_rng(seed)
        a, b, c = rng.normal(size=(3, n))
        self.score = np.where(b > 0, 0.6, -0.6) * a + 0.4 * (c > 0.5)
        self.X = pd.DataFrame({"a": a, "b": b, "c": c})
        self.exposure = rng.uniform(0.2, 3.0, n)
        self.rng = rng

    def y(self, loss):
        rng, mean = self.rng, np.exp(self.score)
        if loss.link == "identity":
            return 10 + 3 * (self.score + 0.4 * rng.standard_t(3, len(mean)))
        if loss.name == "gamma":
            return rng.gamma(3.0, mean / 3.0)
        counts = rng.poisson(mean)
        return counts.astype(float) if loss.name == "poisson" else rng.gamma(counts + 1e-12, 0.5)
