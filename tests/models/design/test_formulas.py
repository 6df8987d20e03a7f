"""Formulas: designs against matrices built by hand, files, folds, missing values and refusals."""

import sys

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, KindError, OptionError, TargetError
from tallylearn.estimators.formulas import parse_factor
from tallylearn.expressions import evaluate

pytest.importorskip("formulaic")


@pytest.fixture(scope="module")
def cars():
    rng = np.random.default_rng(0)
    n = 120
    found = pd.DataFrame({
        "hp": rng.uniform(50, 200, n),
        "weight": rng.uniform(1, 3, n),
        "origin": rng.choice(["eu", "jp", "usa"], n),
        "fuel": rng.choice(["d", "g"], n),
        "year": rng.integers(70, 73, n),
    })  # fmt: skip
    noise = rng.normal(size=n)
    found["mpg"] = 40 - 5 * np.log(found.hp) + 2 * (found.origin == "jp") + noise
    found["thirsty"] = np.where(found.mpg + 2 * noise < found.mpg.median(), "yes", "no")
    found["faults"] = rng.poisson(np.exp(found.weight / 2))
    return found


def columns(table, *names):
    made = {
        "log(hp)": np.log(table.hp),
        "jp": table.origin == "jp",
        "usa": table.origin == "usa",
        "71": table.year == 71,
        "72": table.year == 72,
    }
    made["log(hp) jp"] = made["log(hp)"] * made["jp"]
    made["log(hp) usa"] = made["log(hp)"] * made["usa"]
    return np.column_stack([np.asarray(made[name], dtype=float) for name in names])


BY_HAND = ("log(hp)", "jp", "usa", "71", "72", "log(hp) jp", "log(hp) usa")
FORMULA = "mpg ~ log(hp) * origin + C(year)"


@pytest.mark.parametrize(
    "learner",
    [
        tl.LinearRegression(),
        tl.Ridge(0.5),
        tl.Lasso(0.01, tol=1e-14),
        tl.ElasticNet(0.01, tol=1e-14),
    ],
)
def test_a_formula_fits_the_matrix_that_it_describes(cars, learner):
    x = columns(cars, *BY_HAND)
    by_hand = type(learner)(**learner.get_params()).fit(x, cars.mpg)
    model = learner.fit(cars, FORMULA)
    assert model.coef_ == pytest.approx(by_hand.coef_, rel=1e-6)
    assert model.intercept_ == pytest.approx(by_hand.intercept_)
    assert model.predict(cars) == pytest.approx(by_hand.predict(x))
    assert model.score(cars, "mpg") == pytest.approx(by_hand.score(x, cars.mpg))


def test_a_formula_classifies(cars):
    x = np.column_stack([cars.weight, columns(cars, "jp", "usa")])
    x = np.column_stack([x, x[:, :1] * x[:, 1:]])
    model = tl.LogisticRegression(C=np.inf).fit(cars, "thirsty ~ weight * origin")
    by_hand = tl.LogisticRegression(C=np.inf).fit(x, cars.thirsty)
    assert model.predict_proba(cars) == pytest.approx(by_hand.predict_proba(x), abs=1e-9)
    assert "weight:origin[T.jp]" in str(model.summary())


def test_a_formula_has_an_offset_for_counts(cars):
    x = np.column_stack([cars.weight, columns(cars, "jp", "usa"), cars.hp])
    names = ["weight", "jp", "usa", "hp"]
    by_hand = tl.PoissonRegressor(alpha=0, exposure="hp").fit(
        pd.DataFrame(x, columns=names).assign(faults=cars.faults), "faults"
    )
    model = tl.PoissonRegressor(alpha=0).fit(cars, "faults ~ weight + origin + offset(log(hp))")
    assert model.coef_ == pytest.approx(by_hand.coef_)
    table = pd.DataFrame(x, columns=names)
    assert model.predict(cars) == pytest.approx(by_hand.predict(table))
    with pytest.raises(OptionError, match=r"offset\(log\(hp\)\)"):
        tl.PoissonRegressor(exposure="hp").fit(cars, "faults ~ weight")


# Names and coding as patsy gives them: a category keeps its reference level where no other term
# spans it.
@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ("log(hp) * fuel", ["log(hp)", "fuel[T.g]", "log(hp):fuel[T.g]"]),
        ("hp:fuel", ["hp:fuel[d]", "hp:fuel[g]"]),
        ("hp + hp:fuel", ["hp", "hp:fuel[T.g]"]),
        ("fuel + origin:fuel", ["fuel[T.g]", "origin[T.jp]:fuel[d]", "origin[T.usa]:fuel[d]",
                                "origin[T.jp]:fuel[g]", "origin[T.usa]:fuel[g]"]),
        ("origin:fuel", ["fuel[T.g]", "origin[T.jp]:fuel[d]", "origin[T.usa]:fuel[d]",
                         "origin[T.jp]:fuel[g]", "origin[T.usa]:fuel[g]"]),
        ("C(fuel, Treatment('g')) + I(hp**2)", ["C(fuel, Treatment('g'))[T.d]", "I(hp ** 2)"]),
        ("C(year)", ["C(year)[T.71]", "C(year)[T.72]"]),
    ],
)  # fmt: skip
def test_interactions_are_named_and_coded_as_in_patsy(cars, right, expected):
    model = tl.LinearRegression().fit(cars, f"mpg ~ {right}")
    if right == "origin:fuel":  # patsy names the part that spans fuel by its levels alone
        assert sorted(model.columns_) == sorted(expected)
    else:
        assert list(model.columns_) == expected
    assert model.rank_ == len(expected)


def test_without_an_intercept_the_first_category_keeps_all_levels(cars):
    model = tl.LinearRegression(fit_intercept=False).fit(cars, "mpg ~ origin + fuel")
    assert model.columns_ == ("origin[eu]", "origin[jp]", "origin[usa]", "fuel[T.g]")
    with pytest.raises(OptionError, match="fit_intercept=False"):
        tl.LinearRegression().fit(cars, "mpg ~ origin - 1")


def test_standardised_factors_keep_the_mean_of_the_training_rows(cars):
    model = tl.LinearRegression().fit(cars, "mpg ~ center(hp) + scale(weight)")
    x = np.column_stack([
        cars.hp - cars.hp.mean(), (cars.weight - cars.weight.mean()) / cars.weight.std(),
    ])  # fmt: skip
    assert model.predict(cars[:5]) == pytest.approx(
        tl.LinearRegression().fit(x, cars.mpg).predict(x[:5])
    )


def test_the_dot_means_all_other_columns(cars):
    table = cars[["hp", "weight", "origin", "mpg"]]
    model = tl.LinearRegression().fit(table, "mpg ~ . - weight")
    assert model.columns_ == ("hp", "origin[T.jp]", "origin[T.usa]")


def test_names_that_are_no_python_names_stand_in_backticks(cars):
    table = cars.rename(columns={"hp": "horse power", "weight": "class"})
    model = tl.LinearRegression().fit(table, "mpg ~ log(`horse power`) + `class`")
    assert model.columns_ == ("log(horse power)", "class")
    assert model.predict(table) == pytest.approx(
        tl.LinearRegression().fit(cars, "mpg ~ log(hp) + weight").predict(cars)
    )


@pytest.mark.parametrize(
    ("learner", "formula"),
    [
        (tl.LinearRegression(), FORMULA),
        (tl.Lasso(0.01), "mpg ~ scale(hp) + C(year):fuel"),
        (tl.LogisticRegression(), "thirsty ~ sqrt(hp) * origin"),
        (tl.PoissonRegressor(), "faults ~ weight * fuel + offset(log(hp))"),
        (tl.Ridge(0.1), "mpg ~ bs(hp, df=5):fuel + poly(weight, 2) + scale(hp)"),
        (
            tl.LogisticRegression(),
            "thirsty ~ cr(hp, df=4, constraints='center') + cc(weight, df=3)",
        ),
    ],
)
def test_a_saved_formula_predicts_and_explains_the_same(cars, tmp_path, learner, formula):
    model = learner.fit(cars, formula)
    model.save(tmp_path / "model.tally")
    loaded = tl.load(tmp_path / "model.tally")
    assert np.array_equal(loaded.predict(cars), model.predict(cars))
    assert str(loaded.explain(cars[:2])) == str(model.explain(cars[:2]))
    assert loaded.model_.design.formula.text == formula


def test_a_model_without_a_formula_stores_none(cars, tmp_path):
    tl.LinearRegression().fit(cars[["hp"]], cars.mpg).save(tmp_path / "model.tally")
    assert b"formula" not in (tmp_path / "model.tally").read_bytes()


@pytest.mark.parametrize(
    ("learner", "formula"),
    [
        (tl.LinearRegression(), FORMULA + " + scale(weight) + exp(-weight / 2)"),
        (tl.PoissonRegressor(), "faults ~ weight * C(year) + offset(log(hp))"),
        (tl.LinearRegression(), "mpg ~ poly(hp, 3) + bs(weight, df=6) * fuel"),
        (tl.LinearRegression(), "mpg ~ cr(hp, df=5) + bs(weight, df=4, degree=0)"),
    ],
)
def test_the_expression_of_a_formula_equals_predict(cars, learner, formula):
    model = learner.fit(cars, formula)
    expression = model.model_.expression(model.schema_)
    block = model._read_rows(cars).whole()
    assert evaluate(expression.values[0], block) == pytest.approx(model.predict(cars), rel=1e-12)


def test_a_periodic_basis_has_no_expression(cars):
    model = tl.LinearRegression().fit(cars, "mpg ~ cc(hp, df=4)")
    with pytest.raises(KindError, match=r"cc\(hp, df=4\).*cr"):
        model.model_.expression(model.schema_)


def design_of(model, table):
    return model.model_.design.formula.matrix(model._read_rows(table).whole())


# Coefficients as R 3.6 prints them for lm(weight ~ bs(height, df = 5), data = women), and the
# columns of poly(1:10, 2).
def test_bases_are_those_of_r():
    women = pd.DataFrame({"height": np.arange(58.0, 73.0)})
    women["weight"] = [115, 117, 120, 123, 126, 129, 132, 135, 139, 142, 146, 150, 154, 159, 164]
    rows = tl.LinearRegression().fit(women, "weight ~ bs(height, df=5)").summary().records()
    found = [row["weight"] for row in rows]
    assert found == pytest.approx([114.8799, 3.4657, 13.03, 27.6161, 40.8481, 49.1296], abs=5e-5)
    errors = [row["error"] for row in rows]
    assert errors == pytest.approx([0.2167, 0.4595, 0.3965, 0.4571, 0.3866, 0.309], abs=5e-5)
    ten = pd.DataFrame({"x": np.arange(1.0, 11.0), "y": np.arange(10.0) ** 3})
    found = design_of(tl.LinearRegression().fit(ten, "y ~ poly(x, 2)"), ten)
    assert found[:5, 0] == pytest.approx(
        [-0.49543369, -0.38533732, -0.27524094, -0.16514456, -0.05504819], abs=5e-9
    )
    assert found[:5, 1] == pytest.approx(
        [0.52223297, 0.17407766, -0.08703883, -0.26111648, -0.34815531], abs=5e-9
    )


# formulaic's bs, cr, cc and poly are those of patsy.
@pytest.mark.parametrize(
    "basis",
    [
        "poly(hp, 4)", "poly(hp, degree=3, raw=True)", "poly(log(hp), 2)", "bs(hp)",
        "bs(hp, df=6)", "bs(hp, 4, degree=2)", "bs(hp, knots=[80, 120], include_intercept=True)",
        "bs(hp, df=5, lower_bound=40, upper_bound=210)", "bs(year, df=5)", "cr(hp, df=5)",
        "cs(hp, knots=[80, 120])", "cr(hp, df=4, constraints='center')", "cc(hp, df=4)",
        "cc(hp, df=3, constraints='center')", "bs(hp, df=4):origin",
    ],
)  # fmt: skip
def test_bases_of_training_and_new_rows_are_those_of_formulaic(cars, basis):
    from formulaic import ModelSpec

    train, new = cars[:90], cars[90:]
    new = new[new.hp.between(train.hp.min(), train.hp.max())]
    model = tl.Ridge(1.0).fit(train, f"mpg ~ {basis}")
    spec = ModelSpec(f"1 + {basis}", ensure_full_rank=False)
    fitted = spec.get_model_matrix(train)
    for rows in (train, new):
        expected = np.asarray(fitted.model_spec.get_model_matrix(rows), dtype=float)[:, 1:]
        assert design_of(model, rows) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_splines_go_on_beyond_the_training_rows(cars):
    far = pd.DataFrame({"hp": [250.0, 300, 350]})
    natural = tl.LinearRegression().fit(cars, "mpg ~ cr(hp, df=5)").predict(far)
    assert natural[0] - natural[1] == pytest.approx(natural[1] - natural[2])
    once = tl.LinearRegression().fit(cars, "mpg ~ bs(hp)").predict(far)  # one cubic polynomial
    assert once == pytest.approx(tl.LinearRegression().fit(cars, "mpg ~ poly(hp, 3)").predict(far))
    year = tl.LinearRegression().fit(cars, "mpg ~ cc(hp, df=4, lower_bound=0, upper_bound=250)")
    ahead = cars.assign(hp=cars.hp + 250)
    assert year.predict(ahead) == pytest.approx(year.predict(cars))


@pytest.mark.parametrize("formula", [FORMULA, "mpg ~ bs(hp, df=6) + poly(weight, 2)"])
def test_a_formula_is_read_from_a_file(cars, tmp_path, formula):
    for name, part in {"a": cars[:50], "b": cars[50:]}.items():
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    files = str(tmp_path / "*.csv")
    model = tl.LinearRegression().fit(files, formula)
    in_memory = tl.LinearRegression().fit(cars, formula)
    assert model.coef_ == pytest.approx(in_memory.coef_)
    assert model.predict(files) == pytest.approx(in_memory.predict(cars))


def test_folds_encode_the_formula_of_their_own_rows(cars):
    found = tl.evaluate(tl.LinearRegression(), cars, FORMULA)
    by_hand = tl.evaluate(tl.LinearRegression(), columns(cars, *BY_HAND), cars.mpg)
    for one, other in zip(found.records(), by_hand.records(), strict=True):
        assert one["value"] == pytest.approx(other["value"])


def test_learners_without_formulas_use_its_columns(cars):
    learners = [tl.LinearRegression(), tl.DecisionTreeRegressor(max_depth=3)]
    text = str(tl.compare(learners, cars, "mpg ~ log(hp) * origin"))
    assert "LinearRegression()" in text
    assert "DecisionTreeRegressor" in text
    assert tl.DecisionTreeRegressor().fit(cars, "mpg ~ log(hp)").schema_.names == ("hp",)


def test_rows_with_missing_values_are_dropped_and_counted(cars):
    holes = cars.copy()
    holes.loc[[3, 7], "hp"] = np.nan
    holes.loc[9, "weight"] = np.nan  # which the formula does not use
    model = tl.LinearRegression().fit(holes, FORMULA)
    complete = tl.LinearRegression().fit(cars.drop(index=[3, 7]), FORMULA)
    assert np.array_equal(model.coef_, complete.coef_)
    assert model.unanswered_.gappy == 2
    assert "2 of 120 rows" in str(model.summary())
    with pytest.raises(ColumnError, match=r"'hp' is missing in row 3"):
        model.predict(holes)
    with pytest.raises(ColumnError, match=r"'hp' is missing in row 3"):
        tl.LinearRegression(missing="refuse").fit(holes, FORMULA)


def test_a_level_that_was_never_seen_counts_as_the_reference(cars):
    model = tl.LinearRegression().fit(cars, "mpg ~ hp + origin")
    strange = cars[:1].assign(origin="mars")
    assert model.predict(strange) == model.predict(cars[:1].assign(origin="eu"))
    assert "mars" in str(model.explain(strange))
    assert not np.isfinite(model.predict_interval(strange)).any()


def test_variance_inflation_factors_are_those_of_their_definition(cars):
    model = tl.LinearRegression().fit(cars, "mpg ~ hp + weight + origin")
    x = np.column_stack([cars.hp, cars.weight, columns(cars, "jp", "usa")])
    expected = np.diag(np.linalg.inv(np.corrcoef(x.T)))
    found = [row["vif"] for row in model.summary(vif=True).records()]
    assert found[0] is None
    assert found[1:] == pytest.approx(expected)
    assert "VIF" in str(model.summary(vif=True))
    assert "VIF" not in str(model.summary())


def test_a_collinear_column_has_no_finite_inflation_factor():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 2))
    table = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": x.sum(axis=1), "y": x[:, 0]})
    found = tl.LinearRegression().fit(table, "y").summary(vif=True)
    assert np.isinf(found.vif[1:]).all()


@pytest.mark.parametrize(
    ("formula", "error", "facts"),
    [
        ("mpg ~ hpp", ColumnError, ["'hpp'", "Did you mean 'hp'"]),
        ("log(mpg) ~ hp", TargetError, [r"log\(mpg\)", "Add a column"]),
        ("~ hp", TargetError, ["no target"]),
        ("mpg ~", OptionError, ["no terms"]),
        ("mpg ~ 1", OptionError, ["no column"]),
        ("mpg ~ hp +", OptionError, ["cannot be parsed"]),
        ("mpg ~ hp ~ weight", OptionError, ["two tildes"]),
        ("mpg ~ hp + mpg", TargetError, ["'mpg'", "Leave it out"]),
        ("mpg ~ log(origin)", ColumnError, ["'origin'", "convert"]),
        ("mpg ~ bs(hp, df=2)", OptionError, ["df=2", "df=3 or more"]),
        ("mpg ~ bs(hp, df=4, knots=[90])", OptionError, ["both df and knots"]),
        ("mpg ~ bs(hp, knots=[900])", OptionError, ["knot 900", "lower_bound"]),
        ("mpg ~ bs(hp, lower_bound=90, upper_bound=80)", OptionError, ["lower_bound=90"]),
        ("mpg ~ bs(hp, extrapolation='clip')", OptionError, ["'extrapolation'", "df=..."]),
        ("mpg ~ bs(hp, df=weight)", OptionError, ["df='weight'", "whole number"]),
        ("mpg ~ bs(hp, degree=0)", OptionError, ["degree of 1 or more"]),
        ("mpg ~ poly(hp, 11)", OptionError, ["degree=11", "from 1 to 10"]),
        ("mpg ~ poly(year, 3)", ColumnError, [r"poly\(year, 3\)", "at most 2"]),
        ("mpg ~ poly(origin, 2)", ColumnError, ["'origin'", "convert"]),
        ("mpg ~ cr(hp)", OptionError, ["neither df nor knots"]),
        ("mpg ~ cr(hp, df=1)", OptionError, ["df=1", "below 2"]),
        ("mpg ~ cr(year, knots=[71, 72])", OptionError, ["knot 72", "end of the range"]),
        ("mpg ~ cr(hp, df=4, constraints='none')", OptionError, ["'center'"]),
        ("mpg ~ bs(year - year)", ColumnError, ["1 distinct value"]),
        ("mpg ~ lgo(hp)", OptionError, [r"lgo\(hp\)", "log10"]),
        ("mpg ~ hp | weight", OptionError, [r"'\|'"]),
        ("mpg ~ log(weight - 2)", ColumnError, [r"log\(weight - 2\)", "row", "weight is"]),
        ("mpg ~ C(fuel, Treatment('x'))", OptionError, ["'x'", "'d'"]),
        ("mpg ~ hp + offset(weight)", OptionError, ["PoissonRegressor"]),
        ("mpg ~ eval('1')", OptionError, ["not supported"]),
    ],
)
def test_a_bad_formula_says_what_is_wrong(cars, formula, error, facts):
    with pytest.raises(error) as caught:
        tl.LinearRegression().fit(cars, formula)
    for fact in facts:
        assert caught.match(fact)


def test_a_column_of_text_is_refused(cars):
    table = tl.table(cars.assign(note="some words here"), text=["note"])
    with pytest.raises(ColumnError, match="'note'"):
        tl.LinearRegression().fit(table, "mpg ~ hp + note")


def test_options_that_a_formula_says_itself_are_refused(cars):
    with pytest.raises(OptionError, match=r"degree=2.*I\(x\*\*2\)"):
        tl.LinearRegression(degree=2).fit(cars, "mpg ~ hp")
    with pytest.raises(OptionError, match="Treatment"):
        tl.LinearRegression(reference={"origin": "usa"}).fit(cars, "mpg ~ origin")
    with pytest.raises(OptionError, match="partial_fit"):
        tl.LinearRegression().partial_fit(cars, "mpg ~ hp")


def test_without_formulaic_the_error_has_the_line_to_install_it(cars, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "formulaic"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(OptionError, match="pip install formulaic"):
        tl.LinearRegression().fit(cars, "mpg ~ hp")


@pytest.mark.parametrize("text", ["__import__('os')", "hp.values", "hp[0]", "lambda: 1", "(hp, 1)"])
def test_a_factor_is_never_code(text):
    with pytest.raises(OptionError):
        parse_factor(text)


def test_a_column_named_with_a_tilde_is_a_column(cars):
    table = cars[["hp"]].assign(**{"a ~ b": cars.mpg})
    assert tl.LinearRegression().fit(table, "a ~ b").schema_.names == ("hp",)
