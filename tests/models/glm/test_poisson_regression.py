"""Poisson regression: the numbers of statsmodels and scikit-learn, from memory and from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import PoissonRegressor

import tallylearn as tl
from tallylearn.errors import ColumnError, OptionError, TargetError
from tallylearn.expressions import evaluate
from tallylearn.workings import format_number

N = 60
AT = np.arange(N)
FRAME = pd.DataFrame({"a": 2 * np.sin(1.7 * AT), "b": (AT % 7) / 3 - 1})
FRAME["hours"] = 1 + (AT % 5) * 0.7
FRAME["shift"] = 0.3 * FRAME["b"]
FRAME["y"] = (
    np.floor(2.5 + 2 * np.cos(0.9 * AT) + (AT % 4) * (FRAME["a"] > 0)) * ((37 * AT) % 11 > 1)
).astype(int)
WEIGHT = 1.0 + AT % 3
X, Y = FRAME[["a", "b"]].to_numpy(), FRAME["y"].to_numpy()
# statsmodels 0.15.0: GLM(y, X, family=Poisson(), ...).fit(tol=1e-14)
STATSMODELS: dict[str, dict[str, Any]] = {
    "plain": {
        "coef": [0.6376554864789914, 0.3523111150583358, -0.2383216109491152],
        "std_err": [0.09970862619943999, 0.06786170445975505, 0.13260949911574424],
        "z": [6.395188769360185, 5.1916042761241235, -1.7971684723814791],
        "p": [1.603491344488517e-10, 2.0848976525930434e-07, 0.07230887804785302],
        "lower": [0.4422301701801222, 0.21930461838771473, -0.49823145322387],
        "upper": [0.8330808027778607, 0.4853176117289568, 0.02158823132563964],
        "fit": (-111.06068772383952, 105.30995845364161, 137.32124925171664, 87.58265034819223,
                228.12137544767904, 57),
    },
    "exposure": {
        "coef": [-0.23813370838646897, 0.35349133169556923, -0.2755073808819128],
        "std_err": [0.09940717334069075, 0.06638554881379466, 0.13388053628541202],
        "z": [-2.3955384745759862, 5.324823519755479, -2.0578598542104345],
        "p": [0.01659597238493971, 1.0105110015774938e-07, 0.03960358844490139],
        "lower": [-0.43296818793915304, 0.22337804692660598, -0.5379084102322282],
        "upper": [-0.04329922883378487, 0.48360461646453246, -0.013106351531597338],
        "fit": (-128.78587672235767, 140.7603364506779, 174.1265053593193, 155.19695564263353,
                263.57175344471534, 57),
    },
    "weights and offset": {
        "coef": [0.6123717724028677, 0.3592699098484181, -0.5641289578347787],
        "std_err": [0.07191615219948609, 0.048373850309025836, 0.09474595135035738],
        "z": [8.515079765450016, 7.426944672654757, -5.95412204737602],
        "p": [1.6647567411349294e-17, 1.1113481802411902e-13, 2.6147163056400085e-09],
        "lower": [0.47141870418517395, 0.2644589054491957, -0.7498276101624632],
        "upper": [0.7533248406205614, 0.4540809142476405, -0.3784303055070941],
        "fit": (-218.6492002986845, 203.31680160386736, 295.3266195824301, 170.49617632997104,
                443.298400597369, 117),
    },
}  # fmt: skip
FITTED = {
    "plain": lambda: tl.PoissonRegressor(alpha=0).fit(FRAME[["a", "b", "y"]], "y"),
    "exposure": lambda: tl.PoissonRegressor(alpha=0, exposure="hours").fit(
        FRAME[["a", "b", "hours", "y"]], "y"
    ),
    "weights and offset": lambda: tl.PoissonRegressor(alpha=0, offset="shift").fit(
        tl.table(FRAME[["shift", "a", "b", "y"]].assign(n=WEIGHT), target="y", weight="n")
    ),
}


@pytest.mark.parametrize("name", STATSMODELS)
def test_a_summary_has_the_numbers_of_statsmodels(name: str) -> None:
    model, theirs = FITTED[name](), STATSMODELS[name]
    rows = model.summary().records()
    assert [row["name"] for row in rows] == ["Intercept", "a", "b"]
    for key in ("coef", "std_err", "z", "p", "lower", "upper"):
        np.testing.assert_allclose([row[key] for row in rows], theirs[key], rtol=1e-8, err_msg=key)
    fit = model.summary().fit
    names = ("Log-Likelihood", "Deviance", "Null deviance", "Pearson chi2", "AIC", "Df Residuals")
    np.testing.assert_allclose([fit[key] for key in names], theirs["fit"], rtol=1e-8)
    assert fit["D²"] == pytest.approx(1 - theirs["fit"][1] / theirs["fit"][2], rel=1e-8)
    assert model.deviance_ == pytest.approx(theirs["fit"][1], rel=1e-8)
    assert "coef  std err" in str(model.summary())
    assert "P>|z|" in str(model.summary())
    assert "[0.025" in str(model.summary())
    null = theirs["fit"][0] - (theirs["fit"][2] - theirs["fit"][1]) / 2
    assert f"LL-Null {format_number(null)}" in str(model.summary())
    assert "Converged yes" in str(model.summary())


@pytest.mark.parametrize("solver", ["auto", "newton-cholesky", "newton-cg", "lbfgs"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0])
def test_coefficients_and_scores_are_those_of_scikit_learn(
    alpha: float, intercept: bool, solver: str
) -> None:
    theirs = PoissonRegressor(
        alpha=alpha, fit_intercept=intercept, tol=1e-13, max_iter=10_000, solver="newton-cholesky"
    ).fit(X, Y, WEIGHT)
    ours = tl.PoissonRegressor(
        alpha=alpha, fit_intercept=intercept, solver=solver, tol=1e-5, max_iter=500
    ).fit(X, Y, WEIGHT)
    assert ours.converged_
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-8)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-7)
    assert ours.score(X, Y, WEIGHT) == pytest.approx(theirs.score(X, Y, WEIGHT), abs=1e-8)


@pytest.mark.parametrize("rows", [60, 30_000])
def test_files_lead_to_the_coefficients_of_memory(rows: int, tmp_path: Path) -> None:
    draw = np.random.default_rng(rows)
    frame = FRAME.sample(rows, replace=True, random_state=1).reset_index(drop=True)
    frame["town"] = draw.choice(["Bonn", "Kiel", "Ulm"], rows)
    frame.loc[::17, "a"] = np.nan
    for part, at in enumerate(np.array_split(np.arange(rows), 3)):
        frame.iloc[at].to_csv(tmp_path / f"{part}.csv", index=False)
    memory, files = (
        tl.PoissonRegressor(alpha=0.1, exposure="hours").fit(source, "y")
        for source in (frame, str(tmp_path / "*.csv"))
    )
    assert memory.converged_
    assert memory.coef_names_ == files.coef_names_
    assert {"a missing", "town=Ulm"} <= {*memory.coef_names_}
    assert "hours" not in memory.coef_names_
    np.testing.assert_allclose(files.coef_, memory.coef_, atol=1e-8)
    np.testing.assert_allclose(files.deviance_, memory.deviance_, rtol=1e-10)


@pytest.mark.parametrize("threads", [2, 4])
def test_bits_do_not_depend_on_the_number_of_threads(threads: int) -> None:
    draw = np.random.default_rng(3)
    rows = draw.normal(size=(70_000, 4))
    counts = draw.poisson(np.exp(0.2 + rows @ [0.3, -0.2, 0.1, 0.0]))
    found = []
    for number in (1, threads):
        with tl.engine(threads=number):
            found.append(tl.PoissonRegressor(alpha=0).fit(rows, counts))
    assert found[0].coef_.tobytes() == found[1].coef_.tobytes()
    assert found[0].deviance_ == found[1].deviance_


def test_the_gradient_of_the_penalised_deviance_vanishes() -> None:
    draw = np.random.default_rng(5)
    for n, p in ((50, 80), (40_000, 3)):
        rows = draw.normal(size=(n, p)) * np.exp(draw.normal(size=p)) + 3
        counts = draw.poisson(np.exp(0.3 + 0.2 * (rows[:, 0] - 3)))
        model = tl.PoissonRegressor(alpha=0.5).fit(rows, counts)
        errors = (model.predict(rows) - counts) / n
        around = rows - rows.mean(axis=0)
        assert np.abs(errors @ around + 0.5 * model.coef_).max() < 1e-8
        assert abs(errors.sum()) < 1e-10


def test_a_prediction_is_in_proportion_to_the_exposure() -> None:
    model = FITTED["exposure"]()
    row = pd.DataFrame({"a": [0.5, 0.5], "b": [0.1, 0.1], "hours": [1.0, 3.0]})
    once, thrice = model.predict(row)
    assert thrice == pytest.approx(3 * once, rel=1e-12)
    told = str(model.explain(row[1:]))
    assert "hours = 3" in told or "3 ·" in told
    assert "Column 'hours' is the exposure" in str(model.show_work())


@pytest.mark.parametrize("name", FITTED)
def test_the_expression_of_a_model_gives_its_predictions(name: str) -> None:
    model = FITTED[name]()
    rows = FRAME[["a", "b", "hours", "shift"]][[*model.schema_.names]]
    found = evaluate(model.model_.expression(model.schema_).values[0], tl.table(rows).block)
    np.testing.assert_allclose(found, model.predict(rows), rtol=1e-13)
    for row, mean in zip(model.explain(rows), model.predict(rows), strict=True):
        assert row.chosen == mean
        assert np.exp(row.lines[0].total) == pytest.approx(mean, rel=1e-12)


def test_a_model_comes_back_from_a_file(tmp_path: Path) -> None:
    model = FITTED["weights and offset"]()
    model.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    rows = FRAME[["a", "b", "shift"]]
    assert again.predict(rows).tolist() == model.predict(rows).tolist()
    assert again.summary().records() == model.summary().records()


def test_a_warm_start_begins_where_the_last_fit_ended() -> None:
    model = tl.PoissonRegressor(alpha=0.1, warm_start=True).fit(X, Y)
    first = model.n_iter_
    assert model.fit(X, Y).n_iter_ < first
    cold = tl.PoissonRegressor(alpha=0.1).fit(X, Y)
    np.testing.assert_allclose(model.coef_, cold.coef_, atol=1e-10)
    assert model.fit(X[:, :1], Y).coef_.shape == (1,)  # other columns: from the start


def test_iterations_that_are_used_up_are_reported() -> None:
    model = tl.PoissonRegressor(alpha=0, max_iter=1).fit(X, Y)
    assert not model.converged_
    assert "max_iter" in str(model.summary())


def test_penalised_coefficients_have_no_standard_errors() -> None:
    summary = tl.PoissonRegressor(alpha=2).fit(X, Y).summary()
    assert {row["std_err"] for row in summary.records()} == {None}
    assert "alpha = 2" in str(summary)
    assert "AIC" not in summary.fit


@pytest.mark.parametrize(
    ("options", "change", "error", "said"),
    [
        ({}, {"y": [-1.0] + [1.0] * 59}, TargetError, "-1 in row 0"),
        ({}, {"y": [0.0] * 60}, TargetError, "every count .* is 0"),
        ({"exposure": "hours"}, {"hours": [0.0] + [1.0] * 59}, ColumnError, "'hours' is 0 in row"),
        ({"offset": "hours"}, {"hours": [np.nan] + [1.0] * 59}, ColumnError, "'hours' is nan in"),
        ({"offset": "nothing"}, {}, ColumnError, "offset='nothing' is not a numeric column"),
        ({"offset": "hours", "exposure": "hours"}, {}, OptionError, "Pass one of them"),
        ({"alpha": -1}, {}, OptionError, "'alpha' parameter"),
        ({"alpha": 0}, {"b": 2 * FRAME["a"]}, ColumnError, "'a', 'b'.*alpha=1"),
    ],
)
def test_bad_input_names_its_column_row_and_remedy(
    options: dict[str, Any], change: dict[str, Any], error: type[Exception], said: str
) -> None:
    frame = FRAME[["a", "b", "hours", "y"]].assign(**change)
    with pytest.raises(error, match=said):
        tl.PoissonRegressor(**options).fit(frame, "y")
