"""A model in MLflow's format that scores without calmgam: the Python export, and a loader."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from calmgam.model.files import write_text
from calmgam.model.glassbox import Model
from calmgam.model.serialize import fingerprint
from calmgam.read.export.python import to_python

LOADER = '''

# MLflow


class _Scorer:
    """What MLflow calls: a data frame in, a data frame out."""

    def predict(self, model_input, params=None):
        import pandas

        rows = model_input.to_dict("records")
        offsets = [row.pop((params or {}).get("offset"), 0.0) for row in rows]
        means = [predict(row, offset) for row, offset in zip(rows, offsets)]
        if not CLASSES:
            return pandas.DataFrame({"prediction": means}, index=model_input.index)
        found = {"prediction": [classify(row, o) for row, o in zip(rows, offsets)]}
        for k, label in enumerate(CLASSES):
            if LINK == "softmax":
                found[f"probability_{label}"] = [one[k] for one in means]
            else:
                found[f"probability_{label}"] = [one if k else 1 - one for one in means]
        return pandas.DataFrame(found, index=model_input.index)


def _load_pyfunc(path):
    return _Scorer()
'''


def to_mlflow(model: Model, path: str | os.PathLike[str], **options: Any) -> Path:
    """Save a model as a folder that ``mlflow.pyfunc.load_model`` reads, without calmgam.

    Parameters
    ----------
    model : Model
    path : path
        The folder to make.
    **options
        Of ``mlflow.pyfunc.save_model``: ``signature``, ``input_example``, ``metadata``, ….

    Returns
    -------
    Path
        Of the folder. It also holds the model itself, ``data/model.json``, for `calmgam.load`.
    """
    import mlflow.pyfunc

    # A name of its own: of two models in one process the second would run the first one's code.
    module = f"calmgam_scorer_{fingerprint(model)[:16]}"
    with tempfile.TemporaryDirectory() as folder:
        code, data = Path(folder, f"{module}.py"), Path(folder, "model.json")
        write_text(code, to_python(model) + LOADER)
        model.save(data)
        defaults = {"pip_requirements": ["pandas"]}
        mlflow.pyfunc.save_model(
            os.fspath(path),
            loader_module=module,
            code_paths=[str(code)],
            data_path=str(data),
            **(defaults | options),
        )
    return Path(path)
