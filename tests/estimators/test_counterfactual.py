"""Counterfactuals: the smallest change of one or two columns, against brute force."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, OptionError

KINDS = ["a", "b", "c"]
COUNTED = {
    "tree": tl.DecisionTreeClassifier(max_depth=4),
    "multi-way tree": tl.ID3(),
    "parts of rows": tl.C45(),
    "forest": tl.RandomForestClassifier(5, max_depth=4, random_state=0),
    "boosting": tl.HistGradientBoostingClassifier(max_iter=4),
    "tree of numbers": tl.DecisionTreeRegressor(max_depth=4),
}


def whole_table(seed: int, n: int = 120) -> pd.DataFrame:
    """Whole numbers from 0 to 9, a category, and a target."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({
        "size": rng.integers(0, 10, n).astype(float),
        "age": rng.integers(0, 10, n).astype(float),
        "kind": rng.choice(KINDS, n),
    })  # fmt: skip
    score = table["size"] - table.age + 3 * (table.kind == "b") + rng.normal(size=n)
    return table.assign(score=score, good=np.where(score > 2, "yes", "no"))


def sizes(table: pd.DataFrame, row: dict[str, Any], changed: dict[str, Any]) -> float:
    """The change in standard deviations; 1 for a category."""
    return sum(
        1.0 if isinstance(value, str) else abs(value - row[name]) / np.std(table[name])
        for name, value in changed.items()
    )


def brute_force(model: Any, table: pd.DataFrame, row: dict[str, Any], ok: Any) -> tuple[int, float]:
    """The least number of columns and its least change, over all values of one and two columns."""
    values = {"size": range(10), "age": range(10), "kind": KINDS}
    for many in (1, 2):
        options = [
            dict(zip(names, one, strict=True))
            for names in itertools.combinations(values, many)
            for one in itertools.product(*(values[name] for name in names))
        ]
        rows = pd.DataFrame([{**row, **one} for one in options])
        rows[["size", "age"]] = rows[["size", "age"]].astype(float)
        right = ok(model.predict(rows))
        if right.any():
            found = itertools.compress(options, right)
            changes = ({n: v for n, v in one.items() if v != row[n]} for one in found)
            return many, min(sizes(table, row, one) for one in changes)
    return 0, 0.0


@pytest.mark.parametrize("name", COUNTED)
def test_trees_find_the_smallest_change_of_all(name: str) -> None:
    learner, seen = COUNTED[name], set()
    for seed in range(3):
        table = whole_table(seed)
        y = "score" if learner.task == "regressor" else "good"
        model = learner.fit(table[["size", "age", "kind", y]], y)
        for row in table[["size", "age", "kind"]][:12].to_dict("records"):
            now = model.predict(row)[0]
            if learner.task == "regressor":
                wanted: dict[str, Any] = {"at_least": now + 3}
                many, least = brute_force(model, table, row, lambda y, now=now: y >= now + 3)
            else:
                wanted = {}
                many, least = brute_force(model, table, row, lambda y, now=now: y != now)
            seen.add(many)
            if not many:
                with pytest.raises(InputError, match="no change of one or two columns"):
                    model.counterfactual(row, **wanted)
                continue
            found = model.counterfactual(row, **wanted)
            assert found.exact
            assert (len(found.changes), found.size) == (many, pytest.approx(least))
            assert model.predict(found.row)[0] == found.after
    assert {1, 2} & seen


def test_counts_of_categories_are_searched_in_full() -> None:
    tennis = tl.example("tennis")
    model = tl.NaiveBayes().fit(tennis)
    levels = {"Outlook": ["Overcast", "Rain", "Sunny"], "Temperature": ["Cool", "Hot", "Mild"],
              "Humidity": ["High", "Normal"], "Wind": ["Strong", "Weak"]}  # fmt: skip
    pairs = 0
    for values in itertools.product(*levels.values()):
        row = dict(zip(levels, values, strict=True))
        now = model.predict(row)[0]
        least = 3
        for many in (1, 2):
            rows = [
                {**row, **dict(zip(names, one, strict=True))}
                for names in itertools.combinations(levels, many)
                for one in itertools.product(*(levels[name] for name in names))
            ]
            if least == 3 and (model.predict(pd.DataFrame(rows)) != now).any():
                least = many
        if least < 3:
            found = model.counterfactual(row)
            assert (len(found.changes), found.size, found.exact) == (least, least, True)
        pairs += least == 2
    assert pairs


def smooth_table(n: int = 150) -> pd.DataFrame:
    rng = np.random.default_rng(8)
    table = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    score = 2 * table.a - table.b + table.c**2 + rng.normal(size=n) / 2
    return table.assign(good=np.where(score > 1.5, "yes", "no"), score=score)


@pytest.mark.parametrize(
    "learner",
    [
        tl.LogisticRegression(),
        tl.NaiveBayes(),
        tl.LinearDiscriminantAnalysis(),
        tl.QuadraticDiscriminantAnalysis(),
    ],
    ids=str,
)
def test_one_column_of_a_smooth_model_is_changed_to_the_border(learner: Any) -> None:
    table = smooth_table()
    X = table[["a", "b", "c"]]
    model = learner.fit(table.drop(columns="score"), "good")
    for at in range(10):
        row = X.iloc[at].to_dict()
        now = model.predict(row)[0]
        least = np.inf
        for name in X:  # a fine grid over the range of the training rows
            grid = np.linspace(X[name].min(), X[name].max(), 4001)
            flips = grid[
                model.predict(pd.DataFrame([row]).loc[[0] * 4001].assign(**{name: grid})) != now
            ]
            if len(flips):
                least = min(least, np.abs(flips - row[name]).min() / np.std(X[name]))
        if least < np.inf:
            found = model.counterfactual(row)
            assert len(found.changes) == 1
            assert found.size <= least
            assert found.size == pytest.approx(least, abs=0.003)
            assert found.exact
            (change,) = found.changes
            inside = (change.new - row[change.column]) * (1 - 1e-9) + row[change.column]
            assert model.predict(row | {change.column: inside})[0] == now
            assert model.predict(found.row)[0] == found.after != now


def test_the_border_of_a_line_is_the_solution_of_its_equation() -> None:
    table = smooth_table()
    model = tl.LinearRegression().fit(table[["a", "b", "score"]], "score")
    row = {"a": 0.1, "b": 0.2}
    goal = model.predict(row)[0] + 1
    found = model.counterfactual(row, at_least=goal, columns="b")
    assert found.changes[0].new == pytest.approx(0.2 + 1 / model.coef_[1], abs=1e-12)
    assert model.predict(found.row)[0] >= goal
    best = min((0, 1), key=lambda j: 1 / abs(model.coef_[j]) / np.std(table[["a", "b"][j]]))
    assert model.counterfactual(row, at_least=goal).changes[0].column == ["a", "b"][best]


def test_two_columns_of_a_line_move_one_to_its_end() -> None:
    table = smooth_table()
    model = tl.LinearRegression().fit(table[["a", "b", "score"]], "score")
    ends = table.a.max(), table.b.min()
    goal = float(model.predict({"a": ends[0], "b": ends[1]})[0]) - 0.1
    row = {"a": 0.1, "b": 0.2}
    found = model.counterfactual(row, at_least=goal)
    deviations = np.std(table.a), np.std(table.b)
    gap = goal - model.predict(row)[0]
    first, second = model.coef_
    least = min(  # one column at its end, the other one solves the equation
        (ends[0] - 0.1) / deviations[0]
        + abs((gap - first * (ends[0] - 0.1)) / second) / deviations[1],
        (0.2 - ends[1]) / deviations[1]
        + abs((gap - second * (ends[1] - 0.2)) / first) / deviations[0],
    )
    assert len(found.changes) == 2
    assert found.exact
    assert found.size == pytest.approx(least, abs=1e-9)


def test_a_value_that_is_shown_holds_when_it_is_typed() -> None:
    loans = tl.example("loans")
    rows = loans[:25]
    for learner in (tl.DecisionTreeClassifier(max_depth=6), tl.LogisticRegression()):
        model = learner.fit(loans, "denied")
        for at in range(25):
            found = model.counterfactual(rows[at : at + 1], columns=["amount", "debt_ratio"])
            changed = dict(found.row)
            for change in found.changes:
                shown = float(change.condition.split()[-1])
                above = change.condition.startswith("more")
                changed[change.column] = np.nextafter(shown, np.inf) if above else shown
            assert model.predict(changed)[0] == found.after


def test_a_target_may_be_any_class_and_columns_may_be_fixed() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(0, 9, 90), "b": rng.uniform(0, 9, 90)})
    y = np.array(["low", "middle", "top"])[np.digitize(X.a + X.b / 9, [3, 6])]
    model = tl.DecisionTreeClassifier().fit(X.assign(y=y), "y")
    row = {"a": 1.0, "b": 1.0}
    assert model.counterfactual(row).after == "middle"
    assert model.counterfactual(row, "top").after == "top"
    assert model.counterfactual(row, "top").changes[0].column == "a"
    with pytest.raises(InputError, match=r"no change of one or two columns makes .* 'top'.*'b'"):
        model.counterfactual(row, "top", fixed="a")


def test_a_missing_value_may_be_filled() -> None:
    table = whole_table(1)
    model = tl.DecisionTreeClassifier(max_depth=3).fit(table.drop(columns="score"), "good")
    row = {"size": None, "age": 4.0, "kind": "a"}
    found = model.counterfactual(row, columns="size")
    assert (found.changes[0].old, found.changes[0].size) == (None, 1.0)
    assert "(it is missing)" in str(found)
    assert model.predict(found.row)[0] == found.after


def test_loaded_models_take_the_spread_of_what_they_have(tmp_path: Any) -> None:
    table = smooth_table().drop(columns="score")
    row = table.drop(columns="good")[:1]
    units = {}
    for learner in (tl.DecisionTreeClassifier(max_depth=3), tl.NaiveBayes()):
        learner.fit(table, "good").save(tmp_path / "m.tally")
        model = tl.load(tmp_path / "m.tally")
        found = model.counterfactual(row)
        assert model.predict(found.row)[0] == found.after
        units[type(learner).__name__] = found.unit
    assert units == {
        "DecisionTreeClassifier": "standard deviations of the thresholds of the trees",
        "NaiveBayes": "standard deviations of the tally",
    }
    tl.LogisticRegression().fit(table, "good").save(tmp_path / "m.tally")
    model = tl.load(tmp_path / "m.tally")
    with pytest.raises(InputError, match=r"counterfactual: the spread of column 'a'.*table="):
        model.counterfactual(row)
    assert model.counterfactual(row, table=table).unit.endswith("rows that were passed")


def test_a_counterfactual_is_plain_data_and_a_sentence() -> None:
    model = tl.ID3().fit(tl.example("tennis"))
    row = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    found = model.counterfactual(row)
    data = json.loads(json.dumps(found.to_dict()))
    assert str(type(found).report_of(data)) == str(found)
    assert re.sub(r"\s", " ", str(found)) == (
        "PlayTennis would be Yes instead of No if Outlook were Overcast (it is Sunny). The change "
        "is 1 standard deviations of the training rows; a category counts as one."
    )


def test_a_pipeline_changes_values_of_the_table() -> None:
    table = smooth_table().drop(columns="score")
    steps = [("scale", tl.StandardScaler()), ("fit", tl.LogisticRegression())]
    model = tl.Pipeline(steps).fit(table, "good")
    row = table.drop(columns="good")[:1]
    found = model.counterfactual(row)
    assert model.predict(found.row)[0] == found.after != model.predict(row)[0]


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"target": "maybe"}, OptionError, "'maybe', which is no class.*'no', 'yes'"),
        ({"target": "same"}, InputError, "already"),
        ({"fixed": "sizes"}, ColumnError, "no column 'sizes' .*Did you mean 'size'"),
        ({"columns": "age", "fixed": "age"}, OptionError, "no column may change"),
        ({"at_least": 3}, OptionError, "at_least is for regressors. Pass target"),
    ],
)
def test_what_cannot_be_searched_is_refused(given: Any, error: Any, said: str) -> None:
    table = whole_table(0).drop(columns="score")
    model = tl.DecisionTreeClassifier(max_depth=3).fit(table, "good")
    row = {"size": 3.0, "age": 2.0, "kind": "a"}
    if given.get("target") == "same":
        given = {"target": model.predict(row)[0]}
    with pytest.raises(error, match=rf"^DecisionTreeClassifier\.counterfactual: .*{said}"):
        model.counterfactual(row, **given)


def test_regressors_want_a_bound_and_one_row() -> None:
    model = tl.LinearRegression().fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0])
    for given, said in (({}, "at_least is None"), ({"at_most": "x"}, "at_most is 'x'"),
                        ({"target": 3}, "target is for classifiers")):  # fmt: skip
        with pytest.raises(OptionError, match=said):
            model.counterfactual([[1.0]], **given)
    with pytest.raises(InputError, match="of one row, and the table has 2"):
        model.counterfactual([[1.0], [2.0]], at_least=2)
    assert not hasattr(tl.KMeans(), "counterfactual")
