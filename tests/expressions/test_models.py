"""The expression of a model, evaluated slowly, gives what predict and predict_proba give."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn
import tallylearn as tl
from tallylearn.errors import KindError, TallyError
from tallylearn.estimators.model import Model
from tallylearn.expressions import (
    Argmax,
    Category,
    ClassChoice,
    ClassifierExpression,
    ClusterExpression,
    ModelExpression,
    Number,
    Vector,
    columns_in,
    evaluate,
)
from tallylearn.tables import Block
from tests.learners import CASES, EVERYTHING, NUMBERS, PREPARATIONS, Case
from tests.tables import mixed_table

DATA = Path(__file__).parent.parent / "data"
CLOSE = 1e-12  # of probabilities, and of numbers relatively; more by the rounding of large scores
ROUNDING = 1e-14  # of a score, relatively: classes closer than this may be tied

LOSS = [[0, 1, 9], [2, 0, 1], [1, 5, 0]]
MORE = (
    Case("bayes-positive", lambda: tl.NaiveBayes(at_half="positive"), NUMBERS, "heavy2"),
    Case("majority-frequent", lambda: tl.DummyClassifier(strategy="constant", constant="b"),
         NUMBERS, "kind"),
    Case("linear-drop", lambda: tl.LinearRegression(missing="mean"), EVERYTHING, "price"),
    Case("logistic-three", lambda: tl.LogisticRegression(at_half="positive"), EVERYTHING, "kind"),
    Case("tree-parts", lambda: tl.DecisionTreeClassifier(missing="fractional"), EVERYTHING, "kind"),
    Case("tree-branch", lambda: tl.DecisionTreeClassifier(missing="branch"), EVERYTHING, "kind"),
    Case("tree-undefined", lambda: tl.DecisionTreeClassifier(
        missing="fractional", tie="undefined", max_depth=2), ("colour", "heavy"), "heavy2"),
    Case("tree-random", lambda: tl.ID3(max_depth=2, tie="random", random_state=1), EVERYTHING,
         "kind"),
    Case("tree-loss", lambda: tl.C45(loss=LOSS, missing="fractional"), EVERYTHING, "kind"),
    Case("tree-mean-parts", lambda: tl.DecisionTreeRegressor(missing="fractional", max_depth=4),
         EVERYTHING, "price"),
    Case("forest-loss", lambda: tl.RandomForestClassifier(5, loss=LOSS), EVERYTHING, "kind"),
    Case("forest-multiway", lambda: tl.RandomForestClassifier(5, category_split="multiway"),
         EVERYTHING, "kind"),
    Case("vote-hard", lambda: tl.VotingClassifier(
        [tl.NaiveBayes(), tl.ID3(max_depth=2), tl.DecisionTreeClassifier(max_depth=1)],
        tie="undefined"), EVERYTHING, "kind"),
    *(Case(f"centroid-{metric}", lambda metric=metric: tl.NearestCentroid(
        metric, exemplar="medoid", centroids_per_class=2), ("width",), "kind")
      for metric in ("euclidean", "manhattan", "chebyshev", "cosine")),
    Case("centroid-gower", lambda: tl.NearestCentroid("gower"), EVERYTHING, "kind"),
    Case("centroid-minkowski", lambda: tl.NearestCentroid("minkowski", p=3), ("width",), "kind"),
    *(Case(f"knn-{metric}", lambda metric=metric: tl.KNeighborsClassifier(
        4, metric=metric, p=3, weights="distance"), ("width",), "kind")
      for metric in ("euclidean", "manhattan", "chebyshev", "minkowski", "cosine")),
    Case("knn-gower", lambda: tl.KNeighborsRegressor(3, ties="first", weights="distance"),
         EVERYTHING, "price"),
    *(Case(f"prepared-{at}", lambda step=step: tl.Pipeline([step, tl.NaiveBayes()]), EVERYTHING,
           "kind") for at, step in enumerate(PREPARATIONS)),
    Case("prepared-twice", lambda: tl.Pipeline([
         tl.SimpleImputer(strategy="median"), tl.OneHotEncoder(handle_unknown="ignore"),
         tl.MinMaxScaler(clip=True), tl.PCA(2), tl.LogisticRegression()]), EVERYTHING, "kind"),
    Case("prepared-tree", lambda: tl.Pipeline([
         tl.KBinsDiscretizer(4, encode="interval"), tl.ID3()]), EVERYTHING, "kind"),
    Case("perceptron-three", lambda: tl.Perceptron(max_iter=5), NUMBERS, "kind"),
)  # fmt: skip
EVERY = (*CASES, *MORE)


def asked(case: Case) -> pd.DataFrame:
    """Rows of the table, and some with missing values, unseen categories and far numbers."""
    table = mixed_table()
    rows = case.rows(table)[:40]
    odd = case.rows(table)[40:88].reset_index(drop=True)
    for at, name in enumerate(case.columns):
        column = odd[name].astype(object)
        column[at::6] = None
        if name in ("colour", "shape"):
            column[3::7] = "never seen"
        if name in NUMBERS:
            scale = 10.0 ** np.arange(len(column[4::7]))
            column[4::7] = odd[name].mean() + scale * odd[name].std()
            odd[name] = column.astype(float)
        elif name == "heavy":
            odd[name] = column.astype("boolean")
        else:
            odd[name] = column
    return pd.concat([rows.astype({"heavy": "boolean"} if "heavy" in rows else {}), odd],
                     ignore_index=True)  # fmt: skip


def answered(model: Any, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that a model does not refuse, for a missing or unseen value or for one too far."""
    try:
        model.predict(rows)
        return rows
    except TallyError:
        kept = [at for at in range(len(rows)) if _answers(model, rows[at : at + 1])]
    assert len(kept) > len(rows) / 3
    return rows.iloc[kept].reset_index(drop=True)


def _answers(model: Any, row: pd.DataFrame) -> bool:
    try:
        return len(model.predict(row)) == 1
    except TallyError:
        return False


def expressed(model: Any) -> ModelExpression:
    return model.model_.expression(model.schema_)


def block_of(model: Any, rows: Any) -> Block:
    (block,) = model._read_blocks(rows)
    return block


def check_choice(expression: Any, block: Block, predicted: np.ndarray) -> None:
    """Equal classes, but where the two best scores differ by rounding alone."""
    found = evaluate(expression.choice, block)
    names = np.append(np.array(expression.classes, dtype=object), "undefined")[found]
    differ = names != predicted
    if isinstance(expression.choice, Argmax):
        differ &= ~tied(expression.choice, block)
    assert not differ.any(), np.flatnonzero(differ)


def tied(choice: Argmax, block: Block) -> np.ndarray:
    scores = np.sort(evaluate(choice.scores, block), axis=1)
    if scores.shape[1] < 2:
        return np.zeros(len(scores), dtype=bool)
    best = np.abs(scores[:, -1])
    return np.asarray(scores[:, -1] - scores[:, -2] <= 2e-9 + ROUNDING * best)


def slack(expression: ClassifierExpression, block: Block) -> np.ndarray:
    """(n, 1) by how much a probability may differ: more where its scores are large."""
    if not isinstance(expression.choice, Argmax):
        return np.full((len(block), 1), CLOSE)
    scores = evaluate(expression.choice.scores, block)
    size = np.abs(np.where(np.isfinite(scores), scores, 0.0)).max(axis=1, keepdims=True)
    return CLOSE + ROUNDING * size


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
def test_an_expression_gives_what_the_model_predicts(case: Case) -> None:
    model = case.make().fit(case.table(mixed_table()), case.target)
    expression, rows = expressed(model), answered(model, asked(case))
    block = block_of(model, rows)
    predicted = model.predict(rows)
    if isinstance(expression, ClassifierExpression):
        assert tuple(expression.classes) == tuple(model.classes_.tolist())
        check_choice(expression, block, predicted)
        if hasattr(model, "predict_proba"):
            found = evaluate(expression.probabilities, block)
            assert (np.abs(found - model.predict_proba(rows)) <= slack(expression, block)).all()
    else:
        (value,) = expression.values
        np.testing.assert_allclose(evaluate(value, block), predicted, rtol=CLOSE, atol=CLOSE)


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
def test_an_expression_is_plain_data_over_columns_of_the_table(case: Case) -> None:
    model = case.make().fit(case.table(mixed_table()), case.target)
    expression = expressed(model)
    data = json.loads(json.dumps(expression.to_dict(), allow_nan=False))
    assert data["node"] == type(expression).__name__
    assert columns_in(expression) <= {*case.columns}
    assert hash(expression) == hash(expressed(model))
    assert expression == expressed(model)


def test_every_row_counts_but_for_ties() -> None:
    """What is left out as a tie is rare: the comparison means something."""
    for case in (case for case in CASES if case.name in ("bayes", "lda", "logistic", "knn")):
        model = case.make().fit(case.table(mixed_table()), case.target)
        block = block_of(model, asked(case))
        assert tied(expressed(model).choice, block).sum() < len(block) / 4


@pytest.mark.parametrize("scale", [None, "standard"])
def test_clusters_are_those_of_the_nearest_centres(scale: str | None) -> None:
    table = mixed_table()[["width", "colour", "heavy"]]
    model = tl.KMeans(4, scale=scale, random_state=0).fit(table)
    rows = table.assign(colour=["never seen", *table["colour"][1:]])
    found = evaluate(expressed(model).choice, block_of(model, rows))
    assert (found == model.predict(rows)).all()


def test_several_targets_have_an_expression_each() -> None:
    table = mixed_table()
    X, y = table[["width", "colour"]], table[["price", "width"]].to_numpy()
    model = tl.LinearRegression().fit(X, y)
    values = [evaluate(one, block_of(model, X)) for one in expressed(model).values]
    np.testing.assert_allclose(np.column_stack(values), model.predict(X), rtol=CLOSE)


@pytest.mark.parametrize("learner", [tl.LinearRegression(), tl.Ridge(), tl.M5()], ids=repr)
def test_rare_categories_are_pooled(learner: Any) -> None:
    rng = np.random.default_rng(3)
    city = rng.choice([f"c{i:03}" for i in range(200)], 2000, p=np.arange(200, 0, -1) / 20100)
    table = pd.DataFrame({"city": city, "x": rng.normal(size=2000)})
    model = learner.fit(table, table["x"] + (city < "c020"))
    expression, rows = (
        expressed(model),
        pd.DataFrame({"city": ["c000", "c199", "c050", "elsewhere", None], "x": [0.5] * 5}),
    )
    kinds = {node["node"] for node in nodes(expression.to_dict())}
    assert kinds & {"PooledIndicator", "CategoryLookup"}
    np.testing.assert_allclose(
        evaluate(expression.values[0], block_of(model, rows)), model.predict(rows), rtol=CLOSE
    )


def nodes(data: Any) -> list[dict[str, Any]]:
    if isinstance(data, list):
        return [node for item in data for node in nodes(item)]
    if not isinstance(data, dict):
        return []
    return [data, *(node for item in data.values() for node in nodes(item))]


def test_a_line_is_written_as_plain_data() -> None:
    model = tl.LinearRegression(exact=True).fit({"x": [0.0, 2.0], "y": [1.0, 5.0]}, "y")
    assert expressed(model).to_dict() == {
        "node": "RegressorExpression",
        "values": [{"node": "Sum", "terms": [
            {"node": "Literal", "value": 3.0},
            {"node": "Product", "factors": [
                {"node": "Literal", "value": 2.0},
                {"node": "Sum", "terms": [
                    {"node": "FilledNumber", "operand": {"node": "NumberColumn", "name": "x"},
                     "otherwise": {"node": "Literal", "value": 1.0}},
                    {"node": "Literal", "value": -1.0},
                ]},
            ]},
        ]}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("learner", "columns", "target", "option"),
    [
        (tl.NaiveBayes(tokenizer=str.split), ["note"], "kind", "tokenizer"),
        (tl.ModelTreeRegressor(learner=tl.DummyRegressor()), ["width"], "price", "learner"),
        (tl.KNeighborsRegressor(weights=np.ones_like), ["width"], "price", "weights"),
        (tl.Pipeline([tl.SimpleImputer(learners=tl.DecisionTreeRegressor()), tl.Ridge()]),
         ["length", "width"], "price", "learners"),
        (tl.DecisionTreeClassifier(missing="fractional", tie="random"), ["length"], "kind", "tie"),
    ],
    ids=["tokenizer", "learner", "weights", "learners", "tie"],
)  # fmt: skip
def test_what_holds_a_function_has_no_expression(
    learner: Any, columns: list[str], target: str, option: str
) -> None:
    model = learner.fit(mixed_table()[[*columns, target]], target)
    with pytest.raises(KindError, match=rf"\b{option}="):
        expressed(model)


def test_a_member_of_others_has_no_expression() -> None:
    from sklearn.linear_model import Ridge

    table = mixed_table()[["width", "price"]]
    model = tl.VotingRegressor([("ours", tl.Ridge()), ("theirs", Ridge())]).fit(table, "price")
    with pytest.raises(KindError, match="'theirs'"):
        expressed(model)


@pytest.mark.parametrize("path", sorted((DATA / "models").glob("*.tally")), ids=lambda p: p.stem)
def test_models_of_earlier_files_have_an_expression(path: Path) -> None:
    """Files without digits or levels that are stored today: these are filled in at load."""
    model, table = tl.load(path), mixed_table()
    if not hasattr(model, "predict"):
        return
    if "Outlook" in model.schema_.names:
        codes = tl.example("tennis").block.codes
        table = pd.DataFrame({name: column.items() for name, column in codes.items()})
    rows: Any = np.random.default_rng(0).normal(size=(60, 3))
    if model.schema_.named:
        rows = answered(model, table[[*model.schema_.names]])
    expression, block = expressed(model), block_of(model, rows)
    if isinstance(expression, ClassifierExpression):
        check_choice(expression, block, model.predict(rows))
    elif isinstance(expression, ClusterExpression):
        assert (evaluate(expression.choice, block) == model.predict(rows)).all()
    else:
        found = np.column_stack([evaluate(value, block) for value in expression.values])
        wanted = model.predict(rows).reshape(len(rows), -1)
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "name", ["tree", "id3", "regression-tree", "model-tree", "forest", "extra-trees"]
)
def test_a_number_on_a_threshold_goes_to_the_same_side(name: str) -> None:
    case = next(case for case in CASES if case.name == name)
    model = case.make().fit(case.table(mixed_table()), case.target)
    expression = expressed(model)
    cuts = [
        (node["operand"]["name"], node["threshold"])
        for node in nodes(expression.to_dict())
        if node.get("node") == "ThresholdSplit" and isinstance(node["threshold"], float)
    ]
    rows = case.rows(mixed_table())[: 3 * len(cuts)].reset_index(drop=True)
    for at, (column, cut) in enumerate(cuts[: len(rows) // 3]):
        rows.loc[3 * at : 3 * at + 2, column] = [np.nextafter(cut, -np.inf), cut, cut + 1]
    assert len(cuts) > 2
    block, predicted = block_of(model, rows), model.predict(rows)
    if isinstance(expression, ClassifierExpression):
        check_choice(expression, block, predicted)
    else:
        np.testing.assert_allclose(evaluate(expression.values[0], block), predicted, rtol=CLOSE)


def test_every_model_has_an_expression_of_its_own() -> None:
    for module in pkgutil.walk_packages(tallylearn.__path__, "tallylearn."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    every = [Model]
    for model in every:
        ours = (one for one in model.__subclasses__() if one.__module__.startswith("tallylearn."))
        every += ours  # other tests define models too
    without = {one.__name__ for one in every if one.expression is Model.expression}
    assert {name for name in without if not name.endswith("Model")} <= {"Answering"}
    assert not [one for one in every if not inspect.isabstract(one) and one.__name__ in without]


def test_the_page_on_expressions_names_every_node() -> None:
    page = (Path(tallylearn.__file__).parents[2] / "docs/inside/expressions.md").read_text("utf-8")
    kinds = (Number, Category, Vector, ClassChoice)
    every = {one.__name__ for kind in kinds for one in kind.__subclasses__()}
    assert {name for name in every if f"`{name}`" not in page} == set()


def test_a_row_that_is_impossible_in_every_class_gets_the_prior() -> None:
    table = {"a": ["x", "x", "y", "y", "y"], "b": ["u", "u", "v", "v", "v"], "kind": [*"ppqqq"]}
    model = tl.NaiveBayes(alpha=0).fit(table, "kind")
    rows = {"a": ["x", "x"], "b": ["v", "u"]}
    expression, block = expressed(model), block_of(model, rows)
    shares = evaluate(expression.probabilities, block)
    assert shares == pytest.approx(np.array([[0.4, 0.6], [1.0, 0.0]]))
    assert shares == pytest.approx(model.predict_proba(rows))
    check_choice(expression, block, model.predict(rows))


@pytest.mark.parametrize("ties", ["all", "first"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_examples_that_are_equally_far_vote_as_ties_says(ties: str, weights: str) -> None:
    table = {"x": [0, 1, 2, 3, 4, 4], "y": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]}
    model = tl.KNeighborsRegressor(2, ties=ties, weights=weights, metric="manhattan")
    model.fit(table, "y")
    rows = {"x": [0.0, 0.5, 1.0, 1.5, 3.0, 4.0, 9.0]}
    found = evaluate(expressed(model).values[0], block_of(model, rows))
    np.testing.assert_allclose(found, model.predict(rows), rtol=CLOSE)


@pytest.mark.parametrize(
    "learner",
    [tl.DecisionTreeClassifier(max_depth=3), tl.RandomForestClassifier(5, max_depth=3)],
    ids=lambda one: type(one).__name__,
)
def test_values_that_a_split_does_not_name_follow_the_rare_ones(learner: Any) -> None:
    rng = np.random.default_rng(5)
    city = rng.choice([f"c{i:03}" for i in range(150)], 3000, p=np.arange(150, 0, -1) / 11325)
    table = pd.DataFrame({"city": city, "x": rng.normal(size=3000)})
    kind = np.where((city < "c030") ^ (table["x"] > 1.5), "in", "out")
    model = learner.fit(table, kind)
    expression = expressed(model)
    splits = [one for one in nodes(expression.to_dict()) if one["node"] == "CategorySplit"]
    assert any(one["other"] >= 0 for one in splits)
    rows = pd.DataFrame({"city": ["elsewhere", None, *city[:200]], "x": [0.1, 2.0] * 101})
    block = block_of(model, rows)
    check_choice(expression, block, model.predict(rows))
    found = evaluate(expression.probabilities, block)
    np.testing.assert_allclose(found, model.predict_proba(rows), atol=CLOSE)
