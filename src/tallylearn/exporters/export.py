"""``tl.export``: a fitted model as a program or a document."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tallylearn.errors import KindError, OptionError, error_context, is_one_of, quoted_list
from tallylearn.estimators.estimator import Estimator
from tallylearn.exporters.javascript import javascript_source, node_module
from tallylearn.exporters.python import python_source
from tallylearn.reporting.formatting import plain_data

Printer = Callable[[Any], str]
JSON_FORMAT = "tallylearn-expression-1"


def export(model: Any, to: str) -> str:
    """Export a fitted model as a program that needs no tallylearn.

    Parameters
    ----------
    model : estimator
        A fitted classifier, regressor or clustering, or a ``Pipeline`` that ends in one.
    to : str
        ``"javascript"``: a function ``predict(row)`` for Node and for pages. ``"python"``: a
        module with ``predict(row)``. ``"rules"``: the leaves of a tree as rules, with support,
        share and interval. ``"json"``: the decision function as plain data.

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
        return PRINTERS[to](model)


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
    "rules": _rules,
    "json": _json,
}
