"""The rules of a tree as a Python program that imports the standard library alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallylearn.errors import OptionError
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.showing.conditions import Condition
from tallylearn.models.trees.showing.regions import branch_conditions
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.formatting import plain_data
from tallylearn.tables import CATEGORY, DATE, Column

Answers = Sequence[tuple[tuple[Condition, ...], Any]]

HEAD_CODE = '''"""The rules of a tree: predict(row) takes a dict of columns and their values."""

{imports}
MISSING = {missing}  # markers of missing values, beside None and NaN


def known(value):
    gap = value is None or type(value).__name__ in ("NAType", "NaTType")
    return not gap and value == value and (isinstance(value, bool) or value not in MISSING)

{readers}

def read(row):
    return {{{read}}}

'''

READERS = {
    "number": """
def number(value):
    return float(value) if known(value) else nan
""",
    "days": """
def days(value):
    if not known(value):
        return nan
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    value = value.replace(tzinfo=value.tzinfo or timezone.utc)
    passed = value - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return passed // timedelta(microseconds=1) / 86_400_000_000
""",
    "text": """
def text(value):
    if not known(value):
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
""",
    "numeral": """
def numeral(value):
    value = text(value)
    return value if value is None else text(float(value))
""",
    "truth": """
def truth(value):
    value = text(value)
    words = {"0": "False", "1": "True"}
    return value if value is None else words.get(value, value.capitalize())
""",
}

RULES_CODE = """
def predict(row):
    v = read(row)
{rules}
    raise ValueError(f"no rule holds for {{row!r}}")
"""

# The parts are summed in the order of ``routing.parts``, so that equal shares stay equal.
PARTS_CODE = """
# The shares of every node, the weight of each branch, and its test: None if a value is missing.
NODES = [
{nodes}
]
{classes}

def shares(row):
    v, stack, total = read(row), [(1.0, 0)], [0.0] * len(NODES[0][0])
    while stack:
        weight, node = stack.pop()
        says, branches = NODES[node]
        answers = [(kid, chance, test(v)) for kid, chance, test in branches]
        on = [(weight * (chance if yes is None else 1.0), kid) for kid, chance, yes in answers
              if yes is not False]
        if not on:
            total = [t + weight * share for t, share in zip(total, says)]
        stack.extend(on)
    return total


def predict(row):
    found = shares(row)
{answer}
"""


def python_program(tree: Tree, rules: Answers, missing: tuple[Any, ...]) -> str:
    """The program, with ``predict(row)``; rows go down in parts where those of the tree do."""
    asked = [tree.columns[j] for j in sorted({*tree.column.tolist()} - {-1})]
    read = ", ".join(f"{c.name!r}: {_reader(c)}(row.get({c.name!r}))" for c in asked)
    names = {*map(_reader, asked)}
    names |= {"text"} if names & {"numeral", "truth"} else set()
    imports = "from datetime import datetime, timedelta, timezone\n" if "days" in names else ""
    imports += "from math import isnan, nan\n" if names & {"days", "number"} else ""
    marks = tuple(plain_data(mark) for mark in missing if not isinstance(mark, bool))
    head = HEAD_CODE.format(
        imports=imports, missing=repr(marks), read=read,
        readers="\n".join(body for name, body in READERS.items() if name in names),
    )  # fmt: skip
    if tree.fractional:
        return head + _parts(tree)
    return head + RULES_CODE.format(rules="\n".join(map(_branch, rules)))


def _branch(rule: tuple[tuple[Condition, ...], Any]) -> str:
    conditions, answer = rule
    back = f"return {plain_data(answer)!r}"
    if not conditions:
        return f"    {back}"
    return f"    if {' and '.join(c.in_python() for c in conditions)}:\n        {back}"


def _reader(column: Column) -> str:
    """The function that reads a column's values as the tree saw them."""
    if column.kind == CATEGORY:
        return {"number": "numeral", "truth": "truth"}.get(column.origin, "text")
    return "days" if column.kind == DATE else "number"


def _parts(tree: Tree) -> str:
    nodes = "\n".join(f"    ({_shares(tree, i)}, [{_steps(tree, i)}])," for i in range(len(tree)))
    if not tree.classes:
        return PARTS_CODE.format(nodes=nodes, classes="", answer="    return found[0]")
    if tree.tie != "first":
        raise OptionError(
            "to_python: a program breaks ties between parts of rows by the first class, and tie "
            f"is {tree.tie!r}. Fit with tie='first'."
        )
    classes = f"CLASSES = {[*map(plain_data, tree.classes)]!r}\n"
    if not tree.loss.size:
        return PARTS_CODE.format(nodes=nodes, classes=classes,
                            answer="    return CLASSES[found.index(max(found))]")  # fmt: skip
    classes += f"LOSS = {tree.loss.tolist()!r}\n"
    return PARTS_CODE.format(nodes=nodes, classes=classes, answer=LEAST_LOSS_CODE)


LEAST_LOSS_CODE = """    places = range(len(CLASSES))
    losses = [sum(p * costs[j] for p, costs in zip(found, LOSS)) for j in places]
    tied = min(losses) + 1e-9 * max(map(abs, losses))
    return next(name for name, loss in zip(CLASSES, losses) if loss <= tied)"""


def _shares(tree: Tree, i: int) -> str:
    if not tree.classes:
        return repr([float(tree.answer[i])])
    return repr((tree.counts[i] / (tree.n[i] if tree.n[i] > 0 else 1.0)).tolist())


def _steps(tree: Tree, i: int) -> str:
    """Every branch: its node, its share of the rows, its test."""
    if tree.test[i] == LEAF:
        return ""
    kids = [*tree.children(i)]
    shares = (tree.n[kids] / tree.n[kids].sum()).tolist()
    name = tree.columns[tree.column[i]].name
    gap = f"None if v[{name!r}] is None or v[{name!r}] != v[{name!r}] else"
    tests = branch_conditions(tree, i)
    return ", ".join(
        f"({kid}, {share!r}, lambda v: {gap} {tests[kid].in_python()})"
        for kid, share in zip(kids, shares, strict=True)
    )
