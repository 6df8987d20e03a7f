"""Principal components: those of scikit-learn, out of a tally, with their summands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import decomposition
from sklearn.datasets import load_diabetes, load_iris

import tallylearn as tl
from tallylearn import errors

IRIS = load_iris(return_X_y=True)[0]
MADE = np.random.default_rng(0).normal(size=(60, 8)) @ np.random.default_rng(1).normal(size=(8, 8))
PARTS = ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_",
         "mean_", "noise_variance_")  # fmt: skip


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("k", [None, 2, 0.9, "mle"])
@pytest.mark.parametrize("x", [IRIS, load_diabetes().data, MADE], ids=["iris", "diabetes", "made"])
def test_components_are_those_of_scikit_learn(x: Any, k: Any, whiten: bool) -> None:
    ours = tl.PCA(k, whiten=whiten).fit(x)
    theirs = decomposition.PCA(k, whiten=whiten, svd_solver="full").fit(x)
    assert ours.n_components_ == theirs.n_components_
    for name in PARTS:
        want = getattr(theirs, name)
        np.testing.assert_allclose(getattr(ours, name), want, rtol=1e-10, atol=1e-11, err_msg=name)
    found = ours.transform(x)
    np.testing.assert_allclose(found, theirs.transform(x), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        ours.inverse_transform(found), theirs.inverse_transform(found), atol=1e-10
    )
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_parts_merge_into_the_components_of_all_rows() -> None:
    whole = tl.PCA(2).fit(IRIS)
    parts = tl.merge(tl.PCA(2).fit(IRIS[:40]), tl.PCA(2).fit(IRIS[40:]))
    more = tl.PCA(2).partial_fit(IRIS[:1]).partial_fit(IRIS[1:])
    for model in (parts, more):
        np.testing.assert_allclose(model.components_, whole.components_, atol=1e-12)


def test_gaps_are_at_the_mean_and_other_columns_pass() -> None:
    frame = pd.DataFrame(IRIS[:50], columns=list("abcd"))
    frame.loc[3:9, "b"] = np.nan
    frame.loc[30:45, "d"] = np.nan
    filled = frame.fillna(frame.mean())
    frame["colour"] = ["red", "blue"] * 25
    ours = tl.PCA(3).fit(frame)
    theirs = decomposition.PCA(3).fit(filled)
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-10)
    found = ours.transform(frame)
    assert list(found.columns) == ["pca0", "pca1", "pca2", "colour"]
    np.testing.assert_allclose(found.to_numpy()[:, :3].astype(float), theirs.transform(filled),
                               atol=1e-10)  # fmt: skip
    assert "missing, at the mean" in str(ours.explain(frame[3:4])[0].to_dict())


def test_the_summands_of_a_row_add_up_to_its_components() -> None:
    model = tl.PCA(2, whiten=True).fit(IRIS)
    for evidence, row in zip(model.explain(IRIS[:5]), model.transform(IRIS[:5]), strict=True):
        assert [line.total for line in evidence.lines] == pytest.approx(row.tolist(), abs=1e-12)


def test_a_scree_counts_all_directions_and_is_drawn() -> None:
    scree = tl.PCA(2).fit(IRIS).scree()
    rows = scree.records()
    assert [row["kept"] for row in rows] == [True, True, False, False]
    assert rows[-1]["together"] == pytest.approx(1.0)
    assert "share of the variance" in str(scree.plot())


def test_a_forgotten_row_leaves_no_trace() -> None:
    model = tl.PCA(exact=True).fit(IRIS)
    want = tl.PCA(exact=True).fit(IRIS[20:])
    assert model.forget(IRIS[:20]).components_.tolist() == want.components_.tolist()
    with pytest.raises(errors.ForgetError, match="exact=True"):
        tl.PCA().fit(IRIS).forget(IRIS[:20])


@pytest.mark.parametrize("given", [-1, 1.0, 1.5, 0.0, "all", True])
def test_a_number_of_components_that_cannot_be_is_refused(given: Any) -> None:
    with pytest.raises(errors.OptionError, match="'n_components'"):
        tl.PCA(given).fit(IRIS)


def test_more_components_than_there_are_and_tables_without_numbers_are_refused() -> None:
    with pytest.raises(errors.InputError, match=r"n_components=5 must be between 0 and.*=4"):
        tl.PCA(5).fit(IRIS)
    with pytest.raises(errors.InputError, match="as many rows as columns"):
        tl.PCA("mle").fit(IRIS[:3])
    with pytest.raises(errors.ColumnError, match="no column of numbers"):
        tl.PCA().fit(pd.DataFrame({"c": ["x", "y", "x"]}))
    with pytest.raises(errors.InputError, match=r"at least two rows.*n_samples=1"):
        tl.PCA().fit(IRIS[:1])
    with pytest.raises(errors.ColumnError, match="overflow a double"):
        tl.PCA().fit(IRIS * 1e300)
    with pytest.raises(errors.ColumnError, match=r"column 'x1' has inf in row 2"):
        tl.PCA().fit(np.where(np.arange(4) + 4 * np.arange(150)[:, None] == 9, np.inf, IRIS))
    with pytest.raises(errors.ColumnError, match=r"'x0'.*squares underflow a double"):
        tl.PCA().fit(IRIS * 1e-200)


@pytest.mark.parametrize("exact", [False, True])
def test_components_of_a_table_far_from_zero_are_those_near_it(exact: bool) -> None:
    near = np.random.default_rng(2).integers(-2000, 2000, size=(60, 4)).astype(float)
    far = near + 1e15
    want, found = (tl.PCA(exact=exact).fit(x) for x in (near, far))
    np.testing.assert_allclose(found.transform(far), want.transform(near), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(found.inverse_transform(found.transform(far)), far)
