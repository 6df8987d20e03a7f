"""``tally explain --counterfactual`` and ``--what-if``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import tallylearn as tl
from tallylearn.cli import main
from tests.cli.test_cli import failed, fine

ROW = ("--row", "2024-03-01,18000,41000,employed,3.5,30,2,car")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loans.csv").write_text(fine("example", "loans"))
    tl.LogisticRegression().fit("loans.csv", "denied").save("l.tally")
    tl.DecisionTreeClassifier(max_depth=4).fit("loans.csv", "denied").save("t.tally")


def test_a_counterfactual_of_a_row_of_a_file_is_that_of_the_library() -> None:
    model = tl.load("l.tally")
    row = Path("loans.csv").read_text().splitlines()
    Path("row.csv").write_text(f"{row[0]}\n{row[3]}\n")
    found = model.counterfactual("row.csv", table="loans.csv")
    command = ("explain", "l.tally", "loans.csv", "--rows", "3", "--counterfactual")
    assert fine(*command) == f"{found}\n"
    assert json.loads(fine(*command, "--json"))["counterfactual"] == found.to_dict()


def test_a_row_is_measured_by_the_file_beside_it_and_columns_are_fixed() -> None:
    command = ("explain", "l.tally", *ROW, "--counterfactual", "--to", "no")
    assert "Pass rows: table=training; tally explain takes them as FILE." in failed(*command)
    shown = fine(*command, "loans.csv", "--fixed", "amount")
    assert shown.startswith("denied would be no instead of yes if debt_ratio were at most ")
    assert "amount" not in shown


def test_the_trees_of_a_file_need_no_rows() -> None:
    shown = fine("explain", "t.tally", *ROW, "--counterfactual")
    assert "standard deviations of the thresholds of the trees" in " ".join(shown.split())


def test_what_if_predicts_the_row_with_other_values() -> None:
    shown = fine(
        "explain", "l.tally", *ROW, "--what-if", "income=60000", "--what-if", "purpose=home"
    )
    changed = ("--row", "2024-03-01,18000,60000,employed,3.5,30,2,home")
    shares = []
    for row in (ROW, changed):
        found = json.loads(fine("explain", "l.tally", *row, "--json"))["rows"][0]
        shares.append(f"{100 * found['lines'][1]['share']:.1f} %")
    _, before, after = shown.splitlines()
    assert before.endswith(shares[0])
    assert after.startswith("with income=60000, purpose=home")
    assert after.endswith(shares[1])


def test_options_that_go_together_are_named() -> None:
    for given, said in (((*ROW, "--to", "no"), "need --counterfactual"),
                        (("loans.csv", "--counterfactual"), "give one row")):  # fmt: skip
        result = CliRunner().invoke(main, ["explain", "l.tally", *given])
        assert (result.exit_code, said in result.stderr) == (2, True)
    assert "no column 'incom'" in failed("explain", "l.tally", *ROW, "--what-if", "incom=3")
