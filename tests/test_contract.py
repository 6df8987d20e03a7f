"""What is promised of every learner: the same bits, whatever the road."""

from __future__ import annotations

import copy
import json
import os
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from threadpoolctl import threadpool_limits

import tallylearn as tl
from tallylearn import errors, modelfile, tables
from tallylearn.estimators import ClassificationModel, Classifier, Model, RegressionModel
from tallylearn.estimators.estimator import Estimator
from tallylearn.models.glm.linear.linear_estimator import LinearEstimator
from tallylearn.models.glm.sufficient_statistics import scatter_of_tally
from tallylearn.tallies.pairs import in_order
from tallylearn.workings.derivations import read_derivation
from tests.learners import CASES, Case
from tests.tables import mixed_table

DATA = Path(__file__).parent / "data"
every_learner = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
exact_learners = pytest.mark.parametrize(
    "case", [case for case in CASES if case.tally == "exact"], ids=lambda case: case.name
)

float_learners = pytest.mark.parametrize(
    "case", [case for case in CASES if case.tally == "float"], ids=lambda case: case.name
)

tallying_learners = pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.tally in ("exact", "float")],
    ids=lambda case: case.name,
)


def fitted(case: Case, frame: pd.DataFrame) -> Any:
    return case.make().fit(case.table(frame), case.target)


@cache
def known(case: Case) -> Any:
    """A model of the whole table, for all tests that only look at it."""
    return fitted(case, mixed_table())


def same_bits(a: Any, b: Any) -> bool:
    return modelfile.digests(a) == modelfile.digests(b)


def close(a: Any, b: Any) -> bool:
    """The same up to 1e-10: counts and means, and the scatter by the deviations of its columns."""
    found = (scatter_of_tally(model.tally_) for model in (a, b))
    one, two = (part.reindex(part.keys, in_order(part.names)) for part in found)
    deviation = np.sqrt(np.diagonal(two.scatter, axis1=1, axis2=2))
    deviation = np.where(deviation > 0, deviation, 1.0)
    scale = deviation[:, :, None] * deviation[:, None, :]
    return (
        (one.keys, one.names) == (two.keys, two.names)
        and a.tally_["target"] == b.tally_["target"]
        and np.allclose(*(wide(part, part.count) for part in (one, two)), rtol=1e-10, atol=0)
        and np.allclose(
            *(wide(part, part.mean) for part in (one, two)),
            rtol=1e-10,
            atol=1e-14 * deviation.min(),
        )
        and np.allclose(one.scatter / scale, two.scatter / scale, rtol=0, atol=1e-10)
    )


def wide(part: Any, array: Any) -> Any:
    return np.broadcast_to(array, part.scatter.shape)


@float_learners
def test_floats_agree_closely_for_other_rows_blocks_and_parts(
    case: Case, mixed: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = known(case)
    assert close(whole, fitted(case, mixed.sample(frac=1, random_state=1)))
    parts = [fitted(case, mixed[at]) for at in (slice(0, 90), slice(90, 100), slice(100, 240))]
    assert close(tl.merge(*parts), whole)
    assert close(tl.merge(*reversed(parts)), whole)
    model = case.make()
    for start in range(0, 240, 50):
        model.partial_fit(case.table(mixed[start : start + 50]), case.target)
    assert close(model, whole)
    monkeypatch.setattr(tables, "BLOCK", 17)
    assert close(fitted(case, mixed), whole)
    answers = [each.predict(case.rows(mixed)) for each in (model, whole)]
    if case.target == "price":
        assert np.allclose(*answers, rtol=0, atol=1e-10 * np.ptp(answers[0]))
    else:
        assert np.array_equal(*answers)


def long_table(gaps: bool) -> tuple[Any, Any]:
    """Rows enough, and columns, that BLAS shares their products out among its threads."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(66_000, 20)), rng.integers(0, 3, 66_000)
    X[:, 3] += 1e3
    if gaps:
        X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("make", [tl.LinearDiscriminantAnalysis, tl.QuadraticDiscriminantAnalysis])
def test_floats_have_the_same_bits_on_any_number_of_threads(
    make: Any, gaps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = long_table(gaps)
    monkeypatch.setattr(tables, "BLOCK", 30_000)
    found = []
    for theirs, ours in ((1, 1), (2, 1), (4, 1), (4, 2), (3, 5)):
        with threadpool_limits(theirs, "blas"), tl.engine(threads=ours):
            model = make().fit(X, y)
            found.append((modelfile.digests(model), model.predict_proba(X).tobytes()))
    assert len({*found}) == 1


@float_learners
def test_floats_refuse_to_forget_and_say_what_can(case: Case, mixed: pd.DataFrame) -> None:
    model = known(case)
    before = modelfile.digests(model)
    with pytest.raises(errors.ForgetError, match="exact=True"):
        model.forget(case.table(mixed[200:]), case.target)
    assert modelfile.digests(model) == before


@exact_learners
def test_shuffled_rows_give_the_same_bits(case: Case, mixed: pd.DataFrame) -> None:
    shuffled = mixed.sample(frac=1, random_state=1)
    assert same_bits(known(case), fitted(case, shuffled))


@exact_learners
def test_other_blocks_and_threads_give_the_same_bits(
    case: Case, mixed: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = known(case)
    monkeypatch.setattr(tables, "BLOCK", 17)
    for threads in (1, 2, 5):
        with tl.engine(threads=threads):
            assert same_bits(whole, fitted(case, mixed))


@exact_learners
def test_merging_is_fitting_on_all(case: Case, mixed: pd.DataFrame) -> None:
    parts = [fitted(case, mixed[at]) for at in (slice(0, 90), slice(90, 100), slice(100, 240))]
    assert same_bits(tl.merge(*parts), known(case))
    assert same_bits(tl.merge(*reversed(parts)), known(case))


@exact_learners
def test_partial_fit_is_fit(case: Case, mixed: pd.DataFrame) -> None:
    model = case.make()
    for start in range(0, 240, 50):
        model.partial_fit(case.table(mixed[start : start + 50]), case.target)
    assert same_bits(model, known(case))


@exact_learners
def test_a_forgotten_row_leaves_no_trace(case: Case, mixed: pd.DataFrame) -> None:
    model = fitted(case, mixed).forget(case.table(mixed[200:]), case.target)
    assert same_bits(model, fitted(case, mixed[:200]))


@exact_learners
def test_weights_are_forgotten_too(case: Case, mixed: pd.DataFrame) -> None:
    weighed = mixed.assign(w=np.random.default_rng(1).random(len(mixed)))
    columns = [*case.columns, case.target, "w"]
    model = case.make().fit(weighed[columns], case.target, sample_weight="w")
    model.forget(weighed[columns][200:], case.target, sample_weight="w")
    other = case.make().fit(weighed[columns][:200], case.target, sample_weight="w")
    assert same_bits(model, other)


@exact_learners
def test_forgetting_everything_leaves_no_model(case: Case, mixed: pd.DataFrame) -> None:
    model = fitted(case, mixed).forget(case.table(mixed), case.target)
    with pytest.raises(errors.NotFitted):
        model.predict(case.rows(mixed))


@exact_learners
def test_forgetting_what_was_never_learned_changes_nothing(case: Case, mixed: pd.DataFrame) -> None:
    model = fitted(case, mixed[:100])
    before = modelfile.digests(model)
    stranger = case.table(mixed).iloc[[0]].copy()
    stranger[case.target] = {"kind": "zebra", "price": 1e9}.get(case.target, stranger[case.target])
    if case.target == "heavy2":
        stranger["colour"] = "violet"
    with pytest.raises(errors.ForgetError, match="not among the training rows"):
        model.forget(stranger, case.target)
    assert modelfile.digests(model) == before


@exact_learners
def test_files_give_the_same_bits_as_memory(
    case: Case, mixed: pd.DataFrame, tmp_path: Path
) -> None:
    # a CSV writes a truth value as text, so the truth values stay outside
    columns = [name for name in [*case.columns, case.target] if name not in ("heavy", "heavy2")]
    if case.target not in columns:
        columns.append("kind")
    target = case.target if case.target in columns else "kind"
    frame = mixed[columns]
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    frame[:100].to_csv(paths[0], index=False)
    frame[100:].to_csv(paths[1], index=False)
    pa.parquet.write_table(pa.Table.from_pandas(frame), tmp_path / "all.parquet", row_group_size=70)
    memory = case.make().fit(frame, target)
    assert same_bits(case.make().fit(str(tmp_path / "*.csv"), target), memory)
    assert same_bits(case.make().fit(tmp_path / "all.parquet", target), memory)


@every_learner
def test_evidence_adds_up_to_the_prediction(case: Case, mixed: pd.DataFrame) -> None:
    model = known(case)
    rows = case.rows(mixed)[:24]
    explained = model.explain(rows)
    assert [row.chosen for row in explained] == model.predict(rows).tolist()
    for at, row in enumerate(explained):
        check_sums(model, rows[at : at + 1], row)


@every_learner
def test_a_model_answers_what_every_model_answers(case: Case, mixed: pd.DataFrame) -> None:
    """The block that a model sees is all it needs: no learner stands between it and who asks."""
    learner, rows = known(case), case.rows(mixed)[:60]
    model, block = learner.model_, tl.table(rows).block
    assert isinstance(model, Model)
    assert [one.chosen for one in model.evidence(block)] == learner.predict(rows).tolist()
    work = str(model.derivation(learner.schema_))
    shown = str(learner.show_work())
    if isinstance(learner, LinearEstimator):  # from its tally it writes out the products, too
        assert shown.partition("\nweights\n")[2] == work.partition("\nweights\n")[2] != ""
    elif getattr(learner, "kept_rows_", None) is None:
        assert shown == work
    elif not hasattr(learner, "tree_"):  # a forest that keeps its rows adds its out-of-bag votes
        assert {*work.splitlines()} <= {*shown.splitlines()}
    else:  # a tree that keeps its rows writes out its nodes in place of the table of its splits
        assert ("\nNode 0, root: " in shown) == (len(learner.tree_) > 1)
    assert {*model.category_values} <= {*learner.schema_.names}
    assert type(learner).explain is Classifier.explain
    assert type(learner).show_work is Estimator.show_work
    if learner.task == "regressor":
        assert isinstance(model, RegressionModel)
        assert model.predictions(block).tolist() == learner.predict(rows).tolist()
        return
    assert isinstance(model, ClassificationModel)
    decided, shares = model.classes_and_probabilities(block)
    assert decided.tolist() == model.predict_classes(block).tolist()
    assert [model.classes[at] for at in decided] == learner.predict(rows).tolist()
    assert shares.tolist() == model.shares(block).tolist() == learner.predict_proba(rows).tolist()
    assert np.exp(model.log_shares(block)) == pytest.approx(shares, rel=1e-12, abs=1e-300)


def check_sums(model: Any, row: pd.DataFrame, evidence: Any) -> None:
    totals = np.array([line.total for line in evidence.lines])
    outcomes = [line.outcome for line in evidence.lines]
    if model.task == "regressor":
        factors = evidence.how == "product"
        assert (np.exp(totals[0]) if factors else totals[0]) == pytest.approx(model.predict(row)[0])
    elif evidence.how == "sum":
        assert outcomes[int(totals.argmin())] == evidence.chosen
    elif evidence.how == "votes":
        shares = dict(zip(outcomes, totals / totals.sum(), strict=True))
        told = model.predict_proba(row)[0]
        assert [shares.get(name, 0.0) for name in model.classes_] == pytest.approx(told, abs=1e-12)
        assert shares[evidence.chosen] == pytest.approx(max(told), abs=1e-9)
        assert [line.share for line in evidence.lines] == pytest.approx([*shares.values()])
    elif evidence.how == "score":
        assert evidence.chosen in [outcomes[at] for at in np.flatnonzero(totals == totals.max())]
    else:
        share = np.exp(totals - totals.max()) / np.exp(totals - totals.max()).sum()
        assert share == pytest.approx(model.predict_proba(row)[0], abs=1e-12)
        assert [line.share for line in evidence.lines] == pytest.approx(share, abs=1e-12)


@every_learner
def test_the_working_can_be_shown_in_every_form(case: Case, mixed: pd.DataFrame) -> None:
    model = known(case)
    for shown in (model.show_work(), model.explain(case.rows(mixed)[:3])):
        assert str(shown)
        assert shown.to_markdown()
        assert shown.to_html().startswith("<")
        json.dumps(shown.to_dict(), allow_nan=False)


@every_learner
def test_the_working_is_read_from_a_file_as_it_was_shown(case: Case, mixed: pd.DataFrame) -> None:
    work = known(case).show_work()
    assert read_derivation(json.loads(json.dumps(work.to_dict()))) == work


@every_learner
def test_a_saved_model_comes_back_as_it_was(
    case: Case, mixed: pd.DataFrame, tmp_path: Path
) -> None:
    model = known(case)
    model.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    assert same_bits(model, again)
    assert again.constructor_call() == model.constructor_call()
    assert np.array_equal(again.predict(case.rows(mixed)), model.predict(case.rows(mixed)))
    if case.tally == "exact":
        again.forget(case.table(mixed[200:]), case.target)
        assert same_bits(again, fitted(case, mixed[:200]))
    elif case.tally == "float":
        again.partial_fit(case.table(mixed[200:]), case.target)
        assert close(again, fitted(case, pd.concat([mixed, mixed[200:]])))


@tallying_learners
def test_a_model_without_its_tally_predicts_and_does_not_learn(
    case: Case, mixed: pd.DataFrame, tmp_path: Path
) -> None:
    model = known(case)
    model.save(tmp_path / "m.tally", tally=False)
    again = tl.load(tmp_path / "m.tally")
    assert np.array_equal(again.predict(case.rows(mixed)), model.predict(case.rows(mixed)))
    for call in (again.forget, again.partial_fit):
        with pytest.raises(errors.MergeError, match="without its tally"):
            call(case.table(mixed), case.target)
    with pytest.raises(errors.MergeError, match="without its tally"):
        tl.merge(again, model)
    with pytest.raises(errors.OptionError, match="tally=False"):
        again.save(tmp_path / "n.tally")


@every_learner
def test_pickle_and_copy_keep_the_model(case: Case, mixed: pd.DataFrame) -> None:
    model = known(case)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert same_bits(model, again)


@every_learner
def test_a_failed_fit_leaves_the_estimator_as_it_was(case: Case, mixed: pd.DataFrame) -> None:
    model = known(case)
    before = modelfile.digests(model)
    calls = [getattr(model, name, model.fit) for name in ("fit", "partial_fit", "forget")]
    for call in calls:
        with pytest.raises(errors.TallyError):
            call(case.rows(mixed), "no such column")
    assert modelfile.digests(model) == before


CHANGED = {  # learners that learn by other rules than their first file
    "m5": "m5-as-m5p",
    "ridge-cv": "ridge-cv-far",  # penalties for columns in small units
    # missing values go with the side that they fit best
    "regression-tree-median": "regression-tree-median-side",
    "regression-forest": "regression-forest-side",
    "vote-mean": "vote-mean-side",
    "forest-two": "forest-two-by-weight",  # class weights draw the rows of bags
}


@every_learner
def test_golden_files_still_load(case: Case, mixed: pd.DataFrame) -> None:
    """Files of the first release that had the learner; TALLY_GOLDEN=1 writes missing ones.

    Options that came later are as the files' writers had them. Exact learners and trees answer with
    the same bits; what LAPACK solves, and least mean squares, to 1e-10, near 0 to 1e-12 of the
    largest answer.
    """
    path = DATA / "models" / f"{CHANGED.get(case.name, case.name)}.tally"
    if os.environ.get("TALLY_GOLDEN") and not path.exists():
        path.parent.mkdir(exist_ok=True)
        fitted(case, mixed).save(path)
    learner = case.make()
    learner = learner.set_params(**learner.formerly)
    again, fresh = tl.load(path), learner.fit(case.table(mixed), case.target)
    assert again.get_params().keys() == fresh.get_params().keys()
    if case.tally == "exact":
        assert modelfile.digests(again)[1] == modelfile.digests(fresh)[1]
    elif case.tally == "float":  # the same bits on one kind of processor only
        assert close(again, fresh)
    rows = case.rows(mixed)
    if isinstance(
        again,
        tl.LMS
        | tl.ModelTreeRegressor
        | tl.PoissonRegressor
        | tl.ExplainableBoostingRegressor
        | LinearEstimator,
    ):  # by one BLAS or another
        found, wanted = again.predict(rows), fresh.predict(rows)
        assert np.allclose(found, wanted, rtol=1e-10, atol=1e-12 * np.abs(wanted).max())
    elif case.portable:
        assert np.array_equal(again.predict(rows), fresh.predict(rows))
    else:
        assert np.allclose(again.predict_proba(rows), fresh.predict_proba(rows), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", CHANGED)
def test_a_file_of_earlier_rules_answers_as_it_did(name: str, mixed: pd.DataFrame) -> None:
    case = next(case for case in CASES if case.name == name)
    told = json.loads((DATA / "models" / f"{name}.json").read_text())
    answers = tl.load(DATA / "models" / f"{name}.tally").predict(case.rows(mixed))
    assert answers == pytest.approx(told, rel=1e-12, abs=1e-12)


plain_learners = pytest.mark.parametrize(
    "case", [case for case in CASES if case.tally == "plain"], ids=lambda case: case.name
)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.tally in ("plain", "rounds")],
    ids=lambda case: case.name,
)
def test_what_is_no_sum_neither_merges_nor_forgets(case: Case, mixed: pd.DataFrame) -> None:
    model = known(case)
    before = modelfile.digests(model)
    with pytest.raises(errors.MergeError, match="no tally"):
        tl.merge(model, model)
    with pytest.raises(errors.ForgetError, match="Fit again"):
        model.forget(case.table(mixed), case.target)
    assert modelfile.digests(model) == before


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.tally == "rounds"], ids=lambda case: case.name
)
def test_rounds_have_the_same_bits_on_any_number_of_threads_and_floats_agree_for_other_blocks(
    case: Case, mixed: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, rows = known(case), case.rows(mixed)
    regressor = whole.task == "regressor"

    def predicted(model: Any) -> Any:
        return model.predict(rows) if regressor else model.predict_proba(rows)

    wanted = predicted(whole)
    table = pa.Table.from_pandas(case.table(mixed), preserve_index=False)
    pa.parquet.write_table(table, tmp_path / "all.parquet", row_group_size=70)
    monkeypatch.setattr(tables, "BLOCK", 17)
    cut = fitted(case, mixed)
    assert np.allclose(predicted(cut), wanted, rtol=0, atol=1e-10)
    other = fitted(case, mixed.sample(frac=1, random_state=1))
    assert np.allclose(predicted(other), wanted, rtol=0, atol=1e-9)
    for threads in (1, 5):
        with tl.engine(threads=threads):
            assert same_bits(cut, fitted(case, mixed))
            found = case.make().fit(tmp_path / "all.parquet", case.target)
            assert np.allclose(predicted(found), wanted, rtol=0, atol=1e-10)


@plain_learners
def test_plain_learners_have_the_same_bits_on_any_number_of_threads_and_from_files(
    case: Case, mixed: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = known(case)
    table = pa.Table.from_pandas(case.table(mixed), preserve_index=False)
    pa.parquet.write_table(table, tmp_path / "all.parquet", row_group_size=70)
    monkeypatch.setattr(tables, "BLOCK", 17)
    for threads in (1, 5):
        with tl.engine(threads=threads):
            assert same_bits(whole, fitted(case, mixed))
            assert same_bits(whole, case.make().fit(tmp_path / "all.parquet", case.target))


@every_learner
def test_a_row_of_a_frame_is_one_row(case: Case, mixed: pd.DataFrame) -> None:
    model, rows = known(case), case.rows(mixed)
    complete = rows[rows.notna().all(axis=1)]
    for name in ("predict", "explain"):
        call = getattr(model, name)
        assert str(call(complete.iloc[1])) == str(call(complete.iloc[1:2]))
    if len(case.columns) > 1:
        with pytest.raises(errors.ColumnError, match=case.columns[-1]):
            model.predict(complete.iloc[1].drop(case.columns[-1]))
