"""Origins: a category stays what it was learned as, text, numbers or truth values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, quoted_list
from tallylearn.sources.arrow.types import is_string_type
from tallylearn.sources.files.csv.cell_errors import as_code
from tallylearn.tables import Codes, Column, Start, plain, row_number

TRUTHS = {"false": "False", "0": "False", "true": "True", "1": "True"}
_WORDS = {"text": "text", "number": "numbers", "truth": "truth values", "date": "dates"}
_REMEDIES = {
    "text": "Pass the values as text.",
    "number": "Pass numbers.",
    "truth": "Pass True or False, or 1 and 0.",
}


def origin_of(kind: Any) -> str:
    """What the values of an Arrow type are: text, number, truth, date, or the type's own name."""
    import pyarrow.types as is_

    kind = kind.value_type if is_.is_dictionary(kind) else kind
    if is_.is_integer(kind) or is_.is_floating(kind) or is_.is_decimal(kind):
        return "number"
    if is_.is_boolean(kind):
        return "truth"
    if is_.is_temporal(kind):
        return "date"
    return "text" if is_string_type(kind) else str(kind)


def codes_as_learned(learned: Column, origin: str, codes: Codes, start: Start = 0) -> Codes:
    """Categories of some origin as the learned column has them, or an error.

    0 and 1 are truth values, and so are the words for them; text that reads as a number is one.
    A declared column takes anything.
    """
    if origin == learned.origin or "declared" in (origin, learned.origin):
        return codes
    translate = _TRANSLATIONS.get((learned.origin, origin), _never)
    names = [translate(value) for value in codes.values]
    if None in names:
        _check(learned, origin, codes, [name is None for name in names], start)
    kept = tuple(dict.fromkeys(name for name in names if name is not None))
    place = np.array([kept.index(n) if n is not None else -1 for n in names] + [-1], dtype=np.int32)
    return replace(codes, values=kept, codes=place[codes.codes])


def check_declared(
    categories: Mapping[str, tuple[str, ...]], found: Mapping[str, Codes], start: int = 0
) -> None:
    """Where a table declares all values of a column, there are no others."""
    for name, values in categories.items():
        if not values or name not in found:
            continue
        codes, known = found[name], frozenset(values)
        if (
            at := _first_row_with(codes, [value not in known for value in codes.values])
        ) is not None:
            raise ColumnError(
                f"column {name!r} has {codes.values[codes.codes[at]]!r} in row {start + at}, "
                f"which categories= does not list: {quoted_list(values)}. List all values, or "
                "mark this one as missing."
            )


def _check(learned: Column, origin: str, codes: Codes, bad: list[bool], start: Start) -> None:
    if (row := _first_row_with(codes, bad)) is None:
        return
    value, here = codes.values[codes.codes[row]], _WORDS.get(origin, origin)
    shown = repr(value) if origin == "text" else value
    raise ColumnError(
        f"column {learned.name!r} was a category of {_WORDS[learned.origin]} when the "
        f"model was fitted, and has {here} here ({shown} in row "
        f"{row_number(start, row)}). {_REMEDIES[learned.origin]} To accept any value, fit "
        f"the model with categories={as_code([learned.name])}."
    )


def _first_row_with(codes: Codes, bad: list[bool]) -> int | None:
    """The first row that has one of some values."""
    rows = np.array([*bad, False])[codes.codes]
    return int(np.argmax(rows)) if rows.any() else None


def _never(value: str) -> None:
    return None


def _truth(value: str) -> str | None:
    return TRUTHS.get(value.lower())


def _number(value: str) -> str | None:
    try:
        return plain(float(value))
    except ValueError:
        return None


_TRANSLATIONS: dict[tuple[str, str], Callable[[str], str | None]] = {
    ("truth", "number"): _truth,
    ("truth", "text"): _truth,
    ("number", "text"): _number,
}
