"""Least mean squares: every row moves the weights a little against its own error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn import forms
from tallylearn.doors import Incremental, RegressionModel, Regressor
from tallylearn.errors import InputError, OptionError, SizeError, told
from tallylearn.models.gradient_descent import Descent, answered, complete, descended, walked
from tallylearn.resampling import generator
from tallylearn.tables import NUMBER, Array, Block, Schema, check_shape
from tallylearn.workings import Derivation, Evidence, Formula, Grid, Line, Sentence, Term, short

BATCH = ("sum", "mean")  # a step looks at all rows
SCALINGS = ("error", "twice", *BATCH)
FACTOR = {"error": 1.0, "twice": 2.0, "sum": 1.0, "mean": 2.0}  # of the gradient's error
SMALL = 0.01  # random weights start between -SMALL and SMALL
MOST = 1 << 32  # steps of one call
SHOWN = 5  # steps, and columns, that show_work() writes down
RULES = {
    "error": ("w_i ← w_i + c · x_i · (y − ŷ)", r"w_i \leftarrow w_i + c\,x_i\,(y - \hat y)"),
    "twice": ("w_i ← w_i + 2 c · x_i · (y − ŷ)", r"w_i \leftarrow w_i + 2c\,x_i\,(y - \hat y)"),
    "sum": (
        "w_i ← w_i + c · Σ x_i · (y − ŷ), over all rows",
        r"w_i \leftarrow w_i + c \sum_{j=1}^{m} x_{ji}\,(y_j - \hat y_j)",
    ),
    "mean": (
        "w_i ← w_i + c · 2/m · Σ x_i · (y − ŷ), over all m rows",
        r"w_i \leftarrow w_i + c\,\frac{2}{m} \sum_{j=1}^{m} x_{ji}\,(y_j - \hat y_j)",
    ),
}


@dataclass(frozen=True)
class Weights(RegressionModel):
    """ŷ = w0 + w1 x1 + ... + wp xp, and the first steps on the way there."""

    columns: tuple[str, ...]
    weights: Array  # (p + 1,), w0 first
    rate: float
    scaling: str
    trace: Array  # (up to SHOWN, ...) as ``walked`` and ``descended`` write it
    steps: int = 0
    overshot: int = 0  # steps that made the error larger which they were to make smaller
    rows: int = 0  # that it learned from; 0 in files of earlier versions, which do not say

    form: ClassVar[forms.Form] = {
        "columns": forms.names("p"),
        "weights": forms.floats("p+1"),
        "rate": forms.number(0.0),
        "scaling": forms.text(*SCALINGS),
        "trace": forms.floats("t", "w"),
        "steps": forms.count(1),
        "overshot": forms.count(),
        "rows": forms.count(),
    }

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        if self.columns != schema.numbers:
            raise ValueError("the weights are of other columns than the schema's")
        p, (rows, width) = len(self.columns), self.trace.shape
        if rows > SHOWN or width != (2 + p if self.scaling in BATCH else 3 + 2 * p):
            raise ValueError(f"the first steps have the shape {self.trace.shape}")

    def __post_init__(self) -> None:
        check_shape("the weights", self.weights, len(self.columns) + 1)

    def after(self, descent: Descent, rows: int) -> Weights:
        """The model with more steps behind it, over so many rows."""
        trace = np.concatenate([self.trace, descent.trace]) if self.steps else descent.trace
        return replace(
            self,
            weights=descent.weights,
            trace=trace,
            steps=self.steps + descent.steps,
            overshot=self.overshot + descent.overshot,
            rows=self.rows + rows if self.rows or not self.steps else 0,
        )

    def answers(self, block: Block) -> Array:
        x = complete(block)[:, [block.schema.places[name] for name in self.columns]]
        return answered(self.weights, x)

    def evidence(self, block: Block) -> list[Evidence]:
        """The terms w_i · x_i: they sum to the prediction."""
        places = [block.schema.places[name] for name in self.columns]
        return [
            Evidence((Line("ŷ", self._terms(x[places])),), answer, "sum")
            for x, answer in zip(block.numbers, self.answers(block).tolist(), strict=True)
        ]

    def _terms(self, x: Array) -> tuple[Term, ...]:
        return (
            Term("", "", float(self.weights[0])),
            *(
                Term(name, short(float(value)), float(w * value))
                for name, value, w in zip(self.columns, x, self.weights[1:], strict=True)
            ),
        )

    def derivation(self, schema: Schema) -> Derivation:
        """The rule, the first steps, and where the weights came to stand."""
        rows = tuple(
            (name, short(float(w)))
            for name, w in zip(("w0", *self.columns), self.weights, strict=True)
        )
        return Derivation(
            "Least mean squares",
            (
                Formula("ŷ = w0 + Σ w_i · x_i", r"\hat y = w_0 + \sum_i w_i x_i"),
                Formula(f"{RULES[self.scaling][0]},  c = {self.rate:g}", RULES[self.scaling][1]),
                self._first_steps(),
                Grid(f"weights, steps taken: {self.steps}", ("column", "weight"), rows),
                *(Sentence(said) for said in self._flag()),
            ),
        )

    def _first_steps(self) -> Grid:
        p, few = len(self.columns), self.columns[:SHOWN]
        after = ["w0", *(f"w({name})" for name in few)]
        note = f"Weights of {p - len(few)} more columns are left out." if p > len(few) else ""
        if self.scaling in BATCH:
            head = ("step", "mean squared error", *after)
            picked = self.trace[:, : 2 + len(few)]
        else:
            head = ("step", *few, "y", "ŷ", "y − ŷ", *after)
            y, answer = self.trace[:, :1], self.trace[:, 1:2]
            x, w = self.trace[:, 2 : 2 + len(few)], self.trace[:, 2 + p : 3 + p + len(few)]
            picked = np.hstack([x, y, answer, y - answer, w])
        rows = tuple(
            (str(at), *(short(float(value)) for value in row)) for at, row in enumerate(picked, 1)
        )
        return Grid("the first steps, and the weights after each", head, rows, note)

    def _flag(self) -> list[str]:
        if not self.overshot:
            return []
        return [
            f"{self.overshot} of {self.steps} steps made the error larger which they were to make "
            "smaller: the rate is too large. Take a smaller rate, or scale the columns."
        ]


class LMS(Incremental, Regressor):
    """Linear regression by least mean squares, a row at a time: w_i += c · x_i · (y − ŷ).

    Every column holds numbers, and none is missing. The rule has no place for weights of rows.

    Parameters
    ----------
    rate : c, above 0. A step makes the error of its own row smaller where c · (1 + Σ x_i²) is below
        2 (with "twice" below 1), so columns of large numbers want a small rate.
    scaling : how the rate is meant. "error" moves by c · x_i · error and "twice" by twice as much,
        both a row at a time; "sum" takes one step with the sum over all rows, "mean" with twice
        their mean.
    steps : how many steps ``fit`` takes; None is once through the rows, and one step for "sum" and
        "mean". ``partial_fit`` always goes once through the rows it is given.
    order : "table" takes the rows in turn, "random" draws them.
    start : the first weights: "zeros", "random" (small ones), or w0, w1, ..., wp.
    fit_intercept : whether there is a w0.
    random_state : seeds what is drawn; None draws anew every time.

    ``overshot_`` counts the steps that made the error larger which they were to make smaller. Where
    these leave ``fit`` with a larger error than it started with, that is an error; so are weights
    that run away.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.LMS(0.1).fit([[1], [2], [3]], [1, 2, 4])
    >>> model.intercept_, model.coef_
    (0.511, array([1.163]))
    >>> print(model.explain([[2]]))
    ŷ  0.511 + 2.326 = 2.837

    References
    ----------
    B. Widrow and M. E. Hoff, Adaptive switching circuits, IRE WESCON 1960.
    """

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER,)
    stored: ClassVar[tuple[type, ...]] = (Weights,)
    model_: Weights

    def __init__(
        self,
        rate: float = 0.01,
        *,
        scaling: str = "error",
        steps: int | None = None,
        order: str = "table",
        start: Any = "zeros",
        fit_intercept: bool = True,
        random_state: int | None = None,
    ) -> None:
        self.rate = rate
        self.scaling = scaling
        self.steps = steps
        self.order = order
        self.start = start
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # no weights of rows
        """Learn from a table: ``fit(X, y)``, or ``fit(table, "target")``."""
        return super().fit(X, y)

    def partial_fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Learn from more rows, once through, in their order."""
        return super().partial_fit(X, y)

    def train(self, block: Block) -> Weights:
        """From the first weights, as many steps as asked for."""
        first = self._first(block)
        return first.after(self._descent(first, block, self.steps).check(), len(block))

    def update(self, model: Weights | None, block: Block) -> Weights:
        """Once through the rows, from where the weights are."""
        if model is None:
            model = self._first(block)
        elif model.scaling != self.scaling:
            raise OptionError(
                f"scaling was {model.scaling!r} for the rows before, and is {self.scaling!r} now. "
                "Fit again, or set it back."
            )
        model = replace(model, rate=float(self.rate))
        return model.after(self._descent(model, block, None), len(block))

    @property
    def coef_(self) -> Array:
        """(p,) the weights, in the table's order."""
        self._check_fitted()
        return np.asarray(self.model_.weights[1:])

    @property
    def intercept_(self) -> float:
        """w0."""
        self._check_fitted()
        return float(self.model_.weights[0])

    @property
    def n_steps_(self) -> int:
        """How many steps were taken."""
        self._check_fitted()
        return int(self.model_.steps)

    @property
    def overshot_(self) -> int:
        """How many of them made the error larger."""
        self._check_fitted()
        return int(self.model_.overshot)

    def _counted_rows(self) -> float | None:
        return float(self.model_.rows) if self.model_.rows else None

    def _first(self, block: Block) -> Weights:
        columns = block.schema.numbers
        weights = self._started(len(columns) + 1)
        return Weights(columns, weights, float(self.rate), self.scaling, np.empty((0, 0)))

    def _started(self, size: int) -> Array:
        if not isinstance(self.start, str):
            weights = _numbers(self.start)
            if weights.shape != (size,) or not np.isfinite(weights).all():
                raise OptionError(
                    f"start should be 'zeros', 'random' or {size} finite numbers, w0 and one for "
                    f"every column. It is {self.start!r}."
                )
        elif self.start == "random":
            weights = generator(type(self).__name__, self.random_state).uniform(-SMALL, SMALL, size)
        else:
            weights = np.zeros(size)
        weights[0] = weights[0] if self.fit_intercept else 0.0
        return weights

    def _descent(self, model: Weights, block: Block, steps: int | None) -> Descent:
        if block.weight is not None:
            raise InputError("the table declares weights of rows, which the rule has no place for.")
        told: dict[str, Any] = {
            "rate": FACTOR[self.scaling] * float(self.rate),
            "intercept": bool(self.fit_intercept),
            "room": max(SHOWN - model.steps, 0),
        }
        x, n = complete(block), len(block)
        if self.scaling in BATCH:
            told["rate"] /= n if self.scaling == "mean" else 1
            return descended(model.weights, x, block.target, steps or 1, **told)
        rows = self._picked(n, steps or n, model.steps)
        return walked(model.weights, x, block.target, rows, **told)

    def _picked(self, n: int, steps: int, before: int) -> Array:
        """The rows to look at, one after the other."""
        if self.order == "table":
            return np.resize(np.arange(n, dtype=np.int64), _held(steps))
        seed = None if self.random_state is None else [self.random_state, before, 1]
        return np.random.default_rng(seed).integers(n, size=_held(steps))

    def _check_options(self) -> None:
        self._in_range("rate", 0.0, open_low=True)
        self._one_of("scaling", SCALINGS)
        self._one_of("order", ("table", "random"))
        self._check_truth("fit_intercept")
        if isinstance(self.start, str):
            self._one_of("start", ("zeros", "random"))
        for name, low in (("steps", 1), ("random_state", 0)):
            value = getattr(self, name)
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if value is not None and not (whole and value >= low):
                raise OptionError(
                    f"The {name!r} parameter of LMS must be None or an int of {low} or more. "
                    f"Got {told(value)} instead."
                )

    def _add_tags(self, tags: Any) -> None:
        tags.input_tags.allow_nan = False
        tags.input_tags.string = False
        tags.input_tags.categorical = False
        tags.regressor_tags.poor_score = True  # with a rate that suits other columns


def _held(steps: int) -> int:
    """So many steps, if their row numbers can be held."""
    if steps > MOST:
        raise SizeError(f"steps is {told(steps)}, and at most {MOST:,} are taken in one call.")
    return steps


def _numbers(given: Any) -> Array:
    try:
        return np.array(given, dtype=np.float64)
    except Exception:  # whatever an object raises that is no number
        return np.empty(0)
