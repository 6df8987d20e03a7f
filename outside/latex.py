"""All LaTeX that the library prints, read by KaTeX: it parses, and says what the text says.

``python -m outside.latex`` gathers the Markdown of every learner's derivation and explanation, of
every row of the catalogue, of reasoning about names that TeX would take amiss, and the formulas of
the pages on the notes. A formula fails if KaTeX cannot read it, if a fraction is empty, or if its
letters, digits and words are not those of the text beside it.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import tallylearn as tl
from tallylearn.reporting.formatting import printable_text
from tallylearn.reporting.report import Report
from tallylearn.workings import Derivation, Equations, Explanation, Formula, equation
from tests.learners import CASES
from tests.tables import mixed_table
from tests.test_catalogue import ROWS

ROOT = Path(__file__).parent.parent
MATH = re.compile(r"(?<!\\)\$\$(.+?)\$\$|(?<![\\$])\$(?!\$)((?:\\.|[^$\\])+)\$", re.DOTALL)
SUPERSCRIPTS = str.maketrans({"²": "2", "³": "3", "ᵀ": "T", "¹": "1", "½": "12"})
NAMES = (
    "50% off",
    "a_b",
    "x^2",
    r"\frac{",
    "{",
    "}",
    "$5",
    "a&b",
    "#1",
    "~",
    "3/0",
    "it's",
    "a-b",
    "1e5",
    "two words",
    "^",
    "²",
    "x^y^z",
    "sqrt(",
    "log",
    "<b>",
    "α",
    "P(A | B)",
    "Ünïcode",
)


class Found(NamedTuple):
    """A formula, where it was printed, and the text it stands for, where there is one."""

    where: str
    tex: str
    text: str | None = None


def learners() -> Iterator[tuple[str, Report]]:
    """What every learner shows of itself and of three rows."""
    frame = mixed_table()
    for case in CASES:
        model = case.make().fit(case.table(frame), case.target)
        yield case.name, model.show_work()
        yield case.name, model.explain(case.rows(frame)[:3])


def catalogue() -> Iterator[tuple[str, Report]]:
    """What the rows of the catalogue show."""
    for name, (_, _, row) in ROWS.items():
        shown: list[object] = []
        row(shown.append)
        yield from ((name, thing) for thing in shown if isinstance(thing, Report))


def reasoning() -> Iterator[tuple[str, Report]]:
    """Every kind of answer, about names that mean something to TeX."""
    for one, other in pairwise(NAMES):
        space = tl.ProbabilitySpace.uniform(
            [(a, b) for a in (one, other) for b in (1, 2)], [one, "b"]
        )
        first, second = space.event({one: one}), space.event({"b": 1})
        yield one, space.bayes(first, given=second)
        yield one, space.bayes(one, given=second)
        yield one, space.chain_rule(first, second, given=first | second)
        yield one, space.product_rule(first, ~second)
        yield one, space.total_probability(first, space["b"])
        yield one, space.enumerate(first & ~second, given=first)
        yield one, space.independent(first, second, space["b"])
        yield one, space.variable_rules(space["b"], first)
        yield one, space["b"]
        yield one, tl.Hypotheses.bernoulli(one, other).observe(one, one, other)
        belief = tl.Hypotheses([one, other], {h: {one: "1/3", other: "2/3"} for h in (one, other)})
        yield one, belief.observe(one, other).show_work()
        yield one, belief.bayes_error()
        yield one, belief.decide({h: {one: 1, other: 0.5} for h in (one, other)})
    yield "noise", tl.Hypotheses.functions({"h": abs}).observe((1, 2)).show_work()
    yield "family", tl.Hypotheses.family(lambda d, t: -((d - t) ** 2), 0, 1).observe(0.3)


def gathered() -> Iterator[Found]:
    """The formulas of all Markdown, and those of derivations with their text."""
    for where, shown in (*learners(), *catalogue(), *reasoning()):
        steps = shown.show_work() if hasattr(shown, "show_work") else shown
        for step in steps.steps if isinstance(steps, Derivation) else ():
            if isinstance(step, Formula):
                yield Found(where, step.latex, printable_text(step.text))
            elif isinstance(step, Equations):
                for text in step.equations:
                    yield Found(where, equation(text).latex, printable_text(text))
        markdown = shown.to_markdown()
        for found in MATH.finditer(markdown):
            yield Found(where, found[1] or found[2])
        tables = isinstance(shown, Explanation) and any(row.working for row in shown)
        if isinstance(shown, Explanation) and len(shown) and not tables and "$" not in markdown:
            yield Found(where, r"\error: no formula in an explanation")
    for page in sorted((ROOT / "docs" / "notes").glob("*.md")):
        formulas = re.findall(r"^\$\$(.+)\$\$$", page.read_text("utf-8"), re.MULTILINE)
        yield from (Found(page.name, formula) for formula in formulas)


def read(formulas: list[str]) -> list[dict[str, str]]:
    """What KaTeX makes of them."""
    if shutil.which("node") is None:
        sys.exit("make outside: needs node (18 or newer) and npm, from https://nodejs.org.")
    command = ["node", str(ROOT / "outside" / "katex.mjs"), str(ROOT / ".outside")]
    done = subprocess.run(command, input=json.dumps(formulas), text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"make outside: node failed.\n{done.stderr[-2000:]}")
    answers: list[dict[str, str]] = json.loads(done.stdout)
    return answers


def wrong(found: Found, answer: dict[str, str]) -> str:
    """What is wrong with a formula; nothing where it reads as it should."""
    if "error" in answer:
        return answer["error"]
    mathml = re.sub(r"<annotation.*?</annotation>", "", answer["mathml"], flags=re.DOTALL)
    if re.search(r"<mfrac><mrow></mrow>|<mrow></mrow></mfrac>", mathml):
        return "an empty fraction"
    if found.text is None or equation(found.text).latex != found.tex:
        return ""  # set by hand, in other words
    words = [html.unescape(word) for word in re.findall(r"<mtext>(.*?)</mtext>", mathml)]
    said = [re.sub(r"[\u00a0\s]+", " ", word).replace("’", "'").strip() for word in words]
    if strange := [word for word in said if word and word not in found.text]:
        return f"{strange[0]!r} is not in the text {found.text!r}"
    return _different(found.text, html.unescape(re.sub(r"<[^>]*>", "", mathml)))


def _different(text: str, seen: str) -> str:
    """Letters and digits are the same in both, in the same order."""
    said = re.sub(r"(?<!\w)sqrt(?=\()", "", text).translate(SUPERSCRIPTS)
    said = unicodedata.normalize("NFD", said)  # an accent is a letter and its mark
    said = re.sub(r"(?<=\d)e([+-]?)0*(\d+)(?!\w)", r"10\2", said)
    ours, theirs = (re.sub(r"[^A-Za-z0-9]", "", line) for line in (said, seen))
    return "" if ours == theirs else f"{theirs!r} in place of {ours!r}"


def main() -> None:
    found = [*dict.fromkeys(gathered())]
    answers = read([formula.tex for formula in found])
    pairs = zip(found, answers, strict=True)
    bad = [(formula, why) for formula, answer in pairs if (why := wrong(formula, answer))]
    for formula, why in bad[:30]:
        print(f"{formula.where}: {formula.tex}\n    {why}")
    texts = sum(formula.text is not None for formula in found)
    print(
        f"{len(found):,} formulas, {texts:,} of them beside their text: {len(bad)} fail in KaTeX."
    )
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
