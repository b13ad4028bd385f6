"""The default reference of many classes: boosted trees of every class against all others.

In: encoded rows and codes of classes. Out: an estimator whose `decision_function` has a column per
class, the logarithms of probabilities that add up to 1. With many classes every one has fewer and
larger steps, so that all trees together stay affordable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calmgam.fit.data.binning import bin_table
from calmgam.fit.data.losses import LogLoss
from calmgam.fit.references.boosted_trees import (
    MAX_CUTS,
    BoostedTrees,
    TreeSettings,
    default_settings,
)
from calmgam.fit.support.parts import tuned
from calmgam.fit.support.threads import parallel_map
from calmgam.model.schema import FloatArray, Schema


@dataclass(frozen=True)
class ClassTreeSettings:
    """How the trees of one class differ from those of a single target.

    Attributes
    ----------
    max_trees : int
        Of all classes together, as long as each has its `min_rounds`.
    min_rounds : int
    whole_way : float
        Rounds times learning rate, at least: fewer rounds have larger steps.
    """

    max_trees: int = tuned(
        500,
        "halved, one of three weak interactions of 12 classes more is missed; doubled, the same "
        "models: see `settings`",
    )
    min_rounds: int = tuned(
        20, "set by hand; halved or doubled, 12 and 30 classes give the same models: see `settings`"
    )
    whole_way: float = tuned(
        8.0,
        "halved, the same models; doubled, one of three weak interactions of 12 classes more is "
        "missed: see `settings`",
    )

    def of(self, n_classes: int, settings: TreeSettings) -> TreeSettings:
        """Return the settings of each class's trees."""
        affordable = max(self.min_rounds, self.max_trees // n_classes)
        n_rounds = min(settings.max_rounds, affordable)
        rate = max(settings.learning_rate, self.whole_way / n_rounds)
        return replace(settings, max_rounds=n_rounds, learning_rate=rate)


CLASS_TREES = ClassTreeSettings()


class ClassTrees:
    """Gradient boosted trees of every class against all others.

    Parameters
    ----------
    schema : Schema
    n_classes : int
    edges : sequence of arrays, optional
        The cuts that numbers may have; those between the rows that come, if not given.
    random_state, n_jobs : int

    Attributes
    ----------
    trees : list of BoostedTrees
        One per class.
    """

    def __init__(
        self,
        schema: Schema,
        n_classes: int,
        *,
        edges: Sequence[FloatArray] | None = None,
        random_state: int = 0,
        n_jobs: int = 1,
    ) -> None:
        self.schema, self.n_classes, self.edges = schema, n_classes, edges
        self.random_state, self.n_jobs = random_state, n_jobs
        self.classes_ = np.arange(n_classes)
        self.trees: list[BoostedTrees] = []

    def fit(
        self, X: FloatArray, y: FloatArray, sample_weight: FloatArray | None = None
    ) -> ClassTrees:
        """Boost on encoded rows and codes of classes."""
        settings = CLASS_TREES.of(self.n_classes, default_settings(len(y), X.shape[1]))
        edges = self.edges or bin_table(X, self.schema, MAX_CUTS).edges

        def fit_class(code: int) -> BoostedTrees:
            trees = BoostedTrees(
                self.schema, LogLoss(), settings, edges=edges, random_state=self.random_state + code
            )
            return trees.fit(X, (y == code).astype(np.float64), sample_weight)

        self.trees = list(parallel_map(fit_class, range(self.n_classes), self.n_jobs))
        return self

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Return the logarithm of every class's probability, (n_rows, n_classes)."""
        odds = np.stack(
            list(parallel_map(lambda one: one.decision_function(X), self.trees, self.n_jobs)),
            axis=1,
        )
        logs = -np.logaddexp(0.0, -odds)
        logs -= logs.max(axis=1, keepdims=True)
        scores: FloatArray = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return scores

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Return the probability of every class."""
        return np.exp(self.decision_function(X))

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the code of the most probable class."""
        return np.argmax(self.decision_function(X), axis=1).astype(np.float64)
