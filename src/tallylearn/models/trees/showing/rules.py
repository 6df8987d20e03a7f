"""The rules of a tree, one per leaf: IF conditions THEN prediction, with the support.

The rules of one class, joined by OR, are a disjunction of conjunctions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallylearn.errors import InputError, OptionError, is_one_of, item_at, quoted_list, short_repr
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.showing.joined_regions import join_regions
from tallylearn.models.trees.showing.python_code import python_program
from tallylearn.models.trees.showing.regions import Region, regions_of, sentence, stop_regions
from tallylearn.models.trees.showing.rule_support import (
    MAX_RULES,
    TreeRule,
    rule_cells,
    rule_line,
    rules_text,
)
from tallylearn.models.trees.showing.tree_text import spread
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.formatting import plain_data, printable_text
from tallylearn.reporting.report import Report, ReportLayout
from tallylearn.tables import Array
from tallylearn.workings import Grid

SPREAD = {"class": "share", "mean": "sd", "median": "absolute error"}
ORDERS = ("leaf", "support")


@dataclass(frozen=True)
class Rules(Report):
    """All rules of a tree: every row meets exactly one, of ``rules`` or of ``ends``.

    ``ends`` are for rows that stop at an inner node: their category, or their missing value, had
    no training row there. The prediction is that of the node. Where a tree sends rows with missing
    values down every branch in parts, no single rule holds for them.

    >>> import tallylearn as tl
    >>> rules = tl.ID3().fit(tl.example("tennis")).rules(order="support")
    >>> print(rules[0])
    IF Outlook = Overcast THEN Yes (4 of 4, [0.51, 1.00])
    >>> print(rules.formula("No"))
    (Outlook = Rain ∧ Wind = Strong) ∨ (Outlook = Sunny ∧ Humidity = High)

    J. R. Quinlan, C4.5: Programs for Machine Learning, 1993, chapter 5.
    """

    rules: tuple[TreeRule, ...]
    ends: tuple[TreeRule, ...] = field(repr=False)
    tree: Tree = field(repr=False)
    missing: tuple[Any, ...] = ()  # markers of missing values, beside the empty ones

    def __iter__(self) -> Iterator[TreeRule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, at: int) -> TreeRule:
        found: TreeRule = item_at(self.rules, at, "rules")
        return found

    def simplified(self) -> Rules:
        """Fewer rules with the same predictions.

        Splits that do not change the prediction are left out, and rules of one prediction that
        differ in one column are joined.

        Returns
        -------
        Rules
        """
        less = _make_rules(self.tree, _constant_nodes(self.tree), self.missing)
        return replace(less, rules=_join_rules(less.rules), ends=_join_rules(less.ends))

    def formula(self, answer: Any) -> str:
        """The rows of one prediction, as a disjunction of conjunctions.

        Parameters
        ----------
        answer : object
            A class, or the mean of a leaf.

        Returns
        -------
        str
        """
        if not is_one_of(answer, self.answers):
            raise OptionError(
                f"Rules.formula: no rule predicts {short_repr(answer)}. Use one of "
                f"{quoted_list(self.answers)}."
            )
        found = [rule for rule in self.simplified() if rule.answer == answer]
        if any(not rule.conditions for rule in found):
            return "true"
        terms = (f"({sentence(rule.conditions, ' ∧ ')})" for rule in found)
        return printable_text(" ∨ ".join(terms)) or "false"

    @property
    def answers(self) -> tuple[Any, ...]:
        """The classes, or the means of the leaves."""
        return self.tree.classes or tuple(dict.fromkeys(rule.answer for rule in self.rules))

    def text(self) -> str:
        """All rules, one per line.

        Returns
        -------
        str
        """
        found = self.to_dict()
        return rules_text(map(rule_line, found["rules"]), _notes(found))

    @staticmethod
    def _layout(found: dict[str, Any]) -> ReportLayout:
        rules, notes = found["rules"], _notes(found)
        header = ("if", "then", "rows", SPREAD[found["answers_with"]], "95 %")
        grid = Grid("Rules", header, tuple(map(rule_cells, rules)), " ".join(notes))
        text = rules_text(map(rule_line, rules[:MAX_RULES]), notes, len(rules))
        return ReportLayout(grid, text=text)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "rules", "classes": [*map(plain_data, self.tree.classes)],
                "in_parts": self.tree.fractional, "answers_with": self.tree.answers_with,
                "rules": [rule.to_dict() for rule in self.rules],
                "ends": [rule.to_dict() for rule in self.ends]}  # fmt: skip

    def to_python(self) -> str:
        """The rules as a Python program that does not import tallylearn.

        Returns
        -------
        str
            Its function ``predict(row)`` takes a dict and predicts as the tree does.
        """
        every = [(rule.conditions, rule.answer) for rule in (*self.rules, *self.ends)]
        return python_program(self.tree, every, self.missing)


def _notes(found: dict[str, Any]) -> list[str]:
    ends = f"ELSE the prediction of the node where the row stops ({len(found['ends'])} in .ends)"
    parts = "A row with a missing value goes down every branch, in parts."
    return [ends] * bool(found["ends"]) + [parts] * found["in_parts"]


def rules_of(tree: Tree, missing: tuple[Any, ...] = (), order: str = "leaf") -> Rules:
    """The rules of a tree, from left to right, or those with the most rows first."""
    if not is_one_of(order, ORDERS):
        raise OptionError(f"order is {short_repr(order)}. Use one of {quoted_list(ORDERS)}.")
    rules = _make_rules(tree, tree.test == LEAF, missing)
    if order == "leaf":
        return rules
    return replace(rules, rules=tuple(sorted(rules, key=lambda rule: -rule.n)))


def rules_of_nodes(tree: Tree, nodes: Iterable[int], missing: tuple[Any, ...] = ()) -> Rules:
    """The rule of every node in a list: of rows, the nodes that they reach."""
    rules = rules_of(tree, missing)
    by_node = {rule.nodes[0]: rule for rule in (*rules.rules, *rules.ends)}
    found = [by_node.get(node) for node in nodes]
    if None in found:
        raise InputError(
            f"row {found.index(None)} has a missing value, so parts of it go down several branches "
            "and no single rule predicts it. Use explain(), which shows the sum."
        )
    return replace(rules, rules=tuple(rule for rule in found if rule), ends=())


def _make_rules(tree: Tree, leaf: Array, missing: tuple[Any, ...]) -> Rules:
    """The rules of a tree in which some nodes count as leaves."""
    found = regions_of(tree, leaf)
    leaves = [
        _rule(tree, i, region, tuple((i + np.flatnonzero(leaf[i : i + tree.sizes[i]])).tolist()))
        for i, region in enumerate(found)
        if leaf[i] and region is not None
    ]
    ends = (_rule(tree, i, region, (i,)) for i, region in stop_regions(tree, found) if not leaf[i])
    return Rules(tuple(leaves), tuple(ends), tree, missing)


def _constant_nodes(tree: Tree) -> Array:
    """(m,) leaves, and nodes below which all predictions are equal: splits there change nothing."""
    alike = np.ones(len(tree), dtype=bool)
    for i in range(len(tree) - 1, 0, -1):
        up = tree.parent[i]
        alike[up] &= alike[i] and tree.answer[i] == tree.answer[up]
    return np.asarray((tree.test == LEAF) | (alike & (not tree.fractional)))


def _rule(tree: Tree, i: int, region: Region, nodes: tuple[int, ...]) -> TreeRule:
    counts = tuple(zip(tree.classes, tree.counts[i].tolist(), strict=True))
    sd = math.nan if tree.classes else spread(tree, i)
    n, kind = float(tree.n[i]), tree.answers_with
    return TreeRule(
        tuple(region.values()),
        tree.prediction_of(i),
        n,
        counts=counts,
        sd=sd,
        nodes=nodes,
        kind=kind,
    )


def _join_rules(rules: tuple[TreeRule, ...]) -> tuple[TreeRule, ...]:
    """Join rules of one prediction that differ in one column, until there are none."""
    regions = [{c.column: c for c in rule.conditions} for rule in rules]
    return tuple(
        _merge_rules(join.region, [rules[at] for at in join.places])
        for join in join_regions(regions, [rule.answer for rule in rules])
    )


def _merge_rules(region: Region, rules: list[TreeRule]) -> TreeRule:
    """Several rules of one prediction as one."""
    n = sum(rule.n for rule in rules)
    counts = np.sum([[x for _, x in rule.counts] for rule in rules], axis=0).tolist()
    power = 1 if rules[0].kind == "median" else 2  # the means, or medians, are equal
    apart = sum(rule.n * rule.sd**power for rule in rules)
    return TreeRule(
        tuple(region.values()), rules[0].answer, n,
        counts=tuple(zip((name for name, _ in rules[0].counts), counts, strict=True)),
        sd=(apart / n) ** (1 / power) if n > 0 else rules[0].sd,
        nodes=tuple(sorted(node for rule in rules for node in rule.nodes)), kind=rules[0].kind,
    )  # fmt: skip
