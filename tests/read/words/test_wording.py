import math
from dataclasses import dataclass

import pytest

from calmgam.model import Condition, Feature, Region
from calmgam.read.words.wording import (
    cut,
    cut_apart,
    cut_middle,
    label_texts,
    listed,
    pretty,
    rule_text,
    shown,
    shown_name,
    shown_view,
    threshold_text,
    title_text,
    value_text,
    wrap,
)

YEAR = Feature("year", 0, "numeric", low=2000, high=2020)


@pytest.mark.parametrize(
    ("high", "threshold", "text"),
    [
        (40, 13.650000000000002, "13.65"),
        (2, 1.23456789, "1.235"),  # 1/2000 of the range is finer than three digits
        (2, -0.00564248, "-0.00564"),  # three digits are finer
        (2020, 2011.5, "2011.5"),  # never 2012: that year lies on the other side
        (1e8, 20110101.5, "20110101.5"),
        (10, -117.67500000000001, "-117.675"),
        (1, 0.0, "0"),
        (math.nan, 1.23456789, "1.23456789"),  # nothing is known of the range
    ],
)
def test_thresholds_are_short_but_not_misleading(high, threshold, text):
    low = math.nan if math.isnan(high) else 0.0
    feature = Feature("x", 0, "numeric", low=low, high=high)
    assert threshold_text(feature, threshold) == text
    assert rule_text(Region((Condition(feature, "<=", threshold),))) == f"x <= {text}"


def test_values_and_levels_are_left_alone():
    value = 1.23456789
    condition = Condition(YEAR, "=", value, bounds=(1.0, 2.0))
    assert rule_text(Region((condition,))) == f"year = {value}"
    job = Feature("job", 0, "categorical", ("a", "b"))
    assert rule_text(Region((Condition(job, "!=", (1,)),))) == "job != b"
    assert rule_text(Region()) == "everywhere"


def test_long_texts_are_cut_or_wrapped():
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcde…"
    text = wrap("one two three four five six = 6", 12)
    assert text.startswith("one two")
    assert text.endswith("six = 6")
    assert text.count("\n") == text.count("…") == 1
    assert all(len(line) <= 12 for line in text.split("\n"))
    assert wrap("one", 10) == "one"
    assert wrap("", 10) == ""


def test_a_name_keeps_its_beginning_and_its_end():
    assert cut_middle("abcdefg", 7) == "abcdefg"
    assert cut_middle("abcdefgh", 7) == "abc…fgh"
    assert cut_middle("abcdefgh", 6) == "abc…gh"


LONG = "The municipality of the river valley"


@pytest.mark.parametrize(
    "texts",
    [
        [f"{LONG}, district {k} of the old town hall" for k in range(30)],
        [f"{k} {LONG}" for k in range(12)],
        [f"{LONG} {'x' * k}" for k in range(40)],
        [f"{'x' * j} {LONG} {'x' * k}" for j in (20, 30) for k in (20, 30, 40)],
        ["short", LONG, LONG.upper(), ""],
    ],
)
def test_texts_that_differ_still_differ_when_cut(texts):
    cuts = cut_apart(texts, 20)
    assert len(set(cuts)) == len(texts)
    assert max(map(len, cuts)) <= 20
    assert cut_apart([*texts, *texts], 20) == [*cuts, *cuts]


def test_short_texts_are_not_cut():
    assert cut_apart(["nurse", "cook"], 20) == ["nurse", "cook"]


def test_a_long_name_does_not_hide_the_value():
    pairs = [("hour", "7"), ("n" * 80, "86556179"), ("n" * 80, "v" * 80)]
    labels = [*((name, f"{name} = {value}") for name, value in pairs), ("3 others", "3 others")]
    assert label_texts(labels, 24) == [
        "hour = 7",
        "nnnnnn…nnnnn = 86556179",
        "nnnnnn…nnnnn = vvvv…vvvv",
        "3 others",
    ]


def test_a_long_name_does_not_hide_what_it_depends_on():
    assert title_text("hour", ["flag", "job"], 40) == "hour | flag, job"
    assert title_text("n" * 80, ["flag"], 20) == "nnnnnn…nnnnnn | flag"
    assert len(title_text("n" * 80, ["m" * 80] * 30, 40)) == 40
    assert title_text("n" * 80, [], 5) == "nn…nn"


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("two\nlines\tand a tab\r", r"two\nlines\tand a tab\r"),
        ("\u202eturned\u2066\u2028\ufeff", r"\u202eturned\u2066\u2028\ufeff"),
        ("[red]{x} %s $a$ \\ Größe שלום 年 می‌خواهم", "[red]{x} %s $a$ \\ Größe שלום 年 می‌خواهم"),
        ("\ud800", r"\ud800"),
        ("", ""),
    ],
)
def test_text_that_cannot_be_seen_becomes_an_escape(text, visible):
    assert shown(text) == visible


def test_a_name_without_visible_signs_is_quoted():
    assert shown_name("") == '""'
    assert shown_name("  ") == '"  "'
    assert shown_name("a b") == "a b"


def test_values_are_written_as_the_data_has_them():
    values = (86556179.0, 0.1 + 0.2, 3, True, None, "a\n", "")
    texts = ["86556179", "0.3", "3", "True", "missing", r"a\n", '""']
    assert [value_text(value) for value in values] == texts


@dataclass(frozen=True)
class Line:
    name: str
    rule: str


@dataclass(frozen=True)
class Lines:
    lines: tuple[Line, ...]
    classes: tuple[bool | str, ...]
    score: float


def test_all_texts_of_a_view_are_shown():
    view = Lines((Line("a\x1b", ""), Line("", "c > 1\t")), (False, " "), 3.0)
    lines = Line(r"a\x1b", ""), Line('""', r"c > 1\t")
    assert shown_view(view) == Lines(lines, (False, '" "'), 3.0)


def test_conditions_do_not_break_inside():
    rule = pretty("age <= 3 and job != a-b")
    assert wrap(rule, 12).split("\n") == ["age\u00a0≤\u00a03 and", "job\u00a0≠\u00a0a-b"]


@pytest.mark.parametrize(
    ("names", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (list("abc"), "a, b and c")]
)
def test_names_in_one_phrase(names, text):
    assert listed(names) == text
