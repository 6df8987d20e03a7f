"""Predicted gaps: a learner of the other columns fills them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors

FRAME = pd.DataFrame({
    "size": [1.0, 2, None, 4, 5, 6, 7], "price": [10.0, 20, 30, 40, 50, None, 70],
    "kind": ["s", "s", "s", None, "l", "l", "l"],
})  # fmt: skip
BOTH = [tl.KNeighborsRegressor(2), tl.DecisionTreeClassifier()]


def test_gaps_are_what_a_learner_of_the_rows_without_them_says() -> None:
    found = tl.SimpleImputer(learners=BOTH).fit_transform(FRAME)
    assert not found.isna().any().any()
    plain = tl.SimpleImputer().fit_transform(FRAME)
    shown = FRAME["size"].notna()
    rest = plain[["price", "kind"]]
    alone = tl.KNeighborsRegressor(2).fit(rest[shown], FRAME["size"][shown])
    assert found["size"][2] == alone.predict(rest[~shown])[0]
    assert found["size"][shown].equals(FRAME["size"][shown])
    assert found["kind"][3] in ("s", "l")


def test_a_straight_line_is_continued() -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "y": [2.0, 4, None, 8]})
    found = tl.SimpleImputer(learners=tl.LinearRegression()).fit_transform(frame)
    assert found["y"][2] == pytest.approx(6)


def test_columns_without_a_learner_or_a_gap_are_filled_as_ever() -> None:
    model = tl.SimpleImputer(strategy="median", learners=tl.LinearRegression()).fit(
        FRAME[["size", "kind"]][:2]
    )
    later = model.transform(pd.DataFrame({"size": [None, 3.0], "kind": ["s", None]}))
    assert later.to_numpy().tolist() == [[1.5, "s"], [3.0, "s"]]
    assert tl.SimpleImputer(learners=BOTH[0]).fit(FRAME).transform(FRAME)["kind"][3] == "l"


def test_it_is_saved_with_its_learners_works_in_a_pipeline_and_keeps_no_tally(
    tmp_path: Path,
) -> None:
    model = tl.SimpleImputer(learners=BOTH).fit(FRAME)
    model.save(tmp_path / "i.tally")
    again = tl.load(tmp_path / "i.tally")
    pd.testing.assert_frame_equal(again.transform(FRAME), model.transform(FRAME))
    assert "'size' is predicted from the others by KNeighborsRegressor" in str(again.show_work())
    pipe = tl.Pipeline([model, tl.StandardScaler(), tl.KNeighborsClassifier(1)])
    target = FRAME.assign(y=list("aabbabb"))
    pipe.fit(target, "y").save(tmp_path / "p.tally")
    assert (tl.load(tmp_path / "p.tally").predict(FRAME) == pipe.predict(FRAME)).all()
    for call in (model.partial_fit, model.forget):
        with pytest.raises(errors.TallyError, match="tally"):
            call(FRAME)


@pytest.mark.parametrize(
    "learners",
    ["tree", [tl.LinearRegression(), tl.Ridge()], tl.StandardScaler(), [None], tl.Ridge],
)
def test_what_predicts_nothing_is_refused(learners: Any) -> None:
    with pytest.raises(errors.OptionError, match="a regressor for numbers, a classifier"):
        tl.SimpleImputer(learners=learners).fit(FRAME)


def test_an_error_inside_names_the_column() -> None:
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0], "z": [1.0, 2.0, 3.0]})
    with pytest.raises(errors.InputError, match=r"column 'x'.*n_neighbors=5"):
        tl.SimpleImputer(learners=tl.KNeighborsRegressor()).fit(frame)
