"""Where two trees decide differently: exact regions, and both trees on tables."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, KindError, NotFitted, OptionError
from tests.models.trees.forest import COLUMNS, asked_for, fitted, rows
from tests.models.trees.test_rules import holds
from tests.printed_text import unwrapped

WIDE = ("id3", "cart", "node", "global", "loss", "root")


def met(found: Any, row: dict[str, Any]) -> list[Any]:
    return [
        one for one in found.regions if all(holds(c, row[c.column]) for c in one.conditions)
    ]  # fmt: skip


@pytest.mark.parametrize("first", WIDE)
@pytest.mark.parametrize("second", ["cart", "id3", "root"])
def test_a_row_lies_in_a_region_exactly_if_it_is_decided_differently(
    first: str, second: str
) -> None:
    one, two = fitted(first, seed=1, n=150), _other(second)
    asked = asked_for(200, seed=8)
    found = tl.diff(one, two)
    assert found.complete
    pairs = zip(one.predict(asked), two.predict(asked), strict=True)
    for row, (a, b) in zip(asked, pairs, strict=True):
        here = met(found, row)
        assert len(here) == (a != b)
        assert [(one.first, one.second) for one in here] == [(a, b)] * len(here)


def _other(name: str) -> Any:
    """A tree from other rows, and another object than the first."""
    table = rows(150, seed=2)[[*COLUMNS, "class"]]
    return {"cart": tl.CART(max_depth=4), "id3": tl.ID3(max_depth=3), "root": tl.ID3(max_depth=0)}[
        name
    ].fit(table, "class")


def test_regression_trees_differ_by_their_means() -> None:
    table = rows(150, seed=2)[[*COLUMNS, "y"]]
    one = tl.CART(task="regression", max_depth=3).fit(table, "y")
    two = tl.CART(task="regression", max_depth=2).fit(table[:120], "y")
    asked = asked_for(100, seed=8)
    found = tl.diff(one, two, table, "y")
    for row, a, b in zip(asked, one.predict(asked), two.predict(asked), strict=True):
        here = met(found, row)
        assert [(x.first, x.second) for x in here] == ([(a, b)] if abs(a - b) > 1e-9 else [])
    errors = [np.sqrt(np.mean((t.predict(table[COLUMNS]) - table["y"]) ** 2)) for t in (one, two)]
    assert found["X"].scores == pytest.approx(errors)
    assert "root mean squared error" in str(found)


def test_a_tree_is_like_itself() -> None:
    tree = fitted("id3")
    found = tl.diff(tree, tree, rows(100)[[*COLUMNS, "class"]], "class")
    assert found.alike
    assert not found.forks
    assert found["X"].rows == ()
    assert found["X"].p == 1
    assert "They predict the same everywhere." in unwrapped(found)


def test_one_noisy_day_changes_the_tree_of_the_notes() -> None:
    D = pd.DataFrame(
        {name: codes.items() for name, codes in tl.example("tennis").block.codes.items()}
    )
    D["PlayTennis"] = tl.example("tennis").target.to_pylist()
    noise = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "Normal", "Wind": "Strong"}
    noisy = pd.concat([D, pd.DataFrame([noise | {"PlayTennis": "No"}])], ignore_index=True)
    T, T2 = (tl.ID3().fit(table, "PlayTennis") for table in (D, noisy))
    found = tl.diff(T, T2, on={"D": (D, "PlayTennis"), "D'": (noisy, "PlayTennis")})
    known = [(str(one), one.first, one.second) for one in found.regions if one.known]
    assert known == [
        ("Outlook = Sunny AND Humidity = High AND Temperature = Cool", "No", "Yes"),
        ("Outlook = Sunny AND Humidity = Normal AND Temperature = Hot", "Yes", "No"),
    ]
    assert [fork.path for fork in found.forks] == ["Outlook = Sunny"]
    assert found.forks[0].first == "splits on Humidity, gain 0.971"
    assert found.forks[0].second == "splits on Temperature, gain 0.585"
    assert found["D"].scores == (1, 1)
    assert found["D'"].scores == (14 / 15, 1)
    assert found["D'"].rows == (14,)
    assert found["D'"].answers[0][14] == "Yes"
    assert json.loads(json.dumps(found.to_dict()))["trials"][1]["rows"] == [14]
    assert "where they differ first" in found.to_html()
    assert "| 14 | Yes | No | No |" in found.to_markdown()


def test_mcnemar_counts_the_rows_that_only_one_gets_right() -> None:
    table, other = rows(300, seed=4)[[*COLUMNS, "class"]], rows(300, seed=5)[[*COLUMNS, "class"]]
    one, two = tl.CART(max_depth=2).fit(table, "class"), tl.CART(max_depth=5).fit(table, "class")
    trial = tl.diff(one, two, on={"S": (other, "class")})["S"]
    right = [tree.predict(other[COLUMNS]) == other["class"].to_numpy() for tree in (one, two)]
    from scipy.stats import binom

    b, c = int((~right[0] & right[1]).sum()), int((right[0] & ~right[1]).sum())
    tail = binom.cdf(min(b, c), b + c, 0.5)
    assert trial.p == pytest.approx(2 * tail - binom.pmf(min(b, c), b + c, 0.5))
    scores = one.score(other, "class"), two.score(other, "class")
    assert trial.scores == pytest.approx(scores, rel=1e-15)


def test_a_limit_is_stated() -> None:
    found = tl.diff(fitted("id3"), _other("id3"), limit=5)
    assert not found.complete
    assert not found.alike
    assert "Not all regions were compared: raise limit=." in str(found)


def test_what_cannot_be_compared_is_refused() -> None:
    tree = tl.ID3().fit(tl.example("tennis"))
    with pytest.raises(KindError, match=r"diff: these models are compared on rows. Pass a table"):
        tl.diff(tree, tl.NaiveBayes().fit(tl.example("tennis")))
    with pytest.raises(NotFitted):
        tl.diff(tree, tl.ID3())
    with pytest.raises(OptionError, match="one tree predicts classes"):
        tl.diff(tree, tl.CART(task="regression").fit([[1], [2]], [1.0, 2]))
    number = tl.ID3().fit(pd.DataFrame({"Wind": [1.0, 2, 3], "y": [*"nyn"]}), "y")
    with pytest.raises(ColumnError, match="'Wind' is a category in the first tree, and a number"):
        tl.diff(tree, number)


def test_a_value_that_only_one_tree_knows_is_no_fork() -> None:
    table = pd.DataFrame({"c": [*"aabbdd"], "y": [*"nnyynn"]})
    one, two = tl.ID3().fit(table[:4], "y"), tl.ID3().fit(table, "y")
    found = tl.diff(one, two)
    assert not found.forks
    assert [str(region) for region in found.regions if region.known] == []
    assert found.alike  # an unseen value gets the answer of the root, and n comes before y
