"""Bayes' rule on numbers, smoothed estimates, and intervals of an error, with their working."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tallylearn.calculations.calculation import (
    Calculation,
    TableOfResults,
    calculation,
    equation_chain,
    formula,
    number,
    table_of_results,
)
from tallylearn.errors import InputError, OptionError, quoted_list, short_repr
from tallylearn.reasoning.probabilities import (
    Number,
    exact_number,
    exact_sum,
    read_distribution,
    read_probability,
)
from tallylearn.reporting.formatting import format_fraction
from tallylearn.statistics.confidence_intervals import z_value
from tallylearn.workings import Grid


def bayes_rule(prior: Mapping[Any, Any], likelihood: Mapping[Any, Any]) -> TableOfResults:
    """Bayes' rule on numbers: P(h | D) = P(D | h) · P(h) / P(D).

    Parameters
    ----------
    prior : mapping
        P(h) of each hypothesis; they sum to 1. Text such as "1/3" and fractions are exact.
    likelihood : mapping
        P(D | h) of the same hypotheses.

    Returns
    -------
    TableOfResults
        P(h | D) of each hypothesis.

    Examples
    --------
    >>> import tallylearn as tl
    >>> found = tl.bayes_rule({"cancer": "0.008", "healthy": "0.992"},
    ...                       {"cancer": "0.98", "healthy": "0.03"})
    >>> round(float(found["cancer"]), 3)
    0.209
    """
    who = "bayes_rule"
    if not isinstance(prior, Mapping) or not isinstance(likelihood, Mapping):
        raise InputError(
            f"{who}: prior and likelihood are dicts, such as {{'h1': 0.3, 'h2': 0.7}}. Give one "
            "number for each hypothesis."
        )
    if {*prior} != {*likelihood}:
        odd = {*prior} ^ {*likelihood}
        raise InputError(
            f"{who}: {quoted_list(odd)} is in only one of prior and likelihood. Give both numbers "
            "for every hypothesis."
        )
    before = read_distribution(prior, "hypothesis", f"{who}: the priors")
    given = {h: read_probability(p, f"{who}: P(D | {h})") for h, p in likelihood.items()}
    joint: dict[Any, Number] = {h: before[h] * given[h] for h in before}
    evidence = exact_sum(joint.values())
    if evidence == 0:
        raise InputError(
            f"{who}: P(D) is 0, because the data are impossible under every hypothesis that has a "
            "prior above 0. Check the likelihoods."
        )
    found = {h: p / evidence for h, p in joint.items()}
    cells = tuple(
        (str(h), _text(before[h]), _text(given[h]), _text(joint[h]), _text(found[h])) for h in joint
    )
    grid = Grid("", ("h", "P(h)", "P(D | h)", "P(D | h) · P(h)", "P(h | D)"), cells)
    total = equation_chain("P(D)", " + ".join(_text(p) for p in joint.values()), _text(evidence))
    return table_of_results(found, "Bayes' rule", grid, formula(total))


def laplace_estimate(count: int, total: int, values: int, *, alpha: float = 1) -> Calculation:
    """Laplace estimate of a probability: (count + alpha) / (total + alpha · values).

    Parameters
    ----------
    count : int
        Rows that have the value.
    total : int
        All rows.
    values : int
        How many values there can be.
    alpha : float, default=1
        Rows that are added to each value.

    Returns
    -------
    Calculation
        The estimate, an exact fraction for whole numbers.

    Examples
    --------
    >>> import tallylearn as tl
    >>> print(tl.laplace_estimate(2, 3, 2))
    Laplace estimate
    ================
    <BLANKLINE>
    P = (count + alpha) / (total + alpha · values) = (2 + 1) / (3 + 1 · 2) = 3/5 = 0.6
    """
    who = "laplace_estimate"
    n, whole = _counts(count, total, who)
    k, added = exact_number(values, f"{who}: values"), exact_number(alpha, f"{who}: alpha")
    if k < 1 or k != int(k) or added < 0:
        raise OptionError(
            f"{who}: values is {short_repr(values)} and alpha is {short_repr(alpha)}. Give at "
            "least 1 value and an alpha of at least 0."
        )
    return _smoothed(
        "Laplace estimate",
        "P = (count + alpha) / (total + alpha · values)",
        f"({_text(n)} + {_text(added)}) / ({_text(whole)} + {_text(added)} · {_text(k)})",
        (n + added, whole + added * k),
    )


def m_estimate(count: int, total: int, p: Any, m: float) -> Calculation:
    """Estimate a probability with m virtual rows: (count + m · p) / (total + m).

    Parameters
    ----------
    count : int
        Rows that have the value.
    total : int
        All rows.
    p : float, Fraction or str
        Prior probability of the value; 1/k for k equally likely values.
    m : float
        Number of virtual rows, which have the prior distribution.

    Returns
    -------
    Calculation
        The estimate, an exact fraction for exact input.

    Examples
    --------
    >>> import tallylearn as tl
    >>> float(tl.m_estimate(2, 3, "1/2", 2))
    0.6
    """
    who = "m_estimate"
    n, whole = _counts(count, total, who)
    prior, weight = read_probability(p, f"{who}: p"), exact_number(m, f"{who}: m")
    if weight < 0:
        raise OptionError(f"{who}: m is {short_repr(m)}. Give a number from 0 on.")
    return _smoothed(
        "m-estimate",
        "P = (count + m · p) / (total + m)",
        f"({_text(n)} + {_text(weight)} · {_text(prior)}) / ({_text(whole)} + {_text(weight)})",
        (n + weight * prior, whole + weight),
    )


def error_interval(errors: int, n: int, level: float = 0.95) -> TableOfResults:
    """Confidence interval of an error rate, as in the notes: e ± z · sqrt(e (1 - e) / n).

    The normal approximation holds for n · e · (1 - e) of about 5 and more; ``tl.evaluate`` uses
    Wilson's interval, which also holds for few errors.

    Parameters
    ----------
    errors : int
        Rows that were predicted wrong.
    n : int
        Rows that were tested.
    level : float, default=0.95
        Share of the samples whose interval holds the true error.

    Returns
    -------
    TableOfResults
        ``"error"``, ``"lower"`` and ``"upper"``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> print(tl.error_interval(12, 40))
    Confidence interval of the error, level 95 %
    ============================================
    <BLANKLINE>
    error = 12/40 = 0.3
    <BLANKLINE>
    error ± z · sqrt(error · (1 - error) / n) = 0.3 ± 1.96 · sqrt(0.3 · 0.7 / 40) = 0.3 ± 0.142
    <BLANKLINE>
    interval = [0.158, 0.442]
    """
    who = "error_interval"
    wrong, rows = _counts(errors, n, who)
    if rows < 1:
        raise InputError(f"{who}: n is {short_repr(n)}. Give the number of rows, 1 or more.")
    z = _z(level, who)
    e = float(wrong / rows)
    half = z * math.sqrt(e * (1 - e) / float(rows))
    lower, upper = max(0.0, e - half), min(1.0, e + half)
    root = f"sqrt({number(e)} · {number(1 - e)} / {_text(rows)})"
    return table_of_results(
        {"error": e, "lower": lower, "upper": upper},
        f"Confidence interval of the error, level {level:.4g}".replace(
            f"{level:.4g}", f"{100 * level:.4g} %"
        ),
        formula(equation_chain("error", f"{_text(wrong)}/{_text(rows)}", number(e))),
        formula(
            equation_chain(
                "error ± z · sqrt(error · (1 - error) / n)",
                f"{number(e)} ± {number(z)} · {root}",
                f"{number(e)} ± {number(half)}",
            )
        ),
        formula(f"interval = [{number(lower)}, {number(upper)}]"),
    )


def sample_size(margin: float, level: float = 0.95, *, error: float = 0.5) -> Calculation:
    """Rows to test so that the interval of the error is at most ± margin: z² · e (1 - e) / margin².

    Parameters
    ----------
    margin : float
        Half of the width of the interval, such as 0.05.
    level : float, default=0.95
        Confidence level.
    error : float, default=0.5
        Expected error rate; 0.5 is the worst case.

    Returns
    -------
    Calculation
        The number of rows, rounded up.

    Examples
    --------
    >>> import tallylearn as tl
    >>> int(tl.sample_size(0.05))
    385
    """
    who = "sample_size"
    z, e = _z(level, who), float(read_probability(error, f"{who}: error"))
    if not (isinstance(margin, int | float) and 1e-9 <= margin < 1):
        raise OptionError(
            f"{who}: margin is {short_repr(margin)}. Give a number from 1e-9 to 1, such as 0.05."
        )
    exact = z * z * e * (1 - e) / margin**2
    value = max(1, math.ceil(exact - 1e-9 * exact))
    text = equation_chain(
        "n ≥ z² · e · (1 - e) / margin²",
        f"{number(z)}² · {number(e)} · {number(1 - e)} / {number(margin)}²",
        number(exact),
    )
    return calculation(value, "Sample size", formula(text), formula(f"n = {value:,}"))


def _smoothed(title: str, form: str, text: str, ratio: tuple[Number, Number]) -> Calculation:
    above, below = ratio
    if below == 0:
        raise InputError(
            f"{title}: there are no rows and no pseudocounts, so the estimate is 0/0. Give a total "
            "above 0, or a positive pseudocount."
        )
    value = above / below
    shown = [_text(value), number(float(value))] if isinstance(value, Fraction) else []
    return calculation(
        value, title, formula(equation_chain(form, text, *shown or [number(float(value))]))
    )


def _counts(count: Any, total: Any, who: str) -> tuple[Number, Number]:
    n, whole = exact_number(count, f"{who}: count"), exact_number(total, f"{who}: total")
    if not 0 <= n <= whole:
        raise InputError(
            f"{who}: {short_repr(count)} of {short_repr(total)} rows is not possible. Give a count "
            "between 0 and the total."
        )
    return n, whole


def _z(level: float, who: str) -> float:
    if not (isinstance(level, int | float) and 0 < level < 1):
        raise OptionError(
            f"{who}: level is {short_repr(level)}. Give a number between 0 and 1, such as 0.95."
        )
    return z_value(level)


def _text(value: Number) -> str:
    """A fraction as it is, where it is short; a float in four digits."""
    return format_fraction(value) if isinstance(value, Fraction) else number(value)
