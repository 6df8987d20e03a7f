"""``tl.learn``: the model for a table, a readable one beside it, and an honest score."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from tallylearn.errors import (
    InputError,
    OptionError,
    TallyError,
    TargetError,
    error_context,
    is_one_of,
    short_repr,
)
from tallylearn.estimators.estimator import Estimator
from tallylearn.evaluation.learn.candidates import (
    BASELINE,
    VOTE,
    Candidate,
    added_candidates,
    default_candidates,
)
from tallylearn.evaluation.learn.learn_report import LeaderboardRow, LearnReport
from tallylearn.evaluation.learn.model_size import ModelSize, model_size
from tallylearn.evaluation.learn.race import OutOfFold, Race
from tallylearn.evaluation.learn.row_scores import RowScore, row_score
from tallylearn.evaluation.learn.selection import Selection
from tallylearn.evaluation.running.cross_validation import CrossValidation
from tallylearn.evaluation.running.dataset import TASKS, Dataset
from tallylearn.evaluation.running.dataset_warnings import cautions_of
from tallylearn.evaluation.running.fold_plan import models_of, plan_folds
from tallylearn.evaluation.running.parallel_folds import jobs
from tallylearn.evaluation.scores.predictions import Predictions
from tallylearn.folds import Folds, keep_splits
from tallylearn.models.voting.voting import VotingClassifier, VotingRegressor
from tallylearn.runtime.progress import progress_bar, should_show
from tallylearn.screening.table_sample import SampledRows
from tallylearn.sources import DeclaredTable, declared_table, open_table, with_roles
from tallylearn.sources.columns.class_labels import flat
from tallylearn.sources.columns.schema_matching import target_spelling
from tallylearn.sources.declarations import Declaration
from tallylearn.statistics.confidence_intervals import (
    check_level,
    t_value,
    wilson,
    within_bounds,
)
from tallylearn.tables import IDENTIFIER, TEXT, UNKNOWN, Array, Codes
from tallylearn.tables.string_formats import StringFormat

MIN_ROWS = 20  # of fewer rows no difference between learners can be shown
FOLDS = Folds.k(5)
UNITS = {"s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600}
KINDS = {"classification": "classifier", "regression": "regressor"}


def learn(
    X: Any,
    y: Any = None,
    *,
    budget: Any = None,
    prefer: str = "best",
    candidates: Any = None,
    task: str | None = None,
    cv: Any = FOLDS,
    scoring: str | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    level: float = 0.95,
    random_state: int = 0,
    progress: bool | None = None,
    n_jobs: int | None = None,
) -> LearnReport:
    """Choose a model for a table: the best, the simplest about as good, and what it costs.

    All candidates are tested on the same folds: the baseline, naive Bayes, the linear discriminant,
    logistic regression, a pruned tree, C4.5, random forest, extra-trees, boosted trees, nearest
    neighbours and a soft vote of the best three; for numbers ridge, lasso, M5 and the like. A
    candidate that is significantly worse than the best so far is stopped. The score of the pick is
    corrected for the choice among the candidates (bootstrap bias-corrected cross-validation). If no
    candidate is significantly better than the baseline, the baseline is picked.

    Parameters
    ----------
    X : table, array or dict
        As in ``fit``.
    y : array-like or str, optional
        The target, or the name of its column.
    budget : str or number, optional
        Time for the folds, such as "2 min", "30 s" or seconds. Candidates run in a fixed order, and
        those that are not reached in time are named in ``skipped``. Without it, the result depends
        on the data and ``random_state`` alone.
    prefer : {"best", "simple"}, default "best"
        "simple": pick the most readable candidate within one standard error of the best.
    candidates : list or dict of estimators, optional
        Added to the usual candidates: ours, or any with scikit-learn's interface.
    task : {"classification", "regression"}, optional
        By default classification for text, truth values and a few whole numbers.
    cv : int, str, Folds, splitter or iterable
        As in ``tl.evaluate``; by default five folds, stratified for classes.
    scoring : str, optional
        "accuracy" (default), "error", "log_loss" or "brier"; "r2" (default for numbers), "rmse",
        "mse" or "mae".
    sample_weight : array-like or str, optional
        The weights of the rows, or the name of their column.
    groups : array-like or str, optional
        Rows of a group stay in one fold; one value per row, or the name of a column.
    level : float, default 0.95
        Confidence level of the intervals.
    random_state : int, default 0
        Seed of the forests and of the bootstrap.
    progress : bool, optional
        Whether to show a progress bar; by default for long work on a terminal or in a notebook.
    n_jobs : int, optional
        How many folds are fitted at a time; -1: one per processor.

    Returns
    -------
    LearnReport
        The leaderboard; ``model``, ``best_model`` and ``simplest_model``, fitted to all rows; and
        the trade-off between the best and the simplest.

    References
    ----------
    I. Tsamardinos, E. Greasidou and G. Borboudakis, Bootstrapping the out-of-sample predictions for
    efficient and accurate cross-validation, Machine Learning 107, 2018.

    Examples
    --------
    >>> import tallylearn as tl
    >>> rows = [{"size": i % 7, "colour": "red" if i % 3 else "blue"} for i in range(60)]
    >>> found = tl.learn(rows, ["big" if row["size"] > 3 else "small" for row in rows])
    >>> found.simplest
    'pruned tree'
    >>> print(found.simplest_model)
    [big 24 small 36]
    ├─ size <= 3.5: small  [big 0 small 36]
    └─ size > 3.5: big  [big 24 small 0]
    """
    with error_context("learn"), jobs(n_jobs):
        started = time.monotonic()
        check_level("learn", level)
        if not is_one_of(prefer, ("best", "simple")):
            raise OptionError(f"prefer is {short_repr(prefer)}. Use 'best' or 'simple'.")
        seconds = None if budget is None else _seconds(budget)
        source, kind, remarks = _read(X, y, task)
        dataset = Dataset.of(source, y, sample_weight, groups, kind, who="learn")
        _check(dataset)
        score = row_score(scoring, kind)
        if cv is FOLDS:
            cv = replace(FOLDS, stratified=kind == "classifier" and dataset.groups is None)
        named, assignments, notes = plan_folds(keep_splits(cv), dataset)
        usual = default_candidates(kind, random_state)
        names = {one.name for one in usual}
        listed = [*usual, *added_candidates(candidates, kind, names)]
        narrow, listed, unfit = _without_text(dataset, listed)
        race = Race(
            dataset, narrow, assignments, score,
            ends=None if seconds is None else started + seconds, failed=unfit,
        )  # fmt: skip
        total = models_of(assignments) * len(listed)
        shown = should_show(total, 2) if progress is None else progress
        with progress_bar(total, f"{len(listed)} learners", shown) as watch:
            race.watch = watch
            for candidate in listed:
                race.run(candidate)
        _check_race(race, budget)
        written = target_spelling(source) if isinstance(source, DeclaredTable) else None
        return _Choice(
            race, score, level=level, prefer=prefer, seed=random_state, written=written
        ).report(named, (*remarks, *notes), cautions_of(dataset, cv, listed[0].learner))


@dataclass
class _Choice:
    """The finished candidates fitted to all rows, and the choice among them."""

    race: Race
    score: RowScore
    level: float
    prefer: str
    seed: int
    written: StringFormat | None  # how the target is written, which the folds do not know

    def __post_init__(self) -> None:
        models: list[tuple[OutOfFold, Any, ModelSize, float]] = []
        for found in self.race.finished:
            begun = time.perf_counter()
            try:
                model = self._fit(found.candidate)
            except TallyError as error:
                self.race.failed[found.candidate.name] = str(error)
                continue
            seconds = time.perf_counter() - begun
            size = model_size(model, len(self.race.dataset))
            models.append((found, model, size, seconds))
        first, rest = models[0], sorted(models[1:], key=lambda one: one[2].count)
        self.runs = [first, *rest]  # the baseline, then the most readable first
        units = [self.race.units(found, found.losses) for found, *_ in self.runs]
        scales = units[0][1]
        tested = scales > 0 if self.score.name != "r2" else self._tested(first[0], len(scales))
        losses = np.column_stack([one for one, _ in units])[tested]
        self.selection = Selection(
            losses, scales[tested], self.prefer == "simple", voters=self._voters(),
            vote=lambda members: self.race.units(first[0], self._vote_losses(members))[0][tested],
            evidence=self._evidence(tested), seed=self.seed,
        )  # fmt: skip

    def _evidence(self, tested: Array) -> Array | None:
        """(u, k) by how much the Brier score of each candidate is better than the baseline's."""
        if self.race.dataset.task != "classifier":
            return None
        brier = row_score("brier", "classifier")
        every = [
            self.race.units(found, brier.losses(found.predictions))[0][tested]
            for found, *_ in self.runs
            if found.predictions.proba is not None
        ]
        return np.column_stack(every[:1]) - np.column_stack(every[1:]) if every[1:] else None

    def _tested(self, found: OutOfFold, size: int) -> Array:
        groups, tested = self.race.dataset.groups, np.zeros(size, dtype=bool)
        tested[found.rows if groups is None else groups.codes[found.rows]] = True
        return tested

    def _fit(self, candidate: Candidate) -> Any:
        dataset = self.race.dataset_of(candidate)
        model = CrossValidation(candidate.learner, dataset).fit_rows()
        if self.written is not None and isinstance(model, Estimator) and dataset.read is not None:
            told = {**model.schema_.spellings, str(dataset.read.target): self.written}
            model.schema_ = replace(model.schema_, spellings=told)
        return model

    def _voters(self) -> tuple[int, ...]:
        """The candidates of ours with probabilities; where there is text, one side of it."""
        sides: dict[bool, list[int]] = {True: [], False: []}
        text = self.race.dataset is not self.race.narrow
        for at, (found, *_) in enumerate(self.runs):
            ready = found.predictions.task == "regressor" or found.predictions.proba is not None
            if at and ready and isinstance(found.candidate.learner, Estimator):
                sides[text and found.candidate.takes_text].append(at)
        with_text, without = sides[True], sides[False]
        return tuple(with_text if len(with_text) > len(without) else without)

    def _vote_losses(self, members: tuple[int, ...]) -> Array:
        """(t,) the losses of the mean of the members' out-of-fold probabilities, or numbers."""
        parts = [self.runs[at][0].predictions for at in members]
        first = parts[0]
        if first.task == "regressor":
            mean = np.mean([part.said for part in parts], axis=0)
            return self.score.losses(Predictions(first.truth, mean))
        proba = np.mean([np.asarray(part.proba) for part in parts], axis=0)
        said = Codes(first.classes, proba.argmax(axis=1).astype(np.int32))
        voted = Predictions(first.truth, said, first.classes, proba)
        return self.score.losses(voted)

    def _vote_learner(self, members: tuple[int, ...]) -> Any:
        named = [(self.runs[at][0].candidate.name, self.runs[at][0].candidate.learner)
                 for at in members]  # fmt: skip
        if self.race.dataset.task == "classifier":
            return VotingClassifier(named, voting="soft")
        return VotingRegressor(named)

    def report(self, cv: str, remarks: tuple[str, ...], cautions: tuple[str, ...]) -> LearnReport:
        selection = self.selection
        order = np.argsort(selection.all_losses.sum(axis=0), kind="stable").tolist()
        fitted = {at: (found.candidate.name, model, size, seconds)
                  for at, (found, model, size, seconds) in enumerate(self.runs)}  # fmt: skip
        if selection.voted:
            fitted[len(self.runs)] = self._fit_vote(selection.voted)
        pick = selection.pick
        best = selection.best if selection.finds_something else 0
        simplest = selection.simplest if selection.finds_something else 0
        readable = simplest
        if fitted[simplest][2].readable == "no":
            readable = next((at for at in order if at and fitted[at][2].readable != "no"), simplest)
        rows = tuple(self._row(at, *fitted[at]) for at in order)
        value, low, high = self._interval(*selection.pick_score)
        dataset = self.race.dataset
        return LearnReport(
            target=(None if dataset.read is None else dataset.read.target) or "y",
            task=dataset.task,
            scoring=self.score.name,
            n=len(dataset),
            cv=cv,
            level=self.level,
            rows=rows,
            pick=fitted[pick][0],
            best=fitted[best][0],
            simplest=fitted[simplest][0],
            score=value,
            low=low,
            high=high,
            found=selection.finds_something,
            prefer=self.prefer,
            readable=fitted[readable][0],
            tradeoff=self._tradeoff(best, readable, fitted),
            members=tuple(self.runs[at][0].candidate.name for at in selection.voted),
            stopped=dict(self.race.stopped),
            failed=dict(self.race.failed),
            skipped=tuple(self.race.skipped),
            folds=models_of(self.race.assignments),
            remarks=remarks,
            cautions=cautions,
            model=fitted[pick][1],
            best_model=fitted[best][1],
            simplest_model=fitted[simplest][1],
            readable_model=fitted[readable][1],
        )

    def _fit_vote(self, members: tuple[int, ...]) -> tuple[str, Any, ModelSize, float]:
        """The vote fitted to all rows."""
        begun = time.perf_counter()
        first = self.runs[members[0]][0].candidate
        model = self._fit(replace(first, learner=self._vote_learner(members)))
        count = sum(self.runs[at][2].count for at in members) + 1
        size = ModelSize(count, f"{len(members)} models")
        return VOTE, model, size, time.perf_counter() - begun

    def _row(
        self, at: int, name: str, model: Any, size: ModelSize, seconds: float
    ) -> LeaderboardRow:
        value, low, high = self._interval(*self.selection.score(at))
        return LeaderboardRow(
            learner=name, value=value, low=low, high=high, fit_seconds=seconds, size=size.text,
            count=size.count, readable=size.readable,
        )  # fmt: skip

    def _interval(self, ratio: float, error: float, n: int) -> tuple[float, float, float]:
        """The score of a loss, and the ends of its interval."""
        low, high = ratio, ratio
        if error > 0 and 0 < ratio < self.score.bounds[1]:
            ends = within_bounds(
                ratio, error, max(n - 1, 1), self.score.bounds, self.level, method="", about=""
            )
            low, high = ends.low, ends.high
        elif self.score.bounds[1] == 1.0:  # all right or all wrong
            low, high = wilson(ratio * n, n, self.level)
        ends_of = sorted((self.score.value(low), self.score.value(high)))
        return self.score.value(ratio), ends_of[0], ends_of[1]

    def _tradeoff(self, best: int, simplest: int, fitted: dict[int, Any]) -> str:
        value = self.score.value
        losses = [self.selection.score(at)[0] for at in (simplest, best)]
        name, size = fitted[simplest][0], fitted[simplest][2].text
        score = self.score.name
        first = f"{name[0].upper()}{name[1:]} ({size}): {score} {value(losses[0]):.3f}"
        if best == simplest:
            return f"{first}. It is also the best." if best else f"{first}."
        mean, error = self.selection.difference(simplest, best)
        half = t_value(self.level, max(len(self.selection.scales) - 1, 1)) * error
        ends = f"({fitted[best][0]}, {value(losses[1]):.3f})"
        if self.score.points:
            low, high, mean = 100 * (mean - half), 100 * (mean + half), 100 * mean
            return f"{first}, {mean:.1f} points [{low:.1f}, {high:.1f}] below the best {ends}."
        return f"{first}, against {value(losses[1]):.3f} of the best ({fitted[best][0]})."


def _seconds(budget: Any) -> float:
    """A time in seconds."""
    if isinstance(budget, Real) and not isinstance(budget, bool) and 0 < float(budget) < inf:
        return float(budget)
    if isinstance(budget, str):
        number, _, unit = budget.strip().partition(" ")
        if not unit:
            digits = number.rstrip("abcdefghijklmnopqrstuvwxyz")
            number, unit = digits, number[len(digits) :]
        unit = unit.strip().lower()
        unit = unit if unit in UNITS else unit.rstrip("s")
        try:
            found = float(number) * UNITS[unit or "s"]
        except (ValueError, KeyError):
            found = -1.0
        if 0 < found < inf:
            return found
    raise OptionError(
        f"budget is {short_repr(budget)}. Give a time such as '30 s', '2 min' or '1 h', or a "
        "number of seconds."
    )


def _read(X: Any, y: Any, task: str | None) -> tuple[Any, str, tuple[str, ...]]:
    """The table, the task of its target, and a note where numbers are read as classes."""
    if task is not None and not is_one_of(task, tuple(KINDS)):
        raise OptionError(
            f"task is {short_repr(task)}. Use 'classification', 'regression', or leave it out."
        )
    names = (y,) if isinstance(y, str) else ()
    known = declared_table(X)
    source = open_table(X, Declaration(names)) if known is None else with_roles(known, names, None)
    if y is None and not source.declared.targets:
        raise TargetError("there is no target. Name its column, or pass one value per row as y.")
    if task is not None:
        return source if names or y is None else X, KINDS[task], ()
    rows = SampledRows.of(source, None if names or y is None else flat(y))
    kind = TASKS[rows.target_classes is None]
    target, numeric = source.declared.target or "y", hasattr(rows.target, "dtype")
    notes: tuple[str, ...] = ()
    if numeric and kind == "classifier":
        notes = (
            f"{target} has {rows.different:,} distinct numbers, read as classes. For regression: "
            "task='regression'.",
        )
    return source if names or y is None else X, kind, notes


def _check(dataset: Dataset) -> None:
    """Refuse tables on which learners cannot be compared."""
    n = len(dataset)
    if dataset.read is None:
        raise TargetError("the target has several columns. Pass one column.")
    target = dataset.read.target or "y"
    if n < MIN_ROWS:
        raise InputError(
            f"the table has {n} rows with a target, and a comparison of learners takes "
            f"{MIN_ROWS} or more. Fit one learner, such as tl.DecisionTreeClassifier()."
        )
    if dataset.task == "classifier" and len(dataset.classes) < 2:
        raise TargetError(
            f"the target {target!r} has one class, {dataset.classes[0]!r}, in every row. Name a "
            "target with two classes or more."
        )
    if dataset.task == "classifier" and len(dataset.classes) > n / 2:
        raise TargetError(
            f"the target {target!r} has {len(dataset.classes):,} classes in {n:,} rows: most have "
            "one row. Name another target, or convert it to numbers."
        )
    if dataset.task == "regressor" and float(np.ptp(dataset.truth)) == 0:
        raise TargetError(
            f"the target {target!r} is {dataset.truth[0]:g} in every row. Name another target."
        )
    schema = dataset.read.schema
    if all(column.kind in (IDENTIFIER, UNKNOWN) for column in schema.columns):
        names = [column.name for column in schema.columns][:3]
        raise InputError(
            f"no column can be learned from: {', '.join(names) or 'none'} "
            f"{'is an identifier' if len(names) == 1 else 'are identifiers'} or empty. To use one "
            f"all the same: tl.table(..., keep={names[:1] or ['column']})."
        )


def _without_text(
    dataset: Dataset, listed: list[Candidate]
) -> tuple[Dataset, list[Candidate], dict[str, str]]:
    """The dataset without text columns, and the candidates that have columns left."""
    assert dataset.read is not None
    schema = dataset.read.schema
    text = {column.name for column in schema.of_kind(TEXT)}
    if not text:
        return dataset, listed, {}
    rest = [c for c in schema.columns if c.kind not in (TEXT, IDENTIFIER, UNKNOWN)]
    if not rest:
        unfit = {one.name: "it takes no text, and all columns are text."
                 for one in listed if not one.takes_text}  # fmt: skip
        return dataset, [one for one in listed if one.takes_text], unfit
    kept = schema.of_columns(c for c in schema.columns if c.name not in text)
    read = replace(dataset.read, source=dataset.read.source.with_columns(kept))
    return replace(dataset, read=read), listed, {}


def _check_race(race: Race, budget: Any) -> None:
    """At least one candidate beside the baseline ran on all folds."""
    others = [one for one in race.finished if one.candidate.name != BASELINE]
    if others and race.finished[0].candidate.name == BASELINE:
        return
    if race.skipped:
        raise OptionError(
            f"the budget {short_repr(budget)} ended before a candidate was tested on all folds "
            f"({race.skipped[0]} was next). Give more time."
        )
    name, reason = next(iter(race.failed.items()), ("", ""))
    raise InputError(f"no candidate could be tested. The first failure: {name}: {reason}")
