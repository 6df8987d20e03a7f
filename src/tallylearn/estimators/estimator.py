"""The base class of all estimators: options, fit, tallies, and scikit-learn's interface.

scikit-learn is imported only where it asks for something itself.
"""

from __future__ import annotations

import copy
import html
import inspect
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np

from tallylearn import engines, modelfile
from tallylearn.errors import (
    ForgetError,
    InputError,
    MergeError,
    OptionError,
    error_context,
    not_fitted,
    quoted_list,
    short_repr,
)
from tallylearn.estimators.call_style import CallStyle
from tallylearn.estimators.constructor_repr import shortest_call
from tallylearn.estimators.deprecation import DeprecatedAttribute, current_names
from tallylearn.estimators.fit_input import FitInput, read_fit_input, read_rows, retry_reading
from tallylearn.estimators.fit_lock import FitLock
from tallylearn.estimators.fit_warnings import NO_SAMPLE, TableSample, sample_table
from tallylearn.estimators.missing_targets import Unanswered, total
from tallylearn.estimators.option_values import finite
from tallylearn.estimators.options import Option, declare, fitted, fixed, option
from tallylearn.estimators.passes import NO_NOTES, Learned, Notes, Passes
from tallylearn.estimators.schema_checks import check_schema
from tallylearn.estimators.tally_checks import LET_GO, UNTALLIED, checked_tally, within_doubles
from tallylearn.estimators.tally_state import TallyState
from tallylearn.estimators.unseen_categories import note_unseen
from tallylearn.sources import DeclaredTable
from tallylearn.sources.columns.class_labels import Aim
from tallylearn.sources.memory.table import check_size
from tallylearn.tables import (
    FREQUENCY,
    IDENTIFIER,
    IMPORTANCE,
    SAMPLE_WEIGHT,
    UNKNOWN,
    Array,
    Block,
    Column,
    Schema,
)
from tallylearn.tallies import Bundle
from tallylearn.tallies.weight_kinds import (
    as_counted_in,
    compares,
    counted_apart,
    in_rows,
    kind_of_weights,
    number_of_rows,
    updated,
)
from tallylearn.workings import Derivation, Evidence, Explanation

Answer = TypeVar("Answer", Array, Block)
Method = TypeVar("Method")
SHOWN = 6  # columns, and classes, in a repr
WEIGHTS_NAMED = {IMPORTANCE: "importances", SAMPLE_WEIGHT: "sample weights"}
FITTED_PRIVATELY = ("_by_name", "_label_type", "_shaped", "_table_sample")
GATHERED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def spelled(learner: Any) -> str:
    """The call that makes a learner, of whatever house, without what it has learned."""
    return learner.spelled() if isinstance(learner, Estimator) else repr(learner)


def clone_estimator(estimator: Any) -> Any:
    """The same estimator, not fitted."""
    if isinstance(estimator, Estimator):
        options = estimator.get_params(deep=False)
        copied = type(estimator)(**{name: _anew(value) for name, value in options.items()})
        if (wanted := getattr(estimator, "_sklearn_output_config", None)) is not None:
            vars(copied)["_sklearn_output_config"] = dict(wanted)  # as scikit-learn's clone does
        return copied
    theirs = sys.modules.get("sklearn.base")
    if theirs is not None and hasattr(estimator, "get_params"):
        return theirs.clone(estimator)
    return copy.deepcopy(estimator)


def _anew(option: Any) -> Any:
    """An option of a copy: learners among a learner's options are copied with it."""
    if isinstance(option, Estimator):
        return clone_estimator(option)
    if type(option) in (list, tuple):
        return type(option)(map(_anew, option))
    return option


def _row_of_frame(X: Any, names: Sequence[str]) -> Any:
    """A row of a frame, a pandas Series labelled by the columns, as a dict; all else as it is."""
    if getattr(X, "ndim", 0) != 1 or not hasattr(X, "to_dict") or not hasattr(X, "index"):
        return X
    labels = {*X.index} if X.index.is_unique else set()  # numbers, of a column
    return X.to_dict() if labels & {*names} else X


class AvailableIf:
    """A method or property that an estimator has only where an attribute of it is true."""

    def __init__(self, attribute: str) -> None:
        self.attribute = attribute

    def __call__(self, method: Method) -> Method:
        self.method: Any = method
        self.__doc__ = method.__doc__
        return self  # type: ignore[return-value]  # what __get__ gives is the method

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: type) -> Any:
        if not getattr(owner if estimator is None else estimator, self.attribute):
            raise AttributeError(f"{owner.__name__} has no {self.name}.")
        return self.method.__get__(estimator, owner)


@dataclass_transform(
    kw_only_default=True, eq_default=False, field_specifiers=(option, fitted, fixed)
)
class Estimator:
    """Options are stored as given; what ``fit`` sets ends with an underscore."""

    task: ClassVar[str | None] = None  # classifier, regressor
    family: ClassVar[str] = ""  # generative, discriminative, baseline
    kinds: ClassVar[tuple[str, ...]] = ()  # the kinds of columns that it learns from
    schema_: Schema
    model_: Any
    target_name_: str | None = None  # the target's column, where it is one
    composed: ClassVar[bool] = False  # of learners among its options, which its file holds too
    listed: ClassVar[tuple[str, ...]] = ()  # options that are lists, whatever labels they carry
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}  # options that go by a name join_blocks
    renamed_options: ClassVar[Mapping[str, str]] = {}  # deprecated names of options
    formerly: ClassVar[Mapping[str, Any]] = {}  # options that files lack, as their writers had them
    stored: ClassVar[tuple[type, ...]] = ()  # what a model file of it may hold, the model first
    shaping: ClassVar[tuple[str, ...]] = ()  # the options that say what is counted
    counts_values: ClassVar[bool] = False  # whether a threshold counts the rows of a value
    predicts: ClassVar[bool] = False  # whether it has predict and explain
    keeps_tally: ClassVar[bool] = False  # whether it has tally, solve and _check_tally
    tally_: Any = None  # what it has counted; None: it keeps no tally
    notes_: Notes = NO_NOTES  # what there is to know of the last fit
    _by_name: bool
    _label_type: str
    _table_sample: TableSample = NO_SAMPLE
    _shaped: tuple[tuple[str, Any], ...] = ()  # the options that shaped the tally
    answers: Any  # answers(block) -> (n,) the predictions for its rows
    tally: Any  # tally(block) -> Bundle, whose part "target" counts the rows
    solve: Any  # solve(tally) -> the model; of the parts all but "target" may be lacking
    _check_tally: Any  # _check_tally(tally, schema): a ValueError says what is odd in a file's
    _declared: ClassVar[Mapping[str, Option]] = {}
    _checked: ClassVar[tuple[Option, ...]] = ()  # those declared that are in the signature

    def __init_subclass__(cls, *, options: Iterable[str] | None = None, **given: Any) -> None:
        """Make the constructor; ``options`` are those of it, where inherited ones are left out."""
        super().__init_subclass__(**given)
        for old, new in vars(cls).get("renamed_options", {}).items():
            setattr(cls, old, DeprecatedAttribute(old, new))
        cls._declared = declare(cls, options)
        named = cls._declared and cls.options()
        cls._checked = tuple(each for name, each in cls._declared.items() if name in named)
        cls.keeps_tally = hasattr(cls, "_check_tally")

    @classmethod
    def options(cls) -> tuple[str, ...]:
        """The names of the parameters, in the order of the signature."""
        found = inspect.signature(cls.__init__).parameters.values()
        return tuple(p.name for p in found if p.name != "self" and p.kind not in GATHERED)

    @classmethod
    def from_stored(cls, name: str, options: Mapping[str, Any]) -> Any:
        """The estimator of a model file, by the name and the options that it was stored under."""
        return cls(**{**cls.formerly, **options})

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self.options()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; they act at the next ``fit``."""
        known = self.options()
        if self.renamed_options:
            params = current_names(type(self), params, self.renamed_options)
        for name, value in params.items():
            if name not in known:
                raise OptionError(
                    f"Invalid parameter {name!r} for estimator {self.spelled()}. "
                    f"Valid parameters are: {sorted(known)!r}."
                )
            setattr(self, name, value)
        return self

    def _set_renamed(self, given: Mapping[str, Any]) -> None:
        """Options that the constructor was given by their deprecated names."""
        name = type(self).__name__
        for old in given:
            if old not in self.renamed_options:
                raise TypeError(f"{name}.__init__() got an unexpected keyword argument {old!r}")
        for new, value in current_names(type(self), given, self.renamed_options).items():
            if getattr(self, new) is not self._declared[new].default:
                raise OptionError(
                    f"{name}: {new} is given twice, once by a deprecated name. Leave one out."
                )
            setattr(self, new, value)

    def __repr__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return self.spelled()
        return f"{self.spelled()} {self._learned_from()}"

    def spelled(self) -> str:
        """The call that makes such a learner, with the options that are not the default."""
        options = self.get_params(deep=False)
        defaults = inspect.signature(type(self).__init__).parameters
        usual = {name: defaults[name].default for name in options}
        return shortest_call(type(self).__name__, options, usual, self.presets)

    def _repr_html_(self) -> str:
        state = self._learned_from() if self.__sklearn_is_fitted__() else "not fitted"
        return (
            '<pre style="border-left:3px solid #888;padding:.3em .8em">'
            f"{html.escape(self.spelled())}<br><small>{html.escape(state)}</small></pre>"
        )

    def _learned_from(self) -> str:
        """What was learned from: rows, where they were counted, columns and classes."""
        named = self.schema_.identifiers
        names = [name for name in self.schema_.names if name not in named]
        columns = f"{len(names)} column{'s' if len(names) != 1 else ''}"
        if self.schema_.named:
            columns += f" ({quoted_list(names, SHOWN)})"
        rows, classes = self._counted_rows(), getattr(self, "classes_", None)
        counted = ""
        if rows is not None:
            many = f"{int(rows):,} row{'s' if rows != 1 else ''}"
            many = many if rows.is_integer() else f"weight {rows:,.6g}"
            meant = {IMPORTANCE: ", by importance,", SAMPLE_WEIGHT: ", with sample weights,"}
            counted = f"{many}{meant.get(self._weight_kind(), '')} of "
        class_text = "" if classes is None else f", classes {quoted_list(classes.tolist(), SHOWN)}"
        left_out = "".join(f"; {said}" for said in self.unanswered_.notes(self.target_name_))
        aside = f"; identifiers, not used: {quoted_list(named, SHOWN)}" if named else ""
        return f"learned from {counted}{columns}{class_text}{aside}{left_out}"

    def _counted_rows(self) -> float | None:
        """How many rows were learned from; a tally counts their weights. None: nobody counted."""
        tally = self.tally_
        if tally is None:
            return None
        return float(number_of_rows(tally) if compares(tally) else tally["target"].weight)

    def _weight_kind(self) -> str:
        """What the weights of those rows mean, as far as it is known: see ``tables``."""
        return FREQUENCY if self.tally_ is None else kind_of_weights(self.tally_)

    def _said_of_weights(self) -> tuple[str, ...]:
        """What standard errors and tests take the weights of the rows for, where it is not rows."""
        rows, kind = self._counted_rows(), self._weight_kind()
        if kind == FREQUENCY or rows is None:
            return ()
        return (
            f"The weights of the rows are {WEIGHTS_NAMED[kind]}: errors and tests take them for "
            f"{rows:,.6g} rows.",
        )

    def _call_style(self) -> CallStyle:
        """How the rows were passed that were learned."""
        return CallStyle(self._by_name, self._label_type, self.target_name_)

    @property
    def unanswered_(self) -> Unanswered:
        """The rows that lacked their target when they were learned, and those dropped for gaps."""
        return self.notes_.unanswered

    def _remember(self, call_style: CallStyle, unanswered: Unanswered) -> None:
        self._by_name, self._label_type = call_style.by_name, call_style.label_type
        self.target_name_ = call_style.target
        self.notes_ = Notes(unanswered) if unanswered.of else NO_NOTES
        self._table_sample = NO_SAMPLE  # what was learned is of other rows now

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table: ``fit(X, y)``, or ``fit(table, "target")``."""
        with self._learning():
            self._check_options()
            name = type(self).__name__
            read = read_fit_input(self._table(X), y, sample_weight, name, self._aim(X, y))
            self.learn(read)
            self._table_sample = sample_table(read)
        return self

    def fit_passes(self, passes: Passes) -> Learned:
        """Fit to the rows of a table: what a learner is. By default its tally is solved."""
        tally = self.sum_passes(passes)
        return Learned(self._solved_from(tally), tally)

    def sum_passes(self, passes: Passes) -> Bundle:
        """The tally of all rows."""
        return checked_tally(passes.total(self.seen), f"{type(self).__name__}.tally")

    def learn(self, read: FitInput) -> Self:
        """What ``fit`` does with rows that are read."""
        self._store(retry_reading(read, self._fitted_to), read.call_style)
        return self

    def learn_tally(self, read: FitInput, tally: Bundle) -> Self:
        """What ``fit`` does, with the tally of some of the rows: those of a fold, for instance."""
        schema = self._settled(check_schema(read.schema, self.kinds, type(self).__name__), tally)
        self._learn(TallyState(schema, tally, read.call_style, self.shape()))
        return self

    def _fitted_to(self, read: FitInput) -> Learned:
        """Fit to rows that are read; the result has the columns that were learned too."""
        with self._passes(read) as passes, within_doubles():
            learned = self.fit_passes(passes)
        model, tally, notes, schema, kept = learned
        if not notes.unanswered.of:
            notes = Notes(passes.unanswered, notes.warnings)
        if schema is None:
            schema = passes.schema if tally is None else self._settled(passes.schema, tally)
        return Learned(model, tally, notes, schema, kept)

    def _passes(self, read: FitInput) -> Passes:
        schema = check_schema(read.schema, self.kinds, type(self).__name__)
        return Passes(read, schema, self._width(schema))

    def _store(self, learned: Learned, call_style: CallStyle) -> None:
        """Change the estimator, once everything is known: a failure leaves it as it was."""
        self.model_, self.tally_, notes, schema, kept = learned
        assert schema is not None
        self.schema_ = schema
        for name, value in kept.items():
            setattr(self, name, value)
        self._remember(call_style, notes.unanswered)
        if notes.warnings:
            self.notes_ = notes
        self._shaped = self.shape()
        self._derive()

    @AvailableIf("keeps_tally")
    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from more rows: the same bits as having learned from all of them at once."""
        with self._learning():
            self._check_options()
            before = self._merge_state()
            known = None if before is None else before.schema
            name = type(self).__name__
            if not self.tallied:
                raise OptionError(UNTALLIED)
            aim, X = self._aim(X, y), self._table(X)
            read = read_fit_input(
                X,
                y,
                weight=sample_weight,
                who=name,
                aim=aim,
                schema=known,
                more=True,
                classes=self._labels,
            )
            now = self._learned(read)
            counted = None if before is None else before.tally
            now = replace(now, tally=self._foretold(now.tally, counted, classes))
            self._learn(now if before is None else before + now, patient=True)
        return self

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Unlearn rows: the same bits as never having seen them; forgetting all leaves no model.

        Rows that cannot have been learned are refused, as far as counts and sums tell: those whose
        values were all learned, from other rows of the class, are not noticed. A learner without a
        tally forgets nothing.
        """
        if not self.keeps_tally:
            self._check_fitted()
            raise ForgetError(
                f"{type(self).__name__}: the model keeps no tally, so no row can be taken out of "
                "it. Fit again without those rows."
            )
        with self._learning():
            before = self._merge_state()
            if before is None:
                self._check_fitted()
                return self
            name, aim, X = type(self).__name__, self._aim(X, y), self._table(X)
            read = read_fit_input(
                X,
                y,
                weight=sample_weight,
                who=name,
                aim=aim,
                schema=before.schema,
                classes=self._labels,
            )
            before.call_style.check_several(read.call_style)  # one may have been renamed since
            other, left_out = total(self.seen, read)
            left_out.check(read.target)
            before.check_weights(other)
            rest = before.tally
            if other is not None:
                rest = rest - as_counted_in(other, rest)
            if reason := rest.impossible():
                raise ForgetError(
                    f"these rows were not learned ({reason}). Nothing was changed; "
                    "forget only rows that were in 'fit', with the weights they had."
                )
            if rest:
                schema = self._settled(before.schema, rest)
                less = replace(before, schema=schema, tally=rest, unanswered=left_out)
                self._learn(less, patient=True)
            else:
                self._unlearn()
        return self

    @property
    def _labels(self) -> tuple[Any, ...]:
        """The classes that were learned so far; none of a regression."""
        return tuple(getattr(self, "classes_", ()))

    def save(self, path: str | Path, tally: bool = True) -> None:
        """Write a model file. Without its tally it still predicts, and cannot merge or forget."""
        with self._learning():
            self._check_fitted()
            if not isinstance(tally, bool):
                raise OptionError(f"tally is True or False, not {short_repr(tally)}.")
            tally = tally and self.keeps_tally
            if tally and self.tally_ is not None:
                self._merge_state()
            modelfile.save(self, path, tally=tally and self.tallied)

    def check_input(self, read: FitInput, rows: int) -> None:
        """Whether so many rows can be learned from with these options, or an error."""
        with error_context(type(self).__name__):
            self._check_options()
            schema = check_schema(read.schema, self.kinds, type(self).__name__)
            check_size(rows, self._width(schema))

    def shape(self) -> tuple[tuple[str, Any], ...]:
        """The options that say what is counted: learners of one shape count alike."""
        return tuple((option, getattr(self, option)) for option in self.shaping)

    @property
    def tallied(self) -> bool:
        """Whether what these options ask for is solved from a tally."""
        return self.keeps_tally

    def seen(self, block: Block) -> Bundle:
        """The tally of a block, and of rows whose weights are no frequencies their number."""
        return self._apart(self.tally(block), block)

    def _apart(self, tally: Bundle, block: Block) -> Bundle:
        if block.weight is None or not isinstance(tally, Bundle):
            return tally
        apart = counted_apart(block, tally.get("target"), self.counts_values)
        return Bundle({**tally.parts, **apart.parts})

    def _in_rows(self, tally: Bundle) -> Bundle:
        """The tally that is solved, where rows have weights that are no frequencies."""
        return in_rows(tally, self._takes_weights_as_given)

    @property
    def _takes_weights_as_given(self) -> bool:
        """Whether the scale of sample weights matters: a penalty or a prior is set against them."""
        return False

    def _solved_from(self, tally: Bundle) -> Any:
        """The model of a tally as it was counted."""
        return self.solve(self._in_rows(tally))

    def _solved_state(self, state: TallyState) -> Any:
        """The model of a tally, by whatever else is known of its rows."""
        return self._solved_from(state.tally)

    def left_out(self, tally: Bundle, block: Block) -> Array | None:
        """The scores or answers of every row by the model of all others, in one solve for all.

        None: leave the rows out one by one.
        """
        return None

    def _learned(self, read: FitInput) -> TallyState:
        return retry_reading(read, self._tallied)

    def _tallied(self, read: FitInput) -> TallyState:
        """The tally of rows that are read, and what is known of its rows."""
        with self._passes(read) as passes:
            tally = self.sum_passes(passes)
        schema = self._settled(passes.schema, tally)
        return TallyState(schema, tally, read.call_style, self.shape(), passes.unanswered)

    def _settled(self, schema: Schema, tally: Bundle) -> Schema:
        """The schema, with columns of which nothing was counted as unknown, whatever their type."""
        counted = self._counted(tally)
        if counted is None or counted.issuperset(schema.names):
            return schema
        columns = (
            c if c.name in counted or c.values or c.kind == IDENTIFIER else Column(c.name, UNKNOWN)
            for c in schema.columns
        )
        return replace(schema, columns=tuple(columns))

    def _counted(self, tally: Bundle) -> set[str] | None:
        """The columns that were counted; None where the learner looks at none."""
        return None

    def _width(self, schema: Schema) -> int:
        """How many columns there are to learn from."""
        return len(schema.columns)

    def _learn(self, learned: TallyState, patient: bool = False) -> None:
        """Solve first, then change: a failure leaves the estimator as it was.

        A patient estimator remembers rows that cannot be solved yet (one row has no variance), and
        says why when it is asked for an answer.
        """
        model = None
        with within_doubles():
            try:
                model = self._solved_state(learned)
            except (InputError, OptionError):
                if not patient:
                    raise
        self.schema_, self.tally_, self.model_ = learned.schema, learned.tally, model
        self._remember(learned.call_style, learned.unanswered)
        self._shaped = learned.shape
        self._derive()

    def _unlearn(self) -> None:
        for name in [*vars(self)]:
            if name.endswith("_") or name in FITTED_PRIVATELY:
                delattr(self, name)

    def _merge_state(self) -> TallyState | None:
        if not self.__sklearn_is_fitted__():
            return None
        if self.tally_ is None and not self.tallied:
            raise MergeError(UNTALLIED)
        if self.tally_ is None:
            raise MergeError(LET_GO)
        for (name, then), (_, now) in zip(self._shaped, self.shape(), strict=True):
            if then != now:
                raise OptionError(
                    f"{name} was {then!r} when the rows were counted, and is {now!r} now. "
                    "Fit again, or set it back."
                )
        return self._state()

    def _state(self) -> TallyState:
        return TallyState(
            self.schema_, self.tally_, self._call_style(), self._shaped, self.unanswered_
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "schema_")

    def _aim(self, X: Any, y: Any) -> Aim:
        """What the target is read as; a tuple where there are several, None for no target."""
        return self.task

    def _table(self, X: Any) -> Any:
        """What is read as the table, where a learner takes more than others do."""
        return X

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(type(self).__name__)
        if self.model_ is None:  # rows that could not be solved when they came
            with error_context(type(self).__name__):
                self.model_ = self._solved_state(self._state())
                self._derive()

    def _learning(self) -> FitLock:
        """A lock for one thread at a time; errors raised inside begin with the class name."""
        return FitLock(self)

    def _foretold(self, tally: Any, before: Any, classes: Any) -> Any:
        """The tally with the classes that may still come; a matter of classifiers."""
        if classes is not None:
            raise OptionError("classes= goes with a classifier.")
        return tally

    def _check_options(self) -> None:
        """Raise an OptionError for an option whose value is not one that it declares."""
        for each in self._checked:
            value = getattr(self, each.name)
            if value is not each.default:
                each.check(type(self).__name__, value)
        self._check_combinations()

    def _check_combinations(self) -> None:
        """Raise an OptionError for options that do not go join_blocks."""

    def _check_stored(self) -> None:
        """What a file says can have been learned: a ValueError says what cannot.

        The fields of all structures have their form by now, and the schema is one.
        """
        self._check_options()
        check_schema(self.schema_, self.kinds, type(self).__name__)
        self.model_.check(self.schema_)
        if self.tally_ is None:
            return
        if not isinstance(self.tally_, Bundle) or "target" not in self.tally_:
            raise ValueError("its tally is no tally")
        self._check_tally(self.tally_, self.schema_)
        if reason := self.tally_.impossible():
            raise ValueError(f"no rows can have been counted so ({reason})")
        self.tally_ = updated(self.tally_)
        self._shaped = self.shape()

    def _derive(self) -> None:
        """The attributes that scikit-learn's users look for."""
        self.n_features_in_ = len(self.schema_.columns)
        if self.schema_.named:
            self.feature_names_in_ = np.array(self.schema_.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    @property
    def _estimator_type(self) -> str | None:
        return self.task

    def _add_tags(self, tags: Any) -> None:
        """What a learner has to say about itself to scikit-learn."""

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

        tags = Tags(
            estimator_type=self.task,
            target_tags=TargetTags(required=self.task is not None),
            classifier_tags=ClassifierTags() if self.task == "classifier" else None,
            regressor_tags=RegressorTags() if self.task == "regressor" else None,
            input_tags=InputTags(allow_nan=True, string=True, categorical=True),
        )
        self._add_tags(tags)
        return tags

    def set_fit_request(self, *, sample_weight: bool | str | None) -> Self:
        """Whether a pipeline hands ``sample_weight`` to ``fit`` (metadata routing)."""
        return self._request("fit", sample_weight)

    def set_partial_fit_request(self, *, sample_weight: bool | str | None) -> Self:
        """Whether a pipeline hands ``sample_weight`` to ``partial_fit``."""
        return self._request("partial_fit", sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Whether a pipeline hands ``sample_weight`` to ``score``."""
        return self._request("score", sample_weight)

    def get_metadata_routing(self) -> Any:
        """What this estimator asks of scikit-learn's metadata routing."""
        from copy import deepcopy

        from sklearn.utils.metadata_routing import MetadataRequest

        if hasattr(self, "_metadata_request"):
            return deepcopy(self._metadata_request)
        routing = MetadataRequest(owner=type(self).__name__)
        for method in ("fit", "partial_fit", "score"):
            call = getattr(self, method, None)
            if call and "sample_weight" in inspect.signature(call).parameters:
                getattr(routing, method).add_request(param="sample_weight", alias=None)
        return routing

    def _request(self, method: str, wanted: bool | str | None) -> Self:
        routing = self.get_metadata_routing()
        getattr(routing, method).add_request(param="sample_weight", alias=wanted)
        self._metadata_request = routing
        return self

    def _in_range(
        self, name: str, low: float, high: float = float("inf"), *, open_low: bool = False
    ) -> float:
        """A numeric parameter, or an error in scikit-learn's words."""
        value = getattr(self, name)
        number = isinstance(value, Real) and (finite(value) or low == -math.inf)
        if (
            isinstance(value, bool)
            or not number
            or not low <= value <= high
            or (open_low and value == low)
        ):
            left, right = "(" if open_low else "[", ")" if high == float("inf") else "]"
            raise OptionError(
                f"The {name!r} parameter of {type(self).__name__} must be a float in the range "
                f"{left}{low}, {high}{right}. Got {short_repr(value)} instead."
            )
        return float(value)

    def _check_truth(self, *names: str) -> None:
        """Parameters that are True or False, and nothing that could pass for it."""
        for name in names:
            if not isinstance(value := getattr(self, name), bool | np.bool_):
                raise OptionError(
                    f"The {name!r} parameter of {type(self).__name__} must be True or False. "
                    f"Got {short_repr(value)} instead."
                )

    def _one_of(self, name: str, allowed: Iterable[object]) -> Any:
        """A parameter from a list."""
        value = getattr(self, name)
        if not isinstance(value, str | type(None)) or value not in allowed:
            raise OptionError(
                f"The {name!r} parameter of {type(self).__name__} must be one of "
                f"{quoted_list(allowed, 20)}. Got {short_repr(value)} instead."
            )
        return value

    @AvailableIf("predicts")
    def predict(self, X: Any) -> Array:
        """The prediction for every row."""
        return self._mapped(X, self.answers)

    @AvailableIf("predicts")
    def explain(self, X: Any) -> Explanation:
        """The evidence for every row, as it adds up to the prediction."""
        self._check_fitted()
        with error_context(type(self).__name__):
            found = [self._evidence(block) for block in self._blocks(X)]
        return Explanation(tuple(row for part in found for row in part))

    def _evidence(self, block: Block) -> list[Evidence]:
        if self.task == "regressor":
            self.answers(block)  # what cannot be predicted is an error here too
        with np.errstate(over="ignore", invalid="ignore"):
            return note_unseen(self.model_.evidence(block), self.model_, block)

    def show_work(self) -> Derivation:
        """How the model came out of its rows, step by step."""
        self._check_fitted()
        work: Derivation = self.model_.derivation(self.schema_)
        return work

    @property
    def cautions_(self) -> tuple[str, ...]:
        """Warnings about the table of ``fit``, as ``tl.problem`` gives them.

        Rows are looked at when this is first asked: of a table in memory at most 8 192, put aside
        by ``fit`` (of ``fit(X, y)`` 1 024, of which no column was left out), of files the first
        65 536, as they stand there now. No pickle or file has them.
        """
        self._check_fitted()
        return self._table_sample.warnings_for(self)

    def _blocks(self, X: Any) -> Iterator[Block]:
        return self._rows(X).blocks()

    def _rows(self, X: Any) -> DeclaredTable:
        X = _row_of_frame(X, self.schema_.names)
        return read_rows(self._table(X), self.schema_, self._by_name, type(self).__name__)

    def _mapped(self, X: Any, call: Callable[[Block], Array]) -> Array:
        return np.concatenate(self._each(X, call))

    def _each(self, X: Any, call: Callable[[Block], Answer]) -> list[Answer]:
        """What a call makes of every block; some row there is."""
        self._check_fitted()
        with error_context(type(self).__name__):
            parts = list(engines.current_engine().map(call, self._rows(X)))
            if not parts or not sum(map(len, parts)):
                check_size(0, self.n_features_in_)
        return parts
