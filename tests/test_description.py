"""Columns that only tell the rows apart are found, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tallylearn as tl
from tallylearn.description import identifiers


def found(columns: dict[str, list[Any]], **declared: Any) -> dict[str, str]:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return identifiers(tl.table(rows, **declared))


def named(n: int) -> list[str]:
    return [f"row {at}" for at in range(n)]


def test_the_day_of_the_tennis_table_only_names_its_rows() -> None:
    assert identifiers(tl.example("tennis-day")) == {"Day": "all of its 14 values are different"}
    assert identifiers(tl.example("tennis")) == {}


def test_nine_different_values_may_be_chance_and_ten_are_not() -> None:
    assert found({"name": named(9)}) == {}
    assert [*found({"name": named(10)})] == ["name"]


def test_of_fifty_rows_a_few_may_share_a_value() -> None:
    almost = [*named(48), "row 0", "row 1"]
    assert found({"name": almost}) == {"name": "48 of its 50 values are different"}
    assert found({"name": almost[:-3] + ["row 0"] * 3}) == {}
    assert found({"name": almost[1:]}) == {}  # 49 rows


def test_missing_values_are_neither_alike_nor_different() -> None:
    assert [*found({"name": [*named(12), None, None]})] == ["name"]
    assert found({"name": [*named(9), None, None, None]}) == {}


def test_a_number_that_counts_up_by_one_is_an_identifier() -> None:
    counting = [float(at) for at in range(100, 120)]
    assert found({"no": counting}) == {"no": "it counts up by one, from 100"}
    assert found({"no": counting[:9]}) == {}
    assert found({"no": [*counting[:-1], 200.0]}) == {}
    assert found({"no": [*counting, float("nan")]}) == {}
    assert found({"no": [at + 0.5 for at in counting]}) == {}
    assert found({"no": counting[::-1]}) == {}


def test_the_target_is_never_an_identifier() -> None:
    columns: dict[str, list[Any]] = {"name": named(20), "price": [float(at) for at in range(20)]}
    assert [*found(columns, target="price")] == ["name"]
    assert [*found(columns, target="name")] == ["price"]


def test_dates_and_text_are_not_identifiers() -> None:
    days = [f"2026-01-{at:02}" for at in range(1, 13)]
    said = [f"this is sentence number {at}" for at in range(12)]
    assert found({"when": days, "said": said}, dates=["when"]) == {}


def test_small_files_are_looked_at_together(tmp_path: Path) -> None:
    for part in range(3):
        rows = "".join(f"k{part}{at},x\n" for at in range(5))
        (tmp_path / f"{part}.csv").write_text(f"key,kind\n{rows}")
    assert identifiers(tl.table(str(tmp_path / "*.csv"))) == {
        "key": "all of its 15 values are different"
    }


def test_only_the_first_65536_rows_are_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("no\n" + "".join(f"{at}\n" for at in range(65_536)) + "0\n0\n")
    assert identifiers(tl.table(path)) == {"no": "it counts up by one, from 0"}


def test_a_table_without_rows_has_no_identifiers(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("a,b\n")
    assert identifiers(tl.table(path)) == {}
