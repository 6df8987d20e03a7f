"""Estimable answers: those of rows whose columns follow from each other as in those learned from.

Of columns that follow from others the rows leave the weights free: the shortest are one choice of
many, and all of them give one answer only where the columns go on following.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import solve_triangular

from tallylearn.errors import listed
from tallylearn.models.design.matrix import POOLED, Design
from tallylearn.models.glm.linear.dependent_columns import MIXED
from tallylearn.models.glm.linear.least_squares import EPS
from tallylearn.tables import Array, Block

STRAY = 1e-10  # of the numbers: what no arithmetic loses
ROUNDINGS = 64 * EPS  # of how far the columns lie from zero
UNKNOWN = -2  # a code that is none of those asked for; -1 is a gap
ROWS = 10.0  # times what the rows learned from leave of a column, all of them together


class Free(Protocol):
    """A model of which some columns follow from others."""

    @property
    def design(self) -> Design: ...
    @property
    def dependent(self) -> tuple[str, ...]: ...
    @property
    def root(self) -> Array: ...
    @property
    def basis(self) -> Array: ...
    @property
    def scale(self) -> Array: ...
    @property
    def mean(self) -> Array: ...
    @property
    def low(self) -> Array: ...
    @property
    def centred(self) -> bool: ...
    def away(self, block: Block) -> Array: ...


def followers(model: Free) -> tuple[Array, Array]:
    """(d,) the columns that follow from others, and (r, d) their shares in the basis."""
    others = np.setdiff1d(np.arange(len(model.root)), model.basis)
    if not len(others) or not len(model.basis):
        return others, np.zeros((len(model.basis), len(others)))
    q, free = np.linalg.qr(model.root[:, model.basis])
    found = solve_triangular(free, q.T @ model.root[:, others], check_finite=False)
    return others, np.asarray(found)


def from_afar(model: Free) -> bool:
    """Whether a column follows from others at a distance, as Fahrenheit from Celsius.

    The shortest weights share the intercept out then: w0 is not its own either.
    """
    others, share = followers(model)
    if not model.centred or not share.size:
        return False
    far, root = model.mean / model.scale, model.root
    left = np.sqrt(((root[:, others] - root[:, model.basis] @ share) ** 2).sum(axis=0))
    size = 1 + np.abs(far[others]) + np.abs(far[model.basis]) @ np.abs(share)
    apart = np.abs(far[others] - far[model.basis] @ share) > (STRAY + left) * size
    return bool((apart & (np.abs(share) > MIXED).any(axis=0)).any())


def astray(model: Free, block: Block) -> Array:
    """(n, p) where a row's column does not follow as it did in the rows learned from."""
    out = np.zeros((len(block), len(model.scale)), dtype=bool)
    if not model.dependent:
        return out
    away = np.concatenate([model.away(part) for part in model.design.pieces(block)])
    others, share = followers(model)
    left = np.sqrt(((model.root[:, others] - model.root[:, model.basis] @ share) ** 2).sum(axis=0))
    x, far = (away - model.low) / model.scale, np.abs(model.mean) / model.scale
    size, own = (STRAY * np.abs(x) + ROUNDINGS * far), x[:, others]
    near = size[:, others] + size[:, model.basis] @ np.abs(share) + ROWS * left
    out[:, others] = np.abs(own - x[:, model.basis] @ share) > near
    return out


def unheard(design: Design, block: Block) -> Array:
    """(n,) which rows have a value of a category that no row learned from had, nor a rare one."""
    out = np.zeros(len(block), dtype=bool)
    pooled = {c for c, v in zip(design.columns, design.values, strict=True) if v == POOLED}
    for name, values in design.known.items():
        if name not in pooled and values[0] not in design.rare.by_column.get(name, ()):
            out |= block.codes[name].among([*values]) == UNKNOWN
    return out


def said_of_strays(model: Free, strays: Array) -> tuple[str, ...]:
    """What is to be said of a row's answer, by which (p,) of its columns stray."""
    if not strays.any():
        return ()
    names = listed([model.design.names[j] for j in np.flatnonzero(strays)])
    return (
        f"In the rows learned from {names} followed from other columns or did not vary, and here "
        "that is not so: no row tells this answer. The weights are one choice of many.",
    )
