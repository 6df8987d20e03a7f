"""Discriminants beside scikit-learn: a large table of numbers."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn import discriminant_analysis as peer
from timing import heading, versus

import tallylearn as tl


def numbers(n: int = 1_000_000, p: int = 50, k: int = 10) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    X = rng.normal(size=(n, p)) + rng.normal(size=(k, p))[y]
    lda, qda = tl.LinearDiscriminantAnalysis(), tl.QuadraticDiscriminantAnalysis()
    fast = peer.LinearDiscriminantAnalysis(solver="lsqr")
    usual, quadratic = peer.LinearDiscriminantAnalysis(), peer.QuadraticDiscriminantAnalysis()
    heading(f"discriminants: n = {n:,}, p = {p}, {k} classes; peer scikit-learn")
    versus("LDA fit / its fastest solver", lambda: lda.fit(X, y), lambda: fast.fit(X, y), 4, 5)
    versus("LDA fit / its default solver", lambda: lda.fit(X, y), lambda: usual.fit(X, y), 30, 1)
    versus("QDA fit", lambda: qda.fit(X, y), lambda: quadratic.fit(X, y), 4, 1)
    versus("LDA predict", lambda: lda.predict(X), lambda: usual.predict(X), 1, 2)
    versus("QDA predict", lambda: qda.predict(X), lambda: quadratic.predict(X), 1, 2)


def exact(n: int = 100_000, p: int = 20, k: int = 3) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(n, p)), rng.integers(0, k, n)
    ours, plain = tl.LinearDiscriminantAnalysis(exact=True), tl.LinearDiscriminantAnalysis()
    heading(f"exact=True: n = {n:,}, p = {p}, {k} classes; beside the floats")
    versus("LDA fit", lambda: ours.fit(X, y), lambda: plain.fit(X, y), 0, 1)


if __name__ == "__main__":
    warnings.simplefilter("error")
    numbers()
    exact()
