"""What a table says is shown, and obeyed by no terminal, no spreadsheet and no slip of the pen."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tallylearn as tl
from tallylearn.cli import main
from tallylearn.cli.notices import MAX_NOTICES
from tallylearn.cli.terminal_text import visible
from tests.cli.test_cli import failed, fine, folder, learned, misused, tally

__all__ = ["folder"]
ESCAPE = "\x1b]0;owned\x07\x9b31m"


@pytest.fixture
def hostile() -> None:
    """A column, its values and the classes all hold what a terminal obeys."""
    rows = [f"{ESCAPE}{v},{i % 3}.5,{ESCAPE}{'uv'[i % 2]}" for i, v in enumerate("abab" * 5)]
    Path("h.csv").write_text("\n".join([f"n{ESCAPE},x,y", *rows]), encoding="utf-8")
    fine("learn", "h.csv", "--target", "y", "--model", "bayes", "-o", "h.tally")


def check(stdout: str, stderr: str) -> None:
    for text in (stdout, stderr):
        assert not {*"\x1b\x07\x9b"} & {*text}


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    "command",
    [
        "learn h.csv --target y --model bayes",
        "learn h.csv --target y --model id3",
        "learn h.csv --target y --model bayes --json",
        "show h.tally",
        "show h.tally --json",
        "explain h.tally",
        "explain h.tally h.csv",
        "explain h.tally h.csv --json",
        "explain h.tally h.csv --format html",
        "explain h.tally h.csv --format markdown",
        "evaluate h.csv --target y --model bayes --cv 2",
        "compare h.csv --target y --models bayes,majority --cv 2",
        "merge h.tally -o h2.tally",
        "predict h.tally h.csv --json",
    ],
)
def test_no_command_sends_what_a_terminal_obeys(command: str) -> None:
    result = tally(*command.split())
    assert result.exit_code == 0, result.stderr
    check(result.stdout, result.stderr)
    assert "owned" in result.stdout + result.stderr
    if "--json" in command:
        said = json.loads(result.stdout.splitlines()[0])
        assert ESCAPE in json.dumps(said, ensure_ascii=False).replace("\\u001b", "\x1b").replace(
            "\\u0007", "\x07"
        )


@pytest.mark.usefixtures("hostile")
def test_no_error_sends_what_a_terminal_obeys() -> None:
    for said in (
        failed("learn", f"no{ESCAPE}.csv", "--target", "y", "--model", "bayes"),
        failed("learn", "h.csv", "--target", f"y{ESCAPE}", "--model", "bayes"),
        failed("predict", "h.tally", "tennis.csv"),
        misused("learn", "h.csv", "--target", "y", "--model", ESCAPE),
    ):
        check(said, "")
        assert "owned" in said


@pytest.mark.usefixtures("hostile")
def test_the_header_of_probabilities_is_obeyed_by_no_terminal() -> None:
    from tallylearn.cli.predict_command import _text_writer
    from tallylearn.cli.prediction_files import PredictedRows

    found = PredictedRows({f"={ESCAPE}": pa.array([1])}, ["u"], np.ones((1, 1)), [f"{ESCAPE}u"])
    heads, text = _text_writer(False, True, True)(found)
    check("".join(heads), text)
    assert heads[0].startswith("'=")
    assert _text_writer(False, False, False)(found)[0] == found.names


def test_text_that_no_terminal_obeys_is_left_as_it_is() -> None:
    assert visible("Zoë\t日本\n½ · \U0001f600") == "Zoë\t日本\n½ · \U0001f600"
    assert visible("a\u202eb") == r"a\u202eb"


def test_classes_that_begin_as_formulas_are_quoted_on_request() -> None:
    names = ["=1+1", "+x", "-x", "@x", "plain"]
    rows = [f'{at}.5,"{name}"' for at, name in enumerate(names) for _ in range(4)]
    Path("f.csv").write_text("\n".join(["x,y", *rows]))
    fine("learn", "f.csv", "--target", "y", "--model", "tree", "-o", "f.tally")
    plain = fine("predict", "f.tally", "f.csv").splitlines()
    assert plain[1::4] == names
    quoted = fine("predict", "f.tally", "f.csv", "--spreadsheet").splitlines()
    assert quoted[1::4] == ["'=1+1", "'+x", "'-x", "'@x", "plain"]
    Path("k.csv").write_text("x,=a\n1.5,1\n")
    assert fine("predict", "f.tally", "k.csv", "--keep", "=a").splitlines()[0] == "=a,prediction"
    kept = fine("predict", "f.tally", "k.csv", "--keep", "=a", "--spreadsheet").splitlines()
    assert kept[0] == "'=a,prediction"


def test_numbers_are_no_formulas() -> None:
    Path("n.csv").write_text("x,y\n" + "1,-1\n2,1\n3,-1\n4,1\n" * 3)
    fine("learn", "n.csv", "--target", "y", "--model", "tree", "-o", "n.tally")
    assert "'" not in fine("predict", "n.tally", "n.csv", "--spreadsheet")


@pytest.mark.parametrize("model", ["bayes", "lda", "id3", "cart"])
def test_a_value_that_was_never_seen_is_flagged(model: str) -> None:
    fine("learn", "tennis.csv", "--target", "PlayTennis", "--model", model, "-o", "t.tally")
    row = "Suny,Cool,High,Strong"
    for command in ("predict", "explain"):
        result = tally(command, "t.tally", "--row", row)
        assert result.exit_code == 0, result.stderr
        said = result.stdout + result.stderr
        assert (
            "Outlook = 'Suny' was never seen; known values are 'Overcast', 'Rain', 'Sunny'." in said
        )
        known = tally(command, "t.tally", "--row", row.replace("Suny", "Sunny"))
        assert "never seen" not in known.stdout + known.stderr
    missing = tally("predict", "t.tally", "--row", "Wind=Weak")
    assert "never seen" not in missing.stderr


def test_the_row_of_a_value_that_was_never_seen_is_named() -> None:
    learned()
    rows = ("--row", "Sunny,Cool,High,Strong", "--row", "Sunny,Cold,High,Weak")
    result = tally("predict", "t.tally", *rows)
    assert len(result.stdout.splitlines()) == 3
    assert "row 2: Temperature = 'Cold' was never seen" in result.stderr
    assert "give the rows either as FILE or with --row" in misused("predict", "t.tally")


def test_the_librarys_explanation_flags_it_too() -> None:
    model = tl.NaiveBayes().fit(tl.example("tennis"))
    row = {"Outlook": "Suny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    for working in (model.explain(row)[0], tl.ID3().fit(tl.example("tennis")).explain(row)[0]):
        assert "'Suny' was never seen" in str(working)
        assert any("'Suny' was never seen" in note for note in working.notes)


def standard_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, terminal: bool, *words: str
) -> list[str]:
    """The lines on standard error, as they come on a terminal or in a pipe."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with pytest.raises(SystemExit):
        main(words)
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize("target", ["y", "the outcome of each row"])
def test_notices_and_errors_are_wrapped_on_a_terminal(
    target: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By words at 80 columns. The limit counts notices, and a pipe has one line for each."""
    table = ["id,zip,when,size,y"]
    table += [f"k{7 * i % 40},0{100 + i % 3},{1 + i % 28}.{1 + i % 12}.2024,{i} m²,{'uv'[i % 2]}"
              for i in range(40)]  # fmt: skip
    Path("wide.csv").write_text("\n".join(table), encoding="utf-8")
    words = ("evaluate", "wide.csv", "--target", target, "--model", "bayes", "--cv", "2")
    piped = standard_error(capsys, monkeypatch, False, *words)
    wrapped = standard_error(capsys, monkeypatch, True, *words)
    assert len(piped) <= MAX_NOTICES
    assert all(line.startswith("tally: ") for line in piped)
    assert max(map(len, piped)) > 80 >= max(map(len, wrapped))
    assert all(line.startswith(("tally: ", " " * 7)) for line in wrapped)
    assert " ".join(line.strip() for line in wrapped) == " ".join(piped)
