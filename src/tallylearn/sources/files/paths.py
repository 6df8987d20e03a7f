"""Paths: a path names one file, a glob several; what is no file is said with the reason."""

from __future__ import annotations

import glob
from pathlib import Path
from zipfile import is_zipfile

from tallylearn.errors import FileError, quoted_list, short_repr
from tallylearn.sources.files.compression import container, members, only_member


def find_files(path: str | Path) -> list[Path]:
    """The files that a path or a glob names, sorted."""
    try:
        return _find(path)
    except FileError:
        raise
    except OSError as error:  # a name that is too long, a folder that is closed
        raise FileError(
            f"{short_repr(str(path), 60)}: {error.strerror or error}. Check the path."
        ) from None


def _find(path: str | Path) -> list[Path]:
    archive = container(Path(path))
    if archive != Path(path) and archive.is_file():
        return _find_members(archive, Path(path))
    if any(mark in str(path) for mark in "*?[") and not Path(path).is_file():
        paths = sorted(Path(name) for name in glob.glob(str(path), recursive=True))
        if not paths:
            raise FileError(f"no file matches {str(path)!r}. Check the folder and the ending.")
        return [_unwrap_zip(one) for one in paths]
    if not Path(path).is_file():
        raise FileError(f"{str(path)!r} {_why_not(Path(path))}.")
    return [_unwrap_zip(Path(path))]


def _unwrap_zip(path: Path) -> Path:
    """The only file in an archive; any other file as it is."""
    return only_member(path) if path.suffix.lower() == ".zip" and is_zipfile(path) else path


def _find_members(archive: Path, path: Path) -> list[Path]:
    """The members of an archive that a path or a glob names."""
    if not is_zipfile(archive):
        raise FileError(
            f"{str(path)!r}: {archive} is not a folder or a zip archive. Check the path."
        )
    wanted = path.relative_to(archive).as_posix()
    if path in members(archive):
        return [path]
    if not (found := members(archive, wanted)):
        names = [one.relative_to(archive).as_posix() for one in members(archive)]
        raise FileError(
            f"{archive} has no file {wanted!r}. Choose one of its files: {quoted_list(names)}."
        )
    return found


def is_pipe(path: Path) -> bool:
    """Whether this is a pipe or a device, which can be read once only."""
    return path.is_fifo() or path.is_char_device()


def _why_not(path: Path) -> str:
    if path.is_dir():
        return "is a folder: pass its files, as in 'folder/*.csv'"
    if is_pipe(path):
        return "is a pipe, which cannot be read twice: save it first"
    return "is not a file" if path.exists() else "does not exist: check the path"
