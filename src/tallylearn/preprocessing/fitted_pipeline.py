"""A fitted pipeline: fitted preprocessors transform a row, and a fitted estimator predicts it."""

from __future__ import annotations

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
from tallylearn.workings.units import using_units, value_formatter


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
    def known(self) -> Any:
        return self.last.model_.known

    def transform_block(self, block: Block) -> Block:
        """A block as the last step sees it."""
        return suit_block(transform_rows(block, self.steps[:-1]), self.last)

    def prepared(self, block: Block) -> Block:
        """A block as the last step leaves it, where that is a preparation too."""
        return transform_rows(block, self.steps)

    def units(self, name: str, value: float) -> float:
        """A number of a column as the last step sees it, in the units of the table."""
        for step in reversed(self.steps[:-1]):
            value = step.model_.told(name, value)
        return value

    def predictions(self, block: Block) -> Array:
        found: Array = self.last.predictions(self.transform_block(block))
        return found

    def predicted_classes(self, block: Block) -> Array:
        found: Array = self.last.predicted_classes(self.transform_block(block))
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
                "the last step is a transformer, which predicts nothing. Add an estimator after it."
            )
        seen = self.transform_block(block)
        places, names = seen.schema.places, {*block.schema.numbers}
        with using_units(self.units, {column.name for column in block.schema.of_kind(DATE)}):
            found, figure = self.last.model_.evidence(seen), value_formatter(block.schema)
            return [
                _told(row, {
                    name: (f"{x[j]:.6g}", figure(name, float(x[j])))
                    for name, j in places.items() if name in names
                })
                for row, x in zip(found, seen.numbers, strict=True)
            ]  # fmt: skip

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


def _told(row: Evidence, numbers: dict[str, tuple[str, str]]) -> Evidence:
    """Evidence whose terms tell the numbers of their row as the table has them."""

    def told(term: Term) -> Term:
        seen, meant = numbers.get(term.column, ("", ""))
        return replace(term, value=meant) if term.value and term.value == seen else term

    lines = tuple(
        EvidenceLine(line.outcome, tuple(map(told, line.terms)), line.share) for line in row.lines
    )
    return replace(row, lines=lines)
