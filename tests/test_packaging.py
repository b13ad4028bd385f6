"""What is declared is what is used, and what is built is what is needed."""

import ast
import importlib.util
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import calmgam
from benchmarks.environments import searching

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "calmgam"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = SETTINGS["project"]
DISTRIBUTIONS = {  # others: as imported
    "sklearn": "scikit-learn",
    "mpl_toolkits": "matplotlib",
    "mlflow": "mlflow-skinny",
}
FOR_DEVELOPERS = {"dev", "dev-all", "bench"}


def names(requirements):
    return {re.match(r"[\w.-]+", requirement).group() for requirement in requirements}


CORE = names(PROJECT["dependencies"])
EXTRAS = {name: names(listed) for name, listed in PROJECT["optional-dependencies"].items()}


def third_party_imports(path):
    """Return the distributions that a file imports: at its top, and anywhere."""
    module = ast.parse(path.read_text())
    at_top, anywhere = set(), set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules = [node.module]
        else:
            continue
        roots = {name.split(".")[0] for name in modules} - sys.stdlib_module_names - {"calmgam"}
        found = {DISTRIBUTIONS.get(root, root) for root in roots}
        anywhere |= found
        if node in module.body:
            at_top |= found
    return at_top, anywhere


class TestDeclared:
    def test_every_import_is_of_a_declared_package(self):
        optional = set.union(*(EXTRAS[name] for name in EXTRAS.keys() - FOR_DEVELOPERS))
        for path in PACKAGE.rglob("*.py"):
            at_top, anywhere = third_party_imports(path)
            always = CORE | EXTRAS["cli"] if path.parent.name == "cli" else CORE
            assert at_top <= always, path
            assert anywhere <= always | optional, path

    def test_every_dependency_is_imported(self):
        used = set.union(*(third_party_imports(path)[0] for path in PACKAGE.rglob("*.py")))
        assert used >= CORE

    def test_the_core_is_small(self):
        assert len(CORE) <= 5

    def test_torch_is_for_those_who_ask_for_it(self):
        assert [name for name in EXTRAS if "torch" in EXTRAS[name]] == ["networks", "dev-all"]
        torch = [r for r in PROJECT["optional-dependencies"]["dev-all"] if r.startswith("torch")]
        assert re.fullmatch(r"torch==[\d.]+", *torch)  # any other version may be gigabytes

    def test_dev_can_build(self):
        assert set(SETTINGS["build-system"]["requires"]) <= {
            *PROJECT["optional-dependencies"]["dev"]
        }


class TestVersion:
    def test_it_is_written_in_the_package_alone(self):
        assert "version" not in PROJECT
        assert PROJECT["dynamic"] == ["version"]
        assert not re.search(r"^version:", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
        pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
        assert pages
        naming = re.compile(rf"(?<!fitted by )calmgam[ =-]*v?{re.escape(calmgam.__version__)}\b")
        assert [page.name for page in pages if naming.search(page.read_text())] == []

    def test_it_heads_the_changelog(self):
        headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        assert headings[0] == "Unreleased"
        assert re.fullmatch(rf"{re.escape(calmgam.__version__)} - \d{{4}}-\d\d-\d\d", headings[1])


def test_actions_are_pinned_by_commit():
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    used = [u for path in workflows for u in re.findall(r"uses: (.*)", path.read_text())]
    assert used
    assert [u for u in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", u)] == []


def run(*command, folder, **options):
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        **{"cwd": folder, "capture_output": True, "text": True, "check": False, **options},
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The source distribution of this tree, as any build tool would ask the backend for it."""
    if not importlib.util.find_spec("scikit_build_core"):
        pytest.skip("builds need scikit-build-core")
    folder = tmp_path_factory.mktemp("sdist")
    ask = "import sys, scikit_build_core.build as b; print(b.build_sdist(sys.argv[1]))"
    written = run("-c", ask, folder, folder=ROOT).split()[-1]
    return folder / written


@pytest.fixture(scope="module")
def wheel(sdist):
    """The wheel that pip builds from the source distribution."""
    if not importlib.util.find_spec("nanobind"):
        pytest.skip("builds need nanobind")
    if not shutil.which("cmake", path=searching()["PATH"]):
        pytest.skip("builds need cmake")
    pip = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    run(*pip, "--wheel-dir", sdist.parent, sdist, folder=sdist.parent, env=searching())
    (built,) = sdist.parent.glob("*.whl")
    return built


FIT = """
import sys
from pathlib import Path
import numpy as np, calmgam
from calmgam import _kernels
print(calmgam.__version__, Path(calmgam.__file__).parent, Path(_kernels.__file__).parent)
X = np.random.default_rng(0).normal(size=(300, 2))
calm = calmgam.CALMRegressor(random_state=0, n_jobs=1).fit(X, X[:, 0] * (X[:, 1] > 0))
assert calm.n_splits_ > 0
calm.report("report.html")
print(Path("report.html").stat().st_size)
"""


@pytest.mark.slow
class TestBuilt:
    def test_the_sdist_has_what_a_build_and_the_tests_need(self, sdist):
        with tarfile.open(sdist) as archive:
            paths = {path.partition("/")[2] for path in archive.getnames()}
        sources = [
            *PACKAGE.rglob("*.py"),
            *(path for path in (ROOT / "cpp").rglob("*") if path.is_file()),
            *(ROOT / "tests").rglob("*.py"),
        ]
        needed = {path.relative_to(ROOT).as_posix() for path in sources}
        needed |= {"CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "PKG-INFO"}
        assert needed - paths == set()
        made = re.compile(r"(\.venv|build|dist)/|.*(__pycache__|node_modules|\.so$|\.pyd$)")
        assert [path for path in paths if made.match(path)] == []

    def test_the_wheel_has_the_package_and_nothing_else(self, wheel):
        assert wheel.name.startswith(f"calmgam-{calmgam.__version__}-")
        with zipfile.ZipFile(wheel) as archive:
            paths = set(archive.namelist())
            (metadata,) = (path for path in paths if path.endswith(".dist-info/METADATA"))
            text = archive.read(metadata).decode()
        assert f"\nVersion: {calmgam.__version__}\n" in text
        assert {path.split("/")[0].split("-")[0] for path in paths} == {"calmgam"}
        ours = {path for path in paths if path.startswith("calmgam/")}
        kernels = {path for path in ours if re.match(r"calmgam/_kernels\..*(so|pyd)$", path)}
        assert len(kernels) == 1
        tracked = [path for path in PACKAGE.rglob("*") if path.is_file()]
        expected = {"calmgam/" + path.relative_to(PACKAGE).as_posix() for path in tracked}
        expected = {p for p in expected if "__pycache__" not in p and "/_kernels" not in p}
        assert {"calmgam/py.typed", "calmgam/read/report/assets/page.js"} <= expected
        assert ours - kernels == expected | {"calmgam/_kernels.pyi"}

    def test_the_wheel_fits_in_a_folder_of_its_own(self, wheel, tmp_path):
        installed = tmp_path / "installed"
        pip = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", installed)
        run(*pip, wheel, folder=tmp_path)
        printed = run("-S", "-c", FIT, folder=tmp_path, env=searching(installed)).split()
        home = str(installed / "calmgam")
        assert printed[:3] == [calmgam.__version__, home, home]
        assert int(printed[3]) > 100_000
