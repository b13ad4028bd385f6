"""References, names of levels, scales of scores."""

from dataclasses import replace

import numpy as np
import pytest

from calmgam.model.edits import RenameLevels, Rescale, SetReference
from tests.model.edits.example import MODEL, ROWS


def test_a_reference_contributes_nothing_and_no_score_changes():
    for feature, value, column in (("job", "cook", 2), ("hour", 9, 1), ("age", None, 0)):
        edited = SetReference(feature, value).apply(MODEL)
        np.testing.assert_allclose(edited.score_encoded(ROWS), MODEL.score_encoded(ROWS))
        code = {"cook": 1, None: np.nan}.get(value, value)
        at = np.array([[30.0, 1.0, 0.0]])
        at[0, column] = code
        if feature != "age":
            assert edited.terms[column].contribution(at)[0] == 0
    rows = [shape.counts[-1] for shape in edited.terms[0].shapes]
    heights = [shape.values[-1] for shape in edited.terms[0].shapes]
    assert np.average(heights, weights=rows) == pytest.approx(0)
    with pytest.raises(ValueError, match="'job' must be one of its levels"):
        SetReference("job", "pilot").apply(MODEL)


def test_levels_have_new_names_everywhere():
    renamed = RenameLevels("job", (("nurse", "carer"),)).apply(MODEL)
    assert renamed.schema["job"].levels == ("carer", "cook", "smith")
    assert str(renamed.terms[0].tree.regions[1]) == "hour > 7 and job = carer"
    np.testing.assert_array_equal(renamed.score_encoded(ROWS), MODEL.score_encoded(ROWS))
    back = RenameLevels("job", (("carer", "nurse"),)).apply(renamed)
    assert back == MODEL


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (RenameLevels("job", (("pilot", "x"),)), r"got \['pilot'\]"),
        (RenameLevels("job", (("nurse", "cook"),)), "levels of 'job' must stay distinct"),
        (RenameLevels("hour", (("1", "2"),)), "names must rename levels of a categorical feature"),
    ],
)
def test_wrong_names(edit, message):
    with pytest.raises(ValueError, match=message):
        edit.apply(MODEL)


def test_rescale():
    logit = replace(MODEL, link="logit", classes=("no", "yes"), intervals=None)
    scaled = Rescale(0.5, -1).apply(logit)
    np.testing.assert_allclose(scaled.score_encoded(ROWS), 0.5 * logit.score_encoded(ROWS) - 1)
    assert scaled.terms[0].shapes[0].spreads.max() == logit.terms[0].shapes[0].spreads.max() / 2
    with pytest.raises(ValueError, match="slope must be a number above 0"):
        Rescale(-1)
