"""Dates as people write them: 31.12.2024, 12/31/2024, Dec 31, 2024, 2024-Q1, 2024-H1, 2024-W05.

Whether 3/4/2024 is in March or in April is told by the other cells of its column, where one has a
number above 12; else nobody can tell. Two digits are a year from 1969 to 2068. A month, a quarter,
a half-year (``%h``) or a week is read as its first day, and a fiscal year (FY2024) as January 1. A
time with a zone becomes UTC, one without is taken as it stands, and digits below a microsecond go.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from tallylearn.sources.arrow.buffers import NOWHERE, numpy_of, set_null, strings_of
from tallylearn.tables import Array

TIME_ALONE = "%H:%M"
LEAP_YEAR = "2000"  # of days without a year, February 29 among them
GLANCE = 64  # strings: Arrow goes on to the end when one of them is no date
MONTHS = (  # of eleven languages, the longest name first
    "january|janvier|januari|januar|janeiro|gennaio|stycznia|jänner|enero|janv|jan|ene|gen",
    "february|fevereiro|febbraio|februari|februar|febrero|février|lutego|févr|fév|feb|fev",
    "march|marzo|março|marts|maart|marca|märz|mars|mär|mar|mrz|mrt",
    "kwietnia|aprile|april|abril|avril|apr|avr|abr",
    "maggio|mayo|maio|maja|may|mai|maj|mei|mag",
    "czerwca|giugno|junio|junho|june|juni|juin|jun|giu",
    "juillet|luglio|lipca|julio|julho|july|juli|juil|jul|lug",
    "augustus|sierpnia|augusti|august|agosto|août|aug|ago",
    "septiembre|settembre|september|septembre|setiembre|setembro|września|sept|sep|set",
    "października|october|oktober|octobre|octubre|ottobre|outubro|oct|okt|ott|out",
    "listopada|noviembre|november|novembre|novembro|nov",
    "diciembre|december|dezember|desember|décembre|dezembro|dicembre|grudnia|dec|dez|déc|dic|des",
)
_NAMES = "|".join(MONTHS)
NAMES = tuple(_NAMES.split("|"))
WEEKDAYS = (
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "tues", "thurs",
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "montag", "dienstag", "mittwoch", "donnerstag",
    "freitag", "samstag", "sonnabend", "sonntag", "lundi", "mardi", "mercredi", "jeudi", "vendredi",
    "samedi", "dimanche", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo",
    "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica", "mo", "di", "mi",
    "do", "fr", "sa", "so",
)  # fmt: skip
ZONES = {  # minutes east of Greenwich, the offset that a name has by itself
    "UTC": 0, "GMT": 0, "UT": 0, "WET": 0, "WEST": 60, "BST": 60, "CET": 60, "CEST": 120,
    "MEZ": 60, "MESZ": 120, "EET": 120, "EEST": 180, "MSK": 180, "SAST": 120, "IST": 330,
    "PKT": 300, "SGT": 480, "HKT": 480, "AWST": 480, "JST": 540, "KST": 540, "ACST": 570,
    "ACDT": 630, "AEST": 600, "AEDT": 660, "NZST": 720, "NZDT": 780, "NST": -210, "NDT": -150,
    "AST": -240, "ADT": -180, "BRT": -180, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300,
    "MST": -420, "MDT": -360, "PST": -480, "PDT": -420, "AKST": -540, "AKDT": -480, "HST": -600,
}  # fmt: skip
_PLACE = (
    r"(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc|US)"
    r"/[A-Za-z_+-]+(?:/[A-Za-z_]+)?"
)
_TIDIED = (  # what says nothing, or stands elsewhere than in most dates
    (r"  +", " "),
    (rf"(?i)^(?:{'|'.join(WEEKDAYS)})\b\.?,? +", ""),
    (r"^\[(.*)\]$", r"\1"),
    (r"^([09]{4})[年년] ?([09]{1,2})[月월] ?([09]{1,2})[日일]", r"\1-\2-\3"),
    (r" \([A-Za-z ]+\)$", ""),  # 10:00:00 GMT+0100 (Central European Time)
    (r"\b(?:GMT|UTC)([+-][09]{1,2})", r"\1"),
    (r"([+-][09]{2}:?[09]{2}|Z)\[[^\]]*\]$", r"\1"),  # 10:00+01:00[Europe/Paris]
    (rf"([09]) ?\[({_PLACE}|[A-Z]{{1,5}})\]$", r"\1 \2"),  # 10:00[Europe/Paris]
    (r"(?i)\b([09]{1,2})(?:st|nd|rd|th|er|º|ª)\b", r"\1"),
    (r"(?i) (?:de|del|of|di) ", " "),
    (r"(?i)\b([09]{1,2})h([09]{2})\b", r"\1:\2"),
    (r"([A-Za-z]{3}/?[09]{4}):([09]{2}:)", r"\1 \2"),  # 31DEC2024:20:30, 31/Dec/2024:20:30
    (  # Jan 1 10:00:00 2024
        r"^(\pL+ [09]+) ([09]{2}:[09]{2}(?::[09]{2})?)( [A-Z]{3,4})? ([09]{4})$",
        r"\1 \4 \2\3",
    ),
)
_CLOCK = r"99?:99(?::99(?:[.,]9+)?)?"
_ZONE = rf"(?: ?(?:Z|{'|'.join(ZONES)}|[+-]99:?(?:99)?|{_PLACE})| (?P<zone>(?-i:[A-Z]{{3,5}})))?"
_TIME = rf"(?:(?:T|,? ){_CLOCK}(?: ?[ap]\.?m\.?)?{_ZONE})?"
_Y = r"(?P<year>9999|99)"
_B = rf"(?:{_NAMES})\.?"
_FORMS = {  # masked; a and b are the day and the month, in an order that the column tells
    "Y{}m{}d": rf"9999(?P<sep>[-/.])99?(?P=sep)99?{_TIME}",
    "a{}b{}y": rf"99?(?P<sep>[-/.])99?(?P=sep){_Y}{_TIME}",
    "d{}b{}y": rf"99?\.?(?P<sep>[- /.]|){_B}(?P=sep){_Y}{_TIME}",
    "b{}d{}y": rf"{_B}(?P<sep>[- /])99?,?(?P=sep){_Y}{_TIME}",
    "Y{}b{}d": rf"9999(?P<sep>[- /.]){_B}(?P=sep)99?{_TIME}",
    "H": rf"{_CLOCK}(?: ?[ap]\.?m\.?)?|99? ?[ap]\.?m\.?",
    "Y{}m": r"9999(?P<sep>[-/])99?",
    "m{}y": r"99?(?P<sep>[-/])(?P<year>9999)",
    "b{}y": rf"{_B}(?P<sep>[- /']|){_Y}",
    "y{}b": rf"{_Y}(?P<sep>[- /]){_B}",
    "d{}b": rf"9(?P<sep>[- /]){_B}",
    "b{}d": rf"{_B}(?P<sep>[- /])9",
    "y{}Qq": rf"{_Y}(?P<sep>[- /]|)Q9",
    "Qq{}y": rf"Q9(?P<sep>[- /']|){_Y}",
    "qQ{}y": rf"9Q(?P<sep>[- /']|){_Y}",
    "y{}Hh": r"(?P<year>9999)(?P<sep>[- /]|)H9",
    "Hh{}y": rf"H9(?P<sep>[- /']){_Y}",
    "hH{}y": r"9H(?P<sep>[- /']|)(?P<year>9999)",
    "FY{}y": rf"FY(?P<sep>[- /']|){_Y}",
    "FYy{}Qq": rf"FY{_Y}(?P<sep>[- /])Q9",
    "Qq{}FYy": rf"Q9(?P<sep>[- /])FY{_Y}",
    "G{}WV": r"9999(?P<sep>[- /]|)W99?",
    "G{}WV{}u": r"9999(?P<sep>-|)W99(?P=sep)9",
    "WV{}G": r"W99?(?P<sep>[- /])9999",
    "KW V{}G": r"KW 99?(?P<sep>[- /])9999",
}
_COMPILED = {form: re.compile(pattern, re.I) for form, pattern in _FORMS.items()}
VALID = {  # forms that codes have too: what their numbers must be
    "%Y{}%m": r"^[12]\d{3}.(?:0?[1-9]|1[0-2])$", "%m{}%Y": r"^(?:0?[1-9]|1[0-2]).[12]\d{3}$",
}  # fmt: skip


def tidy_dates(texts: Any) -> Any:
    """Dates without weekdays, ordinals and the like."""
    import pyarrow.compute as pc

    if pc.any(pc.match_substring_regex(texts, _UNTIDY)).as_py():
        for pattern, better in _TIDIED:
            texts = pc.replace_substring_regex(texts, pattern.replace("[09]", r"\d"), better)
    return texts


_UNTIDY = (
    r"(?i)^\pL{2,}|[\[(年년]| de | of | di |  |\d(?:st|nd|rd|th|er|º|ª|h)"
    r"|\pL/?\d{4}:|(?:GMT|UTC)[+-]"
)


@lru_cache(maxsize=4096)
def _tidy_mask(mask: str) -> str:
    for pattern, better in _TIDIED:
        mask = re.sub(pattern.replace(r"\pL", r"[^\W\d_]"), _groups(better), mask)
    return mask


def _groups(better: str) -> Any:
    """Groups that did not take part are empty."""
    return lambda found: re.sub(r"\\(\d)", lambda one: found[int(one[1])] or "", better)


def date_form(mask: str) -> str | None:
    """The form of a masked date, in strftime's letters; None for what is none.

    ``%1`` and ``%2`` stand for the day and the month where the mask cannot tell them apart, ``?``
    before a form for one that may be no date.

    >>> [date_form(mask) for mask in ("9999-09-99", "99.99.9999", "99/99/99", "Jan 9, 9999")]
    ['%Y-%m-%d', '%1.%2.%Y', '%1/%2/%y', '%b %d %Y']
    >>> [date_form(mask) for mask in ("9999-09", "Jan-99", "9999-Q9", "9999-W99", "99DEC9999")]
    ['%Y-%m', '%b-%y', '%Y-Q%q', '%G-W%V', '%d%b%Y']
    """
    mask = _tidy_mask(mask.replace("0", "9"))
    for form, pattern in _COMPILED.items():
        found = pattern.fullmatch(mask)
        if found is None:
            continue
        if form == "H":
            return TIME_ALONE
        sep, parts = found["sep"], found.groupdict()
        short = len(parts.get("year") or "9999") == 2
        named = not form.startswith("a") and "b" in form
        letters = {"y": "%y" if short else "%Y", "a": "%1", "b": "%b" if named else "%2",
                   "Qq": "Q%q", "qQ": "%qQ", "WV": "W%V", "KW V": "KW %V", "Hh": "H%h",
                   "hH": "%hH", "FY": "FY", "FYy": "FY%y" if short else "FY%Y"}  # fmt: skip
        written = sep.join(letters.get(part, f"%{part}") for part in form.split("{}"))
        vague = {
            "a{}b{}y": short and sep == "-",  # 12-11-10 is as likely a code
            "b{}y": short and sep == " ",  # Jan 24 may be a day
            "y{}b": short,  # 24-Jan too
            "Y{}m": mask[-2] == sep,  # 2024-1 may be a term
        }.get(form, False)
        if parts.get("zone"):  # one that is not known, and may be left off
            return f"{written} %Z"
        return f"?{written}" if vague else written
    return None


def valid_form(form: str) -> str:
    """A pattern that dates of a form have, where codes are written alike; "" for other forms."""
    if "%h" in form:
        return r"(?i)H[12](?:\D|$)|^[12]H"
    return VALID.get(re.sub(r"(?<=[mY])[-/](?=%)", "{}", form.lstrip("?")), "")


def first_two(texts: Any) -> tuple[int, int]:
    """The largest first and second number of dates such as 3/4/2024."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.extract_regex(
        tidy_dates(texts), r"^(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.]"
    ).drop_null()
    if not len(found):
        return 0, 0
    a, b = (pc.max(pc.struct_field(found, name).cast(pa.int64())).as_py() for name in "ab")
    return int(a), int(b)


def resolve_day_order(form: str, first: int, second: int) -> str | None:
    """A form whose day and month are told by the largest numbers; None where they cannot be.

    >>> resolve_day_order("%1/%2/%Y", 12, 31), resolve_day_order("%1/%2/%Y", 12, 12)
    ('%m/%d/%Y', None)
    >>> resolve_day_order("%1.%2.%Y", 9, 9)
    '%d.%m.%Y'
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

    texts = tidy_dates(texts)
    if form.endswith(" %Z"):  # told: a zone that is not known is left off
        form = form[:-3]
        texts = pc.replace_substring_regex(_with_offsets(texts), _NO_ZONE, r"\1")
    iso, odd = texts, None
    if "%V" in form:
        return _weeks(texts, form)
    if form == TIME_ALONE:
        iso = pc.replace_substring_regex(texts, r"(?i)^(\d\d?) ?([ap]\.?m\.?)$", r"\1:00 \2")
        iso = pc.replace_substring_regex(iso, "^", "1970-01-01 ")
    elif form not in ("", "%Y-%m-%d"):
        pattern, order = _pattern(form)
        odd = pc.invert(pc.match_substring_regex(texts, pattern))
        iso = pc.replace_substring_regex(texts, pattern, order)
        if "%b" in form:
            for at, month in enumerate(MONTHS, 1):
                iso = pc.replace_substring_regex(iso, f"(?i)-(?:{month})-", f"-{at:02}-")
        if "%q" in form:
            for quarter in range(1, 5):
                month = f"-{3 * quarter - 2:02}-"
                iso = pc.replace_substring(iso, f"-{quarter}-", month)
        if "%h" in form:
            iso = pc.replace_substring(pc.replace_substring(iso, "-1-", "-01-"), "-2-", "-07-")
        if "%y" in form:
            iso = pc.replace_substring_regex(iso, r"^([0-5]\d|6[0-8])-", r"20\1-")
            iso = pc.replace_substring_regex(iso, r"^(\d\d)-", r"19\1-")
    iso = iso if odd is None else set_null(iso, odd)
    plain, utc = pa.timestamp("us"), pa.timestamp("us", "UTC")
    for kind in (plain, utc):  # at once, as most are, all without a zone or all with one
        try:
            iso.slice(0, GLANCE).cast(kind)
            return iso.cast(kind).cast(plain)
        except pa.ArrowInvalid:
            continue
    return _mend_dates(iso)


@lru_cache(maxsize=256)
def _pattern(form: str) -> tuple[str, str]:
    """A pattern of a form's dates, and how its groups stand in ISO's order."""
    letters = re.findall(r"%(\w)", form)
    parts = {"d": r"(\d{1,2})\.?", "m": r"(\d{1,2})", "Y": r"(\d{4})", "y": r"(\d{2})",
             "b": r"(\pL{3,12})\.?", "q": "([1-4])", "h": "([12])", "G": r"(\d{4})",
             "V": r"(\d{1,2})", "u": "([1-7])"}  # fmt: skip
    apart = "%m%d" not in form and "%Y%m" not in form
    if not apart:  # 20241231: all digits are there
        parts |= {"m": r"(\d{2})", "d": r"(\d{2})"}
    pattern = re.escape(form).replace("%%", "%")
    for letter in letters:
        pattern = pattern.replace(f"%{letter}", parts.get(letter, r"(\w+)"), 1)
    pattern = re.sub(r"(\\ |\\-) ?", lambda m: r",? " if m[1] == r"\ " else "-", pattern)
    at = {letter: f"\\{place}" for place, letter in enumerate(letters, 1)}
    year = at.get("Y", at.get("y", at.get("G", LEAP_YEAR)))
    month = at.get("m", at.get("b", at.get("q", at.get("h", "01"))))
    if "V" in at:
        return rf"(?i)^{pattern}$", f"{year}-{at['V']}-{at.get('u', '1')}"
    order = f"{year}-{month}-{at.get('d', '01')}"
    return rf"(?i)^{pattern}((?:T|,? ).*)?$", order + f"\\{len(letters) + 1}"


def _weeks(texts: Any, form: str) -> Any:
    """The days of weeks of ISO 8601: week 1 has January 4, and a week begins on Monday."""
    import pyarrow as pa
    import pyarrow.compute as pc

    pattern, order = _pattern(form)
    found = pc.match_substring_regex(texts, pattern)
    parts = pc.replace_substring_regex(texts, pattern, order)
    parts = pc.split_pattern(pc.if_else(pc.fill_null(found, False), parts, "1970-0-1"), "-")
    year, week, day = (_integers(pc.list_element(parts, at)) for at in range(3))
    start = (year - 1970).astype("M8[Y]").astype("M8[D]").astype(np.int64) + 3
    monday = start - (start + 3) % 7 + 7 * (week - 1)
    inside = (monday + 3).astype("M8[D]").astype("M8[Y]").astype(np.int64) + 1970 == year
    days = pa.array((monday + day - 1).astype(np.int32)).cast(pa.date32()).cast(pa.timestamp("us"))
    return set_null(days, pa.array(~(inside & (week > 0))))


def _integers(texts: Any) -> Array:
    import pyarrow as pa

    return numpy_of(texts.cast(pa.int64()), np.int64(NOWHERE))


def _mend_dates(texts: Any) -> Any:
    """Dates that need mending first: one digit for a day, fractions, zones, the halves of a day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain, utc = pa.timestamp("us"), pa.timestamp("us", "UTC")
    texts, places = _zones(texts)
    for pattern, better in (
        (r"^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", r"\1-0\2-0\3"),
        (r"^(\d{4})-0?(\d\d)-", r"\1-\2-"),
        (r"^(\d{4}-\d\d)-0?(\d\d)", r"\1-\2"),
        (r"^(.{10}),? +(\d:)", r"\1 0\2"),
        (r"^(.{10}), ", r"\1 "),
        (r"(:\d\d),(\d+)", r"\1.\2"),
        (r"(\.\d{6})\d+", r"\1"),
        (r" ?(?:UTC|GMT)$", "Z"),
        (r" ?([AP]\.?M\.?) ?(Z|[+-]\d\d(?::?\d\d)?)$", r"\2 \1"),  # 1:05 PM +02:00
        (r"(\d) ([+-]\d\d)", r"\1\2"),
    ):
        texts = pc.replace_substring_regex(texts, pattern, better)
    texts = set_null(texts, pc.match_substring_regex(texts, _NO_HALF))
    texts, late, early = _halves(texts)
    texts = set_null(texts, pc.invert(pc.match_substring_regex(texts, _ISO)))
    zoned = pc.match_substring_regex(texts, r"[T ]\d\d.*(Z|[+-]\d\d(:?\d\d)?)$")
    here = _cast(set_null(texts, zoned), plain)
    there = _cast(set_null(texts, pc.invert(zoned)), utc).cast(plain)
    found = pc.coalesce(here, there)
    noon = strings_of(("1970-01-01 12:00",)).cast(plain)[0]
    half = pc.subtract(noon, strings_of(("1970-01-01",)).cast(plain)[0])
    found = pc.if_else(late, pc.add(found, half), found)
    return _localise(pc.if_else(early, pc.subtract(found, half), found), places)


def _zones(texts: Any) -> tuple[Any, Any]:
    """Dates in capitals with the offsets of named zones, and the places that zones are named by."""
    import pyarrow as pa
    import pyarrow.compute as pc

    places = pa.nulls(len(texts), pa.string())
    if pc.any(pc.match_substring_regex(texts, rf"\d{_HALF} ?[A-Za-z/_+-]{{2,}}$")).as_py():
        texts = _with_offsets(texts)
        pattern = rf"^(?P<date>.*\d{_HALF}) ?(?P<place>{_PLACE})$"
        found = pc.extract_regex(texts, pattern)
        places = pc.struct_field(found, "place")
        texts = pc.coalesce(pc.struct_field(found, "date"), texts)
    return pc.utf8_upper(texts), places


def _with_offsets(texts: Any) -> Any:
    """Times with the offsets that the abbreviations of zones stand for."""
    import pyarrow.compute as pc

    for zone, minutes in ZONES.items():
        sign, size = "-" if minutes < 0 else "+", abs(minutes)
        offset = f"{sign}{size // 60:02}:{size % 60:02}" if minutes else "Z"
        pattern = rf"(?i)(:\d[\d.]*{_HALF}) ?{zone}$"
        texts = pc.replace_substring_regex(texts, pattern, rf"\1{offset}")
    return texts


def _localise(found: Any, places: Any) -> Any:
    """Local times of places as UTC; null where there is no such place."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = pa.timestamp("us")
    for place in places.unique().drop_null().to_pylist():
        here = pc.fill_null(pc.equal(places, place), False)
        try:
            utc = pc.assume_timezone(
                found, place, ambiguous="earliest", nonexistent="latest"
            ).cast(pa.timestamp("us", "UTC")).cast(plain)  # fmt: skip
        except pa.ArrowException:
            utc = pa.nulls(len(found), plain)
        found = pc.if_else(here, utc, found)
    return found


_HALF = r"(?: ?[AaPp]\.?[Mm]\.?)?"  # of a day: 1:05 PM
_NO_ZONE = rf"(\d\d?:\d\d(?::\d\d)?{_HALF}) [A-Z]{{3,5}}$"
_NO_HALF = r"(?i)[T ](0?0|1[3-9]|2[0-9]):[0-9:.]*(?:Z|[+-][0-9:]+)? ?[ap]\.?m\.?$"  # 13:00 pm
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
