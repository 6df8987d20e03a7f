"""Dates as people write them: 2024-12-31, 31.12.2024, 12/31/2024, Dec 31, 2024, 1. März 2024.

Whether 3/4/2024 is in March or in April is told by the other cells of its column, where one has a
number above 12; else nobody can tell. Two digits are a year from 1969 to 2068. A time with a zone
becomes UTC, one without is taken as it stands, and digits below a microsecond go.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from tallylearn.sources.arrow_buffers import emptied, strings_of

TIME_ALONE = "%H:%M"
GLANCE = 64  # strings: Arrow goes on to the end when one of them is no date
MONTHS = (  # in English, German and French, the longest name first
    "january|janvier|januar|janv|jan|jänner", "february|februar|février|févr|fév|feb",
    "march|märz|mars|mär|mar|mrz", "april|avril|apr|avr", "may|mai", "june|juni|juin|jun",
    "july|juli|juillet|juil|jul", "august|août|aug", "september|septembre|sept|sep",
    "october|oktober|octobre|oct|okt", "november|novembre|nov",
    "december|dezember|décembre|dec|dez|déc",
)  # fmt: skip
_NAMES = "|".join(MONTHS)
NAMES = tuple(_NAMES.split("|"))
_CLOCK = r"99?:99(?::99(?:[.,]9+)?)?"
_ZONE = r"(?: ?(?:Z|UTC|GMT|[+-]99:?(?:99)?))?"
_TIME = rf"(?:(?:T|,? ){_CLOCK}(?: ?[ap]\.?m\.?)?{_ZONE})?"
_Y = r"(?P<year>9999|99)"
_FORMS = {  # masked; a and b are the day and the month, in an order that the column tells
    "Y{}m{}d": re.compile(rf"9999(?P<sep>[-/.])99?(?P=sep)99?{_TIME}", re.I),
    "a{}b{}y": re.compile(rf"99?(?P<sep>[-/.])99?(?P=sep){_Y}{_TIME}", re.I),
    "d{}b{}y": re.compile(rf"99?\.?(?P<sep>[- /.])(?:{_NAMES})\.?(?P=sep){_Y}{_TIME}", re.I),
    "b{}d{}y": re.compile(rf"(?:{_NAMES})\.?(?P<sep>[- /])99?,?(?P=sep){_Y}{_TIME}", re.I),
    "H": re.compile(rf"{_CLOCK}(?: ?[ap]\.?m\.?)?", re.I),
}


def date_form(mask: str) -> str | None:
    """The form of a masked date, in strftime's letters; None for what is none.

    ``%1`` and ``%2`` stand for the day and the month where the mask cannot tell them apart.

    >>> [date_form(mask) for mask in ("9999-09-99", "99.99.9999", "99/99/99", "Jan 9, 9999")]
    ['%Y-%m-%d', '%1.%2.%Y', '%1/%2/%y', '%b %d %Y']
    """
    for form, pattern in _FORMS.items():
        found = pattern.fullmatch(mask.replace("0", "9"))
        if found is None:
            continue
        if form == "H":
            return TIME_ALONE
        sep, parts = found["sep"], found.groupdict()
        short = len(parts.get("year") or "9999") == 2
        if short and form == "a{}b{}y" and sep == "-":
            return None  # 12-11-10 is as likely a code
        letters = {"y": "%y" if short else "%Y", "a": "%1", "b": "%b" if "a" not in form else "%2"}
        order = form.split("{}")
        return sep.join(letters.get(part, f"%{part}") for part in order)
    return None


def first_two(texts: Any) -> tuple[int, int]:
    """The largest first and second number of dates such as 3/4/2024."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.extract_regex(texts, r"^(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.]").drop_null()
    if not len(found):
        return 0, 0
    a, b = (pc.max(pc.struct_field(found, name).cast(pa.int64())).as_py() for name in "ab")
    return int(a), int(b)


def resolved(form: str, first: int, second: int) -> str | None:
    """A form whose day and month are told by the largest numbers; None where they cannot be.

    >>> resolved("%1/%2/%Y", 12, 31), resolved("%1/%2/%Y", 12, 12), resolved("%1.%2.%Y", 9, 9)
    ('%m/%d/%Y', None, '%d.%m.%Y')
    """
    if "%1" not in form:
        return form
    day_first = form.replace("%1", "%d").replace("%2", "%m")
    if first > 12 < second:
        return None
    if second > 12:
        return form.replace("%1", "%m").replace("%2", "%d")
    return day_first if first > 12 or "." in form else None


def read_dates(texts: Any, form: str) -> Any:
    """Trimmed strings as timestamps without a zone, null where one is not written so."""
    import pyarrow as pa
    import pyarrow.compute as pc

    iso, odd = texts, None
    if form == TIME_ALONE:
        iso = pc.replace_substring_regex(texts, "^", "1970-01-01 ")
    elif form not in ("", "%Y-%m-%d"):
        pattern, order = _pattern(form)
        odd = pc.invert(pc.match_substring_regex(texts, pattern))
        iso = pc.replace_substring_regex(texts, pattern, order)
        if "%b" in form:
            for at, month in enumerate(MONTHS, 1):
                iso = pc.replace_substring_regex(iso, f"(?i)-(?:{month})-", f"-{at:02}-")
        if "%y" in form:
            iso = pc.replace_substring_regex(iso, r"^([0-5]\d|6[0-8])-", r"20\1-")
            iso = pc.replace_substring_regex(iso, r"^(\d\d)-", r"19\1-")
    iso = iso if odd is None else emptied(iso, odd)
    plain, utc = pa.timestamp("us"), pa.timestamp("us", "UTC")
    for kind in (plain, utc):  # at once, as most are, all without a zone or all with one
        try:
            iso.slice(0, GLANCE).cast(kind)
            return iso.cast(kind).cast(plain)
        except pa.ArrowInvalid:
            continue
    return _careful(iso)


@lru_cache(maxsize=256)
def _pattern(form: str) -> tuple[str, str]:
    """A pattern of a form's dates, and how its groups stand in ISO's order."""
    letters = re.findall(r"%(\w)", form)
    parts = {"d": r"(\d{1,2})\.?", "m": r"(\d{1,2})", "Y": r"(\d{4})", "y": r"(\d{2})",
             "b": r"(\pL{3,9})\.?"}  # fmt: skip
    pattern = re.escape(form).replace("%%", "%")
    for letter in letters:
        pattern = pattern.replace(f"%{letter}", parts.get(letter, r"(\w+)"), 1)
    pattern = re.sub(r"(\\ |\\-) ?", lambda m: r",? " if m[1] == r"\ " else "-", pattern)
    at = {letter: place for place, letter in enumerate(letters, 1)}
    year = at.get("Y", at.get("y", 0))
    order = "-".join(f"\\{n}" for n in (year, at.get("m", at.get("b", 0)), at.get("d", 0)))
    return rf"^{pattern}((?:T|,? ).*)?$", order + f"\\{len(letters) + 1}"


def _careful(texts: Any) -> Any:
    """Dates that need mending first: one digit for a day, fractions, zones, the halves of a day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain, utc = pa.timestamp("us"), pa.timestamp("us", "UTC")
    texts = pc.utf8_upper(texts)
    for pattern, better in (
        (r"^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", r"\1-0\2-0\3"),
        (r"^(\d{4})-0?(\d\d)-", r"\1-\2-"),
        (r"^(\d{4}-\d\d)-0?(\d\d)", r"\1-\2"),
        (r"^(.{10}),? +(\d:)", r"\1 0\2"),
        (r"^(.{10}), ", r"\1 "),
        (r"(:\d\d),(\d+)", r"\1.\2"),
        (r"(\.\d{6})\d+", r"\1"),
        (r" ?(?:UTC|GMT)$", "Z"),
        (r"(\d) ([+-]\d\d)", r"\1\2"),
    ):
        texts = pc.replace_substring_regex(texts, pattern, better)
    texts = emptied(texts, pc.match_substring_regex(texts, _NO_HALF))
    texts, late, early = _halves(texts)
    texts = emptied(texts, pc.invert(pc.match_substring_regex(texts, _ISO)))
    zoned = pc.match_substring_regex(texts, r"[T ]\d\d.*(Z|[+-]\d\d(:?\d\d)?)$")
    here = _cast(emptied(texts, zoned), plain)
    there = _cast(emptied(texts, pc.invert(zoned)), utc).cast(plain)
    found = pc.coalesce(here, there)
    noon = strings_of(("1970-01-01 12:00",)).cast(plain)[0]
    half = pc.subtract(noon, strings_of(("1970-01-01",)).cast(plain)[0])
    found = pc.if_else(late, pc.add(found, half), found)
    return pc.if_else(early, pc.subtract(found, half), found)


_NO_HALF = r"(?i)[T ](0?0|1[3-9]|2[0-9]):[0-9:.]* ?[ap]\.?m\.?$"  # 13:00 pm
_ISO = r"^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d(:?\d\d)?)?)?$"


def _halves(texts: Any) -> tuple[Any, Any, Any]:
    """The texts without am and pm, and where 12 hours are to be added or taken."""
    import pyarrow.compute as pc

    noon = pc.match_substring_regex(texts, r"[T ]12:")
    pm = pc.match_substring_regex(texts, r"(?i) ?p\.?m\.?$")
    am = pc.match_substring_regex(texts, r"(?i) ?a\.?m\.?$")
    bare = pc.replace_substring_regex(texts, r"(?i) ?[ap]\.?m\.?$", "")
    return bare, pc.and_(pm, pc.invert(noon)), pc.and_(am, noon)


def _cast(texts: Any, kind: Any) -> Any:
    """Timestamps; null where there is no such day, such as February 30."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return texts.cast(kind)
    except pa.ArrowInvalid:
        kept = [_real_day(text) for text in texts.to_pylist()]
        return pc.if_else(pa.array(kept), texts, pa.nulls(1, texts.type)[0]).cast(kind)


def _real_day(text: str | None) -> bool:
    from datetime import datetime

    try:
        datetime.fromisoformat(text or "")
    except ValueError:
        return False
    return True
