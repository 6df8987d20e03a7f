"""A collection of small tables with one column as people write it, and the values it stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from tallylearn.tables import units

ROWS = 14
NUMBERS = [round(3.5 + 1.25 * at + (at * at) % 7, 2) for at in range(ROWS)]
AMOUNTS = [round(810.25 + 731.5 * at, 2) for at in range(ROWS)]
DAYS = [date(2023, 1, 2) + timedelta(days=37 * at) for at in range(ROWS)]
MONTHS = [date(2023 + at // 12, at % 12 + 1, 1) for at in range(ROWS)]
QUARTERS = [date(2021 + at // 4, at % 4 * 3 + 1, 1) for at in range(ROWS)]
WEEKS = [date(2024, 1, 1) + timedelta(weeks=5 * at) for at in range(ROWS)]  # all are Mondays
TIMES = [datetime(2024, 1, 5, 9, 30) + timedelta(days=29 * at, hours=at) for at in range(ROWS)]


@dataclass(frozen=True)
class Written:
    """The cells of a column, and the numbers they stand for; a date is its days since 1970."""

    name: str
    cells: tuple[str, ...]
    values: tuple[float | None, ...]
    kind: str = "number"
    asked: str = ""  # words of the message, where the column cannot be read without an option
    option: str = ""  # of those that the message names, the one that gives the values
    delimiter: str = ","


def numbers(
    name: str, cells: Sequence[str], values: Sequence[float | None], **more: str
) -> Written:
    return Written(name, tuple(cells), tuple(values), **more)


def dates(name: str, cells: Sequence[str], days: Sequence[date | None], **more: str) -> Written:
    start = datetime(1970, 1, 1)
    found = [None if day is None else datetime(*day.timetuple()[:6]) - start for day in days]
    values = [None if one is None else one / timedelta(days=1) for one in found]
    return Written(name, tuple(cells), tuple(values), "date", **more)


def comma(value: float, form: str = ",.2f") -> str:
    """1.234,50 for 1234.5."""
    return f"{value:{form}}".translate({44: ".", 46: ","})


def currencies() -> Iterator[Written]:
    for sign in units.SIGNS:
        yield numbers(f"{sign} before", [f"{sign}{x:,.2f}" for x in AMOUNTS], AMOUNTS)
        yield numbers(f"{sign} behind", [f"{comma(x)} {sign}" for x in AMOUNTS], AMOUNTS)
    for word in units.WORDS:
        yield numbers(f"{word} behind", [f"{x:.2f} {word}" for x in AMOUNTS], AMOUNTS)
    for word in (
        "Rs.",
        "Rs",
        "Fr.",
        "SFr.",
        "kr",
        "kr.",
        "RM",
        "R",
        "Rp",
        "zł",
        "CHF",
        "PKR",
        "Ft",
    ):
        yield numbers(f"{word} before", [f"{word} {x:,.2f}" for x in AMOUNTS], AMOUNTS)
    for code in units.CODES:
        yield numbers(f"{code} behind", [f"{x:.2f} {code}" for x in AMOUNTS], AMOUNTS)
    yield numbers("brackets", [f"(US${x:,.2f})" for x in AMOUNTS], [-x for x in AMOUNTS])
    yield numbers("here and there", ["12", *(f"R$ {x:.2f}" for x in AMOUNTS)], [12, *AMOUNTS])
    for per in ("/hr", "/h", " per hour", "/kg", "/month", "/m²", "/m2", "/night"):
        yield numbers(f"$ {per}", [f"${x}{per}" for x in NUMBERS], NUMBERS)
        yield numbers(f"EUR {per}", [f"{x} EUR{per}" for x in NUMBERS], NUMBERS)


def scales() -> Iterator[Written]:
    for before, after, factor in (
        ("$", "M", 10**6), ("$", "m", 10**6), ("$", "k", 1000), ("$", "K", 1000),
        ("$", "B", 10**9), ("$", "bn", 10**9), ("€", " Mio.", 10**6), ("", " Mio. €", 10**6),
        ("", " Mrd. EUR", 10**9), ("", " k€", 1000), ("", " M€", 10**6), ("", " million", 10**6),
        ("", " million USD", 10**6), ("£", " million", 10**6), ("₹", " lakh", 10**5),
        ("₹", " crore", 10**7), ("Rs. ", " Cr", 10**7), ("", "k", 1000), ("", "K", 1000),
        ("", "M", 10**6), ("", " billion", 10**9), ("", " T€", 1000), ("US$", "M", 10**6),
        ("R$ ", " mil", 1000), ("", " thousand", 1000), ("", " Tsd. €", 1000),
    ):  # fmt: skip
        values = [round(x * factor) for x in NUMBERS]
        yield numbers(f"{before}1{after}", [f"{before}{x}{after}" for x in NUMBERS], values)
    mixed = [("$950", 950), ("$1.5k", 1500), ("$2.3M", 2_300_000), ("$1.1B", 1_100_000_000)] * 3
    yield numbers("several scales", [a for a, _ in mixed], [b for _, b in mixed])
    plain = [("950", 950), ("1.5k", 1500), ("2.3m", 2_300_000), ("7k", 7000)] * 3
    yield numbers("k and m", [a for a, _ in plain], [b for _, b in plain])


def measures() -> Iterator[Written]:
    for unit in units.LISTED_UNITS:
        yield numbers(f"1 {unit}", [f"{x} {unit}" for x in NUMBERS], NUMBERS)
        if unit not in ("K", "B"):  # which are thousands and billions without a space
            yield numbers(f"1{unit}", [f"{x}{unit}" for x in NUMBERS], NUMBERS)
    for unit in (
        "° C", "deg C", "mg/dL", "mmol/L", "µg/m³", "L/100km", "kWh/m²", "fl oz", "sq ft",
        "years old", "bedrooms", "stars", "beats/min", "g/100ml", "kg/m2", "w/w",
    ):  # fmt: skip
        yield numbers(f"1 {unit}", [f"{x} {unit}" for x in NUMBERS], NUMBERS)
    yield numbers("comma and unit", [comma(x, ".2f") + " kg" for x in NUMBERS], NUMBERS)
    yield numbers(
        "comma, unit, semicolons", [comma(x, ".2f") + "kg" for x in NUMBERS], NUMBERS, delimiter=";"
    )
    words = ["1 day", *(f"{at} days" for at in range(2, ROWS))]
    yield numbers("one and many", words, range(1, ROWS))
    yield numbers(
        "letters of both cases", [f"{x} {'Kg' if x > 9 else 'KG'}" for x in NUMBERS], NUMBERS
    )
    yield numbers("a unit here and there", ["5", *(f"{x} cm" for x in NUMBERS)], [5, *NUMBERS])
    for first, other, factor, shift in (
        ("kg", "g", 1e-3, 0), ("kg", "lb", 0.45359237, 0), ("m", "ft", 0.3048, 0),
        ("min", "h", 60, 0), ("km/h", "mph", 1.609344, 0), ("°C", "°F", 5 / 9, -160 / 9),
        ("mg/L", "g/L", 1000, 0), ("years", "months", 1 / 12, 0),
    ):  # fmt: skip
        cells = [f"{x} {first}" for x in NUMBERS] + [f"{x} {other}" for x in NUMBERS[:4]]
        values = [*NUMBERS, *(x * factor + shift for x in NUMBERS[:4])]
        yield numbers(f"{first} and {other}", cells, values, asked="several units", option="kinds")
    share = [f"{x} %" for x in NUMBERS] + ["7"]
    yield numbers("percent and none", share, [*NUMBERS, 7], asked="several units", option="kinds")


def decimal_commas() -> Iterator[Written]:
    bare = [comma(x, ".2f") for x in NUMBERS]
    for mark, name in ((",", "commas"), (";", "semicolons"), ("\t", "tabs")):
        yield numbers(f"comma between {name}", bare, NUMBERS, delimiter=mark)
        exponent = [f"{3 + at},{238 + at}E+0{at % 6}" for at in range(ROWS)]
        values = [float(text.replace(",", ".")) for text in exponent]
        yield numbers(f"exponents between {name}", exponent, values, delimiter=mark)
        yield numbers(
            f"thousands between {name}", [comma(x) for x in AMOUNTS], AMOUNTS, delimiter=mark
        )
    for mark in (" ", "'", "\u202f", "\u00a0"):
        cells = [f"{x:,.2f}".replace(",", mark).replace(".", ",") for x in AMOUNTS]
        yield numbers(f"thousands by {mark!r}", cells, AMOUNTS)
    both = [f"{x:.2f}" for x in NUMBERS] + [comma(x, ".2f") for x in NUMBERS[:3]]
    yield numbers(
        "both marks", both, [*NUMBERS, *NUMBERS[:3]], asked="several marks", option="kinds"
    )


LANGUAGES = {
    "English": "January February March April May June July August September October November "
    "December",
    "German": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "French": "janvier février mars avril mai juin juillet août septembre octobre novembre "
    "décembre",
    "Spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "Italian": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre "
    "novembre dicembre",
    "Portuguese": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro",
    "Dutch": "januari februari maart april mei juni juli augustus september oktober november "
    "december",
    "Polish": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października "
    "listopada grudnia",
    "Danish": "januar februar marts april maj juni juli august september oktober november december",
}


def months() -> Iterator[Written]:
    for form in ("%Y-%m", "%Y/%m", "%m/%Y", "%m-%Y", "%b-%y", "%b-%Y", "%b %Y", "%B %Y", "%b. %Y",
                 "%b/%y", "%b'%y", "%Y %b", "%Y-%b", "%Y %B", "%b%y", "%b%Y", "%B-%y"):  # fmt: skip
        yield dates(form, [day.strftime(form) for day in MONTHS], MONTHS)
    yield dates("one digit", [f"{day.month}/{day.year}" for day in MONTHS], MONTHS)
    for language, names in LANGUAGES.items():
        of = names.split()
        yield dates(f"{language}, year", [f"{of[d.month - 1]} {d.year}" for d in MONTHS], MONTHS)
        yield dates(f"{language}, day", [f"{d.day} {of[d.month - 1]} {d.year}" for d in DAYS], DAYS)
        capitals = [f"{d.day:02}-{of[d.month - 1].upper()}-{d.year}" for d in DAYS]
        yield dates(f"{language} in capitals", capitals, DAYS)
    spanish = LANGUAGES["Spanish"].split()
    yield dates("de", [f"{d.day} de {spanish[d.month - 1]} de {d.year}" for d in DAYS], DAYS)
    yield dates("ene-24", [f"{spanish[d.month - 1][:3]}-{d:%y}" for d in MONTHS], MONTHS)
    italian = LANGUAGES["Italian"].split()
    yield dates("gen-24", [f"{italian[d.month - 1][:3]}-{d:%y}" for d in MONTHS], MONTHS)
    for form in ("%b %y", "%y-%b"):
        yield dates(form, [d.strftime(form) for d in MONTHS], MONTHS, asked="a day of a month",
                    option=f"kinds {form}")  # fmt: skip
    seasons = [date(2000 + at, at + 1, 1) for at in range(11)]
    yield dates(
        "seasons", [f"{d:%Y-%m}" for d in seasons], seasons, asked="two years", option="kinds"
    )
    days = [date(2000, 2, at) for at in range(1, 30)]
    yield dates("days of a month", [f"{d.day} {d:%b}" for d in days], days)
    yield dates("a month and its days", [f"{d:%b} {d.day}" for d in days], days)
    late = days[9:]
    yield dates("late days of a month", [f"{d:%b %d}" for d in late], late,
                asked="a day of a month", option="kinds %b %d")  # fmt: skip


def quarters_and_weeks() -> Iterator[Written]:
    of = [(day, (day.month + 2) // 3) for day in QUARTERS]
    for name, cells in {
        "2024-Q1": [f"{d.year}-Q{q}" for d, q in of], "2024Q1": [f"{d.year}Q{q}" for d, q in of],
        "2024 Q1": [f"{d.year} Q{q}" for d, q in of], "2024q1": [f"{d.year}q{q}" for d, q in of],
        "Q1 2024": [f"Q{q} {d.year}" for d, q in of], "Q1-2024": [f"Q{q}-{d.year}" for d, q in of],
        "Q1/2024": [f"Q{q}/{d.year}" for d, q in of], "Q1 24": [f"Q{q} {d:%y}" for d, q in of],
        "Q1'24": [f"Q{q}'{d:%y}" for d, q in of], "1Q24": [f"{q}Q{d:%y}" for d, q in of],
        "1Q2024": [f"{q}Q{d.year}" for d, q in of], "1Q 2024": [f"{q}Q {d.year}" for d, q in of],
    }.items():  # fmt: skip
        yield dates(name, cells, QUARTERS)
    for form in ("%G-W%V", "%GW%V", "%G W%V", "%G-W%V-%u", "W%V %G", "W%V-%G", "KW %V/%G"):
        yield dates(form, [day.strftime(form) for day in WEEKS], WEEKS)
    yield dates("week 5", [f"{d:%G}-W{int(d.strftime('%V'))}" for d in WEEKS], WEEKS)


def days() -> Iterator[Written]:
    for form in (
        "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y",
        "%m/%d/%y", "%d-%m-%Y", "%d%b%Y", "%d%b%y", "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%d %B %Y",
        "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%Y-%b-%d", "%Y %b %d", "%a, %d %b %Y",
        "%A, %d %B %Y", "%A, %B %d, %Y", "%a %d %b %Y", "%a %b %d %Y", "%A %d/%m/%Y",
        "%a %Y-%m-%d", "%d/%b/%Y", "%d. %B %Y", "%d.%b.%Y",
    ):  # fmt: skip
        yield dates(form, [day.strftime(form) for day in DAYS], DAYS)
        capital = [day.strftime(form).upper() for day in DAYS]
        if capital != [day.strftime(form) for day in DAYS]:
            yield dates(f"{form} in capitals", capital, DAYS)
    for marks in ("年月日", "년월일"):
        year, month, day = marks
        cells = [f"{d.year}{year}{d.month}{month}{d.day}{day}" for d in DAYS]
        yield dates(f"{marks} without blanks", cells, DAYS)
        yield dates(marks, [f"{d:%Y{year} %m{month} %d{day}}" for d in DAYS], DAYS)
    ordinal = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
    ends = [f"{d.day}{ordinal.get(d.day, 'th')}" for d in DAYS]
    yield dates("1st", [f"{a} {d:%B %Y}" for a, d in zip(ends, DAYS, strict=True)], DAYS)
    yield dates("1st of", [f"{a} of {d:%B %Y}" for a, d in zip(ends, DAYS, strict=True)], DAYS)
    yield dates("May 1st", [f"{d:%B} {a}, {d:%Y}" for a, d in zip(ends, DAYS, strict=True)], DAYS)
    mixed = [f"{d:%Y-%m-%d}" if d.month < 7 else f"{d:%d.%m.%Y}" for d in DAYS]
    yield dates("two forms", mixed, DAYS)
    yield dates("three forms", [*mixed[:-1], f"{DAYS[-1]:%b %d, %Y}"], DAYS)
    early = [date(2024, at % 12 + 1, at % 11 + 1) for at in range(ROWS)]
    for form in ("%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y"):
        yield dates(f"{form}, all small", [d.strftime(form) for d in early], early,
                    asked="the day and the month cannot be distinguished",
                    option=f"kinds {form}")  # fmt: skip
    yield dates("hyphens, short years", [f"{d:%d-%m-%y}" for d in DAYS], DAYS, asked="or a code",
                option="kinds")  # fmt: skip
    both = [f"{d:%d/%m/%Y}" for d in DAYS] + ["1/31/2024"]
    yield dates("two orders", both, [*DAYS, date(2024, 1, 31)], asked="no order", option="kinds")
    bare = [f"{d:%Y-%m-%d}" if d.month < 7 else f"{d:%Y%m%d}" for d in DAYS]
    yield dates("days without marks among others", bare, DAYS, asked="some are numbers",
                option="kinds")  # fmt: skip
    points = [f"{d:%m.%Y}" for d in MONTHS]
    yield dates("months with points", points, MONTHS, asked="a month or a code", option="kinds")


def times() -> Iterator[Written]:
    for form in (
        "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%d.%m.%Y %H:%M",
        "%d.%m.%Y, %H:%M", "%m/%d/%Y %I:%M %p", "%d%b%Y:%H:%M:%S", "%d/%b/%Y:%H:%M:%S +0000",
        "[%d/%b/%Y:%H:%M:%S +0000]", "%a, %d %b %Y %H:%M:%S +0000", "%a, %d %b %Y %H:%M:%S GMT",
        "%a %b %d %H:%M:%S %Y", "%a %b %d %H:%M:%S UTC %Y", "%b %d, %Y %I:%M %p",
        "%Y/%m/%d %H:%M:%S",
        "%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)", "%Y-%m-%d %H:%M:%S UTC",
    ):  # fmt: skip
        yield dates(form, [at.strftime(form) for at in TIMES], TIMES)
    for zone, minutes in calendar_zones().items():
        cells = [
            (at + timedelta(minutes=minutes)).strftime(f"%Y-%m-%d %H:%M {zone}") for at in TIMES
        ]
        yield dates(zone, cells, TIMES)
    for place in (
        "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Sydney",
        "America/Argentina/Buenos_Aires", "Etc/UTC", "US/Pacific", "Asia/Tokyo",
    ):  # fmt: skip
        there = [at.replace(tzinfo=UTC).astimezone(ZoneInfo(place)) for at in TIMES]
        yield dates(place, [f"{at:%Y-%m-%d %H:%M} {place}" for at in there], TIMES)
        offset = [f"{at:%Y-%m-%dT%H:%M}{at.isoformat()[-6:]}[{place}]" for at in there]
        yield dates(f"[{place}]", offset, TIMES)
        clock = [f"{at:%a, %d %b %Y %H:%M} {place}" for at in there]
        yield dates(f"a weekday and {place}", clock, TIMES)
        alone = [f"{at:%Y-%m-%dT%H:%M}[{place}]" for at in there]
        yield dates(f"[{place}] without an offset", alone, TIMES)
        half = [f"{at:%m/%d/%Y %I:%M %p} {place}" for at in there]
        yield dates(f"half a day and {place}", half, TIMES)
    for zone, minutes in (("PDT", -420), ("UTC", 0), ("+02:00", 120), ("Z", 0)):
        cells = [
            (at + timedelta(minutes=minutes)).strftime(f"%Y-%m-%d %I:%M %p {zone}") for at in TIMES
        ]
        yield dates(f"half a day and {zone}", cells, TIMES)
    both = [
        f"{TIMES[0] + timedelta(minutes=m):%Y-%m-%d %H:%M} {z}" for z, m in calendar_zones().items()
    ]
    yield dates("all zones", both, [TIMES[0]] * len(both))
    unknown = [f"{at:%Y-%m-%d %H:%M} XYZ" for at in TIMES]
    yield dates("an unknown zone", unknown, TIMES, asked="an unknown time zone",
                option="kinds")  # fmt: skip
    hours = [datetime(1970, 1, 1, at + 5, 30) for at in range(ROWS)]
    for form in ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M%p", "%Hh%M"):
        yield dates(f"hours as {form}", [at.strftime(form) for at in hours], hours)
    full = [at.replace(minute=0) for at in hours]
    yield dates("8 am", [at.strftime("%-I %p").lower() for at in full], full)


def calendar_zones() -> dict[str, int]:
    from tallylearn.sources.type_inference.date_formats import ZONES

    return ZONES


def odd_cells() -> Iterator[Written]:
    for word in (
        "see note",
        "lost",
        "n.d.",
        "12*",
        "broken",
        "o.k., later",
        "it's",
    ):
        cells = [*map(str, NUMBERS), word]
        yield numbers(f"{word} among numbers", cells, [*NUMBERS, None], asked="14 of its 15 cells",
                      option="missing")  # fmt: skip
    for bound in ("<0.05", "90+"):
        yield numbers(f"{bound} among numbers", [*map(str, NUMBERS), bound], [*NUMBERS, None],
                      asked=f"1 of its 15 values is a bound and not exact ({bound!r}",
                      option="missing")  # fmt: skip
    several = [*map(str, NUMBERS), "lost", "see note", "lost", "broken"]
    yield numbers("three words among numbers", several, [*NUMBERS, *[None] * 4],
                  asked="14 of its 18 cells", option="missing")  # fmt: skip
    for word in ("soon", "2024-99-99 later"):
        cells = [*(f"{day:%d.%m.%Y}" for day in DAYS), word]
        yield dates(f"{word} among dates", cells, [*DAYS, None], asked="14 of its 15 cells are",
                    option="missing")  # fmt: skip
    kilos = [*(f"{x} kg" for x in NUMBERS), "unweighed"]
    yield numbers(
        "a word among units", kilos, [*NUMBERS, None], asked="14 of its 15", option="missing"
    )


COLLECTION: list[Written] = [
    one
    for group in (
        currencies, scales, measures, decimal_commas, months, quarters_and_weeks, days, times,
        odd_cells,
    )
    for one in group()
]  # fmt: skip
