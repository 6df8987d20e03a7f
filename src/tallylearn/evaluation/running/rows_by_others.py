"""Rows by all others: who keeps the rows answers each without it, in one search for all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.estimators.in_memory import Plain
from tallylearn.evaluation.running.dataset import Exam
from tallylearn.evaluation.running.fitted_learners import Done
from tallylearn.evaluation.running.fold_plan import Round


def asked_at_once(learner: object, exam: Exam, place: Round) -> bool:
    """Whether every row, counted once and at hand, is to be answered by all others."""
    own = getattr(type(learner), "by_others", None)
    here = own is not None and own is not Plain.by_others
    everyone = place.alone and place.part.min(initial=0) >= 0
    return here and everyone and exam.read is not None and exam.in_memory and exam.weight is None


def answered(learner: Any, exam: Exam, place: Round) -> Done | None:
    """The answers to all rows of one that has learned them; None: leave them out one by one."""
    if (found := learner.by_others()) is None or len(found[0]) != len(exam):
        return None
    said, shares = found
    if shares is None:
        return Done(place.part, np.arange(len(exam)), said, None)
    known = np.array([exam.classes.index(key) for key in learner.model_.classes])
    proba = np.zeros((len(exam), len(exam.classes)))
    proba[:, known] = shares
    return Done(place.part, np.arange(len(exam)), known[said], proba)
