import numpy as np
import pytest

from calmgam.fit.data.losses import SquaredError
from calmgam.fit.references.boosted_trees import BoostedTrees
from calmgam.fit.references.ensembles import TreeEnsemble
from calmgam.fit.references.reference import Reference
from calmgam.fit.regions.joint.pairs import (
    PAIRS,
    _node_means,
    likely_partners,
    too_many_pairs,
    used_together,
)
from calmgam.model.schema import Schema


def ensemble(features, left, right, values, thresholds=None):
    n = len(features)
    return TreeEnsemble(
        roots=np.array([0], dtype=np.int32),
        features=np.array(features, dtype=np.int32),
        thresholds=np.zeros(n) if thresholds is None else np.array(thresholds),
        left=np.array(left, dtype=np.int32),
        right=np.array(right, dtype=np.int32),
        missing_left=np.zeros(n, dtype=np.uint8),
        left_codes=np.full(n, -1, dtype=np.int32),
        code_goes_left=np.zeros(0, dtype=np.uint8),
        values=np.array(values, dtype=float),
        base=0.0,
        float32=False,
        probability=False,
    )


def test_a_question_gains_together_with_those_above_it():
    # x0 <= 0 ? (x1 <= 0 ? 1 : 5) : (x2 <= 0 ? 3 : 3)
    tree = ensemble(
        [0, 1, 2, -1, -1, -1, -1],
        [1, 3, 5, 0, 0, 0, 0],
        [2, 4, 6, 0, 0, 0, 0],
        [0, 0, 0, 1, 5, 3, 3],
    )
    X = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], dtype=float)
    # of four rows below x0 <= 0 two have 1 and two have 5: 2 * 2 / 4 * (1 - 5)²
    assert used_together(tree, X) == {(0, 1): 16.0, (0, 2): 0.0}


def test_rows_go_where_the_ensemble_sends_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[::7, 1] = np.nan
    X[:, 2] = rng.integers(0, 4, 300)
    labels = np.array(["a", "b", "c", "d"], dtype=object)
    table = np.column_stack([X[:, :2].astype(object), labels[X[:, 2].astype(int)]])
    schema = Schema.learn(table)
    encoded = schema.encode(table)
    y = np.nan_to_num(X[:, 1]) * (X[:, 2] > 1) + X[:, 0]
    trees = BoostedTrees(schema, SquaredError()).fit(encoded, y).ensemble
    counts, means = _node_means(trees, encoded)
    assert set(counts[trees.roots]) == {300}
    total = trees.base + means[trees.roots].sum()
    assert total == pytest.approx(trees.score(encoded).mean())


class Wide:
    """Fifty features, of which two interact."""

    def __init__(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(600, 50))
        self.schema = Schema.learn(X)
        self.X = self.schema.encode(X)
        self.scores = 2 * X[:, 0] + 3 * X[:, 30] * (X[:, 35] > 0)
        self.trees = BoostedTrees(self.schema, SquaredError()).fit(self.X, self.scores)

    def partners(self, **options):
        reference = Reference(self.trees, SquaredError(), **options)
        return likely_partners(reference, self.X, self.scores, self.schema)


@pytest.mark.parametrize("readable", [True, False])
def test_pairs_that_trees_use_together_are_kept(readable):
    wide = Wide()
    partners = wide.partners(ensemble=wide.trees.ensemble if readable else None)
    assert 35 in partners[30] and 30 in partners[35]
    assert sum(map(len, partners)) <= 2 * PAIRS.max_pairs
    assert all(i in partners[j] for i, others in enumerate(partners) for j in others)


def test_few_features_have_all_pairs():
    assert not too_many_pairs(45)
    assert too_many_pairs(46)
    wide = Wide()
    reference = Reference(wide.trees, SquaredError())
    assert likely_partners(reference, wide.X[:, :45], wide.scores, wide.schema) is None
