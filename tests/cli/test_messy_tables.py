"""The ``tally`` command on tables as people keep them: what it says mends what it refuses."""

from __future__ import annotations

import re
import shlex
import zipfile
from pathlib import Path
from typing import Any

import fsspec
import openpyxl
import pytest
from click.testing import CliRunner, Result

from tallylearn.cli import main

ROWS = "1,a,u\n2,b,v\n3,a,u\n4,b,v\n"
LEARN = ("--target", "z", "--model", "bayes", "-o", "m.tally")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def tally(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def book(*names: str) -> None:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name in names:
        sheet = workbook.create_sheet(name)
        for row in (["x", "z"], [1, "u"], [2, "v"], [3, "u"], [4, "v"]):
            sheet.append(row)
    workbook.save("t.xlsx")


MENDED: dict[str, tuple[Any, str, str]] = {
    # the file, its name, what the error says
    "a title": ("Sales\n" + ROWS, "t.csv", "--skip 1"),
    "comments": ("x,y,z\n1,a,u\n# c\n2,b,v\n3,a,u\n4,b,v\n", "t.csv", "--comment '#'"),
    "a lone quote": ('x,y,z\n1,a,u\n2,"b,v\n3,a,u\n4,b,v\n', "t.csv", "--quote ''"),
    "several sheets": (("jan", "feb 2"), "t.xlsx", "--sheet jan"),
    "no header": ("x,x,z\ny,x,u\nx,y,v\nx,x,u\ny,y,v\n", "t.csv", "--no-header"),
}


@pytest.mark.parametrize("name", MENDED)
def test_the_option_that_an_error_names_mends_it(name: str) -> None:
    written, path, option = MENDED[name]
    book(*written) if path == "t.xlsx" else Path(path).write_text(written)
    refused = tally("learn", path, *LEARN)
    assert refused.exit_code == 1
    assert option in refused.stderr
    target = {"a title": "x2", "no header": "x2"}.get(name, "z")
    more = ["--target", target, *LEARN[2:], "--force", *shlex.split(option)]
    mended = tally("learn", path, *more)
    assert mended.exit_code == 0, mended.stderr


def test_what_was_noticed_is_told() -> None:
    Path("t.csv").write_text("Sales of 2024\n\nx,y,z\n" + ROWS)
    said = tally("learn", "t.csv", *LEARN, "--verbose").stderr
    assert "2 lines skipped" in said
    assert "2 lines above the table left out ('Sales of 2024')." in said


def test_names_are_given_for_a_file_that_has_none() -> None:
    Path("t.csv").write_text(ROWS)
    assert tally("learn", "t.csv", "--names", "x,y,z", *LEARN).exit_code == 0
    answers = tally("predict", "m.tally", "t.csv", "--names", "x,y,z").stdout
    assert answers.split() == ["prediction", "u", "v", "u", "v"]
    wrong = tally("learn", "t.csv", "--names", "x,y,z", "--header", "--force", *LEARN)
    assert wrong.exit_code == 2
    assert "--names and --header" in wrong.stderr


def test_a_member_of_an_archive_is_learned_from_and_not_overwritten() -> None:
    with zipfile.ZipFile("t.zip", "w") as archive:
        archive.writestr("one.csv", "x,y,z\n" + ROWS)
        archive.writestr("two.csv", "x,y,z\n" + ROWS)
    refused = tally("learn", "t.zip", *LEARN)
    named = re.search(r"'(t\.zip/[^']+)'", refused.stderr)
    assert named is not None
    assert tally("learn", named[1], *LEARN).exit_code == 0
    over = tally("learn", named[1], *LEARN[:-1], "t.zip", "--force")
    assert over.exit_code == 1
    assert "is an input of this command" in over.stderr


def test_a_url_is_learned_from() -> None:
    fsspec.filesystem("memory").pipe("/doors.csv", ("x,y,z\n" + ROWS).encode())
    learned = tally("learn", "memory://doors.csv", *LEARN)
    assert learned.exit_code == 0, learned.stderr


@pytest.mark.parametrize("option", ["--skip", "--comment", "--quote", "--sheet", "--names"])
def test_the_options_are_in_the_help(option: str) -> None:
    assert option in tally("learn", "--help").stdout
    assert option in tally("predict", "--help").stdout
