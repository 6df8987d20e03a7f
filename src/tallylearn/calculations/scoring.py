"""Scores of given predictions, without a learner: confusion matrix, precision, recall, ROC, errors.

Names, defaults and values are scikit-learn's. The working is shown beside them, and classes may
have any label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.calculations.calculation import (
    Calculation,
    TableOfResults,
    calculation,
    equation_chain,
    formula,
    number,
    numbers,
    signed_sum,
    table_of_results,
)
from tallylearn.errors import InputError, OptionError, is_one_of, quoted_list, short_repr
from tallylearn.reporting.charts.line_chart import draw_lines
from tallylearn.reporting.charts.plot import Plot
from tallylearn.reporting.report import Report
from tallylearn.tables import Array
from tallylearn.workings import Derivation, Grid, Sentence

MAX_SHOWN_TERMS = 8  # rows whose terms a formula writes out; more are a sum


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionMatrix(Report):
    """Counts of true classes (rows) against predicted classes (columns).

    Attributes
    ----------
    classes : tuple
        The classes, sorted: of the truth and of the predictions.
    counts : (k, k) array of int
        ``counts[i, j]`` rows of class i were predicted as class j.
    """

    classes: tuple[Any, ...]
    counts: Array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.counts, dtype=dtype)

    def __getitem__(self, place: Any) -> Any:
        return self.counts[place]

    def to_dict(self) -> dict[str, Any]:
        return {"classes": [*map(str, self.classes)], "counts": self.counts.tolist()}

    def show_work(self) -> Derivation:
        """Show the counts and the accuracy as a derivation.

        Returns
        -------
        Derivation
            What ``print`` shows.
        """
        return self._layout(self.to_dict())

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        counts = np.array(found["counts"])
        right, rows = int(np.trace(counts)), int(counts.sum())
        cells = tuple(
            (name, *map(str, row))
            for name, row in zip(found["classes"], found["counts"], strict=True)
        )
        grid = Grid("rows are true, columns predicted", ("", *found["classes"]), cells)
        text = equation_chain("accuracy", f"{right}/{rows}", number(right / rows))
        return Derivation("Confusion matrix", (grid, formula(text)))


def confusion_matrix(truth: Any, predicted: Any, *, labels: Any = None) -> ConfusionMatrix:
    """Count the rows by true and predicted class.

    Parameters
    ----------
    truth : sequence of labels
        The true class of every row.
    predicted : sequence of labels
        The predicted class of every row.
    labels : sequence, optional
        The classes, in the order of the rows and columns of the matrix; all that occur, sorted, if
        None.

    Returns
    -------
    ConfusionMatrix
        ``np.asarray`` of it is scikit-learn's matrix.

    Examples
    --------
    >>> import tallylearn as tl
    >>> print(tl.confusion_matrix(["+", "+", "-", "-", "-"], ["+", "-", "-", "-", "+"]))
    Confusion matrix
    ================
    <BLANKLINE>
    rows are true, columns predicted
       +  -
    +  1  1
    -  1  2
    <BLANKLINE>
    accuracy = 3/5 = 0.6
    """
    classes, true, said = _labels(truth, predicted, "confusion_matrix")
    if labels is not None:
        wanted = _items(labels, "confusion_matrix", "labels")
        if not any(one in wanted for one in classes):
            raise OptionError(
                f"confusion_matrix: none of labels={short_repr(wanted)} occurs. The classes are "
                f"{quoted_list(classes)}."
            )
        place = {name: at for at, name in enumerate(wanted)}
        codes = np.array([place.get(name, -1) for name in classes])
        kept = (codes[true] >= 0) & (codes[said] >= 0)
        true, said, classes = codes[true][kept], codes[said][kept], tuple(wanted)
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(counts, (true, said), 1)
    return ConfusionMatrix(classes, counts)


def classification_report(truth: Any, predicted: Any) -> TableOfResults:
    """Precision, recall, F1 and support of every class, with the averages of scikit-learn's report.

    Parameters
    ----------
    truth : sequence of labels
        The true class of every row.
    predicted : sequence of labels
        The predicted class of every row.

    Returns
    -------
    TableOfResults
        ``report["yes"]["precision"]`` is a number; printed it is the table. A ratio with a
        denominator of 0 is 0, as in scikit-learn, and a note says so.

    Examples
    --------
    >>> import tallylearn as tl
    >>> print(tl.classification_report(["+", "+", "-", "-", "-"], ["+", "-", "-", "-", "+"]))
    Classification report
    =====================
    <BLANKLINE>
                  precision  recall  f1-score  support
    +                0.5000  0.5000    0.5000        2
    -                0.6667  0.6667    0.6667        3
    accuracy                           0.6000        5
    macro avg        0.5833  0.5833    0.5833        5
    weighted avg     0.6000  0.6000    0.6000        5
    """
    matrix = confusion_matrix(truth, predicted)
    found: dict[Any, Any] = {}
    undefined: list[str] = []
    for at, name in enumerate(matrix.classes):
        hits = _Hits.of(matrix, at)
        undefined += [f"{rate} of {name}" for rate in hits.undefined]
        found[name] = {
            "precision": hits.precision,
            "recall": hits.recall,
            "f1-score": hits.f1,
            "support": hits.support,
        }
    support = np.array([row["support"] for row in found.values()])
    averages = {"macro avg": np.ones(len(support)), "weighted avg": support}
    classes = [*found.items()]
    accuracy = float(np.trace(matrix.counts) / matrix.counts.sum())
    found["accuracy"] = accuracy
    for name, weights in averages.items():
        found[name] = {
            key: float(np.average([row[key] for _, row in classes], weights=weights))
            for key in ("precision", "recall", "f1-score")
        } | {"support": int(support.sum())}
    rows = int(support.sum())
    cells = [
        *((str(name), *_report_cells(row)) for name, row in classes),
        ("accuracy", "", "", f"{accuracy:.4f}", str(rows)),
        *((name, *_report_cells(found[name])) for name in averages),
    ]
    header = ("", "precision", "recall", "f1-score", "support")
    steps = [Grid("", header, tuple(cells))]
    notes = [Sentence(f"0 in place of 0/0: {', '.join(undefined)}.")] if undefined else []
    return table_of_results(found, "Classification report", *steps, *notes)


def accuracy_score(truth: Any, predicted: Any) -> Calculation:
    """Share of the rows whose predicted class is the true one.

    Parameters
    ----------
    truth : sequence of labels
        The true class of every row.
    predicted : sequence of labels
        The predicted class of every row.

    Returns
    -------
    Calculation
        The accuracy.

    Examples
    --------
    >>> import tallylearn as tl
    >>> float(tl.accuracy_score(["a", "b", "b", "a"], ["a", "b", "a", "a"]))
    0.75
    """
    _, true, said = _labels(truth, predicted, "accuracy_score")
    right, rows = int((true == said).sum()), len(true)
    text = equation_chain(
        "accuracy = rows predicted right / rows", f"{right}/{rows}", number(right / rows)
    )
    return calculation(right / rows, "Accuracy", formula(text))


def precision_score(truth: Any, predicted: Any, *, positive: Any = None) -> Calculation:
    """Precision of a class: TP / (TP + FP).

    Parameters
    ----------
    truth : sequence of labels
        The true class of every row.
    predicted : sequence of labels
        The predicted class of every row.
    positive : label, optional
        The positive class; the last in sorted order of two classes if None.

    Returns
    -------
    Calculation
        The precision; 0 if the class is never predicted, as in scikit-learn.

    Examples
    --------
    >>> import tallylearn as tl
    >>> print(tl.precision_score([1, 1, 0, 0, 1], [1, 0, 1, 0, 1]))
    Precision of class 1
    ====================
    <BLANKLINE>
    TP = 2, FP = 1, FN = 1, TN = 1
    <BLANKLINE>
    precision = TP / (TP + FP) = 2/3 = 0.6667
    """
    hits = _positive_hits(truth, predicted, positive, "precision_score")
    return _ratio("Precision", "precision = TP / (TP + FP)", hits, hits.tp, hits.tp + hits.fp)


def recall_score(truth: Any, predicted: Any, *, positive: Any = None) -> Calculation:
    """Recall of a class: TP / (TP + FN).

    Parameters
    ----------
    truth : sequence of labels
        The true class of every row.
    predicted : sequence of labels
        The predicted class of every row.
    positive : label, optional
        The positive class; the last in sorted order of two classes if None.

    Returns
    -------
    Calculation
        The recall; 0 if the class never occurs, as in scikit-learn.

    Examples
    --------
    >>> import tallylearn as tl
    >>> round(float(tl.recall_score([1, 1, 0, 0, 1], [1, 0, 1, 0, 1])), 3)
    0.667
    """
    hits = _positive_hits(truth, predicted, positive, "recall_score")
    return _ratio("Recall", "recall = TP / (TP + FN)", hits, hits.tp, hits.tp + hits.fn)


def f1_score(truth: Any, predicted: Any, *, positive: Any = None) -> Calculation:
    """F1 of a class: the harmonic mean of precision and recall, 2PR / (P + R).

    Parameters
    ----------
    truth : sequence of labels
        The true class of every row.
    predicted : sequence of labels
        The predicted class of every row.
    positive : label, optional
        The positive class; the last in sorted order of two classes if None.

    Returns
    -------
    Calculation
        The score.

    Examples
    --------
    >>> import tallylearn as tl
    >>> round(float(tl.f1_score([1, 1, 0, 0, 1], [1, 0, 1, 0, 1])), 3)
    0.667
    """
    hits = _positive_hits(truth, predicted, positive, "f1_score")
    p, r = hits.precision, hits.recall
    first = _ratio("Precision", "precision = TP / (TP + FP)", hits, hits.tp, hits.tp + hits.fp)
    second = _ratio("Recall", "recall = TP / (TP + FN)", hits, hits.tp, hits.tp + hits.fn)
    steps = (*first.work.steps, second.work.steps[-1])
    if p + r == 0:
        last = formula("F1 = 0: precision and recall are 0")
    else:
        ratio = f"2 · {number(p)} · {number(r)} / ({number(p)} + {number(r)})"
        last = formula(equation_chain("F1 = 2PR / (P + R)", ratio, number(hits.f1)))
    return calculation(hits.f1, f"F1 of class {hits.name}", *steps, last)


def mean_absolute_error(truth: Any, predicted: Any) -> Calculation:
    """Mean absolute error: (1/n) Σ |y - ŷ|.

    Parameters
    ----------
    truth : sequence of numbers
        The true value of every row.
    predicted : sequence of numbers
        The predicted value of every row.

    Returns
    -------
    Calculation
        The error, in the unit of the target.

    Examples
    --------
    >>> import tallylearn as tl
    >>> print(tl.mean_absolute_error([3, 5, 2], [2, 5, 4]))
    Mean absolute error
    ===================
    <BLANKLINE>
    MAE = 1/3 · Σ |y - ŷ| = 1/3 · (1 + 0 + 2) = 1
    """
    e = _errors(truth, predicted, "mean_absolute_error")
    value, text = _mean(np.abs(e))
    joint = equation_chain(f"MAE = 1/{len(e)} · Σ |y - ŷ|", *text, number(value))
    return calculation(value, "Mean absolute error", formula(joint))


def mean_squared_error(truth: Any, predicted: Any) -> Calculation:
    """Mean squared error: (1/n) Σ (y - ŷ)².

    Parameters
    ----------
    truth : sequence of numbers
        The true value of every row.
    predicted : sequence of numbers
        The predicted value of every row.

    Returns
    -------
    Calculation
        The error, in the squared unit of the target.

    Examples
    --------
    >>> import tallylearn as tl
    >>> round(float(tl.mean_squared_error([3, 5, 2], [2, 5, 4])), 3)
    1.667
    """
    e = _errors(truth, predicted, "mean_squared_error")
    value, text = _mean(e * e)
    joint = equation_chain(f"MSE = 1/{len(e)} · Σ (y - ŷ)²", *text, number(value))
    return calculation(value, "Mean squared error", formula(joint))


def root_mean_squared_error(truth: Any, predicted: Any) -> Calculation:
    """Root of the mean squared error: sqrt((1/n) Σ (y - ŷ)²).

    Parameters
    ----------
    truth : sequence of numbers
        The true value of every row.
    predicted : sequence of numbers
        The predicted value of every row.

    Returns
    -------
    Calculation
        The error, in the unit of the target.

    Examples
    --------
    >>> import tallylearn as tl
    >>> round(float(tl.root_mean_squared_error([3, 5, 2], [2, 5, 4])), 3)
    1.291
    """
    squared = mean_squared_error(truth, predicted)
    value = float(squared) ** 0.5
    text = equation_chain("RMSE = sqrt(MSE)", f"sqrt({number(float(squared))})", number(value))
    return calculation(value, "Root mean squared error", *squared.work.steps, formula(text))


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(Report):
    """A receiver operating characteristic: true positive rate against false positive rate.

    Attributes
    ----------
    fpr, tpr : tuple of float
        The rates, from (0, 0) to (1, 1).
    thresholds : tuple of float
        A row is called positive if its score is at least this; the first is infinity.
    area : float
        The area under the curve: the share of pairs of a positive and a negative row in which the
        positive one has the higher score; ties count half.
    """

    fpr: tuple[float, ...]
    tpr: tuple[float, ...]
    thresholds: tuple[float, ...]
    area: float
    wins: tuple[float, int]  # pairs that the positive row wins, of all

    def to_dict(self) -> dict[str, Any]:
        return {
            "fpr": [*self.fpr],
            "tpr": [*self.tpr],
            "thresholds": [None, *self.thresholds[1:]],
            "area": self.area,
            "wins": [*self.wins],
        }

    def show_work(self) -> Derivation:
        """Show the points and the area as a derivation.

        Returns
        -------
        Derivation
            What ``print`` shows.
        """
        return self._layout(self.to_dict())

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        cells = tuple(
            ("above all" if t is None else number(t), number(x), number(y))
            for t, x, y in zip(found["thresholds"], found["fpr"], found["tpr"], strict=True)
        )
        won, pairs = found["wins"]
        area = equation_chain(
            "area = pairs in which the positive row scores higher / all pairs",
            f"{number(won)}/{pairs}",
            number(found["area"]),
        )
        grid = Grid("", ("score at least", "false positive rate", "true positive rate"), cells)
        return Derivation("ROC curve", (grid, formula(area)))

    def plot(self) -> Plot:
        """The curve, beside the diagonal of random scores."""
        return draw_lines(
            {"ROC": (self.fpr, self.tpr)},
            f"ROC curve, area {self.area:.3f}",
            "false positive rate",
            "true positive rate",
            diagonal="random scores",
        )


def roc_curve(truth: Any, scores: Any, *, positive: Any = None) -> RocCurve:
    """ROC curve and its area from scores of the positive class.

    Parameters
    ----------
    truth : sequence of labels
        The true class of every row, of two.
    scores : sequence of numbers
        The higher, the more likely positive: probabilities or any other score.
    positive : label, optional
        The positive class; the last in sorted order if None.

    Returns
    -------
    RocCurve
        ``area``, ``fpr``, ``tpr``, ``thresholds``, ``plot()``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).area
    0.75
    """
    who = "roc_curve"
    labels = _items(truth, who, "truth")
    classes = _sorted({*labels})
    found = numbers(scores, who, "scores")
    _check_length(labels, found, who, "scores")
    if len(classes) != 2:
        raise InputError(
            f"{who}: the truth has the classes {quoted_list(classes)}. Give rows of two classes."
        )
    yes = np.array([label == _chosen(classes, positive, who) for label in labels])
    order = np.argsort(-found, kind="stable")
    ends = np.flatnonzero(np.diff(found[order], append=-np.inf))
    tp, fp = np.cumsum(yes[order])[ends], np.cumsum(~yes[order])[ends]
    thresholds = found[order][ends]
    tpr, fpr = np.append(0, tp / tp[-1]), np.append(0, fp / fp[-1])
    higher = (found[yes][:, None] > found[~yes]).sum()
    won = float(higher + (found[yes][:, None] == found[~yes]).sum() / 2)
    pairs = int(yes.sum() * (~yes).sum())
    return RocCurve(
        fpr=tuple(fpr.tolist()),
        tpr=tuple(tpr.tolist()),
        thresholds=(float("inf"), *thresholds.tolist()),
        area=won / pairs,
        wins=(won, pairs),
    )


@dataclass(frozen=True)
class _Hits:
    """True and false positives and negatives of one class."""

    name: Any
    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def of(cls, matrix: ConfusionMatrix, at: int) -> _Hits:
        counts = matrix.counts
        tp = int(counts[at, at])
        fp, fn = int(counts[:, at].sum()) - tp, int(counts[at].sum()) - tp
        return cls(matrix.classes[at], tp, fp, fn, int(counts.sum()) - tp - fp - fn)

    @property
    def support(self) -> int:
        return self.tp + self.fn

    @property
    def precision(self) -> float:
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0

    @property
    def recall(self) -> float:
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0

    @property
    def f1(self) -> float:
        below = 2 * self.tp + self.fp + self.fn
        return 2 * self.tp / below if below else 0.0

    @property
    def undefined(self) -> tuple[str, ...]:
        rates = {"precision": self.tp + self.fp, "recall": self.tp + self.fn}
        return tuple(name for name, below in rates.items() if not below)


def _positive_hits(truth: Any, predicted: Any, positive: Any, who: str) -> _Hits:
    matrix = confusion_matrix(truth, predicted)
    name = _chosen(matrix.classes, positive, who)
    return _Hits.of(matrix, matrix.classes.index(name))


def _chosen(classes: tuple[Any, ...], positive: Any, who: str) -> Any:
    if positive is None and len(classes) <= 2:
        return classes[-1]
    if positive is None:
        raise OptionError(
            f"{who}: the classes are {quoted_list(classes)}. Name the positive one with "
            f"positive={classes[-1]!r}."
        )
    if not is_one_of(positive, classes):
        raise OptionError(
            f"{who}: positive is {short_repr(positive)}. The classes are {quoted_list(classes)}."
        )
    return positive


def _ratio(name: str, text: str, hits: _Hits, above: int, below: int) -> Calculation:
    value = above / below if below else 0.0
    counts = Sentence(f"TP = {hits.tp}, FP = {hits.fp}, FN = {hits.fn}, TN = {hits.tn}")
    title = f"{name} of class {hits.name}"
    if not below:
        return calculation(0.0, title, counts, formula(f"{text} = 0/0, taken as 0"))
    return calculation(
        value, title, counts, formula(equation_chain(text, f"{above}/{below}", number(value)))
    )


def _report_cells(row: dict[str, Any]) -> tuple[str, ...]:
    rates = (f"{row[key]:.4f}" for key in ("precision", "recall", "f1-score"))
    return (*rates, str(row["support"]))


def _labels(truth: Any, predicted: Any, who: str) -> tuple[tuple[Any, ...], Array, Array]:
    true, said = _items(truth, who, "truth"), _items(predicted, who, "predicted")
    _check_length(true, said, who, "predicted")
    classes = _sorted({*true, *said})
    place = {name: at for at, name in enumerate(classes)}
    return classes, np.array([place[x] for x in true]), np.array([place[x] for x in said])


def _items(values: Any, who: str, what: str) -> list[Any]:
    try:
        found = values.tolist() if hasattr(values, "tolist") else [*values]
        set(map(hash, found))
    except Exception:
        raise InputError(f"{who}: {what} is {short_repr(values, 80)}. Give a list.") from None
    if not found:
        raise InputError(f"{who}: {what} is empty. Give the class of at least one row.")
    return found


def _sorted(classes: set[Any]) -> tuple[Any, ...]:
    try:
        return tuple(sorted(classes))
    except Exception:
        raise InputError(
            f"the classes {quoted_list(classes)} are of several types. Give all of them as text."
        ) from None


def _check_length(truth: Any, others: Any, who: str, what: str) -> None:
    if len(truth) != len(others):
        raise InputError(
            f"{who}: truth has {len(truth):,} rows and {what} has {len(others):,}. Give one of "
            "each for every row."
        )


def _errors(truth: Any, predicted: Any, who: str) -> Array:
    y, found = numbers(truth, who, "truth"), numbers(predicted, who, "predicted")
    _check_length(y, found, who, "predicted")
    return y - found


def _mean(terms: Array) -> tuple[float, tuple[str, ...]]:
    value = float(terms.mean())
    if len(terms) > MAX_SHOWN_TERMS:
        return value, (f"{number(float(terms.sum()))} / {len(terms)}",)
    return value, (f"1/{len(terms)} · ({signed_sum([*map(number, terms.tolist())])})",)
