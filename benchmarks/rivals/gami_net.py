"""GAMI-Net with its defaults. It needs Keras 2, which TensorFlow has up to 2.15 (Python 3.11)."""

from benchmarks.rivals import Rival


def fit_gami(X, y, task, n_jobs, seed):
    import tensorflow
    from gaminet import GAMINet
    from sklearn.preprocessing import FunctionTransformer

    tensorflow.config.threading.set_intra_op_parallelism_threads(n_jobs)
    tensorflow.config.threading.set_inter_op_parallelism_threads(n_jobs)
    tensorflow.keras.utils.set_random_seed(
        seed
    )  # `random_state` alone leaves Python's own unseeded
    as_it_is = FunctionTransformer().fit(X)  # it wants to know how columns were scaled
    column = {"type": "continuous", "scaler": as_it_is}
    model = GAMINet(
        meta_info={**dict.fromkeys(X.columns, column), "target": {"type": "target"}},
        task_type=task.capitalize(),
        random_state=seed,
    )
    model.fit(X.to_numpy(), y.reshape(-1, 1))
    return model


RIVAL = Rival(
    requirements=("gaminet==0.6.1", "tensorflow-cpu==2.15.1", "tensorflow-lattice==2.0.13"),
    fit=fit_gami,
    predict=lambda model, X: model.predict(X.to_numpy()).ravel(),
    n_interactions=lambda model: len(model.active_interaction_index),
    imports=("tensorflow", "gaminet"),
    scaling="min-max",
)
