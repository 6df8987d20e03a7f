"""Small hostile tables of strings, what must be read of each, and the sources that bring them."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import feather, parquet

from tallylearn.tables import CATEGORY, DATE, NUMBER, TEXT, UNKNOWN

Rows = dict[str, list[str]]
Make = Callable[[Rows, Path], Any]
TRUTH = "truth"
NBSP, THIN, NARROW, MINUS = "\u00a0", "\u2009", "\u202f", "\u2212"


@dataclass(frozen=True)
class Case:
    """A column, and what must be read: its kind and its values, or the words of an error."""

    name: str
    cells: str  # with | between them
    kind: str  # "error" where it must be refused
    values: str | list[float | None]  # with | between them, ∅ for a gap; or words of the error
    notes: str = ""  # words of what is said about it
    told: str = ""  # what kinds= says of it

    @property
    def rows(self) -> Rows:
        return with_target(self.cells.split("|"))

    @property
    def options(self) -> dict[str, Any]:
        return {"kinds": {"x": self.told}} if self.told else {}


def with_target(cells: list[str]) -> Rows:
    return {"x": cells, "y": ["ab"[at // 2 % 2] for at in range(len(cells))]}


def to_csv(rows: Rows, folder: Path) -> Path:
    path = folder / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(rows)
        writer.writerows(zip(*rows.values(), strict=True))
    return path


def to_parquet(kind: Any) -> Make:
    def made(rows: Rows, folder: Path) -> Path:
        path = folder / "table.parquet"
        parquet.write_table(arrow(rows, kind), path)
        return path

    return made


def to_arrow(rows: Rows, folder: Path) -> Path:
    path = folder / "table.arrow"
    feather.write_feather(arrow(rows, pa.string()), path)
    return path


def arrow(rows: Rows, kind: Any) -> pa.Table:
    return pa.table({name: pa.array(cells).cast(kind) for name, cells in rows.items()})


def to_dicts(rows: Rows, _: Path) -> list[dict[str, str]]:
    return [dict(zip(rows, cells, strict=True)) for cells in zip(*rows.values(), strict=True)]


SOURCES: dict[str, Make] = {
    "csv": to_csv,
    "pandas": lambda rows, _: pd.DataFrame(rows, dtype="str"),
    "pandas of objects": lambda rows, _: pd.DataFrame(rows, dtype=object),
    "polars": lambda rows, _: pl.DataFrame(rows),
    "string": lambda rows, _: arrow(rows, pa.string()),
    "large string": lambda rows, _: arrow(rows, pa.large_string()),
    "string view": lambda rows, _: arrow(rows, pa.string_view()),
    "dicts": to_dicts,
    "parquet": to_parquet(pa.string()),
    "parquet of dictionaries": to_parquet(pa.dictionary(pa.int32(), pa.string())),
    "arrow": to_arrow,
}
FEW = {name: SOURCES[name] for name in ("csv", "polars", "parquet of dictionaries")}

NUMBERS = [
    Case("plain", "1|-7|2.5|+3|.5|5.", NUMBER, [1, -7, 2.5, 3, 0.5, 5]),
    Case("noughts alone", "0|0.5|-0.25|0", NUMBER, [0, 0.5, -0.25, 0]),
    Case("exponents", "1e5|1E-3|2.5e+2|-1e0", NUMBER, [1e5, 1e-3, 250, -1]),
    Case("an exponent with noughts", "1e05|2e-03", NUMBER, [1e5, 2e-3]),
    Case("points and thousands", "1,234.50|12|-7", NUMBER, [1234.5, 12, -7], "1,234.5"),
    Case("commas and points", "1.234,50|12|-7", NUMBER, [1234.5, 12, -7], "1.234,5"),
    Case("spaces and commas", "1 234,5|7|-12 345", NUMBER, [1234.5, 7, -12345], "1 234,5"),
    Case("spaces and points", "1 234.5|7", NUMBER, [1234.5, 7], "1 234.5"),
    Case("apostrophes", "1'234.5|7|1'234'567", NUMBER, [1234.5, 7, 1234567], "1'234.5"),
    Case("curved apostrophes", "1’234.5|7", NUMBER, [1234.5, 7], "1'234.5"),
    Case("apostrophes and commas", "1'234,5|7", NUMBER, [1234.5, 7], "1'234,5"),
    Case("non-breaking spaces", f"1{NBSP}234,5|7", NUMBER, [1234.5, 7], "1 234,5"),
    Case("narrow spaces", f"1{NARROW}234,5|2{THIN}000", NUMBER, [1234.5, 2000], "1 234,5"),
    Case("non-breaking spaces around", f"12{NBSP}|{NBSP}5|7", NUMBER, [12, 5, 7]),
    Case("blanks around", " 12 |\t5|7 ", NUMBER, [12, 5, 7]),
    Case("decimal commas", "1,5|2,25|-3", NUMBER, [1.5, 2.25, -3], "1234,5"),
    Case("a comma and three digits", "1,234|5", NUMBER, [1234, 5], "1,234.5"),
    Case("three digits beside decimals", "1,234|1,5", NUMBER, [1.234, 1.5], "1234,5"),
    Case("a point and three digits", "1.234|5", NUMBER, [1.234, 5]),
    Case("points for thousands only", "1.234.567|5", NUMBER, [1234567, 5], "1.234,5"),
    Case("commas for thousands only", "1,234,567|5", NUMBER, [1234567, 5], "1,234.5"),
    Case("point and comma in turn", "1.5|1,5", CATEGORY, "1.5|1,5", "several marks"),
    Case("thousands by both", "1,234.5|1.234,5", CATEGORY, "1,234.5|1.234,5", "several marks"),
    Case("German months", "1. Januar 2024|3. März 2024|24. Dez. 2024", DATE,
         "2024-01-01|2024-03-03|2024-12-24", "%d %b %Y"),
    Case("French months", "1 février 2024|3 août 2024|24 Juillet 2024", DATE,
         "2024-02-01|2024-08-03|2024-07-24", "%d %b %Y"),
    Case("months of all three", "1-Mai-2024|3-Oct-2024|24-Okt-2024|5-juin-2024", DATE,
         "2024-05-01|2024-10-03|2024-10-24|2024-06-05", "%d-%b-%Y"),
    Case("lakhs", "1,00,000.50|₹99,999", NUMBER, [100000.5, 99999], "₹1,234.5"),
    Case("no cents", "12.-|13.50|5.--|7.–", NUMBER, [12, 13.5, 5, 7]),
    Case("no cents and a comma", "12,-|13,50|1.234,— €", NUMBER, [12, 13.5, 1234], "€1.234,5"),
    Case("no cents before a unit", "CHF 12.–|CHF -3.50", NUMBER, [12, -3.5], "1234.5 CHF"),
    Case("a minus behind", "12-|13.50-|7", NUMBER, [-12, -13.5, 7]),
    Case("groups of two", "12,34,567|1", NUMBER, [1234567, 1], "1,234.5"),
    Case("groups astray", "1,23,4|1", CATEGORY, "1,23,4|1"),
    Case("nought and comma", "0,123|1,5", NUMBER, [0.123, 1.5], "1234,5"),
    Case("dollars", "$1,234.50|$ 12|-$5|$-6", NUMBER, [1234.5, 12, -5, -6], "$1,234.5"),
    Case("dollars behind", "12 $|5$", NUMBER, [12, 5], "$1234.5"),
    Case("euros", f"5 €|-6,50{NBSP}€|1.234,00 €", NUMBER, [5, -6.5, 1234], "€1.234,5"),
    Case("pounds", "-£5|£1,000", NUMBER, [-5, 1000], "£1,234.5"),
    Case("currency codes", "5 USD|USD 6|7usd", NUMBER, [5, 6, 7], "1234.5 USD"),
    Case("a currency here and there", "$5|6", NUMBER, [5, 6], "$1234.5"),
    Case("two currencies", "$5|€6", CATEGORY, "$5|€6", "several units"),
    Case("a currency twice", "$5$|6", CATEGORY, "$5$|6"),
    Case("per cent", "12%|5 %|-3.5 %", NUMBER, [12, 5, -3.5], "1234.5 %"),
    Case("per mille", "12‰|5 ‰", NUMBER, [12, 5], "‰"),
    Case("per cent here and there", "12%|5", CATEGORY, "12%|5", "several units (% and none)"),
    Case("per cent with a comma", "12,5 %|5 %", NUMBER, [12.5, 5], "1234,5 %"),
    Case("brackets", "(5)|(7.5)|3", NUMBER, [-5, -7.5, 3]),
    Case("brackets and dollars", "($1,234.50)|$(5.00)|$1", NUMBER, [-1234.5, -5, 1], "$1,234.5"),
    Case("brackets and per cent", "(5 %)|3 %", NUMBER, [-5, 3], "%"),
    Case("half a bracket", "(5|3", CATEGORY, "(5|3"),
    Case("two signs", "-(5)|3", CATEGORY, "-(5)|3"),
    Case("a minus behind", "5-|7|1,234.5-", NUMBER, [-5, 7, -1234.5], "1,234.5"),
    Case("a printer's minus", f"{MINUS}5|7", NUMBER, [-5, 7]),
    Case("mixed signs", "+5|-5|5-|(5)", NUMBER, [5, -5, -5, -5]),
    Case("infinity", "inf|-Infinity|1|+inf", NUMBER, [float("inf"), -float("inf"), 1,
         float("inf")]),
    Case("beyond a double", "1e400|1", NUMBER, [float("inf"), 1]),
    Case("below a double", "1e-400|1", NUMBER, [0, 1]),
    Case("no numbers", "nan|NAN|1|2|NaN", NUMBER, [None, None, 1, 2, None]),
    Case("many digits", f"0.{'3' * 60}|1", NUMBER, [1 / 3, 1]),
    Case("seventeen digits", "0.12345678901234567|1", NUMBER, [0.12345678901234567, 1]),
    Case("thousands that end in a point", "1,234.|5", NUMBER, [1234, 5], "1,234.5"),
    Case("years", "2024|1999", NUMBER, [2024, 1999]),
    Case("days without marks", "20241231|20240101", NUMBER, [20241231, 20240101]),
    Case("an underscore", "1_000|2", CATEGORY, "1_000|2"),
    Case("hexadecimals", "0x1F|2", CATEGORY, "0x1F|2"),
    Case("fractions", "1/2|3/4", CATEGORY, "1/2|3/4", "'1/2'.*\"x\": \"ratio\""),
    Case("letters behind", "12a|5", CATEGORY, "12a|5", "several units (a and none)"),
    Case("units", "12 kg|13 kg|14 lb", CATEGORY, "12 kg|13 kg|14 lb",
         "several units .*kinds=.*1234.5 kg"),
    Case("thousands as a letter", "1.5k|2M", NUMBER, [1500, 2e6], "1234.5M"),
    Case("a code and a gap", "-|1|2|007", CATEGORY, "-|1|2|007", "3 of its 4 .* not '-'"),
    Case("more numbers than not", "<0.05|1|2", CATEGORY, "<0.05|1|2", "1 of its 3 .*'<0.05'"),
    Case("ranges", "10-20|20-30", CATEGORY, "10-20|20-30", "'10-20'.*\"x\": \"midpoint\""),
    Case("digits of other scripts", "１２|٣", CATEGORY, "１２|٣"),
    Case("one cell", "5", NUMBER, [5]),
]  # fmt: skip

CODES = [
    Case("postcodes", "01067|10115", CATEGORY, "01067|10115", "leading zeros"),
    Case("agents", "007|7", CATEGORY, "007|7", "leading zeros ('007')"),
    Case("noughts", "00|0", CATEGORY, "00|0", "leading zeros"),
    Case("signed codes", "+0049|-12", CATEGORY, "+0049|-12", "leading zeros"),
    Case("codes with points", "00.5|1", CATEGORY, "00.5|1", "leading zeros"),
    Case("numbers of telephones", "0 800|12", CATEGORY, "0 800|12", "leading zeros"),
    Case("more telephones", "030 123 456|12", CATEGORY, "030 123 456|12", "leading zeros"),
    Case("codes that are told", "007|7", NUMBER, [7, 7], told="number"),
    Case("beyond 2^53", "9007199254740993|1", CATEGORY, "9007199254740993|1", "too long"),
    Case("2^53", "9007199254740992|1", NUMBER, [9007199254740992, 1]),
    Case("an even one beyond", "9007199254740994|1", NUMBER, [9007199254740994, 1]),
    Case("below -2^53", "-9007199254740993|1", CATEGORY, "-9007199254740993|1", "too long"),
    Case("with thousands", "9,007,199,254,740,993|1", CATEGORY, "9,007,199,254,740,993|1",
         "too long"),
    Case("with spaces", "9 007 199 254 740 993|1", CATEGORY, "9 007 199 254 740 993|1", "too long"),
    Case("with a currency", "$9007199254740993|$1", CATEGORY, "$9007199254740993|$1", "too long"),
    Case("with decimals", "9007199254740993.0|1", CATEGORY, "9007199254740993.0|1", "too long"),
    Case("thirty digits", f"{'9' * 30}|1", CATEGORY, f"{'9' * 30}|1", "too long"),
    Case("four hundred digits", f"{'9' * 400}|1", CATEGORY, f"{'9' * 400}|1", "too long"),
    Case("a thousand digits", f"{'9' * 1000}|1", CATEGORY, f"{'9' * 1000}|1"),
    Case("addresses", "192.168.0.1|10.0.0.1", CATEGORY, "192.168.0.1|10.0.0.1"),
    Case("numbers of cards", "1234-5678|1234-9999", CATEGORY, "1234-5678|1234-9999"),
    Case("too long, told", "9007199254740993|1", "error", "rounds|2\\^53|hold", told="number"),
]  # fmt: skip

DATES = [
    Case("iso", "2024-12-31|2024-01-05", DATE, "2024-12-31|2024-01-05"),
    Case("iso, short", "2024-12-31|2024-1-5", DATE, "2024-12-31|2024-01-05"),
    Case("iso with times", "2024-12-31T20:30:00|2024-12-31 08:05|2024-01-01", DATE,
         "2024-12-31 20:30|2024-12-31 08:05|2024-01-01"),
    Case("zones", "2024-12-31 20:30+02:00|2024-12-31T20:30Z|2024-12-31 20:30:00 -0330", DATE,
         "2024-12-31 18:30|2024-12-31 20:30|2025-01-01 00:00"),
    Case("zones by name", "2024-12-31 20:30:00 UTC|2024-12-31 20:30 GMT", DATE,
         "2024-12-31 20:30|2024-12-31 20:30"),
    Case("zones here and there", "2024-12-31 20:30+02|2024-12-31 20:30", DATE,
         "2024-12-31 18:30|2024-12-31 20:30"),
    Case("small letters", "2024-12-31t20:30:00z|2024-12-31 20:30", DATE,
         "2024-12-31 20:30|2024-12-31 20:30"),
    Case("parts of seconds", "2024-12-31 20:30:15.5|2024-12-31 20:30:15.123456789", DATE,
         "2024-12-31 20:30:15.5|2024-12-31 20:30:15.123456"),
    Case("a comma in seconds", "2024-12-31 20:30:15,250|2024-12-31", DATE,
         "2024-12-31 20:30:15.25|2024-12-31"),
    Case("years far away", "9999-12-31|0001-01-01", DATE, "9999-12-31|0001-01-01"),
    Case("slashes, year first", "2024/12/31|2024/1/5", DATE, "2024-12-31|2024-01-05", "%Y/%m/%d"),
    Case("points, year first", "2024.12.31|2024.1.5", DATE, "2024-12-31|2024-01-05", "%Y.%m.%d"),
    Case("points", "31.12.2024|1.2.2025", DATE, "2024-12-31|2025-02-01", "%d.%m.%Y"),
    Case("points, all small", "3.4.2024|1.2.2025", DATE, "2024-04-03|2025-02-01", "%d.%m.%Y"),
    Case("points and noughts", "01.02.2024|02.01.2024", DATE, "2024-02-01|2024-01-02", "%d.%m.%Y"),
    Case("points, short years", "31.12.24|1.2.68|1.2.69", DATE,
         "2024-12-31|2068-02-01|1969-02-01", "y"),
    Case("points, told", "3.4.2024|1.2.2025", DATE, "2024-03-04|2025-01-02", told="%m.%d.%Y"),
    Case("day first", "3/4/2024|13/4/2024", DATE, "2024-04-03|2024-04-13", "%d/%m/%Y"),
    Case("month first", "3/4/2024|4/13/2024", DATE, "2024-03-04|2024-04-13", "%m/%d/%Y"),
    Case("day first, short", "3/4/24|13/4/24", DATE, "2024-04-03|2024-04-13", "%d/%m/%y"),
    Case("hyphens", "31-12-2024|01-02-2025", DATE, "2024-12-31|2025-02-01", "%d-%m-%Y"),
    Case("which is the day?", "3/4/2024|5/6/2024", "error",
         "two ways: '3/4/2024'.*%d/%m/%Y.*%m/%d"),
    Case("which, in short years", "3/4/24|5/6/24", "error", "two ways: '3/4/24'.*%d/%m/%y"),
    Case("which, with hyphens", "03-04-2024|05-06-2024", "error", "two ways.*%d-%m-%Y"),
    Case("day first, told", "3/4/2024|5/6/2024", DATE, "2024-04-03|2024-06-05", told="%d/%m/%Y"),
    Case("month first, told", "3/4/2024|5/6/2024", DATE, "2024-03-04|2024-05-06", told="%m/%d/%Y"),
    Case("words, told", "3/4/2024|5/6/2024", CATEGORY, "3/4/2024|5/6/2024", told="category"),
    Case("no order suits", "13/4/2024|4/13/2024", CATEGORY, "13/4/2024|4/13/2024", "no order"),
    Case("several forms", "2024-01-01|31.12.2024", DATE, "2024-01-01|2024-12-31",
         r"%Y-%m-%d\|%d.%m.%Y"),
    Case("months by name", "Dec 31 2024|January 1, 2024|Sept. 5, 2024|may 7 2024", DATE,
         "2024-12-31|2024-01-01|2024-09-05|2024-05-07", "%b %d %Y"),
    Case("months in the middle", "31 Dec 2024|1 January 2024|5 MAR 2024", DATE,
         "2024-12-31|2024-01-01|2024-03-05", "%d %b %Y"),
    Case("months and points", "31. Dec. 2024|1. May 2024", DATE, "2024-12-31|2024-05-01",
         "%d %b %Y"),
    Case("months and hyphens", "31-Dec-24|1-Jan-69|1-Jan-68", DATE,
         "2024-12-31|1969-01-01|2068-01-01", "%d-%b-%y"),
    Case("months, years and times", "Dec 31, 2024 8:30 PM|Jan 1, 2024 12:05 am", DATE,
         "2024-12-31 20:30|2024-01-01 00:05", "%b %d %Y"),
    Case("halves of a day", "31/12/2024 8:30 PM|1/2/2024 12:30 a.m.", DATE,
         "2024-12-31 20:30|2024-02-01 00:30", "%d/%m/%Y"),
    Case("a comma before the time", "31.12.2024, 20:30|1.2.2025, 8:30", DATE,
         "2024-12-31 20:30|2025-02-01 08:30", "%d.%m.%Y"),
    Case("times of day", "20:30|8:05:30|00:00", DATE,
         "1970-01-01 20:30|1970-01-01 08:05:30|1970-01-01", "%H:%M"),
    Case("times in halves", "8:30 pm|12:15 am|12:00 PM", DATE,
         "1970-01-01 20:30|1970-01-01 00:15|1970-01-01 12:00", "%H:%M"),
    Case("30 February", "2024-02-30|2024-01-01", "error", "'2024-02-30'.*kinds=.*category"),
    Case("31 April", "31.4.2024|1.1.2024", "error", "'31.4.2024'.*read as %d.%m.%Y"),
    Case("29 February", "2023-02-29|2024-02-29", "error", "'2023-02-29'"),
    Case("a leap day", "2024-02-29|2000-02-29", DATE, "2024-02-29|2000-02-29"),
    Case("the thirteenth month", "2024-13-01|2024-12-01", "error", "'2024-13-01'"),
    Case("no day at all", "0000-00-00|2024-01-01", "error", "'0000-00-00'"),
    Case("the 25th hour", "25:30|8:05", "error", "'25:30'.*m:ss.*h:mm"),
    Case("the 61st second", "2024-06-30 23:59:60|2024-01-01", "error", "23:59:60"),
    Case("months alone", "May|June", CATEGORY, "May|June"),
    Case("years and months", "2024-01|2024-02", DATE, "2024-01-01|2024-02-01", "%Y-%m"),
    Case("quarters", "2024Q1|2024Q2", DATE, "2024-01-01|2024-04-01", "%YQ%q"),
    Case("seasons", "2010-11|2011-12", "error", "'2010-11' in row _ may be a month or two years"),
    Case("days with hyphens, short years", "31-12-24|01-02-25", "error",
         "may be a date or a code.*%d-%m-%y.*category"),
    Case("ordinals", "1st Jan|2nd Jan", DATE, "2000-01-01|2000-01-02", "%d %b"),
    Case("days and a number", "2024-01-01|5", CATEGORY, "2024-01-01|5",
         "dates and some are numbers"),
    Case("days and a word", "2024-01-01|soon", CATEGORY, "2024-01-01|soon"),
    Case("a gap among days", "2024-01-01|-|n/a|2024-01-02", DATE, "2024-01-01|∅|∅|2024-01-02",
         '"-" and "n/a" mean missing'),
    Case("empty among days", "31/12/2024||1/1/2024", DATE, "2024-12-31|∅|2024-01-01", "%d/%m/%Y"),
]  # fmt: skip

WORDS = [
    Case("truth", "true|FALSE|True|false", TRUTH, "True|False|True|False"),
    Case("truth alone", "true|true", TRUTH, "True|True"),
    Case("truth and answers", "true|false|yes", CATEGORY, "true|false|yes"),
    Case("answers", "Yes|No|Yes", CATEGORY, "Yes|No|Yes"),
    Case("answers in small letters", "yes|no", CATEGORY, "yes|no"),
    Case("answers in mixed letters", "Yes|no|YES|No", CATEGORY, "Yes|No|Yes|No", "read as No, Yes"),
    Case("one letter", "y|n|N", CATEGORY, "Y|N|N", "read as N, Y"),
    Case("t and f", "t|f|T|F", CATEGORY, "T|F|T|F", "read as F, T"),
    Case("on and off", "on|OFF|Off", CATEGORY, "On|Off|Off", "read as Off, On"),
    Case("half a pair", "Yes|yes", CATEGORY, "Yes|yes", "'Yes' and 'yes' differ only in case"),
    Case("answers and more", "yes|no|maybe", CATEGORY, "yes|no|maybe"),
    Case("ones and noughts", "1|0|1", NUMBER, [1, 0, 1]),
    Case("ones and truth", "1|0|true", CATEGORY, "1|0|true", "2 of its 3 cells are numbers"),
    Case("cases", "London|london|Paris", CATEGORY, "London|london|Paris", "differ only in case"),
    Case("cases, twice", "a|A|b|B", CATEGORY, "a|A|b|B", "'A' and 'a' differ.*and 1 more such"),
    Case("blanks within", "New York|New  York", CATEGORY, "New York|New  York", "case or blanks"),
    Case("blanks at the end", "a|a |\ta|b", CATEGORY, "a|a|a|b"),
    Case("None is a word", "None|Some|Full", CATEGORY, "None|Some|Full"),
    Case("None is a gap", "None|1|2", NUMBER, [None, 1, 2], '"None" means missing'),
    Case("a hyphen among numbers", "-|1|2|-", NUMBER, [None, 1, 2, None], '"-" means missing'),
    Case("gaps of all sorts", ".|--|n.a.|#N/A|#DIV/0!|unknown|1|2", NUMBER,
         [None] * 6 + [1, 2], "mean missing"),
    Case("a hyphen among words", "-|a|b", CATEGORY, "-|a|b"),
    Case("95 of a hundred", "-|" + "|".join(["1"] * 95 + ["x"] * 5), CATEGORY,
         "|".join(["∅"] + ["1"] * 95 + ["x"] * 5), '"-" means missing'),
    Case("94 of a hundred", "?|.|" + "|".join(["1"] * 94 + ["x"] * 6), CATEGORY,
         "|".join(["∅", "."] + ["1"] * 94 + ["x"] * 6), "94 of its 101 cells are numbers"),
    Case("an odd cell", "|".join([*map(str, range(30)), "x"]), "error",
         "30 of its 31 cells are numbers, but not 'x'.*missing=\"x\".*category"),
    Case("an answer among numbers", "|".join([*map(str, range(30)), "yes"]), "error",
         "30 of its 31 cells are numbers, but not 'yes'.*missing=\"yes\""),
    Case("an odd cell among few", "|".join(["1", "2", "3", "4"] * 9 + ["5+"]), CATEGORY,
         "|".join(["1", "2", "3", "4"] * 9 + ["5+"]), "1 of its 37 .*'5[+]' in row _"),
    Case("markers", "NA|N/A|NaN|nan|null|NULL|?||1", NUMBER, [None] * 8 + [1]),
    Case("markers among words", "NA|a|?|b", CATEGORY, "∅|a|∅|b"),
    Case("nothing at all", "NA||?", UNKNOWN, "∅|∅|∅"),
    Case("only hyphens", "–|–", CATEGORY, "–|–"),
    Case("text", "the cat sat on a mat|a dog ran to the hill|no cat ran at all", TEXT,
         "the cat sat on a mat|a dog ran to the hill|no cat ran at all"),
    Case("a long cell", f"{'x' * 70_000}|y", CATEGORY, f"{'x' * 70_000}|y"),
    Case("one word", "x", CATEGORY, "x"),
    Case("other scripts", "Ω|ω|Straße|STRASSE", CATEGORY, "Ω|ω|Straße|STRASSE", "case"),
    Case("commas and quotes", 'a,b|"c"|d;e', CATEGORY, 'a,b|"c"|d;e'),
    Case("lines", "a\nb|c", CATEGORY, "a\nb|c"),
]  # fmt: skip

CASES = [*NUMBERS, *CODES, *DATES, *WORDS]
