"""Hypothesis spaces that are lists: predicates, sets, and majority votes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from tallylearn.errors import InputError, KindError, OptionError, quoted_list, short_repr
from tallylearn.reasoning.concepts.candidate_elimination import Vote
from tallylearn.reasoning.concepts.labelled_examples import LabelledExamples, Row
from tallylearn.reasoning.names import call_user_function, check_name
from tallylearn.reasoning.probabilities import to_float
from tallylearn.tables import CATEGORY, NUMBER, Array
from tallylearn.workings import Derivation, Grid, Sentence

Measure = Callable[[Array, Array], float]  # of the true labels and the answers
MAX_POWERSET_BASE = 12  # hypotheses: 4095 subsets


@dataclass(frozen=True)
class Predicate:
    """A hypothesis as a function, or as the set of what it holds.

    It is asked about the value of a table's only column; of several columns a function gets a
    dict, and a set holds tuples.
    """

    name: str
    test: Callable[[Any], Any] | Set[Any]

    def __str__(self) -> str:
        return self.name

    def covers(self, x: Row, names: Sequence[str] = ()) -> bool:
        if isinstance(self.test, Set):
            return (x[0] if len(x) == 1 else x) in self.test
        asked = x[0] if len(x) == 1 else dict(zip(names, x, strict=True))
        try:
            return bool(self.test(asked))
        except Exception as error:
            raise InputError(
                f"the hypothesis {self.name!r} failed on {short_repr(asked)}: "
                f"{type(error).__name__}: {error}. It must take the value of the only "
                "column, or a row as a dict, and return True or False."
            ) from error


@dataclass(frozen=True)
class MajorityVote:
    """A set of hypotheses that votes: the answer of most of them, and undefined on a tie."""

    voters: tuple[Any, ...]

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self.voters)) + "}"

    def covers(self, x: Row, names: Sequence[str] = ()) -> bool | None:
        """As a multiset: a voter that is named twice has two votes."""
        votes = [hypothesis_label(h, x, names) for h in self.voters]
        for_, against = votes.count(True), votes.count(False)
        return None if for_ == against else for_ > against


def hypothesis_label(h: Any, x: Row, names: Sequence[str]) -> bool | None:
    """What a hypothesis of any kind says of a row; None is undefined."""
    found: bool | None = (
        h.covers(x, names) if isinstance(h, Predicate | MajorityVote) else h.covers(x)
    )
    return found


@dataclass(frozen=True)
class ListedVersion:
    """The hypotheses of a list that agree with every example."""

    examples: LabelledExamples
    hypotheses: Mapping[str, Predicate | MajorityVote]

    @property
    def size(self) -> int:
        return len(self.hypotheses)

    @cached_property
    def answers(self) -> dict[str, list[bool | None]]:
        """What every hypothesis of the space says of every example."""
        rows, names = self.examples.rows, self.examples.schema.names
        return {name: [h.covers(x, names) for x in rows] for name, h in self.hypotheses.items()}

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The consistent ones, by name."""
        truth = [*self.examples.inside]
        return tuple(name for name, found in self.answers.items() if found == truth)

    @property
    def count(self) -> int:
        return len(self.members)

    @property
    def reason(self) -> str:
        """Why no hypothesis is consistent; empty where one is."""
        if self.members:
            return ""
        return self.examples.noise() or "every hypothesis is wrong about a row"

    def scores(self, measure: Measure | None) -> dict[str, float]:
        """The performance of every hypothesis of the space, consistent or not."""
        truth = self.examples.labels(self.examples.inside)
        if measure is not None and not callable(measure):
            raise KindError(
                f"measure is {short_repr(measure)}. Pass a function of the true labels "
                "and the predicted labels."
            )
        rate = _share if measure is None else measure
        found = {name: self.examples.labels(said) for name, said in self.answers.items()}
        rated = {
            name: call_user_function(rate, truth, said, who="the measure")
            for name, said in found.items()
        }
        return {name: to_float(score, f"the score of {name}") for name, score in rated.items()}

    def vote(self, x: Row) -> Vote:
        """Of one row: what every consistent hypothesis says, counted."""
        said = [found for _, found in self.statements(x)]
        yes, no, undefined = said.count(True), said.count(False), said.count(None)
        counts = {"yes": yes, "no": no, "undefined": undefined}
        verdict = next((word for word, n in counts.items() if n == len(said)), "undecided")
        words = [f"{n} say {self._label(word)}" for word, n in counts.items() if n]
        because = f"of {len(said)} hypotheses {', '.join(words)}."
        return Vote(verdict, because, yes, no, undefined)

    def statements(self, x: Row) -> Iterator[tuple[str, bool | None]]:
        for name in self.members:
            yield name, self.hypotheses[name].covers(x, self.examples.schema.names)

    def lines(self) -> list[str]:
        """The consistent hypotheses."""
        return [f"consistent: {quoted_list(self.members)}"]

    def working(self) -> Derivation:
        """Every hypothesis with the rows that it gets wrong."""
        rows = tuple((name, *self._check_hypothesis(name)) for name in self.hypotheses)
        grid = Grid("Hypotheses", ("", "rows right", "wrong", "consistent"), rows)
        left = len(self.members)
        said = f"{left} of {self.size} hypotheses are consistent."
        if self.reason:
            said = f"There is no consistent hypothesis: {self.reason}."
        return Derivation("Version space of listed hypotheses", (grid, Sentence(said)))

    def _check_hypothesis(self, name: str) -> tuple[str, str, str]:
        pairs = zip(self.answers[name], self.examples.inside, self.examples.numbers, strict=True)
        wrong = [number for found, truth, number in pairs if found != truth]
        shown = ", ".join(map(str, wrong[:6])) + (", …" if len(wrong) > 6 else "")
        right = len(self.examples) - len(wrong)
        return f"{right}/{len(self.examples)}", shown, "no" if wrong else "yes"

    def _label(self, word: str) -> str:
        known = {"yes": self.examples.yes, "no": self.examples.other_label}
        return repr(known[word]) if word in known else word


@dataclass(frozen=True)
class ListedHypotheses:
    """A hypothesis space that is a list."""

    hypotheses: Mapping[str, Predicate | MajorityVote]
    noun = "hypothesis"
    plural = "hypotheses"
    kinds = (CATEGORY, NUMBER)

    @classmethod
    def of(cls, hypotheses: Mapping[str, Any]) -> ListedHypotheses:
        """Functions and sets by name."""
        if not isinstance(hypotheses, Mapping) or not hypotheses:
            raise OptionError(
                f"hypotheses is {short_repr(hypotheses)}. Pass a dict of names and "
                "functions, or of names and sets, with at least one hypothesis."
            )
        for name in hypotheses:
            check_name(name, "the hypothesis")
        return cls({str(name): to_predicate(str(name), test) for name, test in hypotheses.items()})

    def subsets(self) -> ListedHypotheses:
        """The power set: every subset but the empty one, as a vote of its members."""
        if len(self.hypotheses) > MAX_POWERSET_BASE:
            raise OptionError(
                f"{len(self.hypotheses)} hypotheses have 2^{len(self.hypotheses)} "
                f"subsets, which is too many to list. Give at most {MAX_POWERSET_BASE} "
                "hypotheses."
            )
        voters = [*self.hypotheses.values()]
        sizes = range(1, len(voters) + 1)
        chosen = (MajorityVote(some) for n in sizes for some in combinations(voters, n))
        return ListedHypotheses({str(theta): theta for theta in chosen})

    def version(self, examples: LabelledExamples) -> ListedVersion:
        """What is left of the space after the examples."""
        return ListedVersion(examples, self.hypotheses)

    def check(self, examples: LabelledExamples, rows: list[Row]) -> None:
        """A predicate may be asked about anything."""


def _share(truth: Array, answers: Array) -> float:
    return float(np.mean(truth == answers))


def to_predicate(name: str, test: Any) -> Predicate:
    """A function or a set as a hypothesis."""
    if isinstance(test, Set) or callable(test):
        return Predicate(name, test)
    raise OptionError(
        f"the hypothesis {name!r} is {short_repr(test)}. Pass a function of a row, or a set."
    )
