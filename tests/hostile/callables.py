"""Callables: every public name, every method of what the names hand out, and its arguments.

Reasoning is tried by ``tests/reasoning/test_hostile.py``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import tallylearn as tl
from tallylearn.reporting import charts

REASONING = {"Hypotheses", "ProbabilitySpace", "VersionSpace"}
# Take what the house itself makes, or belong to scikit-learn's routing.
DOORS = {"predictions", "begin", "check_input", "predict_classes", "classes_and_probabilities",
         "learn", "learned", "left_out",
         "lesson", "limit", "looked_at", "rounds", "seen", "shape", "solve", "start", "step",
         "survey", "tally", "train", "update", "apart", "without", "losses", "named", "of",
         "aimed", "amended", "coded", "grouping", "judged_again", "naming", "narrowed",
         "prepared", "read_as", "scored", "taught", "times", "turned", "whole",
         "column_values", "fit_passes", "goodness", "group_labels", "learn_tally", "reinfer",
         "reinfer_unchecked", "sum_passes", "transform_block", "undeclared", "with_coded_target",
         "from_deprecated", "from_stored", "leave_one_out", "loss", "tally_block",
         "with_columns", "with_identifiers", "with_roles", "with_schema",
         "get_metadata_routing", "set_output",
         "average", "difference", "fit_learner", "gap_change", "undefined_text", "without_roles",
         "AreaLayer", "Layer", "LineLayer", "PointLayer", "TextLayer", "axis_ends", "draw_layers",
         "set_params"}  # fmt: skip

CHANGING = {"forget", "partial_fit"}  # what they are asked of must be new

TABLE = {"x": [1.0, 2.0, 3.5, 4.0, 5.0, 7.0, 8.0, 9.0], "y": list("uvuvuvuv")}
WIDE = {**TABLE, "c": list("aabbabab"), "z": [2.0, None, 4.0, 3.0, 6.0, 5.5, 1.0, 0.0]}
NUMBERS = {"x": TABLE["x"], "z": [2.0, 1.0, 4.0, 3.0, 6.0, 5.5, 1.0, 0.0]}
WANTED = [1.0, 2.0, 3.0, 5.0, 4.0, 6.0, 8.0, 7.0]
TREES = {"C45": tl.DecisionTreeClassifier, "CART": tl.DecisionTreeClassifier,
         "ID3": tl.DecisionTreeClassifier, "M5": tl.ModelTreeRegressor}  # fmt: skip
SHOWN = ("predict", "explain", "show_work", "text", "rules", "ties", "importances", "gains")


class Called(NamedTuple):
    """A name, how to get hold of what it names, and one of its arguments."""

    name: str
    get: Callable[[], Any]
    argument: str


def learner_table(learner: Any) -> dict[str, Any]:
    """A tiny table that suits a learner."""
    if isinstance(learner, tl.DecisionTreeClassifier):
        return WIDE
    return {**NUMBERS, "y": WANTED if learner.task == "regressor" else TABLE["y"]}


def fitted(learner: Any) -> Any:
    return learner.fit(learner_table(learner), "y")


def tree() -> Any:
    return fitted(tl.DecisionTreeClassifier(keep_rows=True))


def pair() -> dict[str, Any]:
    return {"a": tl.NaiveBayes(), "b": tl.DummyClassifier()}


MADE: dict[str, Callable[[], Any]] = {
    "Folds": lambda: tl.Folds.k(2),
    "Population": lambda: tl.Population({1: "1/4", 2: "3/4"}, target=lambda x: x > 1),
    "CART of numbers": lambda: fitted(tl.CART(task="regression")),
    "C45 fitted": lambda: fitted(tl.C45(keep_rows=True)),
    "M5 fitted": lambda: fitted(tl.M5(keep_rows=True)),
    "Evaluation": lambda: tl.evaluate(tl.NaiveBayes(), TABLE, "y", cv=2),
    "Evaluation of numbers": lambda: tl.evaluate(
        tl.DummyRegressor(), {**NUMBERS, "y": WANTED}, "y", cv=2
    ),
    "Comparison": lambda: tl.compare(pair(), TABLE, "y", cv=2),
    "Tuning": lambda: tl.tune(tl.NaiveBayes(), {"alpha": [0.5, 1]}, TABLE, "y", cv=2),
    "Curve": lambda: tl.learning_curve(tl.NaiveBayes(), TABLE, "y", cv=2, sizes=[1.0]),
    "Decomposition": lambda: tl.bias_variance(tl.DummyClassifier(), TABLE, "y", draws=50),
    "Problem": lambda: tl.problem(TABLE, "y"),
    "Explanation": lambda: tree().explain(WIDE),
    "Derivation": lambda: fitted(tl.NaiveBayes()).show_work(),
    "Rules": lambda: tree().rules(),
    "ModelRules": lambda: fitted(tl.M5()).rules(),
    "Gains": lambda: tree().gains(),
    "Importances": lambda: tree().importances(),
    "Prunings": lambda: tree().prunings(),
    "PruningCurve": lambda: tree().pruning_curve(WIDE, "y"),
    "Difference of trees": lambda: tl.diff(tree(), tree()),
    "Difference of scores": lambda: tl.compare(pair(), TABLE, "y", cv=2).difference("a", "b"),
    "Plot": lambda: tree().plot(),
    "Table": lambda: tl.table(TABLE, target="y"),
}


def calls() -> Iterator[Called]:
    """Every argument of everything that can be called."""
    for name in sorted({*tl.__all__} - REASONING):
        thing = getattr(tl, name)
        yield from (Called(name, lambda t=thing: t, one) for one in arguments(thing, name))
        if hasattr(thing, "fit"):
            yield from methods(name, thing, lambda n=name, t=thing: fitted(t(**OWN.get(n, {}))))
    for name, make in MADE.items():
        yield from methods(name, type(make()), make)
    for name in sorted({*charts.__all__} - DOORS):
        thing = getattr(charts, name)
        yield from (Called(f"plots.{name}", lambda t=thing: t, one) for one in arguments(thing))


def methods(name: str, kind: type, make: Callable[[], Any]) -> Iterator[Called]:
    kept = cache(make)
    for method in sorted(m for m in dir(kind) if not m.startswith("_") or m == "__getitem__"):
        static = getattr(kind, method, None)  # None: a method of some subclasses only
        if method in DOORS or method.endswith("_request") or not callable(static):
            continue
        own = make if method in CHANGING else kept
        get = lambda m=method, own=own: getattr(own(), m)  # noqa: E731
        yield from (Called(f"{name}.{method}", get, one) for one in arguments(static))


def arguments(thing: Any, name: str = "") -> list[str]:
    """Those that it names; of a preset the options of its tree, of ``*things`` one."""
    try:
        found = [*inspect.signature(thing).parameters.values()]
    except (TypeError, ValueError):
        return []
    named = [p.name for p in found if p.name not in ("self", "cls") and p.kind != p.VAR_KEYWORD]
    return [*named, *(TREES[name].options() if name in TREES else ())]


USUAL: dict[str, Any] = {
    "X": TABLE, "y": "y", "estimator": tl.NaiveBayes(), "learner": tl.NaiveBayes(), "source": TABLE,
    "estimators": {"a": tl.NaiveBayes(), "b": tl.DummyClassifier()}, "cv": 2, "name": "tennis",
    "learners": {"a": tl.NaiveBayes(), "b": tl.DummyClassifier()}, "grid": {"alpha": [0.5, 1]},
    "option": "alpha", "values": [0.5, 1.0], "n": 6, "part": [0, 1] * 3, "table": TABLE,
    "scheme": "k", "task": None, "threads": 1, "how": "pessimistic", "a": "a", "b": "b",
    "costs": (1, 2), "answer": "u", "title": "a title", "series": {"a": ([1, 2], [3, 4])},
    "spreads": [("a", 1.0, 0.5, 1.5)], "counts": [[1, 2], [3, 4]], "rows": "ab", "columns": "ab",
    "nodes": ["a", "b"], "edges": [("a", "b")], "names": ["a", "b"], "ranks": [1.0, 2.0],
    "critical": 0.5, "data": {}, "svg": "<svg/>", "path": "made.tally", "at": 1,
}  # fmt: skip
# Where a name is usual elsewhere for something else.
OWN: dict[str, dict[str, Any]] = {
    "diff": {"first": tree(), "second": fitted(tl.DecisionTreeClassifier(max_depth=1))},
    "partial_dependence": {"model": fitted(tl.NaiveBayes()), "columns": "x"},
    "plots.draw_points": {"x": [1.0, 2.0], "y": [2.0, 3.0]},
    "Population": {"rows": {1: "1/4", 2: "3/4"}},
    "Population.error": {"h": lambda x: x > 1},
    "RandomForestClassifier": {"n_estimators": 3},  # as many as tell of more
    "RandomForestRegressor": {"n_estimators": 3},
}


def call(name: str, thing: Any, argument: str, value: Any) -> None:
    """With one argument of malice, and the others as they should be."""
    given = {**needed(thing), **OWN.get(name, {}), argument: value}
    kinds = {p.name: p.kind for p in inspect.signature(thing).parameters.values()}
    many = [one for one in given if kinds.get(one) is inspect.Parameter.VAR_POSITIONAL]
    if many:
        found = thing(fitted(tl.NaiveBayes()), value)
    else:
        owner = getattr(thing, "__self__", None)
        if given.get("X") is TABLE and hasattr(owner, "task"):
            given["X"] = learner_table(owner)
        found = thing(**given)
    use(found, thing)


def needed(thing: Any) -> dict[str, Any]:
    return {
        p.name: USUAL.get(p.name, TABLE)
        for p in inspect.signature(thing).parameters.values()
        if p.default is p.empty
        and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        and p.name not in ("self", "cls")
    }


def use(found: Any, thing: Any) -> None:
    """What comes back is used: a learner learns and shows its model, a result is written."""
    if hasattr(found, "__enter__"):
        with found:
            fitted(tl.NaiveBayes())
    elif isinstance(found, Iterator):
        for _, _ in zip(found, range(3), strict=False):
            pass
    elif hasattr(found, "fit") and not hasattr(thing, "__self__"):
        if not found.__sklearn_is_fitted__():
            fitted(found)
        table = learner_table(found)
        for method in SHOWN:
            if hasattr(found, method):
                wants = method in ("predict", "explain")
                str(getattr(found, method)(*([table] if wants else [])))
    elif hasattr(found, "to_dict"):
        str(found), found.to_dict()
