"""Tables passed to a grown tree: another one than that of fit is told, or counted right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors

X, CLASSES, NUMBERS = [[0.0], [1.0], [2.0], [3.0]], [*"abab"], [1.0, 5.0, 2.0, 8.0]
NONE = np.zeros((0, 1))


def chain() -> tl.DecisionTreeClassifier:
    return tl.DecisionTreeClassifier(keep_rows=True).fit(X, CLASSES)


def colours() -> pd.DataFrame:
    return pd.DataFrame({"colour": [*"bbggrr"] * 3, "size": range(18), "kind": [*"ppqqpr"] * 3})


@pytest.mark.parametrize(
    ("rows", "said"),
    [([[0.0]], "no row comes to 'x0 > 0.5'"), ([*X, [np.nan]], "'x0' has values or gaps at 'root'"),
     ([[0.0], [2.0], [3.0]], "no row comes to 'x0 > 0.5 & x0 <= 1.5'")],
)  # fmt: skip
def test_pessimistic_pruning_tells_a_table_that_the_tree_did_not_grow_from(
    rows: Any, said: str
) -> None:
    with pytest.raises(errors.InputError, match="not the training table") as caught:
        chain().prune("pessimistic", rows, ["a"] * len(rows))
    assert said in str(caught.value)


@pytest.mark.parametrize("how", [{"how": "pessimistic"},
                                 {"how": "cost_complexity", "ccp_alpha": "cv"}])  # fmt: skip
def test_a_table_without_rows_weights_or_known_classes_prunes_nothing(how: dict[str, Any]) -> None:
    model = chain()
    with pytest.raises(errors.InputError, match="no rows with a positive weight"):
        model.prune(X=NONE, y=[], **how)
    with pytest.raises(errors.InputError, match="no rows with a positive weight"):
        model.prune(X=X, y=CLASSES, sample_weight=[0.0] * 4, **how)
    with pytest.raises(errors.TargetError, match="the table has the class 'z', and the tree knows"):
        model.prune(X=X, y=[*"abzb"], **how)
    assert len(model.prunings()) == 0


def test_a_table_of_one_class_is_counted_as_that_class() -> None:
    pruned = chain().prune("pessimistic", X, [*"bbbb"])
    assert pruned.tree_.n[0] == 4
    assert pruned.tree_.counts[0].tolist() == [0, 4]


@pytest.mark.parametrize("bins", [None, 8])
@pytest.mark.parametrize(("make", "y"), [(tl.DecisionTreeClassifier, CLASSES),
                                         (tl.DecisionTreeRegressor, NUMBERS)])  # fmt: skip
def test_gains_tell_a_node_that_no_row_comes_to(make: Any, y: Any, bins: int | None) -> None:
    model = make(bins=bins).fit(X, y)
    for row, answer in zip(X, y, strict=True):
        path = model.tree_.above(int(model.apply([row])[0]))
        for node in range(len(model.tree_)):
            if node in path:
                assert model.gains(node, [row], [answer]).impurity == 0
                continue
            with pytest.raises(
                errors.InputError, match=f"no row of this table reaches node {node} "
            ):
                model.gains(node, [row], [answer])
    with pytest.raises(errors.InputError, match="no row of this table reaches node 1 "):
        model.gains(1, [[np.nan]], y[:1])
    with pytest.raises(errors.InputError, match="no rows with a positive weight"):
        model.gains(0, NONE, [])
    with pytest.raises(errors.InputError, match="no rows with a positive weight"):
        model.gains(0, X, y, sample_weight=[0.0] * 4)


def test_gains_of_a_model_tree_tell_a_node_that_no_row_comes_to() -> None:
    x = np.arange(40.0)[:, None]
    model = tl.M5(prune=False).fit(x, np.where(x[:, 0] < 20, x[:, 0], 90 - 3 * x[:, 0]))
    with pytest.raises(errors.InputError, match="no row of this table reaches node 1 "):
        model.gains(1, x[-1:], [0.0])
    with pytest.raises(errors.InputError, match="no row of this table reaches node 0 "):
        model.gains(0, x[:0], [])


@pytest.mark.parametrize("missing", ["branch", "node", "class", "global", "fractional"])
@pytest.mark.parametrize("split", ["subset", "multiway"])
def test_a_part_of_the_table_keeps_the_codes_of_its_categories(split: str, missing: str) -> None:
    table = colours()
    table.loc[[0, 3, 5], "colour"] = None
    model = tl.DecisionTreeClassifier(category_split=split, missing=missing).fit(table, "kind")
    red = table[table["colour"] == "r"]
    ways = model.decision_path(red.drop(columns="kind")).toarray().sum(axis=0)
    for node in range(len(model.tree_)):
        if not ways[node]:
            with pytest.raises(errors.InputError, match=f"reaches node {node} "):
                model.gains(node, red, "kind")
            continue
        came = red[model.decision_path(red.drop(columns="kind")).toarray()[:, node] > 0]
        shares = came["kind"].value_counts(normalize=True)
        assert model.gains(node, red, "kind").impurity == pytest.approx(1 - (shares**2).sum())


def test_a_category_that_the_tree_never_saw_is_told() -> None:
    model, odd = tl.DecisionTreeClassifier().fit(colours(), "kind"), colours()
    odd.loc[4, "colour"] = "azure"
    for ask in (
        lambda: model.gains(0, odd, "kind"),
        lambda: model.prune("pessimistic", odd, "kind"),
    ):
        with pytest.raises(errors.InputError, match="'colour' is 'azure' in some row"):
            ask()


@pytest.mark.parametrize("make", [tl.DecisionTreeClassifier, tl.M5])
def test_a_loaded_tree_says_that_its_file_has_no_training_rows(make: Any, tmp_path: Path) -> None:
    make(keep_rows=True).fit(X, [0, 1, 0, 1]).save(tmp_path / "tree.tally")
    model = tl.load(tmp_path / "tree.tally")
    asks = [lambda: model.gains()]
    asks += [lambda: model.prune("pessimistic")] if make is tl.DecisionTreeClassifier else []
    for ask in asks:
        with pytest.raises(errors.InputError, match="model file") as caught:
            ask()
        assert "Pass the table again: " in str(caught.value)
        assert "or fit" not in str(caught.value)


def test_alpha_is_not_chosen_by_folds_of_one_row() -> None:
    for learner, y in ((tl.DecisionTreeClassifier, ["a"]), (tl.DecisionTreeRegressor, [1.0])):
        with pytest.raises(errors.InputError, match="at least two rows, and the table has 1"):
            learner(ccp_alpha="cv").fit([[0.0]], y)
    with pytest.raises(errors.InputError, match="at least two rows, and the table has 1"):
        chain().prune("cost_complexity", [[0.0]], ["a"], ccp_alpha="cv")
    assert len(tl.DecisionTreeClassifier(ccp_alpha="cv").fit(X[:2], CLASSES[:2]).tree_) == 1
