"""Certificates: claims about a model with proofs that others can check, as one JSON file.

The file is bound to the model by the SHA-256 of its canonical JSON, and sealed by one of its own.
`calmgam.verify` checks it; that module needs Python alone and shares no code with this one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from calmgam.model.files import write_text
from calmgam.model.glassbox import Model
from calmgam.model.serialize import canonical_digest, fingerprint, plain_values
from calmgam.read.audit.claims import Claim

FORMAT, VERSION = "calmgam certificate", 1


def certify(model: Model, path: str | os.PathLike[str], claims: Iterable[Claim]) -> Path:
    """Prove claims about a model, and write the proofs to a certificate that anybody can check.

    Parameters
    ----------
    model : Model
        The certificate is about its file, as ``model.save`` writes it.
    path : path
        The JSON file to write. Nothing is written if a claim cannot be proved.
    claims : iterable of Monotone, Range, AtMost and NoInfluence

    Returns
    -------
    Path
        Of the file.
    """
    document = certificate(model, claims)
    write_text(path, json.dumps(document, allow_nan=False))
    return Path(path)


def certificate(model: Model, claims: Iterable[Claim]) -> dict[str, Any]:
    """Return the certificate as plain values."""
    if model.link == "softmax":
        a, b = model.classes[:2]
        raise ValueError(
            "claims must be about one score: save and certify the log-odds of two classes, "
            f"such as model.between({a!r}, {b!r})"
        )
    claims = list(claims)
    strange = [claim for claim in claims if not isinstance(claim, Claim)]
    if strange:
        kinds = ", ".join(kind.__name__ for kind in get_args(Claim))
        raise ValueError(f"claims must be of {kinds}; got {strange[0]!r}")
    proved = [claim.proved(model) for claim in claims]
    if not proved:
        raise ValueError("claims must have at least one claim; got none")
    document = plain_values(
        {"format": FORMAT, "version": VERSION, "model": fingerprint(model), "claims": proved}
    )
    return {**document, "digest": canonical_digest({**document, "digest": None})}
