import json

import numpy as np
import pandas as pd
import pytest

from calmgam.fit.references import ubjson


def plain(value):
    """Arrays as lists, so that both formats compare."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | np.ndarray):
        return [plain(part) for part in np.asarray(value).tolist()]
    return value


def test_a_model_reads_as_from_json():
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": pd.Categorical(rng.choice(list("xyz"), 300))})
    y = X["a"] * (X["b"] == "x") + rng.normal(size=300)
    model = xgboost.XGBRegressor(n_estimators=5, n_jobs=1, enable_categorical=True).fit(X, y)
    booster = model.get_booster()
    binary = ubjson.parse(bytes(booster.save_raw("ubj")))["learner"]
    text = json.loads(booster.save_raw("json"))["learner"]
    for name in ("feature_names", "feature_types", "learner_model_param", "objective"):
        assert plain(binary[name]) == text[name]
    trees, same = (part["gradient_booster"]["model"]["trees"] for part in (binary, text))
    for one, other in zip(trees, same, strict=True):
        assert one.keys() == other.keys()
        for name in one:
            if isinstance(one[name], np.ndarray) and one[name].dtype.kind == "f":
                np.testing.assert_array_equal(one[name], np.array(other[name], np.float32))
            else:
                assert plain(one[name]) == other[name]


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"i\xff", -1),
        (b"U\xff", 255),
        (b"I\x01\x00", 256),
        (b"d\x3f\x80\x00\x00", 1.0),
        (b"D" + b"\x3f\xf0" + b"\x00" * 6, 1.0),
        (b"SU\x03abc", "abc"),
        (b"[TFZ]", [True, False, None]),
        (b"[#U\x02U\x01U\x02", [1, 2]),
        (b"{U\x01a[$l#U\x02\x00\x00\x00\x01\xff\xff\xff\xff}", {"a": [1, -1]}),
    ],
)
def test_every_kind_of_value(data, value):
    assert plain(ubjson.parse(data)) == value


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match=r"unknown kind b'\?' at byte 1"):
        ubjson.parse(b"[?")
