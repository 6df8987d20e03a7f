"""A few lines that show what a fitted model does: its rules, coefficients or importances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.preprocessing.pipeline import Pipeline
from tallylearn.reporting.formatting import (
    TEXT_WIDTH,
    format_column,
    pad_texts,
    printable_text,
    text_width,
    wrap_text,
)
from tallylearn.tables import Array, Block

MAX_CLASSES = 4  # columns of coefficients that fit beside each other
MAX_NAME = 36  # characters of a coefficient's name


@dataclass(frozen=True)
class ShortView:
    """Lines of a model, at most 80 columns wide."""

    lines: tuple[str, ...]
    left_out: int = 0  # lines, coefficients or columns that are not shown
    what: str = "lines"


def short_view(model: Any, rows: Block | None, most: int) -> ShortView:
    """The upper levels of a tree, the largest coefficients, or the most important columns.

    Parameters
    ----------
    model : Estimator
        A fitted model.
    rows : Block or None
        Training rows. Coefficients are sorted by their size times the standard deviation in them.
    most : int
        The number of lines.
    """
    if isinstance(model, Pipeline):
        model = model.last
    if hasattr(model, "tree_"):
        return _outline(str(model), most)
    if hasattr(model, "coef_") and hasattr(model, "intercept_"):
        return _coefficients(model, rows, most)
    if getattr(model, "feature_importances_", None) is not None:
        return _importances(model, most)
    work = str(model.show_work()).split("\n\n")
    return _outline("\n".join(work[1:]), most)  # without its title


def _outline(text: str, most: int) -> ShortView:
    lines = [wrapped for line in text.splitlines() for wrapped in _fold(line)]
    return ShortView(tuple(lines[:most]), max(len(lines) - most, 0))


def _fold(line: str) -> list[str]:
    """A line of the outline in lines of 80 columns, or cut where it has no place to break."""
    text = printable_text(line) if line.strip() else ""
    if text_width(text) <= TEXT_WIDTH:
        return [text]
    if text[0] in "├└│":  # the branch of a tree
        return [text[: TEXT_WIDTH - 1] + "…"]
    return wrap_text(text).splitlines()


def coefficients(model: Any) -> tuple[tuple[str, ...], Array]:
    """The names of the coefficients of a linear model, and (k, p) the coefficients."""
    names = getattr(model, "coef_names_", None)
    if names is None:
        design = model.model_.design
        names = tuple(design.names[j] for j in design.order(model.schema_))
    return tuple(names), np.atleast_2d(np.asarray(model.coef_))


def _coefficients(model: Any, rows: Block | None, most: int) -> ShortView:
    names, values = coefficients(model)
    spread = _spreads(model, names, rows)
    size = np.abs(values).max(axis=0) * (1.0 if spread is None else spread)
    kept = np.flatnonzero(np.abs(values).max(axis=0) > 0)
    order = kept[np.argsort(-size[kept], kind="stable")][: most - 1]
    heads = _coefficient_heads(model, len(values))[:MAX_CLASSES]
    columns = [[_shorten(names[j]) for j in order]]
    columns += [format_column([row[j] for j in order]) for row in values[: len(heads)]]
    if spread is not None and len(values) == 1:
        heads = [*heads, "coef · std dev"]
        columns.append(format_column([values[0, j] * spread[j] for j in order]))
    sides = [pad_texts(["", *columns[0]], left=True)]
    sides += [pad_texts([head, *cells]) for head, cells in zip(heads, columns[1:], strict=True)]
    lines = ["  ".join(cells).rstrip() for cells in zip(*sides, strict=True)]
    return ShortView(tuple(lines), len(kept) - len(order), "coefficients")


def _coefficient_heads(model: Any, k: int) -> list[str]:
    """The heading over the coefficients: of two classes the second's, of more every class."""
    if getattr(model, "task", None) != "classifier":
        return ["coef"]
    classes = [_shorten(str(name), 14) for name in model.classes_.tolist()]
    return [f"coef ({classes[-1]})"] if k == 1 else classes


def _spreads(model: Any, names: Sequence[str], rows: Block | None) -> Array | None:
    """(p,) the standard deviation of every coefficient's column; None where there are words."""
    design = model.model_.design
    if rows is None or len(names) != len(design.names):
        return None
    with np.errstate(all="ignore"):
        matrix = design.matrix(rows)[:, design.order(model.schema_)]
        centred = matrix - np.nanmean(matrix, axis=0)
        found = np.sqrt(np.nanmean(centred**2, axis=0))
    return found if np.isfinite(found).all() else None


def _importances(model: Any, most: int) -> ShortView:
    values = np.asarray(model.feature_importances_)
    order = np.argsort(-values, kind="stable")[: most - 1]
    order = order[values[order] > 0]
    names = pad_texts(["", *(_shorten(str(model.feature_names_in_[j])) for j in order)], left=True)
    cells = pad_texts(["importance", *(f"{values[j]:.3f}" for j in order)])
    lines = [f"{name}  {cell}" for name, cell in zip(names, cells, strict=True)]
    return ShortView(tuple(lines), int((values > 0).sum()) - len(order), "columns")


def _shorten(text: str, most: int = MAX_NAME) -> str:
    text = printable_text(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"
