"""Naive Bayes beside Weka and R on real tables and the same folds; NIST's certified moments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl

SHARED = Path(__file__).parent.parent.parent / "shared"
NOMINAL = (
    "car",
    "contact_lenses",
    "mushroom",
    "restaurant",
    "tic_tac_toe",
    "vote",
    "weather_nominal",
)
R_SETS = (  # car, contact_lenses and penguins have a zero count in nearly every row
    "breast_cancer_wisconsin", "credit_g", "diabetes_pima", "hepatitis", "iris", "tic_tac_toe",
    "vote", "weather_nominal", "wine",
)  # fmt: skip


def table(name: str) -> pd.DataFrame:
    markers = [] if name == "restaurant" else ["", "NA"]
    frame = pd.read_csv(
        SHARED / "data" / f"{name}.csv", na_values=["?", *markers], keep_default_na=False
    )
    return frame.drop(columns=[c for c in frame if name == "breast_cancer_wisconsin" and c == "id"])


def reference(program: str, name: str) -> dict[str, Any]:
    text = (SHARED / "reference" / f"{program}_{name}.json").read_text()
    result: dict[str, Any] = json.loads(text)
    return result


def folds(name: str) -> list[list[int]]:
    result: list[list[int]] = reference("weka39", name)["folds"]
    return result


@pytest.mark.parametrize("name", NOMINAL)
def test_on_nominal_tables_every_prediction_is_wekas(name: str) -> None:
    """Weka smooths the prior too, and knows every value of the file's header."""
    weka = reference("weka39", name)
    result = next(r for r in weka["results"] if r["classifier"].endswith("NaiveBayes"))
    frame, target = table(name), weka["class"]
    values = {c: sorted(frame[c].dropna().unique()) for c in frame if c != target}
    theirs = np.array(weka["labels"])[result["cv_pred"]]
    compared = 0
    for fold in weka["folds"]:
        train, test = frame.drop(index=fold), frame.loc[fold]
        count = train[target].value_counts()
        prior = (count + 1) / (count + 1).sum()
        model = tl.NaiveBayes(class_prior=prior.to_dict())
        model.fit(tl.table(train, target=target, categories=values))
        top = np.sort(model.predict_proba(test), axis=1)
        clear = top[:, -1] - top[:, -2] > 1e-9  # Weka gives a tie to the first class of its header
        compared += int(clear.sum())
        assert (model.predict(test)[clear] == theirs[fold][clear]).all()
    assert compared >= len(frame) - 1


@pytest.mark.parametrize("name", R_SETS)
def test_where_no_count_is_zero_predictions_are_those_of_e1071(name: str) -> None:
    """e1071 writes 0.001 for a zero and divides variances by n - 1: clear rows without agree."""
    found = reference("r", name)
    frame = table(name)
    target = next(c for c in frame if c.replace("-", ".") == found["target"])
    frame[target] = frame[target].astype(str)
    theirs = np.array([str(x) for x in found["naiveBayes"]["cv_pred"]])
    compared = agreed = 0
    for fold in folds(name):
        test = frame.loc[fold]
        model = tl.NaiveBayes(alpha=0, var_smoothing=0).fit(frame.drop(index=fold), target)
        joint = model.predict_joint_log_proba(test)
        top = np.sort(joint, axis=1)
        clear = np.isfinite(joint).all(axis=1) & (top[:, -1] - top[:, -2] > 0.1)
        compared += int(clear.sum())
        agreed += int((model.predict(test) == theirs[fold])[clear].sum())
    assert compared > len(frame) / 3
    assert agreed == compared


@pytest.mark.parametrize("name", ["PiDigits", "Lottery", "Lew", "Mavro", "Michelso",
                                  "NumAcc1", "NumAcc2", "NumAcc3", "NumAcc4"])  # fmt: skip
def test_means_and_deviations_are_nists(name: str) -> None:
    data = json.loads((SHARED / "nist" / "nist.json").read_text())[name]
    y = np.array(data["y"], dtype=float)
    model = tl.NaiveBayes(var_smoothing=0).fit(y[:, None], ["all"] * len(y))
    moments = model.tally_["numbers"]
    certified = data["certified"]
    deviation = (moments.variance[0, 0] * len(y) / (len(y) - 1)) ** 0.5
    assert moments.mean[0, 0] == pytest.approx(float(certified["mean"]), rel=1e-15)
    # NumAcc's numbers are decimals: what a double keeps of them limits the deviation, not the sum
    rel = {"NumAcc3": 1e-9, "NumAcc4": 1e-7}.get(name, 1e-13)
    assert deviation == pytest.approx(float(certified["sd"]), rel=rel)
