"""What problem a table poses, and what to be careful about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, OptionError, TargetError
from tallylearn.tables import BLOCK


def cautions(columns: dict[str, Any], target: str | None = "y", **options: Any) -> list[str]:
    return [*tl.problem(columns, target, **options).cautions]


# T, P, E, X and Y


def test_the_tennis_table_poses_concept_learning() -> None:
    found = tl.problem(tl.example("tennis"))
    assert (found.kind, found.name) == ("supervised", "concept learning")
    assert found.task == (
        "predict PlayTennis (2 classes: No 5, Yes 9) from 4 columns of categories"
    )
    assert found.performance == "accuracy; baseline 0.643 (always predicts Yes)"
    assert found.experience == "14 rows, each with its PlayTennis"
    assert (found.inputs, found.outputs) == ("finite: 3 · 3 · 2 · 2 = 36 points", "{No, Yes}")
    assert found.cautions == ()


def test_more_classes_or_numbers_make_it_classification() -> None:
    rows = {"x": ["a", "b", "c"] * 10, "y": ["p", "q", "r"] * 10}
    assert tl.problem(rows, "y").name == "classification"
    rows = {"x": [0.5, 1.5] * 10, "y": ["p", "q"] * 10}
    assert tl.problem(rows, "y").name == "classification"
    assert tl.problem(rows, "y").inputs == "continuous: R^1"


def test_measures_make_it_regression() -> None:
    found = tl.problem(tl.example("organs"))
    prices = pd.Series(tl.example("organs").target.to_pylist(), dtype=float)
    assert found.name == "regression"
    assert found.task == "predict Price (77 to 4513) from 3 columns of categories"
    assert found.outputs == "R"
    assert f"{prices.std(ddof=0):.4g} (always predicts the mean {prices.mean():.4g})" in (
        found.performance
    )


def test_whole_numbers_are_classes_when_they_are_few() -> None:
    def name(y: Any, **options: Any) -> str:
        return tl.problem({"x": np.arange(len(y)) * 0.37, "y": y}, "y", **options).name

    assert name([0, 1, 0]) == "classification"
    assert name([1, 2, 3, 1]) == "regression"
    assert name([1, 2, 3] * 5) == "classification"
    assert name([*range(11)] * 20) == "regression"
    assert name([0.5, 1.0] * 20) == "regression"
    assert name([0, 1] * 9, learner=tl.DummyRegressor()) == "regression"
    assert name([*range(40)], learner=tl.DummyClassifier()) == "classification"


def test_without_a_target_it_is_unsupervised() -> None:
    found = tl.problem({"x": [1.0, 2.0], "c": ["a", "b"]})
    assert (found.kind, found.experience) == ("unsupervised", "2 rows, no target")
    assert found.inputs == "mixed: R^1 × (2 points)"
    assert found.task == "find structure in 1 column of numbers, 1 of categories"


def test_a_trajectory_is_reinforcement_learning() -> None:
    steps = {"State": ["a", "b"], "Action": ["l", "r"], "Reward": [0, 1], "next_state": ["b", "a"]}
    found = tl.problem(steps)
    assert (found.kind, found.task) == ("reinforcement", "choose Action by State")
    assert found.performance == "the sum of Reward"
    assert found.experience == "2 rows of trajectories: State, Action, Reward"
    assert tl.problem(steps, "Action").kind == "supervised"
    assert tl.problem({"s": [1], "a": [1], "r": [0.5]}).kind == "reinforcement"
    assert tl.problem({"state": ["Texas"], "reward": [1]}).kind == "unsupervised"


def test_a_task_may_be_said_in_other_words() -> None:
    games = {"state": ["b0", "b1"], "action": ["11-15", "23-19"], "reward": [0, 1]}
    found = tl.problem(games, task="play checkers", performance="the share of games won")
    assert str(found).splitlines()[1:3] == ["T  play checkers", "P  the share of games won"]


def test_declared_values_and_truth_values_count_in_x() -> None:
    table = tl.table(
        {"sky": ["sunny", "rainy"], "wet": [False, False], "y": ["n", "p"]},
        target="y", categories={"sky": ["sunny", "rainy", "cloudy"]},
    )  # fmt: skip
    assert tl.problem(table).inputs == "finite: 3 · 2 = 6 points"


def test_text_and_dates_are_named() -> None:
    found = tl.problem(
        tl.table(
            {"when": ["2026-01-05"] * 12, "said": [f"one two three four {i}" for i in range(12)]},
            dates=["when"],
        )
    )
    assert found.task == "find structure in 1 column of dates, 1 of text"
    assert found.inputs == "mixed: R^1 × text"


def test_a_target_may_be_an_array() -> None:
    x = np.arange(20.0).reshape(10, 2) ** 2
    found = tl.problem(x, np.arange(10) > 4)
    assert found.task == "predict y (2 classes: False 5, True 5) from 2 columns of numbers"
    assert tl.problem(x, np.arange(10) + 0.5).name == "regression"
    assert tl.problem(x, ["a", "b"] * 5).outputs == "{a, b}"


# the learner


def test_hyper_parameters_are_chosen_and_parameters_learned() -> None:
    found = tl.problem(tl.example("tennis"), learner=tl.NaiveBayes(alpha=2))
    assert found.learner == "NaiveBayes(alpha=2)"
    assert found.hyper_parameters["alpha"] == 2
    assert found.parameters == "learned from the rows; parametric: more rows do not add any"
    fitted = tl.NaiveBayes().fit(tl.example("tennis"))
    said = tl.problem(tl.example("tennis"), learner=fitted).parameters
    assert said.startswith(f"{fitted.n_parameters_} free numbers")


def test_a_learner_of_the_other_kind_is_pointed_out() -> None:
    assert cautions({"x": [1.5], "y": ["a"]}, learner=tl.DummyRegressor())[0] == (
        "DummyRegressor answers with numbers, and y holds words"
    )
    assert cautions({"x": [1.5, 2], "y": [0.5, 1]}, learner=tl.NaiveBayes())[0] == (
        "NaiveBayes answers with classes, and y is measured"
    )
    many = {"x": [*range(40)], "y": [7 * i for i in range(40)]}
    assert cautions(many, learner=tl.ID3())[0] == (
        "DecisionTreeClassifier answers with classes, and y has 40 different numbers: each is a "
        "class of its own. A regressor takes them as measures"
    )
    few = {"x": [*range(40)], "y": [i % 4 for i in range(40)]}
    assert not [text for text in cautions(few, learner=tl.ID3()) if "answers with" in text]


# cautions


def test_a_table_of_identifiers_alone_has_nothing_to_learn_from_and_the_remedy_works() -> None:
    columns = {"id": [f"k{at}" for at in range(60)], "no": [f"n{at}" for at in range(60)]}
    columns |= {"y": ["p", "q"] * 30}
    said = "no other column is there, and none is used: tl.table(..., keep=['id']) takes"
    for found in (tl.problem(columns, "y").cautions, tl.check(columns, "y").cautions):
        assert [text for text in found if text.startswith(said)] == [f"{said} one all the same"]
    kept = tl.table(columns, target="y", keep=["id"])
    assert not [text for text in tl.problem(kept).cautions if "no other" in text]
    assert not [text for text in tl.problem(columns | {"x": [1, 2] * 30}, "y").cautions
                if "no other" in text]  # fmt: skip


def test_identifiers_gaps_and_constants_are_pointed_out() -> None:
    found = cautions(
        {
            "id": [f"k{at}" for at in range(20)],
            "age": [None, *[3.5, 4.5, 7.0] * 6, 1.0],
            "kind": ["a", None, *["b", "a"] * 9],
            "one": ["x"] * 20,
            "y": ["p", "q"] * 10,
        }
    )
    assert found == [
        "id is not used: all of its 20 values are different",
        "one has the same value in all 20 rows",
        "values are missing in age (1), kind (1)",
    ]


def test_a_target_with_gaps_is_pointed_out() -> None:
    said = "y is missing in 2 of 12 rows, which are left out"
    assert said in cautions({"x": [1.5, 2.5, 9.5] * 4, "y": [None, "a", "b"] + ["a", "b", "a"] * 2
                             + ["a", None, "b"]})  # fmt: skip
    assert said in cautions({"x": [1.5, 2.5] * 6, "y": [None, None, *np.linspace(0.1, 3, 10)]})


def test_unequal_and_small_classes_are_pointed_out() -> None:
    x = np.random.default_rng(0).normal(size=40)
    assert cautions({"x": x, "y": ["a"] * 36 + ["b"] * 4}) == [
        "36 of 40 rows are a: accuracy alone says little; look at precision and recall",
        "few rows of b (4)",
    ]
    assert cautions({"x": x, "y": ["a"] * 35 + ["b"] * 5}) == []
    assert cautions({"x": x, "y": ["a"] * 40}) == [
        "y is a in all 40 rows: there is nothing to learn"
    ]


def test_a_column_that_knows_the_target_is_pointed_out() -> None:
    rng = np.random.default_rng(1)
    y = rng.permutation([0, 1] * 50)
    columns = {
        "same": y,
        "three": np.where(y, "a", np.where(rng.random(100) < 0.5, "b", "c")),
        "score": y * 5 + rng.random(100),
        "nearly": np.where(np.arange(100) == 7, 1 - y, y),
        "noise": rng.normal(size=100),
        "y": np.where(y, "sick", "well"),
    }
    assert sorted(cautions(columns)) == [
        "same gives y away: one to one, on all 100 rows",
        "score gives y away: thresholds separate the classes, on all 100 rows",
        "three gives y away: its 3 values have one answer each, on all 100 rows",
    ]


def test_a_straight_line_gives_a_measure_away() -> None:
    x = np.random.default_rng(2).normal(size=60)
    columns = {"fahrenheit": x * 1.8 + 32, "square": x**2, "bent": x + 1e-4 * x**3, "y": x}
    assert cautions(columns) == [
        "fahrenheit gives y away: a straight line, on all 60 rows",
        "bent gives y away: a curve that never turns, on all 60 rows",
    ]


def test_rounded_and_bent_copies_of_a_measure_give_it_away_and_strong_columns_do_not() -> None:
    rng = np.random.default_rng(2)
    net, noise = rng.gamma(2, 100, 400), rng.normal(size=400)
    columns = {
        "gross": (net * 1.19).round(2), "log": np.log(net), "less": 1 / net,
        "strong": net * (1 + 0.01 * noise), "whole": net.round(-1), "y": net,
    }  # fmt: skip
    assert [said.split(",")[0] for said in cautions(columns)] == [
        "gross gives y away: a straight line",
        "log gives y away: a curve that never turns",
        "less gives y away: a curve that never turns",
    ]
    years = {"days": (net * 365.25).round(), "fuzzy": net + noise, "y": np.floor(net)}
    assert cautions(years) == ["days gives y away: a curve that never turns, on all 400 rows"]
    walk = np.cumsum(rng.normal(size=4000))
    assert cautions({"before": walk[:-1], "y": walk[1:]}) == []


def test_a_row_of_totals_among_the_rows_that_are_learned_is_said() -> None:
    table = {
        "shop": ["north", "south", "east", "Subtotal", "west", "Total"],
        "size": [1.0, 2.5, 4.0, 7.5, 3.0, 10.5],
        "sold": [3.0, 5.0, 4.0, 12.0, 2.0, 14.0],
    }
    subtotal, total = (words for words in tl.problem(table, "sold").cautions if "sum up" in words)
    assert subtotal.startswith("row 3 seems to sum up other rows")
    assert total.startswith("row 5 seems to sum up other rows")
    unsold = table | {"sold": [3.0, 5.0, 4.0, None, 2.0, None]}
    assert not [words for words in tl.problem(unsold, "sold").cautions if "sum up" in words]


def test_parts_that_sum_to_a_measure_give_it_away() -> None:
    rng = np.random.default_rng(3)
    casual, registered = rng.integers(0, 900, 80), rng.integers(0, 900, 80)
    columns = {"casual": casual, "wind": rng.normal(size=80), "registered": registered}
    said = "casual, registered give y away together: a weighted sum, on all 80 rows"
    assert cautions(columns | {"y": casual + registered}) == [said]
    gross = (1.19 * casual + registered).round(1)
    assert cautions(columns | {"y": gross}) == [said]
    assert cautions(columns | {"y": casual + registered + rng.normal(size=80)}) == []


def test_as_many_columns_as_rows_give_nothing_away() -> None:
    rng = np.random.default_rng(4)
    columns = {f"x{i}": rng.normal(size=20) for i in range(19)}
    assert cautions(columns | {"y": rng.normal(size=20)}) == []
    bands = {"band": np.repeat(["a", "b", "c"], 20), "y": np.repeat([0.5, 1.5, 9.0], 20)}
    assert cautions(bands) == ["band gives y away: one to one, on all 60 rows"]


def test_few_rows_or_many_values_are_no_leak() -> None:
    assert cautions({"x": ["a", "b", "a", "b"], "y": ["p", "q", "p", "q"]}) == [
        "few rows of p (2), q (2)"
    ]
    words = {"x": [f"w{at}" for at in range(20)], "y": ["p", "q"] * 10}
    assert not any("away" in text for text in cautions(words))


def test_values_of_one_row_and_rows_that_come_again_vouch_for_nothing() -> None:
    rng = np.random.default_rng(6)
    n = 400
    claims = np.where(rng.random(n) < 0.6, 0, rng.gamma(2, 500, n).round(2))
    y = np.where((claims > 0) & (rng.random(n) < 0.5), "q", "p")
    x = rng.normal(size=n)
    assert cautions({"claims": claims, "x": x, "y": y}) == []
    few = np.where(claims > 0, claims.round(-1), 0)  # some come twice
    assert not any("away" in said for said in cautions({"claims": few, "x": x, "y": y}))
    for times in (2, 40):
        again = {"z": np.tile(rng.normal(size=50), times), "y": np.tile(y[:50], times)}
        said = f"{50 * times:,} of {50 * times:,} rows are duplicates"
        assert [text.split(":")[0] for text in cautions(again)] == [said]
    region = rng.integers(0, 150, n)  # some of one row
    told = {"x": x, "zip": region, "y": np.where(region % 7 < 3, "u", "v")}
    m = len(np.unique(region))
    said = f"zip gives y away: its {m} values have one answer each, on all 400 rows"
    assert cautions(told) == [said]


def test_noise_gives_nothing_away() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([10, 12, 20, 60]))
        kinds = [(rng.normal, ()), (rng.integers, (0, 2)), (rng.integers, (0, n // 2))]
        columns = {f"x{i}": draw(*ends, size=n) for i in range(10) for draw, ends in [kinds[i % 3]]}
        y = np.where(rng.random(n) < rng.choice([0.15, 0.5]), "a", "b")
        assert not any("away" in text for text in cautions(columns | {"y": y})), seed


def test_gaps_that_tell_the_class_give_it_away() -> None:
    rng = np.random.default_rng(7)
    y, x = rng.random(400) < 0.4, rng.normal(size=400)
    n = int(y.sum())
    columns = {"part": np.where(y, x, np.nan), "flag": np.where(y, 3.0, np.nan),
               "some": np.where(rng.random(400) < 0.4, x, np.nan), "x": rng.random(400),
               "y": np.where(y, "p", "q")}  # fmt: skip
    assert cautions(columns)[:3] == [
        f"flag has the same value in the {n} rows of 400 that show one",
        "part gives y away: its missing values separate the classes, on all 400 rows",
        "flag gives y away: its missing values separate the classes, on all 400 rows",
    ]
    assert len(cautions(columns)) == 4  # and where values are missing


def test_a_copy_with_a_stray_row_gives_the_class_away() -> None:
    rng = np.random.default_rng(8)
    y = rng.permutation([0, 1] * 200)
    for strays, said in ((1, " but for 1"), (2, " but for 2"), (5, None)):
        copy = np.where(np.arange(400) < strays, 1 - y, y)
        away = [text for text in cautions({"copy": copy, "y": np.where(y, "p", "q")})
                if "away" in text]  # fmt: skip
        assert away == ([] if said is None else
                        [f"copy gives y away: one to one, on all 400 rows{said}"])  # fmt: skip


def test_a_column_without_a_value_is_pointed_out() -> None:
    columns = {"none": [None] * 20, "nan": [np.nan] * 20, "x": [1.5, 2.5] * 10}
    assert cautions(columns | {"y": [*"pqqp"] * 5})[:2] == [
        "none has no value in all 20 rows",
        "nan has no value in all 20 rows",
    ]
    found = tl.evaluate(tl.NaiveBayes(), pd.DataFrame(columns | {"y": [*"pqqp"] * 5}), "y", cv=2)
    assert "none has no value in all 20 rows" in found.cautions


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from([0.5, 1.5]), st.sampled_from("pq")),
        min_size=2,
        max_size=12,
    )
)
def test_equal_rows_of_different_classes_are_counted(rows: list[tuple[str, float, str]]) -> None:
    columns = dict(zip(("x", "n", "y"), map(list, zip(*rows, strict=True)), strict=True))
    groups: dict[Any, list[str]] = {}
    for *x, y in rows:
        groups.setdefault(tuple(x), []).append(y)
    best = sum(max(map(ys.count, ys)) for ys in groups.values())
    said = [text for text in cautions(columns) if "are equal" in text]
    if best == len(rows):
        assert said == []
        return
    second = next(i for i, (*x, y) in enumerate(rows) if y != groups[tuple(x)][0])
    first = next(i for i, (*x, _) in enumerate(rows) if x == [*rows[second][:2]])
    assert said == [
        f"rows {first} and {second} are equal, and their y differs: no more than "
        f"{best} of {len(rows)} can be predicted correctly"
    ]


def test_equal_rows_are_equal_but_for_what_tells_them_apart() -> None:
    columns = {"id": [*"abcdefghijkl"], "x": ["a"] * 6 + ["b"] * 6, "y": ["p"] * 5 + ["q"] * 7}
    said = "rows 0 and 5 are equal but for id, and their y differs: no more than 11 of 12 can"
    assert any(text.startswith(said) for text in cautions(columns))


@given(st.data())
def test_any_table_has_a_problem(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 12))
    kinds = (
        st.floats(allow_nan=True, allow_infinity=True),
        st.one_of(st.none(), st.text(max_size=3)),
        st.one_of(st.none(), st.booleans()),
        st.one_of(st.none(), st.integers(-5, 5)),
    )
    columns = {
        name: data.draw(st.lists(data.draw(st.sampled_from(kinds)), min_size=n, max_size=n))
        for name in ("a", "b", "y")
    }
    assert json.dumps(tl.problem(columns).to_dict())
    gaps = [y is None or (isinstance(y, float) and not np.isfinite(y)) for y in columns["y"]]
    if all(gaps):
        with pytest.raises(TargetError, match="has no value in any row"):
            tl.problem(columns, "y")
        return
    found = tl.problem(columns, "y")
    assert json.dumps(found.to_dict())
    assert found.kind == "supervised"


def test_a_long_file_is_seen_by_its_first_rows_and_a_long_table_whole(tmp_path: Path) -> None:
    y = np.repeat(["a", "b"], [BLOCK, 100])
    frame = pd.DataFrame({"x": np.tile([0.5, 1.5], len(y) // 2), "y": y})
    whole = tl.problem(frame, "y")
    assert "2 classes: a 65,536, b 100" in whole.task
    assert whole.whole
    frame.to_parquet(tmp_path / "t.parquet")
    part = tl.problem(tmp_path / "t.parquet", "y")
    assert part.experience == "the first 65,536 rows, each with its y"
    assert "y is a in all 65,536 rows: there is nothing to learn" in part.cautions
    assert not part.whole


def test_files_and_frames_pose_the_same_problem(tmp_path: Path, mixed: pd.DataFrame) -> None:
    mixed.to_parquet(tmp_path / "m.parquet")
    for target in ("kind", "price", "heavy"):
        one, two = (tl.problem(t, target) for t in (mixed, tmp_path / "m.parquet"))
        assert one.to_dict() == two.to_dict()


# how it is shown, and bad input


def test_it_is_shown_as_text_markdown_html_and_data() -> None:
    found = tl.problem(tl.example("tennis-day"), learner=tl.DummyClassifier())
    assert str(found).startswith("concept learning (supervised)\nT  ")
    assert found.to_markdown().startswith("## concept learning (supervised)\n\nT: predict")
    assert "Day is not used" in found._repr_html_()
    page = json.loads(json.dumps(found.to_dict()))
    assert page["cautions"] == ["Day is not used: all of its 14 values are different"]
    assert page["hyper_parameters"]["strategy"] == "prior"


def test_odd_input_is_named() -> None:
    with pytest.raises(ColumnError, match="problem: target: the table has no column 'z'"):
        tl.problem({"x": [1.0], "y": [2.0]}, "z")
    with pytest.raises(ColumnError, match="no column 'z'"):
        tl.problem(tl.table({"x": [1.0]}), "z")
    with pytest.raises(TargetError, match="the target 'y' has no value in any row"):
        tl.problem({"x": [1.0, 2.0], "y": [None, None]}, "y")
    with pytest.raises(TargetError, match="3 rows, and the target has 2"):
        tl.problem({"x": [1.0, 2.0, 3.0]}, ["a", "b"])
    with pytest.raises(InputError, match="no rows"):
        tl.problem(pd.DataFrame({"x": [], "y": []}), "y")
    with pytest.raises(OptionError, match="learner='tree' is not an estimator"):
        tl.problem({"x": [1.0], "y": ["a"]}, "y", learner="tree")


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes"])
def test_strong_columns_are_no_leaks(name: str) -> None:
    table = getattr(sklearn.datasets, f"load_{name}")(as_frame=True).frame
    assert not any("away" in said for said in tl.problem(table, "target").cautions)
