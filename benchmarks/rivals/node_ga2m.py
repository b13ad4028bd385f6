"""NODE-GA2M as in the paper: pairs of features (`ga2m=1`), at most five minutes."""

import os
import tempfile

from benchmarks.rivals import TORCH, Rival

MAX_SECONDS = 300


def fit_node(X, y, task, n_jobs, seed):
    import torch
    from nodegam.sklearn import NodeGAMClassifier, NodeGAMRegressor

    torch.set_num_threads(n_jobs)
    torch.manual_seed(seed)
    estimator = NodeGAMRegressor if task == "regression" else NodeGAMClassifier
    model = estimator(
        in_features=X.shape[1], ga2m=1, max_time=MAX_SECONDS, device="cpu", seed=seed, verbose=0
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
    scaling="z-score",
)
