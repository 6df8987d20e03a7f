"""Datasets of Arrow: many files under one schema, a fragment of them a part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tallylearn.sources.arrow.batches import regroup
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.files.opened import table_of
from tallylearn.sources.files.parts import columns_to_read
from tallylearn.sources.files.table import Files
from tallylearn.sources.type_inference.column_types import PLAIN
from tallylearn.tables import BLOCK, RUN


@dataclass(frozen=True, eq=False)
class Scan:
    """A fragment of a dataset, or a whole one whose rows are filtered."""

    scanned: Any
    schema: Any  # of Arrow
    name: str
    start: ClassVar[int] = 1

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.schema.names)

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Tables of 65 536 rows."""
        wanted = columns_to_read(Path(self.name), self.names, columns)
        own = {} if hasattr(self.scanned, "get_fragments") else {"schema": self.schema}
        batches = self.scanned.to_batches(
            columns=wanted, batch_size=BLOCK, use_threads=False, **own
        )
        return regroup(batch for batch in batches if len(batch))


class OpenedScans:
    """The fragments of a dataset, which know their columns."""

    categories: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    weight = ""
    bare_missing = False

    hints = PLAIN
    dialect = None
    options = ()
    parsed = False

    def __init__(self, scans: Sequence[Scan], declared: Declaration) -> None:
        self.scans = scans

    @property
    def small(self) -> bool:
        """Whether all rows fit into memory."""
        return bool(sum(one.scanned.count_rows() for one in self.scans) <= RUN)

    def check(self, scan: Scan) -> None:
        """What is in a dataset is its own affair."""

    def first(self, scan: Scan, asked: Callable[[str], bool]) -> tuple[tuple[str, ...], Any]:
        """The columns of a fragment, and the first block of those that are asked about."""
        wanted = [name for name in scan.names if asked(name)]
        return scan.names, table_of(wanted, next(scan.tables(wanted), None) if wanted else None)

    def readers(self, scan: Scan) -> Sequence[Scan]:
        """A fragment reads itself."""
        return [scan]


class ArrowDataset(Files):
    """A dataset of Arrow: its fragments are read as files are."""

    paths: Any
    opening = OpenedScans

    @classmethod
    def scans(cls, dataset: Any) -> Any:
        """The parts of a dataset; one that filters its rows is one part."""
        if getattr(dataset, "_scan_options", None):
            return [Scan(dataset, dataset.schema, "the dataset")]
        fragments = sorted(dataset.get_fragments(), key=lambda one: str(getattr(one, "path", "")))
        names = [str(getattr(one, "path", "the dataset")) for one in fragments]
        pairs = zip(fragments, names, strict=True)
        scans = [Scan(one, dataset.schema, Path(name).name) for one, name in pairs]
        return scans or [Scan(dataset, dataset.schema, "the dataset")]


def is_dataset(X: Any) -> bool:
    """Whether this is a dataset of Arrow, asked without importing it."""
    return hasattr(X, "get_fragments") and hasattr(X, "scanner")
