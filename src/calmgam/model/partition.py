"""From a list of regions to the splits that make them.

In: regions as people write them, in any order. Out: nested `(condition, left, right)`, with None
for a leaf. A split is right if it cuts no region, so splitting on and on either ends with one
region in every part, which proves that they do not overlap, or gets stuck, and then it is said
why. A part that its region does not cover is a gap.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from calmgam.model.regions import Condition, Region
from calmgam.model.schema import Feature
from calmgam.model.value_sets import Support

MAX_DEPTH = 100  # of a tree: every part of calmgam can walk so deep a one
FEW_REGIONS = 16  # are split by the first condition that will do; more are halved: flat trees


def nested_splits(regions: Sequence[Region]) -> Any:
    """Return the nested splits that lead to these regions.

    Regions that are empty, overlap, leave a gap or cannot be made by splitting in two again and
    again are refused.
    """
    for region in regions:
        if region.is_empty:
            raise ValueError(f"regions must not be empty; no row lies in: {region}")
    return _nested(Region(), list(regions))


def _nested(path: Region, regions: list[Region]) -> Any:
    """Split a part of all rows, the path, which holds these regions."""
    if len(regions) > 1:
        split = _halving(regions) if len(regions) > FEW_REGIONS else None
        split = split or _first_split(regions)
        if split is not None:
            if len(path.conditions) == MAX_DEPTH:
                raise too_deep()
            condition, inside, outside = split
            left = _nested(path.with_condition(condition), inside)
            right = _nested(path.with_condition(condition.negate()), outside)
            return condition, left, right
        for first, second in combinations(regions, 2):
            if not first.contradicts(second):
                raise ValueError(
                    f"regions must not overlap; both hold {first & second}: "
                    f"({first}) and ({second})"
                )
    gap = _find_gap(path, regions)
    if gap is not None:
        new_label = any(condition.operator == "!=" for condition in gap.conditions)
        advice = " (write != in one of them: new labels need a region, too)" if new_label else ""
        raise ValueError(f"regions must cover everything; none of them holds: {gap}{advice}")
    if len(regions) > 1:
        texts = "; ".join(map(str, regions))
        raise ValueError(
            f"regions must come from splitting in two again and again; stuck at: {texts}"
        )
    return None


def too_deep() -> ValueError:
    """Return the error for a tree that is deeper than any may be."""
    return ValueError(f"a tree must have at most {MAX_DEPTH} conditions on the way to a leaf")


def _find_gap(whole: Region, regions: list[Region]) -> Region | None:
    """Return a part of a region that none of some regions covers."""
    parts = [(whole, regions)]
    while parts:
        path, regions = parts.pop()
        if _is_void(path):
            continue
        regions = [region for region in regions if not path.contradicts(region)]
        if not regions:
            return path
        condition = next((c for c in regions[0].conditions if not path.implies(c)), None)
        if condition is not None:  # otherwise the first region covers the path
            sides = condition.negate(), condition
            parts += [(path.with_condition(side), regions) for side in sides]
    return None


def _is_void(region: Region) -> bool:
    """No row lies in the region, or only missing values of a feature that has none."""
    expected = {c.feature.index for c in region.conditions if c.feature.has_missing}
    return any(
        not support.intervals and not (support.missing and index in expected)
        for index, support in region.supports.items()
    )


Split = tuple[Condition, list[Region], list[Region]]


def _first_split(regions: list[Region]) -> Split | None:
    """Return the first condition that cuts no region, with the regions on either side."""
    splits = (_divided(condition, regions) for condition in _possible_splits(regions))
    return next(filter(None, splits), None)


def _divided(condition: Condition, regions: list[Region]) -> Split | None:
    """Return the regions on either side of a condition, if it cuts none and there are both."""
    index, support = condition.feature.index, condition.support
    inside, outside = [], []
    for region in regions:
        values = region.supports.get(index)
        if values is None:
            return None
        if values <= support:
            inside.append(region)
        elif not values & support:
            outside.append(region)
        else:
            return None
    return (condition, inside, outside) if inside and outside else None


def _possible_splits(regions: list[Region]) -> Iterator[Condition]:
    """Conditions that may separate the regions, each with missing values on either side."""
    for condition in dict.fromkeys(c for region in regions for c in region.conditions):
        yield from (condition, replace(condition, missing=not condition.missing))
        if condition.feature.is_numeric:
            for edge in (*condition.edges, math.inf):
                for missing in (False, True):
                    yield Condition(condition.feature, "<=", edge, missing)
        else:
            index = condition.feature.index
            if all(index in region.supports for region in regions):
                supports = [region.supports[index] for region in regions]
                for group, _ in _level_groups(condition.feature, supports):
                    if condition.feature.n_levels not in group:
                        yield _among(condition.feature, group)


def _level_groups(feature: Feature, supports: list[Support]) -> list[tuple[set[int], int]]:
    """Return the groups of codes that hang together by some set, and how many sets each has."""
    groups: list[tuple[set[int], int]] = []  # unseen is n_levels, missing is n_levels + 1
    for support in supports:
        group, n_members = support.codes(feature.n_levels), 1
        apart = []
        for other, n_others in groups:
            if other.isdisjoint(group):
                apart.append((other, n_others))
            else:
                group, n_members = group | other, n_members + n_others
        groups = [*apart, (group, n_members)]
    return groups


def _among(feature: Feature, codes: set[int]) -> Condition:
    """Return the condition that holds for these codes, of which none is the unseen level's."""
    levels = tuple(sorted(codes - {feature.n_levels + 1}))
    return Condition(feature, "=", levels, feature.n_levels + 1 in codes)


def _halving(regions: list[Region]) -> Split | None:
    """Return the condition that cuts no region and divides them most evenly; None if none does."""
    shared = set.intersection(*(set(region.supports) for region in regions))
    features = {c.feature.index: c.feature for c in regions[0].conditions}
    best: tuple[int, Condition] | None = None
    for index in sorted(shared):
        supports = [region.supports[index] for region in regions]
        find = _even_threshold if features[index].is_numeric else _even_levels
        found = find(features[index], supports)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return None if best is None else _divided(best[1], regions)


def _even_threshold(feature: Feature, supports: list[Support]) -> tuple[int, Condition] | None:
    """Return the threshold that divides sets of numbers most evenly, and the smaller side's size.

    One at which no set goes on, and with it the side that missing values must be on.
    """
    hulls = [(s.intervals[0][0], s.intervals[-1][1], s.missing) for s in supports if s.intervals]
    lows, highs = sorted(low for low, _, _ in hulls), sorted(high for _, high, _ in hulls)
    missing_low = min((low for low, _, missing in hulls if missing), default=math.inf)
    missing_high = max((high for _, high, missing in hulls if missing), default=-math.inf)
    best: tuple[int, Condition] | None = None
    for cut in sorted({high for high in highs if high < math.inf}):
        n_left, n_right = bisect_right(highs, cut), len(lows) - bisect_left(lows, cut)
        if n_left + n_right < len(hulls) or not n_right:
            continue
        for missing in (False, True):
            if missing_high <= cut if missing else missing_low >= cut:
                size = min(n_left, n_right)
                if best is None or size > best[0]:
                    best = size, Condition(feature, "<=", cut, missing)
    return best


def _even_levels(feature: Feature, supports: list[Support]) -> tuple[int, Condition] | None:
    """Return the levels that divide sets of levels most evenly, and the smaller side's size."""
    groups = _level_groups(feature, supports)
    codes: set[int] = set()
    n_inside = 0
    for group, n_members in groups:
        if feature.n_levels not in group and 2 * (n_inside + n_members) <= len(supports):
            codes |= group
            n_inside += n_members
    if not n_inside:
        return None
    return min(n_inside, len(supports) - n_inside), _among(feature, codes)
