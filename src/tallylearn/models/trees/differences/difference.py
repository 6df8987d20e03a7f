"""Differences: where two trees decide differently, and which of them is right more often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tallylearn.errors import (
    ColumnError,
    KindError,
    OptionError,
    error_context,
    is_one_of,
    quoted_list,
    short_repr,
)
from tallylearn.models.trees.differences.overlay import Dissent, Fork, forks, overlaid
from tallylearn.models.trees.differences.trial import Trial, tried
from tallylearn.models.trees.learner import tree_in
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.formatting import format_number, number_of, plain_data
from tallylearn.reporting.report import Report
from tallylearn.statistics.confidence_intervals import check_count
from tallylearn.workings import Derivation, Grid, Sentence


@dataclass(frozen=True)
class Difference(Report):
    """Two trees side by side. ``regions`` is exact unless ``complete`` is False.

    Regions with ``known`` are taken by leaves of both trees; in the others a row ends before a leaf
    in one of them, as its value was missing or never seen there.
    """

    names: tuple[str, str]
    trees: tuple[Tree, Tree]
    forks: tuple[Fork, ...]
    regions: tuple[Dissent, ...]
    complete: bool
    trials: tuple[Trial, ...]

    @property
    def alike(self) -> bool:
        """Whether no row can be decided differently."""
        return not self.regions and self.complete

    def __getitem__(self, name: str) -> Trial:
        trials = {trial.name: trial for trial in self.trials}
        if not is_one_of(name, trials):
            raise OptionError(
                f"the trees were tried on {quoted_list(trials) or 'no table'}, not on "
                f"{short_repr(name)}. "
                "Pass tables with on={name: table}."
            )
        return trials[name]

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        """The difference in words and tables."""
        said, title = Sentence(_summed_up(found)), " and ".join(found["names"])
        return Derivation(title, (said, *_forked(found), *_regions(found), *_trials(found)))

    def to_dict(self) -> dict[str, Any]:
        regions = [
            {"conditions": [c.to_dict() for c in one.conditions], "region": str(one),
             "known": one.known, "answers": [plain_data(one.first), plain_data(one.second)]}
            for one in self.regions
        ]  # fmt: skip
        sizes = [
            {"nodes": len(tree), "leaves": len(tree.leaves), "depth": int(tree.depth)}
            for tree in self.trees
        ]
        parts = [{"path": f.path, "first": f.first, "second": f.second} for f in self.forks]
        return {"names": [*self.names], "alike": self.alike, "complete": self.complete,
                "in_parts": any(tree.fractional for tree in self.trees),
                "classes": bool(self.trees[0].classes), "trees": sizes, "forks": parts,
                "regions": regions, "trials": [one.to_dict() for one in self.trials]}  # fmt: skip


def _summed_up(found: dict[str, Any]) -> str:
    sizes = "; ".join(
        f"{name}: {tree['nodes']} nodes, {tree['leaves']} leaves, depth {tree['depth']}"
        for name, tree in zip(found["names"], found["trees"], strict=True)
    )
    known = sum(one["known"] for one in found["regions"])
    rest = len(found["regions"]) - known
    said = "They decide alike everywhere." if found["alike"] else (
        f"They decide differently in {known} region{'s' if known != 1 else ''}"
        + (f", and in {rest} more where a value is missing or new." if rest else ".")
    )  # fmt: skip
    cut = "" if found["complete"] else " Not all regions were looked at: raise limit=."
    parts = " Rows with gaps go down in parts, and are not looked at."
    return f"{sizes}. {said}{cut}{parts if found['in_parts'] else ''}"


def _forked(found: dict[str, Any]) -> Iterator[Grid]:
    if found["forks"]:
        rows = tuple((fork["path"], fork["first"], fork["second"]) for fork in found["forks"])
        yield Grid("where they part", ("path", *found["names"]), rows)


def _regions(found: dict[str, Any]) -> Iterator[Grid]:
    for known, title in ((True, "decided differently"), (False, "a value missing or new")):
        rows = tuple(
            (one["region"], *map(_said, one["answers"]))
            for one in found["regions"]
            if one["known"] is known
        )
        if rows:
            yield Grid(title, ("region", *found["names"]), rows)


def _trials(found: dict[str, Any]) -> Iterator[Grid]:
    if not found["trials"]:
        return
    names, classes = found["names"], found["classes"]
    header = ("table", "rows", *names, "differ", *(["McNemar's p"] if classes else []))
    rows = tuple(
        (one["name"], str(one["n"]), *(format_number(number_of(score)) for score in one["scores"]),
         str(len(one["rows"])), *([format_number(number_of(one["p"]))] if classes else []))
        for one in found["trials"]
    )  # fmt: skip
    yield Grid("accuracy" if classes else "root mean squared error", header, rows)
    for one in found["trials"]:
        if one["rows"]:
            answers = zip(one["rows"], one["answers"], strict=True)
            lines = tuple((str(row), *map(_said, said)) for row, said in answers)
            yield Grid(f"rows of {one['name']}", ("row", *names, "truth"), lines)


def diff(
    first: Any,
    second: Any,
    X: Any = None,
    y: Any = None,
    *,
    on: Mapping[str, Any] | None = None,
    names: tuple[str, str] = ("T", "T'"),
    limit: int = 20_000,
) -> Difference:
    """Compare two fitted trees: where they decide differently, and how good both are.

    The regions of both trees are intersected, so what is found holds for every row there could be,
    not only for those of a table.

    Parameters
    ----------
    X, y : a table to try both trees on, as for ``fit``.
    on : several tables by name: ``{"D": (table, "target"), "S": other_table}``.
    names : what to call the trees.
    limit : how many pairs of regions are looked at.

    Examples
    --------
    >>> import tallylearn as tl
    >>> table = tl.example("tennis")
    >>> found = tl.diff(tl.ID3().fit(table), tl.ID3(max_depth=1).fit(table), table)
    >>> for one in found.regions[:2]:
    ...     print(one, one.first, one.second)
    Outlook = Rain AND Wind = Strong No Yes
    Outlook = Sunny AND Humidity = Normal Yes No
    >>> found["X"].scores
    (1.0, 0.7142857142857143)

    References
    ----------
    T. Mitchell, Machine Learning, 1997, section 3.7.1: one noisy example, two trees.
    """
    with error_context("diff"):
        trees = _checked(first, "first"), _checked(second, "second")
        _check_alike(*trees)
        if on is not None and not isinstance(on, Mapping):
            raise OptionError(
                f"on is a dict of names and tables, not a {type(on).__name__}. Pass one table as "
                'diff(first, second, table, "target").'
            )
        tables = dict(on or {}) | ({} if X is None else {"X": X if y is None else (X, y)})
        check_count("diff", "limit", limit, 1)
        if not (isinstance(names, tuple | list) and [*map(type, names)] == [str, str]):
            raise OptionError(f"names is {short_repr(names)}. Give two, as names=('T', 'S').")
        regions, complete = overlaid(*trees, int(limit))
        trials = tuple(tried(name, first, second, table) for name, table in tables.items())
    return Difference((names[0], names[1]), trees, forks(*trees), regions, complete, trials)


def _checked(learner: Any, which: str) -> Tree:
    tree = tree_in(learner)
    if tree is None:
        raise KindError(
            f"the {which} is a {type(learner).__name__}, and trees are compared. Pass two fitted "
            "decision trees, or two regression trees."
        )
    return tree


def _check_alike(one: Tree, two: Tree) -> None:
    if bool(one.classes) != bool(two.classes):
        raise OptionError("one tree answers with classes, the other with numbers. Pass two alike.")
    kinds = {column.name: column.kind for column in one.columns}
    for column in two.columns:
        kind = kinds.get(column.name, column.kind)
        if kind != column.kind:
            raise ColumnError(
                f"column {column.name!r} is a {kind} in the first tree, and a {column.kind} in the "
                "second. Fit both on tables that declare it alike."
            )


def _said(answer: Any) -> str:
    return format_number(answer) if isinstance(answer, float) else str(answer)
