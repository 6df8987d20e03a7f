"""Writing: whole files, whatever happens meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import tallylearn as tl
from tallylearn import errors
from tallylearn.runtime import atomic_write
from tallylearn.runtime.atomic_write import whole, write_whole
from tests.soak import SOAK

KILLS = 300 if SOAK else 3
SAVING = """
import sys, tallylearn as tl
models = [tl.load(path) for path in sys.argv[2:]]
print("ready", flush=True)
while True:
    for model in models:
        model.save(sys.argv[1])
"""


def test_a_process_killed_while_it_saves_leaves_a_whole_file(tmp_path: Path) -> None:
    """`make soak` kills 300."""
    rng = np.random.default_rng(0)
    sides = [tmp_path / "a.tally", tmp_path / "b.tally"]
    for side, n in zip(sides, (40, 20_000), strict=True):
        tl.NaiveBayes().fit(rng.random((n, 3)).round(), rng.integers(0, 3, n)).save(side)
    path, folder = tmp_path / "folder" / "m.tally", tmp_path / "folder"
    folder.mkdir()
    allowed = {side.read_bytes() for side in sides}
    for _ in range(KILLS):
        command = [sys.executable, "-c", SAVING, str(path), *map(str, sides)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as saving:
            assert saving.stdout is not None
            assert saving.stdout.readline() == b"ready\n"
            time.sleep(rng.uniform(0, 0.05))
            saving.send_signal(signal.SIGKILL)
        assert not path.exists() or path.read_bytes() in allowed
    left = [entry for entry in folder.iterdir() if entry != path]
    for entry in left:
        os.utime(entry, (0, 0))
    tl.load(sides[0]).save(path)
    assert [*folder.iterdir()] == [path]


def test_what_is_being_written_is_not_swept(tmp_path: Path) -> None:
    with whole(tmp_path / "m") as slow:
        slow.write(b"slow")
        slow.flush()
        (temporary,) = tmp_path.iterdir()
        os.utime(temporary, (0, 0))
        write_whole(tmp_path / "m", b"quick")
        assert temporary.exists()
    assert (tmp_path / "m").read_bytes() == b"slow"


def test_only_temporaries_of_this_file_are_swept(tmp_path: Path) -> None:
    others = [".m.0123456789abcdef", ".mm.0123456789abcdef", ".m.backup", "m.0123456789abcdef"]
    for name in others:
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (0, 0))
    write_whole(tmp_path / "m", b"")
    assert {path.name for path in tmp_path.iterdir()} == {*others[1:], "m"}


def test_names_of_temporaries_cannot_be_guessed(tmp_path: Path) -> None:
    seen = set()
    for _ in range(3):
        with whole(tmp_path / "m"):
            seen |= {path.name for path in tmp_path.iterdir() if path.name != "m"}
    assert len(seen) == 3


def test_rights_are_those_of_the_file_before_the_bytes_are_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m").write_bytes(b"old")
    (tmp_path / "m").chmod(0o640)
    seen, sync = [], os.fsync

    def synced(handle: int) -> None:
        seen.append(os.fstat(handle).st_mode & 0o7777)
        sync(handle)

    monkeypatch.setattr(os, "fsync", synced)
    write_whole(tmp_path / "m", b"new")
    assert seen[0] == 0o640
    assert len(seen) == 2  # the folder too
    assert (tmp_path / "m").stat().st_mode & 0o7777 == 0o640


def test_the_owner_is_kept_where_the_system_allows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m").write_bytes(b"old")
    asked: list[tuple[int, int]] = []

    def refused(handle: int, owner: int, group: int) -> None:
        asked.append((owner, group))
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refused)
    write_whole(tmp_path / "m", b"new")
    before = os.getuid(), (tmp_path / "m").stat().st_gid
    assert asked == [before, (-1, before[1])]
    assert (tmp_path / "m").read_bytes() == b"new"


def test_a_file_of_another_owner_stays_theirs(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"old")
    try:
        os.chown(tmp_path / "m", 12345, 12345)
    except PermissionError:
        write_whole(tmp_path / "m", b"new")  # nobody's but ours
        return
    write_whole(tmp_path / "m", b"new")
    assert (tmp_path / "m").stat().st_uid == 12345
    assert (tmp_path / "m").stat().st_gid == 12345


def test_the_umask_is_never_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It belongs to all threads: another one's files would get other rights."""
    before = os.umask(0o027)
    os.umask(0o027)
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask was set"))
    threads = [
        threading.Thread(target=write_whole, args=(tmp_path / str(i), b"x")) for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    monkeypatch.undo()
    os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o640}


def fails(path: Path, error: type[BaseException]) -> None:
    with whole(path) as file:
        file.write(b"new")
        raise error("no")


def test_a_failure_inside_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"old")
    for error in (KeyError, KeyboardInterrupt, errors.InputError):
        with pytest.raises(error):
            fails(tmp_path / "m", error)
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
    assert (tmp_path / "m").read_bytes() == b"old"


def test_paths_that_cannot_be_are_our_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for path in ("a\0b", tmp_path / "a", tmp_path / ("x" * 300), tmp_path / "no" / "m"):
        with pytest.raises(errors.FileError, match="could not be written"):
            write_whole(path, b"")


def test_a_long_name_is_no_obstacle(tmp_path: Path) -> None:
    write_whole(tmp_path / ("x" * 250), b"new")
    write_whole(tmp_path / ("ü" * 120), b"new")
    assert len([*tmp_path.iterdir()]) == 2


def test_a_folder_that_cannot_be_synced_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, sync = [], os.fsync

    def broken(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 2:
            raise OSError(5, "Input/output error")
        sync(handle)

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(errors.FileError, match="power failure"):
        write_whole(tmp_path / "m", b"new")
    assert (tmp_path / "m").read_bytes() == b"new"
    monkeypatch.setattr(atomic_write, "UNSUPPORTED_SYNC_ERRORS", (5,))
    calls.clear()
    write_whole(tmp_path / "m", b"newer")
    assert (tmp_path / "m").read_bytes() == b"newer"
