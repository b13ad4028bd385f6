"""What the page says of given rows, and what it files, as numbers."""

import hashlib
import json

import numpy as np
import pytest
from measured_models import (
    COLOURS,
    COUNTED,
    COUNTS,
    EXPOSURE,
    LABELS,
    MANY,
    NUMBERS,
    PAIR,
    N,
    X,
    Y,
    fitted_to,
)

from calmgam import Boosting, CALMRegressor
from calmgam.model.provenance import table_digest
from calmgam.model.serialize import fingerprint
from calmgam.read.report.filing import filing
from calmgam.read.report.measures import page_measures


def test_training_rows_are_called_so_whatever_users_call_them():
    model = fitted_to(NUMBERS, X, Y)
    own = page_measures(model, X, Y, origin="test rows")
    assert own["is_training"] and own["origin"] == "training rows"
    other = page_measures(model, X[1:], Y[1:], origin="test rows")
    assert not other["is_training"] and other["origin"] == "test rows"
    assert (own["n_rows"], other["n_rows"]) == (N, N - 1)
    assert page_measures(model, None, None) is None


@pytest.mark.parametrize(
    ("model", "y", "offset"),
    [(NUMBERS, Y, None), (PAIR, LABELS, None), (MANY, COLOURS, None), (COUNTS, COUNTED, True)],
)
def test_only_sums_over_five_rows_enter_the_page(model, y, offset):
    offset = np.log(EXPOSURE) if offset else None
    for n in (300, 17, 6, 5, 4, 1):
        part = None if offset is None else offset[:n]
        found = page_measures(model, X[:n], y[:n], offset=part)
        for output in found["outputs"]:
            groups = [*output["calibration"], *(s for o in output["slices"] for s in o["slices"])]
            assert all(group["n_rows"] >= 5 for group in groups)
            assert bool(groups) == (n >= 5)
        if found["residuals"]:
            assert all(group["n_rows"] >= 5 for group in found["residuals"]["groups"])
        hours = {f"{hour!r}"[:10] for hour in X["hour"][:n]}
        assert not any(hour in json.dumps(found) for hour in hours)


def test_the_filing_knows_the_fit_and_the_digest():
    model = fitted_to(
        NUMBERS,
        X,
        Y,
        estimator="CALMRegressor",
        target="count",
        parameters={"max_depth": 3, "monotone": {"flag": "increasing"}, "growth": "joint"},
    )
    filed = filing(model, None)
    facts = dict(filed["facts"])
    assert facts["model's SHA-256"] == fingerprint(model)
    assert (facts["target"], facts["random numbers"]) == ("count", "seed 7")
    assert facts["training table's SHA-256"] == table_digest(X, Y)
    assert ["max_depth", "3"] in filed["parameters"]
    (constraint,) = filed["constraints"]
    assert constraint == "flag: increasing; the model as it is now does NOT keep to this"
    assert dict(filing(model, None, Y)["facts"])["target"] == "rentals"
    assert dict(filing(model, "rides", Y)["facts"])["target"] == "rides"
    assert "random numbers" not in dict(filing(NUMBERS, None)["facts"])


def test_features_given_by_position_are_named_and_checked():
    flag = NUMBERS.schema.index("flag")
    first, second = NUMBERS.schema.names[:2]
    by_position, by_name = (
        {
            "monotone": {one[flag]: "increasing"},
            "condition_features": [one[0], one[flag - len(one)]],
            "never_condition_on": [one[1]],
            "interactions": {"forbidden": [[one[0], one[1]]]},
        }
        for one in (range(len(NUMBERS.schema.names)), NUMBERS.schema.names)
    )
    found = [
        filing(fitted_to(NUMBERS, X, Y, parameters=parameters), None)["constraints"]
        for parameters in (by_position, by_name)
    ]
    assert found[0] == found[1]
    assert found[0][0] == "flag: increasing; the model as it is now does NOT keep to this"
    assert found[0][1] == f"Conditions are about {first} and flag alone."
    assert found[0][3].endswith(f'{{"forbidden": [["{first}", "{second}"]]}}')


def test_the_digest_is_that_of_the_file_in_canonical_form(tmp_path):
    NUMBERS.save(tmp_path / "model.json")
    plain = json.loads((tmp_path / "model.json").read_text())
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert dict(filing(NUMBERS, None)["facts"])["model's SHA-256"] == digest


def test_a_fit_remembers_the_name_of_its_target():
    quick = {"curves": Boosting(n_bags=1, max_rounds=5), "max_depth": 0}
    calm = CALMRegressor(**quick, n_jobs=1, random_state=0).fit(X, Y)
    assert calm.model_.provenance.settings["target"] == "rentals"
    assert page_measures(calm.model_, X, Y)["is_training"]
    assert "target" not in calm.fit(X, Y.to_numpy()).model_.provenance.settings
