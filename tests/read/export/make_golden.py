"""Writes the golden vectors: run it when the program's format changes, and look at what changed."""

import json
import math
from pathlib import Path

from export_models import as_json_rows, random_case

import calmgam
from calmgam.model.serialize import to_json
from calmgam.read.export.program import Program

SEEDS = range(8)
N_ROWS = 25
N_REASONS = 4
FILE = Path(calmgam.__file__).parent / "read" / "export" / "golden.json"


def plain(value):
    """Replace the infinities that JSON lacks by their names."""
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list) else value


def oldest(document):
    """Return a model's file in version 1, which every later calmgam reads."""
    names = ("format", "link", "classes", "errors", "schema", "intercept", "terms")
    return {name: document[name] for name in names} | {"version": 1}


def golden(seed):
    case = random_case(seed, N_ROWS, n_fine=5, max_edge=1e17)  # charts reach no further
    return {
        "model": oldest(json.loads(to_json(case.model))),
        "program": plain(Program.of(case.model).to_dict()),
        "rows": as_json_rows(case.X),
        "offsets": case.offset.tolist(),
        "scores": case.score.tolist(),
        "contributions": case.contributions.tolist(),
        "predictions": case.prediction.tolist(),
        "reasons": [list(map(list, row)) for row in case.expected_reasons(N_REASONS)],
    }


if __name__ == "__main__":
    cases = ",\n".join(json.dumps(golden(seed), allow_nan=False) for seed in SEEDS)
    FILE.write_text(f"[{cases}]\n", encoding="ascii")
