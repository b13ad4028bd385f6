"""Draw figures into docs/figures: answers of the demonstration; the paper's figures 2 and 3.

python -m benchmarks.figures

Figure 2: an imitation of the paper's, since its model is not published: curves with the values that
its text reads off, and a hidden jump where x1 switches the curves of x2.
Figure 3: the synthetic cases; one curve for all rows (own GAM), one curve per region (CALM) and,
where interpret is installed, the heat maps that an EBM with pairs adds to its curves.
"""

import argparse
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.datasets import simulate_case
from benchmarks.environments import ROOT
from benchmarks.rivals import eb2m
from calmgam import CALMRegressor
from calmgam.demo import simulate_bikes
from calmgam.model import Condition, Feature, Model, PartitionTree, Schema, ShapeFunction, Term
from calmgam.read.measures.performance import performance
from calmgam.read.plots import plot_feature, plot_model
from calmgam.read.plots.canvas import HALF_PAGE, SMALL, new_figure

N_ROWS = 1000
EDGES = np.linspace(-1, 1, 151)  # ±0.4 are edges, ±0.5 centres
CENTRES = (EDGES[:-1] + EDGES[1:]) / 2
INTERACTION = {1: "x3", 2: "x2", 3: "x2"}  # the feature whose effect depends on others


def paper_model() -> Model:
    """Return an imitation of figure 2: x1 given x3, x2 given x1 at ±0.4, and x3, all in [-1, 1].

    At x1 = -0.5 its two curves read -0.2 and -0.75, as in the paper. Passing a threshold of x1
    upwards switches x2 to the next curve, which lies 0 to 0.37 higher.
    """
    x1, x2, x3 = (Feature(f"x{k + 1}", k, "numeric", low=-1.0, high=1.0) for k in range(3))
    alone = PartitionTree.trivial()
    by_x3 = alone.split(0, Condition(x3, "<=", 0.0))
    by_x1 = alone.split(0, Condition(x1, "<=", 0.4)).split(0, Condition(x1, "<=", -0.4))
    slow = np.sign(CENTRES) * np.abs(CENTRES) ** np.log2(1 / 0.2)
    fast = 0.75 / np.tanh(1) * np.tanh(2 * CENTRES)
    bell = 0.185 * (1 + np.sin(np.pi / 2 * CENTRES))
    terms = (
        _term(x1, by_x3, [slow, fast], [0.5, 0.5]),
        _term(x2, by_x1, [bell * k - 0.37 for k in (1, 2, 3)], [0.3, 0.4, 0.3]),
        _term(x3, alone, [0.2 * CENTRES**2], [1.0]),
    )
    return Model(Schema((x1, x2, x3)), 0.0, terms)


def _term(
    feature: Feature, tree: PartitionTree, curves: list[np.ndarray], shares: list[float]
) -> Term:
    """Return a term of smooth curves, sampled in narrow bins; no value is missing."""
    rows = np.append(np.full(len(CENTRES), N_ROWS / len(CENTRES)), 0.0)
    shapes = (
        ShapeFunction(feature, EDGES[1:-1], np.append(curve, 0.0), share * rows, 0 * rows)
        for curve, share in zip(curves, shares, strict=True)
    )
    return Term(feature, tree, tuple(shapes))


def cases_figure(with_ebm: bool):
    """Return the synthetic cases, one row each: own GAM, CALM and, if wanted, an EBM's pairs."""
    n_columns = 3 if with_ebm else 2
    figure = new_figure(n_columns * HALF_PAGE, 10.5)
    panels = figure.subfigures(3, n_columns)
    for case, feature in INTERACTION.items():
        X, y, task = simulate_case(case, seed=0)
        X_new, y_new, _ = simulate_case(case, seed=1)
        learners = {
            "own GAM": CALMRegressor.paper(max_depth=0, random_state=0),
            "CALM": CALMRegressor.paper(random_state=0),
        }
        for panel, (name, learner) in zip(panels[case - 1], learners.items(), strict=False):
            model = learner.fit(X, y).model_
            _title(panel, case, name, performance(model, X_new, y_new)["R²"])
            plot_feature(model, feature, panel.subplots())
        if with_ebm:
            ebm = eb2m.RIVAL.fit(X, y, task, n_jobs=1, seed=0)
            _title(panels[case - 1, 2], case, "EBM with pairs", ebm.score(X_new, y_new))
            draw_heat_maps(ebm, feature, panels[case - 1, 2])
    return figure


def _title(panel, case: int, name: str, r2: float) -> None:
    panel.suptitle(f"case {case}, {name}: R² {r2:.3f}", fontsize=9, weight="bold")


def draw_heat_maps(ebm, feature: str, panel) -> None:
    """Draw what the pairs of a feature add to the EBM's curves, one map below the other."""
    own = ebm.feature_names_in_.index(feature)
    pairs = [(t, f) for t, f in enumerate(ebm.term_features_) if len(f) == 2 and own in f]
    axes = panel.subplots(len(pairs), sharex=True, squeeze=False).ravel()
    largest = max(np.abs(ebm.term_scores_[term]).max() for term, _ in pairs)
    for ax, (term, features) in zip(axes, pairs, strict=True):
        scores = ebm.term_scores_[term][1:-1, 1:-1]  # the outer ones: missing and unknown
        if features[0] == own:
            scores = scores.T  # rows: the other feature
        (other,) = set(features) - {own}
        x, y = (_pair_edges(ebm, index) for index in (own, other))
        colours = ax.pcolormesh(x, y, scores, cmap="RdBu_r", vmin=-largest, vmax=largest)
        ax.set_ylabel(ebm.feature_names_in_[other], fontsize=SMALL)
        ax.tick_params(labelsize=SMALL)
    ax.set_xlabel(feature, fontsize=SMALL)
    bar = panel.colorbar(colours, ax=axes, aspect=40)
    bar.set_label("contribution of the pair", fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL)


def _pair_edges(ebm, index: int) -> np.ndarray:
    """Return the edges of a feature's bins in pairs (its last, coarsest ones)."""
    low, high = ebm.feature_bounds_[index]
    return np.array([low, *ebm.bins_[index][-1], high])


def answers_figure():
    """Return one prediction of the demonstration, and what one hour more does to it."""
    X, y = simulate_bikes()
    calm = CALMRegressor(random_state=0).fit(X, y)
    figure = new_figure(2.4 * HALF_PAGE, 2.4)
    left, right = figure.subplots(1, 2)
    calm.plot_prediction(X[:1], ax=left)
    calm.plot_sensitivity("hour", 6, 7, ax=right)
    return figure


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.figures", description="Draw figures of docs/."
    )
    parser.add_argument("--out", type=Path, default=ROOT / "docs/figures")
    folder = parser.parse_args(arguments).out
    folder.mkdir(parents=True, exist_ok=True)
    answers_figure().savefig(folder / "answers.png", dpi=120)
    plot_model(paper_model()).savefig(folder / "figure2.png", dpi=120)
    with_ebm = find_spec("interpret") is not None
    if not with_ebm:
        print(f"figure 3 without EBM: pip install {' '.join(eb2m.RIVAL.requirements)}")
    cases_figure(with_ebm).savefig(folder / "figure3.png", dpi=100)


if __name__ == "__main__":
    main()
