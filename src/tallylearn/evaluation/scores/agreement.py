"""Agreement of predictions and truth, beyond what their class shares alone would give."""

from __future__ import annotations

from math import nan, sqrt
from typing import Any

import numpy as np

from tallylearn.evaluation.scores.confusion_matrix import EMPTY, Hits, ScoreValue
from tallylearn.tallies import Bundle
from tallylearn.tallies.keys import union


def mcc(bundle: Bundle, positive: Any) -> ScoreValue:
    """Matthews' correlation of predictions and truth, of two classes or of several.

    B. W. Matthews, Biochimica et Biophysica Acta 405, 1975; of several classes J. Gorodkin,
    Computational Biology and Chemistry 28, 2004.

    >>> from tallylearn.evaluation.scores.predictions import Predictions
    >>> from tallylearn.tables import Codes
    >>> truth, said = Codes.of([*"aabb"]), Codes.of([*"abbb"])
    >>> round(mcc(Predictions(truth, said).tally(), None).value, 4)
    0.5774
    """
    hits = Hits.of(bundle)
    if not hits.rows:
        return ScoreValue(nan, EMPTY)
    true, said = hits.true / hits.rows, hits.said / hits.rows
    spreads = 1 - true @ true, 1 - said @ said
    for spread, what in zip(spreads, ("true", "predicted"), strict=True):
        if spread <= 0:
            return ScoreValue(nan, f"one class alone is {what}: nothing varies with anything")
    return ScoreValue(float((hits.right.sum() / hits.rows - true @ said) / sqrt(np.prod(spreads))))


def kappa(power: int, bundle: Bundle, positive: Any) -> ScoreValue:
    """Cohen's kappa: 1 less the disagreement, as a share of what chance would give.

    Classes that lie i apart in their order disagree by i to the ``power``; all alike for 0.
    J. Cohen, Educational and Psychological Measurement 20, 1960; Psychological Bulletin 70, 1968.
    """
    if "confusion" not in bundle:
        return ScoreValue(nan, EMPTY)
    counts = bundle["confusion"]
    keys = union(*counts.keys)
    table = counts.reindex(keys, keys).floats()
    total = table.sum()
    apart = np.abs(np.subtract.outer(np.arange(len(keys)), np.arange(len(keys)))) / 1.0
    apart = np.sign(apart) if power == 0 else apart**power
    chance = (apart * np.outer(table.sum(axis=1), table.sum(axis=0))).sum()
    if not chance:
        reason = "truth and predictions are one class: chance would agree as well"
        return ScoreValue(nan, reason if total else EMPTY)
    return ScoreValue(float(1 - (apart * table).sum() * total / chance))
