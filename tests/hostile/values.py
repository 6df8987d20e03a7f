"""Hostile values: what nobody means to pass, and somebody passes."""
# ruff: noqa: E501  a list to be read across

from __future__ import annotations

import datetime as dt
import math
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa


class Silent:
    """An object whose repr raises."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Stubborn:
    """An object that raises whatever is asked of it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__array__":
            raise AttributeError(name)
        raise RuntimeError(f"no {name}")

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __iter__(self) -> Any:
        raise RuntimeError("no items")


class Endless:
    """A sequence that lies about its length."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, at: Any) -> Any:
        raise RuntimeError("no item")


SCALARS: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 10**18, 10**400, -(10**400), 2**63, 0.0, -0.0, 0.5, 1.0, -1.0,
    1e308, 1e-320, math.inf, -math.inf, math.nan, 1j, Fraction(1, 3), Decimal("0.1"),
    Decimal("NaN"), "", " ", "a", "y", "x", "nan", "1", "loo", "first", "\x00", "\ud800", "é" * 100,
    "no/such/file.csv", "*.none", b"", b"\xff", Path("none.csv"), Path("/"), dt.date(2024, 1, 1),
    dt.datetime(2024, 1, 1), dt.timedelta(1), object, object(), Silent(), Stubborn(), Endless(), int, len, print,
    lambda: None, lambda *a: 1 / 0, lambda *a, **k: "x", Ellipsis, NotImplemented, ValueError("x"),
    range(0), range(3), slice(None), np.float64(1.5), np.int8(3), np.nan, np.datetime64("NaT", "s"), np.str_("a"),
    pd.NA, pd.NaT, type(None),
]  # fmt: skip
TABLES: list[Any] = [
    [], [[]], [[], []], (), {}, set(), {1, 2}, [None], [[None]], [1, 2], [1, "a"], [[1, 2], [3]],
    [[1, "a"], [2.5, None]], [["a", "b"], ["c", "d"]], [[math.nan] * 2] * 4, [[math.inf]] * 4,
    [[1e308]] * 4, [[10**400]], [[Silent()]] * 4, [Silent()] * 4, [Stubborn()] * 4, [[Stubborn()]] * 4,
    [{}], [{"x": 1}, {"y": 2}], [{"x": 1}, 3], {"x": []}, {"x": [1], "y": [1, 2]}, {"x": 1},
    {"x": [1, 2, 3, 4], "y": list("uvuv")}, {1: [2]}, {None: [1, 2]}, {"x": [Silent()] * 4},
    {"x": Stubborn()}, {"x": [[1], [2]]}, {"x": list("abcd"), "y": [1, 2, 3, 4]}, iter([1, 2]),
    (i for i in range(3)), np.array([]), np.empty((0, 3)), np.empty((3, 0)), np.zeros((2, 2, 2)),
    np.array(5), np.zeros(4), np.zeros((4, 2)), np.eye(4), np.full((4, 2), np.nan), np.array([1j, 2]),
    np.array(["a", "b", "c", "d"]), np.array([[None, 1], [2, 3]], dtype=object),
    np.array([Silent()] * 4), np.zeros(4, dtype=[("x", "f8"), ("y", "i4")]), np.ma.masked_all((4, 2)),
    np.array(["2020-01-01"] * 4, dtype="M8[D]"), np.zeros((4, 2), dtype=bool), np.float16(1) * np.ones((4, 1)),
    pd.DataFrame(), pd.DataFrame({"x": [1, 2, 3, 4], "y": list("uvuv")}), pd.Series([1, 2, 3, 4]),
    pd.DataFrame({"x": [[1]] * 4}), pd.DataFrame([[1, 2]], columns=["a", "a"]), pd.DataFrame({"x": [Silent()] * 4}),
    pd.Series(list("abcd"), dtype="category"), pd.DataFrame({0: [1], "a": [2]}), pd.Series(dtype=float),
    pa.table({}), pa.table({"x": [1, 2, 3, 4], "y": list("uvuv")}), pa.array([1, 2, 3, 4]), pa.array([None] * 4),
    pa.table({"x": pa.array([[1]] * 4)}), pa.chunked_array([[1], [2]]), pa.schema([]),
    ["a"] * 4, ["a b c d e"] * 4, [True, False] * 2, [0.5] * 4, [-1] * 4, [0] * 4, list("uvuv"), (1, 2, 3, 4),
    [("a", "b")], {"a": "b"}, {"a": {"b": {}}}, {"alpha": [1, 2]}, {"alpha": []}, {"nothing": [1]},
    memoryview(b"ab"), bytearray(4), [b"a"] * 4, [dt.date(2020, 1, 1)] * 4, [Decimal(1)] * 4, [Fraction(1, 2)] * 4,
    [{"x": Silent()}] * 2, [[dt.timedelta(1)]] * 4, [object()] * 4, [[{}]] * 4, "x" * 10_000,
]  # fmt: skip


def values(number: int, seed: str) -> list[Any]:
    """So many of them, the rest mixed from one another."""
    chance = random.Random(seed)
    found = [*SCALARS, *TABLES]
    chance.shuffle(found)
    plain = [*SCALARS, *TABLES]
    while len(found) < number:
        n = chance.randrange(1, 5)
        mixed = [chance.choice(plain) for _ in range(n)]
        key = chance.choice(["x", "y", "alpha", "cv", ""])
        found.append(
            chance.choice([mixed, tuple(mixed), {key: mixed}, {key: mixed[0]}, [mixed] * 4])
        )
    return found[:number]
