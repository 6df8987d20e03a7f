"""Naive Bayes: every column votes for a class with P(x | c), independently of the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from tallylearn.doors import Classifier, OnePass
from tallylearn.doors.tasks import choice, log_shares
from tallylearn.errors import OptionError, TargetError, speaking
from tallylearn.models.factors import Categories, Gaussians, arranged, check_finite
from tallylearn.models.priors import Priors
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Codes, Schema, check_shape
from tallylearn.tallies import Bundle, Counts, Moments
from tallylearn.workings import Derivation, Evidence, Formula, Grid, Line, Sentence, Term

HALVES = ("False", "True")
SHARE = Formula(
    "P(x | c) = (count of x in c + added to x) / (count of c + all that is added)",
    r"P(x \mid c) = \frac{n_{x,c} + a_x}{n_c + \sum_{x'} a_{x'}}",
)
DENSITY = Formula(
    "P(x | c) = exp(-(x - mean)² / (2 sd²)) / (sd √(2π))",
    r"P(x \mid c) = \frac{1}{\sigma\sqrt{2\pi}} e^{-(x-\mu)^2 / 2\sigma^2}",
)


@dataclass(frozen=True)
class Bayes:
    """P(c) and every P(x | c); a row's score is the sum of their logarithms."""

    priors: Priors
    tables: tuple[Categories, ...]
    gaussians: Gaussians | None
    halved: bool  # whether numbers are read as above zero or not
    at_half: str

    def __post_init__(self) -> None:
        k = len(self.classes)
        for table in self.tables:
            check_shape(table.name, table.present, k)
        if self.gaussians is not None:
            check_shape("the means", self.gaussians.mean, k, len(self.gaussians.names))

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.priors.classes

    def joint(self, block: Block) -> Array:
        """log P(x, c) for every row and class: (n, k)."""
        prior = self.priors.log
        out = np.tile(prior, (len(block), 1))
        if self.gaussians is not None:
            self.gaussians.add(block, prior, out)
        columns = coded(block, self.halved)
        for table in self.tables:
            table.add(columns[table.name], out)
        return out

    def scores(self, block: Block) -> Array:
        """The same, and the prior where every class is impossible."""
        out = self.joint(block)
        out[np.isneginf(out).all(axis=1)] = self.priors.log
        return out

    def chosen(self, scores: Array) -> Array:
        """The place of the most probable class."""
        return choice(scores, self.at_half)

    def evidence(self, block: Block) -> list[Evidence]:
        """The factors of every row."""
        columns = {name: codes.items() for name, codes in coded(block, self.halved).items()}
        scores = self.scores(block)
        chosen = self.chosen(scores)
        shares = np.exp(log_shares(scores))
        dead = np.asarray(np.isneginf(self.joint(block)).all(axis=1))
        return [
            self._row(block, columns, i, shares[i], self.classes[chosen[i]], bool(dead[i]))
            for i in range(len(block))
        ]

    def _row(
        self,
        block: Block,
        columns: dict[str, list[Any]],
        i: int,
        shares: Array,
        chosen: Any,
        dead: bool,
    ) -> Evidence:
        lines = []
        for c, outcome in enumerate(self.classes):
            terms = [self.priors.term(c)]
            if not dead:
                terms += self._terms(block, columns, i, c)
            lines.append(Line(outcome, tuple(terms), float(shares[c])))
        notes = ("Every class has likelihood 0: the prior answers.",) if dead else ()
        return Evidence(tuple(lines), chosen, "product", notes)

    @cached_property
    def _places(self) -> tuple[dict[str, Categories], dict[str, int]]:
        """The tables, and the places of the numbers, by name."""
        numbers = self.gaussians.names if self.gaussians else ()
        tables = {table.name: table for table in self.tables}
        return tables, {name: j for j, name in enumerate(numbers)}

    def _terms(self, block: Block, columns: dict[str, list[Any]], i: int, c: int) -> list[Term]:
        """The factors of one row in one class, in the table's order."""
        tables, at = self._places
        place = block.schema.places
        found: list[Term | None] = []
        for name in block.schema.names:
            if name in tables:
                found.append(tables[name].term(columns[name][i], c))
            elif name in at and self.gaussians is not None:
                found.append(self.gaussians.term(at[name], float(block.numbers[i, place[name]]), c))
        return [term for term in found if term is not None]

    @property
    def n_parameters(self) -> int:
        """Free parameters: K - 1 priors, K (|X| - 1) for each category, 2 K for each number."""
        k = len(self.classes)
        numbers = len(self.gaussians.names) if self.gaussians else 0
        return k - 1 + sum(k * (len(table.values) - 1) for table in self.tables) + 2 * k * numbers

    @property
    def n_entries(self) -> int:
        """Numbers in the printed tables, those that follow from others included."""
        k = len(self.classes)
        numbers = len(self.gaussians.names) if self.gaussians else 0
        return k + sum(k * len(table.values) for table in self.tables) + 2 * k * numbers

    def sampled(
        self, n: int, rng: np.random.Generator, schema: Schema
    ) -> tuple[list[dict[str, Any]], Array]:
        """n rows from P(x, c), with the columns of the table."""
        drawn = rng.choice(len(self.classes), size=n, p=np.exp(self.priors.log))
        columns: dict[str, list[Any]] = {name: [None] * n for name in schema.names}
        for table in self.tables:
            share = np.exp(table.log[:, :-1]).cumsum(axis=1)
            at = (share[drawn] < rng.random((n, 1)) * share[drawn, -1:]).sum(axis=1)
            halved = self.halved and table.name in schema.numbers
            columns[table.name] = [float(i) if halved else table.values[i] for i in at.tolist()]
        if self.gaussians is not None:
            bells = self.gaussians
            normal = rng.normal(bells.mean[drawn], np.sqrt(bells.variance[drawn]))
            columns |= {name: normal[:, j].tolist() for j, name in enumerate(bells.names)}
        for column in schema.of_kind(DATE):
            columns[column.name] = [_day(days) for days in columns[column.name]]
        return [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ], drawn

    def derivation(self, schema: Schema) -> Derivation:
        """Counts, estimates and densities, column by column."""
        classes = tuple(map(str, self.classes))
        steps: list[Grid | Formula | Sentence] = [self.priors.grid()]
        if self.tables:
            ordered = sorted(self.tables, key=lambda table: schema.names.index(table.name))
            steps += [SHARE, *(table.grid(classes) for table in ordered)]
        if self.gaussians is not None:
            steps += [DENSITY, self.gaussians.grid(classes, schema)]
        learned = {table.name for table in self.tables}
        learned |= {*self.gaussians.names} if self.gaussians else set()
        steps += [
            Sentence(f"Column {name!r} has no values and says nothing.")
            for name in schema.names
            if name not in learned
        ]
        free = f"{self.n_entries} numbers in the tables, {self.n_parameters} of them free."
        return Derivation("Naive Bayes", (*steps, Sentence(free)))


class NaiveBayes(OnePass, Classifier):
    """Naive Bayes on categories, truth values and numbers together.

    A column of categories gives the share of rows of the class that have the value; a column of
    numbers the normal density with the class's mean and variance. A missing value says nothing and
    is skipped.

    Parameters
    ----------
    alpha : added to every count of a category (Laplace). 0 is the maximum likelihood estimate.
    m, p : the m-estimate (n + m p) / (N + m) instead of alpha; p is "uniform" or {column: {value:
        probability}}.
    var_smoothing : this share of the largest variance is added to every variance.
    class_prior : the classes' probabilities, in the order of ``classes_``, or by class.
    fit_prior : False takes every class as equally probable.
    numbers : "gaussian", or "bernoulli": is the number above zero?
    at_half : of tied classes the "first" in sorted order, or the last: "positive".

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.NaiveBayes(alpha=0).fit(tl.example("tennis"))
    >>> print(model.explain([["Sunny", "Cool", "High", "Strong"]]))
    No   5/14 · 3/5 · 1/5 · 4/5 · 3/5 = 18/875   79.5 %
    Yes  9/14 · 2/9 · 3/9 · 3/9 · 3/9 =  1/189   20.5 %

    References
    ----------
    T. Mitchell, Machine Learning, 1997, chapter 6.9.
    """

    family: ClassVar[str] = "generative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, CATEGORY, DATE)
    shaping: ClassVar[tuple[str, ...]] = ("numbers",)
    stored: ClassVar[tuple[type, ...]] = (Bayes, Priors, Categories, Gaussians)

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        m: float | None = None,
        p: str | Mapping[str, Mapping[str, float]] = "uniform",
        var_smoothing: float = 1e-9,
        class_prior: Any = None,
        fit_prior: bool = True,
        numbers: str = "gaussian",
        at_half: str = "first",
    ) -> None:
        self.alpha = alpha
        self.m = m
        self.p = p
        self.var_smoothing = var_smoothing
        self.class_prior = class_prior
        self.fit_prior = fit_prior
        self.numbers = numbers
        self.at_half = at_half

    def tally(self, block: Block) -> Bundle:
        """Rows by class, by class and value for categories; moments by class for numbers."""
        columns = coded(block, self.numbers == "bernoulli")
        counts = Counts.each(block.target, columns, block.weight)
        moments = Moments.empty()
        if self.numbers == "gaussian" and block.schema.numbers:
            names = block.schema.numbers
            moments = Moments.of(block.numbers, block.target, names, block.weight, block.start)
        target = Counts.of(block.target, weight=block.weight)
        return Bundle({"target": target, "categories": Bundle(counts), "numbers": moments})

    def solve(self, tally: Bundle) -> Bayes:
        """Estimate the probabilities from the counts, and the densities from the moments."""
        priors = Priors.of(tally["target"], self.class_prior, self.fit_prior)
        columns = tally.get("categories")
        tables = [
            Categories.of(name, counts, priors.classes, self._added(name, counts))
            for name, counts in (columns.parts.items() if columns is not None else ())
        ]
        gaussians = None
        if moments := tally.get("numbers"):
            gaussians = Gaussians.of(moments, priors.classes, self.var_smoothing)
        return Bayes(priors, tuple(tables), gaussians, self.numbers == "bernoulli", self.at_half)

    def predict_joint_log_proba(self, X: Any) -> Array:
        """log P(x, c) for every class: prior times likelihood, not normalised."""
        return self._mapped(X, lambda block: self.model_.joint(block))

    def log_likelihood(self, X: Any, y: Any = None) -> float:
        """The logarithm of the probability of these rows with their classes."""
        from tallylearn.doors.intake import lesson

        self._check_fitted()
        total = 0.0
        with speaking(type(self).__name__):
            read = lesson(X, y, None, type(self).__name__, self.schema_)
            for block in read.blocks(self.task):
                at = block.target.among(self.model_.classes)
                if (at < 0).any():
                    odd = block.target.items()[int(np.argmax(at < 0))]
                    raise TargetError(f"the class {odd!r} was never learned.")
                total += float(self.model_.joint(block)[np.arange(len(block)), at].sum())
        return total

    def sample(
        self, n: int = 1, random_state: int | None = None
    ) -> tuple[list[dict[str, Any]], Array]:
        """n new rows, and their classes, drawn from the fitted P(x, c)."""
        self._check_fitted()
        if not isinstance(n, int) or n < 0:
            raise OptionError(f"{type(self).__name__}: {n!r} rows cannot be drawn.")
        rows, drawn = self.model_.sampled(n, np.random.default_rng(random_state), self.schema_)
        return rows, self.classes_[drawn]

    @property
    def class_count_(self) -> Array:
        """(k,) the rows of every class; a model without its tally does not know them."""
        self._check_fitted()
        if self.tally_ is None:
            raise AttributeError("class_count_: this model was saved without its tally.")
        return np.asarray(self.tally_["target"].floats())

    @property
    def theta_(self) -> Array:
        """(k, p) the means of the columns of numbers, in the table's order."""
        self._check_fitted()
        bells = self.model_.gaussians
        names, mean = (bells.names, bells.mean) if bells else ((), np.empty((0, 0)))
        return arranged(mean, names, self.schema_, len(self.classes_))

    @property
    def var_(self) -> Array:
        """(k, p) their variances, smoothing included."""
        self._check_fitted()
        bells = self.model_.gaussians
        names, spread = (bells.names, bells.variance) if bells else ((), np.empty((0, 0)))
        return arranged(spread, names, self.schema_, len(self.classes_))

    @property
    def n_parameters_(self) -> int:
        """The number of free parameters."""
        self._check_fitted()
        return int(self.model_.n_parameters)

    def _counted(self, tally: Bundle) -> set[str]:
        moments, columns = tally.get("numbers"), tally.get("categories")
        found = set() if moments is None else {*map(str, moments.columns)}
        return found | ({*columns.parts} if columns is not None else set())

    def _add_tags(self, tags: Any) -> None:
        tags.classifier_tags.poor_score = self.numbers == "bernoulli"

    def _check_options(self) -> None:
        self._in_range("alpha", 0.0)
        self._in_range("var_smoothing", 0.0)
        if not isinstance(self.fit_prior, bool | np.bool_):
            raise OptionError(f"fit_prior is True or False, not {self.fit_prior!r}.")
        self._one_of("numbers", ("gaussian", "bernoulli"))
        self._one_of("at_half", ("first", "positive"))
        if self.m is not None:
            self._in_range("m", 0.0)
            if self.alpha != 1.0:
                raise OptionError(
                    f"m={self.m} and alpha={self.alpha} smooth the same counts: give one of them."
                )
        elif self.p != "uniform":
            raise OptionError("p goes with m, as in NaiveBayes(m=2, p={...}).")

    def _added(self, name: str, counts: Counts) -> float | dict[str, float]:
        """What is added to the counts of a column's values."""
        if self.m is None:
            return float(self.alpha)
        if self.p == "uniform":
            return float(self.m) / max(1, len(counts.keys[1]))
        given = self.p.get(name) if isinstance(self.p, Mapping) else None
        if not isinstance(given, Mapping) or not _shares(given.values()):
            raise OptionError(
                "p is 'uniform' or gives every column's values probabilities that sum to 1; "
                f"for {name!r} there is {given!r}."
            )
        return {value: float(self.m) * share for value, share in given.items()}


def _day(days: float | None) -> datetime | None:
    return None if days is None else datetime(1970, 1, 1) + timedelta(days=days)


def _shares(values: Iterable[Any]) -> bool:
    """Whether these are probabilities that sum to one."""
    numbers = list(values)
    if not all(isinstance(share, Real) and float(share) >= 0 for share in numbers):
        return False
    return bool(abs(sum(numbers) - 1) <= 1e-9)


def coded(block: Block, halved: bool) -> dict[str, Codes]:
    """The columns that are counted: categories, and with ``halved`` numbers by their sign."""
    if not halved:
        return block.codes
    check_finite(block)
    columns = dict(block.codes)
    for j, name in enumerate(block.schema.numbers):
        x = block.numbers[:, j]
        codes = np.where(np.isnan(x), -1, (x > 0).astype(np.int32)).astype(np.int32)
        columns[name] = Codes(HALVES, codes, HALVES)
    return columns
