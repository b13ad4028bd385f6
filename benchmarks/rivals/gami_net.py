"""GAMI-Net with its defaults. It needs Keras 2, which TensorFlow has up to 2.15 (Python 3.11).

Text columns are its categorical features: codes in the order of their levels, -1 for a new one,
which it encodes as no level at all.
"""

from benchmarks.rivals import Rival


def codes_of(X, levels):
    """Return a matrix of numbers: columns with levels as their positions."""
    import pandas as pd

    codes = {name: pd.Index(known).get_indexer(X[name]) for name, known in levels.items()}
    return X.assign(**codes).to_numpy(dtype=float)


def fit_gami(X, y, task, n_jobs, seed):
    import tensorflow
    from gaminet import GAMINet
    from sklearn.preprocessing import FunctionTransformer

    tensorflow.config.threading.set_intra_op_parallelism_threads(n_jobs)
    tensorflow.config.threading.set_inter_op_parallelism_threads(n_jobs)
    tensorflow.keras.utils.set_random_seed(
        seed
    )  # `random_state` alone leaves Python's own unseeded
    text = X.select_dtypes(exclude="number").columns
    levels = {name: sorted(X[name].unique()) for name in text}
    as_it_is = FunctionTransformer().fit(X)  # it wants to know how columns were scaled
    kinds = {
        name: {"type": "categorical", "values": levels[name]}
        if name in levels
        else {"type": "continuous", "scaler": as_it_is}
        for name in X.columns
    }
    model = GAMINet(
        meta_info={**kinds, "target": {"type": "target"}},
        task_type=task.capitalize(),
        random_state=seed,
    )
    model.fit(codes_of(X, levels), y.reshape(-1, 1))
    return model, levels


def predict_gami(fitted, X):
    model, levels = fitted
    return model.predict(codes_of(X, levels)).ravel()


RIVAL = Rival(
    requirements=("gaminet==0.6.1", "tensorflow-cpu==2.15.1", "tensorflow-lattice==2.0.13"),
    fit=fit_gami,
    predict=predict_gami,
    n_interactions=lambda fitted: len(fitted[0].active_interaction_index),
    imports=("tensorflow", "gaminet"),
    accepts_text=True,
    scaling="min-max",
)
