"""Iterative learners: a survey, then passes over the same rows until a state is done."""

from __future__ import annotations

import pickle
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression

import tallylearn as tl
from tallylearn import engines, errors, modelfile, tables
from tallylearn.estimators import Classifier, Learned, Model, Passes, Predictor, ScoringModel
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.estimators.fold_tallies import FoldedInput
from tallylearn.estimators.passes import iterate
from tallylearn.estimators.tally_checks import checked_tally
from tallylearn.sources.arrow import batches
from tallylearn.sources.files import compression
from tallylearn.sources.files import parquet as parquet_module
from tallylearn.tables import (
    NUMBER,
    TEXT,
    Array,
    Block,
    Codes,
    DocumentTerms,
    Schema,
    field_schemas,
)
from tallylearn.tallies import Bundle, Counts, Moments
from tallylearn.tallies.documents import Reader
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Term
from tests.engines.test_engines import Elsewhere
from tests.soak import pairs

# A learner with a survey of classes, phases and a line search: logistic regression of one column


@dataclass(frozen=True)
class Curve(ScoringModel):
    """The odds of the second class are e^(a + b x)."""

    classes: tuple[Any, ...]
    weights: Array

    form: ClassVar[field_schemas.Form] = {
        "classes": field_schemas.keys("k"),
        "weights": field_schemas.floats(2),
    }

    def check(self, schema: Schema) -> None:
        """Any weights can have been learned."""

    def scores(self, block: Block) -> Array:
        odds = self.weights[0] + self.weights[1] * block.numbers[:, 0]
        return np.column_stack([np.zeros(len(block)), odds])

    def evidence(self, block: Block) -> list[Evidence]:
        line = EvidenceLine(self.classes[0], (Term("", "", 0.0),))
        return [Evidence((line,), line.outcome, "sum")] * len(block)

    def derivation(self, schema: Schema) -> Derivation:
        return Derivation("Logistic regression", ())


@dataclass(frozen=True)
class Newton:
    """Weights that are tried, those before, and how good those were."""

    classes: tuple[Any, ...]
    weights: Array
    phase: str = "newton"  # or "halving": a step that made things worse is taken back by half
    before: Array | None = None
    loss: float = np.inf
    done: bool = False


class Logistic(Classifier):
    """Newton's method, every step halved until it leads downhill."""

    kinds: ClassVar[tuple[str, ...]] = (NUMBER,)
    stored: ClassVar[tuple[type, ...]] = (Curve,)

    def __init__(self, max_iter: int = 50, first: float = 0.0) -> None:
        self.max_iter = max_iter
        self.first = first

    def fit_passes(self, passes: Passes) -> Learned:
        """A survey, and Newton's method from what it says."""
        rows = passes.mapped(self.coded).cached()
        with engines.report_stage("survey"):
            survey = checked_tally(rows.total(self.survey), f"{type(self).__name__}.survey")
        rows = rows.mapped(self.prepared).cached()
        state = iterate(
            rows, self.begin(survey), self.tally, self.step, max_passes=int(self.max_iter)
        )
        return Learned(self.solve(state))

    def coded(self, block: Block) -> Block:
        """The block as every pass reads it."""
        return block

    def prepared(self, block: Block) -> Block:
        """The block as every pass after the survey reads it."""
        return block

    def survey(self, block: Block) -> Bundle:
        return Bundle({"target": Counts.of(block.target, weight=block.weight)})

    def begin(self, survey: Bundle) -> Newton:
        return Newton(survey["target"].keys[0], np.array([0.0, self.first]))

    def tally(self, block: Block, state: Newton) -> Moments:
        x, y = block.numbers[:, 0], block.target.recode(state.classes)
        odds = state.weights[0] + state.weights[1] * x
        share = np.exp(-np.logaddexp(0, -odds))
        curve, miss = share * (1 - share), y - share
        terms = [np.logaddexp(0, odds) - y * odds, miss, miss * x, curve, curve * x, curve * x * x]
        by = Codes(("all",), np.zeros(len(x), dtype=np.int32))
        return Moments.of(np.column_stack(terms), by, tuple(range(6)))

    def step(self, state: Newton, tally: Moments) -> Newton:
        loss, *slope, a, b, c = tally.sums.floats()[0]
        if loss > state.loss and state.before is not None:
            half = (state.before + state.weights) / 2
            return replace(state, weights=half, phase="halving")
        if state.loss - loss < 1e-12:
            return replace(state, done=True)
        change = np.linalg.solve([[a, b], [b, c]], slope)
        return Newton(state.classes, state.weights + change, "newton", state.weights, loss)

    def solve(self, state: Newton) -> Curve:
        return Curve(state.classes, state.weights)


RNG = np.random.default_rng(4)
N = 400
X = RNG.normal(size=N).round(3)
FRAME = pd.DataFrame({"x": X, "y": np.where(RNG.random(N) < 1 / (1 + np.exp(1 - 3 * X)), "u", "v")})


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder in which temporary folders are made: empty after every test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert not [*folder.iterdir()]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The text files that are opened, in order."""
    seen: list[str] = []

    def opens(path: Any, *more: Any) -> Any:
        seen.extend([Path(path).name] * (Path(path).suffix == ".csv"))
        return open(path, *more)

    monkeypatch.setattr(compression, "open", opens, raising=False)
    return seen


def roads(folder: Path, frame: pd.DataFrame) -> list[Any]:
    """The same rows in memory, in text files, and in a Parquet file of small row groups."""
    frame[:150].to_csv(folder / "1.csv", index=False)
    frame[150:].to_csv(folder / "2.csv", index=False)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(table, folder / "all.parquet", row_group_size=70)
    return [frame, folder / "*.csv", folder / "all.parquet"]


def test_rounds_come_to_what_scikit_learn_finds() -> None:
    model = Logistic().fit(FRAME, "y")
    theirs = LogisticRegression(C=np.inf, tol=1e-10).fit(FRAME[["x"]], FRAME.y)
    found = [*theirs.intercept_, *theirs.coef_[0]]
    assert model.model_.weights == pytest.approx(found, rel=1e-5)
    assert model.classes_.tolist() == ["u", "v"]
    assert (model.predict(FRAME) == theirs.predict(FRAME[["x"]])).all()


@pytest.mark.parametrize("first", [0.0, 6.0])
def test_every_road_and_engine_gives_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: float
) -> None:
    monkeypatch.setattr(tables, "BLOCK", 64)
    found = set()
    for source in roads(tmp_path, FRAME):
        for chosen in (engines.ThreadEngine(1), engines.ThreadEngine(3), Elsewhere()):
            with engines.use_engine(chosen):
                found.add(modelfile.digests(Logistic(first=first).fit(source, "y")))
    assert len(found) == 1


def test_states_pass_through_phases_and_are_sent_elsewhere_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    phases: list[str] = []
    step = Logistic.step

    def stepped(self: Logistic, state: Newton, tally: Moments) -> Any:
        phases.append(state.phase)
        return pickle.loads(pickle.dumps(step(self, state, tally)))

    plain = Logistic(first=6.0).fit(FRAME, "y")
    monkeypatch.setattr(Logistic, "step", stepped)
    assert modelfile.digests(Logistic(first=6.0).fit(FRAME, "y")) == modelfile.digests(plain)
    assert {*phases} == {"newton", "halving"}


def test_text_is_parsed_once_however_many_rounds_there_are(
    tmp_path: Path, opened: list[str]
) -> None:
    _, files, parquet = roads(tmp_path, FRAME)
    stages: set[str] = set()
    with tl.engine(watch=lambda _: stages.add(engines.stage())):
        Logistic().fit(files, "y")
    assert opened[0] == "1.csv"  # to sniff
    assert sorted(opened[1:]) == ["1.csv", "2.csv"]  # to read, both at once
    assert {"survey", "round 1 of 50", "round 2 of 50", "round 3 of 50"} <= stages
    assert engines.stage() == ""
    opened.clear()
    Logistic().fit(parquet, "y")
    assert not opened


def test_files_of_columns_are_decoded_once_however_many_rounds_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path] = []
    decoding = parquet_module.ParquetRun._batches

    def counted(self: parquet_module.ParquetRun, *more: Any) -> Any:
        seen.append(self.path)
        return decoding(self, *more)

    monkeypatch.setattr(parquet_module.ParquetRun, "_batches", counted)
    frame, _, parquet = roads(tmp_path, FRAME)
    model = Logistic().fit(parquet, "y")
    assert len(seen) == 2  # to tell the kinds of its columns, and to read
    assert modelfile.digests(model) == modelfile.digests(Logistic().fit(frame, "y"))


def test_a_file_that_changes_between_two_rounds_leaves_the_estimator_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, parquet = roads(tmp_path, FRAME)
    model, step = Logistic().fit(FRAME[:200], "y"), Logistic.step
    before = modelfile.digests(model)

    def stepped(self: Logistic, state: Newton, tally: Moments) -> Newton:
        FRAME[:200].to_parquet(parquet)
        return step(self, state, tally)

    monkeypatch.setattr(Logistic, "step", stepped)
    with pytest.raises(errors.FileError, match=r"^Logistic.fit: .*all\.parquet changed since"):
        model.fit(parquet, "y")
    assert modelfile.digests(model) == before


def test_text_alone_must_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame, files, parquet = roads(tmp_path, FRAME)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    Logistic().fit(frame, "y")
    Logistic().fit(parquet, "y")
    with pytest.raises(errors.FileError, match=r"^Logistic.fit: .*TMPDIR"):
        Logistic().fit(files, "y")


@pytest.mark.parametrize(
    ("method", "error", "threads", "road"),
    pairs(
        ["survey", "begin", "tally", "step", "solve"],
        [KeyboardInterrupt, errors.InputError, ZeroDivisionError],
        [1, 2],
        [1, 2],
    ),
)
def test_what_breaks_off_leaves_the_estimator_and_the_disk_as_they_were(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    error: type[BaseException],
    threads: int,
    road: int,
) -> None:
    monkeypatch.setattr(tables, "BLOCK", 64)
    monkeypatch.setattr(batches, "BLOCK", 64)
    found = roads(tmp_path, FRAME)
    frame, files = found[0], found[road]
    model = Logistic().fit(frame[:200], "y")
    before, seen = modelfile.digests(model), vars(model).copy()
    calls = 0

    def breaks(*given: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2 or method in ("begin", "solve"):
            raise error("now")
        return real(model, *given, **named)

    real = getattr(Logistic, method)
    monkeypatch.setattr(model, method, breaks)
    seen[method] = breaks
    with pytest.raises(error), tl.engine(threads=threads):
        model.fit(files, "y")
    assert modelfile.digests(model) == before
    assert vars(model) == seen


def test_a_limit_of_rounds_is_an_error_that_changes_nothing() -> None:
    stages: set[str] = set()
    with tl.engine(watch=lambda _: stages.add(engines.stage())):
        model = Logistic().fit(FRAME, "y")
    before, needed = modelfile.digests(model), len(stages - {"survey", ""})
    model.set_params(max_iter=needed - 1)
    with pytest.raises(
        errors.InputError, match=rf"^Logistic.fit: .*not converged after {needed - 1} passes"
    ):
        model.fit(FRAME, "y")
    assert modelfile.digests(model.set_params(max_iter=50)) == before
    model.set_params(max_iter=needed).fit(FRAME, "y")


def test_rounds_need_rows_and_a_survey_that_counts_them() -> None:
    with pytest.raises(errors.InputError, match="the table has no rows"):
        Logistic().fit(FRAME[:0], "y")
    with pytest.raises(errors.InputError, match="every row has weight zero"):
        Logistic().fit(FRAME, "y", sample_weight=np.zeros(N))

    class Careless(Logistic):
        def survey(self, block: Block) -> Bundle:
            return Bundle({"rows": Counts.of(block.target)})

    with pytest.raises(TypeError, match=r"Careless\.survey must return a Bundle"):
        Careless().fit(FRAME, "y")


def test_rounds_neither_merge_nor_forget_and_are_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Logistic().fit(FRAME, "y")
    with pytest.raises(errors.MergeError, match="Logistic has no tally"):
        tl.merge(model, model)
    with pytest.raises(errors.ForgetError, match="keeps no tally"):
        model.forget(FRAME, "y")
    monkeypatch.setattr(tl, "Logistic", Logistic, raising=False)
    monkeypatch.setitem(tl.NAMES, "Logistic", "tests")
    model.save(tmp_path / "m.tally")
    assert modelfile.digests(tl.load(tmp_path / "m.tally")) == modelfile.digests(model)


# Words are counted once, and kept as rows of counts


class Longest(Logistic):
    """The same, of the number of words in a text."""

    kinds: ClassVar[tuple[str, ...]] = (TEXT,)
    seen: ClassVar[list[int]] = []

    def coded(self, block: Block) -> Block:
        self.seen.append(len(block))
        return replace(block, text={"x": Reader().bags(block.text["x"])})

    def tally(self, block: Block, state: Newton) -> Moments:
        bags = block.text["x"]
        assert isinstance(bags, DocumentTerms)
        words = np.diff(bags.ends).astype(float)[:, None]
        return super().tally(replace(block, numbers=words), state)


def test_text_is_coded_once_where_it_is_kept(tmp_path: Path) -> None:
    sizes = np.clip(np.round(3 * X + 10), 1, None).astype(int)
    frame = FRAME.assign(x=[" ".join(["word", "more"] * size) for size in sizes])
    found = []
    for source in roads(tmp_path, frame):
        Longest.seen.clear()
        model = Longest().fit(tl.table(source, target="y", text=["x"]))
        found.append((sum(Longest.seen), model.model_.weights.tolist()))
    memory, files, parquet = found
    assert memory[1] == files[1] == parquet[1]
    assert files[0] == parquet[0] == memory[0] == N


class Minding(Logistic):
    """One that minds on which threads its rows are prepared."""

    seen: ClassVar[set[str]] = set()

    def prepared(self, block: Block) -> Block:
        self.seen.add(threading.current_thread().name)
        return block


@pytest.mark.parametrize("road", [0, 2])
def test_rows_are_prepared_on_the_threads_that_tally_them(road: int, tmp_path: Path) -> None:
    rows = roads(tmp_path, pd.concat([FRAME] * 200, ignore_index=True))[road]  # two blocks
    Minding.seen.clear()
    with tl.engine(threads=2):
        model = Minding().fit(rows, "y")
    assert Minding.seen
    assert threading.current_thread().name not in Minding.seen
    assert model.model_.weights.tolist() == Logistic().fit(rows, "y").model_.weights.tolist()


# A learner without a target, a phase of seeding, and folds side by side: two means of a column


@dataclass(frozen=True)
class Centres(Model):
    """Where the two means are."""

    places: Array

    def evidence(self, block: Block) -> list[Evidence]:
        return []

    def derivation(self, schema: Schema) -> Derivation:
        return Derivation("Two means", ())

    def check(self, schema: Schema) -> None:
        """Any two numbers can be."""


@dataclass(frozen=True)
class Moving:
    """Two centres for every fold, once they are seeded."""

    folds: int
    centres: Array | None = None  # (folds, 2)
    done: bool = False


@dataclass(frozen=True)
class Ends:
    """The smallest and the largest number."""

    low: Array  # (folds,)
    high: Array

    def __add__(self, other: Ends) -> Ends:
        return Ends(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


@dataclass(frozen=True)
class Pulls:
    """How many rows are nearest to each centre, and their sum; exact for small whole numbers."""

    count: Array  # (folds, 2)
    total: Array

    def __add__(self, other: Pulls) -> Pulls:
        return Pulls(self.count + other.count, self.total + other.total)


class TwoMeans(Predictor):
    """Lloyd's rounds from the two ends; a row whose part is a fold does not count in it."""

    kinds: ClassVar[tuple[str, ...]] = (NUMBER,)

    def fit_passes(self, passes: Passes) -> Learned:
        state = iterate(passes.cached(), Moving(1), self.tally, self.step)
        return Learned(self.solve(state))

    def tally(self, block: Block, state: Moving) -> Ends | Pulls:
        x, counts = block.numbers[:, 0], np.ones((state.folds, len(block)), dtype=bool)
        if block.part is not None:
            counts = block.part != np.arange(state.folds)[:, None]
        if state.centres is None:
            ends = np.where(counts, x, np.inf).min(axis=1), np.where(counts, x, -np.inf).max(axis=1)
            return Ends(*ends)
        right = np.abs(x - state.centres[:, :1]) > np.abs(x - state.centres[:, 1:])
        sides = np.stack([counts & ~right, counts & right], axis=1)
        return Pulls(sides.sum(axis=2), (sides * x).sum(axis=2))

    def step(self, state: Moving, tally: Ends | Pulls) -> Moving:
        if isinstance(tally, Ends):
            return replace(state, centres=np.stack([tally.low, tally.high], axis=1))
        centres = tally.total / tally.count
        return replace(state, centres=centres, done=np.array_equal(centres, state.centres))

    def solve(self, state: Moving) -> Centres:
        assert state.centres is not None
        return Centres(state.centres)


def test_a_learner_without_a_target_is_seeded_and_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[str]
) -> None:
    monkeypatch.setattr(tables, "BLOCK", 64)
    frame = pd.DataFrame({"x": np.concatenate([np.arange(150) % 20, 80 + np.arange(90) % 10])})
    for source in roads(tmp_path, frame):
        for threads in (1, 3):
            with tl.engine(threads=threads):
                assert TwoMeans().fit(source).model_.places.tolist() == [
                    [np.mean(np.arange(150) % 20), 84.5]
                ]
    assert sorted(opened) == ["1.csv", "1.csv", "1.csv", "1.csv", "2.csv", "2.csv"]


def test_a_state_carries_all_folds_through_the_same_rounds(tmp_path: Path) -> None:
    x = np.random.default_rng(0).integers(0, 1000, 300)
    frame, fold = pd.DataFrame({"x": x}), np.arange(300) % 5
    alone = [TwoMeans().fit(frame[fold != f]).model_.places[0].tolist() for f in range(5)]
    for source in roads(tmp_path, frame):
        read = read_fit_input(source, None, weight=None, who="test", aim=None)
        pieces = FoldedInput(read, fold)

        class Folded:
            def parts(self, pieces: FoldedInput = pieces) -> Iterator[Any]:
                for part in pieces.parts():
                    yield engines.SinglePart([piece.keyed_by_fold() for piece in part.blocks()])

        passes, learner = Passes(read, read.schema, 1, rows=Folded()), TwoMeans()
        found = iterate(passes, Moving(5), learner.tally, learner.step).centres
        assert found is not None
        assert found.tolist() == alone
