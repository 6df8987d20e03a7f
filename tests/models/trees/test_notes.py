"""The trees of the notes: golden trees, gains and ties."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.models.trees.growing.split_choice import cost_score
from tallylearn.models.trees.tree import Tree

Golden = dict[str, dict[str, Any]]


def as_golden(tree: Tree, i: int = 0) -> dict[str, Any]:
    """A tree in the form of the golden file; empty branches are leaves of their parent's answer."""
    node = tree.node(i)
    if node.test == "leaf":
        return {"leaf": node.answer}
    found = {branch.values[0]: as_golden(tree, branch.node) for branch in node.branches}
    return {"split": node.column, "children": found | {v: {"empty": True} for v in node.absent}}


def same(tree: Any, golden: Any) -> bool:
    if "empty" in tree:
        return "empty branch" in golden.get("why", "")
    if "leaf" in tree:
        return bool(tree["leaf"] == golden.get("leaf"))
    children = golden.get("children", {})
    return (
        tree["split"] == golden.get("split")
        and tree["children"].keys() == children.keys()
        and all(same(tree["children"][key], children[key]) for key in children)
    )


def check_trace(tree: tl.DecisionTreeClassifier, trace: list[dict[str, Any]]) -> None:
    """Rows, gain and tied columns of every question."""
    found = {}
    for i in range(len(tree.tree_)):
        node = tree.tree_.node(i)
        path = [tree.tree_.branch(j) for j in tree.tree_.above(i)[1:]]
        if node.test != "leaf":
            key = " & ".join(f"{b.column}={b.values[0]}" for b in path) or "root"
            found[key] = node
    assert found.keys() == {step["path"] for step in trace}
    for step in trace:
        node = found[step["path"]]
        assert node.rows == step["n"]
        assert node.gain == pytest.approx(step["gain"], abs=1e-12)
        assert node.column == step["chosen_first_column"]
        assert ([*dict(node.tied)] or [node.column]) == step["tied_best"]


@pytest.mark.parametrize(
    ("name", "golden_id"), [("tennis", "tree.id3.tennis"), ("restaurant", "tree.restaurant.tree")]
)
def test_id3_grows_the_golden_trees(name: str, golden_id: str, golden: Golden) -> None:
    tree = tl.ID3().fit(tl.example(name))
    exact = golden[golden_id]["exact"]
    assert same(as_golden(tree.tree_), exact["tree"])
    check_trace(tree, exact["trace"])


def test_an_empty_branch_answers_as_its_parent_and_its_tie_is_told(golden: Golden) -> None:
    tree = tl.ID3().fit(tl.example("restaurant"))
    table = tl.example("restaurant")
    node = next(i for i in range(len(tree.tree_)) if "French" in tree.tree_.absent(i))
    assert tree.tree_.node(node).counts == (2, 2)  # the plurality of the parent is tied
    row = {"Pat": "Full", "Hun": "Yes", "Type": "French"}
    others = {c.name: table.block.codes[c.name].values[0] for c in table.schema.columns}
    assert tree.predict(others | row).tolist() == ["No"]
    assert tree.apply(others | row).tolist() == [node]


def tennis_with_noise() -> pd.DataFrame:
    table = tl.example("tennis").block
    columns = {name: table.codes[name].items() for name in table.schema.names}
    columns["PlayTennis"] = tl.example("tennis").target.to_pylist()
    frame = pd.DataFrame(columns)
    frame.loc[len(frame)] = ["Sunny", "Hot", "Normal", "Strong", "No"]
    return frame


def test_one_noisy_example_gives_another_tree(golden: Golden) -> None:
    exact = golden["tree.id3.tennis_plus_noise"]["exact"]
    tree = tl.ID3(keep_rows=True).fit(tennis_with_noise(), "PlayTennis")
    assert same(as_golden(tree.tree_), exact["tree"])
    check_trace(tree, exact["trace"])
    gains = tree.gains()
    assert gains.impurity == pytest.approx(exact["entropy"], abs=1e-12)
    assert {c.column: c.gain for c in gains} == pytest.approx(exact["gains_root"], abs=1e-12)


@pytest.mark.parametrize("name", ["outlook", "temperature", "humidity", "wind", "day"])
def test_gains_and_gain_ratios_are_the_golden_ones(name: str, golden: Golden) -> None:
    exact = golden[f"tree.gainratio.{name}"]["exact"]
    found = (
        tl.ID3(keep_rows=True)
        .fit(tl.example("tennis-day", keep=["Day"]))
        .gains()[name.capitalize()]
    )
    assert found.gain == pytest.approx(exact["gain"], abs=1e-12)
    assert found.information == pytest.approx(exact["split_information"], abs=1e-12)
    assert found.ratio == pytest.approx(exact["gain_ratio"], abs=1e-12)


def test_restaurant_gains_are_the_golden_ones(golden: Golden) -> None:
    found = {c.column: c.gain for c in tl.ID3(keep_rows=True).fit(tl.example("restaurant")).gains()}
    assert found == pytest.approx(golden["tree.restaurant.gains"]["exact"], abs=1e-12)


def test_costs_are_scored_as_the_notes_say(golden: Golden) -> None:
    tan, nunez = golden["tree.cost.tan_schlimmer"], golden["tree.cost.nunez"]
    cost = tan["inputs"]["cost"]
    tree = tl.ID3(keep_rows=True, costs={"Outlook": cost}).fit(tl.example("tennis"))
    assert tree.gains()["Outlook"].score == pytest.approx(tan["exact"], abs=1e-15)
    assert tree.tree_.node(0).column == "Humidity"
    for w, exact in nunez["exact"].items():
        found = cost_score(
            nunez["inputs"]["gain"], nunez["inputs"]["cost"], "(2^gain-1)/(cost+1)^w", float(w)
        )
        assert found == pytest.approx(exact, abs=1e-15)


def test_reduced_tennis_is_asked_for_its_outlook(golden: Golden) -> None:
    entry = golden["tree.reduced_tennis"]
    frame = pd.DataFrame(entry["inputs"]["rows"], columns=entry["inputs"]["columns"])
    gains = tl.ID3(keep_rows=True).fit(frame, "PlayTennis").gains()
    for name in ("Outlook", "Temperature"):
        assert gains[name].gain == pytest.approx(entry["exact"][f"gain_{name}"], abs=1e-12)
        assert gains[name].after == pytest.approx(
            entry["exact"][f"entropy_after_{name}"], abs=1e-12
        )


@pytest.mark.parametrize("name", ["model", "condition", "leslie"])
def test_organ_prices_split_as_in_the_notes(name: str, golden: Golden) -> None:
    exact = golden[f"regtree.{name}"]["exact"]
    table, column = tl.example("organs"), name.capitalize()
    by_variance = tl.DecisionTreeRegressor(keep_rows=True, category_split="multiway").fit(table)
    by_deviation = tl.DecisionTreeRegressor(
        keep_rows=True, category_split="multiway", criterion="sdr"
    ).fit(table)
    mse = exact["weighted_average_mse"]["decimal"]
    assert by_variance.gains()[column].after == pytest.approx(mse, rel=1e-12)
    assert by_deviation.gains()[column].gain == pytest.approx(exact["SDR_population_sd"], rel=1e-12)
    alone = tl.DecisionTreeRegressor(keep_rows=True, category_split="multiway").fit(
        pd.DataFrame({column: table.block.codes[column].items()}), table.target.to_numpy()
    )
    means = {b.values[0]: alone.tree_.prediction_of(b.node) for b in alone.tree_.branches(0)}
    assert means == pytest.approx({k: v["decimal"] for k, v in exact["means"].items()}, rel=1e-15)


@pytest.mark.parametrize("model", ["A100", "T202"])
def test_the_second_level_of_the_organs_asks_for_leslie(model: str, golden: Golden) -> None:
    exact = golden[f"regtree.second_level.{model}"]["exact"]
    for criterion in ("squared_error", "sdr"):
        tree = tl.DecisionTreeRegressor(
            keep_rows=True, category_split="multiway", criterion=criterion
        )
        tree.fit(tl.example("organs"))
        node = next(b.node for b in tree.tree_.branches(0) if b.values == (model,))
        assert tree.tree_.node(node).column == exact["best"]
        gains = tree.gains(node)
        for name in ("Condition", "Leslie"):
            if criterion == "sdr":
                assert gains[name].gain == pytest.approx(
                    exact[name]["SDR_population_sd"], rel=1e-12
                )
            else:
                mse = exact[name]["weighted_average_mse"]["decimal"]
                assert gains[name].after == pytest.approx(mse, rel=1e-12)
