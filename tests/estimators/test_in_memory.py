"""Learners that train on all rows in memory, or update a model row by row, without a tally."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors, modelfile
from tallylearn.estimators import Classifier, Learned, Passes, Regressor, ScoringModel
from tallylearn.estimators.passes import in_memory
from tallylearn.models.glm.incremental_fit import update_with_rows
from tallylearn.tables import CATEGORY, NUMBER, Array, Block, Schema, field_schemas
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Term


@dataclass(frozen=True)
class Ends(ScoringModel):
    """The class of the first row and of the last: what depends on the order."""

    classes: tuple[Any, ...]
    ends: Array

    form: ClassVar[field_schemas.Form] = {
        "classes": field_schemas.keys("k"),
        "ends": field_schemas.integers(2, least=0),
    }

    def check(self, schema: Schema) -> None:
        """Every end is a class."""

    def scores(self, block: Block) -> Array:
        return np.tile(np.eye(len(self.classes))[self.ends[1]], (len(block), 1))

    def evidence(self, block: Block) -> list[Evidence]:
        line = EvidenceLine(self.classes[self.ends[1]], (Term("", "the last", 1.0),))
        return [Evidence((line,), line.outcome, "sum")] * len(block)

    def derivation(self, schema: Schema) -> Derivation:
        return Derivation("The last", ())


class Last(Classifier):
    """Predicts the class that came last."""

    kinds: ClassVar[tuple[str, ...]] = (NUMBER, CATEGORY)
    stored: ClassVar[tuple[type, ...]] = (Ends,)

    def __init__(self, colour: str = "red") -> None:
        self.colour = colour

    def fit_passes(self, passes: Passes) -> Learned:
        return in_memory(passes, self.train)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Last:
        update_with_rows(self, X, y, self.update, classes)
        return self

    def train(self, block: Block) -> Ends:
        return Ends(block.target.values, block.target.codes[[0, -1]].astype(np.int64))

    def update(self, model: Ends | None, block: Block, first_row: int) -> Ends:
        first = block.target.codes[0] if model is None else model.ends[0]
        last = block.target.codes[-1]
        return Ends(block.target.declared, np.array([first, last], dtype=np.int64))


class Seen(Regressor):
    """Keeps the block that it was given."""

    kinds: ClassVar[tuple[str, ...]] = (NUMBER, CATEGORY)

    def fit_passes(self, passes: Passes) -> Learned:
        return in_memory(passes, lambda block: block)


FRAME = pd.DataFrame(
    {"x": [1.0, 2, 3, 4], "c": ["u", None, "v", "u"], "y": list("abca"), "w": [1.0, 0, 2, 3]}
)


def test_rows_come_whole_and_weighed() -> None:
    model = Seen().fit(FRAME[["x", "c", "w"]], [1.0, 2, 3, 4], sample_weight=[1.0, 0, 2, 3]).model_
    assert model.numbers[:, 0].tolist() == [1, 3, 4]
    assert model.weight.tolist() == [1, 2, 3]
    assert model.target.tolist() == [1, 3, 4]


def test_files_become_one_block_with_one_list_of_categories(tmp_path: Path) -> None:
    columns = ["x", "c"]
    FRAME[:2].assign(z=1.5)[[*columns, "z"]].to_csv(tmp_path / "a.csv", index=False)
    FRAME[2:].assign(z=2.5)[[*columns, "z"]].to_csv(tmp_path / "b.csv", index=False)
    block = Seen().fit(str(tmp_path / "*.csv"), "z").model_
    assert block.numbers[:, 0].tolist() == [1, 2, 3, 4]
    assert block.codes["c"].items() == ["u", None, "v", "u"]
    assert block.target.tolist() == [1.5, 1.5, 2.5, 2.5]
    FRAME[:2].to_csv(tmp_path / "a.csv", index=False)
    FRAME[2:].to_csv(tmp_path / "b.csv", index=False)
    model = Last().fit(str(tmp_path / "*.csv"), "y", sample_weight="w")
    assert model.model_.classes == ("a", "c")


def test_rows_as_they_come_go_on_from_the_model() -> None:
    model = Last().partial_fit(FRAME[:3][["x"]], FRAME["y"][:3], classes=["a", "b", "c"])
    assert model.predict(FRAME[["x"]]).tolist() == ["c"] * 4
    model.partial_fit(FRAME[3:][["x"]], FRAME["y"][3:])
    assert model.predict(FRAME[["x"]]).tolist() == ["a"] * 4
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert not hasattr(Seen(), "partial_fit")


def test_a_class_that_was_not_announced_is_refused() -> None:
    model = Last().partial_fit(FRAME[:2][["x"]], FRAME["y"][:2])
    with pytest.raises(errors.TargetError, match=r"'c'.*first partial_fit are 'a', 'b'.*classes="):
        model.partial_fit(FRAME[2:][["x"]], FRAME["y"][2:])
    with pytest.raises(errors.TargetError, match="is not the same as on last call"):
        model.partial_fit(FRAME[:2][["x"]], FRAME["y"][:2], classes=["a"])
    assert model.predict(FRAME[["x"]]).tolist() == ["b"] * 4


def test_a_model_without_a_tally_is_saved_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tl, "Last", Last, raising=False)
    monkeypatch.setitem(tl.NAMES, "Last", "tests")
    model = Last("blue").fit(FRAME[["x", "c"]], FRAME["y"])
    model.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    assert modelfile.digests(again) == modelfile.digests(model)
    assert again.get_params() == {"colour": "blue"}
    assert again.predict(FRAME[["x", "c"]]).tolist() == ["a"] * 4


def test_what_does_not_add_up_is_neither_merged_nor_forgotten() -> None:
    model = Last().fit(FRAME[["x"]], FRAME["y"])
    with pytest.raises(errors.MergeError, match="Last has no tally"):
        tl.merge(model, model)
    with pytest.raises(errors.ForgetError, match=r"Last.*keeps no tally.*Fit again"):
        model.forget(FRAME[["x"]], FRAME["y"])
    with pytest.raises(errors.NotFitted):
        Last().forget(FRAME[["x"]], FRAME["y"])


def test_a_failed_fit_changes_nothing() -> None:
    model = Last().fit(FRAME[["x"]], FRAME["y"])
    with pytest.raises(errors.InputError, match=r"every row has weight zero.*weight above"):
        model.fit(FRAME[["x"]], FRAME["y"], sample_weight=np.zeros(4))
    with pytest.raises(errors.ColumnError, match="holds text"):
        model.fit(pd.DataFrame({"t": [f"a b c d {i}" for i in range(4)]}), FRAME["y"])
    assert model.predict(FRAME[["x"]]).tolist() == ["a"] * 4
