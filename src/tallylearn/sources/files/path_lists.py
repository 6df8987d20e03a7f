"""Lists of files: several paths are the table of all of them; a list of texts is documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tallylearn.errors import FileError, InputError
from tallylearn.sources import streamed_rows
from tallylearn.sources.files.compression import inner_suffix
from tallylearn.sources.files.formats import FORMATS
from tallylearn.sources.files.paths import find_files

# A .txt may hold a document: in a list it is a table only as a Path.
ENDINGS = frozenset({".csv", ".tsv", ".zip", *(one for form in FORMATS for one in form.endings)})


@dataclass(frozen=True)
class FileList:
    """Files in the order in which they were named."""

    paths: tuple[Path, ...]


def as_source(X: Any) -> Any:
    """What can be read once, kept; a list of paths as the files that they name; else as it is."""
    return streamed_rows.store_stream(X) if (files := file_list(X)) is None else files


def file_list(X: Any) -> FileList | None:
    """The files that a list or tuple names; None for any other table, documents among them.

    It has paths where one is a Path; or where all texts end as files of tables do, and one of them
    is there. Then all have to be.
    """
    if not isinstance(X, list | tuple) or not X or not isinstance(X[0], str | Path):
        return None
    if isinstance(X[0], str) and inner_suffix(Path(X[0])) not in ENDINGS:
        return None  # as of documents, of which there may be many
    if not all(isinstance(one, str | Path) for one in X):
        return None
    texts = all(isinstance(one, str) for one in X)
    if texts and not (
        all(inner_suffix(Path(one)) in ENDINGS for one in X) and any(map(_is_there, X))
    ):
        return None
    try:
        return FileList(tuple(each_once(path for one in X for path in find_files(one))))
    except FileError as error:
        spare = " To pass texts as documents: np.array([...])." if texts else ""
        raise FileError(f"{error}{spare}") from None


def each_once(paths: Iterable[Path]) -> Sequence[Path]:
    """The same paths, no file of which is named twice."""
    every = [*paths]
    file, times = Counter(path.resolve() for path in every).most_common(1)[0]
    if times > 1:
        raise InputError(
            f"{file.name} is named {times} times, so its rows would count {times} times. "
            "Name it once."
        )
    return every


def _is_there(path: str) -> bool:
    try:
        return bool(find_files(path))
    except FileError:
        return False
