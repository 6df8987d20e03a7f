"""Trees to look at: text, rich, SVG, HTML and DOT, small and large, under hostile names."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import NotFitted, OptionError
from tallylearn.reporting.charts.svg_elements import text_extent
from tallylearn.reporting.charts.tree_layout import node_positions
from tests.models.trees.forest import HOSTILE, LEARNERS, fitted, grown

SVG = "{http://www.w3.org/2000/svg}"


def tennis() -> Any:
    return tl.ID3().fit(tl.example("tennis"))


def boxes(svg: ElementTree.Element) -> np.ndarray[Any, Any]:
    found = [node for node in svg.iter(f"{SVG}rect") if node.get("class") == "node"]
    return np.array(
        [[float(one.get(a, 0)) for a in ("x", "y", "width", "height")] for one in found]
    )


def texts(svg: ElementTree.Element) -> np.ndarray[Any, Any]:
    """The rectangles that texts take: left, top, width, height."""
    found = []
    for one in svg.iter(f"{SVG}text"):
        size = int(one.get("font-size", 11))
        words = (one.text or "") + "".join(kid.tail or "" for kid in one)
        wide = text_extent(words, size) * (1.15 if one.get("font-weight") else 1)
        share = {"middle": 0.5, "end": 1.0}.get(one.get("text-anchor", ""), 0.0)
        left = float(one.get("x", 0)) - wide * share
        found.append([left, float(one.get("y", 0)) - 0.8 * size, wide, size])
    return np.array(found)


def overlaps(found: np.ndarray[Any, Any]) -> int:
    """How many pairs of rectangles lie on each other."""
    x, y, w, h = found.T
    slack = 0.02  # pixels are written to a hundredth
    across = (x[:, None] + w[:, None] > x + slack) & (x + w > x[:, None] + slack)
    along = (y[:, None] + h[:, None] > y + slack) & (y + h > y[:, None] + slack)
    return int((across & along).sum() - len(found)) // 2


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("nodes", [15, 500])
def test_boxes_and_texts_never_overlap_and_stay_on_the_sheet(nodes: int, direction: str) -> None:
    tree = grown(nodes)
    assert len(tree.tree_) == pytest.approx(nodes, abs=1)
    plot = tree.plot(direction=direction)
    svg = ElementTree.fromstring(plot.svg)
    found, words = boxes(svg), texts(svg)
    assert len(found) == len(tree.tree_)
    assert overlaps(found) == 0
    assert overlaps(words) == 0
    assert overlaps(np.concatenate([found, words])) == 2 * len(found)  # two lines in every box
    for some in (found, words):
        assert (some[:, :2] >= 0).all()
        assert (some[:, 0] + some[:, 2]).max() <= float(svg.get("width", 0))
        assert (some[:, 1] + some[:, 3]).max() <= float(svg.get("height", 0))
    assert [node["box"] for node in plot.data["nodes"]] == found.tolist()


@pytest.mark.parametrize("name", LEARNERS)
def test_every_tree_can_be_drawn_whatever_its_names(name: str) -> None:
    tree = fitted(name)
    for plot in (tree.plot(), tree.plot(max_depth=1), tree.importances().plot()):
        ElementTree.fromstring(plot.svg)
        assert plot.title
    down = ElementTree.fromstring(tree.plot(direction="down").svg)
    assert overlaps(boxes(down)) == 0
    assert tree.plot().svg == fitted(name).plot().svg


def test_a_drawing_shows_questions_answers_and_edges() -> None:
    plot = tennis().plot()
    svg = ElementTree.fromstring(plot.svg)
    words = ["".join(one.itertext()) for one in svg.iter(f"{SVG}text")]
    for word in ("Outlook?", "Sunny", "Overcast", "Rain", "Humidity?", "High", "3 of 3", "14 rows"):
        assert word in words
    tips = [one.text for one in svg.iter(f"{SVG}title")]
    tip = "node 6: Outlook = Sunny AND Humidity = High; No  [No 3 Yes 0]; entropy 0"
    assert tip in tips
    assert "no rows here: French" in tl.ID3().fit(tl.example("restaurant")).plot().svg
    assert plot.data["direction"] == "down"
    edges = {node["node"]: (node["parent"], node["edge"]) for node in plot.data["nodes"]}
    assert edges[6] == (5, "High")
    with pytest.raises(OptionError, match=r"'up'.*'auto', 'down', 'right'"):
        tennis().plot(direction="up")


def test_a_cut_drawing_says_how_much_is_below() -> None:
    svg = ElementTree.fromstring(tennis().plot(max_depth=1).svg)
    words = ["".join(one.itertext()) for one in svg.iter(f"{SVG}text")]
    assert words.count("… 2 more nodes") == 2
    assert len(boxes(svg)) == 4


def test_many_classes_share_grey() -> None:
    y = [f"class {i % 12}" for i in range(60)]
    tree = tl.CART().fit(pd.DataFrame({"x": np.arange(60) % 12}), y)
    svg = ElementTree.fromstring(tree.plot().svg)
    assert "others" in ["".join(one.itertext()) for one in svg.iter(f"{SVG}text")]


def test_a_large_tree_is_cut_in_print_and_whole_on_request() -> None:
    tree = grown(500)
    printed = str(tree).splitlines()
    assert len(printed) <= 201
    left = int(re.fullmatch(r"… and (\d+) more nodes: \.text\(\) has all", printed[-1])[1])  # type: ignore[index]
    assert left + len(printed) - 1 == len(tree.tree_)
    below = [int(n) for n in re.findall(r"  … (\d+) more node", "\n".join(printed[:-1]))]
    assert sum(below) == left
    assert len(tree.text().splitlines()) == len(tree.tree_)
    assert len(tree.text(max_depth=0).splitlines()) == 1
    wide = tl.ID3().fit({"c": [f"v{i}" for i in range(400)]}, [i % 2 for i in range(400)])
    assert str(wide).splitlines()[-1] == "… and 202 more nodes: .text() has all"


def wide(n: int = 3000) -> Any:
    """One question with very many answers, of which v7, v8 and v9 have the most rows."""
    values = [f"v{i}" for i in range(n)] + ["v7", "v8", "v9"] * 5
    return tl.ID3().fit({"c": values}, [i % 2 for i in range(len(values))])


def test_of_very_many_branches_the_largest_are_shown_and_the_others_counted() -> None:
    tree = wide()
    said = "… {} smaller branches: too many to draw"
    lines = str(tree).splitlines()
    assert len(lines) == 201
    assert lines[-2] == "└─ " + said.format("2,802")
    assert sum(re.match(r"├─ c = v[789]:", line) is not None for line in lines) == 3
    page, dot = tree.to_html(), tree.to_dot()
    assert said.format("2,800") in page
    assert page.count('class="leaf"') == 201
    assert said.format("2,800") in dot
    assert dot.count(" -> n") == 200
    assert dot.count(" -> m0") == 1
    plot = tree.plot()
    assert len(plot.data["nodes"]) == 51
    assert {"v7", "v8", "v9"} < {node["edge"] for node in plot.data["nodes"]}
    assert "Too many to draw: the largest branches are shown, 2,950 nodes are not" in plot.svg
    assert "… 2,950 smaller branches" in plot.svg
    assert len(tree.text().splitlines()) == 3001  # all of it on request


def test_below_a_branch_that_is_not_shown_nothing_is() -> None:
    codes = [i for i in range(300) for _ in range(2)]
    table = {"c": [f"v{i}" for i in codes], "x": [float(i % 2) for i in range(len(codes))]}
    tree = tl.ID3().fit(
        table, [str((i + int(x)) % 2) for i, x in zip(codes, table["x"], strict=True)]
    )
    assert tree.tree_.node(0).column == "c"
    assert tree.get_depth() == 2
    shown = {node["node"] for node in tree.plot().data["nodes"]}
    assert all(int(tree.tree_.parent[node]) in {*shown, -1} for node in shown)
    assert len([node for node in shown if tree.tree_.parent[node] == 0]) == 50


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ([0, 1], "[0: 2, 1: 1]"),
        ([1.5, 2.5], "[1.5: 2, 2.5: 1]"),
        ([False, True], "[False 2 True 1]"),
        (["grade 1", "grade 2"], "[grade 1: 2, grade 2: 1]"),
        (["No", "Yes"], "[No 2 Yes 1]"),
    ],
)
def test_a_class_cannot_be_taken_for_a_count(classes: list[Any], said: str) -> None:
    y = [classes[0], classes[0], classes[1]]
    if isinstance(classes[0], float):
        y = [str(name) for name in y]
    tree = tl.DecisionTreeClassifier().fit([[1], [2], [3]], y)
    assert str(tree).splitlines()[0] == said


def test_a_page_names_the_colours_of_its_classes() -> None:
    page = tennis().to_html()
    keys = re.findall(r'<span class="key"><i style="background:(#\w+)"></i>(\w+)</span>', page)
    assert [name for _, name in keys] == ["No", "Yes"]
    for colour, _ in keys:
        assert f"background:{colour}" in page.split('class="legend"')[1].split("</div>", 1)[1]
    many = tl.DecisionTreeClassifier(max_depth=1).fit([[i] for i in range(20)], list(range(20)))
    assert "others</span>" in many.to_html()
    assert "legend" not in fitted("regression").to_html().split("</style>")[1]


def test_text_shows_ties_dates_and_spreads() -> None:
    tied = r"Pat = Full: \[No 4 Yes 2\]  tied: Hun, Price, Res, Type, Est\n"
    assert re.search(tied, str(tl.ID3().fit(tl.example("restaurant"))))
    text = fitted("regression").text()
    assert re.search(r"when <= 2020-\d\d-\d\d \d\d:\d\d: -?[\d.]+ ± [\d.]+  \[\d+ rows?\]", text)
    assert "[1 row]" in text


def test_many_categories_and_classes_are_cut_in_a_line() -> None:
    names = [f"v{i:02}" for i in range(40)]
    tree = tl.CART(max_depth=1, min_samples_category=1)
    tree = tree.fit({"c": names * 2}, [i % 20 for i in range(40)] * 2)
    assert "more}" in str(tree)
    assert max(map(len, str(tree).splitlines())) < 150


def test_rich_prints_the_same_lines_in_colour() -> None:
    from rich.console import Console

    out = StringIO()
    Console(file=out, width=200, force_terminal=True).print(tennis())
    printed = re.sub(r"\x1b\[[\d;]*m", "", out.getvalue())
    assert "└── Humidity = Normal: Yes  [No 0 Yes 2]" in printed
    assert "\x1b[" in out.getvalue()
    Console(file=StringIO()).print(tl.ID3(), fitted("id3"), grown(500))


class Balanced(HTMLParser):
    """Counts details, and sees that every element is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_page_opens_every_question_and_escapes_every_name(name: str) -> None:
    tree = fitted(name)
    page = Balanced()
    page.feed(tree._repr_html_())
    assert not page.open
    asked = int((tree.tree_.test != 0).sum())
    assert page.seen.count("details") == asked
    assert page.seen.count("b") == len(tree.tree_) - asked
    assert "script" not in page.seen
    if asked and HOSTILE[0] in {tree.tree_.columns[j].name for j in tree.tree_.column if j >= 0}:
        assert any(HOSTILE[0] in words for words in page.words)


def test_a_page_of_500_nodes_is_mostly_closed_at_first() -> None:
    html = grown(500).to_html()
    opened = html.count("<details open>")
    assert 1 <= opened <= 40
    assert html.count("<details>") + opened == int((grown(500).tree_.test != 0).sum())
    assert "<details" not in grown(500).to_html(max_depth=0)


def dot_statements(source: str) -> list[tuple[str, str | None]]:
    """A small reader of DOT: (node, None) or (node, node), with quoted labels taken whole."""
    assert source.startswith("digraph tree {\n")
    assert source.endswith("}\n")
    string = r'"(?:[^"\\]|\\.)*"'
    value = rf"(?:{string}|[a-z]+)"
    line = re.compile(rf"  (n\d+|node|edge)(?: -> (n\d+))? \[\w+={value}(?:, \w+={value})*\];")
    found = [line.fullmatch(text) for text in source.splitlines()[1:-1]]
    assert all(found)
    return [
        (one[1], one[2]) for one in found if one and one[1].startswith("n") and one[1] != "node"
    ]


@pytest.mark.parametrize("name", LEARNERS)
def test_dot_has_every_node_and_edge_and_no_loose_quote(name: str) -> None:
    tree = fitted(name)
    found = dot_statements(tree.to_dot())
    nodes = {a for a, b in found if b is None}
    edges = {(a, b) for a, b in found if b is not None}
    m = len(tree.tree_)
    assert nodes == {f"n{i}" for i in range(m)}
    assert edges == {(f"n{tree.tree_.parent[i]}", f"n{i}") for i in range(1, m)}
    assert len(found) == 2 * m - 1
    assert len(dot_statements(tree.to_dot(max_depth=0))) == 1


def test_hostile_classes_and_a_tree_as_deep_as_it_has_rows_are_shown() -> None:
    x = np.arange(600.0)
    y = [HOSTILE[i % 5] for i in range(600)]
    tree = tl.CART().fit(pd.DataFrame({'"': x}), y)
    deep = tl.CART().fit(x[:, None], x % 2)  # to take one row off an end gains the most
    assert deep.get_depth() > 250
    for one in (tree, deep):
        ElementTree.fromstring(one.plot().svg)
        dot_statements(one.to_dot())
        page = Balanced()
        page.feed(one.to_html())
        assert not page.open
        assert len(one.text().splitlines()) == len(one.tree_)
        space: dict[str, Any] = {}
        exec(one.rules().to_python(), space)
        asked = [{one.schema_.names[0]: value} for value in (-1.0, 7.2, 300, 1e9, None)]
        assert [space["predict"](row) for row in asked] == one.predict(asked).tolist()


def test_importances_are_named_sorted_and_sum_to_one() -> None:
    tree = fitted("cart")
    found = tree.importances()
    shares = [one.share for one in found]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)
    by_name = dict(zip(tree.feature_names_in_, tree.feature_importances_, strict=True))
    assert {one.column: one.share for one in found} == by_name
    assert sum(one.splits for one in found) == int((tree.tree_.test != 0).sum())
    assert "x" in str(found)
    assert found["x"] == by_name["x"]


def test_nothing_is_seen_before_fit() -> None:
    for view in ("text", "rules", "plot", "to_html", "to_dot", "importances"):
        with pytest.raises(NotFitted):
            getattr(tl.ID3(), view)()
    assert str(tl.ID3()) == "ID3()"
    assert "not fitted" in tl.ID3()._repr_html_()


def test_layouts_are_tight_centred_and_mirror_each_other() -> None:
    rng = np.random.default_rng(4)
    for m in (1, 2, 30, 400):
        parent = [-1] + [int(rng.integers(max(0, i - 5), i)) for i in range(1, m)]
        parent = _in_preorder(parent)
        wide = rng.integers(5, 40, m).astype(float).tolist()
        x = np.array(node_positions(parent, wide, 3))
        levels = np.zeros(m, int)
        for i in range(1, m):
            levels[i] = levels[parent[i]] + 1
        for d in range(levels.max() + 1):
            here = np.flatnonzero(levels == d)
            between = np.diff(x[here]) - (np.array(wide)[here][1:] + np.array(wide)[here][:-1]) / 2
            assert (between >= 3 - 1e-9).all()
        for i in range(m):
            kids = [j for j in range(m) if parent[j] == i]
            if kids:
                assert x[i] == pytest.approx((x[kids[0]] + x[kids[-1]]) / 2)
        assert (x - np.array(wide) / 2).min() == pytest.approx(0)


def _in_preorder(parent: list[int]) -> list[int]:
    kids: dict[int, list[int]] = {}
    for i, up in enumerate(parent):
        kids.setdefault(up, []).append(i)
    order, stack = [], [0]
    while stack:
        order.append(stack.pop())
        stack += kids.get(order[-1], [])[::-1]
    place = {old: new for new, old in enumerate(order)} | {-1: -1}
    return [place[parent[old]] for old in order]
