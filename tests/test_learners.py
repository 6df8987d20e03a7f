"""The contract of a learner: what it must have, and every list that a public one must be on."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import clone

import tallylearn as tl
from tallylearn import errors
from tallylearn.cli.learner_names import BOTH, MODELS
from tallylearn.estimators import RegressionModel, Regressor
from tallylearn.estimators.estimator import Estimator
from tallylearn.models.stored_tallies import check_parts
from tallylearn.tables import NUMBER, Array, Block, Codes, Schema, field_schemas
from tallylearn.tallies import Bundle, Counts, Moments
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Term
from tests.learners import CASES, ESTIMATORS, PREPARATIONS

ROOT = Path(__file__).parent.parent
KNOWN = {name: kind for name in tl.__all__ if isinstance(kind := getattr(tl, name), type)}
CLUSTERING = {
    "KMeans"
}  # learners without a target: tests/models/clustering holds what is promised of them
CLASSES = {name for name, kind in KNOWN.items() if getattr(kind, "predicts", False)} - CLUSTERING
TURNING = {name for name, kind in KNOWN.items() if issubclass(kind, Estimator)} - CLASSES
TURNING -= CLUSTERING


def presets() -> dict[str, Any]:
    """The public functions that make a learner."""
    found = {name: getattr(tl, name) for name in tl.__all__ if name not in CLASSES}
    made = {name: inspect.signature(call).return_annotation for name, call in found.items()
            if inspect.isfunction(call)}  # fmt: skip
    return {name: found[name]() for name, kind in made.items() if {*kind.split(" | ")} <= CLASSES}


def has(many: Any, name: str) -> bool:
    """Whether a learner is among others: of its class, and set up as it is if it is a preset."""
    if name in CLASSES:
        return any(type(one) is getattr(tl, name) for one in many)
    made = presets()[name]
    return any(type(one) is type(made) and plain(made) <= plain(one) for one in many)


def plain(learner: Any) -> set[tuple[str, str]]:
    """The options that are not the class's own."""
    usual = type(learner)().get_params()
    return {(k, repr(v)) for k, v in learner.get_params().items() if repr(usual[k]) != repr(v)}


TOGETHER = {  # made of learners that a user passes
    "VotingClassifier", "VotingRegressor", "CalibratedClassifierCV", "TunedThresholdClassifierCV",
}  # fmt: skip
COMPOSED = TOGETHER | {"Pipeline"}
every_public_learner = pytest.mark.parametrize("name", sorted({*CLASSES, *presets()}))
every_single_learner = pytest.mark.parametrize("name", sorted({*CLASSES, *presets()} - TOGETHER))


def test_the_public_learners_are_found() -> None:
    assert {"NaiveBayes", "LMS", "DummyRegressor", "ModelTreeRegressor"} <= CLASSES
    assert {*presets()} == {"C45", "CART", "ID3", "M5"}


@every_public_learner
def test_a_public_learner_is_in_the_contract_suite(name: str) -> None:
    assert has([case.make() for case in CASES], name), "add a Case to tests/learners.py"


@every_public_learner
def test_a_public_learner_passes_scikit_learns_checks(name: str) -> None:
    assert has(ESTIMATORS, name), "add an instance to ESTIMATORS in tests/learners.py"


@pytest.mark.parametrize("name", sorted({*CLASSES, *presets()} - COMPOSED))
def test_a_public_learner_is_one_of_the_command(name: str) -> None:
    names = {*MODELS.values(), *(kind for both in BOTH.values() for kind in both.values())}
    made = {type(one).__name__ for known, one in presets().items() if known in names}
    assert name in names | made, "add it to MODELS in cli/learner_names.py"


@pytest.mark.parametrize("name", sorted({*CLASSES, *CLUSTERING, *presets()}))
def test_a_public_learner_is_in_the_readme_and_the_docs(name: str) -> None:
    table = (ROOT / "README.md").read_text().split("## Learners")[1].split("##")[0]
    assert re.search(rf"^\|.*`{name}(\(\))?`", table, re.M), "add it to the README's Learners"
    rows = (ROOT / "docs" / "guide" / "learners.md").read_text()
    assert re.search(rf"^\| .*`{name}(\(\))?`.* \|.*\|.*\|", rows, re.M), (
        "and to docs/guide/learners.md"
    )
    index = (ROOT / "docs" / "index.md").read_text()
    assert f"`tl.{name}`" in index, "add it to the names in docs/index.md"


@pytest.mark.parametrize("name", sorted(TURNING))
def test_a_public_preparation_is_in_the_suites_the_readme_and_the_docs(name: str) -> None:
    assert name in {type(one).__name__ for one in PREPARATIONS}, "add it to tests/learners.py"
    assert name in {type(one).__name__ for one in ESTIMATORS}
    table = (ROOT / "README.md").read_text().split("## Learners")[1].split("##")[0]
    assert f"`{name}`" in table, "add it to the README's Learners"
    assert f"`{name}`" in (ROOT / "docs" / "guide" / "learners.md").read_text(), (
        "and to docs/guide/learners.md"
    )
    assert f"`tl.{name}`" in (ROOT / "docs" / "index.md").read_text(), "and to docs/index.md"


def test_evaluation_calls_nothing_private_of_a_learner() -> None:
    private = re.compile(r"\b(?:learner|estimator|model|clone_estimator\([^)]*\))\._[a-z]\w*")
    files = sorted((ROOT / "src" / "tallylearn" / "evaluation").rglob("*.py"))
    assert not [
        (file.name, *found) for file in files if (found := private.findall(file.read_text()))
    ]


# The smallest learner there can be


@dataclass(frozen=True)
class Middle(RegressionModel):
    """The mean of the target."""

    value: float

    form: ClassVar[field_schemas.Form] = {"value": field_schemas.number()}

    def check(self, schema: Schema) -> None:
        """Any number can have been learned."""

    def predictions(self, block: Block) -> Array:
        return np.full(len(block), self.value)

    def evidence(self, block: Block) -> list[Evidence]:
        line = EvidenceLine("ŷ", (Term("", "mean", self.value),))
        return [Evidence((line,), self.value, "sum")] * len(block)

    def derivation(self, schema: Schema) -> Derivation:
        return Derivation("Mean", ())


class MeanOfWholeRows(Regressor):
    """The mean of the target over the rows without gaps; it has no options, and no __init__."""

    kinds: ClassVar[tuple[str, ...]] = (NUMBER,)
    stored: ClassVar[tuple[type, ...]] = (Middle,)

    def tally(self, block: Block) -> Bundle:
        block = block[np.flatnonzero(~np.isnan(block.numbers).any(axis=1))]
        target = np.ascontiguousarray(block.target[:, None])
        return Bundle(
            {"target": Moments.of(target, block.counting_keys(), ("target",), block.weight)}
        )

    def solve(self, tally: Bundle) -> Middle:
        return Middle(float(tally["target"].mean[0, 0]))

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_parts(tally, {})


X, Y = np.array([[1.0, 2.0], [np.nan, 3.0], [4.0, 5.0], [6.0, 7.0]]), [1.0, 100.0, 3.0, 8.0]


def test_a_learner_of_two_methods_does_all_that_follows_from_a_tally() -> None:
    model = MeanOfWholeRows().fit(X, Y)
    assert model.get_params() == {}
    assert clone(model).set_params().constructor_call() == "MeanOfWholeRows()"
    assert repr(model) == "MeanOfWholeRows() learned from 3 rows of 2 columns"
    assert model.predict(X).tolist() == [4.0] * 4
    assert model.explain(X[:1])[0].chosen == 4.0
    assert "Mean" in str(model.show_work())
    parts = MeanOfWholeRows().fit(X[:3], Y[:3]), MeanOfWholeRows().fit(X[3:], Y[3:])
    assert tl.merge(*parts).tally_ == model.tally_
    assert model.forget(X[3:], Y[3:]).tally_ == parts[0].tally_
    assert tl.evaluate(MeanOfWholeRows(), X, Y, cv=2)["mae"].pooled > 0


def test_a_table_of_gaps_alone_is_told_from_one_without_rows() -> None:
    gaps = np.full((3, 2), np.nan)
    with pytest.raises(errors.InputError, match=r"every row has a missing value.*ignore="):
        MeanOfWholeRows().fit(gaps, [1.0, 2.0, 3.0])
    with pytest.raises(errors.InputError, match="the table has no rows"):
        MeanOfWholeRows().fit(gaps[:0], [])
    with pytest.raises(errors.InputError, match="every row has weight zero"):
        MeanOfWholeRows().fit(X, Y, sample_weight=[0.0] * 4)


@pytest.mark.parametrize("name", sorted(CLASSES - COMPOSED - {"LMS"}))
def test_no_public_learner_calls_a_table_of_gaps_empty(name: str) -> None:
    learner = getattr(tl, name)()
    y = list("abab") if learner.task == "classifier" else [1.0, 2.0, 3.0, 4.0]
    said = ""
    try:
        learner.fit(np.full((4, 2), np.nan), y)
    except errors.TallyError as error:
        said = str(error)
    assert "no rows" not in said


def test_a_tally_without_a_target_is_refused_when_it_is_made() -> None:
    class Aimless(MeanOfWholeRows):
        def tally(self, block: Block) -> Bundle:
            return Bundle({"rows": Counts.of(Codes(("all",), np.zeros(len(block), np.int32)))})

    with pytest.raises(TypeError, match=r"Aimless\.tally must return a Bundle.*'target'"):
        Aimless().fit(X, Y)


def test_a_model_that_lacks_an_answer_cannot_be_made() -> None:
    @dataclass(frozen=True)
    class Mute(RegressionModel):
        value: float

    with pytest.raises(TypeError, match=r"check.*derivation.*evidence.*predictions"):
        Mute(1.0)


@pytest.mark.parametrize(
    "call",
    [
        "C45()", "C45(min_samples_leaf=5, keep_rows=True)", "ID3(max_depth=3)",
        "DecisionTreeClassifier()",
        "DecisionTreeClassifier(criterion='entropy')", "ExtraTreesClassifier(max_depth=9)",
        "ExtraTreesRegressor()", "RandomForestClassifier(splitter='random')",
    ],
)  # fmt: skip
def test_a_learner_is_written_as_the_shortest_call_that_makes_it(call: str) -> None:
    made = eval(f"tl.{call}", {"tl": tl})
    assert made.constructor_call() == call
    assert repr(clone(made)) == call


def test_learners_among_options_are_written_without_what_they_learned() -> None:
    tree = tl.C45().fit([[1.0], [2.0]], ["a", "b"])
    assert tl.VotingClassifier([tree]).constructor_call() == "VotingClassifier(estimators=[C45()])"
    named = tl.VotingClassifier([("one", tree)]).constructor_call()
    assert named == "VotingClassifier(estimators=[('one', C45())])"
    itself: list[object] = [tree]
    itself.append(itself)
    assert "[...]" in tl.VotingClassifier(itself).constructor_call()
