"""The geometry of linear classifiers: a border is a hyperplane, and a score a distance from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from tallylearn.doors import Classifier
from tallylearn.doors.intake import lesson
from tallylearn.errors import InputError, TargetError, listed, speaking, told
from tallylearn.models.linear_classes import LinearModel
from tallylearn.models.separating_planes import separable
from tallylearn.plots import Plot
from tallylearn.plots.class_areas import draw_classes
from tallylearn.tables import Array, Block
from tallylearn.workings import Derivation, Grid, Sentence, short
from tallylearn.workings.reports import Recorded


class Geometric(Classifier):
    """A linear classifier: its weights, and where they put the borders."""

    model_: LinearModel

    @property
    def coef_(self) -> Array:
        """(1, p) the weights of the second of two classes; (k, p) of every one of more."""
        self._check_fitted()
        return np.ascontiguousarray(self.model_.weights[:, self.model_.order(self.schema_)])

    @property
    def intercept_(self) -> Array:
        """(1,) or (k,) the constants."""
        self._check_fitted()
        return np.array(self.model_.bias)

    @property
    def coef_names_(self) -> tuple[str, ...]:
        """(p,) what the weights are of: columns, and values of categories."""
        self._check_fitted()
        return tuple(self.model_.names[j] for j in self.model_.order(self.schema_))

    @property
    def rare_values_(self) -> dict[str, tuple[str, ...]]:
        """The values of every category that share one column, for too few rows have them."""
        self._check_fitted()
        return self.model_.design.rare.by_column

    def decision_function(self, X: Any) -> Array:
        """(n,) how much speaks for the second of two classes; (n, k) for every one of more."""
        found = self._mapped(X, lambda block: self.model_.activations(block))
        return found[:, 0] if found.shape[1] == 1 else found

    def geometry(self, X: Any = None, y: Any = None) -> Geometry:
        """Norms of the weights; of rows, the cosine to them and the distance from the border.

        With the classes of the rows, whether the border separates them, and by what margin.
        """
        self._check_fitted()
        with speaking(type(self).__name__):
            if len(self.model_.names) > len(self.model_.design.columns):
                raise InputError("the words of a text span too many directions to be drawn in.")
            return _of_rows(self, X, y) if X is not None else Geometry(**_borders(self))


@dataclass(frozen=True)
class Geometry(Recorded):
    """Borders of a linear classifier, and where rows lie."""

    names: tuple[str, ...]  # (p,) the directions
    borders: dict[str, list[float]]  # "a | b" -> w0, w1, ..., wp: 0 on the border, above 0 for b
    rows: dict[str, list[Any]]  # score, cosine, distance, answer and class of every row
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
    def _told(found: dict[str, Any]) -> Derivation:
        steps: list[Grid | Sentence] = [_border_grid(found["borders"])]
        if found["rows"]:
            steps.append(_row_grid(found["rows"]))
        return Derivation("Geometry", (*steps, *map(Sentence, _said(found))))

    def plot(self) -> Plot:
        """The rows and the borders between their classes, where there are two directions."""
        if len(self.names) != 2:
            raise InputError(
                "Geometry: a plot has two directions, and the columns learned from make "
                f"{len(self.names)}. Learn from two columns of numbers."
            )
        if not self.points:
            raise InputError(
                "Geometry: a plot of two directions shows rows of known classes, and here are "
                "none. Pass geometry(X, y)."
            )
        points = {name: tuple(pair) for name, pair in self.points.items()}
        return draw_classes(points, self.borders, "Borders", *self.names)


def _borders(learner: Geometric) -> dict[str, Any]:
    classes = [*map(str, learner.model_.classes)]
    rows = np.hstack([learner.intercept_[:, None], learner.coef_])
    if len(classes) == 2:
        found = {" | ".join(classes): rows[0].tolist()}
    else:
        pairs = combinations(range(len(classes)), 2)
        found = {f"{classes[a]} | {classes[b]}": (rows[b] - rows[a]).tolist() for a, b in pairs}
    return {"names": learner.coef_names_, "borders": found, "rows": {}, "points": {}}


def _of_rows(learner: Geometric, X: Any, y: Any) -> Geometry:
    table, name = learner._table(X), type(learner).__name__
    if y is None:
        blocks = [*learner._blocks(X)]
        truth = None
    else:
        known = learner.model_.classes
        read = lesson(table, y, None, name, learner.task, learner.schema_, classes=known)
        blocks = [*read.blocks()]
        _check_known({value for block in blocks for value in block.target.values}, known)
        truth = np.concatenate([block.target.among(known) for block in blocks])
    x = np.concatenate([_directions(learner, block) for block in blocks])
    found = _measured(learner, x)
    if truth is None:
        return Geometry(**{**_borders(learner), "rows": found})
    found["class"] = [str(learner.model_.classes[at]) for at in truth]
    two = {
        str(c): x[truth == at].T.tolist()
        for at, c in enumerate(learner.model_.classes)
        if x.shape[1] == 2 and (truth == at).any()
    }
    margin = float(_distances(learner, x, truth).min())
    parts = {**_borders(learner), "rows": found, "points": two}
    return Geometry(**parts, margin=margin, separable=margin > 0 or separable(x, truth))


def _check_known(seen: set[Any], known: Sequence[Any]) -> None:
    strange = sorted(seen - {*known}, key=str)
    if strange:
        raise TargetError(
            f"the target has the class {told(strange[0])}, and the model knows {listed(known)}. "
            "Pass the classes that were learned, or none."
        )


def _directions(learner: Geometric, block: Block) -> Array:
    design = learner.model_.design
    return np.asarray(design.filled(block)[:, learner.model_.order(learner.schema_)])


def _measured(learner: Geometric, x: Array) -> dict[str, list[Any]]:
    """The score of the answer, its cosine with the row, and the distance from the border."""
    w, b = learner.coef_, learner.intercept_
    scores = x @ w.T + b
    two = len(w) == 1
    both = np.hstack([np.zeros_like(scores), scores]) if two else scores
    chosen = learner.model_.chosen(both)
    score = scores[:, 0] if two else scores[np.arange(len(x)), chosen]
    weights = np.hstack([b[:, None], w])[np.zeros_like(chosen) if two else chosen]
    lengths = np.linalg.norm(weights, axis=1) * np.sqrt(1 + (x**2).sum(axis=1))
    distance = _distances(learner, x, chosen)
    cosine = np.divide(score, lengths, out=np.zeros_like(score), where=lengths > 0)
    answers = [str(learner.model_.classes[at]) for at in chosen]
    return {
        "score": score.tolist(), "cosine": cosine.tolist(), "distance": distance.tolist(),
        "answer": answers,
    }  # fmt: skip


def _distances(learner: Geometric, x: Array, side: Array) -> Array:
    """(n,) from the nearest border of a class: above 0 on its own side."""
    w, b = learner.coef_, learner.intercept_
    if len(w) == 1:
        w, b = np.vstack([0 * w, w]), np.concatenate([[0.0], b])
    scores, out = x @ w.T + b, np.full(len(x), np.inf)
    for c in range(len(w)):
        apart = np.linalg.norm(w[side] - w[c], axis=1)
        ahead = scores[np.arange(len(x)), side] - scores[:, c]
        found = np.divide(ahead, apart, out=np.zeros(len(x)), where=apart > 0)
        out = np.where(side == c, out, np.minimum(out, found))
    return out


def _border_grid(borders: dict[str, list[float]]) -> Grid:
    rows = []
    for name, (w0, *w) in borders.items():
        norm = float(np.linalg.norm(w))
        away = abs(w0) / norm if norm else float("nan")
        rows.append((name, short(norm), short(w0), short(away) if norm else "everywhere"))
    head = ("border", "‖w‖", "w0", "distance from 0")
    note = "On a border w·x + w0 = 0; beyond it, along w, the second class is answered."
    return Grid("borders", head, tuple(rows), note)


def _row_grid(rows: dict[str, list[Any]]) -> Grid:
    head = ("row", *rows)
    cells = (
        (str(at), *(short(cell) if isinstance(cell, float) else str(cell) for cell in row))
        for at, row in enumerate(zip(*rows.values(), strict=True))
    )
    note = "score = ‖w‖ ‖x‖ cos θ, both with the constant; distance from the nearest border."
    return Grid("rows", head, tuple(cells), note)


def _said(found: dict[str, Any]) -> list[str]:
    margin = found["margin"]
    if margin is None:
        return []
    if margin > 0:
        return [f"The borders separate the classes, by a margin of {short(margin)}."]
    far = f"a row lies {short(-margin)} beyond its border" if margin < 0 else "a row lies on it"
    said = f"The borders do not separate the classes: {far}."
    if found["separable"] is None:
        return [f"{said} Whether another border would is not known."]
    other = "Another border would." if found["separable"] else "No straight border does."
    return [f"{said} {other}"]
