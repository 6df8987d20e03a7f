"""Files of statistics programs: SAS, Stata and SPSS, with the labels of their values.

A column whose values all have labels is one of those labels; a column in which some numbers have
labels (99: refused) keeps its numbers. An empty text is missing: these programs have no other gap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from tallylearn.errors import FileError, TallyError
from tallylearn.sources.arrow.batches import regroup
from tallylearn.sources.files.compression import START
from tallylearn.sources.files.parts import columns_to_read
from tallylearn.tables import RUN

_SAS = bytes(12) + b"\xc2\xea\x81\x60"
_SIGNS = {
    b"$FL2": "read_sav",
    b"$FL3": "read_sav",
    b"<stata_dta>": "read_dta",
    b"HEADER RECORD*******LIB": "read_xport",
    _SAS: "read_sas7bdat",
}
_BY_ENDING = {
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
    ".dta": "read_dta",
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
}
ENDINGS = tuple(_BY_ENDING)


def has_signature(start: bytes) -> bool:
    """Whether a file says by its first bytes that it is one of these."""
    return start.startswith(tuple(_SIGNS))


class StatisticsFile:
    """One file, read a million rows at a time."""

    start: ClassVar[int] = 0  # a position: the file has no lines

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return StatisticsFile, (self.path,)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._about.column_names)

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Tables of 65 536 rows."""
        return regroup(self._batches(columns_to_read(self.path, self.names, columns)))

    def _batches(self, wanted: Sequence[str]) -> Iterator[Any]:
        import pyarrow as pa

        for cells in self._chunks(wanted):
            arrays = [_column(cells[name], self._labels.get(name)) for name in wanted]
            yield from pa.table(arrays, names=list(wanted)).to_batches()

    def _chunks(self, wanted: Sequence[str]) -> Iterator[Mapping[str, list[Any]]]:
        at = 0
        while True:
            cells, _ = self._read(usecols=list(wanted), row_offset=at, row_limit=RUN)
            if not (rows := len(next(iter(cells.values()), []))):
                return
            yield cells
            at += rows

    @cached_property
    def _about(self) -> Any:
        return self._read(metadataonly=True)[1]

    @cached_property
    def _labels(self) -> dict[str, dict[Any, str]]:
        """The labels of columns all of whose values have some."""
        found = {name: dict(labels) for name, labels in self._about.variable_value_labels.items()}
        for cells in self._chunks([*found]) if found else ():
            for name in [*found]:
                if {cell for cell in cells[name] if _is_filled(cell)} - {*found[name]}:
                    del found[name]
            if not found:
                break
        return found

    def _read(self, **options: Any) -> tuple[Mapping[str, list[Any]], Any]:
        readers = self._package()
        try:
            with self.path.open("rb") as file:
                start = file.read(START)
            known = (name for sign, name in _SIGNS.items() if start.startswith(sign))
            name = next(known, _BY_ENDING.get(self.path.suffix.lower(), ""))
            found: tuple[Any, Any] = getattr(readers, name)(
                str(self.path), output_format="dict", **options
            )
            return found
        except TallyError:
            raise
        except Exception as error:
            raise FileError(
                f"{self.path} cannot be read: {' '.join(str(error).split())[:200]}. The file is "
                "damaged, compressed, or has a wrong extension: copy it again, or export it as "
                "CSV."
            ) from None

    def _package(self) -> Any:
        try:
            import pyreadstat
        except ImportError:
            raise FileError(
                f"{self.path} is a SAS, Stata or SPSS file, and the package that reads it is "
                "not installed. Install it with pip install 'tallylearn[stats]', or export the "
                "table as CSV."
            ) from None
        return pyreadstat


def _is_filled(cell: Any) -> bool:
    return cell is not None and cell == cell and cell != ""


def _column(cells: Sequence[Any], labels: Mapping[Any, str] | None) -> Any:
    """Cells as one Arrow array; with labels, as those."""
    import pyarrow as pa

    some = [cell if _is_filled(cell) else None for cell in cells]
    if labels is not None:
        return pa.array([None if cell is None else labels[cell] for cell in some], pa.string())
    first = next((cell for cell in some if cell is not None), 0.0)
    if isinstance(first, date) and not isinstance(first, datetime):
        return pa.array(some, pa.date32())
    kinds = ((str, pa.string()), (datetime, pa.timestamp("us")), (time, pa.time64("us")))
    for kind, type_ in (*kinds, (timedelta, pa.duration("us"))):
        if isinstance(first, kind):
            return pa.array(some, type_)
    return pa.array(some, pa.float64())
