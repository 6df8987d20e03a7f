"""Pipelines: preparations learn from training rows alone, and what is told is in table's units."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tallylearn as tl
from tallylearn import errors
from tallylearn.preprocessing.transformer import Preprocessor


def wine() -> pd.DataFrame:
    frame = load_wine(as_frame=True).frame
    return frame.assign(target="w" + frame["target"].astype(str))


def scaled(k: int = 5) -> tl.Pipeline:
    return tl.Pipeline([tl.StandardScaler(), tl.KNeighborsClassifier(k, ties="first")])


def test_a_pipeline_answers_as_its_steps_do_one_by_one(mixed: pd.DataFrame) -> None:
    frame = mixed[["length", "width", "colour", "kind"]]
    model = tl.Pipeline([tl.SimpleImputer(), tl.OneHotEncoder(), tl.NearestCentroid()]).fit(
        frame, "kind"
    )
    rows = frame.drop(columns="kind")
    for step in (tl.SimpleImputer(), tl.OneHotEncoder()):
        rows = step.fit_transform(rows)
    alone = tl.NearestCentroid().fit(rows, frame["kind"])
    assert model.predict(frame).tolist() == alone.predict(rows).tolist()
    assert [*model.named_steps_] == ["simpleimputer", "onehotencoder", "nearestcentroid"]
    assert model.feature_names_in_.tolist() == ["length", "width", "colour"]
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_preparation_is_learned_inside_the_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = wine()
    seen: list[int] = []
    learn = Preprocessor.learn

    def noted(self: Any, read: Any) -> Any:
        seen.append(sum(len(block) for block in read.blocks()))
        return learn(self, read)

    monkeypatch.setattr(Preprocessor, "learn", noted)
    found = tl.evaluate(scaled(), frame, "target", cv=5)
    assert sorted(seen) == [142, 142, 142, 143, 143]
    theirs = make_pipeline(StandardScaler(), KNeighborsClassifier())
    assert found["accuracy"].pooled == tl.evaluate(
        theirs, frame, "target", cv=5
    )["accuracy"].pooled  # fmt: skip


def test_options_of_steps_are_tuned_by_their_names() -> None:
    frame, model = wine(), scaled()
    grid = {"kneighborsclassifier__n_neighbors": [1, 90], "standardscaler__with_std": [True, False]}
    found = tl.tune(model, grid, frame, "target", cv=3)
    assert found.best["standardscaler__with_std"] is True
    assert model.get_params()["kneighborsclassifier__n_neighbors"] == 5  # left as it was
    assert found.model.named_steps_["kneighborsclassifier"].n_neighbors in (1, 90)
    other = tl.tune(model, {"kneighborsclassifier": [tl.NaiveBayes()]}, frame, "target", cv=3)
    assert isinstance(other.model.last, tl.NaiveBayes)


def test_scikit_learn_searches_ours_and_its_own_pipeline_takes_our_steps() -> None:
    frame = wine()
    X, y = frame.drop(columns="target"), frame["target"]
    search = GridSearchCV(scaled(), {"kneighborsclassifier__n_neighbors": [1, 5]}, cv=3).fit(X, y)
    pipe = make_pipeline(StandardScaler(), KNeighborsClassifier())
    theirs = GridSearchCV(pipe, {"kneighborsclassifier__n_neighbors": [1, 5]}, cv=3).fit(X, y)
    assert search.best_params_ == theirs.best_params_
    assert search.best_score_ == pytest.approx(theirs.best_score_, abs=1e-12)
    mixed_house = make_pipeline(tl.StandardScaler(), KNeighborsClassifier())
    assert (cross_val_predict(mixed_house, X, y) == cross_val_predict(scaled(), X, y)).all()


def test_an_explanation_is_in_the_units_of_the_table() -> None:
    frame = pd.DataFrame({"size": [1.0, 2.0, 8.0, 9.0, None], "price": [100.0, 120, 300, 280, 290],
                          "kind": list("aabbb")})  # fmt: skip
    steps = [tl.SimpleImputer(), tl.StandardScaler()]
    near = tl.Pipeline([*steps, tl.KNeighborsClassifier(1)]).fit(frame, "kind")
    assert "row 2 at 0.5511: size 8, price 300" in str(near.explain({"size": 7, "price": 260}))
    tree = tl.Pipeline([*steps, tl.DecisionTreeClassifier()]).fit(frame, "kind")
    assert "size > 3.5, so b (3 of 3 training rows)" in str(tree.explain({"size": 7, "price": 260}))
    line = tl.Pipeline([*steps, tl.LogisticRegression()]).fit(frame, "kind")
    terms = line.explain({"size": 7, "price": 260})[0].lines[1].terms
    assert {(term.column, term.value) for term in terms[1:]} == {("size", "7"), ("price", "260")}
    gap = line.explain({"size": None, "price": 260})[0].lines[1].terms
    assert ("size", "5") in {(term.column, term.value) for term in gap}  # as it was filled


def test_one_file_holds_all_steps_and_no_tally(tmp_path: Path) -> None:
    model = tl.Pipeline([("fill", tl.SimpleImputer(strategy="median")), ("bayes", tl.NaiveBayes())])
    model.fit(wine(), "target").save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    assert again.constructor_call() == model.constructor_call()
    assert str(again.explain(wine()[:3])) == str(model.explain(wine()[:3]))
    assert again.named_steps_["fill"].tally_ is None
    with pytest.raises(errors.OptionError, match="cannot be saved"):
        tl.ModelTreeRegressor(learner=tl.DummyRegressor()).fit([[1.0], [2.0]], [1.0, 2.0]).save(
            tmp_path / "n.tally"
        )


def test_files_are_read_in_blocks_and_later_cells_change_every_step(tmp_path: Path) -> None:
    words = ["1", "2"] * 40_000 + ["many"]  # beyond the first block no number any more
    frame = pd.DataFrame({"x": words, "z": np.arange(80_001.0), "y": ["a", "b"] * 40_000 + ["a"]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    model = tl.Pipeline([tl.SimpleImputer(), tl.StandardScaler(), tl.NaiveBayes()])
    model.fit(tl.table(tmp_path / "a.csv", target="y", keep=["z"]))
    assert model.schema_.categories == ("x",)
    assert model.named_steps_["simpleimputer"].schema_.categories == ("x",)
    assert model.predict([{"x": "1", "z": 3.0}, {"x": "2", "z": 3.0}]).tolist() == ["a", "b"]


def test_a_pipeline_of_preparations_turns_tables_and_answers_nothing(mixed: pd.DataFrame) -> None:
    model = tl.Pipeline([tl.SimpleImputer(), tl.MinMaxScaler()]).fit(mixed[["length", "width"]])
    found = model.transform(mixed[["length", "width"]])
    assert isinstance(found, pd.DataFrame)
    assert (found.min().tolist(), found.max().tolist()) == ([0, 0], [1, 1])
    assert model.get_feature_names_out().tolist() == ["length", "width"]
    assert not hasattr(model, "predict")
    with pytest.raises(errors.KindError, match="Add an estimator"):
        model.explain(mixed[["length", "width"]][:1])


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "list of transformers"),
        ("knn", "list of transformers"),
        ([tl.NaiveBayes(), tl.NaiveBayes()], "'naivebayes-1'.*Pass a transformer of tallylearn"),
        ([StandardScaler(), tl.NaiveBayes()], "use scikit-learn's Pipeline"),
        ([tl.SimpleImputer(), None], "Pass an estimator of tallylearn"),
        ([("a__b", tl.SimpleImputer()), tl.NaiveBayes()], "'a__b'"),
        ([("a", tl.SimpleImputer()), ("a", tl.NaiveBayes())], "'a'. Give each step a unique"),
        (["passthrough"], "every step is 'passthrough'"),
        ([tl.Pipeline(["passthrough"]), "passthrough"], "every step is 'passthrough'"),
        ([tl.Pipeline([]), tl.NaiveBayes()], "list of transformers"),
        ([tl.SimpleImputer(), "pass"], "'str' is 'pass'. Pass an estimator of tallylearn"),
        ([tl.Pipeline([tl.NaiveBayes()]), tl.Ridge()],
         "'pipeline__naivebayes' .*Pass a transformer of tallylearn"),
        ([tl.SimpleImputer(strategy="best"), tl.NaiveBayes()],
         "SimpleImputer: .*'strategy'.*'best'"),
        ([tl.KBinsDiscretizer(strategy="mdl"), tl.Ridge()],
         "'kbinsdiscretizer' needs classes"),
    ],
)  # fmt: skip
def test_steps_that_make_no_pipeline_are_refused(steps: Any, said: str) -> None:
    with pytest.raises(errors.TallyError, match=said):
        tl.Pipeline(steps).fit([[1.0], [2.0]], [1.0, 2.0])


def test_an_unknown_option_is_named_with_those_there_are() -> None:
    with pytest.raises(errors.OptionError, match=r"'scaler'.*\['steps', 'standardscaler'"):
        scaled().set_params(scaler__ddof=1)
    with pytest.raises(errors.OptionError, match=r"'dof'.*StandardScaler"):
        scaled().set_params(standardscaler__dof=1)


def test_an_error_inside_says_which_step_speaks() -> None:
    with pytest.raises(errors.InputError, match=r"step 'kneighborsclassifier'.*n_neighbors=5"):
        scaled().fit([[1.0], [2.0]], ["a", "b"])


def test_a_pipeline_that_ends_in_clusters_scores_and_labels_as_its_steps_do() -> None:
    x = load_wine().data
    pipeline = tl.Pipeline([tl.StandardScaler(), tl.KMeans(3)])
    alone = tl.KMeans(3).fit(turned := tl.StandardScaler().fit_transform(x))
    assert pipeline.fit_predict(x).tolist() == alone.labels_.tolist()
    assert pipeline.score(x) == pytest.approx(alone.score(turned), rel=1e-12)
    assert pipeline.fit_transform(x) == pytest.approx(alone.transform(turned), rel=1e-12)
    assert not hasattr(pipeline, "predict_proba")


def test_a_pipeline_of_preparations_is_a_transformer() -> None:
    frame = load_wine(as_frame=True).data
    pipeline = tl.Pipeline([tl.StandardScaler(), tl.MinMaxScaler()])
    turned = tl.MinMaxScaler().fit_transform(tl.StandardScaler().fit_transform(frame))
    pd.testing.assert_frame_equal(pipeline.fit_transform(frame), turned)
    assert isinstance(pipeline.set_output(transform="default").transform(frame), np.ndarray)
    assert isinstance(pipeline.fit(frame).transform(frame), np.ndarray)
    assert not hasattr(pipeline, "score")
    assert not hasattr(tl.Pipeline([tl.NaiveBayes()]), "fit_transform")


def test_a_step_that_is_replaced_leaves_the_others_their_names() -> None:
    pipeline = tl.Pipeline([tl.StandardScaler(), tl.StandardScaler(), tl.NaiveBayes()])
    pipeline.set_params(**{"standardscaler-1": tl.MinMaxScaler(), "standardscaler-2__ddof": 1})
    assert pipeline.get_params()["standardscaler-2__ddof"] == 1


def nested(k: int = 3) -> tl.Pipeline:
    inner = tl.Pipeline([("fill", tl.SimpleImputer()), ("scale", tl.StandardScaler())])
    return tl.Pipeline([("prepare", inner), ("near", tl.KNeighborsClassifier(k))])


def gaps() -> pd.DataFrame:
    frame = wine()
    frame.loc[3:9, "alcohol"] = np.nan
    return frame


def test_a_pipeline_inside_a_pipeline_is_its_steps(tmp_path: Path) -> None:
    frame, model = gaps(), nested()
    model.fit(frame, "target").save(tmp_path / "n.tally")
    steps = [tl.SimpleImputer(), tl.StandardScaler(), tl.KNeighborsClassifier(3)]
    alone = tl.Pipeline(steps).fit(frame, "target")
    for one in (model, tl.load(tmp_path / "n.tally")):
        assert [*one.named_steps_] == ["prepare__fill", "prepare__scale", "near"]
        assert str(one.explain(frame[:9])) == str(alone.explain(frame[:9]))
        assert one.predict_proba(frame).tolist() == alone.predict_proba(frame).tolist()
        assert "Pipeline(steps=[('fill'" in one.constructor_call()
    score = tl.evaluate(nested(), frame, "target", cv=3)["accuracy"].pooled
    assert score == tl.evaluate(alone, frame, "target", cv=3)["accuracy"].pooled
    ends = tl.Pipeline([tl.SimpleImputer(), tl.Pipeline([tl.StandardScaler(), tl.KMeans(3)])])
    x = frame.drop(columns="target")
    flat = tl.Pipeline([tl.SimpleImputer(), tl.StandardScaler(), tl.KMeans(3)])
    assert ends.fit_predict(x).tolist() == flat.fit_predict(x).tolist()
    assert ends.transform(x).tolist() == flat.transform(x).tolist()


def test_some_steps_have_names_and_others_are_called_by_their_class() -> None:
    model = tl.Pipeline([("f", tl.SimpleImputer()), tl.MinMaxScaler(), tl.NaiveBayes()])
    call = model.constructor_call()
    assert call.startswith("Pipeline(steps=[('f', SimpleImputer()), MinMaxScaler()")
    assert [*model.fit(gaps(), "target").named_steps_] == ["f", "minmaxscaler", "naivebayes"]
    found = tl.compare([model, tl.Pipeline([tl.NaiveBayes()])], gaps(), "target", cv=2)
    assert model.constructor_call() in {row["learner"] for row in found.records()}


def test_options_reach_through_pipelines_inside() -> None:
    model = nested()
    assert model.get_params()["prepare__scale__ddof"] == 0
    model.set_params(prepare__scale__ddof=1, prepare__fill="passthrough")
    assert model.constructor_call().startswith(
        "Pipeline(steps=[('prepare', Pipeline(steps=[('fill', 'pass"
    )
    with pytest.raises(errors.OptionError, match="'fill' is 'passthrough', which has no 'numbers'"):
        model.set_params(prepare__fill__numbers="median")


def test_a_step_that_is_passed_over_does_nothing(tmp_path: Path) -> None:
    frame, model = wine(), scaled().set_params(standardscaler="passthrough")
    model.fit(frame, "target").save(tmp_path / "p.tally")
    alone = tl.KNeighborsClassifier(5, ties="first").fit(frame, "target")
    for one in (model, tl.load(tmp_path / "p.tally")):
        assert one.predict(frame).tolist() == alone.predict(frame).tolist()
        assert [*one.named_steps_] == ["kneighborsclassifier"]
        assert "('standardscaler', 'passthrough')" in one.constructor_call()
    turned = tl.Pipeline([tl.MinMaxScaler(), "passthrough"]).fit_transform(frame[["alcohol"]])
    pd.testing.assert_frame_equal(turned, tl.MinMaxScaler().fit_transform(frame[["alcohol"]]))
    assert tl.Pipeline(["passthrough", tl.NaiveBayes()]).get_params()["passthrough"]


def test_steps_themselves_are_tuned() -> None:
    frame, scaler = gaps(), tl.StandardScaler()
    choice = ["passthrough", tl.MinMaxScaler(), scaler]
    found = tl.tune(nested(), {"prepare__scale": choice}, frame, "target", cv=3)
    assert found.best["prepare__scale"] != "passthrough"
    search = GridSearchCV(nested(), {"prepare__scale": choice}, cv=3)
    search.fit(frame.drop(columns="target"), frame["target"])
    assert search.best_params_["prepare__scale"] != "passthrough"
    model = nested().set_params(prepare__scale__ddof=1, prepare__scale=scaler)  # in either order
    assert (model.get_params()["prepare__scale__ddof"], scaler.ddof) == (1, 0)


def test_scikit_learns_compositions_take_our_pipelines_frames_and_strings() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "size": np.where(np.arange(120) % 9 == 0, np.nan, rng.normal(size=120)),
        "colour": np.where(np.arange(120) % 11 == 0, None, rng.choice(["red", "blue"], 120)),
    })  # fmt: skip
    y = np.where((frame["size"] > 0) | (frame["colour"] == "red"), "yes", "no")
    columns = ColumnTransformer([
        ("n", tl.Pipeline([tl.SimpleImputer(), tl.StandardScaler()]), ["size"]),
        ("c", tl.Pipeline([tl.SimpleImputer(category_strategy="own"), tl.OneHotEncoder()]),
         ["colour"]),
    ])  # fmt: skip
    found = columns.set_output(transform="pandas").fit_transform(frame)
    assert [*found] == ["n__size", "c__colour_blue", "c__colour_missing", "c__colour_red"]
    grid = {"columntransformer__n__standardscaler": ["passthrough", tl.MinMaxScaler()]}
    search = GridSearchCV(make_pipeline(columns, tl.NaiveBayes()), grid, cv=3, error_score="raise")
    assert search.fit(frame, y).score(frame, y) > 0.8
    whole = make_pipeline(nested().get_params()["prepare"], tl.OneHotEncoder(), tl.NaiveBayes())
    assert cross_val_predict(whole, frame, y).shape == (120,)
