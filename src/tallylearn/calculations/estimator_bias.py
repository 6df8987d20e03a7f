"""Bias and variance of estimators: their expected value over all samples, or many random ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from tallylearn.calculations.calculation import (
    TableOfResults,
    equation_chain,
    formula,
    number,
    table_of_results,
)
from tallylearn.errors import KindError, OptionError, quoted_list, short_repr
from tallylearn.evaluation.theory.all_samples import Drawings, drawings
from tallylearn.reasoning.probabilities import Number, exact_number, exact_sum, read_distribution
from tallylearn.statistics.confidence_intervals import check_count
from tallylearn.tables import Array
from tallylearn.workings import Grid, Sentence

WHO = "estimator_bias"
ESTIMATORS = ("mean", "median", "variance", "variance_n", "sd", "sd_n", "range")
DIVISORS = {"variance": "n - 1", "variance_n": "n", "sd": "n - 1", "sd_n": "n"}
MAX_STANDARD_ERRORS = 4.0  # a simulated bias beyond this is called one
EXACT = 1e-12  # relative: rounding of sums of doubles


class EstimatorBias(NamedTuple):
    """What an estimator gives on average, and what it estimates.

    Attributes
    ----------
    expected : Fraction or float
        The expected value of the estimate.
    parameter : Fraction or float
        The value in the population.
    bias : Fraction or float
        The difference of the two.
    variance : Fraction or float
        The variance of the estimate.
    standard_error : float
        Of the expected value; 0 if all samples were counted.
    unbiased : bool
        Whether the bias is 0, or too small for the simulation to tell from 0.
    """

    expected: Number
    parameter: Number
    bias: Number
    variance: Number
    standard_error: float
    unbiased: bool


def estimator_bias(
    population: Any,
    n: int,
    estimators: Sequence[str] = ESTIMATORS,
    *,
    draws: int = 10_000,
    seed: int = 0,
) -> TableOfResults:
    """Bias and variance of the mean, median, variance, standard deviation and range of a sample.

    Parameters
    ----------
    population : sequence of numbers, or dict
        Equally likely values, or the probability of each value.
    n : int
        Rows in a sample, drawn with replacement.
    estimators : sequence of str, optional
        Some of "mean", "median", "variance" (divided by n - 1), "variance_n" (divided by n), "sd",
        "sd_n" and "range"; by default all.
    draws : int, default=10000
        Number of random samples, if there are more than 1000 different ones.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    TableOfResults
        ``EstimatorBias`` of each estimator. With at most 1000 different samples all are counted,
        in fractions; the square root of a variance is a float.

    References
    ----------
    T. Mitchell, Machine Learning, 1997, section 5.3.

    Examples
    --------
    >>> import tallylearn as tl
    >>> found = tl.estimator_bias([1, 2, 6], n=2)
    >>> found["variance"].bias, found["variance_n"].bias, found["range"].bias
    (Fraction(0, 1), Fraction(-7, 3), Fraction(-25, 9))
    >>> [name for name in found if found[name].unbiased]
    ['mean', 'variance']
    """
    values, p = _read_population(population)
    names = _read_names(estimators)
    check_count(WHO, "n", n, 2)
    check_count(WHO, "draws", draws, 2)
    samples = drawings(p, int(n), int(draws), seed)
    true = _parameters(values, p)
    found = {name: _bias(name, true[name], samples, values) for name in names}
    cells = tuple(
        (name, *map(_text, (one.expected, one.parameter, one.bias, one.variance)))
        for name, one in found.items()
    )
    head = ("estimator", "expected", "population", "bias", "variance")
    order = "counted without order" if samples.complete else f"seed {seed}"
    about = Sentence(
        f"{samples.description.capitalize()} of {n} values, with replacement ({order})."
    )
    steps: list[Any] = [formula("bias = E[estimate] - parameter"), about, Grid("", head, cells)]
    if "variance_n" in found:
        steps.append(_variance_formula(n, true["variance"]))
    unbiased = [name for name in found if found[name].unbiased]
    rest = [name for name in found if not found[name].unbiased]
    what = [("unbiased", unbiased), ("biased", rest)]
    steps.append(Sentence("; ".join(f"{how}: {', '.join(k)}" for how, k in what if k) + "."))
    divided = [f"{name} by {DIVISORS[name]}" for name in found if name in DIVISORS]
    if divided:
        steps.append(Sentence(f"Sums of squares are divided: {', '.join(divided)}."))
    if not samples.complete:
        steps.append(
            Sentence(
                f"A bias of at most {MAX_STANDARD_ERRORS:g} standard errors of the simulation "
                "counts as 0."
            )
        )
    return table_of_results(found, "Bias of estimators", *steps)


def _read_population(population: Any) -> tuple[list[Number], list[Number]]:
    """The values in increasing order, and their probabilities."""
    if isinstance(population, Mapping):
        given = read_distribution(population, "value", f"{WHO}: the probabilities")
    else:
        try:
            items = [*population] if not isinstance(population, str) else []
        except TypeError:
            items = []
        if len(items) < 1:
            raise KindError(
                f"{WHO}: population is {short_repr(population)}. Give its values, such as "
                "[1, 2, 6], or a dict of value to probability."
            )
        given = {}
        for x in items:
            given[x] = given.get(x, Fraction(0)) + Fraction(1, len(items))
    numbers = {exact_number(_plain(x), f"{WHO}: a value"): share for x, share in given.items()}
    values = sorted(x for x, share in numbers.items() if share)
    return values, [numbers[x] for x in values]


def _plain(value: Any) -> Any:
    """A number of NumPy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def _read_names(estimators: Any) -> list[str]:
    names = [estimators] if isinstance(estimators, str) else [*estimators]
    odd = [name for name in names if name not in ESTIMATORS]
    if odd or not names:
        raise OptionError(
            f"{WHO}: there is no estimator {short_repr(odd[0] if odd else names)}. Choose from "
            f"{quoted_list(ESTIMATORS)}."
        )
    return [*dict.fromkeys(names)]


def _parameters(values: list[Number], p: list[Number]) -> dict[str, Number]:
    """What the estimators estimate."""
    mean = exact_sum(x * share for x, share in zip(values, p, strict=True))
    variance = exact_sum((x - mean) ** 2 * share for x, share in zip(values, p, strict=True))
    sd = math.sqrt(variance)
    so_far = [*accumulate(p)]
    low = next(x for x, share in zip(values, so_far, strict=True) if share * 2 >= 1)
    high = next(x for x, share in zip(values, so_far, strict=True) if share * 2 > 1)
    return {
        "mean": mean, "median": (low + high) / 2, "variance": variance, "variance_n": variance,
        "sd": sd, "sd_n": sd, "range": values[-1] - values[0],
    }  # fmt: skip


def _bias(name: str, parameter: Number, samples: Drawings, values: list[Number]) -> EstimatorBias:
    if not samples.complete:
        return _simulated_bias(name, parameter, samples, values)
    estimates = [_estimate(name, [values[at] for at in sample]) for sample in samples.samples]
    expected = samples.mean(estimates)
    variance = samples.mean([(one - expected) ** 2 for one in estimates])
    bias = expected - parameter
    scale = max(abs(float(expected)), abs(float(parameter)))
    return EstimatorBias(
        expected=expected, parameter=parameter, bias=bias, variance=variance, standard_error=0.0,
        unbiased=abs(float(bias)) <= EXACT * scale,
    )  # fmt: skip


def _estimate(name: str, sample: list[Number]) -> Number:
    """An estimate; the sample is in increasing order, because all samples are listed so."""
    n = len(sample)
    if name == "median":
        return (sample[(n - 1) // 2] + sample[n // 2]) / 2
    if name == "range":
        return sample[-1] - sample[0]
    mean = exact_sum(sample) / n
    if name == "mean":
        return mean
    squares = exact_sum((x - mean) ** 2 for x in sample)
    variance = squares / (n if name.endswith("_n") else n - 1)
    return math.sqrt(variance) if name.startswith("sd") else variance


def _simulated_bias(
    name: str, parameter: Number, samples: Drawings, values: list[Number]
) -> EstimatorBias:
    drawn = np.array([float(x) for x in values])[np.array(samples.samples)]
    estimates = _estimates(name, drawn)
    expected, variance = float(estimates.mean()), float(estimates.var(ddof=1))
    bias = expected - float(parameter)
    error = math.sqrt(variance / len(estimates))
    return EstimatorBias(
        expected=expected, parameter=parameter, bias=bias, variance=variance, standard_error=error,
        unbiased=abs(bias) <= MAX_STANDARD_ERRORS * error,
    )  # fmt: skip


def _estimates(name: str, samples: Array) -> Array:
    """(draws,) the estimate of every sample (draws, n)."""
    if name == "mean":
        return np.asarray(samples.mean(axis=1))
    if name == "median":
        return np.asarray(np.median(samples, axis=1))
    if name == "range":
        return np.asarray(np.ptp(samples, axis=1))
    variance = samples.var(axis=1, ddof=0 if name.endswith("_n") else 1)
    return np.asarray(np.sqrt(variance) if name.startswith("sd") else variance)


def _variance_formula(n: int, variance: Number) -> Any:
    expected = variance * Fraction(n - 1, n) if isinstance(variance, Fraction) else (
        variance * (n - 1) / n
    )  # fmt: skip
    return formula(
        equation_chain(
            "E[variance_n]", "(n - 1)/n · σ²", f"{n - 1}/{n} · {_text(variance)}", _text(expected)
        )
    )


def _text(value: Number) -> str:
    """A short fraction as it is, anything else in four digits."""
    if isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) < 10_000:
        return str(value)
    return number(float(value))
