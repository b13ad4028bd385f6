"""ROC curves and confusion tables against scikit-learn's."""

import numpy as np
import pandas as pd
import pytest
from reading_models import hand_model
from sklearn.metrics import confusion_matrix, roc_auc_score

from calmgam.read import confusion, plot_roc, roc
from class_models import with_classes

rng = np.random.default_rng(1)
N = 600
X = pd.DataFrame(
    {
        "hour": rng.uniform(0, 23, N),
        "job": rng.choice(["nurse", "cook"], N),
        "flag": rng.random(N) < 0.5,
    }
)
MODEL = hand_model("logit")
P = MODEL.predict(X)
Y = np.where(rng.random(N) < P, "yes", "no")


def test_the_curve_counts_rows_above_every_threshold():
    found = roc(MODEL, X, Y)
    assert found.label == "yes" and found.area == pytest.approx(roc_auc_score(Y == "yes", P))
    assert (found.positive, found.negative) == ((Y == "yes").sum(), (Y == "no").sum())
    assert found.thresholds[0] == 0 and found.thresholds[-1] == 1 and 0.5 in found.thresholds
    for k, threshold in enumerate(found.thresholds):
        assert found.true_positive[k] == ((threshold < P) & (Y == "yes")).sum()
        assert found.false_positive[k] == ((threshold < P) & (Y == "no")).sum()


def test_thresholds_have_enough_rows_between_them():
    inner = np.array(roc(MODEL, X, Y, min_rows=20).thresholds[1:-1])
    others = inner[inner != 0.5]
    below = np.searchsorted(np.sort(P), others, "right")
    assert np.diff(below).min() >= 20
    assert roc(MODEL, X[:8], Y[:8]).thresholds == (0.0, 1.0)


@pytest.mark.parametrize("threshold", [None, 0.2, 0.5, 0.9])
def test_confusion_is_scikit_learns(threshold):
    found = confusion(MODEL, X, Y, threshold)
    predicted = np.where((threshold or 0.5) < P, "yes", "no")
    assert np.array(found.table).tolist() == confusion_matrix(Y, predicted).tolist()
    assert found.accuracy == pytest.approx(np.mean(predicted == Y))
    assert "precision" in str(found)


def test_confusion_at_a_threshold_is_that_of_the_curve():
    found = roc(MODEL, X, Y)
    k = len(found.thresholds) // 3
    (_, alarms), (_, hits) = confusion(MODEL, X, Y, found.thresholds[k]).table
    assert (hits, alarms) == (found.true_positive[k], found.false_positive[k])


def test_weights_count():
    weights = rng.integers(1, 4, N)
    again = np.repeat(np.arange(N), weights)
    weighted = confusion(MODEL, X, Y, 0.4, sample_weight=weights)
    assert weighted.table == confusion(MODEL, X.iloc[again], Y[again], 0.4).table
    repeated = roc(MODEL, X.iloc[again], Y[again])
    assert roc(MODEL, X, Y, sample_weight=weights).area == pytest.approx(repeated.area)


def test_many_classes_are_told_from_all_others():
    model = with_classes(hand_model(), ("a", "b", "c"))
    rows = X
    probability = model.predict(rows)
    y = np.array([rng.choice(model.classes, p=p) for p in probability])
    label = model.classes[1]
    found = roc(model, rows, y, of_class=label)
    assert found.area == pytest.approx(roc_auc_score(y == label, probability[:, 1]))
    table = confusion(model, rows, y).table
    predicted = np.array(model.classes)[probability.argmax(axis=1)]
    expected = confusion_matrix(y, predicted, labels=list(model.classes))
    assert np.array(table).tolist() == expected.tolist()
    with pytest.raises(ValueError, match="of_class must be one of the 3 classes, such as "):
        roc(model, rows, y)
    with pytest.raises(ValueError, match=r"threshold must be None with 3 classes; got 0\.5"):
        confusion(model, rows, y, 0.5)


def test_numbers_have_no_decisions():
    for ask in (roc, confusion):
        with pytest.raises(ValueError, match="needs a model of classes; got the link 'identity'"):
            ask(hand_model(), X, np.zeros(N))
    with pytest.raises(ValueError, match=r"threshold must be a number in \[0, 1\]; got 2"):
        confusion(MODEL, X, Y, 2)


def test_the_picture_has_the_area():
    assert f"AUC {roc(MODEL, X, Y).area:.3f}" in plot_roc(MODEL, X, Y).get_title("right")
    assert str(roc(MODEL, X, Y)).startswith("AUC 0.")
