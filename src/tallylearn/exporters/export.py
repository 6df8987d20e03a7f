"""``tl.export``: a fitted model as a program or a document."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tallylearn.errors import KindError, OptionError, error_context, is_one_of, quoted_list
from tallylearn.estimators.estimator import Estimator
from tallylearn.exporters.javascript import javascript_source, node_module
from tallylearn.exporters.python import python_source
from tallylearn.exporters.sql import sql_query
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.formatting import plain_data

Printer = Callable[..., str]
JSON_FORMAT = "tallylearn-expression-1"


def export(
    model: Any,
    to: str,
    *,
    dialect: str | None = None,
    table: str | None = None,
    columns: Sequence[str] | None = None,
) -> str:
    """Export a fitted model as a program that needs no tallylearn.

    Parameters
    ----------
    model : estimator
        A fitted classifier, regressor or clustering, or a ``Pipeline`` that ends in one.
    to : str
        ``"javascript"``: a function ``predict(row)`` for Node and for pages. ``"python"``: a
        module with ``predict(row)``. ``"sql"``: a query that predicts all rows of a table.
        ``"rules"``: the leaves of a tree as rules, with support, share and interval.
        ``"json"``: the decision function as plain data.
    dialect : str, optional
        Of SQL: ``"duckdb"`` (the default), ``"postgres"``, ``"sqlite"``, ``"spark"``,
        ``"bigquery"`` or ``"snowflake"``.
    table : str, optional
        The table or view that the query reads, ``"rows"`` unless given.
    columns : sequence of str, optional
        The columns of the table that the result of the query repeats, such as a key. All columns
        that the model reads, unless given.

    Returns
    -------
    str
        The program. It predicts the classes of the model outside its tie tolerance, and
        probabilities and numbers to 1e-12.

    Raises
    ------
    KindError
        If the model has no decision function as an expression, or has a part that the format
        cannot hold. The message names it.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.NaiveBayes().fit(tl.example("tennis"))
    >>> text = tl.export(model, "javascript")
    >>> print(text.splitlines()[0])
    // predict(row) takes an object with the columns ["Outlook", "Temperature", "Humidity", "Wind"].
    """
    with error_context("export"):
        if not is_one_of(to, PRINTERS):
            raise OptionError(f"to is {to!r}. Use one of {quoted_list(PRINTERS)}.")
        if not isinstance(model, Estimator):
            raise KindError(
                f"{type(model).__name__} is not an estimator of tallylearn. Pass one, such as a "
                "fitted tl.LogisticRegression()."
            )
        model._check_fitted()
        options = {"dialect": dialect, "table": table, "columns": columns}
        given = {name: value for name, value in options.items() if value is not None}
        if given and to != "sql":
            raise OptionError(f'{next(iter(given))} is an option of to="sql". Leave it out.')
        return PRINTERS[to](model, **given)


def expression_of(model: Any) -> Any:
    """The decision function of an estimator; a KindError names what has none."""
    if not getattr(model, "predicts", False):
        raise KindError(
            f"{type(model).__name__} does not predict, so it has no decision function. Export a "
            "Pipeline that ends in a classifier or a regressor."
        )
    return model.model_.expression(model.schema_)


def _javascript(model: Any) -> str:
    return node_module(javascript_source(expression_of(model), model.schema_))


def _python(model: Any) -> str:
    return python_source(expression_of(model), model.schema_)


def _sql(model: Any, columns: Sequence[str] = (), **options: str) -> str:
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    tree = isinstance(getattr(model, "model_", None), Tree)
    found = model.rules() if tree and not model.model_.fractional else None
    rules = [] if found is None else [
        (node, rule.condition) for rule in (*found.rules, *found.ends) for node in rule.nodes
    ]  # fmt: skip
    return sql_query(expression_of(model), model.schema_, columns=names, rules=rules, **options)


def _rules(model: Any) -> str:
    if not hasattr(model, "rules"):
        raise KindError(
            f"{type(model).__name__} has no rules. Export a decision tree, or use to='json'."
        )
    return f"{model.rules().text()}\n"


def _json(model: Any) -> str:
    columns = [{"name": c.name, "kind": c.kind} for c in model.schema_.columns]
    found = {
        "format": JSON_FORMAT,
        "learner": model.constructor_call(),
        "target": getattr(model, "target_name_", None),
        "columns": columns,
        "expression": expression_of(model).to_dict(),
    }
    return json.dumps(plain_data(found), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


PRINTERS: dict[str, Printer] = {
    "javascript": _javascript,
    "python": _python,
    "sql": _sql,
    "rules": _rules,
    "json": _json,
}
