import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import wrong_calls

from calmgam import _kernels

PROGRAM = Path(wrong_calls.__file__)


def test_random_wrong_calls_raise_and_never_end_the_process(tmp_path):
    last = tmp_path / "last_call"
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "3000"],
        capture_output=True,
        text=True,
        env=os.environ | {"LAST_CALL": str(last)},
        check=False,
    )
    assert done.returncode == 0, f"call {last.read_text()} failed: {done.stderr[-3000:]}"
    counts = [line.split(maxsplit=1)[1].rsplit(maxsplit=1) for line in done.stdout.splitlines()]
    assert sum(int(count) for _, count in counts) == 3000
    assert sum(int(count) for outcome, count in counts if outcome == "ValueError") > 500


def test_all_compiled_functions_are_called_wrongly():
    functions = {name for name in dir(_kernels) if callable(getattr(_kernels, name))}
    assert {name for name in functions if not name.startswith("__")} == set(wrong_calls.CALLS)
    rng = np.random.default_rng(0)
    for call in wrong_calls.CALLS.values():
        call(rng, lambda arguments: arguments)  # undamaged they are right


# ---- thing, rule, value --------------------------------------------------------------------------


def arguments(name, **wrong):
    return getattr(wrong_calls, name)(np.random.default_rng(0)) | wrong


def codes(n_lines, row, value, dtype=np.uint16):
    line = np.zeros((n_lines, 30), dtype)
    line[-1, row] = value
    return line


def ones(row, value):
    line = np.ones(30)
    line[row] = value
    return line


@pytest.mark.parametrize(
    ("function", "right", "wrong", "message"),
    [
        (
            _kernels.BagGroup,
            "boosting",
            {"cells": codes(3, 17, 600)},
            r"boosting: cells\[2\] must be below 4; got 600 in row 17",
        ),
        (
            _kernels.BagGroup,
            "boosting",
            {"n_slots": [6, 1, 4]},
            r"boosting: n_slots\[1\] must be at least 2; got 1",
        ),
        (
            _kernels.BagGroup,
            "boosting",
            {"n_slots": [2**40, 5, 4]},
            r"boosting: n_slots\[0\] must be at most 65536; got 1099511627776",
        ),
        (
            _kernels.BagGroup,
            "boosting",
            {"roles": np.full((30, 8), 4, np.uint8)},
            "boosting: roles must be made of TRAINS and VALIDATES; got 4 in row 0",
        ),
        (
            _kernels.BagGroup,
            "boosting",
            {"weight": ones(3, -1.0)},
            r"boosting: weight must hold numbers in \[0, inf\); got -1 in row 3",
        ),
        (
            _kernels.BagGroup,
            "boosting",
            {"max_leaves": 4},
            "boosting: max_leaves must be 2 or 3; got 4",
        ),
        (
            _kernels.curve_split_gains,
            "curve_gains",
            {"codes": codes(3, 2, 6)},
            r"curve_split_gains: codes\[2\] must be below 6; got 6 in row 2",
        ),
        (
            _kernels.curve_split_gains,
            "curve_gains",
            {"n_threads": 0},
            "curve_split_gains: n_threads must be at least 1; got 0",
        ),
        (
            _kernels.point_split_gains,
            "point_gains",
            {"bins": codes(1, 5, 9)[0]},
            "point_split_gains: bins must be below 5; got 9 in row 5",
        ),
        (
            _kernels.leaf_sums,
            "ensemble",
            {"rows": np.zeros((30, 2))},
            r"leaf_sums: features\[3\] must be in \[-1, 2\); got 2",
        ),
        (
            _kernels.leaf_sums,
            "ensemble",
            {"left": np.array([0, -1, -1, 4, 5, -1, -1, -1], np.int32)},
            r"leaf_sums: left\[0\] must be in \[1, 3\); got 0",
        ),
        (
            _kernels.leaf_sums,
            "ensemble",
            {"rows": np.full((30, 3), 4.0)},
            "leaf_sums: column 2 of rows must hold codes below 4; got 4.0+ in row 0",
        ),
        (
            _kernels.ice_sums,
            "ice",
            {"feature": 3},
            "ice_sums: feature must be a column of rows, below 3; got 3",
        ),
        (
            _kernels.ice_sums,
            "ice",
            {"grid": np.array([0.0, 1.0, 2.0, -1.0])},
            "ice_sums: grid must hold codes below 4; got -1.0+ in row 3",
        ),
        (
            _kernels.boost_trees,
            "trees",
            {"codes": codes(3, 4, 4)},
            r"trees: codes\[2\] must be below 4; got 4 in row 4",
        ),
        (
            _kernels.boost_trees,
            "trees",
            {"target": ones(4, np.nan)},
            r"trees: target must hold numbers in .*; got -?nan in row 4",
        ),
        (
            _kernels.JointGrowth,
            "joint",
            {"n_bins": [4, 0, 5]},
            r"joint growth: n_bins\[1\] must be at least 1; got 0",
        ),
        (
            _kernels.gram,
            "gram",
            {"first_column": np.array([0, 1, 2, 3, 3, 7, 7, 8], np.int32)},
            r"gram: first_column\[7\] and three more must be in \[0, 11\); got 8",
        ),
        (
            _kernels.gram,
            "gram",
            {"n_columns": 2**40},
            "gram: n_columns x n_columns must be at most .*; got 1099511627776 x 1099511627776",
        ),
        (
            _kernels.held_out_means,
            "held_out",
            {"cells": codes(3, 6, 4)},
            r"held_out_means: cells\[2\] must be below 4; got 4 in row 6",
        ),
        (
            _kernels.held_out_means,
            "held_out",
            {"n_cells": [5, 3, 5]},
            "held_out_means: a line of heights must have length 13; got 12",
        ),
        (
            _kernels.slopes_and_curvatures,
            "newton",
            {"hessian": np.ones(29)},
            "slopes_and_curvatures: hessian must have length 30; got 29",
        ),
        (
            _kernels.bounded_minimum,
            "parabola",
            {"slopes": np.zeros(9)},
            "bounded_minimum: curvatures must have length 9; got [1-5]",
        ),
    ],
)
def test_what_is_refused_is_named(function, right, wrong, message):
    with pytest.raises(ValueError, match=message):
        function(**arguments(right, **wrong))


def test_results_may_not_lie_over_what_is_read():
    rows = np.zeros((30, 4))
    with pytest.raises(ValueError, match="out must not share memory with rows"):
        _kernels.ice_sums(**arguments("ice", rows=rows, out=rows))


def test_cells_that_change_after_they_were_checked_do_no_harm():
    given = arguments("boosting")
    group = _kernels.BagGroup(**given)
    other = _kernels.BagGroup(**given)
    given["cells"][:] = 65535
    group.advance(5)
    assert np.isfinite(group.curves()).all()
    other.advance(5)
    np.testing.assert_array_equal(group.curves(), other.curves())


@pytest.mark.parametrize("name", ["tiles", "sums", "weights"])
def test_sums_may_not_lie_over_codes(name):
    function, right = {
        "tiles": (_kernels.add_pairs, "pair_sums"),
        "sums": (_kernels.add_cells, "cell_sums"),
        "weights": (_kernels.add_cells, "cell_sums"),
    }[name]
    given = arguments(right)
    beside = given[name].view(np.uint8).ravel()[: 3 * 30].reshape(3, 30)
    with pytest.raises(ValueError, match=f"{name} must not share memory with codes"):
        function(**given | {"codes": beside})


def test_classes_that_change_after_they_were_checked_do_no_harm():
    classes = np.arange(30) % 3.0
    given = {"loss": _kernels.Softmax(3), "target": classes, "intercepts": [0.0] * 9}
    group = _kernels.BagGroup(**arguments("boosting", **given))
    classes[:] = 1e9
    group.advance(5)
    assert np.isfinite(group.curves()).all()


def test_codes_that_a_loss_changes_while_trees_are_boosted_do_no_harm():
    given = arguments("trees", target=np.arange(30) % 2.0)

    def squared(scores):
        given["codes"][:] = 65535
        return np.stack([given["target"] - scores, np.ones_like(scores), scores**2])

    boosted = _kernels.boost_trees(**given | {"loss": _kernels.GivenLoss(squared)})
    assert np.isfinite(boosted[-1]).all()


def test_a_loss_that_advances_its_own_group_is_refused():
    groups = []

    def impatient(scores):
        groups[0].advance(1)
        return np.stack([-scores, np.ones_like(scores), scores**2])

    loss = {"loss": _kernels.GivenLoss(impatient), "target": np.zeros(30), "intercepts": [0.0] * 3}
    groups.append(_kernels.BagGroup(**arguments("boosting", **loss)))
    with pytest.raises(ValueError, match="must be advanced by one call at a time"):
        groups[0].advance(1)
    groups.clear()  # a group, its loss and this list would keep each other


def test_joint_growth_wants_the_cells_of_every_feature_first():
    growth = _kernels.JointGrowth(**arguments("joint"))
    for call in (
        lambda: growth.backfit(1, np.zeros(30)),
        lambda: growth.best_splits(np.ones(30), 0.1),
    ):
        with pytest.raises(ValueError, match="set_cells must be called for every feature first"):
            call()
    with pytest.raises(ValueError, match="cells must be below 8; got 8 in row 1"):
        growth.set_cells(0, codes(1, 1, 8, np.uint32)[0], 2)
