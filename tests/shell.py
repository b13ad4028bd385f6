"""Commands as a user types them, for tests of the command line."""

import csv
import io
import subprocess
import sys

from typer.testing import CliRunner

from calmgam.cli.exact import app

QUICK = ["--set", "curves.n_bags=1", "--set", "curves.max_rounds=60", "--set", "n_jobs=1"]
REGIONS = 'growth={"hour": ["workingday = True", "workingday != True"]}'


def run(*arguments, code=0, stdin=None):
    """Run a command, check its exit code, return what it wrote to both streams."""
    result = CliRunner().invoke(app, [str(word) for word in arguments], input=stdin)
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def refusal(*arguments, code=2, **more):
    """Return the message of a command that must fail, without frames and line breaks."""
    text = run(*arguments, code=code, **more).stderr
    return " ".join(text.replace("│", " ").split())


def notes(*arguments, **more):
    """Return what a command writes to standard error, on one line."""
    return " ".join(run(*arguments, **more).stderr.split())


def start(*arguments, **more):
    """Run a command in a process of its own."""
    command = [sys.executable, "-c", "from calmgam.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def records(text):
    return list(csv.DictReader(io.StringIO(text)))
