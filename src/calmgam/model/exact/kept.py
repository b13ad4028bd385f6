"""Answers that are computed once per model: a model never changes, so they are kept with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from calmgam.model.glassbox import Model

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class Kept(dict[Any, Any]):
    """Answers by question; a copy or pickle of the model starts without them."""

    def __reduce__(self) -> tuple[type[Kept], tuple[()]]:
        return Kept, ()


def once_per_model(
    function: Callable[Concatenate[Model, Arguments], Answer],
) -> Callable[Concatenate[Model, Arguments], Answer]:
    """Decorate a function of a model and hashable arguments whose answer nobody changes."""

    @wraps(function)
    def answer(model: Model, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        kept = vars(model).setdefault("_kept", Kept())
        question = function, args, tuple(sorted(kwargs.items()))
        if question not in kept:
            kept[question] = function(model, *args, **kwargs)
        found: Answer = kept[question]
        return found

    return answer
