"""Fitting again: another number of splits, curves around those that stay, other rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sklearn.utils.validation import check_is_fitted

from calmgam.base import BaseCALM, names_of
from calmgam.fit.pipeline import count_returns, learn_curves, learn_the_rest, prepare
from calmgam.fit.policies import positions_of
from calmgam.fit.regions.found import Regions
from calmgam.fit.regions.given import given_trees
from calmgam.fit.regions.joint.path import features_of, trees_after
from calmgam.fit.regions.stability import COLUMNS as STABILITY_COLUMNS
from calmgam.fit.support.settings import check_integer
from calmgam.model.fields import checked_offset
from calmgam.model.ledger import frame_of
from calmgam.model.trail import edits_of


class Refitting(BaseCALM):
    """An estimator whose fitted model can be fitted again, in part or to other rows."""

    def refit_splits(
        self, n_splits: int, X: Any, y: Any, sample_weight: Any = None, offset: Any = None
    ) -> Any:
        """Fit the curves again with another number of splits of the path found by `fit`.

        Parameters
        ----------
        n_splits : int
            How many splits of ``path_``, which joint growth leaves, to make; ``ledger_.path``
            shows what they are worth.
        X, y, sample_weight, offset
            As in `fit`.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        n_path = len(self.path_)
        check_integer("n_splits", n_splits, low=0)
        if n_splits > n_path:
            only = "" if n_path else ", which growth='joint' alone makes"
            raise ValueError(
                f"n_splits must be in 0..{n_path}, the length of the path{only}; got {n_splits}"
            )
        plan, schema = self._plan(), self.model_.schema
        given = self._read(X, y, sample_weight, offset, reset=False)
        prepared = prepare(given.X, given.target, plan, schema)
        trees = trees_after(self.path_[:n_splits], schema.n_features)
        given_regions = dict(zip(schema.names, trees, strict=True))
        ledger = self.ledger_.keeping(n_splits)
        used = set().union(*map(features_of, self.path_[:n_splits]))
        flat = frozenset(map(schema.index, self.flat_features_)) - used
        regions = Regions(given_trees(given_regions, prepared), ledger, self.path_, flat=flat)
        model = learn_curves(prepared, regions, plan)
        self.flat_features_ = names_of(flat, schema)
        return self._take(model, given, plan)

    def refit(
        self,
        X: Any,
        y: Any,
        keep: Iterable[str | int] = (),
        sample_weight: Any = None,
        offset: Any = None,
    ) -> Any:
        """Learn the curves again, in the model's regions and around curves that stay.

        Parameters
        ----------
        X, y, sample_weight, offset
            As in `fit`.
        keep : iterable of str or int
            Features whose regions and curves stay as they are, edits included.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        plan, old = self._plan(), self.model_
        kept = frozenset(positions_of(keep, old.schema, "keep"))
        if len(kept) == old.schema.n_features:
            raise ValueError("keep must leave a feature to learn; got all of them")
        if kept and old.link == "softmax":
            raise ValueError(
                "keep must be empty with three classes or more, whose curves are learned together; "
                f"got {list(names_of(kept, old.schema))}"
            )
        given = self._read(X, y, sample_weight, offset, reset=False)
        if kept:
            encoded = old.schema.encode(self._checked(X, reset=False))
            around = sum(old.terms[i].contribution(encoded) for i in sorted(kept))
            total = around if offset is None else around + checked_offset(offset, len(encoded))
            rest = self._read(X, y, sample_weight, total, reset=False)
            given = replace(given, X=rest.X, target=rest.target)
        prepared = prepare(given.X, given.target, plan, old.schema)
        trees = {
            term.feature.name: term.tree for term in old.terms if term.feature.index not in kept
        }
        flat = frozenset(map(old.schema.index, self.flat_features_)) - kept
        regions = Regions(given_trees(trees, prepared), old.ledger, old.path, flat=flat, kept=kept)
        model = learn_the_rest(old, prepared, regions, plan)
        names = list(names_of(kept, old.schema))
        before = old.provenance.settings.get("edits", ()) if old.provenance else ()
        edits = edits_of(before, old.trail, names)
        return self._take(model, given, plan, kept=names, edits=edits)

    def stability(
        self, X: Any, y: Any, n_boot: int = 20, sample_weight: Any = None, offset: Any = None
    ) -> Any:
        """Count how often the model's splits come back when the rows are drawn again.

        Every bootstrap refit repeats reference and growth, with as many splits as the model has.

        Parameters
        ----------
        X, y, sample_weight, offset
            As in `fit`.
        n_boot : int
            Number of refits.

        Returns
        -------
        pandas data frame, or list of dict where there is no pandas
            One row per split. ``frequency`` is the share of refits with the same feature, the same
            conditioning feature and the same threshold (give or take one of the ``n_thresholds``
            steps) or set of levels, in any region; ``pair_frequency`` that of refits in which the
            feature is conditioned on that feature at all.
        """
        check_is_fitted(self)
        check_integer("n_boot", n_boot, low=1)
        plan = self._plan(max_splits=self.n_splits_)
        given = self._read(X, y, sample_weight, offset, reset=False)
        prepared = prepare(given.X, given.target, plan, self.model_.schema)
        returns = count_returns(prepared, self.ledger_.accepted, plan, n_boot)
        return frame_of(returns, STABILITY_COLUMNS)
