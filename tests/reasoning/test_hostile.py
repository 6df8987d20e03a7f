"""Every public name of reasoning, called with what nobody should pass: only our errors."""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallylearn as tl
from tallylearn.errors import TallyError
from tallylearn.reporting.report import Report
from tests.soak import SOAK, some

CALLS = 600 if SOAK else 32  # of every method, by lot


class Mute:
    """Its repr raises."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Shapeless:
    """It cannot be hashed, compared, counted, asked or walked through."""

    def _never(self, *_: Any) -> Any:
        raise RuntimeError("never")

    __hash__ = __eq__ = __bool__ = __len__ = __iter__ = __call__ = _never  # type: ignore[assignment]
    __float__ = __getitem__ = __contains__ = __lt__ = _never


def failing(*_: Any) -> Any:
    raise KeyError("from within")


def endless() -> Iterator[int]:
    while True:
        yield 1


DICE = tl.ProbabilitySpace.uniform(range(1, 7))
COIN = tl.ProbabilitySpace({"head": "1/3", "tail": "2/3"}, "coin")
DAYS = tl.ProbabilitySpace.from_table(tl.example("tennis"), ["Outlook", "Wind", "PlayTennis"])
NET = tl.ProbabilitySpace.naive_bayes("Y", ["F1", "F2"])
PAIR = {"a": {"x": "1/4", "y": "3/4"}, "b": {"x": 0.5, "y": 0.5}}
BELIEF = tl.Hypotheses({"a": "1/3", "b": "2/3"}, PAIR).observe("x")
VOTES = tl.Hypotheses.classifiers({"u": lambda x: "+", "v": lambda x: {"+": 0.5, "-": 0.5}})
LINES = tl.Hypotheses.functions({"u": abs, "v": lambda x: 2 * x}).observe((1, 2))
ROWS = tl.Hypotheses.from_table(tl.example("tennis"))
BALLS = tl.Hypotheses.bernoulli("red", "blue").observe("red", "blue")
FAMILY = tl.Hypotheses.family(lambda d, t: -((d - t) ** 2), 0, 1).observe(0.5)
POINTS = [{"x": i, "z": "ab"[i % 2], "y": "+" if i > 2 else "-"} for i in range(6)]
NUMBERS = [{"x": row["x"], "y": row["y"]} for row in POINTS]
SPACES = {
    "conjunctions": tl.VersionSpace.conjunctions().fit(POINTS[2:4], "y"),
    "rectangles": tl.VersionSpace.rectangles().fit(NUMBERS, "y"),
    "unions": tl.VersionSpace.unions().fit(NUMBERS, "y"),
    "of": tl.VersionSpace.of({"h": lambda x: x > 2, "k": {3, 4, 5}}).fit(NUMBERS, "y"),
    "powerset": tl.VersionSpace.powerset({"h": lambda x: x > 2, "k": {3}}).fit(NUMBERS, "y"),
    "unfitted": tl.VersionSpace.rectangles(),
}
HOSTILE: list[Any] = [
    None,
    True,
    0,
    -1,
    7,
    10**400,
    -(10**400),
    0.5,
    math.nan,
    math.inf,
    -0.0,
    1e308,
    5e-324,
    1j,
    "",
    "x",
    "\x00",
    "Outlook",
    "1/0",
    "1e999999",
    "nan",
    "½",
    "a" * 500,
    b"x",
    Ellipsis,
    NotImplemented,
    Fraction(1, 3),
    Fraction(10**400, 3),
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("1e400"),
    [],
    [[]],
    [1, 1],
    (),
    (1, [2]),
    {},
    {"a": None},
    {"a": {}},
    {"a": 1},
    {1: {2: {3: 4}}},
    {1},
    frozenset(),
    range(3),
    range(10**12),
    iter([1]),
    endless(),
    object(),
    object,
    int,
    dict,
    print,
    len,
    abs,
    failing,
    str,
    lambda *_: None,
    lambda *_: np.ones(2),
    lambda *_: Mute(),
    lambda *_: math.nan,
    lambda: 1,
    Mute(),
    Shapeless(),
    [Mute()],
    {"a": Mute()},
    [Shapeless()],
    {"a": Shapeless()},
    {Mute(): 1},
    np.ones(2),
    np.ones((2, 2)),
    np.array(1.0),
    np.float64("nan"),
    np.int64(3),
    np.array(["a", None]),
    pd.Series([0.3, 0.7]),
    pd.Series({"a": 0.3, "b": 0.7}),
    pd.Series([], dtype=float),
    pd.NA,
    pd.NaT,
    pd.Series([0.5, 0.5], index=["a", "a"]),
    pd.DataFrame(),
    pd.DataFrame({"a": [1], "b": ["x"]}),
    pl.Series([0.3, 0.7]),
    pl.DataFrame({"a": ["x"], "p": [None]}),
    pl.DataFrame(),
    tl,
    tl.ProbabilitySpace,
    DICE,
    COIN,
    DAYS,
    NET,
    BELIEF,
    BALLS,
    FAMILY,
    SPACES["of"],
    DICE.event({1}),
    COIN.event("head"),
    DAYS["Wind"],
    DICE.variable(lambda w: w % 2),
    DICE.bayes({1}, given={1, 2}),
    DICE.independent({1}, {2}),
    ValueError("x"),
    [("a", "b")],
    [("a",)],
]
FITTING: list[Any] = [
    1,
    {1},
    [{1, 2}, {3, 4, 5, 6}],
    "head",
    {"Outlook": "Sunny"},
    {"Wind": "Weak"},
    "Wind",
    "PlayTennis",
    DICE.event({1, 2}),
    DAYS.event({"Wind": "Weak"}),
    DAYS["Outlook"],
    lambda w: True,
    "F1",
    "Y",
    "a",
    {"a": 0.5, "b": 0.5},
    PAIR,
    ["a", "b"],
    ("u", "+"),
    (1, 2),
    "red",
    0.25,
    "1/2",
    "y",
    POINTS,
    NUMBERS,
    {"Y": 0.5, "F1": {True: 0.5, False: 0.5}, "F2": {True: 0.5, False: 0.5}},
    {"c": ["a", "b"]},
    {"go": {"a": 1, "b": 2}},
    {"h": lambda x: True},
    [{"x": 1}],
    3,
    "h",
]
TABLES: list[Any] = [
    POINTS,
    NUMBERS,
    pd.DataFrame(POINTS),
    pl.DataFrame(NUMBERS),
    tl.example("tennis"),
]
THINGS: dict[str, Any] = {
    "ProbabilitySpace": tl.ProbabilitySpace,
    "dice": DICE,
    "coin": COIN,
    "days": DAYS,
    "network": NET,
    "variable": DAYS["Outlook"],
    "gain": DICE.variable(lambda w: w % 2),
    "event": DICE.event({1}),
    "Hypotheses": tl.Hypotheses,
    "belief": BELIEF,
    "votes": VOTES,
    "lines": LINES,
    "rows": ROWS,
    "bernoulli": BALLS,
    "family": FAMILY,
    "VersionSpace": tl.VersionSpace,
    **SPACES,
    "answer": DAYS.bayes("Wind", given={"Outlook": "Rain"}),
}
SIGNS = (
    "__mul__",
    "__rmul__",
    "__and__",
    "__or__",
    "__sub__",
    "__invert__",
    "__getitem__",
    "__eq__",
    "__ne__",
    "__lt__",
    "__ge__",
    "__contains__",
    "__len__",
    "__iter__",
    "__repr__",
    "__str__",
    "__call__",
)
APART = {"save"}  # writes files


def methods() -> list[tuple[str, str]]:
    """Every public method, and every sign, of every kind of thing that reasoning hands out."""
    found = [("problem", "__call__")]
    for name, thing in THINGS.items():
        if inspect.isclass(thing):
            names = [n for n, m in vars(thing).items() if isinstance(m, classmethod | staticmethod)]
            found += [(name, method) for method in ("__call__", *names)]
            continue
        # An answer is compared as its value: what fails with a number fails with it.
        signs = [s for s in SIGNS if s in vars(type(thing)) and name != "answer"]
        names = [n for n in dir(type(thing)) if not n.startswith("_") and n not in APART]
        found += [(name, method) for method in (*names, *signs)]
    return found


def called(thing: str, method: str) -> Callable[..., Any]:
    """A method, the class itself, or a property as a function of nothing."""
    if thing == "problem":
        return tl.problem
    if method == "__call__":
        return THINGS[thing]  # type: ignore[no-any-return]
    if isinstance(inspect.getattr_static(THINGS[thing], method), property):
        return lambda: getattr(THINGS[thing], method)
    found = getattr(THINGS[thing], method)
    return found if callable(found) else lambda: found


def arguments(function: Callable[..., Any], lot: random.Random) -> tuple[list[Any], dict[str, Any]]:
    """As many as it takes, or one more or less by lot; a keyword by its name."""
    try:
        takes = [*inspect.signature(function).parameters.values()]
    except ValueError:
        takes = []
    named = [p.name for p in takes if p.kind is p.KEYWORD_ONLY and lot.random() < 0.5]
    many = sum(
        p.kind is p.POSITIONAL_OR_KEYWORD and (p.default is p.empty or lot.random() < 0.5)
        for p in takes
    )
    many += lot.randrange(4) if any(p.kind is p.VAR_POSITIONAL for p in takes) else 0

    def drawn(place: int = -1) -> Any:
        name = takes_names[place] if 0 <= place < len(takes_names) else ""
        if name in ("table", "target"):  # how tables are read is tested where it is
            return lot.choice(TABLES) if name == "table" else lot.choice(("y", None, "z", 3))
        return lot.choice(HOSTILE if lot.random() < 0.6 else FITTING)

    takes_names = [p.name for p in takes]
    return [drawn(place) for place in range(many)], {name: drawn() for name in named}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("thing", "method"), some(methods(), 2))
def test_only_our_errors_come_back(thing: str, method: str) -> None:
    target = called(thing, method)
    lot, said = random.Random(f"{thing}.{method}"), []
    for _ in range(CALLS):
        given, named = arguments(target, lot)
        try:
            result = target(*given, **named)
            if isinstance(result, Report):
                assert all(
                    map(isinstance, (str(result), result.to_markdown(), repr(result)), [str] * 3)
                )
        except TallyError as error:
            said.append(str(error))
    assert all(said)
