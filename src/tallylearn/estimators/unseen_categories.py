"""Unseen categories: values without training rows, often misspelled; predictions ignore them."""

from __future__ import annotations

from dataclasses import replace

from tallylearn.errors import quoted_list, short_repr
from tallylearn.estimators.model import Model
from tallylearn.tables import Block
from tallylearn.workings import Evidence


def unseen_values(model: Model, block: Block) -> list[list[str]]:
    """For every row a sentence about each of its categories that has no training row."""
    notes: list[list[str]] = [[] for _ in range(len(block))]
    for name, values in model.category_values.items():
        if name not in block.codes:
            continue
        codes = block.codes[name]
        for row in (codes.recode(values) == -2).nonzero()[0].tolist():
            value = short_repr(codes.values[codes.codes[row]])
            notes[row].append(
                f"{name} = {value} was never seen; known values are {quoted_list(values)}."
            )
    return notes


def note_unseen(found: list[Evidence], model: Model, block: Block) -> list[Evidence]:
    """The evidence, with notes on categories that have no training row."""
    pairs = zip(found, unseen_values(model, block), strict=True)
    return [replace(row, notes=(*row.notes, *notes)) if notes else row for row, notes in pairs]
