"""Whatever can be shown is a function of its plain data: a file of it gives the same forms."""

from __future__ import annotations

import importlib
import inspect
import itertools
import json
import math
import pkgutil
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import tallylearn
import tallylearn as tl
from tallylearn.errors import FileError, InputError
from tallylearn.evaluation.result import Result
from tallylearn.exercises.sheets import GradeTable
from tallylearn.reasoning.belief.families import Bernoulli, Family
from tallylearn.reporting.report import FILE_ENDINGS, Report
from tests.learners import CASES, Case
from tests.models.trees.forest import COLUMNS, LEARNERS, asked_for, fitted, grown, rows, target
from tests.tables import mixed_table

rng = np.random.default_rng(0)
N = 160
TABLE = rows(N, seed=3)
WEIGHT = rng.integers(0, 4, N) / 2
MEDIANS = {"task": "regression", "criterion": "absolute_error", "max_depth": 3}
LINES = rng.normal(size=(N, 3)).round(2)
BENT = np.where(LINES[:, 0] > 0, 3 * LINES[:, 1], -2 * LINES[:, 2]) + rng.normal(size=N) * 0.4
COUNTS = rng.poisson(np.exp(0.4 * LINES[:, 0]))
DICE = tl.ProbabilitySpace.uniform(range(1, 7), "dice")


def weighed(learner: Any, name: str) -> Any:
    return learner.fit(TABLE[[*COLUMNS, name]], name, sample_weight=WEIGHT)


def model_tree(**options: Any) -> Any:
    """A model tree of numbers and categories, with values that no row had at a node."""
    table = TABLE[["x", "small", "colour", "y"]].dropna(ignore_index=True)
    return tl.M5(**options).fit(table, "y")


def pruned(**options: Any) -> Any:
    return tl.C45(keep_rows=True, **options).fit(*told("c45", N, 3))


def told(name: str, n: int, seed: int) -> tuple[Any, str]:
    """The table of a learner, and its target."""
    return rows(n, seed)[[*COLUMNS, target(name)]], target(name)


def gains(name: str, node: int = 0) -> Any:
    return fitted(name).gains(node, *told(name, 300, 0))


def apart(name: str, **options: Any) -> Any:
    """Two trees of other rows, tried on a third table."""
    two = (clone(LEARNERS[name]).fit(*told(name, n, seed)) for n, seed in ((200, 1), (90, 2)))
    return tl.diff(*two, on={"new": told(name, 60, 4)}, **options)


def explained(case: Case, n: int = 8) -> Any:
    table = mixed_table()
    return case.make().fit(case.table(table), case.target).explain(case.rows(table)[:n])


OF_TREES: dict[str, Callable[[str], Any]] = {
    "rules": lambda name: fitted(name).rules(),
    "importances": lambda name: fitted(name).importances(),
    "gains": gains,
    "explained": lambda name: fitted(name).explain(asked_for(22, 5)),
    "apart": apart,
}
VIEWS: dict[str, Callable[[], Any]] = {
    **{f"{what}, {name}": partial(make, name) for what, make in OF_TREES.items()
       for name in LEARNERS},
    **{f"learned, {case.name}": partial(explained, case) for case in CASES},
    "path of penalties": lambda: tl.Ridge(alpha="cv", folds=3).fit(LINES, BENT).path(),
    "scree": lambda: tl.PCA(1).fit(LINES).scree(),
    "components": lambda: tl.PCA().fit(LINES).explain(LINES[:3]),
    "subsets": lambda: tl.SubsetSelection(criterion="folds", folds=3).fit(LINES, BENT).path(),
    "summary": lambda: tl.LinearRegression().fit(LINES, BENT).summary(LINES, BENT),
    "summary of a ridge": lambda: tl.Ridge().fit(LINES, BENT).summary(),
    "difference of two models": lambda: tl.diff(
        tl.LinearRegression().fit(LINES, BENT), tl.Ridge().fit(LINES, BENT), LINES, BENT),
    "importances of terms": lambda: tl.ExplainableBoostingRegressor(max_rounds=5).fit(
        LINES, BENT).importances(),
    "diagnostics": lambda: tl.LinearRegression().fit(LINES, BENT).diagnose(LINES, BENT),
    "calculation": lambda: tl.entropy([9, 5]),
    "results by name": lambda: tl.softmax([1, 2]),
    "confusion matrix": lambda: tl.confusion_matrix("aab", "abb"),
    "ROC curve": lambda: tl.roc_curve([0, 1, 1], [0.1, 0.4, 0.4]),
    "exercise": lambda: tl.exercise("entropy"),
    "grade": lambda: tl.exercise("entropy").grade("entropy = 0.5"),
    "grades": lambda: GradeTable((("Ada", "entropy:7:1", 0.5, "entropy", "minus sign left out"),)),
    "many rules": lambda: grown(500).rules(order="support"),
    "few rules": lambda: fitted("id3").rules().simplified(),
    "rules of rows": lambda: fitted("cart").fired(rows(30, 9)[COLUMNS]),
    "rules with weights": lambda: weighed(tl.CART(max_depth=4), "class").rules(),
    "rules of medians": lambda: weighed(tl.CART(**MEDIANS), "y").rules(),
    "rules of truth": lambda: tl.CART(max_depth=2).fit(LINES, BENT > 0).rules(),
    "rules of models": lambda: model_tree().rules(),
    "rules of one model": lambda: model_tree(max_depth=0).rules(),
    "rules of lines": lambda: tl.M5(smooth=None).fit(LINES, BENT).rules(),
    "models of rows": lambda: tl.M5().fit(LINES, BENT).fired(LINES[:50]),
    "gains below": lambda: gains("cart", 1),
    "gains of models": lambda: tl.M5().fit(LINES, BENT).gains(0, LINES, BENT),
    "prunings": lambda: pruned().prunings(),
    "prunings, raised": lambda: pruned(confidence=0.4).prunings(),
    "no prunings": lambda: pruned(pruning=None).prunings(),
    "pruning curve": lambda: pruned(pruning=None).pruning_curve(*told("c45", 90, 6)),
    "alike": lambda: tl.diff(fitted("id3"), fitted("id3")),
    "cut short": lambda: apart("id3", names=("<old>", "new | two"), limit=30),
    "out of bag": lambda: tl.RandomForestClassifier(9).fit(LINES, BENT > 0).oob,
    "out of bag, of numbers": lambda: tl.RandomForestRegressor(2).fit(LINES, BENT).oob,
    "counterfactual": lambda: tl.ID3().fit(tl.example("tennis")).counterfactual(
        {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Weak"}),
    "partial dependence": lambda: tl.partial_dependence(
        tl.Ridge().fit(LINES, BENT), LINES, 0, subsample=9),
    "importances of a forest": lambda: tl.RandomForestRegressor(9).fit(LINES, BENT).importances(),
    "one row": lambda: fitted("c45").explain(asked_for(1, 5))[0],
    "model tree explained": lambda: model_tree().explain(TABLE[:3]),
    "check": lambda: tl.check({"paid": ["$1", "-"], "d": ["1/2/2024", "3/4/2024"], "n": [1, 2]}),
    "description": lambda: tl.describe(TABLE[[*COLUMNS, "y"]].assign(odd=np.inf), "y"),
    "description of classes": lambda: tl.describe(mixed_table(), "kind"),
    "changes": lambda: tl.describe(TABLE[:80]).compare(TABLE[70:].assign(new=1)),
    "problem": lambda: tl.problem(tl.example("tennis"), learner=tl.NaiveBayes()),
    "problem of a fitted learner": lambda: tl.problem(
        LINES, BENT > 0, learner=tl.LinearDiscriminantAnalysis().fit(LINES, BENT > 0)
    ),
    "problem of numbers": lambda: tl.problem(LINES, BENT, learner=tl.CART(task="regression")),
    "problem without a target": lambda: tl.problem(TABLE),
    "space": lambda: DICE,
    "truth": lambda: DICE.independent({1, 2}, {1, 3, 5}),
    "answer": lambda: DICE.bayes(DICE.variable(lambda w: "abc"[w % 3]), given={1, 2, 4}),
    "figure": lambda: DICE.bayes({1}, given={1, 2}),
    "variable": lambda: DICE.variable(lambda w: w % 3),
    "network": lambda: tl.ProbabilitySpace.network([("A", "B"), ("B", "C")]),
    "hypotheses": lambda: tl.Hypotheses.from_table(tl.example("tennis")).observe({"Wind": "Weak"}),
    "nothing observed": lambda: Bernoulli("red", "blue"),
    "bernoulli": lambda: Bernoulli("red", "blue").observe("red", "red", "blue"),
    "learn": lambda: tl.learn(LINES, BENT > 0, candidates=[tl.NaiveBayes()]),
    "leaderboard": lambda: tl.learn(LINES, BENT > 0, candidates=[tl.NaiveBayes()]).leaderboard,
    "q table": lambda: tl.q_learning({1: {"go": ("end", 1)}}),
    "page of steps": lambda: tl.ID3().fit(tl.example("tennis")).steps(),
    "steps": lambda: tl.Perceptron(max_iter=3).fit(LINES, BENT > 0).steps(),
    "steps of classes": lambda: tl.Perceptron().fit(LINES[:9], [*"abcabcabc"]).steps(),
    "reasons": lambda: tl.NaiveBayes().fit(tl.example("tennis")).explain(
        {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Weak"}).reasons(),
    "geometry": lambda: tl.Perceptron().fit(LINES, BENT > 0).geometry(LINES, BENT > 0),
    "borders": lambda: tl.Perceptron().fit(LINES[:9], [*"abcabcabc"]).geometry(),
    "summary of classes": lambda: tl.LogisticRegression().fit(LINES[:9], [*"abcabcabc"]).summary(),
    "summary of counts": lambda: tl.PoissonRegressor(alpha=0).fit(LINES, COUNTS).summary(),
    "summary with errors": lambda: tl.LogisticRegression(C=math.inf).fit(
        [[1], [2], [3], [4]], [*"abab"]).summary(),
    "family": lambda: Family(lambda t, rate: math.log(rate) - rate * t, 0.01, 10).observe(1.0, 2.0),
}  # fmt: skip

FORMS = {
    "Derivation",
    "Equations",
    "Formula",
    "Grid",
    "Heading",
    "Listing",
    "Sentence",
}  # derivations.read is their way back
# a function of plain data gave them; test_model_report.py has the last one
REPORTS = {"EvidenceTable", "EvidenceTables", "ReasonSentences", "ReportLayout", "ModelReport"}


@cache
def made(name: str) -> Any:
    """A view, for all tests that only look at it."""
    return VIEWS[name]()


def showable() -> set[type]:
    """Every class of the package that can be shown, whether or not it is a Report."""
    names = [m.name for m in pkgutil.walk_packages(tallylearn.__path__, "tallylearn.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    found = {one for module in modules for one in vars(module).values() if inspect.isclass(one)}
    return {
        one
        for one in found
        if hasattr(one, "to_markdown") and not inspect.isabstract(one)
        if one.__module__.startswith("tallylearn.")
    }


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_read_from_a_file_as_it_was_shown(name: str) -> None:
    view = made(name)
    data = json.loads(json.dumps(view.to_dict(), allow_nan=False))
    assert data == view.to_dict()  # nothing that JSON turns into something else
    report = type(view).report_of(data)
    assert str(report) == str(view)
    assert report.to_markdown() == view.to_markdown()
    assert view.to_html() == view._repr_html_()
    if type(view).to_html is Report.to_html:  # pages of steps: test_step_sequence.py
        assert report.to_html() == view.to_html()


def test_every_view_there_is_has_been_read() -> None:
    found = {one for one in showable() if not issubclass(one, Result)}  # test_reports.py has these
    alike = {name.split(", ")[0]: name for name in VIEWS}  # one of what many learners have
    read = {type(made(name)) for name in alike.values()}
    assert {one.__name__ for one in found - read} == FORMS | REPORTS
    assert read <= found


def test_a_view_that_is_cut_has_all_in_its_data() -> None:
    rules, gains = made("many rules"), made("gains, cart")
    assert "more rules: .text() has all" in str(rules)
    assert len(rules.to_dict()["rules"]) == rules.text().count("IF ") == len(rules) > 200
    assert "more in .candidates" in str(gains)
    assert len(gains.to_dict()["candidates"]) == len(gains) > 40
    assert max(one["gain"] for one in gains.to_dict()["candidates"]) == max(c.gain for c in gains)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("rules, id3", lambda data: data["rules"][0].update(answer="never"), "never"),
        ("rules of models", lambda data: data["rules"][0].update(error=0.125), "error 0.125"),
        ("gains below", lambda data: data.update(title="node 77"), "node 77"),
        ("importances, c45", lambda data: data["x"].update(share=0.0625), "0.0625"),
        ("prunings", lambda data: data.update(rows=[]), "nothing was pruned"),
        ("pruning curve", lambda data: data["rows"][0].__setitem__(1, "0.777"), "0.777"),
        ("apart, id3", lambda data: data["trees"][0].update(nodes=4321), "4321 nodes"),
        ("apart, cart", lambda data: data["trials"][0].update(scores=[0.123, None]), "0.123  nan"),
        ("one row", lambda data: data["working"][0]["header"].__setitem__(1, "odd"), "odd"),
        (
            "model tree explained",
            lambda data: data["rows"][0]["notes"].append("odd"),
            "odd",
        ),
        ("explained, c45", lambda data: data["rows"].pop(), "and 1 more row"),
        ("changes", lambda data: data["changes"][0].update(p=0.123), "0.123"),
        ("description", lambda data: data["columns"][0].update(distinct=777), "777"),
        ("problem", lambda data: data.update(task="guess"), "T                 guess"),
    ],
)
def test_a_report_says_what_its_data_say(
    name: str, change: Callable[[dict[str, Any]], Any], said: str
) -> None:
    view = VIEWS[name]()
    data = view.to_dict()
    assert said not in str(view)
    change(data)
    assert said in str(view.report_of(data))


@pytest.mark.parametrize("name", ["rules, id3", "one row", "explained, c45", "prunings", "answer"])
@pytest.mark.parametrize("data", [{}, [], None, itertools.count(), {"rows": 3, "steps": "x"}])
def test_what_is_no_data_of_a_report_is_refused(name: str, data: Any) -> None:
    view = made(name)
    with pytest.raises(InputError, match=rf"^{type(view).__name__}.report_of: [\s\S]*to_dict\(\)"):
        type(view).report_of(data)


@pytest.mark.parametrize("name", ["rules, id3", "one row", "summary", "description", "answer"])
def test_every_report_is_saved_in_all_forms(name: str, tmp_path: Path) -> None:
    view = made(name)
    for ending in FILE_ENDINGS:
        view.save(tmp_path / f"report{ending}")
    page = (tmp_path / "report.html").read_text()
    body = re.sub(r"(</?)h1\b", r"\1h3", page)  # the first title is the heading of the page
    assert view.to_html().strip() in body
    assert page.count("</title><style>") == page.count('name="viewport"') == 1
    assert "prefers-color-scheme:dark" in page
    assert f'content="tallylearn {tl.__version__}"' in page
    assert json.loads((tmp_path / "report.json").read_text()) == view.to_dict()
    assert (tmp_path / "report.md").read_text() == view.to_markdown() + "\n"
    assert (tmp_path / "report.txt").read_text() == str(view) + "\n"
    with pytest.raises(FileError, match=r"report\.pdf.*\.html"):
        view.save(tmp_path / "report.pdf")
