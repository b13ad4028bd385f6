"""Three classes and more, from the table to the model and what is read of it."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, log_loss

from calmgam import CALMClassifier, load
from calmgam.fit.curves.boosting import Boosting
from calmgam.fit.curves.splines.fitting import Splines

QUICK = {"random_state": 0, "n_jobs": 1, "curves": Boosting(n_bags=2, learning_rate=0.15)}


def table(n_rows=600, seed=0):
    """Return a table in which size decides between van and bus, but the other way if it is red."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "red": rng.random(n_rows) < 0.5,
            "job": rng.choice(["cook", "nurse", "pilot"], n_rows),
            "noise": rng.normal(size=n_rows),
        }
    )
    scores = np.stack(
        [
            np.where(X["red"], -2, 2) * X["size"],
            np.where(X["red"], 2, -2) * X["size"],
            1.5 * (X["job"] == "pilot") - 0.5,
        ],
        axis=1,
    )
    codes = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)
    return X, np.array(["bus", "van", "car"])[codes]


X, Y = table()


@pytest.fixture(scope="module")
def fitted():
    return CALMClassifier(**QUICK).fit(X, Y)


def test_it_is_a_classifier_as_scikit_learn_knows_them(fitted):
    assert fitted.classes_.tolist() == ["bus", "car", "van"]
    probabilities, scores = fitted.predict_proba(X), fitted.decision_function(X)
    assert probabilities.shape == scores.shape == (len(X), 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    decided = fitted.classes_[probabilities.argmax(axis=1)]
    np.testing.assert_array_equal(fitted.predict(X), decided)
    assert fitted.score(X, Y) == accuracy_score(Y, decided)
    assert fitted.contributions(X).shape == (len(X), 4, 3)


def test_the_interaction_is_found_and_pays():
    train, labels = table(1500, 1)
    test, truth = table(1500, 2)
    calm = CALMClassifier(**QUICK).fit(train, labels)
    gam = CALMClassifier(**QUICK, max_depth=0).fit(train, labels)
    assert ("size", "red") in {(s.feature, s.condition_feature) for s in calm.ledger_.accepted} or (
        ("red", "size") in {(s.feature, s.condition_feature) for s in calm.ledger_.accepted}
    )
    losses = [log_loss(truth, m.predict_proba(test), labels=m.classes_) for m in (calm, gam)]
    assert losses[0] < losses[1] - 0.05


def test_curves_are_canonical(fitted):
    model = fitted.model_
    contributions = model.contributions(X)
    np.testing.assert_allclose(contributions.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(contributions.sum(axis=2), 0.0, atol=1e-9)
    np.testing.assert_allclose(np.sum(model.intercept), 0.0, atol=1e-9)


def test_same_seed_same_model_for_any_number_of_threads(fitted):
    again = CALMClassifier(**{**QUICK, "n_jobs": 2}).fit(X, Y)
    assert again.model_ == fitted.model_


def test_labels_may_be_of_any_type_and_order_does_not_matter(fitted):
    codes = pd.Series(Y).map({"bus": 0, "car": 1, "van": 2}).to_numpy()
    other = CALMClassifier(**QUICK).fit(X, codes)
    np.testing.assert_array_equal(other.predict_proba(X), fitted.predict_proba(X))


def test_weights_are_repeated_rows():
    weights = np.where(Y == "car", 2.0, 1.0)
    light = CALMClassifier(**QUICK, max_depth=0).fit(X, Y, sample_weight=weights)
    plain = CALMClassifier(**QUICK, max_depth=0).fit(X, Y)
    assert light.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.05
    kept = CALMClassifier(**QUICK, max_depth=0).fit(X, Y, sample_weight=(Y != "car").astype(float))
    assert kept.classes_.tolist() == ["bus", "van"]  # a class of weight 0 is none


@pytest.mark.parametrize("n_rare", [1, 2, 6])
def test_rare_classes_do_no_harm(n_rare):
    labels = Y.astype("U4")
    labels[:n_rare] = "tram"
    with pytest.warns(UserWarning, match="class 'tram' has"):
        calm = CALMClassifier(**QUICK).fit(X, labels)
    probabilities = calm.predict_proba(X)
    assert np.isfinite(probabilities).all()
    tram = list(calm.classes_).index("tram")
    assert probabilities[:, tram].mean() < 0.05
    assert calm.score(X, labels) > 0.5


def test_few_rows():
    few = slice(0, 12)
    calm = CALMClassifier(**QUICK).fit(X[few], Y[few])
    assert np.isfinite(calm.predict_proba(X)).all()


def test_other_learners_say_that_they_cannot():
    with pytest.raises(ValueError, match=r"curves=Splines\(\) must be used .* got 3 classes"):
        CALMClassifier(curves=Splines()).fit(X, Y)
    with pytest.raises(ValueError, match=r"reference=.mlp. must be used .* got 3 classes"):
        CALMClassifier(**QUICK, reference="mlp").fit(X, Y)


def test_paper_learns_many_classes():
    """Its curves are not shared, and its regions pay all the same."""
    calm = CALMClassifier.paper(reference="boosted_trees", random_state=0, n_jobs=1).fit(X, Y)
    assert calm.n_splits_ > 0
    errors = calm.model_.errors
    assert errors["calm"] < 0.95 * errors["gam"]


def test_the_papers_growth_sums_effects_over_classes():
    calm = CALMClassifier(**QUICK, growth="heterogeneity", max_splits=2)
    calm.set_params(growth__n_background=200).fit(X, Y)
    assert {"size", "red"} >= {split.feature for split in calm.ledger_.accepted[:1]}
    calm.set_params(growth__effect="ale")
    with pytest.raises(ValueError, match='effect must be "pdp" with three classes or more'):
        calm.fit(X, Y)


def test_any_estimator_is_a_reference():
    from sklearn.ensemble import RandomForestClassifier

    numbers = X.drop(columns="job")
    forest = RandomForestClassifier(20, random_state=0)
    calm = CALMClassifier(**QUICK, reference=forest, max_splits=1).fit(numbers, Y)
    assert calm.n_splits_ == 1


def test_partitions_and_refits(fitted):
    given = CALMClassifier(**QUICK, growth={"size": ["red = True", "red != True"]}).fit(X, Y)
    assert given.n_splits_ == 1
    again = CALMClassifier(**QUICK).fit(X, Y).refit_splits(1, X, Y)
    assert again.n_splits_ == 1


def test_everything_can_be_read(fitted, tmp_path):
    row = X.iloc[0].to_dict()
    summary = fitted.summary(X, Y)
    for text in ("probabilities of 3 classes", "AUC", "log loss", "accuracy"):
        assert text in summary
    explained = fitted.explain(row)
    assert "log-odds of" in explained
    assert explained.count("probability of") == 3
    assert "3 classes" in fitted._repr_html_()
    assert fitted.sensitivity("size", -1, 1, between=("bus", "van")).exact
    assert fitted.monotonicity("noise", between=("bus", "car")).proved
    assert fitted.jumps("red", between=("bus", "van")).feature == "red"
    assert fitted.reasons(row, between=("van", "bus")).classes == ("bus", "van")
    found = fitted.counterfactual(row, target="car", n_features=2)
    assert found.wanted == "car"
    fitted.model_.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json") == fitted.model_


def test_pictures_of_one_class_or_all(fitted):
    pytest.importorskip("matplotlib")
    axes = fitted.plot_feature("size")
    assert [ax.get_ylabel() for ax in axes] == [f"contribution to {c}" for c in fitted.classes_]
    assert "bus against van" in fitted.plot_feature("size", between=("bus", "van")).get_ylabel()
    assert fitted.plot_feature("size", of_class="car").get_ylabel() == "contribution to car"
    assert fitted.plot_model(of_class="car").axes
    assert "against" in fitted.plot_prediction(X.iloc[0].to_dict()).get_xlabel()
    fitted.plot_importance()
    fitted.plot_trees()
    fitted.plot_sensitivity("size", -1, 1, between=("bus", "van"))


def test_the_page_holds_every_class(fitted, tmp_path):
    page = fitted.report(tmp_path / "page.html", X, Y).read_text()
    start = page.index('type="application/json">') + len('type="application/json">')
    contents = json.loads(page[start : page.index("</script>", start)])
    assert len(contents["classes"]) == 3
    assert contents["measures"]["performance"]["accuracy"] == pytest.approx(fitted.score(X, Y))
    assert all(len(one["features"]) == 4 for one in contents["classes"])
