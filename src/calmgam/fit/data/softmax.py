"""Log loss of many classes: a score per class, probabilities by softmax.

y holds the codes of the classes, 0, 1, 2, …; scores, gradients and hessians have an axis of
classes, the last one. Hessians are K / (K - 1) p (1 - p), as in the kernel (`cpp/classes.hpp`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calmgam import _kernels
from calmgam.fit.data.losses import Loss
from calmgam.model.links import softmax
from calmgam.model.objectives import class_losses
from calmgam.model.schema import FloatArray

MIN_SHARE = 1e-6  # of a class that a bag has not seen
# A tenth of what a parameter costs by Akaike's criterion. Rows of many classes may be told apart
# without an error, and then the loss of the rest, a row or two, falls for thousands of rounds.
LEAST_NEWS = 0.1


class SoftmaxLoss(Loss):
    """Negative log-likelihood of one of many classes.

    Parameters
    ----------
    n_classes : int
        At least 3.
    """

    name, metric, link, task = "log_loss", "log_loss", "softmax", "classification"
    max_hessian, has_scale, least_news = 0.25, False, LEAST_NEWS

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    @property
    def n_outputs(self) -> int:  # noqa: D102
        return self.n_classes

    def losses(self, y: FloatArray, score: FloatArray) -> FloatArray:  # noqa: D102
        return class_losses(score, y.astype(np.intp))

    def derivatives(self, y: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:  # noqa: D102
        probability = softmax(score)
        factor = self.n_classes / (self.n_classes - 1)
        return self.indicators(y) - probability, factor * probability * (1.0 - probability)

    def indicators(self, y: FloatArray) -> FloatArray:
        """Return 1 in the column of every row's class, else 0."""
        return np.equal(y[:, None], np.arange(self.n_classes)).astype(np.float64)

    def best_constant(  # type: ignore[override]  # noqa: D102
        self, y: FloatArray, weights: FloatArray, offset: FloatArray | None = None
    ) -> FloatArray:
        shares = np.bincount(y.astype(np.intp), weights, self.n_classes)
        scores = np.log(np.maximum(shares / max(shares.sum(), 1e-300), MIN_SHARE))
        centred: FloatArray = scores - scores.mean()
        return centred

    def strata(self, y: FloatArray) -> list[NDArray[np.intp]]:  # noqa: D102
        return [np.flatnonzero(y == code) for code in range(self.n_classes)]

    def kernel(self, y: FloatArray, weights: FloatArray) -> Any:  # noqa: D102
        return _kernels.Softmax(self.n_classes)

    def torch_losses(self, torch: Any, y: Any, score: Any) -> Any:  # noqa: D102
        return torch.nn.functional.cross_entropy(score, y.long(), reduction="none")
