"""Where a model came from: which calmgam, which settings, which table; never its rows.

In: the training table as the user brought it, and how it was fitted. Out: a `Provenance` that the
model keeps and saves. The table enters as a SHA-256 alone, which tells whether two models saw the
same table and says nothing about it.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

import numpy as np

from calmgam.model.columns import Column, read_column, read_table
from calmgam.model.plain import Document, Plain

DATE = "%Y-%m-%dT%H:%M:%SZ"
MAX_NESTING = 20  # of settings
FIELDS = ("library_version", "settings", "seed", "n_rows", "weighted", "date", "table_sha256")


@dataclass(frozen=True)
class Provenance:
    """How a model was found.

    Attributes
    ----------
    library_version : str
    settings : mapping
        Estimator and parameters, such as {"estimator": "CALMRegressor", "parameters": {…}}. What
        JSON cannot hold (functions, other estimators) is kept as its text.
    seed : int or None
    n_rows : int
        Rows of the training table.
    weighted : bool
        Whether the rows had weights.
    date : str
        When the fit ended, UTC: "2026-01-31T23:59:59Z".
    table_sha256 : str
        `table_digest` of the training table.
    """

    library_version: str
    settings: Mapping[str, Any] = field(hash=False)
    seed: int | None
    n_rows: int
    weighted: bool
    date: str
    table_sha256: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", _plain_setting(dict(self.settings)))
        plain = Plain(self.to_dict())
        plain["library_version"].text()
        if self.seed is not None:
            plain["seed"].integer()
        plain["n_rows"].integer(low=1)
        plain["weighted"].flag()
        check_date(plain["date"])
        if not re.fullmatch("[0-9a-f]{64}", plain["table_sha256"].text()):
            raise plain["table_sha256"].error("be a SHA-256 of 64 hexadecimal digits")

    @property
    def randomness(self) -> str:
        """What to pass to fit the same model again; of a fit that drew its own seed, that seed."""
        parameters = self.settings.get("parameters")
        given = parameters.get("random_state") if isinstance(parameters, Mapping) else None
        return f"seed {self.seed}" if given is None else f"random_state={given}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {name: getattr(self, name) for name in FIELDS}

    @classmethod
    def from_dict(cls, plain: Document) -> Provenance:
        """Inverse of `to_dict`."""
        plain = Plain.of(plain).fields(*FIELDS)
        plain["settings"].entries()
        return plain.make(cls, *(plain.value[name] for name in FIELDS))


def check_date(plain: Plain) -> None:
    """Refuse what is not a date as `utc_now` gives it."""
    try:
        datetime.strptime(plain.text(), DATE)
    except ValueError:
        raise plain.error('be a UTC date such as "2026-01-31T23:59:59Z"') from None


def utc_now() -> str:
    """Return the date of a `Provenance` that is made now."""
    return datetime.now(timezone.utc).strftime(DATE)


def table_digest(X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> str:
    """Return the SHA-256 of a training table, as 64 hexadecimal digits.

    It does not depend on the kind of data frame or on integers being stored as floats. Hashed are,
    column by column (X in its order, then the target, then weights and offset if there are any): a
    letter for the part (X, y, w, o), the name, and

    - of numbers: "n", then every value as a little-endian float64; missing is NaN, -0.0 is 0.0
    - of anything else: "l", the number of distinct labels, the labels in the order of their
      texts, then every value as the position of its label, a float64; missing is NaN

    Names and labels are UTF-8, each after its length in bytes; lengths and numbers of things are
    little-endian uint64. Columns of an array are called x0, x1, …; target, weights and offset have
    no name.

    Parameters
    ----------
    X : data frame or 2-D array
    y : series or 1-D array
    sample_weight, offset : series or 1-D array, optional
    """
    digest = hashlib.sha256()
    columns, _ = read_table(X)
    parts = [("X", column) for column in columns] + [("y", read_column(y, ""))]
    for part, given in (("w", sample_weight), ("o", offset)):
        if given is not None:
            parts.append((part, read_column(given, "")))
    for part, column in parts:
        digest.update(part.encode())
        _add_text(digest, column.name)
        _add_values(digest, column)
    return digest.hexdigest()


def _add_values(digest: Any, column: Column) -> None:
    if column.holds_numbers():
        digest.update(b"n")
        values = column.floats()
    else:
        labels = sorted(column.labels())
        digest.update(b"l")
        _add_integer(digest, len(labels))
        for text in labels:
            _add_text(digest, text)
        values = column.codes({text: code for code, text in enumerate(labels)}, -1)
    values = values + 0.0  # a copy, in which -0.0 is 0.0
    values[np.isnan(values)] = math.nan  # NaNs differ in their bits
    digest.update(values.astype("<f8", copy=False).data)


def _add_text(digest: Any, text: str) -> None:
    encoded = text.encode("utf-8", errors="surrogatepass")
    _add_integer(digest, len(encoded))
    digest.update(encoded)


def _add_integer(digest: Any, value: int) -> None:
    digest.update(value.to_bytes(8, "little"))


def _plain_setting(value: Any, depth: int = 0) -> Any:
    """Return a setting as JSON holds it; its text if it cannot."""
    if depth > MAX_NESTING:
        raise ValueError(f"settings must be nested at most {MAX_NESTING} deep")
    value = value.tolist() if isinstance(value, np.generic | np.ndarray) else value
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain_setting(part, depth + 1) for key, part in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((_plain_setting(part, depth + 1) for part in value), key=repr)
    if isinstance(value, list | tuple | range):
        return [_plain_setting(part, depth + 1) for part in value]
    if hasattr(value, "__qualname__"):  # a function or class: its repr would hold an address
        return f"{value.__module__}.{value.__qualname__}"
    return repr(value)
