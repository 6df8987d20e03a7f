"""A kernel compares the lengths of its arrays before it indexes them."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallylearn as tl
import tallylearn.kernels as package
from tallylearn.kernels.portioning import Portioner
from tallylearn.kernels.splitting import Grower
from tallylearn.models.trees.growing import c45_grower, grower
from tests.tables import mixed_table
from tests.test_oracle import interpreted

Array = Any
ALONE = {"binning.runs", "limbs.carry"}  # one array, or as far as there is room


def real(*shape: int) -> Array:
    return np.ones(shape)


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
TREE = np.array([-1, 0, 0])
SIZES = np.array([3, 1, 1])
LEAVES = np.array([[2, 3], [1, 1], [1, 1]])
PLAN = code(3, 4), real(3), code(2, 1)
STAY = np.array([[0, i, i, i] for i in range(3)], np.int32)
TWO = np.array([1, 1])

# kernel: a call that is right, and "argument.axis" of what may be shorter: what the others follow
CALLS: dict[str, tuple[tuple[Any, ...], str]] = {
    "binning.turn": ((real(6, 2), real(2, 6)), "0.0 0.1"),
    "binning.sort": ((code(6), whole(2), whole(6)), "0.0 1.0"),
    "binning.unsort": ((rows(), code(6)), "0.0"),
    "binning.stamp": ((rows(), code(6), 40), "0.0"),
    "binning.values": ((rows(), 2**32 - 1, real(6), byte(2), real(2)), "0.0 3.0"),
    "binning.keys": ((real(6), whole(6)), "0.0"),
    "binning.rank": ((real(6), rows(), real(6)), "0.0"),
    "binning.rewrite": ((rows(), whole(6)), "0.0"),
    "binning.group": ((rows(), 2, real(1), real(2), real(2)), "0.0 2.0"),
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
    "counting.count": ((code(6), code(2, 6), whole(2), TWO, whole(2, 9)), "0.0 1.0 4.1"),
    "counting.weigh": (
        (code(6), code(2, 6), whole(6), whole(2), TWO, whole(2, 9)), "0.0 1.0 5.1",
    ),
    "descending.walk": (
        (real(6, 2), real(6), rows(), 0.1, real(2), real(3), real(2, 7), whole(2)),
        "0.1 2.0 6.0",
    ),
    "descending.answer": ((real(6, 2), real(3), real(6)), "0.0 0.1"),
    "descending.slope": ((real(6, 2), real(6), real(2, 4), real(2, 4)), "0.0"),
    "deviating.gauge": (
        (
            np.stack([rows(), rows()]), whole(6), whole(6), whole(2), whole(2), whole(2, 3),
            whole(6), whole(2),
        ),
        "0.0 0.1 3.0",
    ),
    "deviating.sweep": (
        (whole(6), whole(6), whole(2), np.array([3, 6]), whole(2, 3), whole(2)), "2.0 3.0",
    ),
    "gathering.centred": ((real(6, 2), rows(), real(2), real(6), real(6, 3)), "0.0 0.1 1.0"),
    "limbs.collect": (
        (whole(2, 3, 4, 8), 19, whole(3, 2), whole(3, 2, 3), whole(3, 2, 5)), "0.0 0.1 0.2",
    ),
    "limbs.collect_digits": ((whole(2, 3, 4, 8), 0, whole(3, 2, 6)), "0.0 0.1 0.2 0.3"),
    "limbs.collect_products": ((whole(2, 3, 4, 5), 19, whole(3, 2, 5)), "0.0 0.1 0.2"),
    "limbs.write": ((real(6, 2).view(np.int64), 1023, whole(6, 2, 5), whole(6, 2)), "0.0 0.1 2.2"),
    "limbs.multiply": ((whole(6, 2), whole(6, 3), whole(6, 5)), "0.0 0.1 1.1"),
    "limbs.spread": (
        (whole(6), whole(6, 2), whole(6, 3), 0, 0, whole(6, 4)), "1.1 2.1 5.0",
    ),
    "limbs.halves": ((whole(6, 2), real(6), real(6)), "0.0 0.1"),
    "limbs.extent": ((whole(6, 1), whole(2)), "0.0"),
    "linking.unlink": (
        (TREE, SIZES, real(3, 2), LEAVES, True, real(4), whole(8), real(3, 7)), "0.0 5.0",
    ),
    "linking.retotal": ((TREE, whole(1), real(3), real(3), real(2)), "0.0 1.0"),
    "multiplying.spread": (
        (real(2, 6).view(np.int64), 0, 0, code(6), whole(6), 1023, whole(2, 1, 1, 5)),
        "0.1 6.0 6.1 6.2",
    ),
    "scoring.gaussian": (
        (real(6, 2), real(3, 2), real(3, 2), real(3, 1), real(6, 3)), "0.0 0.1 1.0",
    ),
    "scoring.gaussian_present": (
        (real(6, 2), real(3, 2), real(3, 2), real(3, 2), rows(), real(6, 3)), "0.0 0.1 1.0 4.0",
    ),
    "scoring.look_up": ((code(6), real(2, 3), real(6, 3)), "0.0 1.0 2.1"),
    "scoring.choose": ((real(6, 1), 0.0, 0.0, False, whole(6)), "0.0"),
    "summing.survey": ((whole(6, 2), whole(4)), "0.0 0.1"),
    "summing.spread": (
        (real(6, 2).view(np.int64), code(6), whole(6), 1023, whole(2, 1, 1, 8)),
        "0.0 0.1 4.1 4.2",
    ),
    "sweeping.sweep": ((real(3, 3), 0), ""),
    "sweeping.measure": ((real(6, 2), real(6), real(6), rows(2), real(3, 3)), "0.1 1.0 3.0"),
    "sweeping.multiply": (
        (real(6, 2), real(6), real(6), rows(2), real(3, 3), real(3), real(3, 3)), "0.1 1.0 3.0",
    ),
    "sweeping.project": (
        (real(6, 2), real(6), real(6), rows(2), real(3, 3), real(2), real(4)), "0.1 1.0 3.0",
    ),
    "sweeping.choose": (
        (np.eye(3), 6.0, np.array([1e-9, 1e-9, 1e9]), whole(2), whole(2), real(2, 2)), "",
    ),
    "tokens.tokenize": (
        (TEXT, FOLD, ENDS, whole(8), byte(5), whole(4), code(3), whole(5)), "2.0",
    ),
    "tokens.respread": ((whole(4), whole(8)), "0.0"),
    "tokens.count": (
        (code(6), rows(7), whole(0), code(6), whole(6), code(2), whole(2, 2, 1)),
        "3.0 6.1 6.2",
    ),
    "tokens.score": ((code(6), rows(7), whole(6), real(2, 1), code(2), real(6, 1)), "3.0 5.0 5.1"),
    "walking.walk": ((real(6, 1), code(6, 1), STAY, real(3), code(2, 1), whole(4), whole(6)),
        "0.1 1.1 2.0 4.1 5.0 6.0",
    ),
    "walking.spread": (
        (
            real(6, 1), code(6, 1), (STAY, real(3), code(2, 1)), SIZES, real(3), real(3, 2),
            (whole(3), real(3)), real(6, 2),
        ),
        "0.1 1.1 3.0 7.0 7.1",
    ),
    "walking.measure": ((TREE, whole(3), whole(3)), "0.0"),
    "weighing.spread": (
        (
            real(6, 2).view(np.int64), code(6), whole(6), whole(6), 1023, whole(2, 1, 1),
            whole(2, 1, 1, 4), whole(2, 1, 1, 8),
        ),
        "0.0 0.1 5.1 5.2 6.2 7.2",
    ),
}  # fmt: skip


def kernels() -> set[str]:
    """The public functions of all files of the kernels."""
    found = set()
    for path in Path(package.__file__).parent.glob("[a-z]*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                inner = any("cfunc" in ast.unparse(mark) for mark in node.decorator_list)
                found |= set() if inner else {f"{path.stem}.{node.name}"}
    return found


def called(name: str, args: tuple[Any, ...], compiled: bool) -> None:
    file, function = name.split(".")
    path = f"tallylearn.kernels.{file}"
    module = importlib.import_module(path) if compiled else interpreted(file)
    getattr(module, function)(*map(copied, args))


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
    args, _ = CALLS["walking.spread"]
    for place, part in ((2, at), (6, at % 2)):
        group = shorter(args[place], part, 0)
        with pytest.raises(ValueError, match=r"^walking\.spread: "):
            called("walking.spread", (*args[:place], group, *args[place + 1 :]), True)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("kind", "file", "where", "make"),
    [
        (Grower, "splitting", grower, tl.DecisionTreeClassifier()),
        (Grower, "splitting", grower, tl.DecisionTreeClassifier(bins=8)),
        (Portioner, "portioning", c45_grower, tl.C45()),
    ],
)
def test_a_grower_refuses_work_that_is_too_short(
    kind: Any, file: str, where: Any, make: Any, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[Any, ...]] = []
    grower = kind if compiled else getattr(interpreted(file), kind.__name__)
    monkeypatch.setattr(where, kind.__name__, lambda *a: (made.append(a), grower(*a))[1])
    make.fit(mixed_table()[["length", "colour", "kind"]], "kind")
    args = made[0]
    sizes = ("gains", "infos", "scores", "pick", "orders") if kind is Grower else ("gauge", "ways")
    first = 11 if kind is Grower else 5
    for at in range(first, first + len(sizes)):
        with pytest.raises(ValueError, match=f"{kind.__name__}: "):
            grower(*args[:-1], shorter(args[-1], at, 0))
