"""Large tables as estimators take them: y, weights and offset are names of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from calmgam.fit.data.checks import Given
from calmgam.fit.data.target import Target
from calmgam.fit.pipeline import Plan, prepare_dataset
from calmgam.fit.scale.rows import Large, Roles
from calmgam.model.schema import FloatArray


def read_dataset(estimator: Any, dataset: Any, roles: Roles, plan: Plan) -> tuple[Given, Large]:
    """Go through a dataset once, keep a sample of it, and tell the estimator its columns."""

    def read(y: Any, weights: FloatArray, offset: FloatArray | None) -> Target:
        target: Target = estimator._target(estimator._check_y(y, len(y)), weights, offset)
        return target

    large = prepare_dataset(dataset, roles, plan, read, estimator._loss())
    schema, target = large.prepared.schema, large.prepared.target
    estimator.feature_names_in_ = np.array(schema.names, dtype=object)
    estimator.n_features_in_ = schema.n_features
    is_weighted = roles.weight is not None
    given = Given(None, target, large.n_rows, is_weighted, lambda: large.table_sha256, roles.target)
    return given, large
