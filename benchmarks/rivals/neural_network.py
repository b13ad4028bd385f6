"""Neural network as in the paper: two layers of 50 ReLU, Adam 0.001, 200 epochs, batches of 200."""

from benchmarks.rivals import SKLEARN, Rival

N_EPOCHS = 200


def fit_network(X, y, task, n_jobs, seed):
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    estimator = MLPRegressor if task == "regression" else MLPClassifier
    return estimator(
        hidden_layer_sizes=(50, 50),
        learning_rate_init=0.001,
        batch_size=min(200, len(X)),
        max_iter=N_EPOCHS,
        n_iter_no_change=N_EPOCHS,  # it does not stop early
        alpha=0.0,
        random_state=seed,
    ).fit(X, y)


RIVAL = Rival(
    requirements=(SKLEARN,), fit=fit_network, imports=("sklearn.neural_network",), scaling="z-score"
)
