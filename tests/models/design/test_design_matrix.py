"""Designs: raw tables as columns of numbers, whatever blocks they come in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tallylearn import errors
from tallylearn.models.design.columns import design_columns, encode_block, encoded_names
from tallylearn.models.design.filled_scatter import as_floats
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.missing_values import find_missing, select_learnable
from tallylearn.sources import open_table
from tallylearn.sources.declarations import Declaration
from tallylearn.tables import Block
from tallylearn.tallies import Moments, Products, Scatter

TABLE = pd.DataFrame(
    {
        "age": [20.0, np.nan, 40.0, 60.0, 30.0, np.nan],
        "colour": ["red", "blue", None, "green", "red", "red"],
        "size": [1.0, 2.0, 3.0, 4.0, 5.0, 7.0],
    }
)


def block_of(frame: pd.DataFrame) -> Block:
    return open_table(frame, Declaration()).whole()


def survey(blocks: list[Block]) -> Any:
    parts = []
    for block in blocks:
        gaps = find_missing(block)
        names = encoded_names(block, gaps)
        parts.append(
            Moments.of(encode_block(block, gaps), block.counting_keys(), names, block.weight)
        )
    return sum(parts[1:], start=parts[0])


def design(blocks: list[Block], **options: Any) -> Design:
    found, rows = survey(blocks), float(sum(map(len, blocks)))
    sums, shown = found.sums.floats()[0], found.count.floats()[0]
    return design_columns(found.columns, sums, shown, rows, **options)


@pytest.mark.parametrize("kind", [Scatter, Products])
@pytest.mark.parametrize("cut", [1, 2, 4])
def test_gaps_are_counted_alike_in_any_blocks(kind: Any, cut: int) -> None:
    def of(frame: pd.DataFrame) -> Any:
        block = block_of(frame)
        gaps = find_missing(block)
        return kind.of(encode_block(block, gaps), block.counting_keys(), encoded_names(block, gaps))

    whole = as_floats(of(TABLE))
    parts = as_floats(of(TABLE[:cut]) + of(TABLE[cut:]))
    assert parts.names == whole.names
    assert ("age", "?") in whole.names
    for name in ("count", "mean", "scatter"):
        got, want = (np.broadcast_to(getattr(t, name), whole.scatter.shape) for t in (parts, whole))
        np.testing.assert_allclose(got, want, atol=1e-12)


def test_a_design_fills_gaps_and_says_where_they_were() -> None:
    block = block_of(TABLE)
    found = design([block])
    names = list(found.names)
    x = found.filled_matrix(block)
    assert names == ["age", "age missing", "colour=green", "colour=red", "colour missing", "size"]
    np.testing.assert_allclose(x[:, 0], [20, 37.5, 40, 60, 30, 37.5])
    np.testing.assert_array_equal(x[:, 1], [0, 1, 0, 0, 0, 1])
    np.testing.assert_allclose(x[2, 2:5], [0.2, 0.6, 1])
    assert found.base == ("blue",)


@pytest.mark.parametrize("cut", [1, 3, 5])
def test_the_design_is_the_same_whatever_the_blocks_show(cut: int) -> None:
    whole = design([block_of(TABLE)])
    parts = design([block_of(TABLE[:cut]), block_of(TABLE[cut:])])
    assert parts.names == whole.names
    np.testing.assert_allclose(parts.fill, whole.fill)
    np.testing.assert_allclose(parts.gaps, whole.gaps)


def test_another_value_is_the_reference_where_it_is_wanted() -> None:
    found = design([block_of(TABLE)], reference={"colour": "red"})
    assert found.base == ("red",)
    assert "colour=blue" in found.names
    with pytest.raises(errors.OptionError, match=r"'pink' for column 'colour'.*'blue'"):
        design([block_of(TABLE)], reference={"colour": "pink"})
    with pytest.raises(errors.OptionError, match="'size', which is not a categorical column"):
        design([block_of(TABLE)], reference={"size": "1"})


def test_rows_with_gaps_are_dropped_or_refused_when_asked() -> None:
    block = block_of(TABLE)
    kept = select_learnable(block, "drop")
    assert kept.numbers[:, 0].tolist() == [20, 60, 30]
    assert kept.start.tolist() == [0, 3, 4]
    with pytest.raises(errors.ColumnError, match=r"'age' is missing in row 1.*indicator"):
        select_learnable(block, "refuse")
    strict = design([kept], missing="refuse")
    with pytest.raises(errors.ColumnError, match="'age' is missing in row 1"):
        strict.filled_matrix(block)


def test_a_gap_never_seen_before_is_filled_without_an_indicator() -> None:
    found = design([select_learnable(block_of(TABLE), "drop")])
    assert "age missing" not in found.names
    np.testing.assert_allclose(found.filled_matrix(block_of(TABLE))[1, 0], 110 / 3)
