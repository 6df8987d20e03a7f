"""A new kind of table needs eight members; all else follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import InputError, KindError, TargetError
from tallylearn.sources import DeclaredTable, Table, open_table
from tallylearn.sources.declarations import BARE
from tallylearn.tables import Schema


class Partitions(DeclaredTable):
    """Frames that are read one after the other, as those of a cluster would be."""

    def __init__(self, tables: list[Table]) -> None:
        self.tables, self.declared, self.inferred = tables, tables[0].declared, {}

    @property
    def schema(self) -> Schema:
        return self.tables[0].schema

    @property
    def names(self) -> tuple[str, ...]:
        return self.tables[0].names

    def parts(self) -> Iterator[Any]:
        return (part for table in self.tables for part in table.parts())

    def _each(self, call: Any) -> Partitions:
        return Partitions([call(table) for table in self.tables])

    def with_roles(self, targets: Any, weight: Any, groups: Any = None) -> Partitions:
        return self._each(lambda table: table.with_roles(targets, weight, groups))

    def with_schema(self, schema: Schema) -> Partitions:
        return self._each(lambda table: table.with_schema(schema))

    def with_coded_target(self, coding: Any) -> Partitions:
        return self._each(lambda table: table.with_coded_target(coding))

    def column_values(self, name: str) -> Any:
        return np.concatenate([table.column_values(name) for table in self.tables])

    def load(self) -> Table:
        block = self.whole()
        return Table(block, block.target, block.weight, self.declared)


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"a": rng.normal(size=90), "b": rng.normal(size=90), "y": np.arange(90) % 2}
    )


@pytest.fixture
def partitions(frame: pd.DataFrame) -> Partitions:
    return Partitions([Table.of(frame[at : at + 30], BARE) for at in (0, 30, 60)])


def test_a_table_of_eight_members_is_fitted_like_a_frame(
    partitions: Partitions, frame: pd.DataFrame
) -> None:
    assert len(DeclaredTable.__abstractmethods__) == 8
    model, plain = tl.NaiveBayes().fit(partitions, "y"), tl.NaiveBayes().fit(frame, "y")
    np.testing.assert_array_equal(model.predict_proba(frame), plain.predict_proba(frame))
    np.testing.assert_array_equal(model.predict_proba(partitions), plain.predict_proba(frame))


def test_what_follows_from_the_eight_members(partitions: Partitions, frame: pd.DataFrame) -> None:
    assert partitions.size is None
    assert not partitions.small
    np.testing.assert_array_equal(partitions.whole().numbers[:, :2], frame[["a", "b"]])
    first, all_rows = partitions.first_block()
    assert (len(first), all_rows) == (30, False)
    np.testing.assert_array_equal(partitions.group_labels("a", most=5), frame["a"][:5])
    named = partitions.with_identifiers({"a": "said so"})
    assert named.schema.identifiers == ("a",)
    assert named.identifier_reasons == {"a": "said so"}
    assert len(partitions.without_gaps()) == 90
    with pytest.raises(KindError, match="not in memory"):
        len(partitions)
    with pytest.raises(KindError, match="rows cannot be selected"):
        partitions[0]
    with pytest.raises(TargetError, match="is a column"):
        partitions.with_target(np.zeros(90), None)
    with pytest.raises(InputError, match="are a column"):
        partitions.with_target(None, np.ones(90))


def test_a_declared_target_and_identifiers_become_columns_again(frame: pd.DataFrame) -> None:
    frame = frame.assign(id=[f"r{n}" for n in range(90)])
    table = tl.table(frame, target="y", kinds={"id": "identifier"})
    assert {*table.without_roles().schema.names} == {"a", "b", "id"}
    assert {*table.without_roles(targets=True).schema.names} == {"a", "b", "id", "y"}
    assert open_table(frame, BARE).without_roles().schema.names == ("a", "b", "y", "id")
