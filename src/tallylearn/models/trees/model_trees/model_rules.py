"""Rules of a model tree: IF what must hold THEN a linear model; and what might have been asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallylearn.errors import item_at
from tallylearn.models.trees.growing.coded_columns import code_columns
from tallylearn.models.trees.growing.node_rows import NodeRows
from tallylearn.models.trees.growing.node_target import of_measures
from tallylearn.models.trees.growing.split_search import CandidateSplit
from tallylearn.models.trees.model_trees.attributes import MISSING, Attributes
from tallylearn.models.trees.model_trees.fitting import Growth, plan_of
from tallylearn.models.trees.model_trees.model_tree import ModelTree
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.passed_table import node_not_reached
from tallylearn.models.trees.showing.candidates import Gains, NodeSplits, SplitGain
from tallylearn.models.trees.showing.conditions import Condition
from tallylearn.models.trees.showing.regions import regions_of, sentence, stop_regions
from tallylearn.models.trees.showing.rule_support import MAX_RULES, rule_sentence, rules_text
from tallylearn.models.trees.showing.tree_working import (
    MAX_WORKED_CELLS,
    MEASURES,
    Description,
    NodeSearch,
    working_of,
)
from tallylearn.models.trees.wording import format_count, format_rows, path_text
from tallylearn.reporting.formatting import format_number, number_of, plain_data
from tallylearn.reporting.report import Report, ReportLayout
from tallylearn.tables import Block, Schema
from tallylearn.workings import Derivation, Grid
from tallylearn.workings.units import format_value


@dataclass(frozen=True)
class ModelRule:
    """Conditions, the model that answers where they hold, and how well it fitted its rows."""

    conditions: tuple[Condition, ...]  # one a column, in the order of the questions
    model: str  # "LM1 = 1 + 2 · x0", or a learner in its place
    n: float  # the weight of the rows
    error: float  # the root of the mean squared residual of the node's own model, unsmoothed
    node: int

    @property
    def condition(self) -> str:
        """The conditions in one line."""
        return sentence(self.conditions)

    def __str__(self) -> str:
        return _line(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        conditions = [condition.to_dict() for condition in self.conditions]
        return {"conditions": conditions, "condition": self.condition, "model": self.model,
                "n": self.n, "error": plain_data(self.error), "node": self.node}  # fmt: skip


@dataclass(frozen=True)
class ModelRules(Report):
    """All rules of a model tree, from left to right; ``ends`` are for values that no row had.

    >>> import tallylearn as tl
    >>> x = [[i] for i in range(20)]
    >>> y = [2.0 * i + 1 if i < 10 else 50.0 - i for i in range(20)]
    >>> for rule in tl.M5(smooth=None).fit(x, y).rules():
    ...     print(rule.condition, "->", rule.model)
    x0 <= 9.5 or missing -> LM1 = 1 + 2 · x0
    x0 > 9.5 -> LM2 = 50 - 1 · x0
    """

    rules: tuple[ModelRule, ...]
    ends: tuple[ModelRule, ...] = ()

    def __iter__(self) -> Iterator[ModelRule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, at: int) -> ModelRule:
        found: ModelRule = item_at(self.rules, at, "rules")
        return found

    def of(self, nodes: Iterable[int]) -> ModelRules:
        """The rules of the nodes where rows end, row by row."""
        by_node = {rule.node: rule for rule in (*self.rules, *self.ends)}
        return replace(self, rules=tuple(by_node[node] for node in nodes), ends=())

    def text(self) -> str:
        """Every rule on a line."""
        found = self.to_dict()
        return rules_text(map(_line, found["rules"]), _notes(found))

    @staticmethod
    def _layout(found: dict[str, Any]) -> ReportLayout:
        rules, notes = found["rules"], _notes(found)
        rows = tuple(
            (
                r["condition"] or "always",
                r["model"],
                format_count(r["n"]),
                format_number(number_of(r["error"])),
            )
            for r in rules
        )
        grid = Grid("Rules", ("if", "then", "rows", "error"), rows, " ".join(notes))
        text = rules_text(map(_line, rules[:MAX_RULES]), notes, len(rules))
        return ReportLayout(grid, text=text)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "model rules", "rules": [rule.to_dict() for rule in self.rules],
                "ends": [rule.to_dict() for rule in self.ends]}  # fmt: skip


def _line(rule: dict[str, Any]) -> str:
    error = format_number(number_of(rule["error"]))
    return rule_sentence(rule, f"{rule['model']} ({format_rows(rule['n'])}, error {error})")


def _notes(found: dict[str, Any]) -> list[str]:
    ends = f"ELSE the model of the node where the row ends ({len(found['ends'])} in .ends)"
    return [ends] * bool(found["ends"])


def model_rules(model: ModelTree) -> ModelRules:
    """The rules of a model tree, from left to right."""
    tree, (names, told) = model.tree, model.leaf_names()
    regions = regions_of(tree)

    def rule(i: int, region: dict[str, Condition], said: str) -> ModelRule:
        conditions = tuple(region.values())
        return ModelRule(conditions, said, float(tree.n[i]), float(model.error[i]), i)

    leaves = [
        rule(i, region, told.get(i, names.get(i, "")))
        for i, region in enumerate(regions)
        if tree.test[i] == LEAF and region is not None
    ]
    ends = [
        rule(i, region, str(model.formula(i, f"LM of node {i}")))
        for i, region in stop_regions(tree, regions)
        if tree.test[i] != LEAF
    ]
    return ModelRules(tuple(leaves), tuple(ends))


def model_gains(model: ModelTree, node: int, block: Block, growth: Growth) -> Gains:
    """The splits of a node, from the rows that came to it."""
    at, attributes = _splits_at(model, node, block, growth), model.attributes
    best = {*map(id, at.chosen)}
    named = [
        _attribute_gain(q, at.table, attributes, id(q) in best) for found in at.found for q in found
    ]
    path = path_text(model.tree, node)
    return Gains(node, path, growth.criterion, at.impurity, tuple(named))


def model_tree_working(
    model: ModelTree, block: Block, growth: Growth, schema: Schema, full: bool
) -> Derivation:
    """The working of a model tree: its splits by its criterion, then its linear models."""

    def splits_at(node: int) -> NodeSearch | None:
        at = _splits_at(model, node, block, growth)
        cells = len(at.share.rows) * len(at.table.columns)
        if cells > MAX_WORKED_CELLS and not full:
            return None
        return at, lambda q: _describe_attribute_split(q, at.table, model.attributes)

    work = model.derivation(schema)
    note = "" if growth.criterion == "sdr" else "sdr and gain are standard deviations, not roots"
    splits = working_of(
        "", model.tree, splits_at, measure=MEASURES[growth.criterion], full=full, note=note
    )
    return Derivation(work.title, (*splits.steps, *work.steps[1:-1]))


def _splits_at(model: ModelTree, node: int, block: Block, growth: Growth) -> NodeSplits:
    tree, attributes = model.tree, model.attributes
    ends = tree.end_nodes(block)
    block = block[np.flatnonzero((ends >= node) & (ends < node + tree.sizes[node]))]
    if not len(block):
        raise node_not_reached(tree, node)
    block = attributes.as_numbers(attributes.matrix(block), block)
    target = of_measures(block.target, block.weight, True)
    plan = plan_of(block, growth)
    table = NodeRows.of(code_columns(block), target, plan)
    return NodeSplits.of(table, table.all())


def _attribute_gain(
    q: CandidateSplit, table: NodeRows, attributes: Attributes, best: bool
) -> SplitGain:
    """A split of an attribute as one of its column: a cut, or the upper group of categories."""
    name, test, _ = _test(q, table, attributes)
    return SplitGain(
        name, test, after=q.after, gain=q.gain, information=q.information, ratio=q.ratio,
        score=q.score, best=best,
    )  # fmt: skip


def _describe_attribute_split(
    q: CandidateSplit, table: NodeRows, attributes: Attributes
) -> Description:
    name, test, number = _test(q, table, attributes)
    labels = (test, test.replace("<=", ">")) if number else (f"not {test}", test)
    if test == "missing":
        return f"{name} is missing", ("present", "missing")
    return f"{name} {test}", labels


def _test(q: CandidateSplit, table: NodeRows, attributes: Attributes) -> tuple[str, str, bool]:
    """The column of a split, its test, and whether that is a threshold."""
    column, step = attributes.columns[attributes.source[q.column]], int(attributes.step[q.column])
    scale = table.columns[q.column]
    if step == MISSING:
        return column.name, "missing", False
    if step:
        return column.name, "in {" + ", ".join(map(str, column.values[step:])) + "}", False
    cut = float(scale.high[q.cut] / 2 + scale.low[q.next] / 2)
    return column.name, f"<= {format_value(cut, column.kind)}", True
