"""Cells: the text between two delimiters, as a string, a number or a date."""

from __future__ import annotations

import bisect
from typing import Any

from tallylearn.sources.arrow_buffers import emptied, strings_of

_ZONE = r"[T ]\d\d.*(Z|[+-]\d\d(:?\d\d)?)$"


def trimmed(texts: Any, missing: tuple[str, ...]) -> Any:
    """Strings without the spaces around them; null where a marker is left."""
    import pyarrow.compute as pc

    bare = pc.ascii_trim(texts, characters=" \t")
    return emptied(bare, pc.is_in(bare, value_set=strings_of(missing)))


def trimmed_codes(column: Any, missing: tuple[str, ...]) -> Any:
    """The same for dictionary-encoded strings."""
    import pyarrow as pa

    values = trimmed(column.dictionary, missing)
    if values.equals(column.dictionary):
        return column
    again = values.dictionary_encode()
    return pa.DictionaryArray.from_arrays(again.indices.take(column.indices), again.dictionary)


def fit(values: Any, kind: str, missing: tuple[str, ...] = (), decimal: str = ".") -> bool:
    """Whether all of them read as this kind."""
    import pyarrow as pa

    try:
        return reads(trimmed(values.cast(pa.string()), missing), kind, decimal)
    except pa.ArrowInvalid:
        return False


def reads(texts: Any, kind: str, decimal: str = ".") -> bool:
    """Whether all trimmed strings read as this kind."""
    import pyarrow as pa

    try:
        if kind == "number":
            _numbers(texts, decimal)
        elif kind == "date":
            instants(texts)
        return kind != "unknown" or texts.null_count == len(texts)
    except pa.ArrowInvalid:
        return False


def first_bad(
    values: Any, kind: str, missing: tuple[str, ...] = (), decimal: str = "."
) -> int | None:
    """The first row that does not read as this kind."""
    if fit(values, kind, missing, decimal):
        return None
    rows = range(len(values))
    return bisect.bisect_left(
        rows, True, key=lambda row: not fit(values.slice(0, row + 1), kind, missing, decimal)
    )


def _numbers(texts: Any, decimal: str) -> Any:
    """Texts as doubles, by the rules of Arrow's own reader."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal != ".":
        texts = pc.replace_substring(pc.replace_substring(texts, ".", "no point"), decimal, ".")
    return texts.cast(pa.float64())


def instants(texts: Any) -> Any:
    """Texts as timestamps without a zone; those that name one are turned to UTC."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain, utc = pa.timestamp("us"), pa.timestamp("us", "UTC")
    try:
        return texts.cast(plain)
    except pa.ArrowInvalid:
        texts = pc.replace_substring_regex(texts, r"(\.\d{6})\d+", r"\1")
        zoned = pc.match_substring_regex(texts, _ZONE)
        here = emptied(texts, zoned).cast(plain)
        return pc.coalesce(here, emptied(texts, pc.invert(zoned)).cast(utc).cast(plain))
