"""Models from models: methods that hand a model to `calmgam.model.edits`; nothing is done here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calmgam.model.fields import added_to_scores

if TYPE_CHECKING:
    from calmgam.model.edits.editor import Editor
    from calmgam.model.glassbox import Model


class Changing:
    """What gives a new model; the old one stays as it is."""

    def with_intervals(self: Any, X: Any, y: Any, *, offset: Any = None) -> Model:
        """Return the model with intervals measured on rows that it has not seen.

        Parameters
        ----------
        X : data frame or array
        y : array
        offset : array or number, optional
            What is added to the scores of these rows.
        """
        from calmgam.model.edits.calibration import with_intervals  # it knows models

        return with_intervals(self, X, y, offset)

    def calibrated(
        self: Any, X: Any, y: Any, *, offset: Any = None, who: str = "", why: str = ""
    ) -> Model:
        """Return the model with calibrated probabilities, if that helps on rows left out.

        Parameters
        ----------
        X, y : data frame or array and its labels
            Rows that the fit has not seen.
        offset : array or number, optional
            What is added to the scores of these rows.
        who, why : str
            For the trail.
        """
        from calmgam.model.edits.calibration import calibrated

        return calibrated(self, X, y, offset=offset, who=who, why=why)

    def edit(
        self: Any, X: Any = None, y: Any = None, *, offset: Any = None, who: str = ""
    ) -> Editor:
        """Return an editor of this model; its `done()` gives the edited one.

        Parameters
        ----------
        X, y : data frame or array and its target, optional
            Rows on which the loss before and after every edit is measured.
        offset : array or number, optional
            What is added to the scores of these rows.
        who : str
            Who edits.
        """
        from calmgam.model.edits.editor import Editor  # it knows models

        if X is None:
            return Editor(self, who)
        encoded = self.schema.encode(X)
        return Editor(self, who, (encoded, y, added_to_scores(offset, len(encoded), self.link)))

    def simplify(
        self: Any,
        X: Any,
        y: Any,
        tolerance: float = 0.005,
        *,
        offset: Any = None,
        who: str = "",
        why: str = "",
    ) -> Model:
        """Return a model with the fewest bands whose loss on given rows stays within a tolerance.

        Its trail says by how much the score changes at most, and the loss before and after.

        Parameters
        ----------
        X, y : data frame or array and its target
            Rows that the fit has not seen, if possible; training rows lead to more bands.
        tolerance : float
            How much the mean loss may grow, relatively.
        offset : array or number, optional
            What is added to the scores of these rows.
        who, why : str
            For the trail.
        """
        from calmgam.model.edits.simplify import find_bands

        encoded = self.schema.encode(X)
        added = added_to_scores(offset, len(encoded), self.link)
        bands = find_bands(self, encoded, y, tolerance, added)
        editor: Editor = self.edit(X, y, offset=offset, who=who)
        return editor.apply(bands, why).done()

    def undo(self: Any, n_edits: int = 1) -> Model:
        """Return the model before its last edits, exactly.

        Parameters
        ----------
        n_edits : int
        """
        from calmgam.model.edits.editor import undo

        return undo(self, n_edits)
