"""An algorithm step by step: states with a caption, numbers, equations and a picture."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tallylearn.errors import item_at
from tallylearn.reporting.charts import Plot
from tallylearn.reporting.formatting import escape_html, plain_data
from tallylearn.reporting.report import Report
from tallylearn.workings.derivations import (
    Derivation,
    Sentence,
    Step,
    read_parts,
)

STEP_STYLE = (
    ".tally-steps{--line:#c9c9c9;--accent:#0072b2;--card:#f6f6f6}"
    ".tally-steps h1{font-size:1.4em;margin:.2em 0 .6em}"
    ".tally-steps h2{font-size:1.1em;margin:.2em 0 .6em}"
    ".tally-steps nav{display:none}"
    ".tally-steps ol{list-style:none;margin:0;padding:0}"
    ".tally-steps li{margin:1em 0;padding:.8em 1em;border:1px solid var(--line);border-radius:8px}"
    ".tally-steps .working{overflow-x:auto}"
    ".tally-steps figure{margin:.6em 0;overflow-x:auto}"
    ".tally-steps figure svg{max-width:100%;height:auto;display:block;margin:auto}"
    ".tally-steps.live nav{display:flex;flex-wrap:wrap;gap:.5em;align-items:center;"
    "position:sticky;top:0;padding:.5em;margin:0 0 .6em;background:var(--card);"
    "border:1px solid var(--line);border-radius:8px;z-index:1}"
    ".tally-steps.live li[hidden]{display:none}"
    ".tally-steps button{font:inherit;min-width:2.6em;min-height:2.4em;padding:.2em .7em;"
    "border:1px solid var(--line);border-radius:6px;background:Canvas;color:CanvasText;"
    "cursor:pointer}"
    ".tally-steps button:disabled{opacity:.45;cursor:default}"
    ".tally-steps button:focus-visible,.tally-steps input:focus-visible"
    "{outline:3px solid var(--accent);outline-offset:1px}"
    ".tally-steps input{flex:1 1 8em;min-width:6em;accent-color:var(--accent)}"
    ".tally-steps output{white-space:nowrap}"
    "@media(prefers-color-scheme:dark){.tally-steps{--line:#4a4a4a;--accent:#5aa9f0;--card:#242424}}"
    "@media print{.tally-steps.live nav{display:none}.tally-steps.live li[hidden]{display:block}"
    ".tally-steps li{break-inside:avoid;border-color:#999}}"
)
# The buttons, the slider and the keys change one number, the step that is shown.
STEP_SCRIPT = """
document.querySelectorAll(".tally-steps:not(.live)").forEach(function (box) {
  var steps = Array.from(box.querySelectorAll("ol > li")), at = 0, timer = null;
  var slider = box.querySelector("input"), status = box.querySelector("output");
  var button = {};
  box.querySelectorAll("button").forEach(function (one) { button[one.name] = one; });
  function show(step) {
    at = Math.max(0, Math.min(steps.length - 1, step));
    steps.forEach(function (one, i) { one.hidden = i !== at; });
    slider.value = at;
    slider.setAttribute("aria-valuetext", "Step " + (at + 1) + " of " + steps.length);
    status.textContent = "Step " + (at + 1) + " of " + steps.length;
    button.first.disabled = button.back.disabled = at === 0;
    button.next.disabled = button.last.disabled = at === steps.length - 1;
  }
  function stop() {
    clearInterval(timer); timer = null;
    button.play.textContent = "Play";
  }
  function play() {
    if (timer !== null) return stop();
    if (at === steps.length - 1) show(0);
    button.play.textContent = "Pause";
    timer = setInterval(function () {
      if (at === steps.length - 1) stop(); else show(at + 1);
    }, 1500);
  }
  function go(step) { stop(); show(step); }
  button.first.onclick = function () { go(0); };
  button.back.onclick = function () { go(at - 1); };
  button.next.onclick = function () { go(at + 1); };
  button.last.onclick = function () { go(steps.length - 1); };
  button.play.onclick = play;
  slider.oninput = function () { go(Number(slider.value)); };
  document.addEventListener("keydown", function (event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target === slider || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    var boxes = document.querySelectorAll(".tally-steps");
    if (boxes.length > 1 && !box.contains(event.target)) return;
    var key = event.key;
    if (key === "ArrowRight" || key === "PageDown") go(at + 1);
    else if (key === "ArrowLeft" || key === "PageUp") go(at - 1);
    else if (key === "Home") go(0);
    else if (key === "End") go(steps.length - 1);
    else if (key === " " && event.target.tagName !== "BUTTON") play();
    else return;
    event.preventDefault();
  });
  box.classList.add("live");
  show(0);
});
"""


@dataclass(frozen=True)
class AlgorithmStep:
    """A state of an algorithm."""

    caption: str
    numbers: dict[str, Any] = field(default_factory=dict)  # plain data: what the state is
    parts: tuple[Step, ...] = ()  # equations, tables and sentences
    plot: Plot | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "caption": self.caption,
            "numbers": plain_data(self.numbers),
            "parts": [part.to_dict() for part in self.parts],
            "plot": None if self.plot is None else plain_data(self.plot.data),
        }

    def to_html(self) -> str:
        working = "\n".join(part.to_html() for part in self.parts)
        drawn = "" if self.plot is None else f"<figure>{self.plot.svg}</figure>"
        return (
            f'<h2>{escape_html(self.caption)}</h2>\n{drawn}\n<div class="working">{working}</div>'
        )


@dataclass(frozen=True)
class StepSequence(Report):
    """The steps of an algorithm on a table, from its first state to the fitted model.

    ``save("steps.html")`` writes a page on which a reader goes through the steps with buttons, a
    slider or the arrow keys. The page needs no other file and no network.

    >>> steps = StepSequence("Sum", (AlgorithmStep("0 + 1 = 1", {"sum": 1}),))
    >>> steps[-1].numbers
    {'sum': 1}
    """

    title: str
    steps: tuple[AlgorithmStep, ...]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[AlgorithmStep]:
        return iter(self.steps)

    def __getitem__(self, place: int) -> AlgorithmStep:
        found: AlgorithmStep = item_at(self.steps, place, "steps")
        return found

    def to_dict(self) -> dict[str, Any]:
        return {"title": self.title, "steps": [step.to_dict() for step in self.steps]}

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        every = len(found["steps"])
        lines: list[Step] = []
        for at, step in enumerate(found["steps"], 1):
            lines.append(Sentence(f"Step {at} of {every}: {step['caption']}"))
            lines += read_parts(step["parts"])
        return Derivation(found["title"], tuple(lines))

    def to_html(self) -> str:
        """The steps as a fragment of HTML with buttons, a slider and keys.

        Returns
        -------
        str
            HTML that needs no other file. Without JavaScript, and in print, it shows all steps.
        """
        last = len(self.steps) - 1
        buttons = "".join(
            f'<button type="button" name="{name}" aria-label="{said}">{text}</button>'
            for name, said, text in (
                ("first", "First step", "|◀"), ("back", "Previous step", "◀ Back"),
                ("play", "Play or pause", "Play"), ("next", "Next step", "Next ▶"),
                ("last", "Last step", "▶|"),
            )
        )  # fmt: skip
        items = "\n".join(f"<li>{step.to_html()}</li>" for step in self.steps)
        data = json.dumps(self.to_dict(), ensure_ascii=True, allow_nan=False).replace(
            "<", "\\u003c"
        )
        title = escape_html(self.title)
        return (
            f"<style>{STEP_STYLE}</style>\n"
            f'<section class="tally-steps" aria-label="{title}">\n<h1>{title}</h1>\n'
            f'<nav aria-label="Steps">{buttons}<input type="range" min="0" max="{last}" value="0" '
            f'aria-label="Step"><output aria-live="polite"></output></nav>\n'
            f"<ol>\n{items}\n</ol>\n"
            f'<script type="application/json">{data}</script>\n</section>\n'
            f"<script>{STEP_SCRIPT}</script>"
        )
