"""Sheets: a variant for each student, forms that are graded, files for Moodle and nbgrader."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tallylearn as tl
from tallylearn.errors import FileError, InputError, OptionError
from tallylearn.exercises import grade_answers, moodle_xml, nbgrader_notebook, write_sheets

KINDS = ("entropy", "perceptron", "candidate-elimination")
FIELD = re.compile(r"\{1:(NUMERICAL|SHORTANSWER):((?:[^}\\]|\\.)*)\}")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def fill(form: Path, values: dict[tuple[str, str], str]) -> None:
    """Write values into a form, by code and step."""
    rows = [row | {"value": values.get((row["code"], row["step"]), "")} for row in rows_of(form)]
    with form.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)


def keys(folder: Path) -> dict[tuple[str, str], str]:
    return {(row["code"], row["step"]): row["value"] for row in rows_of(folder / "keys/keys.csv")}


def is_vector(value: Any) -> bool:
    return isinstance(value, tuple) and not isinstance(value[0], str)


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    path = tmp_path / "roster.csv"
    path.write_text("\ufeffName;Group\nAda Lovelace;1\nÉmile;2\n\n../Ben;1\n", encoding="utf-8")
    return path


def test_every_student_gets_a_sheet_a_form_and_a_key(tmp_path: Path, roster: Path) -> None:
    folder = tmp_path / "sheets"
    written = write_sheets(KINDS, roster, folder, seed=3)
    assert sorted(written) == sorted(path for path in folder.rglob("*") if path.is_file())
    assert {path.stem for path in folder.glob("*.csv")} == {"Ada_Lovelace", "Émile", "Ben"}
    codes = set()
    for form in folder.glob("*.csv"):
        rows = rows_of(form)
        assert {row["value"] for row in rows} == {""}
        mine = {row["code"] for row in rows}
        assert {code.partition(":")[0] for code in mine} == {*KINDS}
        for ending in (".html", ".md"):
            sheet = form.with_suffix(ending).read_text("utf-8")
            key = tl.exercise(next(iter(mine))).solution
            assert all(re.search(re.escape(code), sheet) for code in mine)
            assert key.title not in sheet
            assert form.name in sheet.replace("\\", "")
        assert "Solution" in (folder / "keys" / f"{form.stem}.html").read_text("utf-8")
        codes |= mine
    assert len(codes) == 3 * len(KINDS)
    assert {code for code, _ in keys(folder)} == codes


def test_the_same_roster_gives_the_same_sheets(tmp_path: Path) -> None:
    first = write_sheets(KINDS, ["Ada", "Ben"], tmp_path / "a", seed=3)
    again = write_sheets(KINDS, ["Ben", "Ada"], tmp_path / "b", seed=3)
    other = write_sheets(KINDS, ["Ada", "Ben"], tmp_path / "c", seed=4)
    texts = {path.relative_to(tmp_path / "a"): path.read_bytes() for path in first}
    del texts[Path("keys/keys.csv")]  # in the order of the roster
    assert all((tmp_path / "b" / name).read_bytes() == text for name, text in texts.items())
    assert all((tmp_path / "c" / name).read_bytes() != text for name, text in texts.items())
    assert len(first) == len(again) == len(other)


def test_forms_are_graded_into_one_table(tmp_path: Path) -> None:
    write_sheets(KINDS, ["Ada", "Ben", "Cy"], tmp_path, seed=1)
    right = keys(tmp_path)
    fill(tmp_path / "Ada.csv", right)
    code = next(row["code"] for row in rows_of(tmp_path / "Ben.csv") if row["step"] == "entropy")
    exercise = tl.exercise(code)
    mistake = "natural logarithm used in place of log2"
    wrong = exercise.mistakes()[mistake]["entropy"]
    fill(tmp_path / "Ben.csv", right | {(code, "entropy"): f"{wrong:.3f}"})
    table = grade_answers(sorted(tmp_path.glob("*.csv")))
    found = {(row["student"], row["exercise"].partition(":")[0]): row for row in table.records()}
    assert len(found) == 9
    assert {found["Ada", kind]["score"] for kind in KINDS} == {1}
    assert {found["Cy", kind]["score"] for kind in KINDS} == {0}
    assert found["Ben", "entropy"] == {
        "student": "Ben", "exercise": code, "score": 0.5, "first_error": "entropy",
        "mistake": mistake,
    }  # fmt: skip
    assert mistake in str(table)
    assert f"Ben,{code},0.5000,entropy,{mistake}" in table.to_csv().splitlines()
    assert table.to_frame().shape == (9, 5)
    assert table.to_html()
    assert table.to_markdown()
    assert str(type(table).report_of(json.loads(table.to_json()))) == str(table)


def test_a_form_of_a_spreadsheet_with_semicolons_is_graded(tmp_path: Path) -> None:
    write_sheets("roc-area", None, tmp_path, seed=5)
    form = tmp_path / "sheet.csv"
    fill(form, {at: value.replace(".", ",") for at, value in keys(tmp_path).items()})
    rows = rows_of(form)
    lines = [";".join(f'"{cell}"' for cell in row.values()) for row in rows]
    form.write_text("\n".join([";".join(rows[0]), *lines, ";;;;"]), encoding="utf-8-sig")
    table = grade_answers(form)
    assert table.records()[0] | {"score": 1.0} == table.records()[0]
    assert table.records()[0]["student"] == "sheet"
    assert table.records()[0]["exercise"] == "roc-area:5:1"


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    write_sheets("entropy", ["Ada"], tmp_path)
    (tmp_path / "Ada.csv").write_text("filled")
    with pytest.raises(FileError, match=r"Ada.csv.*force=True"):
        write_sheets("entropy", ["Ada"], tmp_path)
    with pytest.raises(FileError, match=r"keys.csv"):
        write_sheets("entropy", ["Ben"], tmp_path)
    assert not (tmp_path / "Ben.csv").exists()
    assert (tmp_path / "Ada.csv").read_text() == "filled"
    write_sheets("entropy", ["Ada"], tmp_path, force=True)
    assert (tmp_path / "Ada.csv").read_text() != "filled"


@pytest.mark.parametrize(
    ("roster", "facts"),
    [
        (["Ada", "Ada"], "'Ada'"),
        (["a b", "a_b"], "'a b'.*'a_b'"),
        ([], "no name"),
        (["Ada", " "], "no name"),
    ],
)
def test_a_roster_names_each_student_once(tmp_path: Path, roster: Any, facts: str) -> None:
    with pytest.raises(InputError, match=facts):
        write_sheets("entropy", roster, tmp_path / "sheets")
    assert not (tmp_path / "sheets").exists()


def test_bad_files_get_our_errors(tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    with pytest.raises(FileError, match=r"bad\.csv"):
        write_sheets("entropy", bad, tmp_path / "sheets")
    bad.write_text("Ada\nBen\n")
    with pytest.raises(InputError, match=r"bad.csv.*'Ada'.*student"):
        write_sheets("entropy", bad, tmp_path / "sheets")
    with pytest.raises(InputError, match=r"bad.csv.*'code'"):
        grade_answers(bad)
    for code, facts in (("entropy", "entropy"), ("entropy:1:9", "9"), ("entrpy:1:1", "'entropy'")):
        bad.write_text(f"code,step,value\n{code},p,1\n")
        with pytest.raises(InputError, match=f"bad.csv.*{facts}"):
            grade_answers(bad)
    bad.write_text("code,step,value\nentropy:1:1,q,1\n")
    with pytest.raises(InputError, match=r"bad.csv.*'q'"):
        grade_answers(bad)
    bad.write_bytes(b"code,step,value\n\xff\xfe,p,1\n")
    with pytest.raises(FileError, match="UTF-8"):
        grade_answers(bad)
    with pytest.raises(FileError, match=r"bad.csv is a file"):
        write_sheets("entropy", None, bad)
    with pytest.raises(InputError, match="no answer"):
        grade_answers([])
    with pytest.raises(OptionError, match=r"'pdf'.*'nbgrader'"):
        write_sheets("entropy", None, tmp_path, formats=["pdf"])
    with pytest.raises(OptionError, match="exercise_kinds"):
        write_sheets([], None, tmp_path)
    with pytest.raises(OptionError, match="'entropy'"):
        write_sheets("entrpy", None, tmp_path)


def test_moodle_questions_have_a_field_for_every_number() -> None:
    exercises = [tl.exercise(kind, seed) for kind in tl.exercise_kinds() for seed in range(3)]
    quiz = ElementTree.fromstring(moodle_xml(exercises))
    assert [one.get("type") for one in quiz] == ["cloze"] * len(exercises)
    for question, exercise in zip(quiz, exercises, strict=True):
        assert question.findtext("name/text") == exercise.code
        text = question.findtext("questiontext/text") or ""
        fields = FIELD.findall(text)
        numbers = [
            (one, step)
            for step in exercise.steps
            for value in [exercise.values[step.name]]
            for one in (value if is_vector(value) else [value])
        ]
        assert len(fields) == len(numbers)
        for (kind, answers), (value, step) in zip(fields, numbers, strict=True):
            right = answers.partition("~")[0]
            if kind == "NUMERICAL":
                number, tolerance = right.removeprefix("=").split(":")
                assert float(number) == pytest.approx(float(value), rel=1e-6, abs=1e-9)
                assert float(tolerance) == pytest.approx(step.tolerance, rel=1e-3)
            else:
                given = re.sub(r"\\(.)", r"\1", right.removeprefix("="))
                assert exercise.grade(exercise.key() | {step.name: given}).score == 1
        assert "Solution" in (question.findtext("generalfeedback/text") or "")


def test_a_moodle_field_gives_feedback_on_a_mistake() -> None:
    text = moodle_xml([tl.exercise("entropy", 7)])
    assert "#natural logarithm used in place of log2" in text
    assert text.count("{1:NUMERICAL:=") == 2


@pytest.mark.parametrize("solved", [True, False])
def test_a_notebook_grades_itself(solved: bool) -> None:
    exercises = [tl.exercise(kind, 2) for kind in tl.exercise_kinds()]
    notebook = json.loads(nbgrader_notebook(exercises, "Week 3"))
    assert (notebook["nbformat"], notebook["cells"][0]["source"]) == (4, "# Week 3")
    ids, space, points, failed = [], {}, 0, 0
    for cell in notebook["cells"]:
        about = cell["metadata"]["nbgrader"]
        assert {*about} - {"points"} == {
            "grade", "grade_id", "locked", "schema_version", "solution", "task",
        }  # fmt: skip
        assert ("points" in about) == about["grade"]
        assert about["locked"] != about["solution"]
        ids.append(about["grade_id"])
        source = cell["source"]
        if cell["cell_type"] == "code":
            if not solved:
                source = re.sub(r"### BEGIN SOLUTION.*### END SOLUTION", "", source, flags=re.S)
            points += about.get("points", 0)
            try:
                exec(source, space)
            except AssertionError:
                failed += about["grade"]
    assert len({*ids}) == len(ids)
    assert all(re.fullmatch(r"[\w-]+", one) for one in ids)
    assert points == sum(len(one.steps) for one in exercises)
    assert failed == (0 if solved else points)


def test_files_with_solutions_are_among_the_keys(tmp_path: Path) -> None:
    written = write_sheets(KINDS, ["Ada"], tmp_path, formats=["html", "moodle", "nbgrader"])
    names = {path.relative_to(tmp_path).as_posix() for path in written}
    assert names == {
        "Ada.csv", "Ada.html", "keys/Ada.html", "keys/Ada.ipynb", "keys/moodle.xml",
        "keys/keys.csv",
    }  # fmt: skip
