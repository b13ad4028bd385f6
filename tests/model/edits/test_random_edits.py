"""Random edits on top of edits of random models: effects, undo, replay and certificates."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from audit_models import BruteForce, random_model

from calmgam.model import from_json, to_json
from calmgam.read import Range
from calmgam.read.audit.certify import certificate
from calmgam.verify import verify
from class_models import with_classes

KINDS = ("flatten", "clamp", "monotone", "smooth", "bands", "round", "merge_regions",
         "drop_split", "drop_term", "set_reference", "rename_levels", "rescale")  # fmt: skip
LINKS = ("identity", "logit", "log", "softmax")


def random_edit(rng, model):
    """Return an edit as plain values; it may be one that cannot be made."""
    feature = model.schema.features[rng.integers(model.schema.n_features)]
    tree, kind = model.terms[feature.index].tree, str(rng.choice(KINDS))
    regions = [str(region) for region in tree.regions if region.conditions]
    named = {"edit": kind, "feature": feature.name}
    part = named | ({"where": str(rng.choice(regions))} if regions and rng.random() < 0.4 else {})
    if feature.is_numeric:
        low, high = np.sort(rng.choice(np.arange(-4, 5), 2, replace=False)) + 0.5
        part |= {"low": float(low), "high": float(high)} if kind != "bands" else {}
    conditions = [str(node.condition) for node in tree.nodes if node.condition is not None]
    first = feature.levels[0] if feature.levels else 0.3
    return {
        "flatten": part | {"to": [0.3, "mean", "left", -1e6][rng.integers(4)]},
        "clamp": part | {"lowest": -0.5, "highest": 0.5},
        "monotone": part | {"direction": str(rng.choice(["increasing", "decreasing"]))},
        "smooth": part | {"span": 0.5},
        "bands": part | ({"groups": [feature.levels[:2]]} if feature.levels else {"cuts": [0.5]}),
        "round": {"edit": kind, "step": 0.5},
        "merge_regions": named | {"regions": rng.permutation([*regions, "", ""])[:2].tolist()},
        "drop_split": named | {"condition": str(rng.choice([*conditions, "x0 = 99"]))},
        "drop_term": named,
        "set_reference": named | {"value": first},
        "rename_levels": named | {"names": [[str(first), f"{first}x"]]},
        "rescale": {"edit": kind, "slope": 0.5, "shift": 1.0},
    }[kind]


def edited_models(seed, n_edits=5):
    """Return a random model and what edits made of it, one after another."""
    rng, link = np.random.default_rng(seed), LINKS[seed % 4]
    model = random_model(6 * seed + seed % 3)  # of three to five features
    if link == "softmax":
        model = with_classes(model, ["a", "b", "c"], seed)
    else:
        model = replace(model, link=link, classes=("n", "y") if link == "logit" else ())
    models = [model]
    while len(models) <= n_edits:
        try:
            models.append(models[-1].edit(who="Ada").replay([random_edit(rng, models[-1])]).done())
        except ValueError:
            continue
    return models


@pytest.mark.parametrize("seed", range(16))
def test_edits_on_top_of_edits(seed):
    models = edited_models(seed)
    last = from_json(to_json(models[-1]))
    for n_edits, model in enumerate(reversed(models)):
        assert to_json(last.undo(n_edits)) == to_json(model)
    again = models[0].edit().replay(last.trail).done()
    assert (again.terms, again.intercept) == (last.terms, last.intercept)
    score = last.between("a", "c") if last.link == "softmax" else last
    assert verify(to_json(score), json.dumps(certificate(score, [Range()])))
    for before, after in pairwise(models):
        if before.link != "softmax" and after.trail[-1].name != "rename_levels":
            cuts = [edge for term in after.terms for edge in term.edges.tolist()]
            rows = BruteForce(before, extra_cuts=cuts).rows
            changes = np.abs(after.score_encoded(rows) - before.score_encoded(rows))
            effect = after.trail[-1].effect
            assert effect.largest_change == pytest.approx(changes.max(), rel=1e-9, abs=1e-9)
