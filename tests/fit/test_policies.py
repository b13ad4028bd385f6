import numpy as np
import pandas as pd
import pytest

from calmgam import Boosting, CALMClassifier, CALMRegressor, Heterogeneity, Joint, load
from calmgam.fit.policies import Policy, positions_of, read_policy
from calmgam.model.schema import Schema

SCHEMA = Schema.learn(np.arange(8.0).reshape(2, 4))
NAMES = list("abcdef")
QUICK = {"curves": Boosting(n_bags=1, max_rounds=20), "random_state": 0, "n_jobs": 1}


def test_features_are_chosen_by_name_or_position():
    assert positions_of(["x2", 0, "x0"], SCHEMA, "split_features") == (0, 2)
    assert positions_of(None, SCHEMA, "split_features") == (0, 1, 2, 3)
    assert positions_of([], SCHEMA, "split_features") == ()


@pytest.mark.parametrize("chosen", [["z"], [17], [None]])
def test_unknown_features_are_refused(chosen):
    with pytest.raises(ValueError, match="condition_features must name features; got"):
        positions_of(chosen, SCHEMA, "condition_features")


@pytest.mark.parametrize(
    ("features", "allowed"),
    [
        ({0}, True),
        ({3}, True),
        ({0, 1}, True),
        ({0, 1, 2}, True),
        ({1, 3}, False),
        ({0, 2, 3}, False),
    ],
)
def test_features_stand_together_within_a_group(features, allowed):
    assert read_policy(None, None, [["x0", 1, "x2"], [2]], SCHEMA).allows(features) == allowed


def test_forbidden_groups_are_forbidden_pairs():
    policy = read_policy(None, None, {"forbidden": [("x0", "x1", "x3")]}, SCHEMA)
    assert not policy.is_open
    assert policy.allows({0, 2}) and policy.allows({2, 3})
    assert not policy.allows({1, 2, 3}) and not policy.allows({0, 1})


def test_nothing_said_means_that_all_may_interact():
    assert read_policy(None, None, None, SCHEMA) == Policy((0, 1, 2, 3))
    assert read_policy(None, None, None, SCHEMA).is_open
    assert read_policy(["x0", "x1"], ["x1"], None, SCHEMA).condition_features == (0,)


@pytest.mark.parametrize(
    ("interactions", "message"),
    [
        ([["x0", "z"]], "interactions must name features; got 'z'"),
        (["x0", "x1"], "interactions must be a list of features; got 'x0'"),
        ("x0", "interactions must be a list of groups of features; got 'x0'"),
        ({"never": [["x0", "x1"]]}, "the keys 'allowed' and 'forbidden'; got 'never'"),
        ({"forbidden": [["x0"]]}, r"must have at least two features each; got \['x0'\]"),
    ],
)
def test_what_cannot_be_a_policy_is_refused(interactions, message):
    with pytest.raises(ValueError, match=message):
        read_policy(None, None, interactions, SCHEMA)


def table(n_rows=800):
    """Three-feature and pairwise interactions between six features."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, (n_rows, 6)), columns=NAMES)
    y = 3 * X.a * (X.b > 0) * (X.c > -0.5) + 2 * X.d * (X.a > 0) + 2 * X.e * (X.f > 0) + X.b * X.e
    return X, y + 0.1 * rng.normal(size=n_rows)


def joined(model):
    """Feature and conditions of every region that is more than the whole."""
    for term in model.terms:
        for region in term.tree.regions:
            asked = {c.feature.name for c in region.conditions}
            if asked:
                yield {term.feature.name, *asked}, asked


POLICIES = [
    {"interactions": [["a", "b", "c"], ["e", "f"]]},
    {"interactions": [["a", "b"], ["b", "c"], ["c", "a"]]},  # every pair, never all three
    {"interactions": {"forbidden": [("a", "b"), ("d", "a")]}},
    {"interactions": {"allowed": [list("abcdef")], "forbidden": [("e", "f")]}},
    {"never_condition_on": ["b", "f"]},
    {"condition_features": ["b", "a"], "never_condition_on": ["a"]},
]


@pytest.mark.parametrize("kind", [CALMRegressor, CALMClassifier])
@pytest.mark.parametrize("growth", [Joint(), Heterogeneity(min_drop=0.02)])
@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_the_model_keeps_the_policy_and_tells_of_it(policy, growth, kind, tmp_path):
    X, y = table()
    y = y if kind is CALMRegressor else y > 0
    model = kind(growth=growth, max_splits=20, **policy, **QUICK).fit(X, y).model_
    asked = read_policy(
        *(policy.get(name) for name in ("condition_features", "never_condition_on")),
        policy.get("interactions"),
        model.schema,
    )
    found = list(joined(model))
    assert found
    for together, conditions in found:
        assert asked.allows([model.schema.index(name) for name in together])
        assert {model.schema.index(name) for name in conditions} <= set(asked.condition_features)
    model.save(tmp_path / "model.json")
    told = load(tmp_path / "model.json").provenance.settings["parameters"]
    assert {name: told[name] for name in policy} == {
        name: _listed(value) for name, value in policy.items()
    }


def _listed(value):
    """The value as JSON has it."""
    if isinstance(value, dict):
        return {key: _listed(part) for key, part in value.items()}
    return [_listed(part) for part in value] if isinstance(value, list | tuple) else value


def test_regions_of_your_own_must_keep_the_policy_too():
    X, y = table(200)
    regions = {"a": ["b <= 0", "b > 0"]}
    with pytest.raises(ValueError, match="regions of 'a' must not ask about 'b'"):
        CALMRegressor(growth=regions, never_condition_on=["b"], **QUICK).fit(X, y)
    with pytest.raises(ValueError, match=r"interactions must not join 'a', 'b'; got 'b <= "):
        CALMRegressor(growth=regions, interactions=[["a", "c"]], **QUICK).fit(X, y)
