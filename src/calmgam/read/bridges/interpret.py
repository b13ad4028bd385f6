"""A model as an explanation that `interpret.show` draws; interpret itself is not imported."""

from __future__ import annotations

import io
from typing import Any

from calmgam.model.glassbox import Model
from calmgam.model.ledger import frame_of
from calmgam.read.view_types import ModelView
from calmgam.read.views import feature_view, model_view


class GlobalExplanation:
    """What interpret wants of a global explanation: a name, a selector, data and pictures.

    Attributes
    ----------
    name : str
    explanation_type : "global"
    selector : pandas data frame
        A row per feature, the most important one first; a key counts its rows.
    feature_names : list of str
    """

    explanation_type = "global"

    def __init__(self, model: Model, name: str) -> None:
        self.name = name
        self._model = model
        self._view: ModelView = model_view(model)
        self.feature_names = [feature.name for feature in self._view.features]
        kinds = [model.schema[name].kind for name in self.feature_names]
        importances = [feature.importance for feature in self._view.features]
        rows = zip(self.feature_names, kinds, importances, strict=True)
        self.selector = frame_of([{"Name": n, "Type": k, "Importance": i} for n, k, i in rows])

    def data(self, key: int | None = None) -> dict[str, Any]:
        """Return plain numbers: of all features, or the curves of one.

        Parameters
        ----------
        key : int, optional
            Row of the selector.
        """
        if key is None:
            importances = [feature.importance for feature in self._view.features]
            return {"type": "univariate", "names": self.feature_names, "scores": importances}
        return feature_view(self._model, self.feature_names[key]).to_dict()

    def visualize(self, key: int | None = None) -> str:
        """Draw all features' importances, or the curves of one, as a page with a picture.

        Parameters
        ----------
        key : int, optional
            Row of the selector.
        """
        from calmgam.read.plots import plot_feature, plot_importance

        if key is None:
            axes = plot_importance(self._model)
        else:
            axes = plot_feature(self._model, self.feature_names[key])
        picture = io.StringIO()
        figure: Any = axes.figure
        figure.savefig(picture, format="svg", bbox_inches="tight")
        return f"<!doctype html>\n<body>{picture.getvalue()}</body>"


def to_interpret(model: Model, name: str = "Conditionally additive local model") -> Any:
    """Return a model as an explanation for ``interpret.show``.

    Parameters
    ----------
    model : Model
    name : str
        Title in interpret's dashboard.

    Returns
    -------
    GlobalExplanation
    """
    return GlobalExplanation(model, name)
