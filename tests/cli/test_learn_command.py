"""``tally learn`` without ``--model``: it compares learners, saves the pick and its page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import Result

import tallylearn as tl
from tallylearn.cli.learner_comparison import FLAGS, MAX_LINES
from tallylearn.cli.model_places import stem
from tallylearn.evaluation.learn.candidates import default_candidates
from tallylearn.inspection.model_report.model_report import ModelReport
from tests.cli.test_cli import failed, fine, folder, misused, tally

__all__ = ["folder"]
QUICK = ("--target", "y", "--cv", "2")  # two folds: half a second


def write_table(name: str = "t.csv", n: int = 60) -> pd.DataFrame:
    """Two numbers, a category and text; y follows the first number, but for a few rows."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({
        "size": rng.normal(size=n).round(3),
        "age": rng.integers(20, 60, n),
        "colour": rng.choice(["red", "blue"], n),
        "note": [f"seen by {rng.choice(['Ada', 'Ben'])} on round trip {at}" for at in range(n)],
    })  # fmt: skip
    noisy = table["size"] + rng.normal(size=n) / 4
    table["y"] = np.where(noisy > 0, "yes", "no")
    table["price"] = (10 * noisy + 50).round(2)
    table.drop(columns="price").to_csv(name, index=False)
    table.drop(columns="y").to_csv(f"price-{name}", index=False)
    return table


def printed(result: Result) -> list[str]:
    """The printed lines: few, and none wider than a terminal."""
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= 80
    assert result.stderr.count("\n") <= 4
    return lines


def test_learning_compares_learners_and_saves_the_pick_with_its_page() -> None:
    table = write_table()
    result = tally("learn", "t.csv", *QUICK)
    lines = printed(result)
    found = tl.learn("t.csv", "y", cv=tl.Folds.k(2))
    assert lines[0].startswith(f"Pick: {found.pick} (the best score), accuracy {found.score:.3f} ")
    assert sum(line.startswith("→ ") for line in lines) == 1
    assert any(line.startswith("  baseline ") for line in lines)
    assert found.tradeoff in " ".join(lines)
    assert lines[-2:] == ["saved         t.tally", "page          t.html"]
    saved = tl.load("t.tally")
    assert (saved.predict("t.csv") == found.model.predict("t.csv")).all()
    assert saved.target_name_ == "y"
    page = Path("t.html").read_text(encoding="utf-8")
    assert "Compared learners" in page
    assert f'<div class="big">{found.score:.3f}</div>' in page  # the corrected score
    assert found.tradeoff in page
    assert str(table["note"][0]) not in page


def test_a_file_is_replaced_with_force_only() -> None:
    write_table()
    Path("t.html").write_text("mine")
    Path("t-2.tally").write_text("mine")
    bayes = ("learn", "t.csv", "--target", "y", "--model", "bayes")
    assert fine(*bayes).endswith("saved         t.tally\n")
    assert fine(*bayes).endswith("saved         t-3.tally\n")
    assert tally("learn", "t.csv", *QUICK, "-q").stdout.splitlines()[-2:] == [
        "saved         t-4.tally", "page          t-4.html"
    ]  # fmt: skip
    assert Path("t.html").read_text() == Path("t-2.tally").read_text() == "mine"
    refused = failed("learn", "t.csv", *QUICK, "-o", "t-2.tally")
    assert refused == (
        "t-2.tally already exists. Choose another file, or overwrite it with --force."
    )
    assert "t.html already exists" in failed("learn", "t.csv", *QUICK, "-o", "t.bin")
    Path("t.tally").write_text("old")
    fine(*bayes, "--force")
    fine(*bayes, "--force", "-o", "t-2.tally")
    assert tl.load("t.tally").target_name_ == tl.load("t-2.tally").target_name_ == "y"
    before = {*Path().iterdir()}
    assert "saved" not in fine(*bayes, "--no-save")
    assert "-o and --no-save exclude each other" in misused(*bayes, "--no-save", "-o", "x.tally")
    assert {*Path().iterdir()} == before


def test_json_has_the_leaderboard_and_where_the_model_comes_from() -> None:
    write_table()
    page = json.loads(fine("learn", "price-t.csv", "--target", "price", "--cv", "2", "--json",
                           "--prefer", "simple", "--no-save", "--scoring", "mae"))  # fmt: skip
    found = tl.learn("price-t.csv", "price", cv=tl.Folds.k(2, stratified=False), prefer="simple",
                     scoring="mae")  # fmt: skip
    assert [row["learner"] for row in page["leaderboard"]] == [row.learner for row in found.rows]
    assert (page["score"], page["low"], page["high"]) == (found.score, found.low, found.high)
    assert (page["pick"], page["prefer"], page["rows"]) == (found.simplest, "simple", 60)
    assert page["source"] == ["price-t.csv"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", page["date"])
    assert page["versions"]["tallylearn"] == tl.__version__
    assert (page["saved"], page["page"]) == (None, None)
    assert page["target"] == "price"
    few = ("--set", "n_estimators=5", "--set", "random_state=0")
    learn = ("learn", "t.csv", "--target", "y", "--model", "forest", "--ignore", "note")
    forest = json.loads(fine(*learn, *few, "--json"))
    same = tl.RandomForestClassifier(5, random_state=0).fit(
        tl.table("t.csv", target="y", ignore=["note"])
    )
    assert forest["out_of_bag"] == same.oob.to_dict()
    assert (forest["rows"], forest["saved"], forest["page"]) == (60, "t.tally", None)
    assert forest["source"] == ["t.csv"]


def test_text_that_the_pick_cannot_use_is_left_out_with_a_note() -> None:
    write_table()
    result = tally("learn", "price-t.csv", "--target", "price", "--cv", "2")
    printed(result)
    pick = re.search("Pick: (.*) \\(the best", result.stdout)
    assert pick
    assert f"left out note: it is text, which {pick[1]} cannot use." in result.stderr
    assert tl.load("price-t.tally").schema_.names == ("size", "age", "colour")
    assert "Compared learners" in Path("price-t.html").read_text(encoding="utf-8")


def test_a_table_of_identifiers_names_the_option_that_uses_one() -> None:
    Path("ids.csv").write_text("id,y\n" + "".join(f"u{at},{'uv'[at % 2]}\n" for at in range(40)))
    said = failed("learn", "ids.csv", "--target", "y")
    assert said.endswith("To use one all the same: --keep id.")
    fine("learn", "ids.csv", *QUICK, "--keep", "id", "--no-save")


def test_on_a_null_table_nothing_is_found() -> None:
    rng = np.random.default_rng(3)
    pd.DataFrame({"a": rng.normal(size=80), "y": rng.choice(["u", "v"], 80)}).to_csv(
        "null.csv", index=False
    )
    lines = printed(tally("learn", "null.csv", *QUICK))
    assert lines[0].startswith("Nothing was found: no candidate is significantly better than")
    assert any(line.startswith("→ baseline ") for line in lines)
    assert {*fine("predict", "null.tally", "null.csv").split()[1:]} <= {"u", "v"}


def test_few_rows_are_fitted_without_a_comparison() -> None:
    result = tally("learn", "tennis.csv", "--target", "PlayTennis")
    assert "14 rows are too few to compare learners (20 or more)" in result.stderr
    assert f"\n\n{tl.load('tennis.tally')}\n\nsaved         tennis.tally\n" in result.stdout
    assert not Path("tennis.html").exists()


def test_what_cannot_work_fails_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    write_table()
    monkeypatch.setattr(tl, "learn", None)  # a comparison would fail
    learn = ("learn", "t.csv", "--target", "y")
    assert "Did you mean 'size'?" in failed("learn", "t.csv", "--target", "sise")
    assert "'no' does not exist" in failed(*learn, "-o", "no/t.tally")
    if Path("/proc/self").exists():  # a folder that takes no file, from root neither
        assert "no file can be created in the folder '/proc'" in failed(*learn, "-o", "/proc/t")
    assert "Name the model file, such as t.tally." in misused(*learn, "-o", "t.html")
    assert "--target is missing" in misused("learn", "t.csv")
    assert "--alpha, --m and --set need --model" in misused(*learn, "--set", "max_depth=2")
    assert "the task is classification or regression" in misused(*learn, "--set", "task=both")
    assert "--budget is an option of the comparison, and --model fits one model" in misused(
        *learn, "--model", "tree", "--budget", "9 s"
    )
    assert "--cv oob scores forests only" in misused(*learn, "--cv", "oob")


def test_a_misspelt_score_is_corrected() -> None:
    write_table()
    said = failed("learn", "t.csv", *QUICK, "--scoring", "log-loss")
    assert said.endswith("Did you mean 'log_loss'?")


def test_quiet_prints_no_notes_and_errors_all_the_same() -> None:
    write_table()
    bayes = ("learn", "t.csv", "--model", "bayes", "--no-save")
    assert tally(*bayes, "--target", "y").stderr
    assert tally(*bayes, "--target", "y", "-q").stderr == ""
    assert "Did you mean 'y'?" in failed(*bayes, "--target", "Y", "--quiet")


def test_the_unit_of_a_target_is_known_to_the_model() -> None:
    """Folds read the target as numbers; the model keeps how they were written."""
    for name, unit in (("us.csv", "${}"), ("eu.csv", "{} €")):
        rows = "".join(f"{n},{unit.format(10 * n)}\n" for n in range(1, 31))
        Path(name).write_text("x,price\n" + rows, encoding="utf-8")
    fine("learn", "us.csv", "--target", "price", "--cv", "2", "--keep", "x")
    assert "'price' was written as $1234.5" in failed("evaluate", "us.tally", "eu.csv")
    fine("evaluate", "us.tally", "us.csv")


@pytest.mark.parametrize("task", ["classifier", "regressor"])
def test_every_readable_candidate_can_be_fitted_by_the_command_that_a_hint_names(task: str) -> None:
    write_table()
    file, target = ("t.csv", "y") if task == "classifier" else ("price-t.csv", "price")
    usual = {one.name: one.learner for one in default_candidates(task, 0)}
    named = {name: flag for name, flag in FLAGS.items() if name in usual}
    assert {*usual} - {*named} == {"baseline", "nearest neighbours"}
    for name, flag in named.items():
        fine("learn", file, "--target", target, "--model", *flag.split(), "-o", "m.tally",
             "--force", "-q")  # fmt: skip
        made, learner = tl.load("m.tally").get_params(deep=False), usual[name]
        assert type(tl.load("m.tally")) is type(learner)
        own = learner.get_params(deep=False)
        assert made | {"random_state": 0} == own | {"random_state": 0}, name


def test_the_names_of_files_give_the_name_of_the_model() -> None:
    Path("v[1].csv").write_text("x\n1\n")
    asked = {
        ("data/loans.csv.gz",): "loans", ("sales-2023.csv", "sales-2024.csv"): "sales",
        ("-",): "model", ("*.csv",): "model", ("sales-20*.parquet",): "sales",
        ("a.csv", "b.csv"): "model", ("v1.2.csv",): "v1.2", (".csv",): "csv",
        ("https://example.org/x/loans.csv?raw=1",): "loans", ("v[1].csv",): "v[1]",
    }  # fmt: skip
    assert {files: stem(files) for files in asked} == asked


def test_the_report_of_a_choice_reads_back_from_its_data() -> None:
    write_table()
    found = tl.learn("t.csv", "y", cv=tl.Folds.k(2))
    made = tl.report(found, tl.table("t.csv", target="y"), cv=2)
    data = json.loads(made.to_json())
    assert data["choice"]["pick"] == found.pick
    assert str(ModelReport.report_of(data)) == str(made)
    assert "corrected for the choice" in str(made)
