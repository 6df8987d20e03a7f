"""Values of several numbers: read where they have one meaning, asked about where they have not."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import tallylearn as tl
from tallylearn.cli import main
from tests.sources.test_formats import book

Cells = list[str]


def written(tmp_path: Path, cells: Cells) -> Path:
    path = tmp_path / "t.csv"
    rows = (f"{cell}\t{n % 2}\n" for n, cell in enumerate(cells))
    path.write_text("v\ty\n" + "".join(rows), "utf-8")
    return path


def values(table: tl.sources.DeclaredTable) -> np.ndarray:
    return np.asarray(table.whole().numbers[:, 0])


def days(*dates: str) -> list[float]:
    return [float(n) for n in np.array(dates, "M8[D]").astype(int)]


@pytest.mark.parametrize(
    ("cells", "read", "unit"),
    [
        (["1h 30m", "45m", "2h"], [90, 45, 120], "minutes"),
        (["1h30m", "0h 5m", "10h 59min"], [90, 5, 659], "minutes"),
        (["2 days 3 hours", "1 day, 1 hour", "3 days and 2 hours"], [51, 25, 74], "hours"),
        (["1 h 2 min 3 s", "2 min 1.5 s", "-1 h 1 s"], [3723, 121.5, -3601], "seconds"),
        (["PT1H30M", "PT45M", "P1DT2H"], [90, 45, 1560], "minutes"),
        (["2 years 3 months", "1 yr 11 mo", "5 years"], [27, 23, 60], "months"),
        (["5'11", "6'0", "5′ 9″"], [71, 72, 69], "inches"),
        (["5 ft 11 in", "6 feet", "4ft 2in"], [71, 72, 50], "inches"),
        (["8 lb 11 oz", "7 lbs 2 oz", "9 lb"], [139, 114, 144], "ounces"),
        (["30:15:00", "1:30:00", "2:00:36"], [30.25, 1.5, 2.01], "hours"),
        (["2 days 01:30:00", "0 days 00:00:36", "1 day, 0:00:00"], [49.5, 0.01, 24], "hours"),
        (["1:30.5", "59:06.25", "2:00.00"], [1.5 + 0.5 / 60, 59 + 6.25 / 60, 2], "minutes"),
    ],
)
def test_values_with_one_meaning_are_numbers_in_a_unit_that_the_notes_name(
    tmp_path: Path, cells: Cells, read: list[float], unit: str
) -> None:
    table = tl.table(written(tmp_path, [*cells, "n/a"] * 20), target="y")
    assert table.schema.columns[0].kind == "number"
    assert any(note.startswith("v: ") and unit in note for note in table.notes)
    np.testing.assert_allclose(values(table), [*read, np.nan] * 20, rtol=1e-15)


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["2024-H1", "2023-H2"], ["2024-01-01", "2023-07-01"]),
        (["H1 2024", "H2 2023"], ["2024-01-01", "2023-07-01"]),
        (["1H2024", "2H2023"], ["2024-01-01", "2023-07-01"]),
        (["FY2024", "FY2019"], ["2024-01-01", "2019-01-01"]),
        (["FY24", "FY19"], ["2024-01-01", "2019-01-01"]),
        (["FY2024 Q3", "FY2019 Q1"], ["2024-07-01", "2019-01-01"]),
    ],
)
def test_half_years_and_fiscal_years_are_dates(
    tmp_path: Path, cells: Cells, first: list[str]
) -> None:
    table = tl.table(written(tmp_path, cells * 10), target="y")
    assert table.schema.columns[0].kind == "date"
    assert values(table).tolist() == days(*first) * 10


def test_halves_above_two_are_no_dates(tmp_path: Path) -> None:
    table = tl.table(written(tmp_path, ["2024-H1", "2024-H3"] * 10), target="y")
    assert table.schema.columns[0].kind == "category"


PRESSURES = [f"{110 + n}/{60 + n}" for n in range(30)]
RANGES = [f"{n}-{n + 10}" for n in range(1, 30)] + ["7"]
CENSORED = ["<0.5", ">100", "≥ 90", *(f"{n / 2}" for n in range(2, 30))]


@pytest.mark.parametrize(
    ("cells", "model", "first"),
    [
        (PRESSURES, "first", 110),
        (PRESSURES, "second", 60),
        (PRESSURES, "ratio", 110 / 60),
        (RANGES, "midpoint", 6),
        ([cell.replace("-", " to ") for cell in RANGES], "midpoint", 6),
        ([f"{n} ± 2" for n in range(1, 30)], "first", 1),
        ([f"{n} +/- 0.5" for n in range(1, 30)], "second", 0.5),
        (CENSORED, "<1234.5", 0.5),
        ([f"{cell} mg" for cell in CENSORED], "<1234.5 mg", 0.5),
        (["65+", *map(str, range(18, 40))], "<1234.5", 65),
        ([f"{n}:30" for n in range(50)], "m:ss", 0.5),
        ([f"{n}:30" for n in range(50)], "h:mm", 0.5),
        ([f"{n}:30" for n in range(20)], "h:mm", 0.5),
    ],
)
def test_a_model_says_which_number_is_meant(
    tmp_path: Path, cells: Cells, model: str, first: float
) -> None:
    path = written(tmp_path, cells)
    table = tl.table(path, target="y", kinds={"v": model})
    assert values(table)[0] == pytest.approx(first, rel=1e-15)
    assert not np.isnan(values(table)).any()
    learner = tl.DecisionTreeClassifier().fit(table)
    learner.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    assert [*again.predict(path)] == [*learner.predict(path)]


@pytest.mark.parametrize(
    ("cells", "cell"),
    [
        (PRESSURES, "110/60"),
        (RANGES, "1-11"),
        (CENSORED, "<0.5"),
        ([f"{n} ± 2" for n in range(1, 30)], "1 ± 2"),
        ([f"{n + 20}:30" for n in range(50)], "24:30"),
    ],
)
def test_values_with_several_meanings_are_asked_about_and_every_answer_works(
    tmp_path: Path, cells: Cells, cell: str
) -> None:
    path = written(tmp_path, cells)
    with pytest.raises(tl.errors.ColumnError, match=re.escape(repr(cell))) as error:
        tl.table(path, target="y")
    answers = re.findall(r'kinds=\{"v": "([^"]+)"\}', str(error.value))
    assert len(answers) > 1
    for answer in answers:
        assert len(tl.table(path, target="y", kinds={"v": answer}).whole()) == len(cells)


def test_the_options_of_the_command_work_when_typed(tmp_path: Path) -> None:
    path = written(tmp_path, CENSORED)
    said = CliRunner().invoke(main, ["learn", str(path), "--target", "y"]).output
    options = re.findall(r"--as (?:'[^']*'|\S+)", said)
    assert len(options) > 1
    for option in options:
        words = shlex.split(option.rstrip(",.;"))
        done = CliRunner().invoke(main, ["check", str(path), "--target", "y", *words])
        assert done.exit_code == 0, done.output


def test_few_different_ranges_are_categories_with_a_note(tmp_path: Path) -> None:
    groups = ["18-24", "25-34", "35-44", "45-54"]
    table = tl.table(written(tmp_path, groups * 10), target="y")
    assert table.schema.columns[0].kind == "category"
    assert any('kinds={"v": "midpoint"}' in note for note in table.notes)


@pytest.mark.parametrize(
    "cells",
    [
        [f"{n % 5}-{(n * 7) % 4}" for n in range(40)],  # scores of games
        [f"555-{1234 + n}" for n in range(40)],  # telephones
        [f"0{n % 9}-{10 + n}" for n in range(40)],  # codes
        [f"{n % 9 + 1:02}/{n % 7 + 10}" for n in range(40)],
        [f"{1000 + n}/{70 + n}" for n in range(40)],  # numbers of files
        [f"{n % 6}:{n % 4}" for n in range(40)],
        [f"P{n}H" for n in range(40)],
    ],
)
def test_codes_of_two_numbers_are_not_asked_about(tmp_path: Path, cells: Cells) -> None:
    table = tl.table(written(tmp_path, cells), target="y")
    assert not [note for note in table.notes if "number" in note or "range" in note]


def test_times_of_a_day_stay_times(tmp_path: Path) -> None:
    cells = [f"{n % 24:02}:{n:02}:30" for n in range(50)]
    assert tl.table(written(tmp_path, cells), target="y").schema.columns[0].kind == "date"


def test_a_model_of_minutes_reads_hours_and_minutes(tmp_path: Path) -> None:
    path = written(tmp_path, ["1h 30m", "45m", "2h", "50m"] * 10)
    learner = tl.LinearRegression().fit(tl.table(path, target="y"))
    other = tl.table([{"v": "90 min"}, {"v": "0h 45m"}, {"v": "2 hours"}])
    np.testing.assert_allclose(learner.predict(other), learner.predict(path)[:3])


def test_notes_below_a_sheet_are_asked_about(tmp_path: Path) -> None:
    rows = [["a", "b"], *([n, n + 1] for n in range(5)), ["Source: the office"], ["2024"]]
    path = book(tmp_path / "t.xlsx", rows)
    with pytest.raises(tl.errors.InputError, match="Source: the office") as error:
        tl.table(path)
    assert '{"footer": 2}' in str(error.value)
    assert '{"footer": 0}' in str(error.value)
    assert len(tl.table(path, dialect={"footer": 2}).whole()) == 5
    assert len(tl.table(path, dialect={"footer": 0}, kinds={"a": "category"}).whole()) == 7


def test_a_note_below_an_empty_row_of_a_sheet_is_asked_about(tmp_path: Path) -> None:
    rows = [["name", "b"], ["x", 1], ["y", 2], ["z", 3], [], ["* estimated"]]
    with pytest.raises(tl.errors.InputError, match=r"\* estimated"):
        tl.table(book(tmp_path / "t.xlsx", rows))
    plain = book(tmp_path / "u.xlsx", [*rows[:4], ["w"]])  # a row with a missing value
    assert len(tl.table(plain).whole()) == 4
