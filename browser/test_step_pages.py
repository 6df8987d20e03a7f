"""Step pages in Chromium: every control moves the step, and the last one is the fitted model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.workings.stepped_models import CASES
from tests.workings.test_step_sequence import same

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
WIDTHS = (375, 768, 1280)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module", params=CASES)
def case(request: Any, tmp_path_factory: Any) -> tuple[Path, dict[str, Any], int]:
    steps, fitted = CASES[request.param]()
    path = tmp_path_factory.mktemp("pages") / f"{request.param}.html"
    steps.save(path)
    return path, fitted, len(steps)


def opened(browser: Browser, path: Path, errors: list[str], **options: Any) -> Page:
    page = browser.new_context(offline=True, **options).new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda one: None if one.url.startswith("file:") else errors.append(one.url))
    page.goto(path.as_uri())
    return page


def shown(page: Page) -> int:
    """The number of the only step that is seen."""
    seen = [i for i, one in enumerate(page.locator("ol > li").all()) if one.is_visible()]
    assert len(seen) == 1
    return seen[0]


def test_every_control_moves_the_step(browser: Browser, case: Any) -> None:
    path, fitted, n = case
    errors: list[str] = []
    page = opened(browser, path, errors)
    assert shown(page) == 0
    assert page.locator("button[name=back]").is_disabled()
    page.get_by_role("button", name="Next step").click()
    assert shown(page) == 1
    page.get_by_role("button", name="Previous step").click()
    assert shown(page) == 0
    page.keyboard.press("ArrowRight")
    assert shown(page) == 1
    page.keyboard.press("Home")
    assert shown(page) == 0
    page.get_by_role("slider").fill(str(n - 1))
    assert shown(page) == n - 1
    page.keyboard.press("Home")
    page.locator("h1").click()
    page.keyboard.press("End")
    assert shown(page) == n - 1
    assert page.locator("output").inner_text() == f"Step {n} of {n}"
    assert page.locator("button[name=next]").is_disabled()
    data = json.loads(page.locator("script[type='application/json']").inner_text())
    for key, value in fitted.items():
        same(data["steps"][shown(page)]["numbers"][key], value)
    caption = data["steps"][-1]["caption"]
    assert page.locator("ol > li").nth(n - 1).locator("h2").inner_text() == caption
    assert errors == []


def test_play_goes_to_the_end_and_stops(browser: Browser, case: Any) -> None:
    path, _, n = case
    errors: list[str] = []
    page = browser.new_page()
    page.clock.install()
    page.goto(path.as_uri())
    page.get_by_role("button", name="Play or pause").click()
    assert page.locator("button[name=play]").inner_text() == "Pause"
    page.clock.run_for(1600)
    assert shown(page) == 1
    page.clock.run_for(1500 * n)
    assert shown(page) == n - 1
    assert page.locator("button[name=play]").inner_text() == "Play"
    assert errors == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_fits_its_screen(browser: Browser, case: Any, width: int, theme: str) -> None:
    path, _, n = case
    errors: list[str] = []
    size = {"width": width, "height": 800}
    page = opened(browser, path, errors, viewport=size, color_scheme=theme)
    for _ in range(min(n, 6)):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.keyboard.press("ArrowRight")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (theme == "light")
    assert errors == []


def test_print_and_no_script_show_every_step(browser: Browser, case: Any) -> None:
    path, _, n = case
    page = opened(browser, path, [])
    page.emulate_media(media="print")
    assert sum(one.is_visible() for one in page.locator("ol > li").all()) == n
    assert not page.locator("nav").first.is_visible()
    plain = opened(browser, path, [], java_script_enabled=False)
    assert sum(one.is_visible() for one in plain.locator("ol > li").all()) == n


def test_the_tree_in_the_last_picture_of_id3_is_the_fitted_tree(
    browser: Browser, tmp_path: Path
) -> None:
    import tallylearn as tl

    tree = tl.ID3().fit(tl.example("tennis"), "PlayTennis")
    tree.steps().save(tmp_path / "id3.html")
    page = opened(browser, tmp_path / "id3.html", [])
    page.locator("h1").click()
    page.keyboard.press("End")
    last = page.locator("ol > li").last
    drawn = last.locator("svg g:has(> rect.node) > text[font-weight=bold]").all_text_contents()
    nodes = tree.plot().data["nodes"]
    assert drawn == [f"{one['split']}?" if one["split"] else one["answer"] for one in nodes]
