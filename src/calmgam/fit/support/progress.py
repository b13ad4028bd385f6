"""Who is told how far a fit is, and may stop it: callbacks, the progress bar, the clock.

Stages tell a `Watch` of their steps. It makes a `FitProgress` of each and asks its callbacks; what
any of them wants to stop ends with the best that was found so far. The bar is a callback, too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from calmgam.fit.support.settings import check_number

WIDTH = 30  # of the bar, in characters
SEARCH_SHARE = 2 / 3  # of `max_seconds`, for the search of regions; the rest is for curves


class StopFit(Exception):
    """A callback may raise this to end a fit with what has been found."""


@dataclass(frozen=True)
class FitProgress:
    """How far a fit is.

    Attributes
    ----------
    stage : str
        "sample", "regions", "rows 1/1" or "curves".
    done, total : int
        Steps of the stage: folds or features, rounds; both 0 when a stage begins.
    seconds : float
        Since the stage began.
    finished : bool
        Whether the stage has ended.
    """

    stage: str
    done: int
    total: int
    seconds: float
    finished: bool = False


Callback = Callable[[FitProgress], Any]
Progress = Callable[[int, int], bool]  # of steps done and steps there are; True: stop


class Watch:
    """The watch over one fit.

    Parameters
    ----------
    verbose : bool, callable or sequence of callables
        True shows a bar. Callbacks are called with a `FitProgress`; one that returns True, or
        raises `StopFit`, ends the fit.
    max_seconds : float, optional
        After which a fit ends with what it has.
    """

    def __init__(
        self,
        verbose: bool | Callback | Sequence[Callback] = False,
        max_seconds: float | None = None,
    ) -> None:
        if max_seconds is not None:
            check_number("max_seconds", max_seconds, above=0)
        self.callbacks = callbacks_of(verbose)
        self.max_seconds = max_seconds
        self.start = time.monotonic()
        self.stopped = ""  # where and why

    @contextmanager
    def stage(self, name: str) -> Iterator[Progress | None]:
        """Watch a stage; gives the function to call with (done, total), or None."""
        if not self.callbacks and self.max_seconds is None:
            yield None
            return
        progress = StageProgress(self, name)
        self.stops(FitProgress(name, 0, 0, progress.seconds))
        yield progress
        self.stops(FitProgress(name, 0, 0, progress.seconds, finished=True))

    def stops(self, progress: FitProgress) -> bool:
        """Tell all callbacks of a step; return whether one of them, or the clock, wants to stop.

        Where a stage begins or has ended, there is nothing to stop.
        """
        wishes = [_wants_to_stop(callback, progress) for callback in self.callbacks]
        if progress.finished or not progress.total:
            return False
        if any(wishes):
            self.stopped = self.stopped or f"by a callback, in stage {progress.stage!r}"
        elif self.is_late(progress.stage):
            self.stopped = self.stopped or (
                f"by max_seconds={self.max_seconds:g}, in stage {progress.stage!r}"
            )
        else:
            return False
        return True

    def is_late(self, stage: str) -> bool:
        """Whether the time for a stage is over."""
        if self.max_seconds is None:
            return False
        share = SEARCH_SHARE if stage == "regions" else 1.0
        return time.monotonic() - self.start > share * self.max_seconds


class StageProgress:
    """The steps of one stage: tells the watch of them, and returns whether to stop."""

    def __init__(self, watch: Watch, stage: str) -> None:
        self.watch, self.stage, self.start = watch, stage, time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the stage began."""
        return time.monotonic() - self.start

    def __call__(self, done: int, total: int) -> bool:
        """Tell of a step."""
        return self.watch.stops(FitProgress(self.stage, done, total, self.seconds))

    def quietly(self, done: int, total: int) -> bool:
        """Look at the clock alone: for work beside a stage."""
        return bool(self.watch.stopped) or self.watch.is_late(self.stage)


def quiet(progress: Progress | None) -> Progress | None:
    """Return what looks at the clock alone, for work beside the steps that a stage tells of."""
    return progress.quietly if isinstance(progress, StageProgress) else None


def callbacks_of(verbose: bool | Callback | Sequence[Callback]) -> list[Callback]:
    """Return who is told of the progress; True is the bar."""
    given = list(verbose) if isinstance(verbose, list | tuple) else [verbose] if verbose else []
    for one in given:
        if not callable(one) and one not in (True, 1):
            raise ValueError(
                "verbose must be True, False, or functions that are called with the progress; "
                f"got {one!r}"
            )
    return [one if callable(one) else draw_bar for one in given]


def _wants_to_stop(callback: Callback, progress: FitProgress) -> bool:
    try:
        return callback(progress) is True
    except StopFit:
        return True


def stop_if(wanted: bool) -> None:
    """Raise `StopFit` if that is wanted, in a stage that has no result before it is done."""
    if wanted:
        raise StopFit


def draw_bar(progress: FitProgress) -> None:
    """Show a stage as one line on standard error, drawn again as it advances."""
    name, done, total, seconds = (
        f"{progress.stage:<10} ",
        progress.done,
        progress.total,
        progress.seconds,
    )
    if progress.finished:
        print(f"\r{name}done in {seconds:.1f} s{' ' * (WIDTH + 30)}", file=sys.stderr)
        return
    if not total:
        print(name, end="", flush=True, file=sys.stderr)
        return
    filled = WIDTH * done // max(total, 1)
    bar = "█" * filled + "·" * (WIDTH - filled)
    left = f", about {seconds * (total - done) / done:.0f} s left" if 0 < done < total else ""
    text = f"\r{name}{bar} {done}/{total}  {seconds:.1f} s{left}"
    print(text.ljust(WIDTH + 50), end="", file=sys.stderr)
