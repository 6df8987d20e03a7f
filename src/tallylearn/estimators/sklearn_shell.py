"""The shell: scikit-learn's manners, worn without importing scikit-learn."""

from __future__ import annotations

import copy
import html
import inspect
import math
import sys
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np

from tallylearn.errors import OptionError, listed, not_fitted, told
from tallylearn.estimators import fit_warnings
from tallylearn.estimators.call_style import Manner
from tallylearn.estimators.constructor_repr import shortest_call
from tallylearn.estimators.fit_lock import Learning
from tallylearn.estimators.missing_targets import NONE, Unanswered
from tallylearn.estimators.option_values import finite
from tallylearn.estimators.options import Option, declare, fitted, option
from tallylearn.estimators.schema_checks import checked
from tallylearn.sources.columns.class_labels import Aim
from tallylearn.tables import FREQUENCY, IMPORTANCE, SAMPLE_WEIGHT, Schema

SHOWN = 6  # columns, and classes, in a repr
WEIGHTS_NAMED = {IMPORTANCE: "importances", SAMPLE_WEIGHT: "sample weights"}
GATHERED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def spelled(learner: Any) -> str:
    """The call that makes a learner, of whatever house, without what it has learned."""
    return learner.spelled() if isinstance(learner, Estimator) else repr(learner)


def cloned(estimator: Any) -> Any:
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
        return cloned(option)
    if type(option) in (list, tuple):
        return type(option)(map(_anew, option))
    return option


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(option, fitted))
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
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}  # options that go by a name together
    formerly: ClassVar[Mapping[str, Any]] = {}  # options that files lack, as their writers had them
    unanswered_: Unanswered = NONE  # the rows that lacked their target when they were learned
    _by_name: bool
    _label_type: str
    _declared: ClassVar[Mapping[str, Option]] = {}
    _checked: ClassVar[tuple[Option, ...]] = ()  # those declared that are in the signature

    def __init_subclass__(cls, *, options: Iterable[str] | None = None, **given: Any) -> None:
        """Make the constructor; ``options`` are those of it, where inherited ones are left out."""
        super().__init_subclass__(**given)
        cls._declared = declare(cls, options)
        named = cls._declared and cls.options()
        cls._checked = tuple(each for name, each in cls._declared.items() if name in named)

    @classmethod
    def options(cls) -> tuple[str, ...]:
        """The names of the parameters, in the order of the signature."""
        found = inspect.signature(cls.__init__).parameters.values()
        return tuple(p.name for p in found if p.name != "self" and p.kind not in GATHERED)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self.options()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; they act at the next ``fit``."""
        known = self.options()
        for name, value in params.items():
            if name not in known:
                raise OptionError(
                    f"Invalid parameter {name!r} for estimator {self.spelled()}. "
                    f"Valid parameters are: {sorted(known)!r}."
                )
            setattr(self, name, value)
        return self

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
            columns += f" ({listed(names, SHOWN)})"
        rows, classes = self._counted_rows(), getattr(self, "classes_", None)
        counted = ""
        if rows is not None:
            many = f"{int(rows):,} row{'s' if rows != 1 else ''}"
            many = many if rows.is_integer() else f"weight {rows:,.6g}"
            meant = {IMPORTANCE: ", by importance,", SAMPLE_WEIGHT: ", with sample weights,"}
            counted = f"{many}{meant.get(self._weight_kind(), '')} of "
        told = "" if classes is None else f", classes {listed(classes.tolist(), SHOWN)}"
        left_out = "".join(f"; {said}" for said in self.unanswered_.notes(self.target_name_))
        aside = f"; identifiers, not used: {listed(named, SHOWN)}" if named else ""
        return f"learned from {counted}{columns}{told}{aside}{left_out}"

    def _counted_rows(self) -> float | None:
        """How many rows were learned from; a tally counts their weights. None: nobody counted."""
        return None

    def _weight_kind(self) -> str:
        """What the weights of those rows mean, as far as it is known: see ``tables``."""
        return FREQUENCY

    def _said_of_weights(self) -> tuple[str, ...]:
        """What standard errors and tests take the weights of the rows for, where it is not rows."""
        rows, kind = self._counted_rows(), self._weight_kind()
        if kind == FREQUENCY or rows is None:
            return ()
        return (
            f"The weights of the rows are {WEIGHTS_NAMED[kind]}: errors and tests take them for "
            f"{rows:,.6g} rows.",
        )

    def _manner(self) -> Manner:
        """How the rows were passed that were learned."""
        return Manner(self._by_name, self._label_type, self.target_name_)

    def _remember(self, manner: Manner, unanswered: Unanswered) -> None:
        self._by_name, self._label_type = manner.by_name, manner.label_type
        self.target_name_, self.unanswered_ = manner.target, unanswered
        fit_warnings.let_go(self)

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

    def _learning(self) -> Learning:
        """One thread at a time; errors raised inside say who speaks."""
        return Learning(self)

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
        """Raise an OptionError for options that do not go together."""

    def _check_stored(self) -> None:
        """What a file says can have been learned: a ValueError says what cannot.

        The fields of all structures have their form by now, and the schema is one.
        """
        self._check_options()
        checked(self.schema_, self.kinds, type(self).__name__)
        self.model_.check(self.schema_)

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
                f"{left}{low}, {high}{right}. Got {told(value)} instead."
            )
        return float(value)

    def _check_truth(self, *names: str) -> None:
        """Parameters that are True or False, and nothing that could pass for it."""
        for name in names:
            if not isinstance(value := getattr(self, name), bool | np.bool_):
                raise OptionError(
                    f"The {name!r} parameter of {type(self).__name__} must be True or False. "
                    f"Got {told(value)} instead."
                )

    def _one_of(self, name: str, allowed: Iterable[object]) -> Any:
        """A parameter from a list."""
        value = getattr(self, name)
        if not isinstance(value, str | type(None)) or value not in allowed:
            raise OptionError(
                f"The {name!r} parameter of {type(self).__name__} must be one of "
                f"{listed(allowed, 20)}. Got {told(value)} instead."
            )
        return value
