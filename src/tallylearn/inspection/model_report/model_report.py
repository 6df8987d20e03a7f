"""``tl.report``: a model with its score, its cautions and a what-if form, on one page."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from tallylearn import __version__, modelfile
from tallylearn.errors import OptionError, TallyError, error_context, short_repr
from tallylearn.estimators.estimator import Estimator, clone_estimator
from tallylearn.evaluation.evaluate.evaluating import evaluate
from tallylearn.evaluation.evaluate.evaluation import Evaluation
from tallylearn.evaluation.evaluate.evaluation_report import report as evaluation_derivation
from tallylearn.evaluation.learn.learn_report import LearnReport
from tallylearn.evaluation.running.fold_plan import FOLDS
from tallylearn.inspection.description import describe
from tallylearn.inspection.description.described_columns import date
from tallylearn.inspection.model_report.model_page import page_of
from tallylearn.inspection.model_report.model_parts import model_parts
from tallylearn.inspection.model_report.report_tables import (
    choice_steps,
    groups_grid,
    mistakes_grid,
    provenance_rows,
)
from tallylearn.inspection.model_report.what_if import what_if
from tallylearn.reporting.formatting import plain_data
from tallylearn.reporting.report import Report
from tallylearn.sources import DeclaredTable, declared_table, read_table
from tallylearn.statistics.confidence_intervals import wilson
from tallylearn.tables import DATE, NUMBER, TEXT, Block
from tallylearn.workings import Derivation, Grid

MAX_THRESHOLDS = 2000  # points of the slider
MAX_MISTAKES = 10  # rows with the largest errors
MAX_GROUPS = 12  # values of a column whose rates are shown
Found = Mapping[str, Any]


@dataclass(frozen=True, repr=False)
class ModelReport(Report):
    """The result of ``tl.report``: all forms are a function of ``to_dict()``.

    ``save("report.html")`` writes one file that opens without a network.

    Attributes
    ----------
    data : dict
        ``provenance``, ``evaluation``, ``model``, ``what_if``, ``threshold``, ``mistakes``,
        ``groups``, ``description`` and ``choice``, as plain data.
    """

    data: dict[str, Any] = field(hash=False)

    @property
    def headline(self) -> str:
        """The score with its interval, and the baseline's."""
        found: str = self.data["evaluation"]["headline"]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON.

        Returns
        -------
        dict
            All that the page shows.
        """
        return self.data

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        facts = Grid("", ("model", found["title"]), tuple(provenance_rows(found["provenance"])))
        steps: list[Any] = [
            facts,
            *choice_steps(found),
            *evaluation_derivation(found["evaluation"]).steps,
        ]
        if found["groups"]:
            steps.append(groups_grid(found["groups"]))
        if found["mistakes"]:
            steps.append(mistakes_grid(found["mistakes"]))
        return Derivation(found["title"], tuple(steps))

    def to_html(self) -> str:
        """The page as a fragment of HTML.

        Returns
        -------
        str
            HTML with its style and its scripts, which needs no other file.
        """
        return page_of(self.data)


def report(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = FOLDS,
    by: str | None = None,
    positive: Any = None,
    level: float = 0.95,
    include_rows: bool = False,
    progress: bool | None = None,
) -> ModelReport:
    """Report a model on one page: score, cautions, model, what-if, errors, columns.

    Parameters
    ----------
    model : Estimator or LearnReport
        A classifier or regressor of ours. One that is not fitted is fitted to all rows. Or the
        result of ``tl.learn``: its pick, with the leaderboard.
    X : table or array
        The columns, or a table that also has the target, as in ``fit``.
    y : array-like or str, optional
        The target, or the name of its column.
    cv : int, str, Folds, splitter or None
        The folds of the score, as in ``tl.evaluate``: copies of the model are trained on them.
        None: the model is fitted, and is scored on these rows as it is. Use this for new rows.
    by : str, optional
        A column. Its values are compared as groups: scores, rates of the positive class, errors.
    positive : Any, optional
        The class of the threshold and of the rates; by default the rarer of two.
    level : float, default 0.95
        Confidence level of the intervals.
    include_rows : bool, default False
        Whether the page shows the values of the rows with the largest errors. Without it, it shows
        no row of the table.
    progress : bool, optional
        Whether to show a progress bar; by default for long work on a terminal or in a notebook.

    Returns
    -------
    ModelReport
        The report. ``save("report.html")`` writes the page, ``save("report.json")`` its data.

    Examples
    --------
    >>> import tallylearn as tl
    >>> found = tl.report(tl.NaiveBayes(), tl.example("tennis"), cv="loo")
    >>> found.headline
    'accuracy 0.500 [0.255, 0.766], baseline 0.643 (majority)'
    >>> sorted(found.to_dict())[:4]
    ['choice', 'description', 'evaluation', 'groups']
    """
    choice = model if isinstance(model, LearnReport) else None
    model = model if choice is None else choice.model
    with error_context("report"):
        _check_model(model, cv)
    learner, rows, answers = model if cv is None else clone_estimator(model), X, y
    if choice is not None and (narrow := _without_unused_text(_table_of(X, y), model)) is not None:
        rows, answers = narrow, None if isinstance(y, str) else y
    scored = evaluate(
        learner, rows, answers, cv=cv, by=by, positive=positive, level=level, progress=progress
    )
    if not model.__sklearn_is_fitted__():
        model = clone_estimator(model).fit(X, y)
    table = _table_of(X, y)
    described = describe(table).to_dict()
    data = {
        "kind": "model_report",
        "title": _title(model),
        "provenance": _provenance(model, table, scored),
        "evaluation": scored.to_dict(),
        "model": model_parts(model),
        "what_if": what_if(model, described, include_rows),
        "threshold": _thresholds(scored),
        "mistakes": _mistakes(scored, table if include_rows else None),
        "groups": _groups(scored),
        "description": described,
        "choice": None if choice is None else choice.to_dict(),
    }
    return ModelReport(plain_data(data))


def _check_model(model: Any, cv: Any) -> None:
    """Refuse what cannot be scored."""
    if not isinstance(model, Estimator) or not getattr(model, "predicts", False):
        raise OptionError(
            f"{short_repr(model)} is no classifier or regressor of tallylearn. Pass one, such as "
            "tl.LogisticRegression()."
        )
    if cv is None and not model.__sklearn_is_fitted__():
        raise OptionError("cv=None scores a fitted model. Fit the model, or pass cv=10.")


def _title(model: Any) -> str:
    target = getattr(model, "target_name_", None)
    return f"{target}: {type(model).__name__}" if target else type(model).__name__


def _table_of(X: Any, y: Any) -> DeclaredTable:
    """The table that is described: with its target, where the table has it."""
    declared = declared_table(X)
    if declared is not None:
        return declared
    target = {"target": y} if isinstance(y, str) else {}
    return read_table(X, None, **target)


def _without_unused_text(table: DeclaredTable, model: Any) -> DeclaredTable | None:
    """The table without the text columns that the model leaves out; None if there are none."""
    used = {*model.schema_.names}
    unused = {one.name for one in table.schema.of_kind(TEXT) if one.name not in used}
    if not unused:
        return None
    kept = (one for one in table.schema.columns if one.name not in unused)
    return table.with_columns(table.schema.of_columns(kept))


def _provenance(model: Any, table: DeclaredTable, scored: Evaluation) -> dict[str, Any]:
    """Where the model and its score come from."""
    digest, tally_digest = _digests(model)
    return {
        "learner": model.constructor_call(),
        "options": model.get_params(deep=False),
        "target": getattr(model, "target_name_", None),
        "table": table.title,
        "rows": scored.n,
        "columns": [column.name for column in model.schema_.columns],
        "scored": scored.cv,
        "created": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": {
            "tallylearn": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "digest": digest,
        "tally_digest": None if model.tally_ is None else tally_digest,
    }


def _digests(model: Any) -> tuple[str | None, str | None]:
    """The digests of the model file; none of a model that cannot be saved."""
    try:
        return modelfile.digests(model)
    except TallyError:
        return None, None


def _thresholds(scored: Evaluation) -> dict[str, Any] | None:
    """True and false positive rates by threshold, of two classes."""
    if len(scored.classes) != 2:
        return None
    try:
        fpr, tpr, thresholds = scored.roc()
    except TallyError:  # no probabilities
        return None
    rows = scored.confusion.sum(axis=1)
    place = scored.classes.index(scored.positive) if scored.positive in scored.classes else 1
    some = np.unique(np.linspace(0, len(fpr) - 1, MAX_THRESHOLDS).astype(int))
    return {
        "positive": scored.classes[place],
        "negative": scored.classes[1 - place],
        "positives": float(rows[place]),
        "negatives": float(rows[1 - place]),
        "thresholds": [float(t) if np.isfinite(t) else None for t in thresholds[some]],
        "tpr": tpr[some].tolist(),
        "fpr": fpr[some].tolist(),
    }


def _mistakes(scored: Evaluation, table: DeclaredTable | None) -> list[dict[str, Any]]:
    """The rows with the largest errors, each once; with their values if there is a table."""
    if not scored.tests:
        return []
    said = scored.predictions
    if said["truth"].ndim > 1:
        return []
    if scored.task == "regressor":
        loss = np.abs(said["truth"] - said["said"])
    elif f"P({scored.classes[0]})" in said:
        shares = np.stack([said[f"P({name})"] for name in scored.classes], axis=1)
        truth = [scored.classes.index(name) for name in said["truth"].tolist()]
        loss = np.where(
            said["truth"] != said["said"], 1.0 - shares[np.arange(len(truth)), truth], 0.0
        )
    else:
        loss = (said["truth"] != said["said"]).astype(float)
    order = np.argsort(-loss, kind="stable")
    found: dict[int, dict[str, Any]] = {}
    for at in order[loss[order] > 0]:
        row = int(said["row"][at])
        found.setdefault(row, {
            "row": row,
            "truth": said["truth"][at].item(),
            "predicted": said["said"][at].item(),
            "loss": float(loss[at]),
        })  # fmt: skip
        if len(found) == MAX_MISTAKES:
            break
    if table is not None:
        _add_values(found, table)
    return list(found.values())


def _add_values(found: dict[int, dict[str, Any]], table: DeclaredTable) -> None:
    """The values of some rows, read once from the table."""
    for block in table.blocks():
        for row, mistake in found.items():
            if block.start <= row < block.start + len(block):
                mistake["values"] = _cells(block, row - int(block.start))


def _cells(block: Block, row: int) -> dict[str, Any]:
    """The values of one row by column."""
    found: dict[str, Any] = {}
    measured = [c for c in block.schema.columns if c.kind in (NUMBER, DATE)]
    for place, column in enumerate(measured):
        value = float(block.numbers[row, place])
        if value == value:
            found[column.name] = date(value) if column.kind == DATE else value
    for name, codes in block.codes.items():
        code = int(codes.codes[row])
        if code >= 0:
            found[name] = codes.values[code]
    return found


def _groups(scored: Evaluation) -> dict[str, Any] | None:
    """Rates of the positive class and of errors in every group, with Wilson's intervals."""
    if scored.by is None or scored.column is None or not scored.tests:
        return None
    said, codes = scored.predictions, scored.column.codes
    if scored.task != "classifier" or len(scored.classes) != 2:
        return None
    positive = scored.positive if scored.positive in scored.classes else scored.classes[1]
    group = codes[said["row"]]
    called, true = said["said"] == positive, said["truth"] == positive
    rows: list[dict[str, Any]] = []
    for code, name in [*enumerate(scored.column.values), (-1, None)]:
        mine = group == code
        if not mine.any() or len(rows) == MAX_GROUPS:
            continue
        rows.append({
            "group": name,
            "rows": int(mine.sum()),
            "called": _rate(called[mine], scored.level),
            "accuracy": _rate((called == true)[mine], scored.level),
            "true_positive_rate": _rate(called[mine & true], scored.level),
            "false_positive_rate": _rate(called[mine & ~true], scored.level),
        })  # fmt: skip
    return {"by": scored.by, "positive": positive, "level": scored.level, "rows": rows}


def _rate(values: Any, level: float) -> dict[str, float] | None:
    """A share with its interval; none of no rows."""
    if not len(values):
        return None
    interval = wilson(float(values.sum()), float(len(values)), level)
    return {"value": float(values.mean()), "low": interval.low, "high": interval.high}
