"""What is promised of every preparation: the same bits, whatever the road, and the kind it came."""

from __future__ import annotations

import copy
import pickle
import sys
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn import preprocessing
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

import tallylearn as tl
from tallylearn import errors, modelfile, tables
from tallylearn.estimators import output_containers
from tests.learners import PREPARATIONS

COLUMNS = ["length", "width", "colour", "shape"]
every = pytest.mark.parametrize("made", PREPARATIONS, ids=lambda one: one.constructor_call())
forgetting = pytest.mark.parametrize(
    "made",
    [one for one in PREPARATIONS if not isinstance(one, tl.MinMaxScaler)
     and getattr(one, "strategy", "mdl") != "uniform"],
    ids=lambda one: one.constructor_call(),
)  # fmt: skip


def fitted(made: Any, frame: pd.DataFrame) -> Any:
    return type(made)(**made.get_params()).fit(frame[[*COLUMNS, "kind"]], "kind")


def same(a: Any, b: Any) -> bool:
    return modelfile.digests(a) == modelfile.digests(b)


@every
def test_order_blocks_threads_and_merging_leave_the_same_bits(
    made: Any, mixed: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = fitted(made, mixed)
    assert same(whole, fitted(made, mixed.sample(frac=1, random_state=1)))
    parts = [fitted(made, mixed[at]) for at in (slice(0, 90), slice(90, 100), slice(100, 240))]
    assert same(tl.merge(*reversed(parts)), whole)
    more = type(made)(**made.get_params())
    for start in range(0, 240, 50):
        more.partial_fit(mixed[[*COLUMNS, "kind"]][start : start + 50], "kind")
    assert same(more, whole)
    before = whole.transform(mixed)
    monkeypatch.setattr(tables, "BLOCK", 17)
    with tl.engine(threads=3):
        assert same(fitted(made, mixed), whole)
        pd.testing.assert_frame_equal(whole.transform(mixed), before)


@forgetting
def test_what_is_forgotten_leaves_no_trace(made: Any, mixed: pd.DataFrame) -> None:
    less = fitted(made, mixed).forget(mixed[[*COLUMNS, "kind"]][200:], "kind")
    assert same(less, fitted(made, mixed[:200]))


@pytest.mark.parametrize("made", [tl.MinMaxScaler(), tl.KBinsDiscretizer(strategy="uniform")])
def test_ends_refuse_to_forget(made: Any, mixed: pd.DataFrame) -> None:
    model = fitted(made, mixed)
    before = modelfile.digests(model)
    with pytest.raises(errors.ForgetError, match="Fit again"):
        model.forget(mixed[[*COLUMNS, "kind"]][200:], "kind")
    assert modelfile.digests(model) == before


@every
def test_a_file_a_pickle_and_a_copy_turn_rows_alike(
    made: Any, mixed: pd.DataFrame, tmp_path: Path
) -> None:
    model = fitted(made, mixed)
    model.save(tmp_path / "m.tally")
    for again in (tl.load(tmp_path / "m.tally"), pickle.loads(pickle.dumps(model)),
                  copy.deepcopy(model)):  # fmt: skip
        assert same(model, again)
        pd.testing.assert_frame_equal(again.transform(mixed), model.transform(mixed))
    assert str(model.show_work())


@every
def test_the_kind_of_frame_that_came_in_goes_out(made: Any, mixed: pd.DataFrame) -> None:
    frame, model = mixed[COLUMNS], fitted(made, mixed)
    found = model.transform(frame)
    assert isinstance(found, pd.DataFrame)
    assert found.index.equals(frame.index)
    assert list(found.columns) == model.get_feature_names_out().tolist()
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    for other, kind in (
        (pl.from_arrow(arrow), pl.DataFrame), (arrow, pa.Table),
        (duckdb.sql("select * from arrow"), pa.Table), (tl.table(frame), pa.Table),
    ):  # fmt: skip
        same_rows = model.transform(other)
        assert isinstance(same_rows, kind)
        rows = same_rows.to_pandas() if kind is not pd.DataFrame else same_rows
        for name in found.columns:
            pd.testing.assert_series_equal(
                rows[name].isna(), found[name].isna().reset_index(drop=True)
            )
            shown = found[name].notna().to_numpy()
            assert rows[name][shown].tolist() == found[name][shown].tolist()


@every
def test_files_give_the_same_bits_as_memory(made: Any, mixed: pd.DataFrame, tmp_path: Path) -> None:
    frame = mixed[[*COLUMNS, "kind"]]
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pa.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=70)
    read = type(made)(**made.get_params()).fit(str(tmp_path / "a.parquet"), "kind")
    assert same(read, fitted(made, mixed))


NUMBERS = np.random.default_rng(0).normal(size=(200, 3)) * [1, 1e6, 1e-6] + [0, 1e6, 3e-6]
NUMBERS[::7, 1] = np.nan


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (tl.StandardScaler(), preprocessing.StandardScaler()),
        (tl.StandardScaler(with_mean=False), preprocessing.StandardScaler(with_mean=False)),
        (tl.StandardScaler(with_std=False), preprocessing.StandardScaler(with_std=False)),
        (tl.MinMaxScaler(), preprocessing.MinMaxScaler()),
        (tl.MinMaxScaler((-2, 3), clip=True), preprocessing.MinMaxScaler((-2, 3), clip=True)),
        (tl.SimpleImputer(), SimpleImputer()),
        (tl.SimpleImputer(strategy="median"), SimpleImputer(strategy="median")),
        (tl.SimpleImputer(strategy="most_frequent"), SimpleImputer(strategy="most_frequent")),
    ],
    ids=lambda one: type(one).__name__,
)  # fmt: skip
def test_numbers_are_those_of_scikit_learn(ours: Any, theirs: Any) -> None:
    found = ours.fit(NUMBERS[:150]).transform(NUMBERS)
    truth = theirs.fit(NUMBERS[:150]).transform(NUMBERS)
    assert found == pytest.approx(truth, rel=1e-12, abs=1e-12, nan_ok=True)
    if hasattr(theirs, "scale_") and theirs.scale_ is not None:
        assert ours.scale_ == pytest.approx(theirs.scale_, rel=1e-12)
    if isinstance(ours, tl.StandardScaler | tl.MinMaxScaler) and not getattr(ours, "clip", False):
        assert ours.inverse_transform(found) == pytest.approx(NUMBERS, rel=1e-12, nan_ok=True)


def test_intervals_are_those_of_scikit_learn() -> None:
    X = NUMBERS[~np.isnan(NUMBERS[:, 1])]
    for strategy in ("uniform", "quantile", "kmeans"):
        options = {"encode": "ordinal", "strategy": strategy}
        theirs = preprocessing.KBinsDiscretizer(4, **options).fit_transform(X)
        assert np.array_equal(tl.KBinsDiscretizer(4, **options).fit_transform(X), theirs)


def test_indicators_and_codes_are_those_of_scikit_learn(mixed: pd.DataFrame) -> None:
    frame = mixed[["colour", "shape"]].dropna()
    ours = tl.OneHotEncoder().fit_transform(frame).to_numpy()
    assert np.array_equal(
        ours, preprocessing.OneHotEncoder(sparse_output=False).fit_transform(frame)
    )
    codes = tl.OrdinalEncoder().fit(frame)
    assert np.array_equal(
        codes.transform(frame).to_numpy(), preprocessing.OrdinalEncoder().fit_transform(frame)
    )
    pd.testing.assert_frame_equal(codes.inverse_transform(codes.transform(frame)), frame)


def test_both_sigmas_are_there(golden: dict[str, Any]) -> None:
    told = golden["scale.minmax_z"]
    x = np.array(told["inputs"]["x"], dtype=float)[:, None]
    ends = [share["decimal"] for share in told["exact"]["minmax"]]
    assert tl.MinMaxScaler().fit_transform(x).ravel() == pytest.approx(ends, abs=1e-15)
    for ddof, name in ((0, "z_population_sd"), (1, "z_sample_sd")):
        z = tl.StandardScaler(ddof=ddof).fit_transform(x).ravel()
        assert z == pytest.approx(told["exact"][name], rel=1e-14, abs=1e-15)


def test_mdl_cuts_where_the_classes_change_and_nowhere_in_noise() -> None:
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.uniform(0, 1, 60), rng.uniform(2, 3, 60), rng.uniform(4, 5, 60)])
    y = np.repeat(["a", "b", "a"], 60)
    model = tl.KBinsDiscretizer(strategy="mdl").fit(x[:, None], y)
    first, second = model.model_.cuts[0]
    assert 1 < first < 2
    assert 3 < second < 4
    noise = tl.KBinsDiscretizer(strategy="mdl").fit(rng.normal(size=(180, 1)), y)
    assert not len(noise.model_.cuts[0])


def test_a_gap_is_its_own_category_and_a_name_that_is_taken_is_refused() -> None:
    frame = pd.DataFrame({"colour": ["red", None, "blue"]})
    assert tl.SimpleImputer(category_strategy="own").fit_transform(frame)["colour"].tolist() == [
        "red", "missing", "blue",
    ]  # fmt: skip
    with pytest.raises(errors.InputError, match=r"column 'colour' has a category 'missing'"):
        tl.SimpleImputer(category_strategy="own").fit(
            pd.DataFrame({"colour": ["missing", None, "blue"]})
        )


def test_a_column_without_values_is_left_out_by_an_imputer_and_stays_empty_elsewhere() -> None:
    X = np.array([[1.0, np.nan], [3.0, np.nan]])
    assert tl.SimpleImputer().fit_transform(X).tolist() == [[1.0], [3.0]]
    assert np.isnan(tl.StandardScaler().fit_transform(X)[:, 1]).all()
    assert tl.StandardScaler().fit(X).transform(X).shape == (2, 2)


def test_a_constant_column_becomes_the_lower_end_or_zero() -> None:
    X = np.full((3, 1), 7.0)
    assert tl.MinMaxScaler((2, 4)).fit_transform(X).tolist() == [[2.0]] * 3
    assert tl.StandardScaler().fit_transform(X).tolist() == [[0.0]] * 3


@pytest.mark.parametrize("kind", [tl.OneHotEncoder, tl.OrdinalEncoder])
def test_a_value_that_was_never_seen_is_named_or_allowed(kind: Any) -> None:
    known, other = pd.DataFrame({"c": ["x", "y"]}), pd.DataFrame({"c": ["y", "z"]})
    with pytest.raises(
        errors.ColumnError, match=r"column 'c' has 'z' in row 1.*'x', 'y'.*handle_unknown="
    ):
        kind().fit(known).transform(other)
    options = {"handle_unknown": "ignore"}
    if kind is tl.OrdinalEncoder:
        options = {"handle_unknown": "use_encoded_value", "unknown_value": np.nan}
    found = kind(**options).fit(known).transform(other).to_numpy()[1]
    assert np.isnan(found).all() if kind is tl.OrdinalEncoder else found.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (tl.MinMaxScaler((1, 1)), "'feature_range' .* a pair of numbers"),
        (tl.MinMaxScaler("ab"), "'feature_range' .* a pair of numbers"),
        (tl.StandardScaler(ddof=2), r"'ddof' .*\[0, 1\]. Got 2"),
        (tl.StandardScaler(with_mean="yes"), "with_mean"),
        (tl.SimpleImputer(strategy="middle"), "strategy"),
        (tl.SimpleImputer(category_strategy="none"), "category_strategy"),
        (tl.OneHotEncoder(drop="last"), "drop"),
        (tl.OrdinalEncoder(handle_unknown="ignore"), "handle_unknown"),
        (tl.KBinsDiscretizer(1), r"'n_bins' .* an int in the range \[2,"),
        (tl.KBinsDiscretizer(strategy="width"), "strategy"),
    ],
    ids=repr,
)  # fmt: skip
def test_an_option_that_cannot_be_is_named(made: Any, said: str) -> None:
    with pytest.raises(errors.OptionError, match=said):
        made.fit(NUMBERS)


def test_an_indicator_does_not_take_the_name_of_a_column() -> None:
    frame = pd.DataFrame({"c": ["x", "y"], "c_x": [1.0, 2.0]})
    with pytest.raises(errors.ColumnError, match=r"'c_x'.*feature_name_combiner"):
        tl.OneHotEncoder().fit_transform(frame)


def test_mdl_needs_classes() -> None:
    with pytest.raises(errors.TargetError, match="no target was passed"):
        tl.KBinsDiscretizer(strategy="mdl").fit(NUMBERS)


def test_they_stand_in_scikit_learns_pipeline(mixed: pd.DataFrame) -> None:
    pipe = make_pipeline(
        tl.SimpleImputer(), tl.OneHotEncoder(), tl.StandardScaler(), tl.NaiveBayes()
    )
    pipe.fit(mixed[COLUMNS], mixed["kind"])
    assert pipe.score(mixed[COLUMNS], mixed["kind"]) > 0.3
    names = pipe[:-1].get_feature_names_out().tolist()
    assert names[:2] == ["length", "width"]
    assert names[2].startswith("colour_")


def test_identifiers_are_not_said_to_be_empty() -> None:
    table = {"id": [f"c{i}" for i in range(30)], "x": [*range(30)], "y": ["a", "b"] * 15}
    work = tl.Pipeline([tl.SimpleImputer(), tl.NaiveBayes()]).fit(table, "y").show_work()
    assert "Column 'id' has no values, is text or an identifier: not filled." in str(work)


def test_a_range_beyond_a_double_has_no_intervals_of_equal_width() -> None:
    ends = [[1.7e308], [-1.7e308]]
    for made in (tl.KBinsDiscretizer(4, strategy="uniform"), tl.MinMaxScaler()):
        with pytest.raises(errors.InputError, match=r"'x0' has a range that overflows a double"):
            made.fit(ends)
    assert len({*tl.KBinsDiscretizer(2, encode="interval").fit_transform(ends).ravel()}) == 2


@pytest.mark.parametrize("made", [tl.StandardScaler(), tl.PCA(1)], ids=str)
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_that_are_asked_for_need_no_import_before(
    made: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = copy.deepcopy(made)
    model.set_output(transform=kind).fit(X := [[1.0, 2.0], [2.0, 1.0], [4.0, 0.0]])
    there = sys.modules[kind]
    monkeypatch.delitem(sys.modules, kind)
    asked: list[str] = []

    def importing(name: str) -> Any:
        asked.append(name)
        return there

    monkeypatch.setattr(output_containers, "import_module", importing)
    assert type(model.transform(X)).__module__.startswith(kind)
    assert asked == [kind]
    monkeypatch.setattr(output_containers, "import_module", import_module)
    monkeypatch.setitem(sys.modules, kind, None)
    with pytest.raises(errors.OptionError, match=rf"not installed.*pip install {kind}"):
        model.transform(X)


@pytest.mark.parametrize(
    "column",
    [["a", "b"], np.array(["a", "b"]), pd.Series(["a", None], name="city"), pl.Series(["a", "b"])],
    ids=lambda column: type(column).__module__,
)
def test_a_column_of_strings_alone_is_refused_with_the_remedy(column: Any) -> None:
    coder = tl.OrdinalEncoder().fit({"city": ["a", "b"]})
    for ask in (tl.OrdinalEncoder().fit, tl.OrdinalEncoder().fit_transform, coder.transform):
        with pytest.raises(
            errors.KindError,
            match=r'OrdinalEncoder\.(fit|transform): .*one column: df\[\["city"\]\]',
        ):
            ask(column)


def test_dates_are_told_as_dates() -> None:
    days = pd.date_range("2020-10-01", "2020-10-31").to_series(index=range(31))
    table = pd.DataFrame({"when": days, "size": np.arange(31.0)})
    said = [str(made.fit(table).show_work())
            for made in (tl.SimpleImputer(), tl.StandardScaler(), tl.MinMaxScaler())]  # fmt: skip
    assert [one.count("2020-10-16") for one in said] == [1, 1, 0]
    assert said[2].count("2020-10-01") == said[2].count("2020-10-31") == 1


def test_scalers_have_what_scikit_learns_have() -> None:
    rows = np.array([[0.0, 1, 3], [np.nan, 6, 10], [5, 4, np.nan], [8, 0, np.nan]])
    for name in ("StandardScaler", "MinMaxScaler"):
        ours = getattr(tl, name)(copy=False).fit(rows)
        theirs = getattr(preprocessing, name)().fit(rows)
        assert np.array_equal(ours.n_samples_seen_, theirs.n_samples_seen_)
        assert ours.fit(rows[:, :0:-1][:2]).n_samples_seen_ == 2
        kept = rows.copy()
        found, truth = ours.fit(rows).transform(rows, copy=False), theirs.transform(rows)
        assert found == pytest.approx(truth, rel=1e-12, nan_ok=True)
        assert np.array_equal(rows, kept, equal_nan=True)
    for told in product((True, False), repeat=2):
        ours, theirs = (
            module.StandardScaler(with_mean=told[0], with_std=told[1]).fit(rows)
            for module in (tl, preprocessing)
        )
        for name in ("mean_", "var_", "scale_"):
            assert (getattr(ours, name) is None) == (getattr(theirs, name) is None)
    weighed = tl.StandardScaler().fit(rows[:, 1:2], sample_weight=[2, 1, 1, 1.5])
    assert weighed.n_samples_seen_ == 5.5


def test_rows_seen_are_not_known_without_the_tally(tmp_path: Path) -> None:
    tl.MinMaxScaler().fit([[1.0], [2.0]]).save(tmp_path / "m.tally", tally=False)
    with pytest.raises(errors.InputError, match="saved without its tally"):
        tl.load(tmp_path / "m.tally").n_samples_seen_  # noqa: B018


def test_a_column_that_varies_is_not_taken_for_a_constant() -> None:
    rows, kinds = [[1e-200, 1.0], [3e-200, 2.0]], ["a", "b"]
    for learner in (tl.StandardScaler(), tl.KNeighborsClassifier(1, scale="standard"),
                    tl.KMeans(2, scale="standard")):  # fmt: skip
        with pytest.raises(errors.InputError, match=r"'x0' varies so little.*minmax"):
            learner.fit(rows, kinds)
    assert tl.StandardScaler(with_std=False).fit_transform(rows)[0, 0] == -1e-200
    assert tl.MinMaxScaler().fit_transform(rows)[:, 0].tolist() == [0.0, 1.0]
    assert tl.StandardScaler().fit([[1e-200], [1e-200]]).scale_.tolist() == [1.0]
