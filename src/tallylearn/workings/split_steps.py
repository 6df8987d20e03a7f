"""The steps of one split: its parts, their impurities, and the gain, as on the board."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tallylearn.workings.derivations import Formula
from tallylearn.workings.equations import equation_chain, formula, number, signed_sum

MAX_SHOWN_VALUES = 12  # parts that one formula writes out; a table has them all
NO_SPLIT = 1e-12  # split information that is 0 up to rounding


@dataclass(frozen=True)
class Measure:
    """A measure of impurity, and its names in formulas.

    Attributes
    ----------
    name : str
        The function of some rows: ``Entropy`` in ``Entropy(S)``.
    gain : str
        What a split gains: ``Gain`` in ``Gain(S, Wind)``.
    rows : str
        The rows of a node: S, or T where the target is a number.
    definition : str
        The measure as a formula, for the note below a table.
    """

    name: str
    gain: str
    rows: str
    definition: str = ""

    @property
    def rule(self) -> str:
        """The gain of an attribute A as a formula."""
        rows, part = self.rows, "Sv" if self.rows == "S" else "Ti"
        return (
            f"{self.gain}({rows}, A) = {self.name}({rows}) - Σ |{part}|/|{rows}| · "
            f"{self.name}({part})"
        )


ENTROPY = Measure("Entropy", "Gain", "S", "Entropy(S) = -Σ p · log2(p)")
GINI = Measure("Gini", "Decrease", "S", "Gini(S) = 1 - Σ p²")
STANDARD_DEVIATION = Measure("sd", "SDR", "T", "sd = sqrt(Σ (y - mean)² / rows)")
SQUARED_ERROR = Measure("MSE", "Decrease", "T", "MSE = Σ (y - mean)² / rows")
FIFTH_ROOT = Measure("root", "Decrease", "T", "root = (sd²)^(1/5), the criterion of M5'")
ABSOLUTE_ERROR = Measure("MAE", "Decrease", "T", "MAE = Σ |y - median| / rows")
POISSON = Measure("Deviance", "Decrease", "T", "Deviance = Σ y · ln(y / mean) / rows")


@dataclass(frozen=True)
class SplitSteps:
    """One split of some rows.

    Attributes
    ----------
    attribute : str
        The attribute, with its threshold or group of values: ``Wind``, ``age <= 30``.
    labels : tuple of str
        The name of every part.
    sizes : tuple of float
        The rows of every part, or their weight.
    impurities : tuple of float
        The impurity of every part.
    before : float
        The impurity of all rows of the parts.
    measure : Measure
        The measure of impurity.
    cells : tuple of tuple of str
        What a table shows of every part between its name and its impurity.
    rows : float, optional
        The rows of the node, where some have no value and are in no part.
    thresholds : int, default 1
        How many thresholds C4.5 corrects the gain for.
    counted : float, optional
        The rows of the node, which C4.5's correction divides by, where ``rows`` is a weight.
    """

    attribute: str
    labels: tuple[str, ...]
    sizes: tuple[float, ...]
    impurities: tuple[float, ...]
    before: float
    measure: Measure
    cells: tuple[tuple[str, ...], ...] = ()
    rows: float | None = None
    thresholds: int = 1
    counted: float | None = None

    @property
    def n_known(self) -> float:
        """The rows of all parts."""
        return math.fsum(self.sizes)

    @property
    def total(self) -> float:
        """The rows of the node."""
        return self.n_known if self.rows is None else self.rows

    @property
    def uncorrected_gain(self) -> float:
        """The gain before C4.5's correction for thresholds."""
        parts = zip(self.sizes, self.impurities, strict=True)
        after = math.fsum(n / self.n_known * impurity for n, impurity in parts)
        return self.n_known / self.total * (self.before - after)

    @property
    def gain(self) -> float:
        """What the split lowers the mean impurity by."""
        return self.uncorrected_gain - math.log2(self.thresholds) / (self.counted or self.total)

    @property
    def information(self) -> float:
        """The split information in bits; rows without a value count as one more part."""
        shares = [n / self.total for n in self._all_sizes()]
        return math.fsum(-p * math.log2(p) for p in shares if p > 0)

    @property
    def ratio(self) -> float:
        """The gain ratio; 0 where the split information is 0."""
        return self.gain / self.information if self.information > NO_SPLIT else 0.0

    @property
    def name(self) -> str:
        """The left-hand side of the gain."""
        return f"{self.measure.gain}({self.measure.rows}, {self.attribute})"

    def part_rows(self) -> list[tuple[str, ...]]:
        """A row of a table for every part: its name, its cells, its impurity."""
        cells = self.cells or tuple((count(n),) for n in self.sizes)
        parts = zip(self.labels, cells, self.impurities, strict=True)
        return [(label, *found, number(impurity)) for label, found, impurity in parts]

    def gain_in_words(self) -> Formula:
        """The gain with the names of its parts."""
        rows, measure = self.measure.rows, self.measure.name
        words = [f"{measure}({label})" for label in self.labels]
        return formula(f"{self.name} = {self._difference(f'{measure}({rows})', words)}")

    def gain_formula(self) -> Formula:
        """The gain with the numbers of its parts; only its result where there are many parts."""
        if len(self.labels) > MAX_SHOWN_VALUES:
            rule = self.measure.rule.split(" = ", 1)[1]
            return formula(f"{self.name} = {rule} = {number(self.gain)}")
        amounts = [number(impurity) for impurity in self.impurities]
        return formula(
            equation_chain(
                self.name, self._difference(number(self.before), amounts), number(self.gain)
            )
        )

    def information_formula(self) -> Formula:
        """The split information: the entropy of the sizes of the parts."""
        name, total = f"SplitInformation(S, {self.attribute})", count(self.total)
        sizes = [n for n in self._all_sizes() if n > 0]
        if len(sizes) > MAX_SHOWN_VALUES:
            return formula(f"{name} = -Σ |Sv|/|S| · log2(|Sv|/|S|) = {number(self.information)}")
        shares = [f"{count(n)}/{total}" for n in sizes]
        terms = [f"-{share} · log2({share})" for share in shares]
        return formula(equation_chain(name, signed_sum(terms), number(self.information)))

    def ratio_formula(self) -> Formula:
        """The gain ratio: the gain divided by the split information."""
        divided = f"{number(self.gain)} / {number(self.information)}"
        return formula(
            equation_chain(f"GainRatio(S, {self.attribute})", divided, number(self.ratio))
        )

    def _all_sizes(self) -> list[float]:
        rest = self.total - self.n_known
        return [*self.sizes, rest] if rest > 1e-9 * self.total else [*self.sizes]

    def _difference(self, before: str, impurities: Sequence[str]) -> str:
        known = count(self.n_known)
        pairs = zip(self.sizes, impurities, strict=True)
        text = signed_sum([before, *(f"-{count(n)}/{known} · {each}" for n, each in pairs)])
        if len(self._all_sizes()) > len(self.sizes):
            text = f"{known}/{count(self.total)} · ({text})"
        if self.thresholds > 1:
            text += f" - log2({self.thresholds}) / {count(self.counted or self.total)}"
        return text


def entropy_sides(
    shares: Sequence[str], probabilities: Sequence[float], log: str = "log2", base: float = 2.0
) -> tuple[str, str]:
    """An entropy as a sum of products, and as a sum of numbers; classes of no row are left out."""
    found = [(share, p) for share, p in zip(shares, probabilities, strict=True) if p > 0]
    amounts = [number(-p * math.log(p) / math.log(base)) for _, p in found]
    return signed_sum([f"-{share} · {log}({share})" for share, _ in found]), signed_sum(amounts)


def gini_sides(shares: Sequence[str], probabilities: Sequence[float]) -> tuple[str, str]:
    """A Gini impurity as squares of shares, and as numbers."""
    found = [(share, p) for share, p in zip(shares, probabilities, strict=True) if p > 0]
    squares = [f"-({share})²" for share, _ in found]
    return signed_sum(["1", *squares]), signed_sum(["1", *(f"-{number(p * p)}" for _, p in found)])


def impurity_formula(measure: Measure, counts: Sequence[float], value: float) -> Formula:
    """The entropy or the Gini impurity of the counts of classes at a node."""
    name, total = f"{measure.name}({measure.rows})", math.fsum(counts)
    if len(counts) > MAX_SHOWN_VALUES or sum(n > 0 for n in counts) < 2:
        return formula(f"{name} = {number(value)}")
    shares = [f"{count(n)}/{count(total)}" for n in counts]
    sides = (entropy_sides if measure is ENTROPY else gini_sides)(
        shares, [n / total for n in counts]
    )
    return formula(equation_chain(name, *sides, number(value)))


def count(n: float) -> str:
    """A number of rows or a weight: whole numbers in full, others in four digits."""
    return str(int(n)) if float(n).is_integer() and abs(n) < 1e15 else f"{float(n):.4g}"
