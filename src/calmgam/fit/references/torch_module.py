"""A torch module as a reference: a function of the data that knows its own derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_torch_module(reference: Any) -> bool:
    """Whether this is a `torch.nn.Module`; imports nothing."""
    classes = ((base.__module__.split(".")[0], base.__name__) for base in type(reference).__mro__)
    return ("torch", "Module") in classes


class TorchFunction:
    """Calls a trained module with a float32 tensor of the data, one row of numbers each.

    Parameters
    ----------
    module : torch.nn.Module
        Gives a prediction (regression) or the log-odds of the second class, (n,) or (n, 1).
    """

    def __init__(self, module: Any) -> None:
        self.module = module.eval()

    def __call__(self, data: Any) -> np.ndarray:
        """Score of every row."""
        import torch

        with torch.no_grad():
            return self.module(_tensor(data)).numpy()

    def gradient(self, data: Any, feature: int) -> np.ndarray:
        """Return the derivative of every row's score with respect to one feature."""
        tensor = _tensor(data).requires_grad_()
        self.module(tensor).sum().backward()
        return tensor.grad[:, feature].numpy().astype(np.float64)


def _tensor(data: Any) -> Any:
    import torch

    return torch.from_numpy(np.array(data, dtype=np.float32))
