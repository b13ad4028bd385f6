import numpy as np
import pytest
from sklearn import metrics

from calmgam.model.objectives import OBJECTIVES, Objective, weighted_quantile

rng = np.random.default_rng(0)
Y, PREDICTION, WEIGHTS = rng.gamma(2, 1, 300), rng.gamma(2, 1, 300), rng.gamma(1, 1, 300)
CASES = [
    Objective("squared_error"),
    Objective("absolute_error"),
    Objective("huber", 0.7),
    Objective("quantile", 0.9),
    Objective("poisson"),
    Objective("gamma"),
    Objective("tweedie", 1.3),
]


@pytest.mark.parametrize("objective", CASES, ids=lambda one: one.text)
def test_losses_are_those_of_scikit_learn(objective):
    functions = {
        "squared_error": metrics.mean_squared_error,
        "absolute_error": metrics.mean_absolute_error,
        "quantile": lambda *a, **k: metrics.mean_pinball_loss(*a, alpha=0.9, **k),
        "poisson": metrics.mean_poisson_deviance,
        "gamma": metrics.mean_gamma_deviance,
        "tweedie": lambda *a, **k: metrics.mean_tweedie_deviance(*a, power=1.3, **k),
    }
    mean = np.average(objective.losses(Y, PREDICTION), weights=WEIGHTS)
    if objective.name in functions:
        expected = functions[objective.name](Y, PREDICTION, sample_weight=WEIGHTS)
        assert mean == pytest.approx(expected, rel=1e-9)
    else:
        error = np.abs(Y - PREDICTION)
        expected = np.where(error <= 0.7, error**2 / 2, 0.7 * (error - 0.35))
        assert mean == pytest.approx(np.average(expected, weights=WEIGHTS))


@pytest.mark.parametrize("objective", CASES, ids=lambda one: one.text)
@pytest.mark.parametrize("has_offset", [False, True])
def test_no_constant_beats_the_best(objective, has_offset):
    offset = rng.normal(scale=0.3, size=300) if has_offset else None
    constant = objective.constant(Y, WEIGHTS, offset)

    def moved(by):
        if objective.power is not None:
            return constant * np.exp(by)
        return constant + by

    best = np.average(objective.losses(Y, constant), weights=WEIGHTS)
    for by in (-0.1, -1e-3, 1e-3, 0.1):
        assert np.average(objective.losses(Y, moved(by)), weights=WEIGHTS) >= best - 1e-12
    assert objective.explained(Y, constant, WEIGHTS, offset) == 0
    assert objective.explained(Y, Y, WEIGHTS, offset) == pytest.approx(1)


@pytest.mark.parametrize("objective", [*CASES, Objective("log_loss"), Objective("mine", 2.5)])
def test_saved_and_read(objective):
    assert Objective.from_dict(objective.to_dict()) == objective
    assert objective.is_known == (objective.name in OBJECTIVES)
    assert objective.measure


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("quantile",), r"the parameter of quantile must be in \(0, 1\); got None"),
        (("tweedie", 2.0), r"the parameter of tweedie must be in \(1, 2\); got 2.0"),
        (("huber", -1), r"the parameter of huber must be in \(0, inf\); got -1.0"),
        (("poisson", 1.0), "poisson has no parameter; got 1.0"),
        (("",), "the objective's name must be text; got ''"),
    ],
)
def test_what_is_no_objective(arguments, message):
    with pytest.raises(ValueError, match=message):
        Objective(*arguments)


def test_weighted_quantiles_are_those_of_copies():
    y, copies = np.array([3.0, 1.0, 2.0, 10.0]), np.array([1, 2, 3, 2])
    for level in (0.1, 0.25, 0.5, 0.9):
        plain = np.quantile(np.repeat(y, copies), level, method="averaged_inverted_cdf")
        assert weighted_quantile(y, copies.astype(float), level) == pytest.approx(plain)
