"""Equations as plain text, typeset in LaTeX for Markdown and in MathML for HTML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tallylearn.reporting.formatting import (
    escape_html,
    latex_number,
    latex_text,
    printable_text,
    text_width,
)

MAX_UNBROKEN = 90  # characters of an equation that one line of a page holds
_OPERATORS = {
    "∧": r"\wedge", "∨": r"\vee", "¬": r"\neg", "·": r"\cdot", "|": r"\mid", "≤": r"\le",
    "≥": r"\ge", "∈": r"\in", "≠": r"\ne", "∝": r"\propto", "×": r"\times", "→": r"\to",
    "←": r"\leftarrow", "Σ": r"\sum", "∫": r"\int", "∏": r"\prod", "=": "=", "<": "<", ">": ">",
    "+": "+", "-": "-", "−": "-", ",": ",", ":": ":", "/": "/",
}  # fmt: skip
_SYMBOLS = {
    "Ω": r"\Omega", "∅": r"\emptyset", "θ": r"\theta", "δ": r"\delta", "α": r"\alpha",
    "λ": r"\lambda", "ω": r"\omega", "π": r"\pi", "φ": r"\varphi", "μ": r"\mu", "σ": r"\sigma",
    "…": r"\dots", "½": r"\frac{1}{2}", ")": ")", "]": "]", "}": r"\}", "*": "*", "!": "!",
}  # fmt: skip
_OPENING_BRACKETS = {"(": "(", "[": "[", "{": r"\{"}
_CLOSING_BRACKETS = ")]}"
_SUPERSCRIPTS = {"²": "2", "³": "3", "ᵀ": "T", "⁻¹": "-1"}
_ACCENTS = {"\u0302": ("hat", "^"), "\u0304": ("bar", "¯")}  # combining characters
_LOGARITHMS = {"log": r"\log", "log2": r"\log_{2}", "ln": r"\ln", "exp": r"\exp"}
_COMMANDS = _OPERATORS | _SYMBOLS | _OPENING_BRACKETS | _LOGARITHMS
_BASE = "(?:[A-Za-zµμσθ][\u0302\u0304]?|[ŷȳŵ]|Σ)"
# Superscripts and fractions are word characters, and no part of a name.
_START, _END = "(?<![^\\W¹²³ᵀ½])", "(?![^\\W¹²³ᵀ½])"
_TOKEN = re.compile(
    r"(?P<ratio>(?<![\w.])\d+/\d+(?![\w.]))"
    r"|(?P<number>(?<!\w)(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?!\w))"
    rf"|(?P<subscript>{_START}{_BASE}_(?:[cdijknt]{{1,2}}\d?|\d{{1,2}}){_END})"
    rf"|(?P<accent>{_START}(?:[ŷȳŵ]|[A-Za-z][̂̄]|Σ(?=⁻¹)){_END})"
    rf"|(?P<index>{_START}[A-Za-zμ]\d+{_END}(?!-))|(?P<chain>(?<!\w)A(?:i-1|i|n)(?!\w))"
    rf"|(?P<letter>{_START}[A-Za-z](?=θ|{_END}(?!['-])))|(?P<log>(?<!\w)(?:log2?|ln|exp)(?!\w))"
    r"|(?P<root>(?:(?<!\w)sqrt|√)(?=\())|(?P<raised>[²³ᵀ]|⁻¹)|(?P<power>\^(?=[\w(]))"
    r"|(?P<space>\s+)"
    rf"|(?P<sign>[{re.escape(''.join(_OPERATORS))}])|(?P<thing>[{re.escape(''.join(_SYMBOLS))}])"
    r"|(?P<open>[(\[{])"
    r"|(?P<word>[^\W\d_][\w'-]*|.)"
)
_COMMAND = re.compile(r"\\[a-z]+$")  # a letter behind it would become part of its name
_SPACED_KINDS = ("sign", "log")  # kinds that LaTeX and MathML space themselves


class Token(NamedTuple):
    """A part of an equation.

    Attributes
    ----------
    kind : str
        The name of the group of ``_TOKEN`` that matched.
    text : str
        What stands in the equation.
    inside : str
        The operand of a power or a root.
    """

    kind: str
    text: str
    inside: str = ""


def tokens(text: str) -> Iterator[Token]:
    """The parts of an equation."""
    at = 0
    while found := _TOKEN.match(text, at):
        kind, token, at = str(found.lastgroup), found[0], found.end()
        inside = ""
        if kind in ("power", "root"):
            inside, at = _operand(text, at)
        yield Token(kind, token, inside)


def _operand(text: str, at: int) -> tuple[str, int]:
    """The operand of a power or a root: a bracketed expression, or the next piece."""
    if text[at] != "(":
        found = re.compile(r"\w+").match(text, at)
        end = found.end() if found else at + 1
        return text[at:end], end
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == "(") - (text[end] == ")")
        if depth == 0:
            return text[at + 1 : end], end + 1
    return "(", at + 1


# ----- LaTeX -----------------------------------------------------------------------------------


def latex(text: str) -> str:
    """An equation in LaTeX: words with the blanks between them are one text."""
    found: list[tuple[str, str]] = []  # kinds and LaTeX
    parts = [*tokens(printable_text(text))]
    for place, part in enumerate(parts):
        kind, piece = part.kind, _latex_of(part)
        before = found[-1][0] if found else "sign"
        if kind == "space":
            after = parts[place + 1].kind if place + 1 < len(parts) else "sign"
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
        said = latex_text(piece) if kind == "word" else piece
        whole += " " + said if _COMMAND.search(whole) and said[:1].isalpha() else said
    return whole


def _latex_of(token: Token) -> str:
    kind, text = token.kind, token.text
    if kind in ("ratio", "number"):
        return latex_number(text)
    if kind in ("index", "chain"):
        return f"{_latex_letter(text[0])}_{{{text[1:]}}}"
    if kind == "subscript":
        base, _, below = text.partition("_")
        return f"{_latex_letter(base)}_{{{below}}}"
    if kind == "accent":
        return _latex_letter(text)
    if kind == "raised":
        return f"^{{{_SUPERSCRIPTS[text]}}}"
    if kind == "power":
        return f"^{{{latex(token.inside)}}}"
    if kind == "root":
        return rf"\sqrt{{{latex(token.inside)}}}"
    if kind == "word":
        return text  # set when its neighbours are known
    return _COMMANDS.get(text, text)


def _latex_letter(text: str) -> str:
    letter, *marks = list(unicodedata.normalize("NFD", text))
    plain = r"\Sigma" if letter == "Σ" else _SYMBOLS.get(letter, letter)
    return rf"\{_ACCENTS[marks[0]][0]}{{{plain}}}" if marks else plain


def _blank(before: str, after: str) -> str:
    """Beside a sign TeX makes room itself, beside a word it eats the blank."""
    if before in (*_SPACED_KINDS, "open") or after in _SPACED_KINDS:
        return " "
    return r"\ " if "word" in (before, after) else r"\,"


# ----- MathML ----------------------------------------------------------------------------------


class MathElement(NamedTuple):
    """An element of MathML: the kind and the text of its token, and the markup."""

    kind: str
    text: str
    markup: str


def mathml(text: str) -> str:
    """An equation as elements of MathML Core.

    A long equation is several elements with blanks between them, where a line may break: before
    its equals signs, and before plus and minus signs outside brackets.

    >>> print(mathml("x² = 1/4"))
    <math displaystyle="true"><msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><mfrac><mn>1</mn>\
<mn>4</mn></mfrac></math>
    """
    text = printable_text(text)
    nodes = _nodes([*tokens(text)])
    parts = [nodes] if text_width(text) <= MAX_UNBROKEN else _sides(nodes)
    return " ".join(f'<math displaystyle="true">{_join_markup(part)}</math>' for part in parts)


def _sides(nodes: Sequence[MathElement]) -> list[list[MathElement]]:
    """The parts of a long equation, which begin with =, + or -."""
    parts: list[list[MathElement]] = [[]]
    for at, node in enumerate(nodes):
        binary = node.kind == "sign" and at and 'form="prefix"' not in node.markup
        if binary and node.text in ("=", "+", "-", "−"):
            parts.append([node._replace(markup=node.markup.replace("<mo>", '<mo form="infix">'))])
        else:
            parts[-1].append(node)
    return [part for part in parts if part]


def _nodes(parts: Sequence[Token]) -> list[MathElement]:
    """The elements of some tokens: brackets and what they hold are one element."""
    found: list[MathElement] = []
    at = 0
    while at < len(parts):
        token = parts[at]
        end = _closing(parts, at) if token.kind == "open" else 0
        if end:
            inside = _nodes(parts[at + 1 : end])
            row = f"<mo>{token.text}</mo>{_join_markup(inside)}<mo>{parts[end].text}</mo>"
            found.append(MathElement("group", token.text, f"<mrow>{row}</mrow>"))
            at = end
        elif token.kind in ("raised", "power"):
            above = _exponent(token)
            while found and found[-1].kind == "space":
                found.pop()
            base = _join_markup([found.pop()]) if found else "<mrow></mrow>"
            found.append(MathElement("script", token.text, f"<msup>{base}{above}</msup>"))
        elif token.kind == "space":
            after = parts[at + 1].kind if at + 1 < len(parts) else "sign"
            found += _spaces(found[-1].kind if found else "sign", after)
        else:
            found.append(_node(token, found, parts[at - 1 : at] if at else (), parts[at + 1 :][:1]))
        at += 1
    return found


def _closing(parts: Sequence[Token], start: int) -> int:
    """The place of the bracket that closes the one at ``start``; 0 where none does."""
    depth = 0
    for at in range(start, len(parts)):
        depth += parts[at].kind == "open"
        depth -= parts[at].kind == "thing" and parts[at].text in _CLOSING_BRACKETS
        if depth == 0:
            return at
    return 0


def _exponent(token: Token) -> str:
    if token.kind == "power":
        return f"<mrow>{_join_markup(_nodes([*tokens(token.inside)]))}</mrow>"
    above = _SUPERSCRIPTS[token.text]
    return f"<mi>{above}</mi>" if above.isalpha() else f"<mn>{above.replace('-', '−')}</mn>"


def _spaces(before: str, after: str) -> list[MathElement]:
    """Operators have space around them already."""
    if before in (*_SPACED_KINDS, "open") or after in _SPACED_KINDS:
        return []
    return [MathElement("space", " ", '<mspace width="0.25em"></mspace>')]


def _node(
    token: Token, before: Sequence[MathElement], left: Sequence[Token], right: Sequence[Token]
) -> MathElement:
    kind, text = token.kind, token.text
    spaced = [bool(each) and each[0].kind == "space" for each in (left, right)]
    if kind in ("ratio", "number"):
        markup = _mathml_number(text)
    elif kind in ("index", "chain"):
        markup = f"<msub>{_mathml_letter(text[0])}{_mathml_word(text[1:])}</msub>"
    elif kind == "subscript":
        base, _, below = text.partition("_")
        markup = f"<msub>{_mathml_letter(base)}{_mathml_word(below)}</msub>"
    elif kind == "accent":
        markup = _mathml_letter(text)
    elif kind == "root":
        markup = f"<msqrt>{_join_markup(_nodes([*tokens(token.inside)]))}</msqrt>"
    elif kind == "log":
        name = f"<mi>{text.rstrip('2')}</mi>"
        markup = f"<msub>{name}<mn>2</mn></msub>" if text == "log2" else name
        markup += "" if right and right[0].kind == "open" else '<mspace width="0.17em"></mspace>'
    elif text == "½":
        markup = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"
    elif kind in ("sign", "open"):
        markup = _operator(text, before, spaced)
    elif kind == "thing":
        greek = text.isalpha() or text in "∅…"
        markup = f"<mi>{text}</mi>" if greek else f'<mo stretchy="false">{escape_html(text)}</mo>'
    else:
        markup = f"<mi>{text}</mi>" if kind == "letter" else text
    return MathElement(kind, text, markup)


def _operator(text: str, before: Sequence[MathElement], spaced: Sequence[bool]) -> str:
    """A sign; ``spaced`` says whether a blank stands before and after it."""
    if text == "Σ":
        return "<mo>∑</mo>" if spaced[1] else "<mi>Σ</mi>"
    if text == "|":  # the bar of P(A | B), or around a number of rows
        room = "0.22em" if all(spaced) else "0em"
        return f'<mo stretchy="false" lspace="{room}" rspace="{room}">|</mo>'
    said = escape_html("−" if text == "-" else text)
    first = not before or before[-1].kind in ("sign", "open")
    if first and text in "-−+¬":
        return f'<mo form="prefix">{said}</mo>'
    return f'<mo stretchy="false">{said}</mo>' if text in "([{/" else f"<mo>{said}</mo>"


def _mathml_number(text: str) -> str:
    above, slash, below = text.partition("/")
    if slash:
        return f"<mfrac><mn>{above}</mn><mn>{below}</mn></mfrac>"
    digits, e, exponent = text.partition("e")
    if not e:
        return f"<mn>{text}</mn>"
    power = f"<mn>{str(int(exponent)).replace('-', '−')}</mn>"
    return f"<mrow><mn>{digits}</mn><mo>·</mo><msup><mn>10</mn>{power}</msup></mrow>"


def _mathml_word(text: str) -> str:
    return f"<mn>{text}</mn>" if text.isdigit() else f"<mi>{text}</mi>"


def _mathml_letter(text: str) -> str:
    letter, *marks = list(unicodedata.normalize("NFD", text))
    plain = f"<mi>{letter}</mi>"
    return (
        f'<mover accent="true">{plain}<mo>{_ACCENTS[marks[0]][1]}</mo></mover>' if marks else plain
    )


def _join_markup(nodes: Sequence[MathElement]) -> str:
    """The markup of some elements: words with the blanks between them are one text."""
    markup, words = "", ""
    for at, node in enumerate(nodes):
        if node.kind == "word":
            words += node.text
        elif (
            node.kind == "space"
            and words
            and nodes[at + 1 : at + 2]
            and nodes[at + 1].kind == "word"
        ):
            words += " "
        else:
            markup += f"<mtext>{escape_html(words)}</mtext>" if words else ""
            markup, words = markup + node.markup, ""
    return markup + (f"<mtext>{escape_html(words)}</mtext>" if words else "")
