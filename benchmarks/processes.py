"""Run a command in a session of its own, with limits on its time and on the memory of all of it."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PAUSE = 0.05  # seconds between two looks at the memory
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20


@dataclass(frozen=True)
class Finished:
    """What a command left behind; `stopped` says which limit ended it, if one did."""

    output: str
    errors: str
    return_code: int
    peak_memory_mb: float
    stopped: str = ""


def run_limited(command, *, folder, environment, max_seconds, max_memory_mb) -> Finished:
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + max_seconds
    peak, stopped = 0.0, ""
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                output, errors = process.communicate(timeout=PAUSE)
                return Finished(output, errors, process.returncode, peak, stopped)
            peak = max(peak, session_memory_mb(process.pid))
            if peak > max_memory_mb:
                stopped = f"needed more than {max_memory_mb:g} MB"
            elif time.monotonic() > deadline:
                stopped = f"needed more than {max_seconds:g} s"
            if stopped:
                kill_group(process.pid)
    except BaseException:  # Ctrl-C too
        kill_group(process.pid)
        raise


def kill_group(leader: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def session_memory_mb(session: int) -> float:
    """Return the resident memory of every process of the session (Linux; elsewhere 0)."""
    pages = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # the process may be gone by now
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                pages += int(fields[21])
    return pages * PAGE_MB
