"""Reports in Chromium: the form predicts as the model, the slider counts, no page is too broad."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import tallylearn as tl
from tests.exporters.comparison import plain_rows
from tests.tables import mixed_table

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
WIDTHS = (375, 768, 1280)
LEARNERS = {
    "bayes": tl.NaiveBayes(),
    "logistic": tl.LogisticRegression(),
    "tree": tl.DecisionTreeClassifier(max_depth=4),
    "boosting": tl.HistGradientBoostingClassifier(max_iter=10),
    "neighbours": tl.KNeighborsClassifier(5),
    "discriminant": tl.LinearDiscriminantAnalysis(),
    "pipeline": tl.Pipeline([("scale", tl.StandardScaler()), ("last", tl.LogisticRegression())]),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module", params=LEARNERS)
def case(request: Any, tmp_path_factory: Any) -> tuple[Path, Any]:
    model = LEARNERS[request.param].fit(tl.example("loans"))
    path = tmp_path_factory.mktemp("reports") / f"{request.param}.html"
    tl.report(model, tl.example("loans"), cv=3, by="purpose", include_rows=True).save(path)
    return path, model


def opened(browser: Browser, path: Path, errors: list[str], **options: Any) -> Page:
    page = browser.new_context(offline=True, **options).new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda one: None if one.url.startswith("file:") else errors.append(one.url))
    page.goto(path.as_uri())
    return page


def loan_rows(n: int) -> Any:
    """Random rows of loans, some values missing."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "applied": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 365, n), "D"),
        "amount": rng.integers(800, 90_000, n).astype(float),
        "income": rng.integers(7_000, 150_000, n).astype(float),
        "employment": rng.choice(["employed", "retired", "self-employed", "unemployed"], n),
        "years_employed": rng.random(n) * 30,
        "debt_ratio": rng.random(n) * 80,
        "late_payments": rng.integers(0, 6, n).astype(float),
        "purpose": rng.choice(["business", "car", "education", "home", "other"], n),
    })  # fmt: skip
    return frame.mask(rng.random(frame.shape) < 0.05)


def test_the_model_in_the_page_predicts_as_the_model(browser: Browser, case: Any) -> None:
    path, model = case
    rows = loan_rows(1000)
    errors: list[str] = []
    page = opened(browser, path, errors)
    text = rows.assign(applied=rows["applied"].dt.strftime("%Y-%m-%d"))
    found = page.evaluate("rows => JSON.parse(rows).map(model)", json.dumps(plain_rows(text)))
    asked = rows.assign(loan_id=None) if "loan_id" in model.feature_names_in_ else rows
    shares = model.predict_proba(asked)
    assert np.allclose([one["probabilities"] for one in found], shares, rtol=0, atol=1e-12)
    clear = np.abs(shares[:, 0] - shares[:, 1]) > 1e-9
    said = np.array([one["class"] for one in found])
    assert (said == model.predict(asked))[clear].all()
    assert errors == []


def test_a_changed_field_changes_the_prediction(browser: Browser, case: Any) -> None:
    path, model = case
    errors: list[str] = []
    page = opened(browser, path, errors)
    form, result = page.locator("#what-if form"), page.locator("#what-if .result")
    assert "At the first values" in result.inner_text()
    form.locator("[name=amount]").fill("60000")
    row = {one.get_attribute("name"): one.input_value() for one in form.locator("[name]").all()}
    numbers = ("amount", "income", "years_employed", "debt_ratio", "late_payments")
    row = {name: float(value) if name in numbers else value for name, value in row.items()}
    missing = {name: None for name in model.feature_names_in_ if name not in row}
    share = model.predict_proba({**row, **missing})[0]
    for value in share:
        assert f"{100 * value:.1f} %" in result.inner_text()
    form.get_by_role("button", name="First values").click()
    page.wait_for_function(
        "document.querySelector('#what-if .result').innerText.includes('At the first values')"
    )
    form.locator("[name=amount]").fill("many")
    assert form.locator("[name=amount]").get_attribute("aria-invalid") == "true"
    assert errors == []


def test_the_slider_counts_the_mistakes(browser: Browser, case: Any) -> None:
    path, _ = case
    errors: list[str] = []
    page = opened(browser, path, errors)
    box = page.locator("#threshold")
    box.locator("[name=false_negative]").fill("5")
    box.get_by_role("button", name="Smallest cost").click()
    table = dict(line.split("\t") for line in box.locator("table").inner_text().splitlines())
    cost = 5 * float(table["true yes predicted no"]) + float(table["true no predicted yes"])
    assert float(table["cost of the mistakes"]) == pytest.approx(cost)
    assert errors == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_is_broader_than_the_screen(
    browser: Browser, case: Any, width: int, theme: Any
) -> None:
    path, _ = case
    errors: list[str] = []
    size: Any = {"width": width, "height": 800}
    page = opened(browser, path, errors, viewport=size, color_scheme=theme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert errors == []


def test_a_regressor_shows_its_value(browser: Browser, tmp_path: Path) -> None:
    table = mixed_table()[["length", "width", "colour", "price"]]
    model = tl.Ridge().fit(table, "price")
    path = tmp_path / "price.html"
    tl.report(model, table, "price", cv=3).save(path)
    errors: list[str] = []
    page = opened(browser, path, errors)
    rows = table.drop(columns="price")
    found = page.evaluate("rows => JSON.parse(rows).map(model)", json.dumps(plain_rows(rows)))
    assert np.allclose([one["value"] for one in found], model.predict(rows), rtol=1e-12)
    assert page.locator("#threshold").count() == 0
    assert errors == []
