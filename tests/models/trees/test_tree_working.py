"""The working of trees: every printed number follows from the printed operands."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.workings import Derivation, Equations, Formula, Grid

TENNIS = tl.example("tennis")
CODE = {"·": "*", "²": "**2", "^": "**", "log2": "math.log2"}


def mixed(seed: int = 0, missing: bool = True) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=80).round(1),
            "b": rng.integers(0, 9, 80).astype(float),
            "c": rng.choice(list("pqrs"), 80),
        }
    )
    frame["y"] = np.where(frame.a > 0, frame.b, 4 - frame.b) + (frame.c == "q") * 3.0 + 5
    if missing:
        frame.loc[3:9, "a"] = np.nan
        frame.loc[7:15, "c"] = None
    return frame


def evaluated(side: str) -> tuple[float, float] | None:
    """One side of an equation, and its largest number; None where it is words."""
    text = side.replace(",", "")
    for name, code in CODE.items():
        text = text.replace(name, code)
    if re.search(r"[A-Za-zΣ|ŷ]", re.sub(r"math\.log2|e[+-]\d", "", text)):
        return None
    largest = max(
        map(float, re.findall(r"\d+\.?\d*(?:e[+-]\d+)?", side.replace("log2", "").replace(",", "")))
    )
    return float(eval(text, {"math": math})), largest


def check_formulas(work: Any) -> int:
    """Every side of every formula is equal to the others, as far as four digits tell."""
    checked = 0
    for text in equations(work):
        sides = re.split(r"(?<![<>]) = ", text)
        found = [value for side in sides if (value := evaluated(side)) is not None]
        scale = max((largest for _, largest in found if largest), default=1.0)
        for value, _ in found[1:]:
            assert value == pytest.approx(found[0][0], abs=2e-3 * min(scale, 1e3)), text
        checked += len(found) > 1
    return checked


def equations(work: Any) -> Iterator[str]:
    for step in work.steps:
        if isinstance(step, Formula):
            yield step.text
        elif isinstance(step, Equations):
            yield from step.equations


def check_parts(work: Any) -> int:
    """The impurity of every part of the tables of classes, from its counts."""
    checked = 0
    for step in work.steps:
        if isinstance(step, Grid) and step.header[-1] in ("Entropy", "Gini"):
            for row in step.rows:
                counts = np.array([*map(float, row[2:-2])])
                p = counts[counts > 0] / counts.sum()
                entropy = float(-(p * np.log2(p)).sum())
                value = entropy if step.header[-1] == "Entropy" else float(1 - (p**2).sum())
                assert float(row[-1]) == pytest.approx(value, abs=2e-3)
                assert float(row[-2]) == pytest.approx(counts.sum(), rel=1e-3)
                checked += 1
    return checked


def test_id3_is_written_as_in_the_notes() -> None:
    text = str(tl.ID3().fit(TENNIS, "PlayTennis").show_work())
    assert "Node 0, root: 14 rows, No 5, Yes 9\n----" in text
    assert (
        "Gain(S, Wind)        = 0.9403 - 6/14 · 1.0000 - 8/14 · 0.8113\n"
        "                     = 0.0481\n" in text
    )
    assert "Outlook has the largest gain, 0.2467." in text
    assert "Node 5, when Outlook = Sunny: 5 rows, No 3, Yes 2\n----" in text
    assert "Gain(S, Wind)        = 0.9710 - 2/5 · 0.0000 - 3/5 · 0.0000 = 0.9710\n" in text
    assert "\nIf Outlook = Rain and Wind = Strong, then No (2 of 2 rows).\n" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_working_ends_with_the_tree_and_its_rules() -> None:
    tree = tl.ID3().fit(TENNIS, "PlayTennis")
    work = tree.show_work()
    assert str(work.steps[-3]) == tree.text()
    assert len(str(work.steps[-1]).splitlines()) == len(tree.tree_.leaves)
    large = tl.DecisionTreeRegressor().fit(mixed(), "y")
    assert "The tree" not in str(large.show_work())
    assert str(large.show_work(full=True)).count("\nIf ") == len(large.tree_.leaves)
    alone = tl.ID3().fit({"a": ["x", "y"], "c": ["no", "no"]}, "c")
    assert "Always no (2 of 2 rows)." in str(alone.show_work())


def test_the_numbers_of_a_node_have_equal_decimals() -> None:
    for learner in (tl.ID3(), tl.C45(pruning=None), tl.CART(), tl.DecisionTreeRegressor(), tl.M5()):
        frame = mixed()
        if learner.task == "classifier":
            frame["y"] = np.where(frame.y > 9, "high", "low")
        work = learner.fit(frame, "y").show_work()
        for step in work.steps:
            if isinstance(step, Equations):
                ends = [text.rsplit(" = ", 1)[1] for text in step.equations]
                assert len({len(end.partition(".")[2]) for end in ends}) == 1, ends


def test_c45_says_which_gains_do_not_count() -> None:
    text = " ".join(str(tl.C45().fit(TENNIS, "PlayTennis").show_work()).split())
    assert "GainRatio(S, Outlook) = 0.2467 / 1.5774 = 0.1564" in text
    assert "mean gain = (0.2467 + 0.0292 + 0.1518 + 0.0481) / 4 = 0.1190" in text
    assert "The gain of Temperature and Wind is below it: their scores in gains() are -1." in text


CLASSIFIERS = [
    tl.ID3(), tl.C45(), tl.C45(pruning=None), tl.DecisionTreeClassifier(), tl.CART(),
    tl.DecisionTreeClassifier(criterion="entropy", missing="fractional"),
    tl.DecisionTreeClassifier(criterion="gain_ratio"),
    tl.DecisionTreeClassifier(class_weight="balanced", max_depth=3),
    tl.DecisionTreeClassifier(max_features=1, random_state=2),
]  # fmt: skip
REGRESSORS = [
    tl.DecisionTreeRegressor(max_depth=4), tl.DecisionTreeRegressor(criterion="sdr", max_depth=3),
    tl.DecisionTreeRegressor(criterion="absolute_error", max_depth=3),
    tl.DecisionTreeRegressor(criterion="poisson", max_depth=3), tl.M5(), tl.M5(criterion="sdr"),
    tl.DecisionTreeRegressor(missing="fractional", max_depth=3),
]  # fmt: skip


@pytest.mark.parametrize("learner", [*CLASSIFIERS, *REGRESSORS], ids=repr)
@pytest.mark.parametrize("missing", [False, True])
def test_every_printed_number_follows_from_the_printed_operands(
    learner: Any, missing: bool
) -> None:
    frame = mixed(missing=missing)
    if learner.task == "classifier":
        frame["y"] = np.where(frame.y > 9, "high", np.where(frame.y > 6, "middle", "low"))
    work = learner.fit(frame, "y").show_work(full=True)
    splits = learner.tree_.node_count - len(learner.tree_.leaves)
    assert check_formulas(work) >= 2 * splits - 1
    if learner.task == "classifier":
        assert check_parts(work) >= 2 * splits
    assert str(work).count("\nNode ") == splits
    assert max(map(len, str(work).splitlines())) <= 80
    assert "$$" in work.to_markdown()
    assert work.to_html().startswith("<")


@pytest.mark.parametrize("learner", [tl.ID3(), tl.C45(), tl.CART(), tl.M5(prune=False)], ids=repr)
def test_the_working_has_the_gains_of_the_tree(learner: Any) -> None:
    frame = mixed()
    if learner.task == "classifier":
        frame["y"] = np.where(frame.y > 8, "high", "low")
    learner.fit(frame, "y")
    text = str(learner.show_work(full=True))
    found = re.findall(r"(?<=largest )[^.]*?, ([\d.,e-]+\d)[.:]", text)
    inner = np.flatnonzero(learner.tree_.test != 0).tolist()
    best = [max(c.score for c in learner.gains(node) if c.best) for node in inner]
    assert len(found) + text.count("The node is split by") == len(inner)  # pruning moves splits
    for number in found:
        value = float(number.replace(",", ""))
        assert any(value == pytest.approx(score, rel=5e-3, abs=1e-4) for score in best)


def test_a_long_working_is_folded() -> None:
    frame = mixed()
    tree = tl.DecisionTreeRegressor().fit(frame, "y")
    short, full = tree.show_work(), tree.show_work(full=True)
    assert str(short).count("\nNode ") == 3
    assert "show_work(full=True)" in str(short)
    assert len(full.steps) > len(short.steps)
    assert "show_work(full=True)" not in str(full)


def test_ties_are_named() -> None:
    rows = {"a": ["x", "x", "y", "y"], "b": ["x", "x", "y", "y"], "c": ["no", "no", "yes", "yes"]}
    assert "a and b tie for the largest gain, 1.0000" in str(tl.ID3().fit(rows, "c").show_work())


def test_without_rows_the_table_says_how_to_get_the_working() -> None:
    work = tl.ID3(keep_rows=False).fit(TENNIS, "PlayTennis").show_work()
    assert "keep_rows=True" in str(work)
    assert isinstance(work.steps[0], Grid)


@pytest.mark.parametrize("learner", [*CLASSIFIERS, *REGRESSORS[:4], REGRESSORS[-1]], ids=repr)
def test_an_explanation_begins_with_its_rule_and_gives_the_prediction(learner: Any) -> None:
    frame = mixed(1)
    if learner.task == "classifier":
        frame["y"] = np.where(frame.y > 9, "high", np.where(frame.y > 6, "middle", "low"))
    learner.fit(frame, "y")
    rows = frame.drop(columns="y")
    for at, row in enumerate(learner.explain(rows)):
        text = str(row)
        assert max(map(len, text.splitlines())) <= 80
        check_formulas(Derivation("", row.working))
        if learner.task == "classifier" and isinstance(row.working[0], Grid):
            *_, counts, shares = row.working[0].rows
            names = row.working[0].header[1:-1]
            percent = [float(share.removesuffix(" %")) / 100 for share in shares[1:-1]]
            told = dict(zip(names, percent, strict=True))
            proba = learner.predict_proba(rows[at : at + 1])[0]
            for name, p in zip(learner.classes_, proba, strict=True):
                assert told[name] == pytest.approx(p, abs=6e-4)
            for count, share in zip(counts[1:-1], percent, strict=True):
                assert float(count) / float(counts[-1]) == pytest.approx(share, abs=2e-3)
            assert f", so {row.chosen} (" in " ".join(text.split())
