"""A model as a small HTML card, for notebooks: size, errors, and its most important features.

A `Model` comes in, a piece of HTML goes out: no script, colours of the page around it (light or
dark), texts from the data escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from calmgam.model.glassbox import Model
from calmgam.read.texts.summary import error_text, size_texts
from calmgam.read.view_types import ModelView
from calmgam.read.views import model_view
from calmgam.read.words.numbers import scale_of
from calmgam.read.words.wording import shown_view

N_FEATURES = 8

CARD = """<div class="calmgam-card">
<style>
.calmgam-card {{ display: inline-block; max-width: 54em; padding: .7em 1em;
  font: 13px/1.5 system-ui, sans-serif; border: 1px solid #8886; border-radius: 6px }}
.calmgam-card p {{ margin: 0 0 .6em }}
.calmgam-card small {{ opacity: .7; font-size: inherit }}
.calmgam-card table {{ border-collapse: collapse; margin: 0; font: inherit; color: inherit }}
.calmgam-card td, .calmgam-card th {{ padding: .1em .9em .1em 0; text-align: left; border: 0;
  background: none; font-weight: normal; overflow-wrap: anywhere }}
.calmgam-card td.number {{ text-align: right; font-variant-numeric: tabular-nums }}
.calmgam-card i {{ display: block; height: .7em; background: #0072b2; min-width: 1px }}
</style>
<p><b>{title}</b> <small>{task}</small><br>{size}<br>{errors}</p>
<table>
<tr><th>feature</th><th colspan="2"><small>mean |contribution|</small></th>\
<th><small>depends on</small></th></tr>
{features}
</table>{others}
</div>"""


def card(model: Model, title: str = "Model") -> str:
    """Show a model on a small card.

    Parameters
    ----------
    model : Model
    title : str

    Returns
    -------
    str
        HTML.
    """
    view = shown_view(model_view(model))
    task, size = size_texts(view)
    n_others = view.n_features - N_FEATURES
    return CARD.format(
        title=escape(title),
        task=escape(task),
        size=escape(size),
        errors=escape(error_text(view)),
        features="\n".join(_feature_rows(view)),
        others=f"\n<small>and {n_others} more</small>" if n_others > 0 else "",
    )


def _feature_rows(view: ModelView) -> Iterator[str]:
    largest = view.features[0].importance or 1.0
    scale = scale_of([largest])
    for feature in view.features[:N_FEATURES]:
        width = 8 * feature.importance / largest
        yield (
            f"<tr><td>{escape(feature.name)}</td>"
            f'<td><i style="width: {width:.2f}em"></i></td>'
            f'<td class="number">{scale.text(feature.importance)}</td>'
            f"<td>{escape(', '.join(feature.conditioned_on))}</td></tr>"
        )
