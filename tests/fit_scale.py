"""Small tables, cells and moments for the tests of fit/scale."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa

from calmgam.fit.data.binning import bin_table
from calmgam.fit.regions.given import given_trees
from calmgam.fit.scale.fitting import bins_of_gram
from calmgam.fit.scale.moments import Cells, FixedPoint, MomentsPass
from calmgam.model.schema import Schema
from calmgam.model.tree import PartitionTree


def table_of(n_rows, weighted):
    """Return three columns with missing values, y, and weights or None."""
    rng = np.random.default_rng(n_rows)
    X = np.asfortranarray(rng.normal(size=(n_rows, 3)))
    X[rng.random(n_rows) < 0.05, 0] = np.nan  # conditions of tests are about the others
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=n_rows)
    return X, y, rng.choice([0.5, 1.0, 2.5], n_rows) if weighted else None


def moments_pass(X, y, weights, n_folds=3, trees=None):
    """Return the pass of a table in memory."""
    trees = trees or (PartitionTree.trivial(),) * X.shape[1]
    cells = Cells(bins_of_gram(bin_table(X, Schema.learn(X), 16), trees), trees)
    heaviest = None if weights is None else (1.0, float(weights.max()))
    mean, scale = float(y.mean()), float(y.std()) or 1.0
    largest = float(np.abs(y - mean).max())
    fixed = FixedPoint.of(len(y), largest, (mean, scale), heaviest)
    return MomentsPass(cells, fixed, n_folds, weights is not None)


def trees_of(X, partitions, binned=None):
    """Return the trees of partitions; thresholds are cuts of 16 bins, if no bins are given."""
    schema = Schema.learn(X)
    prepared = SimpleNamespace(
        schema=schema,
        X=X,
        binned=binned or bin_table(X, schema, 16),
        limits=SimpleNamespace(max_depth=3),
    )
    return given_trees(partitions, prepared)


def simulated(n_rows, seed=0):
    """Return a frame with numbers, levels, missing values, weights and offsets; y interacts."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.uniform(-1, 1, (n_rows, 3)), columns=["a", "b", "c"])
    frame["kind"] = rng.choice(["u", "v", "w"], n_rows)
    frame["y"] = (
        np.where(frame.b > 0.2, 1.5, -1.5) * frame.a
        + np.sin(3 * frame.c)
        + (frame.kind == "u")
        + rng.normal(0, 0.3, n_rows)
    )
    frame.loc[rng.random(n_rows) < 0.05, "c"] = np.nan
    frame["w"] = rng.choice([0.0, 0.5, 1.0, 2.0], n_rows)
    frame["o"] = rng.normal(size=n_rows)
    return frame


def batches_of(frame, size):
    """Return the frame as record batches of some size."""
    return pa.Table.from_pandas(frame, preserve_index=False).to_batches(max_chunksize=size)


def dying_at(marks, value, n_before):
    """Return a function of parts that ends its process, once, when it sees a value of column a.

    It leaves a mark whenever it sees the value: in the first pass there are none before, in the
    second one there is one. Nested functions travel to workers by value.
    """

    def dying(part):
        import os
        import signal
        from pathlib import Path

        if value in set(part.column("a").to_pylist() if hasattr(part, "schema") else part["a"]):
            seen = len(list(Path(marks).iterdir()))
            (Path(marks) / f"{seen}").touch()
            if seen == n_before:
                os.kill(os.getpid(), signal.SIGKILL)
        return part

    return dying


def plain(model):
    """Return all of a model but where it comes from, as one can compare it."""
    values = model.to_dict()
    values.pop("provenance")
    return values
