"""Datasets of Arrow: many files under one schema, a fragment of them a part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tallylearn.sources.batches import regrouped
from tallylearn.sources.file_parts import present
from tallylearn.sources.files import Files
from tallylearn.sources.frames import Frame
from tallylearn.sources.memory_table import Table
from tallylearn.tables import BLOCK, RUN, Schema


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
        wanted = present(Path(self.name), self.names, columns)
        own = {} if hasattr(self.scanned, "get_fragments") else {"schema": self.schema}
        batches = self.scanned.to_batches(
            columns=wanted, batch_size=BLOCK, use_threads=False, **own
        )
        return regrouped(batch for batch in batches if len(batch))


class Dataset(Files):
    """A dataset of Arrow: its fragments are read as files are."""

    paths: Any

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

    def _begun(self, path: Any, schema: Schema | None) -> tuple[tuple[str, ...], Frame]:
        import pyarrow as pa

        wanted = [name for name in path.names if name not in self.declared.ignore]
        first = next(path.tables(wanted), None) if schema is None else None
        if first is None:
            first = pa.table({name: pa.nulls(0) for name in path.names})
        return path.names, Frame(tuple(first.column_names), True, arrow=first, read=True)

    def _readers(self, path: Any) -> Sequence[Any]:
        return [path]

    @property
    def parsed(self) -> bool:
        return False

    def held(self) -> Files | Table:
        return self._held() if sum(one.scanned.count_rows() for one in self.paths) <= RUN else self


def is_dataset(X: Any) -> bool:
    """Whether this is a dataset of Arrow, asked without importing it."""
    return hasattr(X, "get_fragments") and hasattr(X, "scanner")
