"""Gains: the splits that were possible at a node, side by side."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, OptionError, is_one_of, quoted_list, short_repr
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.coded_columns import Scale, code_columns
from tallylearn.models.trees.growing.gain_ratio import largest_below
from tallylearn.models.trees.growing.node_rows import NodeRows
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.growing.shares import Share
from tallylearn.models.trees.growing.split_choice import choose_splits
from tallylearn.models.trees.growing.split_search import CandidateSplit
from tallylearn.models.trees.node import MULTIWAY, PRESENCE, SUBSET, THRESHOLD
from tallylearn.models.trees.passed_table import node_not_reached
from tallylearn.models.trees.routing import NOWHERE
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.wording import path_text
from tallylearn.reporting.formatting import format_number, number_of, plain_data
from tallylearn.reporting.report import Report
from tallylearn.tables import Array, Block
from tallylearn.workings import Grid
from tallylearn.workings.derivations import MAX_TABLE_ROWS
from tallylearn.workings.units import format_value

UNSCORED_NOTE = (
    "A score of -1: the ratio does not count, because the gain is below the mean gain of the "
    "columns or the split information is 0."
)


@dataclass(frozen=True)
class SplitGain:
    """One split, and its gain."""

    column: str
    test: str  # "multiway", "<= 2.5", "in {a, b}", "present"
    after: float  # the mean impurity of its branches
    gain: float
    information: float  # of the split, in bits
    ratio: float
    score: float  # what the tree chooses by
    best: bool  # whether no other is better


@dataclass(frozen=True)
class Gains(Report):
    """All candidates of a node; ``gains["Outlook"]`` is the best of one column."""

    node: int
    path: str
    criterion: str
    impurity: float
    candidates: tuple[SplitGain, ...]

    def __iter__(self) -> Iterator[SplitGain]:
        return iter(self.candidates)

    def __len__(self) -> int:
        return len(self.candidates)

    def __getitem__(self, column: str) -> SplitGain:
        if not is_one_of(column, {c.column for c in self.candidates}):
            raise ColumnError(
                f"Gains: no split on {short_repr(column)} is possible at node {self.node}. Use a "
                f"column of {quoted_list(dict.fromkeys(c.column for c in self.candidates))}."
            )
        return max((c for c in self.candidates if c.column == column), key=lambda c: c.gain)

    def to_dict(self) -> dict[str, Any]:
        """The table of all, as it is written, and the ``candidates`` with all digits."""
        header = ("column", "test", "after", "gain", "split information", "ratio", "score", "")
        rows = tuple(
            (
                c.column,
                c.test,
                *map(format_number, (c.after, c.gain, c.information, c.ratio, c.score)),
                "best" if c.best else "",
            )
            for c in self.candidates
        )
        title = f"node {self.node} ({self.path}): {self.criterion} {format_number(self.impurity)}"
        candidates = [plain_data(vars(c)) for c in self.candidates]
        unscored = any(c.score == -1.0 for c in self.candidates)
        note = UNSCORED_NOTE if unscored else ""
        return Grid(title, header, rows, note).to_dict() | {"candidates": candidates}

    @staticmethod
    def _layout(found: dict[str, Any]) -> Grid:
        """All of a short list; of a long one the best of each column, the highest score first."""
        title, header, rows = found["title"], tuple(found["header"]), [*map(tuple, found["rows"])]
        if len(rows) > MAX_TABLE_ROWS:
            shown = _best_of_columns(found["candidates"])
            title += f"; the best of each column, {len(rows) - len(shown)} more in .candidates"
            rows = [rows[at] for at in shown]
        return Grid(title, header, tuple(rows), found.get("note", ""))


def _best_of_columns(candidates: list[dict[str, Any]]) -> list[int]:
    best: dict[str, int] = {}
    for at, c in enumerate(candidates):
        first = candidates[best.setdefault(c["column"], at)]
        if (c["best"], number_of(c["gain"])) > (first["best"], number_of(first["gain"])):
            best[c["column"]] = at
    return sorted(best.values(), key=lambda at: -number_of(candidates[at]["score"]))


def check_node(tree: Tree, node: Any) -> None:
    """Raise an OptionError for anything but the number of a node."""
    whole = isinstance(node, int | np.integer) and not isinstance(node, bool)
    if not whole or not 0 <= node < len(tree):
        raise OptionError(
            f"node is {short_repr(node)}. Use the number of a node, 0 to {len(tree) - 1}."
        )


@dataclass(frozen=True)
class NodeSplits:
    """The splits that were possible at a node, as the grower scored them."""

    table: NodeRows
    share: Share  # the rows of the node
    total: Array  # (q,) what they amount to
    impurity: float
    found: list[list[CandidateSplit]]  # by column
    chosen: list[CandidateSplit]  # the best and those tied with it; the first is taken

    @classmethod
    def of(cls, table: NodeRows, share: Share) -> NodeSplits:
        total = table.target.lines(share.rows, share.units).sum(axis=0)
        impurity = table.impurity(share, total)
        found = table.splits(share, impurity)
        return cls(table, share, total, impurity, found, choose_splits(found, impurity, table.plan))


def training_rows(block: Block, target: Target, plan: TreePlan, *, bins: int | None) -> NodeRows:
    """The training rows as codes, missing values filled as when the tree grew."""
    codes, fixed = missing_values.fill_table(
        plan.missing, code_columns(block, bins), target.weights
    )
    return NodeRows.of(codes, target, plan.with_fixed(fixed))


def gains_at(tree: Tree, node: int, table: NodeRows) -> Gains:
    """The candidates of a node, from the rows that reach it."""
    at = NodeSplits.of(table, rows_at(tree, node, table))
    best = {*map(id, at.chosen)}
    candidates = [c for column in at.found for c in _candidates(column, table, at.share, best)]
    return Gains(node, path_text(tree, node), tree.criterion, at.impurity, tuple(candidates))


def rows_at(tree: Tree, node: int, table: NodeRows) -> Share:
    """The rows that reached a node when the tree grew."""
    share = table.all()
    path = tree.above(node)
    for at, after in itertools.pairwise(path):
        q = _split_of(tree, at, table, share)
        # by other rules, missing values follow the rows that have a value
        if not (q.groups >= 0).any() and not missing_values.by_fit(table.plan.missing):
            raise node_not_reached(tree, node)
        share = table.partition(share, q)[0][tree.children(at).index(after)]
        if not len(share.rows):
            raise node_not_reached(tree, node)
    return share


def _split_of(tree: Tree, at: int, table: NodeRows, share: Share) -> CandidateSplit:
    """The split of a node, as it was made."""
    column, test = int(tree.column[at]), int(tree.test[at])
    raw = table._raw(column, share)
    if test in (THRESHOLD, PRESENCE):
        cut = tree.threshold[at] if test == THRESHOLD else np.inf
        groups = (table.columns[column].low[raw.codes] > cut).astype(np.int64)
        code = int(raw.codes[groups == 0].max(initial=-1))
    else:
        codes, leads = tree.category_leads(at)
        lead = dict(zip(codes.tolist(), leads.tolist(), strict=True))
        place = {kid: b for b, kid in enumerate(tree.children(at))}
        rest = place.get(tree.other(at), NOWHERE)
        found = [place[lead[c]] if c in lead else rest for c in raw.codes.tolist()]
        groups, code = np.array(found, dtype=np.int64), -1
    kids, gap = tree.children(at), int(tree.missing[at])
    branches = np.zeros((len(kids) + (gap < 0), 1), np.int64)  # the last is that of gaps, if any
    gap = kids.index(gap) if gap >= 0 else -1
    return CandidateSplit(
        column,
        test,
        code,
        next=-1,
        groups=groups,
        branches=branches,
        after=0.0,
        gain=0.0,
        information=0.0,
        gap=gap,
    )


def _candidates(
    found: list[CandidateSplit], table: NodeRows, share: Share, best: set[int]
) -> list[SplitGain]:
    """The candidates of one column."""
    if not found:
        return []
    column, raw = table.columns[found[0].column], np.zeros(0, np.int64)
    if found[0].test == SUBSET:
        raw = table._raw(found[0].column, share).codes
    return [
        SplitGain(
            column.column.name, split_text(q, column, raw), after=q.after, gain=q.gain,
            information=q.information, ratio=q.ratio, score=q.score, best=id(q) in best,
        )
        for q in found
    ]  # fmt: skip


def split_text(q: CandidateSplit, column: Scale, codes: Array, plan: TreePlan | None = None) -> str:
    """A split without its column; by the plan of C4.5 a threshold is a number that occurs."""
    if q.test == PRESENCE:
        return "present"
    if q.test == MULTIWAY:
        return "multiway"
    if column.number:
        cut = float(column.high[q.cut] / 2 + column.low[q.next] / 2)
        if plan is not None and plan.variant == "c45":
            cut = largest_below(column.high, cut)
        return f"<= {format_value(cut, column.column.kind)}"
    return "in {" + ", ".join(column.column.values[c] for c in codes[q.groups == 0]) + "}"
