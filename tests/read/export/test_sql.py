"""SQL in the real engines says what the model says, whatever names and labels are called."""

import io
import sqlite3
import time

import duckdb
import numpy as np
import pandas as pd
import pytest
from export_models import Case, case_of, each_case, each_far_link, far_case, random_case
from hypothesis import given, settings
from hypothesis import strategies as st
from postgres import find_server, running_server
from reading_models import hand_model

from calmgam import Boosting, CALMRegressor
from calmgam.demo import simulate_bikes
from calmgam.model import Condition, Feature, Model, PartitionTree, Schema, ShapeFunction, Term
from calmgam.read import to_sql
from calmgam.read.export.sql.engines import DIALECTS

N_REASONS = 3
TYPES = {
    "duckdb": {"numeric": "DOUBLE", "boolean": "BOOLEAN", "categorical": "VARCHAR"},
    "postgres": {"numeric": "float8", "boolean": "boolean", "categorical": "text"},
    "sqlite": {"numeric": "REAL", "boolean": "INTEGER", "categorical": "TEXT"},
}


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class DuckDB:
    def __init__(self):
        self.connection = duckdb.connect()

    def load(self, frame, types):
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
        self.connection.execute("DROP TABLE IF EXISTS rows")
        self.connection.execute(f"CREATE TABLE rows ({columns})")
        self.connection.execute("INSERT INTO rows SELECT * FROM frame")

    def run(self, query):
        result = self.connection.execute(query)
        return [column[0] for column in result.description], result.fetchall()


class SQLite:
    def __init__(self):
        self.connection = sqlite3.connect(":memory:")

    def load(self, frame, types):
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
        self.connection.execute("DROP TABLE IF EXISTS rows")
        self.connection.execute(f"CREATE TABLE rows ({columns})")
        marks = ", ".join("?" * len(types))
        rows = frame.astype(object).where(frame.notna(), None).values.tolist()
        self.connection.executemany(f"INSERT INTO rows VALUES ({marks})", rows)

    def run(self, query):
        result = self.connection.execute(query)
        return [column[0] for column in result.description], result.fetchall()


class PostgreSQL:
    def __init__(self, connection):
        self.cursor = connection.cursor()

    def load(self, frame, types):
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
        self.cursor.execute("DROP TABLE IF EXISTS rows CASCADE")
        self.cursor.execute(f"CREATE TABLE rows ({columns})")
        text = io.StringIO()
        frame.to_csv(text, index=False, header=False, na_rep="\x01", quoting=0)
        text.seek(0)
        self.cursor.copy_expert("COPY rows FROM STDIN WITH (FORMAT csv, NULL '\x01')", text)

    def run(self, query):
        self.cursor.execute(query)
        return [column.name for column in self.cursor.description], self.cursor.fetchall()


@pytest.fixture(scope="module")
def postgres():
    if find_server() is None:
        pytest.skip("there is no PostgreSQL server")
    pytest.importorskip("psycopg2")
    with running_server() as connection:
        yield PostgreSQL(connection)


@pytest.fixture(params=list(TYPES))
def dialect(request):
    return request.param


@pytest.fixture
def engine(dialect, request):
    if dialect == "postgres":
        return request.getfixturevalue("postgres")
    return {"duckdb": DuckDB, "sqlite": SQLite}[dialect]()


def scored(engine, dialect, case, **options):
    """Load a case's table, run the query; return columns by name, in the table's order."""
    types = {"row": "INTEGER"} | {
        feature.name: TYPES[dialect][feature.kind] for feature in case.model.schema.features
    }
    frame = case.X.copy()
    frame.insert(0, "row", range(len(frame)))
    frame["the offset"] = case.offset
    engine.load(frame, types | {"the offset": TYPES[dialect]["numeric"]})
    offset = "the offset" if case.n_outputs == 1 else None
    options = {"keep": ["row"], "offset": offset} | options
    names, rows = engine.run(to_sql(case.model, dialect, "rows", **options))
    rows.sort(key=lambda row: row[0])
    return dict(zip(names, zip(*rows, strict=True), strict=True))


@each_case
def test_scores_contributions_and_reasons_equal_the_models(engine, dialect, seed, n_rows):
    case = case_of(seed, n_rows)
    found = scored(engine, dialect, case, contributions=True, n_reasons=N_REASONS)
    ends = [f"_{label}" for label in case.model.classes] if case.n_outputs > 1 else [""]
    close(columns(found, [f"score{end}" for end in ends]), case.score)
    names = [f"contribution_{n}{end}" for n in case.model.schema.names for end in ends]
    close(columns(found, names), case.contributions)
    check_reasons(found, case)
    check_predictions(found, case)


@each_far_link
def test_small_probabilities_keep_their_digits(engine, dialect, link):
    case = far_case(link)
    found = scored(engine, dialect, case)
    labels = case.model.classes
    names = ["probability"] if link == "logit" else [f"probability_{label}" for label in labels]
    means = columns(found, names).reshape(case.prediction.shape)
    np.testing.assert_allclose(means, case.prediction, rtol=1e-12)


def check_reasons(found, case):
    expected = case.expected_reasons(N_REASONS)
    for rank in range(N_REASONS):
        wanted = [row[rank] if rank < len(row) else (None, None, None) for row in expected]
        names, parts, rules = zip(*wanted, strict=True)
        assert found[f"reason_{rank + 1}"] == names
        assert found[f"reason_{rank + 1}_contribution"] == pytest.approx(parts, abs=1e-9)
        assert found[f"reason_{rank + 1}_rule"] == rules


def check_predictions(found, case):
    if case.model.link == "logit":
        close(columns(found, ["probability"]), case.prediction)
    elif case.model.link == "softmax":
        close(columns(found, [f"probability_{x}" for x in case.model.classes]), case.prediction)
    else:
        np.testing.assert_allclose(found["prediction"], case.prediction, rtol=1e-12, atol=1e-9)
    if case.model.classes:
        assert list(found["prediction"]) == case.model.classify(case.score).tolist()


def columns(found, names):
    return np.transpose([found[name] for name in names])


def close(found, expected):
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=0, atol=1e-9)


TEXTS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=8)
HOSTILE = TEXTS | st.sampled_from(
    ["'", '"', "\\", "--", "';", "/*", "\\'", "$$", "%s", "?", ":a", "\0"]
)


def hostile_model(name, levels):
    """Return a model of one feature with these levels, where a level adds its number."""
    feature = Feature(name, 0, "categorical", levels)
    other = Feature(name + "'\"", 1, "categorical", levels)
    tree = PartitionTree.trivial().split(0, Condition(other, "=", (0,)))
    n = len(levels) + 2
    shapes = [ShapeFunction(feature, [], np.arange(n) + k, np.ones(n), np.zeros(n)) for k in (0, n)]
    flat = ShapeFunction(other, [], np.zeros(n), np.ones(n), np.zeros(n))
    terms = Term(feature, tree, tuple(shapes)), Term(other, PartitionTree.trivial(), (flat,))
    return Model(Schema((feature, other)), 0.0, terms, "logit", ("it's", levels[0]))


@given(
    HOSTILE.filter(lambda text: text and "\0" not in text),
    st.lists(HOSTILE, min_size=1, max_size=4, unique=True),
)
@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_names_and_labels_are_never_obeyed(dialect, name, levels):
    model = hostile_model(name, tuple(levels))
    engine = {"duckdb": DuckDB, "sqlite": SQLite}[dialect]()
    values = [*levels, None, "none of them"]
    X = pd.DataFrame({name: values, name + "'\"": levels[0]}, dtype=object)
    case = Case(model, X, np.zeros(len(X)))
    found = scored(engine, dialect, case, n_reasons=1)
    assert list(found["score"]) == case.model.score(X).tolist()
    assert set(found["reason_1"]) <= {name, None}
    assert set(found["prediction"]) <= set(model.classes)


def test_names_that_no_engine_holds_are_refused():
    for name in ("", "a\0b", "\ud800"):
        with pytest.raises(ValueError, match="a name in SQL must be text without NUL signs"):
            to_sql(random_case(0).model, table=name)


def test_columns_of_the_result_must_differ():
    model = hand_model()
    with pytest.raises(ValueError, match=r"must have different names of at most .*; got 'score'"):
        to_sql(model, keep=["Score"])
    assert to_sql(model, "postgres", keep=["Score"])
    with pytest.raises(ValueError, match="at most 63 bytes"):
        to_sql(model, "postgres", keep=["é" * 40])
    with pytest.raises(ValueError, match="dialect must be one of"):
        to_sql(model, "oracle")


def test_sqlite_reads_every_threshold_to_the_last_bit():
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**64, 3000, dtype=np.uint64).view(np.float64)
    small = rng.normal(size=3000) * 10.0 ** rng.integers(-12, 12, 3000)
    numbers = [x for x in (*small.tolist(), *bits.tolist()) if 1e-280 < abs(x) < 1e15]
    connection, language = sqlite3.connect(":memory:"), DIALECTS["sqlite"]()
    for number in numbers:
        assert connection.execute(f"SELECT {language.number(number)}").fetchone()[0] == number


def test_numbers_stand_for_labels_in_columns_of_any_type(engine, dialect):
    feature = Feature("zone", 0, "categorical", ("1", "2.5", "007"))
    values = np.arange(5.0) + 1
    shape = ShapeFunction(feature, [], values, np.ones(5), np.zeros(5))
    model = Model(Schema((feature,)), 0.0, (Term(feature, PartitionTree.trivial(), (shape,)),))
    X = pd.DataFrame({"zone": [1.0, 2.5, 7.0, 8.0, np.nan]})
    engine.load(X, {"zone": TYPES[dialect]["numeric"]})
    _, rows = engine.run(to_sql(model, dialect))
    assert sorted(row[0] for row in rows) == sorted(model.score(X).tolist()) == [1, 2, 3, 4, 5]


def test_a_view_answers_for_one_row(engine, dialect):
    case = random_case(0)
    scored(engine, dialect, case)
    view = to_sql(case.model, dialect, "rows", view="scored", keep=["row"])
    (engine.cursor if dialect == "postgres" else engine.connection).execute(view)
    _, rows = engine.run('SELECT score FROM scored WHERE "row" = 7')
    assert rows[0][0] == pytest.approx(case.model.score(case.X)[7], abs=1e-9)


@pytest.mark.slow
def test_many_features_and_levels_are_within_every_limit(engine, dialect):
    model, X = wide_case(800, 1000)
    case = Case(model, X, np.zeros(len(X)))
    found = scored(engine, dialect, case, n_reasons=2)
    np.testing.assert_allclose(found["score"], case.score, rtol=0, atol=1e-9)


def wide_case(n_features, n_levels):
    rng = np.random.default_rng(0)
    labels = tuple(f"level {k}" for k in range(n_levels))
    features = [Feature("wide", 0, "categorical", labels)]
    features += [Feature(f"x{i}", i, "numeric") for i in range(1, n_features)]
    terms = []
    for feature in features:
        edges = np.sort(rng.normal(size=0 if feature.index == 0 else 20))
        n = (n_levels if feature.index == 0 else 20) + 2
        shape = ShapeFunction(feature, edges, rng.normal(size=n), np.ones(n), np.zeros(n))
        terms.append(Term(feature, PartitionTree.trivial(), (shape,)))
    X = pd.DataFrame(rng.normal(size=(20, n_features)), columns=[f.name for f in features])
    X["wide"] = pd.Series([labels[k] for k in rng.integers(n_levels, size=20)], dtype=object)
    return Model(Schema(tuple(features)), 0.0, tuple(terms)), X


@pytest.mark.slow
def test_duckdb_scores_a_million_rows_in_three_times_the_time_of_predict():
    X, _ = simulate_bikes(1_000_000)
    small, rentals = simulate_bikes(2000)
    calm = CALMRegressor(curves=Boosting(n_bags=2), n_jobs=1, random_state=0).fit(small, rentals)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE rows AS SELECT * FROM X")
    query = calm.to_sql("duckdb")
    times = {"predict": [], "duckdb": []}
    for _ in range(3):
        start = time.perf_counter()
        expected = calm.predict(X)
        times["predict"].append(time.perf_counter() - start)
        start = time.perf_counter()
        found = connection.execute(query).fetchnumpy()["score"]
        times["duckdb"].append(time.perf_counter() - start)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert min(times["duckdb"]) < 3 * min(times["predict"]), times
