"""Compared columns: a category of noise counts in no distance, whatever its number of levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import InputError
from tallylearn.sources.arrow import batches
from tallylearn.sources.files import parquet

RNG = np.random.default_rng(8)
N = 1200
X = pd.DataFrame(RNG.normal(size=(N, 3)), columns=[*"abc"])
SORT = pd.Series(RNG.choice(["u", "v"], N))
PRICE = X.a + (SORT == "u") + 0.2 * RNG.normal(size=N)
MIXED = X.assign(sort=SORT)
FAMILY = np.repeat(np.arange(N), 4)[:N]
LEVELS = {
    "unique": RNG.permutation(N),
    "300 levels": RNG.integers(300, size=N),
    "80 levels": RNG.integers(80, size=N),
}


def named(codes: Any) -> list[str]:
    return [f"v{code}" for code in codes]


@pytest.mark.parametrize("levels", LEVELS)
def test_noise_moves_no_neighbour(levels: str) -> None:
    noisy = MIXED.assign(noise=named(LEVELS[levels]))
    for learner, y in ((tl.KNeighborsRegressor, PRICE), (tl.KNeighborsClassifier, PRICE > 0)):
        model, plain = learner().fit(noisy, y), learner().fit(MIXED, y)
        for ours, theirs in zip(model.kneighbors(noisy), plain.kneighbors(MIXED), strict=True):
            assert (ours == theirs).all()
        assert "'noise' has many values, tells the target no better" in str(model.show_work())
        kept = learner(chance="keep").fit(noisy, y)
        assert (kept.kneighbors(noisy)[0] > plain.kneighbors(MIXED)[0]).any()


def test_noise_costs_no_points() -> None:
    noisy = X.assign(noise=named(LEVELS["300 levels"]))
    scores = [
        tl.evaluate(tl.KNeighborsRegressor(chance=chance, metric="gower"), table, PRICE,
                    scores=["r2"], cv=tl.Folds.k(5, seed=0))["r2"].value
        for chance, table in (("skip", X), ("skip", noisy), ("keep", noisy))
    ]  # fmt: skip
    assert scores[1] == scores[0] > scores[2] + 0.2


def test_families_that_share_their_fate_count() -> None:
    fate = np.where(RNG.normal(size=N)[FAMILY] > 0, "saved", "lost")
    shared = X.assign(ticket=named(FAMILY))
    model = tl.KNeighborsClassifier().fit(shared, fate)
    assert model.model_.examples.categories == ("ticket",)
    assert (
        model.kneighbors(shared)[0]
        == tl.KNeighborsClassifier(chance="keep").fit(shared, fate).kneighbors(shared)[0]
    ).all()


def test_numbers_beside_noise_are_compared_as_numbers_unless_they_have_gaps() -> None:
    noisy = X.assign(noise=named(LEVELS["300 levels"]))
    assert tl.KNeighborsRegressor().fit(noisy, PRICE).effective_metric_ == "euclidean"
    assert tl.KNeighborsRegressor(chance="keep").fit(noisy, PRICE).effective_metric_ == "gower"
    noisy.loc[3, "a"] = np.nan
    assert tl.KNeighborsRegressor().fit(noisy, PRICE).effective_metric_ == "gower"


def test_noise_alone_is_compared_for_there_is_nothing_else() -> None:
    noise = pd.DataFrame({"noise": named(LEVELS["300 levels"])})
    model = tl.KNeighborsRegressor().fit(noise, PRICE)
    assert model.model_.examples.categories == ("noise",)


def test_few_values_and_few_rows_count_as_ever() -> None:
    few = X.assign(noise=named(RNG.integers(60, size=N)))
    assert tl.KNeighborsRegressor().fit(few, PRICE).model_.examples.chance == ()
    noisy = X.assign(noise=named(LEVELS["unique"]))[:49]
    assert tl.KNeighborsRegressor().fit(noisy, PRICE[:49]).model_.examples.chance == ()


def test_a_model_file_keeps_what_was_passed_over(tmp_path: Path) -> None:
    noisy = MIXED.assign(noise=named(LEVELS["300 levels"]))
    model = tl.KNeighborsRegressor().fit(noisy, PRICE)
    model.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    assert str(again.show_work()) == str(model.show_work())
    assert (again.predict(noisy) == model.predict(noisy)).all()
    assert tl.KNeighborsRegressor.formerly == {"chance": "keep"}


@pytest.mark.parametrize("target", ["price", "dear"])
def test_files_show_it_as_memory_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setattr(batches, "BLOCK", 256)
    monkeypatch.setattr(parquet, "RUN", 256)
    dear = np.where(PRICE > 0, "yes", "no")
    noisy = X.assign(noise=named(LEVELS["300 levels"]), ticket=named(FAMILY))
    table = noisy.assign(price=PRICE + RNG.normal(size=N)[FAMILY], dear=dear)
    table = table.drop(columns="dear" if target == "price" else "price")
    table[:700].to_parquet(tmp_path / "0.parquet", row_group_size=200)
    table[700:].to_parquet(tmp_path / "1.parquet", row_group_size=200)
    learner = tl.KNeighborsRegressor if target == "price" else tl.KNeighborsClassifier
    files = str(tmp_path / "[01].parquet")
    inside, outside = (learner(examples=how).fit(files, target) for how in ("auto", "files"))
    assert inside.model_.examples.chance == outside.model_.examples.chance != ()
    assert (inside.predict(table) == outside.predict(table)).all()
    for ours, theirs in zip(inside.kneighbors(table), outside.kneighbors(table), strict=True):
        assert (ours == theirs).all()


def test_a_row_without_a_value_is_told_which_column_counts_in_no_distance() -> None:
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=100), "code": [f"v{i}" for i in rng.integers(0, 70, 100)]}
    table["a"][5] = np.nan
    y = rng.choice(["p", "q"], 100)
    with pytest.raises(
        InputError, match=r"row 5 has only missing values .*Column 'code' .*chance='keep'"
    ):
        tl.KNeighborsClassifier().fit(table, y)
    assert tl.KNeighborsClassifier(chance="keep").fit(table, y).n_samples_fit_ == 100
