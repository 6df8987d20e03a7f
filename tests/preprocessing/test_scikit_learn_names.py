"""Encoders, imputer and discretizer have scikit-learn's names, options, attributes and results."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import impute, preprocessing

import tallylearn as tl
from tallylearn import errors

RNG = np.random.default_rng(0)
NUMBERS = RNG.integers(0, 5, size=(60, 3)).astype(float)
NUMBERS[::9, 1] = np.nan
STRINGS = np.array(["a", "b", "c", "d"], dtype=object)[RNG.integers(0, 4, size=(60, 2))]
STRINGS[::7, 0] = np.nan
MEASURED = RNG.normal(size=(300, 2))
MEASURED[:, 1] = np.round(np.exp(MEASURED[:, 1]), 1)
ATTRIBUTES = (
    "categories_", "drop_idx_", "infrequent_categories_", "statistics_", "bin_edges_", "n_bins_",
)  # fmt: skip
GIVEN = [["a", "b", "c", "d", "e"], ["d", "c", "b", "a"]]
METHODS = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
    "hazen", "weibull", "linear", "median_unbiased", "normal_unbiased",
)  # fmt: skip


def equal(a: Any, b: Any) -> bool:
    """Equal items, however deep; missing ones are equal, and numbers to rounding."""
    if isinstance(a, list | np.ndarray):
        return len(a) == len(b) and all(map(equal, a, b))
    if a is None or b is None or a != a or b != b:
        return (a is None or a != a) and (b is None or b != b)
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    return a == b or abs(a - b) <= 1e-12 * max(abs(a), abs(b))


def check_equal(name: str, X: Any, **options: Any) -> None:
    """Ours and scikit-learn's make the same of a table, and show the same attributes."""
    module = impute if name == "SimpleImputer" else preprocessing
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's, of constant columns
        ours, theirs = (getattr(one, name)(**options).fit(X) for one in (tl, module))
        found, truth = ours.transform(X), theirs.transform(X)
    assert type(found) is type(truth)
    if hasattr(found, "toarray"):
        found, truth = found.toarray(), truth.toarray()
    assert found.shape == truth.shape
    assert equal(found, truth)
    names = ours.get_feature_names_out().tolist()
    assert names == theirs.get_feature_names_out().tolist()
    given = [f"c{j}" for j in range(np.shape(X)[1])]
    assert equal(ours.get_feature_names_out(given), theirs.get_feature_names_out(given))
    for attribute in ATTRIBUTES:
        if getattr(theirs, attribute, None) is not None:
            assert equal(getattr(ours, attribute), getattr(theirs, attribute)), attribute


@pytest.mark.parametrize("X", [NUMBERS, STRINGS], ids=["numbers", "strings"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"drop": "first"},
        {"drop": "if_binary", "sparse_output": False},
        {"min_frequency": 14},
        {"max_categories": 3},
        {"max_categories": 3, "drop": "first"},
        {"min_frequency": 0.22, "handle_unknown": "infrequent_if_exist"},
        {"sparse_output": False, "dtype": np.float32},
    ],
    ids=str,
)
def test_one_hot_columns_are_those_of_scikit_learn(X: Any, options: dict[str, Any]) -> None:
    check_equal("OneHotEncoder", X, **options)


@pytest.mark.parametrize("X", [NUMBERS, STRINGS], ids=["numbers", "strings"])
@pytest.mark.parametrize(
    "options",
    [{}, {"min_frequency": 14}, {"max_categories": 3}, {"encoded_missing_value": -1}],
    ids=str,
)
def test_codes_are_those_of_scikit_learn(X: Any, options: dict[str, Any]) -> None:
    check_equal("OrdinalEncoder", X, **options)


def test_categories_and_dropped_ones_can_be_given() -> None:
    rows = np.array([["a", "b"], ["c", "d"], ["c", "a"]], dtype=object)
    check_equal("OneHotEncoder", rows, categories=GIVEN)
    check_equal("OrdinalEncoder", rows, categories=GIVEN)
    check_equal("OneHotEncoder", rows, drop=["c", "a"])
    with pytest.raises(errors.ColumnError, match=r"column 'x1' has 'd'.*categories="):
        tl.OneHotEncoder(categories=[["a", "c"], ["a", "b"]]).fit(rows)
    with pytest.raises(errors.OptionError, match=r"categories has 1 entries.*'x0', 'x1'"):
        tl.OneHotEncoder(categories=[["a", "c"]]).fit(rows)
    with pytest.raises(errors.OptionError, match=r"drop has 'z' for column 'x0'.*'a', 'c'"):
        tl.OneHotEncoder(drop=["z", "a"]).fit(rows)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"encode": "ordinal"},
        {"encode": "onehot-dense", "n_bins": [3, 4]},
        {"strategy": "uniform", "encode": "ordinal"},
        {"strategy": "kmeans", "encode": "ordinal"},
        {"strategy": "kmeans", "encode": "ordinal", "n_bins": 9},
        *({"quantile_method": name, "encode": "ordinal", "n_bins": 7} for name in METHODS),
    ],
    ids=str,
)
def test_bins_are_those_of_scikit_learn(options: dict[str, Any]) -> None:
    check_equal("KBinsDiscretizer", MEASURED, **options)


def test_a_bin_becomes_its_middle_again() -> None:
    for encode in ("onehot", "ordinal"):
        ours, theirs = (
            module.KBinsDiscretizer(4, encode=encode).fit(MEASURED)
            for module in (tl, preprocessing)
        )
        found = ours.inverse_transform(ours.transform(MEASURED))
        assert equal(found, theirs.inverse_transform(theirs.transform(MEASURED)))


@pytest.mark.parametrize(
    ("X", "options"),
    [
        (NUMBERS, {}),
        (NUMBERS, {"strategy": "median"}),
        (NUMBERS, {"strategy": "most_frequent", "add_indicator": True}),
        (NUMBERS, {"strategy": "constant"}),
        (NUMBERS, {"strategy": "constant", "fill_value": 7}),
        (np.nan_to_num(NUMBERS), {"missing_values": 2.0, "add_indicator": True}),
        (NUMBERS * [1, 1, np.nan], {}),
        (NUMBERS * [1, 1, np.nan], {"keep_empty_features": True}),
        (STRINGS, {"strategy": "most_frequent"}),
        (STRINGS, {"strategy": "constant"}),
        (STRINGS, {"strategy": "constant", "fill_value": "z"}),
    ],
)
def test_filled_values_are_those_of_scikit_learn(X: Any, options: dict[str, Any]) -> None:
    check_equal("SimpleImputer", X, **options)


@pytest.mark.parametrize("X", [NUMBERS, STRINGS], ids=["numbers", "strings"])
@pytest.mark.parametrize("kind", ["OneHotEncoder", "OrdinalEncoder"])
def test_encoded_rows_become_the_categories_again(kind: str, X: Any) -> None:
    model = getattr(tl, kind)().fit(X)
    assert equal(model.inverse_transform(model.transform(X)), X)


def test_a_missing_value_is_unknown_where_fit_has_seen_none() -> None:
    whole, gappy = pd.DataFrame({"c": ["a", "b"]}), pd.DataFrame({"c": ["a", None]})
    with pytest.raises(errors.ColumnError, match="column 'c' has a missing value in row 1"):
        tl.OneHotEncoder().fit(whole).transform(gappy)
    ignoring = tl.OneHotEncoder(missing="ignore").fit(gappy)
    assert ignoring.transform(gappy).to_numpy().tolist() == [[1.0], [0.0]]


def test_mixed_tables_keep_their_numbers() -> None:
    frame = pd.DataFrame({"n": [1.0, 2.0, 1.0], "c": ["a", "b", "a"]})
    assert [*tl.OneHotEncoder().fit_transform(frame)] == ["n", "c_a", "c_b"]
    everything = tl.OneHotEncoder(columns="all").fit_transform(frame)
    assert [*everything] == ["n_1.0", "n_2.0", "c_a", "c_b"]
    assert tl.OrdinalEncoder().fit_transform(frame)["n"].tolist() == [1.0, 2.0, 1.0]


def test_an_unknown_value_can_be_warned_of() -> None:
    model = tl.OneHotEncoder(handle_unknown="warn").fit([["a"], ["b"]])
    with pytest.warns(UserWarning, match="column 'x0' has 'z' in row 0"):
        assert not model.transform([["z"]]).toarray().any()


def test_codes_of_categories_are_not_taken_for_unknown_or_missing_values() -> None:
    with pytest.raises(errors.OptionError, match=r"unknown_value is 1.*column 'x0'.*0 to 1"):
        tl.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=1).fit([["a"], ["b"]])
    with pytest.raises(errors.OptionError, match="unknown_value goes with handle_unknown="):
        tl.OrdinalEncoder(unknown_value=1).fit([["a"], ["b"]])


OLD = {
    "Imputer": ("SimpleImputer", {"numbers": "mode", "categories": "own"}),
    "Indicator": ("OneHotEncoder", {"drop": "first", "unseen": "gap"}),
    "LabelCoder": ("OrdinalEncoder", {"unseen": "gap"}),
    "Discretizer": ("KBinsDiscretizer", {"bins": 3, "strategy": "frequency", "labels": "code"}),
}
FRAME = pd.DataFrame({"n": [1.0, 2.0, None, 4.0], "c": ["a", "b", "a", None]})
OLD_RESULTS = {
    "Imputer": {"n": [1.0, 2.0, 1.0, 4.0], "c": ["a", "b", "a", "missing"]},
    "Indicator": {"n": [1.0, 2.0, None, 4.0], "c=b": [0.0, 1.0, 0.0, 0.0]},
    "LabelCoder": {"n": [1.0, 2.0, None, 4.0], "c": [0.0, 1.0, 0.0, None]},
    "Discretizer": {"n": [0.0, 1.0, None, 2.0], "c": ["a", "b", "a", None]},
}


@pytest.mark.parametrize("old", OLD)
def test_an_old_name_works_and_its_warning_tells_the_new_one(old: str) -> None:
    new, options = OLD[old]
    with pytest.warns(DeprecationWarning, match=rf"tl\.{old} .*Use tl\.{new}\.") as caught:
        make = getattr(tl, old)
    assert caught[0].filename == __file__
    assert old not in tl.__all__
    model = make(**options)
    assert isinstance(model, getattr(tl, new))
    assert equal(model.fit_transform(FRAME).to_numpy(), pd.DataFrame(OLD_RESULTS[old]).to_numpy())
    assert [*model.transform(FRAME)] == [*OLD_RESULTS[old]]


STORED = Path(__file__).parent.parent / "data" / "models"


@pytest.mark.filterwarnings("error")
def test_files_with_old_names_load_without_a_warning() -> None:
    model = tl.load(STORED / "pipeline.tally")
    steps = [type(step).__name__ for step in model.named_steps_.values()]
    assert steps[0] == "SimpleImputer"
    assert "OneHotEncoder" in steps
    assert next(iter(model.named_steps_)) == "simpleimputer"
