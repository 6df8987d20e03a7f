"""Steps: the learners that a pipeline is made of, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallylearn.doors.shell import Estimator
from tallylearn.errors import KindError, OptionError, speaking, told
from tallylearn.prepare.preparation import Preparation

SIGN = "__"  # between a step's name and one of its options


def named(steps: Any) -> list[tuple[str, Any]]:
    """The steps by name: as given, or as they are called, numbered where that repeats."""
    if isinstance(steps, str) or not isinstance(steps, Sequence) or not len(steps):
        raise OptionError(
            "steps is a list of preparations that ends in a learner, such as "
            f"[tl.Imputer(), tl.NaiveBayes()], or of pairs (name, step), not {told(steps)}."
        )
    called = [None if _named(one) else type(one).__name__.lower() for one in steps]
    found: list[tuple[str, Any]] = []
    for at, (name, one) in enumerate(zip(called, steps, strict=True)):
        number = f"-{called[: at + 1].count(name)}" if called.count(name) > 1 else ""
        found.append(one if name is None else (name + number, one))
    _check_names(found)
    return found


def _named(one: Any) -> bool:
    return isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str)


def _check_names(steps: list[tuple[str, Any]]) -> None:
    names = [name for name, _ in steps]
    for name in names:
        if SIGN in name or not name or name == "steps" or names.count(name) > 1:
            raise OptionError(
                f"a step is called {name!r}. Names are unique, not 'steps', and have no {SIGN!r}."
            )


def check_steps(steps: list[tuple[str, Any]]) -> None:
    """Preparations of ours, and a learner of ours at the end, each with options that can be."""
    for at, (name, step) in enumerate(steps):
        last = at == len(steps) - 1
        wanted = "learner" if last else "preparation"
        if not isinstance(step, Estimator if last else Preparation):
            raise KindError(
                f"the step {name!r} is {told(step)}, and a {wanted} of tallylearn was expected"
                f"{'' if last else ', such as tl.StandardScaler()'}. scikit-learn's Pipeline takes "
                "steps of ours and of others."
            )
        with speaking(type(step).__name__):
            step._check_options()


def options_of(steps: list[tuple[str, Any]]) -> dict[str, Any]:
    """Every step by its name, and its options as ``step__option``."""
    found: dict[str, Any] = dict(steps)
    for name, step in steps:
        if hasattr(step, "get_params") and not isinstance(step, type):
            inside = step.get_params(deep=True)
            found |= {f"{name}{SIGN}{key}": value for key, value in inside.items()}
    return found


def with_step(steps: Any, name: str, step: Any) -> list[Any]:
    """The steps by name, another one under one of them; so the others stay what they are called."""
    return [(known, step if known == name else one) for known, one in named(steps)]
