"""Cyclic coordinate descent for the lasso and the elastic net, with the duality gap.

Minimises ½‖y − Xβ‖² + l1 Σ|β| + ½ l2 Σβ², either from the Gram matrix XᵀX and Xᵀy (`descend_path`,
`descend_products`) or from the columns themselves (`descend_columns`). The gradient
g = Xᵀ(y − Xβ) is kept up to date; the soft threshold of g_j + (XᵀX)_jj β_j minimises over β_j.

Reference: J. Friedman, T. Hastie and R. Tibshirani, Regularization paths for generalized linear
models via coordinate descent, J. Statistical Software 33, 2010.
"""

import cython


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _soft_threshold(
    slope: cython.double,
    square: cython.double,
    l1: cython.double,
    l2: cython.double,
    positive: cython.bint,
) -> cython.double:
    """The minimiser over one coefficient, all others held: soft thresholding."""
    if slope > l1:
        return (slope - l1) / (square + l2)
    if slope < -l1 and not positive:
        return (slope + l1) / (square + l2)
    return 0.0


def descend_products(
    gram: cython.const[cython.double][:, ::1],
    target: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    limits: cython.const[cython.double][::1],
    weights: cython.double[::1],
    slope: cython.double[::1],
    found: cython.double[::1],
):
    """Coordinate descent for one penalty, from the Gram matrix.

    ``costs`` are l1, l2 and the target's sum of squares; ``limits`` the duality gap to reach, the
    most passes, and 1 for coefficients above zero. ``weights`` are the coefficients to start from,
    ``slope`` their gradient; both are updated. ``found`` gets the duality gap and the passes.
    """
    if (
        gram.shape[1] != gram.shape[0]
        or target.shape[0] != gram.shape[0]
        or weights.shape[0] != gram.shape[0]
        or slope.shape[0] != gram.shape[0]
        or costs.shape[0] < 3
        or limits.shape[0] < 3
        or found.shape[0] < 2
    ):
        raise ValueError(
            "coordinate_descent.descend_products: the lengths of its arrays do not agree"
        )
    with cython.nogil:
        _descend(gram, target, costs, limits, weights, slope, found)


def descend_path(
    gram: cython.const[cython.double][:, ::1],
    target: cython.const[cython.double][::1],
    costs: cython.const[cython.double][:, ::1],
    limits: cython.const[cython.double][::1],
    slope: cython.double[::1],
    out: cython.double[:, ::1],
    found: cython.double[:, ::1],
):
    """The same for one row of costs after the other, each from the solution of the one before.

    ``out`` (m, p) gets the coefficients; its first row is the start. ``found`` is (m, 2). Returns
    how many penalties converged; the first that does not ends the path.
    """
    if (
        gram.shape[1] != gram.shape[0]
        or target.shape[0] != gram.shape[0]
        or slope.shape[0] != gram.shape[0]
        or out.shape[0] != costs.shape[0]
        or out.shape[1] != gram.shape[0]
        or found.shape[0] != costs.shape[0]
        or found.shape[1] < 2
        or costs.shape[1] < 3
        or limits.shape[0] < 3
    ):
        raise ValueError("coordinate_descent.descend_path: the lengths of its arrays do not agree")
    j: cython.Py_ssize_t
    m: cython.Py_ssize_t
    rested: cython.Py_ssize_t = 0
    with cython.nogil:
        for m in range(costs.shape[0]):
            if m > 0:
                for j in range(gram.shape[0]):
                    out[m, j] = out[m - 1, j]
            _descend(gram, target, costs[m], limits, out[m], slope, found[m])
            if not found[m, 0] <= limits[0] and found[m, 1] >= limits[1]:
                break
            rested += 1
    return rested


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _descend(
    gram: cython.const[cython.double][:, ::1],
    target: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    limits: cython.const[cython.double][::1],
    weights: cython.double[::1],
    slope: cython.double[::1],
    found: cython.double[::1],
) -> cython.void:
    """Passes over all coefficients, and over the nonzero ones until they settle, in turn."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    p: cython.Py_ssize_t = gram.shape[0]
    rounds: cython.Py_ssize_t = 0
    l1: cython.double = costs[0]
    l2: cython.double = costs[1]
    positive: cython.bint = limits[2] > 0
    all_of_them: cython.bint = True
    largest: cython.double
    step: cython.double
    most: cython.double
    size: cython.double
    after: cython.double
    gap: cython.double = 0.0
    while True:
        most = 0.0
        largest = 0.0
        for j in range(p):
            if gram[j, j] <= 0 or (not all_of_them and weights[j] == 0):
                continue
            after = _soft_threshold(
                slope[j] + gram[j, j] * weights[j], gram[j, j], l1, l2, positive
            )
            step = after - weights[j]
            if step != 0:
                for i in range(p):
                    slope[i] -= step * gram[j, i]
                weights[j] = after
                step = step * step * gram[j, j]
                if step > most:
                    most = step
            size = after * after * gram[j, j]
            if size > largest:
                largest = size
        rounds += 1
        if all_of_them or rounds >= limits[1]:
            gap = _duality_gap(target, costs, weights, slope, positive)
            if gap <= limits[0] or most == 0 or rounds >= limits[1]:
                break
            all_of_them = False
        # the nonzero coefficients have settled: steps of half precision, or below the gap
        elif most <= 1e-8 * largest or most <= limits[0] * 1e-2:
            all_of_them = True
    found[0] = gap
    found[1] = rounds


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _duality_gap(
    target: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    weights: cython.double[::1],
    slope: cython.double[::1],
    positive: cython.bint,
) -> cython.double:
    """The duality gap: an upper bound on how far the objective is above its minimum.

    The dual point of the lasso is the residuals, scaled so that no gradient exceeds l1. Where l1 is
    below a thousandth of l2 that scale is next to nothing; the dual of the ridge takes the
    residuals as they are, and every column adds its Fenchel-Young loss.
    """
    j: cython.Py_ssize_t
    steep: cython.double = 0.0
    length: cython.double = 0.0
    squares: cython.double = 0.0
    told: cython.double = 0.0
    left: cython.double = 0.0
    off: cython.double = 0.0
    one: cython.double
    for j in range(weights.shape[0]):
        one = slope[j] - costs[1] * weights[j]
        if one < 0 and not positive:
            one = -one
        if one > steep:
            steep = one
        length += weights[j] if weights[j] > 0 else -weights[j]
        squares += weights[j] * weights[j]
        told += weights[j] * target[j]
        left += weights[j] * slope[j]
        if costs[0] < 1e-3 * costs[1]:
            off += _fenchel_young(slope[j], weights[j], costs[0], costs[1], positive)
    if costs[0] < 1e-3 * costs[1]:
        return off
    rest: cython.double = costs[2] - told - left
    if rest < 0:
        rest = 0.0
    share: cython.double = 1.0
    if steep > costs[0]:
        share = costs[0] / steep if steep > 0 else 1.0
    return (
        0.5 * rest * (1 + share * share)
        + costs[0] * length
        - share * (costs[2] - told)
        + 0.5 * costs[1] * (1 + share * share) * squares
    )


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _fenchel_young(
    slope: cython.double,
    weight: cython.double,
    l1: cython.double,
    l2: cython.double,
    positive: cython.bint,
) -> cython.double:
    """Penalty plus its conjugate at this gradient, less their product: 0 at the minimum."""
    size: cython.double = weight if weight > 0 else -weight
    over: cython.double = (slope if positive or slope > 0 else -slope) - l1
    if over > 0 and weight * slope >= 0:
        return (over - l2 * size) * (over - l2 * size) / (2 * l2)
    return (
        l1 * size
        + 0.5 * l2 * weight * weight
        - weight * slope
        + (over * over / (2 * l2) if over > 0 else 0.0)
    )


def products(
    x: cython.const[cython.double][:, ::1],
    some: cython.const[cython.longlong][::1],
    rest: cython.const[cython.double][::1],
    out: cython.double[::1],
):
    """Write the gradients of some columns, the rows of ``x`` (p, n), to out (p,).

    Four columns at a time: memory brings them at once, and no sum waits for another.
    """
    if rest.shape[0] != x.shape[1] or out.shape[0] != x.shape[0]:
        raise ValueError("coordinate_descent.products: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    s: cython.Py_ssize_t
    t: cython.Py_ssize_t
    at: cython.Py_ssize_t
    last: cython.Py_ssize_t = some.shape[0] - 1
    a: cython.double
    b: cython.double
    c: cython.double
    d: cython.double
    with cython.nogil:
        for at in range(0, last + 1, 4):
            j = some[at]
            k = some[at + 1 if at + 1 < last else last]
            s = some[at + 2 if at + 2 < last else last]
            t = some[at + 3 if at + 3 < last else last]
            a = b = c = d = 0.0
            for i in range(x.shape[1]):
                a += x[j, i] * rest[i]
                b += x[k, i] * rest[i]
                c += x[s, i] * rest[i]
                d += x[t, i] * rest[i]
            out[j] = a
            out[k] = b
            out[s] = c
            out[t] = d


def descend_columns(
    x: cython.const[cython.double][:, ::1],
    some: cython.const[cython.longlong][::1],
    squares: cython.const[cython.double][::1],
    costs: cython.const[cython.double][::1],
    limits: cython.const[cython.double][::1],
    weights: cython.double[::1],
    rest: cython.double[::1],
    found: cython.double[::1],
):
    """Coordinate descent on some columns, the rows of ``x`` (p, n); ``rest`` are the residuals."""
    if (
        squares.shape[0] != x.shape[0]
        or weights.shape[0] != x.shape[0]
        or rest.shape[0] != x.shape[1]
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
    rounds: cython.Py_ssize_t = 0
    slope: cython.double
    after: cython.double
    step: cython.double
    most: cython.double = 0.0  # where there is no round at all
    positive: cython.bint = limits[2] > 0
    with cython.nogil:
        while rounds < limits[1]:
            most = 0.0
            for at in range(some.shape[0]):
                j = some[at]
                if squares[j] <= 0:
                    continue
                slope = squares[j] * weights[j]
                for i in range(n):
                    slope += x[j, i] * rest[i]
                after = _soft_threshold(slope, squares[j], costs[0], costs[1], positive)
                step = after - weights[j]
                if step != 0:
                    for i in range(n):
                        rest[i] -= step * x[j, i]
                    weights[j] = after
                    if step * step * squares[j] > most:
                        most = step * step * squares[j]
            rounds += 1
            if most <= limits[0]:
                break
        found[0] = most
        found[1] = rounds
