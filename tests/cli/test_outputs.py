"""What a command writes replaces no input, whatever it is called, and no file unless told to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_cli import failed, fine, folder, learned

__all__ = ["folder"]
LEARN = ("learn", "tennis.csv", "--target", "PlayTennis", "--model", "bayes")
WRITING = {
    "learn": (LEARN, ("tennis.csv",)),
    "predict": (("predict", "t.tally", "tennis.csv"), ("tennis.csv", "t.tally")),
    "evaluate": (("evaluate", *LEARN[1:], "--cv", "2"), ("tennis.csv",)),
    "compare": (
        ("compare", *LEARN[1:4], "--models", "bayes,majority", "--cv", "2"),
        ("tennis.csv",),
    ),
    "merge": (("merge", "t.tally", "u.tally"), ("t.tally", "u.tally")),
    "forget": (
        ("forget", "t.tally", "row.csv", "--target", "PlayTennis"),
        ("row.csv", "t.tally"),
    ),
}


@pytest.fixture(autouse=True)
def inputs() -> None:
    learned()
    learned("u.tally")
    rows = Path("tennis.csv").read_text().splitlines(keepends=True)
    Path("row.csv").write_text("".join(rows[:2]))


def names_of(path: str) -> list[str]:
    """The file under every name that it can go by."""
    os.symlink(path, f"soft-{path}")
    os.link(path, f"hard-{path}")
    os.makedirs("below", exist_ok=True)
    os.symlink("..", "below/up")
    return [path, f"./{path}", str(Path(path).absolute()), f"below/../{path}", f"soft-{path}",
            f"hard-{path}", f"below/up/{path}"]  # fmt: skip


@pytest.mark.parametrize("command", WRITING)
def test_no_output_replaces_an_input(command: str) -> None:
    arguments, read = WRITING[command]
    for path in read:
        before = Path(path).read_bytes()
        for name in names_of(path):
            for force in ((), ("--force",)):
                assert "is an input of this command" in failed(*arguments, "-o", name, *force)
        assert Path(path).read_bytes() == before
        os.unlink("below/up")


@pytest.mark.parametrize("command", WRITING)
def test_no_output_replaces_a_file_unless_it_is_told_to(command: str) -> None:
    arguments, _ = WRITING[command]
    report = command in ("evaluate", "compare")
    out = Path("out.json" if report else "out")
    out.write_text("mine")
    assert "out" in (said := failed(*arguments, "-o", out))
    assert "already exists" in said
    assert "--force" in said
    assert out.read_text() == "mine"
    fine(*arguments, "-o", out, "--force")
    assert out.read_bytes() != b"mine"


def test_a_member_of_a_glob_is_an_input() -> None:
    Path("part-1.csv").write_bytes(before := Path("tennis.csv").read_bytes())
    said = failed("learn", "part-*.csv", *LEARN[2:], "-o", "part-1.csv", "--force")
    assert "is an input of this command" in said
    assert "is an input" in failed("predict", "t.tally", "part-*.csv", "-o", "part-1.csv")
    assert Path("part-1.csv").read_bytes() == before


def run(
    arguments: tuple[str, ...], source: str, target: str = ""
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tallylearn", *arguments]
    with open(source) as read, open(target or os.devnull, "a") as write:
        return subprocess.run(command, stdin=read, stdout=write, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_what_standard_input_is_read_from_is_an_input(name: str) -> None:
    before = Path("tennis.csv").read_bytes()
    done = run(("predict", "t.tally", name, "-o", "tennis.csv", "--force"), "tennis.csv")
    assert done.returncode == 1
    assert "is an input of this command" in done.stderr
    assert Path("tennis.csv").read_bytes() == before


def test_nothing_is_appended_to_what_is_being_read() -> None:
    before = Path("tennis.csv").read_bytes()
    done = run(("predict", "t.tally", "tennis.csv"), os.devnull, "tennis.csv")
    assert done.returncode == 1
    assert "standard output is redirected to it" in done.stderr
    assert Path("tennis.csv").read_bytes() == before


def test_forgetting_changes_the_model_itself_where_no_output_is_named() -> None:
    before = Path("t.tally").read_bytes()
    fine("forget", "t.tally", "row.csv", "--target", "PlayTennis")
    assert Path("t.tally").read_bytes() != before
