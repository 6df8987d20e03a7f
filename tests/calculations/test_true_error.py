"""The true error: equal to closed forms, numerical integrals and finite sums; bad input named."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError, TallyError

NORMAL, UNIFORM = stats.norm(0, 1), stats.uniform(0, 1)


def test_two_thresholds_differ_between_each_other() -> None:
    rng = np.random.default_rng(0)
    for known in (NORMAL, stats.expon(scale=2), stats.beta(0.5, 0.5), stats.t(3), UNIFORM):
        for _ in range(3):
            low, high = sorted(known.ppf(rng.uniform(0, 1, 2)).tolist())
            found = tl.true_error(lambda x, a=high: x > a, lambda x, a=low: x > a, known)
            assert found == pytest.approx(known.cdf(high) - known.cdf(low), abs=1e-12)


def test_many_regions_add_up() -> None:
    wave = tl.true_error(lambda x: np.sin(9 * x) > 0, lambda x: True, NORMAL)
    points = np.linspace(-12, 12, 2_000_001)
    share = NORMAL.pdf(points)[np.sin(9 * points) <= 0].sum() * (points[1] - points[0])
    assert wave == pytest.approx(share, abs=1e-5)


def test_a_density_is_integrated() -> None:
    found = tl.true_error(lambda x: x > 0.7, lambda x: x > 0.2, lambda x: 3 * x * x, low=0, high=1)
    assert found == pytest.approx(quad(lambda x: 3 * x * x, 0.2, 0.7)[0], abs=1e-9)


def test_far_tails_are_searched() -> None:
    found = tl.true_error(lambda x: False, lambda x: x > 6, NORMAL)
    assert found == pytest.approx(NORMAL.sf(6), rel=1e-6)


def test_equal_functions_never_differ_and_opposite_ones_always() -> None:
    assert tl.true_error(lambda x: x > 0, lambda x: x > 0, NORMAL) == 0
    assert tl.true_error(lambda x: x > 0, lambda x: x <= 0, NORMAL) == 1
    work = str(tl.true_error(lambda x: x > 0, lambda x: x <= 0, NORMAL))
    assert "-∞ to 0" in work
    assert "0 to ∞" in work


def test_a_dict_is_a_finite_sum() -> None:
    known = {x: f"{x}/21" for x in range(1, 7)}
    found = tl.true_error(lambda x: x > 3, lambda x: x % 2 == 0, known)
    assert found.value == Fraction(2 + 5, 21)
    assert "2/21 + 5/21 = 1/3" in str(found)


def test_a_fitted_model_is_a_hypothesis() -> None:
    model = tl.DecisionTreeClassifier().fit({"x": [1.0, 2.0, 5.0, 6.0], "y": [*"nnyy"]}, "y")
    found = tl.true_error(model, lambda x: "y" if x > 3 else "n", stats.uniform(0, 10))
    assert found == pytest.approx(0.05, abs=1e-12)  # its threshold is 3.5


def fails(x: Any) -> Any:
    raise RuntimeError("no value")


BAD: dict[str, tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = {
    "h": ((3, bool, NORMAL), {}, KindError, "h is 3"),
    "f": ((bool, "f", NORMAL), {}, KindError, "f is 'f'"),
    "distribution": ((bool, bool, 5), {}, KindError, "distribution is 5"),
    "discrete": ((bool, bool, stats.poisson(3)), {}, KindError, "as a dict"),
    "several": ((bool, bool, stats.norm([0, 1], 1)), {}, InputError, "quantiles"),
    "no ends": ((bool, bool, lambda x: 1), {}, OptionError, "low is None"),
    "order": ((bool, bool, lambda x: 1), {"low": 1, "high": 0}, OptionError, "above low"),
    "not 1": ((bool, bool, lambda x: 1), {"low": 0, "high": 2}, InputError, "to 2 from 0 to 2"),
    "below 0": ((bool, bool, lambda x: x), {"low": -1, "high": 1}, InputError, "-1.0 at x = -1"),
    "sum": ((bool, bool, {1: "1/2"}), {}, InputError, "sum to 1/2"),
    "raises": ((fails, bool, NORMAL), {}, TallyError, "no value"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name: str) -> None:
    args, options, kind, message = BAD[name]
    with pytest.raises(kind, match=re.escape(message)):
        tl.true_error(*args, **options)
