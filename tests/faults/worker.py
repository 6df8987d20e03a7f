"""Every call of a kind fails once: what is asked for ends right, or in an error of ours.

Run with ``failing.c`` preloaded: ``worker FOLDER files|memory ERROR``. A line for every deed and
kind says how many calls failed; a line that begins with ! is a fault of ours.
"""

from __future__ import annotations

import ctypes
import errno
import io
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tallylearn as tl
from tallylearn import modelfile
from tallylearn.cli import main
from tallylearn.errors import FileError, TallyError

SHIM = ctypes.CDLL(None)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4)).round(2)
Y = RNG.integers(0, 3, 300)
FRAME = pd.DataFrame(X, columns=[*"abcd"]).assign(y=np.array([*"uvw"])[Y])
MANY = RNG.normal(size=(40_000, 4)).round(2)
SIDES = (MANY[:, 0] > 0).astype(int) + (MANY[:, 1] > 0.5)
MOST = 20_000  # calls of a deed

Deed = Callable[[], Any]
Check = Callable[[Any], str | None]


def say(*words: object) -> None:
    print(*words, flush=True)


def tried(kind: str, n: int, where: str, deed: Deed) -> tuple[bool, Any]:
    """Whether the n-th call failed, and what came of the deed: its result or its error."""
    code = getattr(errno, sys.argv[3])
    SHIM.fail_at(kind.encode(), where.encode(), ctypes.c_long(n), code)
    try:
        result: Any = deed()
    except BaseException as error:
        result = error
    return bool(SHIM.failed()), result


def swept(kind: str, where: str, deed: Deed, check: Check, allowed: Any) -> None:
    """Fail the first call, then the next, and so on, until none is left."""
    times = wrong = 0
    for n in range(MOST):
        failed, result = tried(kind, n, where, deed)
        if isinstance(result, BaseException) and not (failed and isinstance(result, allowed)):
            wrong += 1
            say("!", deed.__name__, kind, n, type(result).__name__, str(result)[:200])
        elif problem := check(result):
            wrong += 1
            say("!", deed.__name__, kind, n, problem)
        if not failed:
            break
        times += 1
    say(deed.__name__, kind, times, wrong)


def commanded(*words: str) -> int:
    """The exit status of the command."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as told:
        try:
            main(list(words), "tally")
        except SystemExit as ended:
            if "Traceback" in told.getvalue():
                raise AssertionError(told.getvalue()) from None
            return int(ended.code or 0)
    return 0


def of_files(folder: Path) -> None:
    """Saving, loading, the command's output, and reading every kind of file."""
    home = folder / "home"
    home.mkdir()
    old, new = tl.NaiveBayes().fit(X, Y), tl.NaiveBayes().fit(X[:200], Y[:200])
    path, out, where = home / "m.tally", home / "out.csv", str(home)
    FRAME.to_csv(home / "t.csv", index=False)
    FRAME.to_parquet(home / "t.parquet")
    FRAME.to_feather(home / "t.arrow", compression="uncompressed")
    right = modelfile.digests(tl.NaiveBayes().fit(home / "t.csv", "y"))
    new.save(path)
    fresh = path.read_bytes()
    old.save(path)
    stale = path.read_bytes()
    names = {entry.name for entry in home.iterdir()}

    def save() -> None:
        new.save(path)

    def saved(result: Any) -> str | None:
        found = path.read_bytes()
        path.write_bytes(stale)
        if found not in (stale, fresh) or (result is None and found != fresh):
            return "the file is torn"
        if {entry.name for entry in home.iterdir()} != names:
            return "something is left beside it"
        return None

    def written(result: Any) -> str | None:
        text = out.read_bytes() if out.exists() else b""
        if text not in (b"old", whole) or (result == 0 and text != whole):
            return "the output is torn"
        out.write_bytes(b"old")
        extra = {entry.name for entry in home.iterdir()} - names - {"out.csv"}
        return f"left: {extra}" if extra else None

    def predict() -> int:
        return commanded("predict", str(table), str(home / "t.csv"), "-o", str(out), "--force")

    def load() -> Any:
        return modelfile.digests(tl.load(path))

    for kind in ("open", "write", "sync", "rename"):
        swept(kind, where, save, saved, FileError)
    old.save(path)
    for kind in ("open", "read"):
        swept(kind, where, load, same(modelfile.digests(old)), FileError)
    for ending in ("csv", "parquet", "arrow"):

        def fit(ending: str = ending) -> Any:
            return modelfile.digests(tl.NaiveBayes().fit(home / f"t.{ending}", "y"))

        fit.__name__ = f"fit_{ending}"
        for kind in ("open", "read"):
            swept(kind, where, fit, same(right), FileError)
    table = folder / "table.tally"
    tl.NaiveBayes().fit(home / "t.csv", "y").save(table)
    if predict() != 0:
        say("! the command fails by itself")
    whole = out.read_bytes()
    for kind in ("open", "read", "write", "sync", "rename"):
        swept(kind, where, predict, written, ())


def same(right: Any) -> Check:
    return lambda got: None if isinstance(got, BaseException) or got == right else "wrong"


def of_memory() -> None:
    """What learns and answers: an allocation that fails changes nothing.

    Not what reads and writes model files: safetensors is written in Rust, which ends the process.
    """
    makers: dict[str, Any] = {
        "bayes": tl.NaiveBayes, "tree": tl.DecisionTreeClassifier, "c45": tl.C45,
        "lda": tl.LinearDiscriminantAnalysis, "centroid": tl.NearestCentroid,
    }  # fmt: skip
    for name, make in makers.items():
        whole = make().fit(MANY, SIDES)
        right, answers = modelfile.digests(whole), whole.predict(MANY).tolist()

        def fit(make: Any = make) -> Any:
            return modelfile.digests(make().fit(MANY, SIDES))

        def predict(whole: Any = whole) -> Any:
            return whole.predict(MANY).tolist()

        for deed, expected in ((fit, right), (predict, answers)):
            deed.__name__ = f"{deed.__name__}_{name}"
            swept("allocate", "", deed, same(expected), (TallyError, MemoryError))
    changed()


def changed() -> None:
    """An estimator that learns or forgets more does so wholly, or stays what it was."""
    for verb in ("partial_fit", "forget"):
        kept = [tl.NaiveBayes().fit(MANY, SIDES), tl.NaiveBayes().fit(MANY, SIDES)]
        before = modelfile.digests(kept[1])
        getattr(kept[1], verb)(MANY[::2], SIDES[::2])
        after = modelfile.digests(kept[1])

        def deed(verb: str = verb, kept: list[Any] = kept) -> None:
            getattr(kept[0], verb)(MANY[::2], SIDES[::2])

        def check(
            result: Any, kept: list[Any] = kept, before: Any = before, after: Any = after
        ) -> str | None:
            want, found = after if result is None else before, modelfile.digests(kept[0])
            kept[0] = tl.NaiveBayes().fit(MANY, SIDES)
            return None if found == want else "half changed"

        deed.__name__ = verb
        swept("allocate", "", deed, check, (TallyError, MemoryError))


if __name__ == "__main__":
    if sys.argv[2] == "files":
        of_files(Path(sys.argv[1]))
    else:
        of_memory()
    say("end")
