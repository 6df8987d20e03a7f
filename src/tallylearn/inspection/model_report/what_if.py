"""The what-if form of a report: a model as a program, and an input for every column."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tallylearn.errors import KindError
from tallylearn.exporters.export import expression_of
from tallylearn.exporters.javascript import javascript_source
from tallylearn.expressions import (
    CategoryColumn,
    CategoryIndicator,
    CategoryLookup,
    CategorySplit,
    DistanceMetric,
    Expression,
    FilledCategory,
    NeighborMean,
    NeighborVotes,
    PooledIndicator,
    TreeSplits,
    children_of,
)
from tallylearn.preprocessing.pipeline import Pipeline
from tallylearn.tables import DATE, NUMBER, Column

MAX_PROGRAM = 500_000  # characters of a program that a page carries
COLUMNS = re.compile(r"^predict\.columns = (.*);$", re.MULTILINE)
Found = Mapping[str, Any]


def what_if(model: Any, description: Found, include_rows: bool = False) -> dict[str, Any]:
    """The program and the inputs of a form, or the reason why there is none.

    Parameters
    ----------
    model : Estimator
        The fitted model.
    description : mapping
        The description of the table: its medians and most frequent values fill the form.
    include_rows : bool, default False
        Whether the page may contain training rows, as nearest neighbours do.

    Returns
    -------
    dict
        ``program``, ``inputs`` and ``classes``; or ``reason``.
    """
    try:
        expression = expression_of(model)
        program = javascript_source(expression, model.schema_, name="model")
    except KindError as error:
        return {"reason": f"This model does not run in a page: {error}"}
    nodes = list(_nodes(expression))
    if not include_rows and _holds_rows(model, nodes):
        return {
            "reason": "This model predicts from its training rows, and this page contains no rows. "
            "To include them, and the form: include_rows=True, or --include-rows of the command."
        }
    if len(program) > MAX_PROGRAM:
        return {
            "reason": f"The model is too large for a page: it has {len(program):,} characters as "
            f"a program, and a page holds {MAX_PROGRAM:,}. Use explain() or tally explain instead."
        }
    used = COLUMNS.search(program)
    names = json.loads(used[1]) if used else []
    schema = {column.name: column for column in model.schema_.columns}
    figures = {column["name"]: column for column in description["columns"]}
    values = category_values(nodes)
    inputs = [
        _input(name, schema.get(name), figures.get(name, {}), sorted(values[name]))
        for name in names
    ]
    classes = [str(value) for value in getattr(expression, "classes", ())]
    return {"program": program, "inputs": inputs, "classes": classes}


def _input(name: str, column: Column | None, figures: Found, known: list[str]) -> dict[str, Any]:
    """An input, with the value that it has at first: the median, or the most frequent value."""
    top = [one["value"] for one in figures.get("top") or ()]
    kind = DATE if column is None else column.kind  # a date is stored by its parts
    found: dict[str, Any] = {"name": name, "kind": kind}
    if kind == NUMBER:
        ends = {part: figures.get(part) for part in ("min", "max")}
        return (
            found | ends | {"value": _round_number(figures.get("median"), [*ends.values(), *top])}
        )
    if kind == DATE:
        dates = figures.get("dates") or {}
        return (
            found
            | {part: dates.get(part) for part in ("min", "max")}
            | {"value": str(dates.get("median") or "")[:10] or None}
        )
    choices = list(dict.fromkeys([*known, *map(str, top)])) if known else []
    return found | {"choices": choices, "value": str(top[0]) if top else None}


def _round_number(median: Any, others: list[Any]) -> float | None:
    """A median with few digits; a whole number where the column has whole numbers."""
    if not isinstance(median, int | float):
        return None
    if all(isinstance(x, int | float) and float(x).is_integer() for x in others):
        return float(median // 1)
    return float(f"{median:.6g}")


def _nodes(expression: Expression) -> Iterator[Expression]:
    """Every node of an expression, shared ones once."""
    waiting, seen = [expression], set()
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            waiting.extend(children_of(node))
            yield node


def _holds_rows(model: Any, nodes: Iterable[Expression]) -> bool:
    """Whether a model contains training rows: neighbours or medoids."""
    last = model.last if isinstance(model, Pipeline) else model
    medoids = getattr(last, "exemplar", None) == "medoid"
    return medoids or any(isinstance(node, NeighborVotes | NeighborMean) for node in nodes)


def category_values(nodes: Iterable[Expression]) -> defaultdict[str, set[str]]:
    """The categories of every column that the nodes of an expression distinguish."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for node in nodes:
        for operand, values in _named_values(node):
            while isinstance(operand, FilledCategory):
                operand = operand.operand
            if isinstance(operand, CategoryColumn):
                found[operand.name].update(value for value in values if value is not None)
    return found


def _named_values(node: Expression) -> Iterator[tuple[Expression, Any]]:
    """The categories that a node names, with the node that gives the category."""
    match node:
        case CategoryIndicator(operand=operand, value=value):
            yield operand, (value,)
        case CategoryLookup(operand=operand, values=values):
            yield operand, values
        case PooledIndicator(operand=operand, known=known):
            yield operand, known
        case TreeSplits(nodes=nodes):
            for split in nodes:
                if isinstance(split, CategorySplit):
                    yield split.operand, split.values
        case DistanceMetric(categories=categories, known=sets):
            yield from zip(categories, sets, strict=False)
