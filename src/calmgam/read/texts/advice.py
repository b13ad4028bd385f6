"""What to try next: said only where a model's own errors show that something was missed.

In: the view of a model. Out: lines of text. A reference that is far better than a model without
splits saw interactions that the search did not confirm.
"""

from __future__ import annotations

from collections.abc import Iterator

from calmgam.read.view_types import ModelView

FAR_BETTER = 0.9  # times the model's error, or less


def advice_lines(view: ModelView) -> Iterator[str]:
    """Say what to try where the reference is far better and no split was kept.

    Parameters
    ----------
    view : ModelView
    """
    if view.n_splits or view.calm is None or view.reference is None or view.calm <= 0:
        return
    if view.reference > FAR_BETTER * view.calm:
        return
    less = 1.0 - view.reference / view.calm
    yield f"the reference errs {less:.0%} less, and no split was kept: it may know interactions"
    yield "  that this model lacks. Try growth=Joint(sparsity=0), growth='heterogeneity', fewer"
    yield "  features, or refit_splits(n, X, y) with a few splits of the path (see plot_path())."
