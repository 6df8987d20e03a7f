"""Model formulas: ``mpg ~ log(hp) * origin + C(year)`` as terms, and their factors as arithmetic.

formulaic parses the operators between terms (``+ - * : / **`` and ``.``). A factor within a term is
parsed here, as a column, ``C(column)``, a basis or arithmetic of columns, so that nothing in a
formula, or in a model file that holds one, is ever run as Python code.

Reference: G. Wilkinson and C. Rogers, Symbolic description of factorial models for analysis of
variance, Applied Statistics 22, 1973.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import count
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, OptionError, TargetError, quoted_list
from tallylearn.tables import IDENTIFIER, TEXT, UNKNOWN, Array, Schema

INSTALL = "Formulas need another package: pip install formulaic."
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "exp": np.exp, "expm1": np.expm1, "sqrt": np.sqrt, "abs": np.abs,
    "sin": np.sin, "cos": np.cos, "tan": np.tan,
}  # fmt: skip
OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide,
    ast.Pow: np.power,
}  # fmt: skip
# x - mean, and divided by the standard deviation over n - 1 (R, formulaic) or n (patsy)
CENTER, SCALE, STANDARDIZE = "center", "scale", "standardize"
STANDARDISATIONS = (CENTER, SCALE, STANDARDIZE)
# of formulaic, patsy and R: their arguments behind the variable, in the order of formulaic
_CUBIC_ARGUMENTS = ("df", "knots", "lower_bound", "upper_bound", "constraints")
BASES: dict[str, tuple[str, ...]] = {
    "poly": ("degree", "raw"),
    "bs": ("df", "knots", "degree", "include_intercept", "lower_bound", "upper_bound"),
    "cr": _CUBIC_ARGUMENTS, "cs": _CUBIC_ARGUMENTS, "cc": _CUBIC_ARGUMENTS,
}  # fmt: skip
MAX_BASIS_SIZE = 100  # columns, and the degree of polynomials is at most MAX_DEGREE
MAX_DEGREE = 10
FUNCTION_NAMES = ("C", "I", *STANDARDISATIONS, *FUNCTIONS, *BASES)
CONTRASTS = ("Treatment", "treatment")  # patsy's name, and formulaic's: contr.treatment
QUOTED = re.compile("`([^`]*)`")  # a column's name that is no Python name


@dataclass(frozen=True)
class Basis:
    """The function of a factor with several columns, such as ``bs(x, df=4)``."""

    function: str  # one of BASES
    arguments: Mapping[str, Any]  # by name, checked


@dataclass(frozen=True)
class Factor:
    """One factor of a term: a column as it is, a category, or arithmetic of numeric columns."""

    text: str  # as it was written
    expression: ast.expr | None  # arithmetic; None for a category C(column)
    names: Mapping[str, str]  # placeholders in the expression -> columns
    column: str = ""  # of a column as it is, or of C(column)
    reference: str | None = None  # the reference level that C(column, ...) names
    standardised: str = ""  # one of STANDARDISATIONS, or none
    basis: Basis | None = None  # then ``expression`` is its variable

    @property
    def is_category(self) -> bool:
        """Whether it is written C(column); a column as it is may be a category too."""
        return self.expression is None

    @property
    def name(self) -> str:
        """How it is called in a summary."""
        return self.column if self.column and not self.is_category else self.text.replace("`", "")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it is computed from."""
        if self.expression is None:
            return (self.column,)
        found = [n.id for n in ast.walk(self.expression) if isinstance(n, ast.Name)]
        return tuple(dict.fromkeys(self.names[name] for name in found if name in self.names))

    def value(self, column: Callable[[str], Array]) -> Array:
        """(n,) the arithmetic, given the numbers of every column."""
        assert self.expression is not None
        with np.errstate(all="ignore"):  # the caller refuses values that are not finite
            return np.asarray(self._value(self.expression, column), dtype=np.float64)

    def _value(self, node: ast.expr, column: Callable[[str], Array]) -> Any:
        match node:
            case ast.Name(id=name):
                return column(self.names[name])
            case ast.Constant(value=int() | float() as value):
                return float(value)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand, column)
            case ast.UnaryOp(operand=operand):
                return self._value(operand, column)
            case ast.BinOp(left=left, op=op, right=right):
                return OPERATORS[type(op)](self._value(left, column), self._value(right, column))
            case ast.Call(func=function, args=[inside]):
                return FUNCTIONS[function_name(function)](self._value(inside, column))
        raise AssertionError(ast.dump(node))


@dataclass(frozen=True)
class ModelFormula:
    """A formula: its target, and the factors of every term but the intercept."""

    text: str
    target: str
    terms: tuple[tuple[Factor, ...], ...]
    has_intercept: bool = True
    offset: Factor | None = None

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The distinct factors of the terms, in their order."""
        found = {factor.text: factor for term in self.terms for factor in term}
        return tuple(found.values())

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read, in the order in which the formula names them."""
        every = [*self.factors, *([] if self.offset is None else [self.offset])]
        return tuple(dict.fromkeys(name for factor in every for name in factor.columns))


def is_formula(y: Any, table: Any = None) -> bool:
    """Whether a target is a formula, and not the name of a column with a tilde."""
    if not isinstance(y, str) or "~" not in y:
        return False
    if hasattr(table, "collect_schema"):  # a LazyFrame of polars
        return y not in table.collect_schema().names()
    return y not in getattr(table, "columns", ())


def formula_target(text: str) -> str:
    """The column on the left of the tilde."""
    left, _, right = text.partition("~")
    target = left.strip()
    if not target:
        raise TargetError(
            f"the formula {text!r} names no target. Write the target's column before the tilde, as "
            "in 'mpg ~ hp'."
        )
    if "~" in right:
        raise OptionError(f"the formula {text!r} has two tildes. Write it with one.")
    found = QUOTED.fullmatch(target)
    if found is None and not target.isidentifier() and re.search(r"[()+*/:-]", target):
        raise TargetError(
            f"the formula {text!r} transforms its target ({target}). Add a column with the "
            "transformed values to the table, and name that column."
        )
    return target if found is None else found[1]


def parse_formula(text: str, schema: Schema) -> ModelFormula:
    """The terms of a formula, whose columns a schema without the target has."""
    target = formula_target(text)
    right = text.partition("~")[2].strip()
    if not right:
        raise OptionError(f"the formula {text!r} has no terms. Write them after the tilde.")
    terms, offset, has_intercept = [], None, False
    for written in _parsed_terms(text, right, schema):
        if written == ("1",):
            has_intercept = True
        elif written[0].startswith("offset("):
            if offset is not None or len(written) > 1:
                raise OptionError(f"the formula {text!r} has more than one offset. Give one.")
            offset = parse_factor(written[0][len("offset(") : -1])
        else:
            terms.append(tuple(map(parse_factor, written)))
    found = ModelFormula(text, target, tuple(terms), has_intercept, offset)
    _check_columns(found, schema)
    if not terms:
        raise OptionError(f"the formula {text!r} has no column after the tilde. Add a column.")
    return found


def _parsed_terms(text: str, right: str, schema: Schema) -> list[tuple[str, ...]]:
    """The factors of every term, as formulaic parses them; an intercept is the term ("1",)."""
    try:
        from formulaic.errors import FormulaicError
        from formulaic.parser import DefaultFormulaParser
    except ImportError:
        raise OptionError(f"the target is the formula {text!r}. {INSTALL}") from None
    usable = [c.name for c in schema.columns if c.kind not in (IDENTIFIER, UNKNOWN)]
    context = {"__formulaic_variables_available__": usable}
    try:
        parsed = DefaultFormulaParser().get_terms(right, context=context)
        if set(parsed._structure) != {"root"} or isinstance(parsed.root, tuple):
            raise OptionError(f"the formula {text!r} has several parts ('|'). Write one.")
        terms = sorted(parsed.root, key=lambda term: term.degree)
        return [tuple(map(_factor_text, term.factors)) for term in terms]
    except (FormulaicError, SyntaxError) as error:
        reason = re.sub("\x1b\\[[0-9;]*m|[⧛⧚]", "", str(error)).split("\n")[0].strip().rstrip(".")
        raise OptionError(
            f"the formula {text!r} cannot be parsed: {reason}. Write it as in "
            "'mpg ~ log(hp) * origin + C(year)'."
        ) from None


def _factor_text(factor: Any) -> str:
    """A factor as text that `parse_factor` reads; columns without a Python name in backticks."""
    text = str(factor.expr)
    if factor.eval_method.value != "lookup":
        return text
    return text if text.isidentifier() and not keyword.iskeyword(text) else f"`{text}`"


def parse_factor(text: str) -> Factor:
    """A factor of a term; an OptionError for anything but columns, arithmetic and known functions.

    >>> parse_factor("log(hp / weight)").columns
    ('hp', 'weight')
    >>> parse_factor("C(year)").is_category
    True
    """
    names: dict[str, str] = {}
    number = count()

    def placeholder(found: re.Match[str]) -> str:
        name = f"_column_{next(number)}"
        names[name] = found[1]
        return name

    try:
        node = ast.parse(QUOTED.sub(placeholder, text).strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise OptionError(
            f"the factor {text!r} of a formula is not an expression. Write columns, numbers, "
            "operators and functions, as in log(hp)."
        ) from None
    calls = (call.func for call in ast.walk(node) if isinstance(call, ast.Call))
    functions = {id(part) for function in calls for part in ast.walk(function)}
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and id(each) not in functions:
            names.setdefault(each.id, each.id)
    if isinstance(node, ast.Call) and function_name(node.func) == "C":
        return _category_factor(text, node, names)
    standardised = ""
    if isinstance(node, ast.Call) and function_name(node.func) in STANDARDISATIONS:
        standardised, node = function_name(node.func), _argument(node, text)
    basis = None
    if isinstance(node, ast.Call) and function_name(node.func) in BASES:
        basis, node = _parse_basis(node, text)
    node = _check_arithmetic(node, text)
    column = ""
    if isinstance(node, ast.Name) and not standardised and basis is None:
        column = names[node.id]
    return Factor(text, node, names, column, standardised=standardised, basis=basis)


def _parse_basis(call: ast.Call, text: str) -> tuple[Basis, ast.expr]:
    """A basis with its arguments by name, and the variable that it is of."""
    name = function_name(call.func)
    known = BASES[name]
    usage = f"Write it as {name}(x, {', '.join(f'{one}=...' for one in known)})"
    given = [each.arg or "**" for each in call.keywords]
    behind = call.args[1:]
    names = [*known[: len(behind)], *given]
    bad = [each for each in given if each not in known]
    if not call.args or bad or len(behind) > len(known) or len({*names}) < len(names):
        why = f"{name} has no argument {bad[0]!r}" if bad else f"{name} has wrong arguments"
        raise OptionError(f"the factor {text!r} of a formula is not supported: {why}. {usage}.")
    arguments = {}
    for each, node in zip(names, (*behind, *(k.value for k in call.keywords)), strict=True):
        try:
            value = ast.literal_eval(node)
        except ValueError:
            value = ast.unparse(node)
        if value is None:
            continue
        takes = _check_basis_argument(name, each, value)
        if takes:
            raise OptionError(
                f"the factor {text!r} of a formula has {each}={value!r}. Give {takes}."
            )
        arguments[each] = value
    if "df" in arguments and "knots" in arguments:
        raise OptionError(
            f"the factor {text!r} of a formula has both df and knots. Leave one of them out."
        )
    return Basis("cr" if name == "cs" else name, arguments), call.args[0]


def _check_basis_argument(function: str, name: str, value: Any) -> str:
    """What the argument takes, if the value is not that."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if name == "degree":
        least = 1 if function == "poly" else 0
        fits = is_whole and least <= value <= MAX_DEGREE
        return "" if fits else f"a whole number from {least} to {MAX_DEGREE}"
    if name == "df":
        fits = is_whole and 1 <= value <= MAX_BASIS_SIZE
        return "" if fits else f"a whole number from 1 to {MAX_BASIS_SIZE}"
    if name in ("raw", "include_intercept"):
        return "" if isinstance(value, bool) else "True or False"
    if name == "constraints":
        return "" if value == "center" else "'center', or leave it out"
    if name == "knots":
        fits = isinstance(value, list | tuple) and len(value) < MAX_BASIS_SIZE
        fits = fits and all(map(_is_finite, value))
        return "" if fits else "a list of numbers, such as [10, 20]"
    return "" if _is_finite(value) else "a number"


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _category_factor(text: str, call: ast.Call, names: Mapping[str, str]) -> Factor:
    """``C(column)``, or ``C(column, Treatment(reference))`` with the reference level."""
    match call:
        case ast.Call(args=[ast.Name(id=name)], keywords=[]):
            return Factor(text, None, names, names[name])
        case ast.Call(
            args=[ast.Name(id=name), ast.Call(func=function, args=args, keywords=given)],
            keywords=[],
        ) if function_name(function) in CONTRASTS and len(args) + len(given) == 1:
            value = args[0] if args else given[0].value
            if isinstance(value, ast.Constant):
                return Factor(text, None, names, names[name], str(value.value))
    raise OptionError(
        f"the factor {text!r} of a formula is not supported. Write C(column), or "
        "C(column, Treatment('value')) to name the reference value."
    )


def _check_arithmetic(node: ast.expr, text: str) -> ast.expr:
    """The expression without I(...), if it is arithmetic of columns."""
    match node:
        case ast.Name() | ast.Constant(value=int() | float()):
            return node
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return ast.UnaryOp(node.op, _check_arithmetic(operand, text))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return ast.BinOp(_check_arithmetic(left, text), op, _check_arithmetic(right, text))
        case ast.Call(func=function):
            inside = _check_arithmetic(_argument(node, text), text)
            if (name := function_name(function)) == "I":
                return inside
            if name in FUNCTIONS:
                return ast.Call(function, [inside], [])
    raise OptionError(
        f"the factor {text!r} of a formula is not supported. It may have columns, numbers, "
        f"+ - * / **, and the functions {', '.join(FUNCTION_NAMES)}."
    )


def _argument(call: ast.Call, text: str) -> ast.expr:
    if len(call.args) != 1 or call.keywords:
        name = function_name(call.func)
        why = (
            f"{name} takes one argument"
            if name in FUNCTION_NAMES
            else f"there is no function {name!r}"
        )
        raise OptionError(
            f"the factor {text!r} of a formula is not supported: {why}. The functions are "
            f"{', '.join(FUNCTION_NAMES)}."
        )
    return call.args[0]


def function_name(function: ast.expr) -> str:
    """log for ``log`` and ``np.log``, treatment for ``contr.treatment``; else as written."""
    match function:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="np" | "numpy" | "contr"), attr=name):
            return name
    return ast.unparse(function)


def _check_columns(formula: ModelFormula, schema: Schema) -> None:
    kinds = {column.name: column.kind for column in schema.columns}
    for factor in formula.factors if formula.offset is None else (*formula.factors, formula.offset):
        for name in factor.columns:
            if name == formula.target:
                raise TargetError(
                    f"the formula {formula.text!r} has its target {name!r} after the tilde too. "
                    "Leave it out there."
                )
            if name not in kinds:
                raise ColumnError(
                    f"the formula {formula.text!r} names the column {name!r}, which the table does "
                    f"not have. {_suggestion(name, schema.names)}"
                )
            if kinds[name] == TEXT:
                raise ColumnError(
                    f"the formula {formula.text!r} names {name!r}, a column of text. Leave it out, "
                    f"or read it as a category with tl.table(..., categories=[{name!r}])."
                )
            if kinds[name] in (IDENTIFIER, UNKNOWN):
                why = "an identifier" if kinds[name] == IDENTIFIER else "empty"
                raise ColumnError(
                    f"the formula {formula.text!r} names {name!r}, which is {why}. Leave it out."
                )
            if name in schema.categories and not factor.column:
                raise ColumnError(
                    f"the formula {formula.text!r} computes {factor.text} from the categories of "
                    f"{name!r}. Write {name} alone, or convert the column to numbers."
                )


def _suggestion(name: str, names: Sequence[str]) -> str:
    near = get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"The columns are {quoted_list(names)}."
