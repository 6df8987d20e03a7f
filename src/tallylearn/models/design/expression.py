"""The columns of a design matrix, and the terms of texts, as expressions of the table."""

from __future__ import annotations

import ast
import math

from tallylearn.errors import KindError
from tallylearn.estimators.formulas import Factor, function_name
from tallylearn.expressions import (
    Category,
    CategoryColumn,
    CategoryIndicator,
    CategorySplit,
    ElementaryFunction,
    Exponential,
    FilledNumber,
    Literal,
    MissingIndicator,
    Number,
    NumberColumn,
    NumberIndicator,
    NumberTree,
    PooledIndicator,
    Power,
    Product,
    Quotient,
    Sum,
    ThresholdSplit,
    Tokens,
    TreeSplits,
)
from tallylearn.models.design.formula_design import ABSENT, FormulaDesign
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.polynomial_bases import PiecewisePolynomials
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
    if design.formula is not None:
        places = [design.formula.columns.index(name) for name in design.columns]
        return tuple(_formula_expression(design.formula, j) for j in places)
    pairs = zip(design.terms, design.fill.tolist(), strict=True)
    return tuple(_term_expression(design, term, fill) for term, fill in pairs)


def tokens_of(reader: Reader) -> Tokens:
    """How a reader cuts text into terms; a tokenizer of the user's is a function."""
    if reader.tokenizer is not None:
        raise KindError(
            "tokenizer= is a Python function, which cannot be written as an expression. Fit "
            "without tokenizer=."
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


def _formula_expression(formula: FormulaDesign, j: int) -> Number:
    """A column of a formula's design: the product of its factors."""
    found = []
    for k, level in enumerate(formula.coding[j].tolist()):
        if level == ABSENT:
            continue
        factor, levels = formula.parsed_factors[k], formula.levels[k]
        if k in formula.basis_of:
            found.append(_basis_expression(factor, formula.basis_of[k], level))
        elif not levels:
            found.append(_factor_expression(factor, formula.centre[k], formula.scale[k]))
        elif factor.column in formula.numeric_categories:
            found.append(NumberIndicator(NumberColumn(factor.column), float(levels[level])))
        else:
            found.append(CategoryIndicator(CategoryColumn(factor.column), levels[level]))
    return found[0] if len(found) == 1 else Product(tuple(found))


def _factor_expression(factor: Factor, centre: float, scale: float) -> Number:
    assert factor.expression is not None
    found = _arithmetic(factor.expression, factor)
    if factor.standardised:
        found = Quotient(Sum((found, Literal(-float(centre)))), Literal(float(scale)))
    return found


def _basis_expression(factor: Factor, basis: PiecewisePolynomials, place: int) -> Number:
    """A polynomial of a basis: a tree whose leaves are the polynomials of the intervals."""
    if basis.period:
        raise KindError(
            f"the factor {factor.text!r} is periodic, which cannot be written as an expression. "
            "Use cr(...) or bs(...)."
        )
    assert factor.expression is not None
    x = _arithmetic(factor.expression, factor)
    pieces = [
        _polynomial(Sum((x, Literal(-left))), basis.coefficients[:, at, place].tolist())
        for at, left in enumerate(basis.breaks[:-1].tolist())
    ]
    if len(pieces) == 1:
        return pieces[0]
    nodes: list[ThresholdSplit | CategorySplit | None] = []
    outcomes: list[Number] = []

    def grow(first: int, last: int) -> int:
        here = len(nodes)
        nodes.append(None)
        outcomes.append(pieces[first] if first == last else Literal(0.0))
        if first < last:
            middle = (first + last + 1) // 2  # the interval from this break on lies above it
            threshold = math.nextafter(float(basis.breaks[middle]), -math.inf)
            low, high = grow(first, middle - 1), grow(middle, last)
            nodes[here] = ThresholdSplit(x, threshold, low, high, missing=low)
        return here

    grow(0, len(pieces) - 1)
    return NumberTree(TreeSplits(tuple(nodes)), tuple(outcomes))


def _polynomial(t: Number, coefficients: list[float]) -> Number:
    """By Horner's rule, the highest power first."""
    found: Number = Literal(coefficients[0])
    for each in coefficients[1:]:
        found = Sum((Product((found, t)), Literal(each)))
    return found


def _arithmetic(node: ast.expr, factor: Factor) -> Number:
    match node:
        case ast.Name(id=name):
            return NumberColumn(factor.names[name])
        case ast.Constant(value=int() | float() as value):
            return Literal(float(value))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Product((Literal(-1.0), _arithmetic(operand, factor)))
        case ast.UnaryOp(operand=operand):
            return _arithmetic(operand, factor)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() | float() as power)):
            return Power(_arithmetic(left, factor), float(power))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return Sum((_arithmetic(left, factor), _arithmetic(right, factor)))
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            minus = Product((Literal(-1.0), _arithmetic(right, factor)))
            return Sum((_arithmetic(left, factor), minus))
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return Product((_arithmetic(left, factor), _arithmetic(right, factor)))
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return Quotient(_arithmetic(left, factor), _arithmetic(right, factor))
        case ast.Call(func=function, args=[inside]):
            name, of = function_name(function), _arithmetic(inside, factor)
            return Exponential(of) if name == "exp" else ElementaryFunction(name, of)
    raise KindError(
        f"the exponent of the factor {factor.text!r} is not a number, and only such powers can be "
        "written as an expression. Use a number, as in I(x**2)."
    )


def _operand(design: Design, name: str) -> Number | Category:
    return CategoryColumn(name) if name in design.based else NumberColumn(name)
