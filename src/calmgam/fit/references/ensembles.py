"""Trees of four libraries as one value: a fitted estimator comes in, a `TreeEnsemble` goes out.

XGBoost, LightGBM, scikit-learn's forests and HistGradientBoosting store their trees and compare
values each in their own way. Here every node reads "x <= threshold goes left" in float64:

    XGBoost                       float32(x) <  t     threshold = the float32 just below t
    scikit-learn forests          float32(x) <= t
    HistGradientBoosting, LightGBM        x  <= t

What cannot be said exactly this way is not read: `read_trees` then returns None.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from calmgam import _kernels
from calmgam.fit.references import ubjson

# The class that says which library an estimator is of; looked up by name to import nothing.
LIBRARIES = {
    ("sklearn", "BaseHistGradientBoosting"): "hist_gradient_boosting",
    ("sklearn", "BaseForest"): "random_forest",
    ("xgboost", "XGBModel"): "xgboost",
    ("lightgbm", "LGBMModel"): "lightgbm",
}
NEARLY_ZERO = float(np.float32(1e-35))  # LightGBM's


@dataclass(frozen=True)
class TreeEnsemble:
    """All nodes of all trees, one after the other; a row's score is base + the sum of its leaves.

    Attributes
    ----------
    roots : int32 array, one per tree
    features : int32 array, one per node; -1 at a leaf
    thresholds : float64 array; x <= threshold goes left
    left, right : int32 arrays; indexes of the children
    missing_left : uint8 array; 1 where a missing value goes left
    left_codes : int32 array; at a categorical node code c goes left if
        ``code_goes_left[left_codes[node] + c]``, -1 at any other node
    code_goes_left : uint8 array
    values : float64 array; of the leaves
    base : float
    float32 : bool
        Values are rounded to float32 before they are compared.
    probability : bool
        The sum is the probability of the second class, not a margin.
    """

    roots: np.ndarray
    features: np.ndarray
    thresholds: np.ndarray
    left: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    left_codes: np.ndarray
    code_goes_left: np.ndarray
    values: np.ndarray
    base: float
    float32: bool
    probability: bool

    @property
    def arrays(self) -> dict[str, Any]:
        """All but base and scale, as the kernels take them."""
        return {
            entry.name: getattr(self, entry.name)
            for entry in fields(self)
            if entry.name not in ("base", "probability")
        }

    def score(self, X: np.ndarray, n_jobs: int = 1) -> np.ndarray:
        """Margin (or probability) of every row."""
        return self.base + _kernels.leaf_sums(X, **self.arrays, n_threads=n_jobs)


def read_trees(model: Any, n_codes: Sequence[int]) -> TreeEnsemble | None:
    """Read the trees of a fitted estimator; None if they cannot be represented exactly.

    Parameters
    ----------
    model : fitted estimator
    n_codes : sequence of int
        Per feature, how many codes a categorical feature has (the unseen level's included); 0 for
        every other feature. A categorical split of such a feature is not read.
    """
    readers = {
        "hist_gradient_boosting": _read_hist_gradient_boosting,
        "random_forest": _read_forest,
        "xgboost": _read_xgboost,
        "lightgbm": _read_lightgbm,
    }
    library = library_of(model)
    return None if library is None else readers[library](model, n_codes)


def library_of(model: Any) -> str | None:
    """Which of the libraries whose trees can be read an estimator is of."""
    classes = ((base.__module__.split(".")[0], base.__name__) for base in type(model).__mro__)
    return next((LIBRARIES[key] for key in classes if key in LIBRARIES), None)


@dataclass(frozen=True)
class _Tree:
    """One tree with its own node numbers; `left_codes` says per categorical node who goes left."""

    features: np.ndarray
    thresholds: np.ndarray
    left: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    values: np.ndarray
    left_codes: dict[int, np.ndarray] = field(default_factory=dict)


def _assemble(
    trees: Iterable[_Tree], base: float, *, float32: bool = False, probability: bool = False
) -> TreeEnsemble:
    trees = list(trees)
    sizes = [len(tree.features) for tree in trees]
    roots = np.cumsum([0, *sizes[:-1]]).astype(np.int32)
    features = np.concatenate([tree.features for tree in trees]).astype(np.int32)
    left_codes = np.full(len(features), -1, np.int32)
    tables: list[np.ndarray] = [np.zeros(0, np.uint8)]
    n_flags = 0
    for root, tree in zip(roots, trees, strict=True):
        for node, goes_left in tree.left_codes.items():
            left_codes[root + node] = n_flags
            n_flags += len(goes_left)
            tables.append(goes_left.astype(np.uint8))

    def joined(name: str, dtype: type) -> np.ndarray:
        return np.concatenate([getattr(tree, name) for tree in trees]).astype(dtype)

    first = np.repeat(roots, sizes)
    inner = features >= 0
    return TreeEnsemble(
        roots=roots,
        features=features,
        thresholds=joined("thresholds", np.float64),
        left=np.where(inner, joined("left", np.int32) + first, -1).astype(np.int32),
        right=np.where(inner, joined("right", np.int32) + first, -1).astype(np.int32),
        missing_left=joined("missing_left", np.uint8),
        left_codes=left_codes,
        code_goes_left=np.concatenate(tables),
        values=np.where(inner, 0.0, joined("values", np.float64)),
        base=float(base),
        float32=float32,
        probability=probability,
    )


def _read_forest(model: Any, n_codes: Sequence[int]) -> TreeEnsemble | None:
    classification = hasattr(model, "classes_")
    if model.n_outputs_ != 1 or (classification and model.n_classes_ != 2):
        return None
    trees = []
    for estimator in model.estimators_:
        tree = estimator.tree_
        values = tree.value[:, 0, :]
        share = values[:, 1] / values.sum(axis=1) if classification else values[:, 0]
        trees.append(
            _Tree(
                features=np.where(tree.children_left < 0, -1, tree.feature),
                thresholds=tree.threshold,
                left=tree.children_left,
                right=tree.children_right,
                missing_left=tree.missing_go_to_left,
                values=share / len(model.estimators_),
            )
        )
    return _assemble(trees, 0.0, float32=True, probability=classification)


def _read_hist_gradient_boosting(model: Any, n_codes: Sequence[int]) -> TreeEnsemble | None:
    if model.n_trees_per_iteration_ != 1:
        return None
    columns = np.arange(model.n_features_in_)
    categories: list[np.ndarray] = []
    if model.is_categorical_ is not None:
        # Inside, categorical columns come first, and their values are ranks among those seen.
        columns = np.concatenate([columns[model.is_categorical_], columns[~model.is_categorical_]])
        categories = model._preprocessor.named_transformers_["encoder"].categories_
        if not all(n_codes[column] for column in columns[: len(categories)]):
            return None
    trees = []
    for (predictor,) in model._predictors:
        nodes = predictor.nodes
        inner = nodes["is_leaf"] == 0
        left_codes = {}
        for node in np.flatnonzero(inner & (nodes["is_categorical"] == 1)):
            rank_goes_left = _bits(predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]])
            internal = nodes["feature_idx"][node]
            # A category never seen in training is a missing value.
            goes_left = np.full(n_codes[columns[internal]], bool(nodes["missing_go_to_left"][node]))
            seen = categories[internal][~np.isnan(categories[internal])].astype(int)
            goes_left[seen] = rank_goes_left[: len(seen)]
            left_codes[int(node)] = goes_left
        trees.append(
            _Tree(
                features=np.where(inner, columns[np.where(inner, nodes["feature_idx"], 0)], -1),
                thresholds=nodes["num_threshold"],
                left=nodes["left"],
                right=nodes["right"],
                missing_left=nodes["missing_go_to_left"],
                values=nodes["value"],
                left_codes=left_codes,
            )
        )
    return _assemble(trees, np.ravel(model._baseline_prediction)[0])


def _read_xgboost(model: Any, n_codes: Sequence[int]) -> TreeEnsemble | None:
    booster = model.get_booster()
    if (best_iteration := getattr(model, "best_iteration", None)) is not None:
        booster = booster[: best_iteration + 1]
    learner = ubjson.parse(bytes(booster.save_raw("ubj")))["learner"]
    shape = learner["learner_model_param"]
    one_score = int(shape["num_class"]) <= 1 and int(shape["num_target"]) == 1
    if (
        learner["gradient_booster"]["name"] != "gbtree"
        or not one_score
        or not np.isnan(model.missing)
    ):
        return None
    trees = []
    for tree in learner["gradient_booster"]["model"]["trees"]:
        left = np.array(tree["left_children"])
        leaf = left < 0
        features = np.where(leaf, -1, np.array(tree["split_indices"]))
        conditions = np.array(tree["split_conditions"], np.float32)
        left_codes = {}
        for node, start, size in zip(
            tree["categories_nodes"],
            tree["categories_segments"],
            tree["categories_sizes"],
            strict=True,
        ):
            # The stored categories go right, every other one left.
            if not n_codes[features[node]]:
                return None
            goes_left = np.ones(n_codes[features[node]], bool)
            goes_left[tree["categories"][start : start + size]] = False
            left_codes[node] = goes_left
        trees.append(
            _Tree(
                features=features,
                thresholds=np.nextafter(conditions, np.float32(-np.inf)),
                left=left,
                right=np.array(tree["right_children"]),
                missing_left=np.array(tree["default_left"]),
                values=conditions,
                left_codes=left_codes,
            )
        )
    base = float(shape["base_score"].strip("[]"))
    if learner["objective"]["name"].startswith("binary:logi"):
        base = np.log(base / (1.0 - base))
    return _assemble(trees, base, float32=True)


def _read_lightgbm(model: Any, n_codes: Sequence[int]) -> TreeEnsemble | None:
    header, *blocks = model.booster_.model_to_string().split("end of trees")[0].split("\nTree=")
    if "num_tree_per_iteration=1\n" not in header or "average_output" in header:
        return None
    trees = []
    for block in blocks:
        entries = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        if entries.get("is_linear") == "1":
            return None
        tree = _lightgbm_tree(entries, n_codes)
        if tree is None:
            return None
        trees.append(tree)
    return _assemble(trees, 0.0)


def _lightgbm_tree(entries: dict[str, str], n_codes: Sequence[int]) -> _Tree | None:
    """Inner nodes 0 .. k-1, then the leaves: a child -m - 1 is leaf m, so node k + m."""

    def numbers(name: str, dtype: type = int) -> np.ndarray:
        return np.array(entries.get(name, "").split(), dtype=dtype)

    leaf_values = numbers("leaf_value", float)
    n_inner = len(leaf_values) - 1
    features, thresholds, kinds = (
        numbers("split_feature"),
        numbers("threshold", float),
        numbers("decision_type"),
    )
    categorical, default_left, missing_kind = kinds & 1 == 1, kinds & 2 == 2, kinds >> 2
    zero_is_missing = missing_kind == 1
    if (zero_is_missing & ~categorical).any():
        return None
    # Numbers up to NEARLY_ZERO are zero, so a threshold among them lies at their ends.
    at_zero = (np.abs(thresholds) <= NEARLY_ZERO) & ~categorical
    ends = np.where(thresholds >= 0, NEARLY_ZERO, np.nextafter(-NEARLY_ZERO, -np.inf))
    # A node that saw no missing value takes one for zero; a categorical node sends it right.
    missing_left = np.where(missing_kind == 2, default_left, thresholds >= 0) & ~categorical
    left_codes = {}
    bounds, words = numbers("cat_boundaries"), numbers("cat_threshold", np.uint32)
    for node in np.flatnonzero(categorical):
        if not n_codes[features[node]]:
            return None
        at = int(thresholds[node])
        stored = _bits(words[bounds[at] : bounds[at + 1]])[: n_codes[features[node]]]
        left_codes[int(node)] = np.pad(stored, (0, n_codes[features[node]] - len(stored)))

    def children(name: str) -> np.ndarray:
        child = numbers(name)
        return np.where(child < 0, n_inner - 1 - child, child)

    def with_leaves(inner: np.ndarray, leaf: float) -> np.ndarray:
        return np.concatenate([inner, np.full(n_inner + 1, leaf)])

    return _Tree(
        features=with_leaves(features, -1),
        thresholds=with_leaves(np.where(at_zero, ends, thresholds), 0),
        left=with_leaves(children("left_child"), -1),
        right=with_leaves(children("right_child"), -1),
        missing_left=with_leaves(missing_left, 0),
        values=np.concatenate([np.zeros(n_inner), leaf_values]),
        left_codes=left_codes,
    )


def _bits(words: np.ndarray) -> np.ndarray:
    """Bits of uint32 words, lowest first."""
    return np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
