"""Clusters in the ``tally`` command: learned without a target, then asked as any model."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import tallylearn as tl
from tests.cli.test_cli import fine, tally

SHOP = pd.DataFrame({"size": [1.0, 2, 9, 10, 1.5, 9.5], "price": [10, 12, 90, 88, 11, 91],
                     "colour": [*"rrbbrb"], "times": [1, 2, 1, 1, 3, 1]})  # fmt: skip
TWO = ("--model", "kmeans", "--set", "n_clusters=2")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own with a table in it."""
    monkeypatch.chdir(tmp_path)
    SHOP.to_csv("shop.csv", index=False)


def test_clusters_are_learned_without_a_target_shown_saved_and_asked() -> None:
    model = tl.KMeans(2, keep_rows=False).fit(SHOP)  # as in the command
    shown = fine("learn", "shop.csv", *TWO)
    assert shown == f"{model.show_work()}\n\nsaved         shop.tally\n"
    said = fine("learn", "shop.csv", *TWO, "-o", "k.tally").splitlines()
    assert said[0] == "KMeans(n_clusters=2) fitted to 6 rows"
    assert said[1:3] == ["clusters      0 3, 1 3", f"inertia       {model.inertia_:.6g}"]
    answers = fine("predict", "k.tally", "shop.csv").split()
    assert answers == ["prediction", *map(str, model.labels_)]
    row = fine("explain", "k.tally", "--row", "1.0,10,r,1").strip()
    assert row == str(model.explain(SHOP[:1])).strip()
    assert fine("explain", "k.tally").strip() == str(model.show_work())
    assert "target" not in fine("show", "k.tally")


def test_clusters_are_plain_data_in_json() -> None:
    page = json.loads(fine("learn", "shop.csv", *TWO, "--json"))
    assert (page["learner"], page["target"], page["problem"]) == ("KMeans", None, None)
    assert (page["clusters"], page["rows"]) == ([3, 3], 6)
    assert page["inertia"] == tl.KMeans(2).fit(SHOP).inertia_
    assert "clusters" not in json.loads(fine("learn", "shop.csv", "--target", "colour", "--json"))


def test_clusters_leave_out_what_only_tells_rows_apart_and_name_it() -> None:
    table = SHOP.assign(customer=[f"c{n}" for n in range(6)])
    pd.concat([table.assign(customer=table.customer + f"-{n}") for n in range(20)]).to_csv(
        "many.csv", index=False
    )
    found = tally("learn", "many.csv", *TWO, "-o", "k.tally")
    assert "left out customer: all of its 120 values are different." in found.stderr
    assert "To use it: --keep customer." in found.stderr
    assert "target" not in found.stderr


def test_clusters_are_learned_as_others_were() -> None:
    fine("learn", "shop.csv", *TWO, "--ignore", "colour", "--weight", "times", "-o", "k.tally")
    for told in ((), TWO):
        fine("learn", "shop.csv", "--like", "k.tally", "--weight", "times", *told, "-o",
             "again.tally", "--force")  # fmt: skip
        assert (tl.load("again.tally").cluster_centers_ ==
                tl.load("k.tally").cluster_centers_).all()  # fmt: skip
    fine("learn", "shop.csv", "--like", "k.tally", "-o", "again.tally", "--force")
    plain = tl.KMeans(2).fit(SHOP[["size", "price", "times"]])
    assert tl.load("again.tally").schema_.numbers == ("size", "price")
    assert tl.load("again.tally").inertia_ < plain.inertia_


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("learn", "shop.csv", *TWO, "--target", "colour"),
         "--model kmeans finds clusters and has no target. Leave --target out. To leave that "
         "column out of the clusters: --ignore colour."),
        (("learn", "shop.csv", "--model", "kmeans", "--target", "nope"), "has no target"),
        (("learn", "shop.csv"), "--model kmeans"),
        (("learn", "shop.csv", "--model", "tree"), "--target is missing"),
        (("learn", "shop.csv", "--like", "k.tally", "--target", "colour"),
         "k.tally holds a KMeans, which has no target"),
        (("evaluate", "k.tally", "shop.csv"), "k.tally holds a KMeans, which has no target"),
        (("forget", "k.tally", "shop.csv"), "k.tally holds a KMeans, which has no target"),
        (("predict", "k.tally", "shop.csv", "--proba"),
         "--proba needs a classifier, and k.tally holds a KMeans"),
        (("evaluate", "shop.csv", "--target", "colour", "--model", "kmeans"),
         "--model kmeans has no target, and `tally evaluate` needs one"),
        (("learn", "shop.csv", *TWO, "--alpha", "1"), "--model kmeans has no option 'alpha'"),
    ],
)  # fmt: skip
def test_what_clusters_do_not_have_is_misuse(asked: tuple[str, ...], said: str) -> None:
    tl.KMeans(2).fit(SHOP).save("k.tally")
    found = tally(*asked)
    assert found.exit_code == 2
    assert said in found.stderr


def test_more_clusters_than_different_rows_are_an_error_of_one_sentence() -> None:
    found = tally("learn", "shop.csv", "--model", "kmeans")
    assert found.exit_code == 1
    assert "the table has 6 distinct rows, fewer than n_clusters=8." in found.stderr


def test_a_table_without_columns_is_told_in_one_sentence() -> None:
    names = Path("shop.csv").read_text().splitlines()[0]
    found = tally("learn", "shop.csv", "--model", "kmeans", "--ignore", names)
    assert found.exit_code == 1
    assert "the table has no columns to learn from." in found.stderr
    assert "tally: .\n" not in found.stderr
