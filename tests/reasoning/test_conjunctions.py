"""Conjunctions: candidate elimination against every conjunction there is, written down."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, KindError, MergeError
from tallylearn.reasoning.concepts import candidate_elimination, conjunctions
from tests.printed_text import unwrapped

COLUMNS = ("Sky", "AirTemp", "Humidity", "Wind", "Water", "Forecast")
DAYS = [
    ("Sunny", "Warm", "Normal", "Strong", "Warm", "Same", "Yes"),
    ("Sunny", "Warm", "High", "Strong", "Warm", "Same", "Yes"),
    ("Rainy", "Cold", "High", "Strong", "Warm", "Change", "No"),
    ("Sunny", "Warm", "High", "Strong", "Cool", "Change", "Yes"),
]
ROWS = [dict(zip((*COLUMNS, "EnjoySport"), day, strict=True)) for day in DAYS]
VALUES = {"Sky": ["Sunny", "Cloudy", "Rainy"], "Wind": ["Strong", "Light"]}
NEW = [  # Mitchell 1997, table 2.6
    ("Sunny", "Warm", "Normal", "Strong", "Cool", "Change"),
    ("Rainy", "Cold", "Normal", "Light", "Warm", "Same"),
    ("Sunny", "Warm", "Normal", "Light", "Warm", "Same"),
    ("Sunny", "Cold", "Normal", "Strong", "Warm", "Same"),
]


def sport() -> tl.VersionSpace:
    table = tl.table(ROWS, target="EnjoySport", categories=VALUES)
    return tl.VersionSpace.conjunctions().fit(table)


def asked(*rows: tuple[str, ...]) -> list[dict[str, str]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def test_enjoy_sport_has_the_boundaries_of_the_book() -> None:
    space = sport()
    assert [*map(str, space.specific)] == ["<Sunny, Warm, ?, Strong, ?, ?>"]
    assert [*map(str, space.general)] == ["<Sunny, ?, ?, ?, ?, ?>", "<?, Warm, ?, ?, ?, ?>"]
    assert (space.count, space.size) == (6, 973)
    assert "5,120 conjunctions can be written" in unwrapped(space.show_work())


def test_the_trace_is_the_one_of_the_book() -> None:
    trace = sport().show_work().steps[1].rows
    assert [line[2] for line in trace] == [
        "<∅, ∅, ∅, ∅, ∅, ∅>",
        "<Sunny, Warm, Normal, Strong, Warm, Same>",
        "<Sunny, Warm, ?, Strong, Warm, Same>",
        "<Sunny, Warm, ?, Strong, Warm, Same>",
        "<Sunny, Warm, ?, Strong, ?, ?>",
    ]
    top = "<?, ?, ?, ?, ?, ?>"
    warm = "<Sunny, ?, ?, ?, ?, ?>  <?, Warm, ?, ?, ?, ?>"
    assert [line[3] for line in trace] == [top, top, top, f"{warm}  <?, ?, ?, ?, ?, Same>", warm]


def test_new_days_get_the_votes_of_the_book() -> None:
    space = sport()
    assert space.predict(asked(*NEW)).tolist() == ["Yes", "No", "undecided", "undecided"]
    votes = space.votes(asked(*NEW))
    assert [(vote.yes, vote.no) for vote in votes] == [(6, 0), (0, 6), (3, 3), (2, 4)]
    assert votes[3].share == 1 / 3
    majority = space.predict(asked(*NEW), by=space.members).tolist()
    assert majority == ["Yes", "No", "undefined", "No"]


def test_explaining_names_what_decides() -> None:
    text = str(sport().explain(asked(NEW[1], NEW[3])))
    assert "No: what covers it and every row that is 'Yes' covers row 2 too" in text
    assert "undecided: 2 of 6 hypotheses say 'Yes'." in text
    assert "G <?, Warm, ?, ?, ?, ?>" in text


def test_find_s_does_not_look_at_negative_rows() -> None:
    noisy = [*ROWS, ROWS[0] | {"EnjoySport": "No"}]
    space = tl.VersionSpace.conjunctions().fit(noisy, "EnjoySport")
    assert str(space.find_s()) == "<Sunny, Warm, ?, Strong, ?, ?>"
    assert space.mistakes(space.find_s()) == (4,)
    assert sport().consistent(sport().find_s())


# against every conjunction there is


def sought(domains: list[list[str]]) -> list[tuple[str | None, ...] | None]:
    """All conjunctions: None is any value; the last covers nothing."""
    return [*product(*([None, *domain] for domain in domains)), None]


def holds(h: tuple[str | None, ...] | None, x: tuple[str, ...]) -> bool:
    return h is not None and all(d is None or d == v for d, v in zip(h, x, strict=True))


def below(a: Any, b: Any) -> bool:
    """Whether a is as special as b, or more."""
    return a is None or (
        b is not None and all(d is None or c == d for c, d in zip(a, b, strict=True))
    )


def spelled(h: Any, p: int) -> str:
    return f"<{', '.join(['∅'] * p if h is None else ['?' if d is None else d for d in h])}>"


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[str]], list[tuple[str, ...]], list[bool]]:
    domains = [["a", "b", "c"][: draw(st.integers(1, 3))] for _ in range(draw(st.integers(1, 4)))]
    points = st.tuples(*map(st.sampled_from, domains))
    rows = draw(st.lists(points, min_size=1, max_size=7))
    secret = draw(st.sampled_from(sought(domains)))
    noise = draw(st.sets(st.integers(0, 6), max_size=1)) if draw(st.booleans()) else set()
    return domains, rows, [holds(secret, x) ^ (at in noise) for at, x in enumerate(rows)]


def fitted(domains: list[list[str]], rows: list[Any], labels: list[bool]) -> tl.VersionSpace:
    names = [f"c{at}" for at in range(len(domains))]
    data = [dict(zip(names, x, strict=True)) | {"in": y} for x, y in zip(rows, labels, strict=True)]
    table = tl.table(data, target="in", categories=dict(zip(names, domains, strict=True)))
    return tl.VersionSpace.conjunctions().fit(table)


@given(tables())
def test_boundaries_members_and_votes_are_those_of_all_conjunctions(table: Any) -> None:
    domains, rows, labels = table
    p = len(domains)
    space = fitted(domains, rows, labels)
    whole = sought(domains)
    left = [h for h in whole if all(holds(h, x) == y for x, y in zip(rows, labels, strict=True))]
    assert space.size == len(whole)
    assert sorted(map(str, space.members)) == sorted(spelled(h, p) for h in left)
    least = [h for h in left if not any(below(o, h) and o != h for o in left)]
    most = [h for h in left if not any(below(h, o) and o != h for o in left)]
    assert sorted(map(str, space.specific)) == sorted(spelled(h, p) for h in least)
    assert sorted(map(str, space.general)) == sorted(spelled(h, p) for h in most)
    asking = [*product(*domains)]
    names = [f"c{at}" for at in range(p)]
    query = [dict(zip(names, x, strict=True)) for x in asking]
    if not left:
        assert space.reason
        with pytest.raises(InputError, match="no conjunction is consistent"):
            space.predict(query)
        return
    for x, vote, said in zip(asking, space.votes(query), space.predict(query), strict=True):
        yes = sum(holds(h, x) for h in left)
        assert (vote.yes, vote.no) == (yes, len(left) - yes)
        assert said == (True if yes == len(left) else False if yes == 0 else "undecided")


@given(tables(), st.data())
def test_merging_is_intersection_and_the_order_does_not_matter(table: Any, data: Any) -> None:
    domains, rows, labels = table
    cut = data.draw(st.integers(0, len(rows)))
    order = data.draw(st.permutations(range(len(rows))))
    whole = fitted(domains, rows, labels)
    shuffled = fitted(domains, [rows[at] for at in order], [labels[at] for at in order])
    assert {*shuffled.members} == {*whole.members}
    assert {*shuffled.general} == {*whole.general}
    if 0 < cut < len(rows):
        one, two = (fitted(domains, rows[s], labels[s]) for s in (slice(cut), slice(cut, None)))
        assert {*(one & two).members} == {*one.members} & {*two.members} == {*whole.members}


# bad input


def test_a_gap_is_named_by_row_and_column() -> None:
    gap = [*ROWS[:2], ROWS[2] | {"Water": None}]
    with pytest.raises(
        ColumnError, match=r"VersionSpace.fit: column 'Water' has a missing value in row 2"
    ):
        tl.VersionSpace.conjunctions().fit(gap, "EnjoySport")
    with pytest.raises(ColumnError, match="'Sky' has a missing value in row 0"):
        sport().predict(asked(NEW[0])[0] | {"Sky": None})


def test_a_value_that_was_never_declared_is_named() -> None:
    with pytest.raises(ColumnError, match="column 'Sky' has the unknown value 'Foggy' in row 1"):
        sport().predict(asked(NEW[0], ("Foggy", *NEW[0][1:])))
    assert sport().predict(asked(("Cloudy", *NEW[0][1:]))).tolist() == ["undecided"]


def test_a_column_that_is_absent_is_named() -> None:
    with pytest.raises(ColumnError, match="has no column 'Forecast'"):
        sport().predict(dict(zip(COLUMNS[:5], NEW[0][:5], strict=True)))


def test_a_column_of_one_value_is_pointed_out() -> None:
    text = unwrapped(tl.VersionSpace.conjunctions().fit(ROWS, "EnjoySport").show_work())
    assert "Of 'Wind' one value is known" in text
    assert "is known" not in str(sport().show_work())


def test_other_columns_and_other_classes_do_not_merge() -> None:
    other = tl.VersionSpace.conjunctions().fit([{"Sky": "Sunny", "s": "Yes"}], "s", positive="Yes")
    with pytest.raises(MergeError, match="different columns"):
        _ = sport() & other
    labelled = [row | {"EnjoySport": "+" if row["EnjoySport"] == "Yes" else "-"} for row in ROWS]
    table = tl.table(labelled, target="EnjoySport", categories=VALUES)
    with pytest.raises(MergeError, match=r"'Yes' and 'No', and the other has '\+' and '-'"):
        _ = sport() & tl.VersionSpace.conjunctions().fit(table)
    with pytest.raises(MergeError, match="different hypothesis spaces"):
        _ = sport() & tl.VersionSpace.rectangles()


def test_what_is_too_large_to_list_still_predicts(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = sport().predict(asked(*NEW)).tolist()
    monkeypatch.setattr(conjunctions, "MAX_ENUMERATED", 7)
    space = sport()
    assert (space.count, space.votes(asked(NEW[2]))[0].share) == (None, None)
    assert space.predict(asked(*NEW)).tolist() == exact
    with pytest.raises(KindError, match="too many consistent conjunctions"):
        _ = space.members
    monkeypatch.setattr(candidate_elimination, "MAX_GENERAL", 1)
    space = sport()
    assert space.predict(asked(*NEW)).tolist() == exact
    with pytest.raises(InputError, match="more than 1 hypotheses"):
        _ = space.general
    assert "G  more than 1 hypotheses" in str(space)
    assert "The trace ends after 2 of 4 rows; G has more than 1" in str(space.show_work())
    assert space.explain(asked(NEW[2])).steps


def test_a_wide_table_of_many_negative_rows_is_not_endless() -> None:
    """Disjoint demands make G the product of their choices: 2^16 here."""
    names = [f"c{at}" for at in range(32)]
    rows = [dict.fromkeys(names, "a") | {"y": "yes"}]
    for at in range(0, 32, 2):
        rows.append(rows[0] | {names[at]: "b", names[at + 1]: "b", "y": "no"})
    space = tl.VersionSpace.conjunctions().fit(rows, "y")
    assert space.count is None
    assert space.predict([dict.fromkeys(names, "a"), dict.fromkeys(names, "b")]).tolist() == [
        "yes",
        "no",
    ]


def named(rows: list[dict[str, Any]], times: int = 3) -> list[dict[str, Any]]:
    """So many days as there are, each with a name of its own."""
    return [{**row, "Day": f"D{at}"} for at, row in enumerate(rows * times)]


def test_an_identifier_is_in_no_hypothesis_unless_it_is_kept() -> None:
    days = named(ROWS)
    space = tl.VersionSpace.conjunctions().fit(days, "EnjoySport")
    plain = tl.VersionSpace.conjunctions().fit(ROWS * 3, "EnjoySport")
    assert (space.specific, space.general) == (plain.specific, plain.general)
    assert repr(space) == ("VersionSpace(conjunctions, 12 rows; identifiers, not used: 'Day')")
    assert str(space).splitlines()[0].endswith("agree with 12 rows; identifiers, not used: 'Day'")
    assert "identifiers" not in f"{plain!r}{plain}"
    new = dict(zip(COLUMNS, NEW[0], strict=True))
    assert space.predict(new).tolist() == space.predict({**new, "Day": "D99"}).tolist() == ["Yes"]
    both = space & tl.VersionSpace.conjunctions().fit(named(ROWS, 4), "EnjoySport")
    assert repr(both) == "VersionSpace(conjunctions, 28 rows; identifiers, not used: 'Day')"
    table = tl.table(days, target="EnjoySport", keep=["Day"])
    assert str(tl.VersionSpace.conjunctions().fit(table).specific[0]).count("?") == 4
    labels = [row.pop("EnjoySport") for row in days]
    assert str(tl.VersionSpace.conjunctions().fit(days, labels).specific[0]).count("?") == 4


def test_listed_hypotheses_are_given_every_column() -> None:
    sixth = {"the sixth": lambda row: row["Day"] == "D5"}
    days = [{**row, "EnjoySport": row["Day"] == "D5"} for row in named(ROWS)]
    assert tl.VersionSpace.of(sixth).fit(days, "EnjoySport").members == ("the sixth",)
