"""Models as Python: one module that needs nothing but the standard library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from tallylearn.exporters.code_writer import (
    CodeWriter,
    Language,
    column_reader,
    missing_markers,
    runtime_functions,
)
from tallylearn.expressions import ClassifierExpression, ClusterExpression, ModelExpression
from tallylearn.tables import Column, Schema

PROGRAM = '''\
"""predict(row) takes a dict with the columns COLUMNS. A missing value is None.

{result}
"""

{imports}
COLUMNS = {columns}
MISSING = {missing}
{constants}


{functions}

def predict(row):
{statements}
    return {returned}
'''
IMPORTS = {
    "import math": "math.",
    "import re": "re.",
    "from datetime import UTC, date, datetime": "datetime",
    "from math import inf, nan": ("inf", "nan"),
}


class Python(Language):
    """The syntax of Python."""

    runtime: ClassVar[str] = "predict.py"
    sections: ClassVar[str] = r"^def (?P<name>\w+)"
    names: ClassVar[dict[str, str]] = {"index": "int"}

    def read(self, column: Column | None, name: str, part: str) -> tuple[str, list[str]]:
        arguments = ["row", self.string(name)]
        if part:
            of_number = part in ("year", "day")
            return "part_number" if of_number else "date_part", [*arguments, self.string(part)]
        return column_reader(column), arguments

    def number(self, value: float) -> str:
        if math.isnan(value):
            return "nan"
        return repr(value)

    def string(self, value: str | None) -> str:
        return ascii(value)

    def constant(self, kind: str, name: str, value: Any) -> tuple[str, str]:
        return f"{name} = {self._constant(kind, value)}", name

    def _constant(self, kind: str, value: Any) -> str:
        match kind:
            case "numbers" | "integers":
                return _list(map(self.number, value))
            case "strings":
                return _list(map(self.string, value))
            case "matrix":
                return _list(self._constant("numbers", row) for row in value)
            case "cells":
                return _list(self._constant("strings", row) for row in value)
            case "sets":
                return _list(f"frozenset({self._constant('strings', row)})" for row in value)
            case "lookup":
                pairs = zip(*value, strict=True)
                return f"{{{', '.join(f'{self.string(a)}: {self.number(b)}' for a, b in pairs)}}}"
        return _list(map(self._node, value))

    def _node(self, node: tuple[Any, ...] | None) -> str:
        if node is None:
            return "None"
        parts = (
            self._constant("lookup", one) if isinstance(one, tuple) else self.number(one)
            for one in node
        )
        return f"({', '.join(parts)})"

    def scalar(self, kind: str, name: str, text: str) -> str:
        return f"{name} = {text}"

    def vector(self, name: str, size: int, function: str, arguments: Sequence[str]) -> str:
        if function == "entry":
            return f"{name} = {arguments[0]}[{arguments[1]}]"
        return f"{name} = {self.call(function, *arguments)}"

    def literal_vector(self, name: str, items: Sequence[str], kind: str) -> str:
        return f"{name} = {_list(items)}"

    def quotient(self, numerator: str, denominator: str) -> str:
        return f"divide({numerator}, {denominator})"

    def item(self, constant: str, at: str) -> str:
        return f"{constant}[{at}]"

    def condition(self, test: str, then: str, otherwise: str) -> str:
        return f"({then} if {test} else {otherwise})"


def python_source(expression: ModelExpression, schema: Schema) -> str:
    """A Python module with a function ``predict(row)``.

    Parameters
    ----------
    expression : ModelExpression
        A model's decision function: ``estimator.model_.expression(estimator.schema_)``.
    schema : Schema
        The columns of its table.

    Returns
    -------
    str
        ``predict(row)`` returns a dict: ``class`` and ``probabilities`` of a classifier, where the
        class is None if a tie has none; ``value`` of a regressor, a list with several targets;
        ``cluster`` of a clustering. ``CLASSES`` are the classes, in the order of the
        probabilities, and ``COLUMNS`` the columns that it reads.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.LinearRegression(exact=True).fit({"x": [0.0, 2.0], "y": [1.0, 5.0]}, "y")
    >>> text = python_source(model.model_.expression(model.schema_), model.schema_)
    >>> print(text[text.index("def predict") :])
    def predict(row):
        x_x = number(row, 'x')
        return {'value': 3.0 + 2.0 * (fill(x_x, 1.0) - 1.0)}
    <BLANKLINE>
    """
    language = Python()
    writer = CodeWriter(language, schema)
    if isinstance(expression, ClassifierExpression):
        chosen, shares = writer.texts([expression.choice, expression.probabilities])
        writer.constants.append(f"CLASSES = {_list(map(ascii, expression.classes))}")
        returned = (
            f"{{'class': None if {chosen} < 0 else CLASSES[{chosen}], 'probabilities': {shares}}}"
        )
        result = "It returns class and probabilities, in the order of CLASSES."
    elif isinstance(expression, ClusterExpression):
        (chosen,) = writer.texts([expression.choice])
        returned, result = f"{{'cluster': {chosen}}}", "It returns cluster."
    else:
        values = writer.texts(expression.values)
        returned = f"{{'value': {values[0] if len(values) == 1 else _list(values)}}}"
        result = "It returns value."
    statements = "\n".join(f"    {line}" for line in writer.statements)
    functions = runtime_functions(language, statements + returned).replace("\ndef ", "\n\ndef ")
    constants = "\n".join(writer.constants)
    body = "\n".join([constants, functions, statements, returned])
    return PROGRAM.format(
        columns=_list(map(language.string, writer.columns)), result=result, statements=statements,
        missing=f"({', '.join(map(ascii, missing_markers(schema)))},)",
        constants=constants, returned=returned, functions=functions, imports=_imports(body),
    )  # fmt: skip


def _imports(program: str) -> str:
    """The imports that a program needs."""
    needed = [
        line
        for line, names in IMPORTS.items()
        if any(name in program for name in ((names,) if isinstance(names, str) else names))
    ]
    return "\n".join([*needed, ""]) if needed else ""


def _list(items: Any) -> str:
    return f"[{', '.join(items)}]"
