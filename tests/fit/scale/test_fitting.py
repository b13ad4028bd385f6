import numpy as np
import pytest
from sklearn.metrics import log_loss, mean_gamma_deviance, mean_poisson_deviance

import calmgam.fit.pipeline as pipeline
import calmgam.fit.scale.rows as all_rows
from calmgam import Backfitting, Boosting, CALMClassifier, CALMRegressor
from calmgam.fit.data.log_losses import Tweedie
from fit_scale import batches_of, plain, simulated

FEATURES = ["a", "b", "c", "kind"]
QUICK = {"random_state": 0, "n_jobs": 1, "max_splits": 2}


@pytest.fixture(autouse=True)
def small_samples(monkeypatch):
    """A sample of 3,000 rows: then 12,000 rows are a large table."""
    monkeypatch.setattr(pipeline, "SAMPLE_ROWS", 3000)
    monkeypatch.setattr(all_rows, "SAMPLE_ROWS", 3000)


@pytest.fixture(scope="module")
def frame():
    return simulated(12_000)


@pytest.fixture(scope="module")
def new():
    return simulated(4_000, seed=1)


def rmse(model, frame, offset=0.0):
    return float(np.sqrt(np.mean((model.predict(frame[FEATURES]) + offset - frame.y) ** 2)))


def test_sums_lead_to_the_error_of_rows(frame, new):
    rows = CALMRegressor(**QUICK).fit(frame[FEATURES], frame.y)
    sums = CALMRegressor(**QUICK).fit(batches_of(frame[[*FEATURES, "y"]], 2500), "y")
    assert sums.model_.n_interactions == 2
    assert rmse(sums, new) < 1.02 * rmse(rows, new)
    assert sums.model_.schema == rows.model_.schema
    assert sums.model_.provenance.n_rows == 12_000
    low, high = sums.predict_interval(new[FEATURES], coverage=0.9).T
    assert np.mean((low <= new.y) & (new.y <= high)) == pytest.approx(0.9, abs=0.02)


def test_order_and_division_of_the_rows_change_nothing(frame):
    frame = frame[[*FEATURES, "y"]]
    one = CALMRegressor(**QUICK).fit(batches_of(frame, 2500), "y").model_
    shuffled = frame.sample(frac=1, random_state=5)
    other = CALMRegressor(**QUICK).fit(batches_of(shuffled, 1700), "y").model_
    assert plain(one) == plain(other)
    assert one.provenance.table_sha256 == other.provenance.table_sha256


def test_threads_and_batches_change_nothing_whatever_the_weights(frame, monkeypatch):
    """Weights span fourteen powers of ten; in memory blocks of rows are what batches are."""
    weights = 10.0 ** np.random.default_rng(0).uniform(-7, 7, len(frame))
    rows = frame[[*FEATURES, "y"]].assign(w=weights)
    few = {**QUICK, "max_splits": 1}
    one = CALMRegressor(**few).fit(batches_of(rows, 5000), "y", sample_weight="w").model_
    more = CALMRegressor(**{**few, "n_jobs": 3})
    shuffled = batches_of(rows.sample(frac=1, random_state=5), 911)
    assert plain(more.fit(shuffled, "y", sample_weight="w").model_) == plain(one)
    monkeypatch.setattr(pipeline, "LARGE_TABLE", 10_000)
    summed = CALMRegressor(**few).fit(frame[FEATURES], frame.y, sample_weight=weights).model_
    monkeypatch.setattr(all_rows, "ROWS_PER_BATCH", 700)
    again = more.fit(frame[FEATURES], frame.y, sample_weight=weights).model_
    assert plain(again) == plain(summed)


def test_weights_and_offsets_are_columns(frame, new):
    moved = frame.assign(y=frame.y + 2 * frame.o)
    model = CALMRegressor(**QUICK).fit(
        batches_of(moved.assign(o=2 * frame.o), 2500), "y", sample_weight="w", offset="o"
    )
    assert model.feature_names_in_.tolist() == FEATURES
    assert rmse(model, new) < 0.36
    assert model.model_.provenance.n_rows == int((frame.w > 0).sum())
    total = sum(curve.counts.sum() for curve in model.model_.terms[0].shapes)
    kept = frame.w[frame.w > 0]
    assert total == pytest.approx(kept.sum() / kept.mean(), rel=0.02)


def test_classes_take_a_few_passes(frame, new):
    known, unknown = (
        rows.assign(y=np.where(rows.y, "yes", "no")) for rows in (labelled(frame), labelled(new))
    )
    rows = CALMClassifier(**QUICK).fit(known[FEATURES], known.y)
    sums = CALMClassifier(**QUICK).fit(batches_of(known, 2500), "y")
    assert sums.classes_.tolist() == ["no", "yes"]
    losses = [log_loss(unknown.y, m.predict_proba(unknown[FEATURES])) for m in (sums, rows)]
    assert losses[0] < 1.02 * losses[1]


def test_a_small_dataset_is_fitted_as_a_table(frame, new):
    few = frame[[*FEATURES, "y"]][:2000]
    model = CALMRegressor(**QUICK).fit(batches_of(few, 500), "y")
    assert rmse(model, new) < 0.5


def labelled(rows, offset=0.0):
    """Return features and two classes, whose log-odds are 2 y + offset."""
    chance = 1 / (1 + np.exp(-2 * rows.y - offset))
    drawn = np.random.default_rng(len(rows)).random(len(rows)) < chance
    return rows[FEATURES].assign(y=drawn.astype(int))


def test_offsets_and_weights_of_classes_are_columns(frame, new):
    known = labelled(frame, 3 * frame.o).assign(o=3 * frame.o, w=frame.w)
    model = CALMClassifier(**QUICK).fit(batches_of(known, 2500), "y", sample_weight="w", offset="o")
    assert model.classes_.tolist() == [0, 1] and model.feature_names_in_.tolist() == FEATURES
    unknown = labelled(new)
    chances = model.predict_proba(unknown[FEATURES])[:, 1]
    truth = 1 / (1 + np.exp(-2 * (new.y - new.y.mean())))
    assert np.corrcoef(chances, truth)[0, 1] > 0.93
    without = CALMClassifier(**QUICK).fit(batches_of(known.drop(columns="o"), 2500), "y", "w")
    assert np.std(model.decision_function(unknown[FEATURES])) > 1.3 * np.std(
        without.decision_function(unknown[FEATURES])
    )  # what is left out flattens the rest


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"curves": Backfitting()}, r"Boosting\(…\) or Splines\(…\) for a dataset .*; got Backf"),
        ({"curves": Boosting(sharing=False)}, r"sharing=True\) for a dataset"),
        ({"monotone": {"a": "increasing"}}, r"monotone must be None .*; got {'a': 'increasing'}"),
        ({"objective": "huber"}, "objective must be 'squared_error' or .*; got 'huber'"),
    ],
)
def test_what_needs_rows_is_refused(frame, settings, message):
    rows = batches_of(frame[[*FEATURES, "y"]], 2500)
    with pytest.raises(ValueError, match=message):
        CALMRegressor(**QUICK, **settings).fit(rows, "y")
    few = batches_of(frame[[*FEATURES, "y"]][:900], 500)  # a sample that is the whole is rows
    assert CALMRegressor(**QUICK, **settings).fit(few, "y").n_features_in_ == 4


def test_splines_from_sums_are_those_of_rows(frame, new):
    settings = {**QUICK, "curves": "splines"}
    regions = {"a": ["b <= 0.2", "b > 0.2"]}
    rows = CALMRegressor(**settings, growth=regions).fit(frame[FEATURES], frame.y)
    rows_of = frame[[*FEATURES, "y"]]
    sums = CALMRegressor(**settings, growth=regions).fit(batches_of(rows_of, 2500), "y")
    assert rmse(sums, new) < 1.005 * rmse(rows, new)
    apart = np.abs(sums.predict(new[FEATURES]) - rows.predict(new[FEATURES]))
    assert np.quantile(apart, 0.99) < 0.06  # thresholds are cuts, of the sample and of all rows
    shuffled = batches_of(rows_of.sample(frac=1, random_state=5), 1700)
    again = CALMRegressor(**settings, growth=regions).fit(shuffled, "y")
    assert plain(again.model_) == plain(sums.model_)
    assert sums.model_.terms[0].shapes[0].spreads.max() > 0


def test_splines_of_classes_take_a_few_passes(frame, new):
    known, unknown = labelled(frame), labelled(new)
    settings = {**QUICK, "curves": "splines", "max_bins": 64}
    rows = CALMClassifier(**settings).fit(known[FEATURES], known.y)
    sums = CALMClassifier(**settings).fit(batches_of(known, 2500), "y")
    losses = [log_loss(unknown.y, m.predict_proba(unknown[FEATURES])) for m in (sums, rows)]
    assert losses[0] < 1.02 * losses[1]


def counted(rows, seed=0):
    """Return features and counts, of exposures between 0.2 and 2; weights are 0.5, 1 and 2."""
    rng = np.random.default_rng(seed)
    exposure = rng.uniform(0.2, 2.0, len(rows))
    counts = rng.poisson(exposure * np.exp(0.7 * rows.y - 1.0))
    weights = rng.choice([0.5, 1.0, 2.0], len(rows))
    return rows[FEATURES].assign(y=counts, o=np.log(exposure), w=weights)


@pytest.mark.parametrize("curves", ["boosting", "splines"])
def test_counts_with_offsets_and_weights_take_a_few_passes(frame, new, curves):
    known, unknown = counted(frame), counted(new, seed=1)
    settings = {**QUICK, "objective": "poisson", "curves": curves, "max_bins": 64}
    rows = CALMRegressor(**settings).fit(known[FEATURES], known.y, known.w, known.o)
    sums = CALMRegressor(**settings).fit(
        batches_of(known, 2500), "y", sample_weight="w", offset="o"
    )
    losses = [
        mean_poisson_deviance(unknown.y, m.predict(unknown[FEATURES], offset=unknown.o))
        for m in (sums, rows)
    ]
    assert losses[0] < 1.02 * losses[1]
    expected = sums.predict(known[FEATURES], offset=known.o)
    assert expected @ known.w == pytest.approx(known.y @ known.w, rel=1e-9)
    shuffled = batches_of(known.sample(frac=1, random_state=5), 1700)
    again = CALMRegressor(**settings).fit(shuffled, "y", sample_weight="w", offset="o")
    assert plain(again.model_) == plain(sums.model_)


@pytest.mark.parametrize("objective", ["gamma", Tweedie(1.5)])
def test_sizes_take_a_few_passes(frame, new, objective):
    def sized(rows, seed):
        noise = np.random.default_rng(seed).gamma(2.0, 0.5, len(rows))
        return rows[FEATURES].assign(y=1000 * np.exp(0.5 * rows.y) * noise)

    known, unknown = sized(frame, 0), sized(new, 1)
    settings = {**QUICK, "objective": objective}
    rows = CALMRegressor(**settings).fit(known[FEATURES], known.y)
    sums = CALMRegressor(**settings).fit(batches_of(known, 2500), "y")
    losses = [mean_gamma_deviance(unknown.y, m.predict(unknown[FEATURES])) for m in (sums, rows)]
    assert losses[0] < 1.02 * losses[1]
    assert sums.predict(known[FEATURES]).sum() == pytest.approx(known.y.sum(), rel=1e-9)


def test_a_log_link_takes_one_more_pass(frame):
    stages = []

    def watch(progress):
        if not progress.finished and not progress.total:
            stages.append(progress.stage)

    settings = {**QUICK, "max_splits": 0, "objective": "poisson", "verbose": watch}
    CALMRegressor(**settings).fit(batches_of(counted(frame).drop(columns=["o", "w"]), 2500), "y")
    passes = [stage for stage in stages if stage.startswith("rows")]
    assert passes == ["rows 1/4", "rows 2/4", "rows 3/4", "rows 4/4"]


@pytest.mark.parametrize("curves", ["boosting", "splines"])
def test_own_gam_is_measured_where_regions_are_given(frame, new, curves):
    regions = {"a": ["b <= 0.2", "b > 0.2"]}
    rows_of = batches_of(frame[[*FEATURES, "y"]], 2500)
    settings = {**QUICK, "curves": curves}
    errors = CALMRegressor(**settings, growth=regions).fit(rows_of, "y").model_.errors
    gam = CALMRegressor(**settings | {"max_depth": 0}).fit(rows_of, "y")
    assert errors["gam"] == pytest.approx(rmse(gam, new), rel=0.05)
    assert errors["gam"] > 2 * errors["calm"] > 0.5
    assert gam.model_.errors["gam"] == gam.model_.errors["calm"]


def test_three_classes_are_refused(frame):
    rows = batches_of(frame[["a", "b", "kind"]], 2500)
    with pytest.raises(ValueError, match=r"y must have two classes .*; got \['u', 'v', 'w'\]"):
        CALMClassifier(**QUICK).fit(rows, "kind")


def test_roles_are_names(frame):
    rows = batches_of(frame, 2500)
    with pytest.raises(TypeError, match=r"offset must be the name of a column .*; got Series"):
        CALMRegressor(**QUICK).fit(rows, "y", offset=frame.o)
    with pytest.raises(TypeError, match="X must be a table and y its target, or X a dataset"):
        CALMRegressor(**QUICK).fit(frame, "y")
    few = frame[:300]
    model = CALMRegressor(**QUICK).fit(few[FEATURES], few.y)
    with pytest.raises(ValueError, match="fit alone takes a dataset; got 'y'"):
        model.refit_splits(0, rows, "y")


@pytest.mark.parametrize(
    "settings", [{"objective": "absolute_error"}, {"monotone": {"a": "increasing"}}]
)
def test_tables_in_memory_that_sums_cannot_do_stay_with_their_rows(frame, settings, monkeypatch):
    few = frame[:1500]
    rows = CALMRegressor(**QUICK, **settings).fit(few[FEATURES], few.y)
    monkeypatch.setattr(pipeline, "LARGE_TABLE", 1000)
    assert plain(CALMRegressor(**QUICK, **settings).fit(few[FEATURES], few.y).model_) == plain(
        rows.model_
    )


def test_large_tables_in_memory_are_summed(frame, new, monkeypatch):
    monkeypatch.setattr(pipeline, "LARGE_TABLE", 10_000)
    sums = CALMRegressor(**QUICK).fit(frame[FEATURES], frame.y, sample_weight=frame.w)
    assert rmse(sums, new) < 0.36
    again = CALMRegressor(**QUICK).fit(frame[FEATURES], frame.y, sample_weight=frame.w)
    assert plain(sums.model_) == plain(again.model_)
