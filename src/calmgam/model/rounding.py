"""Round numbers: where a cut may lie, it lies where people would put it."""

from __future__ import annotations

import numpy as np

from calmgam.model.columns import FloatArray


def roundest(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the number with the fewest digits between two others, next to their middle.

    The training rows cannot tell where between two values the truth changes; people's rules change
    at round numbers, and those are easier to read.
    """
    middle = left / 2 + right / 2  # no overflow
    # between two neighbouring floats there is nothing: the cut is the left one (x <= cut)
    best = np.where((left <= middle) & (middle < right), middle, left)
    if len(best) == 0:
        return best
    with np.errstate(all="ignore"):  # powers beyond the floats find nothing
        finest = np.floor(np.log10(max(np.min(right / 2 - left / 2), 5e-324)))
        coarsest = np.ceil(np.log10(np.max(np.abs([left, right]))))
        for power in np.arange(finest, coarsest + 1):  # the coarsest that fits is kept
            unit = 10.0 ** abs(power)
            rounded = (
                np.round(middle * unit) / unit if power < 0 else np.round(middle / unit) * unit
            )
            best = np.where((left < rounded) & (rounded < right), rounded, best)
    return np.where((left < 0) & (right > 0), 0.0, best)
