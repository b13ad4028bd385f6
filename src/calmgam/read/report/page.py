"""The page as one file: data, script and style inside, nothing fetched from anywhere.

A `Model` comes in, an HTML file goes out. The data travel as JSON in which no sign can end the
script element, and the content security policy lets only our own script run and forbids the
network, so that a column called `<script>` stays text.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

from calmgam.model.files import write_text
from calmgam.model.glassbox import Model
from calmgam.read.report.contents import page_contents
from calmgam.read.report.filing import filing
from calmgam.read.report.measures import page_measures
from calmgam.read.views import model_view

PathLike = str | os.PathLike[str]

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'sha256-{digest}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="page"><noscript>This page draws its model with JavaScript.</noscript></div>
<script id="contents" type="application/json">{contents}</script>
<script>{script}</script>
</body>
</html>
"""


def report(
    model: Model,
    path: PathLike,
    *,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    offset: Any = None,
    sample: Any = None,
    title: str | None = None,
    target: str | None = None,
    origin: str | None = None,
) -> Path:
    """Write a page that shows a model, audits it and runs it.

    Parameters
    ----------
    model : Model
    path : path
        The HTML file to write.
    X, y : data frame or array and its target, optional
        Rows on which the model is measured. They do not enter the page: it holds sums over at
        least five of them.
    sample_weight, offset : array, optional
        Of these rows.
    sample : data frame or array, optional
        Rows that enter the page, to start a what-if from; whoever has the page can read them.
    title : str, optional
    target : str, optional
        Name of the target; by default that of y, or of the fit.
    origin : str, optional
        What X is, such as "held-out rows of 2025". The very table of the fit is called training
        rows whatever it is called here.

    Returns
    -------
    Path
        Of the file.
    """
    title = title or "Conditionally additive local model"
    measures = page_measures(model, X, y, sample_weight=sample_weight, offset=offset, origin=origin)
    contents = page_contents(
        model,
        model_view(model),
        sample=sample,
        title=title,
        measures=measures,
        filed=filing(model, target, y),
    )
    path = Path(path)
    write_text(path, render(contents, title))
    return path


def render(contents: dict[str, Any], title: str) -> str:
    """Return the page's text.

    Parameters
    ----------
    contents : dict
        As `page_contents` makes it.
    title : str
    """
    assets = files("calmgam.read.report") / "assets"
    script = (assets / "page.js").read_text(encoding="utf-8")
    digest = hashlib.sha256(script.encode()).digest()
    return PAGE.format(
        digest=base64.b64encode(digest).decode(),
        title=html.escape(title),
        style=(assets / "page.css").read_text(encoding="utf-8"),
        contents=safe_json(contents),
        script=script,
    )


def safe_json(value: Any) -> str:
    """Write JSON that may stand inside a script element: ASCII, and nothing that HTML reads.

    Parameters
    ----------
    value
        Plain values without NaN.
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
