"""A fitted pipeline: fitted preprocessors transform a row, and a fitted estimator predicts it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tallylearn.errors import KindError
from tallylearn.estimators import ClassificationModel, RegressionModel
from tallylearn.estimators.estimator import Estimator, constructor_call
from tallylearn.expressions import ModelExpression, substitute
from tallylearn.preprocessing.transformed_input import suit_block, transform_rows
from tallylearn.preprocessing.transformer import Preprocessor
from tallylearn.tables import DATE, IDENTIFIER, UNKNOWN, Array, Block, Schema, field_schemas
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Grid, Term
from tallylearn.workings.distance_steps import MAX_SHOWN_COLUMNS
from tallylearn.workings.equations import number
from tallylearn.workings.evidence_table import MAX_EXPLAINED_ROWS
from tallylearn.workings.reasons import Contributions
from tallylearn.workings.units import format_value, using_units, value_formatter


@dataclass(frozen=True, eq=False)
class Chain(ClassificationModel, RegressionModel):
    """Fitted steps, by name: all but the last are preparations."""

    names: tuple[str, ...]
    steps: tuple[Any, ...]

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("s"),
        "steps": field_schemas.many(field_schemas.one(Estimator), "s"),
    }

    @property
    def last(self) -> Any:
        """The learner that answers."""
        return self.steps[-1]

    @property
    def classes(self) -> tuple[Any, ...]:
        return tuple(self.last.model_.classes)

    @property
    def category_values(self) -> Any:
        return self.last.model_.category_values

    def transform_block(self, block: Block) -> Block:
        """A block as the last step sees it."""
        return suit_block(transform_rows(block, self.steps[:-1]), self.last)

    def prepare(self, block: Block) -> Block:
        """A block as the last step leaves it, where that is a preparation too."""
        return transform_rows(block, self.steps)

    def units(self, name: str, value: float) -> float:
        """A number of a column as the last step sees it, in the units of the table."""
        for step in reversed(self.steps[:-1]):
            value = step.model_.to_table_units(name, value)
        return value

    def predictions(self, block: Block) -> Array:
        found: Array = self.last.predictions(self.transform_block(block))
        return found

    def predict_classes(self, block: Block) -> Array:
        found: Array = self.last.predict_classes(self.transform_block(block))
        return found

    def shares(self, block: Block) -> Array:
        found: Array = self.last.model_.shares(self.transform_block(block))
        return found

    def log_shares(self, block: Block) -> Array:
        found: Array = self.last.model_.log_shares(self.transform_block(block))
        return found

    def classes_and_probabilities(self, block: Block) -> tuple[Array, Array]:
        found: tuple[Array, Array] = self.last.classes_and_probabilities(
            self.transform_block(block)
        )
        return found

    def evidence(self, block: Block) -> list[Evidence]:
        """The last step's evidence; numbers as the table has them."""
        if isinstance(self.last, Preprocessor):
            raise KindError(
                "the last step is a transformer, which does not predict. Add an estimator after it."
            )
        seen, before = self.transform_block(block), self._preparations(block)
        with using_units(self.units, {column.name for column in block.schema.of_kind(DATE)}):
            found = self.last.model_.evidence(seen)
            told = [
                _in_table_units(row, texts)
                for row, texts in zip(found, _number_texts(block, seen), strict=True)
            ]
        before += [()] * (len(told) - len(before))
        return [
            replace(row, preparation=steps, terms_shown=row.terms_shown or not row.working)
            for row, steps in zip(told, before, strict=True)
        ]

    def contributions(self, block: Block, found: list[Evidence]) -> list[Contributions] | None:
        """Those of the last step; numbers as the table has them."""
        seen = self.transform_block(block)
        with using_units(self.units, {column.name for column in block.schema.of_kind(DATE)}):
            sums = self.last.model_.contributions(seen, found)
            if sums is None:
                return None
            return [
                replace(one, lines=tuple(
                    tuple(_term_in_table_units(term, texts) for term in line) for line in one.lines
                ))
                for one, texts in zip(sums, _number_texts(block, seen), strict=True)
            ]  # fmt: skip

    def _preparations(self, block: Block) -> list[tuple[Grid, ...]]:
        """What every step before the last makes of the first rows."""
        block = block[: min(len(block), MAX_EXPLAINED_ROWS)]
        blocks = [block]
        for step in self.steps[:-1]:
            blocks.append(transform_rows(blocks[-1], (step,)))
        return [tuple(self._preparation(blocks, i)) for i in range(len(block))]

    def _preparation(self, blocks: list[Block], i: int) -> Iterator[Grid]:
        """A row after every step; a new table where a step changes the columns."""
        if len(blocks) < 2:
            return
        columns = shown_columns(blocks[0])
        rows = [("row", *(cell(blocks[0], name, i) for name in columns))]
        for step, (before, after) in zip(self.steps, itertools.pairwise(blocks), strict=False):
            new = shown_columns(after)
            if new != columns:
                yield Grid("the row, step by step", ("", *columns), tuple(rows))
                columns, rows = new, []
            worked = (cell(after, column, i, before, step.model_) for column in columns)
            rows.append((type(step).__name__, *worked))
        yield Grid("the row, step by step", ("", *columns), tuple(rows))

    def expression(self, schema: Schema) -> ModelExpression:
        """The last step's expression, with the other steps in the place of its columns."""
        found: ModelExpression = self.last.model_.expression(self.last.schema_)
        for step in reversed(self.steps[:-1]):
            found = substitute(found, step.model_.expressions(step.schema_))
        return found

    def derivation(self, schema: Schema) -> Derivation:
        """The steps, and how the last of them came about."""
        rows = tuple(
            (name, constructor_call(step))
            for name, step in zip(self.names, self.steps, strict=True)
        )
        inside = [part for step in self.steps for part in step.show_work().steps]
        return Derivation("Pipeline", (Grid("steps", ("name", "step"), rows), *inside))

    def check(self, schema: Schema) -> None:
        """What a file says are steps each of which has learned what the one before it makes."""
        if not self.steps or not all(isinstance(one, Preprocessor) for one in self.steps[:-1]):
            raise ValueError("a step before the last is no preparation")
        for step in self.steps:
            if not step.__sklearn_is_fitted__():
                raise ValueError("a step has learned nothing")
            kinds = {column.name: column.kind for column in schema.columns}
            for column in step.schema_.columns:
                known = kinds.get(column.name)
                if column.kind not in (known, UNKNOWN, IDENTIFIER) and known != UNKNOWN:
                    raise ValueError(f"a step has learned of {column.name!r}, which is not there")
            if isinstance(step, Preprocessor):
                schema = step.model_.schema(step.schema_)


def shown_columns(block: Block) -> list[str]:
    """The first columns of a block that are no text."""
    known = [n for n in block.schema.names if n in block.schema.places or n in block.codes]
    return known[:MAX_SHOWN_COLUMNS]


def cell(
    block: Block, name: str, i: int, before: Block | None = None, transform: Any = None
) -> str:
    """A value of a row, with the arithmetic of the step that made it; ? where it is missing."""
    if name in block.codes:
        return str(block.codes[name][i : i + 1].items()[0] or "?")
    value = float(block.numbers[i, block.schema.places[name]])
    if value == value and any(column.name == name for column in block.schema.of_kind(DATE)):
        return format_value(value, DATE)
    if before is None or name not in before.schema.places:
        return "?" if value != value else number(value)
    old = float(before.numbers[i, before.schema.places[name]])
    return "?" if value != value else str(transform.working_text(name, old, value))


NumberTexts = dict[str, tuple[str, str]]  # of a column: its number as steps left it, and as given


def _number_texts(block: Block, seen: Block) -> list[NumberTexts]:
    """For every row the numbers of the last step, and the same in the units of the table."""
    figure, names = value_formatter(block.schema), {*block.schema.numbers}
    places = {name: j for name, j in seen.schema.places.items() if name in names}
    return [
        {name: (f"{x[j]:.6g}", figure(name, float(x[j]))) for name, j in places.items()}
        for x in seen.numbers
    ]


def _term_in_table_units(term: Term, texts: NumberTexts) -> Term:
    seen, meant = texts.get(term.column, ("", ""))
    return replace(term, value=meant) if term.value and term.value == seen else term


def _in_table_units(row: Evidence, texts: NumberTexts) -> Evidence:
    """Evidence whose terms tell the numbers of their row as the table has them."""
    lines = tuple(
        EvidenceLine(
            line.outcome,
            tuple(_term_in_table_units(term, texts) for term in line.terms),
            line.share,
        )
        for line in row.lines
    )
    return replace(row, lines=lines)
