"""Expectations: what the error on a sample is on average, and how far that is from the truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

import numpy as np

from tallylearn.evaluation.result import Result
from tallylearn.evaluation.theory.all_samples import Drawings, Number
from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.reporting.formatting import format_number, number_of
from tallylearn.statistics.confidence_intervals import Interval, mean_interval
from tallylearn.workings import Derivation, Grid, Sentence

MAX_CHARTED_ROWS = 1000  # rows, of whose errors the distribution is drawn


@dataclass(frozen=True, eq=False)
class SampleError(Result):
    """The error of a fixed hypothesis on n rows, drawn independently of it.

    The number of errors is binomial: the expectation of the share is the true error, so that the
    bias is 0, and its variance is error (1 - error) / n. T. Mitchell, Machine Learning, 1997,
    section 5.3.
    """

    error: Number  # the true one
    n: int
    simulated: tuple[float, ...] = field(repr=False)  # errors on samples drawn

    @property
    def expectation(self) -> Number:
        """The expected error on a sample: the true error."""
        return self.error

    @property
    def bias(self) -> Number:
        """The expected error on a sample minus the true error: 0."""
        return self.expectation - self.error

    @property
    def variance(self) -> Number:
        """The variance of the error on a sample: error (1 - error) / n."""
        return self.error * (1 - self.error) / self.n

    @cached_property
    def distribution(self) -> dict[Fraction, Number]:
        """The probability of every possible error on n rows (binomial)."""
        wrong, n = Fraction(self.error), self.n  # floats too: C(n, k) is beyond them soon
        chances = (comb(n, k) * wrong**k * (1 - wrong) ** (n - k) for k in range(n + 1))
        plain = type(self.error)
        return {Fraction(k, n): plain(chance) for k, chance in enumerate(chances)}

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        """What follows exactly, beside what samples show."""
        names = ("expectation", "bias", "variance")
        lines = tuple(
            (name, fraction_text(exact_of(found[name])), format_number(found["simulated"][name]))
            for name in names
        )
        head = ("error on the sample", "exactly", f"{found['samples']} samples")
        said = (
            f"The true error is {fraction_text(exact_of(found['error']))}. The hypothesis does not "
            "depend on the sample: the error on the sample is right on average."
        )
        return Derivation(found["title"], (Grid("", head, lines), Sentence(said)))

    def facts(self) -> dict[str, Any]:
        """What follows exactly, fractions as text, and what samples show."""
        seen = np.array(self.simulated)
        mean = float(seen.mean())
        shown = {"expectation": mean, "bias": mean - self.error, "variance": seen.var(ddof=1)}
        named = ("error", "n", "expectation", "bias", "variance")
        return {name: getattr(self, name) for name in named} | {
            "kind": "sample error",
            "title": f"The error on {self.n} rows",
            "samples": len(seen),
            "simulated": {name: float(value) for name, value in shown.items()},
        }

    def records(self) -> list[dict[str, Any]]:
        """One row, numbers as floats."""
        seen = np.array(self.simulated)
        return [
            {
                "n": self.n,
                "error": float(self.error),
                "expectation": float(self.expectation),
                "bias": float(self.bias),
                "variance": float(self.variance),
                "simulated_expectation": float(seen.mean()),
                "simulated_variance": float(seen.var(ddof=1)),
            }
        ]

    def plots(self) -> dict[str, Plot]:
        """The probability of every error, and how often samples showed it; up to 1000 rows."""
        if self.n > MAX_CHARTED_ROWS:
            return {}
        shares = [float(share) for share in self.distribution]
        at = np.rint(np.array(self.simulated) * self.n).astype(int)
        seen = np.bincount(at, minlength=self.n + 1) / len(at)
        series = {
            "exactly": (shares, [float(p) for p in self.distribution.values()]),
            "simulated": (shares, seen.tolist()),
        }
        title = f"Error on {self.n} rows"
        return {"distribution": draw_lines(series, title, "error on the sample", "probability")}


@dataclass(frozen=True, eq=False)
class Resubstitution(Result):
    """The error on the training rows compared with the true error of the fitted model.

    The hypothesis depends on the sample: the bias is below 0 where the learner fits its sample
    better than the population.
    """

    learner: str
    n: int
    drawn: Drawings = field(repr=False)
    seen: tuple[Number, ...] = field(repr=False)  # the error on every sample
    true: tuple[Number, ...] = field(repr=False)  # the true error of what it taught
    level: float = 0.95

    @property
    def exact(self) -> bool:
        """Whether the means are over all samples."""
        return self.drawn.complete

    @property
    def expectation(self) -> Number:
        """The mean error on the sample."""
        return self.drawn.mean(self.seen)

    @property
    def error(self) -> Number:
        """The mean true error."""
        return self.drawn.mean(self.true)

    @property
    def bias(self) -> Number:
        """The mean error on the sample minus the mean true error."""
        return self.expectation - self.error

    @cached_property
    def interval(self) -> Interval | None:
        """The confidence interval of the bias; None if the means are over all samples."""
        if self.exact:
            return None
        apart = [float(seen - true) for seen, true in zip(self.seen, self.true, strict=True)]
        low, high = mean_interval(apart, self.level)
        return Interval(low, high, self.level, "t over samples", "the bias over all samples")

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        """Both errors and the bias."""
        words = {"error on the rows learned from": "expectation", "true error": "error",
                 "bias": "bias"}  # fmt: skip
        lines = tuple((word, fraction_text(exact_of(found[name]))) for word, name in words.items())
        ends = f"; {found['interval']} holds it by the t interval" if found["interval"] else ""
        said = f"Over {found['drawn']}{ends}. The sample is what was learned from, so it is no "
        said += "independent witness."
        return Derivation(found["title"], (Grid("", ("mean", "value"), lines), Sentence(said)))

    def facts(self) -> dict[str, Any]:
        """Both errors and the bias, fractions as text; which samples, and how sure that is."""
        named = ("learner", "n", "level", "exact", "expectation", "error", "bias")
        return {name: getattr(self, name) for name in named} | {
            "kind": "resubstitution",
            "title": f"{self.learner} learned from {self.n} rows, and tested on them",
            "drawn": self.drawn.description,
            "interval": "" if self.interval is None else str(self.interval),
        }

    def records(self) -> list[dict[str, Any]]:
        """One row, numbers as floats."""
        low, high = (None, None) if self.interval is None else self.interval
        return [
            {
                "learner": self.learner,
                "n": self.n,
                "samples": len(self.drawn),
                "exact": self.exact,
                "expectation": float(self.expectation),
                "error": float(self.error),
                "bias": float(self.bias),
                "low": low,
                "high": high,
            }
        ]


def fraction_text(number: Number) -> str:
    """A fraction where it is short, beside its decimals."""
    decimal = format_number(float(number))
    if not isinstance(number, Fraction) or number.denominator == 1:
        return decimal
    return f"{number} = {decimal}" if number.denominator < 10**6 else decimal


def exact_of(data: Any) -> Number:
    """A number as plain data has it: text is a fraction."""
    return Fraction(data) if isinstance(data, str) else number_of(data)
