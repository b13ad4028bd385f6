"""The adapter, with a stand-in of the package's interface: its weights must be downloaded."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from calmgam import Boosting, CALMRegressor
from calmgam.fit.references import tabpfn
from prepared import fit_reference
from tables import mixed_table

X, Y, SCHEMA = mixed_table()
LABELS = (Y > 0).astype(int)


class StandIn:
    """What the package's estimators take and offer, around one of scikit-learn."""

    def __init__(self, *, categorical_features_indices, ignore_pretraining_limits, random_state):
        self.levels = categorical_features_indices
        self.inner = self.kind(max_iter=20, random_state=random_state)
        self.sizes = []
        assert ignore_pretraining_limits

    def fit(self, X, y):
        self.n_rows = len(X)
        self.inner.fit(X, y)
        return self

    def predict(self, X):
        self.sizes.append(len(X))
        return self.inner.predict(X)


class Regressor(StandIn):
    kind = HistGradientBoostingRegressor


class Classifier(StandIn):
    kind = HistGradientBoostingClassifier

    @property
    def classes_(self):
        return self.inner.classes_

    def predict_proba(self, X):
        self.sizes.append(len(X))
        return self.inner.predict_proba(X)


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    package = SimpleNamespace(TabPFNRegressor=Regressor, TabPFNClassifier=Classifier)
    monkeypatch.setitem(sys.modules, "tabpfn", package)


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_it_is_told_the_levels_and_asked_in_batches(task, monkeypatch):
    monkeypatch.setattr(tabpfn, "BATCH_ROWS", 100)
    y = Y if task == "regression" else LABELS
    reference = fit_reference("tabpfn", X, y, SCHEMA, task=task)
    inside = reference.estimator.estimator
    assert inside.levels == [2, 3]
    assert reference.ensemble is None
    assert np.corrcoef(reference.score(X), y)[0, 1] > 0.75
    assert inside.sizes == [100] * 6


def test_it_takes_no_more_rows_than_it_was_made_for(monkeypatch):
    monkeypatch.setattr(tabpfn, "MAX_ROWS", 200)
    reference = fit_reference("tabpfn", X, Y, SCHEMA, task="regression")
    assert reference.estimator.estimator.n_rows == 200


def test_weights_are_not_taken():
    with pytest.warns(UserWarning, match="the reference TabPFN takes no sample_weight"):
        fit_reference("tabpfn", X, Y, SCHEMA, task="regression", weights=np.arange(1.0, len(Y) + 1))


def test_a_model_can_be_fitted_with_it():
    model = CALMRegressor(
        reference="tabpfn",
        growth="heterogeneity",
        curves=Boosting(n_bags=2, max_rounds=20),
        n_jobs=1,
    )
    model.fit(X[:200], Y[:200])
    assert np.isfinite(model.predict(X)).all()
