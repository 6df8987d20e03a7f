"""The help of every command: its examples run, and it fits the terminal."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import tallylearn as tl
from tallylearn.cli import main
from tallylearn.cli.notices import MAX_NOTICES
from tallylearn.sources.example_tables import text_of

COMMANDS = [
    *sorted(main.commands),
    *(f"exercise {name}" for name in sorted(main.commands["exercise"].commands)),  # type: ignore[attr-defined]
]


def run(*arguments: object, **options: Any) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments], **options)


def fine(*arguments: object, **options: Any) -> Result:
    result = run(*arguments, **options)
    assert result.exit_code == 0, (arguments, result.output)
    return result


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the examples name."""
    monkeypatch.chdir(tmp_path)
    loans = text_of("loans")
    header, *rows = loans.splitlines()
    for name, some in (("january", rows[:300]), ("february", rows[300:]), ("withdrawn", rows[:9])):
        Path(f"{name}.csv").write_text("\n".join([header, *some, ""]))
    Path("loans.csv").write_text("\n".join([header, *rows[:120], ""]))
    Path("points.csv").write_text("x,y\n1,1\n1,2\n8,8\n9,8\n1,9\n2,9\n")
    Path("new-loans.csv").write_text(loans)
    Path("tennis.csv").write_text(text_of("tennis"))
    fine("learn", "loans.csv", "--target", "denied", "--model", "logistic", "-o", "loans.tally")
    fine("learn", "tennis.csv", "--target", "PlayTennis", "--model", "bayes", "-o", "tennis.tally")
    fine("learn", "january.csv", "--target", "denied", "--model", "bayes", "-o", "january.tally")
    fine("learn", "february.csv", "--like", "january.tally", "-o", "february.tally")
    fine("merge", "january.tally", "february.tally", "-o", "both.tally")
    shallow = ("--model", "cart", "--set", "max_depth=2", "-o", "tree.tally")
    fine("learn", "loans.csv", "--target", "denied", *shallow)
    tree = tl.load("tree.tally")
    tree.prune("reduced_error", "january.csv", "denied").save("small.tally")
    Path("flowers.csv").write_text("x,y,kind\n1,1,a\n1,2,a\n8,8,b\n9,8,b\n1,9,c\n2,9,c\n")
    tl.NaiveBayes().fit("flowers.csv", "kind").save("flowers.tally")
    Path("roster.csv").write_text("student\nAda\nBen\n")
    fine("exercise", "new", "entropy", "--students", "roster.csv", "-o", "sheets")


def examples(command: str) -> list[str]:
    """The lines of the help that call the command."""
    page = fine(*command.split(), "--help").output
    lines = page.partition("Examples:\n")[2].partition("\n\n")[0].splitlines()
    return [line.strip() for line in lines]


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_the_examples_of_the_help_run(command: str) -> None:
    found = examples(command)
    assert len(found) >= 2
    for line in found:
        piped = Path("loans.csv").read_bytes() if line.startswith("cat ") else None
        call = line[line.index("tally ") :].partition(" | ")[0].partition(" > ")[0]
        words = shlex.split(call, comments=True)[1:]
        written = [*words, "--force"] if "-o" in words and "--force" not in words else words
        result = fine(*written, input=piped)
        assert result.stderr.count("\n") <= MAX_NOTICES


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_the_help_fits_eighty_columns(command: str) -> None:
    page = fine(*command.split(), "--help").output
    assert max(map(len, page.splitlines())) <= 80


def test_the_help_lists_the_commands_in_the_order_of_the_work() -> None:
    listed = re.findall(r"^  ([a-z]+)  ", fine("--help").output, re.MULTILINE)
    assert listed == list(main.commands)
    assert listed[:9] == [
        "check", "describe", "learn", "explain", "evaluate", "compare", "tune", "predict", "report"
    ]  # fmt: skip


def test_an_option_of_one_meaning_has_one_name_in_every_command() -> None:
    """Older names work, and the help does not list them."""
    for old, new in (("--models", "--model"), ("--score", "--scoring"), ("--scores", "--scoring")):
        for command in ("learn", "evaluate", "compare"):
            page = fine(command, "--help").output
            assert f"  {old} " not in page
            assert new == "--scoring" or f"  {new} " in page
    compare = ("compare", "tennis.csv", "--target", "PlayTennis", "--cv", 2, "--json")
    asked = (
        ("--model", "bayes,majority"), ("--model", "bayes", "--model", "majority"),
        ("--models", "bayes,majority"),
    )  # fmt: skip
    assert len({fine(*compare, *models).stdout for models in asked}) == 1
    learn = ("learn", "tennis.csv", "--target", "PlayTennis", "--no-save")
    assert fine(*learn, "--models", "bayes").stdout == fine(*learn, "--model", "bayes").stdout
    result = run(*learn, "--model", "bayes,tree")
    assert result.exit_code == 2
    assert "tally compare FILE --target COLUMN --model bayes,tree" in result.stderr


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (("lern", "tennis.csv"), "learn"),
        (("learn", "tennis.csv", "--target", "PlayTenis"), "PlayTennis"),
        (("learn", "tennis.csv", "--target", "PlayTennis", "--model", "byes"), "bayes"),
        (("learn", "tennis.csv", "--target", "PlayTennis", "--ignore", "wind"), "Wind"),
        (("learn", "tennis.csv", "--target", "PlayTennis", "--modle", "bayes"), "--model"),
        (("learn", "tennis.csv", "--target", "PlayTennis", "--as", "Wnd=text"), "Wind"),
        (
            (
                "learn",
                "tennis.csv",
                "--target",
                "PlayTennis",
                "--model",
                "bayes",
                "--set",
                "alph=1",
            ),
            "alpha",
        ),
        (("evaluate", "tennis.csv", "--target", "PlayTennis", "--cv", "hold-out"), "holdout"),
        (("explain", "tennis.tally", "--row", "Outlok=Sunny"), "Outlook"),
        (("predict", "tennis.tally", "tennis.csv", "--keep", "Outlok"), "Outlook"),
        (("describe", "tennis.csv", "--target", "PlayTenis"), "PlayTennis"),
        (("evaluate", "tennis.csv", "--target", "PlayTennis", "--by", "wnd"), "Wind"),
        (("evaluate", "tennis.csv", "--target", "PlayTennis", "--scoring", "acuracy"), "accuracy"),
        (("tune", "tennis.csv", "--target", "PlayTenis", "--model", "bayes"), "PlayTennis"),
        (("example", "tenis"), "tennis"),
        (("exercise", "show", "entrpy"), "entropy"),
    ],
)
def test_a_misspelt_name_is_corrected(wrong: tuple[str, ...], right: str) -> None:
    result = run(*wrong)
    assert result.exit_code in (1, 2)
    question = result.stderr.lower().partition("did you mean")[2]
    assert right.lower() in question
    assert "--models" not in question
