"""The base class of all estimators, in the order of a model's life: fit, update, predict, save.

A learner implements `fit_passes(passes)`, or `tally(block)` and `solve(tally)`; the rest of this
file is the same for all of them. `Estimator._read_arguments` is where ``fit`` reads its arguments.
scikit-learn is imported only where it calls for something itself.
"""

from __future__ import annotations

import copy
import html
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np

from tallylearn import engines, modelfile
from tallylearn.errors import (
    ErrorContext,
    ForgetError,
    InputError,
    MergeError,
    OptionError,
    did_you_mean,
    error_context,
    not_fitted,
    quoted_list,
    short_repr,
)
from tallylearn.estimators.call_style import CallStyle
from tallylearn.estimators.counterfactual import (
    Counterfactual,
    class_goal,
    find_counterfactual,
    number_goal,
)
from tallylearn.estimators.estimator_repr import describe_fit, shortest_call
from tallylearn.estimators.fit_input import FitInput, read_fit_input, read_rows, retry_reading
from tallylearn.estimators.fit_lock import FitContext
from tallylearn.estimators.fit_warnings import sample_table
from tallylearn.estimators.missing_targets import DroppedRows, total
from tallylearn.estimators.options import Option, declare, fitted, fixed, option
from tallylearn.estimators.passes import (
    NO_NOTES,
    NO_TRAINING_INPUT,
    Learned,
    Notes,
    Passes,
    TrainingInput,
)
from tallylearn.estimators.schema_checks import check_schema
from tallylearn.estimators.sklearn_interface import AvailableIf, metadata_routing, tags_of
from tallylearn.estimators.tally_checks import (
    NO_TALLY_FOR_OPTIONS,
    NO_TALLY_KEPT,
    checked_tally,
    within_doubles,
)
from tallylearn.estimators.tally_state import TallyState
from tallylearn.estimators.unseen_categories import note_unseen
from tallylearn.runtime.deprecation import DeprecatedAttribute, current_names
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
    in_rows,
    kind_of_weights,
    number_of_rows,
    tally_row_counts,
    upgrade,
)
from tallylearn.workings import Derivation, Evidence, Explanation
from tallylearn.workings.reasons import reasons_of

Result = TypeVar("Result", Array, Block)
WEIGHTS_NAMED = {IMPORTANCE: "importances", SAMPLE_WEIGHT: "sample weights"}
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass_transform(
    kw_only_default=True, eq_default=False, field_specifiers=(option, fitted, fixed)
)
class Estimator:
    """Base class of all estimators.

    Options are stored as given, and checked by ``fit``.

    Attributes
    ----------
    schema_ : Schema
        The columns of the training table.
    model_ : object
        What was learned, a frozen dataclass; None while a tally cannot be solved yet.
    tally_ : Bundle or None
        The sums over the training rows; None for a model that cannot be merged or updated.
    notes_ : Notes
        What else there is to know of the last fit: dropped rows, warnings, how ``fit`` was called.
    """

    # What a learner declares
    task: ClassVar[str | None] = None  # classifier, regressor
    family: ClassVar[str] = ""  # generative, discriminative, baseline
    kinds: ClassVar[tuple[str, ...]] = ()  # the kinds of columns that it learns from
    composed: ClassVar[bool] = False  # of learners among its options, which its file holds too
    listed: ClassVar[tuple[str, ...]] = ()  # options that are lists, whatever labels they carry
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}  # names of sets of options
    renamed: ClassVar[Mapping[str, str]] = {}  # options by deprecated names, which still work
    formerly: ClassVar[Mapping[str, Any]] = {}  # options that old files lack, with their old values
    stored: ClassVar[tuple[type, ...]] = ()  # classes that a model file may hold, the model first
    shaping: ClassVar[tuple[str, ...]] = ()  # the options that change what is tallied
    counts_values: ClassVar[bool] = False  # whether a threshold counts the rows of a value
    predicts: ClassVar[bool] = False  # whether it has predict and explain
    takes_formula: ClassVar[bool] = False  # whether fit(table, "y ~ a * b") makes its columns
    keeps_tally: ClassVar[bool] = False  # whether it has tally, solve and _check_tally

    # What it implements: fit_passes, or these
    predictions: Any  # predictions(block) -> (n,) the predictions for its rows
    tally: Any  # tally(block) -> Bundle, whose part "target" counts the rows
    solve: Any  # solve(tally) -> the model; of the parts all but "target" may be lacking
    _check_tally: Any  # _check_tally(tally, schema): a ValueError says what is odd in a file's

    # What ``fit`` sets
    schema_: Schema
    model_: Any
    tally_: Any = None
    notes_: Notes = NO_NOTES

    _declared: ClassVar[Mapping[str, Option]] = {}
    _checked: ClassVar[tuple[Option, ...]] = ()  # declared options that are in the signature

    def __init_subclass__(cls, *, options: Iterable[str] | None = None, **given: Any) -> None:
        """Make the constructor; ``options`` are those of it, where inherited ones are left out."""
        super().__init_subclass__(**given)
        for old, new in vars(cls).get("renamed", {}).items():
            setattr(cls, old, DeprecatedAttribute(old, new))
        cls._declared = declare(cls, options)
        named = cls._declared and cls.options()
        cls._checked = tuple(each for name, each in cls._declared.items() if name in named)
        cls.keeps_tally = hasattr(cls, "_check_tally")

    # ----- fit ------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to a table: ``fit(X, y)``, or ``fit(table, "target")``.

        Parameters
        ----------
        X : table
            An array, a data frame, a list of rows, a path, a glob, or ``tl.table(...)``.
        y : array, str or None
            The target, or the name of its column. None: the table declares it.
        sample_weight : array, str or None
            Weights of the rows, or the name of their column.

        Returns
        -------
        Self
            The fitted estimator.
        """
        with self._fit_context("fit"):
            self._check_options()
            read = self._read_arguments(X, y, sample_weight)
            self.learn(read)
            self.notes_ = self.notes_._replace(
                sample=sample_table(read), training=self._training_input(read)
            )
        return self

    def _read_arguments(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        *,
        schema: Schema | None = None,
        more: bool = False,
    ) -> FitInput:
        """Read the arguments of ``fit``; with a schema, rows that match the fitted columns.

        With ``more``, further rows may follow, so no column of these is an identifier.
        """
        return read_fit_input(
            self._table(X),
            y,
            weight=sample_weight,
            who=type(self).__name__,
            aim=self._aim(X, y),
            schema=schema,
            more=more,
            classes=() if schema is None else self._labels,
        )

    def learn(self, read: FitInput) -> Self:
        """Fit to rows that are read; again with a column read otherwise, if a cell is unlike it."""
        self._store(retry_reading(read, self._fit_input), read.call_style)
        return self

    def _training_input(self, read: FitInput) -> TrainingInput:
        """What is kept of the rows of ``fit`` where no option says so; a matter of regressors."""
        return NO_TRAINING_INPUT

    def _fit_input(self, read: FitInput) -> Learned:
        """Fit to rows that are read; the result names the fitted columns too."""
        with self._passes(read) as passes, within_doubles():
            model, tally, notes, schema, kept = self.fit_passes(passes)
        if not notes.unanswered.of:
            notes = notes._replace(unanswered=passes.dropped_rows)
        if schema is None:
            schema = passes.schema if tally is None else self._fitted_schema(passes.schema, tally)
        return Learned(model, tally, notes, schema, kept)

    def _passes(self, read: FitInput) -> Passes:
        schema = check_schema(read.schema, self.kinds, type(self).__name__)
        return Passes(read, schema, self._width(schema))

    def fit_passes(self, passes: Passes) -> Learned:
        """Fit to the rows of a table: what a learner is. By default its tally is solved."""
        tally = self.sum_passes(passes)
        return Learned(self._solve_tally(tally), tally)

    def sum_passes(self, passes: Passes) -> Bundle:
        """The tally of all rows."""
        return checked_tally(passes.total(self.tally_block), f"{type(self).__name__}.tally")

    def _store(self, learned: Learned, call_style: CallStyle) -> None:
        """Change the estimator, once everything is known: a failure leaves it as it was."""
        self.model_, self.tally_, notes, schema, kept = learned
        assert schema is not None
        self.schema_ = schema
        for name, value in kept.items():
            setattr(self, name, value)
        self.notes_ = notes._replace(call_style=call_style, shape=self.shape())
        self._derive()

    # ----- fit from tallies: update, forget, merge --------------------------------------------

    @AvailableIf("keeps_tally")
    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Fit to more rows: exact tallies give the same bits as one fit to all of them.

        Parameters
        ----------
        X : table
            The rows, as for ``fit``.
        y : array-like or str, optional
            The target, or the name of its column.
        classes : array-like, optional
            All classes that may come, where the first rows lack some.
        sample_weight : array-like, number or str, optional
            The weight of each row.

        Returns
        -------
        self
            The fitted estimator.
        """
        with self._fit_context("partial_fit"):
            self._check_options()
            before = self._merge_state()
            if not self.uses_tally:
                raise OptionError(NO_TALLY_FOR_OPTIONS)
            known = None if before is None else before.schema
            read = self._read_arguments(X, y, sample_weight, schema=known, more=True)
            added = retry_reading(read, self._tally_state)
            counted = None if before is None else before.tally
            added = replace(added, tally=self._declare_classes(added.tally, counted, classes))
            self._store_state(added if before is None else before + added, may_wait=True)
        return self

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Remove training rows: the same bits as if they had never been seen.

        Rows that cannot have been among the training rows are an error, as far as counts and sums
        show it. Without its last row the estimator is not fitted any more.

        Parameters
        ----------
        X : table
            The rows to remove, as for ``fit``.
        y : array-like or str, optional
            Their target, or the name of its column.
        sample_weight : array-like, number or str, optional
            The weights that the rows had in ``fit``.

        Returns
        -------
        self
            The estimator without those rows.

        Examples
        --------
        >>> import tallylearn as tl
        >>> model = tl.NaiveBayes().fit([["red"], ["red"], ["blue"]], ["a", "b", "b"])
        >>> less = tl.NaiveBayes().fit([["red"], ["blue"]], ["a", "b"])
        >>> model.forget([["red"]], ["b"]).predict_proba([["red"]]) == less.predict_proba([["red"]])
        array([[ True,  True]])
        """
        with self._fit_context("forget"):
            if not self.keeps_tally:
                self._check_fitted()
                raise ForgetError(
                    "this model keeps no tally, so no row can be removed from it. Fit again "
                    "without those rows."
                )
            before = self._merge_state()
            if before is None:
                self._check_fitted()
                return self
            read = self._read_arguments(X, y, sample_weight, schema=before.schema)
            left = self._subtract(before, read)
            if left.tally:
                self._store_state(left, may_wait=True)
            else:
                self._clear()
        return self

    def _subtract(self, before: TallyState, read: FitInput) -> TallyState:
        """The state without the rows that are read, or a ForgetError if it lacks them."""
        before.call_style.check_several(read.call_style)  # a column may have been renamed since
        removed, dropped = total(self.tally_block, read)
        dropped.check(read.target)
        before.check_weights(removed)
        rest = before.tally
        if removed is not None:
            rest = rest - as_counted_in(removed, rest)
        if reason := rest.impossible():
            raise ForgetError(
                f"these rows are not among the training rows ({reason}). The model is unchanged. "
                "Pass rows that were in 'fit', with the weights they had."
            )
        schema = self._fitted_schema(before.schema, rest) if rest else before.schema
        return replace(before, schema=schema, tally=rest, unanswered=dropped)

    def learn_tally(self, read: FitInput, tally: Bundle) -> Self:
        """Fit to a tally of some of the rows that are read, such as those of a fold.

        Parameters
        ----------
        read : FitInput
            The table, as ``fit`` reads it.
        tally : Bundle
            The tally of the training rows.

        Returns
        -------
        Self
            The fitted estimator.
        """
        schema = check_schema(read.schema, self.kinds, type(self).__name__)
        schema = self._fitted_schema(schema, tally)
        self._store_state(TallyState(schema, tally, read.call_style, self.shape()))
        return self

    def _tally_state(self, read: FitInput) -> TallyState:
        """The tally of rows that are read, with what is known of these rows."""
        with self._passes(read) as passes:
            tally = self.sum_passes(passes)
        schema = self._fitted_schema(passes.schema, tally)
        return TallyState(schema, tally, read.call_style, self.shape(), passes.dropped_rows)

    def _store_state(self, state: TallyState, may_wait: bool = False) -> None:
        """Solve a tally, then change the estimator: a failure leaves it as it was.

        With ``may_wait`` a tally that cannot be solved yet (one row has no variance) is kept, and
        the error is raised when a model is needed.
        """
        model = None
        with within_doubles():
            try:
                model = self._solve_state(state)
            except (InputError, OptionError):
                if not may_wait:
                    raise
        self.schema_, self.tally_, self.model_ = state.schema, state.tally, model
        self.notes_ = Notes(state.unanswered, call_style=state.call_style, shape=state.shape)
        self._derive()

    def _merge_state(self) -> TallyState | None:
        """The fitted tally, if more rows may be added to it; None for an estimator without rows."""
        if not self.__sklearn_is_fitted__():
            return None
        if self.tally_ is None:
            raise MergeError(NO_TALLY_KEPT if self.uses_tally else NO_TALLY_FOR_OPTIONS)
        for (name, then), (_, now) in zip(self.notes_.shape, self.shape(), strict=True):
            if then != now:
                raise OptionError(
                    f"{name} was {then!r} when the rows were counted, and is {now!r} now. "
                    "Fit again, or set it back."
                )
        return self._state()

    def _state(self) -> TallyState:
        return TallyState(
            self.schema_, self.tally_, self._call_style(), self.notes_.shape, self.unanswered_
        )

    def _clear(self) -> None:
        """Remove everything that ``fit`` has set."""
        for name in [*vars(self)]:
            if name.endswith("_"):
                delattr(self, name)

    # ----- what a learner with a tally may override -------------------------------------------

    @property
    def uses_tally(self) -> bool:
        """Whether these options can be solved from a tally."""
        return self.keeps_tally

    def shape(self) -> tuple[tuple[str, Any], ...]:
        """The options that change what is tallied.

        Two estimators of one class can share a tally if their shapes are equal.

        Returns
        -------
        tuple of (str, Any)
            Names and values of options.
        """
        return tuple((option, getattr(self, option)) for option in self.shaping)

    def tally_block(self, block: Block) -> Bundle:
        """Tally a block; if weights are not frequencies, count its rows, too.

        Parameters
        ----------
        block : Block
            The rows.

        Returns
        -------
        Bundle
            The tally.
        """
        return self._with_row_counts(self.tally(block), block)

    def _with_row_counts(self, tally: Bundle, block: Block) -> Bundle:
        if block.weight is None or not isinstance(tally, Bundle):
            return tally
        rows = tally_row_counts(block, tally.get("target"), self.counts_values)
        return Bundle({**tally.parts, **rows.parts})

    def _solve_tally(self, tally: Bundle) -> Any:
        """The model of a tally as it was counted."""
        return self.solve(self._in_rows(tally))

    def _solve_state(self, state: TallyState) -> Any:
        """The model of a tally, given what else is known of its rows."""
        return self._solve_tally(state.tally)

    def _in_rows(self, tally: Bundle) -> Bundle:
        """The tally that is solved, where rows have weights that are no frequencies."""
        return in_rows(tally, self._takes_weights_as_given)

    @property
    def _takes_weights_as_given(self) -> bool:
        """Whether the scale of sample weights matters: a penalty or a prior is set against them."""
        return False

    def leave_one_out(self, tally: Bundle, block: Block) -> Array | None:
        """Score or predict every row by the model of all other rows, solved at once.

        Parameters
        ----------
        tally : Bundle
            The tally of all rows.
        block : Block
            The rows.

        Returns
        -------
        array or None
            The scores or predictions. None: solve without each row, one after the other.
        """
        return None

    def _declare_classes(self, tally: Any, before: Any, classes: Any) -> Any:
        """The tally with the classes that may still come; a matter of classifiers."""
        if classes is not None:
            raise OptionError("classes= is for classifiers. Leave it out.")
        return tally

    def _fitted_schema(self, schema: Schema, tally: Bundle) -> Schema:
        """The schema, with columns of which nothing was counted as unknown, whatever their type."""
        counted = self._list_counted_columns(tally)
        if counted is None or counted.issuperset(schema.names):
            return schema
        columns = (
            c if c.name in counted or c.values or c.kind == IDENTIFIER else Column(c.name, UNKNOWN)
            for c in schema.columns
        )
        return replace(schema, columns=tuple(columns))

    def _list_counted_columns(self, tally: Bundle) -> set[str] | None:
        """The columns that have counts in a tally; None for a learner that uses none."""
        return None

    # ----- what any learner may override ------------------------------------------------------

    def _aim(self, X: Any, y: Any) -> Aim:
        """What the target is read as; a tuple where there are several, None for no target."""
        return self.task

    def _table(self, X: Any) -> Any:
        """What is read as the table, where a learner takes more than others do."""
        return X

    def _width(self, schema: Schema) -> int:
        """How many columns there are to learn from."""
        return len(schema.columns)

    def _derive(self) -> None:
        """Set the attributes that scikit-learn's users look for."""
        self.n_features_in_ = len(self.schema_.columns)
        if self.schema_.named:
            self.feature_names_in_ = np.array(self.schema_.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_combinations(self) -> None:
        """Raise an OptionError for options that do not go together."""

    def _add_tags(self, tags: Any) -> None:
        """Change the tags that scikit-learn reads."""

    # ----- predict ----------------------------------------------------------------------------

    @AvailableIf("predicts")
    def predict(self, X: Any) -> Array:
        """Predict the target of every row.

        Parameters
        ----------
        X : table
            Rows with the columns of ``fit``; one row may be a dict.

        Returns
        -------
        ndarray of shape (n,)
            Classes in the type of ``classes_``, or numbers; with several targets, (n, targets).
        """
        return self._map_rows(X, self.predictions, "predict")

    @AvailableIf("predicts")
    def explain(self, X: Any) -> Explanation:
        """Show the calculation of every prediction.

        Parameters
        ----------
        X : table
            Rows to predict.

        Returns
        -------
        Explanation
            For each row the terms that add up to its prediction. Printing it shows them.
        """
        with self._error_context("explain"):
            self._check_fitted()
            found = [self._evidence(block) for block in self._read_blocks(X)]
        return Explanation(tuple(row for part in found for row in part))

    @AvailableIf("task")
    def counterfactual(
        self,
        X: Any,
        target: Any = None,
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        columns: Sequence[str] | str | None = None,
        fixed: Sequence[str] | str = (),
        table: Any = None,
    ) -> Counterfactual:
        """Find the smallest change of one or two columns of a row that changes its prediction.

        One column comes before two, then the smaller sum of the changes in standard deviations; a
        changed category counts as one. The result is exact for trees, and for one column of linear
        models, naive Bayes and discriminants; ``exact`` says so.

        Parameters
        ----------
        X : table
            One row: a dict, or a table of one row.
        target : Any, optional
            The class that is wanted. None: any other than the predicted one.
        at_least, at_most : float, optional
            Of a regressor: where the prediction has to be.
        columns : str or list of str, optional
            The columns that may change. None: all.
        fixed : str or list of str, optional
            Columns that may not change.
        table : table, optional
            Rows whose standard deviations and values are used. None: the training rows, where
            they are still in memory; of a model file what its tally or its trees tell.

        Returns
        -------
        Counterfactual
            The changes, and the changed row.

        Examples
        --------
        >>> import tallylearn as tl
        >>> model = tl.ID3().fit(tl.example("tennis"))
        >>> row = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
        >>> found = model.counterfactual(row)
        >>> [(change.column, change.new) for change in found.changes], found.after
        ([('Outlook', 'Overcast')], 'Yes')
        """
        with self._error_context("counterfactual"):
            self._check_fitted()
            if self.task == "regressor":
                goal = number_goal(self, target, at_least, at_most)
            else:
                goal = class_goal(self, X, target, {"at_least": at_least, "at_most": at_most})
            return find_counterfactual(self, X, goal, (columns, fixed), table)

    def _evidence(self, block: Block) -> list[Evidence]:
        if self.task == "regressor":
            self.predictions(block)  # what cannot be predicted is an error here too
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.model_.evidence(block)
            sums = self.model_.contributions(block, found)
            if sums is not None:
                classes, target = self._labels, self.target_name_
                found = [
                    replace(row, why=reasons_of(terms, classes, row.chosen, target))
                    for row, terms in zip(found, sums, strict=True)
                ]
            return note_unseen(found, self.model_, block)

    def _read_blocks(self, X: Any) -> Iterator[Block]:
        return self._read_rows(X).blocks()

    def _read_rows(self, X: Any) -> DeclaredTable:
        X = _row_of_frame(X, self.schema_.names)
        return read_rows(self._table(X), self.schema_, self._by_name, type(self).__name__)

    def _map_rows(self, X: Any, call: Callable[[Block], Array], method: str) -> Array:
        """The results of ``call(block)`` for all rows, in one array; errors name the method."""
        return np.concatenate(self._map_blocks(X, call, method))

    def _map_blocks(self, X: Any, call: Callable[[Block], Result], method: str) -> list[Result]:
        """The result of ``call(block)`` for every block; no row at all is an error."""
        with self._error_context(method):
            self._check_fitted()
            parts = list(engines.current_engine().map(call, self._read_rows(X)))
            if not parts or not sum(map(len, parts)):
                check_size(0, self.n_features_in_)
        return parts

    # ----- what is known of a fit -------------------------------------------------------------

    def show_work(self, full: bool = False) -> Derivation:
        """Show how the model is calculated from its training rows, step by step.

        Parameters
        ----------
        full : bool, default False
            Whether to show every step; else the first ones, and the others in a table.

        Returns
        -------
        Derivation
            Tables and formulas; ``save`` writes them as HTML, Markdown, JSON or text.
        """
        self._check_fitted()
        if not isinstance(full, bool):
            raise OptionError(
                f"{type(self).__name__}.show_work: full is {short_repr(full)}. Pass True or False."
            )
        return self._working(full)

    def _working(self, full: bool) -> Derivation:
        work: Derivation = self.model_.derivation(self.schema_)
        return work

    @property
    def cautions_(self) -> tuple[str, ...]:
        """Warnings about the table of ``fit``, as ``tl.problem`` gives them.

        They are computed when they are first read, from at most 8 192 rows of a table in memory
        (1 024 after ``fit(X, y)``) or the first 65 536 rows of files. Pickles, model files and
        merged models have none.
        """
        self._check_fitted()
        return self.notes_.sample.warnings_for(self)

    @property
    def unanswered_(self) -> DroppedRows:
        """The rows that lacked their target in ``fit``, and those dropped for missing values."""
        return self.notes_.unanswered

    @property
    def target_name_(self) -> str | None:
        """The name of the target, where it is a column."""
        return self.notes_.call_style.target

    @property
    def _by_name(self) -> bool:
        return self.notes_.call_style.by_name

    @property
    def _label_type(self) -> str:
        return self.notes_.call_style.label_type

    @property
    def _labels(self) -> tuple[Any, ...]:
        """The classes that were learned so far; none of a regression."""
        return tuple(getattr(self, "classes_", ()))

    def _call_style(self) -> CallStyle:
        """How ``fit`` was called."""
        return self.notes_.call_style

    def _count_training_rows(self) -> float | None:
        """The number of training rows, or their total weight; None where nobody counted."""
        tally = self.tally_
        if tally is None:
            return None
        return float(number_of_rows(tally) if compares(tally) else tally["target"].weight)

    def _weight_kind(self) -> str:
        """What the weights of those rows mean, as far as it is known: see ``tables``."""
        return FREQUENCY if self.tally_ is None else kind_of_weights(self.tally_)

    def _weight_notes(self) -> tuple[str, ...]:
        """What standard errors and tests take the weights of the rows for, where it is not rows."""
        rows, kind = self._count_training_rows(), self._weight_kind()
        if kind == FREQUENCY or rows is None:
            return ()
        return (
            f"The weights are {WEIGHTS_NAMED[kind]}: standard errors and tests use "
            f"{rows:,.6g} rows.",
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "schema_")

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(type(self).__name__)
        if self.model_ is None:  # rows that could not be solved when they came
            with error_context(type(self).__name__):
                self.model_ = self._solve_state(self._state())
                self._derive()

    def _fit_context(self, method: str) -> FitContext:
        """A lock for one thread at a time; errors raised inside begin with ``Class.method: ``."""
        return FitContext(self, method)

    def _error_context(self, method: str) -> ErrorContext:
        """A context in which errors begin with ``Class.method: ``."""
        return error_context(f"{type(self).__name__}.{method}")

    # ----- save and load ----------------------------------------------------------------------

    def save(self, path: str | Path, tally: bool = True) -> None:
        """Write a model file.

        Parameters
        ----------
        path : str or Path
            The file, such as ``"loans.tally"``.
        tally : bool, default True
            Whether the file holds the tally. A model without it predicts, and cannot be merged or
            updated.
        """
        with self._fit_context("save"):
            self._check_fitted()
            if not isinstance(tally, bool):
                raise OptionError(f"tally is {short_repr(tally)}. Pass True or False.")
            tally = tally and self.keeps_tally
            if tally and self.tally_ is not None:
                self._merge_state()
            modelfile.save(self, path, tally=tally and self.uses_tally)

    def _restore(
        self, *, schema: Any, tally: Any, model: Any, by_name: Any, label_type: Any, target: Any
    ) -> None:
        """Set what a model file holds; `_check_stored` and `_derive` follow."""
        self.schema_, self.tally_, self.model_ = schema, tally, model
        self.notes_ = Notes(call_style=CallStyle(by_name, label_type, target))

    def _check_stored(self) -> None:
        """Raise a ValueError for what cannot have been learned; a file comes from strangers.

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
        self.tally_ = upgrade(self.tally_)
        self.notes_ = self.notes_._replace(shape=self.shape())

    # ----- options ----------------------------------------------------------------------------

    @classmethod
    def options(cls) -> tuple[str, ...]:
        """The names of the parameters, in the order of the signature."""
        found = inspect.signature(cls.__init__).parameters.values()
        return tuple(p.name for p in found if p.name != "self" and p.kind not in VARIADIC)

    @classmethod
    def from_stored(cls, name: str, options: Mapping[str, Any]) -> Any:
        """The estimator of a model file, by the name and the options that it was stored under."""
        return cls(**{**cls.formerly, **options})

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the estimator, by name.

        Parameters
        ----------
        deep : bool, default True
            Whether to include the parameters of estimators inside this one.

        Returns
        -------
        dict
            Names and values.
        """
        return {name: getattr(self, name) for name in self.options()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; the next ``fit`` uses them.

        Parameters
        ----------
        **params : Any
            New values, by name.

        Returns
        -------
        Self
            The estimator.
        """
        known = self.options()
        if self.renamed:
            params = current_names(type(self), params, self.renamed)
        for name, value in params.items():
            if name not in known:
                raise OptionError(
                    f"Invalid parameter {name!r} for estimator {self.constructor_call()}. "
                    f"Valid parameters are: {sorted(known)!r}."
                )
            setattr(self, name, value)
        return self

    def _set_renamed(self, given: Mapping[str, Any]) -> None:
        """Set options that the constructor was given by their deprecated names.

        Raise a TypeError, as Python does, for a name that is none of those.
        """
        name = type(self).__name__
        for old in given:
            if old not in self.renamed:
                known = self.options()
                raise TypeError(
                    f"{name}.__init__() got an unexpected keyword argument {old!r}."
                    + (
                        did_you_mean(old, known)
                        or f" Choose from {quoted_list(known, len(known))}."
                    )
                )
        for new, value in current_names(type(self), given, self.renamed).items():
            if getattr(self, new) is not self._declared[new].default:
                raise OptionError(
                    f"{name}: {new} is given twice, once by a deprecated name. Leave one out."
                )
            setattr(self, new, value)

    def _check_options(self) -> None:
        """Raise an OptionError for an option whose value is not one that it declares."""
        for each in self._checked:
            value = getattr(self, each.name)
            if value is not each.default:
                each.check(type(self).__name__, value)
        self._check_combinations()

    def _one_of(self, name: str, allowed: Iterable[object]) -> Any:
        """A parameter from a list."""
        value = getattr(self, name)
        if not isinstance(value, str | type(None)) or value not in allowed:
            raise OptionError(
                f"The {name!r} parameter of {type(self).__name__} must be one of "
                f"{quoted_list(allowed, 20)}. Got {short_repr(value)} instead."
            )
        return value

    def check_input(self, read: FitInput, rows: int) -> None:
        """Raise an error if these options do not allow a fit to so many rows.

        Parameters
        ----------
        read : FitInput
            The table, as ``fit`` reads it.
        rows : int
            Number of training rows.
        """
        with self._error_context("fit"):
            self._check_options()
            schema = check_schema(read.schema, self.kinds, type(self).__name__)
            check_size(rows, self._width(schema))

    # ----- text -------------------------------------------------------------------------------

    def constructor_call(self) -> str:
        """Return the call that makes this estimator, with options that differ from the default.

        Returns
        -------
        str
            The call, such as ``NaiveBayes(alpha=0)``.
        """
        options = self.get_params(deep=False)
        parameters = inspect.signature(type(self).__init__).parameters
        defaults = {name: parameters[name].default for name in options}
        return shortest_call(type(self).__name__, options, defaults, self.presets)

    def __repr__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return self.constructor_call()
        return f"{self.constructor_call()} {describe_fit(self)}"

    def _repr_html_(self) -> str:
        state = describe_fit(self) if self.__sklearn_is_fitted__() else "not fitted"
        return (
            '<pre style="border-left:3px solid #888;padding:.3em .8em">'
            f"{html.escape(self.constructor_call())}<br><small>{html.escape(state)}</small></pre>"
        )

    # ----- scikit-learn -----------------------------------------------------------------------

    @property
    def _estimator_type(self) -> str | None:
        return self.task

    def __sklearn_tags__(self) -> Any:
        return tags_of(self)

    def get_metadata_routing(self) -> Any:
        """The metadata that scikit-learn's pipelines pass to this estimator.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
            The requests of ``fit``, ``partial_fit`` and ``score``.
        """
        return metadata_routing(self)

    def set_fit_request(self, *, sample_weight: bool | str | None) -> Self:
        """Set whether a pipeline passes ``sample_weight`` to ``fit`` (metadata routing).

        Parameters
        ----------
        sample_weight : bool, str or None
            True passes it, False does not, None refuses it; a str is its name in the pipeline.

        Returns
        -------
        Self
            The estimator.
        """
        return self._request_weights("fit", sample_weight)

    def set_partial_fit_request(self, *, sample_weight: bool | str | None) -> Self:
        """Set whether a pipeline passes ``sample_weight`` to ``partial_fit`` (metadata routing).

        Parameters
        ----------
        sample_weight : bool, str or None
            True passes it, False does not, None refuses it; a str is its name in the pipeline.

        Returns
        -------
        Self
            The estimator.
        """
        return self._request_weights("partial_fit", sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Set whether a pipeline passes ``sample_weight`` to ``score`` (metadata routing).

        Parameters
        ----------
        sample_weight : bool, str or None
            True passes it, False does not, None refuses it; a str is its name in the pipeline.

        Returns
        -------
        Self
            The estimator.
        """
        return self._request_weights("score", sample_weight)

    def _request_weights(self, method: str, alias: bool | str | None) -> Self:
        routing = self.get_metadata_routing()
        getattr(routing, method).add_request(param="sample_weight", alias=alias)
        self._metadata_request = routing
        return self


def constructor_call(learner: Any) -> str:
    """The call that makes a learner, of any library, without what it has learned."""
    return learner.constructor_call() if isinstance(learner, Estimator) else repr(learner)


def one_explanation(estimator: Estimator, X: Any) -> Evidence:
    """The explanation of the prediction of a single row."""
    found = estimator.explain(X)
    if len(found) != 1:
        raise InputError(
            f"{type(estimator).__name__}.steps: the table has {len(found)} rows, and the steps are "
            "those of one prediction. Pass one row, such as a dict of its cells."
        )
    return found[0]


def clone_estimator(estimator: Any) -> Any:
    """The same estimator, not fitted."""
    if isinstance(estimator, Estimator):
        options = estimator.get_params(deep=False)
        copied = type(estimator)(**{name: _clone_option(value) for name, value in options.items()})
        if (wanted := getattr(estimator, "_sklearn_output_config", None)) is not None:
            vars(copied)["_sklearn_output_config"] = dict(wanted)  # as scikit-learn's clone does
        return copied
    theirs = sys.modules.get("sklearn.base")
    if theirs is not None and hasattr(estimator, "get_params"):
        return theirs.clone(estimator)
    return copy.deepcopy(estimator)


def _clone_option(value: Any) -> Any:
    """An option of a clone: learners among the options are cloned too."""
    if isinstance(value, Estimator):
        return clone_estimator(value)
    if type(value) in (list, tuple):
        return type(value)(map(_clone_option, value))
    return value


def _row_of_frame(X: Any, names: Sequence[str]) -> Any:
    """A row of a frame, a pandas Series labelled by the columns, as a dict; all else as it is."""
    if getattr(X, "ndim", 0) != 1 or not hasattr(X, "to_dict") or not hasattr(X, "index"):
        return X
    labels = {*X.index} if X.index.is_unique else set()  # numbers, of a column
    return X.to_dict() if labels & {*names} else X
