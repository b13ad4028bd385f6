"""Regions from text: the inverse of `str(region)`, and what people write themselves.

    workingday = yes and 7 < hour <= 12 or missing and job in {nurse, "fire, rescue"}

`and` joins clauses, `or missing` belongs to the clause before it. Text and a schema come in, a
`Region` goes out, or a ValueError that says which word is wrong and which one may be meant.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from calmgam.model.regions import BARE_SIGNS, KEYWORDS, Condition, Region, is_number
from calmgam.model.schema import Feature, Schema

if TYPE_CHECKING:
    from calmgam.model.glassbox import Model

Cuts = Mapping[int, tuple[float, ...]]
TOKEN = re.compile(
    r"""\s*(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)'"""
    rf"""|(?P<operator><=|>=|!=|==|<|>|=)|(?P<mark>[{{}},])|(?P<word>{BARE_SIGNS}+))""",
    re.DOTALL,
)
FLIPPED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "=": "=", "!=": "!=", "==": "=="}


def parse_region(text: str, schema: Schema) -> Region:
    """Read a region from text.

    A clause is a comparison (`<=`, `>`, `<`, `>=`, `=`, `!=`, or a range `7 < hour <= 12`), a set
    (`in {a, b}`, `not in {a, b}`) or `is missing`, `is not missing`; all but the last two may end
    in `or missing`. Names and levels may be quoted, and must be if they hold signs or key words.
    On a numeric feature `x = 3` means exactly 3: its bounds are (the float below 3, 3].

    Parameters
    ----------
    text : str
    schema : Schema

    Returns
    -------
    Region
    """
    return _Parser(text, schema).region()


def parse_region_of(text: str, model: Model) -> Region:
    """Read a region that a model has printed, or that is about its thresholds.

    Texts are about the training values: `hour <= 9` where all were whole and the model has 9.5,
    `holiday = 0` where there were two and it has 0.5. The thresholds here are the model's own.

    Parameters
    ----------
    text : str
    model : Model
    """
    return _Parser(text, model.schema, cuts_of(model)).region()


def cuts_of(model: Model) -> Cuts:
    """Return the thresholds on every number, then the edges of its curves."""
    cuts: dict[int, dict[float, None]] = {term.feature.index: {} for term in model.terms}
    for term in model.terms:
        for node in term.tree.nodes:
            if node.condition is not None:
                cuts[node.condition.feature.index] |= dict.fromkeys(node.condition.edges)
    for term in model.terms:
        cuts[term.feature.index] |= dict.fromkeys(term.edges.tolist())
    return {index: tuple(found) for index, found in cuts.items()}


class _Parser:
    """Recursive descent over the clauses of a text; `tokens[-1]` is the next token."""

    def __init__(self, text: str, schema: Schema, cuts: Cuts | None = None) -> None:
        self.text, self.schema, self.cuts = text, schema, cuts or {}
        self.tokens: list[tuple[str, str]] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            match = TOKEN.match(text, position)
            if match is None:
                raise self.error(f"{text[position:].strip()!r} is not understood")
            self.tokens.insert(0, _token(match))
            position = match.end()

    def error(self, message: str) -> ValueError:
        return ValueError(f"cannot read region {self.text!r}: {message}")

    def accept(self, *tokens: tuple[str, str]) -> bool:
        """Consume these tokens if they come next."""
        if self.tokens[: -len(tokens) - 1 : -1] != list(tokens):
            return False
        del self.tokens[-len(tokens) :]
        return True

    def accept_words(self, words: str) -> bool:
        return self.accept(*(("keyword", word) for word in words.split()))

    def accept_kind(self, *kinds: str) -> str | None:
        """Consume and return the next token's text if it is of one of these kinds."""
        if self.tokens and self.tokens[-1][0] in kinds:
            return self.tokens.pop()[1]
        return None

    def unexpected(self, wanted: str) -> ValueError:
        found = repr(self.tokens[-1][1]) if self.tokens else "the end"
        return self.error(f"expected {wanted}, got {found}")

    def region(self) -> Region:
        conditions = self.clause() if self.tokens else []
        while self.accept_words("and"):
            conditions += self.clause()
        if self.tokens:
            raise self.unexpected("'and' or the end")
        return Region(tuple(conditions))

    def clause(self) -> list[Condition]:
        if self.accept_words("everywhere"):
            return []
        left, is_quoted = self.operand("a feature's name")
        if self.accept_words("is not missing"):
            return [_is_not_missing(self.feature(left))]
        if self.accept_words("is missing"):
            return [_is_not_missing(self.feature(left)).negate()]
        if self.accept_words("in"):
            comparisons = [(left, "=", self.level_set())]
        elif self.accept_words("not in"):
            comparisons = [(left, "!=", self.level_set())]
        else:
            comparisons = self.comparisons(left, is_quoted)
        missing = self.accept_words("or missing")
        return [self.condition(*comparison, missing) for comparison in comparisons]

    def comparisons(self, left: str, is_quoted: bool) -> list[tuple[str, str, list[str]]]:
        """Read `name <= value`, `value < name` or `value < name <= value` after the first part."""
        operator = self.accept_kind("operator")
        if operator is None:
            raise self.unexpected("a comparison")
        middle, _ = self.operand("a value")
        second_operator = self.accept_kind("operator")
        if second_operator is not None:
            right, _ = self.operand("a value")
            if {operator, second_operator} & {"=", "==", "!="}:
                raise self.error("a range is written like 7 < hour <= 12")
            return [(middle, FLIPPED[operator], [left]), (middle, second_operator, [right])]
        if not is_quoted and is_number(left) and middle in self.schema.names:
            return [(middle, FLIPPED[operator], [left])]
        return [(left, operator, [middle])]

    def operand(self, wanted: str) -> tuple[str, bool]:
        """Read a quoted text, or bare words up to the next sign; say whether it was quoted."""
        quoted = self.accept_kind("quoted")
        if quoted is not None:
            return quoted, True
        words = []
        while (word := self.accept_kind("word")) is not None:
            words.append(word)
        if not words:
            raise self.unexpected(wanted)
        return " ".join(words), False

    def level_set(self) -> list[str]:
        if not self.accept(("mark", "{")):
            raise self.unexpected("'{'")
        if self.accept(("mark", "}")):
            return []
        levels = [self.operand("a level")[0]]
        while self.accept(("mark", ",")):
            levels.append(self.operand("a level")[0])
        if not self.accept(("mark", "}")):
            raise self.unexpected("',' or '}'")
        return levels

    def condition(self, name: str, operator: str, values: list[str], missing: bool) -> Condition:
        feature = self.feature(name)
        operator = "=" if operator == "==" else operator
        if feature.is_numeric:
            return self.numeric_condition(feature, operator, values, missing)
        if operator not in ("=", "!="):
            raise self.error(
                f"{name!r} has levels, which know '=', '!=' and 'in', not {operator!r}"
            )
        codes = {feature.levels.index(self.known(v, feature.levels, "level")) for v in values}
        return Condition(feature, operator, tuple(sorted(codes)), missing)

    def numeric_condition(
        self, feature: Feature, operator: str, values: list[str], missing: bool
    ) -> Condition:
        if len(values) != 1 or not is_number(values[0]) or math.isnan(float(values[0])):
            raise self.error(f"{feature.name!r} must be compared with one number; got {values}")
        value = asked = float(values[0])
        below = math.nextafter(value, -math.inf)
        if operator in ("=", "!="):
            cut = self.cut_in(feature, feature.low, feature.high) if feature.two_valued else None
            if cut is None or value not in (feature.low, feature.high):
                return Condition(feature, operator, value, missing, (below, value))
            is_lower = (value == feature.low) == (operator == "=")
            return Condition(feature, "<=" if is_lower else ">", cut, missing)
        if operator in ("<", ">="):
            operator, value = "<=" if operator == "<" else ">", below
        if feature.whole and math.isfinite(value):  # `<= 9` may be about 9.5
            whole = float(math.floor(value))
            cut = self.cut_in(feature, whole, whole + 1)
            if cut not in (None, asked) and asked != math.floor(asked):
                raise self.error(
                    f"{feature.name!r} holds whole numbers and must be compared with one; "
                    f"got {values[0]}"
                )
            value = value if cut is None else cut
        return Condition(feature, operator, value, missing)

    def cut_in(self, feature: Feature, low: float, high: float) -> float | None:
        """Return the cut that divides two numbers as `<= low` does, if there is one."""
        return next((cut for cut in self.cuts.get(feature.index, ()) if low <= cut < high), None)

    def feature(self, name: str) -> Feature:
        return self.schema[self.known(name, self.schema.names, "feature")]

    def known(self, name: str, names: tuple[str, ...], what: str) -> str:
        if name in names:
            return name
        close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        if not close:  # get_close_matches minds the case
            close = [known for known in names if known.lower() == name.lower()]
        hint = f"did you mean {close[0]!r}?" if close else f"there are {list(names[:20])}"
        raise self.error(f"there is no {what} {name!r}; {hint}")


def _token(match: re.Match[str]) -> tuple[str, str]:
    kind = str(match.lastgroup)
    text = match[kind]
    if kind in ("double", "single"):
        return "quoted", re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
    if kind == "word" and text.lower() in KEYWORDS:
        return "keyword", text.lower()
    return kind, text


def _is_not_missing(feature: Feature) -> Condition:
    if feature.is_numeric:
        return Condition(feature, "<=", math.inf)
    return Condition(feature, "!=", ())
