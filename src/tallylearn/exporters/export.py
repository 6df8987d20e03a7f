"""``tl.export``: a fitted model as a program or a document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tallylearn.errors import KindError, OptionError, error_context, is_one_of, quoted_list
from tallylearn.estimators.estimator import Estimator
from tallylearn.exporters.javascript import javascript_source, node_module
from tallylearn.exporters.python import python_source

Printer = Callable[[Any], str]


def export(model: Any, to: str) -> str:
    """Export a fitted model as a program that needs no tallylearn.

    Parameters
    ----------
    model : estimator
        A fitted classifier, regressor or clustering, or a ``Pipeline`` that ends in one.
    to : str
        ``"javascript"``: a function ``predict(row)`` for Node and for pages. ``"python"``: a
        module with ``predict(row)``.

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
            raise KindError(f"{type(model).__name__} is no estimator of tallylearn. Pass one.")
        model._check_fitted()
        return PRINTERS[to](model)


def expression_of(model: Any) -> Any:
    """The decision function of an estimator; a KindError names what has none."""
    if not getattr(model, "predicts", False):
        raise KindError(
            f"{type(model).__name__} predicts nothing, so it has no decision function. Export a "
            "Pipeline that ends in a classifier or a regressor."
        )
    return model.model_.expression(model.schema_)


def _javascript(model: Any) -> str:
    return node_module(javascript_source(expression_of(model), model.schema_))


def _python(model: Any) -> str:
    return python_source(expression_of(model), model.schema_)


PRINTERS: dict[str, Printer] = {"javascript": _javascript, "python": _python}
