"""Exercises for other programs: Moodle XML, and the source notebook of an nbgrader assignment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any
from xml.sax.saxutils import escape

from tallylearn.exercises.answers import Value, text_of
from tallylearn.exercises.exercise import Exercise, ExerciseStep
from tallylearn.reporting.formatting import escape_html

NBGRADER_SCHEMA = 3  # the version of the cell metadata that nbgrader 0.6 and later read


def moodle_xml(exercises: Sequence[Exercise]) -> str:
    """Exercises as Moodle XML: a question with embedded answers (Cloze) for each.

    Every step is a field worth one point. A typical mistake is a wrong answer with feedback.
    Moodle compares each field with the key: it does not carry a student's values forward.

    Parameters
    ----------
    exercises : sequence of Exercise
        What to export.

    Returns
    -------
    str
        The text of the XML file, for "Import questions" in Moodle.
    """
    questions = []
    for exercise in exercises:
        fields = "".join(
            f"<p>{escape_html(step.prompt)}: {_fields(exercise, step)}</p>"
            for step in exercise.steps
        )
        body = "".join(part.to_html() for part in exercise.kind.question(exercise.data))
        questions.append(
            f'<question type="cloze">\n<name><text>{escape(exercise.code)}</text></name>\n'
            f'<questiontext format="html"><text>{escape(body + fields)}</text></questiontext>\n'
            '<generalfeedback format="html"><text>'
            f"{escape(exercise.solution.to_html())}</text></generalfeedback>\n</question>\n"
        )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n{"".join(questions)}</quiz>\n'


def _fields(exercise: Exercise, step: ExerciseStep) -> str:
    """The fields of a step: one for a number or a label, several for a vector of numbers."""
    right = exercise.values[step.name]
    known = exercise.data | exercise.values
    wrong = {name: rule(known) for name, rule in step.mistakes.items()}
    if not isinstance(right, tuple) or isinstance(right[0], str):
        return _field(right, wrong, step)
    parts = [
        _field(one, {name: value[at] for name, value in wrong.items()}, step)
        for at, one in enumerate(right)
    ]
    return f"({', '.join(parts)})"


def _field(right: Value, wrong: dict[str, Any], step: ExerciseStep) -> str:
    if isinstance(right, str | tuple | frozenset):
        answers = [f"={_escape_cloze(text)}" for text in _spellings(right)]
        answers += [
            f"%0%{_escape_cloze(text_of(value))}#{_escape_cloze(name)}"
            for name, value in wrong.items()
        ]
        return f"{{1:SHORTANSWER:{'~'.join(answers)}}}"
    answers = [f"={_decimal(right)}:{step.tolerance:.4g}"]
    answers += [
        f"%0%{_decimal(value)}:{step.tolerance:.4g}#{_escape_cloze(name)}"
        for name, value in wrong.items()
        if abs(float(value) - float(right)) > step.tolerance
    ]
    return f"{{1:NUMERICAL:{'~'.join(answers)}}}"


def _spellings(value: Value) -> list[str]:
    """Usual ways to write a label, a hypothesis or a set, for a comparison of texts."""
    text = text_of(value)
    if isinstance(value, str):
        return [text]
    return [*dict.fromkeys((text, text.replace(" ", ""), text.strip("(){}")))]


def _decimal(value: float | Fraction | int) -> str:
    return f"{float(value):.7g}"


def _escape_cloze(text: str) -> str:
    for sign in "\\}#~":
        text = text.replace(sign, f"\\{sign}")
    return escape_html(text)


def nbgrader_notebook(exercises: Sequence[Exercise], title: str = "Exercises") -> str:
    """Exercises as the source notebook of an nbgrader assignment.

    ``nbgrader generate_assignment`` removes the solutions. Every step is worth one point and is
    graded by tallylearn, with the student's values carried forward.

    Parameters
    ----------
    exercises : sequence of Exercise
        What to export.
    title : str, default="Exercises"
        The heading of the notebook.

    Returns
    -------
    str
        The text of the .ipynb file.
    """
    cells = [_cell("markdown", f"# {title}", "title")]
    for number, exercise in enumerate(exercises, 1):
        name, answers = f"exercise-{number}", f"answers_{number}"
        empty = "".join(f"    {step.name!r}: None,\n" for step in exercise.steps)
        key = "".join(f"    {step!r}: {value!r},\n" for step, value in exercise.key().items())
        cells += [
            _cell("markdown", exercise.to_markdown(), f"{name}-question"),
            _cell(
                "code",
                f"{answers} = {{\n{empty}}}\n"
                f"### BEGIN SOLUTION\n{answers} = {{\n{key}}}\n### END SOLUTION",
                f"{name}-answer",
                solution=True,
            ),
            _cell(
                "code",
                "import tallylearn as tl\n\n"
                f"grade_{number} = tl.exercise({exercise.code!r}).grade({answers})\n"
                f"steps_{number} = {{step.name: step for step in grade_{number}.steps}}",
                f"{name}-grade",
            ),
        ]
        cells += [
            _cell(
                "code",
                f"assert steps_{number}[{step.name!r}].right, steps_{number}[{step.name!r}].remark",
                f"{name}-{step.name}",
                points=1,
            )
            for step in exercise.steps
        ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _cell(
    kind: str, source: str, grade_id: str, solution: bool = False, points: int = 0
) -> dict[str, Any]:
    """A cell with the metadata of nbgrader: read-only, a solution, or a test with points."""
    nbgrader: dict[str, Any] = {
        "grade": bool(points),
        "grade_id": grade_id,
        "locked": not solution,
        "schema_version": NBGRADER_SCHEMA,
        "solution": solution,
        "task": False,
    }
    if points:
        nbgrader["points"] = points
    cell = {"cell_type": kind, "metadata": {"nbgrader": nbgrader}, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
