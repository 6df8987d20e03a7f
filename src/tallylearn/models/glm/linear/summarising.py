"""What a linear model says of itself: summaries, diagnostics of rows, intervals of answers."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtrit

from tallylearn.errors import InputError, OptionError, speaking, told
from tallylearn.estimators import Regressor
from tallylearn.estimators.fit_input import Lesson, lesson
from tallylearn.estimators.sklearn_shell import WEIGHTS_NAMED
from tallylearn.models.design.missing_values import learnable
from tallylearn.models.glm.inference.diagnostics import Diagnostics, SandwichMeat, diagnose_rows
from tallylearn.models.glm.inference.estimability import (
    rows_with_unseen_values,
    unestimable_columns,
)
from tallylearn.models.glm.inference.summary import ROBUST_ERRORS, Summary, summarize
from tallylearn.models.glm.inference.training_rows import (
    LOOSE_TOLERANCE,
    NumberedBlock,
    describe_rows,
    difference_from_training,
    with_training_weights,
)
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.tables import FREQUENCY, Array, Block, places
from tallylearn.tallies.importance import compares, log_weights
from tallylearn.tallies.weights import BITS

MAX_CELLS_KEPT = 1_000_000  # of a table that is kept in memory for summary()


MAX_NUMBERS_READ_AGAIN = (
    1 << 26
)  # numbers of rows that are looked at again without being passed: half a gigabyte


FRACTIONS = (
    f"Fractional weights of rows are rounded to {BITS} bits before they are summed: coefficients "
    "have about nine digits, and all digits where the weights are whole numbers."
)


OF_LIKELIHOOD = ("log-likelihood", "AIC", "BIC")


ROBUST_WEIGHTS = (
    "The weights of the rows are {}: {} errors and F take them for factors of a row's squared "
    "residual."
)


class Summarising(Regressor):
    """Summary, diagnostics and intervals."""

    model_: LinearModel
    missing: str
    _seen: tuple[Any, ...] | None = None  # how to find the rows again, as long as they live

    def summary(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, target: int = 0,
        level: float = 0.95, robust: str | None = None,
    ) -> Summary:  # fmt: skip
        """Weights with standard errors, the fit, and checks of the residuals.

        The checks need the rows: those of ``fit`` are found again as long as they are in memory or
        in their file, and no more than 2^26 numbers; else pass them. ``robust`` is one of "HC0" to
        "HC3", standard errors and an F that do without equal variance. ``target`` is the place of
        one of several.
        """
        self._check_fitted()
        with speaking(type(self).__name__):
            _check_level(level)
            if robust is not None and not (isinstance(robust, str) and robust in ROBUST_ERRORS):
                known = ", ".join(ROBUST_ERRORS)
                raise OptionError(f"robust is None or one of {known}, not {told(robust)}.")
            t = self._place(target)
            rows = (X, y, sample_weight) if X is not None else self._at_hand()
            found, meat, why = None, None, ""
            if rows is not None and self._plain():
                read = self._read(*rows)
                if X is not None or robust is not None:
                    self._check_learned(read, t)
                    found, meat = self._diagnosed(read, t)
                elif not difference_from_training(self.model_, read, t):
                    why = "Leverages have no digits left: residuals are not checked."
                    with suppress(InputError):  # who asked for no checks has none
                        found, meat = self._diagnosed(read, t)
            if robust is not None and meat is None:
                raise InputError(
                    f"{robust} standard errors need the rows of least squares without penalty: "
                    "summary(X, y, robust=...)."
                )
        model = self.model_
        name = model.named(t, self.target_name_)
        whole = summarize(model, self.schema_, name, t, float(level), robust, found, meat, why)
        said = self._said_of_weights() if np.isfinite(whole.error).any() else ()
        if said and robust is not None:
            said = (ROBUST_WEIGHTS.format(WEIGHTS_NAMED[self._weight_kind()], robust),)
        if self._has_fractional_weights:
            said += (FRACTIONS,)
        return replace(
            whole, sizes=self._known_sizes(whole.sizes),
            rows=whole.rows if (many := self._counted_rows()) is None else many,
            remarks=(*whole.remarks, *self._said_of_rows(), *said),
        )  # fmt: skip

    @property
    def _has_fractional_weights(self) -> bool:
        """Whether exact sums are of weights that may have been rounded."""
        tally = getattr(self, "tally_", None)
        return self.model_.exact and tally is not None and tally["target"].table.low < 0

    def _known_sizes(self, sizes: dict[str, float | None]) -> dict[str, float | None]:
        """Without a likelihood where an older file did not keep the logarithms of the weights."""
        tally = getattr(self, "tally_", None)
        if tally is None or not compares(tally) or log_weights(tally) is not None:
            return sizes
        return {name: size for name, size in sizes.items() if name not in OF_LIKELIHOOD}

    @property
    def rank_(self) -> int:
        """How many columns do not follow from others."""
        self._check_fitted()
        return len(self.model_.basis)

    @property
    def condition_(self) -> float:
        """About how many times the scaled columns magnify an error."""
        self._check_fitted()
        return 1 / self.model_.certain if self.model_.certain > 0 else float("inf")

    @property
    def rare_values_(self) -> dict[str, tuple[str, ...]]:
        """The values of every category that share one column, for too few rows have them."""
        self._check_fitted()
        return self.model_.design.rare.by_column

    def _said_of_rows(self) -> tuple[str, ...]:
        """Which rows of the table were not learned from; of a file nobody remembers."""
        return tuple(f"{said}." for said in self.unanswered_.notes(self.target_name_))

    def diagnose(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, target: int = 0
    ) -> Diagnostics:
        """Residuals, leverage and Cook's distance of rows, and whether they bear the model out.

        ``target`` is the place of one of several.
        """
        self._check_fitted()
        with speaking(type(self).__name__):
            if not self._plain():
                raise InputError("diagnostics are of least squares without penalty or bounds.")
            t = self._place(target)
            rows = self._read(X, y, sample_weight)
            self._check_learned(rows, t)
            return self._diagnosed(rows, t)[0]

    def predict_interval(
        self, X: Any, level: float = 0.95, *, of: str = "answer", target: int = 0
    ) -> Array:
        """(n, 2) where a row's target lies with this probability; or its mean, of="mean".

        From -inf to inf where a column that followed from others, or did not vary, in all rows
        learned from does otherwise, and where a category has a value that none of them had, nor a
        rare one: these say nothing of such a row. ``target`` is the place of one of several.
        """
        self._check_fitted()
        with speaking(type(self).__name__):
            _check_level(level)
            if not isinstance(of, str) or of not in ("answer", "mean"):
                raise OptionError(f"of is 'answer' or 'mean', not {told(of)}.")
            t, model = self._place(target), self.model_
            free = model.rows - model.used
            if not self._plain() or free <= 0:
                raise InputError(
                    "intervals need least squares without penalty, bounds or choice (that is "
                    "LinearRegression), and more rows than weights."
                )
        sigma = float(model.rest[t]) / free
        reach = float(stdtrit(free, 0.5 + level / 2))

        def around(block: Block) -> Array:
            middle = model.answers(block).reshape(len(block), len(model.coef))[:, t]
            spread = model.spread(block) + float(of == "answer")
            untold = unestimable_columns(model, block).any(axis=1) | rows_with_unseen_values(
                model.design, block
            )
            wide = np.where(untold, np.inf, reach * np.sqrt(sigma * spread))
            return np.column_stack([middle - wide, middle + wide])

        return self._mapped(X, around)

    def _read(self, X: Any, y: Any, weight: Any) -> list[NumberedBlock]:
        """The rows as they count in the model."""
        aim = self._aim(X, y)
        read = lesson(X, y, weight, type(self).__name__, aim, self.schema_)
        return with_training_weights(self._numbered(read), read.weight_kind)

    def _numbered(self, read: Lesson) -> Iterator[NumberedBlock]:
        """The rows that were learned from, with their numbers from 0 in the whole table."""
        before = 0
        for whole in (block for part in read.coded.parts() for block in part.blocks()):
            block = learnable(whole.taught(), self.missing)
            row = places(block.start, np.arange(len(block)))
            if not isinstance(whole.start, np.ndarray):  # a file counts its own lines
                row += before - whole.start
            before += len(whole)
            yield block, row

    def _plain(self) -> bool:
        model = self.model_
        return not model.penalty.any() and model.method in ("least squares", "exact least squares")

    def _diagnosed(self, rows: list[NumberedBlock], t: int) -> tuple[Diagnostics, SandwichMeat]:
        """What the rows of the fit say of it; those of the fit have leverages that add up."""
        found, meat = diagnose_rows(self.model_, rows, t, self._weight_kind() != FREQUENCY)
        if abs(float(found.leverage.sum()) - found.used) > LOOSE_TOLERANCE * found.used:
            why = self.model_.cancelled or ("Columns nearly follow from each other.",)
            raise InputError(f"leverages have no digits left. {why[0]}")
        return found, meat

    def _check_learned(self, rows: list[NumberedBlock], t: int) -> None:
        """Refuse other rows than those of the fit."""
        if odd := difference_from_training(self.model_, rows, t):
            raise InputError(
                f"these are not the {describe_rows(self.model_.rows)} of the fit: {odd}. Standard "
                "errors, leverages and Cook's distances are known for the training rows only. Pass "
                "those, with their weights. To judge other rows, use score or tl.evaluate."
            )

    def _place(self, target: Any) -> int:
        many = len(self.model_.coef)
        whole = isinstance(target, int | np.integer) and not isinstance(target, bool)
        if not whole or not 0 <= target < many:
            raise OptionError(f"target is the place of one of {many}, from 0, not {told(target)}.")
        return int(target)

    def _remember_rows(self, *given: Any) -> None:
        """Keep the rows of a small table, and of others how to find them again.

        Nothing of them is pickled or saved.
        """
        small = sum(map(_count_cells, given)) <= MAX_CELLS_KEPT
        try:
            self._seen = tuple(
                g if g is None or isinstance(g, str | Path | Real) or (small and _count_cells(g))
                else weakref.ref(g)
                for g in given
            )  # fmt: skip
        except TypeError:  # lists cannot be pointed at
            self._seen = None

    def _at_hand(self) -> tuple[Any, ...] | None:
        """The rows of ``fit``, unless a look at all of them takes more than it tells."""
        few = self.model_.rows * self.model_.used <= MAX_NUMBERS_READ_AGAIN
        return self._found_again() if few else None

    def _found_again(self) -> tuple[Any, ...] | None:
        if self._seen is None:
            return None
        found = tuple(g() if isinstance(g, weakref.ref) else g for g in self._seen)
        lost = any(f is None and g is not None for f, g in zip(found, self._seen, strict=True))
        return None if lost else found

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_seen"}


def _count_cells(given: Any) -> int:
    """How many cells an array, a frame or a column has; 0 for whatever else rows come in."""
    shape = getattr(given, "shape", None)
    if not isinstance(shape, tuple) or not all(isinstance(size, int) for size in shape):
        return 0
    if isinstance(given, np.ndarray) and given.base is not None:
        base = given.base  # a view keeps all of it alive
        return int(base.size) if isinstance(base, np.ndarray) else MAX_CELLS_KEPT + 1
    return math.prod(shape)


def _check_level(level: Any) -> None:
    number = isinstance(level, int | float) and not isinstance(level, bool)
    if not number or not 0 < level < 1:
        raise OptionError(f"level is a probability between 0 and 1, not {told(level)}.")
