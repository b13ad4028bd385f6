"""The default reference: gradient boosted trees over slots, in a kernel of their own.

In: encoded rows and a target. Out: an estimator like those of libraries, whose `ensemble` is there
to read. In large tables every tree sees few cuts of a number, but each tree others, so that trees
are fast and their sum has all cuts; and no Python runs in between, so that the references of
cross-validation are fitted side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from scipy.special import expit

from calmgam import _kernels
from calmgam.fit.data.binning import bin_table, slots_of
from calmgam.fit.data.losses import Loss
from calmgam.fit.data.target import Target
from calmgam.fit.references.ensembles import TreeEnsemble
from calmgam.fit.support.parts import tuned
from calmgam.fit.support.settings import SMALL_TABLE
from calmgam.model.schema import FloatArray, Schema
from calmgam.model.shapes import count_slots

MAX_CUTS = 255  # of a number, over all trees
BINS_OF_ALL = 64 * MAX_CUTS  # of a tree; small leaves of many features would mostly be empty bins
MIN_BINS = 16  # of a number, however many features there are
REFERENCES = "random divisions of the rows outside fold 0 of nineteen tables"


@dataclass(frozen=True)
class TreeSettings:
    """How trees are boosted.

    Attributes
    ----------
    max_rounds, patience : int
        Most trees, and how many may follow without a gain on rows that they did not see.
    validation_share : float
        Share of the rows that a tree does not see, drawn anew for every tree; 0: no stopping.
    learning_rate : float
    max_leaves, max_bins : int
        Of one tree; bins are those of a numeric feature.
    min_samples_leaf : float
    ridge, level_smoothing : float
        Pseudo-rows without gradient in every leaf, and in every level while levels are ordered.
    """

    max_rounds: int = tuned(50, REFERENCES)
    patience: int = tuned(10, REFERENCES)
    validation_share: float = tuned(0.1, REFERENCES)
    learning_rate: float = tuned(0.2, REFERENCES)
    max_leaves: int = tuned(31, REFERENCES)
    max_bins: int = tuned(64, REFERENCES)
    min_samples_leaf: float = tuned(20, REFERENCES)
    ridge: float = tuned(5.0, REFERENCES)
    level_smoothing: float = tuned(10.0, REFERENCES)


LARGE = TreeSettings()
# Leaves of twenty rows would be coarse; all rows and cuts in every tree make thresholds sharper.
SMALL = TreeSettings(min_samples_leaf=8, validation_share=0.0, max_bins=MAX_CUTS)


def default_settings(n_rows: int, n_features: int) -> TreeSettings:
    """Return the settings for the size of a table."""
    settings = SMALL if n_rows < SMALL_TABLE else LARGE
    max_bins = max(BINS_OF_ALL // n_features, MIN_BINS)
    return replace(settings, max_bins=min(settings.max_bins, max_bins))


class BoostedTrees:
    """Gradient boosted trees on encoded rows.

    Parameters
    ----------
    schema : Schema
    loss : Loss
    settings : TreeSettings, optional
        By the size of the table, if not given.
    edges : sequence of arrays, optional
        The cuts that numbers may have; those between the rows that come, if not given.
    random_state, n_jobs : int

    Attributes
    ----------
    ensemble : TreeEnsemble
        The fitted trees.
    """

    classes_ = np.array([0, 1])

    def __init__(
        self,
        schema: Schema,
        loss: Loss,
        settings: TreeSettings | None = None,
        *,
        edges: Sequence[FloatArray] | None = None,
        random_state: int = 0,
        n_jobs: int = 1,
    ) -> None:
        self.schema, self.loss, self.settings, self.edges = schema, loss, settings, edges
        self.random_state, self.n_jobs = random_state, n_jobs

    def fit(
        self,
        X: FloatArray,
        y: FloatArray,
        sample_weight: FloatArray | None = None,
        offset: FloatArray | None = None,
    ) -> BoostedTrees:
        """Boost on encoded rows; scores are those without the offset."""
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        target = Target(self.loss, np.asarray(y, dtype=np.float64), weights, offset=offset)
        base = target.best_constant()
        settings = asdict(self.settings or default_settings(len(y), X.shape[1]))
        for name in ("ridge", "level_smoothing"):
            settings[name] *= self.loss.max_hessian  # rows -> hessian
        edges = self.edges or bin_table(X, self.schema, MAX_CUTS).edges
        features = self.schema.features
        roots, split_on, slots, left, right, missing_left, left_codes, goes_left, values = (
            _kernels.boost_trees(
                slots_of(X, self.schema, edges),
                [count_slots(*one) for one in zip(features, edges, strict=True)],
                [feature.is_numeric for feature in features],
                target.values,
                target.weights,
                target.offsets,
                loss=target.kernel_loss(),
                base=base,
                max_step=self.loss.max_step,
                seed=self.random_state,
                n_threads=self.n_jobs,
                **settings,
            )
        )
        cuts = [np.append(one, np.inf) for one in edges]  # inf: all but missing values
        first = np.cumsum([0, *map(len, cuts)])
        self.ensemble = TreeEnsemble(
            roots=roots,
            features=split_on,
            thresholds=np.concatenate(cuts)[first[np.maximum(split_on, 0)] + slots],
            left=left,
            right=right,
            missing_left=missing_left,
            left_codes=left_codes,
            code_goes_left=goes_left,
            values=values,
            base=base,
            float32=False,
            probability=False,
        )
        return self

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Score of every row: on the scale of the loss's link."""
        return self.ensemble.score(X, self.n_jobs)

    predict = decision_function

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Probabilities of both classes."""
        probability = expit(self.decision_function(X))
        return np.column_stack([1.0 - probability, probability])
