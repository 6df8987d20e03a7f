"""Vocabularies: which of the words that were counted a model uses."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from tallylearn.errors import OptionError, told
from tallylearn.sources.arrays import as_float
from tallylearn.tables import Array


@dataclass(frozen=True)
class Vocabulary:
    """Terms by their documents, by name and by number; chosen after counting, so that the choice
    does not depend on the order of the rows.
    """

    min_df: float = 1
    max_df: float = 1.0
    stop_words: frozenset[str] = frozenset()
    max_features: int | None = None

    def of(self, terms: tuple[str, ...], documents: Array, tokens: Array, n: float) -> Array:
        """The places of the terms to keep, in order; ``documents`` and ``tokens`` are (v,)."""
        low = self.min_df * n if self.min_df < 1 else self.min_df
        high = self.max_df * n if self.max_df <= 1 else self.max_df
        kept = np.flatnonzero((documents >= low) & (documents <= high))
        if self.stop_words:
            kept = np.array([at for at in kept if not self._stopped(terms[at])], dtype=np.int64)
        if self.max_features is not None:
            kept = np.sort(kept[np.argsort(-tokens[kept], kind="stable")[: self.max_features]])
        if len(terms) and not len(kept):
            raise OptionError(
                f"none of the {len(terms)} words is left by min_df={self.min_df}, "
                f"max_df={self.max_df} and stop_words. Loosen them."
            )
        return kept

    def _stopped(self, term: str) -> bool:
        """Whether a term is a stop word, or a run of words with one in it."""
        return term in self.stop_words or any(word in self.stop_words for word in term.split(" "))


def check_numbers(who: str, min_df: object, max_df: object, max_features: object) -> None:
    """The limits of a vocabulary are numbers that can be."""
    for name, value in (("min_df", min_df), ("max_df", max_df)):
        if not isinstance(value, Real) or isinstance(value, bool) or not as_float(value) >= 0:
            raise OptionError(
                f"The {name!r} parameter of {who} must be a share of the documents, or a number of "
                f"them. Got {told(value)} instead."
            )
    whole = isinstance(max_features, int | np.integer) and not isinstance(max_features, bool)
    if max_features is not None and not (whole and int(str(max_features)) >= 1):
        raise OptionError(
            f"The 'max_features' parameter of {who} must be a whole number from 1 on, or None. "
            f"Got {max_features!r} instead."
        )


def check_stop_words(who: str, given: object) -> None:
    """Stop words are a list; a language's name is refused."""
    if isinstance(given, str):
        raise OptionError(
            f"stop_words={given!r}: {who} ships no list of a language. Pass the words themselves, "
            "as in stop_words=['the', 'of']."
        )
    if given is not None and not (
        isinstance(given, list | tuple | set | frozenset | np.ndarray)
        and (not isinstance(given, np.ndarray) or given.ndim == 1)
        and all(isinstance(word, str) for word in given)
    ):
        raise OptionError(f"stop_words is a list of words, or None; {who} got {given!r}.")


def check_ngrams(who: str, given: object) -> None:
    """A range of runs of words: (1, 2) is words and pairs of words."""
    pair = list(given) if isinstance(given, tuple | list) else []
    if (
        len(pair) != 2
        or not all(isinstance(n, Integral) and not isinstance(n, bool) for n in pair)
        or not 1 <= pair[0] <= pair[1]
    ):
        raise OptionError(
            f"The 'ngram_range' parameter of {who} must be two whole numbers from 1 on, the "
            f"smaller first, as in (1, 2). Got {given!r} instead."
        )


def check_tokenizer(given: object) -> None:
    """A function, or none."""
    if given is not None and not callable(given):
        raise OptionError(f"tokenizer is a function from a text to its words, not {given!r}.")
