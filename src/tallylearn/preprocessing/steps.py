"""Steps: the learners that a pipeline is made of, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallylearn.errors import KindError, OptionError, error_context, short_repr
from tallylearn.estimators.estimator import Estimator, clone_estimator
from tallylearn.preprocessing.transformer import Preprocessor

SIGN = "__"  # between a step's name and one of its options
PASSED = "passthrough"  # a step that does nothing


class Stepped:
    """A learner that is made of steps."""

    steps: Any


def named_steps(steps: Any) -> list[tuple[str, Any]]:
    """The steps by name: as given, or as they are called, numbered where that repeats."""
    if isinstance(steps, str) or not isinstance(steps, Sequence) or not len(steps):
        raise OptionError(
            "steps must be a list of transformers that ends in an estimator, such as "
            "[tl.SimpleImputer(), tl.NaiveBayes()], or a list of pairs (name, step), not "
            f"{short_repr(steps)}."
        )
    called = [None if _is_named_pair(one) else _default_name(one) for one in steps]
    found: list[tuple[str, Any]] = []
    for at, (name, one) in enumerate(zip(called, steps, strict=True)):
        number = f"-{called[: at + 1].count(name)}" if called.count(name) > 1 else ""
        found.append(one if name is None else (name + number, one))
    _check_names(found)
    return found


def flat(steps: Any) -> list[tuple[str, Any]]:
    """The steps that do something; those of a pipeline inside as ``pipeline__step``."""
    found: list[tuple[str, Any]] = []
    for name, step in named_steps(steps):
        if isinstance(step, Stepped):
            found += [(name + SIGN + each, one) for each, one in flat(step.steps)]
        elif not _is_passthrough(step):
            found.append((name, step))
    return found


def active_steps(steps: Any) -> list[tuple[str, Any]]:
    """The same, one at least."""
    found = flat(steps)
    if not found:
        raise OptionError(
            f"every step is {PASSED!r}, so there is nothing to fit. Add a transformer or an "
            "estimator."
        )
    return found


def _is_passthrough(step: Any) -> bool:
    return isinstance(step, str) and step == PASSED


def _default_name(one: Any) -> str:
    return PASSED if _is_passthrough(one) else type(one).__name__.lower()


def _is_named_pair(one: Any) -> bool:
    return isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str)


def _check_names(steps: list[tuple[str, Any]]) -> None:
    names = [name for name, _ in steps]
    for name in names:
        if SIGN in name or not name or name == "steps" or names.count(name) > 1:
            raise OptionError(
                f"a step has the name {name!r}. Give each step a unique, non-empty name other than "
                f"'steps', without {SIGN!r}."
            )


def check_steps(steps: list[tuple[str, Any]]) -> None:
    """Preparations of ours, and a learner of ours at the end, each with options that can be."""
    for at, (name, step) in enumerate(steps):
        last = at == len(steps) - 1
        wanted = "an estimator" if last else "a transformer"
        if not isinstance(step, Estimator if last else Preprocessor):
            raise KindError(
                f"the step {name!r} is {short_repr(step)}. Pass {wanted} of tallylearn, or "
                f"{PASSED!r}. For steps of other libraries, use scikit-learn's Pipeline."
            )
        with error_context(type(step).__name__):
            step._check_options()


def options_of(steps: list[tuple[str, Any]]) -> dict[str, Any]:
    """Every step by its name, and its options as ``step__option``."""
    found: dict[str, Any] = dict(steps)
    for name, step in steps:
        if hasattr(step, "get_params") and not isinstance(step, type):
            inside = step.get_params(deep=True)
            found |= {f"{name}{SIGN}{key}": value for key, value in inside.items()}
    return found


def with_options(steps: Any, params: dict[str, Any], who: str) -> Any:
    """The steps, some replaced and then some of their options changed.

    Where a step is replaced the others keep the names that they are called by; where its options
    are changed too, a copy takes its place, for others may be tried with the same step.
    """
    inside: dict[str, dict[str, Any]] = {}
    for name, value in params.items():
        step, sign, option = name.partition(SIGN)
        _check_known(step, steps, who)
        if sign:
            inside.setdefault(step, {})[option] = value
    for name, value in params.items():
        if SIGN not in name:
            new = clone_estimator(value) if name in inside else value
            steps = [(each, new if each == name else one) for each, one in named_steps(steps)]
    for name, options in inside.items():
        step = dict(named_steps(steps))[name]
        if not hasattr(step, "set_params"):
            odd = next(iter(options))
            raise OptionError(f"the step {name!r} is {short_repr(step)}, which has no {odd!r}.")
        step.set_params(**options)
    return steps


def _check_known(step: str, steps: Any, who: str) -> None:
    if step not in (known := dict(named_steps(steps))):
        raise OptionError(
            f"Invalid parameter {step!r} for estimator {who}. Valid parameters are: "
            f"{['steps', *known]!r}."
        )
