"""An exercise: named steps, each a function of the data and of the steps before it.

Grading goes through the steps in order. A step is right if it follows from the student's own
earlier values, so one mistake costs one step. A wrong value is compared with what the typical
mistakes would give, and the first that fits is named.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

from tallylearn.errors import InputError, quoted_list
from tallylearn.exercises.answers import Value, equal, read_answer, read_answers, text_of
from tallylearn.reporting.report import Report
from tallylearn.workings import Derivation, Grid, Sentence
from tallylearn.workings.derivations import read_derivation

Data = Mapping[str, Any]
Rule = Callable[..., Any]  # of the data and the values of earlier steps
MAX_DRAWS = 2_000  # random data that are tried until all mistakes of a kind can be told apart
VERSION = 1  # of the generators: a sheet's code names it


@dataclass(frozen=True)
class ExerciseStep:
    """A value to find: its name, what is asked, how it follows, and typical mistakes.

    ``mistakes`` maps a description, such as 'natural logarithm used in place of log2', to the
    function that makes the mistake. The functions get the data and the values of earlier steps.
    """

    name: str
    prompt: str
    rule: Rule
    mistakes: Mapping[str, Rule] = field(default_factory=dict)
    digits: int = 3

    @property
    def tolerance(self) -> float:
        """One unit of the last digit that is asked for, since earlier values may be rounded.

        Whole numbers (no digits) must be exact.
        """
        return 1.001 * 10.0**-self.digits if self.digits else 0.3


@dataclass(frozen=True)
class ExerciseKind:
    """A kind of exercise: how its data are drawn, and the steps of its solution."""

    name: str
    title: str
    draw: Callable[[Random], dict[str, Any]]
    question: Callable[[Data], tuple[Grid | Sentence, ...]]
    steps: Callable[[Data], tuple[ExerciseStep, ...]]
    work: Callable[[Data], Any]  # the library's own working of the same data


@dataclass(frozen=True)
class StepGrade:
    """The grade of one step."""

    name: str
    given: str
    expected: str
    right: bool
    remark: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Grade(Report):
    """The grade of an answer.

    Attributes
    ----------
    score : float
        Share of the steps that are right, from 0 to 1.
    first_error : str or None
        The name of the first step that is wrong.
    mistake : str or None
        The typical mistake that explains it, if one does.
    steps : tuple of StepGrade
        Every step with what was given and what was expected from the values before it.
    """

    score: float
    first_error: str | None
    mistake: str | None
    steps: tuple[StepGrade, ...]
    title: str = "Grade"

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "score": self.score,
            "first_error": self.first_error,
            "mistake": self.mistake,
            "steps": [vars(step) for step in self.steps],
        }

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        cells = tuple(
            (s["name"], s["given"] or "-", s["expected"], "right" if s["right"] else "wrong",
             s["remark"])
            for s in found["steps"]
        )  # fmt: skip
        grid = Grid("", ("step", "given", "expected", "", ""), cells)
        lines = [Sentence(f"Score {found['score']:.2f} of 1.")]
        if found["first_error"]:
            reason = f": {found['mistake']}" if found["mistake"] else ""
            lines.append(Sentence(f"First error: {found['first_error']}{reason}."))
        return Derivation(found["title"], (grid, *lines))


@dataclass(frozen=True, eq=False, repr=False)
class Exercise(Report):
    """An exercise with its data drawn.

    Attributes
    ----------
    kind : ExerciseKind
        What is asked.
    seed : int
        The seed of the data: the same kind and seed give the same exercise.
    """

    kind: ExerciseKind
    seed: int

    @property
    def code(self) -> str:
        """The code of a sheet, which ``tl.exercise`` takes: kind, seed and version."""
        return f"{self.kind.name}:{self.seed}:{VERSION}"

    @cached_property
    def data(self) -> dict[str, Any]:
        """The numbers of the exercise."""
        random = Random(f"{self.kind.name}:{self.seed}:{VERSION}")
        for _ in range(MAX_DRAWS):
            data = self.kind.draw(random)
            if _distinguishable(self.kind.steps(data), data):
                return data
        raise InputError(  # pragma: no cover
            f"exercise: the generator found no suitable data for {self.kind.name}."
        )

    @property
    def question(self) -> Derivation:
        """What is asked: the data, and the values to find."""
        asked = tuple((step.name, step.prompt, self._precision(step)) for step in self.steps)
        wanted = Grid("Find", ("step", "", ""), asked)
        code = Sentence(f"Code of this exercise: {self.code}")
        return Derivation(self.kind.title, (*self.kind.question(self.data), wanted, code))

    @cached_property
    def steps(self) -> tuple[ExerciseStep, ...]:
        """The values to find, in order."""
        return self.kind.steps(self.data)

    @cached_property
    def values(self) -> dict[str, Value]:
        """The right value of every step."""
        return _solve(self.steps, self.data)

    @property
    def solution(self) -> Derivation:
        """The right values, and the working of the library on the same data."""
        cells = tuple(
            (step.name, text_of(self.values[step.name], step.digits)) for step in self.steps
        )
        work = self.kind.work(self.data)
        return Derivation(
            f"Solution: {self.kind.title}",
            (Grid("", ("step", "value"), cells), *_steps_of(work)),
        )

    def to_dict(self) -> dict[str, Any]:
        """The question, as data."""
        return self.question.to_dict() | {"code": self.code}

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        return read_derivation(found)

    def to_csv(self) -> str:
        """A form to fill in: a line for every step, with an empty value."""
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(("code", "step", "prompt", "value"))
        rows.writerows((self.code, step.name, step.prompt, "") for step in self.steps)
        return text.getvalue()

    def key(self) -> dict[str, str]:
        """The right values as text, by step."""
        return {step.name: text_of(self.values[step.name], step.digits) for step in self.steps}

    def mistakes(self) -> dict[str, dict[str, Value]]:
        """What each typical mistake gives for all steps, if it is made wherever it can be."""
        names = dict.fromkeys(name for step in self.steps for name in step.mistakes)
        return {name: _solve(self.steps, self.data, name) for name in names}

    def grade(self, answer: Any) -> Grade:
        """Grade an answer.

        Parameters
        ----------
        answer : mapping, str, or number
            Values by the names of the steps, some or all: a dict, JSON, the filled form of
            ``to_csv()``, lines such as ``gain = 0.048``, or one value for the last step. Numbers
            may be fractions, decimals or percentages.

        Returns
        -------
        Grade
            ``score`` from 0 to 1, ``first_error``, ``mistake`` and ``steps``. A step that was left
            out counts as right if a later one that follows from it is right.

        Examples
        --------
        >>> import tallylearn as tl
        >>> exercise = tl.exercise("entropy", seed=7)
        >>> exercise.grade(exercise.key()).score
        1.0
        """
        given = read_answers(answer)
        if "" in given:
            given = {self.steps[-1].name: given[""]}
        if unknown := [name for name in given if name not in self.values]:
            raise InputError(
                f"grade: there is no step {unknown[0]!r}. The steps are "
                f"{quoted_list([step.name for step in self.steps])}."
            )
        return _graded(self, given)

    def _precision(self, step: ExerciseStep) -> str:
        """How exact a number must be; empty for labels and sets."""
        value = self.values[step.name]
        first = next(iter(value), "") if isinstance(value, tuple) else value
        if isinstance(first, str | frozenset | tuple):
            return ""
        return f"{step.digits} decimals" if step.digits else "exact"


def _solve(
    steps: tuple[ExerciseStep, ...], data: Data, mistake: str | None = None
) -> dict[str, Value]:
    """The values of all steps; with a mistake made wherever it can be."""
    values = dict(data)
    for step in steps:
        rule = step.mistakes.get(mistake, step.rule) if mistake else step.rule
        values[step.name] = rule(values)
    return {step.name: values[step.name] for step in steps}


def _distinguishable(steps: tuple[ExerciseStep, ...], data: Data) -> bool:
    """Whether every mistake shows where it is first made, and no two give the same value there."""
    right = _solve(steps, data)
    known = dict(data) | right
    seen: set[str] = set()
    for step in steps:
        values = [right[step.name]]
        for name, rule in step.mistakes.items():
            wrong = rule(known)
            if name in seen:
                continue
            seen.add(name)
            if any(equal(_as_answer(wrong), one, 3 * step.tolerance) for one in values):
                return False
            values.append(wrong)
    return True


def _as_answer(value: Value) -> Value:
    """A value as a student would give it: labels compare without case."""
    return (
        read_answer(value, value) or value if isinstance(value, str | tuple | frozenset) else value
    )


def _graded(exercise: Exercise, given: dict[str, Any]) -> Grade:
    # The student's values are carried forward twice: as given, which is rounded, and as they were
    # before rounding, where a rule or a typical mistake says what that was.
    values: dict[str, Any] = dict(exercise.data)
    unrounded: dict[str, Any] = dict(exercise.data)
    found: list[StepGrade] = []
    skipped: list[int] = []  # steps left out since the last one that was given
    first, mistake = None, None
    for step in exercise.steps:
        name, truth = step.name, exercise.values[step.name]
        expected = _follow(step.rule, values, truth)
        shown = text_of(expected, step.digits)
        candidates = (_follow(step.rule, unrounded, truth), truth, expected)
        if name not in given:
            values[name], unrounded[name] = expected, candidates[0]
            skipped.append(len(found))
            found.append(StepGrade(name, "", shown, False, "left out"))
            continue
        text, answer = _text(given[name]), read_answer(given[name], truth)
        if answer is None:
            first = first or name
            values[name], unrounded[name] = expected, candidates[0]
            found.append(StepGrade(name, text, shown, False, "cannot be read"))
        elif fitting := [one for one in candidates if equal(answer, one, step.tolerance)]:
            for at in skipped:
                found[at] = StepGrade(found[at].name, "", found[at].expected, True, "left out")
            values[name], unrounded[name] = answer, fitting[0]
            found.append(StepGrade(name, text, shown, True))
        else:
            chain = [*(exercise.steps[at] for at in skipped), step]
            starts = (values, unrounded, dict(exercise.data) | exercise.values)
            why, made = _explain(chain, answer, starts, exercise.values)
            if first is None:
                first, mistake = name, why
            values[name] = answer
            unrounded |= made or {name: answer}
            found.append(StepGrade(name, text, shown, False, why or ""))
        skipped = []
    if first is None:
        first = next((one.name for one in found if not one.right), None)
    score = sum(one.right for one in found) / len(found)
    return Grade(score, first, mistake, tuple(found), f"Grade: {exercise.kind.title}")


def _follow(rule: Rule, values: Data, truth: Value) -> Value:
    """What a rule gives for a student's values; the right value if they make it impossible."""
    try:
        return rule(values)  # type: ignore[no-any-return]
    except (ArithmeticError, ValueError):  # a share of 0 as a divisor, a negative variance
        return truth


def _text(given: Any) -> str:
    return text_of(given, 6) if isinstance(given, float | tuple | frozenset) else str(given)


def _explain(
    chain: list[ExerciseStep],
    answer: Value,
    starts: tuple[dict[str, Any], ...],
    truth: dict[str, Value],
) -> tuple[str | None, dict[str, Value]]:
    """The typical mistake that gives this answer, and the values of the steps that it gives.

    It is made wherever it can be in the chain, or in one step of it. All steps of the chain but
    the last were left out.
    """
    last = chain[-1]
    places = [chain] if len(chain) == 1 else [chain, *([step] for step in chain)]
    for name in dict.fromkeys(name for step in chain for name in step.mistakes):
        for start, wrong in product(starts, places):
            values = dict(start)
            for step in chain:
                rule = step.mistakes.get(name, step.rule) if step in wrong else step.rule
                values[step.name] = _follow(rule, values, truth[step.name])
            if equal(answer, values[last.name], last.tolerance):
                return name, {step.name: values[step.name] for step in chain}
    return None, {}


def _steps_of(work: Any) -> tuple[Any, ...]:
    if isinstance(work, Derivation):
        return work.steps
    if hasattr(work, "show_work"):
        return _steps_of(work.show_work())
    if hasattr(work, "report"):
        return _steps_of(work.report())
    if isinstance(work, tuple | list):
        return tuple(step for one in work for step in _steps_of(one))
    return (work,)
