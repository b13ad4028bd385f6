"""Redraw the paper's figures 2 and 3 into docs/figures.

python -m benchmarks.figures

Figure 2: a model as a person reads it, with a hidden jump where x1 switches the curves of x2.
Figure 3: the synthetic cases; one curve for all rows (own GAM) beside one curve per region (CALM).
"""

import argparse
from pathlib import Path

import numpy as np

from benchmarks.datasets import simulate_case
from benchmarks.environments import ROOT
from calmgam import CALMRegressor
from calmgam.model import Condition, Feature, Model, PartitionTree, Schema, ShapeFunction, Term
from calmgam.read.canvas import HALF_PAGE, new_figure
from calmgam.read.performance import performance
from calmgam.read.plots import plot_feature, plot_model

N_ROWS = 1000
EDGES = np.linspace(-1, 1, 81)
CENTRES = (EDGES[:-1] + EDGES[1:]) / 2
INTERACTION = {1: "x3", 2: "x2", 3: "x2"}  # the feature whose effect depends on others


def paper_model() -> Model:
    """Return x1 conditioned on x3, x2 conditioned on x1 at ±0.4, and x3, all uniform on [-1, 1].

    Passing a threshold of x1 upwards switches x2 to the next curve, which lies 0 to 0.37 higher.
    """
    x1, x2, x3 = (Feature(f"x{k + 1}", k, "numeric", low=-1.0, high=1.0) for k in range(3))
    alone = PartitionTree.trivial()
    by_x3 = alone.split(0, Condition(x3, "<=", 0.0))
    by_x1 = alone.split(0, Condition(x1, "<=", 0.4)).split(0, Condition(x1, "<=", -0.4))
    bell = 0.185 * (1 + np.sin(np.pi / 2 * CENTRES))
    terms = (
        _term(x1, by_x3, [CENTRES**3, 0.8 * np.tanh(2 * CENTRES)], [0.5, 0.5]),
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


def cases_figure():
    """Return the synthetic cases, one row each: own GAM at the left, CALM at the right."""
    figure = new_figure(2 * HALF_PAGE, 9.5)
    panels = figure.subfigures(3, 2)
    for case, feature in INTERACTION.items():
        X, y, _ = simulate_case(case, seed=0)
        X_new, y_new, _ = simulate_case(case, seed=1)
        learners = {
            "own GAM": CALMRegressor.paper(max_depth=0, random_state=0),
            "CALM": CALMRegressor.paper(random_state=0),
        }
        for panel, (name, learner) in zip(panels[case - 1], learners.items(), strict=True):
            model = learner.fit(X, y).model_
            r2 = performance(model, X_new, y_new)["R²"]
            panel.suptitle(f"case {case}, {name}: R² {r2:.3f}", fontsize=9, weight="bold")
            plot_feature(model, feature, panel.subplots())
    return figure


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.figures", description="Redraw the paper's figures."
    )
    parser.add_argument("--out", type=Path, default=ROOT / "docs/figures")
    folder = parser.parse_args(arguments).out
    folder.mkdir(parents=True, exist_ok=True)
    plot_model(paper_model()).savefig(folder / "figure2.png", dpi=120)
    cases_figure().savefig(folder / "figure3.png", dpi=100)


if __name__ == "__main__":
    main()
