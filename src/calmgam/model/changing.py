"""Models from models: methods that hand a model to `calmgam.model.edits`; nothing is done here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calmgam.model.edits.editor import Editor
    from calmgam.model.glassbox import Model


class Changing:
    """What gives a new model; the old one stays as it is."""

    def with_intervals(self: Any, X: Any, y: Any) -> Model:
        """Return the model with intervals measured on rows that it has not seen.

        Parameters
        ----------
        X : data frame or array
        y : array
        """
        from calmgam.model.edits.calibration import with_intervals  # it knows models

        return with_intervals(self, X, y)

    def calibrated(self: Any, X: Any, y: Any, *, who: str = "", why: str = "") -> Model:
        """Return the model with calibrated probabilities, if that helps on rows left out.

        Parameters
        ----------
        X, y : data frame or array and its labels
            Rows that the fit has not seen.
        who, why : str
            For the trail.
        """
        from calmgam.model.edits.calibration import calibrated

        return calibrated(self, X, y, who=who, why=why)

    def edit(self: Any, X: Any = None, y: Any = None, *, who: str = "") -> Editor:
        """Return an editor of this model; its `done()` gives the edited one.

        Parameters
        ----------
        X, y : data frame or array and its target, optional
            Rows on which the loss before and after every edit is measured.
        who : str
            Who edits.
        """
        from calmgam.model.edits.editor import Editor  # it knows models

        return Editor(self, who, None if X is None else (self.schema.encode(X), y))

    def simplify(
        self: Any, X: Any, y: Any, tolerance: float = 0.005, *, who: str = "", why: str = ""
    ) -> Model:
        """Return a model with the fewest bands whose loss on given rows stays within a tolerance.

        Its trail says by how much the score changes at most, and the loss before and after.

        Parameters
        ----------
        X, y : data frame or array and its target
            Rows that the fit has not seen, if possible; training rows lead to more bands.
        tolerance : float
            How much the mean loss may grow, relatively.
        who, why : str
            For the trail.
        """
        from calmgam.model.edits.simplify import find_bands

        bands = find_bands(self, self.schema.encode(X), y, tolerance)
        editor: Editor = self.edit(X, y, who=who)
        return editor.apply(bands, why).done()

    def undo(self: Any, n_edits: int = 1) -> Model:
        """Return the model before its last edits, exactly.

        Parameters
        ----------
        n_edits : int
        """
        from calmgam.model.edits.editor import undo

        return undo(self, n_edits)
