"""Numerals: 1,234.50, 1.234,50, $ 12, 12.3 %, (12), 5 kg are numbers, once their marks are known.

A single numeral may not tell: 1,234 is a thousand in one country and one and a bit in another. A
column tells by all of its cells, so each cell says which marks it allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from tallylearn.sources.arrow.buffers import NOWHERE, numpy_of, row_indices, set_null, to_bools
from tallylearn.tables import Array
from tallylearn.tables.string_formats import StringFormat
from tallylearn.tables.units import MONEY_BEFORE, SHARES, Unit, convert, parse_unit, spellings_of

Marks = tuple[str, str]  # the decimal mark and the one of the thousands; "" where none is seen
Options = frozenset[Marks]

_NUMERAL = re.compile(
    rf"(?P<open>\()?(?P<sign>[+-])? ?(?P<before>{MONEY_BEFORE})? ?(?P<inner>[(+-])?"
    r"(?P<body>[09](?:[09.,']| (?=[09]))*|[.,]9+|(?i:infinity|inf))(?P<exponent>[eE][+-]?[09]+)?"
    r"(?:(?P<space> ?)(?P<after>[^\s\d.,'()+-][^()+]*?))?(?P<late>-)?(?P<close>\))?"
)
_GROUPED = re.compile(r"9{1,3}(?:(?P<mark>[,.' ])999)(?:(?P=mark)999)*(?:(?P<decimal>[.,])[09]*)?")
_LAKHS = re.compile(r"99?(?:,99)+,999(?P<decimal>\.[09]*)?")  # as in India
_NO_CENTS = r"^(.*\d)[.,](?:--?|[–—])(\D*)$"  # 12.- and 12,– €: nothing is below nought
_CHOICES: tuple[Marks, ...] = (
    (".", ""), (",", ""), (".", ","), (",", "."), (".", " "), (",", " "), (".", "'"), (",", "'"),
)  # fmt: skip
_WHOLE = "|".join(
    [
        r"\d{16,}",
        *(
            rf"\d{{1,3}}(?:{mark}\d{{3}}){{5,}}"
            for mark in (",", r"\.", "[ '’`\u00a0\u202f\u2009]")
        ),
    ]
)
_WIDE = rf"^[^0-9.,]*({_WHOLE})(?:[.,]0*)?[^0-9.,]*$"
_ZERO, _NINE, _SPACE = 48, 57, 32
_INSIDE = np.isin(np.arange(256), [*b"0123456789.,'"])  # what stands within a numeral


def mask_digits(texts: Any) -> Any:
    """Texts with 9 for every digit but a leading zero, and one kind of space.

    >>> import pyarrow as pa
    >>> mask_digits(pa.array(["1,234.50", "0.5", "007", "$ 0.123"])).to_pylist()
    ['9,999.99', '0.9', '099', '$ 0.999']
    """
    import pyarrow as pa

    texts = normalize_marks(texts)
    ends, data = letters(texts)
    out = np.where((data >= _ZERO) & (data <= _NINE), np.uint8(_NINE), data)
    noughts = np.flatnonzero(data == _ZERO)
    if len(noughts):
        out[noughts[_is_leading_zero(noughts, data, ends)]] = _ZERO
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(out))


def _is_leading_zero(zeros: Array, data: Array, ends: Array) -> Array:
    """Which zeros lead a longer numeral: not the one of 10, nor a zero alone."""
    start, end = np.zeros(len(data) + 3, dtype=bool), np.zeros(len(data) + 3, dtype=bool)
    start[ends[:-1]], end[ends[1:]] = True, True
    inside, space = np.zeros(len(data) + 2, dtype=bool), np.zeros(len(data) + 2, dtype=bool)
    inside[: len(data)], space[: len(data)] = _INSIDE[data], data == _SPACE
    before = ~inside[zeros - 1] & (~space[zeros - 1] | ~inside[zeros - 2])
    more = ~end[zeros + 1] & (inside[zeros + 1] | (space[zeros + 1] & _digit(data, zeros)))
    return np.asarray((start[zeros] | before) & more)


def _digit(data: Array, noughts: Array) -> Array:
    """Whether the letter but one is a digit."""
    after = data[np.minimum(noughts + 2, len(data) - 1)]
    return np.asarray((after >= _ZERO) & (after <= _NINE))


def letters(texts: Any) -> tuple[Array, Array]:
    """The bytes of strings without gaps, and where each string ends, from 0 on."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int32, len(texts) + 1, 4 * texts.offset)
    return ends - ends[0], np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]]


def normalize_marks(texts: Any) -> Any:
    """Strings with one kind of space, apostrophe and minus, and no dash for cents."""
    import pyarrow.compute as pc

    if len(texts) and pc.any(pc.match_substring_regex(texts, _NO_CENTS)).as_py():
        texts = pc.replace_substring_regex(texts, _NO_CENTS, r"\1\2")
    if not len(texts) or pc.all(pc.string_is_ascii(texts)).as_py():
        return pc.replace_substring(texts, "`", "'")
    texts = pc.replace_substring_regex(texts, "[\u00a0\u202f\u2009]", " ")
    return pc.replace_substring(pc.replace_substring_regex(texts, "[’`]", "'"), "−", "-")


class Numeral(NamedTuple):
    """How a number is written: what stands around it, and the marks that it allows."""

    unit: Unit
    options: Options


def numeral(mask: str) -> Numeral | None:
    """The unit of a masked numeral and the marks that it allows; None for what is no numeral.

    Leading zeros make a code, not a number: they allow no marks at all.

    >>> numeral("9,999.99").options
    frozenset({('.', ',')})
    >>> numeral("099").options, numeral("9 kg").unit.name
    (frozenset(), 'kg')
    """
    found = _NUMERAL.fullmatch(mask)
    if found is None or _has_unmatched_signs(found):
        return None
    options = _options(found["body"], bool(found["exponent"]))
    unit = parse_unit(found["before"] or "", (found["after"] or "").strip(), bool(found["space"]))
    if options is None or unit is None or (unit.power and found["exponent"]):
        return None
    if found["body"].endswith(".") and not unit.known:
        return None  # "2. North" is a label
    return Numeral(unit, options)


def unit_has_digits(mask: str) -> bool:
    """Whether a masked numeral has digits in its unit, as m2 and L/100km have."""
    found = _NUMERAL.fullmatch(mask)
    return found is not None and "9" in (found["after"] or "")


def with_unit(mask: str, text: str) -> str:
    """A masked numeral with its unit as it is written.

    >>> with_unit("9.9 m9", "7.5 m2")
    '9.9 m2'
    """
    found = _NUMERAL.fullmatch(mask)
    if found is None or len(text) != len(mask):
        return mask
    start, end = found.span("after")
    return mask[:start] + text[start:end] + mask[end:]


def _has_unmatched_signs(found: re.Match[str]) -> bool:
    """Whether it has two signs or half a bracket."""
    signs = [found[name] for name in ("open", "sign", "inner", "late") if found[name]]
    return len(signs) > 1 or ("(" in signs) != bool(found["close"])


def _options(body: str, exponent: bool) -> Options | None:
    """The marks of a body; one with an exponent has no thousands: 3,238E+04 is 32380."""
    found: set[Marks] = set()
    if re.fullmatch(r"[09]9*|inf.*", body, re.IGNORECASE):
        return frozenset() if body[0] == "0" and not exponent else frozenset({("", "")})
    if re.fullmatch("0[9 ']+(?:[.,]9*)?", body):
        return frozenset()
    grouped, lakhs = _GROUPED.fullmatch(body), _LAKHS.fullmatch(body)
    if grouped and not exponent and grouped["mark"] != grouped["decimal"]:
        found.add((grouped["decimal"] or "", grouped["mark"]))
    if lakhs and not exponent:
        found.add(("." if lakhs["decimal"] else "", ","))
    decimal = re.fullmatch(r"[09]?9*(?P<mark>[.,])9*", body)
    if decimal and body[-1] != ",":
        found.add((decimal["mark"], ""))
    return frozenset(found) or None


def exceeds_double(texts: Any) -> Array:
    """Where a string is a whole number that a double cannot hold, with thousands or without.

    >>> import pyarrow as pa
    >>> texts = ["9,007,199,254,740,993", "9007199254740992", "0.12345678901234567"]
    >>> exceeds_double(pa.array(texts))
    array([ True, False, False])
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    lost = to_bools(pc.match_substring_regex(texts, _WIDE))
    if not lost.any():
        return lost
    at = np.flatnonzero(lost)
    digits = pc.replace_substring_regex(texts.take(row_indices(at)), _WIDE, r"\1")
    digits = pc.replace_substring_regex(digits, "[^0-9]", "")
    short = numpy_of(pc.binary_length(digits), NOWHERE) < 19
    whole = numpy_of(digits.take(row_indices(np.flatnonzero(short))).cast(pa.int64()), np.int64(0))
    lost[at[short]] = whole.astype(np.float64).astype(np.int64) != whole
    long = digits.take(row_indices(np.flatnonzero(~short))).to_pylist()
    lost[at[~short]] = [len(text) > 308 or int(text) != int(float(text)) for text in long]
    return lost


def marks(cells: Iterable[Options], decimal: str = "") -> Marks | None:
    """The marks that all cells of a column allow; None where there are none.

    What the cells leave open is settled by a decimal mark that is known from elsewhere; 1.234 alone
    is a decimal by the custom of all programs. ("?", ",") where nothing settles 1,234.

    >>> marks([frozenset({("", "")}), frozenset({(",", ""), ("", ",")})])
    ('?', ',')
    """
    allowed = [pair for pair in _CHOICES if all(_fits(pair, options) for options in cells)]
    if decimal and any(pair[0] == decimal for pair in allowed):
        allowed = [pair for pair in allowed if pair[0] == decimal]
    if allowed[:2] == [(",", ""), (".", ",")]:
        return "?", ","
    return allowed[0] if allowed else None


def two_marks(cells: Iterable[Options]) -> tuple[Marks, ...]:
    """Two pairs of marks of which every cell allows one; none where there are no such two."""
    cells = [*cells]
    for pair in combinations(_CHOICES, 2):
        if all(any(_fits(marks, options) for marks in pair) for options in cells):
            return pair
    return ()


def _fits(pair: Marks, options: Options) -> bool:
    return any(one[0] in ("", pair[0]) and one[1] in ("", pair[1]) for one in options)


def read_numbers(texts: Any, spelling: StringFormat) -> Any:
    """Trimmed strings as doubles, null where one is not written so.

    >>> import pyarrow as pa
    >>> read_numbers(pa.array(["$1,234.50", "($ 2)", "12"]), StringFormat.of_model("$1,234.5"))
    <pyarrow.lib.DoubleArray object at ...>
    [
      1234.5,
      -2,
      12
    ]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (spelling.thousands or spelling.unit or spelling.scale):
        quick = _quick(texts, spelling.decimal)
        if quick is not None:
            return quick
    found = pc.extract_regex(normalize_marks(texts), _pattern(spelling))
    parts = {field.name: pc.struct_field(found, field.name) for field in found.type}
    signs = _join_groups(parts, "open", "sign", "inner", "late", "close")
    fits = pc.match_substring_regex(signs, r"^(?:\(\)|[+-]?)$")
    minus = pc.match_substring_regex(signs, r"^[(-]")
    body = parts["body"]
    if spelling.thousands:
        grouped = pc.match_substring(body, spelling.thousands)
        fits = pc.and_not(fits, pc.and_(grouped, pc.not_equal(parts["exponent"], "")))
        body = pc.replace_substring(body, spelling.thousands, "")
    body = pc.replace_substring(body, spelling.decimal, ".")
    power, factor, shift = _units_of(parts, spelling)
    bare = pc.binary_join_element_wise(
        pc.if_else(minus, "-", ""), body, parts["exponent"], power, ""
    )
    odd = pc.or_(pc.invert(fits), pc.equal(power, "no"))
    values = set_null(bare, odd).cast(pa.float64())
    if factor is None:
        return values
    return pc.add(pc.multiply(values, factor), shift)


def _join_groups(parts: dict[str, Any], *names: str) -> Any:
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(*(parts[name] for name in names), "")


def _units_of(parts: dict[str, Any], spelling: StringFormat) -> tuple[Any, Any, Any]:
    """The exponent that the scale word of every cell stands for, "no" for another unit.

    Then the factor and the summand that convert a unit, None where nothing is to be converted.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    around = pc.binary_join_element_wise(
        parts["before"], parts["space"], parts["after"], "\0"
    ).dictionary_encode()
    found = [_conversion(text, spelling) for text in _to_plain_texts(around.dictionary)]
    powers = ["no" if one is None else f"e{one[0]}" if one[0] else "" for one in found]
    power = pa.array(powers, pa.string()).take(around.indices)
    if all(one is None or one[1:] == (1.0, 0.0) for one in found):
        return power, None, None
    factors, shifts = ([1.0 if one is None else one[at] for one in found] for at in (1, 2))
    return (power, *(pa.array(some, pa.float64()).take(around.indices)
                     for some in (factors, shifts)))  # fmt: skip


def _to_plain_texts(texts: Any) -> list[str]:
    return [text or "\0\0" for text in texts.to_pylist()]


def _conversion(around: str, spelling: StringFormat) -> tuple[int, float, float] | None:
    """The power of ten, the factor and the summand of a cell; None where the unit is another."""
    before, space, after = around.split("\0")
    before, after = before.strip(), after.strip()
    if spelling.unit and spelling.unit in (before, after) and not (before and after):
        return 0, 1.0, 0.0
    unit = parse_unit(before, after, bool(space), bool(spelling.scale))
    if unit is None or (unit.power and not spelling.scale):
        return None
    if unit.name == "":
        return None if spelling.unit in tuple(SHARES) else (unit.power, 1.0, 0.0)
    found = convert(unit.name, spelling.unit)
    return None if found is None else (unit.power, *found)


def _quick(texts: Any, decimal: str) -> Any:
    """Plain numbers at once, as nearly all are; None where some cell is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal != ".":
        texts = pc.replace_substring(pc.replace_substring(texts, ".", "no point"), decimal, ".")
    try:
        return texts.cast(pa.float64())
    except pa.ArrowInvalid:
        return None


@lru_cache(maxsize=256)
def _pattern(spelling: StringFormat) -> str:
    """A numeral in named groups; an exponent goes without thousands."""
    mark = re.escape(spelling.decimal)
    whole = r"\d+"
    if spelling.thousands:
        whole = rf"\d{{1,3}}(?:{re.escape(spelling.thousands)}\d{{3}})+|\d+"
        whole += r"|\d\d?(?:,\d\d)+,\d{3}" if spelling.thousands == "," else ""
    body = rf"(?:{whole})(?:{mark}\d*)?|{mark}\d+|(?i:infinity|inf|nan)"
    before = "|".join(map(re.escape, spellings_of(spelling.unit)))
    around = rf"(?P<before>(?:{before})?) ?" if spelling.unit else "(?P<before>)"
    after = r"(?P<space> ?)(?P<after>(?:[^\s\d.,'()+-][^()+]*?)?)"
    if not (spelling.unit or spelling.scale):
        after = "(?P<space>)(?P<after>)"
    return (
        rf"^(?P<open>\(?)(?P<sign>[+-]?) ?{around}(?P<inner>[(+-]?)(?P<body>{body})"
        rf"(?P<exponent>(?:[eE][+-]?\d+)?){after}(?P<late>-?)(?P<close>\)?)$"
    )
