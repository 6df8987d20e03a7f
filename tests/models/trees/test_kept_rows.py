"""A tree keeps its training rows, and what was pruned, as ``keep_rows`` says."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import tallylearn as tl
from tallylearn import errors
from tallylearn.estimators.kept_rows import MAX_KEPT_CELLS

LEARNERS = (tl.ID3, tl.C45, tl.CART, tl.M5, lambda **options: tl.CART("regression", **options))


def drawn(n: int) -> tuple[Any, Any]:
    X = np.random.default_rng(0).normal(size=(n, 20))
    return X, X[:, 0] > 0


@pytest.mark.parametrize("make", LEARNERS)
def test_fit_hides_no_rows_on_the_learner(make: Any) -> None:
    X, y = drawn(2000)
    assert make().keep_rows == "auto"
    small = make(max_depth=2).fit(X, y)
    assert str(small.gains()) == str(small.gains(0, X, y))
    assert len(pickle.dumps(small)) < 8_000  # nor in a pickle
    assert pickle.loads(pickle.dumps(small)).kept_rows_ is None
    X, y = drawn(MAX_KEPT_CELLS // X.shape[1] + 1)
    learner = make(max_depth=2).fit(X, y)
    before = pickle.dumps(learner.model_)
    learner.predict(X), learner.explain(X[:2]), learner.tree_
    assert learner.kept_rows_ is None
    assert len(pickle.dumps(learner)) < 8_000
    assert pickle.dumps(learner.model_) == before  # nor what was worked out from the tree since
    kept = make(max_depth=2, keep_rows=True).fit(X, y)
    assert len(pickle.dumps(kept)) > X.nbytes
    assert len(pickle.dumps(kept.set_params(keep_rows=False).fit(X, y))) < 8_000


@pytest.mark.parametrize("make", LEARNERS)
def test_kept_rows_save_passing_the_table_again(make: Any) -> None:
    X, y = drawn(200)
    kept = make(max_depth=3, keep_rows=True).fit(X, y)
    bare = make(max_depth=3, keep_rows=False).fit(X, y)
    assert str(kept.gains()) == str(bare.gains(0, X, y)) == str(kept.gains(0, X, y))
    with pytest.raises(errors.InputError, match=r"gains\(node, table.*keep_rows=True"):
        bare.gains()
    assert clone(kept).keep_rows is True
    assert clone(kept).kept_rows_ is None


def test_kept_rows_are_a_copy() -> None:
    X, y = drawn(200)
    tree = tl.CART(max_depth=3, keep_rows=True).fit(X, y)
    before = str(tree.gains())
    X[:] = 0
    assert str(tree.gains()) == before


def test_what_was_pruned_is_listed_where_rows_are_kept(tmp_path: Path) -> None:
    table = tl.example("restaurant")
    bare = tl.ID3(pruning="chi2", keep_rows=False).fit(table)
    kept = tl.ID3(pruning="chi2").fit(table)
    assert str(bare) == str(kept)
    assert len(kept.prunings()) == 3
    for learner in (bare, bare.prune("cost_complexity", ccp_alpha=0.1)):
        with pytest.raises(errors.InputError, match="Fit with keep_rows=True"):
            learner.prunings()
    kept.save(tmp_path / "tree.tally")
    assert tl.load(tmp_path / "tree.tally").kept_rows_ is None  # a model file holds no rows
    with pytest.raises(
        errors.InputError, match=r"prune\(how, table, 'target'\); or fit with keep_rows"
    ):
        tl.C45(pruning=None, keep_rows=False).fit(table).prune("pessimistic")


def test_keep_rows_is_true_false_or_auto() -> None:
    for make in LEARNERS:
        with pytest.raises(errors.OptionError, match=r"'keep_rows'.*True or False"):
            make(keep_rows="yes").fit(*drawn(20))


@pytest.mark.parametrize("make", [*LEARNERS, tl.RandomForestClassifier, tl.ExtraTreesRegressor])
def test_record_is_a_deprecated_name_of_keep_rows(make: Any) -> None:
    with pytest.warns(DeprecationWarning, match=r"record is deprecated.*Use keep_rows") as caught:
        learner = make(record=False)
    assert [Path(one.filename).name for one in caught] == [Path(__file__).name]
    assert learner.keep_rows is False
    assert "record" not in learner.get_params()
    with pytest.warns(DeprecationWarning, match="keep_rows"):
        learner.set_params(record=True)
    with pytest.warns(DeprecationWarning, match="keep_rows"):
        assert learner.record is True
    assert learner.fit(*drawn(30)).kept_rows_ is not None
    assert clone(learner).keep_rows is True
