"""A kernel compares the lengths of its arrays before it indexes them."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tallylearn as tl
import tallylearn.kernels as package
from tallylearn.kernels.trees.settings import Amounts
from tallylearn.models.trees.growing import absolute_error_grower, c45_grower, grower
from tests.kernels.test_oracle import interpreted, uncompiled
from tests.tables import mixed_table

Array = Any
ALONE = {
    "binning.runs",
    "long_integers.carry",
    "csv_parsing.line_ends",
}  # one array, or as far as there is room


def real(*shape: int) -> Array:
    return np.ones(shape)


def single(*shape: int) -> Array:
    return np.ones(shape, np.float32)


def whole(*shape: int) -> Array:
    return np.zeros(shape, np.int64)


def code(*shape: int) -> Array:
    return np.zeros(shape, np.int32)


def small(*shape: int) -> Array:
    return np.zeros(shape, np.uint16)


def byte(*shape: int) -> Array:
    return np.zeros(shape, np.uint8)


def rows(n: int = 6) -> Array:
    return np.arange(n, dtype=np.int64)


TEXT = np.frombuffer(b"a b", np.uint8)
FOLD = np.array([97 <= c < 123 and c for c in range(256)], np.uint8)
ENDS = np.array([[0, 0], [3, 0]])
SLOTS = np.zeros((8, 2), np.uint64)
TREE = np.array([-1, 0, 0])
SIZES = np.array([3, 1, 1])
LEAVES = np.array([[2, 3], [1, 1], [1, 1]])
PLAN = code(3, 4), real(3), code(2, 1)
STAY = np.array([[0, i, i, i] for i in range(3)], np.int32)
GROWN = np.array([[0, 6, 0, 1, 2, 0, 0, 0, 0, -1], *[[0, 6, 1, *[-1] * 7]] * 2])
TWO = np.array([1, 1])
CELLS = np.array([[2, 0, 0, 0, 0, 4], [0, 0, 0, 0, 0, 0]], np.int32)  # a word and a number
SIX = np.zeros(6, np.int32), np.zeros((0, 0), np.int64), np.zeros(0, np.int64)  # rows to count
ONE = {"classes": 1, "k": 1, "q": 1, "rows_at": -1}

# kernel: a call that is right, and "argument.axis" of what may be shorter: what the others follow
CALLS: dict[str, tuple[tuple[Any, ...], str]] = {
    "boosting.loss_gradients.exp_all": ((real(6), real(6)), "0.0"),
    "boosting.loss_gradients.log1p_all": ((real(6), real(6)), "0.0"),
    "boosting.loss_gradients.log_loss": ((real(6), real(6), real(6), real(6)), "0.0"),
    "boosting.loss_gradients.softmax": ((real(3, 6), real(3, 6), 0, 6), "0.0"),
    "boosting.loss_gradients.class_gradients": (
        (real(6), code(6), 0, real(6), real(6)), "0.0",
    ),
    "boosting.loss_gradients.exponential_loss": (
        (real(6), real(6), False, real(6), real(6)), "0.0",
    ),
    "boosting.loss_gradients.log_losses": (
        (real(3, 6), np.full(6, 2, np.int32), real(6)), "2.0",
    ),
    "boosting.loss_gradients.pack": (
        (real(6), real(6), SLOTS[:6, 0].copy(), 1, (1.0, 1.0), (14, 24), whole(6, 1)), "0.0",
    ),
    "boosting.loss_gradients.sums_of_leaf": (
        (np.arange(6, dtype=np.int32), real(6), real(6), 1.0, 1.0), "0.0",
    ),
    "boosting.loss_gradients.add_to_rows": ((np.arange(6, dtype=np.int32), 1.0, real(6)), "0.0"),
    "boosting.loss_gradients.hash_rows": (
        (np.zeros((1, 6, 2), np.uint8), SLOTS[:6, 0].copy(), SLOTS[:6, 0].copy()), "0.0 0.1 0.2",
    ),
    "boosting.binned_predict.add_tree": (
        (np.zeros((1, 6, 2), np.uint8), GROWN, byte(3, 256), real(3), 0, 6, real(6)), "0.2 3.0",
    ),
    "trees.tree_shap.add_values": (
        (
            real(6, 1), code(6, 1), (STAY, real(3), code(2, 1)),
            (
                np.array([1, -1, -1]), np.array([-1, 2, -1]), real(3), real(3, 1), whole(3),
                0, 3, 1, 0,
            ),
            (whole(12), real(12, 3)), real(6, 1, 1),
        ),
        "0.1 1.1 5.0 5.2",
    ),
    "binning.turn": ((real(6, 2), real(2, 6)), "0.0 0.1"),
    "binning.sort": ((code(6), whole(2), whole(6)), "0.0 1.0"),
    "binning.unsort": ((rows(), code(6)), "0.0"),
    "binning.stamp": ((rows(), code(6), 40), "0.0"),
    "binning.values": ((rows(), 2**32 - 1, real(6), byte(2), real(2)), "0.0 3.0"),
    "binning.keys": ((real(6), whole(6)), "0.0"),
    "binning.rank": ((real(6), rows(), real(6)), "0.0"),
    "binning.rewrite": ((rows(), whole(6)), "0.0"),
    "binning.group": ((rows(), 2, whole(6), real(1), real(2), real(2)), "0.0 3.0"),
    "binning.quantiles": ((real(6), 2, real(2), real(2)), "0.0"),
    "binning.classify": ((real(6), real(2), small(6)), "0.0 1.0"),
    "binning.spread": (
        (real(6), real(3), whole(5), small(6), whole(4), real(2, 4)), "0.0 1.0 2.0",
    ),
    "binning.pick": ((real(6), small(6), byte(1), real(6)), "0.0 2.0 3.0"),
    "binning.quantiles_of": (
        (real(2, 2), TWO, byte(2), real(0), 2, real(2, 2), whole(2)), "1.0",
    ),
    "binning.regroup": ((real(6), real(2), whole(2), small(6)), "0.0 1.0 2.0"),
    "perceptron_updates.walk": (
        (
            real(6, 2), code(6), rows(), real(3), real(1, 3), real(1, 3), real(2, 8), whole(2),
            real(1),
        ),
        "2.0 5.0 6.0",
    ),
    "class_counts.count": ((code(6), code(2, 6), whole(2), TWO, whole(2, 9)), "0.0 1.0 4.1"),
    "class_counts.weigh": (
        (code(6), code(2, 6), whole(6), whole(2), TWO, whole(2, 9)), "0.0 1.0 5.1",
    ),
    "sgd.walk": (
        (real(6, 2), real(6), rows(), 0.1, real(3), real(3), real(2, 7), whole(2)),
        "0.1 2.0 6.0",
    ),
    "coordinate_descent.descend_path": (
        (
            np.eye(3), real(3), np.ones(3), real(2, 3), real(4), np.ones(3), np.zeros((2, 3)),
            np.zeros((2, 2)),
        ),
        "",
    ),
    "coordinate_descent.duality_gap": ((real(3), real(3), 0.1, 0.1, real(6), real(6), False), ""),
    "coordinate_descent.descend_columns": (
        (real(3, 6), rows(3), real(3), real(3), real(3), np.zeros(3), real(6), np.zeros(2)),
        "1.0 3.0",
    ),
    "coordinate_descent.column_products": ((real(3, 6), rows(3), real(6), np.zeros(3)), "1.0"),
    "compensated_residuals.left": ((real(2, 6), real(2), real(6), real(2, 6)), "1.0"),
    "compensated_residuals.slopes": ((real(2, 6), real(2, 6), real(2, 6), real(2)), "3.0"),
    "compensated_residuals.levels": ((real(1, 2), real(3), real(3), real(3, 1)), ""),
    "qr_triangle.magnified": ((np.eye(2), np.eye(2), real(2)), ""),
    "qr_triangle.alike": ((real(2, 2), real(2, 2), real(2)), ""),
    "qr_triangle.scaled": ((real(2, 3), real(3), real(2, 3), real(3)), "0.0"),
    "qr_triangle.explained": ((real(3, 3), real(3), real(1, 2), real(2, 1)), ""),
    "sgd.answer": ((real(6, 2), real(3), real(6)), "0.0 0.1"),
    "sgd.slope": ((real(6, 2), real(6), real(2, 4), real(2, 4)), "0.0"),
    "distinct_hashes.add_numbers": (
        (real(6).view(np.uint64), 2**64 - 1, SLOTS, whole(6)), "0.0",
    ),
    "distinct_hashes.add_hashes": (
        (SLOTS[:6, 0].copy(), np.ones(6, np.int64), 2**64 - 1, SLOTS, whole(6)), "0.0",
    ),
    "distinct_hashes.hash_strings": ((TEXT, np.array([0, 1, 3]), SLOTS[:2, 0].copy()), "2.0"),
    "centring.centred": (
        (real(6, 2), real(6, 1), rows(), real(3), real(6), real(6, 4)), "0.0 0.1 1.1 2.0",
    ),
    "centring.turned": (
        (real(6, 2), rows(2), real(2), real(6), real(2, 6)), "0.0 0.1 1.0",
    ),
    "centring.levelled": ((real(6, 2), real(6, 1), real(3), real(4, 6)), ""),
    "centring.means": ((real(6, 2), 6, real(2)), "0.0"),
    "centring.settled": ((real(3, 3), real(2), 6.0, real(2, 2), real(2, 2)), ""),
    "centring.upper": ((real(2, 6), real(2, 2)), "0.1 1.0"),
    "logistic_loss.two": (
        (real(6), code(6), real(6), False, real(6), real(6), real(2)), "",
    ),
    "logistic_loss.several": ((real(6, 2), code(6), real(6), real(6, 2), real(3)), ""),
    "sparse_rows.number": (
        (code(6), rows(7), real(6), code(1), -1 - whole(1), rows(7), code(6), real(6)), "3.0 4.0"
    ),
    "sparse_rows.spread": ((code(6), rows(7), real(6), real(6, 1), real(2, 1)), "4.0"),
    "sparse_rows.gather": ((code(6), rows(7), real(6), real(2, 1), real(6, 1)), "3.0"),
    "sparse_rows.pair": (
        (code(6), rows(7), real(6), real(6), code(2), code(2), real(2, 2)), "6.0 6.1"
    ),
    "logistic_loss.lay": ((real(6, 2), real(2), real(2), real(6, 3)), ""),
    "logistic_loss.weigh": ((real(6, 2), real(6), real(6, 2)), ""),
    "long_integers.collect": (
        (whole(2, 3, 4, 8), 19, whole(3, 2), whole(3, 2, 3), whole(3, 2, 5)), "0.0 0.1 0.2",
    ),
    "long_integers.collect_digits": ((whole(2, 3, 4, 8), 0, whole(3, 2, 6)), "0.0 0.1 0.2 0.3"),
    "long_integers.collect_products": ((whole(2, 3, 4, 5), 19, whole(3, 2, 5)), "0.0 0.1 0.2"),
    "long_integers.write": (
        (real(6, 2).view(np.int64), 1023, whole(6, 2, 5), whole(6, 2)), "0.0 0.1 2.2",
    ),
    "long_integers.multiply": ((whole(6, 2), whole(6, 3), whole(6, 5)), "0.0 0.1 1.1"),
    "long_integers.spread": (
        (whole(6), whole(6, 2), whole(6, 3), 0, 0, whole(6, 4)), "1.1 2.1 5.0",
    ),
    "long_integers.halves": ((whole(6, 2), real(6), real(6)), "0.0 0.1"),
    "long_integers.extent": ((whole(6, 1), whole(2)), "0.0"),
    "cost_complexity.unlink": (
        (TREE, SIZES, real(3, 2), LEAVES, True, real(4), whole(8), real(3, 7)), "0.0 5.0",
    ),
    "cost_complexity.retotal": ((TREE, whole(1), real(3), real(3), real(2)), "0.0 1.0"),
    "exact_products.spread": (
        (real(2, 6).view(np.int64), 0, 0, code(6), whole(6), 1023, whole(2, 1, 1, 5)),
        "0.1 6.0 6.1 6.2",
    ),
    "csv_parsing.parse": (
        (
            np.frombuffer(b"a,1\na,2\n", np.uint8), CELLS, real(1, 3), code(1, 3), code(1, 3, 3),
            code(1, 12), whole(3, 4), np.array([0] * 9 + [44, 34, 46, 0, 2**28]),
        ),
        "0.0 1.0",
    ),
    "string_codes.gather": (
        (TEXT, np.array([[0, 1], [2, 1]], np.int32), np.arange(3, dtype=np.int32), byte(2)), "0.0",
    ),
    "kmeans_updates.narrow": ((real(6, 2), real(2), 1.0, single(6, 3), real(6)), "0.0 0.1"),
    "kmeans_updates.choose": (
        (single(3, 6), real(6), 0.1, 0.1, single(2, 6), code(6), whole(6)), "0.0 0.1",
    ),
    "kmeans_updates.doubt": ((code(6), real(6), real(3), whole(6)), "0.0 2.0"),
    "kmeans_updates.remember": (
        (single(2, 6), code(6), rows(), real(6), real(4), real(3), code(6), real(6)),
        "2.0 5.0 6.0",
    ),
    "kmeans_updates.gather": (
        (real(6, 2), real(2), real(6), rows(), code(6), 1.0, real(2, 3), real(2, 3, 3)),
        "0.0 0.1 3.0 7.1",
    ),
    "kmeans_updates.squared_distances": (
        (real(6, 2), real(2), code(6), real(3, 2), real(6)), "0.0 0.1 3.0",
    ),
    "kmeans_updates.digest": (
        (real(6, 2).view(np.uint64), rows(2).view(np.uint64), rows().view(np.uint64)), "0.0 0.1",
    ),
    "column_scaling.ends": ((real(6, 2), real(2), real(2)), "0.0 0.1"),
    "column_scaling.scale": ((real(6, 2), real(2), real(2), 0.0, real(6, 2)), "0.0 0.1"),
    "kd_tree_build.halve": ((real(6, 2), 1, whole(6)), "0.1"),
    "kd_tree_query.search": (
        (real(2, 2, 3), real(3, 6), single(4, 3, 32), real(64, 3), real(5, 3), whole(5, 9),
         real(5, 9), np.full(5, 2)),
        "4.0",
    ),
    "row_distances.euclid": ((real(6, 2), whole(4), real(3, 2), whole(4), real(4)), "0.0 2.0"),
    "row_distances.gower": (
        (real(6, 2), whole(6, 3), real(5, 2), whole(5, 3), real(2), whole(4), whole(4), real(4)),
        "",
    ),
    "row_distances.gower_tile": (
        (single(3, 6), whole(3), single(4, 3), single(6), single(4, 6)), "2.0",
    ),
    "top_k.sift": (
        (single(6, 4), 0, single(6), single(6, 2), whole(6, 3), single(6, 3), whole(6)),
        "0.0 0.1 3.1 4.1",
    ),
    "evidence_sums.gaussian": (
        (real(6, 2), real(3, 2), real(3, 2), real(3, 2), real(3, 1), real(6, 3)), "0.0 0.1 1.0",
    ),
    "evidence_sums.gaussian_present": (
        (real(6, 2), real(3, 2), real(3, 2), real(3, 2), real(3, 2), rows(), real(6, 3)),
        "0.0 0.1 1.0 5.0",
    ),
    "evidence_sums.look_up": ((code(6), real(2, 3), real(6, 3)), "0.0 1.0 2.1"),
    "evidence_sums.weigh": (
        (real(6, 3), real(3), real(2, 3), real(2), real(6, 2)), "0.0 0.1 2.0",
    ),
    "evidence_sums.choose": ((real(6, 1), 0.0, 0.0, False, whole(6)), "0.0"),
    "quantile_sketch.count": (
        (real(6).view(np.uint64), real(6), 1, 3, real(9), 0), "0.0",
    ),
    "quantile_sketch.place": ((real(6).view(np.uint64), 1, 3, code(6)), "0.0"),
    "quantile_sketch.cross": ((code(6), code(6), real(6), real(2, 3)), "1.0 3.0 3.1"),
    "best_subsets.search": (
        (
            real(3, 4, 4), np.array([[0, 1, 1]] * 3), np.array([[0, 1]] * 3), real(2), 2,
            real(4, 3), real(3), whole(3),
        ),
        "",
    ),
    "exact_sums.survey": ((whole(6, 2), whole(4)), "0.0 0.1"),
    "exact_sums.spread": (
        (real(6, 2).view(np.int64), code(6), whole(6), 1023, whole(2, 1, 1, 8)),
        "0.0 0.1 4.1 4.2",
    ),
    "sweep_operator.sweep": ((real(3, 3), 0), ""),
    "sweep_operator.measure": ((real(6, 2), real(6), real(6), rows(2), real(3, 3)), "0.1 1.0 3.0"),
    "sweep_operator.multiply": (
        (real(6, 2), real(6), real(6), rows(2), real(3, 3), real(3), real(3, 3)), "0.1 1.0 3.0",
    ),
    "sweep_operator.project": (
        (real(6, 2), real(6), real(6), rows(2), real(3, 3), real(2), real(4)), "0.1 1.0 3.0",
    ),
    "sweep_operator.choose": (
        (np.eye(3), 6.0, np.array([1e-9, 1e-9, 1e9]), whole(2), whole(2), real(2, 2)), "",
    ),
    "tokenizer.tokenize": (
        (TEXT, FOLD, ENDS, whole(8), byte(5), whole(4), code(3), whole(5)), "2.0",
    ),
    "tokenizer.respread": ((whole(4), whole(8)), "0.0"),
    "tokenizer.count": (
        (code(6), rows(7), whole(0), code(6), whole(6), code(2), whole(2, 2, 1)),
        "3.0 6.1 6.2",
    ),
    "tokenizer.score": (
        (code(6), rows(7), whole(6), real(2, 1), code(2), real(6, 1)), "3.0 5.0 5.1",
    ),
    "trees.histograms.count": (
        (Amounts, small(6), np.arange(6, dtype=np.int32), whole(6), whole(1)), "2.0",
    ),
    "trees.running_medians.sweep": (
        (whole(6), whole(6), whole(2), np.array([3, 6]), whole(2, 3), whole(2)), "2.0 3.0",
    ),
    "tree_predict.walk": ((real(6, 1), code(6, 1), STAY, real(3), code(2, 1), whole(4), whole(6)),
        "0.1 1.1 2.0 4.1 5.0 6.0",
    ),
    "tree_predict.spread": (
        (
            real(6, 1), code(6, 1), (STAY, real(3), code(2, 1)), SIZES, real(3), real(3, 2),
            (whole(3), real(3)), real(6, 2),
        ),
        "0.1 1.1 3.0 7.0 7.1",
    ),
    "tree_predict.vote": (
        (real(6, 1), code(6, 1), (STAY, real(3), code(2, 1)), whole(1), real(3, 2),
         (whole(4), whole(6)), real(6, 2)),
        "0.1 1.1 3.0 6.1",
    ),
    "trees.bagged_rows.fill": ((3, np.zeros(2, np.uint64), code(6), whole(6)), "1.0 2.0"),
    "tree_predict.measure": ((TREE, whole(3), whole(3)), "0.0"),
    "exact_weighted_sums.spread": (
        (
            real(6, 2).view(np.int64), code(6), whole(6), whole(6), 1023, whole(2, 1, 1),
            whole(2, 1, 1, 4), whole(2, 1, 1, 8),
        ),
        "0.0 0.1 5.1 5.2 6.2 7.2",
    ),
}  # fmt: skip


def kernels() -> set[str]:
    """The public functions of all files of the kernels: those that Python can call."""
    found, folder = set(), Path(package.__file__).parent
    for path in folder.glob("**/[a-z]*.py"):
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        types = path.with_suffix(".pxd")
        text = types.read_text() if types.exists() else ""
        inner = re.findall(r"(?m)^cdef .*?(\w+)\(", text)
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                marked = any("cfunc" in ast.unparse(mark) for mark in node.decorator_list)
                found |= set() if marked or node.name in inner else {f"{name}.{node.name}"}
    return found


def called(name: str, args: tuple[Any, ...], compiled: bool) -> None:
    file, _, function = name.rpartition(".")
    load = loaded if compiled else interpreted
    made = (load("trees.settings").Amounts(*SIX, **ONE) if arg is Amounts else arg for arg in args)
    getattr(load(file), function)(*map(copied, made))


def loaded(file: str) -> Any:
    return importlib.import_module(f"tallylearn.kernels.{file}")


def copied(arg: Any) -> Any:
    if isinstance(arg, tuple):
        return tuple(map(copied, arg))
    return np.array(arg) if isinstance(arg, np.ndarray) else arg


def shorter(args: tuple[Any, ...], at: int, axis: int) -> tuple[Any, ...]:
    cut = args[at].take(range(args[at].shape[axis] - 1), axis=axis)
    return (*args[:at], cut, *args[at + 1 :])


def cuts(args: tuple[Any, ...], free: str) -> list[tuple[int, int]]:
    arrays = [(at, arg) for at, arg in enumerate(args) if isinstance(arg, np.ndarray)]
    every = [(at, axis) for at, arg in arrays for axis in range(arg.ndim) if arg.size]
    return [(at, axis) for at, axis in every if f"{at}.{axis}" not in free.split()]


def test_every_kernel_is_called_here() -> None:
    assert kernels() == {*CALLS, *ALONE}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("name", CALLS)
def test_a_kernel_refuses_an_array_that_is_too_short(name: str, compiled: bool) -> None:
    args, free = CALLS[name]
    called(name, args, compiled)
    refused = cuts(args, free)
    assert refused
    for at, axis in refused:
        with pytest.raises(ValueError, match=f"^{name}: "):
            called(name, shorter(args, at, axis), compiled)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_plan_or_room_that_is_too_short_is_refused(at: int) -> None:
    args, _ = CALLS["tree_predict.spread"]
    for place, part in ((2, at), (6, at % 2)):
        group = shorter(args[place], part, 0)
        with pytest.raises(ValueError, match=r"^tree_predict\.spread: "):
            called("tree_predict.spread", (*args[:place], group, *args[place + 1 :]), True)


MEDIANS = tl.DecisionTreeRegressor(criterion="absolute_error")
GROWERS: dict[str, tuple[Any, Any, str, str]] = {
    "Columns": (grower, tl.DecisionTreeClassifier(), "kind", "kinds"),
    "Amounts": (grower, tl.DecisionTreeRegressor(), "price", "0"),
    "SortedLists": (grower, tl.DecisionTreeClassifier(), "kind", ""),
    "Histograms": (grower, tl.DecisionTreeRegressor(bins=8), "price", ""),
    "MedianSearch": (absolute_error_grower, MEDIANS, "price", "rows"),
    "C45Search": (c45_grower, tl.C45(), "kind", "logs"),
}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("kind", GROWERS)
def test_what_a_tree_grows_from_refuses_arrays_that_are_too_short(
    kind: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, model, target, free = GROWERS[kind]
    made: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
    if not compiled:
        uncompiled(monkeypatch, grower, absolute_error_grower, c45_grower)
    at, module = next(
        (at, module)
        for at, module in vars(user).items()
        if hasattr(module, kind) and getattr(module, kind).__module__ == module.__name__
    )
    make = getattr(module, kind)
    spy = SimpleNamespace(**vars(module))
    setattr(spy, kind, lambda *a, **k: (made.append((a, k)), make(*a, **k))[1])
    monkeypatch.setattr(user, at, spy)
    model.fit(mixed_table()[["width", "colour", "kind", "price"]], target)
    args, named = made[0]
    every = {**{str(at): arg for at, arg in enumerate(args)}, **named}
    arrays = {name: a for name, a in every.items() if isinstance(a, np.ndarray) and a.size}
    assert {*arrays} > {free} - {""}
    for name, array in arrays.items():
        for axis in range(array.ndim if name != free else 0):
            cut = np.ascontiguousarray(array.take(range(array.shape[axis] - 1), axis=axis))
            other = {**every, name: cut}
            placed = [other.pop(str(at)) for at in range(len(args))]
            with pytest.raises(ValueError, match=rf"(Rows|{kind}): .* length"):
                make(*placed, **other)
