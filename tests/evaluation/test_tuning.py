"""Tuning agrees with scikit-learn's searches, counts rows once, and says what a score is worth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError, TallyError
from tallylearn.evaluation.tune.tuning import Tuning
from tests.printed_text import unwrapped

Array = np.ndarray[Any, Any]
X, Y = load_breast_cancer(return_X_y=True)
SMOOTHINGS = [float(x) for x in np.logspace(-12, 0, 7)]


class Recorder:
    """Remembers which rows it was fitted on and asked about; the last column is their number."""

    _estimator_type = "classifier"
    fitted: ClassVar[list[set[int]]] = []
    asked: ClassVar[list[set[int]]] = []

    def __init__(self, flip: bool = False) -> None:
        self.flip = flip

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"flip": self.flip}

    def set_params(self, **params: Any) -> Recorder:
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def fit(self, X: Array, y: Array) -> Recorder:
        Recorder.fitted.append({*X[:, -1].astype(int).tolist()})
        return self

    def predict(self, X: Array) -> Array:
        Recorder.asked.append({*X[:, -1].astype(int).tolist()})
        return (X[:, 0] > 0).astype(int) ^ int(self.flip)


def recorded() -> tuple[Array, Array]:
    Recorder.fitted.clear()
    Recorder.asked.clear()
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    return np.column_stack([y - 0.5 + rng.normal(size=60) / 2, np.arange(60)]), y


def counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows every call of ``tally`` counts."""
    calls: list[int] = []
    tally = tl.NaiveBayes.tally

    def counted(self: Any, block: Any) -> Any:
        calls.append(len(block))
        return tally(self, block)

    monkeypatch.setattr(tl.NaiveBayes, "tally", counted)
    return calls


def test_the_best_is_that_of_grid_search() -> None:
    found = tl.tune(
        tl.NaiveBayes(var_smoothing_by="table"),
        {"var_smoothing": SMOOTHINGS},
        X,
        Y,
        cv=tl.Folds.k(5),
    )
    grid = {"var_smoothing": SMOOTHINGS}
    theirs = GridSearchCV(GaussianNB(), grid, cv=tl.Folds.k(5)).fit(X, Y)
    assert found.best == theirs.best_params_
    values = [c.estimate.value for c in found.candidates if c.estimate is not None]
    assert values == pytest.approx(theirs.cv_results_["mean_test_score"].tolist(), abs=1e-12)
    assert [c.rank for c in found.candidates] == theirs.cv_results_["rank_test_score"].tolist()
    assert (found.model.predict(X) == theirs.predict(X)).all()


def test_the_best_of_smoothed_counts_is_that_of_grid_search() -> None:
    cuts = [0.25, 0.5, 0.75]
    codes = np.column_stack([np.digitize(x, np.quantile(x, cuts)) for x in X[:, :6].T])
    frame = pd.DataFrame(codes.astype(str), columns=list("abcdef")).astype("category")
    alphas = [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]
    found = tl.tune(tl.NaiveBayes(), {"alpha": alphas}, frame, Y, scoring="accuracy")
    theirs = GridSearchCV(CategoricalNB(min_categories=4), {"alpha": alphas}, cv=tl.Folds.k(10))
    theirs.fit(codes, Y)
    assert found.best == theirs.best_params_
    values = [c.estimate.value for c in found.candidates if c.estimate is not None]
    assert values == pytest.approx(theirs.cv_results_["mean_test_score"].tolist(), abs=1e-12)


def test_a_grid_of_smoothing_counts_the_rows_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counting(monkeypatch)
    tl.tune(tl.NaiveBayes(), {"alpha": [0.5], "var_smoothing": [1e-9]}, X, Y)
    one = [*calls]
    calls.clear()
    tl.tune(tl.NaiveBayes(), {"alpha": [0.1, 0.5, 1, 2, 9], "var_smoothing": [1e-9, 1e-3, 1]}, X, Y)
    assert calls == one == [len(Y), len(Y)]  # all folds in one pass, and the fit on all rows


@pytest.mark.parametrize("cv", [tl.Folds.k(4, repeats=3), "loo", "holdout", "forward"])
def test_however_folds_are_dealt_each_costs_one_pass(
    cv: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = counting(monkeypatch)
    tl.tune(tl.NaiveBayes(), {"var_smoothing": [1e-9]}, X, Y, cv=cv)
    one = [*calls]
    calls.clear()
    tl.tune(tl.NaiveBayes(), {"var_smoothing": SMOOTHINGS}, X, Y, cv=cv)
    assert calls == one


def test_what_is_counted_differently_is_counted_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counting(monkeypatch)
    grid = {"alpha": [1, 2, 3], "numbers": ["gaussian", "bernoulli"]}
    found = tl.tune(tl.NaiveBayes(), grid, X, Y)
    assert calls == [len(Y)] * 3  # both kinds of counts, and the fit, though they alternate
    assert [c.options for c in found.candidates[:2]] == [
        {"alpha": 1, "numbers": "gaussian"}, {"alpha": 1, "numbers": "bernoulli"}
    ]  # fmt: skip


def test_every_candidate_comes_out_as_if_evaluated_alone() -> None:
    grid = {"var_smoothing": [1e-9, 0.1], "numbers": ["gaussian", "bernoulli"]}
    for cv in (tl.Folds.k(4, repeats=2), "loo", "holdout", tl.Folds.bootstrap(5), "forward"):
        found = tl.tune(tl.NaiveBayes(), grid, X, Y, cv=cv)
        for c in found.candidates:
            alone = tl.evaluate(tl.NaiveBayes(**c.options), X, Y, cv=cv)["accuracy"]
            assert c.estimate is not None
            assert c.estimate.value == alone.value
            assert c.estimate.interval == alone.interval


def test_the_model_is_the_learner_fitted_with_the_best_options() -> None:
    learner = tl.NaiveBayes(fit_prior=False)
    found = tl.tune(learner, {"var_smoothing": [1.0, 1e-9]}, X, Y.astype(np.int32))
    plain = tl.NaiveBayes(fit_prior=False, **found.best).fit(X, Y.astype(np.int32))
    assert found.model.get_params() == plain.get_params()
    assert found.model.tally_ == plain.tally_
    assert found.model.classes_.dtype == plain.classes_.dtype
    assert learner.var_smoothing == 1e-9
    assert not hasattr(learner, "model_")


def test_of_tied_candidates_the_first_is_taken() -> None:
    for values in ([3, 1, 2], [2, 1, 3]):
        found = tl.tune(tl.NaiveBayes(), {"alpha": values}, X, Y)  # no categories: all are tied
        assert found.best == {"alpha": values[0]}
        assert [c.rank for c in found.candidates] == [1, 1, 1]
    assert "3 candidates are tied; the first is taken" in unwrapped(found)


def test_of_losses_the_lowest_is_best() -> None:
    found = tl.tune(tl.NaiveBayes(), {"var_smoothing": SMOOTHINGS}, X, Y, score="log_loss")
    values = [c.estimate.value for c in found.candidates if c.estimate is not None]
    assert found.best == {"var_smoothing": SMOOTHINGS[int(np.argmin(values))]}


def test_numbers_are_tuned_too() -> None:
    rng = np.random.default_rng(1)
    y = rng.exponential(size=300)
    grid = {"strategy": ["quantile"], "quantile": [0.1, 0.5, 0.9]}
    found = tl.tune(tl.DummyRegressor(), grid, np.zeros((300, 1)), y)
    assert found.best["quantile"] == 0.5
    assert found.score.name == "mae"


def test_a_plain_search_warns_that_its_score_is_optimistic() -> None:
    found = tl.tune(tl.NaiveBayes(), {"var_smoothing": SMOOTHINGS}, X, Y)
    assert found.optimistic
    assert found.honest is None
    assert found.score is found.winner.estimate
    assert "This score is optimistic: it is the best of 7" in unwrapped(found)
    alone = tl.tune(tl.NaiveBayes(), {"var_smoothing": [1e-9]}, X, Y)
    assert not alone.optimistic
    assert "optimistic" not in str(alone)


def test_of_three_parts_the_last_is_used_once() -> None:
    data, y = recorded()
    folds = tl.Folds.three()
    (split,) = folds.splits(60, y)
    found = tl.tune(Recorder(), {"flip": [True, False]}, data, y, cv=folds)
    train, validation, test = ({*map(int, rows)}
                               for rows in (split.train, split.validation, split.test))  # fmt: skip
    assert found.best == {"flip": False}
    assert Recorder.asked == [validation, validation, test]
    assert Recorder.fitted == [train, train, train | validation, train | validation]
    right = ((data[split.test, 0] > 0) == y[split.test]).mean()
    assert found.score.value == pytest.approx(right)
    assert not found.optimistic
    assert "They were used once, for the best candidate" in unwrapped(found)


def test_of_three_parts_the_model_knows_the_first_two() -> None:
    folds = tl.Folds.three(seed=1)
    (split,) = folds.splits(len(Y), Y)
    known = np.sort(np.concatenate([split.train, split.validation]))
    found = tl.tune(tl.NaiveBayes(), {"var_smoothing": SMOOTHINGS}, X, Y, cv=folds)
    plain = tl.NaiveBayes(**found.best).fit(X[known], Y[known])
    assert found.model.tally_ == plain.tally_
    assert (found.model.predict(X) == plain.predict(X)).all()
    assert found.score.value == pytest.approx(plain.score(X[split.test], Y[split.test]))
    for c in found.candidates:
        part = tl.NaiveBayes(**c.options).fit(X[split.train], Y[split.train])
        assert c.estimate is not None
        assert c.estimate.value == pytest.approx(part.score(X[split.validation],
                                                            Y[split.validation]))  # fmt: skip


def test_a_nested_search_is_scikit_learns() -> None:
    inner, outer = tl.Folds.k(3, seed=5), tl.Folds.k(4)
    grid = {"var_smoothing": SMOOTHINGS}
    found = tl.tune(tl.NaiveBayes(var_smoothing_by="table"), grid, X, Y, cv=inner, nested=outer)
    scores, chosen = [], []
    for train, test in outer.split(X, Y):
        search = GridSearchCV(GaussianNB(), grid, cv=inner).fit(X[train], Y[train])
        scores.append(search.score(X[test], Y[test]))
        chosen.append(search.best_params_)
    assert found.score.by_fold == pytest.approx(scores, abs=1e-12)
    assert [*found.chosen] == chosen
    assert found.best == GridSearchCV(GaussianNB(), grid, cv=inner).fit(X, Y).best_params_
    assert "Nested cross-validation, Folds.k(4, stratified=True, seed=0): accuracy" in unwrapped(
        found
    )
    assert "Selected by the outer folds: " in unwrapped(found)
    assert found.honest is not None
    assert not found.optimistic


def test_a_nested_search_never_sees_the_rows_that_test_it() -> None:
    data, y = recorded()
    tl.tune(Recorder(), {"flip": [True, False]}, data, y, cv=3, nested=tl.Folds.k(4))
    (*outer,) = tl.Folds.k(4).splits(60, y)
    inner_fits = Recorder.fitted[6:-1]  # after the search on all rows, before the last fit
    for at, split in enumerate(outer):
        test = {*map(int, split.test)}
        fits = inner_fits[7 * at : 7 * at + 7]  # two candidates on three folds, and the chosen
        assert all(not fit & test for fit in fits)
        assert fits[-1] == {*map(int, split.train)}
        assert Recorder.asked[6:][7 * at + 6] == test
        assert all(not asked & test for asked in Recorder.asked[6:][7 * at : 7 * at + 6])


def test_groups_stay_whole_inside_and_outside() -> None:
    data, y = recorded()
    groups = np.arange(60) // 3
    tl.tune(Recorder(), {"flip": [True, False]}, data, y, cv=3, nested=4, groups=groups)
    for fit, asked in zip(Recorder.fitted[:-1], Recorder.asked, strict=True):
        assert not {row // 3 for row in fit} & {row // 3 for row in asked}


def test_a_rare_class_may_be_missing_inside() -> None:
    rows = np.arange(len(Y))
    y = np.where(rows < 3, 7, Y)
    grid = {"var_smoothing": [1e-9, 1.0]}
    found = tl.tune(
        tl.NaiveBayes(var_smoothing_by="table"), grid, X, y, cv=3, nested=[(rows[100:], rows[:100])]
    )
    theirs = GridSearchCV(GaussianNB(), grid, cv=tl.Folds.k(3)).fit(X[100:], y[100:])
    assert found.chosen == (theirs.best_params_,)
    assert found.score.value == pytest.approx(theirs.score(X[:100], y[:100]))


def test_other_libraries_splitters_can_be_nested() -> None:
    found = tl.tune(tl.NaiveBayes(), {"var_smoothing": [1e-9, 1]}, X, Y, cv=KFold(3),
                    nested=KFold(4))  # fmt: skip
    assert len(found.chosen) == 4
    groups = np.arange(len(Y)) // 20
    tl.tune(tl.NaiveBayes(), {"var_smoothing": [1e-9, 1]}, X, Y, cv=GroupKFold(3), groups=groups)


def test_steps_of_a_pipeline_have_options_too() -> None:
    pipe = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    grid = {"decisiontreeclassifier__max_depth": [1, 3], "standardscaler": ["passthrough"]}
    found = tl.tune(pipe, grid, X, Y, cv=tl.Folds.k(3))
    theirs = GridSearchCV(pipe, grid, cv=tl.Folds.k(3)).fit(X, Y)
    assert found.best == theirs.best_params_
    assert found.score.value == pytest.approx(theirs.best_score_)
    assert (found.model.predict(X) == theirs.predict(X)).all()


def test_several_grids_are_searched_one_after_the_other() -> None:
    grids = [{"var_smoothing": [1e-9, 1e-3]}, {"numbers": ["bernoulli"]}, {}]
    found = tl.tune(tl.NaiveBayes(), grids, X, Y)
    assert [c.options for c in found.candidates] == [
        {"var_smoothing": 1e-9}, {"var_smoothing": 1e-3}, {"numbers": "bernoulli"}, {}
    ]  # fmt: skip
    assert "as it is" not in str(tl.tune(tl.NaiveBayes(), grids[:2], X, Y))


def test_a_random_search_draws_as_the_seed_says() -> None:
    grid = {"var_smoothing": stats.loguniform(1e-12, 1), "alpha": lambda rng: rng.uniform(0, 2),
            "fit_prior": [True, False]}  # fmt: skip

    def drawn(seed: int) -> list[Any]:
        found = tl.tune(tl.NaiveBayes(), grid, X, Y, cv=3, n=6, seed=seed)
        return [c.options for c in found.candidates]

    assert drawn(1) == drawn(1) != drawn(2)
    assert all(1e-12 <= options["var_smoothing"] <= 1 for options in drawn(1))
    assert len(drawn(1)) == 6


def test_from_lists_nothing_is_drawn_twice() -> None:
    grid = {"var_smoothing": SMOOTHINGS, "alpha": [1, 2]}
    found = tl.tune(tl.NaiveBayes(), grid, X, Y, cv=3, n=13)
    assert len({str(c.options) for c in found.candidates}) == 13
    everything = tl.tune(tl.NaiveBayes(), grid, X, Y, cv=3, n=99)
    assert len(everything.candidates) == 14


def test_a_candidate_that_fails_is_named_and_the_others_kept() -> None:
    found = tl.tune(tl.NaiveBayes(), {"var_smoothing": [-1, 1e-9]}, X, Y)
    assert found.best == {"var_smoothing": 1e-9}
    assert found.candidates[0].rank is None
    assert "Failed: var_smoothing=-1: " in str(found)
    trees = tl.tune(DecisionTreeClassifier(random_state=0), {"max_depth": [-2, 2]}, X, Y)
    assert "InvalidParameterError" in trees.candidates[0].failure
    assert trees.best == {"max_depth": 2}


def test_where_all_fail_the_first_reason_is_given() -> None:
    with pytest.raises(
        InputError, match=r"tune: every candidate failed. The first failure: .*var_smoothing"
    ):
        tl.tune(tl.NaiveBayes(), {"var_smoothing": [-1, -2]}, X, Y)


def test_a_file_is_tuned_as_the_frame_is(tmp_path: Path) -> None:
    data, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(data, columns=list("abcd")).assign(kind=np.array(["s", "t", "u"])[y])
    frame.to_csv(tmp_path / "iris.csv", index=False)
    grid = {"var_smoothing": [1e-9, 0.1, 1]}
    for cv in (5, tl.Folds.three()):
        one, other = (tl.tune(tl.NaiveBayes(), grid, source, "kind", cv=cv)
                      for source in (tmp_path / "iris.csv", frame))  # fmt: skip
        assert one.best == other.best
        assert one.score == other.score
        assert one.model.tally_ == other.model.tally_


def test_weights_reach_every_candidate_and_the_model() -> None:
    weight = np.ones(len(Y))
    weight[::3] = 0
    kept = weight > 0
    grid = {"var_smoothing": SMOOTHINGS}
    for learner in (tl.NaiveBayes(), GaussianNB()):
        one = tl.tune(learner, grid, X, Y, sample_weight=weight)
        other = tl.tune(learner, grid, X[kept], Y[kept])
        assert one.best == other.best
        assert one.score.by_fold == other.score.by_fold
        assert (one.model.predict_proba(X) == other.model.predict_proba(X)).all()


def test_every_form_holds_hostile_options() -> None:
    bad = "<script>|\x1b[31m"
    found = tl.tune(tl.NaiveBayes(), {"stop_words": [None, [bad]], "p": ["uniform", {}]}, X, Y)
    assert "<script>" not in found.to_html()
    assert "\x1b" not in str(found)
    assert len(json.loads(found.to_json())["records"]) == 4
    assert len(found.to_frame()) == 4
    assert repr(found) == str(found)
    assert str(found).startswith("NaiveBayes() tuned: 4 candidates on 569 rows,")


def test_one_option_is_drawn_as_a_curve_and_several_as_a_list() -> None:
    curve = tl.tune(tl.NaiveBayes(), {"var_smoothing": SMOOTHINGS[::-1]}, X, Y).plots()["search"]
    assert curve.data["series"]["accuracy"]["x"] == SMOOTHINGS
    grid = {"var_smoothing": SMOOTHINGS, "fit_prior": [True, False], "alpha": [1, 2]}
    spreads = tl.tune(tl.NaiveBayes(), grid, X, Y).plots()["search"].data["spreads"]
    assert len(spreads) == 12
    values = [spread["value"] for spread in spreads]
    assert values == sorted(values, reverse=True)
    grids = [{"fit_prior": [False]}, {"alpha": [2]}]  # an option that a candidate lacks has a dash
    spreads = tl.tune(tl.NaiveBayes(), grids, X, Y).plots()["search"].data["spreads"]
    assert {spread["name"].split(": ")[1] for spread in spreads} == {"False, -", "-, 2"}


@pytest.mark.parametrize(
    ("grid", "options", "error", "said"),
    [
        ({"alhpa": [1]}, {}, OptionError, "NaiveBayes has no option 'alhpa'. Choose from 'alpha'"),
        ({"alpha__x": [1]}, {}, OptionError, "no option 'alpha__x'"),
        ({"alpha": 1}, {}, OptionError, "'alpha' has 1. Give a list"),
        ({"text_model": "set"}, {}, OptionError, "'text_model' has 'set'. Give a list"),
        ({"alpha": []}, {}, OptionError, "'alpha' has no values"),
        ("alpha", {}, KindError, "Pass a dict of options and lists of values"),
        ([], {}, KindError, "Pass a dict of options and lists of values"),
        ([3], {}, KindError, "grid is 3"),
        ({"alpha": stats.uniform()}, {}, OptionError, "Set n to the number of combinations"),
        ({"alpha": [1]}, {"n": 0}, OptionError, "n is 0"),
        ({"alpha": [1]}, {"n": 2.5}, OptionError, "n is 2.5"),
        ({"alpha": [1]}, {"score": "mae"}, OptionError, "is for a regressor"),
        ({"alpha": [1]}, {"level": 2}, OptionError, "level is 2"),
        ({"alpha": [1]}, {"cv": tl.Folds.three(), "nested": 3}, OptionError, "Leave nested out"),
        ({"alpha": [1]}, {"nested": "bootstrap"}, OptionError, "nested is a bootstrap"),
        ({"alpha": [1]}, {"cv": [([0, 1], [2])], "nested": 3}, OptionError, "cv has row numbers"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    grid: Any, options: dict[str, Any], error: type[TallyError], said: str
) -> None:
    with pytest.raises(error, match=r"^tune: ") as caught:
        tl.tune(tl.NaiveBayes(), grid, X, Y, **options)
    assert said in str(caught.value)


def test_what_has_no_options_cannot_be_tuned() -> None:
    class Fixed:
        _estimator_type = "classifier"

        def fit(self, X: Any, y: Any) -> Fixed:
            return self

        def predict(self, X: Any) -> Any:
            return X

    with pytest.raises(KindError, match="cannot be tuned"):
        tl.tune(Fixed(), {"a": [1]}, X, Y)
    assert isinstance(tl.tune(tl.NaiveBayes(), {}, X, Y), Tuning)


def test_a_score_that_is_infinite_for_all_names_rows_and_a_remedy() -> None:
    draw = np.random.default_rng(0)
    noise, y = draw.normal(size=(100, 3)), draw.choice(["p", "q"], 100)
    with pytest.raises(
        InputError,
        match=r"the true class has probability 0 in \d+ rows.*\. Use scoring='brier', which is ",
    ):
        tl.tune(tl.CART(), {"max_depth": [8, 9]}, noise, y, scoring="log_loss")
