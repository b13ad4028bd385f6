"""NODE-GA2M: pairs of features (`ga2m=1`), else its defaults; text as its categorical features.

Its temperature falls over 2,000 steps, and it stops when 2,000 more have not helped: fewer than
4,000 steps are no fit. With five minutes, as in the paper, small tables stop long before on a
processor; here it has as long as it needs, up to the limit of the runner. Its trees compute the
same in another order, which takes a fourth to a seventh of the time (`quick_trees`).
"""

import os
import tempfile

import numpy as np

from benchmarks.rivals import TORCH, Rival

NO_LIMIT = 1e9


def quick_trees(layer, X):
    """Return what `ODST.forward` does: of every tree the mean of its leaves, weighted by the row.

    It multiplies the weights of all leaves first; here the leaves are halved level by level.
    """
    import torch

    values = layer.get_feature_selection_values(X)
    scaled = (values - layer.feature_thresholds) * torch.exp(-layer.log_temperatures)
    low = layer.bin_function(scaled)  # the share of the child whose bit is 0
    found = layer.response.view(1, layer.num_trees, layer.tree_dim, *(2,) * layer.depth)
    for level in reversed(range(layer.depth)):
        share = low[:, :, level].reshape(len(X), layer.num_trees, *(1,) * (level + 1))
        found = torch.lerp(found[:, :, :, 1], found[:, :, :, 0], share)
    return found.flatten(1, 2)


def use_quick_trees():
    """Let the package compute with `quick_trees`, if they are its own."""
    import torch
    from nodegam.odst import ODST

    own, X = ODST.forward, torch.linspace(-2, 2, 60).view(20, 3)
    if own is not quick_trees:
        layer = ODST(3, 10, depth=3, tree_dim=2)
        with torch.no_grad():
            layer.initialize(X)
            torch.testing.assert_close(quick_trees(layer, X), own(layer, X))
        ODST.forward = quick_trees


def fit_node(X, y, task, n_jobs, seed):
    import torch
    from nodegam.sklearn import NodeGAMClassifier, NodeGAMRegressor

    torch.set_num_threads(n_jobs)
    use_quick_trees()
    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - its thresholds and batches come from there
    estimator = NodeGAMRegressor if task == "regression" else NodeGAMClassifier
    text = list(X.select_dtypes(exclude="number").columns)
    model = estimator(
        in_features=X.shape[1],
        cat_features=text or None,
        ga2m=1,
        max_time=NO_LIMIT,
        device="cpu",
        seed=seed,
        verbose=0,
    )
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:  # it keeps its checkpoints where it is called
        os.chdir(folder)
        model.fit(X, y)
        os.chdir(before)
    return model


RIVAL = Rival(
    requirements=(
        TORCH,
        "category-encoders==2.11.2",
        "qhoptim==1.1.0",
        "seaborn==0.13.2",
        "tqdm",
        "requests",
    ),
    bare=("nodegam==0.3.0",),  # it asks for catboost, xgboost and interpret but does not need them
    fit=fit_node,
    n_interactions=lambda model: sum(
        isinstance(term, tuple) for term in model.model.get_additive_terms()
    ),
    imports=("torch", "nodegam.sklearn"),
    accepts_text=True,
    scaling="z-score",
)
