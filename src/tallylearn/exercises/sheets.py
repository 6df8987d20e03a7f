"""Sheets of exercises: one variant for each student, answer forms, keys, and their grading."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tallylearn.errors import FileError, InputError, OptionError, as_path, quoted_list, short_repr
from tallylearn.exercises.catalogue import MAX_SEED, exercise
from tallylearn.exercises.exercise import Exercise
from tallylearn.exercises.exports import moodle_xml, nbgrader_notebook
from tallylearn.reporting.formatting import escape_html, escape_markdown
from tallylearn.reporting.page import html_page
from tallylearn.reporting.report import Report, TableReport
from tallylearn.runtime.atomic_write import write_whole
from tallylearn.workings import Derivation, Grid, Sentence

FORM_COLUMNS = ("student", "code", "step", "prompt", "value")
GRADE_COLUMNS = ("student", "exercise", "score", "first_error", "mistake")
ROSTER_COLUMNS = ("student", "id", "name", "login", "email")  # in order of preference
FORMATS = ("html", "md", "moodle", "nbgrader")
KEY_FOLDER = "keys"
ONE_SHEET = "sheet"  # the name of the files where there is no roster
HAND_IN = "Write your values into the column value of {form}, and hand in that file."


def write_sheets(
    kinds: str | Sequence[str],
    students: str | Path | Sequence[str] | None,
    folder: str | Path,
    *,
    seed: int = 0,
    formats: Sequence[str] = ("html", "md"),
    force: bool = False,
) -> list[Path]:
    """Write a sheet, an answer form and a key for each student.

    Parameters
    ----------
    kinds : str or sequence of str
        Names of `exercise_kinds`, one exercise of each a sheet.
    students : str, Path, sequence of str or None
        A CSV file with a column student, id, name, login or email; or the names. None writes one
        sheet.
    folder : str or Path
        Where the files go; created if it does not exist. Keys go into its folder ``keys``.
    seed : int, default=0
        Another seed gives other variants. Without students it is the seed of the exercises.
    formats : sequence of str, default=("html", "md")
        Forms of a sheet: "html", "md"; "moodle" and "nbgrader" write files with the solutions into
        the folder ``keys``.
    force : bool, default=False
        Overwrite existing files.

    Returns
    -------
    list of Path
        The files that were written.

    Examples
    --------
    >>> import tempfile
    >>> from tallylearn.exercises import grade_answers, write_sheets
    >>> folder = tempfile.mkdtemp()
    >>> paths = write_sheets("entropy", ["Ada", "Ben"], folder, seed=1)
    >>> [path.name for path in paths[:4]]
    ['Ada.csv', 'Ada.html', 'Ada.md', 'Ada.html']
    """
    if unknown := [one for one in formats if one not in FORMATS]:
        raise OptionError(
            f"write_sheets: there is no format {short_repr(unknown[0])}. There are "
            f"{quoted_list(FORMATS)}."
        )
    names = [kinds] if isinstance(kinds, str) else [*kinds]
    if not names:
        raise OptionError("write_sheets: no kind is given. Name one of tl.exercise_kinds().")
    sheets = {
        student: [exercise(kind, _seed(seed, student)) for kind in names]
        for student in ([None] if students is None else _roster(students))
    }
    place = as_path(folder)
    files = _files(place, sheets, formats)
    if place.exists() and not place.is_dir():
        raise FileError(f"write_sheets: {place} is a file. Choose a folder.")
    if not force and (there := [path for path in files if path.exists()]):
        more = f", and {len(there) - 1} more files exist" if len(there) > 1 else ""
        raise FileError(
            f"write_sheets: {there[0]} already exists{more}. Choose another folder, or overwrite "
            "with force=True."
        )
    try:
        (place / KEY_FOLDER).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"write_sheets: {place} cannot be created: {error.strerror}. Choose another folder."
        ) from None
    for path, text in files.items():
        write_whole(path, text.encode())
    return [*files]


def _seed(seed: int, student: str | None) -> int:
    """The seed of a student's variant: the same for the same name on any machine."""
    if student is None:
        return seed
    digest = hashlib.sha256(f"{seed}:{student}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % MAX_SEED


def _roster(students: str | Path | Sequence[str]) -> list[str]:
    """The names of the students, each once."""
    if isinstance(students, str | Path):
        found = _names_of(students)
    else:
        found = [str(one).strip() for one in students]
    if not found or not all(found):
        raise InputError("write_sheets: the roster has no name. Give a name for each student.")
    places: dict[str, str] = {}
    for name in found:
        place = _file_name(name).casefold()
        if place in places:
            raise InputError(
                f"write_sheets: the students {places[place]!r} and {name!r} would get the same "
                "file. Give each student another name or an id."
            )
        places[place] = name
    return found


def _names_of(path: str | Path) -> list[str]:
    fields, rows = _read_table(path)
    wanted = {name.strip().casefold(): name for name in fields}
    column = next((wanted[name] for name in ROSTER_COLUMNS if name in wanted), None)
    if column is None:
        raise InputError(
            f"{path}: no column is named {quoted_list(ROSTER_COLUMNS)}; the columns are "
            f"{quoted_list(fields)}. Name the column of the students student."
        )
    return [name for row in rows if (name := (row[column] or "").strip())]


def _file_name(student: str) -> str:
    """A student's name as the name of a file: letters, digits, dots, - and _."""
    return re.sub(r"[^\w.-]+", "_", student).strip("._") or "_"


def _read_table(path: str | Path) -> tuple[list[str], list[dict[str, str]]]:
    """The header and the rows of a small CSV file, with commas or semicolons."""
    try:
        text = as_path(path).read_text("utf-8-sig")
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise FileError(f"{path}: the text is not UTF-8. Save the file as CSV in UTF-8.") from None
    first = text.partition("\n")[0]
    table = csv.DictReader(io.StringIO(text), delimiter=";" if ";" in first else ",")
    try:
        return [*(table.fieldnames or ())], [*table]
    except csv.Error as error:
        raise FileError(f"{path}: the file is not valid CSV ({error}).") from None


def _files(
    folder: Path, sheets: dict[str | None, list[Exercise]], formats: Sequence[str]
) -> dict[Path, str]:
    """The text of every file, by its path."""
    found: dict[Path, str] = {}
    keys = folder / KEY_FOLDER
    for student, exercises in sheets.items():
        name = ONE_SHEET if student is None else _file_name(student)
        title = "Exercises" if student is None else f"Exercises for {student}"
        form = f"{name}.csv"
        found[folder / form] = _form(student or "", exercises)
        if "html" in formats:
            found[folder / f"{name}.html"] = _html(title, exercises, HAND_IN.format(form=form))
        if "md" in formats:
            found[folder / f"{name}.md"] = _markdown(title, exercises, HAND_IN.format(form=form))
        solutions = [one.solution for one in exercises]
        found[keys / f"{name}.html"] = _html(f"Key: {title}", solutions, "")
        if "nbgrader" in formats:
            found[keys / f"{name}.ipynb"] = nbgrader_notebook(exercises, title)
    if "moodle" in formats:
        found[keys / "moodle.xml"] = moodle_xml([one for some in sheets.values() for one in some])
    key = [
        (student or "", one.code, step, value)
        for student, exercises in sheets.items()
        for one in exercises
        for step, value in one.key().items()
    ]
    found[keys / "keys.csv"] = _csv(("student", "code", "step", "value"), key)
    return found


def _csv(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(header)
    table.writerows(rows)
    return text.getvalue()


def _form(student: str, exercises: list[Exercise]) -> str:
    rows = [
        (student, one.code, step.name, step.prompt, "") for one in exercises for step in one.steps
    ]
    return _csv(FORM_COLUMNS, rows)


def _html(title: str, reports: Sequence[Report], end: str) -> str:
    parts = [f"<h1>{escape_html(title)}</h1>", *(one.to_html() for one in reports)]
    return html_page(title, "\n".join([*parts, f"<p>{escape_html(end)}</p>" if end else ""])) + "\n"


def _markdown(title: str, reports: Sequence[Report], end: str) -> str:
    parts = [f"# {escape_markdown(title)}", *(one.to_markdown() for one in reports)]
    return "\n\n".join([*parts, escape_markdown(end)]) + "\n"


@dataclass(frozen=True, eq=False, repr=False)
class GradeTable(TableReport):
    """The grades of several answer forms.

    Attributes
    ----------
    rows : tuple of tuple
        Student, code of the exercise, score, first error and mistake.
    """

    rows: tuple[tuple[str, str, float, str, str], ...]

    def records(self) -> list[dict[str, Any]]:
        return [dict(zip(GRADE_COLUMNS, row, strict=True)) for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        return {"title": "Grades", "grades": self.records()}

    def to_csv(self) -> str:
        """The table as CSV, scores with four decimals."""
        return _csv(
            GRADE_COLUMNS, ((a, b, f"{score:.4f}", *rest) for a, b, score, *rest in self.rows)
        )

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        grades = found["grades"]
        cells = tuple(
            (g["student"], g["exercise"], f"{g['score']:.2f}", g["first_error"], g["mistake"])
            for g in grades
        )
        header = ("student", "exercise", "score", "first error", "mistake")
        mean = sum(g["score"] for g in grades) / len(grades)
        text = f"{len(grades)} exercises, mean score {mean:.2f}."
        return Derivation(found["title"], (Grid("", header, cells), Sentence(text)))


def grade_answers(paths: str | Path | Iterable[str | Path]) -> GradeTable:
    """Grade filled answer forms.

    Parameters
    ----------
    paths : str, Path or iterable of them
        The CSV forms that `write_sheets` wrote, with the column value filled.

    Returns
    -------
    GradeTable
        A row for every student and exercise: student, exercise, score, first error, mistake.
        Print it, or take ``records()``, ``to_frame()`` or ``to_csv()``.
    """
    named = [paths] if isinstance(paths, str | Path) else [*paths]
    rows = [row for path in named for row in _graded_form(path)]
    if not rows:
        raise InputError(
            "grade_answers: there are no answers to grade. Pass completed answer forms."
        )
    return GradeTable(tuple(rows))


def _graded_form(path: str | Path) -> list[tuple[str, str, float, str, str]]:
    fields, rows = _read_table(path)
    if missing := [name for name in ("code", "step", "value") if name not in fields]:
        raise InputError(
            f"{path}: the column {missing[0]!r} is missing; the columns are "
            f"{quoted_list(fields)}. Fill in the form that was written with the sheet."
        )
    answers: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        if not (row["code"] or "").strip():  # an empty line of a spreadsheet
            continue
        student = (row.get("student") or "").strip() or as_path(path).stem
        given = answers.setdefault((student, row["code"].strip()), {})
        given[(row["step"] or "").strip()] = row["value"] or ""
    found = []
    for (student, code), given in answers.items():
        try:
            if code.count(":") != 2:
                raise OptionError(
                    f"{short_repr(code)} is not the code of an exercise sheet. Write a code as "
                    "kind:seed:version."
                )
            grade = exercise(code).grade(given)
        except (InputError, OptionError) as error:
            raise InputError(f"{path}: {error}") from None
        found.append((student, code, grade.score, grade.first_error or "", grade.mistake or ""))
    return found
