"""Text beside scikit-learn: strings to a fitted model, predictions, sparse counts."""

from __future__ import annotations

import warnings
from importlib.util import find_spec

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from timing import heading, versus

import tallylearn as tl

LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


def documents(n: int, words: int = 100, size: int = 50_000) -> tuple[list[str], np.ndarray]:
    """Documents of about ``words`` words; the r-th most frequent word comes with share 1 / r."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(3, 11, size)
    vocabulary = np.array(["".join(rng.choice(LETTERS, length)) for length in lengths])
    share = 1 / np.arange(1, size + 1)
    ends = np.cumsum(rng.poisson(words, n))
    drawn = vocabulary[rng.choice(size, ends[-1], p=share / share.sum())]
    texts = [" ".join(part).capitalize() + "." for part in np.split(drawn, ends[:-1])]
    return texts, rng.integers(0, 2, n)


def counted(texts: list[str], y: np.ndarray) -> pl.DataFrame:
    """The counts of naive Bayes, by polars."""
    frame = pl.DataFrame({"text": texts, "y": y}).lazy()
    words = pl.col("text").str.to_lowercase().str.extract_all(r"\w+")
    return frame.select("y", words).explode("text").group_by("y", "text").len().collect()


def wabbit(texts: list[str], y: np.ndarray) -> None:
    """A linear classifier of words, one pass, by vowpal wabbit."""
    from vowpalwabbit import Workspace

    model = Workspace("--quiet -b 18 --loss_function logistic")
    for text, label in zip(texts, np.where(y > 0, "1", "-1").tolist(), strict=True):
        model.learn(f"{label} | {text.lower().replace('.', ' ')}")
    model.finish()


def main(n: int = 200_000) -> None:
    texts, y = documents(n)
    some = texts[:20_000]
    vectorizer = CountVectorizer(token_pattern=r"(?u)\w+")
    ours, theirs = tl.NaiveBayes(), make_pipeline(vectorizer, MultinomialNB())
    heading(f"text: {n:,} documents of 100 words; peer CountVectorizer + MultinomialNB")
    versus("fit from strings", lambda: ours.fit(texts, y), lambda: theirs.fit(texts, y), 8, 1)
    versus("predict 20,000", lambda: ours.predict(some), lambda: theirs.predict(some), 5, 2)
    versus("fit / counting alone, by polars", lambda: ours.fit(texts, y),
           lambda: counted(texts, y), 1, 1)  # fmt: skip
    if find_spec("vowpalwabbit"):
        versus("fit / vowpal wabbit, one pass", lambda: ours.fit(texts, y),
               lambda: wabbit(texts, y), 1, 1)  # fmt: skip
    else:
        print("vowpal wabbit is not installed: pip install vowpalwabbit compares with it")
    matrix, terms = vectorizer.transform(texts), vectorizer.get_feature_names_out()
    bayes, plain = tl.NaiveBayes(), MultinomialNB()
    heading(f"sparse counts: {matrix.shape[0]:,} x {matrix.shape[1]:,}; peer MultinomialNB")
    versus("fit", lambda: bayes.fit(tl.table(matrix, text=terms), y),
           lambda: plain.fit(matrix, y), 1, 3)  # fmt: skip
    versus("predict", lambda: bayes.predict(tl.table(matrix, text=terms)),
           lambda: plain.predict(matrix), 1, 3)  # fmt: skip


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()
