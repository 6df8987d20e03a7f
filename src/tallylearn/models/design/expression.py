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
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.terms import (
    DesignTerm,
    IndicatorTerm,
    MissingTerm,
    NumericTerm,
    PooledTerm,
    PowerTerm,
)
from tallylearn.tallies.documents import Reader


def design_expressions(design: Design) -> tuple[Number, ...]:
    """(p,) numbers and powers filled by their means, indicators of values and of missing values."""
    pairs = zip(design.terms, design.fill.tolist(), strict=True)
    return tuple(_term_expression(design, term, fill) for term, fill in pairs)


def tokens_of(reader: Reader) -> Tokens:
    """How a reader cuts text into terms; a tokenizer of the user's is a function."""
    if reader.tokenizer is not None:
        raise KindError(
            "the text is cut by a function, tokenizer=, which no expression holds. Leave it out."
        )
    return Tokens(reader.shortest, reader.longest)


def _term_expression(design: Design, term: DesignTerm, fill: float) -> Number:
    match term:
        case NumericTerm(name):
            return FilledNumber(NumberColumn(name), Literal(fill))
        case PowerTerm(name, degree):
            return FilledNumber(Power(NumberColumn(name), float(degree)), Literal(fill))
        case IndicatorTerm(name, value):
            return CategoryIndicator(CategoryColumn(name), value, missing=fill)
        case MissingTerm(name):
            return MissingIndicator(_operand(design, name))
        case PooledTerm(name):
            return PooledIndicator(CategoryColumn(name), design.own_values(name), missing=fill)


def _operand(design: Design, name: str) -> Number | Category:
    return CategoryColumn(name) if name in design.based else NumberColumn(name)
