"""Answers of students: read from text, and compared with the right value.

A number may be written as 0.048, 4.8 %, 6/125 or 0,048; a vector as (1, -2, 0); a set as {a, b}.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from numbers import Real
from typing import Any

from tallylearn.errors import InputError, short_repr

Value = float | Fraction | int | str | tuple[Any, ...] | frozenset[Any]
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+")  # of a whole number: 1,060


def read_answer(given: Any, like: Value) -> Value | None:
    """What a student gave, as a value of the kind of ``like``; None if it is not one of that kind.

    >>> read_answer("3/8", 0.5), read_answer("37,5 %", 0.5), read_answer("(1, -2)", (0, 0))
    (0.375, 0.375, (1.0, -2.0))
    """
    if isinstance(like, frozenset):
        rows = any("," in str(one) for one in like)
        items = (_split_rows if rows else _split)(given) if isinstance(given, str) else given
        if not isinstance(items, Sequence | set | frozenset):
            return None
        return frozenset(_label(one) for one in items if _label(one))
    if isinstance(like, tuple):
        items = _split(given) if isinstance(given, str) else given
        if not isinstance(items, Sequence) or len(items) != len(like):
            return None
        found = [read_answer(one, kind) for one, kind in zip(items, like, strict=True)]
        return None if None in found else tuple(found)
    if isinstance(like, str):
        return _label(given)
    if isinstance(like, int) and isinstance(given, str) and _THOUSANDS.fullmatch(given.strip()):
        return _number(given.replace(",", ""))
    return _number(given)


def equal(given: Value, right: Value, tolerance: float) -> bool:
    """Whether an answer is the right value, numbers up to the tolerance.

    The tolerance of decimals above 100 is relative; counts do not get a wider one.
    """
    if isinstance(right, frozenset):
        return given == frozenset(map(_label, right))
    if isinstance(right, tuple):
        return (
            isinstance(given, tuple)
            and len(given) == len(right)
            and all(equal(a, b, tolerance) for a, b in zip(given, right, strict=True))
        )
    if isinstance(right, str):
        return given == _label(right)
    if not isinstance(given, Real):
        return False
    scale = 1.0 if isinstance(right, int) else max(1.0, abs(float(right)) / 100)
    return abs(float(given) - float(right)) <= tolerance * scale


def text_of(value: Value, digits: int = 3) -> str:
    """A value as a solution prints it."""
    if isinstance(value, frozenset):
        texts = sorted(map(str, value))
        return "{" + ("; " if any("," in text for text in texts) else ", ").join(texts) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(text_of(one, digits) for one in value) + ")"
    if isinstance(value, str):
        return value
    if isinstance(value, Fraction) and value.denominator <= 1000:
        return str(value)
    rounded = round(float(value), digits)
    return f"{rounded + 0.0:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{rounded:g}"


def read_answers(given: Any) -> dict[str, Any]:
    """Answers by step: a mapping, JSON, a CSV form, or lines of text such as ``gain = 0.048``.

    A single value gets the name "". Steps with an empty value are left out.

    >>> read_answers('{"gain": 0.048}'), read_answers("step,value\\ngain,6/125")
    ({'gain': 0.048}, {'gain': '6/125'})
    """
    if hasattr(given, "items"):
        return {str(name): value for name, value in given.items() if not _empty(value)}
    if isinstance(given, str):
        found = _read_json(given) or _read_form(given) or _read_lines(given)
        if found:
            return found
        if given.strip() and "\n" not in given.strip():
            return {"": given.strip()}  # one value: that of the last step
    elif isinstance(given, Real | tuple | list | set | frozenset):
        return {"": given}
    raise InputError(
        f"grade: the answer is {short_repr(given, 80)}. Give a dict such as {{'gain': 0.048}}, or "
        "lines such as 'gain = 0.048'."
    )


def _read_json(text: str) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        if isinstance(found, dict):
            return {name: value for name, value in found.items() if not _empty(value)}
    return {}


def _read_form(text: str) -> dict[str, Any]:
    """The values of a CSV form with the columns step and value."""
    lines = text.strip().splitlines()
    delimiter = ";" if lines and ";" in lines[0] else ","  # spreadsheets of some countries
    with suppress(csv.Error):
        rows = csv.DictReader(lines, delimiter=delimiter)
        if {"step", "value"} <= {*(rows.fieldnames or ())}:
            filled = [row for row in rows if row["step"] and not _empty(row["value"])]
            return {row["step"].strip(): row["value"].strip() for row in filled}
    return {}


def _read_lines(text: str) -> dict[str, Any]:
    found = {}
    for line in text.splitlines():
        name, sign, value = line.partition("=" if "=" in line else ":")
        if sign and value.strip():
            found[name.strip()] = value.strip()
    return found


def _empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _number(given: Any) -> float | None:
    if isinstance(given, bool) or given is None:
        return None
    if isinstance(given, Real):
        return float(given) if math.isfinite(given) else None
    text = str(given).strip().replace("−", "-").replace(" ", "")
    percent = text.endswith("%")
    above, slash, below = text.removesuffix("%").partition("/")
    try:
        value = _plain(above) / (_plain(below) if slash else 1.0)
    except (ValueError, ZeroDivisionError):
        return None
    if not math.isfinite(value):
        return None
    return value / 100 if percent else value


def _plain(text: str) -> float:
    sign, inner = (-1.0, text[1:]) if text.startswith("-") else (1.0, text)
    root = re.fullmatch(r"sqrt\((.*)\)|√(.*)", inner)
    if root:
        return sign * math.sqrt(_plain(root[1] or root[2]))
    if not _NUMBER.fullmatch(inner):
        raise ValueError(text)
    return sign * float(inner.replace(",", "."))


def _split(text: str) -> list[str]:
    inner = text.strip().strip("()[]{}<>")
    parts = inner.split(";") if ";" in inner else re.split(r"\s*,\s*|\s+", inner.strip())
    return [part.strip() for part in parts if part.strip()]


def _split_rows(text: str) -> list[str]:
    """Members of a set that have commas themselves: <a, ?> <?, b>, or a,? ; ?,b."""
    inner = text.strip().strip("{}")
    return re.findall(r"[<(\[]([^<>()\[\]]*)[>)\]]", inner) or inner.split(";")


def _label(given: Any) -> str:
    text = re.sub(r"\s+", " ", str(given)).strip().strip("'\"").casefold()
    return re.sub(r"\s*,\s*", ",", text)
