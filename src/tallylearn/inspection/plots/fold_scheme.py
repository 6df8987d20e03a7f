"""Cross-validation schemes as pictures: which rows each split trains on and tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from tallylearn.errors import InputError, KindError, OptionError, items_of, short_repr
from tallylearn.folds import Folds
from tallylearn.folds.rows import strata_of
from tallylearn.folds.splits import Split
from tallylearn.reporting.charts import Plot
from tallylearn.reporting.charts.plot import make_plot
from tallylearn.reporting.charts.svg_elements import COLOURS, FAINT, INK, label, tag, tooltip
from tallylearn.reporting.formatting import more_note
from tallylearn.statistics.confidence_intervals import check_count
from tallylearn.tables import Array

WHO = "plot_folds"
MAX_PLOTTED_ROWS = 1000  # cells of a line
MAX_PLOTTED_SPLITS = 20  # lines
ROLES = ("train", "validation", "test", "not used")
ROLE_COLOURS = {
    "train": (COLOURS[0], 0.35), "validation": (COLOURS[5], 0.5), "test": (COLOURS[1], 0.55),
    "not used": ("none", 0.0),
}  # fmt: skip
LEFT, BAR, TOP, LINE_HEIGHT, BAR_HEIGHT = 100.0, 360.0, 44.0, 30.0, 22.0
MIN_NAMED_WIDTH = 52.0  # pixels of a run that has room for its name


class RowRun(NamedTuple):
    """Neighbouring rows with one role."""

    role: str
    start: int
    n_rows: int
    drawn: int  # how often each of them is drawn


def plot_folds(
    folds: Any, n: int, y: Any = None, *, groups: Any = None, order: Any = None, title: str = ""
) -> Plot:
    """Plot which rows each split of a cross-validation trains on, validates and tests.

    Parameters
    ----------
    folds : Folds, int or list of pairs
        The scheme; k for k folds; or pairs of the numbers of training and test rows.
    n : int
        Number of rows, at most 1000.
    y : array-like of shape (n,), optional
        The class of each row, which stratified folds spread evenly and the picture shows.
    groups : array-like of shape (n,), optional
        The group of each row; a group stays together.
    order : array-like of shape (n,), optional
        The time of each row, for ``Folds.forward``.
    title : str, optional
        The title.

    Returns
    -------
    Plot
        The picture. ``data["splits"]`` has the numbers of the rows of each split.

    Examples
    --------
    >>> import tallylearn as tl
    >>> plot = tl.plot_folds(tl.Folds.k(3, stratified=False), 6)
    >>> [split["test"] for split in plot.data["splits"]]
    [[3, 5], [1, 2], [0, 4]]
    """
    check_count(WHO, "n", n, 1)
    n = int(n)
    if n > MAX_PLOTTED_ROWS:
        raise InputError(
            f"{WHO}: n is {n:,}. A picture shows at most {MAX_PLOTTED_ROWS:,} rows. Give fewer."
        )
    splits = _read_splits(folds, n, y, groups, order)
    shown = splits[:MAX_PLOTTED_SPLITS]
    body: list[str] = []
    top = TOP
    if y is not None:
        body += _class_line([*np.asarray(y).tolist()], top)
        top += LINE_HEIGHT
    for number, split in enumerate(shown, start=1):
        body += _split_line(f"split {number}", _runs(split, n), n, top)
        top += LINE_HEIGHT
    if more := len(splits) - len(shown):
        body.append(label(more_note(more, "splits"), LEFT, top + 14, room=BAR, fill=FAINT))
        top += 22
    body += _legend({run.role for split in shown for run in _runs(split, n)}, top)
    data = {"rows": n, "splits": [_split_data(split) for split in splits]}
    return make_plot(title or _title(folds, len(splits)), data, body, 480, top + 34)


def _read_splits(folds: Any, n: int, y: Any, groups: Any, order: Any) -> list[Split]:
    for name, values in (("y", y), ("groups", groups), ("order", order)):
        found = None if values is None else items_of(values)
        if values is not None and (found is None or len(found) != n):
            raise InputError(
                f"{WHO}: {name} is {short_repr(values)}, but n is {n}. Give one value per row."
            )
    if isinstance(folds, int) and not isinstance(folds, bool):
        folds = Folds.k(folds)
    if isinstance(folds, Folds):
        strata = strata_of(y) if folds.stratified and y is not None else None
        return [*folds.splits(n, strata, groups, order)]
    pairs = items_of(folds)
    if not pairs:
        raise KindError(
            f"{WHO}: folds is {short_repr(folds)}. Give tl.Folds.k(5), a number of folds, or a "
            "list of pairs (training rows, test rows)."
        )
    return [_read_pair(pair, n) for pair in pairs]


def _read_pair(pair: Any, n: int) -> Split:
    try:
        train, test = (np.asarray(rows, dtype=np.int64) for rows in pair)
    except (TypeError, ValueError, OverflowError):
        raise KindError(
            f"{WHO}: a split is {short_repr(pair)}. Give a pair (training rows, test rows) of row "
            "numbers."
        ) from None
    for rows in (train, test):
        if rows.ndim != 1 or (len(rows) and (rows.min() < 0 or rows.max() >= n)):
            raise OptionError(
                f"{WHO}: a split has the rows {short_repr(rows.tolist())}. Give row numbers from 0 "
                f"to {n - 1}."
            )
    return Split(train, test)


def _runs(split: Split, n: int) -> list[RowRun]:
    """The rows in order, neighbours of one role together."""
    drawn = np.bincount(split.train, minlength=n)
    roles = np.where(drawn > 0, 0, 3)
    if split.validation is not None:
        roles[split.validation] = 1
    roles[split.test] = 2
    found, start = [], 0
    for (role, times), rows in groupby(zip(roles.tolist(), drawn.tolist(), strict=True)):
        count = sum(1 for _ in rows)
        found.append(RowRun(ROLES[role], start, count, times if role == 0 else 1))
        start += count
    return found


def _split_line(name: str, runs: Sequence[RowRun], n: int, top: float) -> Iterator[str]:
    yield label(name, LEFT - 8, top + 15, room=84, size=12, text_anchor="end")
    named = all(BAR * run.n_rows / n > MIN_NAMED_WIDTH for run in runs)
    for run in runs:
        x, width = LEFT + BAR * run.start / n, BAR * run.n_rows / n
        colour, opacity = ROLE_COLOURS[run.role]
        last = run.start + run.n_rows - 1
        rows = f"row {run.start}" if run.n_rows == 1 else f"rows {run.start} to {last}"
        times = f", drawn {run.drawn} times" if run.drawn > 1 else ""
        yield tag(
            "rect", tooltip(f"{name}, {rows}: {run.role}{times}"), x=x, y=top, width=width,
            height=BAR_HEIGHT, fill=colour, fill_opacity=min(opacity * run.drawn, 1.0), stroke=INK,
            stroke_width=0.6,
        )  # fmt: skip
        if named:
            yield label(run.role, x + width / 2, top + 15, room=width, size=12,
                        text_anchor="middle")  # fmt: skip


def _class_line(classes: list[Any], top: float) -> Iterator[str]:
    """The class of every row: the letters and colours of the classes."""
    yield label("class", LEFT - 8, top + 15, room=84, size=12, text_anchor="end")
    names = sorted({*map(str, classes)})
    width, start = BAR / len(classes), 0
    for value, rows in groupby(map(str, classes)):
        count = sum(1 for _ in rows)
        x = LEFT + width * start
        yield tag(
            "rect", tooltip(f"class {value}"), x=x, y=top, width=width * count, height=BAR_HEIGHT,
            fill=COLOURS[2], fill_opacity=0.75 * names.index(value) / max(len(names) - 1, 1),
            stroke=INK, stroke_width=0.6,
        )  # fmt: skip
        if width * count > 12:
            yield label(value, x + width * count / 2, top + 15, room=width * count, size=12,
                        text_anchor="middle")  # fmt: skip
        start += count


def _legend(roles: set[str], top: float) -> Iterator[str]:
    for at, role in enumerate(role for role in ROLES if role in roles):
        colour, opacity = ROLE_COLOURS[role]
        x = LEFT + 112 * at
        yield tag("rect", x=x, y=top + 4, width=14, height=14, fill=colour, fill_opacity=opacity,
                  stroke=INK)  # fmt: skip
        text = role if role == "not used" else f"{role} rows"
        yield label(text, x + 19, top + 16, room=92, size=11)


def _split_data(split: Split) -> dict[str, list[int]]:
    parts: dict[str, Array | None] = {
        "train": split.train, "validation": split.validation, "test": split.test,
    }  # fmt: skip
    return {name: rows.tolist() for name, rows in parts.items() if rows is not None}


def _title(folds: Any, count: int) -> str:
    scheme = folds.scheme if isinstance(folds, Folds) else "k" if isinstance(folds, int) else ""
    return {
        "k": f"{count} folds: each row is tested once",
        "leave_one_out": "Leave one out: as many folds as rows",
        "holdout": "Hold-out: one training and one test part",
        "three": "Training, validation and test rows",
        "bootstrap": "Bootstrap: tested on the rows that were not drawn",
        "forward": "Time series: trained on the past",
    }.get(scheme, f"{count} splits")
