"""A derivation reads the same on a terminal, in a document and in a notebook."""

import json
from fractions import Fraction

import pytest

from tallylearn.reporting import formatting
from tallylearn.workings import (
    Derivation,
    Formula,
    Grid,
    Sentence,
    equation,
    format_number,
    latex_text,
)

pytestmark = pytest.mark.filterwarnings("error")

GRID = Grid(
    "Outlook by class",
    ("Outlook", "No", "Yes"),
    (("Sunny", "3", "2"), ("Overcast", "0", "4"), ("Rain", "2", "13")),
    "Nothing was smoothed.",
)
LAPLACE = Formula("P(x | c) = (n + α) / (N + α·|X|)", r"P(x \mid c) = \frac{n+\alpha}{N+\alpha|X|}")
DERIVATION = Derivation("Naive Bayes", (Sentence("Count the rows."), GRID, LAPLACE))


def test_text_has_a_title_and_blank_lines_between_steps():
    assert str(DERIVATION) == (
        "Naive Bayes\n"
        "===========\n"
        "\n"
        "Count the rows.\n"
        "\n"
        "Outlook by class\n"
        "Outlook   No  Yes\n"
        "Sunny      3    2\n"
        "Overcast   0    4\n"
        "Rain       2   13\n"
        "Nothing was smoothed.\n"
        "\n"
        "P(x | c) = (n + α) / (N + α·|X|)"
    )


def test_markdown_has_tables_and_formulas():
    text = DERIVATION.to_markdown()
    assert text.startswith("## Naive Bayes\n\nCount the rows.\n\n**Outlook by class**\n\n")
    assert "| Outlook | No | Yes |\n| --- | ---: | ---: |\n| Sunny | 3 | 2 |\n" in text
    assert text.endswith(r"$$P(x \mid c) = \frac{n+\alpha}{N+\alpha|X|}$$")


def test_html_has_tables_and_mathml():
    page = DERIVATION.to_html()
    assert '<table class="tally-grid"><caption>Outlook by class</caption>' in page
    assert '<p class="tally-formula"><math displaystyle="true"><mi>P</mi><mrow>' in page
    assert '<p class="tally-note">Nothing was smoothed.</p>' in page
    assert DERIVATION._repr_html_() == page
    assert not hasattr(DERIVATION, "_repr_markdown_")


def test_rich_gets_the_text():
    assert DERIVATION.__rich__().plain == str(DERIVATION)


def test_hostile_cells_stay_in_their_cell():
    grid = Grid("<i>", ("a|b", "<b>"), (("x\ny", "1"),), "<u>")
    derivation = Derivation("a\nb", (grid, Formula("<tt>", "x"), Sentence("*<em>*")))
    assert str(grid).splitlines() == ["<i>", "a|b   <b>", r"x\ny    1", "<u>"]
    assert r"| a\|b | \<b\> |" in derivation.to_markdown()
    assert r"| x\\ny | 1 |" in derivation.to_markdown()
    for tag in ("<i>", "<b>", "<u>", "<tt>", "<em>"):
        assert tag not in derivation.to_html()


def test_a_long_grid_is_cut_in_text_and_whole_in_data():
    grid = Grid("Words", ("word", "n"), tuple((f"w{i}", str(i)) for i in range(352)), "Sorted.")
    lines = str(grid).splitlines()
    assert len(lines) == 1 + 1 + 40 + 2
    assert lines[-2:] == ["… and 312 more rows", "Sorted."]
    assert len(grid.to_dict()["rows"]) == 352
    forty = Grid("Words", ("word", "n"), grid.rows[:40])
    assert "more" not in str(forty)


def test_grids_without_title_header_or_rows_are_still_grids():
    assert str(Grid("", (), (("a", "1"), ("bc", "23")))) == "a    1\nbc  23"
    assert str(Grid("Nothing", ("a", "b"), ())) == "Nothing\na  b"
    assert Grid("", ("a", "b"), ()).to_markdown() == "| a | b |\n| --- | ---: |"


def test_wide_letters_keep_the_columns_straight():
    lines = str(Grid("", ("", "n"), (("東京", "1"), ("Rome", "2")))).splitlines()
    assert lines[1:] == ["東京  1", "Rome  2"]


def test_data_is_plain_json():
    data = DERIVATION.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert [step["kind"] for step in data["steps"]] == ["sentence", "grid", "formula"]
    assert data["steps"][1]["rows"][0] == ["Sunny", "3", "2"]


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.123456, "0.1235"), (-0.0, "0"), (3.0, "3"), (1.2341e-15, "1.234e-15"), (9999.4, "9999"),
     (9999.6, "10,000"), (171_634.2, "171,634"), (-1e6, "-1,000,000"), (12345678.9, "1.235e+07")],
)  # fmt: skip
def test_numbers_have_four_digits_and_prices_no_power_of_ten(number, text):
    assert format_number(number) == text


def test_thousands_are_one_number_in_formulas():
    assert equation("ȳ = 171,634 + 0.5 · 2").latex.endswith(r"= 171{,}634 + 0.5 \cdot 2")
    assert equation("P({1, 200}) = 1").latex == r"P(\{1, 200\}) = 1"


def test_names_are_safe_inside_formulas():
    assert latex_text("a_b{$}") == r"\text{a\_b\{\$\}}"


def test_counts_have_ten_places_or_four_digits():
    assert formatting.format_count(Fraction("12345.0625")) == "12345.0625"
    assert formatting.format_count(Fraction("123456.0625")) == "123,456"
    assert formatting.format_count(Fraction(7)) == "7"


def test_plain_data_keeps_what_json_knows():
    assert formatting.plain_data(None) is None
    assert formatting.plain_data(True) is True
    assert formatting.plain_data(3) == 3
    assert formatting.plain_data(0.5) == 0.5
    assert formatting.plain_data(Fraction(1, 3)) == "1/3"
