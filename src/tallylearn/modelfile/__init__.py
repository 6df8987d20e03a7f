"""The .tally file: arrays and one page of JSON, in safetensors; loading it runs no code.

The JSON (metadata key ``tallylearn``) holds: format, learner, options, schema, classes' type, the
target's name, the trees of the model and of the tally (frozen structures whose arrays are named),
``narrow`` (which arrays were wider in memory, or are deflated), ``written`` (how the strings of
columns were written), versions, machine, ``digest`` (every array as it was and all of the JSON but
target, narrow, written, versions and machine), ``tally_digest`` (learner, options, schema, tally)
and ``checksum`` (every byte of the file). Strings are UTF-8 bytes and offsets.

A tally holds counts, and a count of one is one person's row: treat a file with a tally as personal
data. A file comes from strangers: every field has a form (``tallylearn.tables.field_schemas``), and
every structure is checked against the schema and the others before anything is asked of it.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tallylearn.errors import FileError, OptionError, as_path
from tallylearn.modelfile.file_bytes import FORMAT, digest, from_bytes, read, to_bytes
from tallylearn.modelfile.load_checks import UnknownLearnerError, restore
from tallylearn.modelfile.packing import format_page, learner_page, pack
from tallylearn.runtime.atomic_write import write_whole
from tallylearn.tables import Array

LOAD_ERRORS = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError,
        ValueError)  # fmt: skip
MAX_REASON_LENGTH = 300  # characters: a file may hold long names


def save(estimator: Any, path: str | Path, tally: bool = True) -> None:
    """Write a fitted estimator, if it would load again: to a temporary file, synced, renamed."""
    place = as_path(path)
    estimator._check_options()
    content = to_bytes(*_page(estimator, tally))
    _check_loads(type(estimator).__name__, place, content)
    write_whole(place, content)


def load(path: str | Path) -> Any:
    """Load a fitted estimator from a model file.

    The file contains numbers and text only: loading it runs no code from it. Every field is
    validated.

    Parameters
    ----------
    path : str or Path
        The file that ``save`` wrote.

    Returns
    -------
    estimator
        The fitted estimator, of the class that was saved.

    Raises
    ------
    FileError
        If the file does not exist, is damaged, or is no model file.

    Examples
    --------
    >>> import tempfile, tallylearn as tl
    >>> path = tempfile.mkdtemp() + "/tennis.tally"
    >>> tl.NaiveBayes().fit(tl.example("tennis")).save(path)
    >>> tl.load(path).constructor_call()
    'NaiveBayes()'
    """
    page, arrays = read(as_path(path))
    try:
        return restore(page, arrays)
    except UnknownLearnerError as error:
        raise FileError(
            f"{path} holds the learner {error}, which this version of tallylearn does not have. "
            "Update tallylearn; for a class of your own, add its name to tallylearn.NAMES."
        ) from None
    except LOAD_ERRORS as error:
        raise FileError(
            f"{path} is damaged: {str(error)[:MAX_REASON_LENGTH]}. Save the model again."
        ) from None


def _check_loads(who: str, path: Path, content: bytes) -> None:
    """Raise a FileError for bytes that ``load`` would refuse."""
    try:
        restore(*from_bytes(path, content))
    except UnknownLearnerError as error:
        raise FileError(
            f"{who}: {error} is not a learner of tallylearn, so its file could not be loaded. Add "
            "its name to tallylearn.NAMES, where load finds it."
        ) from None
    except (FileError, *LOAD_ERRORS) as error:
        reason = str(error).removeprefix(f"{path} is damaged: ")[:MAX_REASON_LENGTH].rstrip(".")
        raise FileError(
            f"{who}: this model was not saved, because its file could not be loaded ({reason}). "
            "Pickle it, or fit it again with other options or rescaled numbers."
        ) from None


def page(path: str | Path) -> dict[str, Any]:
    """The JSON of a model file, checked."""
    return read(as_path(path))[0]


def digests(estimator: Any) -> tuple[str, str]:
    """The digest of everything that was learned, and the digest of the tally."""
    page, _ = _page(estimator, estimator.tally_ is not None)
    return page["digest"], page["tally_digest"]


def _page(estimator: Any, tally: bool) -> tuple[dict[str, Any], dict[str, Array]]:
    name = type(estimator).__name__
    if tally and estimator.tally_ is None:
        raise OptionError(
            f"{name}.save: this model has no tally: it was loaded without one, or rare values were "
            "pooled to fit into memory. Save it with tally=False."
        )
    arrays: dict[str, Array] = {}
    page = {"format": FORMAT, **learner_page(estimator, "", arrays, name)}
    counted: dict[str, Array] = dict(arrays)
    tree = pack(estimator.tally_, "tally", counted, name)
    page["tally_digest"] = digest({**page, "tally": tree}, counted)
    page["tally"] = tree if tally else None
    arrays |= counted if tally else {}
    page["model"] = pack(estimator.model_, "model", arrays, name)
    page["digest"] = digest(page, arrays)
    page["written"] = format_page(estimator.schema_)
    page["versions"] = versions()
    page["machine"] = {"processor": platform.machine(), "byteorder": sys.byteorder}
    return page, arrays


def versions() -> dict[str, str]:
    """The versions that a model is made with."""
    import tallylearn

    return {
        "tallylearn": tallylearn.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
