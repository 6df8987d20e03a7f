"""Words for a tree: a number of rows, an answer, the way to a node."""

from __future__ import annotations

from tallylearn.models.trees.node import Branch
from tallylearn.models.trees.nodes import Nodes
from tallylearn.reporting.formatting import format_number
from tallylearn.workings.units import format_table_value

MAX_LISTED = 8  # categories of a branch, and classes of a node


def counted(n: float) -> str:
    """A weight: whole numbers in full, others in four digits."""
    return str(int(n)) if n == int(n) and n < 1e15 else format_number(n)


def rows_of(n: float) -> str:
    """A number of rows, in words."""
    return f"{counted(n)} row{'' if n == 1 else 's'}"


def worded(tree: Nodes, branch: Branch) -> str:
    """An answer with its question; dates as such, and long lists of categories cut."""
    sign = {"=": " = ", "in": " in {"}.get(branch.relation, " ")
    return branch.column + sign + answered(tree, branch) + ("}" if branch.relation == "in" else "")


def answered(tree: Nodes, branch: Branch) -> str:
    """An answer without the column that it answers for."""
    if branch.relation in ("<=", ">"):
        column = tree.columns[tree.column[tree.parent[branch.node]]]
        return f"{branch.relation} {format_table_value(column.name, branch.values[0], column.kind)}"
    if not branch.values:
        return branch.relation
    left = len(branch.values) - MAX_LISTED
    rest = f", … {left} more" if left > 0 else ""
    return (
        ", ".join(branch.values[:MAX_LISTED]) + rest + (", or any other" if branch.others else "")
    )


def route(tree: Nodes, i: int) -> str:
    """The answers that lead to a node."""
    return " & ".join(worded(tree, tree.branch(j)) for j in tree.above(i)[1:]) or "root"
