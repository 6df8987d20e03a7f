"""The difference of two trees: where they predict differently, and which is better on tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import (
    ColumnError,
    KindError,
    OptionError,
    error_context,
    is_one_of,
    quoted_list,
    short_repr,
)
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.models.trees.differences.overlay import (
    MEAN_TOLERANCE,
    Disagreement,
    Fork,
    find_disagreements,
    find_forks,
)
from tallylearn.models.trees.learner import TreeLearner, tree_in
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.formatting import format_number, number_of, plain_data
from tallylearn.reporting.report import Report
from tallylearn.statistics.confidence_intervals import check_count
from tallylearn.statistics.significance_tests import mcnemar
from tallylearn.tables import Array
from tallylearn.workings import Derivation, Grid, Sentence


@dataclass(frozen=True)
class Trial:
    """Two trees on one table: their predictions, row by row, and their scores.

    ``scores`` are accuracies, or root mean squared errors of regression trees. ``p`` is McNemar's
    (mid-p): the probability of such a difference between two trees of equal error. It is valid on
    rows that neither tree was trained on.
    """

    name: str
    truth: Array
    answers: tuple[Array, Array]
    scores: tuple[float, float]
    p: float  # NaN in a regression

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows with different predictions, numbered from 0."""
        return tuple(np.flatnonzero(_differ(*self.answers)).tolist())

    @property
    def n(self) -> int:
        return len(self.truth)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: both predictions, and the truth, of the rows where they differ."""
        rows = self.rows
        answers = [[column[i] for column in (*self.answers, self.truth)] for i in rows]
        found = {"name": self.name, "n": self.n, "scores": self.scores, "p": self.p, "rows": rows}
        data: dict[str, Any] = plain_data(found | {"answers": answers})
        return data


def compare_on_table(name: str, first: TreeLearner, second: TreeLearner, given: Any) -> Trial:
    """Compare both trees on one table."""
    X, y = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    truth, one = _predictions(first, X, y)
    _, two = _predictions(second, X, y)
    if first.task == "classifier":
        wrong = one != truth, two != truth
        only = [int((a & ~b).sum()) for a, b in (wrong, wrong[::-1])]
        scores = tuple(float(1 - w.mean()) for w in wrong)
        return Trial(name, truth, (one, two), scores, mcnemar(*only).p)  # type: ignore[arg-type]
    scores = tuple(float(np.sqrt(np.mean((a - truth) ** 2))) for a in (one, two))
    return Trial(name, truth, (one, two), scores, float("nan"))  # type: ignore[arg-type]


def _predictions(learner: TreeLearner, X: Any, y: Any) -> tuple[Array, Array]:
    """The truth and the predictions, row by row."""
    name, task = type(learner).__name__, learner.task
    read = read_fit_input(learner._table(X), y, None, who=name, aim=task, schema=learner.schema_)
    truth: list[Any] = []
    said: list[Any] = []
    for block in read.blocks():
        truth += block.target.items() if task == "classifier" else block.target.tolist()
        said += learner.predictions(block).tolist()
    kind = object if task == "classifier" else float
    return np.array(truth, dtype=kind), np.array(said, dtype=kind)


def _differ(one: Array, two: Array) -> Array:
    if one.dtype == object:
        return np.asarray(one != two)
    return np.asarray(np.abs(one - two) > MEAN_TOLERANCE * np.maximum(np.abs(one), np.abs(two)))


@dataclass(frozen=True)
class TreeDifference(Report):
    """Two trees side by side. ``regions`` is exact unless ``complete`` is False.

    Regions with ``known`` have a leaf in both trees; in the others a row stops at an inner node of
    one of them, as its value is missing or was not in the training rows there.
    """

    names: tuple[str, str]
    trees: tuple[Tree, Tree]
    forks: tuple[Fork, ...]
    regions: tuple[Disagreement, ...]
    complete: bool
    trials: tuple[Trial, ...]

    @property
    def alike(self) -> bool:
        """Whether the predictions are equal for every possible row."""
        return not self.regions and self.complete

    def __getitem__(self, name: str) -> Trial:
        trials = {trial.name: trial for trial in self.trials}
        if not is_one_of(name, trials):
            raise OptionError(
                f"diff: the trees were compared on {quoted_list(trials) or 'no table'}, not on "
                f"{short_repr(name)}. Pass tables with on={{name: table}}."
            )
        return trials[name]

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        """The difference in words and tables."""
        said, title = Sentence(_summary(found)), " and ".join(found["names"])
        return Derivation(
            title, (said, *_fork_grids(found), *_region_grids(found), *_trial_grids(found))
        )

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


def _summary(found: dict[str, Any]) -> str:
    sizes = "; ".join(
        f"{name}: {tree['nodes']} nodes, {tree['leaves']} leaves, depth {tree['depth']}"
        for name, tree in zip(found["names"], found["trees"], strict=True)
    )
    known = sum(one["known"] for one in found["regions"])
    rest = len(found["regions"]) - known
    said = "They predict the same everywhere." if found["alike"] else (
        f"They predict differently in {known} region{'s' if known != 1 else ''}"
        + (f", and in {rest} more where a value is missing or new." if rest else ".")
    )  # fmt: skip
    cut = "" if found["complete"] else " Not all regions were compared: raise limit=."
    parts = " Rows with missing values go down in parts, and are not compared."
    return f"{sizes}. {said}{cut}{parts if found['in_parts'] else ''}"


def _fork_grids(found: dict[str, Any]) -> Iterator[Grid]:
    if found["forks"]:
        rows = tuple((fork["path"], fork["first"], fork["second"]) for fork in found["forks"])
        yield Grid("where they differ first", ("path", *found["names"]), rows)


def _region_grids(found: dict[str, Any]) -> Iterator[Grid]:
    for known, title in ((True, "predicted differently"), (False, "a value missing or new")):
        rows = tuple(
            (one["region"], *map(_prediction_text, one["answers"]))
            for one in found["regions"]
            if one["known"] is known
        )
        if rows:
            yield Grid(title, ("region", *found["names"]), rows)


def _trial_grids(found: dict[str, Any]) -> Iterator[Grid]:
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
            lines = tuple((str(row), *map(_prediction_text, said)) for row, said in answers)
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
) -> TreeDifference:
    """Compare two fitted trees: where they predict differently, and their scores.

    The regions of both trees are intersected, so the result holds for every possible row, not only
    for those of a table.

    Parameters
    ----------
    first, second : DecisionTreeClassifier or DecisionTreeRegressor
        Two fitted trees of the same task.
    X, y : table or array, optional
        A table to compare both trees on, as for ``fit``.
    on : dict, optional
        Several tables by name: ``{"D": (table, "target"), "S": other_table}``.
    names : tuple of two str
        The names of the trees in the result.
    limit : int
        How many intersections of regions are compared.

    Returns
    -------
    Difference
        The regions of different predictions, and the scores on every table.

    References
    ----------
    T. Mitchell, Machine Learning, 1997, section 3.7.1: one noisy example, two trees.

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
    """
    with error_context("diff"):
        trees = _check_tree(first, "first"), _check_tree(second, "second")
        _check_same_task(*trees)
        if on is not None and not isinstance(on, Mapping):
            raise OptionError(
                f"on is a dict of names and tables, not a {type(on).__name__}. Pass one table as "
                'diff(first, second, table, "target").'
            )
        tables = dict(on or {}) | ({} if X is None else {"X": X if y is None else (X, y)})
        check_count("diff", "limit", limit, 1)
        check_names(names)
        regions, complete = find_disagreements(*trees, int(limit))
        trials = tuple(
            compare_on_table(name, first, second, table) for name, table in tables.items()
        )
    return TreeDifference(
        (names[0], names[1]),
        trees,
        find_forks(*trees),
        regions=regions,
        complete=complete,
        trials=trials,
    )


def check_names(names: Any) -> None:
    """Refuse anything but two names."""
    if not (isinstance(names, tuple | list) and [*map(type, names)] == [str, str]):
        raise OptionError(f"names is {short_repr(names)}. Give two, as names=('T', 'S').")


def _check_tree(learner: Any, which: str) -> Tree:
    tree = tree_in(learner)
    if tree is None:
        raise KindError(
            f"the {which} argument is a {type(learner).__name__}. Pass two fitted decision trees, "
            "or two regression trees."
        )
    return tree


def _check_same_task(one: Tree, two: Tree) -> None:
    if bool(one.classes) != bool(two.classes):
        raise OptionError(
            "one tree predicts classes, the other numbers. Pass two trees of the same task."
        )
    kinds = {column.name: column.kind for column in one.columns}
    for column in two.columns:
        kind = kinds.get(column.name, column.kind)
        if kind != column.kind:
            raise ColumnError(
                f"column {column.name!r} is a {kind} in the first tree, and a {column.kind} in the "
                "second. Fit both on tables where it has the same type."
            )


def _prediction_text(answer: Any) -> str:
    return format_number(answer) if isinstance(answer, float) else str(answer)
