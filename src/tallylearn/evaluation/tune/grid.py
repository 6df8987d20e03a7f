"""Grids: the options that are to be tried, all of them, or some drawn at random."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from math import isfinite, prod
from numbers import Real
from typing import Any

import numpy as np

from tallylearn.errors import KindError, OptionError, quoted_list, short_repr
from tallylearn.estimators.estimator import clone_estimator
from tallylearn.evaluation.result import learner_text

Options = dict[str, Any]
Grid = dict[str, Any]  # option -> a list of values, or what draws one


def read_grid(grid: Any, learner: Any) -> list[Grid]:
    """The grids of a search, checked against the options that a learner has."""
    parts = [grid] if isinstance(grid, Mapping) else grid
    if not isinstance(parts, list | tuple) or not parts:
        raise KindError(
            f"grid is {short_repr(grid)}. Pass a dict of options and lists of "
            "values, or a list of such dicts."
        )
    known = _options_of(learner)
    return [_check_part(part, known, learner) for part in parts]


def all_of(grids: list[Grid]) -> list[Options]:
    """Every combination, the last option first.

    >>> all_of([{"alpha": [1, 2], "fit_prior": [True]}])
    [{'alpha': 1, 'fit_prior': True}, {'alpha': 2, 'fit_prior': True}]
    """
    for grid in grids:
        for name, values in grid.items():
            if not isinstance(values, list):
                raise OptionError(
                    f"option {name!r} has {short_repr(values)}, which cannot be listed. Set "
                    "n to the number of combinations to draw, or give a list of values."
                )
    return [dict(zip(grid, values, strict=True))
            for grid in grids for values in product(*grid.values())]  # fmt: skip


def some_of(grids: list[Grid], n: int, seed: int) -> list[Options]:
    """Combinations drawn at random, none twice where all are lists; all of them if n is as many.

    >>> some_of([{"alpha": lambda rng: round(rng.uniform(), 3)}], n=2, seed=0)
    [{'alpha': 0.637}, {'alpha': 0.27}]
    """
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
        raise OptionError(
            f"n is {short_repr(n)}. Give the number of combinations to draw, 1 or more."
        )
    listed_out = all(isinstance(values, list) for grid in grids for values in grid.values())
    if listed_out and n >= sum(prod(map(len, grid.values())) for grid in grids):
        return all_of(grids)
    rng, seen = np.random.default_rng(seed), set[Any]()
    out: list[Options] = []
    while len(out) < n:
        at = int(rng.integers(len(grids)))
        drawn = {name: _sample_value(values, rng) for name, values in grids[at].items()}
        key = (at, *(place for place, _ in drawn.values())) if listed_out else len(out)
        if key not in seen:
            seen.add(key)
            out.append({name: value for name, (_, value) in drawn.items()})
    return out


def with_options(learner: Any, options: Options) -> Any:
    """The learner, not fitted, with other options."""
    return clone_estimator(learner).set_params(**options)


def options_text(options: Options) -> str:
    """Options as they are written in a call.

    >>> options_text({"alpha": 0.5, "fit_prior": False})
    'alpha=0.5, fit_prior=False'
    """
    said = ", ".join(f"{name}={learner_text(value)}" for name, value in options.items())
    return said or "as it is"


def is_number(value: Any) -> bool:
    """Whether an option can be drawn along an axis."""
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def _options_of(learner: Any) -> list[str]:
    if not hasattr(learner, "get_params") or not hasattr(learner, "set_params"):
        raise KindError(
            f"{learner!r:.60} has no get_params and set_params, so it cannot be "
            "tuned. Pass an estimator that has both."
        )
    return sorted(learner.get_params(deep=True))


def _check_part(part: Any, known: list[str], learner: Any) -> Grid:
    if not isinstance(part, Mapping):
        raise KindError(
            f"a part of grid is {part!r:.60}. Pass a dict of options and lists of "
            f"values, such as {{'alpha': [0.1, 1]}}."
        )
    out: Grid = {}
    for name, values in part.items():
        if name not in known:
            raise OptionError(
                f"{type(learner).__name__} has no option {name!r}. Choose from "
                f"{quoted_list(known, 40)}."
            )
        out[name] = _values(name, values)
    return out


def _values(name: str, values: Any) -> Any:
    if callable(getattr(values, "rvs", None)) or callable(values):
        return values
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise OptionError(f"option {name!r} has {values!r:.60}. Give a list of values to try.")
    found = [value.item() if isinstance(value, np.generic) else value for value in values]
    if not found:
        raise OptionError(f"option {name!r} has no values. Give one or more to try.")
    return found


def _sample_value(values: Any, rng: np.random.Generator) -> tuple[int, Any]:
    """A value, and its place in the list where there is one."""
    if isinstance(values, list):
        at = int(rng.integers(len(values)))
        return at, values[at]
    found = values.rvs(random_state=rng) if hasattr(values, "rvs") else values(rng)
    return 0, found.item() if isinstance(found, np.generic) else found
