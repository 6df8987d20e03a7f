"""The printed layout of regression summaries, with the headings of statsmodels and R.

A summary prints the table of coefficients, then lines of fit statistics and tests, then other
tables and notes. Markdown and HTML show the statistics as tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tallylearn.errors import InputError, OptionError, short_repr
from tallylearn.reporting.formatting import format_column, format_p_value, printable_text
from tallylearn.reporting.report import ReportLayout
from tallylearn.tables import Array
from tallylearn.workings import Derivation, Grid, Sentence
from tallylearn.workings.terms import intercept_name

LINE_WIDTH = 80  # of a terminal
BETWEEN = "   "  # two statistics on one line
INTERCEPT = "Intercept"

Statistics = Sequence[tuple[str, str]]  # (label, formatted value)


def interval_headings(level: float) -> tuple[str, str]:
    """The headings of a confidence interval: the probabilities below its ends.

    >>> interval_headings(0.95)
    ('[0.025', '0.975]')
    """
    tail = (1 - level) / 2
    return f"[{tail:.4g}", f"{1 - tail:.4g}]"


def checked_vif(vif: Any) -> bool:
    """The option ``vif`` of a summary."""
    if not isinstance(vif, bool):
        raise OptionError(f"vif is {short_repr(vif)}. Pass True or False.")
    return vif


def known_inflation(inflation: Array | None, remedy: str) -> Array:
    """The variance inflation factors of maximum-likelihood estimates, if there are any."""
    if inflation is None:
        raise InputError(
            "variance inflation factors need maximum-likelihood estimates with standard errors. "
            f"Fit without a penalty ({remedy}), or call summary() without vif=True."
        )
    return inflation


def coefficient_names(names: Sequence[str], has_intercept: bool) -> list[str]:
    """The names as printed: the first is ``Intercept``, or ``(Intercept)`` beside such a column.

    >>> coefficient_names(["w0", "size"], True), coefficient_names(["w0", "Intercept"], True)
    (['Intercept', 'size'], ['(Intercept)', 'Intercept'])
    """
    if not has_intercept:
        return [*names]
    return [intercept_name(names[1:], INTERCEPT), *names[1:]]


def coefficient_rows(
    names: Sequence[str], columns: Sequence[Sequence[Any]], p_column: int | None = None
) -> tuple[tuple[str, ...], ...]:
    """The cells of a table of coefficients; decimal points are aligned within each column.

    ``p_column`` is the place of the p-values among ``columns``.
    """
    cells = [
        [format_p_value(p, below="<0.001") for p in column]
        if place == p_column
        else format_column(column)
        for place, column in enumerate(columns)
    ]
    return tuple(zip(names, *cells, strict=True))


def summary_layout(
    title: str,
    tables: Sequence[Grid],
    statistics: Statistics,
    tests: Sequence[tuple[str, str, str]] = (),
    more: Sequence[Grid | Sentence] = (),
) -> ReportLayout:
    """A summary: tables of coefficients, fit statistics, tests, and further tables and notes.

    ``tests`` are (name, statistic with its p-value, verdict).
    """
    lines = [*statistic_lines(statistics), *lines_of_tests(tests)]
    first = "\n\n".join(map(str, tables))
    text = "\n\n".join(["\n".join([*filter(None, [first]), *lines]), *map(str, more)])
    steps: list[Grid | Sentence] = [*tables]
    if statistics:
        steps.append(Grid("", ("statistic", "value"), tuple(statistics)))
    if tests:
        steps.append(Grid("", ("test", "statistic", "result"), tuple(tests)))
    return ReportLayout(Derivation(title, (*steps, *more)), text=text.lstrip("\n"))


def statistic_lines(statistics: Statistics) -> list[str]:
    """Labels and values, as many on a line as fit."""
    lines: list[str] = []
    for label, value in statistics:
        one = printable_text(f"{label} {value}")
        if lines and len(lines[-1]) + len(BETWEEN) + len(one) <= LINE_WIDTH:
            lines[-1] += BETWEEN + one
        else:
            lines.append(one)
    return lines


def lines_of_tests(tests: Iterable[tuple[str, str, str]]) -> list[str]:
    """A line for each test: its name, the statistic and the verdict."""
    return [printable_text(f"{name} {value}: {verdict}") for name, value, verdict in tests]
