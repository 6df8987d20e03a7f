"""Options taken for scikit-learn's sake have its values; weights have sizes that add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError, SizeError

X, NUMBERS, CLASSES = [[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0], ["a", "a", "b"]


class Silent:
    """Raises whatever it is asked."""

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __array__(self, *given: Any, **named: Any) -> Any:
        raise RuntimeError


OPTIONS = {
    tl.LinearRegression: ("n_jobs",),
    tl.Ridge: ("max_iter", "tol", "random_state"),
    tl.Lasso: ("precompute", "warm_start", "random_state", "selection"),
    tl.ElasticNet: ("precompute", "warm_start", "random_state", "selection"),
    tl.LogisticRegression: ("coef_init", "intercept_init", "random_state", "verbose", "n_jobs"),
    tl.PCA: ("svd_solver", "tol", "iterated_power", "n_oversamples", "random_state",
             "power_iteration_normalizer"),
}  # fmt: skip
ASKED = [(kind, option) for kind, options in OPTIONS.items() for option in options]


@pytest.mark.parametrize("value", [[[1], [2, 3]], Silent(), "odd", np.nan, object()], ids=type)
@pytest.mark.parametrize(("kind", "option"), ASKED)
def test_every_option_is_looked_at(kind: Any, option: str, value: Any) -> None:
    model = kind(**{option: value})
    assert option in repr(model)
    with pytest.raises(OptionError, match=option):
        model.fit(X, CLASSES if kind is tl.LogisticRegression else NUMBERS)


@pytest.mark.parametrize("model", [
    tl.LinearRegression(n_jobs=-1), tl.Ridge(max_iter=5, random_state=np.random.RandomState(0)),
    tl.Lasso(precompute=np.eye(1), selection="random", random_state=3), tl.Lasso(precompute=True),
    tl.LogisticRegression(coef_init=[0, 0], solver="gradient", verbose=True, n_jobs=2),
    tl.PCA(svd_solver="randomized", iterated_power=3, random_state=0),
], ids=lambda model: type(model).__name__)  # fmt: skip
def test_what_scikit_learn_takes_is_taken(model: Any) -> None:
    model.fit(X, CLASSES if isinstance(model, tl.LogisticRegression) else NUMBERS)


def test_a_ragged_seed_has_a_repr() -> None:
    assert repr(tl.KMeans(2, random_state=[[1], [2, 3]])).endswith("random_state=[[1], [2, 3]])")


@pytest.mark.parametrize(("weight", "size"), [(1e308, "large"), (1e-310, "small")])
@pytest.mark.parametrize("learner", [
    tl.LinearRegression(), tl.Ridge(), tl.Lasso(), tl.SubsetSelection(), tl.DummyRegressor(),
    tl.VotingRegressor([tl.Ridge()]), tl.DecisionTreeRegressor(), tl.KMeans(2), tl.StandardScaler(),
], ids=lambda model: type(model).__name__)  # fmt: skip
def test_weights_beyond_a_double_are_said_to_be(learner: Any, weight: float, size: str) -> None:
    with pytest.raises(InputError, match=f"so {size} that .* outside the range"):
        learner.fit(X, NUMBERS, sample_weight=[weight] * 3)


def test_weights_that_add_up_beyond_a_double_part_by_part_count_by_their_ratios() -> None:
    model = tl.LinearRegression().partial_fit(X[:1], NUMBERS[:1], sample_weight=[1.5e308])
    model.partial_fit(X[1:2], NUMBERS[1:2], sample_weight=[1.5e308])
    plain = tl.LinearRegression().fit(X[:2], NUMBERS[:2])
    assert np.allclose(model.predict(X), plain.predict(X), rtol=1e-12)


def test_counts_of_trees_and_values_are_counts() -> None:
    for kind in (tl.RandomForestClassifier, tl.RandomForestRegressor):
        with pytest.raises(OptionError, match=r"'n_estimators' .* an int in the range"):
            kind(2**63).fit(X, NUMBERS)
    for kind in (tl.RandomForestClassifier, tl.DecisionTreeClassifier, tl.DecisionTreeRegressor):
        with pytest.raises(OptionError, match="'min_samples_category' parameter"):
            kind(min_samples_category=None).fit(X, NUMBERS)


@pytest.mark.parametrize("weight", [3e7, 1e300])
def test_neighbours_ask_before_they_repeat_rows(weight: float) -> None:
    with pytest.raises(SizeError, match="each as often as it weighs"):
        tl.KNeighborsClassifier(1).fit(X, CLASSES, sample_weight=[weight, 1, 1])


@pytest.mark.parametrize("kind", [tl.Perceptron, tl.LMS])
def test_weights_where_none_are_taken_are_an_error_of_ours(kind: Any) -> None:
    with pytest.raises(KindError, match="takes no sample_weight"):
        kind().fit(X, [0, 0, 1], sample_weight=[1, 1, 1])
    with pytest.raises(TypeError, match="unexpected keyword argument 'weight'"):
        kind().fit(X, [0, 0, 1], weight=[1, 1, 1])
