"""Typeset an equation, written as plain text, in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tallylearn.reporting.formatting import (
    format_number,
    latex_number,
    latex_text,
    printable_text,
)
from tallylearn.workings.derivations import Formula

_OPERATORS = {
    "∧": r"\wedge", "∨": r"\vee", "¬": r"\neg", "·": r"\cdot", "|": r"\mid", "≤": r"\le",
    "≥": r"\ge", "∈": r"\in", "≠": r"\ne", "∝": r"\propto", "×": r"\times", "→": r"\to",
    "←": r"\leftarrow", "Σ": r"\sum", "∏": r"\prod", "=": "=", "<": "<", ">": ">", "+": "+",
    "-": "-", "−": "-", ",": ",", ":": ":", "/": "/",
}  # fmt: skip
_SYMBOLS = {
    "Ω": r"\Omega", "∅": r"\emptyset", "θ": r"\theta", "α": r"\alpha", "λ": r"\lambda",
    "ω": r"\omega", "π": r"\pi", "φ": r"\varphi", "…": r"\dots", ")": ")", "]": "]", "}": r"\}",
    "*": "*", "!": "!",
}  # fmt: skip
_OPENING_BRACKETS = {"(": "(", "[": "[", "{": r"\{"}
_SUPERSCRIPTS = {"²": "2", "³": "3"}
_COMMANDS = _OPERATORS | _SYMBOLS | _OPENING_BRACKETS | {"log": r"\log"}
_TOKEN = re.compile(
    r"(?P<ratio>(?<![\w.])\d+/\d+(?![\w.]))"
    r"|(?P<number>(?<!\w)(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?!\w))"
    r"|(?P<index>(?<!\w)[A-Za-z](?:\d+)(?![\w-]))|(?P<chain>(?<!\w)A(?:i-1|i|n)(?!\w))"
    r"|(?P<letter>(?<!\w)[A-Za-z](?=[θ²³]|(?![\w'-])))|(?P<log>(?<!\w)log(?!\w))"
    r"|(?P<root>(?<!\w)sqrt(?=\())|(?P<raised>[²³])|(?P<power>\^(?=[\w(]))|(?P<space>\s+)"
    rf"|(?P<sign>[{re.escape(''.join(_OPERATORS))}])|(?P<thing>[{re.escape(''.join(_SYMBOLS))}])"
    r"|(?P<open>[(\[{])"
    r"|(?P<word>[^\W\d_][\w'-]*|.)"
)
_COMMAND = re.compile(r"\\[a-z]+$")  # a letter behind it would become part of its name
_SPACED_KINDS = ("sign", "log")  # kinds that LaTeX spaces itself
Piece = tuple[str, str]  # its kind, and its LaTeX


def equation(text: str) -> Formula:
    r"""An equation from its text: fractions, powers, roots, signs, and words with their blanks.

    >>> print(equation("P(the dice is odd | x1) = 1/6 · θ^2 / (1 - θ)").latex)
    P(\text{the dice is odd} \mid x_{1}) = \frac{1}{6} \cdot \theta^{2} / (1 - \theta)
    """
    return Formula(text, _join_pieces(list(_tokenize(printable_text(text)))))


def formula(text: str) -> Formula:
    """An equation; ``log2`` is typeset with its base as a subscript."""
    set_without_base = equation(text.replace("log2", "log"))
    latex = set_without_base.latex
    return Formula(text, latex.replace(r"\log", r"\log_{2}") if "log2" in text else latex)


def joined(*parts: str) -> str:
    """A chain of equal expressions, each once: a = b = b is a = b."""
    return " = ".join(dict.fromkeys(parts))


def number(value: float) -> str:
    """A number in a working: four significant digits, and 0 for what is zero up to rounding."""
    return "0" if abs(value) < 1e-12 else format_number(float(value))


def signed_sum(terms: Sequence[str]) -> str:
    """Terms with plus signs between them; a term that begins with a minus brings its own."""
    text = terms[0]
    for term in terms[1:]:
        text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return text


def _tokenize(text: str) -> Iterator[Piece]:
    at = 0
    while found := _TOKEN.match(text, at):
        kind, token, at = str(found.lastgroup), found[0], found.end()
        if kind in ("power", "root"):
            inside, at = _operand(text, at)
            yield kind, f"{'^' if kind == 'power' else chr(92) + 'sqrt'}{{{inside}}}"
        else:
            yield kind, _typeset(kind, token)


def _typeset(kind: str, token: str) -> str:
    if kind in ("ratio", "number"):
        return latex_number(token)
    if kind in ("index", "chain"):
        return f"{token[0]}_{{{token[1:]}}}"
    if kind == "raised":
        return f"^{{{_SUPERSCRIPTS[token]}}}"
    if kind == "word":
        return token  # set when its neighbours are known
    return _COMMANDS.get(token, token)


def _operand(text: str, at: int) -> tuple[str, int]:
    """The operand of a power or a root: a bracketed expression, or the next piece."""
    if text[at] != "(":
        found = re.compile(r"\w+").match(text, at)
        end = found.end() if found else at + 1
        return _join_pieces(list(_tokenize(text[at:end]))), end
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == "(") - (text[end] == ")")
        if depth == 0:
            return _join_pieces(list(_tokenize(text[at + 1 : end]))), end + 1
    return "(", at + 1


def _join_pieces(pieces: list[Piece]) -> str:
    """Words with the blanks between them as one text; a blank between things stays to be seen."""
    found: list[Piece] = []
    for place, (kind, piece) in enumerate(pieces):
        before = found[-1][0] if found else "sign"
        if kind == "space":
            after = pieces[place + 1][0] if place + 1 < len(pieces) else "sign"
            found.append(("space", _blank(before, after)))
        elif kind == "word" and before == "word":
            found[-1] = ("word", found[-1][1] + piece)
        elif kind == "word" and len(found) > 1 and before == "space" and found[-2][0] == "word":
            found[-2:] = [("word", f"{found[-2][1]} {piece}")]
        elif kind in ("power", "raised") and before in ("power", "raised", "sign", "space", "open"):
            found.append((kind, "{}" + piece))  # TeX takes one power of one thing
        else:
            found.append((kind, piece))
    whole = ""
    for kind, piece in found:
        text = latex_text(piece) if kind == "word" else piece
        whole += " " + text if _COMMAND.search(whole) and text[:1].isalpha() else text
    return whole


def _blank(before: str, after: str) -> str:
    """Beside a sign TeX makes room itself, beside a word it eats the blank."""
    if before in (*_SPACED_KINDS, "open") or after in _SPACED_KINDS:
        return " "
    return r"\ " if "word" in (before, after) else r"\,"
