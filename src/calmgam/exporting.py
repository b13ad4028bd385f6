"""A fitted estimator in other languages and for other libraries: methods that hand its model on.

Nothing is computed here; `calmgam.read` has a function of the same name for every method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from calmgam.drawing import Drawing

if TYPE_CHECKING:
    from pathlib import Path


class Exporting(Drawing):
    """Programs, tables and explanations made from ``model_``."""

    def to_python(self) -> str:
        """Write the model as one Python file without dependencies."""
        from calmgam.read.export import to_python

        return to_python(self._fitted_model())

    def to_sql(
        self,
        dialect: str = "duckdb",
        table: str = "rows",
        *,
        view: str | None = None,
        keep: Sequence[str] = (),
        contributions: bool = False,
        n_reasons: int = 0,
        offset: str | None = None,
    ) -> str:
        """Write the model as a SELECT that scores the rows of a table, or as a view.

        Parameters
        ----------
        dialect : {"duckdb", "postgres", "sqlite"}
        table : str
            Name of the table with the model's columns; a dot separates its schema.
        view : str, optional
            Make a view of this name.
        keep : sequence of str
            Columns of the table to pass on.
        contributions : bool
            Give every feature's contribution, too.
        n_reasons : int
            Give the features with the largest contributions, too.
        offset : str, optional
            Column to be added to the score.
        """
        from calmgam.read.export import to_sql

        return to_sql(
            self._fitted_model(),
            dialect,
            table,
            view=view,
            keep=keep,
            contributions=contributions,
            n_reasons=n_reasons,
            offset=offset,
        )

    def to_table(self, path: Any = None, row: Any = None) -> Any:
        """Return the model as a rating table: a row per feature, region and band.

        Parameters
        ----------
        path : path, optional
            Also write it: ``.csv``, or ``.xlsx`` with a sheet per feature and a worked example.
        row : mapping, sequence or one-row table, optional
            The row of the worked example.
        """
        from calmgam.read.export import to_table

        return to_table(self._fitted_model(), path, row)

    def to_javascript(self) -> str:
        """Write the model as one JavaScript module without dependencies."""
        from calmgam.read.export import to_javascript

        return to_javascript(self._fitted_model())

    def to_c(self, prefix: str = "calm") -> str:
        """Write the model as one C99 file that allocates nothing.

        Parameters
        ----------
        prefix : str
            What the names in the file begin with.
        """
        from calmgam.read.export import to_c

        return to_c(self._fitted_model(), prefix)

    def to_onnx(self, missing: str = "", offset: bool = False) -> Any:
        """Return the model as an ONNX graph in double precision.

        An output that is called like a column has an underscore at its end: ``score_``.

        Parameters
        ----------
        missing : str
            The text that stands for a missing label.
        offset : bool
            There is one more input, ``offset``, which is added to the score.
        """
        from calmgam.read.export import to_onnx

        return to_onnx(self._fitted_model(), missing, offset)

    def to_pmml(self, offset: bool = False) -> str:
        """Write the model as PMML 4.4.

        Parameters
        ----------
        offset : bool
            There is one more field, ``offset``, which is added to the score.
        """
        from calmgam.read.export import to_pmml

        return to_pmml(self._fitted_model(), offset)

    def to_shap(self, X: Any) -> Any:
        """Return the exact contributions of rows as a ``shap.Explanation``.

        Parameters
        ----------
        X : data frame or array
        """
        from calmgam.read.bridges import to_shap

        model = self._fitted_model()
        return to_shap(model, self._checked(X, reset=False))

    def to_interpret(self, name: str = "Conditionally additive local model") -> Any:
        """Return the model as an explanation for ``interpret.show``.

        Parameters
        ----------
        name : str
            Title in interpret's dashboard.
        """
        from calmgam.read.bridges import to_interpret

        return to_interpret(self._fitted_model(), name)

    def to_mlflow(self, path: Any, **options: Any) -> Path:
        """Save the model as a folder that ``mlflow.pyfunc.load_model`` reads, without calmgam.

        Parameters
        ----------
        path : path
            The folder to make.
        **options
            Of ``mlflow.pyfunc.save_model``.
        """
        from calmgam.read.bridges import to_mlflow

        return to_mlflow(self._fitted_model(), path, **options)
