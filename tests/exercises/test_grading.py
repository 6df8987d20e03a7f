"""Grading: the key and its equivalent forms are right; typical mistakes are found and named."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

import tallylearn as tl
from tallylearn.errors import InputError, OptionError, TallyError
from tallylearn.exercises.answers import read_answer, text_of
from tallylearn.exercises.exercise import Exercise
from tests.soak import SOAK

SEEDS = range(1000 if SOAK else 10)
KINDS = tl.exercise_kinds()
WILD: tuple[Any, ...] = (
    "0", "-1", "1e300", "1e999", "nan", "1/0", "?", "%", "(0, 0, 0)", "(0, 0)", "{}", "sqrt(-4)",
    "√2", "a" * 9_999, 0, -5.5, float("nan"), float("inf"), True, [],
)  # fmt: skip
MAX_LINE = 100  # characters of a line of a solution


def exercises(kind: str) -> Iterator[Exercise]:
    return (tl.exercise(kind, seed) for seed in SEEDS)


def filled_form(exercise: Exercise, answers: dict[str, Any]) -> str:
    """The CSV form of an exercise, with the values written in."""
    rows = [*csv.DictReader(io.StringIO(exercise.to_csv()))]
    text = io.StringIO()
    form = csv.DictWriter(text, rows[0].keys())
    form.writeheader()
    form.writerows(row | {"value": answers.get(row["step"], "")} for row in rows)
    return text.getvalue()


def spaced(value: str) -> str:
    return "  " + value.replace(",", " ,  ") + " "


def other_forms(value: Any, digits: int) -> list[str]:
    """A value as other students would write it."""
    if isinstance(value, tuple):
        parts = [other_forms(one, digits) for one in value]
        return ["; ".join(part[0] for part in parts), f"[{', '.join(part[1] for part in parts)}]"]
    if isinstance(value, frozenset):
        names = sorted(map(str, value), reverse=True)
        rows = any("," in name for name in names)
        return [" ".join(f"<{name}>" for name in names) if rows else ", ".join(names).lower()]
    if isinstance(value, str):
        return [value.upper(), f" {value} "]
    number = float(value)
    found = [f"{number:.{digits}f}".replace(".", ","), repr(number), f"{number:.{digits}f}"]
    if digits:
        ratio = Fraction(value).limit_denominator(10**6)
        found += [f"{100 * number:.{digits}f} %", f"{ratio.numerator} / {ratio.denominator}"]
    else:
        found += [f"{value:,}"]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_key_is_right_in_every_form(kind: str) -> None:
    for exercise in exercises(kind):
        key = exercise.key()
        answers: list[Any] = [
            key,
            exercise.values,
            "\n".join(f"{name} = {value}" for name, value in key.items()),
            "\n".join(f"{name}: {value}" for name, value in key.items()),
            "\n".join(f" {name}={spaced(value)}" for name, value in key.items()),
            json.dumps(key),
            filled_form(exercise, key),
            filled_form(exercise, key).replace("\r\n", "\n"),
        ]
        for answer in answers:
            assert exercise.grade(answer).score == 1, (exercise.code, answer)


@pytest.mark.parametrize("kind", KINDS)
def test_equivalent_forms_are_right(kind: str) -> None:
    for exercise in exercises(kind):
        key = exercise.key()
        for step in exercise.steps:
            for form in other_forms(exercise.values[step.name], step.digits):
                grade = exercise.grade(key | {step.name: form})
                assert grade.score == 1, (exercise.code, step.name, form, grade.first_error)


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_step_alone_is_enough(kind: str) -> None:
    for exercise in exercises(kind):
        last = exercise.steps[-1].name
        for answer in (exercise.values[last], exercise.key()[last], {last: exercise.key()[last]}):
            grade = exercise.grade(answer)
            assert (grade.score, grade.first_error) == (1, None), exercise.code
            assert {step.remark for step in grade.steps[:-1]} == {"left out"}


@pytest.mark.parametrize("kind", KINDS)
def test_steps_that_are_left_out_are_right_if_a_later_one_is(kind: str) -> None:
    for exercise in exercises(kind):
        key = exercise.key()
        for left_out in key:
            grade = exercise.grade({name: key[name] for name in key if name != left_out})
            is_last = left_out == exercise.steps[-1].name
            assert grade.first_error == (left_out if is_last else None)
            assert grade.score == pytest.approx(1 - is_last / len(key))


@pytest.mark.parametrize("kind", KINDS)
def test_every_typical_mistake_is_found_and_named(kind: str) -> None:
    for exercise in exercises(kind):
        planted = exercise.mistakes()
        assert len(planted) >= 3
        digits = {step.name: step.digits for step in exercise.steps}
        for mistake, values in planted.items():
            rounded = {name: text_of(value, digits[name]) for name, value in values.items()}
            first = next(step.name for step in exercise.steps if mistake in step.mistakes)
            for answer in (values, rounded):
                grade = exercise.grade(answer)
                assert grade.mistake == mistake, (exercise.code, answer)
                assert grade.first_error == first
                assert mistake in " ".join(str(grade).split())
                places = sum(mistake in step.mistakes for step in exercise.steps)
                assert 1 <= sum(not step.right for step in grade.steps) <= places


@pytest.mark.parametrize("kind", KINDS)
def test_one_mistake_costs_one_step(kind: str) -> None:
    """The mistake is made once, and all later values follow from it."""
    for exercise in exercises(kind):
        for at, step in enumerate(exercise.steps):
            for mistake, rule in step.mistakes.items():
                values: dict[str, Any] = dict(exercise.data)
                for place, one in enumerate(exercise.steps):
                    values[one.name] = (rule if place == at else one.rule)(values)
                answer = {one.name: values[one.name] for one in exercise.steps}
                grade = exercise.grade(answer)
                wrong = [one.name for one in grade.steps if not one.right]
                assert wrong in ([step.name], []), (exercise.code, mistake)
                assert grade.score == pytest.approx(1 - len(wrong) / len(exercise.steps))


@pytest.mark.parametrize("kind", KINDS)
def test_a_mistake_shows_in_the_last_step_alone(kind: str) -> None:
    """Where the steps before it are left out, the mistake in one of them is named."""
    for exercise in exercises(kind):
        last = exercise.steps[-1]
        for rule in last.mistakes.values():
            grade = exercise.grade({last.name: rule(exercise.data | exercise.values)})
            assert grade.first_error == last.name
            assert grade.mistake is not None


@pytest.mark.parametrize("kind", KINDS)
def test_all_forms_are_written_and_lines_are_short(kind: str) -> None:
    for exercise in exercises(kind):
        grade = exercise.grade(exercise.key())
        for report in (exercise, exercise.question, exercise.solution, grade):
            assert max(map(len, str(report).splitlines())) <= MAX_LINE
            assert report.to_markdown()
            assert report.to_html()
            assert report.to_json()
            again = type(report).report_of(json.loads(report.to_json()))
            assert str(again) == str(report)
        assert exercise.code in str(exercise)
        assert exercise.code in exercise.to_csv()
        assert exercise.code not in str(exercise.solution)
        for value in exercise.key().values():
            assert value in str(exercise.solution)


@pytest.mark.parametrize("kind", KINDS)
def test_wild_answers_get_a_grade(kind: str) -> None:
    exercise = tl.exercise(kind, 1)
    for wild in WILD:
        answer = dict.fromkeys(exercise.values, wild)
        grade = exercise.grade(answer)
        assert 0 <= grade.score < 1
        assert str(grade)
        assert grade.to_json()
        for name, value in exercise.key().items():
            assert exercise.grade(answer | {name: value}).score >= 1 / len(answer)


def test_the_same_seed_gives_the_same_exercise_in_another_process() -> None:
    code = (
        "import tallylearn as tl\n"
        "for kind in tl.exercise_kinds():\n"
        "    for seed in (0, 7):\n"
        "        one = tl.exercise(kind, seed)\n"
        "        print(one, one.key())\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    ours = [tl.exercise(kind, seed) for kind in KINDS for seed in (0, 7)]
    assert run.stdout == "".join(f"{one} {one.key()}\n" for one in ours)


def test_other_seeds_give_other_exercises_and_the_code_the_same() -> None:
    for kind in KINDS:
        found = {str(tl.exercise(kind, seed).data) for seed in range(20)}
        assert len(found) >= 15
        exercise = tl.exercise(kind, 3)
        assert tl.exercise(exercise.code).data == exercise.data


def test_whole_numbers_are_exact() -> None:
    for seed in range(20):
        exercise = tl.exercise("sample-complexity", seed)
        m = exercise.values["m"]
        assert isinstance(m, int)
        assert exercise.grade({"m": f"{m:,}"}).score == 1
        assert exercise.grade({"m": m + 1}).first_error == "m"


def test_a_hypothesis_has_one_best_answer() -> None:
    for exercise in exercises("map-ml"):
        k, n = exercise.data["heads"], exercise.data["n"]
        like = [t**k * (1 - t) ** (n - k) for t in exercise.data["theta"].values()]
        assert like.count(max(like)) == 1


@pytest.mark.parametrize(
    ("given", "like", "value"),
    [
        ("37,5 %", 0.5, 0.375),
        ("3/8", 0.5, 0.375),
        ("−2", 1.0, -2.0),
        (".5", 1.0, 0.5),
        ("1,060", 3, 1060.0),
        ("1,060", 3.5, 1.06),
        ("sqrt(2)/2", 1.0, 2**0.5 / 2),
        ("(1; -2)", (0, 0), (1.0, -2.0)),
        ("1 -2", (0, 0), (1.0, -2.0)),
        ("A B", frozenset("A"), frozenset("ab")),
        ("{<a, ?> <?, b>}", frozenset({"a,?"}), frozenset({"a,?", "?,b"})),
        ("many", 1.0, None),
        ("(1, 2)", (0, 0, 0), None),
        (None, 1.0, None),
        (True, 1.0, None),
        (3, frozenset("A"), None),
    ],
)
def test_an_answer_is_read(given: Any, like: Any, value: Any) -> None:
    assert read_answer(given, like) == value


@pytest.mark.parametrize("answer", [None, "", " \n ", "no\nsteps", object(), b"p = 1"])
def test_an_answer_that_cannot_be_read_is_refused(answer: Any) -> None:
    with pytest.raises(InputError, match=r"grade: .*gain = 0.048"):
        tl.exercise("entropy").grade(answer)


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(InputError, match=r"'gain'.*'p'.*'entropy'"):
        tl.exercise("entropy").grade({"gain": 1})
    assert tl.exercise("entropy").grade({}).score == 0


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        (("entrpy",), "'entrpy'.*'entropy'"),
        ((None,), "None"),
        (("entropy:x:1",), "entropy:x:1.*kind:seed:version"),
        (("entropy:3:99",), "99"),
        (("entropy", -1), "-1"),
        (("entropy", 2**31), "2147483648"),
        (("entropy", True), "True"),
        (("entropy", "3"), "'3'"),
    ],
)
def test_bad_input_gets_our_errors(arguments: tuple[Any, ...], facts: str) -> None:
    with pytest.raises(OptionError, match=facts) as caught:
        tl.exercise(*arguments)
    assert isinstance(caught.value, TallyError)
