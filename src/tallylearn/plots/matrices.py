"""A confusion matrix: how often every class was taken for every other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, speaking
from tallylearn.plots.checks import as_numbers, check_length
from tallylearn.plots.marks import FAINT, SIZE, extent, label, tag, tooltip
from tallylearn.plots.pictures import TOP, Plot, picture
from tallylearn.tables import Array
from tallylearn.workings.rendering import plain

MOST = 16  # rows and columns that are drawn
NAMES = 110.0  # pixels of a name
DARKEST = (86, 180, 233)  # Okabe and Ito's sky blue: black is read on it, with a contrast of 9
UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True)
class Matrix:
    """Counts, and the names of their rows and columns."""

    counts: Array  # (r, c)
    rows: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def shares(self) -> list[list[float | None]]:
        """Every count as a share of its row; none in a row of nothing."""
        totals = self.counts.sum(axis=1)
        return [
            (row / total).tolist() if total else [None] * len(row)
            for row, total in zip(self.counts, totals, strict=True)
        ]

    def abridged(self) -> Matrix:
        """The largest classes, in their order, and all others as one."""
        down, across = self.counts.sum(axis=1), self.counts.sum(axis=0)
        if self.rows == self.columns:
            down = across = down + across
        counts, rows = _gathered(self.counts, self.rows, _largest(down))
        counts, columns = _gathered(counts.T, self.columns, _largest(across))
        return Matrix(counts.T, rows, columns)

    def data(self) -> dict[str, Any]:
        counts = [[int(x) if x.is_integer() else x for x in row] for row in self.counts.tolist()]
        return {"rows": [*self.rows], "columns": [*self.columns], "counts": counts,
                "shares": self.shares}  # fmt: skip


def draw_matrix(
    counts: Any,
    rows: Sequence[Any],
    columns: Sequence[Any],
    title: str,
    row_label: str = "true",
    column_label: str = "predicted",
) -> Plot:
    """Draw a confusion matrix: every count, and its share of the row as shade and in per cent.

    Shares of the row, because a rare class that is always wrong must be seen. Of more than 16
    classes the largest 15 are drawn and the others added up, with a note; counts from 100 000 are
    rounded, and whole in the tooltip.

    Parameters
    ----------
    counts : a list of rows, of counts or of weights.
    rows, columns : the names of the classes, as they are and as they were predicted.

    Examples
    --------
    >>> plot = draw_matrix([[3, 2], [1, 8]], ["no", "yes"], ["no", "yes"], "Tennis")
    >>> plot.data["shares"][0]
    [0.6, 0.4]

    References
    ----------
    S. V. Stehman, Selecting and interpreting measures of thematic classification accuracy, Remote
    Sensing of Environment 62, 1997.
    """
    with speaking("draw_matrix"):
        whole = _read(counts, rows, columns)
    drawn = whole.abridged()
    left = 12 + (18 if row_label else 0) + _longest(drawn.rows)
    room = _longest(drawn.columns)
    cell = _cell(drawn)
    upright = room > cell  # names that are broader than their column stand on end
    top = TOP + (18 if column_label else 0) + (room + 4 if upright else 18)
    width = max(left + cell * len(drawn.columns) + 12, 240.0)
    height = top + cell * len(drawn.rows) + 12
    notes = _notes(whole, drawn)
    middle = left + cell * len(drawn.columns) / 2, top + cell * len(drawn.rows) / 2
    body = [
        *_cells(drawn, left, top, cell),
        *_row_names(drawn.rows, left, top, cell),
        *_column_names(drawn.columns, left, top, cell, upright),
        label(column_label, middle[0], TOP + 12, room=width - left, size=12, text_anchor="middle"),
        label(row_label, 16, middle[1], room=height - top, size=12, text_anchor="middle",
              transform=f"rotate(-90 16 {middle[1]:g})"),
        *(label(note, 12, height + 4 + 16 * i, room=width - 24, fill=FAINT)
          for i, note in enumerate(notes)),
    ]  # fmt: skip
    data = drawn.data() | {"row_label": str(row_label), "column_label": str(column_label)}
    return picture(title, data, body, width, height + 16 * len(notes))


def compact(count: float) -> str:
    """A count in at most five letters where that is possible.

    >>> compact(14), compact(2.5), compact(123456), compact(9999999)
    ('14', '2.5', '123k', '10M')
    """
    if count < 1e5:
        return f"{count:.0f}" if count >= 1000 or count % 1 == 0 else f"{count:.3g}"
    for unit, letter in UNITS:
        if 0.9995 * unit <= count < 999.5e12:
            return f"{float(f'{count / unit:.3g}'):g}{letter}"
    return f"{count:.1e}".replace("e+", "e")


def percent(share: float) -> str:
    """Whole per cents; what is not nothing and not all is not called so.

    >>> percent(0.6), percent(0.001), percent(0.999), percent(1.0)
    ('60 %', '<1 %', '>99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 < share < 1 else f"{100 * share:.0f} %"


def _read(counts: Any, rows: Sequence[Any], columns: Sequence[Any]) -> Matrix:
    table = as_numbers(counts, "counts", dimensions=2)
    check_length(rows, "names of rows", table.shape[0], "rows of counts")
    check_length(columns, "names of columns", table.shape[1], "columns of counts")
    if len(low := np.argwhere(table < 0)):
        i, j = low[0].tolist()
        raise OptionError(f"counts holds {table[i, j]:g} at place {(i, j)}. No count is negative.")
    return Matrix(table, tuple(map(str, rows)), tuple(map(str, columns)))


def _largest(sizes: Array) -> Array:
    most = len(sizes) if len(sizes) <= MOST else MOST - 1
    return np.sort(np.argsort(-sizes, kind="stable")[:most])


def _gathered(counts: Array, names: tuple[str, ...], kept: Array) -> tuple[Array, tuple[str, ...]]:
    if len(kept) == len(names):
        return counts, names
    rest = np.delete(counts, kept, axis=0).sum(axis=0)
    others = f"{len(names) - len(kept)} others"
    return np.vstack([counts[kept], rest]), (*(names[i] for i in kept), others)


def _notes(whole: Matrix, drawn: Matrix) -> list[str]:
    pairs = (("rows", whole.rows, drawn.rows), ("columns", whole.columns, drawn.columns))
    return [
        f"{drawn[-1]} of {len(all_)} {what} are added up."
        for what, all_, drawn in pairs
        if drawn != all_
    ]


def _longest(names: Sequence[str]) -> float:
    return min(NAMES, max(extent(plain(name)) for name in names))


def _cell(matrix: Matrix) -> float:
    widest = max(extent(compact(float(x))) for x in matrix.counts.flat)
    return max(34.0, widest + 8, min(64.0, 280 / max(len(matrix.rows), len(matrix.columns))))


def _cells(matrix: Matrix, left: float, top: float, cell: float) -> Iterator[str]:
    for i, (counts, shares) in enumerate(zip(matrix.counts.tolist(), matrix.shares, strict=True)):
        for j, (count, share) in enumerate(zip(counts, shares, strict=True)):
            about = f"{matrix.rows[i]} → {matrix.columns[j]}: {count:.12g}"
            about += "" if share is None else f" ({100 * share:.4g} % of {sum(counts):.12g})"
            yield tag("g", tooltip(about), *_one(count, share, left + j * cell, top + i * cell,
                                                 cell))  # fmt: skip


def _one(count: float, share: float | None, x: float, y: float, cell: float) -> Iterator[str]:
    shade = [255 + round((share or 0.0) * (dark - 255)) for dark in DARKEST]
    fill = "#{:02x}{:02x}{:02x}".format(*shade)
    yield tag("rect", x=x, y=y, width=cell, height=cell, fill=fill, stroke="#bbbbbb")
    middle, y = x + cell / 2, y + cell / 2
    yield label(compact(count), middle, y - 1, room=cell, text_anchor="middle")
    if share is not None:
        yield label(percent(share), middle, y + 12, room=cell, size=SIZE - 2, text_anchor="middle")


def _row_names(names: Sequence[str], left: float, top: float, cell: float) -> Iterator[str]:
    for i, name in enumerate(names):
        yield label(name, left - 6, top + (i + 0.5) * cell + 4, room=NAMES, text_anchor="end")


def _column_names(
    names: Sequence[str], left: float, top: float, cell: float, upright: bool
) -> Iterator[str]:
    for j, name in enumerate(names):
        x, y = left + (j + 0.5) * cell, top - 6
        if upright:
            turn = f"rotate(-90 {x + 4:g} {y:g})"
            yield label(name, x + 4, y, room=NAMES, transform=turn)
        else:
            yield label(name, x, y, room=cell, text_anchor="middle")
