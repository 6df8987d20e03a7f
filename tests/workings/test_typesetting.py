"""MathML: well-formed, of MathML Core, with the letters and digits of the text."""

from __future__ import annotations

import re
import unicodedata
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallylearn.workings import Derivation, Formula
from tallylearn.workings.typesetting import MAX_UNBROKEN, mathml
from tests.learners import CASES
from tests.tables import mixed_table

# https://www.w3.org/TR/mathml-core/: the elements that are used, and how many children they have
CHILDREN = {"mfrac": 2, "msup": 2, "msub": 2, "mover": 2}
ROWS = {"math", "mrow", "msqrt"}
TOKENS = {"mi", "mn", "mo", "mtext"}
ATTRIBUTES = {
    "math": {"displaystyle"}, "mo": {"form", "stretchy", "lspace", "rspace"},
    "mspace": {"width"}, "mover": {"accent"},
}  # fmt: skip
SAME = str.maketrans(
    {"∑": "Σ", "−": "-", "½": "12", "²": "2", "³": "3", "ᵀ": "T", "⁻": "-", "¹": "1"}
)


def plain(text: str) -> str:
    """Letters and digits, without accents."""
    text = re.sub(r"(?<!\w)sqrt(?=\()", "", text).translate(SAME)
    text = re.sub(r"(?<=\d)e([+-]?)0*(\d+)(?!\w)", r"10\2", text)
    return re.sub(r"[^A-Za-z0-9Σθλαμσωπ]", "", unicodedata.normalize("NFD", text))


def check(markup: str) -> list[ElementTree.Element]:
    """The elements of a formula, each as MathML Core has it."""
    root = ElementTree.fromstring(f"<p>{markup}</p>")
    found = [each for each in root.iter() if each is not root]
    assert [*root]
    assert {each.tag for each in root} == {"math"}
    for each in found:
        assert set(each.attrib) <= ATTRIBUTES.get(each.tag, set()), each.tag
        if each.tag in TOKENS:
            assert len(each) == 0
            assert each.text
        else:
            assert not (each.text or "").strip()
            assert each.tag in ROWS or each.tag == "mspace" or len(each) == CHILDREN[each.tag]
    return found


@given(st.text(alphabet=st.sampled_from("aPx1290(){}[]|²³ᵀ^√=+-·/,. Σθ_iŷ<&>"), max_size=40))
def test_any_text_is_well_formed(text: str) -> None:
    check(mathml(text) if text else mathml("x"))


@given(st.text(max_size=40, min_size=1))
def test_no_letter_is_lost(text: str) -> None:
    markup = "".join(ElementTree.fromstring(f"<p>{mathml(text)}</p>").itertext())
    for letter in set(re.findall(r"[A-Za-z]{3,}", text)) - {"sqrt"}:
        assert letter in re.sub(r"\s", "", markup)


WRITTEN = {
    "Gain(S, Wind) = 0.9403 - 6/14 · 1": "<mfrac><mn>6</mn><mn>14</mn></mfrac><mo>·</mo><mn>1</mn>",
    "-5/14 · log2(5/14)": '<mo form="prefix">−</mo>',
    "log2(3)": "<msub><mi>log</mi><mn>2</mn></msub><mrow><mo>(</mo>",
    "(5/14)²": "<msup><mrow><mo>(</mo><mfrac>",
    "ŷ = 1": '<mover accent="true"><mi>y</mi><mo>^</mo></mover>',
    "w_i x̄_i": '<msub><mover accent="true"><mi>x</mi><mo>¯</mo></mover><mi>i</mi></msub>',
    "(XᵀX)⁻¹ Xᵀy": "<msup><mrow><mo>(</mo><msup><mi>X</mi><mi>T</mi></msup><mi>X</mi><mo>)</mo>",
    "sqrt(x + 1)": "<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>",
    "1.5e-07": "<msup><mn>10</mn><mn>−7</mn></msup>",
    "a < b": "<mo>&lt;</mo>",
    "the first word": "<mtext>the first word</mtext>",
    "P(D | h)": 'lspace="0.22em"',
    "|Sv|": 'lspace="0em"',
}


@pytest.mark.parametrize("text", WRITTEN)
def test_an_equation_is_set_as_it_is_read(text: str) -> None:
    assert WRITTEN[text] in mathml(text)
    check(mathml(text))


def test_a_long_equation_breaks_at_its_signs() -> None:
    text = "Gain = 0.5 " + "".join(f"- {i}/30 · 0.25 " for i in range(1, 9)) + "= 0.1"
    assert len(text) > MAX_UNBROKEN
    parts = mathml(text).split("</math> ")
    assert len(parts) == 11
    assert all('form="infix"' in part for part in parts[1:])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_formulas_of_every_learner_are_mathml(case) -> None:
    frame = mixed_table()
    model = case.make().fit(case.table(frame), case.target)
    work = model.show_work()
    working = [step for row in model.explain(case.rows(frame)[:3]) for step in row.working]
    formulas = [s for s in (*work.steps, *working) if isinstance(s, Formula)]
    for one in formulas:
        markup = mathml(one.text)
        check(markup)
        said = "".join(ElementTree.fromstring(f"<p>{markup}</p>").itertext())
        assert plain(said) == plain(one.text)
    page = Derivation("", tuple(formulas)).to_html()
    assert page.count('<p class="tally-formula">') == len(formulas)
