"""Cross-validation splits: which rows train a model and which test it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, error_context
from tallylearn.folds import fold_checks
from tallylearn.folds.dealing import by_groups, by_shares, in_time, in_turn, shuffle
from tallylearn.folds.hashing import seeds
from tallylearn.folds.rows import column_of, group_codes, length, rank_times, strata_of
from tallylearn.folds.samples import Shares, representative
from tallylearn.folds.splits import Split, draw, in_chunks, in_folds, in_parts
from tallylearn.runtime.deprecation import DeprecatedAttribute
from tallylearn.sources.memory.table import in_memory
from tallylearn.tables import Array, Codes

THIRD, FIFTH = Fraction(1, 3), Fraction(1, 5)


@dataclass(frozen=True)
class Folds:
    """Cross-validation splits: k folds, hold-out, bootstrap and time series.

    Create one with a class method:

    - ``Folds.k(10)``: k-fold cross-validation.
    - ``Folds.leave_one_out()``: one fold per row, or per group.
    - ``Folds.holdout(test=Fraction(1, 3))``: a training and a test part.
    - ``Folds.three(validation, test)``: a training, a validation and a test part.
    - ``Folds.bootstrap(100)``: bootstrap samples, tested on the rows that were not drawn.
    - ``Folds.forward(5, order="date")``: trained on the past, tested on the chunk that follows.

    A hash of the seed and the row number decides the fold of a row, so the same call gives the
    same folds on every machine. scikit-learn accepts the object as ``cv``; of three parts it sees
    the training and validation parts only.

    Parameters
    ----------
    scheme : str
        The name of the class method.
    number : int, default 1
        The number of folds, bootstrap samples or chunks.
    repeats : int, default 1
        How often to repeat the whole scheme with other folds.
    stratified : bool, default False
        Whether to spread each class evenly over the folds: their sizes, in total and per class,
        then differ by one row at most. A class with fewer rows than folds is missing in some, and
        a UserWarning names it. Groups take precedence: with groups, classes are not spread evenly.
    seed : int, default 0
        The seed of the hash.
    shares : tuple of Fraction, default ()
        The shares of the parts; the first part is the training part.
    order : str, optional
        The column of numbers or dates that orders the rows in time. The default is table order.

    References
    ----------
    R. Kohavi, A study of cross-validation and bootstrap for accuracy estimation and model
    selection, IJCAI 1995.

    Examples
    --------
    >>> for split in Folds.k(3).splits(7, strata=["a", "a", "a", "b", "b", "b", "b"]):
    ...     print(split.train, split.test)
    [0 1 3 6] [2 4 5]
    [1 2 4 5 6] [0 3]
    [0 2 3 4 5] [1 6]
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
        """Create k-fold cross-validation: every row is tested once.

        Parameters
        ----------
        number : int, default 10
            The number of folds.
        repeats : int, default 1
            How often to repeat the cross-validation with other folds.
        stratified : bool, default True
            Whether to spread each class evenly over the folds.
        seed : int, default 0
            The seed of the folds.

        Returns
        -------
        Folds
            The splits.
        """
        return cls("k", number, repeats, stratified, seed)

    @classmethod
    def leave_one_out(cls) -> Folds:
        """Create leave-one-out cross-validation: every row, or group, is tested alone.

        Returns
        -------
        Folds
            The splits.
        """
        return cls("leave_one_out")

    @classmethod
    def holdout(cls, test: Any = THIRD, *, stratified: bool = True, seed: int = 0) -> Folds:
        """Create a hold-out: one training part and one test part.

        Parameters
        ----------
        test : number or Fraction, default 1/3
            The share of the test part.
        stratified : bool, default True
            Whether to spread each class evenly over the parts.
        seed : int, default 0
            The seed of the parts.

        Returns
        -------
        Folds
            The splits.
        """
        shares = fold_checks.shares_of("Folds.holdout", test=test)
        return cls("holdout", stratified=stratified, seed=seed, shares=shares)

    @classmethod
    def three(
        cls, validation: Any = FIFTH, test: Any = FIFTH, *, stratified: bool = True, seed: int = 0
    ) -> Folds:
        """Create a training, a validation and a test part.

        The test rows are those of a hold-out with the same share and seed.

        Parameters
        ----------
        validation : number or Fraction, default 1/5
            The share of the validation part.
        test : number or Fraction, default 1/5
            The share of the test part.
        stratified : bool, default True
            Whether to spread each class evenly over the parts.
        seed : int, default 0
            The seed of the parts.

        Returns
        -------
        Folds
            The splits.
        """
        shares = fold_checks.shares_of("Folds.three", validation=validation, test=test)
        return cls("three", stratified=stratified, seed=seed, shares=shares)

    @classmethod
    def bootstrap(cls, number: int = 100, *, seed: int = 0) -> Folds:
        """Create bootstrap samples, each tested on the rows that it does not contain.

        A sample has as many rows as the table, drawn with replacement. A sample that contains all
        rows is drawn again.

        Parameters
        ----------
        number : int, default 100
            The number of samples.
        seed : int, default 0
            The seed of the samples.

        Returns
        -------
        Folds
            The splits.
        """
        return cls("bootstrap", number, seed=seed)

    @classmethod
    def forward(cls, number: int = 5, *, order: str | None = None) -> Folds:
        """Create time series splits: train on the past, test on the chunk that follows.

        Parameters
        ----------
        number : int, default 5
            The number of test chunks.
        order : str, optional
            The column of numbers or dates that orders the rows. The default is table order.

        Returns
        -------
        Folds
            The splits.
        """
        return cls("forward", number, order=order)

    @property
    def partitions(self) -> bool:
        """Whether each row belongs to exactly one part, which ``parts`` returns."""
        return self.scheme not in ("bootstrap", "forward")

    def parts(
        self, n: int, strata: Any = None, groups: Any = None, order: Any = None
    ) -> tuple[Array, ...]:
        """Assign every row to a part, once per repeat.

        A class with fewer rows than parts is named in a UserWarning.

        Parameters
        ----------
        n : int
            The number of rows.
        strata : array-like, optional
            The class of each row. Ignored unless ``stratified``.
        groups : array-like, optional
            The group of each row. All rows of a group get the same part.
        order : array-like, optional
            Ignored, for the signature of ``splits``.

        Returns
        -------
        tuple of arrays
            The part of each row, an array per repeat. In a hold-out, part 0 is the training part.
        """
        found = self.assign_parts(n, strata, groups)
        if few := self.too_few(strata, groups):
            warnings.warn(f"{self._who}: {few}.", UserWarning, stacklevel=2)
        return found

    dealt = DeprecatedAttribute("dealt", "assign_parts")

    def assign_parts(self, n: int, strata: Any = None, groups: Any = None) -> tuple[Array, ...]:
        """Assign every row to a part like ``parts``, without the warning about small classes.

        Parameters
        ----------
        n : int
            The number of rows.
        strata : array-like, optional
            The class of each row. Ignored unless ``stratified``.
        groups : array-like, optional
            The group of each row. All rows of a group get the same part.

        Returns
        -------
        tuple of arrays
            The part of each row, an array per repeat.
        """
        if not self.partitions:
            raise OptionError(
                f"{self._who}: a row can be in several parts, so the rows have no part "
                "number. Use split instead."
            )
        with error_context(self._who):
            known = self._check_groups_and_strata(n, strata, groups)
            return tuple(self._part(seed, n, *known) for seed in seeds(self.seed, self.repeats))

    def too_few(self, strata: Any, groups: Any = None) -> str:
        """Name the classes that have fewer rows than there are parts.

        Parameters
        ----------
        strata : array-like
            The class of each row.
        groups : array-like, optional
            The group of each row. With groups, no class is named.

        Returns
        -------
        str
            A sentence, or an empty string if all classes have enough rows.
        """
        if not self.stratified or groups is not None:
            return ""
        coded = strata_of(strata)
        return "" if coded is None else fold_checks.too_few(coded, self._least)

    def splits(
        self, n: int, strata: Any = None, groups: Any = None, order: Any = None
    ) -> Iterator[Split]:
        """Split row numbers into training and test rows.

        Parameters
        ----------
        n : int
            The number of rows.
        strata : array-like, optional
            The class of each row. Ignored unless ``stratified``.
        groups : array-like, optional
            The group of each row. All rows of a group get the same part.
        order : array-like, optional
            The time of each row, for ``Folds.forward``.

        Returns
        -------
        iterator of Split
            The row numbers ``train``, ``test`` and, in three parts, ``validation`` of each fold.
        """
        if self.scheme == "bootstrap":
            return self._draws(n, groups)
        if self.scheme == "forward":
            return self._chunks(n, groups, order)
        parts = self.parts(n, strata, groups)
        return in_parts(parts) if self.shares else in_folds(parts)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Array, Array]]:
        """Split a table into training and test rows, as scikit-learn's splitters do.

        Parameters
        ----------
        X : table
            The rows.
        y : array-like, optional
            The target. The default is the target that the table declares.
        groups : array-like, optional
            The group of each row. The default is the groups that the table declares.

        Yields
        ------
        train : array
            The numbers of the training rows.
        test : array
            The numbers of the test rows; of three parts, of the validation rows.
        """
        with error_context(self._who):
            if y is None and (table := in_memory(X)) is not None:
                y = table.target
            strata = strata_of(y, self._least) if self.stratified else None
            order = None if self.order is None else column_of(X, self.order)
        for split in self.splits(length(X), strata, _groups(X, groups), order):
            yield split.train, split.test if split.validation is None else split.validation

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of pairs that ``split`` yields.

        Parameters
        ----------
        X : table, optional
            The rows. Required for ``Folds.leave_one_out``.
        y : array-like, optional
            Ignored, for compatibility with scikit-learn.
        groups : array-like, optional
            The group of each row.

        Returns
        -------
        int
            The number of splits.
        """
        if self.scheme != "leave_one_out":
            return self.number * self.repeats
        if (found := _groups(X, groups)) is not None:
            return len(group_codes(found).values)
        if X is None:
            raise OptionError(
                f"{self._who}: the number of splits is the number of rows, and X is not "
                "given. Pass X."
            )
        return length(X)

    @staticmethod
    def representative(y: Any, part: Any) -> Shares:
        """Compare the class shares of every part with those of all rows.

        Parameters
        ----------
        y : array-like
            The class of each row.
        part : array-like
            The part of each row, as ``parts`` returns it.

        Returns
        -------
        Shares
            The class shares. ``print`` shows them.
        """
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

    def _check_groups_and_strata(
        self, n: int, strata: Any, groups: Any
    ) -> tuple[Codes | None, Codes | None]:
        """What decides beside the hash: the classes, or the groups."""
        fold_checks.check_rows(n, self._least)
        if groups is not None:
            found = group_codes(groups)
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
            part = by_shares(shuffle(seed, n, strata), self.shares)
        else:
            part = in_turn(shuffle(seed, n, strata), self.number)
        fold_checks.check_parts(part, self.shares)
        return part

    def _draws(self, n: int, groups: Any) -> Iterator[Split]:
        with error_context(self._who):
            found = self._check_groups_and_strata(n, None, groups)[1]
        draws = enumerate(seeds(self.seed, self.number))
        return (draw(seed, n, found, repeat) for repeat, seed in draws)

    def _chunks(self, n: int, groups: Any, order: Any) -> Iterator[Split]:
        with error_context(self._who):
            if groups is not None:
                raise OptionError(
                    "this scheme splits by time, and it cannot keep groups together. Leave "
                    "groups out."
                )
            if order is None and self.order is not None:
                raise OptionError(
                    f"the rows are ordered by column {self.order!r}, and its values are not "
                    "given. Pass them as order."
                )
            ranks = np.arange(n) if order is None else rank_times(order, self.order)
            fold_checks.check_length("order", len(ranks), n)
            fold_checks.check_rows(n, self.number + 1)
            chunk = in_time(ranks, self.number + 1)
            fold_checks.check_chunks(chunk, ranks, self.number)
        return in_chunks(chunk, self.number)


def _groups(X: Any, groups: Any) -> Any:
    """The groups that a call names, or that the table declares."""
    table = in_memory(X) if groups is None else None
    return groups if table is None else table.groups
