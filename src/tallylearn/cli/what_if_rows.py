"""``tally explain --what-if``: the prediction of a row with other values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallylearn.workings import Grid


def what_if_of(estimator: Any, table: Any, changes: tuple[str, ...]) -> Grid:
    """The predictions of a row and of the row with other values, given as column=value."""
    from dataclasses import replace

    import numpy as np

    from tallylearn.cli.typed_rows import table_of
    from tallylearn.errors import InputError
    from tallylearn.reporting.formatting import format_number
    from tallylearn.sources import Table
    from tallylearn.sources.declarations import declaration
    from tallylearn.tables import Codes
    from tallylearn.workings import Grid

    old = [block for block in estimator._read_blocks(table) if len(block)]
    if sum(map(len, old)) != 1:
        raise InputError("--what-if changes one row. Give one --row.")
    (before,) = old
    (given,) = table_of([",".join(changes)], estimator.schema_).blocks()
    named = [text.partition("=")[0].strip() for text in changes]
    numbers, codes, text = before.numbers.copy(), dict(before.codes), dict(before.text)
    for name in (c.name for c in estimator.schema_.columns):
        if not any(name == one or name.startswith(f"{one}.") for one in named):
            continue
        if name in before.schema.places:
            at = before.schema.places[name]
            numbers[:, at] = given.numbers[:, given.schema.places[name]]
        elif name in codes:
            codes[name] = Codes.of(given.codes[name].items(), codes[name].declared)
        elif name in text:
            text[name] = given.text[name]
    after = replace(before, numbers=numbers, codes=codes, text=text)
    tables = [Table(block, None, None, declaration()) for block in (before, after)]
    heads = ["the row", "with " + ", ".join(changes)]
    predicted = [estimator.predict(one)[0] for one in tables]
    if estimator.task != "classifier":
        rows = [(head, format_number(float(y))) for head, y in zip(heads, predicted, strict=True)]
        return Grid("", ("", "prediction"), tuple(rows))
    shares = [np.asarray(estimator.predict_proba(one))[0] for one in tables]
    columns = [str(name) for name in estimator.classes_.tolist()]
    rows_of = [
        (head, str(y), *(f"{100 * share:.1f} %" for share in row.tolist()))
        for head, y, row in zip(heads, predicted, shares, strict=True)
    ]
    return Grid("", ("", "prediction", *columns), tuple(rows_of))
