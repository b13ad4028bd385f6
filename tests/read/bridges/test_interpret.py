"""Explanations that interpret's own functions take and draw."""

import subprocess
import sys

import pytest
from reading_models import hand_model

from calmgam.read import to_interpret


def test_data_are_importances_and_curves():
    explanation = to_interpret(hand_model())
    scores = explanation.data()["scores"]
    assert scores == sorted(scores, reverse=True)
    assert explanation.data(0)["name"] == explanation.feature_names[0]
    assert list(explanation.selector["Name"]) == explanation.feature_names


def test_interpret_shows_it():
    interpret = pytest.importorskip("interpret")
    seen = []

    class Provider:
        def render(self, explanation, key=-1, **kwargs):
            seen.append(explanation.visualize(None if key in (-1, None) else key))

    previous = interpret.get_visualize_provider()
    interpret.set_visualize_provider(Provider())
    try:
        interpret.show(to_interpret(hand_model()), key=1)
    finally:
        interpret.set_visualize_provider(previous)
    assert "<svg" in seen[0]


def test_interpret_is_not_imported(tmp_path):
    code = (
        "import sys, calmgam; sys.modules['interpret'] = None;"
        "calmgam.read.to_interpret(calmgam.load(sys.argv[1])).visualize()"
    )
    hand_model().save(tmp_path / "model.json")
    command = [sys.executable, "-c", "import calmgam.read;" + code, str(tmp_path / "model.json")]
    subprocess.run(command, check=True)
