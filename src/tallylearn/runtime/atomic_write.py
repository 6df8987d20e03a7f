"""Writing: a file appears whole or not at all, and stays when the power goes."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from tallylearn.errors import FileError, TallyError

MAX_PREFIX_LENGTH = (
    80  # characters of a name that its temporary file repeats: 255 bytes are the most
)
ABANDONED_AFTER_SECONDS = 60  # seconds without a lock or a change: whoever wrote this was killed
UNSUPPORTED_SYNC_ERRORS = (errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.EACCES, errno.EPERM)


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file: to a temporary one beside it, synced, renamed. A link stays a link.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write_whole(path, b"14 rows")
    >>> path.read_bytes()
    b'14 rows'
    """
    with whole(path) as file:
        file.write(content)


@contextmanager
def whole(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write into, that takes its place at the end; where anything fails, nothing does."""
    try:
        path = Path(path).resolve()
        if path.is_symlink():  # Python 3.13 resolves links in a circle to themselves
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if path.exists() and not path.is_file():
            raise FileError(
                f"{path} is not a regular file, so it is not overwritten. Choose another file."
            )
        with _temporary_file(path) as file:
            yield file
    except TallyError:
        raise
    except (OSError, ValueError, RuntimeError) as error:  # a name with NUL, links in a circle
        why = getattr(error, "strerror", None) or error
        raise FileError(
            f"{path} could not be written: {why}. Nothing was changed. Choose another file, or "
            "free some space."
        ) from None


@contextmanager
def _temporary_file(path: Path) -> Iterator[IO[bytes]]:
    """The temporary file; its name cannot be guessed, and nobody else has made it."""
    _remove_leftovers(path)
    before = path.stat() if path.exists() else None
    temporary = path.with_name(f"{_prefix(path)}{os.urandom(8).hex()}")
    # the system takes the umask off the rights of a new file: it is never read, nor changed
    rights = 0o666 if before is None else 0o600
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(temporary, flags, rights), "wb") as file:
            _lock(file.fileno())
            yield file
            file.flush()
            if before is not None:
                _copy_owner_and_mode(file.fileno(), before)
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _prefix(path: Path) -> str:
    return f".{path.name[:MAX_PREFIX_LENGTH]}."


def _copy_owner_and_mode(handle: int, before: os.stat_result) -> None:
    """Owner and rights of the file that is replaced; the owner only where the system allows it."""
    if not hasattr(os, "fchown"):
        return
    for owner, group in ((before.st_uid, before.st_gid), (-1, before.st_gid)):
        with suppress(OSError):
            os.fchown(handle, owner, group)
            break
    os.fchmod(handle, stat.S_IMODE(before.st_mode))


def _lock(handle: int) -> bool:
    """Whether nobody else writes this file; where there are no locks, that is not known."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _remove_leftovers(path: Path) -> None:
    """Remove what killed processes left of this file."""
    ours = re.compile(re.escape(_prefix(path)) + "[0-9a-f]{16}")
    with suppress(OSError):
        for entry in os.scandir(path.parent):
            if ours.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    _remove_abandoned(entry.path)


def _remove_abandoned(temporary: str) -> None:
    if time.time() - os.stat(temporary).st_mtime < ABANDONED_AFTER_SECONDS:
        return
    handle = os.open(temporary, os.O_RDONLY)
    try:
        if _lock(handle):
            os.unlink(temporary)
    finally:
        os.close(handle)


def _sync_folder(folder: Path) -> None:
    """The new name lasts when its folder is on the disk; some systems cannot say so."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in UNSUPPORTED_SYNC_ERRORS:
            raise FileError(
                f"{folder} could not be synchronised to disk: {error.strerror}. The file is "
                "written, but a power failure could lose it. Save it again to be sure."
            ) from None
