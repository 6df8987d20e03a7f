"""Folds: which rows are learned from, and which are kept for the test."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, error_context
from tallylearn.folds import fold_checks
from tallylearn.folds.dealing import by_groups, by_shares, in_time, in_turn, shuffled
from tallylearn.folds.hashing import seeds
from tallylearn.folds.rows import column_of, grouped, length, ranked, strata_of
from tallylearn.folds.samples import Shares, representative
from tallylearn.folds.splits import Split, draw, in_chunks, in_folds, in_parts
from tallylearn.sources.memory.table import in_memory
from tallylearn.tables import Array, Codes

THIRD, FIFTH = Fraction(1, 3), Fraction(1, 5)


@dataclass(frozen=True)
class Folds:
    """Which row goes where: decided by a hash of the seed and the row's number, and nothing else.

    - ``Folds.k(10)``: every row is tested once, ten times nine tenths are learned from.
    - ``Folds.leave_one_out()``: as many folds as rows; with groups, as groups.
    - ``Folds.holdout(test=Fraction(1, 3))``: one part to learn from, one to test on.
    - ``Folds.three(validation, test)``: one more to choose on. The test rows are those of a
      hold-out of the same share and seed.
    - ``Folds.bootstrap(100)``: n rows drawn with replacement, tested on those not drawn. A draw
      that leaves out no row is drawn again.
    - ``Folds.forward(5, order="date")``: learned from the past, tested on the chunk that follows;
      ``order`` is a column of numbers or dates, without it the rows are in order.

    ``stratified``: each class is dealt out evenly, so that folds and the classes within them differ
    by one row at most. A class with fewer rows than folds is in some of them only; a UserWarning
    names it. ``repeats``: as many times with other folds. Groups stay whole, and come
    before classes: then these are not dealt out evenly.

    Scikit-learn takes it as ``cv``; of three parts it is shown the first two, since what chooses
    must not see the test.

    >>> for split in Folds.k(3).splits(7, strata=["a", "a", "a", "b", "b", "b", "b"]):
    ...     print(split.train, split.test)
    [0 1 3 6] [2 4 5]
    [1 2 4 5 6] [0 3]
    [0 2 3 4 5] [1 6]

    References
    ----------
    R. Kohavi, A study of cross-validation and bootstrap for accuracy estimation and model
    selection, IJCAI 1995.
    """

    scheme: str
    number: int = 1  # folds, or draws
    repeats: int = 1
    stratified: bool = False
    seed: int = 0
    shares: tuple[Fraction, ...] = ()  # of the parts, the first of which is learned from
    order: str | None = None

    def __post_init__(self) -> None:
        with error_context("Folds" if not isinstance(self.scheme, str) else self._who):
            fold_checks.check_options(self)

    @classmethod
    def k(
        cls, number: int = 10, *, repeats: int = 1, stratified: bool = True, seed: int = 0
    ) -> Folds:
        """Every row is tested once."""
        return cls("k", number, repeats, stratified, seed)

    @classmethod
    def leave_one_out(cls) -> Folds:
        """Every row is tested alone."""
        return cls("leave_one_out")

    @classmethod
    def holdout(cls, test: Any = THIRD, *, stratified: bool = True, seed: int = 0) -> Folds:
        """One part to learn from, one to test on."""
        shares = fold_checks.shares_of("Folds.holdout", test=test)
        return cls("holdout", stratified=stratified, seed=seed, shares=shares)

    @classmethod
    def three(
        cls, validation: Any = FIFTH, test: Any = FIFTH, *, stratified: bool = True, seed: int = 0
    ) -> Folds:
        """One part to learn from, one to choose on, one to test on."""
        shares = fold_checks.shares_of("Folds.three", validation=validation, test=test)
        return cls("three", stratified=stratified, seed=seed, shares=shares)

    @classmethod
    def bootstrap(cls, number: int = 100, *, seed: int = 0) -> Folds:
        """As many rows as there are, drawn with replacement; tested on those not drawn."""
        return cls("bootstrap", number, seed=seed)

    @classmethod
    def forward(cls, number: int = 5, *, order: str | None = None) -> Folds:
        """Learned from the past, tested on what follows."""
        return cls("forward", number, order=order)

    @property
    def partitions(self) -> bool:
        """Whether the rows are dealt out to parts, each to one: then ``parts`` says to which."""
        return self.scheme not in ("bootstrap", "forward")

    def parts(
        self, n: int, strata: Any = None, groups: Any = None, order: Any = None
    ) -> tuple[Array, ...]:
        """The part of every row, once for every repeat; where parts have shares, 0 trains."""
        found = self.dealt(n, strata, groups)
        if few := self.too_few(strata, groups):
            warnings.warn(f"{self._who}: {few}.", UserWarning, stacklevel=2)
        return found

    def dealt(self, n: int, strata: Any = None, groups: Any = None) -> tuple[Array, ...]:
        """The same, for who says by himself which classes have too few rows."""
        if not self.partitions:
            raise OptionError(f"{self._who}: rows are in several parts. Ask for the splits.")
        with error_context(self._who):
            known = self._known(n, strata, groups)
            return tuple(self._part(seed, n, *known) for seed in seeds(self.seed, self.repeats))

    def too_few(self, strata: Any, groups: Any = None) -> str:
        """The classes that have no row for every part, in words; empty where all have one."""
        if not self.stratified or groups is not None:
            return ""
        coded = strata_of(strata)
        return "" if coded is None else fold_checks.too_few(coded, self._least)

    def splits(
        self, n: int, strata: Any = None, groups: Any = None, order: Any = None
    ) -> Iterator[Split]:
        """The rows to learn from and to test on, fold after fold."""
        if self.scheme == "bootstrap":
            return self._draws(n, groups)
        if self.scheme == "forward":
            return self._chunks(n, groups, order)
        parts = self.parts(n, strata, groups)
        return in_parts(parts) if self.shares else in_folds(parts)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Array, Array]]:
        """Pairs of rows to learn from and to test on, as scikit-learn asks for them."""
        with error_context(self._who):
            if y is None and (table := in_memory(X)) is not None:
                y = table.target
            strata = strata_of(y, self._least) if self.stratified else None
            order = None if self.order is None else column_of(X, self.order)
        for split in self.splits(length(X), strata, _groups(X, groups), order):
            yield split.train, split.test if split.validation is None else split.validation

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many pairs ``split`` yields."""
        if self.scheme != "leave_one_out":
            return self.number * self.repeats
        if (found := _groups(X, groups)) is not None:
            return len(grouped(found).values)
        if X is None:
            raise OptionError(f"{self._who}: as many splits as rows. Pass X.")
        return length(X)

    @staticmethod
    def representative(y: Any, part: Any) -> Shares:
        """The classes' shares in every part, beside those of the whole."""
        return representative(y, part)

    def __repr__(self) -> str:
        said = [] if self.scheme == "leave_one_out" or self.shares else [str(self.number)]
        names = ("validation", "test")[-len(self.shares) + 1 :] if self.shares else ()
        said += [f"{name}={share}" for name, share in zip(names, self.shares[1:], strict=True)]
        said += [f"repeats={self.repeats}"] if self.repeats > 1 else []
        said += [f"order={self.order!r}"] if self.order is not None else []
        if self.scheme in ("k", "holdout", "three"):
            said += [f"stratified={self.stratified}"]
        if self.scheme not in ("leave_one_out", "forward"):
            said += [f"seed={self.seed}"]
        return f"{self._who}({', '.join(said)})"

    @property
    def _who(self) -> str:
        return f"Folds.{self.scheme}"

    @property
    def _least(self) -> int:
        """The fewest parts that every row, class or group has to go round."""
        return len(self.shares) or (self.number if self.scheme == "k" else 2)

    def _known(self, n: int, strata: Any, groups: Any) -> tuple[Codes | None, Codes | None]:
        """What decides beside the hash: the classes, or the groups."""
        fold_checks.check_rows(n, self._least)
        if groups is not None:
            found = grouped(groups)
            fold_checks.check_groups(found, n, self._least)
            return None, found
        coded = strata_of(strata) if self.stratified else None
        if coded is not None:
            fold_checks.check_length("strata", len(coded), n)
        return coded, None

    def _part(self, seed: int, n: int, strata: Codes | None, groups: Codes | None) -> Array:
        if self.scheme == "leave_one_out":
            return np.arange(n, dtype=np.int32) if groups is None else groups.codes
        if groups is not None:
            part = by_groups(seed, groups, self.shares or (Fraction(1, self.number),) * self.number)
        elif self.shares:
            part = by_shares(shuffled(seed, n, strata), self.shares)
        else:
            part = in_turn(shuffled(seed, n, strata), self.number)
        fold_checks.check_parts(part, self.shares)
        return part

    def _draws(self, n: int, groups: Any) -> Iterator[Split]:
        with error_context(self._who):
            found = self._known(n, None, groups)[1]
        draws = enumerate(seeds(self.seed, self.number))
        return (draw(seed, n, found, repeat) for repeat, seed in draws)

    def _chunks(self, n: int, groups: Any, order: Any) -> Iterator[Split]:
        with error_context(self._who):
            if groups is not None:
                raise OptionError(
                    "rows go by their time, and groups are not kept whole. Leave groups out."
                )
            if order is None and self.order is not None:
                raise OptionError(f"the rows go by {self.order!r}. Pass its values as order.")
            ranks = np.arange(n) if order is None else ranked(order, self.order)
            fold_checks.check_length("order", len(ranks), n)
            fold_checks.check_rows(n, self.number + 1)
            chunk = in_time(ranks, self.number + 1)
            fold_checks.check_chunks(chunk, ranks, self.number)
        return in_chunks(chunk, self.number)


def _groups(X: Any, groups: Any) -> Any:
    """The groups that a call names, or that the table declares."""
    table = in_memory(X) if groups is None else None
    return groups if table is None else table.groups
