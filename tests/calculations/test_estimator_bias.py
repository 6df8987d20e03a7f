"""Bias of estimators: equal to all ordered samples, to the formulas, and to a simulation."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError

ESTIMATES: dict[str, Callable[[Any], Any]] = {
    "mean": np.mean, "median": np.median, "variance": partial(np.var, ddof=1),
    "variance_n": np.var, "sd": partial(np.std, ddof=1), "sd_n": np.std, "range": np.ptp,
}  # fmt: skip


@settings(max_examples=25)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=4), st.integers(2, 4))
def test_all_samples_are_counted(values: list[int], n: int) -> None:
    found = tl.estimator_bias(values, n)
    samples = [np.array(sample, dtype=float) for sample in product(values, repeat=n)]
    for name, estimate in ESTIMATES.items():
        every = [float(estimate(sample)) for sample in samples]
        one = found[name]
        assert float(one.expected) == pytest.approx(np.mean(every), abs=1e-9)
        assert float(one.variance) == pytest.approx(np.var(every), abs=1e-9)
        assert float(one.bias) == pytest.approx(float(one.expected - one.parameter), abs=1e-9)
    assert found["mean"].bias == found["variance"].bias == 0
    variance = found["variance"].parameter
    assert found["variance_n"].bias == -variance / n
    assert found["mean"].variance == variance / n
    assert float(variance) == pytest.approx(np.var(values))
    assert float(found["median"].parameter) == pytest.approx(np.median(values))


def test_probabilities_weigh_the_values() -> None:
    found = tl.estimator_bias({0: "1/4", 4: "3/4"}, 2)
    assert found["mean"].parameter == 3
    assert found["median"].parameter == 4
    assert found["variance"].expected == 3
    assert found["range"].expected == 4 * Fraction(6, 16)


def test_a_simulation_agrees_with_the_formulas() -> None:
    found = tl.estimator_bias([*range(60)], 20, draws=4000)
    truth = np.var(range(60))
    assert found["variance"].unbiased
    assert not found["variance_n"].unbiased
    error = found["variance_n"].standard_error
    assert float(found["variance_n"].bias) == pytest.approx(-truth / 20, abs=4 * error)
    assert "4000 samples drawn" in str(found)


BAD: dict[str, tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = {
    "empty": (([], 2), {}, KindError, "population is []"),
    "text": (("abc", 2), {}, KindError, "population is 'abc'"),
    "number": ((5, 2), {}, KindError, "population is 5"),
    "cell": ((["x", "y"], 2), {}, InputError, "a value is 'x'"),
    "missing": (([1.0, float("nan")], 2), {}, InputError, "a value is nan"),
    "sum": (({1: "1/2"}, 2), {}, InputError, "sum to 1/2"),
    "n": (([1, 2], 1), {}, OptionError, "n is 1"),
    "draws": (([1, 2], 2), {"draws": 0}, OptionError, "draws is 0"),
    "estimators": (([1, 2], 2), {"estimators": ["mode"]}, OptionError, "estimator 'mode'"),
    "none": (([1, 2], 2), {"estimators": []}, OptionError, "no estimator []"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name: str) -> None:
    args, options, kind, message = BAD[name]
    with pytest.raises(kind, match=re.escape(message)):
        tl.estimator_bias(*args, **options)
