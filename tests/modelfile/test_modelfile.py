"""The .tally file: what it keeps, and how it answers damage."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pickle
import zlib
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file
from safetensors.numpy import save as to_bytes

import tallylearn as tl
from tallylearn import errors, modelfile
from tallylearn.estimators.estimator import Estimator
from tallylearn.modelfile import array_compression, file_bytes, load_checks, packing, stored_names
from tallylearn.tables import field_schemas
from tests.forging.edits import opened, sealed
from tests.learners import CASES

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "tennis.tally"
    tl.NaiveBayes(alpha=0.5).fit(tl.example("tennis")).save(path)
    return path


def header(path: Path) -> dict[str, Any]:
    return opened(path.read_bytes())[0]


def test_saving_twice_writes_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.tally"
    tl.load(saved).save(again)
    assert again.read_bytes() == saved.read_bytes()


def test_the_page_says_what_the_file_is(saved: Path) -> None:
    page = header(saved)
    assert page["format"] == 4
    assert page["learner"] == "NaiveBayes"
    assert page["options"]["alpha"] == 0.5
    assert [len(page[sum_]) for sum_ in ("digest", "tally_digest", "checksum")] == [64] * 3


def test_the_tally_digest_does_not_depend_on_the_tally_being_kept(
    saved: Path, tmp_path: Path
) -> None:
    path = tmp_path / "small.tally"
    tl.load(saved).save(path, tally=False)
    assert header(path)["tally_digest"] == header(saved)["tally_digest"]
    assert header(path)["digest"] != header(saved)["digest"]
    assert header(path)["tally"] is None


def test_hostile_names_survive(tmp_path: Path) -> None:
    rows = [
        {"größe\n'\"": "a\0", "class": "ü"},
        {"größe\n'\"": "a", "class": "\ud83e"},
        {"größe\n'\"": "", "class": "<b>"},
    ]
    rows[1]["class"] = "\N{CRAB}"
    model = tl.NaiveBayes().fit(rows, "class")
    model.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    assert again.tally_ == model.tally_
    assert again.predict(rows).tolist() == model.predict(rows).tolist()


@given(cut=st.floats(0, 1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_truncated_file_is_one_clear_error(saved: Path, cut: float) -> None:
    data = saved.read_bytes()
    short = saved.with_name("short.tally")
    short.write_bytes(data[: int(cut * (len(data) - 1))])
    with pytest.raises(errors.FileError, match=r"short\.tally"):
        tl.load(short)


@given(at=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_altered_byte_is_noticed(saved: Path, at: float, flip: int) -> None:
    data = bytearray(saved.read_bytes())
    data[int(at * len(data))] ^= flip
    altered = saved.with_name("altered.tally")
    altered.write_bytes(bytes(data))
    with pytest.raises(errors.FileError, match=r"altered\.tally"):
        tl.load(altered)


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    for name, data in (
        ("text.tally", b"hello"),
        ("zip.tally", b"PK\3\4" + bytes(99)),
        ("no.tally", b""),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(errors.FileError, match="not a model file"):
            tl.load(tmp_path / name)
    save_file({"x": np.zeros(3)}, tmp_path / "other.tally")
    with pytest.raises(errors.FileError, match="another program"):
        tl.load(tmp_path / "other.tally")
    with pytest.raises(errors.FileError, match="no file"):
        tl.load(tmp_path / "nowhere.tally")


def forged(saved: Path, change: Any) -> Path:
    """The file with its page changed by someone who knows how to digest."""
    page, arrays = opened(saved.read_bytes())
    change(page, arrays)
    path = saved.with_name("forged.tally")
    path.write_bytes(sealed(page, arrays))
    return path


HALF = "\ud83e"  # JSON holds it and UTF-8 does not: such a name could not be written or shown


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (field_schemas.text(), HALF),
        (field_schemas.names(), ("Outlook", HALF)),
        (field_schemas.keys(), ("No", HALF)),
        (field_schemas.plain, HALF),
    ],
    ids=["text", "names", "keys", "plain"],
)
def test_half_a_letter_is_refused(check: Any, value: Any) -> None:
    with pytest.raises(ValueError, match="half a letter"):
        check(value, {})


@pytest.mark.parametrize("name", ["os.system", "merge", "table", "Bayes", "Nothing", "__class__"])
def test_only_learners_of_the_list_are_named(saved: Path, name: str) -> None:
    path = forged(saved, lambda page, arrays: page.update(learner=name))
    with pytest.raises(errors.FileError, match="does not have"):
        tl.load(path)


def test_only_the_learners_own_structures_are_built(saved: Path) -> None:
    path = forged(saved, lambda page, arrays: page["model"].update(type="Popen"))
    with pytest.raises(errors.FileError, match="damaged"):
        tl.load(path)


def test_lengths_that_do_not_fit_are_refused(saved: Path) -> None:
    names = [name for name in load_file(saved) if name.startswith(("model", "tally"))]
    assert names
    for name in names:

        def shorten(page: Any, arrays: Any, name: str = name) -> None:
            arrays[name] = np.ascontiguousarray(arrays[name][..., :-1])

        with pytest.raises(errors.FileError, match="damaged"):
            tl.load(forged(saved, shorten))


def test_a_file_of_a_later_format_says_so(saved: Path) -> None:
    path = forged(saved, lambda page, arrays: page.update(format=99))
    with pytest.raises(errors.FileError, match="format 99"):
        tl.load(path)


def test_a_callable_refuses_to_be_saved_by_name(tmp_path: Path) -> None:
    model = tl.DummyClassifier(random_state=np.random.RandomState(0)).fit(tl.example("tennis"))
    with pytest.raises(errors.OptionError, match="random_state"):
        model.save(tmp_path / "m.tally")
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_nothing_behind(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tl.load(saved)
    before = saved.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(errors.FileError, match=r"tennis\.tally.*No space left"):
        model.save(saved)
    monkeypatch.undo()
    assert saved.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["tennis.tally"]


def test_the_rights_of_a_file_are_kept_and_new_ones_follow_the_umask(saved: Path) -> None:
    model = tl.load(saved)
    saved.chmod(0o600)
    model.save(saved)
    assert saved.stat().st_mode & 0o777 == 0o600
    before = os.umask(0o077)
    try:
        model.save(saved.with_name("new.tally"))
    finally:
        os.umask(before)
    assert saved.with_name("new.tally").stat().st_mode & 0o777 == 0o600


def test_a_link_is_followed_and_a_device_is_not_replaced(saved: Path) -> None:
    model = tl.load(saved)
    link = saved.with_name("link.tally")
    link.symlink_to(saved)
    model.save(link)
    assert link.is_symlink()
    assert tl.load(saved).tally_ == model.tally_
    for odd in ("/dev/null", saved.parent):
        with pytest.raises(errors.FileError, match="not a regular file"):
            model.save(odd)


def test_one_and_one_point_zero_are_the_same_option_in_a_digest(saved: Path) -> None:
    ones = [tl.NaiveBayes(alpha=alpha).fit(tl.example("tennis")) for alpha in (1, 1.0)]
    assert modelfile.digests(ones[0]) == modelfile.digests(ones[1])
    assert tl.merge(*ones).class_count_.sum() == 28


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    model = tl.NaiveBayes().fit(tl.example("tennis"))
    with pytest.raises(errors.FileError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "m.tally")


VALUES = (
    1, 1.0, 0.5, -3, 2**70, True, False, None, "a", "", float("inf"), (1, 2.0), [1.0, 2],
    ("a", "b"), ["a", "b"], [], (), {"a": 1.0, "b": {"c": (1,)}}, {1.0: 2}, {3, 1},
    frozenset({"x"}),
    np.float64(1), np.float32(0.1), np.float16(2), np.int64(1), np.int8(-1), np.uint64(2**63),
    np.bool_(True), np.str_("a"), np.array([1.0, 2.0]), np.array([1, 2], dtype=np.int32),
    np.array([0.1], dtype=np.float32), np.array([["a", "bc"]]), np.array(3.0), np.zeros((0, 2)),
    [np.float64(1), (1.0, None)],
)  # fmt: skip


def alike(a: Any, b: Any) -> bool:
    """Equal, and of the same types all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Estimator):
        return bool(a.constructor_call() == b.constructor_call())
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, dict):
        return alike([*a], [*b]) and alike([*a.values()], [*b.values()])
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, set | frozenset):
        return a == b and alike(sorted(a), sorted(b))
    if hasattr(a, "get_params"):
        return alike(a.get_params(), b.get_params())
    return bool(a == b) or (a != a and b != b)  # NaN


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_every_kind_of_value_comes_back_with_its_type(value: Any) -> None:
    arrays: dict[str, Any] = {}
    tree = json.loads(json.dumps(packing.pack(value, "options.x", arrays, "Test")))
    unpacker = packing.Unpacker(arrays)
    assert alike(unpacker.unpack(tree), value)
    assert not unpacker.unused_arrays


ONE_OF_A_CLASS = {type(case.make()): case for case in reversed(CASES)}


@pytest.mark.parametrize("case", ONE_OF_A_CLASS.values(), ids=lambda case: case.name)
def test_every_parameter_of_every_learner_comes_back_with_its_type(case: Any, mixed: Any) -> None:
    model = case.make().fit(case.table(mixed[:60]), case.target)
    tried = 0
    own = model.get_params(deep=False)  # members and steps are learners of this list themselves
    for option, before in own.items():
        for value in (before, *VALUES):
            model.set_params(**{option: value})
            try:
                model._check_options()
            except errors.TallyError:
                continue
            page, arrays = modelfile._page(model, tally=False)
            again = load_checks.restore(json.loads(json.dumps(page)), arrays)
            assert alike(again.get_params()[option], value), option
            tried += 1
        model.set_params(**{option: before})
    assert tried >= len(own)


def test_a_share_of_all_columns_is_not_one_column_after_loading(tmp_path: Path, mixed: Any) -> None:
    rows, path = mixed[["length", "width", "colour", "shape", "kind"]], tmp_path / "m.tally"
    model = tl.DecisionTreeClassifier(max_features=1.0, random_state=3).fit(rows, "kind")
    model.save(path)
    again = tl.load(path)
    assert alike(again.max_features, 1.0)
    assert again.fit(rows, "kind").get_n_leaves() == model.get_n_leaves()
    one = tl.DecisionTreeClassifier(max_features=1, random_state=3).fit(rows, "kind")
    assert one.get_n_leaves() != model.get_n_leaves()


def test_lists_and_numbers_of_numpy_do_not_change_a_digest() -> None:
    table = tl.example("tennis")
    ones = [
        tl.NaiveBayes(class_prior=given).fit(table)
        for given in ([0.5, 0.5], (0.5, 0.5), np.array([0.5, 0.5], dtype=np.float32))
    ]
    assert modelfile.digests(ones[0]) == modelfile.digests(ones[1]) == modelfile.digests(ones[2])


@pytest.mark.parametrize("kind", packing.ARRAY_TYPES)
def test_arrays_of_every_type_are_arrays_in_a_file(kind: str) -> None:
    arrays: dict[str, Any] = {}
    given = np.array([[1, 0, 3], [0, 1, 2]]).astype(kind)
    tree = packing.pack(given, "x", arrays, "Test")
    assert tree == {"array": "x"}
    again = packing.Unpacker(arrays).unpack(tree)
    assert again.dtype == given.dtype
    assert np.array_equal(again, given)


def loss_of(n: int = 400) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, rng.integers(0, 3, n), np.array([[0, 4, 1], [1, 0, 1], [1, 2, 0]], dtype=np.int32)


@pytest.mark.parametrize(("name", "rows"), [("format-3", np.int16), ("format-4", np.uint8)])
def test_a_file_of_narrow_numbers_loads_as_it_was(name: str, rows: type) -> None:
    """Narrow arrays, masks of gaps and zeros, an option of int32; format 4 deflates some."""
    X, y, loss = loss_of()
    path = DATA / "models" / f"{name}.tally"
    former = tl.DecisionTreeClassifier.formerly
    former = former | {"missing": "branch", "keep_rows": False}
    fresh = tl.DecisionTreeClassifier(loss=loss, **former).fit(X, y)
    fresh.model_ = dataclasses.replace(fresh.model_, larger=False)  # rows ended there
    if os.environ.get("TALLY_GOLDEN") and not path.exists():
        fresh.save(path)
    again = tl.load(path)
    assert modelfile.page(path)["narrow"]["model.threshold"]["gaps"] == [len(fresh.tree_)]
    assert "zeros" in modelfile.page(path)["narrow"]["model.gain"]
    assert load_file(path)["model.rows"].dtype == rows
    assert load_file(path)["options.loss"].dtype == again.loss.dtype == np.int32
    assert modelfile.digests(again) == modelfile.digests(fresh)
    for field in dataclasses.fields(fresh.model_):
        one, two = getattr(again.model_, field.name), getattr(fresh.model_, field.name)
        if isinstance(two, np.ndarray):
            assert one.dtype == two.dtype, field.name
            assert one.tobytes() == two.tobytes(), field.name


def test_a_file_that_names_its_target_loads_as_it_was() -> None:
    """A file of the first version that names the target."""
    path = DATA / "models" / "named-target.tally"
    fresh = tl.NaiveBayes(**tl.NaiveBayes.formerly).fit(tl.example("tennis"))
    if os.environ.get("TALLY_GOLDEN") and not path.exists():
        fresh.save(path)
    again = tl.load(path)
    assert (again.target_name_, modelfile.page(path)["target"]) == ("PlayTennis", "PlayTennis")
    assert modelfile.digests(again) == modelfile.digests(fresh)


@pytest.mark.parametrize("name", ["bayes", "tree", "lms-mean", "format-3"])
def test_a_file_of_an_earlier_format_has_no_name_of_a_target(name: str, tmp_path: Path) -> None:
    model = tl.load(DATA / "models" / f"{name}.tally")
    assert model.target_name_ is None
    model.save(tmp_path / "again.tally")
    assert tl.load(tmp_path / "again.tally").target_name_ is None


def test_the_name_of_the_target_is_no_part_of_a_digest(tmp_path: Path) -> None:
    x, y = [1.0, 2.0, 4.0, 5.0], ["a", "b", "a", "b"]
    one, other = (tl.NaiveBayes().fit({"x": x, name: y}, name) for name in "yz")
    assert modelfile.digests(one) == modelfile.digests(other)
    other.save(tmp_path / "z.tally")
    assert tl.load(tmp_path / "z.tally").target_name_ == "z"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (3, "'target'.*missing or wrong"),
        ("a", "also a feature"),
    ],
)
def test_a_target_that_cannot_be_is_refused(target: Any, words: str, saved: Path) -> None:
    names = [column.name for column in tl.load(saved).schema_.columns]
    told = names[0] if target == "a" else target
    path = forged(saved, lambda page, arrays: page.update(target=told))
    with pytest.raises(errors.FileError, match=words):
        tl.load(path)


def test_a_tree_takes_no_more_bytes_a_node_than_a_pickle_of_scikit_learns(tmp_path: Path) -> None:
    X, y, _ = loss_of(4000)
    for learner in (tl.CART().fit(X, y), tl.CART("regression", min_samples_leaf=3).fit(X, X[:, 0])):
        learner.save(tmp_path / "tree.tally")
        theirs = len(pickle.dumps(learner.to_sklearn()))
        assert (tmp_path / "tree.tally").stat().st_size < 0.7 * theirs


def test_ties_down_to_pairs_of_rows_leave_a_file_no_larger_than_scikit_learns_pickle(
    tmp_path: Path,
) -> None:
    """Every column parts two rows: of a tree down to single rows most is ties, which they lack."""
    X = np.random.default_rng(0).normal(size=(4000, 20))
    learner = tl.DecisionTreeRegressor().fit(X, X[:, 0] + X[:, 1] * X[:, 2])
    assert len(learner.model_.tie_columns) > 4 * len(learner.tree_)
    learner.save(tmp_path / "tree.tally")
    theirs = len(pickle.dumps(learner.to_sklearn()))
    assert (tmp_path / "tree.tally").stat().st_size <= theirs


def test_ties_come_back_as_they_were(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(600, 4)).round(1), columns=[*"abcd"])
    table["hue"] = rng.choice(["red", "blue", "green"], 600)
    table = table.mask(rng.random(table.shape) < 0.1)
    table["y"] = rng.normal(size=600)
    learner = tl.DecisionTreeRegressor(random_state=0, tie="random", keep_rows=False).fit(
        table, "y"
    )
    learner.save(tmp_path / "tree.tally")
    narrow = modelfile.page(tmp_path / "tree.tally")["narrow"]
    assert all("deflated" in narrow[f"model.tie_{name}"] for name in ("columns", "thresholds"))
    again, ties = tl.load(tmp_path / "tree.tally"), learner.ties()
    assert len({len(tie.candidates) for tie in ties}) > 3
    assert repr(again.ties()) == repr(ties)  # repr tells the bits of a number, and knows NaN
    assert str(again.show_work()) == str(learner.show_work())


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.floats(), st.sampled_from([0.0, -0.0, float("nan")]),
            st.integers(-(2**40), 2**40).map(float), st.floats(width=32),
        ),
        max_size=30,
    ),
    st.integers(1, 20),
)  # fmt: skip
def test_narrow_numbers_have_the_bits_they_had(numbers: list[float], times: int) -> None:
    given = np.array(numbers * times, dtype=np.float64)
    whole = np.nan_to_num(given, nan=0.0, posinf=0.0, neginf=0.0).clip(-(2.0**62), 2.0**62)
    arrays = {"a": given, "b": whole.astype(np.int64), "c": given.reshape(times, -1)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(array_compression, "MIN_COMPRESSED_BYTES", 0)
        kept, told = array_compression.compress(arrays)
    again = array_compression.decompress(kept, json.loads(json.dumps(told)))
    assert {*again} == {*arrays}
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype
        assert again[name].shape == array.shape
        assert again[name].tobytes() == array.tobytes()


def test_what_is_all_alike_is_not_deflated_beyond_what_load_takes() -> None:
    """Deflated, a file of zeros would be a thousandth of what it makes in memory."""
    alike = {"a": np.zeros(1 << 16, dtype=np.int64), "b": np.full(1 << 16, 0.1)}
    kept, told = array_compression.compress(alike)
    assert sum(array.nbytes for array in kept.values()) * array_compression.MAX_EXPANSION >= 2 << 19
    again = array_compression.decompress(kept, told)
    assert all(again[name].tobytes() == array.tobytes() for name, array in alike.items())
    noise = {**alike, "c": np.random.default_rng(0).normal(size=1 << 14)}
    kept, told = array_compression.compress(noise)  # beside which the same takes nothing
    assert kept["a"].nbytes + kept["b"].nbytes < 2000
    assert array_compression.decompress(kept, told)["b"].tobytes() == alike["b"].tobytes()


def test_arrays_that_are_small_enough_one_by_one_may_be_too_large_together() -> None:
    zeros = np.frombuffer(zlib.compress(bytes(6000)), np.uint8)
    arrays = {"a": zeros, "b": zeros, "noise": np.zeros(900, np.uint8)}
    how = {"dtype": "int64", "shape": [6000], "deflated": "int8"}
    assert not array_compression.decompress(arrays, {"a": how})["a"].any()
    with pytest.raises(ValueError, match="larger than a file"):
        array_compression.decompress(arrays, {"a": how, "b": how})


def deflated_arrays() -> dict[str, Any]:
    """Deflated as it should be (d); more, cut short, altered, of another type; a bomb."""
    small = zlib.compress(np.arange(400, dtype=np.int16).tobytes())
    odd = (small, small + b"x", small[:-1], small[:40] + b"xx" + small[42:])
    found = {name: np.frombuffer(data, np.uint8) for name, data in zip("defg", odd, strict=True)}
    bomb = np.frombuffer(zlib.compress(bytes(1 << 20)), np.uint8)
    return {**found, "h": np.frombuffer(small + b"x" * (len(small) % 2), np.int16), "z": bomb}


@pytest.mark.parametrize(
    "told",
    [
        [], {"b": {"dtype": "int64"}}, {"a": {"dtype": "float16"}}, {"a": {}}, {"a": "float64"},
        {"a": {"dtype": []}}, {"a": {"dtype": "float64", "ones": [12]}},
        {"a": {"dtype": "float64", "zeros": [17]}}, {"a": {"dtype": "float64", "zeros": [1 << 62]}},
        {"a": {"dtype": "float64", "zeros": [-12]}}, {"a": {"dtype": "float64", "zeros": 12}},
        {"a": {"dtype": "float64", "zeros": [12.0]}}, {"a": {"dtype": "float64", "zeros": None}},
        {"a": {"dtype": "float64", "zeros": [6, 2, *[1] * 40]}},
        {"a": {"dtype": "float64", "zeros": [1 << 32, 1 << 32, 12]}},
        {"a": {"dtype": "float64", "zeros": [12], "gaps": [12]}},
        {"a": {"dtype": "float64", "shape": [3], "deflated": "int8"}},
        *({"d": {"dtype": "int64", "shape": [400], "deflated": "int16"} | odd} for odd in (
            {"shape": [401]}, {"shape": [399]}, {"shape": [0]}, {"shape": [1 << 60]},
            {"shape": 400}, {"shape": [-1, -400]}, {"shape": [400, *[1] * 40]}, {"shape": None},
            {"deflated": "int32"}, {"deflated": "object"}, {"deflated": []}, {"dtype": "int16"},
            {"zeros": [400]},
        )),
        *({name: {"dtype": "int64", "shape": [400], "deflated": "int16"}} for name in "efgh"),
        {"z": {"dtype": "int64", "shape": [1 << 20], "deflated": "int8"}},
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_have_been_narrow_is_damage(told: Any, saved: Path) -> None:
    bits = np.packbits(np.arange(12) % 4 == 0)
    arrays = {"a": np.arange(3, dtype=np.int8), "a.mask": bits}
    assert (
        array_compression.decompress(arrays, {"a": {"dtype": "float64", "zeros": [12]}})["a"][8]
        == 2.0
    )
    arrays |= deflated_arrays()
    right = {"d": {"dtype": "int64", "shape": [400], "deflated": "int16"}}
    assert array_compression.decompress(arrays, right)["d"].tolist() == [*range(400)]
    page, _ = opened(saved.read_bytes())
    page["narrow"] = told
    text = json.dumps({**page, "checksum": file_bytes.BLANK_CHECKSUM.decode()})
    data = to_bytes(arrays, metadata={file_bytes.METADATA_KEY: text})
    total = hashlib.sha256(data).hexdigest().encode()
    saved.write_bytes(data.replace(file_bytes.BLANK_CHECKSUM, total, 1))
    with pytest.raises(errors.FileError, match=r"is damaged: (?!its (digest|checksum))"):
        tl.load(saved)


def test_what_load_would_refuse_is_not_saved(saved: Path) -> None:
    model = tl.load(saved).set_params(alpha=-1)
    before = saved.read_bytes()
    with pytest.raises(errors.OptionError, match="alpha"):
        model.save(saved)
    assert saved.read_bytes() == before


@pytest.mark.parametrize(
    ("learner", "option"),
    [
        (tl.NaiveBayes, "p"),
        (tl.NaiveBayes, "fit_prior"),
        (tl.LinearDiscriminantAnalysis, "exact"),
        (tl.QuadraticDiscriminantAnalysis, "store_covariance"),
        (tl.LinearDiscriminantAnalysis, "shrinkage"),
        (tl.DecisionTreeClassifier, "max_features"),
        (tl.DecisionTreeClassifier, "class_weight"),
        (tl.DecisionTreeRegressor, "criterion"),
        (tl.LMS, "fit_intercept"),
        (tl.DummyClassifier, "random_state"),
    ],
)
def test_an_array_is_no_truth_value_and_no_word(learner: Any, option: str) -> None:
    for value in (np.zeros(2), np.array(["a", "b"])):
        with pytest.raises(errors.OptionError, match=rf"{option}|p= needs m="):
            learner(**{option: value}).fit([[1.0], [2.0], [4.0]], [1, 0, 1])


def test_stop_words_may_be_an_array_and_a_constant_none_of_the_classes(tmp_path: Path) -> None:
    texts, y = ["loud and quiet", "and loud", "quiet a b c"], [*"uvu"]
    model = tl.NaiveBayes(stop_words=np.array(["and", "loud"])).fit(texts, y)
    model.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    assert alike(again.stop_words, model.stop_words)
    assert "and" not in str(again.partial_fit(texts, y).top_words())
    with pytest.raises(errors.TargetError, match="constant"):
        tl.DummyClassifier(strategy="constant", constant=np.zeros(2)).fit([[1], [2]], [1, 2])


@dataclasses.dataclass(frozen=True)
class _Renamed:
    """A structure whose class and field have other names in files."""

    form: ClassVar[field_schemas.Form] = {}
    coefficient: float


def test_a_renamed_class_and_field_keep_their_names_in_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(stored_names.CLASSES, "_Renamed", "Old")
    monkeypatch.setitem(stored_names.FIELDS, "_Renamed", {"coefficient": "weight"})
    tree = packing.pack(_Renamed(2.5), "model", {}, "Test")
    assert tree == {"type": "Old", "fields": {"weight": 2.5}}
    unpacker = packing.Unpacker({}).with_classes([_Renamed])
    assert unpacker.unpack(tree) == _Renamed(2.5)
    with pytest.raises(ValueError, match="two names"):
        unpacker.unpack({"type": "Old", "fields": {"weight": 2.5, "coefficient": 3.0}})
