"""Trees grown slowly and obviously: from fractions, and logarithms of forty digits."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import chain
from typing import Any

getcontext().prec = 40
TIED = Decimal("1e-9")
Row = list[Any]
FREE = (Fraction(-(10**9)), Fraction(10**9))


@dataclass(frozen=True)
class Options:
    criterion: str = "gini"  # gini, entropy, gain_ratio, variance, sdr
    category_split: str = "subset"
    missing: str = "branch"
    max_depth: int = 99
    min_split: int = 2
    min_leaf: int = 1
    costs: tuple[float, ...] = ()
    cost_rule: str = "gain2/cost"
    min_category: int = 0
    smoothing: int = 0
    slopes: tuple[int, ...] = ()


def decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def log2(x: Fraction) -> Decimal:
    return decimal(x).ln() / Decimal(2).ln()


class Oracle:
    """A table: rows of values (None: missing), y (classes or fractions), whole weights."""

    def __init__(
        self, rows: list[Row], y: list[Any], weight: list[Any], kinds: str, options: Options
    ):
        self.rows, self.y, self.kinds, self.options = rows, y, kinds, options
        self.weight = [Fraction(w) for w in weight]
        self.classes = sorted({*y}) if options.criterion not in ("variance", "sdr") else []
        if options.missing == "global":
            for j in range(len(kinds)):
                fill = self.usual(j, [(i, self.weight[i]) for i in range(len(rows))])
                for row in rows:
                    row[j] = fill if row[j] is None else row[j]

    def grow(self, share: Any = None, depth: int = 0, bounds: Any = FREE) -> dict[str, Any]:
        options = self.options
        share = [(i, w) for i, w in enumerate(self.weight)] if share is None else share
        node: dict[str, Any] = {"n": self.total(share), "impurity": self.impurity(share)}
        if options.slopes:
            node["answer"] = min(max(self.answer(share), bounds[0]), bounds[1])
        node["counts"] = [self.total([s for s in share if self.y[s[0]] == c]) for c in self.classes]
        size = self.total(share) if options.missing == "fractional" else len(share)
        if (
            len({self.y[i] for i, _ in share}) < 2
            or depth >= options.max_depth
            or size < options.min_split
        ):
            return node
        self.bounds = bounds
        found = [
            [q for q in self.splits(j, share) if self.allowed(q) and self.orderly(q, bounds)]
            for j in range(len(self.kinds))
        ]
        best = self.best(found, share)
        if not best:
            return node
        j, key, branches = best[0]["column"], best[0]["key"], best[0]["branches"]
        node |= {"column": j, "gain": best[0]["gain"], "gap": self.gap_key(best[0])}
        node["ties"] = [(q["column"], q["cut"]) for q in best] if len(best) > 1 else []
        below = self.below(best[0], bounds)
        node["children"] = {
            name: self.grow(part, depth + 1, ends)
            for name, part, ends in zip(key, branches, below, strict=True)
        }
        return node

    def slope(self, q: dict[str, Any]) -> int:
        cut = q["cut"] not in (None, "presence") and self.options.slopes
        return self.options.slopes[q["column"]] if cut else 0

    def answer(self, share: Any) -> Fraction:
        """The share of the second class, or the mean."""
        y = [self.y[i] == self.classes[1] if self.classes else self.y[i] for i, _ in share]
        weighed = sum((w * x for (_, w), x in zip(share, y, strict=True)), Fraction(0))
        return weighed / self.total(share)

    def orderly(self, q: dict[str, Any], bounds: Any) -> bool:
        """Along a slope: both sides stay in bounds, and rise or fall."""
        if not (slope := self.slope(q)):
            return True
        left, right = (self.answer(part) for part in q["branches"][:2])
        inside = all(bounds[0] <= x <= bounds[1] for x in (left, right))
        return inside and slope * (left - right) <= 0

    def below(self, q: dict[str, Any], bounds: Any) -> list[Any]:
        found = [bounds] * len(q["branches"])
        if slope := self.slope(q):
            middle = sum(self.answer(part) for part in q["branches"][:2]) / 2
            sides = [(bounds[0], middle), (middle, bounds[1])]
            found[:2] = sides if slope > 0 else sides[::-1]
        return found

    def total(self, share: Any) -> Fraction:
        return sum((w for _, w in share), Fraction(0))

    def impurity(self, share: Any) -> Decimal:
        n = self.total(share)
        if not n:
            return Decimal(0)
        if self.classes:
            p = [self.total([s for s in share if self.y[s[0]] == c]) / n for c in self.classes]
            if self.options.criterion == "gini":
                return decimal(1 - sum(x * x for x in p))
            return sum((-decimal(x) * log2(x) for x in p if x), Decimal(0))
        mean = sum((w * self.y[i] for i, w in share), Fraction(0)) / n
        variance = sum((w * (self.y[i] - mean) ** 2 for i, w in share), Fraction(0)) / n
        return (
            decimal(variance) if self.options.criterion == "variance" else decimal(variance).sqrt()
        )

    def usual(self, j: int, share: Any) -> Any:
        """The most frequent category, the median number; None where all is missing."""
        known = [(self.rows[i][j], w) for i, w in share if self.rows[i][j] is not None and w]
        values = sorted({v for v, _ in known})
        weights = [sum(w for v, w in known if v == value) for value in values]
        if not values:
            return None
        if self.kinds[j] == "c":
            return values[weights.index(max(weights))]
        half, so_far = sum(weights) / 2, Fraction(0)
        for value, w in zip(values, weights, strict=True):
            so_far += w
            if so_far >= half:
                return value
        raise AssertionError

    def value(self, j: int, i: int, share: Any) -> Any:
        """What a row is taken to have in a column."""
        mine = self.rows[i][j]
        if mine is not None or self.options.missing not in ("node", "class"):
            return mine
        if self.options.missing == "class":
            like = [s for s in share if self.y[s[0]] == self.y[i]]
            mine = self.usual(j, like)
        return self.usual(j, share) if mine is None else mine

    def splits(self, j: int, share: Any) -> list[dict[str, Any]]:
        values = {i: self.value(j, i, share) for i, _ in share}
        known = sorted({v for v in values.values() if v is not None})
        gap = [s for s in share if values[s[0]] is None]
        if not known:
            return []
        groups: list[list[list[Any]]] = []
        if self.kinds[j] == "n":
            groups = [[known[: r + 1], known[r + 1 :]] for r in self.cuts(known, values, share)]
        elif self.options.category_split == "multiway":
            groups = [[[v] for v in known]]
        else:
            pools = self.pools(known, values)
            for order in self.orders(pools, values, share):
                groups += [
                    [sorted(chain(*order[: r + 1])), sorted(chain(*order[r + 1 :]))]
                    for r in self.cuts(pools, values, share)
                ]
        found = []
        for group in groups:
            first = group[0]  # before the cut, in the order of the cuts
            if self.kinds[j] != "n":
                group = sorted(group, key=lambda side: (not side, side))
            group = [side for side in group if side]
            if len(group) + bool(gap) < 2 or (
                len(group) < 2 and self.options.missing == "fractional"
            ):
                continue
            if len(group) > 1 and gap and self.follows(gap):
                found += self.side_splits(j, group, first, gap, values, share)
            else:
                found.append(self.question(j, group, gap, values, share))
        return found

    def follows(self, gap: Any) -> bool:
        """Missing values go down the branch that they fit best."""
        if self.options.missing == "branch":
            return len(gap) < self.options.min_leaf
        return self.options.missing == "side"

    def side_splits(self, j: int, group: Any, first: Any, gap: Any, values: Any, share: Any) -> Any:
        """The question whose missing values fit best, of all branches that they could follow."""
        sides = sorted(group, key=lambda side: side != first) if len(group) == 2 else group
        made = [self.question(j, group, gap, values, share, side) for side in sides]
        if self.options.category_split == "subset" or self.kinds[j] == "n":
            made = [q for q in made if self.allowed(q) and self.orderly(q, self.bounds)]
        best: list[Any] = []
        for q in made:
            if not best or q["gain"] > best[0]["gain"] + TIED * self.impurity(share):
                best = [q]
        return best

    def gap_key(self, q: dict[str, Any]) -> Any:
        """The branch of missing values; where none was missing, the larger of two."""
        if q["gap"] is not None or self.multiway(q):
            return q["gap"]
        return max(zip(map(len, q["branches"]), range(len(q["key"])), q["key"], strict=True))[2]

    def cuts(self, known: list[Any], values: Any, share: Any) -> list[int]:
        """Whether there is a value at all first.

        Alone, where all known rows are of one class: no cut through them can gain more. Missing
        values that follow a side can: that side is not of one class, and the other one may be.
        """
        seen = {self.y[i] for i, _ in share if values[i] is not None}
        gap = [s for s in share if values[s[0]] is None]
        whole = len(known) - 1
        if self.classes and len(seen) < 2 and not (gap and self.follows(gap)):
            return [whole]
        return [whole, *range(whole)]

    def pools(self, known: list[Any], values: Any) -> list[list[Any]]:
        """Every value alone, but the rare ones together, the last."""
        rows = [*values.values()]
        rare = [v for v in known if rows.count(v) < self.options.min_category]
        return [[v] for v in known if v not in rare] + [rare] * bool(rare)

    def orders(self, pools: list[list[Any]], values: Any, share: Any) -> list[list[Any]]:
        added = self.options.smoothing if any(self.rare(pool, values) for pool in pools) else 0

        def amount(part: Any, c: Any) -> Fraction:
            if not self.classes:
                return sum((w * self.y[i] for i, w in part), Fraction(0))
            return self.total([s for s in part if self.y[s[0]] == c])

        def mean(pool: list[Any], c: Any) -> Fraction:
            mine = [s for s in share if values[s[0]] in pool]
            node = amount(share, c) / self.total(share)
            return (amount(mine, c) + added * node) / ((self.total(mine) + added) or 1)

        chosen = self.classes[1:] if len(self.classes) == 2 else self.classes or [None]
        return [sorted(pools, key=lambda pool: (mean(pool, c), pools.index(pool))) for c in chosen]

    def rare(self, pool: list[Any], values: Any) -> bool:
        return [*values.values()].count(pool[0]) < self.options.min_category

    def question(
        self, j: int, group: Any, gap: Any, values: Any, share: Any, beside: Any = None
    ) -> dict[str, Any]:
        branches = [
            [s for s in share if values[s[0]] in side or (s in gap and side == beside)]
            for side in group
        ]
        known = [s for part in branches for s in part]
        after = sum((decimal(self.total(p)) * self.impurity(p) for p in branches), Decimal(0))
        weights = known_weights = [self.total(p) for p in branches]
        cut = None
        if self.kinds[j] == "n":
            cut = (group[0][-1] + group[1][0]) / 2 if len(group) == 2 else "presence"
            key: list[Any] = [("<=", cut), (">", cut)] if len(group) == 2 else ["present"]
        else:
            key = [frozenset(side) for side in group]
        if self.options.missing == "fractional":
            n, m = self.total(share), self.total(known)
            gain = decimal(m / n) * (self.impurity(known) - after / decimal(m))
            weights = [*weights, n - m]
            branches = [part + [(i, w * self.total(part) / m) for i, w in gap] for part in branches]
        else:
            if gap and beside is None:
                after += decimal(self.total(gap)) * self.impurity(gap)
                branches, key, weights = (
                    [*branches, gap],
                    [*key, "missing"],
                    [*weights, self.total(gap)],
                )
            gain = self.impurity(share) - after / decimal(self.total(share))
        gain = max(gain, Decimal(0))  # impurities are concave: less than 0 is rounding
        shares = [w / self.total(share) for w in weights]
        information = sum((-decimal(p) * log2(p) for p in shares if p), Decimal(0))
        goes = None
        if gap and self.options.missing != "fractional":
            goes = "missing" if beside is None else key[group.index(beside)]
        return {"column": j, "cut": cut, "key": key, "branches": branches, "gain": gain,
                "gap": goes, "information": information, "known": known_weights}  # fmt: skip

    def allowed(self, q: dict[str, Any]) -> bool:
        parts = q["branches"]
        if self.options.missing == "fractional":  # weights count, before the gaps are shared out
            enough = [w >= self.options.min_leaf for w in q["known"]]
            return sum(enough) > 1 if len(q["known"]) > 2 else all(enough)
        enough = [len(part) >= self.options.min_leaf for part in parts]
        if self.multiway(q):
            return sum(enough) > 1
        return all(enough)

    def multiway(self, q: dict[str, Any]) -> bool:
        return self.kinds[q["column"]] == "c" and self.options.category_split == "multiway"

    def best(self, found: list[list[dict[str, Any]]], share: Any) -> list[dict[str, Any]]:
        impurity, options = self.impurity(share), self.options
        tops = []
        for column in found:
            if column:
                top = max(q["gain"] for q in column)
                tops.append([q for q in column if q["gain"] >= top - TIED * impurity])
        if not tops:
            return []
        mean = sum(max(q["gain"] for q in near) for near in tops) / len(tops)
        scores = []
        for near in tops:
            q = near[0]
            score, cost = q["gain"], Decimal(options.costs[q["column"]] if options.costs else 1)
            if options.criterion == "gain_ratio":
                good = q["gain"] >= mean - TIED * impurity and q["information"] > 0
                score = q["gain"] / q["information"] if good else Decimal(-1)
            elif options.costs:
                score = q["gain"] ** 2 / cost
                if options.cost_rule != "gain2/cost":
                    score = (Decimal(2) ** q["gain"] - 1) / (cost + 1)
            scores.append(score)
        top = max(scores)
        slack = TIED * (top if options.costs else impurity)
        if options.criterion == "gain_ratio":
            slack = TIED * max(top, impurity)
        result: list[dict[str, Any]] = []
        for near, score in zip(tops, scores, strict=True):
            if score >= top - slack and score >= 0:
                result += near if self.kinds[near[0]["column"]] == "n" else near[:1]
        return result
