"""Models as SQL: one query that returns the prediction for every row of a table.

The query is a chain of common table expressions. The first one reads the columns of the model as
doubles and texts, with NULL for missing values; each further one adds the parts of the decision
function that depend on those before. It is written in DuckDB's dialect, and sqlglot translates it.
Numbers stay finite: minus infinity, such as the log of a probability of 0, is ``-INFINITE``.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import singledispatch
from typing import Any, NamedTuple

from tallylearn.errors import KindError, OptionError, is_one_of, quoted_list
from tallylearn.exporters.code_writer import column_reader, missing_markers
from tallylearn.expressions import (
    Argmax,
    BinnedNumber,
    CategoryColumn,
    CategoryIndicator,
    CategoryLookup,
    CategorySplit,
    ClassifierExpression,
    ClassIndex,
    ClippedNumber,
    ClusterExpression,
    DistanceMetric,
    ElementaryFunction,
    Exponential,
    Expression,
    FallbackVector,
    FilledCategory,
    FilledNumber,
    GaussianLogDensity,
    Literal,
    MatrixProduct,
    MissingIndicator,
    ModelExpression,
    NearestDistance,
    NeighborMean,
    NeighborVotes,
    NumberColumn,
    NumberIndicator,
    NumberTree,
    OneHot,
    PooledIndicator,
    Power,
    Product,
    Quotient,
    SelectedEntries,
    Softmax,
    Sum,
    TextColumn,
    ThresholdSplit,
    TreeSplits,
    VectorEntry,
    VectorOf,
    VectorTree,
    WeightedMean,
    WordCountAtLeast,
    WordSum,
    children_of,
)
from tallylearn.expressions.nodes import FIRST, LAST, NO_CHILD, UNDEFINED
from tallylearn.tables import Column, Schema

DIALECTS = ("duckdb", "postgres", "sqlite", "spark", "bigquery", "snowflake")
INFINITE = 1e300  # stands for infinity: databases raise errors where a double overflows
BEYOND = 1e290  # a number beyond is infinite
MIN_EXPONENT = -700.0  # exp() of less is 0: PostgreSQL raises an error where a result underflows
MAX_EXPONENT = 709.0
MAX_LENGTH = 300  # characters of an expression that is written inside another one
MAX_TERMS = 40  # of a sum or a function call: SQLite allows 127 arguments, and depth 1,000
MAX_DEPTH = 6  # of the splits in one expression: SQLite's parser holds 100 open parts
MAX_PARTS = 1000  # branches of a tree with missing="fractional": PostgreSQL allows 1,664 columns
BLANKS = "' ' || CHR(9) || CHR(10) || CHR(13)"
NAME = re.compile(r"\b[a-z]_\d+\b")
CALL = re.compile(r"\w+\([\w., ]*\)")  # a function of names and numbers
FAR_SCORE, TIED_SCORES = 1e5, (1e-9, 1e-14)  # as in the evaluator of expressions
SAME_DIRECTION = 1e-31
DECIMALS = ("duckdb", "spark", "snowflake")  # a literal without an exponent is a decimal number
CATEGORIES = ("category", "numeral", "truth")  # how columns are read that are texts here
MATERIALIZED = ("postgres", "sqlite")  # these copy the text of a part into every place of its use


class _Part(NamedTuple):
    """A column of the query: its text, and the common table expression that has it."""

    text: str
    level: int


class SqlWriter:
    """The parts of one query."""

    def __init__(self, schema: Schema, dialect: str) -> None:
        self.dialect = dialect
        self.parts: dict[str, _Part] = {}
        self.read: dict[str, None] = {}  # the columns of the table
        self._markers = [one for one in missing_markers(schema) if isinstance(one, str)]
        self._schema = {column.name: column for column in schema.columns}
        self._origins = {
            f"{name}.{part}": (name, part) for name, parts in schema.parts for part in parts
        }
        self._texts: dict[int, tuple[Expression, str]] = {}
        self._vectors: dict[int, tuple[Expression, list[str]]] = {}
        self._ends: dict[TreeSplits, str] = {}
        self._names: dict[str, str] = {}
        self._uses: Counter[int] = Counter()

    def count_uses(self, root: Expression) -> None:
        """Count the places of every node, so that shared ones become columns."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            self._uses[id(node)] += 1
            if self._uses[id(node)] == 1:
                waiting.extend(children_of(node))

    def text(self, node: Expression) -> str:
        """The text of a number, a category or a choice."""
        if id(node) not in self._texts:
            found = scalar(node, self)
            if self._uses[id(node)] > 1 or len(found) > MAX_LENGTH:
                found = self.column(found)
            self._texts[id(node)] = node, found
        return self._texts[id(node)][1]

    def vector(self, node: Expression) -> list[str]:
        """The texts of the entries of a vector."""
        if id(node) not in self._vectors:
            self._vectors[id(node)] = node, [self.short(one) for one in entries(node, self)]
        return self._vectors[id(node)][1]

    def short(self, text: str) -> str:
        """The text, or the column that has its value where the text is long."""
        return self.column(text) if len(text) > MAX_LENGTH else text

    def column(self, text: str) -> str:
        """The column that has the value of a text."""
        if NAME.fullmatch(text) or _is_literal(text):
            return text
        if text not in self._names:
            name = f"n_{len(self.parts)}"
            self.parts[name] = _Part(text, 1 + max(map(self.level, _names(text)), default=0))
            self._names[text] = name
        return self._names[text]

    def level(self, name: str) -> int:
        """The common table expression that a name comes from."""
        return self.parts[name].level if name in self.parts else 0

    def end(self, splits: TreeSplits) -> str:
        """The column with the node of a tree where a row ends."""
        if splits not in self._ends:
            self._ends[splits] = _end_node(splits, self)
        return self._ends[splits]

    def source(self, name: str) -> str:
        """The column of the first common table expression that has a column of the table."""
        origin, part = self._origins.get(name, (name, ""))
        self.read[origin] = None
        column = self._schema.get(name)
        key = f"source {name}"
        if key not in self._names:
            text = self._part_of_date(origin, part) if part else self._cell(origin, column)
            self._names[key] = self._source_column(text)
            if column_reader(column) in CATEGORIES and not part:
                self._names[key] = self.column(self._category(self._names[key], column))
        return self._names[key]

    def _cell(self, name: str, column: Column | None) -> str:
        reader = column_reader(column)
        if reader == "number":
            return self._number(quoted(name))
        if reader == "days":
            return f"CAST({self._seconds(name)} AS DOUBLE) / 864e2"
        return f"TRIM(CAST({quoted(name)} AS TEXT), {BLANKS})"

    def _category(self, text: str, column: Column | None) -> str:
        """A text as a category: NULL for a marker of missing values."""
        reader = column_reader(column)
        if reader == "numeral":  # 3.0 and 3.00 are 3
            text = self.column(
                f"CASE WHEN {text} LIKE '%.%' THEN RTRIM(RTRIM({text}, '0'), '.') ELSE {text} END"
            )
        if reader == "truth":
            text = self.column(
                f"CASE WHEN LOWER({text}) IN ('1', 'true') THEN 'True' "
                f"WHEN LOWER({text}) IN ('0', 'false') THEN 'False' ELSE {text} END"
            )
        return f"CASE WHEN NOT {text} IN ({_strings(self._markers)}) THEN {text} END"

    def _source_column(self, text: str) -> str:
        name = f"x_{len(self.parts)}"
        self.parts[name] = _Part(text, 0)
        return name

    def _number(self, column: str) -> str:
        number = f"CAST({column} AS DOUBLE)"
        if self.dialect == "sqlite":  # it has no NaN
            return number
        if self.dialect == "bigquery":
            return f"CASE WHEN ISNAN({number}) THEN NULL ELSE {number} END"
        return f"NULLIF({number}, CAST('NaN' AS DOUBLE))"

    def _seconds(self, name: str) -> str:
        """Seconds since 1970 of a date or a time without a zone."""
        column = quoted(name)
        if self.dialect == "sqlite":
            return (
                f"(STRFTIME({column}, '%s') + STRFTIME({column}, '%f') - STRFTIME({column}, '%S'))"
            )
        return f"EPOCH(CAST({column} AS TIMESTAMP))"

    def _part_of_date(self, name: str, part: str) -> str:
        column = quoted(name)
        stamp = column if self.dialect == "sqlite" else f"CAST({column} AS TIMESTAMP)"
        seconds = f"CAST({self._seconds(name)} AS DOUBLE)"
        if part in ("year", "day"):
            return f"CAST({self._date_part(stamp, part)} AS DOUBLE)"
        if part == "weekday":  # 1970-01-01 was a Thursday, weekday 3
            days = f"(CAST(FLOOR({seconds} / 864e2) AS BIGINT) + 3)"
            return f"CAST(({days} % 7 + 7) % 7 AS TEXT)"
        padded = f"CAST(100 + CAST({self._date_part(stamp, part)} AS BIGINT) AS TEXT)"
        return f"SUBSTRING({padded}, 2, 2)"

    def _date_part(self, stamp: str, part: str) -> str:
        if self.dialect == "sqlite":
            field = {"year": "%Y", "month": "%m", "day": "%d", "hour": "%H"}[part]
            return f"STRFTIME({stamp}, '{field}')"
        return f"EXTRACT({part.upper()} FROM {stamp})"


def sql_query(
    expression: ModelExpression,
    schema: Schema,
    *,
    dialect: str = "duckdb",
    table: str = "rows",
    columns: Sequence[str] = (),
    rules: Sequence[tuple[int, str]] = (),
) -> str:
    """A query that returns columns of a table, and what the model predicts for its rows.

    Parameters
    ----------
    expression : ModelExpression
        A model's decision function: ``estimator.model_.expression(estimator.schema_)``.
    schema : Schema
        The columns of its table.
    dialect : str
        One of ``DIALECTS``.
    table : str
        The table, view or subquery to read from: a name, with a schema where it has one.
    columns : sequence of str
        The columns of the table that the result repeats, such as a key. All columns that the
        model reads, if empty.
    rules : sequence of tuple
        Nodes of the tree that the model is, and the rule of each, for a column ``rule``.

    Returns
    -------
    str
        The result has ``prediction``, and ``probability_`` and the class for every class.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.LinearRegression(exact=True).fit({"x": [0.0, 2.0], "y": [1.0, 5.0]}, "y")
    >>> print(sql_query(model.model_.expression(model.schema_), model.schema_, dialect="sqlite"))
    WITH layer_0 AS MATERIALIZED (
      SELECT
        "x" AS c_0,
        CAST("x" AS REAL) AS x_0
      FROM "rows"
    )
    SELECT
      c_0 AS "x",
      CAST(3.0 + 2.0 * (
        COALESCE(x_0, 1.0) - 1.0
      ) AS REAL) AS "prediction"
    FROM layer_0
    <BLANKLINE>
    """
    if not is_one_of(dialect, DIALECTS):
        raise OptionError(f"dialect is {dialect!r}. Use one of {quoted_list(DIALECTS)}.")
    writer = SqlWriter(schema, dialect)
    results = _results(expression, writer, rules)
    kept = {f"c_{i}": name for i, name in enumerate(columns or writer.read)}
    return _translated(_query(writer, kept, results, table), dialect)


def _results(
    expression: ModelExpression, writer: SqlWriter, rules: Sequence[tuple[int, str]]
) -> dict[str, str]:
    """The name and the text of every column that the model adds."""
    for node in children_of(expression):
        writer.count_uses(node)
    if isinstance(expression, ClusterExpression):
        return {"prediction": writer.text(expression.choice)}
    if isinstance(expression, ClassifierExpression):
        choice = writer.column(writer.text(expression.choice))
        labels = [(str(i), _label(label)) for i, label in enumerate(expression.classes)]
        shares = writer.vector(expression.probabilities)
        names = ["prediction", *(f"probability_{label}" for label in expression.classes)]
        texts = [_case(choice, labels), *map(_double, shares)]
    else:
        texts = [_double(writer.text(value)) for value in expression.values]
        n = len(texts)
        names = ["prediction"] if n == 1 else [f"prediction_{i}" for i in range(n)]
    found = dict(zip(names, texts, strict=True))
    tree = children_of(expression)[-1]
    if rules and isinstance(tree, NumberTree | VectorTree) and not tree.splits.weights:
        pairs = [(str(node), string(rule)) for node, rule in rules]
        found["rule"] = _case(writer.end(tree.splits), pairs)
    return found


def _query(writer: SqlWriter, kept: dict[str, str], results: dict[str, str], table: str) -> str:
    """The query in DuckDB's dialect; every common table expression has what is needed later."""
    depth = max((part.level for part in writer.parts.values()), default=0)
    needed = {name for text in results.values() for name in _names(text) if name in writer.parts}
    layers = []
    for level in range(depth, 0, -1):
        new = {
            name: writer.parts[name].text for name in sorted(needed) if writer.level(name) == level
        }
        old = (needed - {*new}) | {
            name for text in new.values() for name in _names(text) if name in writer.parts
        }
        columns = [*kept, *sorted(needed - {*new})]
        columns += [f"{text} AS {name}" for name, text in new.items()]
        layers.append((level, f"SELECT {', '.join(columns)} FROM layer_{level - 1}"))
        needed = old
    first = [f"{quoted(name)} AS {short}" for short, name in kept.items()]
    first += [f"{writer.parts[name].text} AS {name}" for name in sorted(needed)]
    layers.append((0, f"SELECT {', '.join(first) or '1 AS one'} FROM {_table(table)}"))
    keyword = "AS MATERIALIZED" if writer.dialect in MATERIALIZED else "AS"
    chain = ", ".join(f"layer_{level} {keyword} ({text})" for level, text in reversed(layers))
    names = _distinct([*kept.values(), *results])
    texts = [*kept, *results.values()]
    last = ", ".join(f"{a} AS {quoted(b)}" for a, b in zip(texts, names, strict=True))
    return f"WITH {chain} SELECT {last} FROM layer_{depth}"


def _distinct(names: Iterable[str]) -> list[str]:
    """The names, with a number where one comes twice: databases ignore upper case in some."""
    found: dict[str, None] = {}
    taken: set[str] = set()
    for name in names:
        new, at = name, 2
        while new.lower() in taken:
            new, at = f"{name}_{at}", at + 1
        taken.add(new.lower())
        found[new] = None
    return [*found]


def _translated(query: str, dialect: str) -> str:
    try:
        import sqlglot
    except ImportError as error:
        raise KindError(
            "SQL needs another package. Install it with pip install 'tallylearn[sql]'."
        ) from error
    tree = sqlglot.parse_one(query, read="duckdb")
    if dialect not in DECIMALS:  # 0.5 is a double, or becomes one beside a double
        for literal in tree.find_all(sqlglot.exp.Literal):
            if not literal.is_string:
                literal.set("this", literal.this.removesuffix("e0"))
    if dialect == "sqlite":  # the arguments are never NULL: without this, each gets a COALESCE
        for call in tree.find_all(sqlglot.exp.Greatest, sqlglot.exp.Least):
            call.set("ignore_nulls", False)
    return f"{tree.sql(dialect, pretty=True)}\n"


# --- text in DuckDB's dialect


def quoted(name: str) -> str:
    """An identifier."""
    return '"' + name.replace('"', '""') + '"'


def string(value: str) -> str:
    """A string literal."""
    return "'" + value.replace("'", "''") + "'"


def number(value: float) -> str:
    """A double: databases read a literal without an exponent as a decimal."""
    if math.isnan(value):
        return "NULL"
    finite = min(max(float(value), -INFINITE), INFINITE)
    mantissa, _, exponent = repr(finite).partition("e")
    return f"{mantissa}e{int(exponent or 0)}"


def _strings(values: Iterable[str]) -> str:
    return ", ".join(map(string, values))


def _label(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return repr(value)
    return string(str(value))


def _table(name: str) -> str:
    return ".".join(quoted(part) for part in name.split("."))


def _names(text: str) -> list[str]:
    return NAME.findall(text)


def _is_literal(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _double(text: str) -> str:
    return f"CAST({text} AS DOUBLE)"


def _case(operand: str, pairs: Iterable[tuple[str, str]], otherwise: str = "NULL") -> str:
    """A choice by the value of an operand: values with the same result are listed together."""
    grouped: dict[str, list[str]] = {}
    for value, result in pairs:
        grouped.setdefault(result, []).append(value)
    whens = " ".join(
        f"WHEN {_is_one_of(operand, values)} THEN {result}"
        for result, values in grouped.items()
        if result != otherwise
    )
    return f"CASE {whens} ELSE {otherwise} END" if whens else otherwise


def _is_one_of(operand: str, values: Sequence[str]) -> str:
    return f"{operand} = {values[0]}" if len(values) == 1 else f"{operand} IN ({', '.join(values)})"


def _function(name: str, texts: Sequence[str], writer: SqlWriter) -> str:
    """A function of many arguments, such as GREATEST, in groups."""
    found = [*dict.fromkeys(texts)]
    while len(found) > MAX_TERMS:
        group = f"{name}({', '.join(found[:MAX_TERMS])})"
        found[:MAX_TERMS] = [writer.column(group)]
    return f"{name}({', '.join(found)})" if len(found) > 1 else found[0]


def _sum(texts: Sequence[str], writer: SqlWriter) -> str:
    found = [*texts] or ["0e0"]
    while len(found) > MAX_TERMS:  # a balanced sum: SQLite allows expressions of depth 1,000
        groups = [found[at : at + MAX_TERMS] for at in range(0, len(found), MAX_TERMS)]
        found = [writer.column(_added(group)) for group in groups]
    return _added(found)


def _added(texts: Sequence[str]) -> str:
    first, *rest = texts
    return first + "".join(f" - {t[1:]}" if _is_negative(t) else f" + {t}" for t in rest)


def _is_negative(text: str) -> bool:
    return text.startswith("-") and _is_literal(text)


def _operand(text: str) -> str:
    """The text in parentheses, unless it is a name, a positive number or one call."""
    simple = NAME.fullmatch(text) or (_is_literal(text) and not text.startswith("-"))
    return text if simple or CALL.fullmatch(text) else f"({text})"


def _exp(text: str, writer: SqlWriter) -> str:
    x = writer.column(text)
    low, high = number(MIN_EXPONENT), number(MAX_EXPONENT)
    return f"CASE WHEN {x} < {low} THEN 0e0 WHEN {x} > {high} THEN EXP({high}) ELSE EXP({x}) END"


# --- numbers, categories and choices


@singledispatch
def scalar(node: Expression, writer: SqlWriter) -> str:
    """The text of a node that has one value a row."""
    raise KindError(f"{type(node).__name__} cannot be written as SQL.")


@scalar.register(NumberColumn)
@scalar.register(CategoryColumn)
def _(node: Any, writer: SqlWriter) -> str:
    return writer.source(node.name)


@scalar.register
def _(node: Literal, writer: SqlWriter) -> str:
    return number(node.value)


@scalar.register
def _(node: Sum, writer: SqlWriter) -> str:
    return _sum(
        [
            text if isinstance(term, Product | Literal) else _operand(text)
            for term, text in ((term, writer.text(term)) for term in node.terms)
        ],
        writer,
    )


@scalar.register
def _(node: Product, writer: SqlWriter) -> str:
    return " * ".join(_operand(writer.text(one)) for one in node.factors) or "1e0"


@scalar.register
def _(node: Quotient, writer: SqlWriter) -> str:
    above, below = (_operand(writer.text(one)) for one in (node.numerator, node.denominator))
    return f"{above} / NULLIF({below}, 0e0)"


@scalar.register
def _(node: Power, writer: SqlWriter) -> str:
    return _power(writer.column(writer.text(node.base)), node.exponent)


def _power(base: str, exponent: float) -> str:
    if exponent == 2:
        return f"{base} * {base}"
    whole = exponent == int(exponent)
    test = f"{base} <> 0e0" if whole else f"{base} > 0e0"
    at_zero = "0e0" if exponent > 0 else number(math.inf)
    power = f"POWER({base}, {number(exponent)})"
    return f"CASE WHEN {test} THEN {power} WHEN {base} = 0e0 THEN {at_zero} END"


@scalar.register
def _(node: Exponential, writer: SqlWriter) -> str:
    return _exp(writer.text(node.operand), writer)


@scalar.register
def _(node: ElementaryFunction, writer: SqlWriter) -> str:
    if node.name not in FUNCTIONS:
        raise KindError(
            f"the function {node.name} of a formula cannot be written as SQL. Use one of "
            f"{quoted_list(FUNCTIONS)}."
        )
    x = writer.column(writer.text(node.operand))
    return FUNCTIONS[node.name](x, writer)


def _log(x: str, divisor: float = 1.0, added: str = "") -> str:
    """The logarithm, minus infinity at 0; NULL below 0, where databases raise an error."""
    inner = f"{added}{x}"
    scaled = "" if divisor == 1 else f" / {number(divisor)}"
    return (
        f"CASE WHEN {inner} > 0e0 THEN LN({inner}){scaled} "
        f"WHEN {inner} = 0e0 THEN {number(-math.inf)} END"
    )


FUNCTIONS: dict[str, Callable[[str, SqlWriter], str]] = {
    "log": lambda x, _: _log(x),
    "log2": lambda x, _: _log(x, math.log(2)),
    "log10": lambda x, _: _log(x, math.log(10)),
    "log1p": lambda x, _: _log(x, added="1e0 + "),
    "exp": _exp,
    "expm1": lambda x, writer: f"({_exp(x, writer)}) - 1e0",
    "sqrt": lambda x, _: f"CASE WHEN {x} >= 0e0 THEN SQRT({x}) END",
    "abs": lambda x, _: f"ABS({x})",
    "absolute": lambda x, _: f"ABS({x})",
    "sin": lambda x, _: f"SIN({x})",
    "cos": lambda x, _: f"COS({x})",
    "tan": lambda x, _: f"TAN({x})",
    "square": lambda x, _: f"{x} * {x}",
    "floor": lambda x, _: f"FLOOR({x})",
    "ceil": lambda x, _: f"CEIL({x})",
    "sign": lambda x, _: (
        f"CASE WHEN {x} > 0e0 THEN 1e0 WHEN {x} < 0e0 THEN -1e0 WHEN {x} = 0e0 THEN 0e0 END"
    ),
}


@scalar.register
def _(node: NumberIndicator, writer: SqlWriter) -> str:
    x = _operand(writer.text(node.operand))
    return _double(f"CASE WHEN {x} = {number(node.value)} THEN 1e0 ELSE 0e0 END")


@scalar.register
def _(node: ClippedNumber, writer: SqlWriter) -> str:
    x = writer.column(writer.text(node.operand))
    return (
        f"CASE WHEN {x} < {number(node.low)} THEN {number(node.low)} "
        f"WHEN {x} > {number(node.high)} THEN {number(node.high)} ELSE {x} END"
    )


@scalar.register
def _(node: FilledNumber, writer: SqlWriter) -> str:
    return f"COALESCE({writer.text(node.operand)}, {writer.text(node.otherwise)})"


@scalar.register
def _(node: GaussianLogDensity, writer: SqlWriter) -> str:
    x = writer.text(node.operand)
    away = f"({_operand(x)} - {_operand(number(node.mean))}) / {number(node.deviation)}"
    squared = _power(writer.column(away), 2)
    constant = math.log(node.deviation) + 0.5 * math.log(2 * math.pi)
    return f"-0.5e0 * ({squared}) - {_operand(number(constant))}"


@scalar.register
def _(node: CategoryIndicator, writer: SqlWriter) -> str:
    same = CategoryLookup(node.operand, (node.value,), (1.0,), other=0.0, missing=node.missing)
    return scalar(same, writer)


@scalar.register
def _(node: PooledIndicator, writer: SqlWriter) -> str:
    zeros = (0.0,) * len(node.known)
    same = CategoryLookup(node.operand, node.known, zeros, other=1.0, missing=node.missing)
    return scalar(same, writer)


@scalar.register
def _(node: CategoryLookup, writer: SqlWriter) -> str:
    x = writer.column(writer.text(node.operand))
    pairs = zip(map(string, node.values), map(number, node.amounts), strict=True)
    known = _case(x, pairs, number(node.other))
    missing = number(node.missing)
    if known == missing:
        return known
    if known.startswith("CASE "):
        return _double(f"CASE WHEN {x} IS NULL THEN {missing} {known.removeprefix('CASE ')}")
    return _double(f"CASE WHEN {x} IS NULL THEN {missing} ELSE {known} END")


@scalar.register
def _(node: MissingIndicator, writer: SqlWriter) -> str:
    if isinstance(node.operand, TextColumn):
        raise _words(node.operand.name)
    return _double(f"CASE WHEN {_operand(writer.text(node.operand))} IS NULL THEN 1e0 ELSE 0e0 END")


@scalar.register(WordSum)
@scalar.register(WordCountAtLeast)
def _(node: Any, writer: SqlWriter) -> str:
    raise _words(node.operand.name)


def _words(name: str) -> KindError:
    return KindError(
        f"column {name!r} contains text, and SQL has no common way to split it into words. Export "
        'the model as "python" or "javascript".'
    )


@scalar.register
def _(node: FilledCategory, writer: SqlWriter) -> str:
    other = node.otherwise
    text = string(other) if isinstance(other, str) else writer.text(other)
    return f"COALESCE({writer.text(node.operand)}, {text})"


@scalar.register
def _(node: BinnedNumber, writer: SqlWriter) -> str:
    x = writer.column(writer.text(node.operand))
    sign = "<" if node.closed == "left" else "<="
    whens = " ".join(
        f"WHEN {x} {sign} {number(cut)} THEN {string(label)}"
        for cut, label in zip(node.cuts, node.labels, strict=False)
    )
    last = string(node.labels[-1])
    return f"CASE WHEN {x} IS NULL THEN NULL {whens} ELSE {last} END"


@scalar.register
def _(node: NumberTree, writer: SqlWriter) -> str:
    if node.splits.weights:
        parts = _fractions(node.splits, writer)
        terms = [f"{part} * {_operand(writer.text(node.outcomes[at]))}" for at, part in parts]
        return _sum(terms, writer)
    texts = [(str(at), writer.short(writer.text(one))) for at, one in enumerate(node.outcomes)]
    ends = {str(at) for at in _end_places(node.splits)}
    return _double(_case(writer.end(node.splits), [pair for pair in texts if pair[0] in ends]))


@scalar.register
def _(node: NearestDistance, writer: SqlWriter) -> str:
    return _function("LEAST", _distances(node.distance, node.examples, writer), writer)


@scalar.register(NeighborMean)
def _(node: Any, writer: SqlWriter) -> str:
    raise _neighbors()


def _neighbors() -> KindError:
    return KindError(
        "nearest neighbours need the training rows, which a query without further tables does not "
        'have. Export the model as "python" or "javascript".'
    )


@scalar.register
def _(node: VectorEntry, writer: SqlWriter) -> str:
    return writer.vector(node.operand)[node.place]


@scalar.register
def _(node: Argmax, writer: SqlWriter) -> str:
    rule = node.ties
    scores = [writer.column(one) for one in writer.vector(node.scores)]
    if len(scores) == 1:
        return "0"
    best = writer.column(_function("GREATEST", scores, writer))
    slack = f"{number(rule.absolute)} + {number(rule.relative)} * ABS({best})"
    if rule.largest:
        largest = _function("GREATEST", [f"ABS({one})" for one in scores], writer)
        slack += f" + {number(rule.largest)} * {writer.column(largest)}"
    least = writer.column(f"{best} - ({slack})")
    tied = [f"{one} >= {least}" for one in scores]
    order = [*range(len(scores))]
    if rule.choose == LAST:
        order.reverse()
    whens = " ".join(f"WHEN {tied[i]} THEN {i}" for i in order)
    chosen = f"CASE {whens} END"
    if rule.choose != UNDEFINED:
        assert rule.choose in (FIRST, LAST)
        return chosen
    number_tied = _sum([f"CASE WHEN {one} THEN 1 ELSE 0 END" for one in tied], writer)
    return f"CASE WHEN {number_tied} > 1 THEN -1 {whens} END"


@scalar.register
def _(node: ClassIndex, writer: SqlWriter) -> str:
    return f"CAST({writer.text(node.operand)} AS INTEGER)"


# --- trees


def _end_places(splits: TreeSplits) -> list[int]:
    """The nodes where rows can end: leaves, and nodes without a child for some value."""
    return [
        at
        for at, split in enumerate(splits.nodes)
        if split is None
        or split.missing == NO_CHILD
        or (isinstance(split, CategorySplit) and split.other == NO_CHILD)
    ]


def _end_node(splits: TreeSplits, writer: SqlWriter) -> str:
    """The column with the node where a row ends, some levels of the tree at a time."""
    found, starts = "", [0]
    while starts:
        frontier: list[int] = []
        walks = [(at, _walk(splits, at, MAX_DEPTH, frontier, writer)) for at in starts]
        if not found:
            text = walks[0][1]
        else:
            whens = " ".join(f"WHEN {found} = {at} THEN {text}" for at, text in walks)
            text = f"CASE {whens} ELSE {found} END"
        found, starts = writer.column(text), frontier
    return found


def _walk(splits: TreeSplits, at: int, depth: int, frontier: list[int], writer: SqlWriter) -> str:
    """The node that a row at a node reaches after some splits; ``frontier`` gets those to go on."""
    split = splits.nodes[at] if at != NO_CHILD else None
    if split is None:
        return str(at)
    if depth == 0:
        frontier.append(at)
        return str(at)

    def below(child: int) -> str:
        return str(at) if child == NO_CHILD else _walk(splits, child, depth - 1, frontier, writer)

    x = writer.column(writer.text(split.operand))
    missing = below(split.missing)
    if isinstance(split, ThresholdSplit):
        low = missing if split.missing == split.low else below(split.low)
        if split.missing == split.high:
            return f"CASE WHEN {x} <= {number(split.threshold)} THEN {low} ELSE {missing} END"
        high = below(split.high)
        return (
            f"CASE WHEN {x} IS NULL THEN {missing} "
            f"WHEN {x} <= {number(split.threshold)} THEN {low} ELSE {high} END"
        )
    whens = "".join(
        f"WHEN {_is_one_of(x, [*map(string, values)])} THEN {below(child)} "
        for child, values in _values_of_children(split).items()
    )
    return f"CASE WHEN {x} IS NULL THEN {missing} {whens}ELSE {below(split.other)} END"


def _values_of_children(split: CategorySplit) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for value, child in zip(split.values, split.children, strict=True):
        found.setdefault(child, []).append(value)
    return found


def _fractions(splits: TreeSplits, writer: SqlWriter) -> list[tuple[int, str]]:
    """The part of a row that ends at each node where missing values go down every branch."""
    found: list[tuple[int, str]] = []
    waiting: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    while waiting:
        at, path = waiting.pop()
        split = splits.nodes[at]
        if split is None:
            found.append((at, writer.column(_product(path, writer))))
        else:
            branches = _branches(split, splits, writer)
            waiting.extend((child, (*path, part)) for child, part in branches if child != NO_CHILD)
            ending = [part for child, part in branches if child == NO_CHILD]
            found.extend((at, writer.column(_product((*path, part), writer))) for part in ending)
        if len(found) + len(waiting) > MAX_PARTS:
            raise KindError(
                f"a tree with missing='fractional' and more than {MAX_PARTS:,} branches is too "
                'large for a query. Prune it, or export it as "python".'
            )
    return found


def _branches(
    split: ThresholdSplit | CategorySplit, splits: TreeSplits, writer: SqlWriter
) -> list[tuple[int, str]]:
    """The children of a node, and the part of a row that goes to each."""
    x = writer.column(writer.text(split.operand))
    if isinstance(split, ThresholdSplit):
        at_most = f"{x} <= {number(split.threshold)}"
        tests = {split.low: at_most, split.high: f"NOT {at_most}"}
    else:
        tests = {
            child: _is_one_of(x, [*map(string, values)])
            for child, values in _values_of_children(split).items()
        }
        listed = f"{x} IN ({_strings(split.values)})"
        if split.other in tests:
            tests[split.other] = f"({tests[split.other]} OR NOT {listed})"
        else:
            tests[split.other] = f"NOT {listed}" if split.values else "TRUE"
    kids = sorted({*tests, split.missing} - {NO_CHILD})
    total = sum(splits.weights[kid] for kid in kids)
    found = []
    for child in (*kids, *({NO_CHILD} & {*tests})):
        share = 0.0 if child == NO_CHILD else splits.weights[child] / total
        text = f"CASE WHEN {x} IS NULL THEN {number(share)} "
        text += f"WHEN {tests[child]} THEN 1e0 " if child in tests else ""
        found.append((child, writer.column(_double(f"{text}ELSE 0e0 END"))))
    return found


def _product(factors: Sequence[str], writer: SqlWriter) -> str:
    found = [*factors] or ["1e0"]
    while len(found) > MAX_TERMS:
        found[:MAX_TERMS] = [writer.column(" * ".join(found[:MAX_TERMS]))]
    return " * ".join(found)


# --- distances


def _distances(
    metric: DistanceMetric, examples: Sequence[tuple[Any, ...]], writer: SqlWriter
) -> list[str]:
    """The distance from the row to every example."""
    x = [writer.column(writer.text(one)) for one in metric.numbers]
    if metric.metric == "gower":
        texts = [writer.column(writer.text(one)) for one in metric.categories]
        return [writer.column(_gower(metric, x, texts, one, writer)) for one in examples]
    if metric.metric == "cosine":
        return _cosine(x, examples, writer)
    return [writer.column(_distance(metric, x, one, writer)) for one in examples]


def _distance(
    metric: DistanceMetric, x: Sequence[str], example: Sequence[Any], writer: SqlWriter
) -> str:
    apart = [
        writer.column(f"ABS({a} - {_operand(number(b))})") for a, b in zip(x, example, strict=False)
    ]
    if metric.metric == "manhattan":
        return _sum(apart, writer)
    if metric.metric == "chebyshev":
        return _function("GREATEST", apart, writer) if apart else "0e0"
    p = 2.0 if metric.metric == "euclidean" else metric.p
    total = writer.column(_sum([_operand(_power(one, p)) for one in apart], writer))
    return f"SQRT({total})" if p == 2 else _power(total, 1 / p)


def _gower(
    metric: DistanceMetric,
    x: Sequence[str],
    texts: Sequence[str],
    example: Sequence[Any],
    writer: SqlWriter,
) -> str:
    """The mean difference over the columns that both have; infinite where there is none."""
    total, shared = [], []
    for a, value, scale in zip(x, example, metric.scale, strict=False):
        if value is not None and not math.isnan(value):
            total.append(f"COALESCE(ABS({a} - {_operand(number(value))}) / {number(scale)}, 0e0)")
            shared.append(f"CASE WHEN {a} IS NULL THEN 0e0 ELSE 1e0 END")
    known = metric.known or ((),) * len(texts)
    for a, value, values in zip(texts, example[len(x) :], known, strict=True):
        if value is None:
            continue
        absent = f"{a} IS NULL"
        if metric.unseen_missing:
            absent += f" OR {a} NOT IN ({_strings(values)})" if values else " OR TRUE"
        total.append(f"CASE WHEN {absent} OR {a} = {string(value)} THEN 0e0 ELSE 1e0 END")
        shared.append(f"CASE WHEN {absent} THEN 0e0 ELSE 1e0 END")
    both = writer.column(_sum(shared, writer))
    mean = f"({writer.column(_sum(total, writer))}) / {both}"
    return f"CASE WHEN {both} > 0e0 THEN {mean} ELSE {number(math.inf)} END"


def _cosine(x: Sequence[str], examples: Sequence[Any], writer: SqlWriter) -> list[str]:
    """1 - cos(x, z); a row of zeros has no direction, and is 1 from all others."""
    length = writer.column(f"SQRT({_sum([f'{a} * {a}' for a in x], writer)})")
    unit = [writer.column(f"{a} / NULLIF({length}, 0e0)") for a in x]
    found = []
    for example in examples:
        norm = math.sqrt(math.fsum(value * value for value in example))
        if norm == 0:
            found.append("1e0")
            continue
        away = [writer.column(f"{a} - {_operand(number(value / norm))}")
                for a, value in zip(unit, example, strict=True)]  # fmt: skip
        half = writer.column(f"({_sum([f'{one} * {one}' for one in away], writer)}) / 2e0")
        near = number(SAME_DIRECTION * len(x))
        found.append(
            writer.column(
                f"CASE WHEN {half} IS NULL THEN 1e0 WHEN {half} < {near} THEN 0e0 ELSE {half} END"
            )
        )
    return found


# --- vectors


@singledispatch
def entries(node: Expression, writer: SqlWriter) -> list[str]:
    """The texts of the entries of a vector."""
    raise KindError(f"{type(node).__name__} cannot be written as SQL.")


@entries.register
def _(node: VectorOf, writer: SqlWriter) -> list[str]:
    texts = [writer.text(item) for item in node.items]
    if not any(_may_be_infinite(item) for item in node.items):
        return texts
    infinite = number(-math.inf)
    names = [writer.column(text) for text in texts]
    return [f"CASE WHEN {x} < {number(-BEYOND)} THEN {infinite} ELSE {x} END" for x in names]


def _may_be_infinite(node: Expression) -> bool:
    """Whether an infinite constant stands in an expression."""
    values = [
        item
        for value in vars(node).values()
        for item in (value if isinstance(value, tuple) else (value,))
    ]
    if any(isinstance(one, float) and math.isinf(one) for one in values):
        return True
    return any(_may_be_infinite(child) for child in children_of(node))


@entries.register
def _(node: Softmax, writer: SqlWriter) -> list[str]:
    scores = [writer.column(one) for one in writer.vector(node.scores)]
    best = writer.column(_function("GREATEST", scores, writer))
    tied = f"{best} - ({number(TIED_SCORES[0])} + {number(TIED_SCORES[1])} * ABS({best}))"
    slack = writer.column(
        f"CASE WHEN ABS({best}) > {number(FAR_SCORE)} THEN {tied} ELSE {number(math.inf)} END"
    )
    away = [writer.column(f"CASE WHEN {x} >= {slack} THEN 0e0 ELSE {x} - {best} END")
            for x in scores]  # fmt: skip
    shares = [writer.column(_exp(one, writer)) for one in away]
    total = writer.column(_sum(shares, writer))
    return [f"{share} / {total}" for share in shares]


@entries.register
def _(node: FallbackVector, writer: SqlWriter) -> list[str]:
    found = [writer.column(one) for one in writer.vector(node.operand)]
    best = writer.column(_function("GREATEST", found, writer))
    others = writer.vector(node.otherwise)
    pairs = zip(found, others, strict=True)
    return [f"CASE WHEN {best} < {number(-BEYOND)} THEN {b} ELSE {a} END" for a, b in pairs]


@entries.register
def _(node: MatrixProduct, writer: SqlWriter) -> list[str]:
    x = [writer.column(one) for one in writer.vector(node.operand)]
    return [
        _sum(
            [f"{_operand(a)} * {_operand(number(b))}" for a, b in zip(x, column, strict=True)],
            writer,
        )
        for column in zip(*node.matrix, strict=True)
    ]


@entries.register
def _(node: SelectedEntries, writer: SqlWriter) -> list[str]:
    found = writer.vector(node.operand)
    return ["0e0" if place == -1 else found[place] for place in node.places]


@entries.register
def _(node: OneHot, writer: SqlWriter) -> list[str]:
    choice = writer.column(writer.text(node.choice))
    return [_double(f"CASE WHEN {choice} = {i} THEN 1e0 ELSE 0e0 END") for i in range(node.classes)]


@entries.register
def _(node: WeightedMean, writer: SqlWriter) -> list[str]:
    members = [writer.vector(one) for one in node.members]
    return [
        _sum(
            [f"{number(w)} * {_operand(one)}" for one, w in zip(column, node.weights, strict=True)],
            writer,
        )
        for column in zip(*members, strict=True)
    ]


@entries.register
def _(node: VectorTree, writer: SqlWriter) -> list[str]:
    columns = [*zip(*node.outcomes, strict=True)]
    if node.splits.weights:
        parts = _fractions(node.splits, writer)
        return [
            _sum([f"{part} * {_operand(number(column[at]))}" for at, part in parts], writer)
            for column in columns
        ]
    end, places = writer.end(node.splits), _end_places(node.splits)
    return [
        writer.column(_double(_case(end, [(str(at), number(column[at])) for at in places])))
        for column in columns
    ]


@entries.register(NeighborVotes)
def _(node: Any, writer: SqlWriter) -> list[str]:
    raise _neighbors()
