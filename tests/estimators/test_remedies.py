"""What a message of fit or predict tells to type works when it is typed."""

from __future__ import annotations

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.errors import CellError, ColumnError

pd = pytest.importorskip("pandas")


@pytest.fixture(name="shop")
def _shop() -> object:
    age = [str(20 + i) for i in range(30)]
    return pd.DataFrame({"age": age, "income": np.arange(30.0) % 7, "spend": np.arange(30.0)})


def test_options_of_a_remedy_are_said_to_belong_to_a_table(shop: object) -> None:
    bad, y = shop[["age", "income"]].copy(), shop["spend"]  # type: ignore[index]
    bad.loc[3, "age"] = "forty"
    with pytest.raises(ColumnError) as caught:
        tl.LinearRegression().fit(bad, y)
    said = str(caught.value)
    assert said.endswith("missing, kinds and ignore are options of tl.table(...).")
    for option in ({"missing": "forty"}, {"kinds": {"age": "category"}}, {"ignore": ["age"]}):
        (name,) = option
        assert f"{name}=" in said
        tl.LinearRegression().fit(tl.table(bad, **option), y)
    with pytest.raises(ColumnError) as caught:
        tl.table(bad, target=None).schema  # noqa: B018
    assert "tl.table" not in str(caught.value)


def test_a_marker_of_rows_to_predict_belongs_to_their_table(shop: object) -> None:
    model = tl.LinearRegression().fit(shop, "spend")
    rows = pd.DataFrame({"age": ["old", "30"], "income": [1.0, 2.0]})
    with pytest.raises(CellError, match=r"missing=\"old\", or correct it\. missing is an option"):
        model.predict(rows)
    assert len(model.predict(tl.table(rows, missing="old"))) == 2


def test_other_columns_than_those_of_fit_are_named_with_a_remedy(shop: object) -> None:
    x, y = shop[["income", "spend"]], shop["spend"] > 9  # type: ignore[index]
    model = tl.LogisticRegression().fit(x, y)
    with pytest.raises(ColumnError, match="no column 'spend', which the model was fitted to"):
        model.predict(x[["income"]])
    with pytest.raises(ColumnError, match=r"'income', .* Is 'income' named 'Income'\? Add the"):
        model.predict(x.rename(columns={"income": "Income"}))
    with pytest.raises(ColumnError, match="fitted to 2: 'income', 'spend'"):
        model.predict(x.to_numpy()[:, :1])
    for other, what in (
        (x.assign(more=1.0), "not fitted to 'more'"),
        (x[["spend", "income"]], "another order"),
    ):
        with pytest.raises(ColumnError, match=what) as caught:
            model.predict(other)
        assert "X[model.feature_names_in_]" in str(caught.value)
        assert np.array_equal(model.predict(other[model.feature_names_in_]), model.predict(x))


@pytest.mark.parametrize(
    ("learner", "option", "remedy"),
    [
        (tl.CART, "maxdepth", "Did you mean 'max_depth'?"),
        (tl.LogisticRegression, "penalty", "Choose from 'C', 'l1_ratio', "),
        (tl.SimpleImputer, "strategies", "'strategy'?"),
        (tl.PCA, "components", "Did you mean 'n_components'?"),
    ],
)
def test_an_unknown_option_names_those_that_exist(learner: type, option: str, remedy: str) -> None:
    with pytest.raises(TypeError) as caught:
        learner(**{option: 1})
    assert f"unexpected keyword argument {option!r}" in str(caught.value)
    assert remedy in str(caught.value)


def test_an_option_that_is_required_may_come_with_an_unknown_one() -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'step'.* 'steps'"):
        tl.Pipeline([tl.KMeans()], step=1)  # type: ignore[call-arg]
