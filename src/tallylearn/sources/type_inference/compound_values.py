"""Values of several numbers: 1h 30m, 5'11", 1:23:45, 120/80, 10-20, 12 ± 3; and bounds such as <5.

A sum of units (1h 30m, 2 days 3 hours, 8 lb 11 oz) has one meaning: a number in one of its units.
So has a duration h:mm:ss. Two numbers (120/80), a range and a value with its error have several,
and a bound is not the value itself: the user says which number the column stands for, by a model:

===========  ================================================================
``h:mm:ss``  hours, also of ``h:mm`` and ``2 days 01:30:00``
``h:mm``     the same
``m:ss``     minutes
``first``    the first number of two, or the value before ±
``second``   the second one
``ratio``    the first number divided by the second
``midpoint`` the middle of a range; a number alone is itself
``<1234.5``  a number or a bound, which is read as its number
===========  ================================================================
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from tallylearn.sources.arrow.buffers import NOWHERE, doubles, numpy_of, set_null, to_bools
from tallylearn.tables import Array
from tallylearn.tables.units import compound_units, convert

UNITS, PAIR, ERROR, RANGE = "units", "pair", "error", "range"
CLOCK, HOURS, MINUTES = "clock", "h:mm:ss", "m:ss"
_NUMBER = r"\d+(?:\.\d+|,\d{1,2}|,\d{4,})?"  # 1,234 may have thousands
_UNIT = r"(?:\pL+\.?|['\"]|'')"
_AND = r",? ?(?:(?:and|und|et|y|e|&|\+) )?"
_TIDY = (
    (r"[′’]", "'"),
    (r"[″”]", '"'),
    (r"^(\d+) ?' ?(\d{1,2}(?:\.\d+)?)(?: ?(?:\"|'')|)$", r"\1 ft \2 in"),  # 5'11", 5'11
    (r"^P((?:\d+D)?)T((?:[\d.]+H)?(?:[\d.]+M)?(?:[\d.]+S)?)$", r"\1\2 "),  # PT1H30M (ISO 8601)
)
_TERMS = 4  # units of one value at most: days, hours, minutes, seconds
_SUM = (
    rf"^(?P<sign>-?)(?P<n0>{_NUMBER}) ?(?P<u0>{_UNIT})"
    + "".join(rf"(?:{_AND}(?P<n{i}>{_NUMBER}) ?(?P<u{i}>{_UNIT}))?" for i in range(1, _TERMS))
    + " ?$"
)
_DURATION = (
    r"^(?P<sign>-?)(?:(?P<d>\d+)(?: days?,? |d |\.))?(?P<a>\d{1,4}):(?P<b>[0-5]\d)"
    r"(?::(?P<c>[0-5]\d))?(?P<f>(?:[.,]\d+)?)$"
)
_TWO = {
    PAIR: rf"^(?P<a>{_NUMBER}) ?/ ?(?P<b>{_NUMBER})$",
    ERROR: rf"^(?P<a>[+-]?{_NUMBER}) ?(?:±|\+/-|\+-) ?(?P<b>{_NUMBER})$",
    RANGE: rf"^(?P<a>{_NUMBER}) ?(?:-|–|—|to|\.\.) ?(?P<b>{_NUMBER})$",
}
_CODES = re.compile(r"0\d|\d{4,}/|/\d{4,}|\d{8,}|999-9999$")  # masked: no amounts, a telephone's
_BOUND = r"^(?:[<>≤≥]=? ?|(?:under|over|below|above|less than|more than) )"
_BOUND_BEHIND = r"(\d) ?\+$"  # 65+
_DAY_HOURS = 24.0


class Compound(NamedTuple):
    """How a value of several numbers is written; the smallest unit of a sum of units."""

    form: str
    unit: str = ""


def _python(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(r"\pL", r"[^\W\d_]"), re.IGNORECASE)


_SUM_MASK, _DURATION_MASK = _python(_SUM), _python(_DURATION.replace("[0-5]", r"\d"))
_TWO_MASKS = {form: _python(pattern) for form, pattern in _TWO.items()}
_BOUND_MASK, _BEHIND_MASK = _python(_BOUND), re.compile(_BOUND_BEHIND)


@lru_cache(maxsize=4096)
def sum_of_units(mask: str) -> Compound | None:
    """The form of a masked value with several units of one dimension; None for anything else.

    >>> sum_of_units("9h 99m"), sum_of_units("9 days, 9 hours").unit, sum_of_units("9'99\\"").unit
    (Compound(form='units', unit='min'), 'h', 'in')
    >>> sum_of_units("9 kg"), sum_of_units("9 kg 9 m")
    (None, None)
    """
    text = mask
    for pattern, better in _TIDY:
        text = re.sub(pattern, better, text)
    found = _SUM_MASK.fullmatch(text)
    if found is None:
        return None
    words = [word for i in range(_TERMS) if (word := found[f"u{i}"])]
    units = compound_units(tuple(words))
    several = len(words) > 1 or (text != mask and mask.startswith("P"))
    return Compound(UNITS, units[-1]) if units and several else None


@lru_cache(maxsize=4096)
def compound_form(mask: str) -> Compound | None:
    """The form of a masked duration, pair, range or value with its error; None for anything else.

    >>> [compound_form(mask).form for mask in ("99:99:99", "9:99.9", "999/99", "99-99", "99 ± 9")]
    ['h:mm:ss', 'm:ss', 'pair', 'range', 'error']
    >>> compound_form("999-9999"), compound_form("09/09")
    (None, None)
    """
    if found := _DURATION_MASK.fullmatch(mask):
        return duration(found["c"] is not None, bool(found["f"]), bool(found["d"]))
    if _CODES.search(mask):
        return None
    forms = (form for form, pattern in _TWO_MASKS.items() if pattern.fullmatch(mask))
    return next(map(Compound, forms), None)


def duration(seconds: bool, fraction: bool = False, days: bool = False) -> Compound:
    """The form of a duration with colons: two numbers alone may be hours or minutes."""
    return Compound(HOURS if seconds or days else MINUTES if fraction else CLOCK)


def without_bound(mask: str) -> str:
    """A masked number without the sign of a bound; "" where it has none.

    >>> without_bound("<9.9"), without_bound("≥ 99 kg"), without_bound("99+"), without_bound("9")
    ('9.9', '99 kg', '99', '')
    """
    bare = _BEHIND_MASK.sub(r"\1", _BOUND_MASK.sub("", mask))
    return "" if bare == mask else bare


def out_of_order(texts: Any, form: str) -> Array:
    """Which texts are no values of a form, by their numbers: a range whose ends are exchanged."""
    if form != RANGE:
        return np.zeros(len(texts), dtype=bool)
    low, high = _two(texts, RANGE)
    return np.asarray(~(low < high))


def beyond_a_day(texts: Any) -> Array:
    """Which texts are durations rather than times of day: their first number is 24 or more."""
    parts = _extract(texts, _DURATION)
    return np.asarray(_numbers(parts["a"]) >= _DAY_HOURS)


def has_seconds(texts: Any) -> Array:
    """Which texts have three numbers."""
    return np.asarray(~np.isnan(_numbers(_extract(texts, _DURATION)["c"])))


def read_bounds(texts: Any) -> Any:
    """Texts without the signs of bounds."""
    import pyarrow.compute as pc

    bare = pc.replace_substring_regex(texts, f"(?i){_BOUND}", "")
    return pc.replace_substring_regex(bare, _BOUND_BEHIND, r"\1")


def read_compound(texts: Any, model: str) -> Any:
    """Trimmed strings as doubles by one of the models above; null where one is not written so."""
    if model in (HOURS, "h:mm", MINUTES):
        return _arrow(_durations(texts, model))
    if model == "midpoint":
        low, high = _two(texts, RANGE)
        return _arrow(np.where(np.isnan(low), _numbers(texts), low / 2 + high / 2))
    first, second = (
        np.where(np.isnan(one), other, one)
        for one, other in zip(_two(texts, PAIR), _two(texts, ERROR), strict=True)
    )
    if model == "ratio":
        return _arrow(np.divide(first, second, out=np.full(len(first), np.nan), where=second != 0))
    return _arrow(first if model == "first" else second)


def read_sums(texts: Any, unit: str) -> Any:
    """Sums of units as doubles in one of them; null where a string is none, or of other units."""
    import pyarrow.compute as pc

    for pattern, better in _TIDY:
        texts = pc.replace_substring_regex(texts, pattern, better)
    parts = _extract(texts, f"(?i){_SUM}")
    words = [parts[f"u{i}"] for i in range(_TERMS)]
    around = pc.binary_join_element_wise(*words, "\0").dictionary_encode()
    factors = [_factors(text, unit) for text in around.dictionary.to_pylist()]
    table = np.array([*factors, [np.nan] * _TERMS])
    at = numpy_of(around.indices, NOWHERE)
    total = np.zeros(len(texts))
    for i in range(_TERMS):
        factor = table[at, i]
        total += np.where(factor == 0, 0.0, factor * _numbers(parts[f"n{i}"]))
    minus = to_bools(pc.equal(parts["sign"], "-"))
    return _arrow(np.where(minus, -total, total))


@lru_cache(maxsize=4096)
def _factors(words: str | None, wanted: str) -> list[float]:
    """What each term of a sum of units is worth in the wanted unit; 0 for absent terms."""
    named = [word for word in (words or "").split("\0") if word]
    units = compound_units(tuple(named)) or ()
    found = [convert(unit, wanted) for unit in units]
    if not found or None in found:
        return [float("nan")] * _TERMS
    return [*(pair[0] for pair in found if pair), *[0.0] * (_TERMS - len(found))]


def _durations(texts: Any, model: str) -> Array:
    """Hours, or minutes where the model is m:ss; a third number is seconds in both."""
    parts = _extract(texts, _DURATION)
    days, a, b, c = (_numbers(parts[name]) for name in "dabc")
    fraction = np.nan_to_num(_numbers(_replace(parts["f"], "^[.,]", "0.")))
    minus = to_bools(_is_equal(parts["sign"], "-"))
    short = np.isnan(c) & np.isnan(days) & (model == MINUTES)
    hours = np.where(short, 0.0, a) + _DAY_HOURS * np.nan_to_num(days)
    minutes = np.where(short, a, b)
    seconds = np.where(short, b, np.nan_to_num(c)) + fraction
    total = ((hours * 60 + minutes) * 60 + seconds) / (60 if model == MINUTES else 3600)
    return np.asarray(np.where(minus, -total, total))


def _two(texts: Any, form: str) -> tuple[Array, Array]:
    parts = _extract(texts, f"(?i){_TWO[form]}")
    return _numbers(parts["a"]), _numbers(parts["b"])


def _extract(texts: Any, pattern: str) -> dict[str, Any]:
    import pyarrow.compute as pc

    found = pc.extract_regex(texts, pattern)
    return {field.name: pc.struct_field(found, field.name) for field in found.type}


def _numbers(texts: Any) -> Array:
    """Strings as doubles, their comma a decimal mark; NaN where one is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = pc.replace_substring(texts, ",", ".")
    plain = set_null(plain, pc.invert(pc.match_substring_regex(plain, r"^[+-]?\d+(?:\.\d+)?$")))
    return doubles(plain.cast(pa.float64()))


def _is_equal(texts: Any, text: str) -> Any:
    import pyarrow.compute as pc

    return pc.equal(texts, text)


def _replace(texts: Any, pattern: str, better: str) -> Any:
    import pyarrow.compute as pc

    return pc.replace_substring_regex(texts, pattern, better)


def _arrow(values: Array) -> Any:
    """Doubles of Arrow, null for NaN."""
    import pyarrow as pa

    values = np.ascontiguousarray(values, dtype=np.float64)
    valid = pa.py_buffer(np.packbits(~np.isnan(values), bitorder="little"))
    return pa.Array.from_buffers(pa.float64(), len(values), [valid, pa.py_buffer(values)])
