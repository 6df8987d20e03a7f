"""The working of a tree: at every node its candidates with their parts, the gains, the choice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.models.trees.explanation import condition_text, derivation, split_rows
from tallylearn.models.trees.growing import gain_ratio
from tallylearn.models.trees.growing.impurity import impurity_of, variance, weights_of
from tallylearn.models.trees.growing.node_rows import NodeRows
from tallylearn.models.trees.growing.node_target import sums_of
from tallylearn.models.trees.growing.shares import Share
from tallylearn.models.trees.growing.split_choice import best_of
from tallylearn.models.trees.growing.split_search import CandidateSplit, row_counts
from tallylearn.models.trees.node import LEAF, MULTIWAY, PRESENCE, SUBSET
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.showing.candidates import NodeSplits, rows_at, split_text
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.wording import branch_value, format_rows
from tallylearn.reporting import formatting
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import FREQUENCY, Array
from tallylearn.workings import Derivation, Equations, Grid, Heading, Listing, Sentence, Step
from tallylearn.workings.derivations import MAX_TABLE_ROWS
from tallylearn.workings.equations import equation_chain, formula, number, signed_sum
from tallylearn.workings.split_steps import (
    ABSOLUTE_ERROR,
    ENTROPY,
    FIFTH_ROOT,
    GINI,
    MAX_SHOWN_VALUES,
    POISSON,
    SQUARED_ERROR,
    STANDARD_DEVIATION,
    Measure,
    SplitSteps,
    count,
    equal_decimals,
    impurity_text,
    with_decimals,
)

MAX_FULL_NODES = 3  # nodes whose candidates are written out; full=True writes all
MAX_FULL_CANDIDATES = 6  # candidates of a node, the best first; full=True writes all
MAX_SHOWN_LEAVES = 20  # of the tree and its rules at the end; full=True shows all
MAX_WORKED_CELLS = 20_000  # rows times columns of a node whose splits are searched again
EQUAL = 1e-9  # relative: gains that are equal up to rounding
MEASURES = {
    "entropy": ENTROPY, "gini": GINI, "sdr": STANDARD_DEVIATION, "fifth_root": FIFTH_ROOT,
    ABSOLUTE: ABSOLUTE_ERROR, "poisson": POISSON,
}  # fmt: skip
Description = tuple[str, tuple[str, ...]]  # a split, and the names of its parts
NodeSearch = tuple[NodeSplits, Callable[[CandidateSplit], Description]]


def rows_not_kept_note(keep_rows: Any) -> str:
    """How to get the working of a tree without its training rows."""
    if keep_rows is False:
        return "Fit with keep_rows=True for the working of every node."
    return (
        "The working of every node needs the training rows: fit again with keep_rows=True. Model "
        "files hold no rows."
    )


def tree_working(tree: Tree, table: NodeRows, drawing: str, full: bool = False) -> Derivation:
    """The working of a decision or regression tree, from its training rows.

    Parameters
    ----------
    tree : Tree
        The fitted tree.
    table : Rows
        Its training rows, as they were when it grew.
    drawing : str
        The tree as text, which stands at the end with its rules.
    full : bool, default False
        Whether to write out all nodes and all candidates.

    Returns
    -------
    Derivation
    """

    def splits_at(node: int) -> NodeSearch | None:
        share = rows_at(tree, node, table)
        if not full and len(share.rows) * len(table.columns) > MAX_WORKED_CELLS:
            return None
        return NodeSplits.of(table, share), lambda q: _describe_split(q, table, share)

    title = "Decision tree" if tree.classes else "Regression tree"
    work = working_of(title, tree, splits_at, MEASURES.get(table.plan.criterion), full)
    if not full and len(tree.leaves) > MAX_SHOWN_LEAVES:
        return work
    rules = "\n".join(map(formatting.wrap_text, _rules(tree)))
    end: list[Step] = [Heading("The tree"), Listing(drawing), Heading("Its rules"), Listing(rules)]
    return Derivation(title, (*work.steps, *end))


def _rules(tree: Tree) -> Iterator[str]:
    """A line for every leaf, from the first to the last."""
    for leaf in sorted(tree.leaves):
        condition = condition_text(tree, leaf)
        said = tree.prediction_of(leaf)
        then = str(said) if tree.classes else f"{tree.answers_with} {format_number(float(said))}"
        n = format_rows(float(tree.counted_rows[leaf]))
        if tree.classes and said in tree.classes and tree.weight_kind == FREQUENCY:
            n = f"{count(float(tree.counts[leaf, tree.classes.index(said)]))} of {n}"
        yield f"{f'If {condition}, then' if condition else 'Always'} {then} ({n})."


def working_of(
    title: str,
    tree: Tree,
    splits_at: Callable[[int], NodeSearch | None],
    measure: Measure | None,
    full: bool,
    note: str = "",
) -> Derivation:
    """The nodes in order of their depth: the first in full, the others in a table."""
    measure = measure or SQUARED_ERROR
    inner = np.flatnonzero(tree.test != LEAF)
    order = inner[np.argsort(tree.depths[inner], kind="stable")].tolist()
    steps: list[Step] = [derivation(tree).steps[-1]]
    if order:
        steps.append(formula(measure.rule))
    folded: list[int] = []
    for at, node in enumerate(order):
        if at >= MAX_FULL_NODES and not full:
            folded += order[at:]
            break
        found = splits_at(node)
        if found is None:
            folded.append(node)
        else:
            steps += NodeWorking(tree, node, *found, measure).steps(full)
    if folded:
        title_of_rest = "the other splits; show_work(full=True) writes all of them out"
        header, rows = split_rows(tree, folded)
        steps.append(Grid(title_of_rest, header, rows, note))
    return Derivation(title, tuple(steps))


def node_steps(tree: Tree, node: int, table: NodeRows) -> list[Step]:
    """The working of one node, with its best candidates."""
    share = rows_at(tree, node, table)
    measure = MEASURES.get(table.plan.criterion) or SQUARED_ERROR
    found = NodeSplits.of(table, share)
    return NodeWorking(
        tree, node, found, lambda q: _describe_split(q, table, share), measure=measure
    ).steps(full=False)


class NodeWorking:
    """The working of one node."""

    def __init__(
        self,
        tree: Tree,
        node: int,
        splits: NodeSplits,
        describe: Callable[[CandidateSplit], Description],
        measure: Measure,
    ) -> None:
        self.tree, self.node, self.splits, self.measure = tree, node, splits, measure
        self.describe = describe
        self.target, self.plan = splits.table.target, splits.table.plan
        self.candidates = [
            (q, self._split_steps(q)) for q in map(self._best, splits.found) if q is not None
        ]
        self.decimals = equal_decimals([steps for _, steps in self.candidates])
        self.candidates = [
            (q, replace(steps, decimals=self.decimals)) for q, steps in self.candidates
        ]

    def _number(self, value: float) -> str:
        """A number with as many decimals as all others of the node."""
        return with_decimals(value, self.decimals)

    def _best(self, column: list[CandidateSplit]) -> CandidateSplit | None:
        """The split of a column that counts: the one that was taken, or the first of the best."""
        if not column:
            return None
        tied = best_of(column, self.splits.impurity)
        taken = [q for q in tied if any(q is each for each in self.splits.chosen)]
        return (taken or tied)[0]

    def steps(self, full: bool) -> list[Step]:
        """The counts, the parts of every candidate, the gains, the choice."""
        shown = sorted(self.candidates, key=lambda pair: -pair[0].score)
        if not full:
            shown = shown[:MAX_FULL_CANDIDATES]
        kept = {id(q) for q, _ in shown}
        shown = [pair for pair in self.candidates if id(pair[0]) in kept]
        rest = [pair for pair in self.candidates if id(pair[0]) not in kept]
        return [
            Heading(self._heading()),
            *self._impurity(),
            *self._parts([steps for _, steps in shown]),
            *_aligned([steps.gain_text() for q, steps in shown if _reproduces(steps, q)]),
            *self._scores([(q, s) for q, s in shown if _reproduces(s, q)]),
            *self._rest(rest),
            *self._choice(),
            Sentence(self._branches()),
        ]

    def _heading(self) -> str:
        tree, i = self.tree, self.node
        where = f"when {condition_text(tree, i)}" if i else "root"
        text = f"Node {i}, {where}: {format_rows(float(tree.counted_rows[i]))}"
        if not tree.classes:
            return f"{text}, {tree.answers_with} {format_number(float(tree.answer[i]))}"
        pairs = zip(tree.classes, self._counts(self.splits.total), strict=True)
        counts = [f"{name} {count(n)}" for name, n in pairs]
        more = len(counts) - MAX_SHOWN_VALUES
        cut = [f"{more} more classes"] if more > 0 else []
        return f"{text}, {', '.join([*counts[:MAX_SHOWN_VALUES], *cut])}"

    def _impurity(self) -> list[Step]:
        if not self.tree.classes:
            return []
        counts = self._counts(self.splits.total)
        impurity = self.splits.impurity
        return [formula(impurity_text(self.measure, counts, impurity, self.decimals))]

    def _counts(self, line: Array) -> list[float]:
        counts = line[: len(self.target.classes)] * 2.0**-self.target.power
        return [float(n) for n in counts]

    def _parts(self, shown: list[SplitSteps]) -> Iterator[Step]:
        """Tables of the parts of the candidates, of at most so many rows as are printed."""
        measure, rows = self.measure, list[tuple[str, ...]]()
        header = ("attribute", "part", *self._header(), measure.name)
        title = f"parts of {measure.rows} by each attribute"
        note = "" if self.tree.classes else measure.definition
        for steps in shown:
            more = [(steps.attribute.split(" <= ")[0], *row) for row in steps.part_rows()]
            if rows and len(rows) + len(more) > MAX_TABLE_ROWS:
                yield Grid(title, header, tuple(rows), note)
                rows = []
            rows += more
        if rows:
            yield Grid(title, header, tuple(rows), note)

    def _header(self) -> tuple[str, ...]:
        if self.tree.classes:
            return (*map(str, self._shown_classes()), "rows")
        if self.measure is ABSOLUTE_ERROR:
            return ("rows", "median")
        return ("rows", "mean", "sd") if self.measure in (FIFTH_ROOT, SQUARED_ERROR) else (
            "rows", "mean",
        )  # fmt: skip

    def _shown_classes(self) -> tuple[Any, ...]:
        return tuple(self.tree.classes)[:MAX_SHOWN_VALUES]

    def _split_steps(self, q: CandidateSplit) -> SplitSteps:
        attribute, labels = self.describe(q)
        if self.measure is ABSOLUTE_ERROR:
            return self._by_medians(q, attribute, labels)
        impurity = impurity_of(self.plan.criterion, self.target)
        weights = weights_of(q.branches, self.target)
        here = np.flatnonzero(weights > 0).tolist()
        steps = SplitSteps(
            attribute=attribute,
            labels=tuple(labels[b] for b in here),
            sizes=tuple(float(weights[b]) for b in here),
            impurities=tuple(float(impurity(q.branches[b])) for b in here),
            before=float(impurity(q.branches.sum(axis=0))),
            measure=self.measure,
            cells=tuple(self._cells(q.branches[b], float(weights[b])) for b in here),
            rows=float(weights_of(self.splits.total, self.target)),
        )
        return self._with_thresholds(steps, q)

    def _with_thresholds(self, steps: SplitSteps, q: CandidateSplit) -> SplitSteps:
        """C4.5 subtracts log2(thresholds) / rows from the gain of a column of numbers."""
        if self.plan.variant != "c45" or not self.splits.table.columns[q.column].number:
            return steps
        rows = float(row_counts(self.splits.total, self.plan, self.target))
        tried = round(2.0 ** min((steps.gain - q.gain) * rows, 60.0))
        return SplitSteps(**{**vars(steps), "thresholds": max(tried, 1), "counted": rows})

    def _cells(self, line: Array, weight: float) -> tuple[str, ...]:
        if self.tree.classes:
            shown = self._counts(line)[:MAX_SHOWN_VALUES]
            return (*map(count, shown), count(weight))
        mean = self.target.centre + float(sums_of(line)) / float(line[0]) * self.target.unit
        cells = (count(weight), number(mean))
        if self.measure not in (FIFTH_ROOT, SQUARED_ERROR):
            return cells
        return (*cells, number(math.sqrt(float(variance(line))) * self.target.unit))

    def _by_medians(self, q: CandidateSplit, attribute: str, labels: tuple[str, ...]) -> SplitSteps:
        """The parts by absolute error, which no sums tell: from their rows."""
        table = self.splits.table
        parts = [
            (label, part)
            for label, part in zip(labels, table.partition(self.splits.share, q)[0], strict=False)
            if len(part.rows)
        ]
        weights = [float(part.units.sum()) * 2.0**-self.target.power for _, part in parts]
        medians = [number(self._median(part)) for _, part in parts]
        return SplitSteps(
            attribute=attribute,
            labels=tuple(label for label, _ in parts),
            sizes=tuple(weights),
            impurities=tuple(table.impurity(part, self.splits.total) for _, part in parts),
            before=self.splits.impurity,
            measure=self.measure,
            cells=tuple((count(n), median) for n, median in zip(weights, medians, strict=True)),
        )

    def _median(self, part: Share) -> float:
        ranks = self.splits.table.measure_ranks
        assert ranks is not None
        _, low, high = ranks.absolute_deviations(part, np.zeros(len(part.rows), np.int64), 1)
        return float(ranks.values[low[0]] / 2 + ranks.values[high[0]] / 2)

    def _scores(self, shown: list[tuple[CandidateSplit, SplitSteps]]) -> Iterator[Step]:
        """What the tree chooses by, where that is not the gain."""
        if self.plan.scorer == "ratio":
            yield from self._ratios(shown)
        elif self.plan.scorer != "gain":
            texts = []
            for q, steps in shown:
                cost = self.plan.costs[q.column] if self.plan.costs else 1.0
                side = f"{self._number(q.gain)}² / {number(cost)}"
                if self.plan.scorer != "gain2/cost":
                    power = number(self.plan.exponent)
                    side = f"(2^{self._number(q.gain)} - 1) / ({number(cost)} + 1)^{power}"
                score = self._number(q.score)
                texts.append(equation_chain(f"Score({steps.attribute})", side, score))
            yield from _aligned(texts)

    def _ratios(self, shown: list[tuple[CandidateSplit, SplitSteps]]) -> Iterator[Step]:
        yield from _aligned([steps.information_text() for _, steps in shown])
        yield from _aligned([steps.ratio_text() for _, steps in shown if steps.information > 0])
        c45 = self.plan.variant == "c45"
        columns = self.splits.table.columns
        apart = (
            gain_ratio.exclude_from_mean(columns, len(self.target))
            if c45
            else [False] * len(columns)
        )
        gains = [
            max(q.gain for q in found)
            for found, left_out in zip(self.splits.found, apart, strict=True)
            if found and not left_out
        ]
        if len(gains) < 2:
            return
        mean = sum(gains) / len(gains)
        if len(gains) <= MAX_SHOWN_VALUES:
            side = f"({signed_sum([*map(self._number, gains)])}) / {len(gains)}"
            yield formula(f"mean gain = {side} = {self._number(mean)}")
        else:
            yield formula(f"mean gain = Σ Gain(S, A) / {len(gains)} = {self._number(mean)}")
        margin = f" (less {gain_ratio.MEAN_GAIN_MARGIN:g})" if c45 else ""
        below = [steps.attribute for q, steps in self.candidates if q.score < 0 and q.gain < mean]
        text = f"A gain ratio counts where the gain is at least the mean gain{margin}."
        if below:
            one = len(below) == 1
            text += (
                f" The gain of {_list_names(below)} is below it: {'its' if one else 'their'} "
                f"score{'' if one else 's'} in gains() {'is' if one else 'are'} -1."
            )
        yield Sentence(text)

    def _rest(self, rest: list[tuple[CandidateSplit, SplitSteps]]) -> list[Step]:
        if not rest:
            return []
        rows = tuple(
            (steps.attribute, self._number(q.gain), self._number(q.score))
            for q, steps in sorted(rest, key=lambda pair: -pair[0].score)
        )
        title = f"other candidates; gains({self.node}) lists all"
        return [Grid(title, ("attribute", self.measure.gain, "score"), rows)]

    def _choice(self) -> list[Step]:
        tree, chosen = self.tree, self.splits.chosen
        name = tree.columns[tree.column[self.node]].name
        best = {id(q): steps for q, steps in self.candidates}
        taken = [q for q in chosen if self._column(q) == name]
        what = {"gain": self.measure.gain, "ratio": "GainRatio"}.get(self.plan.scorer, "Score")
        word = {"Gain": "gain", "GainRatio": "gain ratio", "Score": "score"}.get(what, what)
        word = "decrease" if word == "Decrease" else word
        if not taken:
            why = "splits were drawn at random, or pruning moved this split here"
            return [Sentence(f"The node is split by {name}: {why}.")]
        q = taken[0]
        text = best[id(q)].attribute if id(q) in best else name
        tied = [self.describe(each)[0] for each in chosen if each is not q]
        score = self._number(q.score)
        largest = f"{text} has the largest {word}, {score}."
        if tied:
            how = " at random" if self.plan.tie == "random" else ", the first of them"
            largest = (
                f"{_list_names([text, *tied])} tie for the largest {word}, {score}: "
                f"{text} is taken{how}."
            )
        return [Sentence(largest)]

    def _column(self, q: CandidateSplit) -> str:
        return self.describe(q)[0].split(" <= ")[0].split(" in {")[0].removesuffix(" is missing")

    def _branches(self) -> str:
        tree = self.tree
        parts = []
        for branch in tree.branches(self.node):
            kid, value = branch.node, branch_value(tree, branch)
            if tree.test[kid] != LEAF:
                parts.append(f"{value}: node {kid}")
            elif tree.classes:
                parts.append(f"{value}: leaf, {tree.prediction_of(kid)}")
            else:
                parts.append(f"{value}: leaf, {format_number(float(tree.answer[kid]))}")
        left = len(parts) - MAX_SHOWN_VALUES
        cut = [f"{left} more branches"] if left > 0 else []
        name = tree.columns[tree.column[self.node]].name
        return f"Split by {name}. {'; '.join([*parts[:MAX_SHOWN_VALUES], *cut])}."


def _aligned(texts: list[str]) -> list[Step]:
    return [Equations(tuple(texts))] if texts else []


def _describe_split(q: CandidateSplit, table: NodeRows, share: Share) -> Description:
    """A split as it is written in a formula, and the names of its parts."""
    scale = table.columns[q.column]
    name = scale.column.name
    if q.test == PRESENCE or (q.test == SUBSET and not q.groups.any()):
        return f"{name} is missing", ("present", "missing")
    raw = table._raw(q.column, share).codes if q.test in (MULTIWAY, SUBSET) else q.groups[:0]
    if q.test == MULTIWAY:
        labels = [str(scale.column.values[c]) for c in raw]
        attribute = name
    elif q.test == SUBSET:
        text = split_text(q, scale, raw)
        labels, attribute = [text, f"not {text}"], f"{name} {text}"
    else:
        text = split_text(q, scale, raw, table.plan)
        labels, attribute = [text, text.replace("<=", ">")], f"{name} {text}"
    if 0 <= q.gap < len(labels):
        labels[q.gap] += " or missing"
    return attribute, (*labels, *["missing"] * (len(q.branches) - len(labels)))


def _reproduces(steps: SplitSteps, q: CandidateSplit) -> bool:
    """Whether the printed formula gives the gain that the tree compared."""
    scale = max(abs(steps.before), abs(q.gain), 1e-300)
    return abs(max(steps.gain, 0.0) - q.gain) <= EQUAL * scale


def _list_names(names: list[str]) -> str:
    cut = names[:MAX_SHOWN_VALUES]
    more = len(names) - len(cut)
    if more:
        return f"{', '.join(cut)} and {more} more"
    return " and ".join(filter(None, [", ".join(cut[:-1]), cut[-1]]))
