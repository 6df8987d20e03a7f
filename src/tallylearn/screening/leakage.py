"""Leaks: columns that know the target by themselves, and so make a score look like skill.

A column is told where what it knows is next to all (the strays are a hundredth of what chance would
get wrong), and where chance would hardly have it so in one of all columns. Values that one row has
vouch for nothing, and rows that come again vouch once. A copy that is not perfect is found by its
score: one column that alone predicts the target far better than all others together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tallylearn.screening.column_scores import ColumnScores
from tallylearn.screening.table_sample import (
    MIN_CLASS_ROWS,
    SampledRows,
    as_codes,
    is_missing,
    shorten_names,
)
from tallylearn.sources.columns.kinds import MIN_NAMES_WITH_REPEATS
from tallylearn.tables import Array, Codes

RUNS = 0.04  # of the changes of class that chance would make: one stray row in a hundred
STRAYS = 0.01  # of the rows that chance would get wrong: no honest column is as good
HALF = 0.5  # of the rows share their value with another, and are as mixed as all are
CHANCE = 0.01  # that one of all columns would look so
LINE = 1.5e-4  # standard deviations: no measure is as exact, and rounded sums are
SAMPLING_STEP = 8  # of so many rows one is looked at first: most columns are as mixed there
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # spreads the bits of a number over the highest
RANKS = 1e-5  # from 1: a rank is known to a thousandth of the rows
STRONG = {"R2": 0.95, "accuracy": 0.8}  # of the baseline's error that a suspect removes
FRACTION = 0.25  # of the error of all other columns together: a suspect leaves no more
SUSPECTS = 3  # of more columns that predict as well none is odd: the table has one strong factor
PANEL = 24  # values of a category: more may be the subjects or countries that rows repeat


@dataclass(frozen=True)
class Leaks:
    """Looks for leaks among columns of rows that are alike in nothing but by chance."""

    rows: SampledRows
    answers: Codes
    first: Array  # of rows that come again, those that come first

    @classmethod
    def of_rows(cls, rows: SampledRows) -> Leaks:
        """By the groups of equal rows; those that nothing is measured of often are equal."""
        answers = rows.classes or as_codes(np.asarray(rows.target, dtype=np.float64))
        first = np.arange(len(rows))
        if rows.measures and rows.equal.max(initial=-1) < len(rows) - 1:
            both = rows.equal * (len(answers.values) + 1) + answers.codes
            first = np.unique(both, return_index=True)[1]
        return cls(rows, answers, first)

    def of(self, name: str) -> str:
        """Why a column knows the target; empty where it does not."""
        column, answer, at = self.rows.columns[name], self.answer, self.first
        column = column if len(at) == len(column) else column[at]
        gap, known = is_missing(column), answer >= 0
        if gap.any() and self.rows.classes is not None:
            strays = self._strays(gap[known].astype(np.int64), answer[known])
            if strays is not None:
                but = self._but(strays, self.answers.codes >= 0)
                return f"its missing values separate the classes{but}"
        both = known & ~gap
        if not both.all():
            column, answer, at = column[both], answer[both], at[both]
        if isinstance(column, Codes):
            return self._by_value(name, column.codes, answer)
        return self._by_number(name, column, answer, at)

    def _by_value(self, name: str, x: Array, y: Array) -> str:
        """Whether the values of a column have one answer each."""
        if (strays := self._strays(x, y)) is None:
            return ""
        m, k = (len(np.unique(codes)) for codes in (x, y))
        how = "one to one" if m == k else f"its {m:,} values have one answer each"
        return f"{how}{self._but(strays, self._both(name))}"

    def _by_number(self, name: str, x: Array, y: Array, rows: Array) -> str:
        """The same of numbers, or whether the target follows from their order or their size."""
        if _share_values(x) and (how := self._by_value(name, _in_order(x), y)):
            return how
        if len(y) < 2 * MIN_CLASS_ROWS:
            return ""
        if self.rows.classes is not None:
            how = _separation(x, y, self.chance)
        else:
            how = _line(x, np.asarray(self.rows.target)[rows])
            how = how or _curve(_in_order(x), y, self.chance)
        return how and f"{how}{self._but(0, self._both(name))}"

    @cached_property
    def answer(self) -> Array:
        """(m,) the answers of the rows that come first."""
        return np.asarray(self.answers.codes[self.first])

    @property
    def chance(self) -> float:
        """That a column of noise looks so, such that one of all does by ``CHANCE``."""
        return CHANCE / max(len(self.rows.columns), 1)

    def _both(self, name: str) -> Array:
        return ~is_missing(self.rows.columns[name]) & (self.answers.codes >= 0)

    def _but(self, strays: int, known: Array) -> str:
        n = int(known.sum())
        but = f" but for {strays:,}" if strays else ""
        return f", on {self.rows.all} {n:,} rows{but}"

    def _strays(self, x: Array, y: Array) -> int | None:
        """How many rows the others of their value would answer wrong; None: too many for a leak."""
        times = np.bincount(x) if len(x) else np.zeros(1)
        shared = times[x] > 1
        if len(x) < 2 * MIN_CLASS_ROWS or shared.sum() < HALF * len(x):
            return None
        mixed = _expected_errors(y)
        x, y = x[shared], y[shared]
        wrong = _expected_errors(y)
        if wrong / len(x) < HALF * mixed / len(shared) or not wrong:
            return None
        top, right = _majority_classes(x, y)
        strays = len(x) - right
        likely = _log_chance(top, y) + _log_choices(len(y), strays, len(np.unique(y)))
        return strays if strays <= STRAYS * wrong and likely < np.log(self.chance) else None


def sum_leak(rows: SampledRows, target: str, told: Sequence[str]) -> Iterator[str]:
    """Columns of numbers of which the target is a weighted sum, such as the parts of a total."""
    named = {n: c for n, c in rows.columns.items() if n not in told and not isinstance(c, Codes)}
    names, table = [*named], np.column_stack([np.asarray(rows.target), *named.values()])
    with np.errstate(all="ignore"):  # numbers beyond the doubles make no sum
        table = table[np.isfinite(table).all(axis=1)]
        spread = table.std(axis=0) if len(table) else np.zeros(len(names) + 1)
        moving = np.isfinite(spread) & (spread > 0)
        if len(table) < 2 * max(MIN_CLASS_ROWS, len(names)) or not moving[0]:
            return
        y, *x = ((table - table.mean(axis=0))[:, moving] / spread[moving]).T
    if not x or not np.isfinite([y, *x]).all():
        return
    weights = np.linalg.lstsq(np.array(x).T, y, rcond=None)[0]
    if (weights @ x - y).std() < LINE:
        used = np.array(names)[moving[1:]][np.abs(weights) > LINE]
        how = "give {} away together: a weighted sum"
        how = how if len(used) > 1 else "gives {} away: a straight line"
        yield f"{shorten_names(used)} {how.format(target)}, on {rows.all} {len(y):,} rows"


def near_leaks(scores: ColumnScores, target: str, told: Collection[str]) -> Iterator[str]:
    """Columns that alone predict the target far better than all others together.

    Suspects, which remove most of the baseline's error, are compared with the columns that do
    not, so that two copies of the target do not vouch for each other. No suspects are columns
    in whose order the rows stand while the target varies (a time), nor categories of many
    values beside a numeric target (the subjects of a panel).
    """
    columns = scores.rows.columns
    if len(scores) < MIN_NAMES_WITH_REPEATS or not scores.is_scored:
        return
    alone = {name: scores.score_alone(x) for name, x in columns.items() if name not in told}
    least = STRONG[scores.metric]
    strong = {name: one for name, one in alone.items() if scores.skill(one) >= least}
    others = [name for name in alone if name not in strong]
    if not strong or len(strong) > SUSPECTS or len(others) < 2:
        return
    together = scores.score_jointly(others)
    for name, one in strong.items():
        if 1 - one > FRACTION * (1 - together) or _is_exempt(scores, columns[name]):
            continue
        found = f"{scores.metric} {one:.3f} and {together:.3f}, on {_which(scores)}"
        yield (
            f"{name} alone predicts {target} better than the other columns together ({found}): "
            f"check that it is known before {target} is"
        )


def _is_exempt(scores: ColumnScores, column: Codes | Array) -> bool:
    if isinstance(column, Codes):
        return scores.classes is None and len(column.values) > PANEL
    return _is_sorted(column[scores.at]) and not _is_sorted(scores.y[:, -1])


def _is_sorted(x: Array) -> bool:
    steps = np.diff(x[~np.isnan(x)])
    return bool((steps >= 0).all() or (steps <= 0).all())


def _which(scores: ColumnScores) -> str:
    n, rows = len(scores), scores.rows
    return (
        f"all {n:,} rows" if rows.whole and n == rows.n_with_target else f"a sample of {n:,} rows"
    )


def _majority_classes(x: Array, y: Array) -> tuple[Array, int]:
    """(m,) the answer that most rows of a value have, and how many rows the others answer right."""
    k = int(y.max()) + 1
    pairs, n = np.unique(x * k + y, return_counts=True)
    order = np.lexsort((-n, pairs // k))
    value, answer, n = pairs[order] // k, pairs[order] % k, n[order]
    top = np.flatnonzero(np.append(True, value[1:] != value[:-1]))
    second = np.append(n, 0)[top + 1] * (np.append(value, -1)[top + 1] == value[top])
    right = n[top][n[top] - 1 > second].sum()
    return answer[top], int(right)


def _expected_errors(y: Array) -> float:
    """How many rows an answer by chance, as often as each comes, would get wrong."""
    n = np.bincount(y) if len(y) else np.zeros(1)
    return float(len(y) - n @ n / max(len(y), 1))


def _log_chance(values: Array, y: Array) -> float:
    """That rows assigned at random have one target a value: arrangements of values, and of rows.

    Of values that equally many rows have it is exact.
    """
    return _arrangements(values) - _arrangements(y)


def _arrangements(codes: Array) -> float:
    """The logarithm of the orders that so many of each kind have."""
    from scipy.special import gammaln

    return float(gammaln(len(codes) + 1) - gammaln(np.bincount(codes) + 1).sum())


def _log_choices(n: int, strays: int, k: int) -> float:
    """The logarithm of the ways in which some of n rows may have another answer of k."""
    from scipy.special import gammaln

    which = gammaln(n + 1) - gammaln(strays + 1) - gammaln(n - strays + 1)
    return float(which + strays * np.log(k))


def _share_values(x: Array) -> bool:
    """Whether half of the rows share their value with another.

    A row that is alone in its bucket has a value of its own, so that most columns of measures need
    not be sorted; -0.0 is 0.0.
    """
    most = (1 - HALF) * len(x)
    bucket = (x + 0.0).view(np.uint64) * HASH_FACTOR >> np.uint64(63 - len(x).bit_length())
    if np.count_nonzero(np.bincount(bucket.view(np.int64)) == 1) > most:
        return False
    ordered = np.sort(x)
    ends = np.append(True, np.append(ordered[1:] != ordered[:-1], True))
    return bool((ends[1:] & ends[:-1]).sum() <= most)


def _in_order(x: Array) -> Array:
    """(n,) the place of every value among the different ones."""
    return np.asarray(np.unique(x, return_inverse=True)[1])


def _separation(x: Array, y: Array, chance: float) -> str:
    """Whether the classes lie side by side in a column of numbers, or in a few runs each."""
    n, few = np.bincount(y), RUNS * _expected_errors(y)
    n = n[n > 0]
    some = y[::SAMPLING_STEP][np.argsort(x[::SAMPLING_STEP])]
    if np.count_nonzero(some[1:] != some[:-1]) > max(len(n) - 1, few):
        return ""  # all rows change no less often, or a value has two classes
    changes = _changes(x, y)
    if changes == len(n) - 1 and n.min() >= MIN_CLASS_ROWS:
        likely = _log_chance(np.arange(len(n)), y)
        return "thresholds separate the classes" if changes and likely < np.log(chance) else ""
    return f"along it the class changes {changes:.0f} times only" if changes <= few else ""


def _changes(x: Array, y: Array) -> float:
    """How often the class changes along a column; a value of two classes is no column's."""
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    other = y[1:] != y[:-1]
    return np.inf if (other & (x[1:] == x[:-1])).any() else int(other.sum())


def _line(x: Array, y: Array) -> str:
    """Whether a measure lies on a straight line over a column."""
    with np.errstate(all="ignore"):  # infinite numbers make no line
        pair = np.array([x, y])
        r = float(np.asarray(np.corrcoef(pair / np.abs(pair).max(axis=1, keepdims=True)))[0, 1])
    return "a straight line" if 1 - r * r < LINE**2 else ""


def _curve(x: Array, y: Array, chance: float) -> str:
    """Whether a measure only rises or only falls along a column, both by the places of values."""
    with np.errstate(all="ignore"):  # one value has no ranks
        rho = float(np.corrcoef(_midranks(x), _midranks(y))[0, 1])
    if 1 - abs(rho) < RANKS or (abs(rho) > HALF and _steps(x, y if rho > 0 else -y, chance)):
        return "a curve that never turns"
    return ""


def _midranks(places: Array) -> Array:
    """(n,) the mean rank of the rows of every value."""
    n = np.bincount(places)
    return np.asarray((np.cumsum(n) - n / 2)[places])


def _steps(x: Array, y: Array, chance: float) -> bool:
    """Whether a measure of few values, such as a rounded one, rises in steps along a column."""
    order = np.lexsort((y, x))
    up = np.diff(y[order])
    if (up < 0).any() or up[np.diff(x[order]) == 0].any():
        return False
    return bool(np.log(2) - _arrangements(y - y.min()) < np.log(chance))
