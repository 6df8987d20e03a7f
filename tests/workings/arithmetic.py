"""Recompute the equations of a working from the numbers that they print."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable
from typing import Any

NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.]|,\d)")
NAMES = {
    "sqrt": math.sqrt, "ln": math.log, "log2": math.log2, "abs": abs, "max": max, "exp": math.exp,
    "pi": math.pi,
}  # fmt: skip
CODE = {"·": "*", "²": "**2", "³": "**3", "^": "**", "−": "-", "π": "pi", "½": "(1/2)"}


def python_code(side: str) -> str | None:
    """One side of an equation as Python; None where it is words or symbols."""
    text = re.sub(r"\|([^|]+)\|", r"abs(\1)", side)
    text = re.sub(r"(?<![\w.])e\^\(", "exp(", text)
    text = NUMBER.sub(lambda m: m[0].replace(",", "") if "," in m[0] else m[0], text)
    for sign, code in CODE.items():
        text = text.replace(sign, code)
    rest = NUMBER.sub("", text)
    words = {*re.findall(r"[^\W\d]+\d*", rest)}
    return None if words - {*NAMES} or "Σ" in text or "%" in text else text


def rounding(written: str) -> float:
    """How far a number of four digits, or more, may be from the number behind it."""
    digits = written.replace(",", "").partition("e")[0].replace(".", "").lstrip("0")
    value = abs(float(written.replace(",", "")))
    if not value:
        return 0.0
    shown = max(len(digits), 4)
    return 0.5 * 10.0 ** (math.floor(math.log10(value)) + 1 - shown)


def value_and_error(side: str) -> tuple[float, float] | None:
    """The value of a side, and how far the rounding of its numbers may move it."""
    code = python_code(side)
    if code is None:
        return None
    value = float(eval(code, dict(NAMES)))
    error = 0.0
    for found in NUMBER.finditer(code):
        if code[: found.start()].endswith("**"):
            continue
        for sign in (1, -1):
            moved = repr(float(found[0]) + sign * rounding(found[0]))
            try:
                other = float(
                    eval(code[: found.start()] + moved + code[found.end() :], dict(NAMES))
                )
            except ValueError:  # a root of a number just below 0
                continue
            error += abs(other - value) / 2
    return value, error


def check_equation(text: str) -> bool:
    """All sides of an equation that are numbers are equal; False where there are less than two."""
    sides = re.split(r"(?<![<>]) = ", text)
    found = [(side, pair) for side in sides if (pair := value_and_error(side)) is not None]
    for (side, (value, error)), (other, (result, slack)) in itertools.pairwise(found):
        allowed = 1.05 * (error + slack) + 1e-12 * max(abs(value), 1.0)
        assert abs(value - result) <= allowed, f"{side} is {value}, not {other}: {text}"
    return len(found) > 1


def check_working(steps: Iterable[Any]) -> int:
    """Check every formula, and every cell of a grid with an equation; how many there were."""
    checked = 0
    for step in steps:
        data = step.to_dict()
        texts = [data["text"]] if data["kind"] == "formula" else []
        if data["kind"] == "grid":
            texts = [cell for row in data["rows"] for cell in row if " = " in cell]
        checked += sum(map(check_equation, texts))
    return checked


def check_explanation(explanation: Any) -> int:
    """Check the working of every row that is explained, and that its lines are short."""
    checked = 0
    for row in explanation:
        checked += check_working((*row.preparation, *row.working))
        assert max(map(len, str(row).splitlines())) <= 80, str(row)
        assert row.to_markdown()
        assert row.to_html().startswith("<div")
    return checked
