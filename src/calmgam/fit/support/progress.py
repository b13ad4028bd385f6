"""Progress of a long fit: one line per stage on standard error, drawn again as it advances."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WIDTH = 30  # of the bar, in characters

Progress = Callable[[int, int], None]  # of steps done and steps there are


@contextmanager
def stage(name: str, verbose: bool) -> Iterator[Progress | None]:
    """Show a stage while it runs; gives the function to call with (done, total), or None."""
    if not verbose:
        yield None
        return
    start = time.perf_counter()

    def draw(done: int, total: int) -> None:
        filled = WIDTH * done // max(total, 1)
        bar = "█" * filled + "·" * (WIDTH - filled)
        seconds = time.perf_counter() - start
        left = f", about {seconds * (total - done) / done:.0f} s left" if 0 < done < total else ""
        text = f"\r{name:<10} {bar} {done}/{total}  {seconds:.1f} s{left}"
        print(text.ljust(WIDTH + 50), end="", file=sys.stderr)

    print(f"{name:<10} ", end="", flush=True, file=sys.stderr)
    yield draw
    seconds = time.perf_counter() - start
    print(f"\r{name:<10} done in {seconds:.1f} s{' ' * (WIDTH + 30)}", file=sys.stderr)
