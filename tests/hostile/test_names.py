"""Every public name takes anything and answers, or ends in an error of ours.

A sample in ``make test``, 300 values for every argument of every name and method in ``make soak``.
A TypeError is Python's own where the call never reached a line of ours.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tallylearn as tl
from tallylearn.errors import TallyError
from tests.hostile.values import values

SOAK = bool(os.environ.get("TALLY_SOAK"))
NUMBER = 300 if SOAK else 12
# Reasoning and trees are tried by tests of their own.
ASIDE = {"Hypotheses", "ProbabilitySpace", "VersionSpace", "C45", "CART", "ID3", "M5", "diff",
         "DecisionTreeClassifier", "DecisionTreeRegressor", "ModelTreeRegressor"}  # fmt: skip
# Take what the house itself makes.
DOORS = {"learned", "left_out", "lesson", "solve", "start", "step", "survey", "tally", "train",
         "update"}  # fmt: skip
UNASKED = DOORS | {"get_metadata_routing", "get_params", "set_output", "set_params"}


def fitted(kind: Any) -> Any:
    numbers = {"x": [1.0, 2.0, 3.5, 4.0, 5.0, 7.0], "z": [2.0, 1.0, 4.0, 3.0, 6.0, 5.5]}
    learner = kind()
    y: list[Any] = [1.0, 2.0, 3.0, 5.0, 4.0, 6.0] if learner.task == "regressor" else list("uvuvuv")
    return learner.fit({**numbers, "y": y}, "y")


def calls() -> Iterator[tuple[str, Callable[[], Any], str]]:
    """Every name and method with every argument of it, and how to get hold of it."""
    for name in sorted({*tl.__all__} - ASIDE):
        thing = getattr(tl, name)
        yield from ((name, lambda n=name: getattr(tl, n), one) for one in arguments(thing))
        if not inspect.isclass(thing):
            continue
        make = (lambda t=thing: fitted(t)) if hasattr(thing, "fit") else made[name]
        for method in sorted(m for m in dir(thing) if not m.startswith("_")):
            if (
                method in UNASKED
                or method.endswith("_request")
                or not callable(getattr(thing, method))
            ):
                continue
            get = lambda m=method, make=make: getattr(make(), m)  # noqa: E731
            yield from ((f"{name}.{method}", get, one) for one in arguments(getattr(thing, method)))


made: dict[str, Callable[[], Any]] = {
    "Folds": lambda: tl.Folds.k(2),
    "Population": lambda: tl.Population({1: "1/4", 2: "3/4"}, target=lambda x: x > 1),
}


def arguments(thing: Any) -> list[str]:
    try:
        found = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [p.name for p in found if p.name not in ("self", "cls") and p.kind not in kinds]


TABLE = {"x": [1.0, 2.0, 3.5, 4.0, 5.0, 7.0, 8.0, 9.0], "y": list("uvuvuvuv")}
USUAL: dict[str, Any] = {
    "X": TABLE, "y": "y", "estimator": tl.NaiveBayes(), "learner": tl.NaiveBayes(), "source": TABLE,
    "estimators": {"a": tl.NaiveBayes(), "b": tl.DummyClassifier()}, "cv": 2, "name": "tennis",
    "learners": {"a": tl.NaiveBayes(), "b": tl.DummyClassifier()}, "grid": {"alpha": [0.5, 1]},
    "option": "alpha", "values": [0.5, 1.0], "n": 6, "part": [0, 1] * 3, "table": TABLE,
    "scheme": "k", "task": None, "threads": 1,
}  # fmt: skip


def call(thing: Any, argument: str, value: Any) -> None:
    """With one argument of malice, and the others as they should be."""
    needed = [
        p.name for p in inspect.signature(thing).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        and p.name not in ("self", "cls")
    ]  # fmt: skip
    given = {name: USUAL.get(name, TABLE) for name in needed} | {argument: value}
    found = thing(**given)
    if isinstance(found, Iterator) and not hasattr(found, "fit"):
        for _, _ in zip(found, range(3), strict=False):
            pass
    if hasattr(found, "fit") and inspect.isclass(thing):
        found.fit(TABLE, "y") if found.task == "classifier" else found.fit([[1.0], [2.0]], [1.0, 2])


def ours(error: BaseException) -> bool:
    """One of ours; or Python's own word that the call is not one."""
    if isinstance(error, TallyError | IndexError):
        return isinstance(error, TallyError) or "and none with the number" in str(error)
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    reached = any("/tallylearn/" in name for name in frames)
    return isinstance(error, TypeError) and not reached


CALLS = list(calls())


@pytest.mark.parametrize("name", sorted({name for name, *_ in CALLS}))
def test_every_argument_takes_anything_or_ends_in_an_error_of_ours(
    name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    foreign = []
    for at, (_, get, argument) in enumerate(one for one in CALLS if one[0] == name):
        for value in values(NUMBER, seed=0 if SOAK else at):
            thing = get()
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                try:
                    call(thing, argument, value)
                except Exception as error:
                    if not ours(error):
                        foreign.append(f"{argument}={said(value)}: {type(error).__name__}: {error}")
    assert foreign == []


def said(value: Any) -> str:
    try:
        return repr(value)[:60]
    except Exception:
        return f"a {type(value).__name__}"
