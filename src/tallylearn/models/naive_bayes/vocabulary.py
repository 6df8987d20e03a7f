"""Vocabularies: which of the words that were counted a model uses."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from tallylearn.errors import OptionError
from tallylearn.estimators.options import NONE, Allowed, Option, either, whole
from tallylearn.sources.memory.arrays import as_float
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
            kept = np.array(
                [at for at in kept if not self._is_stop_word(terms[at])], dtype=np.int64
            )
        if self.max_features is not None:
            kept = np.sort(kept[np.argsort(-tokens[kept], kind="stable")[: self.max_features]])
        if len(terms) and not len(kept):
            raise OptionError(
                f"min_df={self.min_df}, max_df={self.max_df} and stop_words exclude all "
                f"{len(terms)} words. Lower min_df, raise max_df, or shorten stop_words."
            )
        return kept

    def _is_stop_word(self, term: str) -> bool:
        """Whether a term is a stop word, or a run of words with one in it."""
        return term in self.stop_words or any(word in self.stop_words for word in term.split(" "))


def _is_ngram_range(given: object) -> bool:
    pair = list(given) if isinstance(given, tuple | list) else []
    whole = all(isinstance(n, Integral) and not isinstance(n, bool) for n in pair)
    return len(pair) == 2 and whole and 1 <= pair[0] <= pair[1]


def _is_number_of_documents(given: object) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool) and as_float(given) >= 0


def _are_stop_words(given: object) -> bool:
    if isinstance(given, np.ndarray) and given.ndim != 1:
        return False
    many = isinstance(given, list | tuple | set | frozenset | np.ndarray)
    return many and all(isinstance(word, str) for word in given)  # type: ignore[attr-defined]


# the options of a vocabulary: those of all learners that read text
NGRAM_RANGE = Allowed(
    ("two whole numbers from 1 on, the smaller first, as in (1, 2)",), _is_ngram_range
)
DOCUMENTS = Allowed(("a share of the documents, or a number of them",), _is_number_of_documents)
STOP_WORDS = either(
    Allowed(("a list of words, as in ['the', 'of'] (no list of a language is built in)",),
            _are_stop_words), NONE
)  # fmt: skip
TOKENIZER = either(Allowed(("a function from a text to its words",), callable), NONE)


def check_words(learner: Any) -> None:
    """Check the options of a vocabulary, where a learner does not declare them."""
    for name, takes in (
        ("ngram_range", NGRAM_RANGE),
        ("min_df", DOCUMENTS),
        ("max_df", DOCUMENTS),
        ("max_features", either(whole(1), NONE)),
        ("stop_words", STOP_WORDS),
    ):
        Option(name=name, takes=takes).check(type(learner).__name__, getattr(learner, name))
