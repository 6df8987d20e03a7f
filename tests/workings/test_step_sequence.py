"""The steps of an algorithm end in the fitted model, and each follows from the one before."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.errors import InputError
from tallylearn.workings.step_sequence import AlgorithmStep, StepSequence
from tests.workings.stepped_models import CASES, ROW, points


def same(found: Any, expected: Any) -> None:
    """Equal names and texts, and numbers up to rounding."""
    if isinstance(expected, dict):
        assert {*found} == {*expected}
        for name, value in expected.items():
            same(found[name], value)
    elif isinstance(expected, str) or (isinstance(expected, list) and expected
                                       and isinstance(expected[0], str)):  # fmt: skip
        assert found == expected
    else:
        assert np.asarray(found) == pytest.approx(np.asarray(expected), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_the_last_state_is_the_fitted_model(name: str) -> None:
    steps, fitted = CASES[name]()
    last = steps[-1].numbers
    for key, value in fitted.items():
        same(last[key], value)
    assert len(steps) > 2
    assert next(iter(steps)) == steps[0]


@pytest.mark.parametrize("name", CASES)
def test_the_data_is_plain_and_prints_again(name: str) -> None:
    steps, _ = CASES[name]()
    data = json.loads(steps.to_json())
    assert data == steps.to_dict()
    assert str(StepSequence.report_of(data)) == str(steps)
    assert [step["caption"] for step in data["steps"]] == [step.caption for step in steps]
    for step in steps:
        assert f": {step.caption}"[:60] in str(steps).replace("\n", " ")
    assert max(map(len, str(steps).splitlines())) <= 80


class Page(HTMLParser):
    """What a page has: the items of its list, its addresses, its data."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.items, self.links, self.data, self._script = 0, [], "", ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.items += tag == "li"
        self.links += [value for key, value in attrs if key in ("src", "href")]
        self._script = given.get("type") or "" if tag == "script" else ""

    def handle_data(self, data: str) -> None:
        if self._script == "application/json":
            self.data += data

    def handle_endtag(self, tag: str) -> None:
        self._script = ""


@pytest.mark.parametrize("name", ["id3", "k_means", "version_space"])
def test_a_page_holds_all_steps_and_needs_no_other_file(name: str, tmp_path: Path) -> None:
    steps, _ = CASES[name]()
    steps.save(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    page = Page(text)
    assert page.items == len(steps)
    assert page.links == []
    assert "http" not in re.sub(r'xmlns="[^"]*"|http://www.w3.org/\S+', "", text)
    assert json.loads(page.data) == steps.to_dict()
    assert 'aria-live="polite"' in text
    assert "@media print" in text
    for svg in re.findall(r"<svg .*?</svg>\n", text, re.S):
        ET.fromstring(svg)


def test_a_caption_cannot_leave_its_place() -> None:
    evil = "</script><script>alert(1)</script>"
    text = StepSequence(evil, (AlgorithmStep(evil, {"x": evil}),)).to_html()
    assert text.count("<script>") == 1  # ours
    assert json.loads(Page(text).data)["title"] == evil


def test_every_round_of_k_means_assigns_and_averages() -> None:
    table = {name: points()[name] for name in "ab"}
    x = np.column_stack([table["a"], table["b"]])
    model = tl.KMeans(3, init="random", n_init=1, random_state=3).fit(table)
    steps = model.steps(table)
    assert len(steps) == model.n_iter_ + 1
    for before, after in zip(steps.steps, steps.steps[1:], strict=False):
        labels = np.array(before.numbers["labels"])
        means = np.array([x[labels == c].mean(axis=0) for c in range(3)])
        assert after.numbers["centres"] == pytest.approx(means)
        far = ((x[:, None] - np.array(after.numbers["centres"])[None]) ** 2).sum(axis=2)
        assert after.numbers["labels"] == far.argmin(axis=1).tolist()
        assert after.numbers["inertia"] == pytest.approx(far.min(axis=1).sum())
        assert after.numbers["inertia"] <= before.numbers["inertia"] + 1e-9


def test_every_step_of_a_perceptron_applies_its_rule() -> None:
    table = points(gap=4.0)
    model = tl.Perceptron(shuffle=False).fit(table, "c")
    steps = model.steps().sequence()
    weights = np.zeros(3)
    for step in steps.steps[:-1]:
        i = step.numbers["row"]
        x = np.array([1.0, table["a"][i], table["b"][i]])
        y = 1 if table["c"][i] == "yes" else -1
        correct = (weights @ x >= 0) == (y == 1)
        assert step.numbers["correct"] == correct
        weights = weights + (0 if correct else y) * x
        assert step.numbers["weights"] == [pytest.approx(weights)]
    assert steps[-1].numbers["weights"] == [pytest.approx(weights)]


def test_a_perceptron_of_three_classes_moves_two_of_its_weights() -> None:
    table = {"a": [0, 0, 3, 3, 6, 6], "b": [0, 1, 3, 4, 0, 1], "c": [*"xxyyzz"]}
    model = tl.Perceptron().fit(table, "c")
    last = model.steps().sequence()[-1].numbers["weights"]
    expected = np.column_stack([model.intercept_, model.coef_])
    assert np.array(last) == pytest.approx(expected)


def test_every_step_of_gradient_descent_follows_the_gradient() -> None:
    x, y = np.arange(5.0), np.array([1.0, 3, 2, 5, 4])
    model = tl.LMS(0.05, scaling="mean", steps=30).fit({"x": x, "y": y}, "y")
    w = np.zeros(2)
    for step in model.descent({"x": x, "y": y}).steps[1:]:
        error = y - w[0] - w[1] * x
        assert step.numbers["error"] == pytest.approx(np.mean(error**2))
        w = w + 0.05 * 2 * np.array([error.mean(), (error * x).mean()])
        assert step.numbers["weights"] == pytest.approx(w)


def test_the_contours_of_a_descent_are_the_mean_squared_error() -> None:
    table = {"x": [0.0, 1, 2, 3, 4], "y": [1, 3, 2, 5, 4]}
    model = tl.LMS(0.05, scaling="mean", steps=30).fit(table, "y")
    data = tl.plot_descent(model, table).data
    x, y = np.array(table["x"]), np.array(table["y"])
    for i in (0, 50, 100):
        for j in (0, 37, 100):
            direct = np.mean((y - data["w0"][j] - data["w1"][i] * x) ** 2)
            assert data["mean_squared_error"][i][j] == pytest.approx(direct)
    assert data["least_squares"] == pytest.approx(np.polyfit(x, y, 1)[::-1])
    assert data["path"][-1] == pytest.approx([model.intercept_, *model.coef_])


def test_the_products_of_naive_bayes_multiply_one_factor_a_step() -> None:
    steps = tl.NaiveBayes(alpha=0).fit(tl.example("tennis"), "PlayTennis").steps(ROW)
    products = [step.numbers["products"]["No"] for step in steps]
    expected = np.cumprod([5 / 14, 3 / 5, 1 / 5, 4 / 5, 3 / 5])
    assert products == pytest.approx([*expected, expected[-1]])
    assert steps[-1].numbers["posterior"]["No"] == pytest.approx(0.7954, abs=1e-4)  # Mitchell


def test_neighbours_come_from_the_nearest_on() -> None:
    table = points(gap=1.0)
    model = tl.KNeighborsClassifier(5).fit(table, "c")
    row = {"a": 1.5, "b": 1.6}
    steps = model.steps(row)
    rows = [int(one["neighbour"].split()[1]) for one in steps[-2].numbers["neighbours"]]
    far = [np.hypot(table["a"][i] - 1.5, table["b"][i] - 1.6) for i in rows]
    assert far == sorted(far)
    assert {*rows} >= {*model.kneighbors(row)[1][0].tolist()}
    assert steps[-1].numbers["votes"] == {
        c: sum(table["c"][i] == c for i in rows) for c in ("no", "yes")
    }


def test_the_lattice_joins_neighbours_in_the_order() -> None:
    space = tl.VersionSpace.conjunctions().fit(
        [{"a": "x", "b": "u", "c": "+"}, {"a": "y", "b": "v", "c": "-"}], "c"
    )
    data = space.plot().data
    assert {*data["nodes"]} == {*map(str, space.members)}
    by_name = {str(h): h for h in space.members}
    for up, down in data["edges"]:
        assert by_name[up].includes(by_name[down])
        assert not by_name[down].includes(by_name[up])
    assert len(data["edges"]) == 2


def test_steps_that_cannot_be_known_say_why() -> None:
    table = {name: points()[name] for name in "ab"}
    with pytest.raises(InputError, match="random_state=0"):
        tl.KMeans(2, random_state=None).fit(table).steps(table)
    with pytest.raises(InputError, match="scale=None"):
        tl.KMeans(2, scale="minmax").fit(table).steps(table)
    tree = tl.ID3(keep_rows=False).fit(tl.example("tennis"), "PlayTennis")
    with pytest.raises(InputError, match="keep_rows=True"):
        tree.steps()
    near = tl.KNeighborsClassifier(3).fit(points(), "c")
    with pytest.raises(InputError, match=r"2 rows.*Pass one row"):
        near.steps({"a": [1, 2], "b": [1, 2]})
    drawn = tl.LMS(0.01, start="random").fit({"x": [1, 2], "y": [1, 2]}, "y")
    with pytest.raises(InputError, match="random_state=0"):
        drawn.descent()
