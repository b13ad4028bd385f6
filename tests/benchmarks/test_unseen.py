import numpy as np
import pandas as pd
import pytest

from benchmarks.unseen import Source, prepared, report

RAW = pd.DataFrame(
    {"rownames": [1, 2, 3], "a": [1.0, 2.0, 3.0], "id": [7, 8, 9], "y": ["no", "yes", "no"]}
)


def test_labels_become_classes_and_numbers_of_rows_are_dropped():
    table = prepared(RAW, Source("p/t", "y", "yes", drop=("id",)))
    assert list(table) == ["a", "target"]
    assert table["target"].tolist() == [0, 1, 0]


def test_logarithms_are_taken_where_asked():
    table = prepared(RAW, Source("p/t", "a", log=True))
    np.testing.assert_allclose(table["target"], np.log([1, 2, 3]))


def test_a_label_must_be_there():
    with pytest.raises(ValueError, match="must hold the label 'maybe'"):
        prepared(RAW, Source("p/t", "y", "maybe"))


def test_a_mean_is_that_of_all_folds():
    rows = [("a", "calm", str(fold), 1.0 + fold) for fold in range(5)]
    rows += [("a", "ebm", "0", 9.0), ("b", "calm", "0", 4.0), ("b", "calm", "1", 5.0)]
    columns = ["dataset", "model", "fold", "error"]
    means, first = report(pd.DataFrame(rows, columns=columns)).split("## Error, fold 0")
    assert [line.split("|")[1:-1] for line in means.splitlines()[4:] if line] == [
        [" a       ", "    3 "]
    ]
    assert "ebm" not in means
    assert "ebm" in first
    assert "| b " in first
