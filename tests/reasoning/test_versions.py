"""Version spaces of listed hypotheses, their power set, and what all version spaces share."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.errors import (
    ColumnError,
    InputError,
    KindError,
    MergeError,
    NotFitted,
    OptionError,
    TargetError,
)
from tallylearn.reasoning.concepts.candidate_elimination import Vote


def prime(n: int) -> bool:
    return n > 1 and all(n % k for k in range(2, n))


H = {
    "h1": lambda n: n % 2 == 1,
    "h2": lambda n: n <= 5,
    "h3": lambda n: n == 1 or prime(n),
    "h4": {1, 3, 5},
}


def sample(golden: dict[str, Any]) -> list[dict[str, Any]]:
    pairs = golden["concept.version_space"]["inputs"]["D"]
    return [{"n": n, "sign": sign} for n, sign in pairs]


def test_the_version_space_of_the_notes(golden: dict[str, Any]) -> None:
    exact = golden["concept.version_space"]["exact"]
    space = tl.VersionSpace.of(H).fit(sample(golden), "sign")
    assert [*space.members] == exact["version_space"]
    vote = space.votes({"n": 11})[0]
    assert {"+": vote.yes, "-": vote.no} == exact["votes_at_11"]
    assert space.predict({"n": 11}).tolist() == ["undecided"]
    assert space.predict({"n": 11}, by=[*H]).tolist() == [exact["theta(11)"]]
    each = [space.predict({"n": 11}, by=name)[0] for name in H]
    printed = golden["concept.version_space"]["printed"]
    assert each == [printed[f"{name}(11)"] for name in H]


def test_the_power_set_of_the_notes(golden: dict[str, Any]) -> None:
    space = tl.VersionSpace.powerset(H).fit(sample(golden), "sign")
    vote = space.votes({"n": 11})[0]
    exact = golden["concept.version_space"]["exact"]["all_15_nonempty_subsets_at_11"]
    assert {"+": vote.yes, "-": vote.no, "undefined": vote.undefined} == exact
    assert (space.count, space.size) == (15, 15)
    assert space.predict([{"n": 3}, {"n": 8}]).tolist() == ["+", "-"]
    assert space.predict({"n": 11}, by="{h1, h3}").tolist() == ["+"]


def test_a_vote_is_a_multiset(golden: dict[str, Any]) -> None:
    """Equation 1.14 takes the majority of a union, where equal votes would be one."""
    space = tl.VersionSpace.of(H).fit(sample(golden), "sign")
    assert space.predict({"n": 11}, by=["h1", "h1", "h2"]).tolist() == ["+"]
    assert space.predict({"n": 11}, by=["h1", "h2"]).tolist() == ["undefined"]
    assert space.predict({"n": 11}, by=["h1", ["h1", "h2"]]).tolist() == ["+"]  # no vote of none


NUMBERS = st.integers(0, 9)
SETS = st.lists(st.frozensets(NUMBERS), min_size=1, max_size=4)


@given(SETS, st.dictionaries(NUMBERS, st.booleans(), min_size=1))
def test_listed_hypotheses_and_their_subsets_are_counted_one_by_one(
    sets: list[frozenset[int]], truth: dict[int, bool]
) -> None:
    space = {f"h{at}": one for at, one in enumerate(sets)}
    rows = [{"n": n, "in": label} for n, label in truth.items()]
    asked = [{"n": n} for n in range(10)]
    left = [name for name, one in space.items() if all((n in one) == y for n, y in truth.items())]
    listed = tl.VersionSpace.of(space).fit(rows, "in")
    assert [*listed.members] == left
    assert listed.best() == tuple(
        name for name in space if right(space[name], truth) == max(right(s, truth) for s in sets)
    )
    if left:
        for n, said in enumerate(listed.predict(asked)):
            votes = {n in space[name] for name in left}
            assert said == (votes.pop() if len(votes) == 1 else "undecided")

    def theta(some: tuple[str, ...], n: int) -> bool | str:
        votes = Counter(n in space[name] for name in some)
        return "undefined" if votes[True] == votes[False] else votes[True] > votes[False]

    thetas = [some for size in range(1, len(sets) + 1) for some in combinations(space, size)]
    fits = [some for some in thetas if all(theta(some, n) == y for n, y in truth.items())]
    power = tl.VersionSpace.powerset(space).fit(rows, "in")
    assert [*power.members] == ["{" + ", ".join(some) + "}" for some in fits]
    if fits:
        for n, vote in enumerate(power.votes(asked)):
            votes = Counter(theta(some, n) for some in fits)
            assert (vote.yes, vote.no) == (votes[True], votes[False])
            assert vote.undefined == votes["undefined"]


def right(one: frozenset[int], truth: dict[int, bool]) -> int:
    return sum((n in one) == label for n, label in truth.items())


def test_the_best_hypothesis_is_sought_by_any_measure() -> None:
    rows = [{"n": n, "c": "+" if n in (1, 2, 3, 9) else "-"} for n in range(10)]
    space = tl.VersionSpace.of({"low": lambda n: n < 4, "none": set(), "three": {1, 2, 3}})
    space.fit(rows, "c")
    assert space.scores() == {"low": 0.8, "none": 0.6, "three": 0.9}
    assert space.best() == ("three",)

    def precision(truth: Any, answers: Any) -> float:
        return float(np.mean(truth[answers == "+"] == "+")) if (answers == "+").any() else 0.0

    assert space.best(precision) == ("three",)
    assert space.best(lambda truth, answers: -float((answers == "+").sum())) == ("none",)
    assert space.count == 0
    assert space.reason == "every hypothesis is wrong about a row"
    assert space.mistakes("low") == (0, 9)
    assert space.mistakes(lambda n: n in (1, 2, 3, 9)) == ()
    assert space.consistent({1, 2, 3, 9})


def test_predicates_of_several_columns_get_a_dict_and_sets_hold_tuples() -> None:
    table = tl.example("tennis")
    space = tl.VersionSpace.of(
        {
            "dry": lambda day: day["Outlook"] != "Rain" and day["Humidity"] == "Normal",
            "seen": {("Overcast", "Hot", "High", "Weak")},
        }
    ).fit(table)
    assert space.scores() == {"dry": 9 / 14, "seen": 6 / 14}
    assert "rows right" in str(space.show_work())


def test_truth_values_and_whole_numbers_come_as_such() -> None:
    rows = [{"wet": True, "n": 3, "y": 1}, {"wet": False, "n": 4, "y": 0}]
    kinds: list[type] = []

    def look(row: dict[str, Any]) -> bool:
        kinds.extend(map(type, row.values()))
        return bool(row["wet"])

    assert tl.VersionSpace.of({"look": look}).fit(rows, "y").members == ("look",)
    assert {*kinds} == {bool, int}


# the target


def test_the_concept_is_plus_or_the_last_value_unless_named() -> None:
    rows = [{"n": 1}, {"n": 2}]
    for labels, yes in ((["+", "-"], "+"), (["No", "Yes"], "Yes"), ([0, 1], 1), ([True, False], 1)):
        space = tl.VersionSpace.of({"any": lambda n: True}).fit(rows, labels)
        assert space.predict({"n": 5}, by="any").tolist() == [yes]
    named = tl.VersionSpace.of({"any": lambda n: True}).fit(rows, ["No", "Yes"], positive="No")
    assert named.predict({"n": 5}, by="any").tolist() == ["No"]


def test_a_target_of_one_value_needs_the_concept_named() -> None:
    rows = [{"n": 1, "c": "No"}, {"n": 2, "c": "No"}]
    with pytest.raises(TargetError, match="the target is 'No' in every row"):
        tl.VersionSpace.rectangles().fit(rows, "c")
    space = tl.VersionSpace.rectangles().fit(rows, "c", positive="Yes")
    assert space.predict([{"n": 1}, {"n": 3}]).tolist() == ["No", "undecided"]
    inside = tl.VersionSpace.rectangles().fit(rows, "c", positive="No")
    assert inside.predict([{"n": 1.5}, {"n": 3}]).tolist() == ["No", "undecided"]
    truths = [row | {"c": False} for row in rows]
    assert tl.VersionSpace.rectangles().fit(truths, "c").predict({"n": 1}).tolist() == [False]


def test_a_target_of_more_than_two_values_is_refused() -> None:
    rows = [{"n": at, "c": label} for at, label in enumerate("abc")]
    with pytest.raises(TargetError, match=r"has 3 classes \('a', 'b', 'c'\)"):
        tl.VersionSpace.rectangles().fit(rows, "c")
    with pytest.raises(TargetError, match=r"positive is 'x'.* Choose from 'a', 'b'"):
        tl.VersionSpace.rectangles().fit(rows[:2], "c", positive="x")
    with pytest.raises(TargetError, match=r"class 'undecided'.* Rename"):
        tl.VersionSpace.rectangles().fit([rows[0], {"n": 2, "c": "undecided"}], "c")


@pytest.mark.parametrize("kind", ["conjunctions", "rectangles", "unions"])
def test_contradictory_rows_are_named(kind: str) -> None:
    rows = [(1, "+"), (2, "-"), (3, "+"), (2, "+"), (1, "-")]
    data = [{"n": n, "c": c} for n, c in rows]
    space = getattr(tl.VersionSpace, kind)().fit(data, "c")
    assert space.contradictions == ((0, 4), (1, 3))
    assert space.specific == ()
    with pytest.raises(InputError, match=r"rows 0 and 4 are equal, and one is '\+', the other '-'"):
        space.predict({"n": 1})
    assert "the first of 2 such pairs" in str(space.show_work())


def test_perfect_data_has_no_contradictions(golden: dict[str, Any]) -> None:
    assert tl.VersionSpace.of(H).fit(sample(golden), "sign").contradictions == ()


# bad input, and the manners of the house


def test_an_empty_or_odd_hypothesis_space_is_refused() -> None:
    for odd in ({}, [], None, [{1}]):
        with pytest.raises(OptionError, match=r"VersionSpace: hypotheses is"):
            tl.VersionSpace.of(odd)
    with pytest.raises(OptionError, match="the hypothesis 'h' is 3"):
        tl.VersionSpace.of({"h": 3})


def test_a_power_set_beyond_the_limit_is_refused() -> None:
    with pytest.raises(OptionError, match=r"13 hypotheses have 2\^13 subsets.*at most 12"):
        tl.VersionSpace.powerset({f"h{at}": {at} for at in range(13)})
    assert tl.VersionSpace.powerset({f"h{at}": {at} for at in range(8)}).space


def test_a_hypothesis_that_fails_is_named() -> None:
    message = "VersionSpace.{}: the hypothesis '{}' failed on 1: ZeroDivisionError"
    rows = [{"n": 1, "c": True}]
    with pytest.raises(InputError, match=message.format("fit", "h")):
        tl.VersionSpace.of({"h": lambda n: 1 // 0}).fit(rows, "c")
    with pytest.raises(InputError, match=message.format("mistakes", "by")):
        tl.VersionSpace.of({"h": {1}}).fit(rows, "c").mistakes(lambda n: 1 // 0)


def test_asking_before_fitting_or_an_unknown_hypothesis_is_an_error() -> None:
    space = tl.VersionSpace.of({"h": {1}})
    with pytest.raises(NotFitted, match=r"VersionSpace.predict: there is no model yet"):
        space.predict({"n": 1})
    assert str(space) == "VersionSpace(hypotheses)"
    space.fit([{"n": 1, "c": True}], "c")
    with pytest.raises(OptionError, match=r"'g' is not one of the hypotheses. Choose from 'h'"):
        space.predict({"n": 1}, by="g")
    with pytest.raises(KindError, match="hypotheses have no 'general'"):
        _ = space.general


def test_unknown_columns_and_no_target_are_named() -> None:
    with pytest.raises(ColumnError, match=r"no column 'wrong'. It has 'n', 'c'"):
        tl.VersionSpace.rectangles().fit([{"n": 1, "c": True}], "wrong")
    with pytest.raises(TargetError, match="no target was passed"):
        tl.VersionSpace.rectangles().fit([{"n": 1, "c": True}])
    with pytest.raises(InputError, match="no rows"):
        tl.VersionSpace.rectangles().fit(pd.DataFrame({"n": [], "c": []}), "c")


def test_hypotheses_that_differ_do_not_merge() -> None:
    rows = [{"n": 1, "c": True}]
    one, two = (tl.VersionSpace.of({"h": found}).fit(rows, "c") for found in ({1}, {2}))
    with pytest.raises(MergeError, match="different hypothesis spaces"):
        _ = one & two
    assert (one & one).members == ("h",)


def test_any_table_will_do(tmp_path: Any) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 5.0], "c": ["a", "a", "b"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    for source in (frame, str(tmp_path / "t.csv"), frame.to_dict("list"), tl.table(frame)):
        space = tl.VersionSpace.rectangles().fit(source, "c", positive="a")
        assert str(space.find_s()) == "[1, 2]"
        assert space.predict(frame).tolist() == ["a", "a", "b"]
    arrays = tl.VersionSpace.rectangles().fit([[1.0], [2.0], [5.0]], [True, True, False])
    assert arrays.predict([[1.5]]).tolist() == [True]


def test_it_shows_itself() -> None:
    space = tl.VersionSpace.rectangles().fit([{"n": 1, "c": True}, {"n": 4, "c": False}], "c")
    assert repr(space) == "VersionSpace(rectangles, 2 rows)"
    assert str(space) == "some rectangles agree with 2 rows\nS  [1, 1]\nG  (-inf, 4)"
    assert "Candidate elimination" in space._repr_html_()
    assert "VersionSpace(unions" in tl.VersionSpace.unions()._repr_html_()
    steps = space.show_work().to_dict()["steps"]
    assert steps[1]["rows"][2] == ["2", "4: False", "[1, 1]", "(-inf, 4)"]


def test_the_share_of_a_vote_counts_the_undefined_too() -> None:
    assert Vote("undecided", "", 1, 2, 5).share == 1 / 8
    assert Vote("undecided", "").share is None
    assert Vote("undecided", "", 1).share is None
