"""The columns of a design matrix, and the terms of texts, as expressions of the table."""

from __future__ import annotations

from tallylearn.errors import KindError
from tallylearn.expressions import (
    Category,
    CategoryColumn,
    CategoryIndicator,
    FilledNumber,
    Literal,
    MissingIndicator,
    Number,
    NumberColumn,
    PooledIndicator,
    Power,
    Tokens,
)
from tallylearn.models.design.matrix import POOLED, Design, indicates, power
from tallylearn.tallies.documents import Reader
from tallylearn.tallies.pairs import GAP


def design_expressions(design: Design) -> tuple[Number, ...]:
    """(p,) numbers and powers filled by their means, indicators of values and of missing values."""
    pairs = zip(design.columns, design.values, design.fill.tolist(), strict=True)
    return tuple(_column(design, name, value, fill) for name, value, fill in pairs)


def tokens_of(reader: Reader) -> Tokens:
    """How a reader cuts text into terms; a tokenizer of the user's is a function."""
    if reader.tokenizer is not None:
        raise KindError(
            "the text is cut by a function, tokenizer=, which no expression holds. Leave it out."
        )
    return Tokens(reader.shortest, reader.longest)


def _column(design: Design, name: str, value: str, fill: float) -> Number:
    if value == GAP:
        return MissingIndicator(_operand(design, name))
    if not indicates(value):
        number: Number = NumberColumn(name)
        if degree := power(value):
            number = Power(number, float(degree))
        return FilledNumber(number, Literal(fill))
    category = CategoryColumn(name)
    if value != POOLED:
        return CategoryIndicator(category, value[1:], missing=fill)
    base = design.base[design.based.index(name)]
    alone = [
        v[1:]
        for column, v in zip(design.columns, design.values, strict=True)
        if column == name and indicates(v) and v != POOLED
    ]
    return PooledIndicator(category, (base, *alone), missing=fill)


def _operand(design: Design, name: str) -> Number | Category:
    return CategoryColumn(name) if name in design.based else NumberColumn(name)
