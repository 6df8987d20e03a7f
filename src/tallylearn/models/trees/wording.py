"""Parts of a tree as text: numbers of rows, branches, the path to a node."""

from __future__ import annotations

from tallylearn.models.trees.node import Branch
from tallylearn.models.trees.nodes import Nodes
from tallylearn.reporting.formatting import format_number
from tallylearn.workings.units import format_table_value

MAX_LISTED = 8  # categories of a branch, and classes of a node


def format_count(n: float) -> str:
    """A weight: whole numbers in full, others in four digits."""
    return str(int(n)) if n == int(n) and n < 1e15 else format_number(n)


def format_rows(n: float) -> str:
    """A number of rows, in words."""
    return f"{format_count(n)} row{'' if n == 1 else 's'}"


def branch_text(tree: Nodes, branch: Branch) -> str:
    """A branch with its column; dates as such, and long lists of categories cut."""
    sign = {"=": " = ", "in": " in {"}.get(branch.relation, " ")
    return (
        branch.column + sign + branch_value(tree, branch) + ("}" if branch.relation == "in" else "")
    )


def branch_value(tree: Nodes, branch: Branch) -> str:
    """The values of a branch, without the column."""
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


def path_text(tree: Nodes, i: int) -> str:
    """The branches that lead to a node."""
    return " & ".join(branch_text(tree, tree.branch(j)) for j in tree.above(i)[1:]) or "root"
