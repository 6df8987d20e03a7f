"""Numerals: 1,234.50, 1.234,50, $ 12, 12.3 %, (12) are numbers, once their marks are known.

A single numeral may not tell: 1,234 is a thousand in one country and one and a bit in another. A
column tells by all of its cells, so each cell says which marks it allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from tallylearn.sources.arrow_buffers import NOWHERE, emptied, numpy_of, places, truths
from tallylearn.spelling import NUMBERS, Spelling
from tallylearn.tables import Array

Marks = tuple[str, str]  # the decimal mark and the one of the thousands; "" where none is seen
Options = frozenset[Marks]

SIGNS = "$€£¥₹₽₩₺₪฿"
CODES = (
    "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK",
    "PLN", "CZK", "HUF", "BRL", "MXN", "ZAR", "SGD", "HKD", "KRW", "TRY", "RUB", "ILS", "THB",
)  # fmt: skip
SHARES = "%‰"
_UNIT = "|".join([*map(re.escape, SIGNS), *CODES])
_NUMERAL = re.compile(
    rf"(?P<open>\()?(?P<sign>[+-])? ?(?P<before>{_UNIT})? ?(?P<inner>[(+-])?"
    r"(?P<body>[09](?:[09.,']| (?=[09]))*|[.,]9+|inf|infinity)(?P<exponent>[eE][+-]?[09]+)?"
    rf"(?: ?(?P<after>{_UNIT}|[{SHARES}]))?(?P<late>-)?(?P<close>\))?",
    re.IGNORECASE,
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


def masked(texts: Any) -> Any:
    """Texts with 9 for every digit but a nought that leads, and one kind of space.

    >>> import pyarrow as pa
    >>> masked(pa.array(["1,234.50", "0.5", "007", "$ 0.123"])).to_pylist()
    ['9,999.99', '0.9', '099', '$ 0.999']
    """
    import pyarrow as pa

    texts = evened(texts)
    ends, data = letters(texts)
    out = np.where((data >= _ZERO) & (data <= _NINE), np.uint8(_NINE), data)
    noughts = np.flatnonzero(data == _ZERO)
    if len(noughts):
        out[noughts[_leading(noughts, data, ends)]] = _ZERO
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(out))


def _leading(noughts: Array, data: Array, ends: Array) -> Array:
    """Which noughts begin a numeral that goes on: not the one of 10, nor a nought alone."""
    start, end = np.zeros(len(data) + 3, dtype=bool), np.zeros(len(data) + 3, dtype=bool)
    start[ends[:-1]], end[ends[1:]] = True, True
    inside, space = np.zeros(len(data) + 2, dtype=bool), np.zeros(len(data) + 2, dtype=bool)
    inside[: len(data)], space[: len(data)] = _INSIDE[data], data == _SPACE
    before = ~inside[noughts - 1] & (~space[noughts - 1] | ~inside[noughts - 2])
    more = ~end[noughts + 1] & (inside[noughts + 1] | (space[noughts + 1] & _digit(data, noughts)))
    return np.asarray((start[noughts] | before) & more)


def _digit(data: Array, noughts: Array) -> Array:
    """Whether the letter but one is a digit."""
    after = data[np.minimum(noughts + 2, len(data) - 1)]
    return np.asarray((after >= _ZERO) & (after <= _NINE))


def letters(texts: Any) -> tuple[Array, Array]:
    """The bytes of strings without gaps, and where each string ends, from 0 on."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int32, len(texts) + 1, 4 * texts.offset)
    return ends - ends[0], np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]]


def evened(texts: Any) -> Any:
    """Strings with one kind of space, apostrophe and minus, and no dash for cents."""
    import pyarrow.compute as pc

    if len(texts) and pc.any(pc.match_substring_regex(texts, _NO_CENTS)).as_py():
        texts = pc.replace_substring_regex(texts, _NO_CENTS, r"\1\2")
    if not len(texts) or pc.all(pc.string_is_ascii(texts)).as_py():
        return pc.replace_substring(texts, "`", "'")
    texts = pc.replace_substring_regex(texts, "[\u00a0\u202f\u2009]", " ")
    return pc.replace_substring(pc.replace_substring_regex(texts, "[’`]", "'"), "−", "-")


def numeral(mask: str) -> tuple[str, Options] | None:
    """The unit of a masked numeral and the marks that it allows; None for what is no numeral.

    Noughts that lead make a code, not a number: they allow no marks at all.

    >>> numeral("9,999.99")
    ('', frozenset({('.', ',')}))
    >>> numeral("099")
    ('', frozenset())
    """
    found = _NUMERAL.fullmatch(mask)
    if found is None or _askew(found):
        return None
    options = _options(found["body"], bool(found["exponent"]))
    unit = (found["before"] or found["after"] or "").upper()
    return None if options is None else (unit, options)


def _askew(found: re.Match[str]) -> bool:
    """Whether it has two signs, two units or half a bracket."""
    signs = [found[name] for name in ("open", "sign", "inner", "late") if found[name]]
    units = [found[name] for name in ("before", "after") if found[name]]
    return len(signs) > 1 or len(units) > 1 or ("(" in signs) != bool(found["close"])


def _options(body: str, exponent: bool) -> Options | None:
    found: set[Marks] = set()
    if re.fullmatch(r"[09]9*|inf.*", body, re.IGNORECASE):
        return frozenset() if body[0] == "0" and not exponent else frozenset({("", "")})
    if re.fullmatch("0[9 ']+(?:[.,]9*)?", body):
        return frozenset()
    if (grouped := _GROUPED.fullmatch(body)) and grouped["mark"] != grouped["decimal"]:
        found.add((grouped["decimal"] or "", grouped["mark"]))
    if lakhs := _LAKHS.fullmatch(body):
        found.add(("." if lakhs["decimal"] else "", ","))
    decimal = re.fullmatch(r"[09]?9*(?P<mark>[.,])9*", body)
    if decimal and body[-1] != ",":
        found.add((decimal["mark"], ""))
    return frozenset(found) or None


def unheld(texts: Any) -> Array:
    """Where a string is a whole number that a double cannot hold, with thousands or without.

    >>> import pyarrow as pa
    >>> unheld(pa.array(["9,007,199,254,740,993", "9007199254740992", "0.12345678901234567"]))
    array([ True, False, False])
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    lost = truths(pc.match_substring_regex(texts, _WIDE))
    if not lost.any():
        return lost
    at = np.flatnonzero(lost)
    digits = pc.replace_substring_regex(texts.take(places(at)), _WIDE, r"\1")
    digits = pc.replace_substring_regex(digits, "[^0-9]", "")
    short = numpy_of(pc.binary_length(digits), NOWHERE) < 19
    whole = numpy_of(digits.take(places(np.flatnonzero(short))).cast(pa.int64()), np.int64(0))
    lost[at[short]] = whole.astype(np.float64).astype(np.int64) != whole
    long = digits.take(places(np.flatnonzero(~short))).to_pylist()
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


def _fits(pair: Marks, options: Options) -> bool:
    return any(one[0] in ("", pair[0]) and one[1] in ("", pair[1]) for one in options)


def read_numbers(texts: Any, spelling: Spelling) -> Any:
    """Trimmed strings as doubles, null where one is not written so.

    >>> import pyarrow as pa
    >>> read_numbers(pa.array(["$1,234.50", "($ 2)", "12"]), Spelling.of_model("$1,234.5"))
    <pyarrow.lib.DoubleArray object at ...>
    [
      1234.5,
      -2,
      12
    ]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if spelling.kind == NUMBERS and not (spelling.thousands or spelling.unit):
        quick = _quick(texts, spelling.decimal)
        if quick is not None:
            return quick
    texts = evened(texts)
    pattern = _pattern(spelling)
    odd = pc.invert(pc.match_substring_regex(texts, pattern))
    bare = pc.replace_substring_regex(texts, pattern, r"\1\2\3\4\5")
    bare = pc.replace_substring_regex(bare, r"^\((.*)$|^(.*)-$", r"-\1\2")
    if spelling.thousands:
        bare = pc.replace_substring(bare, spelling.thousands, "")
    bare = pc.replace_substring(pc.replace_substring(bare, spelling.decimal, "."), "+", "")
    return emptied(bare, odd).cast(pa.float64())


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
def _pattern(spelling: Spelling) -> str:
    """A numeral in five groups: bracket or sign, inner sign, body, exponent, sign behind."""
    mark, unit = re.escape(spelling.decimal), re.escape(spelling.unit)
    share = unit and spelling.unit in SHARES
    before = f" ?(?i:{unit})? ?" if unit and not share else " ?"
    after = f"(?: ?(?i:{unit})){'' if share else '?'}" if unit else ""
    whole = r"\d+"
    if spelling.thousands:
        whole = rf"\d{{1,3}}(?:{re.escape(spelling.thousands)}\d{{3}})+|\d+"
        whole += r"|\d\d?(?:,\d\d)+,\d{3}" if spelling.thousands == "," else ""
    body = rf"(?:{whole})(?:{mark}\d*)?|{mark}\d+|(?i:inf|infinity|nan)"
    return rf"^([(+-]?){before}([(+-]?)({body})([eE][+-]?\d+)?{after}(-?)\)?$"
