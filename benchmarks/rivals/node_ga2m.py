"""NODE-GA2M: pairs of features (`ga2m=1`), else its defaults; text as its categorical features.

Its temperature falls over 2,000 steps, and it stops when 2,000 more have not helped: fewer than
4,000 steps are no fit. With five minutes, as in the paper, small tables stop long before on a
processor; here it has as long as it needs, up to the limit of the runner.
"""

import os
import tempfile

from benchmarks.rivals import TORCH, Rival

NO_LIMIT = 1e9


def fit_node(X, y, task, n_jobs, seed):
    import torch
    from nodegam.sklearn import NodeGAMClassifier, NodeGAMRegressor

    torch.set_num_threads(n_jobs)
    torch.manual_seed(seed)
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
