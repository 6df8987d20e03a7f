"""The .tally file: what it keeps, and how it answers damage."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

import tallylearn as tl
from tallylearn import errors, modelfile


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "tennis.tally"
    tl.NaiveBayes(alpha=0.5).fit(tl.example("tennis")).save(path)
    return path


def header(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    page: dict[str, Any] = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["tallylearn"])
    return page


def test_saving_twice_writes_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.tally"
    tl.load(saved).save(again)
    assert again.read_bytes() == saved.read_bytes()


def test_the_page_says_what_the_file_is(saved: Path) -> None:
    page = header(saved)
    assert page["format"] == 1
    assert page["learner"] == "NaiveBayes"
    assert page["options"]["alpha"] == 0.5
    assert len(page["digest"]) == len(page["tally_digest"]) == 64


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
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_altered_byte_is_noticed(saved: Path, at: float, flip: int) -> None:
    data = bytearray(saved.read_bytes())
    data[int(at * len(data))] ^= flip
    altered = saved.with_name("altered.tally")
    altered.write_bytes(bytes(data))
    before = modelfile.digests(tl.load(saved))
    try:
        model = tl.load(altered)
    except errors.FileError:
        return
    assert modelfile.digests(model) == before  # white space, versions, or the machine


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
    with pytest.raises(errors.FileError, match="something else"):
        tl.load(tmp_path / "other.tally")
    with pytest.raises(errors.FileError, match="no file"):
        tl.load(tmp_path / "nowhere.tally")


def forged(saved: Path, change: Any) -> Path:
    """The file with its page changed by someone who knows how to digest."""
    page, arrays = header(saved), dict(load_file(saved))
    change(page, arrays)
    page["digest"] = modelfile._digest(page, arrays)
    path = saved.with_name("forged.tally")
    save_file(arrays, path, metadata={"tallylearn": json.dumps(page)})
    return path


@pytest.mark.parametrize("name", ["os.system", "merge", "table", "Bayes", "Nothing", "__class__"])
def test_only_learners_of_the_list_are_named(saved: Path, name: str) -> None:
    path = forged(saved, lambda page, arrays: page.update(learner=name))
    with pytest.raises(errors.FileError, match="damaged"):
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
        with pytest.raises(errors.FileError, match="no ordinary file"):
            model.save(odd)


def test_one_and_one_point_zero_are_the_same_option(saved: Path) -> None:
    ones = [tl.NaiveBayes(alpha=alpha).fit(tl.example("tennis")) for alpha in (1, 1.0)]
    assert modelfile.digests(ones[0]) == modelfile.digests(ones[1])
    assert tl.merge(*ones).class_count_.sum() == 28


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    model = tl.NaiveBayes().fit(tl.example("tennis"))
    with pytest.raises(errors.FileError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "m.tally")
