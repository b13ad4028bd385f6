"""A pair of classes is a model of two, and canonical form changes no probability."""

import numpy as np
import pytest
from canonical_form import canonical
from hypothesis import HealthCheck, given, settings
from model_strategies import SCHEMA, TABLE, softmax_models
from scipy.special import expit, logsumexp

from calmgam.model import from_json, to_json

QUICK = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
ROWS = TABLE[:: max(1, len(TABLE) // 300)]


@QUICK
@given(softmax_models())
def test_scores_contributions_and_probabilities_add_up(model):
    scores = model.score_encoded(ROWS)
    assert scores.shape == (len(ROWS), len(model.classes))
    contributions = model.contributions_encoded(ROWS)
    assert contributions.shape == (len(ROWS), SCHEMA.n_features, len(model.classes))
    np.testing.assert_allclose(contributions.sum(axis=1) + model.intercept, scores)
    decided = np.array(model.classes)[scores.argmax(axis=1)]
    np.testing.assert_array_equal(model.classify(scores), decided)


@QUICK
@given(softmax_models())
def test_a_pair_is_a_model_of_two_classes(model):
    scores = model.score_encoded(ROWS)
    for high, first in enumerate(model.classes):
        of_class = model.of_class(first)
        np.testing.assert_array_equal(of_class.score_encoded(ROWS), scores[:, high])
        for low, second in enumerate(model.classes):
            if high == low:
                continue
            pair = model.between(first, second)
            assert (pair.link, pair.classes) == ("logit", (second, first))
            np.testing.assert_allclose(pair.score_encoded(ROWS), scores[:, high] - scores[:, low])
            together = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
            share = together[:, high] / (together[:, high] + together[:, low])
            np.testing.assert_allclose(expit(pair.score_encoded(ROWS)), share, atol=1e-12)


@QUICK
@given(softmax_models())
def test_canonical_form_centres_over_classes_and_rows(model):
    rows = np.asfortranarray(ROWS)
    found = canonical(model, rows)
    before, after = (m.score_encoded(ROWS) for m in (model, found))
    centred = before - before.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(after, centred, atol=1e-9)
    np.testing.assert_allclose(np.sum(found.intercept), 0.0, atol=1e-9)
    for term in found.terms:
        means = term.contribution(rows).mean(axis=0)
        np.testing.assert_allclose(means, 0.0, atol=1e-9)
        for shape in term.shapes:
            np.testing.assert_allclose(shape.values.sum(axis=1), 0.0, atol=1e-9)
    again = canonical(found, rows)
    np.testing.assert_allclose(again.terms[0].shapes[0].values, found.terms[0].shapes[0].values)
    for first, second in ((0, 1), (2, 0)):  # the canonical form of a pair is the pair of it
        labels = model.classes[first], model.classes[second]
        one, other = canonical(model.between(*labels), rows), found.between(*labels)
        for a, b in zip(one.terms, other.terms, strict=True):
            for x, y in zip(a.shapes, b.shapes, strict=True):
                np.testing.assert_allclose(x.values, y.values, atol=1e-8)


@QUICK
@given(softmax_models())
def test_saving_keeps_every_bit(model):
    assert from_json(to_json(model)) == model
    assert '"version": 3' in to_json(model)


@QUICK
@given(softmax_models())
def test_classes_that_do_not_exist_are_named(model):
    with pytest.raises(ValueError, match=r"a class must be one of .*; got 'bus'"):
        model.between("bus", model.classes[0])
    with pytest.raises(ValueError, match="two different classes"):
        model.between(model.classes[0], model.classes[0])
