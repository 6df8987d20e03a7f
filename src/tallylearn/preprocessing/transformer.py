"""Preprocessors: what was learned of a table transforms its rows, and later rows, alike.

A preprocessor has a tally, which is solved into a transform, and a transform makes of every block
another block with the same rows. So it streams, merges and forgets as its tally does, and the steps
of a pipeline follow each other block by block.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from tallylearn import engines
from tallylearn.errors import KindError
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.fit_input import read_rows
from tallylearn.estimators.model import Solved
from tallylearn.estimators.options import Allowed, fitted
from tallylearn.estimators.output_containers import kind_of, output_columns, to_container
from tallylearn.estimators.sklearn_interface import AvailableIf
from tallylearn.estimators.transformers import Transformer
from tallylearn.expressions import Category, Number
from tallylearn.sources.files.path_lists import file_list
from tallylearn.sources.memory.arrays import array_of, of_strings
from tallylearn.sources.memory.joined_blocks import join_blocks
from tallylearn.sources.memory.sparse_matrices import dense, is_sparse
from tallylearn.tables import (
    CATEGORY,
    DATE,
    NUMBER,
    TEXT,
    UNKNOWN,
    Array,
    Block,
    Column,
    Schema,
)  # fmt: skip
from tallylearn.tallies import Bundle, Counts
from tallylearn.workings.equations import number


def _is_dtype(value: Any) -> bool:
    try:
        return np.dtype(value).kind in "fiub" and value is not None
    except TypeError:
        return False


DTYPE = Allowed(("a NumPy dtype of numbers",), _is_dtype)


class TableTransform(Solved):
    """A fitted transform: it makes of a block another one, row by row."""

    wide: ClassVar[bool] = False  # whether it takes a whole table, on threads of its own

    @abstractmethod
    def transform_block(self, block: Block) -> Block:
        """The same rows in the new columns, with the target and the weights they have."""

    @abstractmethod
    def columns(self, schema: Schema) -> list[Column]:
        """The new columns, of columns as they were learned."""

    def expressions(self, schema: Schema) -> dict[str, Number | Category]:
        """The new columns that differ from the old ones, as expressions of these."""
        raise KindError(f"{type(self).__name__} cannot be written as an expression.")

    def schema(self, schema: Schema) -> Schema:
        """The schema of the new columns; nothing is left to be read from strings."""
        return Schema(tuple(self.columns(schema)), schema.named)

    def to_table_units(self, name: str, value: float) -> float:
        """A number of a new column in the units of the table."""
        return value

    def working_text(self, name: str, before: float, after: float) -> str:
        """How a number of a column became another one, as text."""
        return number(after)


class ReversibleTransform(TableTransform):
    """A transform that has an inverse."""

    @abstractmethod
    def inverse_block(self, block: Block, schema: Schema) -> Block:
        """Rows of new columns as rows of the old ones."""


class Preprocessor(Transformer):
    """An estimator that transforms tables; other columns pass as they are."""

    kinds: ClassVar[tuple[str, ...]] = (NUMBER, CATEGORY, TEXT, DATE)
    transformed_kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE)  # of those the kinds that change
    family: ClassVar[str] = "preparation"
    fills: ClassVar[bool] = False  # whether gaps of the kinds that change become values
    reversible: ClassVar[bool] = False  # whether it has inverse_transform
    model_: Any = fitted()

    @classmethod
    def from_stored(cls, name: str, options: Mapping[str, Any]) -> Any:
        if name != cls.__name__:  # a file that has the deprecated name of the class
            return cls.from_deprecated(**options)
        return super().from_stored(name, options)

    @classmethod
    def from_deprecated(cls, *args: Any, **options: Any) -> Any:
        """The estimator that the class made under its deprecated name, with its old options.

        Parameters
        ----------
        *args : Any
            Positional options of the deprecated class.
        **options : Any
            Options of the deprecated class, by name.

        Returns
        -------
        Preprocessor
            An estimator with the current options.
        """
        raise NotImplementedError

    def transform(self, X: Any) -> Any:
        """Transform every row; the result has the type of the input: array, frame or table."""
        with self._error_context("transform"):
            X = self._table(X)
            found = to_container(self._transformed_rows(X), X, kind := self._container(X))
        return self._as_array(found) if kind == "numpy" else found

    def _as_array(self, array: Array) -> Any:
        """An array of transformed rows, as ``transform`` returns it."""
        return array

    def _table(self, X: Any) -> Any:
        """One string a row is a document to learners, and no column to transform."""
        one = isinstance(X, list | tuple) or len(getattr(X, "shape", ())) == 1
        texts = one and of_strings(X if isinstance(X, list | tuple) else array_of(X))
        if texts and file_list(X) is None:
            raise KindError(
                f"{type(self).__name__}: the input has one string per row, which is read as "
                'documents, not as a table. Pass a frame with one column: df[["city"]], or '
                '{"city": values}.'
            )
        return X

    def _transformed_rows(self, X: Any) -> Block:
        """All rows in their new columns; what takes a whole table is spared to join its blocks."""
        self._check_fitted()
        if self.model_.wide:
            source = self._read_rows(X)
            if source.size:
                return self.transform_block(source.whole(engines.current_engine().report_rows))
        blocks = self._map_blocks(X, self.transform_block, "transform")
        return join_blocks(blocks, blocks[0].schema)

    def transform_block(self, block: Block) -> Block:
        """Transform the rows of a block.

        Parameters
        ----------
        block : Block
            Rows that are read and coded as in ``fit``.

        Returns
        -------
        Block
            The same rows in the new columns.
        """
        if not self.model_.wide:
            check_finite(block)
        found: Block = self.model_.transform_block(block)
        return found

    @AvailableIf("reversible")
    def inverse_transform(self, X: Any) -> Any:
        """Undo the transform.

        Parameters
        ----------
        X : table
            Transformed rows.

        Returns
        -------
        ndarray or data frame
            The rows in the columns of ``fit``.
        """
        name = type(self).__name__
        with self._error_context("inverse_transform"):
            self._check_fitted()
            X = dense(X) if is_sparse(X) else X
            schema = self.model_.schema(self.schema_)
            blocks = [
                self.model_.inverse_block(block, self.schema_)
                for block in read_rows(X, schema, self._by_name, name).blocks()
            ]
        return to_container(join_blocks(blocks, self.schema_), X, self._container(X))

    def _container(self, X: Any) -> str:
        wanted = self._output_container()
        return kind_of(X) if wanted is None else wanted.replace("default", "numpy")

    def _names_out(self, given: Any) -> list[str]:
        names = [column.name for column in output_columns(self.model_.schema(self.schema_))]
        if given is None or self.schema_.named:
            return names
        new = dict(zip(self.schema_.names, map(str, given), strict=True))
        return [new[name] for name in names]

    def _fitted_schema(self, schema: Schema, tally: Bundle) -> Schema:
        """Columns that would change and of which nothing was counted are of no kind."""
        counted = self._list_counted_columns(tally) or set()
        columns = (
            Column(c.name, UNKNOWN)
            if c.kind in self.transformed_kinds and c.name not in counted and not c.values
            else c
            for c in schema.columns
        )
        return replace(schema, columns=tuple(columns))


def rows_of(block: Block) -> Counts:
    """The rows of a block, which no target tells apart: what "target" counts in a preparation."""
    return Counts.of(block.counting_keys(), weight=block.weight)


def with_numbers(block: Block, schema: Schema, numbers: Array) -> Block:
    """The same rows with other numbers."""
    return replace(block, schema=schema, numbers=np.ascontiguousarray(numbers))


def as_numbers(schema: Schema) -> list[Column]:
    """The columns of a schema, dates among the numbers."""
    return [Column(c.name, NUMBER) if c.kind == DATE else c for c in schema.columns]


def sparse_matrix(array: Array) -> Any:
    """An array as SciPy's compressed sparse rows."""
    from scipy.sparse import csr_matrix

    return csr_matrix(array)
