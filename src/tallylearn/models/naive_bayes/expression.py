"""Log probabilities of naive Bayes as expressions: of numbers, categories and texts by class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tallylearn.expressions import (
    BinnedNumber,
    Category,
    CategoryColumn,
    CategoryLookup,
    FilledNumber,
    GaussianLogDensity,
    Literal,
    MissingIndicator,
    Number,
    NumberColumn,
    Product,
    Sum,
    TextColumn,
    WordCountAtLeast,
    WordSum,
)
from tallylearn.models.design.expression import tokens_of
from tallylearn.models.naive_bayes.column_factors import Categories, Gaussians
from tallylearn.models.naive_bayes.text_factors import BERNOULLI, MULTINOMIAL, Texts

TRUTH_VALUES = ("False", "True")  # of numbers that are read as above zero or not


def density_expressions(gaussians: Gaussians, c: int) -> Iterator[Number]:
    """log P(x | c) of every column of numbers; 0 where it is missing."""
    for j, name in enumerate(gaussians.names):
        mean, low = float(gaussians.mean[c, j]), float(gaussians.low[c, j])
        deviation = float(np.sqrt(gaussians.variance[c, j]))
        operand: Number = NumberColumn(name)
        if low:  # the digits of the mean beyond a double
            operand, mean = Sum((operand, Literal(-mean), Literal(-low))), 0.0
        yield FilledNumber(GaussianLogDensity(operand, mean, deviation), Literal(0.0))


def category_expression(table: Categories, c: int, halved: bool) -> Number:
    """log P(x | c) of a category; with ``halved``, of a number that is above zero or not."""
    operand: Category = CategoryColumn(table.name)
    if halved:
        operand = BinnedNumber(NumberColumn(table.name), (0.0,), TRUTH_VALUES, closed="right")
    *amounts, unseen = table.log[c].tolist()
    return CategoryLookup(operand, table.values, tuple(amounts), other=unseen, missing=0.0)


def word_expressions(text: Texts, c: int) -> Iterator[Number]:
    """log P(document | c), as a sum."""
    column, tokens = TextColumn(text.name), tokens_of(text.reader)
    if text.model != BERNOULLI:
        amounts, binary = tuple(text.log[c].tolist()), text.model != MULTINOMIAL
        yield WordSum(column, tokens, text.terms, amounts, binary)
        return
    # log P(w | c) of the words that are there, log (1 - P(w | c)) of those that are not: the sum
    # of the latter over all words, and for a word that is there the difference
    sure = np.isneginf(text.absent[c])  # words of every document of the class, and no smoothing
    absent = np.where(sure, 0.0, text.absent[c])
    amounts = tuple(np.where(sure, 0.0, text.log[c] - absent).tolist())
    yield WordSum(column, tokens, text.terms, amounts, binary=True)
    present = Sum((Literal(1.0), Product((Literal(-1.0), MissingIndicator(column)))))
    yield Product((Literal(float(absent.sum())), present))
    if sure.any():
        words = tuple(word for word, certain in zip(text.terms, sure, strict=True) if certain)
        yield WordCountAtLeast(column, tokens, words, count=len(words), then=0.0, otherwise=-np.inf)
