"""Problems: a task, a measure of performance, and experience."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, TargetError, error_context, short_repr
from tallylearn.inspection.column_sums import TotalRows
from tallylearn.reporting.formatting import pad_texts, plain_data, printable_text, wrap_beside
from tallylearn.reporting.report import Report, ReportLayout
from tallylearn.screening.cautions import cautions, check_out_of_bag_dates, gaps
from tallylearn.screening.table_sample import (
    MOST,
    SampledRows,
    brief,
    counts,
    describe_classes,
    shorten_names,
)
from tallylearn.sources import DeclaredTable, declared_table, open_table, with_roles
from tallylearn.sources.columns.class_labels import flat
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.memory.table import check_rows, check_size
from tallylearn.tables import CATEGORY, DATE, IDENTIFIER, NUMBER, TEXT, UNKNOWN, Array, Codes
from tallylearn.workings import Derivation, Sentence, format_number

TRAJECTORY = (  # what each step of a trajectory holds, as columns are called
    ("state", "s", "observation", "obs"),
    ("action", "a"),
    ("reward", "r"),
)


@dataclass(frozen=True)
class Problem(Report):
    """The result of ``tl.problem``: the learning problem that a table poses.

    Attributes
    ----------
    kind : {"supervised", "unsupervised", "reinforcement"}
        The kind of learning.
    name : str
        The problem, such as "concept learning", "classification" or "regression".
    task : str
        The task T.
    performance : str
        The performance measure P.
    experience : str
        The experience E.
    inputs : str
        The input space X.
    outputs : str
        The output space Y.
    learner : str
        The learner, if one is given.
    hyper_parameters : dict
        Its options, which are chosen before training.
    parameters : str
        Its parameters, which training determines.
    cautions : tuple of str
        Warnings about the table.
    whole : bool
        Whether all rows were read.
    """

    kind: str  # supervised, unsupervised, reinforcement
    name: str  # concept learning, classification, regression, ...
    task: str  # T
    performance: str  # P
    experience: str  # E
    inputs: str  # X
    outputs: str  # Y
    learner: str = ""  # the learner, if one is given
    hyper_parameters: Mapping[str, Any] = field(default_factory=dict)  # chosen before learning
    parameters: str = ""  # learned
    cautions: tuple[str, ...] = ()
    whole: bool = True  # whether all rows were looked at

    @staticmethod
    def _layout(found: dict[str, Any]) -> ReportLayout:
        return ReportLayout(_sheet(found), text=_text(found))

    def to_dict(self) -> dict[str, Any]:
        """The parts as plain data; ``options`` are the hyper-parameters as they are written."""
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        options = {name: repr(value) for name, value in self.hyper_parameters.items()}
        data: dict[str, Any] = plain_data(found | {"options": options})
        return data


def _text(found: Mapping[str, Any]) -> str:
    """A problem from its plain data: a paragraph for each part, at most 80 columns wide."""
    said = [(word, printable_text(words)) for word, words in _lines(found)]
    words = pad_texts([word for word, _ in said], left=True)
    lines = [wrap_beside(f"{word}  ", text) for word, (_, text) in zip(words, said, strict=True)]
    return "\n".join([f"{found['name']} ({found['kind']})", *lines])


def _sheet(found: Mapping[str, Any]) -> Derivation:
    """A problem from its plain data, a part a sentence."""
    said = tuple(Sentence(f"{word}: {words}.") for word, words in _lines(found))
    return Derivation(f"{found['name']} ({found['kind']})", said)


def _lines(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The parts that there are, each with its letter or word."""
    parts = {"T": "task", "P": "performance", "E": "experience", "X": "inputs", "Y": "outputs"}
    lines = [(letter, found[name]) for letter, name in parts.items()]
    if found["learner"]:
        chosen = ", ".join(f"{name}={value}" for name, value in found["options"].items())
        lines += [("learner", found["learner"]), ("hyper-parameters", chosen or "none"),
                  ("parameters", found["parameters"])]  # fmt: skip
    lines += [("warning", words) for words in found["cautions"]]
    return [(word, words) for word, words in lines if words]


def problem(
    table: Any,
    target: Any = None,
    *,
    learner: Any = None,
    task: str | None = None,
    performance: str | None = None,
) -> Problem:
    """Say what kind of learning problem a table poses, and warn of its pitfalls.

    A target makes the problem supervised. States, actions and rewards without a target make it
    reinforcement learning. A target of text, truth values or a few whole numbers holds classes,
    unless the ``learner`` is a regressor. From files, the first 65 536 rows are read.

    Parameters
    ----------
    table : table or array
        Anything that ``tl.table`` takes or returns.
    target : str or array-like, optional
        The name of the target's column, or its values.
    learner : Estimator, optional
        The learner to use; its options and parameters are then listed.
    task : str, optional
        A description of the task, in place of the generated one.
    performance : str, optional
        A description of the performance measure, in place of the generated one.

    Returns
    -------
    Problem
        Task, performance measure, experience, inputs and outputs, and warnings in ``cautions``.

    References
    ----------
    T. M. Mitchell, Machine Learning, 1997, chapter 1.

    Examples
    --------
    >>> import tallylearn as tl
    >>> print(tl.problem(tl.example("tennis")))
    concept learning (supervised)
    T  predict PlayTennis (2 classes: No 5, Yes 9) from 4 columns of categories
    P  accuracy; baseline 0.643 (always predicts Yes)
    E  14 rows, each with its PlayTennis
    X  finite: 3 · 3 · 2 · 2 = 36 points
    Y  {No, Yes}
    """
    with error_context("problem"):
        for what, said in {"task": task, "performance": performance}.items():
            if said is not None and not isinstance(said, str):
                raise OptionError(f"{what}={short_repr(said)} is not text. Pass a str.")
        source, y = _source(table, target)
        rows = SampledRows.of(source, y, getattr(learner, "task", None))
        check_size(len(rows), len(rows.schema.columns))
        name = source.declared.target or "y"
        if rows.target is not None and not rows.n_with_target:
            raise TargetError(f"the target {name!r} has no value in any row. Name another column.")
        found = pose_problem(rows, name, learner)
    return replace(
        found,
        task=found.task if task is None else task,
        performance=found.performance if performance is None else performance,
    )


def _source(table: Any, target: Any) -> tuple[DeclaredTable, Array | None]:
    """The table with its target, which may be a column or an array."""
    names = (target,) if isinstance(target, str) else ()
    known = declared_table(table)
    source = (
        open_table(table, Declaration(names)) if known is None else with_roles(known, names, None)
    )
    if target is None or names:
        return source, None
    y = flat(target)
    if source.size is None:
        raise TargetError(
            "the target of a table in files is a column. Pass the name of that column."
        )
    check_rows(source.size, y)
    return source, y


def pose_problem(rows: SampledRows, target: str, learner: Any = None) -> Problem:
    """The problem that some rows pose; one of them or more has a target, if there is one."""
    inputs = _inputs(rows)
    if rows.target is not None:
        task = _classification_task if rows.classes is not None else _regression_task
        name, said, performance, outputs = task(rows, target)
        experience = f"{_many(rows)}, each with its {target}"
        if rows.n_with_target < len(rows):
            experience = f"{_many(rows)}, {rows.n_with_target:,} of them with their {target}"
        found = Problem(
            kind="supervised",
            name=name,
            task=said,
            performance=performance,
            experience=experience,
            inputs=inputs,
            outputs=outputs,
        )
    elif steps := _steps(rows):
        found = _policy_problem(rows, *steps)
    else:
        found = Problem(
            kind="unsupervised",
            name="groups or density",
            task=f"find structure in {_columns(rows)}",
            performance="none by itself: no row has a right answer",
            experience=f"{_many(rows)}, no target",
            inputs=inputs,
            outputs="",
        )
    dated = check_out_of_bag_dates(rows.schema, learner)
    totals = TotalRows.of_rows(rows).cautions
    noted = (*dated, *totals, *cautions(rows, target, learner), *gaps(rows, target))
    return replace(found, cautions=noted, whole=rows.whole, **_parameters_of(learner))


def _classification_task(rows: SampledRows, target: str) -> tuple[str, str, str, str]:
    classes = rows.classes or Codes((), np.empty(0, dtype=np.int32))
    found = counts(classes)
    top = int(found.argmax()) if len(found) else 0
    share = found[top] / found.sum() if found.sum() else 0.0
    concept = len(found) == 2 and _finite(rows)
    class_counts = describe_classes(dict(zip(classes.values, found.tolist(), strict=True)))
    return (
        "concept learning" if concept else "classification",
        f"predict {target} ({class_counts}) from {_columns(rows)}",
        f"accuracy; baseline {share:.3f} (always predicts {brief(classes.values[top])})",
        f"{{{shorten_names([brief(value) for value in classes.values])}}}",
    )


def _regression_task(rows: SampledRows, target: str) -> tuple[str, str, str, str]:
    y = np.asarray(rows.target, dtype=np.float64)
    y = y[np.isfinite(y)]
    with np.errstate(all="ignore"):  # a sum beyond the doubles is shown as inf
        low, high, mean, spread = (float(f(y)) for f in (np.min, np.max, np.mean, np.std))
    return (
        "regression",
        f"predict {target} ({format_number(low)} to {format_number(high)}) from {_columns(rows)}",
        f"root mean squared error; baseline {format_number(spread)} (always predicts the mean "
        f"{format_number(mean)})",
        "R",
    )


def _policy_problem(rows: SampledRows, state: str, action: str, reward: str) -> Problem:
    return Problem(
        kind="reinforcement",
        name="a policy",
        task=f"choose {action} by {state}",
        performance=f"the sum of {reward}",
        experience=f"{_many(rows)} of trajectories: {state}, {action}, {reward}",
        inputs=f"the values of {state}",
        outputs=f"the values of {action}",
    )


def _steps(rows: SampledRows) -> list[str]:
    """The columns of a trajectory: state, action, reward; none if one of them is absent."""
    names = {name.lower(): name for name in rows.schema.names}
    found = [next((names[w] for w in words if w in names), "") for words in TRAJECTORY]
    return found if all(found) else []


def _parameters_of(learner: Any) -> dict[str, Any]:
    """What of a learner is chosen beforehand, and what comes from the rows."""
    if learner is None:
        return {}
    if not hasattr(learner, "get_params"):
        raise OptionError(
            f"learner={short_repr(learner)} is not an estimator. Pass one, such as tl.NaiveBayes()."
        )
    parameters = "learned from the rows"
    if getattr(learner, "keeps_tally", False):
        parameters += "; parametric: more rows do not add any"
    with suppress(AttributeError):  # not fitted, or never counted
        parameters = f"{learner.n_parameters_} free numbers, {parameters}"
    return {
        "learner": repr(learner),
        "hyper_parameters": learner.get_params(deep=False),
        "parameters": parameters,
    }


def _finite(rows: SampledRows) -> bool:
    return all(column.kind in (CATEGORY, IDENTIFIER) for column in rows.schema.columns)


def _inputs(rows: SampledRows) -> str:
    """X: a finite product, a space of numbers, or both."""
    sizes = [
        2 if c.origin == "truth" else len({*c.values, *rows.codes_of(c.name).values})
        for c in rows.schema.of_kind(CATEGORY)
    ]
    shown = " · ".join(map(str, sizes)) + " = " if 1 < len(sizes) <= MOST else ""
    points = f"{shown}{prod(sizes):,} point{'s' * (prod(sizes) != 1)}"
    if _finite(rows):
        return f"finite: {points}"
    d, texts = len(rows.schema.numbers), len(rows.schema.of_kind(TEXT))
    spaces = [f"R^{d}"] * bool(d) + [f"({points})"] * bool(sizes) + ["text"] * texts
    kind = "mixed" if len(spaces) > 1 else "continuous" if d else "discrete"
    return f"{kind}: {' × '.join(spaces) or 'nothing'}"


def _columns(rows: SampledRows) -> str:
    words = {
        NUMBER: "numbers", DATE: "dates", CATEGORY: "categories", TEXT: "text", UNKNOWN: "no values"
    }  # fmt: skip
    found = [(len(rows.schema.of_kind(kind)), word) for kind, word in words.items()]
    first, *others = [(n, word) for n, word in found if n] or [(0, "anything")]
    head = f"{first[0]:,} column{'s' * (first[0] != 1)} of {first[1]}"
    return ", ".join([head, *(f"{n:,} of {word}" for n, word in others)])


def _many(rows: SampledRows) -> str:
    n = len(rows)
    text = f"{n:,} row" if n == 1 else f"{n:,} rows"
    return text if rows.whole else f"the first {text}"
