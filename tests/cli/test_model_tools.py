"""``tally tune``, ``plot``, ``rules``, ``prune`` and ``diff`` print what the library gives."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import tallylearn as tl
from tallylearn.sources.example_tables import text_of
from tests.cli.test_cli import failed, fine, folder, misused

__all__ = ["folder"]
LOANS = ("loans.csv", "--target", "denied")


@pytest.fixture(autouse=True)
def loans(folder: Path) -> None:
    """Rows to train on, rows to validate on, and a tree."""
    head, *rows = text_of("loans").splitlines()
    Path("loans.csv").write_text("\n".join([head, *rows[:200], ""]))
    Path("new.csv").write_text("\n".join([head, *rows[200:400], ""]))
    tree = tl.DecisionTreeClassifier(max_depth=6).fit("loans.csv", "denied")
    tree.save("tree.tally")


def test_tuning_prints_the_search_and_the_command_that_fits_the_best() -> None:
    asked = ("tune", *LOANS, "--model", "bayes", "--grid", "alpha=0.1,1,20", "-q")
    said = fine(*asked)
    found = tl.tune(
        tl.NaiveBayes(), {"alpha": [0.1, 1, 20]}, tl.table("loans.csv", target="denied"),
        cv=tl.Folds.k(5),
    )  # fmt: skip
    best = found.best["alpha"]
    assert f"Best: alpha={best}" in said
    assert "use --nested 5" in said
    command = said.splitlines()[-1].removeprefix("To fit it: ")
    fine(*shlex.split(command)[1:], "-o", "best.tally")
    assert tl.load("best.tally").alpha == best
    page = json.loads(fine(*asked, "--json", "--nested", "2"))
    assert page["fit_with"] == command
    assert page["how"] == "nested"
    assert "has no option 'alhpa'. Did you mean 'alpha'?" in misused(
        "tune", *LOANS, "--model", "bayes", "--grid", "alhpa=1,2"
    )
    assert "write NAME=VALUES" in misused("tune", *LOANS, "--model", "bayes", "--grid", "alpha")
    assert "--model lda has no usual values" in misused("tune", *LOANS, "--model", "lda")


def test_the_usual_values_of_every_model_are_parameters_of_it() -> None:
    from tallylearn.cli.learner_names import ModelChoice
    from tallylearn.cli.tune_command import GRIDS

    for model, grid in GRIDS.items():
        first = {name: values[0] for name, values in grid.items()}
        choice = ModelChoice(model, first)
        assert choice.kinds


def test_a_tree_is_printed_as_rules() -> None:
    tree = tl.load("tree.tally")
    assert fine("rules", "tree.tally") == f"{tree.rules()}\n"
    page = json.loads(fine("rules", "tree.tally", "--order", "support", "--json"))
    assert page == json.loads(tree.rules("support").to_json())
    tl.NaiveBayes().fit("loans.csv", "denied").save("bayes.tally")
    assert "bayes.tally holds a NaiveBayes, which is no tree" in misused("rules", "bayes.tally")


def test_pruning_saves_the_tree_of_the_library() -> None:
    said = fine("prune", "tree.tally", "new.csv", "-o", "small.tally")
    same = tl.load("tree.tally").prune("reduced_error", "new.csv", "denied")
    assert str(tl.load("small.tally")) == str(same)
    before, now = tl.load("tree.tally").get_n_leaves(), same.get_n_leaves()
    assert now < before
    assert f"leaves        {before} before, {now} now\nsaved         small.tally\n" in said
    assert "already exists" in failed("prune", "tree.tally", "new.csv", "-o", "small.tally")
    assert "is an input" in failed("prune", "tree.tally", "new.csv", "-o", "tree.tally", "--force")


def test_a_model_is_drawn() -> None:
    assert fine("plot", "tree.tally", "--max-depth", "1") == "saved tree.svg\n"
    assert Path("tree.svg").read_text() == tl.load("tree.tally").plot(max_depth=1).svg
    assert "tree.svg already exists" in failed("plot", "tree.tally")
    Path("p.csv").write_text("x,y,kind\n1,1,a\n1,2,a\n8,8,b\n9,8,b\n2,9,b\n")
    tl.NaiveBayes().fit("p.csv", "kind").save("p.tally")
    fine("plot", "p.tally", "p.csv", "-o", "p.html")
    assert "<svg" in Path("p.html").read_text()
    tl.LinearRegression().fit(tl.table("p.csv", target="y", ignore=["kind"])).save("line.tally")
    fine("plot", "line.tally", "p.csv", "-o", "line.svg")
    assert "is not drawn without rows" in misused("plot", "p.tally")
    assert "a picture is .svg or .html" in misused("plot", "p.tally", "-o", "p.png")
    assert "--max-depth is an option of trees" in misused("plot", "p.tally", "--max-depth", "2",
                                                          "-o", "g.svg")  # fmt: skip


def test_models_are_compared_on_the_rows_of_a_table() -> None:
    fine("prune", "tree.tally", "new.csv", "-o", "small.tally")
    tl.NaiveBayes().fit("loans.csv", "denied").save("bayes.tally")
    said = fine("diff", "tree.tally", "small.tally", "--table", "new.csv")
    trees = tl.load("tree.tally"), tl.load("small.tally")
    same = tl.diff(*trees, "new.csv", "denied", names=("tree", "small"))
    assert said == f"{same}\n"
    page = json.loads(fine("diff", "tree.tally", "bayes.tally", "--table", "new.csv", "--json"))
    assert page["differing"] == (
        (trees[0].predict("new.csv") != tl.load("bayes.tally").predict("new.csv")).sum()
    )
    assert "--table is missing" in misused("diff", "tree.tally", "bayes.tally")
