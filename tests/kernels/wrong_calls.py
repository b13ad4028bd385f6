"""Random wrong calls of all compiled functions: each must raise, or give a result if it is right.

A right call is damaged in one to three arguments: other types, shapes, values, sizes. Run as a
program, ``python wrong_calls.py N [SEED]``, it makes N calls and prints how many raised what.
Should a call end the process, its number and function are in the file that LAST_CALL names.
"""

import os
import sys
import warnings
from collections import Counter

import numpy as np

from calmgam import _kernels

N_ROWS, N_FEATURES = 30, 3
HUGE = [2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**70]
NUMBERS = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    64,
    65,
    0.5,
    -1,
    -5,
    -(2**40),
    np.nan,
    np.inf,
    -np.inf,
    1e300,
    -1e300,
]


# ---- right calls ---------------------------------------------------------------------------------


def _codes(rng, sizes, dtype=np.uint16):
    return np.array([rng.integers(0, n, N_ROWS) for n in sizes], dtype=dtype)


def _weights(rng):
    return rng.choice([0.0, 0.5, 1.0, 3.0], N_ROWS)


def _loss(rng):
    """Return a loss of the kernels of one score, and a target that it takes."""
    losses = (
        _kernels.SquaredError(),
        _kernels.LogLoss(),
        _kernels.Poisson(),
        _kernels.Gamma(),
        _kernels.Tweedie(1.5),
        _kernels.Huber(1.0),
        _kernels.Quantile(0.9, 0.5, 0.5),
        _kernels.GivenLoss(lambda scores: np.stack([-scores, np.ones_like(scores), scores**2])),
    )
    loss = losses[rng.integers(len(losses))]
    sizes = isinstance(loss, _kernels.Gamma)  # which are above 0
    return loss, rng.integers(0, 2, N_ROWS) + (0.5 if sizes else 0.0)


def _loss_of_curves(rng):
    """Return a loss, a target that it takes, and how many scores it has."""
    if rng.integers(4):
        return *_loss(rng), 1
    return _kernels.Softmax(3), rng.integers(0, 3, N_ROWS).astype(float), 3


def boosting(rng):
    """Arguments of BagGroup: one feature whole, one with one condition, one with levels."""
    loss, target, n_scores = _loss_of_curves(rng)
    return {
        "cells": _codes(rng, [6, 10, 4]),
        "parents": [[0], [0, 0, 0], [0]],
        "n_slots": [6, 5, 4],
        "ordered": [True, True, False],
        "target": target,
        "weight": _weights(rng),
        "offset": rng.normal(size=N_ROWS),
        "roles": rng.integers(0, 4, (N_ROWS, _kernels.LANES)).astype(np.uint8),
        "seeds": [1, 2, 3],
        "intercepts": [0.1, 0.2, 0.3] * n_scores,
        "loss": loss,
        "max_step": 2.0,
        "least_news": 0.1,
        "learning_rate": 0.1,
        "max_rounds": 5,
        "patience": 3,
        "tolerance": 0.0,
        "max_leaves": int(rng.integers(2, 4)),
        "smoothing_rounds": 2,
        "min_samples_leaf": 1.0,
        "ridge": 0.0,
        "momentum": 0.5,
        "momentum_rounds": 2.0,
        "level_smoothing": 1.0,
        "directions": [[], [1, -1, 0], [0, 1, -1]][rng.integers(3)],
        "centres": [[0.0, 0.1, 0.5, 0.7, 1.0], [], []],
    }


def bent(rng):
    n_heights = int(rng.integers(2, 9))
    return {
        "centres": np.cumsum(rng.uniform(0.1, 1, n_heights)).tolist(),
        "heights": rng.normal(size=n_heights).tolist(),
        "weights": rng.uniform(0.1, 1, n_heights).tolist(),
    }


def conditions(rng):
    n_conditions = [3, 1, 4]
    return {
        "weights": _weights(rng),
        "codes": _codes(rng, [n + 2 for n in n_conditions]),
        "n_conditions": n_conditions,
        "ordered": [True, True, False],
        "min_rows": 1.0,
        "n_threads": int(rng.integers(1, 4)),
    }


def curve_gains(rng):
    return {"curves": rng.normal(size=(N_ROWS, 4)), **conditions(rng)}


def point_gains(rng):
    bins = rng.integers(0, 5, N_ROWS).astype(np.uint16)
    return {"effects": rng.normal(size=N_ROWS), "bins": bins, "n_bins": 5, **conditions(rng)}


def ensemble(rng):
    """Two trees, with a node of codes in the second."""
    rows = rng.normal(size=(N_ROWS, N_FEATURES))
    rows[:, 2] = rng.integers(0, 4, N_ROWS)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    return {
        "rows": np.asfortranarray(rows) if rng.integers(2) else rows,
        "roots": np.array([0, 3], np.int32),
        "features": np.array([0, -1, -1, 2, 1, -1, -1, -1], np.int32),
        "thresholds": rng.normal(size=8),
        "left": np.array([1, -1, -1, 4, 5, -1, -1, -1], np.int32),
        "right": np.array([2, -1, -1, 7, 6, -1, -1, -1], np.int32),
        "missing_left": rng.integers(0, 2, 8).astype(np.uint8),
        "left_codes": np.array([-1, -1, -1, 0, -1, -1, -1, -1], np.int32),
        "code_goes_left": rng.integers(0, 2, 4).astype(np.uint8),
        "values": rng.normal(size=8),
        "float32": bool(rng.integers(2)),
        "n_threads": int(rng.integers(1, 4)),
    }


def ice(rng):
    return {
        **ensemble(rng),
        "feature": 2,
        "grid": np.array([0.0, 1.0, 3.0, np.nan]),
        "all_trees": bool(rng.integers(2)),
        "out": np.empty((N_ROWS, 4)),
    }


def trees(rng):
    loss, target = _loss(rng)
    return {
        "codes": _codes(rng, [6, 5, 4]),
        "n_slots": [6, 5, 4],
        "ordered": [True, True, False],
        "target": target,
        "weight": _weights(rng),
        "offset": rng.normal(size=N_ROWS),
        "loss": loss,
        "base": 0.5,
        "max_step": 2.0,
        "max_rounds": 5,
        "patience": 3,
        "validation_share": 0.2,
        "learning_rate": 0.1,
        "max_leaves": 4,
        "min_samples_leaf": 1.0,
        "ridge": 1.0,
        "level_smoothing": 1.0,
        "max_bins": 3,
        "seed": 7,
        "n_threads": int(rng.integers(1, 4)),
    }


def joint(rng):
    return {
        "weight": _weights(rng),
        "n_bins": [4, 3, 5],
        "codes": _codes(rng, [5, 3, 6]),
        "code_features": [0, 1, 2],
        "n_conditions": [3, 1, 4],
        "ordered": [True, True, False],
        "subsets": [False, False, True],
        "turns": [2, 0, 1],
        "min_rows": 1.0,
        "ridge": 1.0,
        "doubt": [None, 0.0, 2.0][rng.integers(3)],
        "charge_steps": bool(rng.integers(2)),
    }


def partners(rng):
    return {"feature": int(rng.integers(3)), "candidates": [[0, 1, 2], [2], []][rng.integers(3)]}


def cells(rng):
    n_leaves = int(rng.integers(1, 4))
    (line,) = _codes(rng, [4 * n_leaves], np.uint32)
    return {"feature": 0, "cells": line, "n_leaves": n_leaves}


def residuals(rng):
    """Residuals of one output, or of two."""
    return rng.normal(size=(2, N_ROWS) if rng.integers(3) == 0 else N_ROWS)


def sweeps(rng):
    return {"n_sweeps": int(rng.integers(0, 4)), "residual": residuals(rng)}


def splits(rng):
    return {
        "residual": residuals(rng),
        "noise": 0.1,
        "at_least": float(rng.choice([0.0, np.inf])),
        "n_threads": int(rng.integers(1, 4)),
    }


def gram(rng):
    return {
        "cells": _codes(rng, [5, 3]),
        "n_cells": [5, 3],
        "first_column": np.array([0, 1, 2, 3, 3, 7, 7, 7], np.int32),
        "basis": rng.uniform(size=(8, _kernels.WIDTH)),
        "weight": _weights(rng),
        "n_columns": 11,
        "n_threads": int(rng.integers(1, 4)),
    }


def held_out(rng):
    n_cells = [5, 3, 4]
    return {
        "cells": _codes(rng, n_cells),
        "n_cells": n_cells,
        "heights": rng.normal(size=(4, int(rng.integers(1, 4)), 12)),
        "roles": rng.integers(0, 4, (N_ROWS, 4)).astype(np.uint8),
    }


def newton(rng):
    return {
        "parts": rng.normal(size=(int(rng.integers(0, 6)), N_ROWS)),
        "gradient": rng.normal(size=N_ROWS),
        "hessian": _weights(rng),
    }


def parabola(rng):
    table = rng.normal(size=(9, int(rng.integers(1, 6))))
    n = table.shape[1]
    return {
        "slopes": rng.normal(size=n),
        "curvatures": table.T @ table,
        "start": rng.uniform(size=n),
        "max_sweeps": 20,
        "tolerance": 1e-9,
    }


def column(rng):
    values = rng.normal(size=N_ROWS).astype(rng.choice(["f4", "f8"]))
    return {"values": np.where(rng.random(N_ROWS) < 0.1, values.dtype.type(np.nan), values)}


def hashed(rng):
    return {**column(rng), "hashes": np.zeros(N_ROWS, np.uint64)}


def slotted(rng):
    edges = np.sort(rng.normal(size=5))
    return {**column(rng), "edges": edges, "slots": np.empty(N_ROWS, np.uint16)}


def summed(rng):
    code, n_cells = rng.choice([np.uint8, np.uint16]), [4, 3, 5]
    return {
        "codes": _codes(rng, n_cells, code),
        "n_cells": n_cells,
        "fold_starts": [0, 10, N_ROWS],
        "n_threads": int(rng.integers(1, 4)),
    }


def cell_sums(rng):
    values = rng.integers(-9, 9, N_ROWS)
    sums = {name: np.zeros((2, 12), np.int64) for name in ("weights", "sums")}
    weight = None if rng.integers(2) else rng.integers(0, 9, N_ROWS)
    return {**summed(rng), "weight": weight, "values": values, **sums}


def pair_sums(rng):
    kind = rng.choice([np.uint32, np.int64])
    weight = None if rng.integers(2) else rng.integers(0, 9, N_ROWS).astype(kind)
    return {**summed(rng), "weight": weight, "tiles": np.zeros((2, 12 + 20 + 15), kind)}


def gram_bag(rng):
    settings = boosting(rng)
    rows = ("cells", "target", "weight", "offset", "roles", "seeds", "intercepts")
    for name in (*rows, "loss", "max_step", "least_news", "directions", "centres"):
        del settings[name]
    n_lines, n_cells = 6 + 15 + 4, 6 + 10 + 4
    lines = rng.uniform(size=(2, n_lines, n_cells)).astype(np.float32)
    return {
        "all": lines.sum(axis=0),
        "left_out": lines[0],
        "sums": rng.normal(size=(2, n_cells)),
        "weights": rng.uniform(size=(2, n_cells)),
        "squares": np.array([2.0, 1.0]),
        **settings,
        "turns": [2, 0, 1],
        "seed": 5,
    }


# ---- damage --------------------------------------------------------------------------------------


def _array(rng, array):
    """An array with other values, another type, shape or layout."""
    damage = rng.integers(10)
    if damage <= 3 and array.size:  # values
        array = array.copy(order="K")
        where = rng.integers(array.size, size=rng.integers(1, 4))
        if array.dtype.kind == "f":
            array.flat[where] = rng.choice([np.nan, np.inf, -np.inf, -1.0, 1e300, -1e300, 0.5, 9.0])
        else:
            info = np.iinfo(array.dtype)
            array.flat[where] = rng.choice([info.min, info.max, 0, 1, 5, 8, info.max // 2])
        return array
    if damage == 4:
        return array.astype(rng.choice(["f4", "f8", "i8", "u2", "u4", "i4", "u1", "c16", "?"]))
    if damage == 5:
        shape = list(array.shape)
        shape[rng.integers(len(shape))] = int(rng.choice([0, 1, 2, 29, 31]))
        return np.resize(array, shape) if 0 not in shape else np.empty(shape, array.dtype)
    if damage == 6:
        return array[..., None] if rng.integers(2) else array.ravel()
    if damage == 7:
        return array[::-1] if rng.integers(2) else np.asfortranarray(array.T)
    if damage == 8:  # unaligned
        raw = np.zeros(array.nbytes + 1, np.uint8)
        moved = raw[1:].view(array.dtype).reshape(array.shape)
        moved[...] = array
        return moved
    huge = [*array.shape]
    huge[rng.integers(len(huge))] = int(rng.choice([2**40, 2**55]))
    empty = (
        np.empty((0, *huge[1:]), array.dtype) if len(huge) > 1 and huge[0] < 2**31 else array[:0]
    )
    wide = np.broadcast_to(array.dtype.type(), (1, 2**40)) if array.ndim == 2 else array[:0]
    return wide if rng.integers(2) and array.dtype.kind == "f" else empty


def _entry(rng, value):
    """Another number."""
    del value
    kind = rng.integers(4)
    if kind == 0:
        return HUGE[rng.integers(len(HUGE))]
    if kind == 1:
        return -HUGE[rng.integers(len(HUGE))]
    number = NUMBERS[rng.integers(len(NUMBERS))]
    return [None, "x", [], object()][rng.integers(4)] if rng.integers(10) == 0 else number


def _list(rng, values):
    values, damage = [*values], rng.integers(6)
    if damage == 0:
        return values[:-1]
    if damage == 1:
        return [*values, *values]
    if damage == 2:
        return []
    if damage == 3 and values and isinstance(values[0], list):
        where = rng.integers(len(values))
        values[where] = _list(rng, values[where])
        return values
    if values:
        values[rng.integers(len(values))] = _entry(rng, None)
    return values


def damaged(rng, arguments):
    """The same arguments, one to three of them wrong."""
    arguments = dict(arguments)
    for name in rng.choice([*arguments], size=rng.integers(1, 4)):
        value = arguments[name]
        if isinstance(value, np.ndarray):
            arguments[name] = _array(rng, value)
        else:
            arguments[name] = _list(rng, value) if isinstance(value, list) else _entry(rng, value)
        if rng.integers(40) == 0:
            arguments[name] = [None, "x", 3.5, b"", {}][rng.integers(5)]
        if rng.integers(60) == 0:
            del arguments[name]
            break
    if "out" in arguments and rng.integers(20) == 0:  # results over what is read
        arguments["rows"] = arguments["out"]
    for name in (
        "max_rounds",
        "patience",
        "n_sweeps",
        "max_sweeps",
        "smoothing_rounds",
    ):  # long work is no wrong call
        if isinstance(arguments.get(name), int) and arguments[name] > 100:
            arguments[name] = 100 if arguments[name] < 2**31 else arguments[name]
    return arguments


# ---- calls ---------------------------------------------------------------------------------------


def call_boosting(rng, wrong):
    group = _kernels.BagGroup(**wrong(boosting(rng)))
    group.advance(min(wrong({"n_rounds": 3})["n_rounds"], 50))
    return group.curves(), group.round, group.intercepts, group.best_losses, group.best_rounds


def call_joint(rng, wrong):
    growth = _kernels.JointGrowth(**wrong(joint(rng)))
    forgotten = wrong({"feature": -1})["feature"]
    for i, n_bins in enumerate([4, 3, 5]):
        if i != forgotten:
            arguments = cells(rng) | {"feature": i}
            arguments["cells"] %= n_bins * arguments["n_leaves"]
            growth.set_cells(**wrong(arguments))
        if rng.integers(3) == 0:
            growth.try_only(**wrong(partners(rng)))
    growth.backfit(**wrong(sweeps(rng)))
    growth.moved()
    return growth.best_splits(**wrong(splits(rng)))


def call_gram_bag(rng, wrong):
    bag = _kernels.GramBag(**wrong(gram_bag(rng)))
    bag.advance(min(wrong({"n_rounds": 3})["n_rounds"], 50))
    return bag.curves(), bag.round, bag.intercept, bag.best_loss, bag.best_round


def simple(function, arguments):
    return lambda rng, wrong: function(**wrong(arguments(rng)))


def made(kind, **arguments):
    """Return a call that makes a loss."""
    return simple(kind, lambda rng: dict(arguments))


CALLS = {
    "SquaredError": made(_kernels.SquaredError),
    "LogLoss": made(_kernels.LogLoss),
    "Poisson": made(_kernels.Poisson),
    "Gamma": made(_kernels.Gamma),
    "Tweedie": made(_kernels.Tweedie, power=1.5),
    "Huber": made(_kernels.Huber, width=1.0),
    "Quantile": made(_kernels.Quantile, level=0.9, share=0.5, mean_cost=0.5),
    "Softmax": made(_kernels.Softmax, n_classes=3),
    "GivenLoss": made(_kernels.GivenLoss, function=np.negative),
    "BagGroup": call_boosting,
    "nearest_convex": simple(_kernels.nearest_convex, bent),
    "JointGrowth": call_joint,
    "curve_split_gains": simple(_kernels.curve_split_gains, curve_gains),
    "point_split_gains": simple(_kernels.point_split_gains, point_gains),
    "leaf_sums": simple(_kernels.leaf_sums, ensemble),
    "ice_sums": simple(_kernels.ice_sums, ice),
    "boost_trees": simple(_kernels.boost_trees, trees),
    "gram": simple(_kernels.gram, gram),
    "held_out_means": simple(_kernels.held_out_means, held_out),
    "slopes_and_curvatures": simple(_kernels.slopes_and_curvatures, newton),
    "bounded_minimum": simple(_kernels.bounded_minimum, parabola),
    "mix_column": simple(_kernels.mix_column, hashed),
    "summarise": simple(_kernels.summarise, column),
    "find_slots": simple(_kernels.find_slots, slotted),
    "add_cells": simple(_kernels.add_cells, cell_sums),
    "add_pairs": simple(_kernels.add_pairs, pair_sums),
    "GramBag": call_gram_bag,
}
REFUSALS = (ValueError, TypeError, MemoryError, KeyError)  # KeyError: of a name that was left out


def run(n_calls, seed=0):
    """Make the calls; return how often each function gave what."""
    outcomes = Counter()
    for number in range(n_calls):
        rng = np.random.default_rng([seed, number])  # any call can be made again alone
        name = [*CALLS][rng.integers(len(CALLS))]
        if path := os.environ.get("LAST_CALL"):
            with open(path, "w") as file:
                file.write(f"{number} {name}\n")
        # of a function with several methods any one may be called wrongly
        chance = 1.0 if name not in ("BagGroup", "GramBag", "JointGrowth") else 0.4

        def wrong(arguments, rng=rng, chance=chance):
            return damaged(rng, arguments) if rng.random() < chance else arguments

        try:
            CALLS[name](rng, wrong)
            outcomes[name, "a result"] += 1
        except REFUSALS as error:
            outcomes[name, type(error).__name__] += 1
    return outcomes


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of casts, which are wrong by intent
    for (name, outcome), count in sorted(run(*map(int, sys.argv[1:])).items()):
        print(f"{name:18} {outcome:12} {count}")
