"""The steps of one split: its parts, their impurities, and the gain, as on the board."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tallylearn.workings.derivations import Formula
from tallylearn.workings.equations import equation_chain, formula, number, signed_sum

MIN_DECIMALS = 4  # of entropies and Gini impurities
MAX_DECIMALS = 9  # above, numbers have four significant digits each
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
    decimals : int, optional
        The decimals of all numbers, as ``equal_decimals`` gives them; by default four significant
        digits of each.
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
    decimals: int | None = None

    def number(self, value: float) -> str:
        """A number with the decimals of all."""
        return with_decimals(value, self.decimals)

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
        return [(label, *found, self.number(impurity)) for label, found, impurity in parts]

    def gain_in_words(self) -> Formula:
        """The gain with the names of its parts."""
        rows, measure = self.measure.rows, self.measure.name
        words = [f"{measure}({label})" for label in self.labels]
        return formula(f"{self.name} = {self._difference(f'{measure}({rows})', words)}")

    def gain_formula(self) -> Formula:
        """The gain with the numbers of its parts; only its result where there are many parts."""
        return formula(self.gain_text())

    def gain_text(self) -> str:
        """The gain as an equation."""
        if len(self.labels) > MAX_SHOWN_VALUES:
            rule = self.measure.rule.split(" = ", 1)[1]
            return f"{self.name} = {rule} = {self.number(self.gain)}"
        amounts = [self.number(impurity) for impurity in self.impurities]
        side = self._difference(self.number(self.before), amounts)
        return equation_chain(self.name, side, self.number(self.gain))

    def information_text(self) -> str:
        """The split information as an equation: the entropy of the sizes of the parts."""
        name, total = f"SplitInformation(S, {self.attribute})", count(self.total)
        sizes = [n for n in self._all_sizes() if n > 0]
        if len(sizes) > MAX_SHOWN_VALUES:
            return f"{name} = -Σ |Sv|/|S| · log2(|Sv|/|S|) = {self.number(self.information)}"
        shares = [f"{count(n)}/{total}" for n in sizes]
        terms = [f"-{share} · log2({share})" for share in shares]
        return equation_chain(name, signed_sum(terms), self.number(self.information))

    def ratio_text(self) -> str:
        """The gain ratio as an equation: the gain divided by the split information."""
        divided = f"{self.number(self.gain)} / {self.number(self.information)}"
        return equation_chain(f"GainRatio(S, {self.attribute})", divided, self.number(self.ratio))

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


def equal_decimals(splits: Sequence[SplitSteps]) -> int | None:
    """The decimals for all numbers of some splits, or None where they differ too much in size.

    Four for entropies and Gini impurities, else four digits of the largest number; more where the
    largest gain would have fewer than three digits.
    """
    gains = [abs(steps.gain) for steps in splits]
    amounts = [abs(x) for steps in splits for x in (steps.before, *steps.impurities)]
    largest, best = max(amounts, default=0.0), max(gains, default=0.0)
    if largest < NO_SPLIT:
        return MIN_DECIMALS
    bounded = splits[0].measure in (ENTROPY, GINI)
    decimals = MIN_DECIMALS if bounded else max(0, 3 - math.floor(math.log10(largest)))
    if best > 1e-9 * largest:
        decimals = max(decimals, 2 - math.floor(math.log10(best)))
    return decimals if decimals <= MAX_DECIMALS else None


def with_decimals(value: float, decimals: int | None) -> str:
    """A number with so many decimals, or four significant digits."""
    if decimals is None or not math.isfinite(value):
        return number(value)
    return f"{0.0 if abs(value) < NO_SPLIT else value:z,.{decimals}f}"


def entropy_sides(
    shares: Sequence[str],
    probabilities: Sequence[float],
    log: str = "log2",
    base: float = 2.0,
    decimals: int | None = None,
) -> tuple[str, str]:
    """An entropy as a sum of products, and as a sum of numbers; classes of no row are left out."""
    found = [(share, p) for share, p in zip(shares, probabilities, strict=True) if p > 0]
    amounts = [with_decimals(-p * math.log(p) / math.log(base), decimals) for _, p in found]
    return signed_sum([f"-{share} · {log}({share})" for share, _ in found]), signed_sum(amounts)


def gini_sides(
    shares: Sequence[str], probabilities: Sequence[float], decimals: int | None = None
) -> tuple[str, str]:
    """A Gini impurity as squares of shares, and as numbers."""
    found = [(share, p) for share, p in zip(shares, probabilities, strict=True) if p > 0]
    squares = [f"-({share})²" for share, _ in found]
    amounts = [f"-{with_decimals(p * p, decimals)}" for _, p in found]
    return signed_sum(["1", *squares]), signed_sum(["1", *amounts])


def impurity_text(
    measure: Measure, counts: Sequence[float], value: float, decimals: int | None = None
) -> str:
    """The entropy or the Gini impurity of the counts of classes at a node, as an equation."""
    name, total = f"{measure.name}({measure.rows})", math.fsum(counts)
    result = with_decimals(value, decimals)
    if len(counts) > MAX_SHOWN_VALUES or sum(n > 0 for n in counts) < 2:
        return f"{name} = {result}"
    shares, p = [f"{count(n)}/{count(total)}" for n in counts], [n / total for n in counts]
    sides = (
        entropy_sides(shares, p, decimals=decimals)
        if measure is ENTROPY
        else gini_sides(shares, p, decimals)
    )
    return equation_chain(name, *sides, result)


def count(n: float) -> str:
    """A number of rows or a weight: whole numbers in full, others in four digits."""
    return str(int(n)) if float(n).is_integer() and abs(n) < 1e15 else f"{float(n):.4g}"
