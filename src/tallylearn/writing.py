"""Writing: a file appears whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tallylearn.errors import FileError


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file: to a temporary one beside it, synced, renamed. A link stays a link.

    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write_whole(path, b"14 rows")
    >>> path.read_bytes()
    b'14 rows'
    """
    temporary: str | None = None
    path = Path(path).resolve()
    if path.exists() and not path.is_file():
        raise FileError(f"{path} is no ordinary file, and is not written over.")
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise FileError(
            f"{path} could not be written: {error.strerror}. Nothing was changed."
        ) from None


def _umask() -> int:
    """The rights that new files do not get; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
