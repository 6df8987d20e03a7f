"""Every error a user can meet.

    TallyError
    ├── InputError (ValueError)        the table, a column or a value is not what it should be
    │   ├── ColumnError                … and a column is to blame
    │   ├── TargetError                … and the target is to blame
    │   └── SizeError (MemoryError)    … and it asks for more memory than there is
    ├── OptionError (ValueError)       a parameter of a learner or a command
    ├── KindError (TypeError)          this kind of thing is not taken at all
    ├── MergeError (ValueError)        two things that do not add up
    ├── ForgetError (ValueError)       rows that were never learned
    ├── NotFitted (ValueError, AttributeError)
    └── FileError (OSError)            a file that is damaged, foreign or cannot be written

A message names the class and the method, what was expected, what came, and the remedy, with the
column, the row and the value.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path
from typing import Any

# Options of ``tl.table`` in a remedy; ``missing`` is also an option of learners, with other values.
_TABLE_OPTION = re.compile(r"(?:\b(kinds|ignore)=[\[{]|(?:missing with|means missing,) (missing)=)")


class TallyError(Exception):
    """The root of all errors of tallylearn."""


class InputError(TallyError, ValueError):
    """The table, a column or a value is not what it should be."""


class ColumnError(InputError):
    """A column is missing, of another kind, or holds a value that it should not."""

    column: str = ""  # its name, where a cell is to blame
    cell: str = ""  # what came, without the remedy


class CellError(ColumnError):
    """A cell is not written as the others of its column are."""


class TargetError(InputError):
    """The target is missing, or not what the learner can learn."""


class SizeError(InputError, MemoryError):
    """More memory is asked for than the budget allows, or than there is."""


class OptionError(TallyError, ValueError):
    """A parameter has a value that it cannot have."""


class KindError(TallyError, TypeError):
    """This kind of thing is not taken."""


class MergeError(TallyError, ValueError):
    """Two things that do not add up."""


class ForgetError(TallyError, ValueError):
    """Rows to forget that were never learned."""


class NotFitted(TallyError, ValueError, AttributeError):  # noqa: N818  a state, not a mistake
    """The estimator has not learned anything yet."""


class FileError(TallyError, OSError):
    """A file that is damaged, foreign or cannot be written."""


def not_fitted(name: str) -> NotFitted:
    """The error for an estimator without a model; scikit-learn's class too where that is loaded."""
    theirs = _of_sklearn("NotFittedError")
    kind: type[NotFitted] = NotFitted
    if theirs is not None:
        kind = type("NotFitted", (NotFitted, theirs), {})
    return kind(
        f"{name}: there is no model yet. Call 'fit' first, with a table. "
        f"This {name} instance is not fitted yet."
    )


def warn_of_conversion(message: str) -> None:
    """Warn that an input was reshaped; scikit-learn's class where that is loaded."""
    kind = _of_sklearn("DataConversionWarning") or UserWarning
    warnings.warn(message, kind, stacklevel=4)


def _of_sklearn(name: str) -> type | None:
    return getattr(sys.modules.get("sklearn.exceptions"), name, None)


def quoted_list(names: Iterable[object], most: int = 6) -> str:
    """A short list for a message: 'a', 'b', 'c' and 4 more."""
    items = [short_repr(name) for name in names]
    if len(items) <= most:
        return ", ".join(items)
    return ", ".join(items[:most]) + f" and {len(items) - most} more"


def did_you_mean(name: object, names: Iterable[object]) -> str:
    """A question for the end of a message: the known name that is most like a wrong one.

    >>> did_you_mean("clas", ["class", "age"])
    " Did you mean 'class'?"
    >>> did_you_mean("income", ["class", "age"])
    ''
    """
    from difflib import get_close_matches

    if not isinstance(name, str):
        return ""
    known = {str(one).casefold(): one for one in names}
    found = get_close_matches(name.casefold(), known, n=1, cutoff=0.75)
    return f" Did you mean {short_repr(known[found[0]])}?" if found else ""


def short_repr(value: object, most: int = 200) -> str:
    """A value as a message shows it: its repr, cut where it is long, its type where it has none."""
    try:
        text = repr(value)
    except Exception:
        return f"<{type(value).__name__}, which cannot be written>"
    return text if len(text) <= most else f"{text[:most]}…"


def as_path(path: Any) -> Path:
    """A path, or an error for what is none."""
    if isinstance(path, str | os.PathLike) and "\0" not in str(path):
        return Path(path)
    raise KindError(f"a path was expected, not {short_repr(path)}. Pass a str or a Path.")


def is_one_of(value: object, these: Container[Any]) -> bool:
    """Whether a value is one of these; what cannot be compared with them is not."""
    try:
        hash(value)  # an array of one item would be taken for that item
        return value in these
    except Exception:
        return False


def items_of(values: Any) -> list[Any] | None:
    """The items of what can be walked through; None where it cannot."""
    try:
        return [*values]
    except Exception:
        return None


def call_user_function(what: str, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """What a function from outside answers; where it fails, an error that says so."""
    try:
        return function(*given, **named)
    except TallyError:
        raise
    except Exception as error:
        raise OptionError(
            f"{what} failed on {short_repr(given[0], 60)}: {type(error).__name__}: "
            f"{str(error)[:100]}. Correct the function, or pass another."
        ) from error


def item_at(items: Sequence[Any], place: Any, what: str) -> Any:
    """An item by its number, or some by a slice, as a tuple gives them."""
    try:
        return items[place]
    except IndexError:
        raise IndexError(
            f"there are {len(items)} {what}, and none with the number {short_repr(place)}."
        ) from None
    except Exception:
        raise KindError(
            f"{what} are selected by number, from 0 to {len(items) - 1}, not by "
            f"{short_repr(place)}."
        ) from None


def error_context(who: str) -> ErrorContext:
    """Errors raised inside begin with the name ``who``."""
    return ErrorContext(who)


class ErrorContext:
    """A context in which errors begin with a name; a class, because every fit enters it."""

    def __init__(self, who: str) -> None:
        self.who = who

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and (said := _with_name(self.who, error)) is not error:
            raise said from None


def _with_name(who: str, error: Exception) -> Exception:
    """The error with the name before it; an error of others stays as it is."""
    if isinstance(error, TallyError):
        message, owner = str(error), who.partition(".")[0]
        if not message.startswith((f"{who}: ", f"{who}.")):
            message = f"{who}: {without_prefix(message, owner)}"
            error.args = (message + _place_of_options(who, message),)
        return error
    if isinstance(error, MemoryError):
        return SizeError(
            f"{who}: there is not enough memory{f' ({error})' if str(error) else ''}. Use fewer "
            "columns, or pass the path of a file (it is read in blocks), or pass fewer rows at a "
            "time to partial_fit."
        )
    if isinstance(error, UnicodeDecodeError):
        return InputError(
            f"{who}: the table has text that is not UTF-8 ({error.object[:20]!r}...). Decode it "
            "with its own encoding first."
        )
    if (method := _method_of_object(error)) is None:
        return error
    return KindError(
        f"{who}: a passed object raised an error in its method {method} ({type(error).__name__}: "
        f"{str(error)[:100]}). Pass plain values, or correct the object."
    )


def _place_of_options(who: str, message: str) -> str:
    """A sentence that says where the options of a remedy belong, if a table has to be declared."""
    if who in ("table", "check") or "tl.table" in message:
        return ""
    if not (
        names := [*dict.fromkeys(found[1] or found[2] for found in _TABLE_OPTION.finditer(message))]
    ):
        return ""
    *most, last = names
    what = f"{', '.join(most)} and {last} are options" if most else f"{last} is an option"
    return f" {what} of tl.table(...)."


def without_prefix(message: str, owner: str) -> str:
    """A message without the prefix ``owner: `` or ``owner.method: `` that it may begin with.

    >>> without_prefix("PCA.fit: there are no rows.", "PCA")
    'there are no rows.'
    """
    found = re.match(rf"{re.escape(owner)}(\.\w+)?: ", message)
    return message if found is None else message[found.end() :]


def _method_of_object(error: Exception) -> str | None:
    """The method, such as __repr__ or __len__, of an object of somebody else's that raised this."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return None
    code = trace.tb_frame.f_code
    special = code.co_name.startswith("__") and code.co_name.endswith("__")
    return code.co_name if special and "tallylearn" not in code.co_filename else None
