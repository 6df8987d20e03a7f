"""Options of an estimator, declared once: the constructor, the checks and the documentation follow.

    class NearestCentroid(Classifier):
        metric: str = option(
            default="euclidean", kw_only=False, choices=METRICS, doc="Distance to a centroid."
        )

``typing.dataclass_transform`` on the base class tells editors and type checkers; ``declare`` makes
a plain ``__init__``, once a class. Values are stored as they are given, as scikit-learn's ``clone``
requires, and checked by ``fit``.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from types import CodeType, FunctionType
from typing import Any, Literal

import numpy as np

from tallylearn.errors import OptionError, short_repr
from tallylearn.estimators.option_values import SEEDS, is_finite_number

REQUIRED = inspect.Parameter.empty  # the default of an option that has none
MAX_LISTED = 20  # choices that a message lists: no option has more
DOC_WIDTH = 96  # columns of a docstring's text, beside the indentation of its class
SECTION = re.compile(r"^[ \t]*\w[\w ]*\n[ \t]*-{3,}[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Allowed:
    """Values that an option may have, and the words that a message has for them."""

    phrases: tuple[str, ...]  # such as "an int in the range [1, inf)"; joined by "or"
    includes: Callable[[Any], bool]
    literal: bool = False  # whether the phrases are values themselves

    def __str__(self) -> str:
        if self.literal and len(self.phrases) > 1:
            return f"one of {', '.join(self.phrases)}"
        *first, last = self.phrases
        return f"{', '.join(first)} or {last}" if first else last


def _range(low: float, high: float, open_low: bool, open_high: bool) -> str:
    return f"in the range {'(' if open_low else '['}{low}, {high}{')' if open_high else ']'}"


def number(
    low: float = -math.inf,
    high: float = math.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
    infinite: bool = False,
) -> Allowed:
    """A real number of a range; ``infinite`` includes its infinite ends."""

    def includes(value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, Real):
            return False
        ends = infinite and value in (-math.inf, math.inf)  # not an int too large for a double
        if not (is_finite_number(value) or ends) or not low <= float(value) <= high:
            return False
        return not (open_low and value == low) and not (open_high and value == high)

    if (low, high) == (-math.inf, math.inf):
        return Allowed(("a float",), includes)
    open_low, open_high = (
        is_open or (end in (-math.inf, math.inf) and not infinite)
        for is_open, end in ((open_low, low), (open_high, high))
    )
    return Allowed((f"a float {_range(low, high, open_low, open_high)}",), includes)


def whole(low: float = -math.inf, high: float = math.inf) -> Allowed:
    """An integer of a range."""

    def includes(value: Any) -> bool:
        return (
            isinstance(value, Integral)
            and not isinstance(value, bool)
            and low <= int(value) <= high
        )

    if (low, high) == (-math.inf, math.inf):
        return Allowed(("an int",), includes)
    return Allowed((f"an int {_range(low, high, low == -math.inf, high == math.inf)}",), includes)


def one_of(*choices: str | None) -> Allowed:
    """One of these strings, or None where it is among them."""
    known = frozenset(choices)

    def includes(value: Any) -> bool:
        return isinstance(value, str | None) and value in known

    return Allowed(tuple(map(short_repr, choices)), includes, literal=True)


def instance_of(kind: type | tuple[type, ...], phrase: str) -> Allowed:
    """An object of a type, which a message calls by the phrase: "a mapping"."""
    return Allowed((phrase,), lambda value: isinstance(value, kind))


def either(*kinds: Allowed) -> Allowed:
    """What one of these includes."""
    checks = tuple(kind.includes for kind in kinds)
    phrases = tuple(phrase for kind in kinds for phrase in kind.phrases)
    literal = all(kind.literal for kind in kinds)
    return Allowed(phrases, lambda value: any(check(value) for check in checks), literal)


NONE = one_of(None)
TRUTH = Allowed(("True or False",), lambda value: isinstance(value, bool | np.bool_))
SHARE = number(0.0, 1.0, open_low=True)
JOBS = either(whole(), NONE)
VERBOSE = either(whole(), TRUTH)
SEED = either(
    whole(0, SEEDS - 1),
    instance_of(np.random.RandomState, "a numpy.random.RandomState"),
    NONE,
)


def rows(low: int) -> Allowed:
    """A number of rows, or a share of all: scikit-learn's ``min_samples_leaf``."""
    share = SHARE.includes
    counted = whole(low)
    return Allowed(
        (*counted.phrases, *SHARE.phrases),
        lambda value: (counted.includes if isinstance(value, Integral) else share)(value),
    )


@dataclass(frozen=True)
class Option:
    """An option of an estimator: its place in the signature, its default, its values, its text."""

    default: Any = REQUIRED
    doc: str = ""
    kw_only: bool = True
    takes: Allowed | None = None  # None: whatever the annotation says
    bounds: tuple[tuple[str, Any], ...] = ()  # low, high, ... and choices, by name
    type_name: str = ""  # of the docstring, where neither annotation nor values say it
    name: str = ""
    annotation: str = ""

    def bind(self, name: str, annotation: str, inherited: Option | None) -> Option:
        """The option under its name; what it does not say is as it was inherited."""
        found = replace(self, name=name, annotation=annotation)
        if inherited is not None:
            same_values = not self.takes and not self.bounds
            found = replace(
                found,
                doc=self.doc or inherited.doc,
                type_name=self.type_name or inherited.type_name,
                takes=inherited.takes if same_values else self.takes,
                bounds=inherited.bounds if same_values else self.bounds,
            )
        if not found.doc:
            raise TypeError(f"option {name!r} has no doc=: say what it does.")
        takes = found.takes or _by_annotation(annotation, dict(found.bounds))
        return replace(found, takes=takes)

    def check(self, owner: str, value: Any) -> None:
        """Raise an OptionError for a value that is not among those allowed."""
        if self.takes is not None and not self.takes.includes(value):
            raise OptionError(
                f"The {self.name!r} parameter of {owner} must be {self.takes}. "
                f"Got {short_repr(value)} instead."
            )

    def doc_entry(self) -> str:
        """Its entry in a NumPy-style section of parameters."""
        default = () if self.default is REQUIRED else (f"default {short_repr(self.default, 60)}",)
        head = ", ".join((*filter(None, (self._type(),)), *default))
        body = textwrap.wrap(self.doc, DOC_WIDTH - 4)
        return "\n".join([f"{self.name} : {head}", *(f"    {line}" for line in body)])

    def _type(self) -> str:
        if self.type_name:
            return self.type_name
        if self.takes is not None:
            if self.takes.literal:
                return f"{{{', '.join(self.takes.phrases)}}}"
            words = str(self.takes)
            return "bool" if self.takes is TRUTH else re.sub(r"\ban? (?=int|float)", "", words)
        return "" if self.annotation == "Any" else self.annotation


def option(
    *,
    default: Any = REQUIRED,
    doc: str = "",
    kw_only: bool = True,
    takes: Allowed | None = None,
    choices: Iterable[str | None] | None = None,
    low: float | None = None,
    high: float | None = None,
    open_low: bool = False,
    open_high: bool = False,
    infinite: bool = False,
    type_name: str = "",
) -> Any:
    """Declare an option in the body of an estimator class.

    Its values are those of its annotation: ``bool``, ``int`` and ``float`` within ``low`` and
    ``high``, ``str`` among ``choices``, None where it is in the annotation. ``takes`` says it where
    the annotation does not, as in ``takes=either(whole(1), one_of("auto"))``. A subclass that
    declares an option again says only what differs; without ``default`` it is required.
    """
    given = {
        "low": low, "high": high, "open_low": open_low, "open_high": open_high,
        "infinite": infinite, "choices": None if choices is None else tuple(choices),
    }  # fmt: skip
    bounds = tuple(pair for pair in given.items() if pair[1] is not None and pair[1] is not False)
    return Option(
        default=default, doc=doc, kw_only=kw_only, takes=takes, bounds=bounds, type_name=type_name
    )


@dataclass(frozen=True)
class _Fitted:
    """The marker of ``fitted`` and ``fixed``."""

    initial: Any


def fitted(*, initial: Any = REQUIRED, init: Literal[False] = False) -> Any:
    """Declare an attribute that ``fit`` sets: no option. Before, it is ``initial``, if given."""
    return _Fitted(initial)


def fixed(*, value: Any, init: Literal[False] = False) -> Any:
    """Declare the value of an option that only some subclasses have, in all others."""
    return _Fitted(value)


def _by_annotation(annotation: str, bounds: Mapping[str, Any]) -> Allowed | None:
    """The values that an annotation and its bounds allow; None: any, as far as they say."""
    parts = [part.strip() for part in annotation.split("|")]
    edges = {name: bounds[name] for name in ("low", "high") if name in bounds}
    ends = {name: bounds[name] for name in ("open_low", "open_high", "infinite") if name in bounds}
    found = []
    for part in parts:
        if part == "bool":
            found.append(TRUTH)
        elif part == "int":
            found.append(whole(**edges))
        elif part == "float":
            found.append(number(**edges, **ends))
        elif part == "str" and "choices" in bounds:
            found.append(one_of(*bounds["choices"]))
        elif part != "None":
            if bounds:
                raise TypeError(f"no bound can be checked of {annotation!r}: say takes=.")
            return None
    if "None" in parts and not (parts[0] == "str" and None in bounds.get("choices", ())):
        found.append(NONE)
    return found[0] if len(found) == 1 else either(*found)


def declare(kind: type, order: Iterable[str] | None) -> dict[str, Option]:
    """The options of an estimator class, inherited ones first; its ``__init__`` is made here.

    ``order`` lists the options of the signature, where some that are inherited come in another
    order or are left out. A class with an ``__init__`` of its own keeps it.
    """
    found: dict[str, Option] = {}
    for base in reversed(kind.__mro__[1:]):
        found |= vars(base).get("_declared", {})
    annotations = inspect.get_annotations(kind)
    own = [name for name, value in vars(kind).items() if isinstance(value, Option | _Fitted)]
    for name in own:
        value = vars(kind)[name]
        if isinstance(value, Option):
            found[name] = value.bind(name, str(annotations[name]), found.get(name))
        delattr(kind, name)
        if isinstance(value, _Fitted) and value.initial is not REQUIRED:
            setattr(kind, name, value.initial)
    if order is not None:
        found = {name: found[name] for name in order}
    found = dict(sorted(found.items(), key=lambda item: item[1].kw_only))  # as in the signature
    if found and "__init__" not in vars(kind) and _has_generated_init(kind):
        kind.__init__ = _constructor(kind, found)  # type: ignore[misc]
        if kind.__doc__ is not None:
            kind.__doc__ = _add_parameters(kind.__doc__, found)
    return found


def _has_generated_init(kind: type) -> bool:
    """Whether the constructor that a class inherits was made here, or is that of ``object``."""
    inherited = kind.__init__  # type: ignore[misc]
    return inherited is object.__init__ or hasattr(inherited, "of_options")


def _constructor(kind: type, options: Mapping[str, Option]) -> FunctionType:
    """``def __init__(self, alpha=1.0, *, ...)``, which stores every option as it is given."""
    places = [option for option in options.values() if not option.kw_only]
    named = [option for option in options.values() if option.kw_only]
    text = ", ".join(
        [
            "self",
            *(option.name for option in places),
            *(["*"] if named else []),
            *(option.name for option in named),
        ]
    )
    body = "".join(f"\n    self.{name} = {name}" for name in options)
    text += ", **others"
    body += "\n    if others: self._set_renamed(others)"
    module = compile(f"def __init__({text}):{body}", f"<options of {kind.__name__}>", "exec")
    code = next(part for part in module.co_consts if isinstance(part, CodeType))
    defaults = tuple(option.default for option in places if option.default is not REQUIRED)
    made = FunctionType(code, vars(sys.modules[kind.__module__]), "__init__", defaults)
    made.__kwdefaults__ = {
        option.name: option.default for option in named if option.default is not REQUIRED
    }
    made.__annotations__ = {name: option.annotation for name, option in options.items()}
    made.__annotations__["return"] = "None"
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    made.__module__ = kind.__module__
    made.of_options = True  # type: ignore[attr-defined]
    shown = inspect.signature(made)  # without deprecated and unknown names
    listed = [one for one in shown.parameters.values() if one.kind != one.VAR_KEYWORD]
    made.__signature__ = shown.replace(parameters=listed)  # type: ignore[attr-defined]
    return made


def _add_parameters(doc: str, options: Mapping[str, Option]) -> str:
    """The docstring of a class, with its options as the section Parameters."""
    doc = inspect.cleandoc(doc)
    if "Parameters\n----------" in doc:
        return doc  # written by hand
    entries = "\n".join(option.doc_entry() for option in options.values())
    section = f"Parameters\n----------\n{entries}"
    at = SECTION.search(doc)
    if at is None:
        return f"{doc}\n\n{section}\n"
    return f"{doc[: at.start()].rstrip()}\n\n{section}\n\n{doc[at.start() :]}\n"
