"""Every effect, from a closed-form function to the trees."""

import numpy as np
import pandas as pd
import pytest

from calmgam import Heterogeneity
from calmgam.fit.data.losses import SquaredError
from calmgam.fit.effects.by_name import EFFECTS, effect_finder
from calmgam.fit.references.reference import Reference
from calmgam.fit.regions.heterogeneity.growing import grow_all
from calmgam.model.schema import Schema
from prepared import prepared_of


def uniform(n_rows=2000, n_features=3, seed=0):
    X = np.random.default_rng(seed).uniform(-1, 1, (n_rows, n_features))
    return pd.DataFrame(X, columns=list("abcdefgh")[:n_features])


def grow(formula, frame, effect, n_jobs=1, max_depth=3, **options):
    prepared = prepared_of(
        frame, np.arange(len(frame)), n_jobs=n_jobs, max_bins=1000, limits={"max_depth": max_depth}
    )
    settings = Heterogeneity(effect=effect, **options)
    grown = grow_all(Reference(formula, SquaredError()), prepared, settings)
    return dict(zip(prepared.schema.names, grown.trees, strict=True)), grown.ledger()


# Var(a) Var(b) = 1/9; a SHAP value shares the product between its factors
@pytest.mark.parametrize(
    ("effect", "heterogeneity"),
    [("pdp", 1 / 9), ("ale", 1 / 9), ("rhale", 1 / 9), ("shap", 1 / 36)],
)
def test_a_product_loses_three_quarters_of_its_heterogeneity_at_zero(effect, heterogeneity):
    options = {"grid": "uniform", "max_depth": 1}
    trees, ledger = grow(lambda X: X[:, 0] * X[:, 1] + X[:, 2] ** 2, uniform(), effect, **options)
    assert trees["c"].n_leaves == 1
    assert np.isnan(ledger.bound) == (effect != "pdp")  # the bound is about curves
    for name, other in ("ab", "ba"):
        (condition, *_) = (c for region in trees[name].regions for c in region.conditions)
        assert condition.feature.name == other
        assert abs(condition.value) < 0.1
        (record,) = (r for r in ledger.accepted if r.feature == name)
        assert record.heterogeneity_before == pytest.approx(heterogeneity, rel=0.2)
        assert record.drop == pytest.approx(0.75, abs=0.05)


@pytest.mark.parametrize("effect", EFFECTS)
def test_a_level_can_be_the_gate_and_the_gated(effect):
    seasons = np.random.default_rng(1).choice(["spring", "summer", "winter"], 2000)
    frame = uniform().assign(season=seasons)
    trees, _ = grow(lambda X: X[:, 0] * (X[:, 3] == 2), frame, effect, max_depth=1)
    assert [str(region) for region in trees["a"].regions] == ["season = winter", "season != winter"]
    assert trees["season"].condition_features == (0,)
    assert trees["b"].n_leaves == trees["c"].n_leaves == 1


@pytest.mark.parametrize("effect", EFFECTS)
def test_an_additive_score_is_not_split(effect):
    trees, _ = grow(lambda X: X[:, 0] ** 2 + np.sin(X[:, 1]) + X[:, 2], uniform(), effect)
    assert all(tree.n_leaves == 1 for tree in trees.values())


@pytest.mark.parametrize("effect", EFFECTS)
def test_threads_do_not_change_the_result(effect):
    formula = lambda X: X[:, 0] * X[:, 1]  # noqa: E731
    one, two = (grow(formula, uniform(400), effect, n_jobs=n) for n in (1, 2))
    assert one == two


@pytest.mark.parametrize("effect", ["ale", "rhale"])
def test_correlated_features_are_only_asked_about_rows_near_those_that_occur(effect):
    """Beyond the data the reference is wild: PDP sees an interaction, the others hardly any."""
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, 2000)
    frame = pd.DataFrame({"a": a, "b": a + 0.05 * rng.normal(size=2000)})

    def formula(X):
        return X[:, 0] + X[:, 1] + 10 * X[:, 0] * (np.abs(X[:, 0] - X[:, 1]) > 0.6)

    def heterogeneity(effect):
        return grow(formula, frame, effect)[1].features[0].heterogeneity_before

    assert heterogeneity("pdp") > 1
    assert heterogeneity(effect) < 0.01


def test_the_finder_knows_its_feature():
    frame = uniform(50)
    schema = Schema.learn(frame)
    X = schema.encode(frame)
    reference = Reference(lambda Z: Z[:, 0] * Z[:, 1], SquaredError())
    find = effect_finder(
        "ale", reference, X, grid="quantile", grid_size=20, rng=np.random.default_rng(0)
    )
    a, c = (find(schema.features[i], X[:, i]) for i in (0, 2))
    np.testing.assert_allclose(a.effects, X[:, 1] * X[:, 0].std())
    np.testing.assert_array_equal(c.effects, 0)
