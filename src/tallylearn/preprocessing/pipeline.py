"""Pipelines: transformers and a final estimator as one estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

from tallylearn.errors import KindError, OptionError, error_context
from tallylearn.estimators import Classifier, Regressor
from tallylearn.estimators.estimator import clone_estimator
from tallylearn.estimators.fit_input import FitInput, retry_reading
from tallylearn.estimators.options import fitted, option
from tallylearn.estimators.output_containers import to_container
from tallylearn.estimators.passes import Learned
from tallylearn.estimators.schema_checks import check_schema
from tallylearn.preprocessing.fitted_pipeline import Chain
from tallylearn.preprocessing.imputer import SimpleImputer
from tallylearn.preprocessing.steps import (
    Stepped,
    active_steps,
    check_steps,
    named_steps,
    options_of,
    with_options,
)
from tallylearn.preprocessing.transformed_input import TransformedInput
from tallylearn.preprocessing.transformer import Preprocessor
from tallylearn.sources import Table
from tallylearn.sources.columns.class_labels import Aim
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.memory.joined_blocks import join_blocks
from tallylearn.tables import CATEGORY, DATE, NUMBER, TEXT, Array, Block, Schema


class Offered:
    """A method that a pipeline has if its last step has it."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self.call, self.__doc__ = call, call.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, pipeline: Any, owner: type | None = None) -> Any:
        if pipeline is None:
            return self.call
        if not hasattr(pipeline.last, self.name):
            raise AttributeError(f"{type(pipeline.last).__name__} has no {self.name}.")
        return self.call.__get__(pipeline)


class Pipeline(Stepped, Classifier, Regressor):
    """Transformers and a final estimator that are fitted, evaluated and saved as one estimator.

    Each step is fitted to the rows as the steps before it transform them. In cross-validation, all
    steps are fitted to the training rows only. ``explain`` shows numbers in the units of the table.
    Files are read in blocks, once for every step. Copies of the steps are fitted;
    ``named_steps_`` has them.

    Examples
    --------
    >>> import tallylearn as tl
    >>> rows, y = [[1.0, None], [2.0, 100.0], [8.0, 300.0], [9.0, 200.0]], list("aabb")
    >>> model = tl.Pipeline([tl.SimpleImputer(), tl.StandardScaler(), tl.KNeighborsClassifier(1)])
    >>> print(model.fit(rows, y).explain([[7.0, 250.0]])[0].preparation[0])
    the row, step by step
                                          x0                            x1
    row                                    7                           250
    SimpleImputer                          7                           250
    StandardScaler  (7 - 5) / 3.536 = 0.5657  (250 - 200) / 70.71 = 0.7071
    >>> model.set_params(kneighborsclassifier__n_neighbors=3).fit(rows, y).predict([[7.0, 250.0]])
    array(['b'], dtype='<U1')
    """

    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY, TEXT)
    stored: ClassVar[tuple[type, ...]] = (Chain,)
    composed: ClassVar[bool] = True
    model_: Chain = fitted()

    steps: Any = option(
        kw_only=False,
        type_name="list of estimators, or of (name, estimator) pairs",
        doc="Transformers, and an estimator, or one more transformer, at the end. Without names "
        "they are called by their class in lower case. A step may be a pipeline itself, or "
        '"passthrough", which does nothing. An option of a step is ``step__option``, and a step '
        "its name, in ``set_params`` and in the grid of ``tl.tune``.",
    )

    @property
    def task(self) -> str | None:  # type: ignore[override]
        """The task of the last step: "classifier", "regressor" or None."""
        return getattr(active_steps(self.steps)[-1][1], "task", None)

    @property
    def last(self) -> Any:
        """The last step; fitted if the pipeline is."""
        return self.model_.last if self.__sklearn_is_fitted__() else active_steps(self.steps)[-1][1]

    @property
    def named_steps_(self) -> dict[str, Any]:
        """The fitted steps by name; those of a pipeline inside as ``pipeline__step``."""
        self._check_fitted()
        return dict(zip(self.model_.names, self.model_.steps, strict=True))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The steps; with ``deep``, also each step by name and its options as ``step__option``."""
        return {"steps": self.steps, **(options_of(named_steps(self.steps)) if deep else {})}

    def set_params(self, **params: Any) -> Self:
        """Change the steps, a step, or options of a step; the next ``fit`` uses them."""
        steps = params.pop("steps", self.steps)
        self.steps = with_options(steps, params, self.constructor_call())
        return self

    def learn(self, read: FitInput) -> Self:
        """Fit every step to the rows as the steps before it transform them."""
        schema, chain = retry_reading(read, self._fit_steps)
        self._store(Learned(chain, notes=chain.last.notes_, schema=schema), read.call_style)
        return self

    def _fit_steps(self, read: FitInput) -> tuple[Schema, Chain]:
        schema = check_schema(read.schema, self.kinds, type(self).__name__)
        steps, done = active_steps(self.steps), list[Any]()
        for name, step in steps:
            seen = TransformedInput(
                source=read.source,
                call_style=read.call_style,
                aim=read.aim,
                weighed=read.weighed,
                sizes=read.sizes,
                only=read.only,
                preparations=tuple(done),
            )
            with error_context(f"step {name!r}"):
                done.append(clone_estimator(step).learn(seen))
        return schema, Chain(tuple(name for name, _ in steps), tuple(done))

    def predictions(self, block: Block) -> Array:
        return self.model_.predictions(block)

    @Offered
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy of a classifier, R-squared of a regressor, negative inertia of clusters."""
        if self.task == "classifier":
            return Classifier.score(self, X, y, sample_weight)
        if self.task == "regressor":
            return Regressor.score(self, X, y, sample_weight)
        blocks = self._map_blocks(X, lambda block: self.model_.transform_block(block), "score")
        rows = join_blocks(blocks, blocks[0].schema)
        return float(self.last.score(Table(rows, None, None, Declaration()), None, sample_weight))

    @Offered
    def predict(self, X: Any, threshold: float | None = None, *, positive: Any = None) -> Any:
        """Predict the target, or the cluster, of every row; of two classes, by a threshold."""
        by_threshold = threshold is not None or positive is not None
        if by_threshold and self.task != "classifier":
            raise OptionError(
                f"Pipeline.predict: threshold is for classifiers, and the last step is "
                f"{type(self.last).__name__}. Leave it out."
            )
        return Classifier.predict(self, X, threshold, positive=positive)

    @Offered
    def predict_proba(self, X: Any) -> Any:
        """Predict the probability of every class, in the order of ``classes_``."""
        return self._map_rows(X, lambda block: self.model_.shares(block), "predict_proba")

    @Offered
    def predict_log_proba(self, X: Any) -> Any:
        """Predict the logarithm of the probability of every class, in the order of ``classes_``."""
        return self._map_rows(X, lambda block: self.model_.log_shares(block), "predict_log_proba")

    def predict_interval(self, X: Any, level: float = 0.95) -> Array:
        """Prediction intervals of rows, by copies of all steps: see ``Regressor``."""
        self._check_regressor("predict_interval")
        return Regressor.predict_interval(self, X, level)

    def fit_intervals(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        cv: Any = None,
        groups: Any = None,
    ) -> Self:
        """Compute what ``predict_interval`` needs: see ``Regressor``."""
        self._check_regressor("fit_intervals")
        return Regressor.fit_intervals(self, X, y, sample_weight, cv=cv, groups=groups)

    def _check_regressor(self, method: str) -> None:
        if self.task != "regressor":
            raise KindError(
                f"Pipeline.{method}: intervals are for predicted numbers, and the last step is "
                f"{type(self.last).__name__}. Leave them out; predict_proba has probabilities."
            )

    @Offered
    def transform(self, X: Any) -> Any:
        """Transform every row by all steps.

        Parameters
        ----------
        X : table
            Rows with the columns of ``fit``.

        Returns
        -------
        ndarray or data frame
            The rows as the last step transforms them.
        """
        if not isinstance(self.last, Preprocessor):
            found = self._map_rows(
                X,
                lambda block: self.last._transform_array(self.model_.transform_block(block)),
                "transform",
            )
            return self.last._to_container(found, X)
        blocks = self._map_blocks(X, lambda block: self.model_.prepare(block), "transform")
        return to_container(join_blocks(blocks, blocks[0].schema), X, self.last._container(X))

    @Offered
    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit all steps to a table and transform it: ``fit(X, y).transform(X)``.

        Parameters
        ----------
        X : table
            The training rows.
        y : array-like or str, optional
            The target, or the name of its column.
        sample_weight : array-like, number or str, optional
            The weights of the rows.

        Returns
        -------
        ndarray or data frame
            The rows as the last step transforms them.
        """
        return self.fit(X, y, sample_weight).transform(X)

    @Offered
    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit all steps, and return the cluster of every training row.

        Parameters
        ----------
        X : table
            The training rows.
        y : array-like or str, optional
            The target, or the name of its column, for steps that use one.
        sample_weight : array-like, number or str, optional
            The weights of the rows.

        Returns
        -------
        ndarray of shape (n,)
            Numbers of clusters: ``labels_`` of the last step.
        """
        return self.fit(X, y, sample_weight).last.labels_

    @Offered
    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the container that ``transform`` returns.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            The container; "default" is a NumPy array. None changes nothing.

        Returns
        -------
        Self
            The pipeline.
        """
        for last in (active_steps(self.steps)[-1][1], self.last):
            last.set_output(transform=transform)
        return self

    @Offered
    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the columns that the last step makes.

        Parameters
        ----------
        input_features : array-like of str, optional
            Not used; accepted for compatibility with scikit-learn.

        Returns
        -------
        ndarray of str objects
            One name per new column.
        """
        self._check_fitted()
        return self.last.get_feature_names_out(None)

    def _aim(self, X: Any, y: Any) -> Aim:
        steps = active_steps(self.steps)
        aim: Aim = steps[-1][1]._aim(X, y)
        for name, step in steps[:-1]:
            if step._aim(X, y) not in (None, aim):
                raise OptionError(
                    f"the step {name!r} needs classes, but the pipeline does not end in a "
                    "classifier. Leave the step out, or set another strategy."
                )
        return aim

    def _check_combinations(self) -> None:
        check_steps(active_steps(self.steps))

    def _check_stored(self) -> None:
        super(Classifier, self)._check_stored()
        given = active_steps(self.steps)
        if len(given) == len(self.model_.names):
            pairs = zip(self.model_.names, given, strict=True)
            names = tuple(_current_name(stored, name) for stored, (name, _) in pairs)
            self.model_ = replace(self.model_, names=names)
        if [(name, type(step)) for name, step in given] != [
            (name, type(step)) for name, step in self.named_steps_.items()
        ]:
            raise ValueError("its steps are others than it has learned")

    def _derive(self) -> None:
        if self.task == "classifier":
            super()._derive()
        else:
            super(Classifier, self)._derive()

    def _count_training_rows(self) -> float | None:
        found: float | None = self.model_.last._count_training_rows()
        return found

    def _add_tags(self, tags: Any) -> None:
        filled = any(isinstance(step, SimpleImputer) for _, step in active_steps(self.steps))
        last = self.last.__sklearn_tags__().input_tags
        tags.input_tags.allow_nan = filled or last.allow_nan
        tags.input_tags.categorical = last.categorical


def _current_name(stored: str, name: str) -> str:
    """The name of a step, where a file has it by the old name of its class."""
    import tallylearn

    current = {old.lower(): new.lower() for old, new in tallylearn.RENAMED.items()}
    kind, sign, number = stored.partition("-")
    return name if current.get(kind, kind) + sign + number == name else stored
