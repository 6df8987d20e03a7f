"""Exercises of the course notes' kind: seeded, solvable by hand, with solutions and grading."""

from tallylearn.exercises.catalogue import exercise, exercise_kinds
from tallylearn.exercises.exercise import Exercise, Grade

__all__ = ["Exercise", "Grade", "exercise", "exercise_kinds"]
