"""Small files as people write them: read right, or refused with an option that reads them right."""

from __future__ import annotations

import ast
import csv
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import tallylearn as tl
from tallylearn.cli import main
from tallylearn.cli.shared_options import parse_kinds
from tallylearn.errors import TallyError
from tallylearn.tables import BLOCK
from tests.soak import some
from tests.written_files import COLLECTION, Written

IDS = [f"{one.kind} {one.name}" for one in COLLECTION]
READ = [one for one in COLLECTION if not one.asked]
ASKED = [one for one in COLLECTION if one.asked]


def labels(one: Written) -> list[str]:
    return ["p" if at % 2 else "q" for at in range(len(one.cells))]


def to_csv(one: Written, folder: Path) -> Path:
    path = folder / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=one.delimiter)
        writer.writerow(["x", "other", "y"])
        rows = zip(one.cells, labels(one), strict=True)
        writer.writerows([cell, "word", label] for cell, label in rows)
    return path


def to_frame(one: Written, folder: Path) -> Any:
    return pd.DataFrame({"x": [*one.cells], "y": labels(one)})


def to_polars(one: Written, folder: Path) -> Any:
    return pl.DataFrame({"x": [*one.cells], "y": labels(one)})


def to_parquet(one: Written, folder: Path) -> Path:
    to_frame(one, folder).to_parquet(folder / "t.parquet")
    return folder / "t.parquet"


SOURCES = {"csv": to_csv, "pandas": to_frame, "polars": to_polars, "parquet": to_parquet}


def column(source: Any, **options: Any) -> tuple[str, list[float | None], str]:
    """The kind and the values of x, and the notes."""
    table = tl.table(source, target="y", **options)
    block = table.whole()
    (found,) = [one for one in block.schema.columns if one.name == "x"]
    if "x" not in block.schema.places:
        return found.kind, [], "; ".join(table.notes)
    values = block.numbers[:, block.schema.places["x"]].tolist()
    return found.kind, [None if np.isnan(x) else x for x in values], "; ".join(table.notes)


def agrees(found: list[float | None], one: Written) -> bool:
    """Numbers to the last digit, unless a unit was converted; dates to the second."""
    if [x is None for x in found] != [x is None for x in one.values]:
        return False
    pairs = [(a, b) for a, b in zip(found, one.values, strict=True) if a is not None]
    if one.kind == "date":
        return all(abs(a - b) < 1e-5 for a, b in pairs)
    return all(a == b for a, b in pairs) or (
        bool(one.asked) and all(a == pytest.approx(b, rel=1e-14) for a, b in pairs)
    )


def options_in(message: str) -> list[dict[str, Any]]:
    """The options that a message of the library names."""
    string = r'"(?:[^"\\]|\\.)*"'
    kinds = re.findall(rf"kinds=(\{{{string}: {string}\}})", message)
    marks = re.findall(rf"missing=(\[{string}(?:, {string})*\]|{string})", message)
    found = [("kinds", one) for one in kinds] + [("missing", one) for one in marks]
    return [{option: ast.literal_eval(value)} for option, value in found]


def typed_options(message: str) -> list[list[str]]:
    """The options that a message of the command names, as a shell would take them."""
    word = r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+"
    said = re.findall(rf"(?:--as|--missing) {word}(?: --missing {word})*", message)
    return [shlex.split(re.sub("(,|\\.)$", "", text)) for text in said]


def wanted(one: Written, option: str, value: Any) -> bool:
    """Whether this is the option that gives the values."""
    name, _, form = one.option.partition(" ")
    return option == name and form in (("", value["x"]) if name == "kinds" else ("",))


def test_the_collection_is_large() -> None:
    assert len(COLLECTION) > 205
    assert len({one.name + one.kind for one in COLLECTION}) == len(COLLECTION)


@pytest.mark.parametrize("name", SOURCES)
def test_every_column_is_read_as_it_is_meant(name: str, tmp_path: Path) -> None:
    """Every file as CSV; every eighth, and all in `make soak`, in the other forms."""
    wrong = {}
    for one in READ if name == "csv" else some(READ, 8, first=len(name)):
        try:
            kind, values, notes = column(SOURCES[name](one, tmp_path))
        except TallyError as error:
            kind, values, notes = "error", [], str(error)
        if kind != one.kind or not agrees(values, one):
            wrong[one.name] = one.cells[:2], kind, values[:3], notes
    assert not wrong


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("one", ASKED, ids=[one.name for one in ASKED])
def test_what_cannot_be_known_is_asked_with_options_that_work(
    one: Written, name: str, tmp_path: Path
) -> None:
    source = SOURCES[name](one, tmp_path)
    with pytest.raises(TallyError) as refused:
        tl.table(source, target="y")
    message = str(refused.value)
    assert one.asked in message
    options = options_in(message)
    assert options
    right = []
    for option in options:
        kind, values, _ = column(source, **option)  # every option can be said
        if kind == one.kind and agrees(values, one):
            right += [name for name, value in option.items() if wanted(one, name, value)]
    assert len(right) == 1


@pytest.mark.parametrize("one", ASKED, ids=[one.name for one in ASKED])
def test_the_options_work_when_they_are_typed(one: Written, tmp_path: Path) -> None:
    path = to_csv(one, tmp_path)
    command = ["learn", str(path), "--target", "y", "--model", "bayes", "--no-save"]
    asked = CliRunner().invoke(main, command)
    assert asked.exit_code == 1
    assert one.asked in asked.stderr
    typed = typed_options(asked.stderr)
    right = []
    for words in typed:
        assert CliRunner().invoke(main, [*command, *words]).exit_code == 0
        kinds = parse_kinds(words[1::2]) if words[0] == "--as" else None
        missing = words[1::2] if words[0] == "--missing" else ()
        kind, values, _ = column(path, kinds=kinds, missing=missing)
        right += [words[0]] if kind == one.kind and agrees(values, one) else []
    assert right == ["--as" if one.option.startswith("kinds") else "--missing"]


# One odd cell among numbers

DOSES = [f"{10 + 0.37 * at:.2f}" for at in range(294)]


@pytest.fixture
def doses(tmp_path: Path) -> Path:
    """294 doses and a note, and an outcome that follows them."""
    cells = [*DOSES[:200], "see note", *DOSES[200:]]
    rows = [f"{cell},{at % 7},{2 * at}" for at, cell in enumerate(cells)]
    path = tmp_path / "doses.csv"
    path.write_text("\n".join(["dose,w,outcome", *rows]) + "\n")
    return path


@pytest.mark.parametrize("command", ["learn", "evaluate", "describe"])
def test_a_command_names_the_odd_cell_its_row_and_the_option_that_works(
    command: str, doses: Path
) -> None:
    words = [command, str(doses), "--target", "outcome"]
    words += ["--model", "linear"] if command in ("learn", "evaluate") else []
    words += ["--no-save"] if command == "learn" else []
    asked = CliRunner().invoke(main, words)
    assert asked.exit_code == 1
    assert "'see note' in row 202" in asked.stderr
    assert "--keep" not in asked.stderr
    assert typed_options(asked.stderr)[0] == ["--missing", "see note"]
    assert CliRunner().invoke(main, [*words, "--missing", "see note"]).exit_code == 0


def test_a_frame_with_an_odd_cell_is_refused_by_all_who_learn(doses: Path) -> None:
    frame = pd.read_csv(doses)
    learner = tl.LinearRegression()
    for call in (learner.fit, lambda *given: tl.evaluate(learner, *given), tl.problem, tl.describe):
        with pytest.raises(TallyError, match=r"'see note' in row 200.*missing=\"see note\""):
            call(frame, "outcome")
    model = learner.fit(tl.table(frame, missing="see note"), "outcome")
    assert model.schema_.numbers == ("dose", "w")
    assert model.schema_.identifiers == ()


def test_an_odd_cell_behind_the_first_block_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = [f"{at % 1000}.5,{at % 3}" for at in range(BLOCK + 10)]
    path.write_text("\n".join(["x,y", *rows, "see note,1"]) + "\n")
    for call in (tl.LinearRegression().fit, tl.describe):
        with pytest.raises(TallyError, match=rf"'see note' in row {BLOCK + 12}.*missing="):
            call(path, "y")
    assert "see note" in tl.check(path, "y").decisions[0]
    assert tl.LinearRegression().fit(tl.table(path, missing="see note"), "y")


def test_a_column_in_question_is_not_called_an_identifier(doses: Path) -> None:
    check = tl.check(doses, "outcome")
    ways = 'tl.table(..., missing=["see note"]) or tl.table(..., kinds={"dose": "category"})'
    assert ways in check.decisions[0]
    assert "tells the rows apart" not in str(check)


def test_a_note_on_a_column_that_is_left_out_is_still_printed(tmp_path: Path) -> None:
    cells = [*map(str, range(1, 10)), "a", "b", "c"]  # too few different numbers to be refused
    rows = [f"{cell},{at % 5},{'uv'[at % 2]}" for at, cell in enumerate(cells)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["code,w,y", *rows]))
    command = ["learn", str(path), "--target", "y", "--model", "bayes", "--no-save"]
    said = CliRunner().invoke(main, command)
    assert "code: 9 of its 12 cells are numbers, but not 'a' in row 11" in said.stderr
    assert "--missing a --missing b --missing c" in said.stderr


# Numbers with exponents, units that convert


@pytest.mark.parametrize("name", SOURCES)
def test_a_comma_before_an_exponent_is_a_decimal_mark(name: str, tmp_path: Path) -> None:
    one = Written("exponents", ("3,238E+04", "2,111E+04"), (32380, 21110))
    assert column(SOURCES[name](one, tmp_path))[1] == [32380, 21110]
    with pytest.raises(TallyError, match=r"'3,238E\+04'.*kinds=.*1234,5"):
        column(SOURCES[name](one, tmp_path), kinds={"x": "1,234.5"})


def test_a_model_of_kilograms_converts_grams_and_refuses_metres() -> None:
    rows = {"w": [f"{at} kg" for at in range(1, 13)], "y": list(range(1, 13))}
    model = tl.LinearRegression().fit(rows, "y")
    assert model.predict([{"w": "2500 g"}])[0] == pytest.approx(2.5)
    assert model.predict([{"w": "5.5 lbs"}])[0] == pytest.approx(5.5 * 0.45359237)
    assert model.predict([{"w": 3.0}])[0] == pytest.approx(3)
    with pytest.raises(TallyError, match="'3 m' in row 0 has another unit"):
        model.predict([{"w": "3 m"}])


def test_a_model_remembers_scales_zones_and_several_forms(tmp_path: Path) -> None:
    days = ["2024-01-05", "31.12.2024", "2024-03"] * 4
    rows = {"price": [f"${at}.5M" for at in range(12)], "day": days, "y": list(range(12))}
    model = tl.LinearRegression().fit(rows, "y")
    model.save(tmp_path / "model.tally")
    again = tl.load(tmp_path / "model.tally")
    assert again.schema_.spellings == model.schema_.spellings
    asked = [{"price": "$900k", "day": "1.2.2024"}]
    assert again.predict(asked) == model.predict(asked)
    assert model.predict(asked) == model.predict([{"price": 900_000.0, "day": "2024-02-01"}])


@pytest.mark.parametrize(
    "cells",
    ["12A|13B|14C", "R1|R2", "FR12|FR13", "1st|2nd|3rd", "2x4|2x6", "0x1F|0x2F", "B12|B6",
     "12 Main Street|5 Oak Ave", "10-20|20-30", "2012-13|2013-14", "12M|13F", "45-67-89|10-11-12",
     "e4|d4", "192.168.0.1|10.0.0.1", "555-1234|555-9876", "50-00-0|64-17-5"],
)  # fmt: skip
def test_codes_of_digits_and_letters_stay_categories(cells: str) -> None:
    table = tl.table({"x": cells.split("|") * 2})
    assert [one.kind for one in table.schema.columns] == ["category"]


def test_an_odd_cell_of_a_target_in_memory_is_named_with_the_option_that_works() -> None:
    frame = pd.DataFrame(
        {"x": [at / 2 for at in range(294)], "y": [*DOSES[:200], "lost", *DOSES[201:]]}
    )
    with pytest.raises(TallyError, match=r"'lost' in row 200.*missing=\"lost\""):
        tl.LinearRegression().fit(frame, "y")
    model = tl.LinearRegression().fit(tl.table(frame, target="y", missing="lost"))
    assert model.predict([{"x": 50}])[0] == pytest.approx(47)
