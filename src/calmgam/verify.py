"""Check a certificate: claims about a saved model that anybody can verify, without calmgam.

    python verify.py model.json certificate.json

This file needs Python alone and shares no code with what wrote the certificate. Features, trees and
curves come from the model file of the SHA-256 that it names (a valid one; `calmgam.load` tells).

A claim is about all inputs that agree with `given`: all numbers, the levels that the model lists
(no rare or unseen ones), and missing if seen. A model is constant between the cuts of its curves
and conditions, so one *point* for every gap and level stands for all values. Points that agree in
every condition of every tree form a *piece*; which curves are active depends on pieces alone. A
term is a table over pieces: the most that it adds to a score, or to a change of it.

The proof of a bound takes out one variable after another. A step names the variable, the tables it
takes (by number; its result gets the next one) and the result: for all pieces of other variables
the largest sum. The bound is the sum of what is left when no variable is: sound in any order.
Every number is a double, every sum one of real numbers (`math.fsum`), rounded up to the next
double. So a claim holds for real sums of the doubles in the model file; a program that adds them up
in doubles may differ by its rounding. Scores are on the link scale.
"""

import hashlib
import json
import math
import sys
from bisect import bisect_left
from itertools import pairwise, product, repeat
from operator import mul
from pathlib import Path
from typing import Any

HEAD, TAIL = "format version link classes objective errors schema", "intervals trail"
MODEL = f"{HEAD} intercept terms ledger path provenance {TAIL}"
FEATURE = "name kind levels has_missing has_rare low high whole ordered", "two_valued"
CLAIMS = {
    "range": "low high",
    "at most": "feature start stop bound",
    "monotone": "feature direction tolerance",
    "no influence": "feature tolerance",
}
WRONG_WAY = {"increasing": -1, "decreasing": 1}
Condition = tuple[int, Any, bool, bool]  # feature, (low, high] or codes, negated, for missing


def need(is_right: Any, rule: str) -> None:
    """Refuse what breaks a rule."""
    if not is_right:
        raise ValueError(rule)


def fields(plain: Any, names: str, optional: str = "") -> list[Any]:
    """Return the values of an object that has these fields and no others."""
    need(type(plain) is dict, f"an object with {names} is needed")
    wrong = {k for k, v in plain.items() if not k or k != optional or v is None} ^ {*names.split()}
    need(not wrong, f"fields must be {names}; missing or unknown: {sorted(wrong)}")
    return [plain.get(name) for name in f"{names} {optional}".split()]


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object of JSON, none of which may come twice."""
    need(len(dict(pairs)) == len(pairs), "an object has a field more than once")
    return dict(pairs)


def numbers(plain: Any) -> list[float]:
    """Return a list of finite doubles."""
    is_right = type(plain) is list and all(type(x) is float and math.isfinite(x) for x in plain)
    need(is_right, "finite numbers with a decimal point or an exponent are needed")
    return list(plain)


def digest(document: Any) -> str:
    """Return the SHA-256 of canonical JSON: sorted fields, no spaces, ASCII, shortest numbers."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def up(parts: list[float]) -> float:
    """Return the least double that is not below the sum of real numbers."""
    nearest = math.fsum(parts)
    return math.nextafter(nearest, math.inf) if math.fsum([*parts, -nearest]) > 0 else nearest


def holds(condition: Condition, value: Any) -> bool:
    """Tell whether a number, the code of a level or None (missing) satisfies a condition."""
    _, inside, is_negated, for_missing = condition
    if value is None:
        return for_missing
    if type(inside) is tuple:
        return (inside[0] < value <= inside[1]) != is_negated
    return (value in inside) != is_negated


class Model:
    """What of a model file matters for scores; levels are numbers, too: their codes."""

    def __init__(self, document: Any) -> None:
        kind, version, link, _, _, _, schema, intercept, terms, *_ = fields(document, MODEL)
        need([kind, version] == ["calmgam", 3], "a calmgam model of version 3 is needed")
        need(link in ("identity", "log", "logit"), "a model with one score per row is needed")
        (self.intercept,), (self.features,) = numbers([intercept]), fields(schema, "features")
        self.index = {fields(f, *FEATURE)[0]: index for index, f in enumerate(self.features)}
        self.conditions: list[list[Condition]] = [[] for _ in terms]  # of all trees, by feature
        self.asked: list[set[int]] = [set() for _ in terms]  # what a term's tree asks about
        self.trees, self.edges, self.curves = [], [], []
        for own, (feature, term) in enumerate(zip(self.features, terms, strict=True)):
            name, tree, shapes = fields(term, "feature tree shapes")
            parts = [fields(shape, "edges values counts spreads") for shape in shapes]
            self.trees.append(self._tree(own, tree, 0)[0])
            self.edges.append(numbers(parts[0][0]) or range(len(feature["levels"])))
            self.curves.append([numbers(part[1]) for part in parts])
            need(name == feature["name"], "terms come in the order of the features")
        self.kept: dict[str, Inputs] = {}

    def _tree(self, own: int, plain: Any, leaf: int) -> tuple[Any, int]:
        """Return (condition, left, right) with leaves numbered from `leaf`, and the next number."""
        if plain == {}:
            return leaf, leaf + 1
        condition, left, right = fields(plain, "condition left right")
        condition = self.condition(condition)
        self.conditions[condition[0]].append(condition)
        self.asked[own].add(condition[0])
        left, leaf = self._tree(own, left, leaf)
        right, leaf = self._tree(own, right, leaf)
        return (condition, left, right), leaf

    def condition(self, plain: Any) -> Condition:
        """Read a condition."""
        names = "feature operator value missing"
        name, operator, value, missing, bounds = fields(plain, names, "bounds")
        levels, is_equality = self.features[self.index[name]]["levels"], operator in ("=", "!=")
        is_right = is_equality or (operator in ("<=", ">") and not levels and bounds is None)
        is_right = is_right and (type(value) is list) == bool(levels) and type(missing) is bool
        if levels:
            inside: Any = frozenset(map(levels.index, value))
        else:
            ends = (bounds or ["-inf", "inf"]) if is_equality else ["-inf", value]
            low, high = (float(e) if e in ("inf", "-inf") else numbers([e])[0] for e in ends)
            inside, is_right = (low, high), is_right and low < float(value) <= high
        need(is_right, f"no condition: {plain}")
        return self.index[name], inside, operator in (">", "!="), missing

    def code(self, feature: int, value: Any) -> Any:
        """Return a value as the model takes it: a number, the code of a level, or None."""
        if value is None and self.features[feature]["has_missing"]:
            return None
        levels = self.features[feature]["levels"]
        return levels.index(value) if levels else numbers([value])[0]

    def leaf(self, term: int, row: Any) -> int:
        """Return the leaf that a row, values by feature, reaches."""
        node = self.trees[term]
        while type(node) is tuple:
            node = node[1] if holds(node[0], row[node[0][0]]) else node[2]
        return int(node)

    def height(self, term: int, leaf: int, value: Any) -> float:
        """Return what a curve adds for a value of its feature."""
        slot = -1 if value is None else bisect_left(self.edges[term], value)
        return self.curves[term][leaf][slot]


class Inputs:
    """All inputs that agree with `given`, or one `row` of them, as points and pieces by feature."""

    def __init__(self, model: Model, given: Any, row: Any = None) -> None:
        need(type(given) is list and len(row or model.index) == len(model.index), "no inputs")
        self.points: list[list[Any]] = []
        self.pieces: list[list[list[Any]]] = []
        self.model, self.given, conditions = model, given, [*map(model.condition, given)]
        for k, feature in enumerate(model.features):
            own = [c for c in conditions if c[0] == k]
            points: list[Any] = list(range(len(feature["levels"])))
            if not points:
                ends = {end for c in (*own, *model.conditions[k]) for end in c[1]}
                points = [*sorted({*filter(math.isfinite, ends), *model.edges[k]}), math.inf]
            points += [None] * feature["has_missing"]
            points = points if row is None else [model.code(k, row[feature["name"]])]
            self.points.append([p for p in points if all(holds(c, p) for c in own)])
            pieces: dict[Any, list[Any]] = {}
            for point in self.points[k]:
                sides = tuple(holds(c, point) for c in model.conditions[k])
                pieces.setdefault(sides, []).append(point)
            self.pieces.append(list(pieces.values()))
        need(all(self.points), "given holds for no input")

    def table(self, term: int, sign: int, move: Any) -> tuple[list[int], list[float]]:
        """Return a term's variables, and the most it adds for every choice of their pieces."""
        moved, *ends = move or (None, None)
        own, most, table = sorted({term, *self.model.asked[term]} - {moved}), {}, []
        for choice in product(*(self.pieces[k] for k in own)):
            row = {k: piece[0] for k, piece in zip(own, choice, strict=True)}
            leaves = [self.model.leaf(term, {**row, moved: end}) for end in ends]
            key = *leaves, row.get(term)
            if key not in most:
                points = choice[own.index(term)] if term in row else []
                ways = [[point] * len(ends) for point in points] or [ends]
                heights = (map(self.model.height, repeat(term), leaves, way) for way in ways)
                most[key] = max(up([*map(mul, each, (sign, -sign))]) for each in heights)
            table.append(most[key])
        return [k for k in own if len(self.pieces[k]) > 1], table

    def bound(self, proof: Any, sign: int, move: Any = None, has_row: bool = True) -> float:
        """Check the proof of a bound of sign * score, or of sign * change; return the bound."""
        steps, bound, *row = fields(proof, "steps bound row attained" if has_row else "steps bound")
        terms = [k for k, a in enumerate(self.model.asked) if not move or move[0] in {k, *a}]
        tables = dict(enumerate(self.table(term, sign, move) for term in terms))
        for at, (variable, taken, message) in enumerate(steps, len(terms)):
            is_right = taken == sorted(set(taken)) and {*map(type, (variable, *taken))} == {int}
            parts = [tables.pop(k) for k in taken]
            need(is_right and parts and all(variable in p[0] for p in parts), "a step is wrong")
            kept = sorted({k for p in parts for k in p[0]} - {variable})
            is_right = len(message) == math.prod(len(self.pieces[k]) for k in kept)
            tables[at] = kept, self._largest(parts, [*kept, variable]) if is_right else []
            need(numbers(message) == tables[at][1], "a step is not the largest sums")
        is_right = type(steps) is list and not any(p[0] for p in tables.values())
        need(is_right, "a variable is left")
        constant = [] if move else [sign * self.model.intercept]
        total = up([*(p[1][0] for p in tables.values()), *constant])
        need(numbers([bound]) == [total], "a bound is not the sum of what is left")
        if row:  # the other way round, so that rounding up is rounding down
            (attained,), at_row = numbers(row[1:]), Inputs(self.model, self.given, row[0])
            at_row.bound({"steps": [], "bound": -attained}, -sign, move, has_row=False)
        return total

    def _largest(self, parts: list[Any], axes: list[int]) -> list[float]:
        """Return the largest sums over the last axis for all pieces of the others."""
        sizes = {k: len(self.pieces[k]) for k in axes}
        after = [{k: own[at:] for at, k in enumerate(own, 1)} for own, _ in parts]
        strides = [[k in a and math.prod(sizes[j] for j in a[k]) for k in axes] for a in after]
        choices, n = product(*map(range, sizes.values())), sizes[axes[-1]]
        places = ([sum(map(mul, choice, s)) for s in strides] for choice in choices)
        sums = [up([p[1][at] for p, at in zip(parts, place, strict=True)]) for place in places]
        return [max(sums[at : at + n]) for at in range(0, len(sums), n)]

    def steps(self, feature: int, sign: int, proofs: list[Any], with_missing: bool) -> float:
        """Bound what sign * score may gain from each point of a feature to the next, in total."""
        asked, bounds = sorted(self.model.asked[feature]), [0.0]
        ways = product(*([piece[0] for piece in self.pieces[k]] for k in asked))
        leaves = {self.model.leaf(feature, dict(zip(asked, way, strict=True))) for way in ways}
        points = [p for p in self.points[feature] if p is not None or with_missing]
        curves = [[sign * self.model.height(feature, k, p) for p in points] for k in leaves]
        piece_of = {p: at for at, piece in enumerate(self.pieces[feature]) for p in piece}
        for at, (start, stop) in enumerate(pairwise(points)):
            if piece_of[start] == piece_of[stop]:  # nothing switches
                bounds.append(max(up([curve[at + 1], -curve[at]]) for curve in curves))
            else:
                bounds.append(self.bound(proofs.pop(0), sign, (feature, stop, start), False))
        return up([max(bound, 0.0) for bound in bounds])


def check(model: Model, plain: Any) -> str:
    """Check one claim; return it in words, on one line whatever a name holds."""
    claim, given, proofs, *words = fields(plain, f"claim given proofs {CLAIMS[plain['claim']]}")
    inputs = model.kept[digest(given)] = model.kept.get(digest(given)) or Inputs(model, given)
    if claim == "range":
        (lowest, highest), (low, high) = proofs, numbers(words)
        is_proved = inputs.bound(lowest, -1) <= -low and inputs.bound(highest, 1) <= high
        text = f"every score lies in [{low}, {high}]"
    elif claim == "at most":
        (proof,), (name, start, stop, limit) = proofs, words
        move = (index := model.index[name]), model.code(index, stop), model.code(index, start)
        bound = inputs.bound(proof, 1, move)
        is_proved = [bound] <= numbers([limit]) and proof["row"][name] == start
        text = f"{name!r} from {start!r} to {stop!r} changes the score by at most {limit}"
    else:
        name, *way, tolerance = words
        feature, waiting = model.features[model.index[name]], [*proofs]
        need(not way or feature["kind"] != "categorical" or feature["ordered"], "without order")
        ways = [WRONG_WAY[word] for word in way] or [-1, 1]
        totals = [inputs.steps(model.index[name], sign, waiting, not way) for sign in ways]
        is_proved = max(totals) <= numbers([tolerance])[0] and not waiting
        text = f"the score is {way[0]} in {name!r}" if way else f"{name!r} has no influence"
        text += f", but for at most {tolerance}" if tolerance else ""
    text += f", given {given}" if given else ""
    need(is_proved and type(proofs) is list, f"not proved: {text}")
    return f"proved: {text}"


def verify(model_text: str, certificate_text: str) -> list[str]:
    """Return the claims of a certificate in words, or refuse it."""
    try:
        texts = model_text, certificate_text
        document, certificate = (json.loads(text, object_pairs_hook=unique) for text in texts)
        *kind, model, claims, seal = fields(certificate, "format version model claims digest")
        need(repr(kind) == "['calmgam certificate', 1]" and claims, "no certificate of version 1")
        need(seal == digest({**certificate, "digest": None}), "the certificate was changed")
        need(model == digest(document), "the certificate is about another model")
        glassbox = Model(document)
        return [check(glassbox, claim) for claim in claims]
    except Exception as error:
        what = "" if type(error) is ValueError else f"{type(error).__name__} "
        raise ValueError(f"refused: {what}{error}") from None


if __name__ == "__main__":
    try:
        print(*verify(*(Path(name).read_text("utf-8") for name in sys.argv[1:])), sep="\n")
    except (ValueError, TypeError, OSError) as error:
        sys.exit(str(error))
