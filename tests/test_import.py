import json
import subprocess
import sys

import numpy as np
import pytest

import calmgam

HEAVY = {
    *("sklearn", "scipy", "pandas", "polars", "matplotlib", "xgboost", "lightgbm", "torch"),
    *("pyarrow", "dask", "distributed", "pyspark"),
}


def run(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_import_takes_nothing_heavy_along():
    loaded = run("import sys, calmgam; print(*sys.modules)").split()
    assert "calmgam" in loaded
    assert not {name.split(".")[0] for name in loaded} & HEAVY
    assert "calmgam._kernels" not in loaded


def test_import_takes_less_than_a_second():
    # of the processor, start of Python included: other programs may be running
    seconds = [float(run("import time, calmgam; print(time.process_time())")) for _ in range(3)]
    assert min(seconds) < 1


def test_estimators_come_when_they_are_asked_for():
    assert run("from calmgam import CALMRegressor as C; print(C.__module__)") == (
        "calmgam.estimators\n"
    )
    with pytest.raises(AttributeError, match="no attribute 'CALMRegresor'"):
        _ = calmgam.CALMRegresor


def test_dir_shows_what_is_offered():
    assert dir(calmgam) == sorted([*calmgam.__all__, "__version__"])
    assert {"CALMClassifier", "CALMRegressor", "Heterogeneity"} < set(dir(calmgam))
    assert "import_module" not in dir(calmgam)
    assert "sklearn" not in run("import sys, calmgam; dir(calmgam); print(*sys.modules)").split()


READ_WITHOUT_MATPLOTLIB = """
import sys
sys.modules["matplotlib"] = None
import calmgam.read
print(*(name for name in calmgam.read.__all__ if not name.startswith("plot")
        and type(getattr(calmgam.read, name)).__name__ == "function"))
"""


def test_reading_functions_are_in_one_place_and_need_no_matplotlib():
    found = run(READ_WITHOUT_MATPLOTLIB).split()
    assert {"summary", "explain", "jumps", "sensitivity", "monotonicity", "report"} < set(found)
    from calmgam import read
    from calmgam.reading import Reading

    methods = [n for n in vars(Reading) if not n.startswith("_") and callable(vars(Reading)[n])]
    assert [name for name in methods if not callable(getattr(read, name))] == []
    assert set(methods) <= set(dir(read))
    with pytest.raises(AttributeError, match="no attribute 'sumary'"):
        _ = read.sumary


SCORE_WITHOUT_KERNELS = """
import sys
sys.modules["calmgam._kernels"] = None
import json, calmgam
model = calmgam.load(sys.argv[1])
rows = json.loads(sys.argv[2])
print(json.dumps(model.score(rows).tolist()))
"""


def test_saved_models_score_without_compiled_code(tmp_path):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), rng.choice(["u", "v"], 200)]).astype(object)
    X[:, 0] = X[:, 0].astype(float)
    y = np.where(X[:, 1] == "u", 1, -1) * X[:, 0].astype(float)
    estimator = calmgam.CALMRegressor(
        curves=calmgam.Boosting(n_bags=2, max_rounds=50), n_jobs=1, random_state=0
    )
    model = estimator.fit(X, y).model_
    model.save(tmp_path / "model.json")
    rows = [*X[:5].tolist(), [None, "w"]]
    scores = json.loads(run(SCORE_WITHOUT_KERNELS, tmp_path / "model.json", json.dumps(rows)))
    np.testing.assert_array_equal(scores, model.score(np.array(rows, dtype=object)))
    assert model.n_splits > 0
