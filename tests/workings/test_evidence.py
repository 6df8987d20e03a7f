"""Evidence is written exactly as on the blackboard."""

import json
import math
from fractions import Fraction
from typing import Any

import numpy
import pytest
from rich.console import Console

import tallylearn as tl
from tallylearn.estimators import Regressor
from tallylearn.workings import Evidence, EvidenceLine, Explanation, Term
from tallylearn.workings.units import format_value

pytestmark = pytest.mark.filterwarnings("error")

COLUMNS = (
    ("", ""),
    ("Outlook", "Sunny"),
    ("Temp", "Cool"),
    ("Humidity", "High"),
    ("Wind", "Strong"),
)
NO = ("5/14", "3/5", "1/5", "4/5", "3/5")
YES = ("9/14", "2/9", "3/9", "3/9", "3/9")


def counted(column, value, above, below, **more):
    above, below = Fraction(above), Fraction(below)
    amount = math.log(above / below) if above else -math.inf
    return Term(column, value, amount, above, below, **more)


def line_of(outcome, factors, share=None, columns=COLUMNS):
    terms = [counted(*at, *f.split("/")) for at, f in zip(columns, factors, strict=True)]
    return EvidenceLine(outcome, tuple(terms), share)


def tennis(no="No", yes="Yes", notes=(), extra=()):
    lines = (line_of(yes, YES, 0.2046), line_of(no, NO, 0.7954))
    lines = tuple(EvidenceLine(line.outcome, (*line.terms, *extra), line.share) for line in lines)
    return Evidence(lines, no, "product", notes)


def centroids(chosen="setosa"):
    setosa = EvidenceLine("setosa", (Term("a", "5.1", 0.0036), Term("b", "3.5", 0.01)))
    other = EvidenceLine("virginica", (Term("a", "5.1", 2.2), Term("b", "3.5", 0.25)))
    return Evidence((other, setosa), chosen, "sum")


def test_the_tennis_day_reads_as_in_the_notes():
    assert str(tennis()) == (
        "No   5/14 · 3/5 · 1/5 · 4/5 · 3/5 = 18/875   79.5 %\n"
        "Yes  9/14 · 2/9 · 3/9 · 3/9 · 3/9 =  1/189   20.5 %"
    )


def test_outcomes_of_equal_share_keep_their_order():
    lines = tuple(line_of(name, ["1/3"], 1 / 3, COLUMNS[:1]) for name in "cab")
    text = str(Evidence(lines, "c", "product"))
    assert [line[0] for line in text.splitlines()] == ["c", "a", "b"]


def test_the_total_and_the_product_agree():
    line = tennis().lines[1]
    assert line.product == Fraction(18, 875)
    assert math.exp(line.total) == pytest.approx(18 / 875)


def test_a_single_prior_is_a_product_too():
    evidence = Evidence((line_of("No", ["2/4"], 1.0, COLUMNS[:1]),), "No", "product")
    assert str(evidence) == "No  2/4 = 1/2   100.0 %"


def test_shares_stand_under_each_other_and_may_be_absent():
    lines = (line_of("a", ["1/20"], 0.05, COLUMNS[:1]), line_of("b", ["19/20"], 0.95, COLUMNS[:1]))
    assert str(Evidence(lines, "b", "product")).splitlines() == [
        "b  19/20 = 19/20   95.0 %",
        "a   1/20 =  1/20    5.0 %",
    ]
    assert str(Evidence((EvidenceLine("a", lines[0].terms),), "a", "product")) == "a  1/20 = 1/20"


def test_pseudo_counts_are_written_as_decimals():
    term = counted("Wind", "Weak", "7/2", "13/2")
    assert term.factor == "3.5/6.5"
    assert str(Evidence((EvidenceLine("No", (term,)),), "No", "product")) == "No  3.5/6.5 = 7/13"
    assert counted("", "", Fraction(0.1) + 3, Fraction(1, 3)).factor == "3.1/0.3333"


def test_an_impossible_factor_makes_the_product_zero():
    line = line_of("No", ["5/14", "0/5"], 0.0, COLUMNS[:2])
    assert (line.total, line.product) == (-math.inf, 0)
    assert str(Evidence((line,), "Yes", "product")) == "No  5/14 · 0/5 = 0   0.0 %"
    density = EvidenceLine("No", (Term("", "", math.log(0.5)), Term("x", "9", -math.inf)))
    assert str(Evidence((density,), "Yes", "product")) == "No  0.5 · 0 = 0"


def test_infinities_of_both_signs_still_have_a_total():
    assert (
        EvidenceLine("No", (Term("", "", math.inf), Term("x", "9", -math.inf))).total == -math.inf
    )


def test_no_rows_at_all_is_no_fraction():
    line = EvidenceLine("No", (Term("", "", -math.inf, Fraction(0), Fraction(0)),))
    assert line.product is None
    assert str(Evidence((line,), "No", "product")) == "No  0/0 = 0"


def test_a_long_fraction_becomes_a_decimal():
    line = line_of("No", ["1/1000003", "2/1000033"], columns=COLUMNS[:2])
    assert str(Evidence((line,), "No", "product")).endswith("= 2e-12")
    assert line.product == Fraction(2, 1000003 * 1000033)
    exact = line_of("No", ["1/999999", "1/999999"], columns=COLUMNS[:2])
    assert str(Evidence((exact,), "No", "product")).endswith("= 1/999998000001")


def test_a_density_is_written_as_a_number_and_explained_below():
    height = Term("Height", "6.1", math.log(0.43124), text="N(6.1; 5.9, 0.52²) = 0.4312")
    evidence = Evidence(
        (
            EvidenceLine("No", (counted("", "", 5, 14), height), 0.6),
            EvidenceLine(
                "Yes", (counted("", "", 9, 14), Term("Height", "6.1", math.log(0.01))), 0.4
            ),
        ),
        "No",
        "product",
    )
    assert str(evidence).splitlines() == [
        "No   5/14 · 0.4312 =    0.154   60.0 %",
        "Yes  9/14 ·   0.01 = 0.006429   40.0 %",
        "No, Height = 6.1: N(6.1; 5.9, 0.52²) = 0.4312",
    ]


def test_a_skipped_term_is_a_note_and_no_factor():
    foggy = Term("Wind", "Foggy", 0.0, note="never seen: skipped")
    text = str(tennis(notes=("Smoothed with α = 0.",), extra=(foggy,)))
    assert text.splitlines() == [
        *str(tennis()).splitlines(),
        "Wind = Foggy: never seen: skipped",
        "Smoothed with α = 0.",
    ]


def test_a_term_skipped_for_one_outcome_leaves_its_place_blank():
    skipped = Term("Outlook", "Sunny", 0.0, note="never seen: skipped")
    no, yes = line_of("No", NO[:3], 0.6, COLUMNS[:3]), line_of("Yes", YES[:3], 0.4, COLUMNS[:3])
    no = EvidenceLine("No", (no.terms[0], skipped, no.terms[2]), 0.6)
    assert str(Evidence((no, yes), "No", "product")).splitlines() == [
        "No   5/14       · 1/5 = 1/14   60.0 %",
        "Yes  9/14 · 2/9 · 3/9 = 1/21   40.0 %",
        "No, Outlook = Sunny: never seen: skipped",
    ]


def test_a_sum_keeps_the_order_and_marks_the_chosen():
    assert str(centroids()).splitlines() == [
        "  virginica     2.2 + 0.25 =   2.45",
        "→ setosa     0.0036 + 0.01 = 0.0136",
    ]


def test_a_sum_without_a_chosen_outcome_has_no_marks():
    terms = (Term("", "", -1.5), Term("age", "30", -0.2), Term("size", "2", 4.0))
    assert (
        str(Evidence((EvidenceLine("price", terms),), 2.3, "sum")) == "price  -1.5 - 0.2 + 4 = 2.3"
    )


def test_an_infinite_amount_is_written_in_a_sum():
    terms = (Term("a", "1", 1.0), Term("b", "2", -math.inf))
    assert str(Evidence((EvidenceLine("x", terms),), "x", "sum")) == "→ x  1 - inf = -inf"


def many(how, count=9):
    columns = [("", ""), *((f"w{i}", "yes") for i in range(1, count))]
    lines = (
        line_of("ham", ["1/2"] * count, 0.25, columns),
        line_of("spam", ["2/3"] * count, 0.75, columns),
    )
    return Evidence(lines, "spam", how)


def test_more_than_eight_terms_become_a_table():
    lines = str(many("product")).splitlines()
    assert lines[:3] == [
        "               spam     ham",
        "prior           2/3     1/2",
        "w1 = yes        2/3     1/2",
    ]
    assert lines[-2:] == ["product   512/19683   1/512", "share        75.0 %  25.0 %"]
    assert len(lines) == 12
    assert len(str(many("product", 8)).splitlines()) == 2


def test_a_long_sum_becomes_a_table_with_the_total():
    lines = str(many("sum")).splitlines()
    assert lines[0].split() == ["ham", "→", "spam"]
    assert lines[1].split() == ["start", "-0.6931", "-0.4055"]
    assert lines[-2].split() == ["total", "-6.238", "-3.649"]


def test_a_sum_of_four_terms_says_which_is_which_and_votes_stay_a_line():
    terms = tuple(Term(column, "1", 2.0) for column in ("", "a", "b", "c"))
    told = str(Evidence((EvidenceLine("y", terms),), "y", "sum"))
    assert told.splitlines()[2].split() == ["a", "=", "1", "2"]
    assert str(Evidence((EvidenceLine("y", terms[:3]),), "z", "sum")) == "y  2 + 2 + 2 = 6"
    assert str(Evidence((EvidenceLine("y", terms),), "z", "votes")) == "y  2 + 2 + 2 + 2 = 8"


def test_thousands_of_factors_do_not_vanish():
    evidence = many("product", 4_000)
    assert "e-1205" in str(evidence)
    json.dumps(evidence.to_dict())
    assert r"\cdot10^{-1205}" in evidence.to_markdown()


def test_hostile_names_stay_on_their_line_and_in_their_cell():
    evidence = tennis(no="<b>|\n\x1b[31m", yes="$x_1$", notes=("<script>\nalert(1)",))
    assert len(str(evidence).splitlines()) == 3
    assert "\x1b" not in str(evidence)
    assert "<b>" not in evidence.to_html()
    assert "<script>" not in evidence.to_html()
    assert r"| \<b\>\|\\n\\x1b\[31m |" in evidence.to_markdown()
    assert r"\$x\_1\$" in evidence.to_markdown()
    json.dumps(evidence.to_dict())


def test_markdown_writes_the_fractions_as_formulas():
    assert tennis().to_markdown().splitlines()[:3] == [
        "| outcome | product | share |",
        "| --- | ---: | ---: |",
        r"| No | $\frac{5}{14}\cdot\frac{3}{5}\cdot\frac{1}{5}\cdot\frac{4}{5}\cdot\frac{3}{5}"
        r" = \frac{18}{875}$ | 79.5 % |",
    ]
    assert "| → setosa | $0.0036 + 0.01 = 0.0136$ |" in centroids().to_markdown()
    assert r"| w1 = yes | $\frac{2}{3}$ | $\frac{1}{2}$ |" in many("product").to_markdown()


def test_html_names_the_columns_and_a_notebook_shows_it():
    evidence = tennis(notes=("A note.",))
    page = evidence.to_html()
    assert '<table class="tally-evidence">' in page
    assert '<th style="text-align:right">Outlook = Sunny</th>' in page
    assert '<p class="tally-note">A note.</p>' in page
    assert evidence._repr_html_() == page
    assert not hasattr(evidence, "_repr_markdown_")


def test_rich_prints_the_same_text():
    console = Console(width=120, color_system=None)
    with console.capture() as capture:
        console.print(tennis())
    assert capture.get() == f"{tennis()}\n"


def test_plain_data_keeps_fractions_and_infinities_as_text():
    line = line_of("No", ["5/14", "0/5"], 0.0, COLUMNS[:2])
    data = Evidence((line,), "Yes", "product", ("A note.",)).to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["lines"][0]["total"] == "-inf"
    assert data["lines"][0]["product"] == "0"
    assert data["lines"][0]["terms"][1] == {
        "column": "Outlook",
        "value": "Sunny",
        "label": "Outlook = Sunny",
        "amount": "-inf",
        "factor": "0/5",
        "text": "",
        "note": "",
        "skipped": False,
    }


def test_plain_data_turns_foreign_scalars_into_python():
    for outcome in (numpy.int64(3), numpy.bool_(True), numpy.str_("a"), numpy.float64("nan")):
        json.dumps(
            Evidence((EvidenceLine(outcome, ()),), outcome, "sum").to_dict(), allow_nan=False
        )


def test_an_explanation_is_a_sequence_of_rows():
    explanation = Explanation((tennis(), centroids()))
    assert len(explanation) == 2
    assert list(explanation) == [tennis(), centroids()]
    assert explanation[1] == centroids()
    assert explanation[:1] == Explanation((tennis(),))


def test_one_row_needs_no_heading_and_several_do():
    assert str(Explanation((tennis(),))) == str(tennis())
    both = Explanation((tennis(), centroids()))
    assert str(both) == f"Row 1\n\n{tennis()}\n\nRow 2\n\n{centroids()}"
    assert both.to_markdown().startswith("### Row 1\n\n| outcome |")
    assert both.to_html().count('<h4 class="tally-row">') == 2


def test_twenty_rows_are_shown_and_the_others_counted():
    explanation = Explanation((tennis(),) * 25)
    assert str(explanation).endswith("\n\n… and 5 more rows")
    assert "Row 20" in str(explanation)
    assert "Row 21" not in str(explanation)
    assert str(Explanation((tennis(),) * 21)).endswith("… and 1 more row")
    assert len(explanation.to_dict()["rows"]) == 25


@pytest.mark.parametrize("made", [
    tl.NaiveBayes(), tl.LinearDiscriminantAnalysis(), tl.QuadraticDiscriminantAnalysis(),
    tl.LogisticRegression(), tl.Perceptron(), tl.LinearRegression(), tl.Ridge(),
    tl.ModelTreeRegressor(min_samples_leaf=40), tl.RandomForestClassifier(5),
    tl.KNeighborsClassifier(1),
], ids=lambda made: type(made).__name__)  # fmt: skip
def test_the_working_tells_a_date_as_the_table_has_it(made: Any) -> None:
    days = numpy.arange(80)
    table = {"built": numpy.datetime64("1982-01-01") + days * 7, "size": numpy.sqrt(days)}
    ages = numpy.where(days > 30, "new", "old")
    target = days % 7 + days if isinstance(made, Regressor) else ages
    model = made.fit(table | {"y": target}, "y")
    row = {name: column[20:21] for name, column in table.items()}
    told = str(model.explain(row)[0].to_dict())
    assert "1982-05-21" in told
    assert "'4523" not in told  # days since 1970


@pytest.mark.parametrize("made", [
    tl.LinearDiscriminantAnalysis(), tl.QuadraticDiscriminantAnalysis(), tl.LogisticRegression(),
    tl.Perceptron(), tl.LinearRegression(), tl.Ridge(), tl.Lasso(),
], ids=lambda made: type(made).__name__)  # fmt: skip
def test_what_gaps_of_a_date_are_filled_by_and_its_means_are_dates(made: Any) -> None:
    days = numpy.arange(81)
    built = numpy.datetime64("1982-01-01") + days * 7
    built[40] = numpy.datetime64("NaT", "D")  # in the middle: the mean is the day that lacks
    ages = numpy.where(days % 3 > 0, "new", "old")
    target = days % 7 + days if isinstance(made, Regressor) else ages
    text = str(made.fit({"built": built, "size": numpy.sqrt(days), "y": target}, "y").show_work())
    assert "filled by the mean 1982-10-08" in text
    means = [line for line in text.splitlines() if line.startswith("built  ")]
    if "mean of every class" in text or isinstance(made, Regressor):
        assert any("1982-10-" in line for line in means)


def test_a_time_that_was_rounded_on_its_way_is_no_minute_early() -> None:
    noon = 18262.5
    assert (
        format_value(noon - 1e-10, "date")
        == format_value(noon + 1e-10, "date")
        == "2020-01-01 12:00"
    )
    assert format_value(noon - 0.5 / 86400, "date") == "2020-01-01 11:59"
    assert format_value(18262 - 1e-10, "date") == "2020-01-01"


def test_the_path_of_a_tree_behind_a_scaler_tells_a_date_as_the_tree_alone_does() -> None:
    days = numpy.arange(80)
    table = {"built": numpy.datetime64("1982-01-01") + days * 7, "size": numpy.sqrt(days % 5)}
    ages, row = numpy.where(days > 30, "new", "old"), {k: v[20:21] for k, v in table.items()}
    tree = tl.DecisionTreeClassifier(max_depth=1)
    scaled = tl.Pipeline([tl.StandardScaler(), tl.DecisionTreeClassifier(max_depth=1)])
    for model in (tree, scaled):
        told = str(model.fit(table | {"y": ages}, "y").explain(row))
        assert "\n\nbuilt <= 1982-08-02 12:00, so old (31 of 31 training rows)\n" in f"\n\n{told}"


def test_a_factor_of_parts_of_rows_is_written_with_four_digits() -> None:
    rng = numpy.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    y = numpy.where(2 * X[:, 0] + rng.normal(size=80) > 0, "a", "b")
    X[3, 0] = numpy.nan  # goes down both branches, in parts of 0.7215 and 0.2785
    (row,) = tl.C45().fit(X, y).explain(X[:1])
    factors = [term.factor for term in row.lines[1].terms]
    assert (row.lines[1].outcome, factors) == ("b", ["47/80", "1.378"])
    assert str(row.notes[0]).endswith("so b (46.72 of 57.72 training rows)")
    assert str(row).splitlines()[-1].split() == ["share", "19.1", "%", "80.9", "%"]
