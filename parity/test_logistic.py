"""Logistic regression without a penalty beside glm of R on a real table."""

from __future__ import annotations

import numpy as np

import tallylearn as tl
from parity.test_naive_bayes import reference, table


def test_log_odds_errors_and_deviances_are_those_of_glm() -> None:
    theirs, frame = reference("r_logistic", "diabetes_pima"), table("diabetes_pima")
    found = tl.LogisticRegression(C=float("inf")).fit(frame, "class").summary()
    rows = found.records()
    assert [row["column"] for row in rows[1:]] == [*theirs["coef"]][1:]
    assert np.allclose([row["log_odds"] for row in rows], [*theirs["coef"].values()], rtol=1e-8)
    assert np.allclose([row["error"] for row in rows], [*theirs["se"].values()], rtol=1e-8)
    figures = found.figures
    assert np.isclose(-2 * figures["log-likelihood"], theirs["deviance"], rtol=1e-10)
    assert np.isclose(-2 * figures["log-likelihood without columns"], theirs["null"], rtol=1e-10)
