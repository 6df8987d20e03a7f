"""The model of naive Bayes: P(c) and every P(x | c); the score is the sum of their logarithms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tallylearn.estimators.model import JointModel, build_score_expression, choice, log_shares
from tallylearn.expressions import (
    ClassifierExpression,
    FallbackVector,
    Literal,
    Number,
    Sum,
    VectorOf,
)
from tallylearn.models.naive_bayes.class_priors import Priors
from tallylearn.models.naive_bayes.column_factors import Categories, Gaussians, check_finite
from tallylearn.models.naive_bayes.expression import (
    category_expression,
    density_expressions,
    word_expressions,
)
from tallylearn.models.naive_bayes.far_rows import find_near_ties, rows_at
from tallylearn.models.naive_bayes.text_factors import BERNOULLI, HOLDS, Texts
from tallylearn.models.naive_bayes.text_factors import SHARE as WORDS
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import (
    DATE,
    NUMBER,
    TEXT,
    Array,
    Block,
    Codes,
    DocumentTerms,
    Schema,
    check_columns,
    check_last_axes,
    check_shape,
    day,
    field_schemas,
)
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Formula, Grid, Sentence, Term
from tallylearn.workings.distance_steps import difference
from tallylearn.workings.equations import equation_chain, formula, number
from tallylearn.workings.evidence_table import MAX_EXPLAINED_ROWS
from tallylearn.workings.reasons import LOG_ODDS, Contributions

BY_CHANCE = "has many values, tells the class of left out rows no better than chance"
HALVES = ("False", "True")
SHARE = Formula(
    "P(x | c) = (count of x in c + added to x) / (count of c + all that is added)",
    r"P(x \mid c) = \frac{n_{x,c} + a_x}{n_c + \sum_{x'} a_{x'}}",
)
DENSITY = Formula(
    "P(x | c) = exp(-(x - mean)² / (2 sd²)) / (sd √(2π))",
    r"P(x \mid c) = \frac{1}{\sigma\sqrt{2\pi}} e^{-(x-\mu)^2 / 2\sigma^2}",
)

MAX_DENSITIES = 12  # densities of a row that are written out


@dataclass(frozen=True)
class Bayes(JointModel):
    """P(c) and every P(x | c); a row's score is the sum of their logarithms."""

    priors: Priors
    tables: tuple[Categories, ...]
    gaussians: Gaussians | None
    halved: bool  # whether numbers are read as above zero or not
    at_half: str
    texts: tuple[Texts, ...] = ()
    chance: tuple[str, ...] = ()  # categories that tell the class no better than it

    form: ClassVar[field_schemas.Form] = {
        "priors": field_schemas.one(Priors),
        "tables": field_schemas.many(field_schemas.one(Categories)),
        "gaussians": field_schemas.one(Gaussians, none=True),
        "halved": field_schemas.truth,
        "at_half": field_schemas.text("first", "positive"),
        "texts": field_schemas.many(field_schemas.one(Texts)),
        "chance": field_schemas.names("s"),
    }

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        parts: tuple[Priors | Categories | Texts, ...] = (self.priors, *self.tables, *self.texts)
        for part in parts:
            part.check()
        counted = {*schema.categories, *(schema.numbers if self.halved else ())}
        measured = {*self.gaussians.names} if self.gaussians else set()
        check_columns("counts", [*self.chance, *(table.name for table in self.tables)], counted)
        check_columns("words", [text.name for text in self.texts],
                      {column.name for column in schema.of_kind(TEXT)})  # fmt: skip
        check_columns("densities", sorted(measured), {*schema.numbers})

    def __post_init__(self) -> None:
        k = len(self.classes)
        for table in self.tables:
            check_last_axes(table.name, table.present, k)
        for text in self.texts:
            check_shape(text.name, text.whole, k)
        if self.gaussians is not None:
            check_last_axes("the means", self.gaussians.mean, k, len(self.gaussians.names))

    @property
    def category_values(self) -> dict[str, tuple[str, ...]]:
        """The values that every column of categories was seen with."""
        return {table.name: table.values for table in self.tables}

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.priors.classes

    def joint(self, block: Block) -> Array:
        """log P(x, c) for every row and class: (n, k)."""
        prior = self.priors.log
        out = np.tile(prior, (len(block), 1))
        if self.gaussians is not None:
            self.gaussians.add(block, prior, out)
        self._add_counted(block, out)
        return out

    def _add_counted(self, block: Block, out: Array) -> None:
        """Add the evidence of categories and texts to out (n, k)."""
        columns = categorical_columns(block, self.halved)
        for table in self.tables:
            table.add(columns[table.name], out)
        for text in self.texts:
            text.add(bags_of(block, text), out)

    def scores(self, block: Block) -> Array:
        """The same, up to a number of each row; the prior where every class is impossible."""
        out = self.joint(block)
        if self.gaussians is not None and len(rows := find_near_ties(out)):
            far = rows_at(block, rows)
            some = np.tile(self.priors.log, (len(rows), 1))
            self.gaussians.add_relative(far, some)
            self._add_counted(far, some)
            out[rows] = some
        dead = np.isneginf(out)
        if dead.any():
            out[dead.all(axis=1)] = self.priors.log
        return out

    def choose(self, scores: Array) -> Array:
        """The place of the most probable class."""
        return choice(scores, self.at_half)

    def evidence(self, block: Block) -> list[Evidence]:
        """The factors of every row."""
        rows = RowTerms(block, self)
        scores = self.scores(block)
        chosen = self.choose(scores)
        shares = np.exp(log_shares(scores))
        dead = np.asarray(np.isneginf(self.joint(block)).all(axis=1))
        dead &= (scores == self.priors.log).all(axis=1)
        return [
            self._row(rows, i, shares[i], self.classes[chosen[i]], bool(dead[i]))
            for i in range(len(block))
        ]

    def contributions(self, block: Block, found: list[Evidence]) -> list[Contributions]:
        """The logarithms of the prior and of the factors: the terms of the evidence."""
        return [
            Contributions(tuple(line.terms for line in row.lines), LOG_ODDS, "by the prior")
            for row in found
        ]

    def _row(self, rows: RowTerms, i: int, shares: Array, chosen: Any, dead: bool) -> Evidence:
        lines = []
        for c, outcome in enumerate(self.classes):
            terms = [self.priors.term(c)]
            if not dead:
                terms += rows.terms(i, c)
            lines.append(EvidenceLine(outcome, tuple(terms), float(shares[c])))
        notes = ["Every class has likelihood 0: the prior answers."] if dead else rows.notes(i)
        working = () if dead or i >= MAX_EXPLAINED_ROWS else tuple(rows.densities(i))
        return Evidence(tuple(lines), chosen, "product", tuple(notes), working, terms_shown=True)

    @property
    def n_parameters(self) -> int:
        """Free parameters: K - 1 priors, K (|X| - 1) for each category, 2 K for each number.

        A text has K (|V| - 1), since its words' probabilities sum to 1; Bernoulli's K |V| do not.
        """
        k = len(self.classes)
        numbers = len(self.gaussians.names) if self.gaussians else 0
        words = sum(len(text.terms) - (text.model != BERNOULLI) for text in self.texts)
        values = sum(len(table.values) - 1 for table in self.tables)
        return k - 1 + k * (values + words + 2 * numbers)

    @property
    def n_entries(self) -> int:
        """Numbers in the printed tables, including those determined by others."""
        k = len(self.classes)
        numbers = len(self.gaussians.names) if self.gaussians else 0
        words = sum(len(text.terms) for text in self.texts)
        return k + k * (sum(len(table.values) for table in self.tables) + words + 2 * numbers)

    def sample(
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
            columns[column.name] = [day(days) for days in columns[column.name]]
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows], drawn

    def list_unused_columns(self, schema: Schema) -> dict[str, str]:
        """The columns that say nothing, and why."""
        learned = {table.name for table in self.tables} | {text.name for text in self.texts}
        learned |= {*self.gaussians.names} if self.gaussians else set()
        return {
            c.name: BY_CHANCE if c.name in self.chance else _explain_silence(c.kind)
            for c in schema.columns
            if c.name not in learned
        }

    def expression(self, schema: Schema) -> ClassifierExpression:
        """log P(c) + Σ log P(x | c); the prior alone where every class is impossible."""
        scores = tuple(Sum(self._terms(c, schema)) for c in range(len(self.classes)))
        priors = VectorOf(tuple(map(Literal, self.priors.log.tolist())))
        found = FallbackVector(VectorOf(scores), priors)
        return build_score_expression(self.classes, found, self.at_half)

    def _terms(self, c: int, schema: Schema) -> tuple[Number, ...]:
        """The logarithms that add up to the score of a class."""
        densities = density_expressions(self.gaussians, c) if self.gaussians is not None else ()
        return (
            Literal(float(self.priors.log[c])),
            *densities,
            *(
                category_expression(table, c, self.halved and table.name in schema.numbers)
                for table in self.tables
            ),
            *(term for text in self.texts for term in word_expressions(text, c)),
        )

    def derivation(self, schema: Schema) -> Derivation:
        """Counts, estimates and densities, column by column."""
        classes = tuple(map(str, self.classes))
        steps: list[Grid | Formula | Sentence] = [self.priors.grid()]
        if self.tables:
            ordered = sorted(self.tables, key=lambda table: schema.names.index(table.name))
            steps += [SHARE, *(table.grid(classes) for table in ordered)]
        if self.gaussians is not None:
            steps += [DENSITY, self.gaussians.grid(classes, schema)]
        for text in self.texts:
            steps += [HOLDS if text.model == BERNOULLI else WORDS, *text.steps(classes)]
        steps += [
            Sentence(f"Column {name!r} {reason} and says nothing.")
            for name, reason in self.list_unused_columns(schema).items()
        ]
        free = f"{self.n_entries} numbers in the tables, {self.n_parameters} of them free."
        return Derivation("Naive Bayes", (*steps, Sentence(free)))


class RowTerms:
    """Some rows as a model sees them, one by one."""

    def __init__(self, block: Block, model: Bayes) -> None:
        self.block, self.model = block, model
        self.items = {
            name: codes.items() for name, codes in categorical_columns(block, model.halved).items()
        }
        self.bags = {text.name: bags_of(block, text) for text in model.texts}

    def terms(self, i: int, c: int) -> list[Term]:
        """The factors of one row in one class, in the table's order."""
        found: list[Term | None] = []
        for name in self.block.schema.names:
            if name in self._tables:
                found.append(self._tables[name].term(self.items[name][i], c))
            elif name in self.bags:
                found += self._texts[name].factors(self.bags[name], i, c)
            elif self.model.gaussians is not None and name in self._numbers:
                x, j = self.block.numbers[i, self.block.schema.places[name]], self._numbers[name]
                found.append(self.model.gaussians.term(j, float(x), c, self.block.schema))
        return [term for term in found if term is not None]

    def densities(self, i: int) -> Iterator[Formula]:
        """The normal densities of a row, written out where there are few."""
        model, bells = self.model, self.model.gaussians
        if bells is None or len(bells.names) * len(model.classes) > MAX_DENSITIES:
            return
        for j, name in enumerate(bells.names):
            x = float(self.block.numbers[i, self.block.schema.places[name]])
            for c, outcome in enumerate(model.classes):
                term = bells.term(j, x, c, self.block.schema)
                mean, sd = float(bells.mean[c, j]), math.sqrt(float(bells.variance[c, j]))
                if term is None or not sd or number(sd) == "0":
                    continue
                value = math.exp(-(((x - mean) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi))
                if not math.isclose(math.exp(term.amount), value, rel_tol=1e-6):
                    continue
                power = f"e^(-({difference(x, mean)})² / (2 · {number(sd)}²))"
                side = f"{power} / ({number(sd)} · sqrt(2 · π))"
                left = f"p({name} | {outcome})"
                yield formula(equation_chain(left, side, format_number(value)))

    def notes(self, i: int) -> list[str]:
        """What is to be said of the texts of a row."""
        alone = not self.model.tables and self.model.gaussians is None and len(self._texts) == 1
        return [
            note for text in self.model.texts for note in text.notes(self.bags[text.name], i, alone)
        ]

    @cached_property
    def _tables(self) -> dict[str, Categories]:
        return {table.name: table for table in self.model.tables}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        names = self.model.gaussians.names if self.model.gaussians else ()
        return {name: j for j, name in enumerate(names)}

    @cached_property
    def _texts(self) -> dict[str, Texts]:
        return {text.name: text for text in self.model.texts}


def _explain_silence(kind: str) -> str:
    """Why a column says nothing: only numbers are passed over though they have values."""
    return "is the same in every row" if kind in (NUMBER, DATE) else "has no values"


def bags_of(block: Block, text: Texts) -> DocumentTerms:
    """The documents of a column, as the model reads them."""
    return text.reader.bags(block.text[text.name], text.name, block.start)


def categorical_columns(block: Block, halved: bool) -> dict[str, Codes]:
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
