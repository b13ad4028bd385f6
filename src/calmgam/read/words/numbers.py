"""Numbers for people: related numbers share the digits that their differences need.

One rule for every text and picture: integers stay whole, what is but rounding is 0, and very large
or small numbers have one power of ten in common, so that no number fills a page.

    1234000.4 and 1234007.9        not 1.234e+06 and 1.234e+06
    86556179                       not 8.65562e+07
    1.5e300                        not 301 digits
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from itertools import pairwise

PLAIN_FROM, PLAIN_TO = 1e-4, 1e15  # sizes of numbers that are written without a power of ten
N_EXACT = 15  # digits of a number that mean something
SAME = 1e-9  # numbers whose difference is a smaller part of them are one
NOISE = 1e-12  # a part of the largest number that comes from rounding
UNITS = {0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
MAX_TICK_DECIMALS = 2  # with a unit; where ticks need more, there is none
EXACT = Context(prec=60)


@dataclass(frozen=True)
class Scale:
    """How related numbers are written: with these decimals, in units of a power of ten."""

    n_decimals: int
    exponent: int = 0
    unit: str = ""

    def text(self, value: float, signed: bool = False) -> str:
        """Write a number; one that rounds to 0 has neither sign nor unit."""
        if not math.isfinite(value):
            return f"{value:+}" if signed else f"{value}"
        return self._text(self.units(value), signed)

    def trimmed(self, value: float, signed: bool = False) -> str:
        """Write a number without zeros at the end of its decimals."""
        text = self.text(value, signed)
        digits = text.removesuffix(self.unit)
        short = digits.rstrip("0").rstrip(".") if "." in digits else digits
        return short + text[len(digits) :]

    def units(self, value: float) -> Decimal:
        """Return the number as a multiple of the last decimal, not rounded."""
        with localcontext(EXACT):
            return Decimal(value).scaleb(self.n_decimals - self.exponent)

    def sum_texts(self, values: Sequence[float], signed: bool = True) -> list[str]:
        """Write numbers so that what is written adds up to their sum as it is written.

        Every number is rounded down, then those with the largest remainders go up by one unit.
        """
        with localcontext(EXACT):
            exact = [self.units(value) for value in values]
            floors = [number.to_integral_value(ROUND_FLOOR) for number in exact]
            n_up = int(sum(exact, Decimal(0)).to_integral_value() - sum(floors))
            by_remainder = sorted(range(len(exact)), key=lambda k: floors[k] - exact[k])
            for k in by_remainder[:n_up]:
                floors[k] += 1
        return [self._text(number, signed) for number in floors]

    def _text(self, units: Decimal, signed: bool) -> str:
        with localcontext(EXACT):
            rounded = units.to_integral_value().scaleb(-self.n_decimals)
        if not rounded:
            return f"{0:.{self.n_decimals}f}"
        return f"{rounded:{'+' if signed else ''}.{self.n_decimals}f}{self.unit}"


def scale_of(
    numbers: Iterable[float], n_digits: int = 3, differences: Iterable[float] | None = None
) -> Scale:
    """Return how to write numbers: the largest difference has `n_digits` digits.

    Parameters
    ----------
    numbers : iterable of float
        All that is to be written.
    n_digits : int
    differences : iterable of float, optional
        What the numbers are compared for; by default the numbers themselves.
    """
    sizes = _sizes(numbers)
    compared = sizes if differences is None else _sizes(differences)
    largest = max(sizes, default=0.0)
    if not largest:
        return Scale(0)
    order = _order(largest)
    finest = max((size for size in compared if size > NOISE * largest), default=largest)
    exponent = 0 if PLAIN_FROM <= largest < PLAIN_TO else order
    n_decimals = n_digits - 1 - _order(finest) + exponent
    n_meaningful = N_EXACT - 1 - order + exponent
    unit = f"e{exponent}" if exponent else ""
    return Scale(max(0, min(n_decimals, n_meaningful)), exponent, unit)


def brief_number(value: float, n_digits: int = 3) -> str:
    """Write a number with at least this many digits; integers stay whole.

    Parameters
    ----------
    value : float
    n_digits : int
    """
    return scale_of([value], n_digits).trimmed(value)


def signed_number(value: float, n_digits: int = 3) -> str:
    """Write a change, with its sign.

    Parameters
    ----------
    value : float
    n_digits : int
    """
    return scale_of([value], n_digits).trimmed(value, signed=True)


def number_texts(values: Sequence[float], n_digits: int = 3) -> list[str]:
    """Write numbers that are compared with each other: their differences can be seen.

    Parameters
    ----------
    values : sequence of float
    n_digits : int
        Digits of the largest difference; of the numbers, if they are the same.
    """
    finite = [value for value in values if math.isfinite(value)]
    halves = [max(finite) / 2 - min(finite) / 2] if finite else []  # the whole may overflow
    is_one = not halves or halves[0] <= SAME * max(map(abs, finite))
    scale = scale_of(finite, n_digits, None if is_one else [2 * halves[0]])
    return [scale.trimmed(value) for value in values]


def signed_texts(values: Sequence[float], n_digits: int = 3, beside: float = 0.0) -> list[str]:
    """Write changes with their signs; what is but rounding is 0.

    Parameters
    ----------
    values : sequence of float
    n_digits : int
        Digits of the largest change.
    beside : float
        Size of the numbers that the changes add up to: only its digits mean something.
    """
    numbers = [*values, beside]
    scale = scale_of(numbers, n_digits, values)
    noise = NOISE * max(_sizes(numbers), default=0.0)
    return [scale.text(0.0 if abs(value) <= noise else value, signed=True) for value in values]


def range_text(low: float, high: float) -> str:
    """Write a range of numbers, or the one number that it is.

    Parameters
    ----------
    low, high : float
    """
    first, last = number_texts([low, high])
    return first if first == last else f"[{first}, {last}]"


def data_number(value: float) -> str:
    """Write a number as the data has it: integers whole, six digits or two decimals of others.

    Parameters
    ----------
    value : float
    """
    if not math.isfinite(value):
        return f"{value}"
    if not value or PLAIN_FROM <= abs(value) < PLAIN_TO:
        return Scale(max(2, 5 - _order(value))).trimmed(value)
    return scale_of([value], 6).trimmed(value)


def tick_texts(values: Sequence[float], unit_from: float = 1e4) -> list[str]:
    """Write the ticks of an axis, short and different from each other: 100, 20k, 2.5M.

    Parameters
    ----------
    values : sequence of float
    unit_from : float
        Thousands have a unit where the largest number is at least this size.
    """
    largest = max(_sizes(values), default=0.0)
    if not largest:
        return ["0" if value == 0 else f"{value}" for value in values]
    ordered = sorted(values)
    step = min(largest, *(b - a for a, b in pairwise(ordered) if b - a > SAME * largest), largest)
    order, fine = _order(largest), _order(step) - 1  # one digit more: steps of 2.5
    if not PLAIN_FROM <= largest < PLAIN_TO:
        scale = Scale(max(0, order - fine), order, f"e{order}")
        return [scale.trimmed(value) for value in values]
    exponent = min(12, order // 3 * 3) if largest >= unit_from else 0
    units = Scale(max(0, exponent - fine), exponent, UNITS[max(0, exponent)])
    texts = [units.trimmed(value) for value in values]
    if exponent > 0 and all(len(text.partition(".")[2]) <= MAX_TICK_DECIMALS + 1 for text in texts):
        return texts
    return [Scale(max(0, -fine)).trimmed(value) for value in values]


def short_number(value: float) -> str:
    """Write a number of a logarithmic axis: 100, 1k, 2.5M.

    Parameters
    ----------
    value : float
    """
    return tick_texts([value], unit_from=1e3)[0]


def _sizes(numbers: Iterable[float]) -> list[float]:
    """Return the sizes of the numbers that are finite and not 0."""
    return [abs(number) for number in numbers if math.isfinite(number) and number]


def _order(value: float) -> int:
    """Return the power of ten of a number's first digit."""
    return Decimal(repr(float(value))).adjusted()
