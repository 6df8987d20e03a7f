"""Naive Bayes beside scikit-learn: large tables of numbers and of categories, and small ones."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from timing import heading, versus

import tallylearn as tl


def numbers(n: int = 1_000_000, p: int = 50, k: int = 10) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, p)), rng.integers(0, k, n)
    ours, theirs = tl.NaiveBayes(), GaussianNB()
    heading(f"numbers: n = {n:,}, p = {p}, {k} classes; peer GaussianNB")
    versus("fit, exact sums", lambda: ours.fit(X, y), lambda: theirs.fit(X, y), 1.5, 3)
    w = rng.random(n)
    versus(
        "fit, exact sums, weights that are fractions",
        lambda: ours.fit(X, y, sample_weight=w),
        lambda: theirs.fit(X, y, sample_weight=w),
        0.67,
        3,
    )
    versus("predict", lambda: ours.predict(X), lambda: theirs.predict(X), 5, 2)


def categories(n: int = 1_000_000, p: int = 30, k: int = 10) -> None:
    rng = np.random.default_rng(1)
    sizes = rng.integers(2, 51, p)
    codes = np.column_stack([rng.integers(0, size, n) for size in sizes])
    y = rng.integers(0, k, n)
    names = [f"c{j}" for j in range(p)]
    words = {name: np.array([f"v{v:02d}" for v in range(50)]) for name in names}
    strings = pd.DataFrame({name: words[name][codes[:, j]] for j, name in enumerate(names)})
    category = strings.astype("category")
    ours, theirs = tl.NaiveBayes(), CategoricalNB()
    encoded = make_pipeline(OrdinalEncoder(), CategoricalNB())
    two = (y > k // 2).astype(int)
    heading(f"categories: n = {n:,}, p = {p}, 2 to 50 values, {k} classes; peer CategoricalNB")
    versus(
        "fit from category columns / from codes",
        lambda: ours.fit(category, y), lambda: theirs.fit(codes, y), 15, 3,
    )  # fmt: skip
    versus(
        "the same with 2 classes",
        lambda: ours.fit(category, two), lambda: theirs.fit(codes, two), 15, 3,
    )  # fmt: skip
    versus(
        "fit from strings / OrdinalEncoder + fit",
        lambda: ours.fit(strings, y), lambda: encoded.fit(strings, y), 5, 1,
    )  # fmt: skip
    versus(
        "predict from category columns / from codes",
        lambda: ours.predict(category), lambda: theirs.predict(codes), 1, 3,
    )  # fmt: skip


def small() -> None:
    X, y = load_iris(return_X_y=True)
    ours, theirs = tl.NaiveBayes().fit(X, y), GaussianNB().fit(X, y)
    heading("small tables; peer GaussianNB, not behind")
    versus("iris: fit", lambda: ours.fit(X, y), lambda: theirs.fit(X, y), 1, 200)
    versus(
        "iris: predict one row", lambda: ours.predict(X[:1]), lambda: theirs.predict(X[:1]), 1, 200
    )
    rng = np.random.default_rng(2)
    big, target = rng.normal(size=(1000, 10)), rng.integers(0, 3, 1000)
    grid = {"var_smoothing": np.logspace(-9, 0, 20).tolist()}

    def search(model: object) -> None:
        GridSearchCV(model, grid, cv=5).fit(big, target)

    versus("GridSearchCV, 100 fits, n = 1,000, p = 10",
           lambda: search(tl.NaiveBayes()), lambda: search(GaussianNB()), 1, 3)  # fmt: skip


def mixed(n: int, title: str) -> None:
    """A frame as it comes: half strings with gaps, half numbers; scikit-learn needs encoders."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({f"n{j}": rng.normal(size=n) for j in range(6)})
    for j in range(8):
        values = rng.choice([f"w{v}" for v in range(12)], n).astype(object)
        frame[f"c{j}"] = np.where(rng.random(n) < 0.03, None, values)
    y = rng.integers(0, 2, n)
    text = [f"c{j}" for j in range(8)]
    pipeline = make_pipeline(
        make_column_transformer(
            (OrdinalEncoder(encoded_missing_value=12), text), remainder="passthrough"
        ),
        GaussianNB(),
    )
    ours = tl.NaiveBayes()
    versus(title, lambda: ours.fit(frame, y), lambda: pipeline.fit(frame, y), 1, 5)


if __name__ == "__main__":
    warnings.simplefilter("error")
    numbers()
    categories()
    small()
    mixed(891, "frame of titanic's size (891 rows, strings and gaps): fit")
    mixed(32_561, "frame of adult's size (32,561 rows, strings and gaps): fit")
