"""Units of measurement, currencies and scale words that stand around a number.

A unit has one name, however it is written: ``kilograms``, ``Kgs`` and ``kg`` are ``kg``. Units of
one dimension convert into each other; currencies do not. A unit that is not listed is known by its
own letters, without case and plural.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

SHARES = "%‰"
SIGNS = (  # of currencies; those with letters stand before the number, too
    "US$", "CA$", "C$", "AU$", "A$", "NZ$", "HK$", "NT$", "S$", "MX$", "R$", "Z$", "J$",
    "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₪", "฿", "₴", "₫", "₱", "₦", "₡", "₲", "₵", "₸", "₮",
    "₭", "₼", "₾", "৳", "﷼", "¢", "￥", "＄",
)  # fmt: skip
WORDS = (  # names of currencies that are not codes
    "Rs.", "Rs", "SFr.", "SFr", "Fr.", "Fr", "kr.", "kr", "zł", "zl", "Kč", "Kc", "Ft", "lei",
    "лв.", "лв", "руб.", "руб", "р.", "RM", "Rp.", "Rp", "R", "Bs.", "din.", "euros", "euro",
    "dollars", "dollar", "yen", "yuan", "rupees", "rupee", "元", "円", "원",
)  # fmt: skip
CODES = (  # ISO 4217
    "AED", "AFN", "ALL", "AMD", "ANG", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT",
    "BGN", "BHD", "BIF", "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD",
    "CDF", "CHF", "CLP", "CNY", "COP", "CRC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD",
    "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ",
    "GYD", "HKD", "HNL", "HRK", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD",
    "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP",
    "LKR", "LRD", "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR",
    "MVR", "MWK", "MXN", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB",
    "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR", "SBD",
    "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "STN", "SYP", "SZL", "THB", "TJS",
    "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VES",
    "VND", "VUV", "WST", "XAF", "XCD", "XOF", "XPF", "YER", "ZAR", "ZMW", "RMB",
)  # fmt: skip
COMMON = (  # codes that are no words: they may touch the number, in any case
    "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK",
    "PLN", "CZK", "HUF", "BRL", "MXN", "ZAR", "SGD", "HKD", "KRW", "RUB", "ILS", "THB",
)  # fmt: skip
SCALES = {  # the power of ten that a word stands for
    3: "k thousand tsd tsd. th mil",
    5: "lakh lakhs lac lacs",
    6: "million millions millionen millones mio mio. mln mln. mn mill. mm",
    7: "crore crores cr",
    9: "billion billions bn milliard milliards milliarden mrd mrd. mld mld.",
    12: "trillion trillions tn",
}
_SCALE = {word: power for power, words in SCALES.items() for word in words.split()}
_LETTERS = {"k": 3, "K": 3, "M": 6, "B": 9}  # directly behind a number
_OF_MONEY = {**_LETTERS, "m": 6, "b": 9, "MM": 6, "T": 12, "t": 12}  # beside a currency
_VAGUE = {"mil", "th", "mm", "cr", "mn", "tn"}  # scale words only beside a currency
_UNITS = {  # by dimension: what one unit is in the first of them, and how it is written
    "mass": {
        "kg": (1.0, "kg kgs kilo kilos kilogram kilograms kilogramm"),
        "g": (1e-3, "g gr gram grams gramm"), "mg": (1e-6, "mg milligram milligrams"),
        "µg": (1e-9, "µg μg ug mcg microgram micrograms"), "t": (1e3, "t tonne tonnes"),
        "lb": (0.45359237, "lb lbs lb. lbs. pound pounds"),
        "oz": (0.028349523125, "oz oz. ounce ounces"), "ton": (907.18474, "ton tons"),
        "stone": (6.35029318, "stone stones"),
    },
    "length": {
        "m": (1.0, "m metre metres meter meters"), "cm": (1e-2, "cm centimetre centimetres"),
        "mm": (1e-3, "mm millimetre millimetres"), "µm": (1e-6, "µm μm um micron microns"),
        "nm": (1e-9, "nm"), "dm": (0.1, "dm"), "km": (1e3, "km kilometre kilometres kilometers"),
        "in": (0.0254, "in in. inch inches \" ″"), "ft": (0.3048, "ft ft. foot feet"),
        "yd": (0.9144, "yd yds yard yards"), "mi": (1609.344, "mi mile miles"),
        "nmi": (1852.0, "nmi"),
    },
    "area": {
        "m²": (1.0, "m² m2 m^2 sqm qm sq.m sq.m."), "cm²": (1e-4, "cm² cm2"),
        "mm²": (1e-6, "mm² mm2"), "km²": (1e6, "km² km2 sqkm"), "ha": (1e4, "ha hectare hectares"),
        "acre": (4046.8564224, "acre acres ac"),
        "ft²": (0.09290304, "ft² ft2 sqft sq.ft sq.ft."),
    },
    "volume": {
        "L": (1.0, "L l ltr liter liters litre litres"), "mL": (1e-3, "mL ml cc cm³ cm3"),
        "cL": (1e-2, "cL cl"), "dL": (0.1, "dL dl"), "m³": (1e3, "m³ m3 m^3 cbm"),
        "gal": (3.785411784, "gal gallon gallons"),
    },
    "time": {
        "s": (1.0, "s sec secs sec. second seconds sek"), "ms": (1e-3, "ms msec"),
        "µs": (1e-6, "µs μs us"), "ns": (1e-9, "ns"),
        "min": (60.0, "min mins min. minute minutes"),
        "h": (3600.0, "h hr hrs hour hours std std."),
        "day": (86_400.0, "d day days"), "week": (604_800.0, "wk wks week weeks"),
    },
    "months": {
        "month": (1.0, "mo mos month months"), "year": (12.0, "y yr yrs year years"),
    },
    "temperature": {"°C": (1.0, "°C ℃ degC"), "°F": (5 / 9, "°F ℉ degF"), "K": (1.0, "K kelvin")},
    "data": {
        "B": (1.0, "B byte bytes"), "kB": (1e3, "kB KB"), "MB": (1e6, "MB"), "GB": (1e9, "GB"),
        "TB": (1e12, "TB"), "KiB": (1024.0, "KiB"), "MiB": (2.0**20, "MiB"),
        "GiB": (2.0**30, "GiB"),
    },
    "energy": {
        "J": (1.0, "J"), "kJ": (1e3, "kJ"), "MJ": (1e6, "MJ"), "Wh": (3600.0, "Wh"),
        "kWh": (3.6e6, "kWh kwh KWH"), "MWh": (3.6e9, "MWh"), "GWh": (3.6e12, "GWh"),
        "cal": (4.184, "cal"), "kcal": (4184.0, "kcal"),
    },
    "power": {
        "W": (1.0, "W watt watts"), "mW": (1e-3, "mW"), "kW": (1e3, "kW"), "MW": (1e6, "MW"),
        "GW": (1e9, "GW"), "PS": (735.49875, "PS"), "hp": (745.69987158227022, "hp bhp"),
    },
    "pressure": {
        "Pa": (1.0, "Pa"), "hPa": (100.0, "hPa mbar"), "kPa": (1e3, "kPa"), "MPa": (1e6, "MPa"),
        "bar": (1e5, "bar"), "atm": (101325.0, "atm"), "mmHg": (133.322387415, "mmHg"),
        "psi": (6894.757293168, "psi"),
    },
    "speed": {
        "m/s": (1.0, "m/s"), "km/h": (1 / 3.6, "km/h kmh kph km/hr"), "mph": (0.44704, "mph"),
        "kn": (1852 / 3600, "kn kt kts knots"),
    },
    "voltage": {"V": (1.0, "V volt volts"), "mV": (1e-3, "mV"), "kV": (1e3, "kV")},
    "current": {"A": (1.0, "A amp amps"), "mA": (1e-3, "mA"), "µA": (1e-6, "µA μA uA")},
    "resistance": {"Ω": (1.0, "Ω Ω ohm ohms"), "kΩ": (1e3, "kΩ kΩ"), "MΩ": (1e6, "MΩ MΩ")},
    "frequency": {
        "Hz": (1.0, "Hz"), "kHz": (1e3, "kHz"), "MHz": (1e6, "MHz"), "GHz": (1e9, "GHz"),
        "rpm": (1 / 60, "rpm"), "bpm": (1 / 60, "bpm"),
    },
    "amount": {"mol": (1.0, "mol"), "mmol": (1e-3, "mmol"), "µmol": (1e-6, "µmol umol")},
    "angle": {"°": (1.0, "° deg degrees"), "rad": (57.29577951308232, "rad")},
    "part": {"ppm": (1.0, "ppm"), "ppb": (1e-3, "ppb")},
    "loudness": {"dB": (1.0, "dB db")}, "light": {"lm": (1.0, "lm")}, "lux": {"lx": (1.0, "lx")},
    "points": {"pt": (1.0, "pt pts")}, "pieces": {"pcs": (1.0, "pcs pc pieces piece")},
    "times": {"x": (1.0, "x ×")}, "percent": {"percent": (1.0, "percent pct pct. percents")},
    "person": {"person": (1.0, "person persons people")},
}  # fmt: skip
_ZERO = {"°C": 273.15, "°F": 459.67 * 5 / 9}  # where a scale of temperature begins, in kelvins
_FACTOR = {name: (dimension, factor) for dimension, units in _UNITS.items()
           for name, (factor, _) in units.items()}  # fmt: skip
_SPELT = {word: name for units in _UNITS.values() for name, (_, words) in units.items()
          for word in words.split()}  # fmt: skip
LISTED_UNITS = tuple(_SPELT)
LISTED = tuple(sorted({*_SPELT, *_SCALE}, key=len, reverse=True))
_FOLDED: dict[str, str] = {}
for _word, _unit in _SPELT.items():  # MW and mW are two units: such words have their case
    _low = _word.casefold()
    _FOLDED[_low] = "" if _FOLDED.get(_low, _unit) != _unit or len(_low) < 2 else _unit
_MONEY = {word: word for word in (*SIGNS, *WORDS, *CODES)}
_MONEY |= {code.lower(): code for code in COMMON} | {code.capitalize(): code for code in COMMON}
_MONEY |= {word.upper(): word for word in ("kr", "zł", "Kč", "euro", "yen")}
_MONEY |= {"rs": "Rs", "Rs.": "Rs", "rs.": "Rs", "SFr.": "SFr", "Fr.": "Fr", "fr.": "Fr",
           "kr.": "kr", "Kr": "kr", "Kr.": "kr", "Rp.": "Rp", "￥": "¥", "＄": "$", "zl": "zł",
           "Kc": "Kč", "лв.": "лв", "руб.": "руб", "р.": "руб", "euros": "euro", "Euro": "euro",
           "dollars": "dollar", "rupees": "rupee"}  # fmt: skip
BEFORE = frozenset({*SIGNS, "Rs", "SFr", "Fr", "RM", "Rp", "R", "Bs."})  # where they are written
# What may stand before a number; most words need a space: R12 and Fr12 are codes.
MONEY_BEFORE = "|".join(
    [
        *map(re.escape, SIGNS),
        f"(?i:{'|'.join(COMMON)})",
        *(rf"{re.escape(word)}(?= )" for word in (*CODES, "R", "zł", "Kč", "Ft", "lei", "RMB")),
        r"(?i:rs)\.?",
        r"Rp\.?",
        "RM",
        r"[Ss]?[Ff]r\.",
        r"[Kk]r\.?(?= )",
        r"S?Fr(?= )",
        r"Bs\.",
    ]
)
_LETTER = r"[^\W\d_]"
_UNIT = rf"(?:{_LETTER}|[°′″\"ᵒ℃℉])(?:{_LETTER}|[°²³^%])*[23]?\.?"
_SUFFIX = re.compile(rf"{_UNIT}(?:(?: ?[/·*] ?(?:\d+ ?)?|[ .]){_UNIT}){{0,2}}|[°″\"%‰×]|/ ?{_UNIT}")
_NO_UNIT = re.compile(  # a date or an ordinal number
    r"(?:[ap]\.?m\.?|st|nd|rd|th|[ªºer]|e|er|ère|(?:jan|feb|fév|mar|mär|apr|avr|may|mai|jun|jui|jul"
    r"|aug|aoû|sep|oct|okt|nov|dec|dez|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott)\w*\.?|inf"
    r"|mon|tue|wed|thu|fri|sat|sun)(?: .*)?",
    re.IGNORECASE,
)
MAX_UNIT_CHARACTERS = 24  # characters of a unit


class Unit(NamedTuple):
    """What stands around a number: the unit's name, the power of ten, and whether it is listed."""

    name: str = ""
    power: int = 0
    scale: str = ""  # the word for the power
    known: bool = True


@lru_cache(maxsize=4096)
def parse_unit(before: str, after: str, spaced: bool = False, scaled: bool = False) -> Unit | None:
    """The unit that stands before and after a number; None for what is none.

    ``scaled``: whether other cells have a scale word, which makes a million of a lone ``m``.

    >>> parse_unit("$", "M"), parse_unit("", "kilograms", spaced=True)
    (Unit(name='$', power=6, scale='M', known=True), Unit(name='kg', power=0, scale='', known=True))
    >>> parse_unit("$", "/hr").name, parse_unit("", "k€").power, parse_unit("", "bedrooms").known
    ('$/h', 3, False)
    """
    money = _currency(before) if before else ""
    if money is None:
        return None
    if not after:
        return Unit(money)
    head, tail = _split_per(after)
    power, rest = _scale(head, money, spaced, scaled)
    scale = head[: len(head) - len(rest)].strip() if power else ""
    rest = rest.strip()
    if rest and money:
        return None
    if (found := _currency(rest)) is not None and rest:
        money, rest = found, ""
    if tail and (tail := _name(tail, compound=True)[0]) == "":
        return None
    if money or (power and not rest):
        return Unit(f"{money}/{tail}" if tail else money, power, scale)
    if rest in tuple(SHARES) and not tail:
        return Unit(rest)
    if (
        power
        or not _SUFFIX.fullmatch(after)
        or len(after) > MAX_UNIT_CHARACTERS
        or _NO_UNIT.fullmatch(after)
    ):
        return None
    name, known = _name(after)
    return Unit(name, known=known)


def convert(unit: str, wanted: str) -> tuple[float, float] | None:
    """The factor and the summand that bring numbers of one unit into another; None: they differ.

    >>> convert("g", "kg"), convert("K", "°C"), convert("$", "€")
    ((0.001, 0.0), (1.0, -273.15), None)
    """
    if unit == wanted:
        return 1.0, 0.0
    if "/" in unit and "/" in wanted and not {unit, wanted} & _FACTOR.keys():
        pairs = zip(unit.split("/"), wanted.split("/"), strict=False)
        parts = [convert(*pair) for pair in pairs]
        if len(parts) != 2 or unit.count("/") != wanted.count("/") or None in parts:
            return None
        (factor, shift), (below, shift_below) = filter(None, parts)
        return None if shift or shift_below else (factor / below, 0.0)
    if unit == "m" and _FACTOR.get(wanted, ("",))[0] == "time":  # beside hours: 45m
        unit = "min"
    if unit not in _FACTOR or wanted not in _FACTOR or _FACTOR[unit][0] != _FACTOR[wanted][0]:
        return None
    factor, wanted_factor = _FACTOR[unit][1], _FACTOR[wanted][1]
    shift = (_ZERO.get(unit, 0.0) - _ZERO.get(wanted, 0.0)) / wanted_factor
    return factor / wanted_factor, shift


_COMPOUND = {  # words that mean something else beside another unit of the dimension: 1h 30m
    "time": {"m": "min"}, "length": {"'": "ft", "''": "in"}, "mass": {"st": "stone"},
    "months": {"m": "month"},
}  # fmt: skip


@lru_cache(maxsize=4096)
def compound_units(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """The units of a value such as 1h 30m; None unless they have one dimension and grow smaller.

    >>> compound_units(("h", "m")), compound_units(("m", "cm")), compound_units(("h", "kg"))
    (('h', 'min'), ('m', 'cm'), None)
    """
    for dimension, others in _COMPOUND.items():
        low = [word.casefold() for word in words]
        names = [
            others.get(key) or _SPELT.get(word) or _FOLDED.get(key) or _SPELT.get(key, "")
            for word, key in zip(words, low, strict=True)
        ]
        found = [_FACTOR.get(name, ("", 0.0)) for name in names]
        sizes = [size for _, size in found]
        if all(kind == dimension for kind, _ in found) and sizes == sorted({*sizes}, reverse=True):
            return tuple(names)
    return None


def smallest_unit(units: Iterable[str]) -> str:
    """The smallest of some units; "" unless they have one dimension.

    >>> smallest_unit(["h", "min", "m"]), smallest_unit(["h", "kg"])
    ('min', '')
    """
    names = sorted({*units})
    if (
        "m" in names
        and len(names) > 1
        and convert("m", _first_of(names)) == convert("min", _first_of(names))
    ):
        names = sorted({*names, "min"} - {"m"})
    sizes = {name: one[0] for name in names if (one := convert(name, _first_of(names)))}
    return min(sizes, key=lambda name: sizes[name]) if names and len(sizes) == len(names) else ""


def _first_of(names: list[str]) -> str:
    """A unit whose dimension is not in doubt: m may be minutes."""
    return next((name for name in names if name != "m"), names[0])


def spellings_of(unit: str) -> list[str]:
    """What may stand before a number of a unit, the longest first: it need not be a currency."""
    money = unit.partition("/")[0]
    words = {word for word, name in _MONEY.items() if name == money}
    return sorted({unit, *words, *(word.upper() for word in words if word in COMMON)}, key=_size)


def _size(text: str) -> tuple[int, str]:
    return -len(text), text


def format_quantity(unit: str, scale: str, body: str) -> str:
    """A number with its unit, as people write it.

    >>> format_quantity("$/h", "", "12"), format_quantity("EUR", "M", "5")
    ('$12/h', '5M EUR')
    """
    money, _, tail = unit.partition("/")
    if money in BEFORE:
        return f"{money}{' ' if money[-1].isalpha() else ''}{body}{scale}{'/' * bool(tail)}{tail}"
    return f"{body}{' ' * (len(scale) > 1)}{scale} {unit}" if unit else f"{body}{scale}"


def _currency(text: str) -> str | None:
    return _MONEY.get(text) or _MONEY.get(text.upper() if text.upper() in COMMON else "")


def _split_per(after: str) -> tuple[str, str]:
    """What stands before and after "per", where the first is a currency or nothing."""
    head, mark, tail = after.partition("/")
    if not mark:
        head, mark, tail = after.partition("per ")
    head = head.strip()
    money = not head or _currency(head) is not None or _currency(head[1:].strip()) is not None
    return (head, tail.strip()) if mark and tail.strip() and money else (after, "")


def _scale(text: str, money: str, spaced: bool, scaled: bool) -> tuple[int, str]:
    """The power of ten that a text begins with, and the rest of it."""
    word = re.match(rf"{_LETTER}+\.?", text)
    if word is None:
        return 0, text
    for head in (word[0], word[0].rstrip("."), word[0][:1]):
        rest = text[len(head) :]
        beside = bool(money) or (rest.strip() != "" and _currency(rest.strip()) is not None)
        if rest.strip() and not beside:
            continue
        low = head.casefold()
        if low in _SCALE and len(low) > 1 and (beside or low not in _VAGUE):
            return _SCALE[low], rest
        letters = _OF_MONEY if beside else _LETTERS
        if head == "T" and beside and not money:
            return 3, rest  # T€: thousands, as German reports have it
        if head in letters and (beside or not spaced or head in "kM"):
            return letters[head], rest
        if scaled and head in ("m", "b") and not rest.strip():
            return _OF_MONEY[head], rest
    return 0, text


def _name(text: str, compound: bool = False) -> tuple[str, bool]:
    """The name of a unit, and whether it is listed."""
    text = " ".join(text.replace("deg ", "deg").replace("° ", "°").split())
    text = re.sub(r"^sq\.? ?(?=m|ft|km)", "sq", text)
    if text in _SPELT:
        return _SPELT[text], True
    if found := _FOLDED.get(text.casefold()):
        return found, True
    parts = re.split(r" ?/ ?| per ", text)
    if len(parts) > 1:
        names = [_name(part, compound=True) for part in parts]
        return "/".join(name for name, _ in names), all(known for _, known in names)
    low = text.casefold() if len(text) > 2 else text
    return low[:-1] if len(low) > 3 and low.endswith("s") and not low.endswith("ss") else low, False
