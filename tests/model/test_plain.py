import math

import numpy as np
import pytest

from calmgam.model.plain import Plain

DOCUMENT = Plain(
    {"list": [1.5, "x", None], "text": "a", "flag": True, "large": 10**400, "object": {"k": []}}
)


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda d: d["list"].numbers(), 'list[1] must be a number; got "x"'),
        (lambda d: d["list"].items()[2].text(), "list[2] must be text; got null"),
        (lambda d: d["text"].number(), 'text must be a number; got "a"'),
        (lambda d: d["text"].flag(), 'text must be true or false; got "a"'),
        (lambda d: d["text"].items(), 'text must be a list; got "a"'),
        (lambda d: d["text"].fields(), 'text must be an object; got "a"'),
        (lambda d: d["text"].entries(), 'text must be an object; got "a"'),
        (lambda d: d["text"].choice(["b", "c"]), 'text must be one of "b", "c"; got "a"'),
        (lambda d: d["text"].find({}, "a level"), 'text must be a level; got "a"'),
        (lambda d: d["object"].find({}, "a level"), "object must be a level; got an object with"),
        (lambda d: d["flag"].number(), "flag must be a number; got true"),
        (lambda d: d["flag"].integer(), "flag must be a whole number from 0; got true"),
        (lambda d: d["flag"].text(), "flag must be text; got true"),
        (lambda d: d["large"].number(), "large must be a number that a float can hold; got 1000"),
        (lambda d: d["object"]["k"].text(), "object.k must be text; got a list of 0"),
        (lambda d: d["object"].fields("k", "j"), 'object must have the field "j"'),
        (lambda d: d["object"].fields("j", optional="k"), 'object must have the field "j"'),
        (lambda d: d["object"].fields(), 'object must not have the field "k"'),
        (lambda d: d["object"].make(int, "x"), "object: invalid literal for int()"),
        (lambda d: d.number(), "the document must be a number; got an object with 5 fields"),
    ],
)
def test_errors_name_place_rule_and_value(read, message):
    with pytest.raises(ValueError, match=r".") as caught:
        read(DOCUMENT)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", math.nan, math.inf])
def test_numbers_that_are_not_finite_are_read_where_they_may_be(value):
    assert not math.isfinite(Plain(value).number(finite=False))
    with pytest.raises(ValueError, match="must be a"):
        Plain(value).number()
    with pytest.raises(ValueError, match=r"\[1\] must be a"):
        Plain([0.0, value]).numbers()


@pytest.mark.parametrize("value", [True, "1", None, [1.0], 10**400])
def test_a_list_of_numbers_holds_nothing_else(value):
    with pytest.raises(ValueError, match=r"\[2\] must be a number"):
        Plain([1, 2.5, value]).numbers()


def test_values_come_back():
    np.testing.assert_array_equal(Plain([1, 2.5, -0.0]).numbers(), [1.0, 2.5, -0.0])
    assert Plain([]).numbers().dtype == np.float64
    assert Plain(3).integer(low=3) == 3
    assert Plain(["a", "b"]).texts() == ("a", "b")
    assert Plain.of(DOCUMENT) is DOCUMENT
