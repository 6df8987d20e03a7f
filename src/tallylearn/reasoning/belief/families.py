"""Parametric families: maximum likelihood for one parameter, Bernoulli with Laplace estimates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Real
from typing import Any

from tallylearn.errors import (
    InputError,
    KindError,
    MergeError,
    OptionError,
    error_context,
    short_repr,
)
from tallylearn.reasoning.answers import WorkReport
from tallylearn.reasoning.belief.likelihoods import check_known
from tallylearn.reasoning.names import check_name
from tallylearn.reasoning.probabilities import (
    Number,
    exact_number,
    format_percent,
    number_text,
    read_probability,
    to_float,
)
from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.reporting.formatting import format_number
from tallylearn.workings import Derivation, Grid, Sentence, equation

GRID_POINTS = 1001  # of the parameter that are tried before the best is refined
SHOWN_STRENGTHS = (0, 1, 100, math.inf)  # of Laplace estimates that are shown
INVERSE_GOLDEN_RATIO = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, repr=False)
class Family(WorkReport):
    """Hypotheses with one parameter θ between two bounds, and a log-likelihood to maximise.

    ``log_likelihood(observation, θ)`` is log P(observation | θ), minus infinity where θ rules it
    out. The maximum is looked for on 1001 values of θ, and refined between the neighbours of the
    best one to about eight digits.

    >>> waiting = Family(lambda t, rate: math.log(rate) - rate * t, 0.01, 10)
    >>> round(waiting.observe(1.0, 2.0, 3.0).ml(), 6)
    0.5
    """

    log_likelihood: Callable[[Any, float], float]
    low: float
    high: float
    seen: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if not all(isinstance(bound, Real) for bound in (self.low, self.high)):
            raise KindError(
                f"Family: the bounds of θ are {short_repr(self.low)} and "
                f"{short_repr(self.high)}. Give two numbers, the lower first."
            )
        if not -math.inf < self.low < self.high < math.inf:
            raise OptionError(
                f"Family: the bounds of θ are {self.low} and {self.high}. "
                "Give two numbers, the lower first."
            )

    def observe(self, *outcomes: Any) -> Family:
        """The same family after more evidence."""
        return replace(self, seen=(*self.seen, *outcomes))

    def __add__(self, other: Family) -> Family:
        if not isinstance(other, Family):
            return NotImplemented
        if replace(self, seen=()) != replace(other, seen=()):
            raise MergeError(
                "Family: the two families differ in their log-likelihood or their "
                "bounds. Create one family, and call observe on it for both."
            )
        return self.observe(*other.seen)

    def log(self, theta: float) -> float:
        """log P(D | θ), the sum over the observations."""
        with error_context("Family"):
            theta = to_float(theta, "θ")
        parts = [self._log_likelihood(outcome, theta) for outcome in self.seen]
        return -math.inf if -math.inf in parts else math.fsum(parts)

    def ml(self) -> float:
        """The θ of the largest likelihood."""
        self._check_seen()
        grid = [
            self.low + (self.high - self.low) * i / (GRID_POINTS - 1) for i in range(GRID_POINTS)
        ]
        heights = [self.log(theta) for theta in grid]
        best = max(range(GRID_POINTS), key=heights.__getitem__)
        if heights[best] == -math.inf:
            raise InputError(
                "Family.ml: the observations are impossible for every θ between "
                f"{self.low} and {self.high}. Widen the bounds, or check the "
                "observations."
            )
        found = self._golden_section(grid[max(0, best - 1)], grid[min(GRID_POINTS - 1, best + 1)])
        return max((grid[best], found), key=self.log)

    def plot(self) -> Plot:
        """The log-likelihood along θ, where it is finite."""
        step = (self.high - self.low) / 200
        points = [self.low + i * step for i in range(201)]
        return self._curve(
            [(t, y) for t in points if (y := self.log(t)) > -math.inf], "log P(D | θ)"
        )

    def show_work(self) -> Derivation:
        """What is maximised, and where."""
        best = self.ml()
        rows = tuple(
            (format_number(t), format_number(self.log(t))) for t in self._shown_values(best)
        )
        return Derivation(
            f"Maximum likelihood from {len(self.seen)} observations",
            (
                equation("log P(D | θ) = Σ log P(d | θ)"),
                Grid("", ("θ", "log P(D | θ)"), rows),
                Sentence(f"The largest is at θ = {best:.6g}. The logarithm rises with P(D | θ)."),
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        return (self.show_work() if self.seen else Derivation(repr(self), ())).to_dict()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(θ from {self.low} to {self.high}, {len(self.seen)} seen)"

    def _log_likelihood(self, outcome: Any, theta: float) -> float:
        why = ""
        try:
            value = self.log_likelihood(outcome, theta)
        except Exception as error:  # math.log(0) is a ValueError
            value, why = math.nan, f" ({short_repr(error)})"
        if not isinstance(value, Real) or not value < math.inf:
            raise InputError(
                f"Family: the log-likelihood of {short_repr(outcome)} at θ = {theta} is "
                f"{short_repr(value)}{why}. Return -inf where the observation is "
                "impossible, or change the bounds."
            )
        return value

    def _check_seen(self) -> None:
        if not self.seen:
            raise InputError(
                f"{type(self).__name__}: there are no observations yet. Call observe first."
            )

    def _curve(self, points: list[tuple[float, float]], name: str) -> Plot:
        x, y = [t for t, _ in points], [value for _, value in points]
        return draw_lines({name: (x, y)}, "Likelihood", "θ", name)

    def _shown_values(self, best: float) -> list[float]:
        step = (self.high - self.low) / 10
        near = (best - step, best - step / 10, best, best + step / 10, best + step)
        return [t for t in near if self.low <= t <= self.high]

    def _golden_section(self, low: float, high: float) -> float:
        """Golden section: the larger of two inner points keeps its side."""
        while high - low > 1e-9 * max(1.0, abs(low), abs(high)):
            left, right = (
                high - INVERSE_GOLDEN_RATIO * (high - low),
                low + INVERSE_GOLDEN_RATIO * (high - low),
            )
            low, high = (low, right) if self.log(left) >= self.log(right) else (left, high)
        return (low + high) / 2


@dataclass(frozen=True, repr=False)
class Bernoulli(WorkReport):
    """Two outcomes, P(success) = θ for a θ from 0 to 1: L(θ) = θ^c (1 - θ)^l.

    >>> balls = Bernoulli("red", "blue").observe("red", "red", "blue")
    >>> print(balls.ml(), balls.likelihood(balls.ml()), balls.laplace(1))
    2/3 4/27 3/5
    """

    success: Any
    failure: Any
    counts: tuple[int, int] = (0, 0)  # of successes, of failures

    def __post_init__(self) -> None:
        with error_context("Bernoulli"):
            check_name(self.success, "the outcome")
            check_name(self.failure, "the outcome")
        if len({self.success, self.failure}) < 2:
            raise OptionError(
                f"Bernoulli: both outcomes are {short_repr(self.success)}. Give two "
                "different outcomes."
            )

    def observe(self, *outcomes: Any) -> Bernoulli:
        """The same family after more evidence."""
        with error_context("Bernoulli"):
            for outcome in outcomes:
                check_known(outcome, (self.success, self.failure))
        more = sum(outcome == self.success for outcome in outcomes)
        hits, misses = self.counts
        return replace(self, counts=(hits + more, misses + len(outcomes) - more))

    def __add__(self, other: Bernoulli) -> Bernoulli:
        if not isinstance(other, Bernoulli):
            return NotImplemented
        if (self.success, self.failure) != (other.success, other.failure):
            raise MergeError(
                f"Bernoulli: the outcomes are {self.success!r} and {self.failure!r} in "
                f"one, and {other.success!r} and {other.failure!r} in the other. Use "
                "the same outcomes in both."
            )
        hits, misses = other.counts
        return replace(self, counts=(self.counts[0] + hits, self.counts[1] + misses))

    def likelihood(self, theta: Any) -> Number:
        """L(θ), the probability of this very sequence."""
        with error_context("Bernoulli"):
            t = read_probability(theta, "θ")
        return t ** self.counts[0] * (1 - t) ** self.counts[1]

    def ml(self) -> Fraction:
        """θ* = c / (c + l), the share of the successes."""
        self._check_seen()
        return Fraction(self.counts[0], sum(self.counts))

    def stationary(self) -> dict[Fraction, str]:
        """Where the derivative of L is zero, and whether L is largest or smallest there."""
        self._check_seen()
        hits, misses = self.counts
        ends = {Fraction(0): hits >= 2, Fraction(1): misses >= 2}
        found = {theta: "minimum" for theta, flat in ends.items() if flat}
        if hits and misses:
            found[self.ml()] = "maximum"
        return dict(sorted(found.items()))

    def laplace(self, k: Any) -> Number:
        """(c + k) / (N + 2 k): k more of each outcome; the ML estimate at 0, 1/2 at infinity."""
        if isinstance(k, float) and k == math.inf:
            return Fraction(1, 2)
        with error_context("Bernoulli"):
            strength = exact_number(k, "k")
        if strength < 0:
            raise OptionError(f"Bernoulli.laplace: k is {short_repr(k)}. Give a number from 0 up.")
        if not strength:
            self._check_seen()
        return (self.counts[0] + strength) / (sum(self.counts) + 2 * strength)

    def plot(self) -> Plot:
        """L(θ) from 0 to 1."""
        points = [i / 200 for i in range(201)]
        values = [float(self.likelihood(theta)) for theta in points]
        return draw_lines({"L(θ)": (points, values)}, "Likelihood", "θ", "L(θ)")

    def show_work(self) -> Derivation:
        """The likelihood, its derivative, its stationary points, and the Laplace estimates."""
        self._check_seen()
        hits, misses = self.counts
        points = tuple(
            (number_text(t), number_text(self.likelihood(t)), kind)
            for t, kind in self.stationary().items()
        )
        laplace = tuple(
            (str(k), number_text(p), format_percent(p))
            for k in SHOWN_STRENGTHS
            for p in [self.laplace(k)]
        )
        return Derivation(
            f"Bernoulli: {hits} × {self.success}, {misses} × {self.failure}",
            (
                equation(f"L(θ) = θ^{hits} · (1 - θ)^{misses}"),
                equation(f"d log L / dθ = {hits} / θ - {misses} / (1 - θ)"),
                equation(f"θ* = {hits} / ({hits} + {misses}) = {number_text(self.ml())}"),
                Grid("where the derivative of L is 0", ("θ", "L(θ)", ""), points),
                equation(f"Laplace estimate of strength k: ({hits} + k) / ({hits + misses} + 2 k)"),
                Grid("", ("k", f"P({self.success})", ""), laplace),
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        return (self.show_work() if any(self.counts) else Derivation(repr(self), ())).to_dict()

    def __repr__(self) -> str:
        hits, misses = self.counts
        return f"Bernoulli({hits} × {self.success}, {misses} × {self.failure})"

    def _check_seen(self) -> None:
        if not any(self.counts):
            raise InputError("Bernoulli: there are no observations yet. Call observe first.")
