"""Cyclic coordinate descent for quadratic models with l1 and l2 penalties, and the duality gap.

Minimises, over the coefficients β,

    ½ β'Hβ − b'β + l1 Σ factor_j |β_j| + ½ l2 Σ β_j².

With H = X'X and b = X'y these are the lasso and the elastic net; with the Hessian of a loss they
are a proximal Newton step. The negative gradient of the quadratic, g = b − Hβ, is kept up to date:
the soft threshold of g_j + H_jj β_j minimises over β_j (`descend_path`). `descend_columns` does the
same from the columns of X and the residuals, without H.

Reference: J. Friedman, T. Hastie and R. Tibshirani, Regularization paths for generalized linear
models via coordinate descent, J. Statistical Software 33, 2010.
"""

import cython

# Passes over the nonzero coefficients end where no squared change is more than this share of the
# largest squared coefficient: four digits are settled. The pass over all coefficients that follows
# may change the support, and more digits of a wrong support are of no use.
SETTLED = cython.declare(cython.double, 1e-8)
# They also end where no change lowers the objective by this share of the gap to reach.
SETTLED_GAP = cython.declare(cython.double, 1e-2)
# l1 over l2 penalty. Below, the dual point of the lasso, the residuals scaled by l1 over the
# largest gradient, is almost 0 and its bound useless; the dual of the ridge problem is taken.
NEARLY_RIDGE = cython.declare(cython.double, 1e-3)


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _soft_threshold(
    gradient: cython.double,
    square: cython.double,
    l1: cython.double,
    l2: cython.double,
    positive: cython.bint,
) -> cython.double:
    """The minimiser over one coefficient, all others held: soft thresholding."""
    if gradient > l1:
        return (gradient - l1) / (square + l2)
    if gradient < -l1 and not positive:
        return (gradient + l1) / (square + l2)
    return 0.0


def descend_path(
    hessian: cython.const[cython.double][:, ::1],
    target: cython.const[cython.double][::1],
    factors: cython.const[cython.double][::1],
    costs: cython.const[cython.double][:, ::1],
    limits: cython.const[cython.double][::1],
    gradient: cython.double[::1],
    coef: cython.double[:, ::1],
    found: cython.double[:, ::1],
):
    """Coordinate descent for one row of costs after the other, each from the solution before.

    ``hessian`` (p, p) is H and ``target`` (p,) is b. ``factors`` (p,) are those of the l1 penalty,
    0 for a coefficient without one; none at all stands for 1 everywhere. ``costs`` (m, 3) are l1,
    l2 and the target's sum of squares y'y. ``limits`` are the tolerance, the most passes, 1 for
    coefficients above zero, and what the tolerance bounds: 0 for the duality gap (with ``factors``
    of 1), 1 for the largest squared change of a coefficient in a pass, in units of its curvature.
    ``coef`` (m, p) gets the coefficients; its first row is the start, and ``gradient`` (p,) the
    negative gradient there, which is updated. ``found`` (m, 2) gets what the tolerance bounds, and
    the passes. Returns how many rows converged; the first that does not ends the path.
    """
    if (
        hessian.shape[1] != hessian.shape[0]
        or target.shape[0] != hessian.shape[0]
        or (factors.shape[0] != 0 and factors.shape[0] != hessian.shape[0])
        or gradient.shape[0] != hessian.shape[0]
        or coef.shape[0] != costs.shape[0]
        or coef.shape[1] != hessian.shape[0]
        or found.shape[0] != costs.shape[0]
        or found.shape[1] < 2
        or costs.shape[1] < 3
        or limits.shape[0] < 4
    ):
        raise ValueError("coordinate_descent.descend_path: the lengths of its arrays do not agree")
    j: cython.Py_ssize_t
    m: cython.Py_ssize_t
    converged: cython.Py_ssize_t = 0
    with cython.nogil:
        for m in range(costs.shape[0]):
            if m > 0:
                for j in range(hessian.shape[0]):
                    coef[m, j] = coef[m - 1, j]
            _descend(hessian, target, factors, costs[m], limits, gradient, coef[m], found[m])
            if not found[m, 0] <= limits[0] and found[m, 1] >= limits[1]:
                break
            converged += 1
    return converged


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _descend(
    hessian: cython.const[cython.double][:, ::1],
    target: cython.const[cython.double][::1],
    factors: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    limits: cython.const[cython.double][::1],
    gradient: cython.double[::1],
    coef: cython.double[::1],
    found: cython.double[::1],
) -> cython.void:
    """Passes over all coefficients, and over the nonzero ones until they settle, in turn."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    p: cython.Py_ssize_t = hessian.shape[0]
    passes: cython.Py_ssize_t = 0
    l1: cython.double = costs[0]
    l2: cython.double = costs[1]
    positive: cython.bint = limits[2] > 0
    by_change: cython.bint = limits[3] > 0
    settled: cython.double = limits[0] if by_change else limits[0] * SETTLED_GAP
    whole_pass: cython.bint = True
    change: cython.double
    largest_change: cython.double
    largest_square: cython.double
    updated: cython.double
    error: cython.double = 0.0
    while True:
        largest_change = 0.0
        largest_square = 0.0
        for j in range(p):
            if hessian[j, j] <= 0 or (not whole_pass and coef[j] == 0):
                continue
            if factors.shape[0]:
                l1 = costs[0] * factors[j]
            updated = _soft_threshold(
                gradient[j] + hessian[j, j] * coef[j], hessian[j, j], l1, l2, positive
            )
            change = updated - coef[j]
            if change != 0:
                for i in range(p):
                    gradient[i] -= change * hessian[j, i]
                coef[j] = updated
                change = change * change * hessian[j, j]
                if change > largest_change:
                    largest_change = change
            updated = updated * updated * hessian[j, j]
            if updated > largest_square:
                largest_square = updated
        passes += 1
        if whole_pass or passes >= limits[1]:
            error = largest_change
            if not by_change:
                error = _gap_of_products(target, costs, coef, gradient, positive)
            if error <= limits[0] or largest_change == 0 or passes >= limits[1]:
                break
            whole_pass = False
        elif largest_change <= SETTLED * largest_square or largest_change <= settled:
            whole_pass = True
    found[0] = error
    found[1] = passes


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _gap_of_products(
    target: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    coef: cython.const[cython.double][::1],
    gradient: cython.const[cython.double][::1],
    positive: cython.bint,
) -> cython.double:
    """The duality gap where the residuals r = y − Xβ are known by X'y, X'r and y'y alone."""
    j: cython.Py_ssize_t
    explained: cython.double = 0.0  # β'X'y
    unexplained: cython.double = 0.0  # β'X'r
    for j in range(coef.shape[0]):
        explained += coef[j] * target[j]
        unexplained += coef[j] * gradient[j]
    rss: cython.double = costs[2] - explained - unexplained
    return _gap(
        coef, gradient, costs[0], costs[1], rss if rss > 0 else 0.0, costs[2] - explained, positive
    )


def duality_gap(
    coef: cython.const[cython.double][::1],
    gradient: cython.const[cython.double][::1],
    l1: cython.double,
    l2: cython.double,
    residuals: cython.const[cython.double][::1],
    y: cython.const[cython.double][::1],
    positive: cython.bint,
) -> cython.double:
    """The duality gap at coefficients with ``residuals`` r = y − Xβ and ``gradient`` X'r."""
    if gradient.shape[0] != coef.shape[0] or y.shape[0] != residuals.shape[0]:
        raise ValueError("coordinate_descent.duality_gap: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    rss: cython.double = 0.0
    product: cython.double = 0.0
    with cython.nogil:
        for i in range(y.shape[0]):
            rss += residuals[i] * residuals[i]
            product += residuals[i] * y[i]
    return _gap(coef, gradient, l1, l2, rss, product, positive)


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _gap(
    coef: cython.const[cython.double][::1],
    gradient: cython.const[cython.double][::1],
    l1: cython.double,
    l2: cython.double,
    rss: cython.double,
    product: cython.double,
    positive: cython.bint,
) -> cython.double:
    """The duality gap: an upper bound on how far the objective is above its minimum.

    The dual point of the lasso is the residuals r, scaled so that no gradient exceeds l1. The dual
    of the ridge takes the residuals as they are, and every column adds its Fenchel-Young loss.
    ``rss`` is r'r and ``product`` r'y.

    Reference: O. Fercoq, A. Gramfort and J. Salmon, Mind the duality gap, ICML 2015.
    """
    j: cython.Py_ssize_t
    steepest: cython.double = 0.0
    absolute: cython.double = 0.0
    squares: cython.double = 0.0
    loss: cython.double = 0.0
    one: cython.double
    if l1 < NEARLY_RIDGE * l2:
        for j in range(coef.shape[0]):
            loss += _fenchel_young(gradient[j], coef[j], l1, l2, positive)
        return loss
    for j in range(coef.shape[0]):
        one = gradient[j] - l2 * coef[j]
        if one < 0 and not positive:
            one = -one
        if one > steepest:
            steepest = one
        absolute += coef[j] if coef[j] > 0 else -coef[j]
        squares += coef[j] * coef[j]
    share: cython.double = l1 / steepest if steepest > l1 else 1.0
    return (
        0.5 * rss * (1 + share * share)
        + l1 * absolute
        - share * product
        + 0.5 * l2 * (1 + share * share) * squares
    )


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _fenchel_young(
    gradient: cython.double,
    coef: cython.double,
    l1: cython.double,
    l2: cython.double,
    positive: cython.bint,
) -> cython.double:
    """Penalty plus its conjugate at this gradient, less their product: 0 at the minimum."""
    size: cython.double = coef if coef > 0 else -coef
    over: cython.double = (gradient if positive or gradient > 0 else -gradient) - l1
    if over > 0 and coef * gradient >= 0:
        return (over - l2 * size) * (over - l2 * size) / (2 * l2)
    return (
        l1 * size
        + 0.5 * l2 * coef * coef
        - coef * gradient
        + (over * over / (2 * l2) if over > 0 else 0.0)
    )


def column_products(
    x: cython.const[cython.double][:, ::1],
    columns: cython.const[cython.longlong][::1],
    residuals: cython.const[cython.double][::1],
    out: cython.double[::1],
):
    """Write x'r of some columns, the rows of ``x`` (p, n), and residuals r (n,) to out (p,).

    Four columns at a time: memory brings them at once, and no sum waits for another.
    """
    if residuals.shape[0] != x.shape[1] or out.shape[0] != x.shape[0]:
        raise ValueError(
            "coordinate_descent.column_products: the lengths of its arrays do not agree"
        )
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    s: cython.Py_ssize_t
    t: cython.Py_ssize_t
    at: cython.Py_ssize_t
    last: cython.Py_ssize_t = columns.shape[0] - 1
    a: cython.double
    b: cython.double
    c: cython.double
    d: cython.double
    with cython.nogil:
        for at in range(0, last + 1, 4):
            j = columns[at]
            k = columns[at + 1 if at + 1 < last else last]
            s = columns[at + 2 if at + 2 < last else last]
            t = columns[at + 3 if at + 3 < last else last]
            a = b = c = d = 0.0
            for i in range(x.shape[1]):
                a += x[j, i] * residuals[i]
                b += x[k, i] * residuals[i]
                c += x[s, i] * residuals[i]
                d += x[t, i] * residuals[i]
            out[j] = a
            out[k] = b
            out[s] = c
            out[t] = d


def descend_columns(
    x: cython.const[cython.double][:, ::1],
    columns: cython.const[cython.longlong][::1],
    squares: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    limits: cython.const[cython.double][::1],
    coef: cython.double[::1],
    residuals: cython.double[::1],
    found: cython.double[::1],
):
    """Coordinate descent on some columns, the rows of ``x`` (p, n), for one l1 and l2 penalty.

    ``squares`` (p,) are the columns' sums of squares; ``coef`` (p,) and ``residuals`` (n,) the
    start, updated. ``limits`` are the largest squared change of a coefficient in a pass, in units
    of its curvature, that ends the passes; the most passes; and 1 for coefficients above zero.
    ``found`` gets that change and the passes.
    """
    if (
        squares.shape[0] != x.shape[0]
        or coef.shape[0] != x.shape[0]
        or residuals.shape[0] != x.shape[1]
        or costs.shape[0] < 2
        or limits.shape[0] < 3
        or found.shape[0] < 2
    ):
        raise ValueError(
            "coordinate_descent.descend_columns: the lengths of its arrays do not agree"
        )
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    n: cython.Py_ssize_t = x.shape[1]
    passes: cython.Py_ssize_t = 0
    gradient: cython.double
    updated: cython.double
    change: cython.double
    largest_change: cython.double = 0.0  # also where there is no pass at all
    positive: cython.bint = limits[2] > 0
    with cython.nogil:
        while passes < limits[1]:
            largest_change = 0.0
            for at in range(columns.shape[0]):
                j = columns[at]
                if squares[j] <= 0:
                    continue
                gradient = squares[j] * coef[j]
                for i in range(n):
                    gradient += x[j, i] * residuals[i]
                updated = _soft_threshold(gradient, squares[j], costs[0], costs[1], positive)
                change = updated - coef[j]
                if change != 0:
                    for i in range(n):
                        residuals[i] -= change * x[j, i]
                    coef[j] = updated
                    if change * change * squares[j] > largest_change:
                        largest_change = change * change * squares[j]
            passes += 1
            if largest_change <= limits[0]:
                break
        found[0] = largest_change
        found[1] = passes
