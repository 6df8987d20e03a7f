"""Linear discriminants beside MASS::lda of R on real tables and the same folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from parity.test_naive_bayes import folds, reference, table

TABLES = ("iris", "wine", "diabetes_pima")


def read(name: str) -> tuple[dict[str, Any], Any, str]:
    found = reference("r", name)
    frame = table(name)
    frame[found["target"]] = frame[found["target"]].astype(str)
    return found["lda"], frame, found["target"]


@pytest.mark.parametrize("name", TABLES)
def test_priors_means_directions_and_posteriors_are_those_of_mass(name: str) -> None:
    """MASS divides the covariance by n - k; its directions and posteriors are made of that one."""
    theirs, frame, target = read(name)
    ours = tl.LinearDiscriminantAnalysis().fit(frame, target)
    n, k = len(frame), len(ours.classes_)
    assert np.allclose(ours.priors_, theirs["prior"], atol=1e-12)
    assert np.allclose(ours.means_, theirs["means"], rtol=1e-12)
    scaling = np.array(theirs["scaling"]) * np.sqrt(n / (n - k))
    sign = np.sign((ours.scalings_ * scaling).sum(axis=0))
    assert np.allclose(ours.scalings_, scaling * sign, rtol=1e-8)
    singular = np.atleast_1d(theirs["svd"]) ** 2
    assert np.allclose(ours.explained_variance_ratio_, singular / singular.sum(), rtol=1e-9)
    rows = frame[:5].drop(columns=target)
    log_prior = np.log(ours.priors_)
    joint = ours.predict_joint_log_proba(rows)
    joint = (joint - log_prior) * (n - k) / n + log_prior  # the same density with their covariance
    share = np.exp(joint - joint.max(axis=1, keepdims=True))
    expected = np.array(theirs["posterior_first5"])
    assert np.allclose(share / share.sum(axis=1, keepdims=True), expected, rtol=1e-6, atol=1e-45)


@pytest.mark.parametrize("name", TABLES)
def test_predictions_on_the_stored_folds_are_those_of_mass(name: str) -> None:
    theirs, frame, target = read(name)
    predicted = np.empty(len(frame), dtype=object)
    clear = np.ones(len(frame), dtype=bool)
    for fold in folds(name):
        model = tl.LinearDiscriminantAnalysis().fit(frame.drop(index=fold), target)
        rows = frame.loc[fold].drop(columns=target)
        predicted[fold] = model.predict(rows)
        top = np.sort(model.predict_proba(rows), axis=1)
        clear[fold] = top[:, -1] - top[:, -2] > 0.01  # n - k instead of n moves nothing further
    expected = np.array([str(label) for label in theirs["cv_pred"]])
    assert (predicted == expected)[clear].all()
    assert (predicted == frame[target]).mean() == pytest.approx(theirs["cv_accuracy"], abs=2e-3)
