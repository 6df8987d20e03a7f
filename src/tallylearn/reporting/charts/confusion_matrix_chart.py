"""Confusion matrix charts: counts, with shares of the row as shades."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, error_context, items_of, short_repr
from tallylearn.reporting.charts.chart_arguments import as_names, as_numbers, as_texts
from tallylearn.reporting.charts.plot import TITLE_HEIGHT, Plot, make_plot
from tallylearn.reporting.charts.svg_elements import (
    FAINT,
    FONT_SIZE,
    SHADE,
    label,
    tag,
    text_extent,
    tooltip,
    upward_rotation,
)
from tallylearn.reporting.formatting import printable_text
from tallylearn.tables import Array

MAX_CLASSES_DRAWN = 16  # rows and columns that are drawn
MAX_NAME_WIDTH = 130.0  # pixels of a name
MIN_SHEET_WIDTH = 360.0  # pixels of the sheet: a title needs them
COUNT_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True)
class CountMatrix:
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

    def abridge(self) -> CountMatrix:
        """The largest classes, in their order, and all others as one."""
        down, across = self.counts.sum(axis=1), self.counts.sum(axis=0)
        if self.rows == self.columns:
            down = across = down + across
        counts, rows = _merge_others(self.counts, self.rows, _largest_classes(down))
        counts, columns = _merge_others(counts.T, self.columns, _largest_classes(across))
        return CountMatrix(np.ascontiguousarray(counts.T), rows, columns)

    def data(self) -> dict[str, Any]:
        counts = [[int(x) if x.is_integer() else x for x in row] for row in self.counts.tolist()]
        return {"rows": [*self.rows], "columns": [*self.columns], "counts": counts,
                "shares": self.shares}  # fmt: skip


@dataclass(frozen=True)
class MatrixGrid:
    """A matrix laid out: where its first cell begins, and how large a cell is."""

    matrix: CountMatrix
    row_label: str
    column_label: str
    left: float
    top: float
    cell: float
    upright: bool  # names that are broader than their column stand on end

    @classmethod
    def of(cls, matrix: CountMatrix, row_label: str, column_label: str) -> MatrixGrid:
        k = max(len(matrix.rows), len(matrix.columns))
        widest = max(text_extent(format_compact(float(x))) for x in matrix.counts.flat)
        cell = max(34.0, widest + 8, min(80.0, 280 / k))
        left = 30 + _longest_name(matrix.rows)
        left += max(0.0, (MIN_SHEET_WIDTH - left - cell * len(matrix.columns) - 12) / 2)
        room = _longest_name(matrix.columns)
        top = TITLE_HEIGHT + 18 + (room + 4 if room > cell else 18)
        return cls(
            matrix, row_label, column_label, left=left, top=top, cell=cell, upright=room > cell
        )

    @property
    def width(self) -> float:
        return max(self.left + self.cell * len(self.matrix.columns) + 12, MIN_SHEET_WIDTH)

    @property
    def height(self) -> float:
        return self.top + self.cell * len(self.matrix.rows) + 12

    def draw(self) -> Iterator[str]:
        """The cells, the names of rows and columns, and what they are names of."""
        for i, shares in enumerate(self.matrix.shares):
            yield from (self._cell(i, j, share) for j, share in enumerate(shares))
        y = [self.top + (i + 0.5) * self.cell for i in range(len(self.matrix.rows))]
        for name, place in zip(self.matrix.rows, y, strict=True):
            yield label(name, self.left - 6, place + 4, room=MAX_NAME_WIDTH, text_anchor="end")
        x = [self.left + (j + 0.5) * self.cell for j in range(len(self.matrix.columns))]
        for name, place in zip(self.matrix.columns, x, strict=True):
            yield self._column_name(name, place, self.top - 6)
        yield label(
            self.column_label,
            (x[0] + x[-1]) / 2,
            TITLE_HEIGHT + 12,
            size=12,
            text_anchor="middle",
            room=self.cell * len(x),
        )
        edge, middle = self.left - _longest_name(self.matrix.rows) - 14, (y[0] + y[-1]) / 2
        yield label(self.row_label, edge, middle, size=12, text_anchor="middle",
                    room=self.cell * len(y), transform=upward_rotation(edge, middle))  # fmt: skip

    def _column_name(self, name: str, x: float, y: float) -> str:
        if self.upright:
            return label(name, x + 4, y, room=MAX_NAME_WIDTH, transform=upward_rotation(x + 4, y))
        return label(name, x, y, room=self.cell, text_anchor="middle")

    def _cell(self, i: int, j: int, share: float | None) -> str:
        """A count and its share, on a shade of the share."""
        count = float(self.matrix.counts[i, j])
        about = f"{self.matrix.rows[i]} → {self.matrix.columns[j]}: {count:.12g}"
        about += "" if share is None else f", {100 * share:.4g} % of the row"
        x, y = self.left + j * self.cell, self.top + i * self.cell
        middle, height = x + self.cell / 2, y + self.cell / 2
        return tag(
            "g", tooltip(about),
            tag("rect", x=x, y=y, width=self.cell, height=self.cell, stroke="#bbbbbb",
                fill=SHADE, fill_opacity=share or 0.0, **{"class": "shade"}),
            label(format_compact(count), middle, height - 1, room=self.cell, text_anchor="middle"),
            *(label(format_percent(part), middle, height + 12, room=self.cell, size=FONT_SIZE - 2,
                    text_anchor="middle") for part in [share] if part is not None),
        )  # fmt: skip


def draw_matrix(
    counts: Any,
    rows: Iterable[Any],
    columns: Iterable[Any],
    title: str,
    row_label: str = "true",
    column_label: str = "predicted",
    *,
    notes: Iterable[str] = (),
) -> Plot:
    """Draw a confusion matrix: every count, and its share of the row as shade and in per cent.

    Shares of the row, because a rare class that is always wrong must be seen. Of more than 16
    classes the largest 15 are drawn and the others added up, with a note; counts from 100 000 are
    rounded, and whole in the tooltip.

    Parameters
    ----------
    counts : a list of rows, of counts or of weights.
    rows, columns : the names of the classes, as they are and as they were predicted.
    notes : lines below the matrix, before those on classes that were added up.

    References
    ----------
    S. V. Stehman, Selecting and interpreting measures of thematic classification accuracy, Remote
    Sensing of Environment 62, 1997.

    Examples
    --------
    >>> plot = draw_matrix([[3, 2], [1, 8]], ["no", "yes"], ["no", "yes"], "Tennis")
    >>> plot.data["shares"][0]
    [0.6, 0.4]
    """
    with error_context("draw_matrix"):
        whole = _read_counts(counts, rows, columns)
        title, row_label, column_label = as_texts(title, row_label, column_label)
        if (said := items_of(notes)) is None:
            raise OptionError(f"notes is {short_repr(notes)}. Give a list of texts.")
    grid = MatrixGrid.of(whole.abridge(), row_label, column_label)
    said = [*map(str, said), *_notes(whole, grid.matrix)]
    lines = [
        label(note, 12, grid.height + 4 + 16 * i, room=grid.width - 24, fill=FAINT)
        for i, note in enumerate(said)
    ]
    data = {"chart": "matrix", "title": title, **grid.matrix.data(), "row_label": grid.row_label,
            "column_label": grid.column_label, "notes": said}  # fmt: skip
    return make_plot(title, data, [*grid.draw(), *lines], grid.width, grid.height + 16 * len(said))


def format_compact(count: float) -> str:
    """A count in at most five letters where that is possible.

    >>> format_compact(14), format_compact(2.5), format_compact(123456), format_compact(9999999)
    ('14', '2.5', '123k', '10M')
    """
    if count < 1e5:
        return f"{count:.0f}" if count >= 1000 or count % 1 == 0 else f"{count:.3g}"
    for unit, letter in COUNT_UNITS:
        if 0.9995 * unit <= count < 999.5e12:
            return f"{float(f'{count / unit:.3g}'):g}{letter}"
    return f"{count:.1e}".replace("e+", "e")


def format_percent(share: float) -> str:
    """Whole per cents; what is not nothing and not all is not called so.

    >>> format_percent(0.6), format_percent(0.001), format_percent(0.999), format_percent(1.0)
    ('60 %', '<1 %', '>99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 < share < 1 else f"{100 * share:.0f} %"


def _read_counts(counts: Any, rows: Iterable[Any], columns: Iterable[Any]) -> CountMatrix:
    table = as_numbers(counts, "counts", dimensions=2)
    down = as_names(rows, "names of rows", table.shape[0], "rows of counts")
    across = as_names(columns, "names of columns", table.shape[1], "columns of counts")
    if len(low := np.argwhere(table < 0)):
        i, j = low[0].tolist()
        raise OptionError(f"counts has {table[i, j]:g} at index {(i, j)}. Give counts from 0 up.")
    return CountMatrix(table, tuple(down), tuple(across))


def _largest_classes(sizes: Array) -> Array:
    most = len(sizes) if len(sizes) <= MAX_CLASSES_DRAWN else MAX_CLASSES_DRAWN - 1
    return np.sort(np.argsort(-sizes, kind="stable")[:most])


def _merge_others(
    counts: Array, names: tuple[str, ...], kept: Array
) -> tuple[Array, tuple[str, ...]]:
    if len(kept) == len(names):
        return counts, names
    rest = np.delete(counts, kept, axis=0).sum(axis=0)
    others = f"{len(names) - len(kept)} others"
    return np.vstack([counts[kept], rest]), (*(names[i] for i in kept), others)


def _notes(whole: CountMatrix, drawn: CountMatrix) -> list[str]:
    pairs = (("rows", whole.rows, drawn.rows), ("columns", whole.columns, drawn.columns))
    return [
        f"{drawn[-1]} of {len(all_)} {what} are added up."
        for what, all_, drawn in pairs
        if drawn != all_
    ]


def _longest_name(names: Sequence[str]) -> float:
    return min(MAX_NAME_WIDTH, max(text_extent(printable_text(name)) for name in names))
