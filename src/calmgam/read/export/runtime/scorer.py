"""A model as one file without dependencies; see the tables at its top.

A row is a dict: a value for every column by its name; None and NaN are missing.
"""

import math

# tables

INPUTS: list = []
LOOKUPS: list = []
INTERCEPTS: list = []
LINK = "identity"
CLASSES: list = []

# code


def encode(row):
    """Return the row's values as numbers: labels by their codes; missing: None."""
    return [_code(column, row[column["name"]]) for column in INPUTS]


def contributions(row):
    """Return what every column adds to the score, by name; of several classes a list."""
    values = encode(row)
    parts = {}
    for lookup in LOOKUPS:
        added = lookup["values"][_leaf(lookup, values)][_slot(lookup, values)]
        parts[INPUTS[lookup["input"]]["name"]] = added if len(added) > 1 else added[0]
    return parts


def score(row, offset=0.0):
    """Return intercept + offset + contributions; of several classes a list."""
    scores = [intercept + offset for intercept in INTERCEPTS]
    for added in contributions(row).values():
        for k, part in enumerate(added if isinstance(added, list) else [added]):
            scores[k] += part
    return scores if len(scores) > 1 else scores[0]


def predict(row, offset=0.0):
    """Return the mean, the probability of the second class, or of every class."""
    value = score(row, offset)
    if LINK == "logit":
        odds = math.exp(-abs(value))  # of the less probable class: never too large
        return (1 if value >= 0 else odds) / (1 + odds)
    if LINK == "log":
        return math.exp(value)
    if LINK == "softmax":
        weights = [math.exp(one - max(value)) for one in value]
        return [weight / sum(weights) for weight in weights]
    return value


def classify(row, offset=0.0):
    """Return the most probable class."""
    value = score(row, offset)
    if LINK == "softmax":
        return CLASSES[max(range(len(value)), key=lambda k: value[k])]
    return CLASSES[int(value > 0)]


def reasons(row, n=4):
    """Return the largest contributions as (column, contribution, rule that chose its curve).

    Of several classes they are those to the most probable class minus those to the next one.
    """
    values = encode(row)
    found = []
    first, second = _pair(row)
    for lookup in LOOKUPS:
        leaf = _leaf(lookup, values)
        added = lookup["values"][leaf][_slot(lookup, values)]
        part = added[first] - added[second] if len(added) > 1 else added[0]
        if part != 0:
            found.append((INPUTS[lookup["input"]]["name"], part, lookup["rules"][leaf]))
    return sorted(found, key=lambda reason: -abs(reason[1]))[:n]


def _pair(row):
    if len(INTERCEPTS) == 1:
        return 0, 0
    scores = score(row)
    return sorted(range(len(scores)), key=lambda k: -scores[k])[:2]


def _leaf(lookup, values):
    branch = lookup["branches"][0]
    while "leaf" not in branch:
        value = values[branch["input"]]
        holds = any(value is not None and low < value <= high for low, high in branch["inside"])
        holds = branch["missing"] if value is None else holds
        branch = lookup["branches"][branch["yes" if holds else "no"]]
    return branch["leaf"]


def _slot(lookup, values):
    value, edges = values[lookup["input"]], lookup["edges"]
    if value is None:
        return len(edges) + 1
    low, high = 0, len(edges)
    while low < high:
        middle = (low + high) // 2
        if edges[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


def _code(column, value):
    if value is None or value != value:
        return None
    if column["kind"] == "numeric":
        number = float(value)
        if math.isinf(number):
            raise ValueError(f"column {column['name']!r} must be finite or missing; got {number}")
        return None if number != number else number
    is_whole = isinstance(value, float) and value % 1 == 0 and abs(value) < 1e16
    text = str(int(value)) if is_whole else str(value)
    if text in column["labels"]:
        return column["labels"].index(text)
    try:
        number = None if "_" in text else float(text)
    except ValueError:
        number = None
    return dict(column["numbers"]).get(number, len(column["labels"]))
