"""Calls: everything that one may ask of a loaded model."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa

import tallylearn as tl
from tallylearn import errors, modelfile
from tallylearn.tables import CATEGORY, DATE, NUMBER, TEXT

DATES = pa.array([date(2001, 5, 6), date(2020, 1, 1), None])

SHOWN = ("explain", "show_work", "text", "rules", "to_dot", "to_html", "plot", "importances",
         "formulas", "ties", "__repr__", "__str__", "_repr_html_", "top_words")  # fmt: skip
ASKED = ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "transform",
         "decision_function", "apply", "document_log_likelihood", "fired", "explain")  # fmt: skip
READ = ("classes_", "theta_", "var_", "means_", "coef_", "intercept_", "centroids_", "scalings_",
        "covariance_", "class_count_", "constant_", "feature_importances_", "n_parameters_",
        "explained_variance_ratio_", "priors_", "xbar_", "rotations_", "tree_")  # fmt: skip


def rows_for(model: Any) -> pa.Table:
    """Three rows that suit the schema of a model: common, odd, and empty ones."""
    schema, columns = model.schema_, {}
    apart = {f"{name}.{part}": name for name, parts in schema.parts for part in parts}
    for column in schema.columns:
        if column.name in apart:
            columns[apart[column.name]] = DATES
        elif column.kind == NUMBER:
            columns[column.name] = pa.array([0.5, -1e6, None])
        elif column.kind == DATE:
            columns[column.name] = DATES
        elif column.kind == CATEGORY and column.origin == "truth":
            columns[column.name] = pa.array([True, False, None])
        elif column.kind == CATEGORY and column.origin == "number":
            columns[column.name] = pa.array([1, 2, None]).dictionary_encode()
        elif column.kind == CATEGORY:
            values = [(*column.values, "red")[0], "never seen", None]
            columns[column.name] = pa.array(values).dictionary_encode()
        elif column.kind == TEXT:
            columns[column.name] = pa.array(["loud and quiet loud a", "unheard-of words", None])
        else:
            columns[column.name] = pa.nulls(3)
    return pa.table(columns)


def target_for(model: Any) -> Any:
    """A target for the three rows."""
    if model.task == "regressor":
        return [1.0, 2.5, -3.0]
    classes = model.classes_.tolist()
    return [classes[0], classes[-1], classes[0]]


def exercised(path: Path, rng: random.Random, calls: int = 4) -> int:
    """Load a file and ask some things of it: 1 if it loads, 0 if it is refused.

    Whatever is raised and is none of our errors comes through.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = tl.load(path)
        except errors.FileError:
            return 0
        page = modelfile.page(path)
        assert all(page["versions"].values()), "tally show prints them"
        rows = rows_for(model)
        ours(lambda: model.predict(rows))
        for call in rng.sample(_questions(model, rows, path), calls):
            ours(call)
        for call in rng.sample(_changes(model, rows), 2):
            ours(call)
            ours(lambda: model.predict(rows))
        return 1


def ours(call: Callable[[], Any]) -> None:
    """Make a call; our errors, and attributes that are said to be lacking, may be the answer."""
    try:
        call()
    except errors.TallyError:
        pass
    except AttributeError as error:
        if "there is no '" not in str(error) and "without its tally" not in str(error):
            raise


def _questions(model: Any, rows: pa.Table, path: Path) -> list[Callable[[], Any]]:
    y = target_for(model)
    found: list[Callable[[], Any]] = [
        lambda: model.score(rows, y),
        lambda: modelfile.digests(model),
        lambda: model.save(path, tally=model.tally_ is not None),
        lambda: model.get_params(),
        lambda: str(model.explain(rows)) + model.explain(rows).to_html(),
        lambda: model.explain(rows).to_dict(),
        lambda: str(model.show_work()) + model.show_work().to_markdown(),
        lambda: model.show_work().to_html(),
    ]
    if hasattr(type(model), "summary"):
        found += [lambda: str(model.summary()), lambda: str(model.summary(rows, y))]
    if hasattr(model, "sample"):
        found += [lambda: model.sample(3, 1), lambda: model.log_likelihood(rows, y)]
    for name in ASKED:
        if hasattr(type(model), name):
            found.append(lambda name=name: getattr(model, name)(rows))
    for name in SHOWN:
        if hasattr(type(model), name) and name not in ("explain",):
            found.append(lambda name=name: str(getattr(model, name)()))
    for name in READ:
        if hasattr(type(model), name):
            found.append(lambda name=name: getattr(model, name))
    return found


def _changes(model: Any, rows: pa.Table) -> list[Callable[[], Any]]:
    y = target_for(model)
    found: list[Callable[[], Any]] = [
        lambda: model.forget(rows, y),
        lambda: tl.merge(model, model),
        lambda: tl.merge(model, model).predict(rows),
        lambda: tl.merge(model, model).forget(rows.slice(0, 1), y[:1]),
    ]
    if hasattr(model, "partial_fit"):
        found += [
            lambda: model.partial_fit(rows, y),
            lambda: model.partial_fit(rows.slice(0, 1), y[:1]),
            lambda: model.partial_fit(rows, y).forget(rows, y),
        ]
    return found
