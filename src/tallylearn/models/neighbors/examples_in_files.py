"""Examples in files: rows that stay where they are, read again for every question.

Every block of them gives the nearest of its rows, and these add up (``tallies.Nearest``). Memory
holds a few blocks, however many rows there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.errors import FileError, InputError, OptionError
from tallylearn.estimators.fit_input import FitInput, FitInputPart
from tallylearn.estimators.missing_targets import DroppedRows
from tallylearn.models.design.rare_categories import most_values
from tallylearn.models.neighbors.compared_columns import CategoriesWithTarget, ComparedColumns
from tallylearn.models.neighbors.example_survey import ExampleSurvey
from tallylearn.models.neighbors.examples import Asked, Examples, repeat_rows
from tallylearn.sources.files.compression import changed_file_error, stamp
from tallylearn.tables import IMPORTANCE, Array, Block, Codes, Schema, places
from tallylearn.tallies import Nearest
from tallylearn.tallies.nearest import concatenate
from tallylearn.workings import Derivation


@dataclass(frozen=True)
class NumberedBlock:
    """A block of examples, how many stand before it, and which part of the table it is of."""

    block: Block
    place: int
    part: int
    read: int  # rows of the block as it was read, examples or not
    unanswered: DroppedRows

    def __len__(self) -> int:
        return self.read


@dataclass(frozen=True)
class NumberedPart:
    """A part whose rows are numbered from 0 as they stand in the table."""

    rows: FitInputPart
    part: int
    row: int = 0  # rows of the table before it
    place: int = 0  # examples before it

    def blocks(self) -> Iterator[NumberedBlock]:
        row, place = self.row, self.place
        for read in self.rows.rows.blocks():
            kept = replace(read, start=row, unanswered=0).training_rows()
            block = repeat_rows(kept)
            yield NumberedBlock(block, place, self.part, len(read), DroppedRows.in_block(kept))
            row, place = row + len(read), place + len(block)


@dataclass(frozen=True)
class UncountedParts:
    """A lesson whose parts were not counted yet."""

    read: FitInput

    def parts(self) -> Iterator[NumberedPart]:
        if self.read.weight_kind == IMPORTANCE:
            raise InputError(
                "importance weights are not supported here: a weight is how often a row is "
                "repeated. Fit without weights."
            )
        return (NumberedPart(part, at) for at, part in enumerate(self.read.parts()))


def find_compared_columns(read: FitInput, survey: ExampleSurvey) -> ComparedColumns:
    """What files show of categories of many values, beside the answers of their rows."""
    many = [name for name, of in survey.values.items() if len(of) > most_values(survey.rows)]
    if not many:
        return ComparedColumns()
    found = engines.current_engine().total(
        partial(_categories_with_target, many), UncountedParts(read)
    )
    assert found is not None
    return found.compared_columns()


def _categories_with_target(names: list[str], item: NumberedBlock) -> CategoriesWithTarget:
    return CategoriesWithTarget.of(names, item.block)


class ExamplesInFiles:
    """The examples of a lesson, as a rule without rows says that they are compared."""

    def __init__(self, rule: Examples, lesson: FitInput, survey: ExampleSurvey) -> None:
        self.rule, self.size, self.where = rule, survey.rows, str(lesson.source)
        self.classes: tuple[Any, ...] = tuple(sorted(survey.classes))
        paths = getattr(lesson.source, "paths", ())
        self.stamps = {path: stamp(path) for path in paths}
        before = survey.before().tolist()
        self._parts = [
            NumberedPart(part, at, *before[at])
            for at, part in enumerate(lesson.parts())
            if at < len(before)  # the others have no rows
        ]

    @staticmethod
    def check_source(read: FitInput) -> None:
        """Rows that are to stay in files are there."""
        if read.source.size is not None:
            raise OptionError(
                "examples='files' reads the training rows from their files, but this table is in "
                "memory (cross-validation, ensembles and gaps='drop' also pass rows in memory). "
                "Pass a path to fit, or leave examples= out."
            )

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"{self.size:,} rows in {self.where}"

    def __getattr__(self, name: str) -> Any:  # metric, k, weights, ties, category_values
        if name == "rule":  # while it is unpickled
            raise AttributeError(name)
        return getattr(self.rule, name)

    def parts(self) -> Iterator[NumberedPart]:
        """The parts of the lesson, numbered; their files are as they were."""
        for path, then in self.stamps.items():
            if (now := stamp(path)) is None and then is not None:
                raise FileError(
                    f"{path} no longer exists, and the model reads its training rows from it. "
                    "Restore the file, or fit again."
                )
            if now != then:
                raise changed_file_error(path, "since the model was fitted")
        return iter(self._parts)

    def search(self, block: Block, k: int | None = None, contents: bool = False) -> Nearest:
        """The neighbours of every row; with the contents of these, if so asked."""
        near = self._nearest(self.rule.encode_queries(block), k or self.rule.k, contents)
        return self._cut(near.complete())

    def search_among(self, k: int | None = None) -> Nearest:
        """The neighbours of every example among all others: a pass for every block of them."""
        k = self.rule.k if k is None else k
        self.rule.check_others(k, len(self))
        found = []
        for part in self.parts():
            for item in part.blocks():
                own = np.arange(item.place, item.place + len(item.block))
                near = self._nearest(self.rule.holding(item.block).itself(), k + 1, False)
                found.append(self._cut(near.leave_out(own).complete()))
        return concatenate(found)

    def numbers_of(self, found: Nearest) -> Array:
        """The numbers that neighbours have in their table."""
        return np.asarray(found.held[:, 0].astype(np.int64))

    def load_neighbours(self, found: Nearest) -> tuple[Examples, Array, Nearest]:
        """The neighbours that were found as examples in memory, their answers, and who has them."""
        rows, target, rest = found.held[:, 0], found.held[:, 1], found.held[:, 2:]
        p = len(self.rule.columns)
        examples = replace(
            self.rule, numbers=rest[:, :p], codes=rest[:, p:].astype(np.int64),
            rows=rows.astype(np.int64),
        )  # fmt: skip
        answers = target.astype(np.int64) if self.classes else target
        return examples, answers, replace(found, rows=np.arange(len(found.rows)))

    def derivation(self, answer: str, schema: Schema) -> Derivation:
        """The rule."""
        return self.rule.derivation(answer, schema, f"All {self.size:,} rows stay in their files.")

    def _nearest(self, asked: Asked, k: int, contents: bool) -> Nearest:
        near = partial(_nearest_in_block, self.rule, self.classes, asked, k, contents)
        with engines.report_stage("neighbours"):
            found = engines.current_engine().total(near, self)
        assert found is not None
        return found

    def _cut(self, found: Nearest) -> Nearest:
        return found if self.rule.ties == "all" else found.first(found.k)


def _nearest_in_block(
    rule: Examples, classes: Any, asked: Asked, k: int, contents: bool, item: NumberedBlock
) -> Nearest:
    """The nearest of a block, each with its number, its answer and, if so asked, its contents."""
    block = item.block
    examples = rule.holding(block)
    found = examples.nearest(asked, k)
    target: Any = block.target
    answers = target.recode(classes) if isinstance(target, Codes) else target
    columns = [places(block.start, found.rows), answers[found.rows]]
    if contents:
        columns += [*examples.numbers[found.rows].T, *examples.codes[found.rows].T]
    held = np.column_stack(columns).astype(np.float64)
    return replace(found, rows=found.rows + item.place, held=held)
