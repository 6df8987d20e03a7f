"""C4.5's small print, rule by rule; Weka's trees are compared in parity/."""

from __future__ import annotations

import math
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallylearn as tl
from tallylearn import modelfile
from tallylearn.cli import main
from tallylearn.models.trees import routing
from tallylearn.models.trees.growing import c45_grower, grower
from tallylearn.models.trees.tree import Tree
from tests.kernels.test_oracle import uncompiled
from tests.models.trees.test_pruning import noisy


def entropy(*counts: int) -> float:
    n = sum(counts)
    return -sum(c / n * math.log2(c / n) for c in counts if c)


def grown(**columns: Any) -> tl.DecisionTreeClassifier:
    table = tl.table(pd.DataFrame(columns), target="y", keep=[n for n in columns if n != "y"])
    return tl.C45(pruning=None, keep_rows=True).fit(table)


def test_each_side_of_a_cut_has_a_tenth_of_the_mean_class() -> None:
    """80 rows of 2 classes: 4 a side; the pure 3 at the end are too few."""
    x, y = np.arange(80.0), ["a"] * 77 + ["b"] * 3
    tree = grown(x=x, y=y).tree_
    assert tree.node(0).threshold == 75  # the last cut that leaves 4
    assert tree.rows[1:3].tolist() == [76, 4]


def test_a_score_of_minus_1_is_explained_below_the_gains() -> None:
    note = "A score of -1: the ratio does not count"
    gains = tl.C45(keep_rows=True).fit(tl.example("tennis"), "PlayTennis").gains()
    assert {one.score for one in gains if one.column in ("Temperature", "Wind")} == {-1.0}
    assert note in str(gains)
    assert note not in str(tl.ID3(keep_rows=True).fit(tl.example("tennis"), "PlayTennis").gains())


def test_gains_of_numbers_are_fined_for_their_cuts() -> None:
    y = list("aaabbbbb")
    tree = grown(x=[1.0, 2, 3, 4, 5, 6, 7, 8], y=y).tree_
    cuts = 5  # between 2 and 6 rows below
    assert tree.gain[0] == pytest.approx(entropy(3, 5) - math.log2(cuts) / 8, abs=1e-12)
    # a category with the same answers has no fine to pay, and comes first though it stands last
    both = grown(x=[1.0, 2, 3, 4, 5, 6, 7, 8], z=list("uuuvvvvv"), y=y).tree_
    assert both.node(0).column == "z"


@pytest.mark.parametrize("near", [5.0, 6.0])
def test_a_threshold_is_the_largest_value_of_the_table_up_to_the_middle(near: float) -> None:
    """Of rows with z = u only 2 and 10 occur around the cut: half way is 6, and 5 or 6 occurs."""
    z = list("uuuu") + list("vvvv")
    tree = grown(x=[1.0, 2, 10, 11, near, near, 7, 7], z=z, y=list("aabbcccc")).tree_
    inner = next(i for i in range(len(tree)) if tree.node(i).column == "x")
    assert tree.threshold[inner] == near


def test_of_many_rows_25_are_enough_on_each_side() -> None:
    """1200 rows of 2 classes: a tenth of the mean class would be 60."""
    y = np.array(["a"] * 1200)
    y[-30:] = "b"
    model = grown(x=np.arange(1200.0), y=y)
    assert model.tree_.node(0).threshold == 1169
    found = [candidate for candidate in model.gains() if candidate.best]
    assert [candidate.test for candidate in found] == ["<= 1169.5"]


@pytest.mark.parametrize("number", [10, 6])  # half as many as rows, and the least that are too many
def test_columns_with_many_categories_do_not_raise_the_mean_gain(number: int) -> None:
    """A name for nearly every row gains most: with it in the mean, no other column would count."""
    names = [f"n{i // 2 % number}" for i in range(20)]
    y = ["a", "a", "b", "b"] * 5
    z = ["u" if c == "a" else "v" for c in y[:16]] + list("vvuu")
    found = {c.column: c for c in grown(name=names, z=z, y=y).gains()}
    assert found["name"].gain > found["z"].gain > 0
    mean = (found["name"].gain + found["z"].gain) / 2
    assert found["z"].gain < mean - 1e-3  # and yet:
    assert found["z"].score == pytest.approx(found["z"].ratio)


def test_a_split_without_gain_is_not_made() -> None:
    assert len(grown(z=list("uuvv") * 2, y=list("abab") * 2).tree_) == 1
    assert len(tl.ID3().fit([["u"], ["u"], ["v"], ["v"]], list("abab")).tree_) > 1


def rounded(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The same with numbers that are hardly, or not at all, told apart."""
    draw = np.random.default_rng(seed)
    near = draw.integers(0, 40, len(frame)) * 6e-6 + draw.integers(0, 3, len(frame))
    return frame.assign(near=near, ri=1.5 + draw.integers(0, 30, len(frame)) / 1e5)


def same(mine: Tree, other: Tree) -> None:
    """The same questions, branches, counts and ties; gains but for rounding."""
    for part in fields(Tree):
        a, b = getattr(mine, part.name), getattr(other, part.name)
        if part.name in ("impurity", "gain"):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)
        elif isinstance(a, np.ndarray):
            np.testing.assert_array_equal(a, b, part.name)
        else:
            assert a == b


@pytest.mark.parametrize("seed", range(16))
def test_the_kernel_grows_the_tree_that_is_grown_by_hand(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = rounded(noisy(seed, 60 + 20 * seed, gaps=seed % 4 > 0), seed)
    weight = None if seed % 3 else np.random.default_rng(seed).integers(1, 4, len(frame)) / 3
    options: dict[str, Any] = {"min_samples_leaf": 1 + seed % 3, "pruning": None}
    grown = tl.C45(**options).fit(frame, "kind", sample_weight=weight)
    assert len(grown.tree_) > 3
    with monkeypatch.context() as patch:
        uncompiled(patch, grower, c45_grower)
        again = tl.C45(**options).fit(frame, "kind", sample_weight=weight)
        assert modelfile.digests(again) == modelfile.digests(grown)
    monkeypatch.setattr(c45_grower, "by_kernel", lambda plan, table: False)
    same(grown.tree_, tl.C45(**options).fit(frame, "kind", sample_weight=weight).tree_)


@pytest.mark.parametrize("compiled", [True, False])
def test_parts_of_rows_that_sum_up_to_min_samples_split_are_split(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two rows with c = a, and 2/5 of five rows without a value: 4 but for rounding."""
    c = ["a", "a", None, None, "b", "b", "b", None, None, None]
    x = [0.0, 1, 0, 0, 1, 1, 0, 1, 0, 0]
    frame = pd.DataFrame({"c": c, "x": x, "y": list("qpppqpqqpq")})
    if not compiled:
        monkeypatch.setattr(c45_grower, "by_kernel", lambda plan, table: False)
    tree = tl.C45(min_samples_split=4, min_samples_leaf=1, pruning=None).fit(frame, "y").tree_
    assert tree.n[1] == pytest.approx(4)
    assert tree.node(1).column == "x"


def test_numbers_are_told_apart_where_more_than_a_hundred_thousandth_lies_between() -> None:
    """As in J48: the next number at the node counts, not the next of the table."""
    y = list("aaaabbbb")
    assert len(grown(x=[0.0] * 4 + [0.9e-5] * 4, y=y).tree_) == 1
    assert len(grown(x=[0.0] * 4 + [1.1e-5] * 4, y=y).tree_) == 3
    chain = [0.0, 0, 0, 0.9e-5, 1.8e-5, 2.7e-5, 2.7e-5, 2.7e-5]  # no link is long enough
    assert len(grown(x=chain, y=y).tree_) == 1
    # refractive indices of five digits: neighbours are as one
    assert len(grown(x=[1.51761] * 4 + [1.51762] * 4, y=y).tree_) == 1
    assert len(grown(x=[1.51761] * 4 + [1.51763] * 4, y=y).tree_) == 3


def j48_cut(x: list[float], y: list[str], classes: int, least: int) -> tuple[float, float] | None:
    """The gain and the threshold of one column, as J48 looks for them: row after row, no codes."""
    rows = sorted(zip(x, y, strict=True))
    n, tenth = len(rows), 0.1 * len(rows) / classes
    side = least if tenth <= least else min(tenth, 25)
    best, cuts = (0.0, 0.0), 0
    for at in range(1, n):
        if rows[at - 1][0] + 1e-5 >= rows[at][0] or not side <= at <= n - side:
            continue
        cuts += 1
        parts = [[c for _, c in part] for part in (rows[:at], rows[at:])]
        left = sum(len(p) / n * entropy(*(p.count(c) for c in {*p})) for p in parts)
        gain = entropy(*(y.count(c) for c in {*y})) - left
        if gain > best[0] + 1e-9:
            best = gain, rows[at - 1][0] / 2 + rows[at][0] / 2
    if not cuts or best[0] - math.log2(cuts) / n <= 1e-6:
        return None
    return best[0] - math.log2(cuts) / n, max(v for v in x if v <= best[1])


@pytest.mark.parametrize("seed", range(60))
def test_near_equal_numbers_are_cut_where_j48_cuts_them(seed: int) -> None:
    draw = np.random.default_rng(seed)
    n, step = int(draw.integers(8, 60)), float(draw.choice([3e-6, 6e-6, 1e-5, 1.5e-5]))
    x = (draw.integers(0, 30, n) * step + draw.integers(0, 2, n)).tolist()
    y = ["ab"[int(v / step % 30 + draw.normal(0, 4) > 14)] for v in x]
    y[:2] = "ab"
    found, tree = j48_cut(x, y, 2, 2), grown(x=x, y=y).tree_
    assert (len(tree) > 1) == (found is not None)
    if found is not None:
        assert tree.gain[0] == pytest.approx(found[0], abs=1e-9)
        assert tree.threshold[0] == found[1]


def test_fines_count_the_cuts_that_are_told_apart() -> None:
    x = [0.0, 1e-6, 2e-6, 1.0, 2.0, 2.000001, 3.0, 4.0]
    tree = grown(x=x, y=list("aaabbbbb")).tree_
    cuts = 3  # behind 2e-6, 1 and 2.000001, two rows a side
    assert tree.gain[0] == pytest.approx(entropy(3, 5) - math.log2(cuts) / 8, abs=1e-12)


def test_a_leaf_of_more_than_25_rows_may_be_asked_for() -> None:
    x, y = np.arange(200.0), ["a"] * 28 + ["b"] * 172
    model = tl.C45(pruning=None, min_samples_leaf=30).fit(x[:, None], y)
    assert model.tree_.rows[model.tree_.leaves].min() >= 30


@pytest.mark.parametrize("missing", ["branch", "node", "class", "global"])
def test_c45_takes_the_other_rules_for_gaps(missing: str) -> None:
    model = tl.C45(missing=missing).fit(noisy(3, 150, gaps=True), "kind")
    assert 0.5 < model.score(noisy(3, 150, gaps=True), "kind") < 1


def test_weights_count_as_rows() -> None:
    frame = noisy(9, 80)
    twice = pd.concat([frame, frame])
    weighed = tl.C45().fit(tl.table(frame.assign(n=2), target="kind", weight="n"))
    assert str(weighed) == str(tl.C45().fit(twice, "kind"))
    plain = tl.C45().fit(frame, "kind")
    for scale in (0.01, 2.0):
        same = tl.C45().fit(frame, "kind", sample_weight=np.full(80, scale))
        assert str(same) == str(plain)


GAPPED = {"Outlook": None, "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}


def test_a_row_that_goes_down_in_parts_is_explained_by_all_its_paths() -> None:
    model = tl.C45().fit(tl.example("tennis"))
    (row,) = model.explain(GAPPED)
    assert row.notes == (
        "0.3571 of the row: Outlook = Sunny & Humidity = High: No 1",
        "0.3571 of the row: Outlook = Rain & Wind = Strong: No 1",
        "0.2857 of the row: Outlook = Overcast: Yes 1",
    )
    shares = {line.outcome: line.share for line in row.lines}
    assert shares == pytest.approx({"No": 10 / 14, "Yes": 4 / 14})
    assert row.chosen == "No"


def test_a_row_without_gaps_has_one_path_in_a_tree_of_parts() -> None:
    model = tl.C45().fit(tl.example("tennis"))
    (row,) = model.explain(GAPPED | {"Outlook": "Sunny"})
    assert row.notes == ("Outlook = Sunny and Humidity = High, so No (3 of 3 training rows)",)
    assert [str(term.fraction) for term in row.lines[0].terms] == [
        str((Fraction(5), Fraction(14))), str((Fraction(42), Fraction(25))),
        str((Fraction(5), Fraction(3))),
    ]  # fmt: skip


def test_parts_of_a_mean_add_up() -> None:
    draw = np.random.default_rng(0)
    x = draw.normal(size=(80, 2))
    model = tl.DecisionTreeRegressor(missing="fractional", max_depth=3).fit(x, 3 * x[:, 0])
    (row,) = model.explain([[np.nan, 0.5]])
    assert len(row.lines[0].terms) == len(row.notes) > 2
    assert row.lines[0].total == pytest.approx(model.predict([[np.nan, 0.5]])[0], abs=1e-12)


def test_of_very_many_parts_the_largest_are_told() -> None:
    names = [f"v{i:03}" for i in range(60) for _ in range(4)]
    frame = pd.DataFrame({"name": names, "y": ["ab"[i // 4 % 2] for i in range(240)]})
    (row,) = tl.C45(pruning=None).fit(frame, "y").explain(pd.DataFrame({"name": [None]}))
    assert len(row.notes) == 41
    assert row.notes[-1] == "20 more, 0.3333 of the row in all"


def test_the_command_shows_the_paths_of_a_row_with_gaps(tmp_path: Path) -> None:
    tl.C45().fit(tl.example("tennis")).save(tmp_path / "m.tally")
    command = ["explain", str(tmp_path / "m.tally"), "--row"]
    run = CliRunner().invoke(main, [*command, "?,Cool,High,Strong"])
    assert "0.3571 of the row: Outlook = Rain & Wind = Strong: No 1" in run.output
    run = CliRunner().invoke(main, [*command, "Sunny,Cool,High,Strong"])
    assert "Outlook = Sunny and Humidity = High, so No (3 of 3 training rows)" in run.output


def by_row(model: tl.DecisionTreeClassifier, x: pd.DataFrame) -> np.ndarray[Any, Any]:
    """Probabilities from the ends of every row, summed by hand."""
    tree, schema = model.tree_, model.schema_
    block = next(iter(model._read_blocks(x)))
    found = np.zeros((len(x), len(tree.classes)))
    assert schema is not None
    for rows, parts, node in routing.parts(tree, block):
        found[rows] += parts[:, None] * (tree.counts[node] / tree.n[node][:, None])
    return found


@pytest.mark.parametrize("seed", range(6))
def test_parts_are_summed_by_the_kernel_as_they_are_node_by_node(seed: int) -> None:
    frame = noisy(seed, 200, gaps=True)
    model = tl.C45(pruning=None).fit(frame, "kind")
    x = frame.drop(columns="kind")
    np.testing.assert_array_equal(model.predict_proba(x), by_row(model, x))
