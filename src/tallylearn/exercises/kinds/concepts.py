"""Exercises on concept learning: Find-S and candidate elimination.

A hypothesis is a value or ? for each attribute, such as (Sunny, ?, High, ?).
"""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

from tallylearn.exercises.exercise import Data, ExerciseKind, ExerciseStep
from tallylearn.workings import Derivation, Grid, Sentence

DOMAINS = (
    ("Sky", ("Sunny", "Rainy")),
    ("Air", ("Warm", "Cold")),
    ("Humidity", ("High", "Normal")),
    ("Wind", ("Strong", "Weak")),
)
Row = tuple[str, ...]


def covers(h: Row, x: Row) -> bool:
    """Whether a hypothesis is positive for a row."""
    return all(a in ("?", b) for a, b in zip(h, x, strict=True))


def generalise(h: Row, x: Row) -> Row:
    """The least general hypothesis that covers both."""
    return tuple(a if a == b else "?" for a, b in zip(h, x, strict=True))


def version_space(rows: list[tuple[Row, str]]) -> list[Row]:
    """All hypotheses with values and ? that agree with every row."""
    spaces = [(*values, "?") for _, values in DOMAINS]
    return [h for h in product(*spaces) if all(covers(h, x) == (label == "+") for x, label in rows)]


def boundary(space: list[Row]) -> list[Row]:
    """The most general hypotheses among some."""
    return [h for h in space if not any(g != h and covers(g, h) for g in space)]


def _draw(random: Random) -> dict[str, Any]:
    """A target with one or two values fixed, and rows that agree with it: three +, two -."""
    while True:
        target = tuple(random.choice((*values, "?", "?")) for _, values in DOMAINS)
        every = [*product(*(values for _, values in DOMAINS))]
        random.shuffle(every)
        plus = [x for x in every if covers(target, x)][:3]
        minus = [x for x in every if not covers(target, x)][:2]
        if len(plus) < 2 or len(minus) < 1:
            continue
        rest = [(x, "+") for x in plus[1:]] + [(x, "-") for x in minus]
        random.shuffle(rest)
        return {"rows": [(plus[0], "+"), *rest]}


def _question(text: str) -> Any:
    def question(data: Data) -> tuple[Grid | Sentence, ...]:
        cells = tuple((str(i + 1), *x, label) for i, (x, label) in enumerate(data["rows"]))
        header = ("row", *(name for name, _ in DOMAINS), "class")
        return (Sentence(text), Grid("", header, cells))

    return question


def _text(h: Row) -> str:
    return "(" + ", ".join(h) + ")"


def _find_s(rows: list[tuple[Row, str]], labels: str = "+") -> Row:
    found = rows[0][0]
    for x, label in rows[1:]:
        found = generalise(found, x) if label in labels else found
    return found


def _last_positive(rows: list[tuple[Row, str]]) -> Row:
    return [x for x, label in rows if label == "+"][-1]


def _find_s_steps(data: Data) -> tuple[ExerciseStep, ...]:
    rows = data["rows"]
    second = next(x for x, label in rows[1:] if label == "+")
    pair = generalise(rows[0][0], second)
    return (
        ExerciseStep(
            "h_after_second",
            "hypothesis after the second positive row, such as (Sunny, ?, High, ?)",
            lambda v: pair,
            {"value of the newest row taken over in place of ?": lambda v: second},
        ),
        ExerciseStep(
            "h",
            "hypothesis after all rows",
            lambda v: _find_s(rows),
            {
                "generalised by a negative row": lambda v: _find_s(rows, "+-"),
                "? for every attribute": lambda v: ("?",) * len(DOMAINS),
                "hypothesis not generalised: the last positive row": lambda v: _last_positive(rows),
            },
        ),
    )


def _find_s_work(data: Data) -> Derivation:
    found = data["rows"][0][0]
    lines = [Sentence(f"h = {_text(found)}, the first positive row.")]
    for number, (x, label) in enumerate(data["rows"][1:], 2):
        if label == "-":
            lines.append(Sentence(f"Row {number} is negative: Find-S ignores it."))
            continue
        found = generalise(found, x)
        lines.append(Sentence(f"Row {number} is positive: h = {_text(found)}."))
    return Derivation("Find-S", tuple(lines))


FIND_S = ExerciseKind(
    name="find-s",
    title="Find-S",
    draw=_draw,
    question=_question("Find-S: which hypothesis is found? The first row is positive."),
    steps=_find_s_steps,
    work=_find_s_work,
)


def _compact(h: Row) -> str:
    return ",".join(h)


def _elimination_steps(data: Data) -> tuple[ExerciseStep, ...]:
    rows = data["rows"]
    space = version_space(rows)
    general = boundary(space)
    unpruned = boundary(version_space([row for row in rows if row[1] == "-"]))
    return (
        ExerciseStep(
            "S",
            "most specific hypothesis, such as (Sunny, ?, High, ?)",
            lambda v: _find_s(rows),
            {
                "S generalised by a negative row": lambda v: _find_s(rows, "+-"),
                "S not generalised: the last positive row": lambda v: _last_positive(rows),
            },
        ),
        ExerciseStep(
            "G",
            "most general hypotheses, such as {Sunny,?,?,? ; ?,Warm,?,?}",
            lambda v: frozenset(map(_compact, general)),
            {
                "negative rows ignored: G stays at (?, ?, ?, ?)": lambda v: frozenset({"?,?,?,?"}),
                "members of G that exclude a positive row are kept": lambda v: frozenset(
                    map(_compact, unpruned)
                ),
            },
        ),
        ExerciseStep(
            "size",
            "number of hypotheses in the version space",
            lambda v: len(space),
            {
                "only the members of S and G counted": lambda v: len({_find_s(rows), *general}),
            },
            0,
        ),
    )


def _elimination_work(data: Data) -> Derivation:
    lines = []
    for end in range(1, len(data["rows"]) + 1):
        rows = data["rows"][:end]
        space = version_space(rows)
        general = ", ".join(map(_text, boundary(space)))
        lines.append(
            Sentence(
                f"After row {end} ({rows[-1][1]}): S = {{{_text(_find_s(rows))}}}, "
                f"G = {{{general}}}, {len(space)} hypotheses."
            )
        )
    return Derivation("Candidate elimination", tuple(lines))


def _draw_elimination(random: Random) -> dict[str, Any]:
    while True:
        data = _draw(random)
        space = version_space(data["rows"])
        if len(space) > len({_find_s(data["rows"]), *boundary(space)}):
            return data


CANDIDATE_ELIMINATION = ExerciseKind(
    name="candidate-elimination",
    title="Candidate elimination",
    draw=_draw_elimination,
    question=_question("Candidate elimination: what are S and G after all rows?"),
    steps=_elimination_steps,
    work=_elimination_work,
)

KINDS = (FIND_S, CANDIDATE_ELIMINATION)
