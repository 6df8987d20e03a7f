"""The ``tally`` command: what it says, what it writes, and with which exit code it ends."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import tallylearn as tl
from tallylearn import engines
from tallylearn.cli import main
from tallylearn.cli.reading_progress import Progress, estimate_rows
from tallylearn.sources.example_tables import TARGETS, text_of
from tests.printed_text import unwrapped

TENNIS = """\
The probability of PlayTennis = No is 79.5 %; it is 35.7 % by the prior.
Reasons, the largest effect first:
- Outlook = Sunny raised it from 35.7 % to 60.0 %
- Humidity = High raised it from 60.0 % to 78.3 %
- Wind = Strong raised it from 78.3 % to 86.6 %
- Temperature = Cool lowered it from 86.6 % to 79.5 %

No   5/14 · 3/5 · 1/5 · 4/5 · 3/5 = 18/875   79.5 %
Yes  9/14 · 2/9 · 3/9 · 3/9 · 3/9 =  1/189   20.5 %
"""
COMMANDS = (
    "learn", "predict", "explain", "evaluate", "compare", "merge", "forget", "show", "example",
)  # fmt: skip
Tally = Callable[..., Result]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own with the tennis tables in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TALLY_DEBUG", raising=False)
    for name in ("tennis", "tennis-day"):
        Path(f"{name}.csv").write_text(text_of(name))
    return tmp_path


def tally(*arguments: object) -> Result:
    """Run the command; an exception that is no exit is a failure of the test."""
    result = CliRunner().invoke(main, list(map(str, arguments)))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def fine(*arguments: object) -> str:
    result = tally(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def failed(*arguments: object) -> str:
    """The one sentence of an error, behind what was said before it."""
    result = tally(*arguments)
    assert result.exit_code == 1
    assert "Traceback" not in result.stderr
    assert result.stderr.startswith("tally: ")
    return result.stderr.splitlines()[-1].removeprefix("tally: ")


def misused(*arguments: object) -> str:
    result = tally(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    return result.stderr


def learned(name: str = "t.tally", file: object = "tennis.csv", *more: object) -> Path:
    fine("learn", file, "--target", "PlayTennis", "--model", "bayes", "-o", name, *more)
    return Path(name)


def shell(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tallylearn", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


# the first screen


def test_the_first_screen_of_the_readme_comes_out_to_the_letter() -> None:
    Path("tennis.csv").write_text(fine("example", "tennis"))
    learned("t.tally", "tennis.csv", "--alpha", 0)
    assert fine("explain", "t.tally", "--row", "Sunny,Cool,High,Strong") == TENNIS


def test_every_command_has_help_with_an_example() -> None:
    for command in COMMANDS:
        text = fine(command, "--help")
        assert f"  tally {command} " in text
    assert "Exit codes:" in fine("--help")
    assert fine("--version") == f"tally, version {tl.__version__}\n"


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from tallylearn.cli import main; main(['--help'], standalone_mode=False); "
        "heavy = {'numpy', 'pyarrow', 'scipy', 'rich', 'safetensors'} & {*sys.modules}; "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")


# learn


def test_learning_says_how_the_table_was_read_and_what_was_learned() -> None:
    result = tally(
        "learn", "tennis.csv", "--target", "PlayTennis", "--model", "bayes", "-o", "t.tally"
    )
    assert result.stderr.splitlines() == [
        "tally: read tennis.csv: 4 categorical columns; target PlayTennis.",
        "tally: concept learning: accuracy; baseline 0.643 (always predicts Yes).",
    ]
    assert result.stdout.splitlines() == [
        "NaiveBayes() fitted to 14 rows",
        "classes       No 5, Yes 9",
        "categories    Outlook, Temperature, Humidity, Wind",
        "saved         t.tally",
    ]
    result = tally("learn", "tennis.csv", "--target", "PlayTennis", "--model", "bayes", "-v")
    assert {
        "tally: tennis.csv: comma-separated, decimal point, UTF-8, with a header.",
        "tally: categories: Outlook, Temperature, Humidity, Wind.",
        "tally: concept learning: predict PlayTennis (2 classes: No 5, Yes 9) from 4 columns of "
        "categories.",
    } < {*result.stderr.splitlines()}


def test_learning_points_out_what_to_be_careful_about() -> None:
    rows = "".join(f"{at % 2},{'ab'[at % 2]},x,{at % 5 or ''},{'ny'[at % 2]}\n" for at in range(40))
    Path("odd.csv").write_text(f"copy,twin,same,gap,y\n{rows}")
    result = tally("learn", "odd.csv", "--target", "y", "--model", "bayes", "-o", "o.tally")
    told = [
        "tally: warning: same has the same value in all 40 rows.",
        "tally: warning: copy gives y away: one to one, on all 40 rows.",
        "tally: warning: twin gives y away: one to one, on all 40 rows.",
    ]
    assert result.stderr.splitlines()[1:] == [
        *told[:2],
        "tally: 3 more notes. To print them: --verbose.",
    ]
    result = tally("learn", "odd.csv", "--target", "y", "--model", "bayes", "--verbose")
    assert {*told} < {*result.stderr.splitlines()}


def test_what_was_left_out_is_told_once() -> None:
    rows = "".join(f"k{at},{at:04},{at % 7},{'ny'[at % 3 == 0]}\n" for at in range(60))
    Path("ids.csv").write_text(f"who,no,x,y\n{rows}")
    result = tally("learn", "ids.csv", "--target", "y", "--model", "bayes", "-v")
    for name in ("who", "no"):
        told = [line for line in result.stderr.splitlines() if f"{name}:" in line
                or f"{name} is not used" in line]  # fmt: skip
        assert len(told) == 1
        assert told[0].startswith(f"tally: left out {name}: ")


def messages(n: int = 60) -> list[tuple[str, str]]:
    """Texts of five words, each with its class."""
    words = ("win free prize call now cash", "see you at home for dinner")
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(words[at % 2].split(), 5)) for at in range(n)]
    return [(f"{text} {at}", ("spam", "ham")[at % 2]) for at, text in enumerate(texts)]


def test_a_table_of_text_alone_is_learned_by_naive_bayes_where_no_model_is_named() -> None:
    Path("sms.csv").write_text("msg,label\n" + "".join(f"{m},{c}\n" for m, c in messages()))
    result = tally("evaluate", "sms.csv", "--target", "label")
    assert "tally: --model bayes is used, because --model tree cannot use text columns (msg)." in (
        result.stderr.splitlines()
    )
    assert "NaiveBayes() on 60 rows" in result.stdout
    result = tally("learn", "sms.csv", "--target", "label", "--model", "tree")
    assert result.exit_code == 1
    assert "NaiveBayes and LogisticRegression take text" in result.stderr


def test_text_that_a_learner_cannot_take_is_left_out_and_told() -> None:
    lines = [f"{at % 5},{m},{c}\n" for at, (m, c) in enumerate(messages())]
    Path("sms.csv").write_text("x,msg,label\n" + "".join(lines))
    for model in ("tree", "forest", "lda"):
        result = tally("learn", "sms.csv", "--target", "label", "--model", model, "-o", "m.tally",
                       "--force")  # fmt: skip
        assert result.exit_code == 0
        (told,) = (
            line for line in result.stderr.splitlines() if "left out msg: it is text" in line
        )
        assert told.endswith("--model bayes and --model logistic can.")
        assert tl.load("m.tally").schema_.names == ("x",)
        assert fine("predict", "m.tally", "sms.csv").count("\n") == 61
    page = json.loads(fine("evaluate", "sms.csv", "--target", "label", "--json"))
    assert [*page["left_out"]] == ["msg"]
    fine("learn", "sms.csv", "--target", "label", "--model", "logistic", "-o", "m.tally", "--force")
    assert tl.load("m.tally").schema_.names == ("x", "msg")


def test_the_dates_of_rows_are_told_before_an_out_of_bag_score() -> None:
    lines = [
        f"2024-{at % 12 + 1:02}-{at % 28 + 1:02},{at % 5},{'ab'[at % 2]}\n" for at in range(60)
    ]
    Path("days.csv").write_text("day,x,y\n" + "".join(lines))
    told = "the rows have dates (day), and an out-of-bag score predicts rows from later ones"
    learned = tally("learn", "days.csv", "--target", "y", "--model", "forest", "-o", "d.tally")
    assert f"warning: {told}: evaluate with --cv forward --order day" in learned.stderr
    arguments = ("evaluate", "days.csv", "--target", "y", "--model", "forest", "--cv")
    assert f"Caution: {told}" in unwrapped(fine(*arguments, "oob"))
    assert told not in fine(*arguments, "forward", "--order", "day")


def test_an_identifier_that_tells_the_target_is_told_with_an_option_that_works() -> None:
    rows = "".join(f"{at:04},{at * 7 % 5},{'ab'[at > 50]}\n" for at in range(100))
    Path("ids.csv").write_text(f"no,x,y\n{rows}")
    tree = ("--model", "tree", "-o", "o.tally")
    result = tally("learn", "ids.csv", "--target", "y", *tree, "-v")
    assert "tally: left out no: all of its 100 values are different. To use it: --keep no." in (
        result.stderr.splitlines()
    )
    assert "--keep no learns from it as categories, --as no=number as numbers." in result.stderr
    report = fine("evaluate", "ids.csv", "--target", "y", "--as", "no=number")
    assert "accuracy 0.99" in report


def test_of_a_long_file_the_first_rows_pose_the_problem() -> None:
    Path("long.csv").write_text("x,y\n" + "0.5,a\n1.5,b\n" * 33_000 + "2.5,c\n")
    result = tally("learn", "long.csv", "--target", "y", "--model", "bayes", "-o", "l.tally", "-v")
    said = "predict y (2 classes: a 32,768, b 32,768) from 1 column of numbers "
    assert f"{said}(in the first 65,536 rows)." in result.stderr
    assert "classes       a 33,000, b 33,000, c 1" in result.stdout


def test_the_problem_is_one_of_the_learner_that_is_chosen() -> None:
    Path("n.csv").write_text("x,y\n" + "1,0\n2,1\n" * 20)
    for model, name in (("bayes", "classification"), ("mean", "regression")):
        page = json.loads(fine("learn", "n.csv", "--target", "y", "--model", model, "--json"))
        assert (page["problem"]["name"], page["problem"]["kind"]) == (name, "supervised")


def test_without_a_place_to_save_the_working_is_shown() -> None:
    shown = fine("learn", "tennis.csv", "--target", "PlayTennis", "--model", "bayes")
    work = f"{tl.NaiveBayes().fit(tl.example('tennis')).show_work()}\n"
    assert shown == f"{work}\nsaved         tennis.tally\n"
    given = ("tennis.csv", "--target", "PlayTennis", "--model", "bayes", "--no-save")
    Path("tennis.tally").unlink()
    assert fine("learn", *given) == work
    assert not list(Path().glob("*.tally"))


def test_identifiers_are_left_out_and_keep_brings_them_back() -> None:
    arguments = ("learn", "tennis-day.csv", "--target", "PlayTennis", "--model", "bayes", "--json")
    result = tally(*arguments)
    said = "tally: left out Day: all of its 14 values are different. To use it: --keep Day."
    assert said in result.stderr
    assert json.loads(result.stdout)["columns"][0] == {"name": "Day", "kind": "identifier"}
    assert json.loads(result.stdout)["left_out"] == {"Day": "all of its 14 values are different"}
    for kept in ("--keep", "--categories"):
        page = json.loads(fine(*arguments, kept, "Day"))
        assert page["columns"][0] == {"name": "Day", "kind": "category"}
        assert page["left_out"] == {}
    assert "--keep: the table has no column 'day'. Did you mean 'Day'?" in failed(
        *arguments, "--keep", "day"
    )


def test_several_files_and_globs_are_one_table() -> None:
    rows = text_of("tennis").splitlines(keepends=True)
    Path("b[1].csv").write_text("".join(rows[:6]))
    Path("c.csv").write_text("".join([rows[0], *rows[6:]]))
    whole = tl.load(learned("whole.tally"))
    parts = tl.load(learned("parts.tally", "b[1].csv", "c.csv"))
    globbed = tl.load(learned("globbed.tally", "[bc]*.csv"))
    assert whole.tally_ == parts.tally_ == globbed.tally_
    message = failed("learn", "c.csv", "*.csv", "--target", "PlayTennis", "--model", "bayes")
    assert message == "c.csv is named 2 times, so its rows would count 2 times. Name it once."


def test_every_learner_can_be_chosen() -> None:
    Path("n.csv").write_text("x;y;c\n1,5;2,5;a\n3,5;4,5;b\n5,0;6,0;b\n")
    for model, learner in (("centroid", "NearestCentroid"), ("majority", "DummyClassifier")):
        page = json.loads(fine("learn", "n.csv", "--target", "c", "--model", model, "--json"))
        assert page["learner"] == learner
        assert page["classes"] == [{"name": "a", "rows": 1}, {"name": "b", "rows": 2}]
        assert page["dialect"].startswith("semicolon-separated, decimal comma")
    fine("learn", "n.csv", "--target", "y", "--model", "mean", "-o", "m.tally")
    assert fine("predict", "m.tally", "n.csv").splitlines()[1:] == [str(13 / 3)] * 3
    assert "--proba needs a classifier" in misused("predict", "m.tally", "n.csv", "--proba")
    Path("line.csv").write_text("x,y\n" + "".join(f"{x},{3 * x}\n" for x in range(9)))
    fine("learn", "line.csv", "--target", "y", "--model", "m5", "--keep", "x", "--force",
         "-o", "m.tally")  # fmt: skip
    told = [float(line) for line in fine("predict", "m.tally", "line.csv").splitlines()[1:]]
    assert told == pytest.approx([3 * x for x in range(9)])


def test_trees_are_learned_saved_and_shown() -> None:
    for model in ("tree", "id3", "c45", "cart"):
        fine("learn", "tennis.csv", "--target", "PlayTennis", "--model", model, "--force",
             "-o", "t.tally")  # fmt: skip
        said = fine("predict", "t.tally", "tennis.csv").splitlines()[1:]
        assert said == tl.example("tennis").target.to_pylist()
    tree = str(tl.ID3().fit(tl.example("tennis")))
    for more in (("--no-save",), ("-o", "t.tally", "--force")):
        said = fine("learn", "tennis.csv", "--target", "PlayTennis", "--model", "id3", *more)
        assert said.endswith(f"\n\n{tree}\n")
    assert "merge and forget do not work" in fine("show", "t.tally")
    Path("n.csv").write_text("x,y\n1,2.5\n2,2.5\n3,9\n")
    given = ["--model", "cart", "--set", "task=regression", "-o", "r.tally"]
    fine("learn", "n.csv", "--target", "y", *given)
    assert fine("predict", "r.tally", "n.csv").splitlines()[1:] == ["2.5", "2.5", "9.0"]
    wrong = ("learn", "tennis.csv", "--target", "PlayTennis", "--model", "id3", "--set", "alpha=1")
    assert "--model id3 has no option" in misused(*wrong)


def test_every_model_says_how_many_rows_it_learned_from() -> None:
    Path("n.csv").write_text("x,y\n" + "".join(f"{x / 3},{x * x / 7}\n" for x in range(30)))
    for model in ("tree", "id3", "c45", "cart", "bayes", "majority"):
        given = ("tennis.csv", "--target", "PlayTennis", "--model", model)
        said = fine("learn", *given, "-o", f"{model}.tally")
        assert said.splitlines()[0].endswith(" fitted to 14 rows")
    for model in ("tree", "cart", "m5", "lms", "mean"):
        said = fine("learn", "n.csv", "--target", "y", "--model", model, "-o", f"{model}2.tally")
        assert said.splitlines()[0].endswith(" fitted to 30 rows")
        page = json.loads(fine("learn", "n.csv", "--target", "y", "--model", model, "--json"))
        assert page["rows"] == 30


def prices(fractions: bool) -> None:
    rows = [f"{i % 7},{1000 + 37 * i}{'.5' * fractions}" for i in range(40)]
    Path("p.csv").write_text("\n".join(["rooms,price", *rows]))


@pytest.mark.parametrize("fractions", [True, False])
@pytest.mark.parametrize("model", ["tree", "cart"])
def test_a_tree_of_many_numbers_is_a_regression_and_says_so(model: str, fractions: bool) -> None:
    prices(fractions)
    given = ("p.csv", "--target", "price", "--model", model)
    done = tally("learn", *given, "--json")
    assert json.loads(done.stdout)["learner"] == "DecisionTreeRegressor"
    assert f"--model {model} is DecisionTreeRegressor: price has 40 distinct numbers" in (
        done.stderr
    )
    assert "--set task=classification" in done.stderr
    assert fine("evaluate", *given, "--cv", "2").startswith("DecisionTreeRegressor() on 40 rows")
    assert tl.problem("p.csv", "price").name == "regression"  # one rule for library and command


def test_a_tree_of_a_few_whole_numbers_names_classes() -> None:
    Path("p.csv").write_text("\n".join(["x,stars", *(f"{i % 7},{i % 4}" for i in range(40))]))
    done = tally("learn", "p.csv", "--target", "stars", "--model", "cart", "--json")
    assert json.loads(done.stdout)["learner"] == "DecisionTreeClassifier"
    assert "stars has 4 distinct numbers. For regression: --set task=regression" in done.stderr
    assert tl.problem("p.csv", "stars").name == "classification"
    other = fine("learn", "p.csv", "--target", "stars", "--model", "cart", "--json",
                 "--set", "task=regression")  # fmt: skip
    assert json.loads(other)["learner"] == "DecisionTreeRegressor"


@pytest.mark.parametrize(
    "asked", [("bayes",), ("cart", "--set", "task=classification"), ("tree", "--set", "loss=[]")]
)
def test_a_classifier_of_many_numbers_says_so_aloud(asked: tuple[str, ...]) -> None:
    prices(False)
    done = tally("learn", "p.csv", "--target", "price", "--model", *asked)
    assert "answers with classes, and price has 40 different numbers: each is a class" in (
        done.stderr
    )


def test_models_that_look_at_the_target_are_compared_on_its_numbers() -> None:
    prices(True)
    said = fine("compare", "p.csv", "--target", "price", "--models", "tree,m5,mean", "--cv", "3")
    assert "mae" in said
    assert "task=ranking: the task is classification or regression" in misused(
        "learn", "p.csv", "--target", "price", "--model", "tree", "--set", "task=ranking"
    )


def test_options_reach_the_learner_by_their_name() -> None:
    arguments = ("learn", "tennis.csv", "--target", "PlayTennis", "--model", "bayes", "--json")
    assert json.loads(fine(*arguments, "--m", 2))["options"]["m"] == 2
    given = ["fit_prior=False", "at_half=positive", "class_prior=[0.5, 0.5]"]
    said = json.loads(fine(*arguments, *(word for one in given for word in ("--set", one))))
    assert said["options"]["fit_prior"] is False
    assert said["options"]["at_half"] == "positive"
    assert said["options"]["class_prior"] == [0.5, 0.5]


def test_an_option_that_does_not_fit_the_model_is_named_with_it() -> None:
    arguments = ("learn", "tennis.csv", "--target", "PlayTennis", "--model")
    assert "--model centroid has no option 'alpha'" in misused(*arguments, "centroid", "--alpha", 1)
    assert "--model bayes has no option 'depth'" in misused(*arguments, "bayes", "--set", "depth=3")
    assert "alpha is given twice" in misused(*arguments, "bayes", "--alpha", 1, "--set", "alpha=2")
    assert "write name=value" in misused(*arguments, "bayes", "--set", "alpha")
    assert "--alpha and --m exclude" in misused(*arguments, "bayes", "--alpha", 2, "--m", 2)


def test_what_is_declared_about_a_table_is_respected() -> None:
    Path("d.csv").write_text(
        "zip,when,note,size,w,y\n1,2026-01-05,a,-9,1,p\n2,2026-02-06,b,3,2,p\n1,2026-02-06,b,4,1,p\n"
        "1,2026-03-07,c,5,0,p\n2,2026-03-07,c,5,1,q\n2,2026-03-07,c,7,1,q\n"
    )
    said = "--categories zip --dates when=month --ignore note --missing -9 --weight w"
    page = json.loads(
        fine("learn", "d.csv", "--target", "y", "--model", "bayes", "--json", *said.split())
    )
    kinds = {column["name"]: column["kind"] for column in page["columns"]}
    assert kinds == {"zip": "category", "when.month": "category", "size": "number"}
    assert page["classes"] == [{"name": "p", "rows": 4}, {"name": "q", "rows": 2}]
    assert page["rows"] == 5


def test_a_number_that_marks_missing_is_missing_in_parquet_too() -> None:
    table = pa.table({"x": [1.0, -9.0, 3.0, 5.0], "y": ["a", "a", "b", "b"]})
    pq.write_table(table, "n.parquet")
    fine(
        "learn",
        "n.parquet",
        "--target",
        "y",
        "--model",
        "centroid",
        "--missing",
        "-9",
        "-o",
        "c.tally",
    )
    assert tl.load("c.tally").centroids_.tolist() == [[1.0], [4.0]]


def test_the_dialect_can_be_said() -> None:
    Path("odd.txt").write_bytes("grün|1,5|ja\nrot|2,5|nein\n".encode("latin-1"))
    page = json.loads(
        fine("learn", "odd.txt", "--target", "x2", "--model", "bayes", "--json", "--no-header",
             "--delimiter", "|", "--decimal", ",", "--encoding", "latin-1")
    )  # fmt: skip
    assert page["dialect"] == "pipe-separated, decimal comma, LATIN-1, without a header"
    assert [column["kind"] for column in page["columns"]] == ["category", "number"]
    Path("tabs.txt").write_text("a\tb\n1\tx\n2\ty\n")
    page = json.loads(
        fine(
            "learn", "tabs.txt", "--target", "b", "--model", "bayes", "--delimiter", "tab", "--json"
        )
    )
    assert page["dialect"].startswith("tab-separated")


def test_large_counts_are_written_in_full() -> None:
    values = {"x": np.arange(140_000) % 5.0, "y": np.arange(140_000) % 2}
    pq.write_table(pa.table(values), "long.parquet")
    shown = fine("learn", "long.parquet", "--target", "y", "--model", "bayes", "-o", "l.tally")
    assert "fitted to 140,000 rows" in shown
    assert "classes       0 70,000, 1 70,000" in shown


def test_threads_do_not_change_a_digest() -> None:
    rng = np.random.default_rng(0)
    table = {"x": rng.normal(size=150_000), "y": rng.integers(0, 2, 150_000)}
    pq.write_table(pa.table(table), "long.parquet")
    digests = set()
    for threads in (1, 2):
        fine("learn", "long.parquet", "--target", "y", "--model", "bayes", "--threads", threads,
             "--force", "-o", "l.tally")  # fmt: skip
        digests.add(json.loads(fine("show", "l.tally", "--json"))["digest"])
    assert len(digests) == 1


def test_a_model_without_its_tally_predicts_and_does_not_forget() -> None:
    learned("bare.tally", "tennis.csv", "--no-tally")
    assert len(fine("predict", "bare.tally", "tennis.csv").splitlines()) == 15
    assert "merge and forget do not work" in fine("show", "bare.tally")
    assert json.loads(fine("show", "bare.tally", "--json"))["tally"] is False
    assert "tally" in failed("forget", "bare.tally", "tennis.csv", "--target", "PlayTennis")


def test_a_baseline_needs_no_column() -> None:
    Path("only.csv").write_text("key,y\n" + "".join(f"k{at},{at % 2}\n" for at in range(20)))
    fine("learn", "only.csv", "--target", "y", "--model", "majority", "-o", "o.tally")
    assert fine("predict", "o.tally", "only.csv") == "prediction\n" + "0\n" * 20
    assert "has no input columns" in failed("explain", "o.tally", "--row", "k1")
    message = failed("learn", "only.csv", "--target", "y", "--model", "bayes")
    assert message.endswith("Use it anyway with --keep key.")
    said = "warning: no other column is there, and none is used: --keep key takes one"
    assert said in " ".join(fine("check", "only.csv", "--target", "y").split())


# predict


def test_predictions_are_those_of_the_library() -> None:
    learned()
    model = tl.load("t.tally")
    rows = list(csv.DictReader(io.StringIO(fine("predict", "t.tally", "tennis.csv", "--proba"))))
    assert [row["prediction"] for row in rows] == model.predict("tennis.csv").tolist()
    shares = [[float(row["P(No)"]), float(row["P(Yes)"])] for row in rows]
    assert shares == model.predict_proba("tennis.csv").tolist()
    lines = fine("predict", "t.tally", "tennis.csv", "--proba", "--json").splitlines()
    assert json.loads(lines[0]) == {
        "prediction": rows[0]["prediction"],
        "probabilities": {"No": shares[0][0], "Yes": shares[0][1]},
    }


def test_a_threshold_decides_between_two_classes() -> None:
    learned("t.tally")
    model = tl.load("t.tally")
    said = fine("predict", "t.tally", "tennis.csv", "--threshold", 0.9).splitlines()[1:]
    assert said == model.predict("tennis.csv", 0.9).tolist() != model.predict("tennis.csv").tolist()
    said = fine("predict", "t.tally", "tennis.csv", "--threshold", 0.2, "--positive", "No")
    assert said.splitlines()[1:] == model.predict("tennis.csv", 0.2, positive="No").tolist()
    given = ("predict", "t.tally", "tennis.csv")
    assert "--positive names the class of --threshold" in misused(*given, "--positive", "No")
    assert "positive is 'Maybe'" in failed(*given, "--threshold", 0.2, "--positive", "Maybe")


def test_many_blocks_are_predicted_in_order() -> None:
    x = np.arange(200_000) % 7.0
    table = pa.table({"x": x, "y": np.where(x > 3, "high, or so", "low")})
    pq.write_table(table, "long.parquet")
    fine("learn", "long.parquet", "--target", "y", "--model", "centroid", "-o", "l.tally")
    result = tally("predict", "l.tally", "long.parquet", "-o", "out.csv")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "tally: wrote out.csv.\n")
    with open("out.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["prediction"]
    assert [row[0] for row in rows] == table["y"].to_pylist()


def test_an_output_appears_whole_or_not_at_all() -> None:
    learned()
    Path("out.csv").write_text("before")
    rows = "Sunny,Hot,High,Weak\n" * 70_000
    Path("bad.csv").write_text(f"Outlook,Temperature,Humidity,Wind\n{rows}too,few\n")
    assert "bad.csv" in failed("predict", "t.tally", "bad.csv", "-o", "out.csv", "--force")
    assert Path("out.csv").read_text() == "before"
    assert sorted(path.name for path in Path().iterdir() if path.name.startswith(".")) == []
    fine("predict", "t.tally", "tennis.csv", "-o", "out.csv", "--force")
    assert Path("out.csv").read_text() == fine("predict", "t.tally", "tennis.csv", "-o", "-")


def test_a_link_stays_a_link_and_a_device_a_device() -> None:
    learned()
    Path("there.csv").write_text("")
    Path("link.csv").symlink_to("there.csv")
    fine("predict", "t.tally", "tennis.csv", "-o", "link.csv", "--force")
    assert Path("link.csv").is_symlink()
    assert Path("there.csv").read_text().startswith("prediction")
    fine("predict", "t.tally", "tennis.csv", "-o", os.devnull)
    assert Path(os.devnull).is_char_device()
    message = failed("merge", "t.tally", "-o", os.devnull)
    assert (
        message
        == f"{os.devnull} cannot be written: it exists and is not a file. Choose another file."
    )


def test_a_table_that_does_not_fit_the_model_is_refused() -> None:
    learned()
    Path("less.csv").write_text("Outlook,Humidity\nSunny,High\n")
    message = failed("predict", "t.tally", "less.csv")
    assert message.startswith("less.csv has no column")
    assert "'Temperature', 'Wind'. It has 'Outlook', 'Humidity'" in message
    Path("none.csv").write_text("Outlook,Temperature,Humidity,Wind\n")
    assert failed("predict", "t.tally", "none.csv").startswith("the table has no rows.")


# explain


def test_a_row_is_given_by_place_or_by_name() -> None:
    learned("t.tally", "tennis.csv", "--alpha", 0)
    named = "Wind=Strong,Humidity=High,Temperature=Cool,Outlook=Sunny"
    assert fine("explain", "t.tally", "--row", named) == TENNIS
    assert fine("explain", "t.tally", "--row", '"Sunny", Cool ,High,"Strong"') == TENNIS
    less = fine("explain", "t.tally", "--row", "Outlook=Sunny")
    assert less == fine("explain", "t.tally", "--row", "Sunny,,?,NA")
    assert "\n\nNo   5/14 · 3/5 = 3/14   60.0 %\n" in less


def test_a_row_that_does_not_fit_is_refused_with_the_reason() -> None:
    Path("n.csv").write_text("size,when,kind\n1,2026-01-01,a\n2,2026-01-03,b\n4,2026-01-09,b\n")
    fine("learn", "n.csv", "--target", "kind", "--model", "bayes", "-o", "n.tally")
    explain = ("explain", "n.tally", "--row")
    assert "1 values, and the model has 2 columns: 'size', 'when'" in failed(*explain, "3")
    assert failed(*explain, "big,2026-01-01") == "--row: column 'size' needs a number, not 'big'."
    assert "column 'size' needs a number" in failed(*explain, "inf,2026-01-01")
    assert "column 'when' needs a date" in failed(*explain, "3,soon")
    assert "the model has no column 'colour'" in failed(*explain, "size=3,colour=red")
    assert "gives 'size' twice" in failed(*explain, "size=3,size=4")
    day = fine(*explain, "3,2026-01-02")
    assert day == fine(*explain, "size=3,when=2026-01-02T02:00:00+02:00")


def test_a_date_that_was_taken_apart_is_given_whole() -> None:
    Path("d.csv").write_text("when,y\n2026-01-05,p\n2026-02-06,q\n2026-02-07,q\n")
    fine(
        "learn",
        "d.csv",
        "--target",
        "y",
        "--model",
        "bayes",
        "--dates",
        "when=month",
        "-o",
        "d.tally",
    )
    assert "\n\nq " in fine("explain", "d.tally", "--row", "2025-02-01")
    assert "\n\np " in fine("explain", "d.tally", "--row", "2025-01-01")


def test_rows_of_a_file_are_explained_under_their_numbers() -> None:
    learned()
    shown = fine("explain", "t.tally", "tennis.csv", "--rows", "3-4")
    explanation = tl.load("t.tally").explain("tennis.csv")
    assert shown == f"Row 3\n\n{explanation[1]}\n\nRow 4\n\n{explanation[2]}\n"
    page = json.loads(fine("explain", "t.tally", "tennis.csv", "--rows", "15", "--json"))
    assert [row["row"] for row in page["rows"]] == [15]
    assert fine("explain", "t.tally", "tennis.csv").count("Row ") == 14
    message = failed("explain", "t.tally", "tennis.csv", "--rows", "16")
    assert message == "--rows 16: the rows of the file are 2 to 15. Choose some of these."
    message = failed("explain", "t.tally", "tennis.csv", "--rows", "1")
    assert "first row of the file is 2" in message
    for wrong in ("5-2", "x"):
        assert "not a range of rows" in misused("explain", "t.tally", "tennis.csv", "--rows", wrong)
    assert "either as FILE" in misused("explain", "t.tally", "tennis.csv", "--row", "a,b,c,d")


def test_rows_far_down_a_file_are_found() -> None:
    numbers = np.arange(140_000.0) % 1000
    pq.write_table(pa.table({"x": numbers, "y": numbers > 500}), "long.parquet")
    fine("learn", "long.parquet", "--target", "y", "--model", "centroid", "-o", "l.tally")
    page = json.loads(fine("explain", "l.tally", "long.parquet", "--rows", "65536-65538", "--json"))
    found = {row["row"]: row["lines"][0]["terms"][0]["value"] for row in page["rows"]}
    assert found == {65536: "536", 65537: "537", 65538: "538"}


def test_the_working_comes_in_four_formats() -> None:
    model = tl.load(learned())
    one = model.explain(tl.example("tennis")[0])[0]
    row = ("explain", "t.tally", "--row", "Sunny,Hot,High,Weak", "--format")
    assert fine(*row, "markdown") == f"{one.to_markdown()}\n"
    assert fine(*row, "html") == f"{one.to_html()}\n"
    assert json.loads(fine(*row, "json")) == {"rows": [one.to_dict()]}
    assert fine("explain", "t.tally") == f"{model.show_work()}\n"
    assert json.loads(fine("explain", "t.tally", "--json")) == model.show_work().to_dict()
    several = fine(*row, "markdown", "--row", "Rain,Mild,High,Weak")
    assert several.startswith("### Row 1\n\nThe probability of PlayTennis = No is ")


# evaluate


EVALUATE = ("evaluate", "tennis.csv", "--target", "PlayTennis", "--model", "bayes")


def test_evaluating_prints_the_report_of_the_library() -> None:
    table = tl.example("tennis")
    found = tl.evaluate(tl.NaiveBayes(m=2.0), table, cv=tl.Folds.k(3, repeats=2, seed=4), by="Wind")
    given = ("--m", 2, "--cv", 3, "--repeats", 2, "--seed", 4, "--by", "Wind")
    assert fine(*EVALUATE, *given) == f"{found}\n"
    for cv in ("loo", "holdout", "bootstrap", "forward"):
        found = tl.evaluate(tl.NaiveBayes(), table, cv=cv)
        assert fine(*EVALUATE, "--cv", cv) == f"{found}\n"
    found = tl.evaluate(
        tl.NaiveBayes(), table, cv=3, scores=["f1", "error"], positive="No", level=0.9
    )
    for word in ("--scoring", "--scores"):  # the older one
        given = ("--cv", 3, word, "f1,error", "--positive", "No", "--level", 0.9)
        assert fine(*EVALUATE, *given) == f"{found}\n"


def test_a_finding_is_saved_in_the_form_of_its_ending() -> None:
    found = tl.evaluate(tl.NaiveBayes(), tl.example("tennis"), cv=3)
    assert fine(*EVALUATE, "--cv", 3, "-o", "r.txt").splitlines() == [
        "NaiveBayes() on 14 rows, Folds.k(3, stratified=True, seed=0)",
        found.headline,
        "saved         r.txt",
    ]
    assert Path("r.txt").read_text() == f"{found}\n"
    fine(*EVALUATE, "--cv", 3, "-o", "r.html")
    page = Path("r.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.count("<svg") == len(found.plots()) == 6
    fine(*EVALUATE, "--cv", 3, "-o", "r.json")
    shown = json.loads(fine(*EVALUATE, "--cv", 3, "--json", "-o", "r.md"))
    assert shown["records"] == json.loads(Path("r.json").read_text())["records"]
    assert (shown["target"], shown["left_out"], shown["saved"]) == ("PlayTennis", {}, "r.md")
    assert "'r.pdf' has no known ending. Use one of .html" in failed(*EVALUATE, "-o", "r.pdf")
    assert not Path("r.pdf").exists()


def test_json_has_null_where_a_score_has_no_value() -> None:
    text = fine(*EVALUATE, "--cv", 4, "--no-stratified", "--seed", 1, "--json")
    page = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert None in [record["value"] for record in page["records"]]


def test_evaluating_leaves_identifiers_out_and_says_so() -> None:
    arguments = ("evaluate", "tennis-day.csv", "--target", "PlayTennis", "--model", "bayes",
                 "--cv", 3)  # fmt: skip
    result = tally(*arguments)
    said = "tally: left out Day: all of its 14 values are different. To use it: --keep Day."
    assert said in result.stderr
    warned = "Caution: Day is not used: all of its 14 values are different.\n\n"
    assert result.stdout.replace(warned, "") == fine(*EVALUATE, "--cv", 3) != result.stdout
    assert fine(*arguments, "--keep", "Day") != result.stdout


def test_groups_stay_together_and_are_not_learned_from() -> None:
    result = tally(*EVALUATE, "--cv", 2, "--groups", "Wind", "--json", "-v")
    assert "categories: Outlook, Temperature, Humidity.\n" in result.stderr
    table = tl.table(Path("tennis.csv"), target="PlayTennis", groups="Wind")
    found = tl.evaluate(tl.NaiveBayes(), table, cv=2)
    assert json.loads(result.stdout)["records"] == found.to_dict()["records"]


def test_scores_are_given_by_a_column_that_is_not_learned_from() -> None:
    shown = fine(*EVALUATE, "--cv", 3, "--ignore", "Wind", "--by", "Wind")
    assert [line.split()[0] for line in shown.split("accuracy by Wind")[1].splitlines()[1:4]] == [
        "Wind", "Strong", "Weak",
    ]  # fmt: skip


def test_a_positive_class_is_found_whatever_its_type() -> None:
    rows = "".join(f"{at % 5},{at % 2}\n" for at in range(60))
    Path("n.csv").write_text(f"x,y\n{rows}")
    arguments = ("evaluate", "n.csv", "--target", "y", "--model", "bayes", "--scores", "recall")
    recall = tl.evaluate(tl.NaiveBayes(), "n.csv", "y", scores="recall", positive=0)
    assert fine(*arguments, "--positive", "0") == f"{recall}\n"
    message = failed(*arguments, "--positive", "2")
    assert message == "evaluate: positive is '2', which is not a class. Choose from 0, 1."


def test_numbers_are_evaluated_too() -> None:
    Path("n.csv").write_text("x,y\n" + "".join(f"{at},{at / 7}\n" for at in range(60)))
    arguments = ("evaluate", "n.csv", "--target", "y", "--model", "mean", "--keep", "x")
    told = f"{tl.evaluate(tl.DummyRegressor(), tl.table('n.csv', keep=['x']), 'y')}\n"
    assert fine(*arguments) == told.replace("tl.table(..., ignore=['x'])", "--ignore x")


def test_a_file_that_is_not_held_is_streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 150_000)
    table = {"x": rng.normal(size=len(y)) + y, "y": y}
    pq.write_table(pa.table(table), "long.parquet")
    arguments = ("evaluate", "long.parquet", "--target", "y", "--model", "bayes", "--scores",
                 "accuracy,brier", "--json")  # fmt: skip
    held = json.loads(fine(*arguments))
    monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", 0)
    streamed = json.loads(fine(*arguments, "--threads", 2))
    assert streamed["records"] == held["records"]
    assert "Use fewer folds, or read the table into memory" in failed(*arguments, "--cv", "loo")
    assert "reads its rows many times" in failed(*arguments, "--cv", "bootstrap")


def test_rows_without_a_target_are_left_out_aloud() -> None:
    rows = [f"{at * 1.5},{'uv'[at % 2]},{'' if at % 5 == 3 else 'abb'[at % 3]}" for at in range(20)]
    Path("missing_values.csv").write_text("\n".join(["x,c,y", *rows]))
    told = "4 of 20 rows (20.0 %) have no y and were left out."
    learned = tally(
        "learn", "missing_values.csv", "--target", "y", "--model", "bayes", "-o", "g.tally", "-v"
    )
    assert f"tally: {told}" in learned.stderr
    assert "fitted to 16 rows" in learned.stdout
    page = json.loads(
        fine("learn", "missing_values.csv", "--target", "y", "--model", "tree", "--json")
    )
    assert (page["rows"], page["unanswered"], page["target"]) == (16, 4, "y")
    arguments = ("missing_values.csv", "--target", "y", "--cv", 3)
    assert told in fine("evaluate", *arguments, "--model", "bayes")
    found = tally("evaluate", *arguments, "--model", "bayes", "--json")
    assert json.loads(found.stdout)["remarks"][0] == told
    assert f"tally: {told}" in found.stderr
    assert told in fine("compare", *arguments, "--models", "bayes,majority")
    Path("few.csv").write_text("\n".join(["x,c,y", *rows[:5]]))
    forgotten = tally("forget", "g.tally", "few.csv", "--target", "y", "--json")
    assert "tally: 1 of 5 rows (20.0 %) has no y and was left out." in forgotten.stderr
    assert (json.loads(forgotten.stdout)["forgotten"]) == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--cv", "0"), "number is 0. Give a whole number, 2 or more."),
        (("--cv", "3", "--scores", "mae"), "'mae' is for a regressor"),
        (("--cv", "3", "--scores", "f"), "there is no score 'f'"),
        (("--cv", "3", "--by", "z"), "by is 'z'"),
        (("--cv", "3", "--groups", "z"), "--groups: the table has no column 'z'"),
        (("--cv", "3", "--groups", "Wind"), "2 groups ('Weak', 'Strong') for 3 parts"),
        (("--cv", "3", "--level", "95"), "level is 95.0. Give a number between 0 and 1"),
        (("--cv", "3", "--repeats", "0"), "repeats is 0"),
        (("--cv", "forward", "--order", "z"), "order is 'z'"),
        (("--cv", "3", "--alpha", "-1"), "'alpha' parameter of NaiveBayes"),
        (("--cv", "3", "-o", "no/r.md"), "the folder 'no' does not exist"),
    ],
)  # fmt: skip
def test_a_bad_evaluation_is_one_sentence_and_nothing_is_written(
    arguments: tuple[str, ...], words: str
) -> None:
    before = sorted(Path().iterdir())
    assert words in failed(*EVALUATE, *arguments, *(() if "-o" in arguments else ("-o", "r.html")))
    assert sorted(Path().iterdir()) == before


def test_an_evaluation_that_is_not_written_right_is_misused() -> None:
    assert "'ten' is not a number of folds" in misused(*EVALUATE, "--cv", "ten")
    assert "--seed cannot be combined with --cv loo" in misused(
        *EVALUATE, "--cv", "loo", "--seed", 1
    )
    assert "--order cannot be combined with --cv 10" in misused(*EVALUATE, "--order", "Wind")
    assert "--model bayes has no option 'depth'" in misused(*EVALUATE, "--set", "depth=3")


def test_a_fold_that_fails_is_kept_out_on_request() -> None:
    Path("n.csv").write_text("x,y\n0.0,a\n0.5,a\n0.8,a\n1.0,b\n1.0,b\n3.0,b\n")
    arguments = ("evaluate", "n.csv", "--target", "y", "--model", "qda", "--cv", 3)
    message = failed(*arguments)
    assert "QuadraticDiscriminantAnalysis on fold 0: no column varies in class 'b'" in message
    assert "reg_param=0.1 with solver='svd'" in message
    shown = fine(*arguments, "--on-error", "keep")
    assert "Failed on 1 fold, left out. Fold 0: no column varies in class 'b'" in shown


# compare


def numbers() -> Path:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    rows = zip(y, rng.normal(size=60) + y, rng.normal(size=60) ** 2, strict=True)
    Path("n.csv").write_text("y,a,b\n" + "".join(f"{c},{a:.6f},{b:.6f}\n" for c, a, b in rows))
    return Path("n.csv")


COMPARE = ("compare", "n.csv", "--target", "y", "--models")


def test_comparing_prints_the_report_of_the_library() -> None:
    models = {
        "bayes": tl.NaiveBayes(),
        "lda": tl.LinearDiscriminantAnalysis(),
        "centroid": tl.NearestCentroid(),
    }
    found = tl.compare(models, numbers(), "y")
    shown = str(found).replace("details() has", "--details has")
    assert fine(*COMPARE, "bayes,lda,centroid") == f"{shown}\n"
    folds = tl.Folds.k(5, repeats=3, seed=2)
    found = tl.compare(models, "n.csv", "y", cv=folds, score="recall", positive=0, level=0.8)
    given = ("--cv", 5, "--repeats", 3, "--seed", 2, "--score", "recall", "--positive", "0",
             "--level", 0.8)  # fmt: skip
    shown = str(found).replace("details() has", "--details has")
    assert fine(*COMPARE, "bayes,lda,centroid", *given) == f"{shown}\n"
    newer = ("--scoring" if word == "--score" else word for word in given)
    assert fine(*COMPARE, "bayes,lda,centroid", *newer) == f"{shown}\n"
    page = json.loads(fine(*COMPARE, "bayes,lda", "--models", "centroid", *given, "--json"))
    assert page["records"] == found.to_dict()["records"]
    assert page["target"] == "y"
    shown = fine(*COMPARE, "bayes,lda,centroid", *given, "-o", "c.html")
    assert shown == f"{found.report().title}\n{found.verdict}\nsaved         c.html\n"
    assert Path("c.html").read_text().count("<svg") == len(found.plots())


def test_a_number_of_folds_is_the_same_experiment_in_the_command() -> None:
    models = {"bayes": tl.NaiveBayes(), "lda": tl.LinearDiscriminantAnalysis()}
    numbers()
    for given, cv in (((), {}), (("--cv", 5), {"cv": 5}), (("--cv", 4), {"cv": 4}),
                      (("--repeats", 3), {"cv": tl.Folds.k(5, repeats=3)})):  # fmt: skip
        page = json.loads(fine(*COMPARE, "bayes,lda", *given, "--json"))
        found = tl.compare(models, "n.csv", "y", **cv)
        assert page["cv"] == found.cv
        assert page["records"] == found.to_dict()["records"]


def test_the_remedies_of_a_comparison_are_options_of_the_command() -> None:
    numbers()
    said = fine(*COMPARE, "bayes,lda", "--cv", 5)
    assert " --cv 5 --repeats 2 measures it" in unwrapped(said)
    assert "raised by 10" not in fine(*COMPARE, "bayes,lda", "--cv", 5, "--repeats", 2)
    assert "--details has other tests" in said
    more = fine(*COMPARE, "bayes,lda", "--details", "--alike", 0.05)
    assert "equivalent within 0.05" in unwrapped(more)
    found = tl.compare({"bayes": tl.NaiveBayes(), "lda": tl.LinearDiscriminantAnalysis()}, "n.csv",
                       "y", alike=0.05)  # fmt: skip
    assert more.endswith(f"\n\n{found.details()}\n")
    rows = "".join(f"{k % 2},{k % 7},2024-01-{1 + k % 28:02d}\n" for k in range(60))
    Path("dated.csv").write_text(f"y,a,sold on\n{rows}")
    dated = ("compare", "dated.csv", "--target", "y", "--models", "tree,majority", "--cv", 3)
    said = fine(*dated)
    assert "--cv forward --order 'sold on' tests only on later rows" in unwrapped(said)
    assert "tl." not in said
    assert fine(*dated[:-2], "--cv", "forward", "--order", "sold on")


def test_comparing_files_that_are_not_held_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers()
    held = json.loads(fine(*COMPARE, "bayes,lda,majority", "--json"))
    monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", 0)
    assert json.loads(fine(*COMPARE, "bayes,lda,majority", "--json"))["records"] == held["records"]
    message = failed(*COMPARE, "bayes,lda", "--cv", "bootstrap")
    assert message.endswith("Use a number of folds, or read the table into memory.")


def test_a_bad_comparison_is_told_in_one_sentence() -> None:
    numbers()
    assert "bayes is a classifier, and mean is a regressor" in failed(*COMPARE, "bayes,mean")
    assert "'mae' is for a regressor" in failed(*COMPARE, "bayes,lda", "--score", "mae")
    assert "positive is '2', which is not a class. Choose from 0, 1" in failed(
        *COMPARE, "bayes,lda", "--score", "f1", "--positive", "2"
    )
    assert "Use one of .html" in failed(*COMPARE, "bayes,lda", "-o", "c.png")
    tennis = ("compare", "tennis.csv", "--target", "PlayTennis", "--cv", 5, "--models")
    message = failed(*tennis, "bayes,centroid", "-o", "c.html")
    assert "column 'Outlook' holds categories" in message
    assert "--ignore Outlook" in message
    assert not Path("c.html").exists()
    assert "name two or more" in misused(*COMPARE, "bayes")
    assert "there is no model" in misused(*COMPARE, "bayes,wood")
    assert "names lda twice" in misused(*COMPARE, "lda,bayes,lda")


# merge, forget, show, example


def test_merging_is_learning_from_both() -> None:
    rows = text_of("tennis").splitlines(keepends=True)
    Path("b.csv").write_text("".join(rows[:6]))
    Path("c.csv").write_text("".join([rows[0], *rows[6:]]))
    learned("b.tally", "b.csv")
    learned("c.tally", "c.csv")
    page = json.loads(fine("merge", "b.tally", "c.tally", "-o", "both.tally", "--json"))
    assert page["classes"] == [{"name": "No", "rows": 5}, {"name": "Yes", "rows": 9}]
    learned()
    assert digest("both.tally") == digest("t.tally")
    learned("other.tally", "c.csv", "--alpha", 3)
    into = ("-o", "both.tally", "--force")
    assert "differ in alpha" in failed("merge", "b.tally", "other.tally", *into)
    assert "named 2 times" in failed("merge", "b.tally", "b.tally", *into)
    assert digest("both.tally") == digest("t.tally")


def digest(path: str) -> str:
    return str(json.loads(fine("show", path, "--json"))["tally_digest"])


def test_forgetting_is_never_having_learned() -> None:
    rows = text_of("tennis").splitlines(keepends=True)
    Path("gone.csv").write_text("".join(rows[:4]))
    Path("rest.csv").write_text("".join([rows[0], *rows[4:]]))
    learned()
    learned("rest.tally", "rest.csv")
    before = Path("t.tally").read_bytes()
    forget = ("forget", "t.tally", "gone.csv", "--target", "PlayTennis")
    fine(*forget, "-o", "less.tally")
    assert Path("t.tally").read_bytes() == before
    assert fine(*forget).startswith("3 rows forgotten by NaiveBayes()\n")
    assert digest("t.tally") == digest("less.tally") == digest("rest.tally")
    kept = Path("t.tally").read_bytes()
    assert "not among the training rows" in failed(*forget)
    assert Path("t.tally").read_bytes() == kept


def test_a_model_does_not_forget_itself_away() -> None:
    before = learned().read_bytes()
    message = failed("forget", "t.tally", "tennis.csv", "--target", "PlayTennis")
    assert "no model would be left" in message
    assert Path("t.tally").read_bytes() == before


def test_show_says_what_a_model_is() -> None:
    learned("t.tally", "tennis.csv", "--alpha", 0)
    shown = dict(line.split(maxsplit=1) for line in fine("show", "t.tally").splitlines())
    assert shown["learner"] == "NaiveBayes"
    assert shown["options"].startswith("alpha=0.0, m=None")
    assert shown["classes"] == "No 5, Yes 9"
    page = json.loads(fine("show", "t.tally", "--json"))
    assert shown["digest"] == page["digest"]
    assert page["versions"]["tallylearn"] == tl.__version__


def test_examples_are_listed_and_printed() -> None:
    assert [line.split()[0] for line in fine("example").splitlines()] == list(TARGETS)
    assert fine("example").startswith("tennis       14 rows,  5 columns, target PlayTennis\n")
    assert [page["name"] for page in json.loads(fine("example", "--json"))] == list(TARGETS)
    for name in TARGETS:
        assert fine("example", name) == text_of(name)
    assert "there is no example table 'golf'" in failed("example", "golf")


# errors


def test_an_error_tells_its_remedy_as_an_option() -> None:
    rows = "".join(f"{at % 5},y\n" for at in range(70_000))
    Path("late.csv").write_text(f"x,c\n{rows}n/a?,z\n")
    message = failed("learn", "late.csv", "--target", "c", "--model", "bayes", "--as", "x=number")
    assert "row 70002" in message
    assert "--missing 'n/a?'" in message
    assert "--categories x" in message
    Path("day.csv").write_text("d,y\n1/2/2024,u\n3/4/2024,v\n5/6/2024,u\n")
    message = failed("learn", "day.csv", "--target", "y", "--model", "bayes")
    assert "--as d=%d/%m/%Y or --as d=%m/%d/%Y" in message
    for remedy in (("--as", "d=%d/%m/%Y"), ("--date-format", "%m/%d/%Y")):
        fine("learn", "day.csv", "--target", "y", "--model", "bayes", "-o", "d.tally", "--force",
             *remedy)  # fmt: skip
    message = failed("learn", "tennis.csv", "--target", "PlayTennis", "--model", "centroid")
    assert "--ignore Outlook" in message
    assert "--set metric=gower" in message
    Path("gap.csv").write_text("x,y\n1,\n2,\n")
    message = failed("learn", "gap.csv", "--target", "y", "--model", "bayes")
    assert message.endswith("Name another target, or fill it in.")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("learn", "no.csv", "--target", "y", "--model", "bayes"), "'no.csv' does not exist"),
        (("learn", "no-*", "--target", "y", "--model", "bayes"), "no file matches 'no-*'"),
        (
            ("learn", "tennis.csv", "--target", "y", "--model", "bayes"),
            "--target: the table has no column 'y'",
        ),
        (
            ("learn", "tennis.csv", "--target", "Wind", "--model", "bayes", "-o", "no/t"),
            "the folder 'no' does not exist",
        ),
        (
            ("learn", "tennis.csv", "--target", "Wind", "--model", "bayes", "-o", "."),
            "is not a file",
        ),
        (("learn", "tennis.csv", "--target", "Wind", "--model", "bayes", "--alpha", "-1"), "alpha"),
        (("predict", "no.tally", "tennis.csv"), "no.tally"),
        (("predict", "tennis.csv", "tennis.csv"), "not a model file of tallylearn"),
        (("show", "tennis.csv"), "not a model file of tallylearn"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: tuple[str, ...], words: str) -> None:
    assert words in failed(*arguments)


def test_a_damaged_model_is_refused() -> None:
    data = bytearray(learned().read_bytes())
    data[-1] ^= 1
    Path("t.tally").write_bytes(data)
    for command in (("show", "t.tally"), ("predict", "t.tally", "tennis.csv")):
        assert "is damaged: its checksum" in failed(*command)


def test_an_unexpected_error_is_one_line_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> str:
        raise ZeroDivisionError("by\nnothing")

    monkeypatch.setattr("tallylearn.sources.example_tables.text_of", broken)
    message = failed("example", "tennis")
    assert message.startswith("ZeroDivisionError: by nothing. This is a bug: please report")
    monkeypatch.setenv("TALLY_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        tally("example", "tennis")


# as a program


def test_the_module_is_the_command_with_its_exit_codes() -> None:
    assert shell("example", "tennis").stdout == text_of("tennis")
    wrong = shell("show", "no.tally")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr.count("\n") == 1
    assert shell("learn").returncode == 2
    debug = shell("show", "no.tally", env=os.environ | {"TALLY_DEBUG": "1"})
    assert "Traceback" in debug.stderr


def test_a_reader_that_leaves_early_is_no_reason_to_complain() -> None:
    pq.write_table(pa.table({"x": np.arange(200_000.0), "y": np.arange(200_000) % 2}), "l.parquet")
    fine(
        "learn", "l.parquet", "--target", "y", "--model", "majority", "--keep", "x", "-o", "l.tally"
    )
    command = [sys.executable, "-m", "tallylearn", "predict", "l.tally", "l.parquet", "--proba"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stdout.readline() == b"prediction,P(0),P(1)\n"
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 1


def test_a_terminal_without_the_signs_is_written_to_anyway() -> None:
    Path("n.csv").write_text("x,y\n1,a\n2,b\n")
    fine("learn", "n.csv", "--target", "y", "--model", "centroid", "-o", "n.tally")
    latin = os.environ | {"PYTHONIOENCODING": "latin-1"}
    run = shell("explain", "n.tally", "--row", "1", env=latin, encoding="latin-1")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith(r"\u2192 a  0 = 0")
    assert "d²(b) = (1 - 2)² = 1" in run.stdout


def test_the_demo_is_short_and_its_model_beats_the_baseline() -> None:
    demo = Path(__file__).parents[2] / "examples" / "demo.py"
    run = subprocess.run([sys.executable, demo], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    lines = run.stdout.splitlines()
    assert len(lines) <= 100
    assert max(map(len, lines)) <= 80
    assert run.stdout.endswith(TENNIS)
    (headline,) = (line for line in lines if line.startswith("accuracy "))
    assert headline == tl.evaluate(tl.LogisticRegression(), tl.example("loans")).headline
    score, low, _, majority = map(float, re.findall(r"\d\.\d+", headline))
    assert score > low > majority


# progress


def test_a_bar_shows_the_rows_only_when_the_work_lasts() -> None:
    from rich.console import Console

    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    for patience, words in ((60.0, ""), (0.0, "28 rows")):
        progress = Progress([Path("tennis.csv")], console, patience)
        progress(14)
        progress(14)
        progress.close()
        assert progress.rows == 28
        assert words in screen.getvalue()
        assert bool(screen.getvalue()) == bool(words)


def test_a_bar_of_several_passes_is_full_after_the_last() -> None:
    from rich.console import Console

    pq.write_table(pa.table({"x": np.arange(14.0)}), "x.parquet")
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    progress = Progress([Path("x.parquet")], console, patience=0.0, passes=2)
    progress(14)
    assert not progress._bar.finished
    progress(14)
    assert progress._bar.finished
    progress.close()


def test_a_bar_says_which_round_it_is_and_counts_the_rows_of_each() -> None:
    from rich.console import Console

    pq.write_table(pa.table({"x": np.arange(14.0)}), "x.parquet")
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    progress = Progress([Path("x.parquet")], console, patience=0.0)
    for stage in ("survey", "round 1 of 2", "round 2 of 2"):
        with engines.report_stage(stage):
            progress(10)
            assert not progress._bar.finished
            progress(4)
            progress._bar.refresh()
            assert progress._bar.finished
        assert stage in screen.getvalue()
    progress.close()
    assert progress.rows == 14


def test_batch_steps_learn_from_files_and_say_how_many_rows_there_are() -> None:
    rows = pd.DataFrame({"a": np.arange(20.0) % 7, "y": 3.0 * np.arange(20)})
    rows[:12].to_csv("1.csv", index=False)
    rows[12:].to_csv("2.csv", index=False)
    words = [
        "--target",
        "y",
        "--model",
        "lms",
        "--set",
        "scaling=mean",
        "--set",
        "learning_rate=0.001",
    ]
    said = fine("learn", "1.csv", "2.csv", *words, "--set", "steps=9", "-o", "m.tally")
    assert "fitted to 20 rows" in said
    found = tl.LMS(0.001, scaling="mean", steps=9).fit(rows, "y")
    assert tl.load("m.tally").coef_.tolist() == found.coef_.tolist()


def test_the_number_of_rows_is_guessed_before_they_are_read() -> None:
    import gzip

    assert estimate_rows([Path("tennis.csv")]) == pytest.approx(15)
    pq.write_table(pa.table({"x": [1.0, 2.0]}), "two.parquet")
    assert estimate_rows([Path("two.parquet"), Path("tennis.csv")]) == pytest.approx(17)
    Path("t.csv.gz").write_bytes(gzip.compress(text_of("tennis").encode()))
    assert estimate_rows([Path("tennis.csv"), Path("t.csv.gz")]) is None


# pipes


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_standard_input_is_a_file(
    name: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("pipe")
    monkeypatch.setenv("TMPDIR", str(folder))
    model = learned()
    expected = fine("predict", model, "tennis.csv")
    run = shell("predict", model, name, input=text_of("tennis"))
    assert (run.returncode, run.stdout) == (0, expected), run.stderr
    run = shell("predict", model, name, input="Outlook\nSunny\n")
    assert run.returncode == 1
    assert "standard input has no column" in run.stderr
    assert [*folder.iterdir()] == []


def test_a_fifo_is_a_file() -> None:
    os.mkfifo("pipe")
    with subprocess.Popen(["cp", "tennis.csv", "pipe"]) as writer:
        arguments = ("learn", "pipe", "--target", "PlayTennis", "--model", "bayes", "--json")
        run = shell(*arguments)
        writer.kill()
    assert json.loads(run.stdout)["rows"] == 14, run.stderr


def test_a_parquet_file_through_a_pipe_is_known_by_its_first_bytes() -> None:
    pq.write_table(pa.table({"x": [1.0, 2.0], "y": ["a", "b"]}), "t.parquet")
    arguments = ["learn", "-", "--target", "y", "--model", "bayes", "--json"]
    result = CliRunner().invoke(main, arguments, input=Path("t.parquet").read_bytes())
    assert json.loads(result.stdout)["rows"] == 2


def test_a_pipe_is_named_once() -> None:
    arguments = ["learn", "-", "-", "--target", "PlayTennis", "--model", "bayes"]
    result = CliRunner().invoke(main, arguments, input=text_of("tennis"))
    assert result.exit_code == 1
    assert "standard input is named 2 times" in result.stderr


def test_the_help_says_that_pipes_are_read() -> None:
    for command in ("learn", "predict", "explain", "forget"):
        assert "- is standard input" in " ".join(fine(command, "--help").split())


def test_alpha_and_m_exclude_each_other() -> None:
    learn = ("learn", "tennis.csv", "--target", "PlayTennis", "--model", "bayes", "--m", 2)
    assert "--alpha and --m exclude each other" in misused(*learn, "--alpha", 1)
    assert "--alpha and --m exclude each other" in misused(*learn, "--set", "alpha=1")
    fine(*learn)
