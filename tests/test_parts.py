"""Parts of the method as parameters: what scikit-learn's tools do with them."""

import inspect
import pickle
import re
from dataclasses import fields

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import calmgam
from calmgam import Boosting, CALMClassifier, CALMRegressor, Heterogeneity, Joint
from calmgam.fit.curves.by_name import LEARNERS
from calmgam.fit.regions.search import GROWTHS

PARTS = [*GROWTHS.values(), *LEARNERS.values()]
RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (200, 3))
Y = np.where(X[:, 1] > 0, 1, -1) * X[:, 0] + 0.1 * RNG.normal(size=200)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_what_its_parameters_say(part):
    one = part()
    one.check()
    assert list(one.get_params()) == sorted(field.name for field in fields(part))
    name, value = next(iter(one.get_params().items()))
    other = part(**{name: value})
    assert one == other == clone(one) == pickle.loads(pickle.dumps(one))
    assert repr(one) == f"{part.__name__}()"
    assert getattr(calmgam, part.__name__) is part


@pytest.mark.parametrize("part", PARTS)
def test_every_setting_of_a_part_is_documented(part):
    heads = re.findall(r"^    (\w[\w, ]*) :", inspect.getdoc(part).replace("\n", "\n    "), re.M)
    documented = [name.strip() for head in heads for name in head.split(",")]
    assert documented == [field.name for field in fields(part)]


@pytest.mark.parametrize("kind", [CALMRegressor, CALMClassifier])
def test_constructors_have_few_parameters(kind):
    assert len(inspect.signature(kind).parameters) <= 16
    assert repr(kind(growth=Heterogeneity(min_drop=0.1))) == (
        f"{kind.__name__}(growth=Heterogeneity(min_drop=0.1))"
    )


def test_a_search_reaches_into_parts():
    estimator = CALMRegressor(
        growth=Heterogeneity(), curves=Boosting(n_bags=1, max_rounds=20), n_jobs=1, random_state=0
    )
    search = GridSearchCV(estimator, {"growth__min_drop": [0.1, 0.9], "max_splits": [2]}, cv=2)
    assert search.fit(X, Y).best_params_ == {"growth__min_drop": 0.1, "max_splits": 2}
    assert estimator.growth == Heterogeneity()


def test_a_setting_of_a_word_makes_it_a_part():
    estimator = CALMRegressor(growth="heterogeneity")
    assert estimator.set_params(growth__min_drop=0.3).growth == Heterogeneity(min_drop=0.3)
    other = CALMRegressor().set_params(growth="heterogeneity", growth__rank="relative")
    assert other.growth == Heterogeneity(rank="relative")
    assert CALMRegressor.paper(growth__effect="ale").growth.effect == "ale"
    assert CALMRegressor.paper().growth.effect == "pdp"  # presets are not shared


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"growth": "alone"}, r"growth must be one of 'joint', .*Joint\(…\).*; got 'alone'"),
        ({"growth": Boosting()}, r"growth must be one of .*; got Boosting\(\)"),
        ({"curves": 3}, "curves must be one of 'boosting', 'splines', .*; got 3"),
        ({"growth": Joint(n_thresholds=0)}, "n_thresholds must be an integer >= 1; got 0"),
        ({"growth": Heterogeneity(effect="x")}, "effect must be one of 'pdp', .*; got 'x'"),
        ({"max_splits": "all"}, "max_splits must be an integer >= 0, \"auto\" or None; got 'all'"),
        ({"max_bins": 70_000}, "max_bins must be an integer from 2 to 65535; got 70000"),
        ({"growth": 3}, r"growth must be .*regions of your own, such as \{\"temp\".*; got 3"),
    ],
)
def test_what_makes_no_sense_is_refused_before_any_work(settings, message):
    with pytest.raises(ValueError, match=message):
        CALMRegressor(reference=object(), **settings).fit(X, Y)


def test_a_setting_that_cannot_apply_is_an_error_that_says_so():
    with pytest.raises(ValueError, match="Invalid parameter 'min_drop' for estimator Joint"):
        CALMRegressor().set_params(growth__min_drop=0.3)
    with pytest.raises(TypeError, match="min_drop"):
        Joint(min_drop=0.3)
