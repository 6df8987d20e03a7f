"""Equations: what stands on the terminal is what TeX is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.workings import equation

WRITTEN = {
    "P(odd | low) = 2/3 · 1/2 / (1/2) = 2/3": (
        r"P(\text{odd} \mid \text{low}) = \frac{2}{3} \cdot \frac{1}{2} / (\frac{1}{2}) "
        r"= \frac{2}{3}"
    ),
    "L(θ) = θ^2 · (1 - θ)^1": r"L(\theta) = \theta^{2} \cdot (1 - \theta)^{1}",
    "ω makes odd true": r"\omega\ \text{makes odd true}",
    "makes (x1 ∨ x2) ∧ ¬x3": r"\text{makes}\ (x_{1} \vee x_{2}) \wedge \neg x_{3}",
    "P(h) P(D | h)": r"P(h)\,P(D \mid h)",
    "1 / sqrt(2 π s²)": r"1 / \sqrt{2\,\pi\,s^{2}}",
    "m log(1 / s)": r"m \log(1 / s)",
    "2^(n + 1)": r"2^{n + 1}",
    "a^b^c": r"a^{b}{}^{c}",
    "∏ P(Ai | A1, …, Ai-1)": r"\prod P(A_{i} \mid A_{1}, \dots, A_{i-1})",
    "P({1, 2}) = 1.5e-07": r"P(\{1, 2\}) = 1.5\cdot10^{-7}",
    "50% of a_b ^": r"50\text{\% of a\_b \textasciicircum{}}",
    "E[X] = -10/3": r"E[X] = -\frac{10}{3}",
    "d log L / dθ": r"d \log L / d\theta",
    "sqrt(": r"\sqrt{(}",
    "it's play-tennis": r"\text{it's play-tennis}",
    "P(x2y)": r"P(\text{x2y})",
    " two  words ": r" \text{two words} ",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_an_equation_is_set_as_it_is_read(text: str) -> None:
    assert equation(text).latex == WRITTEN[text]
    assert equation(text).text == text


@given(st.text(max_size=40))
def test_any_text_is_balanced_and_keeps_its_letters(text: str) -> None:
    tex = equation(text).latex
    bare = tex.replace(r"\{", "").replace(r"\}", "")
    depth = 0
    for letter in bare:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    assert depth == 0
    assert r"\frac{}" not in tex
    assert "^{}^" not in tex


def test_bayes_theorem_has_no_empty_fraction() -> None:
    dice = tl.ProbabilitySpace.uniform(range(1, 7))
    markdown = dice.bayes({1}, given={1, 2}).to_markdown()
    assert r"P(\{1\} \mid \{1, 2\}) = P(\{1, 2\} \mid \{1\})\,P(\{1\}) / P(\{1, 2\})" in markdown
    assert r"\frac{}{}" not in markdown
