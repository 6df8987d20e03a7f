"""Records: a tree keeps rows, and what was pruned from it, only where that is asked for."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import tallylearn as tl
from tallylearn import errors

LEARNERS = (tl.ID3, tl.C45, tl.CART, tl.M5, lambda **options: tl.CART("regression", **options))


def drawn(n: int) -> tuple[Any, Any]:
    X = np.random.default_rng(0).normal(size=(n, 20))
    return X, X[:, 0] > 0


@pytest.mark.parametrize("make", LEARNERS)
def test_fit_hides_no_rows_on_the_learner(make: Any) -> None:
    X, y = drawn(2000)
    assert make().record == "auto"
    small = make(max_depth=2).fit(X, y)
    assert str(small.gains()) == str(small.gains(0, X, y))
    assert len(pickle.dumps(small)) < 8_000  # nor in a pickle
    assert pickle.loads(pickle.dumps(small)).record_ is None
    X, y = drawn(100_000 // X.shape[1] + 1)
    learner = make(max_depth=2).fit(X, y)
    before = pickle.dumps(learner.model_)
    learner.predict(X), learner.explain(X[:2]), learner.tree_
    assert learner.record_ is None
    assert len(pickle.dumps(learner)) < 8_000
    assert pickle.dumps(learner.model_) == before  # nor what was worked out from the tree since
    kept = make(max_depth=2, record=True).fit(X, y)
    assert len(pickle.dumps(kept)) > X.nbytes
    assert len(pickle.dumps(kept.set_params(record=False).fit(X, y))) < 8_000


@pytest.mark.parametrize("make", LEARNERS)
def test_a_record_saves_passing_the_table_again(make: Any) -> None:
    X, y = drawn(200)
    kept = make(max_depth=3, record=True).fit(X, y)
    bare = make(max_depth=3, record=False).fit(X, y)
    assert str(kept.gains()) == str(bare.gains(0, X, y)) == str(kept.gains(0, X, y))
    with pytest.raises(errors.InputError, match=r"Pass it again: gains\(.*or fit with record=True"):
        bare.gains()
    assert clone(kept).record is True
    assert clone(kept).record_ is None


def test_a_record_has_rows_of_its_own() -> None:
    X, y = drawn(200)
    tree = tl.CART(max_depth=3, record=True).fit(X, y)
    before = str(tree.gains())
    X[:] = 0
    assert str(tree.gains()) == before


def test_what_was_pruned_is_told_where_a_record_was_kept(tmp_path: Path) -> None:
    table = tl.example("restaurant")
    bare = tl.ID3(pruning="chi2", record=False).fit(table)
    kept = tl.ID3(pruning="chi2").fit(table)
    assert str(bare) == str(kept)
    assert len(kept.prunings()) == 3
    assert kept.record_.prunings is kept.prunings()
    for learner in (bare, bare.prune("cost_complexity", ccp_alpha=0.1)):
        with pytest.raises(errors.InputError, match="Fit with record=True"):
            learner.prunings()
    kept.save(tmp_path / "tree.tally")
    assert tl.load(tmp_path / "tree.tally").record_ is None  # a model file holds no rows
    with pytest.raises(
        errors.InputError, match=r"prune\(how, table, 'target'\); or fit with record"
    ):
        tl.C45(pruning=None, record=False).fit(table).prune("pessimistic")


def test_a_record_is_asked_for_with_true_or_false() -> None:
    for make in LEARNERS:
        with pytest.raises(errors.OptionError, match=r"'record'.*True or False"):
            make(record="yes").fit(*drawn(20))
