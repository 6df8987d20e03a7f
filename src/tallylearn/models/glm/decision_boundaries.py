"""The geometry of linear classifiers: a border is a hyperplane, and a score a distance from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from tallylearn.errors import InputError, TargetError, quoted_list, short_repr
from tallylearn.estimators import Classifier
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.models.glm.linear_classifier import LinearClassifierModel
from tallylearn.models.glm.separating_planes import is_separable
from tallylearn.reporting.charts import Plot
from tallylearn.reporting.charts.class_boundary_chart import draw_classes
from tallylearn.reporting.report import TableReport
from tallylearn.tables import TEXT, Array, Block, places
from tallylearn.workings import Derivation, Grid, Sentence, format_number

BETWEEN = " | "  # the two classes of a border


class BoundaryClassifier(Classifier):
    """Base of linear classifiers: coefficients and decision boundaries."""

    model_: LinearClassifierModel

    @property
    def coef_(self) -> Array:
        """(1, p) the coefficients of the second of two classes; (k, p) of every class of more."""
        self._check_fitted()
        return np.ascontiguousarray(self.model_.weights[:, self.model_.order(self.schema_)])

    @property
    def intercept_(self) -> Array:
        """(1,) or (k,) the intercepts."""
        self._check_fitted()
        return np.array(self.model_.bias)

    @property
    def coef_names_(self) -> tuple[str, ...]:
        """(p,) the names of the coefficients: columns, and values of categories."""
        self._check_fitted()
        return tuple(self.model_.names[j] for j in self.model_.order(self.schema_))

    @property
    def rare_values_(self) -> dict[str, tuple[str, ...]]:
        """The rare values of every categorical column, which share an indicator."""
        self._check_fitted()
        return self.model_.design.rare.by_column

    def decision_function(self, X: Any) -> Array:
        """Compute the decision function: the linear score of the classes.

        Parameters
        ----------
        X : table
            Rows to predict.

        Returns
        -------
        ndarray of shape (n,) or (n, classes)
            The score of the second of two classes; of every class if there are more.
        """
        found = self._map_rows(X, lambda block: self.model_.activations(block), "decision_function")
        return found[:, 0] if found.shape[1] == 1 else found

    def geometry(self, X: Any = None, y: Any = None) -> Geometry:
        """Describe the decision boundaries, and where rows lie relative to them.

        Parameters
        ----------
        X : table, optional
            Rows. Each has the cosine of its angle with the weights, and its distance from the
            boundary.
        y : array-like or str, optional
            The classes of the rows, or the name of the column. With them, the result says whether a
            boundary separates the classes, and by what margin.

        Returns
        -------
        Geometry
            The boundaries with the norms of their weights, and the rows. ``plot()`` draws them if
            there are two columns.
        """
        with self._error_context("geometry"):
            self._check_fitted()
            if len(self.model_.names) > len(self.model_.design.columns):
                texts = [column.name for column in self.schema_.of_kind(TEXT)]
                raise InputError(
                    f"the model has the text column {texts[0]!r}, and boundaries are computed for "
                    f"other columns. Fit without it: tl.table(..., ignore={texts!r})."
                )
            return _of_rows(self, X, y) if X is not None else Geometry(**_borders(self))


@dataclass(frozen=True)
class Geometry(TableReport):
    """Borders of a linear classifier, and where rows lie."""

    names: tuple[str, ...]  # (p,) the directions
    borders: dict[str, list[float]]  # "a | b" -> w0, w1, ..., wp: 0 on the border, above 0 for b
    rows: dict[str, list[Any]]  # number, score, cosine, distance, answer and class of every row
    points: dict[str, list[list[float]]]  # class -> x, y where there are two directions
    margin: float | None = None  # the least distance of a row on its own side; below 0: wrong side
    separable: bool | None = None  # by any hyperplane; None: not known

    def to_dict(self) -> dict[str, Any]:
        return {
            "names": [*self.names],
            "borders": self.borders,
            "rows": self.rows,
            "points": self.points,
            "margin": self.margin,
            "separable": self.separable,
        }

    def records(self) -> list[dict[str, Any]]:
        head = [*self.rows]
        return [dict(zip(head, row, strict=True)) for row in zip(*self.rows.values(), strict=True)]

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        steps: list[Grid | Sentence] = [_border_grid(found["borders"])]
        if found["rows"]:
            steps.append(_row_grid(found["rows"]))
        return Derivation("Geometry", (*steps, *map(Sentence, _separation_text(found))))

    def plot(self) -> Plot:
        """The rows and the borders between their classes, where there are two directions."""
        if len(self.names) != 2:
            raise InputError(
                f"Geometry.plot: a plot shows two columns, and the model has {len(self.names)}: "
                f"{quoted_list(self.names)}. Fit to two numeric columns."
            )
        if not self.points:
            raise InputError(
                "Geometry.plot: a plot shows the rows with their classes, and there are none. Call "
                "geometry(X, y).plot()."
            )
        points = {name: tuple(pair) for name, pair in self.points.items()}
        return draw_classes(points, self.borders, "Borders", *self.names)


def _borders(learner: BoundaryClassifier) -> dict[str, Any]:
    classes = [*map(str, learner.model_.classes)]
    if any(BETWEEN in name for name in classes):  # "a | b" could be either side of it
        classes = [*map(repr, classes)]
    rows = np.hstack([learner.intercept_[:, None], learner.coef_])
    if len(rows) == 1:
        rows = np.vstack([0 * rows, rows])
    found = {
        f"{classes[a]}{BETWEEN}{classes[b]}": (rows[b] - rows[a]).tolist()
        for a, b in combinations(range(len(classes)), 2)
    }
    return {"names": learner.coef_names_, "borders": found, "rows": {}, "points": {}}


def _of_rows(learner: BoundaryClassifier, X: Any, y: Any) -> Geometry:
    table, name = learner._table(X), type(learner).__name__
    if y is None:
        source = learner._read_rows(X)
        blocks, truth = [*source.blocks()], None
    else:
        known = learner.model_.classes
        read = read_fit_input(
            table, y, weight=None, who=name, aim=learner.task, schema=learner.schema_, classes=known
        )
        source, blocks = read.source, [*read.blocks()]
        _check_known({value for block in blocks for value in block.target.values}, known)
        truth = np.concatenate([block.target.recode(known) for block in blocks])
    if not sum(map(len, blocks)):
        raise InputError(
            "the table has no rows. Pass rows, or call geometry() for the boundaries alone."
        )
    x = np.concatenate([_directions(learner, block) for block in blocks])
    scores = np.concatenate([learner.model_.scores(block) for block in blocks])
    numbers = np.concatenate([places(block.start, np.arange(len(block))) for block in blocks])
    numbers -= source.first_row
    found = {"row": numbers.tolist(), **_measure_rows(learner, x, scores)}
    if truth is None:
        return Geometry(**{**_borders(learner), "rows": found})
    found["class"] = [str(learner.model_.classes[at]) for at in truth]
    two = {
        str(c): x[truth == at].T.tolist()
        for at, c in enumerate(learner.model_.classes)
        if x.shape[1] == 2 and (truth == at).any()
    }
    margin = float(_distances(learner, scores, truth).min())
    parts = {**_borders(learner), "rows": found, "points": two}
    return Geometry(**parts, margin=margin, separable=margin > 0 or is_separable(x, truth))


def _check_known(seen: set[Any], known: Sequence[Any]) -> None:
    strange = sorted(seen - {*known}, key=str)
    if strange:
        raise TargetError(
            f"the target has the class {short_repr(strange[0])}, and the classes of the model are "
            f"{quoted_list(known)}. Drop rows of other classes, or call geometry() without rows."
        )


def _directions(learner: BoundaryClassifier, block: Block) -> Array:
    design = learner.model_.design
    return np.asarray(design.filled_matrix(block)[:, learner.model_.order(learner.schema_)])


def _measure_rows(learner: BoundaryClassifier, x: Array, scores: Array) -> dict[str, list[Any]]:
    """The score of the answer, its cosine with the row, and the distance from the border."""
    chosen, two = learner.model_.choose(scores), len(learner.model_.classes) == 2
    at = np.ones_like(chosen) if two else chosen
    score = scores[np.arange(len(x)), at]
    weights = np.column_stack([learner.intercept_, learner.coef_])[at - two]
    cosine = score.copy()
    for length in (_lengths(weights), _lengths(np.insert(x, 0, 1.0, axis=1))):
        cosine = np.divide(cosine, length, out=np.zeros_like(score), where=length > 0)
    answers = [str(learner.model_.classes[c]) for c in chosen]
    return {
        "score": score.tolist(), "cosine": cosine.tolist(),
        "distance": _distances(learner, scores, chosen).tolist(), "answer": answers,
    }  # fmt: skip


def _lengths(rows: Array) -> Array:
    """(n,) of vectors, though their squares are beyond a double."""
    largest = np.abs(rows).max(axis=1)
    unit = np.where(largest > 0, largest, 1.0)
    return np.asarray(largest * np.linalg.norm(rows / unit[:, None], axis=1))


def _distances(learner: BoundaryClassifier, scores: Array, side: Array) -> Array:
    """(n,) from the nearest border of a class: above 0 on its own side."""
    w, out = learner.coef_, np.full(len(scores), np.inf)
    w = np.vstack([0 * w, w]) if len(w) == 1 else w
    for c in range(len(w)):
        apart = _lengths(w[side] - w[c])
        ahead = scores[np.arange(len(scores)), side] - scores[:, c]
        found = np.divide(ahead, apart, out=np.zeros(len(scores)), where=apart > 0)
        out = np.where(side == c, out, np.minimum(out, found))
    return out


def _border_grid(borders: dict[str, list[float]]) -> Grid:
    rows = []
    for name, (w0, *w) in borders.items():
        norm = float(np.linalg.norm(w))
        away = abs(w0) / norm if norm else float("nan")
        rows.append(
            (
                name,
                format_number(norm),
                format_number(w0),
                format_number(away) if norm else "everywhere",
            )
        )
    head = ("border", "‖w‖", "w0", "distance from 0")
    note = "On a border w·x + w0 = 0; beyond it, along w, the second class is answered."
    return Grid("borders", head, tuple(rows), note)


def _row_grid(rows: dict[str, list[Any]]) -> Grid:
    cells = (
        tuple(format_number(cell) if isinstance(cell, float) else str(cell) for cell in row)
        for row in zip(*rows.values(), strict=True)
    )
    note = "score = ‖w‖ ‖x‖ cos θ, both with the constant; distance from the nearest border."
    return Grid("rows", (*rows,), tuple(cells), note)


def _separation_text(found: dict[str, Any]) -> list[str]:
    margin = found["margin"]
    if margin is None:
        return []
    if margin > 0:
        return [f"The borders separate the classes, by a margin of {format_number(margin)}."]
    far = (
        f"a row lies {format_number(-margin)} beyond its border"
        if margin < 0
        else "a row lies on it"
    )
    said = f"The borders do not separate the classes: {far}."
    if found["separable"] is None:
        return [f"{said} Whether another border would is not known."]
    other = "Another border would." if found["separable"] else "No straight border does."
    return [f"{said} {other}"]
