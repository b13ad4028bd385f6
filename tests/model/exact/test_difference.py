"""The difference of two models scores every input as the second model less the first."""

import numpy as np
import pytest
from audit_models import as_frame, big_model, curve, random_model, random_pair

from calmgam.model import Feature, Model, PartitionTree, Schema, Term
from calmgam.model.exact.difference import difference
from calmgam.model.exact.inputs import all_inputs


def random_rows(model, n_rows=500):
    rng = np.random.default_rng(0)
    points = (axis.points for axis in all_inputs(model).axes)
    return np.column_stack([rng.choice(p, n_rows) for p in points])


@pytest.mark.parametrize("seed", range(200))
def test_scores_are_differences_of_scores(seed):
    a, b = random_pair(seed)
    change = difference(a, b)
    frame = as_frame(change, random_rows(change))
    np.testing.assert_allclose(change.score(frame), b.score(frame) - a.score(frame), atol=1e-9)


@pytest.mark.filterwarnings("ignore:no value of column")
@pytest.mark.parametrize("seed", range(20))
def test_levels_that_neither_model_knows_are_unseen_in_both(seed):
    a, b = random_pair(seed)
    change = difference(a, b)
    frame = as_frame(change, random_rows(change))
    for feature in change.schema.features:
        if feature.kind == "categorical":
            frame[feature.name] = "zebra"
    np.testing.assert_allclose(change.score(frame), b.score(frame) - a.score(frame), atol=1e-9)


def test_a_model_less_itself_is_nothing_over_the_same_regions():
    model = big_model(n_bins=20)
    change = difference(model, model)
    assert not change.score_encoded(random_rows(change)).any()
    assert [t.tree for t in change.terms] == [t.tree for t in model.terms]
    assert change.schema == model.schema


def test_rows_of_regions_are_shared():
    a, b = random_model(0), random_model(0)
    for term, own in zip(difference(a, b).terms, a.terms, strict=True):
        counts = sum(shape.counts.sum() for shape in term.shapes)
        assert counts == pytest.approx(2 * sum(shape.counts.sum() for shape in own.shapes))


def one_feature(kind, levels=(), link="identity", classes=()):
    feature = Feature("age", 0, kind, levels)
    values = [0.0] * (len(levels) + 1)
    term = Term(feature, PartitionTree.trivial(), (curve(feature, [], values),))
    return Model(Schema((feature,)), 0.0, (term,), link, classes)


def test_what_cannot_be_compared_is_named():
    numeric = one_feature("numeric")
    with pytest.raises(ValueError, match=r"'age' must be of one kind.*numeric and categorical"):
        difference(numeric, one_feature("categorical", ("young", "old")))
    logit = one_feature("numeric", link="logit", classes=("no", "yes"))
    with pytest.raises(ValueError, match="same link and classes; got identity and logit no yes"):
        difference(numeric, logit)
    with pytest.raises(ValueError, match="got logit no yes and logit yes no"):
        difference(logit, one_feature("numeric", link="logit", classes=("yes", "no")))


def test_levels_of_both_come_in_the_first_models_order():
    feature = difference(
        one_feature("categorical", ("b", "a")), one_feature("categorical", ("c", "a"))
    ).schema["age"]
    assert feature.levels == ("b", "a", "c")
