"""Texts: what the words of a document say about its class, P(d | c)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import quoted_list
from tallylearn.kernels import tokenizer
from tallylearn.models.naive_bayes.column_factors import factor_text, fraction, fraction_term
from tallylearn.models.naive_bayes.vocabulary import Vocabulary
from tallylearn.tables import Array, DocumentTerms, check_shape, field_schemas
from tallylearn.tallies import Bundle
from tallylearn.tallies.documents import Reader
from tallylearn.tallies.keys import Keys
from tallylearn.tallies.words import KINDS, without_weights
from tallylearn.workings import Formula, Grid, Term

MULTINOMIAL, SET, BERNOULLI = "multinomial", "set", "bernoulli"
LISTED = 1000  # words of a document that are factors of their own
ABSENT = 20  # absent words that are factors of their own
MAX_SHOWN_TERMS = 20  # a vocabulary up to this size is shown whole
TOP = 10  # words that are shown for every class
EMPTY = np.zeros(0, dtype=np.int32)
SHARE = Formula(
    "P(w | c) = (times w comes in c + added) / (words in c + added · number of words)",
    r"P(w \mid c) = \frac{tf_{w,c} + \alpha}{\sum_{w'} tf_{w',c} + \alpha |V|}",
)
HOLDS = Formula(
    "P(w | c) = (documents of c with w + added) / (documents of c + 2 · added), "
    "and 1 - P(w | c) for a word that is absent",
    r"P(w \mid c) = \frac{df_{w,c} + \alpha}{N_c + 2\alpha}, \quad 1 - P(w \mid c)",
)


@dataclass(frozen=True)
class Texts:
    """One column of text: P(w | c) for every word of the vocabulary.

    Multinomial: a factor for every token. Set: one for every distinct word. Bernoulli: one for
    every word of the vocabulary, present or absent. Words never seen are passed over.
    """

    name: str
    model: str
    terms: tuple[str, ...]
    count: Array  # (k, v) times the word comes in the class; for Bernoulli documents that hold it
    whole: Array  # (k,) words of the class; for Bernoulli its documents
    extra: float  # added to every count
    reader: Reader

    form: ClassVar[field_schemas.Form] = {
        "name": field_schemas.text(),
        "model": field_schemas.text(MULTINOMIAL, SET, BERNOULLI),
        "terms": field_schemas.names("v"),
        "count": field_schemas.floats("k", "v", least=0.0),
        "whole": field_schemas.floats("k", least=0.0),
        "extra": field_schemas.number(0.0),
        "reader": field_schemas.one(Reader),
    }

    def check(self) -> None:
        """What a file says can be: words, and shares of something."""
        self.reader.check()
        below = self.whole + self.total_pseudocount
        if not self.terms or not (np.isfinite(below) & (below > 0)).all():
            raise ValueError(f"the words of column {self.name!r} have no shares")
        most = self.whole[:, None] * (1 + 1e-9)
        whole = np.isclose(self.count.sum(axis=1), self.whole)
        if not (self.count <= most if self.model == BERNOULLI else whole).all():
            raise ValueError(f"the words of column {self.name!r} do not add up")

    def __post_init__(self) -> None:
        check_shape(self.name, self.count, *self.whole.shape, len(self.terms))

    @classmethod
    def of(
        cls,
        name: str,
        tally: Bundle,
        classes: Keys,
        model: str,
        vocabulary: Vocabulary,
        reader: Reader,
    ) -> Texts:
        """From the counts of words, without smoothing."""
        terms: Any = tally["terms"].keys[-1]
        both = tally["terms"].reindex(KINDS, classes, terms).floats()  # (2, k, v)
        documents = tally["rows"].reindex(classes).floats()
        rank = both[0 if model == BERNOULLI else 1].sum(axis=0)
        held, n = _document_counts(tally, classes, terms)
        kept = vocabulary.of(terms, held, rank, n)
        count = both[0 if model == BERNOULLI else 1]
        if len(kept) < len(terms):
            count = np.ascontiguousarray(count[:, kept])  # sums follow the order in memory
            terms = tuple([terms[i] for i in kept.tolist()])
        whole = documents if model == BERNOULLI else count.sum(axis=1)
        return cls(
            name=name, model=model, terms=terms, count=count, whole=whole, extra=0.0, reader=reader
        )

    def smooth(self, extra: float) -> Texts:
        """With this added to every count; a class without words takes those of all classes."""
        count, whole = self.count, self.whole
        if extra == np.inf:  # the counts are nothing beside it
            count, whole, extra = count * 0.0, whole * 0.0, 1.0
        if extra == 0 and (bare := whole == 0).any():
            count = np.where(bare[:, None], count.sum(axis=0), count)
            whole = np.where(bare, whole.sum(), whole)
        return Texts(
            name=self.name,
            model=self.model,
            terms=self.terms,
            count=count,
            whole=whole,
            extra=extra,
            reader=self.reader,
        )

    @property
    def total_pseudocount(self) -> float:
        """What is added to the whole."""
        return self.extra * (2 if self.model == BERNOULLI else len(self.terms))

    @cached_property
    def log(self) -> Array:
        """(k, v) log P(w | c)."""
        with np.errstate(divide="ignore"):
            result: Array = np.log(
                (self.count + self.extra) / (self.whole + self.total_pseudocount)[:, None]
            )
        return result

    @cached_property
    def absent(self) -> Array:
        """(k, v) log (1 - P(w | c))."""
        without = self.whole[:, None] - self.count + self.extra
        with np.errstate(divide="ignore"):
            result: Array = np.log(without / (self.whole + self.total_pseudocount)[:, None])
        return result

    @cached_property
    def _place(self) -> dict[str, int]:
        return {term: at for at, term in enumerate(self.terms)}

    @cached_property
    def _table(self) -> Array:
        """(v, k) what a word adds to the score; Bernoulli's also takes its absence back."""
        table = self.log
        if self.model == BERNOULLI:
            sure = np.isneginf(self.absent)
            table = np.where(sure, 0.0, self.log - np.where(sure, 0.0, self.absent))
        return np.ascontiguousarray(table.T)

    def add(self, bags: DocumentTerms, out: Array) -> None:
        """Add this column's evidence to out (n, k)."""
        self._score(bags, self._table, out)
        if self.model != BERNOULLI:
            return
        sure = np.isneginf(self.absent)  # words of every document of a class, and no smoothing
        out[bags.present] += np.where(sure, 0.0, self.absent).sum(axis=1)
        if sure.any():
            met = np.zeros_like(out)
            self._score(bags, np.ascontiguousarray(sure.T, dtype=np.float64), met)
            out[(met < sure.sum(axis=1)) & bags.present[:, None]] = -np.inf

    def _score(self, bags: DocumentTerms, table: Array, out: Array) -> None:
        if bags.terms != self.terms:  # a row for every term of the documents, 0 for unknown ones
            table = np.concatenate([table, np.zeros((1, table.shape[1]))])[self.places(bags)]
        seen = EMPTY if self.model == MULTINOMIAL else np.full(len(table), -1, dtype=np.int32)
        tokenizer.score(bags.ids, bags.ends, bags.times, table, seen, out)

    def places(self, bags: DocumentTerms) -> Array:
        """Where the terms of some documents stand in the vocabulary; -1 where they do not."""
        if bags.terms == self.terms:
            return np.arange(len(self.terms))
        place = self._place
        return np.array([place.get(term, -1) for term in bags.terms], dtype=np.int64)

    def coefficient(self, bags: DocumentTerms) -> Array:
        """(n,) the logarithm of (sum d)! / prod d!, over the known words of every document."""
        from scipy.special import gammaln

        at = self.places(bags)[bags.ids]
        rows = np.repeat(np.arange(len(bags)), np.diff(bags.ends))[at >= 0]
        times = bags.times[at >= 0] if len(bags.times) else np.ones(len(rows), dtype=np.int64)
        pairs, inside = np.unique(rows * len(self.terms) + at[at >= 0], return_inverse=True)
        each = np.bincount(inside, times, minlength=len(pairs))
        length = np.bincount(rows, times, minlength=len(bags))
        fell = np.bincount(pairs // max(1, len(self.terms)), gammaln(each + 1), len(bags))
        return np.asarray(gammaln(length + 1) - fell)

    def factors(self, bags: DocumentTerms, i: int, c: int) -> list[Term]:
        """The factors of one document in one class."""
        if not bags.present[i]:
            return []
        known = {w: n for w, n in _word_counts(bags, i).items() if w in self._place}
        if self.model == MULTINOMIAL and sum(known.values()) > LISTED:
            return [self._power(self._place[w], n, c) for w, n in known.items()]
        each = known if self.model == MULTINOMIAL else dict.fromkeys(known, 1)
        terms = [self._term(self._place[w], c) for w, n in each.items() for _ in range(n)]
        return terms + (self._absent_terms(known, c) if self.model == BERNOULLI else [])

    def _term(self, at: int, c: int, absent: bool = False) -> Term:
        seen = self.whole[c] - self.count[c, at] if absent else self.count[c, at]
        above = fraction(seen) + fraction(self.extra)
        below = fraction(self.whole[c]) + fraction(self.total_pseudocount)
        log = (self.absent if absent else self.log)[c, at]
        word = f"no {self.terms[at]}" if absent else self.terms[at]
        return fraction_term(self.name, word, float(log), above, below)

    def _power(self, at: int, n: int, c: int) -> Term:
        one = self._term(at, c)
        return Term(self.name, one.value, n * one.amount, text=f"({one.factor})^{n}")

    def _absent_terms(self, known: dict[str, int], c: int) -> list[Term]:
        """The absent words: factors of their own, or one for all where they are many."""
        here = {self._place[w] for w in known}
        rest = [at for at in range(len(self.terms)) if at not in here]
        if len(rest) <= ABSENT:
            return [self._term(at, c, absent=True) for at in rest]
        return [
            Term(
                self.name,
                f"no other of {len(rest)} words",
                float(self.absent[c, rest].sum()),
                text="all 1 - P(w | c)",
            )
        ]

    def notes(self, bags: DocumentTerms, i: int, alone: bool) -> list[str]:
        """What is to be said of a document: that it says nothing, or what was passed over."""
        answer = "the prior answers" if alone else "the prior and the other columns answer"
        if not bags.present[i]:
            return [f"{self.name} is missing: {answer}."]
        words = _word_counts(bags, i)
        unknown = [word for word in words if word not in self._place]
        said = []
        if unknown:
            said = [f"{self.name}: not in the vocabulary, and passed over: {quoted_list(unknown)}."]
        if len(unknown) < len(words):
            return said
        if self.model == BERNOULLI:
            return [*said, f"{self.name} has no known word: only the absent ones count."]
        return [*said, f"{self.name} has no known word: {answer}."]

    def top(self, c: int, n: int) -> list[tuple[str, float]]:
        """The words that speak most for a class: log P(w | c) - log P(w | the other classes)."""
        odds = self.log[c] - self._log_shares_of_others(c) if len(self.whole) > 1 else self.log[c]
        seen = np.flatnonzero(self.count[c] > 0)
        best = seen[np.argsort(-odds[seen], kind="stable")[:n]]
        return [(self.terms[at], float(odds[at])) for at in best]

    def _log_shares_of_others(self, c: int) -> Array:
        """(v,) log P(w | not c)."""
        rest = self.count.sum(axis=0) - self.count[c]
        whole = self.whole.sum() - self.whole[c] + self.total_pseudocount
        with np.errstate(divide="ignore"):
            return np.asarray(np.log((rest + self.extra) / whole))

    def steps(self, classes: tuple[str, ...]) -> list[Grid | Formula]:
        """The estimates as fractions where they are few, and the top words of every class."""
        found: list[Grid | Formula] = []
        if len(self.terms) <= MAX_SHOWN_TERMS:
            rows = tuple(
                (term, *(factor_text(self._term(at, c)) for c in range(len(classes))))
                for at, term in enumerate(self.terms)
            )
            found.append(Grid(f"P({self.name} | class)", ("word", *classes), rows))
        best = [[(w, f"{odds:.4g}") for w, odds in self.top(c, TOP)] for c in range(len(classes))]
        deep = range(max(map(len, best), default=0))
        rows = tuple(
            (str(r + 1), *(cell for own in best for cell in (own[r] if r < len(own) else ("", ""))))
            for r in deep
        )
        header = ("", *(cell for name in classes for cell in (name, "log-odds")))
        note = f"{len(self.terms)} words; log-odds: log P(w | c) - log P(w | the other classes)."
        return [*found, Grid(f"Top words of {self.name}", header, rows, note)]


def _document_counts(tally: Bundle, classes: Keys, terms: Any) -> tuple[Array, float]:
    """(v,) how many documents hold a term, and how many there are: weights do not count here."""
    plain = without_weights(tally)
    held = plain["terms"].reindex(KINDS, classes, terms).floats()[0].sum(axis=0)
    return held, float(plain["rows"].floats().sum())


def _word_counts(bags: DocumentTerms, i: int) -> Counter[str]:
    """The words of a document, in the order in which they first come."""
    here = slice(int(bags.ends[i]), int(bags.ends[i + 1]))
    words = [bags.terms[at] for at in bags.ids[here]]
    if not len(bags.times):
        return Counter(words)
    return Counter(dict(zip(words, bags.times[here].tolist(), strict=True)))
