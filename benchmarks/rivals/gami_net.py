"""GAMI-Net with its defaults; it needs Keras 2, the last of which comes with TensorFlow 2.15."""

from benchmarks.rivals import Rival


def fit_gami(X, y, task, n_jobs, seed):
    import tensorflow
    from gaminet import GAMINet

    tensorflow.config.threading.set_intra_op_parallelism_threads(n_jobs)
    tensorflow.config.threading.set_inter_op_parallelism_threads(n_jobs)
    columns = {name: {"type": "continuous", "scaler": None} for name in X.columns}
    model = GAMINet(
        meta_info={**columns, "target": {"type": "target"}},
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
