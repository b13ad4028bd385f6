"""One virtual environment per list of requirements, made on demand under .environments/.

An environment remembers what it was made from (a stamp); calmgam's own also remembers the source
tree, so that a change of the source installs it again.
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
ENVIRONMENTS = Path(__file__).parent / ".environments"
WORKER_REQUIREMENTS = ("numpy", "pandas", "scikit-learn")


def python_for(requirements: tuple[str, ...], bare: tuple[str, ...] = ()) -> Path:
    """Return the interpreter of the environment that holds the requirements.

    Bare ones are installed without what they ask for.
    """
    if not requirements:
        return Path(sys.executable)
    home = ENVIRONMENTS / f"{package(requirements[0])}-{digest(*requirements, *bare)}"
    python = home / "bin" / "python"
    stamp = home / "stamp"
    wanted = source_digest() if "." in requirements else "installed"
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"preparing {home.name} …", flush=True)
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", home], check=True)
        install = [python, "-m", "pip", "install", "--quiet", *WORKER_REQUIREMENTS, *requirements]
        if "." in requirements:
            install.append(f"--config-settings=build-dir={home / 'build'}")
        subprocess.run(install, cwd=ROOT, check=True)
        if bare:
            subprocess.run(
                [python, "-m", "pip", "install", "--quiet", "--no-deps", *bare], check=True
            )
        stamp.write_text(wanted)
    return python


def build_into(folder: Path, source: Path) -> None:
    """Compile the source tree and install it alone into a folder, with this process's tools."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    build = f"--config-settings=build-dir={folder.with_name(folder.name + '-build')}"
    subprocess.run([*pip, "--target", folder, build, source], env=searching(), check=True)


def searching(*folders: Path) -> dict[str, str]:
    """Return an environment for `python -S`, which finds modules in the given folders first.

    Without `site`, .pth files do not count, so that no editable install gets in the way; all other
    places of `sys.path` go along, and so do the commands beside this interpreter.
    """
    modules = os.pathsep.join([*map(str, folders), *filter(None, sys.path)])
    commands = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PYTHONPATH": modules, "PATH": commands}


def package(requirement: str) -> str:
    """Return the name of the package a requirement asks for."""
    return "calmgam" if requirement == "." else re.match(r"[\w.-]+", requirement).group()


def digest(*parts: str | bytes) -> str:
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(part.encode() if isinstance(part, str) else part)
    return hashed.hexdigest()[:8]


def source_digest() -> str:
    sources = sorted(
        path
        for folder in ("src", "cpp")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".cpp", ".hpp"}
    )
    sources += [ROOT / "CMakeLists.txt", ROOT / "pyproject.toml"]
    return digest(*(part for s in sources for part in (str(s.relative_to(ROOT)), s.read_bytes())))
