"""Generative Gaussians: what learners share that model P(x, c) with a normal density a class."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import MergeError, OptionError, SizeError
from tallylearn.estimators import Classifier
from tallylearn.estimators.finite_rows import check_representable
from tallylearn.estimators.model import JointModel
from tallylearn.estimators.options import fitted, number, option
from tallylearn.estimators.passes import Learned, Passes
from tallylearn.estimators.tally_checks import checked_tally
from tallylearn.estimators.tally_state import TallyState
from tallylearn.models.design.columns import encode_block, encoded_names
from tallylearn.models.design.matrix import ROOM, Design
from tallylearn.models.design.pooled_categories import PART, POOLED, pool_rare_values, sum_pooled
from tallylearn.models.design.rare_categories import MIN_ROWS, RareValues
from tallylearn.models.discriminants.covariance import ClassScatter
from tallylearn.models.discriminants.discriminant_working import NEARLY_ZERO
from tallylearn.models.discriminants.fourth_moments import squared_names, strip_square_mark
from tallylearn.models.naive_bayes.class_priors import Priors
from tallylearn.models.stored_tallies import check_classes, check_parts
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Schema
from tallylearn.tallies import Bundle, Counts, Products, Scatter, Squares
from tallylearn.tallies.pairs import FLOATS, LIMBS, Names, check_wide
from tallylearn.tallies.squares import exact_squares
from tallylearn.workings import Grid
from tallylearn.workings.units import model_value_formatter


class GaussianModel(JointModel):
    """Normal densities over the columns of a design."""

    priors: Priors
    design: Design
    mean: Array  # (k, p)
    low: Array  # (k, p) its digits beyond a double

    def _set_low(self) -> None:
        """Zeros where a file was written before the low digits were kept."""
        if not self.low.size:
            object.__setattr__(self, "low", np.zeros(self.mean.shape))

    @property
    def category_values(self) -> Mapping[str, tuple[str, ...]]:
        """The values that every column of categories was seen with."""
        return self.design.category_values

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.priors.classes

    @abstractmethod
    def draw_rows(self, classes: Array, noise: Array) -> Array:
        """(n, p) rows of these classes, out of standard normal noise."""


class Discriminant(Classifier):
    """Rows by class and the scatter of every class; solved into densities."""

    family: ClassVar[str] = "generative"
    generative: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, CATEGORY, DATE)
    counts_values: ClassVar[bool] = True
    shaping: ClassVar[tuple[str, ...]] = ("exact",)
    model_: GaussianModel = fitted()
    formerly: ClassVar[Mapping[str, Any]] = {"min_samples_category": 1}

    shrinkage: float | str | None = option(
        default=None,
        low=0.0,
        high=1.0,
        choices=("auto",),
        doc="Share by which every class's covariance moves towards its mean variance times the "
        'identity; "auto" is that of Ledoit and Wolf, towards the variances, for tables without '
        "missing values.",
    )
    priors: Any = option(
        default=None,
        type_name="array-like of shape (n_classes,), dict or None",
        doc="Prior probabilities of the classes, in the order of ``classes_``, or by class. A "
        "class that was declared and has no rows is never predicted, whatever its prior.",
    )
    store_covariance: bool = option(default=False, doc="Whether to give ``covariance_``.")
    tol: float = option(default=1e-4, low=0.0, doc="Smallest variance that counts.")
    covariance_estimator: Any = option(
        default=None,
        type_name="None",
        doc="Not supported: it would need the rows again, and there is only their tally.",
    )
    exact: bool = option(
        default=False,
        doc="Sums without rounding: the same bits in any order of the rows, and rows can be "
        "forgotten; many times slower.",
    )
    min_samples_category: int = option(
        default=MIN_ROWS,
        takes=number(1),
        doc="Rows that a value of a category must have to get a column of its own, where the "
        "category has many: more than 64, or than a quarter of the rows, of which there are 50 or "
        "more. Rare values share a column with values never seen; ``rare_values_`` lists them. 1 "
        'gives every value its column, as does ``shrinkage="auto"``.',
    )

    def tally(self, block: Block) -> Bundle:
        """Rows by class, and the scatter by class; of a wide table a few rows at a time."""
        return self._sum_block(block, ())

    def _sum_block(self, block: Block, together: Collection[str]) -> Bundle:
        names = encoded_names(block, pooled=together)
        check_wide(len(block.target.values), names, LIMBS if self.exact else FLOATS)
        rows = max(1, ROOM // max(1, len(names)))
        if block.codes and len(block) > rows:
            pieces = (block[at : at + rows] for at in range(0, len(block), rows))
            return sum((self._sum_block(piece, together) for piece in pieces), start=Bundle())
        numbers = encode_block(block)
        kind = Products if self.exact else Scatter
        scatter = kind.of(numbers, block.target, names, block.weight, block.start)
        target = Counts.of(block.target, weight=block.weight)
        parts: dict[str, Any] = {"target": target, "numbers": scatter}
        if self._auto:
            parts["squares"] = self._squares(numbers, names, block)
        return Bundle(parts)

    def sum_passes(self, passes: Passes) -> Bundle:
        """The tally of all rows; rare values are pooled where the pairs of all are too many."""
        tally = self._sum_pooled(passes)
        return checked_tally(tally, f"{type(self).__name__}.tally")

    def _sum_pooled(self, passes: Passes) -> Bundle:
        if not self._auto:
            return sum_pooled(passes, self._tally_with, float(self.min_samples_category))
        try:
            return passes.total(self.tally_block)
        except SizeError as error:
            raise SizeError(f"{error} Or pass shrinkage a number: then {POOLED}.") from None

    def _tally_with(self, few: RareValues) -> Callable[[Block], Bundle]:
        return partial(self._sum_pooled_block, few) if few.values else self.tally_block

    def fit_passes(self, passes: Passes) -> Learned:
        """Solve the tally; one of pooled values is not kept, for they do not come apart again."""
        tally = self.sum_passes(passes)
        model = self._solve_matched(tally, passes.by_name)
        schema = self._fitted_schema(passes.schema, tally)
        return Learned(model, None if PART in tally else tally, schema=schema)

    def _solve_matched(self, tally: Bundle, by_name: bool) -> Any:
        """The model of a tally, of a table whose columns are matched by name or by place."""
        return self.solve(self._in_rows(tally))

    def _solve_state(self, state: TallyState) -> Any:
        return self._solve_matched(state.tally, state.call_style.by_name)

    def _sum_pooled_block(self, few: RareValues, block: Block) -> Bundle:
        block, counts = pool_rare_values(block, few)
        tally = self._with_row_counts(self._sum_block(block, [*few.by_column]), block)
        return Bundle({**tally.parts, PART: counts})

    def _store_state(self, learned: TallyState, may_wait: bool = False) -> None:
        """A tally of pooled values is not kept: it can neither be merged nor forgotten from."""
        together = PART in learned.tally
        super()._store_state(learned, may_wait and not together)
        if together:
            self.tally_ = None

    def _squares(self, numbers: Array, names: Names, block: Block) -> Squares | Products:
        if not self.exact:
            return Squares.of(numbers, block.target, names, block.weight, block.start)
        both = np.hstack([numbers, *exact_squares(numbers, names)])
        every = (*names, *squared_names(names))
        return Products.of(both, block.target, every, block.weight, block.start)

    def decision_function(self, X: Any) -> Array:
        """Return the discriminants of the classes.

        Parameters
        ----------
        X : table
            The rows.

        Returns
        -------
        array of shape (n, k), or (n,) for two classes
            The log joint probabilities up to a constant of the row; for two classes, the log-odds
            of the second class.
        """
        return self._map_rows(X, self._decision_values, "decision_function")

    def _decision_values(self, block: Block) -> Array:
        scores: Array = self.model_.scores(block)
        if scores.shape[1] != 2:
            return scores
        with np.errstate(over="ignore", invalid="ignore"):
            ahead: Array = scores[:, 1] - scores[:, 0]
        if self.model_.priors.share.all():  # a class without rows is infinitely improbable
            check_representable(ahead, block, "discriminant")
        return ahead

    def _sample_rows(self, n: int, rng: np.random.Generator) -> tuple[list[dict[str, Any]], Array]:
        model = self.model_
        drawn = rng.choice(len(model.classes), size=n, p=model.priors.share)
        noise = rng.normal(size=(n, len(model.design.columns)))
        return model.design.rows(model.draw_rows(drawn, noise), self.schema_), drawn

    @property
    def rare_values_(self) -> dict[str, tuple[str, ...]]:
        """The rare values of every categorical column, which share an indicator."""
        self._check_fitted()
        return self.model_.design.rare.by_column

    @property
    def means_(self) -> Array:
        """(k, p) the mean of every class."""
        self._check_fitted()
        return np.asarray(self._in_table_order(self.model_.mean, 1))

    @property
    def priors_(self) -> Array:
        """(k,) the prior probabilities of the classes."""
        self._check_fitted()
        return np.asarray(self.model_.priors.share)

    def _in_table_order(self, array: Array, *axes: int) -> Array:
        """An array with its columns in the order of the table."""
        order = self.model_.design.order(self.schema_)
        for axis in axes:
            array = array.take(order, axis)
        return array

    def shape(self) -> tuple[tuple[str, Any], ...]:
        """With shrinkage='auto' the squares are summed too."""
        return (*super().shape(), ("shrinkage", "auto" if self._auto else "a number or None"))

    @property
    def _auto(self) -> bool:
        return isinstance(self.shrinkage, str) and self.shrinkage == "auto"

    def _merge_state(self) -> TallyState | None:
        learned = super()._merge_state()
        if learned is not None and isinstance(learned.tally.get("squares"), Scatter):
            raise MergeError(
                "the tally was saved by an earlier version, whose sums of squares lose digits "
                "where values are far from zero. Fit again."
            )
        return learned

    def _list_counted_columns(self, tally: Bundle) -> set[str]:
        scatter = tally.get("numbers")
        return set() if scatter is None else {*scatter.columns}

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_classes(tally["target"], self.model_.classes)
        kind = Products if self.exact else Scatter
        # files of earlier versions keep squares as a scatter, which answers and learns no more
        squares = (Products,) if self.exact else (Squares, Scatter)
        auto = {"squares": squares} if self._auto else {}
        check_parts(tally, {"numbers": kind, **auto})
        if auto and ("numbers" in tally) != ("squares" in tally):
            raise ValueError("its tally lacks the squares, or the numbers")
        if auto and "squares" in tally:
            # values that no row has any more are left out of the numbers alone
            summed, squared = ({*tally[name].names} for name in ("numbers", "squares"))
            if not summed <= squared:
                raise ValueError("its tally has the squares of other columns")
        for name in ("numbers", *auto):
            if name in tally:
                tally[name].check()
                self._check_names(tally[name], schema, squared=name == "squares")

    def _check_names(self, part: Any, schema: Schema, squared: bool) -> None:
        """Numbers under their own name, categories under one for each value; squares beside."""
        for name, value in part.names:
            value = strip_square_mark(value) if squared else value
            number = not value and name in schema.numbers
            if not number and not (value.startswith("=") and name in schema.categories):
                raise ValueError(f"its tally has sums of {name!r}, which is no such column")

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        # scikit-learn's checks round the numbers for whom takes categories: no class varies then
        tags.input_tags.categorical = False

    def _priors(self, tally: Bundle) -> Priors:
        return Priors.of(tally["target"], self.priors, True, "priors")

    def _check_covariance(self, solver: str, alternative: str) -> None:
        """What scikit-learn allows, and one pass over the rows cannot give."""
        if self.covariance_estimator is not None:
            raise OptionError(
                "covariance_estimator is not supported: the covariance is computed from a tally, "
                "without the rows. Leave it out, or use shrinkage= with a number."
            )
        if self.shrinkage is not None and solver == "svd":
            raise OptionError(
                f"shrinkage is not available with solver='svd'. Set {alternative}, or leave it out."
            )


def mean_grid(spread: ClassScatter | Any, classes: tuple[Any, ...], schema: Schema) -> Grid:
    """The means, a row for every column of a table."""
    design, told = spread.design, model_value_formatter(schema, digits=4)
    own = [
        name if of_number else ""
        for name, of_number in zip(design.columns, design.numeric, strict=True)
    ]
    largest = np.abs(spread.mean).max(axis=0, initial=0.0)
    mean = np.where(np.abs(spread.mean) <= NEARLY_ZERO * largest, 0.0, spread.mean)
    rows = tuple(
        (design.names[j], *(told(own[j], float(m)) for m in mean[:, j]))
        for j in design.order(schema)
    )
    return Grid("mean of every class", ("column", *map(str, classes)), rows)
