"""Models as JavaScript: one expression without dependencies, for Node and for pages."""

from __future__ import annotations

import json
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

SAFE_INTEGER = 2**53 - 1  # the largest integer that JavaScript's numbers are exact up to
PROGRAM = """\
// predict(row) takes an object with the columns {columns}.
// A missing value is null. {result}
const {name} = (() => {{
"use strict";
const MISSING = {missing};
{constants}
{functions}
function predict(row) {{
{statements}
  return {{ {returned} }};
}}
predict.columns = {columns};
{classes}return predict;
}})();
"""


class JavaScript(Language):
    """The syntax of JavaScript."""

    runtime: ClassVar[str] = "predict.js"
    sections: ClassVar[str] = r"^function (?P<name>\w+)"
    names: ClassVar[dict[str, str]] = {
        **{name: f"Math.{name}" for name in ("exp", "log", "log2", "log10", "log1p", "expm1")},
        **{name: f"Math.{name}" for name in ("sqrt", "abs", "sin", "cos", "tan")},
        "power": "Math.pow",
        "has_no_value": "isMissing",
        "index": "Math.trunc",
    }

    def call(self, function: str, *arguments: str) -> str:
        first, *rest = self.names.get(function, function).split("_")
        return f"{first}{''.join(map(str.capitalize, rest))}({', '.join(arguments)})"

    def read(self, column: Column | None, name: str, part: str) -> tuple[str, list[str]]:
        arguments = ["row", self.string(name)]
        if part:
            of_number = part in ("year", "day")
            return "part_number" if of_number else "date_part", [*arguments, self.string(part)]
        return column_reader(column), arguments

    def number(self, value: float) -> str:
        if math.isnan(value):
            return "NaN"
        return repr(value) if math.isfinite(value) else repr(value).replace("inf", "Infinity")

    def string(self, value: str | None) -> str:
        return json.dumps(value).replace("<", "\\u003c")  # </script> ends a page's script

    def constant(self, kind: str, name: str, value: Any) -> tuple[str, str]:
        return f"const {name} = {self._constant(kind, value)};", name

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
                return _list(f"new Set({self._constant('strings', row)})" for row in value)
            case "lookup":
                pairs = zip(*value, strict=True)
                return (
                    f"new Map({_list(f'[{self.string(a)}, {self.number(b)}]' for a, b in pairs)})"
                )
        return _list(map(self._node, value))

    def _node(self, node: tuple[Any, ...] | None) -> str:
        if node is None:
            return "null"
        return _list(
            self._constant("lookup", one) if isinstance(one, tuple) else self.number(one)
            for one in node
        )

    def scalar(self, kind: str, name: str, text: str) -> str:
        return f"const {name} = {text};"

    def vector(self, name: str, size: int, function: str, arguments: Sequence[str]) -> str:
        if function == "entry":
            return f"const {name} = {arguments[0]}[{arguments[1]}];"
        return f"const {name} = {self.call(function, *arguments)};"

    def literal_vector(self, name: str, items: Sequence[str], kind: str) -> str:
        return f"const {name} = {_list(items)};"

    def item(self, constant: str, at: str) -> str:
        return f"{constant}[{at}]"

    def condition(self, test: str, then: str, otherwise: str) -> str:
        return f"({test} ? {then} : {otherwise})"


def javascript_source(expression: ModelExpression, schema: Schema, name: str = "predict") -> str:
    """A function ``predict(row)`` in JavaScript, for Node or a page.

    The text declares one constant and contains no ``</script>``, so that a page can embed it.

    Parameters
    ----------
    expression : ModelExpression
        A model's decision function: ``estimator.model_.expression(estimator.schema_)``.
    schema : Schema
        The columns of its table.
    name : str
        The name of the constant.

    Returns
    -------
    str
        ``predict(row)`` returns ``{class, probabilities}`` of a classifier, where the class is null
        if a tie has none; ``{value}`` of a regressor, a list with several targets; ``{cluster}``
        of a clustering. ``predict.classes`` are the classes, in the order of the probabilities,
        and ``predict.columns`` the columns that it reads.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.LinearRegression(exact=True).fit({"x": [0.0, 2.0], "y": [1.0, 5.0]}, "y")
    >>> text = javascript_source(model.model_.expression(model.schema_), model.schema_)
    >>> print(text[text.index("function predict") :])
    function predict(row) {
      const x_x = number(row, "x");
      return { value: 3.0 + 2.0 * (fill(x_x, 1.0) - 1.0) };
    }
    predict.columns = ["x"];
    return predict;
    })();
    <BLANKLINE>
    """
    language = JavaScript()
    writer = CodeWriter(language, schema)
    classes = ""
    if isinstance(expression, ClassifierExpression):
        chosen, shares = writer.texts([expression.choice, expression.probabilities])
        labels = _list(map(_label, expression.classes))
        writer.constants.append(f"const CLASSES = {labels};")
        returned = f"class: {chosen} < 0 ? null : CLASSES[{chosen}], probabilities: {shares}"
        result = "It returns {class, probabilities}; predict.classes has the order."
        classes = "predict.classes = CLASSES;\n"
    elif isinstance(expression, ClusterExpression):
        (chosen,) = writer.texts([expression.choice])
        returned, result = f"cluster: {chosen}", "It returns {cluster}."
    else:
        values = writer.texts(expression.values)
        returned = f"value: {values[0] if len(values) == 1 else _list(values)}"
        result = "It returns {value}."
    columns = _list(map(language.string, writer.columns))
    statements = "\n".join(f"  {line}" for line in writer.statements)
    program = PROGRAM.format(
        name=name, columns=columns, result=result, classes=classes, statements=statements,
        missing=_list(map(_label, missing_markers(schema))),
        constants="\n".join(writer.constants), returned=returned,
        functions=runtime_functions(language, statements + returned),
    )  # fmt: skip
    return "\n".join(line for line in program.splitlines() if line) + "\n"


def node_module(source: str, name: str = "predict") -> str:
    """The same as a module that Node loads by ``require``."""
    return f'{source}if (typeof module !== "undefined") module.exports = {{ {name} }};\n'


def _label(label: Any) -> str:
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, int) and abs(label) > SAFE_INTEGER:
        return f"{label}n"
    return JavaScript().string(label) if isinstance(label, str) else JavaScript().number(label)


def _list(items: Any) -> str:
    return f"[{', '.join(items)}]"
