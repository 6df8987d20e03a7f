"""``tally steps``: pages and texts of the steps of an algorithm, from a table or a model file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tallylearn as tl
from tallylearn.cli import main
from tallylearn.sources.example_tables import text_of

ROW = "Sunny,Cool,High,Strong"


@pytest.fixture
def tennis(tmp_path: Path) -> Path:
    path = tmp_path / "tennis.csv"
    path.write_text(text_of("tennis"), "utf-8")
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["steps", *map(str, arguments)])


def test_a_page_is_written_for_a_tree(tennis: Path) -> None:
    page = tennis.with_name("id3.html")
    found = run("id3", tennis, "--target", "PlayTennis", "-o", page)
    assert found.exit_code == 0, found.output
    assert "4 steps" in found.stdout
    steps = tl.ID3().fit(tl.example("tennis"), "PlayTennis").steps()
    assert page.read_text("utf-8").count("<li>") == len(steps) == 4
    assert run("id3", tennis, "--target", "PlayTennis", "-o", page).exit_code != 0  # it exists


def test_the_steps_of_one_prediction_come_from_a_table_or_a_model_file(tennis: Path) -> None:
    model = tl.NaiveBayes().fit(tl.example("tennis"), "PlayTennis")
    file = tennis.with_name("tennis.tally")
    model.save(file)
    one = run("bayes", tennis, "--target", "PlayTennis", "--row", ROW, "--json")
    two = run(file, "--row", ROW, "--json")
    assert one.exit_code == two.exit_code == 0, (one.output, two.output)
    data = json.loads(two.stdout)
    assert json.loads(one.stdout) == data
    assert data["steps"][-1]["numbers"]["prediction"] == "No"


@pytest.mark.parametrize("kind", ["cart", "perceptron", "version-space"])
def test_other_algorithms_print_their_steps(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("a,b,c\n1,2,x\n2,1,x\n5,6,y\n6,5,y\n", "utf-8")
    if kind == "version-space":
        path.write_text("a,b,c\nu,v,x\nu,w,y\n", "utf-8")
    found = run(kind, path, "--target", "c")
    assert found.exit_code == 0, found.output
    assert "Step 2 of" in found.stdout


def test_clusters_and_descent_have_steps_too(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("a,b\n1,2\n2,1\n5,6\n6,5\n", "utf-8")
    found = run("kmeans", path, "--set", "n_clusters=2")
    assert "Round 1" in found.stdout
    found = run("lms", path, "--target", "b")
    assert "Step 1: the squared error" in found.stdout


def test_what_is_missing_is_named(tennis: Path) -> None:
    assert "--row is missing" in run("bayes", tennis, "--target", "PlayTennis").stderr
    assert "there is no algorithm 'id4'" in run("id4", tennis).stderr
    assert "FILE is missing" in run("id3", "--target", "PlayTennis").stderr
    assert "--target is missing" in run("id3", tennis).stderr
    odd = run("id3", tennis, "--target", "PlayTennis", "--row", ROW)
    assert "--row goes with bayes and knn" in odd.stderr
