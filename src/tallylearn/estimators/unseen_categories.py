"""Unseen categories: values without training rows, often misspelled; predictions ignore them."""

from __future__ import annotations

from dataclasses import replace

from tallylearn.errors import quoted_list, short_repr
from tallylearn.estimators.model import Model
from tallylearn.tables import Block
from tallylearn.workings import Evidence


def unseen_values(model: Model, block: Block) -> list[list[str]]:
    """What is to be said of every row's values that the model does not know."""
    notes: list[list[str]] = [[] for _ in range(len(block))]
    for name, values in model.known.items():
        if name not in block.codes:
            continue
        codes = block.codes[name]
        for row in (codes.among(values) == -2).nonzero()[0].tolist():
            value = short_repr(codes.values[codes.codes[row]])
            notes[row].append(f"{name} = {value} was never seen; seen were {quoted_list(values)}.")
    return notes


def note_unseen(found: list[Evidence], model: Model, block: Block) -> list[Evidence]:
    """Evidence that names the values it knows nothing of."""
    pairs = zip(found, unseen_values(model, block), strict=True)
    return [replace(row, notes=(*row.notes, *notes)) if notes else row for row, notes in pairs]
