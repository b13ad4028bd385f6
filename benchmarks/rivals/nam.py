"""Neural additive model as in the paper: 100-100-10 ReLU per feature, Adam 0.001, 10 epochs.

Written here, without the dropout, penalties and ensembles of its authors; batches of 32. The
networks of all features are trained side by side, as one batch of matrix products.
"""

from itertools import pairwise

from benchmarks.rivals import TORCH, Rival

WIDTHS = (1, 100, 100, 10, 1)
N_EPOCHS, BATCH = 10, 32


def new_layers(n_features: int):
    """Return per layer weights (feature, in, out) and biases (feature, 1, out), drawn as Linear."""
    import torch

    layers = []
    for n_in, n_out in pairwise(WIDTHS):
        bound = n_in**-0.5
        shapes = (n_features, n_in, n_out), (n_features, 1, n_out)
        layers.append(
            [torch.empty(shape).uniform_(-bound, bound).requires_grad_() for shape in shapes]
        )
    return layers


def score(layers, X):
    """Return the sum over features of their networks' outputs."""
    import torch

    first, *others = layers
    hidden = linear(X.T[:, :, None], *first)  # feature, row, width
    for layer in others:
        hidden = linear(torch.relu(hidden), *layer)
    return hidden.sum(dim=(0, 2))


def linear(rows, weight, bias):
    return rows @ weight + bias


def fit_nam(X, y, task, n_jobs, seed):
    import torch

    torch.manual_seed(seed)
    torch.set_num_threads(n_jobs)
    X = torch.tensor(X.to_numpy(), dtype=torch.float32)
    y = torch.tensor(y, dtype=torch.float32)
    regression = task == "regression"
    loss_of = torch.nn.MSELoss() if regression else torch.nn.BCEWithLogitsLoss()
    layers = new_layers(X.shape[1])
    optimiser = torch.optim.Adam([part for layer in layers for part in layer], lr=0.001)
    for _ in range(N_EPOCHS):
        for rows in torch.randperm(len(X)).split(BATCH):
            optimiser.zero_grad()
            loss_of(score(layers, X[rows]), y[rows]).backward()
            optimiser.step()
    return layers, regression


def predict_nam(model, X):
    import torch

    layers, regression = model
    with torch.no_grad():
        predicted = score(layers, torch.tensor(X.to_numpy(), dtype=torch.float32))
    return predicted.numpy() if regression else torch.sigmoid(predicted).numpy()


RIVAL = Rival(
    requirements=(TORCH,),
    fit=fit_nam,
    predict=predict_nam,
    n_interactions=lambda model: 0,
    imports=("torch",),
    scaling="z-score",
)
