"""Formatting of numbers and p-values, and of cells as aligned text, Markdown, HTML and LaTeX."""

from __future__ import annotations

import html
import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from itertools import zip_longest
from typing import Any

# A product of a few thousand word frequencies lies far below the smallest double.
_UNBOUNDED_EXPONENTS = Context(prec=20, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
Chain = list[tuple[str, str]]  # the sign before a term, and the term
FOUR_DIGITS = ".4g"  # of numbers of any size, see ``format_number``
TEXT_WIDTH = 80  # columns of a terminal that printed results fit
_MARKDOWN_CHARACTERS = frozenset("\\`*_{}[]<>#|$~&")
# Kept on one line: an interval, a p-value, and a call or an option that a reader may copy.
_UNBROKEN = re.compile(
    r"\[[^][ ]{1,20}, [^][ ]{1,20}\]|\bp [<=] |\d %|\w\((?:[^()]|\([^()]*\)){1,60}\)"
    r"|\w=[\[{][^]}]{1,60}[]}]|--[a-z-]+ (?=[^\s(])"
)
_CHAIN_SIGNS = {" · ": r"\cdot", " + ": " + ", " - ": " - "}
_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
} | {c: f"\\{c}" for c in "{}$&#_%"}  # fmt: skip


def format_number(x: float) -> str:
    """Four significant digits; below ten million all before the point, and no power of ten.

    >>> [format_number(x) for x in (2 / 3, -0.0, 1.23449e-15, -math.inf)]
    ['0.6667', '0', '1.234e-15', '-inf']
    >>> [format_number(x) for x in (9999.4, -171634.2, 12345678.9)]
    ['9999', '-171,634', '1.235e+07']
    """
    return f"{x:,.0f}" if 9999.5 <= abs(x) < 9_999_999.5 else f"{x + 0.0:.4g}"


def format_number_or_blank(x: Any) -> str:
    """``short``, and nothing for a missing value; text, such as "inf" in plain data, is kept.

    >>> format_number_or_blank(0.5), format_number_or_blank(None), format_number_or_blank(math.nan)
    ('0.5', '', '')
    """
    if x is None or isinstance(x, str):
        return x or ""
    return "" if x != x else format_number(float(x))


def format_column(values: Sequence[Any]) -> list[str]:
    """Numbers of one column: four significant digits each, the decimal points aligned.

    A missing value is blank, zero is ``0``, and text, such as "inf" in plain data, is kept.

    >>> format_column([2.2372, -16.8, 12345.6, 0.0, None])
    ['     2.237', '   -16.80 ', '12,346    ', '     0    ', '          ']
    """
    return align_decimals([format_four_digits(value) for value in values])


def align_decimals(cells: Sequence[str]) -> list[str]:
    """Numbers as text, padded to one width with the decimal points aligned.

    >>> align_decimals(["44.37", "0.495", ""])
    ['44.37 ', ' 0.495', '      ']
    """
    places = [cell.find(".") if "." in cell else len(cell) for cell in cells]
    before = max(places, default=0)
    after = max((len(cell) - at for cell, at in zip(cells, places, strict=True)), default=0)
    return [
        " " * (before - at) + cell + " " * (after - len(cell) + at)
        for cell, at in zip(cells, places, strict=True)
    ]


def format_four_digits(value: Any) -> str:
    """``format_number_or_blank`` with the zeros at the end of the four digits.

    >>> format_four_digits(34.7), format_four_digits(12345.6), format_four_digits(None)
    ('34.70', '12,346', '')
    """
    text = format_number_or_blank(value)
    if isinstance(value, str) or text in ("", "0") or not math.isfinite(value) or "," in text:
        return text
    return f"{value:#.4g}".rstrip(".")


def format_p_value(p: Any, below: str = "< 0.001") -> str:
    """Three decimals, ``below`` under 0.001, and nothing for a missing value.

    >>> format_p_value(0.0004), format_p_value(0.05), format_p_value(None)
    ('< 0.001', '0.050', '')
    """
    p = number_of(p)
    return "" if p != p else below if p < 0.001 else f"{p:.3f}"


def p_value_relation(p: float) -> str:
    """A p-value within a sentence: two significant digits, ``< 0.001`` below that.

    >>> p_value_relation(0.0004), p_value_relation(0.0632)
    ('< 0.001', '= 0.063')
    """
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"


def score_format(values: Sequence[float], whole: bool = False) -> str:
    """The format of scores of this size: three decimals up to 10, and four digits above.

    Very small scores have four significant digits. With ``whole``, where no small differences are
    shown beside them, large scores have up to seven digits and no decimals.

    >>> [format(26458.2, score_format([26458.2], whole)) for whole in (False, True)]
    ['2.646e+04', '26,458']
    >>> [format(x, score_format([x])) for x in (0.95084, 44.3664, 170.27)]
    ['0.951', '44.37', '170.3']
    """
    largest = max((abs(value) for value in values if math.isfinite(value)), default=1.0)
    if whole and 1e4 <= largest < 1e7:
        return "z,.0f"
    if largest != 0 and not 0.05 <= largest < 999.95:
        return FOUR_DIGITS
    return "z.3f" if largest < 9.9995 else "z.2f" if largest < 99.995 else "z.1f"


def difference_format(spec: str, mean: float, ends: Sequence[float]) -> str:
    """The format of a difference and its interval: enough digits to show that they are not 0.

    >>> format(0.00021, difference_format("z.3f", 0.00021, (0.0001, 0.0003)))
    '0.00021'
    """
    known = [value for value in (mean, *ends) if math.isfinite(value)]
    if len(known) < 3 or not any(known):
        return spec
    each, shown = {format(abs(value), spec) for value in known}, known[1] * known[2] > 0
    return FOUR_DIGITS if len(each) == 1 or (shown and format(0.0, spec) in each) else spec


def format_score(value: float, spec: str) -> str:
    """A score in a format; four significant digits are those of ``format_number``.

    >>> format_score(26458.2, score_format([26458.2])), format_score(0.25, score_format([0.25]))
    ('26,458', '0.250')
    """
    return format_number(value) if spec == FOUR_DIGITS else format(value + 0.0, spec)


def format_interval(low: float, high: float, spec: str) -> str:
    """An interval, its ends in a format."""
    return f"[{format_score(low, spec)}, {format_score(high, spec)}]"


def format_exp(log: float) -> str:
    """e to the ``log`` in four digits, also where a double would be 0 already.

    >>> format_exp(math.log(0.25)), format_exp(-math.inf), format_exp(-5000.0)
    ('0.25', '0', '3.370e-2172')
    """
    if abs(log) < 700 or not math.isfinite(log):
        return format_number(math.exp(log))
    return f"{_UNBOUNDED_EXPONENTS.exp(Decimal(log)):.3e}"


def format_fraction(value: Fraction, digits: int = 12) -> str:
    """The fraction, or four digits of it when it has more ``digits`` than one cares to read."""
    above, below = abs(value.numerator), value.denominator
    if max(above, below) < 10**digits:
        return str(value)
    return ("-" if value < 0 else "") + format_exp(math.log(above) - math.log(below))


def format_count(value: Fraction) -> str:
    """A count with its pseudo-counts: 3, 3.5, and four digits of a third."""
    if value.denominator == 1:
        return str(value.numerator)
    decimal = repr(float(value))
    return decimal if len(decimal) <= 10 else format_number(float(value))


def printable_text(text: object) -> str:
    """One printable line; line breaks and control characters are spelled out.

    >>> printable_text("two\\nlines")
    'two\\\\nlines'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))


def text_width(text: str) -> int:
    """The places that a text takes on a terminal."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def pad_texts(texts: Sequence[str], left: bool = False) -> list[str]:
    """Texts of one width."""
    places = max(map(text_width, texts), default=0)
    blanks = [" " * (places - text_width(text)) for text in texts]
    return [t + b if left else b + t for t, b in zip(texts, blanks, strict=True)]


def align_columns(rows: Iterable[Sequence[object]]) -> list[str]:
    """Rows of cells as lines: the first column to the left, all others to the right.

    >>> align_columns([("", "n"), ("sunny", 5), ("rain", 14)])
    ['        n', 'sunny   5', 'rain   14']
    """
    cells = [[printable_text(cell) for cell in row] for row in rows]
    columns = zip_longest(*cells, fillvalue="")
    even = [pad_texts(column, left=place == 0) for place, column in enumerate(columns)]
    return ["  ".join(row).rstrip() for row in zip(*even, strict=True)]


def column_blocks(rows: Iterable[Sequence[object]], width: int = TEXT_WIDTH) -> list[list[str]]:
    """Rows of cells as blocks of aligned lines; each block fits the width.

    A table that is too wide continues below, as in R, and each block repeats the first column.

    >>> for block in column_blocks([("", "red", "green"), ("n", 12, 7)], width=8):
    ...     print(*block, sep=chr(10))
       red
    n   12
       green
    n      7
    """
    cells = [[printable_text(cell) for cell in row] for row in rows]
    label, *columns = zip_longest(*cells, fillvalue="")
    first = max(map(text_width, label), default=0)
    blocks: list[list[tuple[str, ...]]] = []
    room = 0
    for column in columns:
        needed = 2 + max(map(text_width, column))
        if not blocks or needed > room:
            blocks.append([])
            room = width - first
        blocks[-1].append(column)
        room -= needed
    return [align_columns(zip(label, *block, strict=True)) for block in blocks or [[]]]


def shorten_cells(rows: Iterable[Sequence[object]], width: int = TEXT_WIDTH) -> list[list[str]]:
    """Rows of cells, none of which is wider than a line; of a long one the beginning and the end.

    A line holds the first cell of a row and at least one other.

    >>> shorten_cells([("n", "length <= 2.45 & width <= 1.5")], width=24)
    [['n', 'length <= …dth <= 1.5']]
    """
    cells = [[printable_text(cell) for cell in row] for row in rows]
    label = max((text_width(row[0]) for row in cells if row), default=0)
    first = min(label, width * 3 // 4)
    return [
        [_shorten(cell, max(first if at == 0 else width - 2 - first, 8)) for at, cell in
         enumerate(row)]
        for row in cells
    ]  # fmt: skip


def _shorten(cell: str, room: int) -> str:
    if text_width(cell) <= room:
        return cell
    return f"{cell[: room // 2]}…{cell[len(cell) - (room - 1 - room // 2) :]}"


def wrap_text(text: str, width: int = TEXT_WIDTH) -> str:
    """A paragraph in lines of at most ``width`` characters; words and intervals stay whole.

    >>> print(wrap_text("error 0.25 [0.12, 0.38], p < 0.001", width=22))
    error 0.25
    [0.12, 0.38],
    p < 0.001
    """
    joined = _UNBROKEN.sub(lambda found: found[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(joined, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def wrap_beside(label: str, text: str, width: int = TEXT_WIDTH) -> str:
    """A label and a paragraph to the right of it, in lines of at most ``width`` characters.

    >>> print(wrap_beside("warning: ", "day has the same value in all rows", width=26))
    warning: day has the same
             value in all rows
    """
    indent = text_width(label)
    return (label + wrap_text(text, width - indent).replace("\n", "\n" + " " * indent)).rstrip()


def wrap_equation(text: str, width: int = TEXT_WIDTH) -> str:
    """A long equation over several lines, which begin with "=" below the first "=".

    >>> print(wrap_equation("y = 1 + 2 + 3 = 6", 12))
    y = 1 + 2
        + 3
      = 6
    """
    if text_width(text) <= width:
        return text
    left, *sides = text.split(" = ")
    if not sides or text_width(left) > width // 2:
        return "\n".join(_wrap_terms(text, "", width))
    indent = " " * text_width(left)
    lines = _wrap_terms(f"{left} = {sides[0]}", indent + "   ", width)
    for side in sides[1:]:
        lines += _wrap_terms(f"{indent} = {side}", indent + "   ", width)
    return "\n".join(lines)


def equation_sides(text: str) -> list[str]:
    """The sides of an equation; an equals sign in brackets stands between no sides.

    >>> equation_sides("Gain(S, a = 1) = 1 - 0.5 = 0.5")
    ['Gain(S, a = 1)', '1 - 0.5', '0.5']
    """
    sides, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth <= 0 and text.startswith(" = ", at):
            sides.append(text[start:at])
            start = at + 3
    return [*sides, text[start:]]


def align_equations(texts: Iterable[str], width: int = TEXT_WIDTH) -> list[str]:
    """Equations as lines with their equals signs below each other.

    Where one of them is too long for a line, every side of each has a line of its own.

    >>> print(*align_equations(["a = 1 + 2 = 3", "ab = 10"]), sep=chr(10))
    a  = 1 + 2 = 3
    ab = 10
    """
    rows = [equation_sides(text) for text in texts]
    columns = [pad_texts(column, left=True) for column in zip_longest(*rows, fillvalue="")]
    lines = [
        " = ".join(cells[: len(row)]).rstrip()
        for row, cells in zip(rows, zip(*columns, strict=True), strict=True)
    ]
    if all(text_width(line) <= width for line in lines):
        return lines
    found = []
    for (left, *_), (_, *sides) in zip(zip(*columns, strict=True), rows, strict=True):
        indent = " " * text_width(left)
        for place, side in enumerate(sides):
            found += _wrap_terms(f"{indent if place else left} = {side}", indent + "   ", width)
        if not sides:
            found.append(left)
    return found


def _wrap_terms(line: str, indent: str, width: int) -> list[str]:
    """A line, broken before a plus or a minus between terms where it is too long."""
    found, rest = [], line
    while text_width(rest) > width:
        places = [m.start() for m in re.finditer(r" [+-] ", rest)]
        fitting = [at for at in places if len(indent) + 4 < at <= width]
        if not fitting:
            break
        found.append(rest[: fitting[-1]])
        rest = f"{indent} {rest[fitting[-1] + 1 :]}"
    return [*found, rest]


def more_note(left: int, noun: str = "rows") -> str:
    """How the text ends when not everything is shown."""
    return f"… and {left} more {noun[:-1] if left == 1 else noun}"


def escape_markdown(text: object) -> str:
    """Text that Markdown shows as it is."""
    return "".join(f"\\{c}" if c in _MARKDOWN_CHARACTERS else c for c in printable_text(text))


def markdown_table(rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; the first row is the header."""
    head, *body = rows
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *body))


def escape_html(text: object) -> str:
    """Text that HTML shows as it is."""
    return html.escape(printable_text(text))


def html_table(rows: Iterable[Sequence[object]], kind: str, title: str = "") -> str:
    """A table of text; the first row and the first column are headers."""
    caption = f"<caption>{escape_html(title)}</caption>" if title else ""
    body = "\n".join(_html_row(row, number == 0) for number, row in enumerate(rows))
    return f'<table class="tally-{kind}">{caption}\n{body}\n</table>'


def _html_row(row: Sequence[object], header: bool) -> str:
    # an empty header cell has nothing to say to a screen reader
    tags = [
        "th" if (header or place == 0) and cell != "" else "td" for place, cell in enumerate(row)
    ]
    sides = ["left" if place == 0 else "right" for place in range(len(row))]
    cells = (
        f'<{tag} style="text-align:{side}">{escape_html(cell)}</{tag}>'
        for tag, side, cell in zip(tags, sides, row, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def html_notes(notes: Iterable[str]) -> str:
    """Sentences under a table, a paragraph each."""
    return "".join(f'\n<p class="tally-note">{escape_html(note)}</p>' for note in notes)


def latex_number(written: str) -> str:
    r"""A number or a fraction as this module writes it, in LaTeX.

    >>> print(*map(latex_number, ("3.5/6.5", "1.234e-15", "-inf", "26,458")))
    \frac{3.5}{6.5} 1.234\cdot10^{-15} -\infty 26{,}458
    """
    above, slash, below = written.partition("/")
    if slash:
        return rf"\frac{{{above}}}{{{below}}}"
    told = written.replace("inf", r"\infty").replace(",", "{,}")  # no blank behind the thousands
    digits, e, exponent = told.partition("e")
    return rf"{digits}\cdot10^{{{int(exponent)}}}" if e else digits


def product_chain(factors: Iterable[str]) -> Chain:
    """Factors, each with the sign before it; an empty one only holds its place."""
    chain: Chain = []
    for factor in factors:
        started = any(piece for _, piece in chain)
        chain.append((" · " if started and factor else "   ", factor))
    return chain


def sum_chain(amounts: Iterable[float | None]) -> Chain:
    """Summands, each with the sign before it; an absent one only holds its place."""
    chain: Chain = []
    for amount in amounts:
        if amount is None:
            chain.append(("   ", ""))
        elif any(piece for _, piece in chain):
            chain.append((" - " if amount < 0 else " + ", format_number(abs(amount))))
        else:
            chain.append(("   ", format_number(amount)))
    return chain


def align_chains(chains: Sequence[Chain]) -> list[str]:
    """Chains as lines of text, term under term."""
    places = [max(len(piece) for _, piece in column) for column in zip(*chains, strict=True)]
    return [
        "".join(sign + piece.rjust(n) for (sign, piece), n in zip(chain, places, strict=True))[3:]
        for chain in chains
    ]


def latex_chain(chain: Chain) -> str:
    """Numbers and the signs between them, in LaTeX."""
    return "".join(
        _CHAIN_SIGNS.get(sign, "") + latex_number(piece) for sign, piece in chain if piece
    )


def latex_text(text: object) -> str:
    r"""A name from the table inside a formula.

    >>> print(latex_text("a_b"))
    \text{a\_b}
    """
    return rf"\text{{{''.join(_LATEX_ESCAPES.get(c, c) for c in printable_text(text))}}}"


def plain_data(value: Any) -> Any:
    """What JSON can hold of a value: NaN is null, infinities and fractions are text.

    >>> plain_data({"p": Fraction(1, 3), "values": (0.5, math.nan, -math.inf)})
    {'p': '1/3', 'values': [0.5, None, '-inf']}
    """
    if isinstance(value, Mapping):
        return {str(key): plain_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_data(item) for item in value]
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None if value != value else str(value)
    # NumPy's arrays and scalars hand out the Python numbers that they hold.
    tolist = getattr(value, "tolist", None)
    return plain_data(tolist()) if callable(tolist) else str(value)


def number_of(data: Any) -> float:
    """A number as plain data has it: null is NaN, and text an infinity.

    >>> number_of(None), number_of("-inf"), number_of(0.5)
    (nan, -inf, 0.5)
    """
    return math.nan if data is None else float(data)
