"""The working of linear models: products of the columns, their solution, the lasso's conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tallylearn.models.glm.linear.linear_model import (
    INTERCEPT_FORMULA,
    NORMAL_EQUATIONS,
    RIDGE_EQUATIONS,
    LinearModel,
    derive,
)
from tallylearn.models.glm.penalty_cross_validation import largest_useful_alpha
from tallylearn.models.glm.solvers.coordinate_descent import ElasticNetPenalty, solve_path
from tallylearn.models.glm.solvers.least_squares import LeastSquaresProblem
from tallylearn.tables import Array, Schema
from tallylearn.workings import Derivation, Formula, Grid, Sentence
from tallylearn.workings.equations import (
    equation_chain,
    formula,
    number,
    signed_product,
    signed_sum,
)

MAX_COLUMNS = 6  # columns whose products and solution are written out; full=True writes all
MAX_FULL_COLUMNS = 40  # columns of a table of products
MAX_ADDED_ROWS = 4  # columns of an elimination that says what was added to every row
MAX_TERMS = 12  # terms of a sum that are written out
PATH_STEPS = 6  # penalties of the path that is shown
ROUNDING = 1e-12  # relative: what is smaller is zero up to rounding
FOUR_DIGITS_NOTE = Sentence(
    "Printed numbers have four digits; the calculation rounds none of them."
)
Step = Grid | Formula | Sentence


def linear_working(
    model: LinearModel,
    schema: Schema,
    problem: LeastSquaresProblem,
    *,
    penalty: ElasticNetPenalty | None = None,
    full: bool = False,
) -> Derivation:
    """The working of a linear model, from the sums of products of its training rows.

    Parameters
    ----------
    model : LinearModel
        The fitted model.
    schema : Schema
        The columns of the table.
    problem : LeastSquaresProblem
        The products of its columns and targets.
    penalty : ElasticNetPenalty, optional
        The penalty of a lasso or an elastic net.
    full : bool, default False
        Whether to write out the products of more than a few columns.

    Returns
    -------
    Derivation
    """
    order = model.design.order(schema)
    names = tuple(model.design.names[j] for j in order)
    work = ProductSums.of(
        problem, order, names, "y" if len(model.coef) == 1 else model.target_name(0)
    )
    steps: list[Step] | None
    if penalty is not None:
        steps = [*_lasso_steps(model, work, penalty), *_path(model, problem, order, names, penalty)]
    else:
        steps = _equations(model, work, full)
    if steps is not None and len(model.coef) > 1:
        others = f"The other {len(model.coef) - 1} targets have" if len(model.coef) > 2 else (
            "The other target has"
        )  # fmt: skip
        steps.append(Sentence(f"{others} the same equations with another right-hand side."))
    return derive(model, schema, steps)


@dataclass(frozen=True)
class ProductSums:
    """Sums of products of the columns, in the order of the table, and of the first target."""

    names: tuple[str, ...]
    target: str
    rows: float
    mean: Array  # (p,)
    target_mean: float
    products: Array  # (p, p)
    with_target: Array  # (p,)
    target_squares: float
    centred: bool

    @classmethod
    def of(
        cls, problem: LeastSquaresProblem, order: Array, names: tuple[str, ...], target: str
    ) -> ProductSums:
        p, products = problem.p, problem.products
        length = np.sqrt(products.diagonal())
        return cls(
            names=names,
            target=target,
            rows=problem.rows,
            mean=problem.mean[:p][order],
            target_mean=float(problem.mean[p]),
            products=_without_rounding(products, np.outer(length, length))[np.ix_(order, order)],
            with_target=_without_rounding(products[:p, p], length[:p] * length[p])[order],
            target_squares=float(products[p, p]),
            centred=problem.centred,
        )

    def table(self, cost: float) -> Grid:
        """The products as a table, with the penalty on its diagonal."""
        matrix = self.products + cost * np.eye(len(self.names))
        rows = tuple(
            (name, *map(number, line), number(goal))
            for name, line, goal in zip(self.names, matrix, self.with_target, strict=True)
        )
        left = "XᵀX + λI" if cost else "XᵀX"
        what = "columns minus their means" if self.centred else "columns as they are"
        return Grid(f"{left} and Xᵀ{self.target}: sums of products over the rows, {what}",
                    ("", *self.names, self.target), rows)  # fmt: skip


def _without_rounding(values: Array, sizes: Array) -> Array:
    """Values, with 0 for what is zero up to rounding of terms of these sizes."""
    return np.where(np.abs(values) <= ROUNDING * sizes, 0.0, values)


def _equations(model: LinearModel, work: ProductSums, full: bool) -> list[Step] | None:
    """The normal equations, and their solution by elimination; None where it is another one."""
    p, cost = len(work.names), float(model.penalty[0])
    if model.method.removeprefix("exact ") not in ("least squares", "ridge") or model.dependent:
        return None
    steps: list[Step] = []
    if cost:
        steps.append(Sentence(f"λ = {number(cost)}" + (
            "; w0 is not penalised." if work.centred else "."
        )))  # fmt: skip
    if p == 1:
        return [
            *steps,
            *_work_single_column(work, float(model.coef[0, 0]), float(model.intercept[0]), cost),
        ]
    steps.insert(0, RIDGE_EQUATIONS if cost else NORMAL_EQUATIONS)
    if p > (MAX_FULL_COLUMNS if full else MAX_COLUMNS):
        more = [] if full else [Sentence(f"show_work(full=True) prints XᵀX of {p} columns.")]
        return [*steps, *([INTERCEPT_FORMULA] if work.centred else []), *more]
    return [
        *steps,
        work.table(cost),
        *_elimination(work, cost),
        *_intercept(model, work),
        FOUR_DIGITS_NOTE,
    ]


def _work_single_column(
    work: ProductSums, slope: float, intercept: float, cost: float
) -> list[Step]:
    """One column: two sums, the slope and the intercept."""
    square, product = float(work.products[0, 0]), float(work.with_target[0])
    n, mean, level = work.rows, float(work.mean[0]), work.target_mean
    x = "(x - x̄)" if work.centred else "x"
    y = "(y - ȳ)" if work.centred else "y"
    both = f"{x}{y}" if work.centred else "x · y"
    name, goal = work.names[0], work.target
    meaning = [f"x is {name}."] if name != "x" else []
    meaning += [f"y is {goal}."] if goal != "y" else []
    sums = [(f"Σ {x}²", number(square)), (f"Σ {both}", number(product))]
    if work.centred:
        sums = [("x̄", number(mean)), ("ȳ", number(level)), *sums]
    divided = f"({number(square)} + {number(cost)})" if cost else number(square)
    below = f"(Σ {x}² + λ)" if cost else f"Σ {x}²"
    steps: list[Step] = [
        *([Sentence(" ".join(meaning))] if meaning else []),
        Grid(f"sums over {number(n)} rows", ("", "value"), tuple(sums)),
        formula(
            equation_chain(
                f"w1 = Σ {both} / {below}", f"{number(product)} / {divided}", number(slope)
            )
        ),
    ]
    if not work.centred:
        return steps
    side = signed_sum([number(level), signed_product(-slope, mean)])
    steps.append(formula(f"w0 = ȳ - w1 · x̄ = {side} = {number(intercept)}"))
    if n > 1:
        steps += [
            formula(f"var(x) = {number(square)} / {number(n)} = {number(square / n)}"),
            formula(f"cov(x, y) = {number(product)} / {number(n)} = {number(product / n)}"),
            Sentence(
                f"Both are divided by N = {number(n)}. Divided by N - 1, as samples often are, "
                "both grow by the same factor, and cov(x, y) / var(x) stays the same."
                + (" Without λ it would be w1." if cost else " It is w1.")
            ),
        ]
    return [*steps, FOUR_DIGITS_NOTE]


def _elimination(work: ProductSums, cost: float) -> list[Step]:
    """Gaussian elimination and back substitution."""
    p = len(work.names)
    upper = np.column_stack([work.products + cost * np.eye(p), work.with_target])
    factors = np.zeros((p, p))
    for k in range(p):
        if upper[k, k] <= 0:
            return []
        for i in range(k + 1, p):
            factors[i, k] = upper[i, k] / upper[k, k]
            upper[i] -= factors[i, k] * upper[k]
            upper[i, k] = 0.0
    # what was added to a row, where a line has room for it
    added = p <= MAX_ADDED_ROWS
    taken = [
        " ".join(_times_row(float(factors[i, k]), k + 1) for k in range(i)).removeprefix("+ ")
        for i in range(p)
    ]
    rows = tuple(
        (
            name,
            *("" if j < i else number(v) for j, v in enumerate(line)),
            *((what,) if added else ()),
        )
        for i, (name, line, what) in enumerate(zip(work.names, upper, taken, strict=True))
    )
    header = ("", *work.names, work.target, *(("added",) if added else ()))
    title = "the same equations after elimination: multiples of rows above are added"
    steps: list[Step] = [Grid(title, header, rows)]
    found = np.zeros(p)
    for i in reversed(range(p)):
        found[i] = (upper[i, p] - upper[i, i + 1 : p] @ found[i + 1 :]) / upper[i, i]
        terms = [signed_product(-float(upper[i, j]), float(found[j])) for j in range(i + 1, p)]
        above = signed_sum([number(float(upper[i, p])), *terms])
        above = f"({above})" if terms else above
        steps.append(formula(f"w({work.names[i]}) = {above} / {number(float(upper[i, i]))} = "
                             f"{number(float(found[i]))}"))  # fmt: skip
    return steps


def _times_row(value: float, row: int) -> str:
    return f"{'-' if value > 0 else '+'} {number(abs(value))} · row {row}"


def _intercept(model: LinearModel, work: ProductSums) -> list[Step]:
    if not work.centred:
        return []
    places = {name: j for j, name in enumerate(model.design.names)}
    coef = [float(model.coef[0, places[name]]) for name in work.names]
    terms = [
        signed_product(-w, float(m)) for w, m in zip(coef, work.mean, strict=True) if w
    ]  # fmt: skip
    if len(terms) > MAX_TERMS:
        return [INTERCEPT_FORMULA]
    side = signed_sum([number(work.target_mean), *terms])
    return [INTERCEPT_FORMULA, formula(f"w0 = {side} = {number(float(model.intercept[0]))}")]


def _lasso_steps(model: LinearModel, work: ProductSums, penalty: ElasticNetPenalty) -> list[Step]:
    """The objective, the active set and the conditions of Karush, Kuhn and Tucker."""
    alpha, ratio, n = model.alpha, penalty.l1_ratio, work.rows
    places = {name: j for j, name in enumerate(model.design.names)}
    coef = np.array([model.coef[0, places[name]] for name in work.names])
    active = np.flatnonzero(coef)
    steps: list[Step] = [_objective(ratio), Sentence(_alpha_said(model, ratio))]
    total, side = _objective_side(float(model.rest[0]), n, coef[active], (alpha, ratio))
    steps.append(formula(f"J = {side} = {number(total)}"))
    gap = float(model.gap[0])
    many = f"After {model.rounds} passes of coordinate descent the duality gap is"
    if gap <= ROUNDING * total:
        steps.append(Sentence(f"{many} 0 up to rounding: J is at its minimum."))
    else:
        share = f"{100 * gap / total:.2g} % of J"
        near = f"{number(gap)}, {share}: J is at most so far above its minimum."
        steps.append(Sentence(f"{many} {near}"))
    steps += map(Sentence, model.convergence_warnings)
    correlation = (
        _without_rounding(
            work.with_target - work.products @ coef,
            np.sqrt(np.diag(work.products) * work.target_squares),
        )
        / n
    )
    steps += _conditions(work, coef, correlation, (alpha, ratio, penalty.positive))
    return [*steps, *_intercept(model, work)]


def _alpha_said(model: LinearModel, ratio: float) -> str:
    chosen = ", chosen by cross-validation" if model.choice is not None else ""
    return f"alpha = {number(model.alpha)}{chosen}" + (
        "." if ratio == 1 else f"; l1_ratio = {number(ratio)}."
    )


def _objective(ratio: float) -> Formula:
    first = "J = Σ (y - ŷ)² / (2 N)"
    if ratio == 1:
        return formula(f"{first} + alpha · Σ |w_j|")
    return formula(f"{first} + alpha · (l1_ratio · Σ |w_j| + (1 - l1_ratio) / 2 · Σ w_j²)")


def _objective_side(
    rest: float, n: float, coef: Array, strength: tuple[float, float]
) -> tuple[float, str]:
    """The value of the objective, and its parts as they are printed."""
    alpha, ratio = strength
    sizes, squares = np.abs(coef), coef**2
    total = rest / (2 * n) + alpha * (
        ratio * float(sizes.sum()) + (1 - ratio) / 2 * float(squares.sum())
    )
    each = " + ".join(map(number, sizes)) if 0 < len(coef) <= MAX_TERMS else ""
    each = f"({each})" if len(coef) > 1 and each else each or number(float(sizes.sum()))
    side = f"{number(rest)} / (2 · {number(n)}) + {number(alpha)} · "
    if ratio == 1:
        return total, side + each
    inside = (
        f"{number(ratio)} · {each} + {number((1 - ratio) / 2)} · {number(float(squares.sum()))}"
    )
    return total, f"{side}({inside})"


def _conditions(
    work: ProductSums, coef: Array, correlation: Array, strength: tuple[float, float, bool]
) -> list[Step]:
    alpha, ratio, positive = strength
    limit = alpha * ratio
    size = "c" if positive else "|c|"
    wanted = [
        number(limit * float(np.sign(w)) + alpha * (1 - ratio) * float(w))
        if w
        else f"{size} ≤ {number(limit)}"
        for w in coef
    ]
    # the active columns first, by the size of their coefficients, and those nearest to entering
    order = sorted(range(len(coef)), key=lambda j: (-abs(coef[j]), -abs(correlation[j])))
    rows = tuple(
        (work.names[j], number(float(coef[j])), number(float(correlation[j])), wanted[j])
        for j in order
    )
    active = [work.names[j] for j in order if coef[j]]
    many = f"{len(active)} of {len(coef)} columns"
    listed = f": {', '.join(active[:MAX_TERMS])}" if active else ""
    listed += ", …" if len(active) > MAX_TERMS else ""
    rule = "c = alpha · sign(w)" if ratio == 1 else (
        "c = alpha · l1_ratio · sign(w) + alpha · (1 - l1_ratio) · w"
    )  # fmt: skip
    return [
        Sentence(f"The active set has {many}{listed}."),
        Grid(
            "conditions of Karush, Kuhn and Tucker, with c = xᵀ(y - ŷ) / N",
            ("column", "w", "c", "required"),
            rows,
            f"At the minimum {rule} where w is not 0, and {size} ≤ "
            f"{'alpha' if ratio == 1 else 'alpha · l1_ratio'} where it is.",
        ),
    ]


def _path(
    model: LinearModel,
    problem: LeastSquaresProblem,
    order: Array,
    names: Sequence[str],
    penalty: ElasticNetPenalty,
) -> list[Step]:
    """The coefficients by penalty, from the smallest that leaves none down to the one taken."""
    most = largest_useful_alpha(problem, penalty.l1_ratio, penalty.positive)
    least = model.alpha if model.alpha > 0 else most / 1000
    if most <= least or not len(names):
        return [Sentence("alpha is so large that no column enters.")]
    alphas = np.geomspace(most, least, PATH_STEPS)
    alphas[-1] = least
    coef = solve_path(problem, alphas, penalty).coef[:, 0][:, order]
    ever = np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:MAX_COLUMNS]
    ever = np.sort(ever)
    rows = tuple(
        (
            number(float(alpha)),
            str(int(np.count_nonzero(line))),
            *(number(float(w)) for w in line[ever]),
        )
        for alpha, line in zip(alphas, coef, strict=True)
    )
    left = len(names) - len(ever)
    note = f"{left} more columns are left out. " if left else ""
    return [
        Grid(
            "path: coefficients by penalty",
            ("alpha", "not 0", *(names[j] for j in ever)),
            rows,
            f"{note}path() has every step.",
        )
    ]
