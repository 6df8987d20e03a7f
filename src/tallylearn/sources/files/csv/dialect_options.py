"""The options of a dialect: each of them possible, or an error that says what is."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from typing import Any

from tallylearn.errors import OptionError, did_you_mean, quoted_list
from tallylearn.sources.files.headers import are_names

OPTIONS = (
    "delimiter", "decimal", "encoding", "header", "missing", "skip", "comment", "quote",
    "thousands", "date_format", "footer", "widths",
)  # fmt: skip


def date_format(given: Mapping[str, Any]) -> str:
    """The order of day and month that is said, which strings in any file may need."""
    form = given.get("date_format") or ""
    if not isinstance(form, str) or (form and not all(part in form for part in ("%d", "%m"))):
        raise OptionError(
            f"dialect: date_format must be like '%d/%m/%Y' or '%m/%d/%Y', not {form!r}."
        )
    return form


def check_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as given, each of them possible."""
    if unknown := [key for key in given if key not in OPTIONS]:
        if "sheet" in unknown:
            raise OptionError(
                "dialect: sheet is for workbooks, and this is a text file. Leave it out."
            )
        options = f" The options are {quoted_list(OPTIONS, len(OPTIONS))}."
        hint = did_you_mean(unknown[0], OPTIONS) or options
        raise OptionError(f"dialect: there is no option {quoted_list(unknown)}.{hint}")
    said = {key: value for key, value in given.items() if value is not None}
    delimiter = said.get("delimiter", ",")
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '\r\n"':
        raise OptionError(f"dialect: delimiter must be one character, not {delimiter!r}.")
    if not delimiter.isascii():
        raise OptionError(
            f"dialect: delimiter {delimiter!r} is not an ASCII character. Save the file "
            "with another, such as a comma or a tab."
        )
    quote, comment, skip = said.get("quote", '"'), said.get("comment", ""), said.get("skip", 0)
    if (
        not isinstance(quote, str)
        or len(quote) > 1
        or not quote.isascii()
        or quote in ("\r", "\n", delimiter)
    ):
        raise OptionError(f"dialect: quote must be one character, or '' for none, not {quote!r}.")
    if not isinstance(comment, str) or "\n" in comment:
        raise OptionError(f"dialect: comment must be text, such as '#', not {comment!r}.")
    if isinstance(skip, bool) or not isinstance(skip, int) or skip < 0:
        raise OptionError(f"dialect: skip must be a number of lines, 0 or more, not {skip!r}.")
    footer, widths = said.get("footer", 0), said.get("widths", [1])
    if isinstance(footer, bool) or not isinstance(footer, int) or footer < 0:
        raise OptionError(f"dialect: footer must be a number of lines, 0 or more, not {footer!r}.")
    listing = isinstance(widths, list | tuple) and len(widths) > 0
    if not listing or any(type(one) is not int or one < 1 for one in widths):
        raise OptionError(
            "dialect: widths must be the numbers of characters of all columns but the last, such "
            f"as [10, 4], not {widths!r}."
        )
    if said.get("decimal", ".") not in (".", ","):
        raise OptionError(f"dialect: decimal must be '.' or ',', not {said['decimal']!r}.")
    if said.get("thousands", ",") not in (",", ".", "'", " "):
        raise OptionError(
            f"dialect: thousands must be ',', '.', an apostrophe or a space, not "
            f"{said['thousands']!r}."
        )
    date_format(said)
    if not isinstance(said.get("header", True), bool) and not are_names(said["header"]):
        raise OptionError(
            "dialect: header must be True or False, or the names of all columns, not "
            f"{said['header']!r}."
        )
    try:
        codecs.lookup(said.get("encoding", "utf-8"))
    except (LookupError, TypeError):
        raise OptionError(
            f"dialect: encoding {said['encoding']!r} is not known. "
            "Name one of Python's, such as 'utf-8', 'utf-16' or 'latin-1'."
        ) from None
    return said
