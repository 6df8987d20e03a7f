"""Exercises of the course notes' kind: seeded, solvable by hand, with solutions and grading."""

from tallylearn.exercises.catalogue import exercise, exercise_kinds
from tallylearn.exercises.exercise import Exercise, Grade
from tallylearn.exercises.exports import moodle_xml, nbgrader_notebook
from tallylearn.exercises.sheets import GradeTable, grade_answers, write_sheets

__all__ = [
    "Exercise",
    "Grade",
    "GradeTable",
    "exercise",
    "exercise_kinds",
    "grade_answers",
    "moodle_xml",
    "nbgrader_notebook",
    "write_sheets",
]
