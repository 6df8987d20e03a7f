"""The figures of the pages on the notes, as functions that draw them.

``python -m tests.note_figures`` writes docs/notes/figures; ``tests/test_note_figures.py`` compares
the files with what these functions draw.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tallylearn as tl
from tallylearn.reporting.charts import (
    AreaLayer,
    Layer,
    LineLayer,
    Plot,
    PointLayer,
    draw_layers,
    draw_lines,
    draw_matrix,
    draw_network,
)
from tallylearn.reporting.charts.plot import make_plot
from tallylearn.reporting.charts.svg_elements import COLOURS, FAINT, INK, label, line, tag

FOLDER = Path(__file__).parent.parent / "docs" / "notes" / "figures"
Figure = Callable[[], Plot]
FIGURES: dict[str, Figure] = {}
Numbers = Any


def figure(name: str) -> Callable[[Figure], Figure]:
    """Enter a function under the name of its file."""

    def enter(function: Figure) -> Figure:
        FIGURES[name] = function
        return function

    return enter


# Small tables of the notes


TOY_X, TOY_Y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])
ROWS_1D, CLASSES_1D = [[1], [3], [5], [7], [9]], ["c1", "c1", "c2", "c2", "c2"]
HOURS, PASSED = [[1], [2], [3], [4], [5], [6]], ["no", "no", "yes", "no", "yes", "yes"]
PERCEPTRON_X = [[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]]
PERCEPTRON_Y = [-1, 1, 1, 1, -1]
MODES = [[-3], [-2], [2], [3], [0.5], [1.0]], ["a", "a", "a", "a", "b", "b"]


def two_clouds() -> tuple[Numbers, list[str]]:
    """The two classes of section 5.1 of note 004."""
    rng = np.random.default_rng(0)
    x = np.vstack([rng.normal([0, 0], 1, (40, 2)), rng.normal([3, 2], 1, (40, 2))])
    return x, ["a"] * 40 + ["b"] * 40


def two_moons() -> tuple[Numbers, list[str]]:
    """Two classes whose border is curved."""
    rng = np.random.default_rng(3)
    angle = rng.uniform(0, np.pi, 60)
    upper = np.column_stack([np.cos(angle[:30]), np.sin(angle[:30])])
    lower = np.column_stack([1 - np.cos(angle[30:]), 0.4 - np.sin(angle[30:])])
    return np.vstack([upper, lower]) + rng.normal(0, 0.18, (60, 2)), ["a"] * 30 + ["b"] * 30


def sparse_rows() -> tuple[Numbers, Numbers]:
    """Four columns, of which two make the target (section 3.3 of note 004)."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 4))
    return x, 3 * x[:, 0] - 2 * x[:, 1] + rng.normal(0, 0.5, 60)


def die_rolls(seed: int) -> dict[str, list[Any]]:
    """Sixty rolls of a fair die, whose colour and weight say nothing."""
    rng = np.random.default_rng(seed)
    colour, grams = rng.choice(["blue", "green", "red"], 60), rng.integers(90, 111, 60)
    six = rng.integers(1, 7, 60) == 6
    return {"colour": colour.tolist(), "grams": grams.tolist(), "six": six.tolist()}


def bell(x: Numbers, mean: float, variance: float) -> Numbers:
    """The density of a normal distribution."""
    return np.exp(-((x - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)


# Drawings without axes


def arrow(x1: float, y1: float, x2: float, y2: float, colour: str = INK) -> str:
    """A line with a head."""
    angle = math.atan2(y2 - y1, x2 - x1)
    wings = [(x2 - 8 * math.cos(angle + s), y2 - 8 * math.sin(angle + s)) for s in (0.4, -0.4)]
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in [(x2, y2), *wings])
    head = tag("polygon", points=corners, fill=colour)
    return line(x1, y1, x2, y2, colour, stroke_width=1.8) + head


def words(text: str, x: float, y: float, **more: object) -> str:
    """A text around a point."""
    return label(text, x, y, room=470, size=12, text_anchor="middle", **more)


def row_bars(title: str, lines: Sequence[tuple[str, Sequence[tuple[str, float]]]]) -> Plot:
    """One bar of all rows in every line, divided into parts: train, validation, test."""
    colours = {"train": COLOURS[0], "validation": COLOURS[5], "test": COLOURS[1]}
    body, top = [], 44.0
    for name, parts in lines:
        body.append(label(name, 92, top + 17, room=84, size=12, text_anchor="end"))
        x = 100.0
        for kind, share in parts:
            width = 360 * share
            body.append(
                tag(
                    "rect",
                    x=x,
                    y=top,
                    width=width,
                    height=24,
                    fill=colours[kind],
                    fill_opacity=0.3,
                    stroke=INK,
                    stroke_width=0.8,
                )
            )
            if width > 52:
                body.append(words(kind, x + width / 2, top + 16))
            x += width
        top += 32
    shown = [kind for kind in colours if any(kind == part for _, ps in lines for part, _ in ps)]
    for at, kind in enumerate(shown):
        body.append(
            tag(
                "rect",
                x=100 + 110 * at,
                y=top + 4,
                width=14,
                height=14,
                fill=colours[kind],
                fill_opacity=0.3,
                stroke=INK,
            )
        )
        body.append(label(f"{kind} rows", 120 + 110 * at, top + 16, room=130, size=12))
    data = {"lines": [[name, [list(part) for part in parts]] for name, parts in lines]}
    return make_plot(title, data, body, 480, top + 34)


def circles(title: str, found: Sequence[tuple[str, float, float, float]], *more: str) -> Plot:
    """Events as circles in the rectangle of all outcomes: name, centre and radius of each."""
    body = [
        tag("rect", x=30, y=44, width=420, height=230, fill="none", stroke=INK),
        words("Ω", 440, 60),
    ]
    for number, (name, x, y, radius) in enumerate(found):
        body.append(
            tag(
                "circle",
                cx=x,
                cy=y,
                r=radius,
                fill=COLOURS[number],
                fill_opacity=0.25,
                stroke=COLOURS[number],
                stroke_width=1.6,
            )
        )
        body.append(words(name, x, y - radius - 6))
    return make_plot(title, {"circles": [list(one) for one in found]}, [*body, *more], 480, 320)


@figure("learning-loop")
def learning_loop() -> Plot:
    places = {
        "experiment generator": (240, 76),
        "performance system": (372, 176),
        "critic": (240, 276),
        "generaliser": (108, 176),
    }
    passed = ["a new board", "a game", "training values", "a new V̂"]
    body = []
    for name, (x, y) in places.items():
        body += [
            tag(
                "rect",
                x=x - 84,
                y=y - 20,
                width=168,
                height=40,
                rx=6,
                fill=COLOURS[0],
                fill_opacity=0.15,
                stroke=INK,
            ),
            words(name, x, y + 4),
        ]
    ends = [(300, 98, 352, 152), (352, 200, 300, 254), (180, 254, 128, 200), (128, 152, 180, 98)]
    sides = [(382, 126), (382, 236), (96, 236), (96, 126)]
    body += [arrow(*four) for four in ends]
    body += [words(text, x, y, fill=FAINT) for text, (x, y) in zip(passed, sides, strict=True)]
    data = {"modules": [*places], "passed": passed}
    return make_plot("The design of a learning program", data, body, 480, 312)


@figure("holdout")
def holdout() -> Plot:
    return row_bars("Hold-out", [("all rows", [("train", 2 / 3), ("test", 1 / 3)])])


@figure("three-sets")
def three_sets() -> Plot:
    parts = [("train", 0.6), ("validation", 0.2), ("test", 0.2)]
    return row_bars("Training, validation and test rows", [("all rows", parts)])


def fold_lines(k: int) -> list[tuple[str, list[tuple[str, float]]]]:
    return [
        (
            f"{'fold' if k < 8 else 'row'} {i + 1}",
            [
                (kind, share)
                for kind, share in (("train", i / k), ("test", 1 / k), ("train", (k - 1 - i) / k))
                if share
            ],
        )
        for i in range(k)
    ]


@figure("k-fold")
def k_fold() -> Plot:
    return row_bars("Five folds: each is the test set once", fold_lines(5))


@figure("leave-one-out")
def leave_one_out() -> Plot:
    return row_bars("Leave one out: as many folds as rows", fold_lines(8))


@figure("event-area")
def event_area() -> Plot:
    return circles(
        "P(A) is the share of the area that A covers",
        [("A", 200, 165, 80)],
        words("P(A)", 200, 170),
        words("P(not A) = 1 - P(A)", 360, 170),
    )


@figure("conditional-area")
def conditional_area() -> Plot:
    return circles(
        "P(A | B) is the share of B that A covers",
        [("A", 190, 165, 80), ("B", 285, 165, 80)],
        words("A, B", 237, 170),
        words("P(A | B) = P(A, B) / P(B)", 240, 305),
    )


@figure("three-events")
def three_events() -> Plot:
    return circles(
        "P(A | B, C): the share of B and C that A covers",
        [("A", 200, 180, 70), ("B", 280, 180, 70), ("C", 240, 125, 60)],
        words("A, B, C", 240, 160),
    )


@figure("independent-area")
def independent_area() -> Plot:
    body = [
        tag("rect", x=30, y=44, width=420, height=230, fill="none", stroke=INK),
        tag("rect", x=30, y=44, width=140, height=230, fill=COLOURS[0], fill_opacity=0.25),
        tag("rect", x=30, y=159, width=420, height=115, fill=COLOURS[1], fill_opacity=0.25),
        words("A: 1/3", 100, 100),
        words("B: 1/2", 320, 220),
        words("A, B: 1/6", 100, 220),
    ]
    return make_plot(
        "Independent: A covers a third of B and of Ω",
        {"P(A)": 1 / 3, "P(B)": 1 / 2},
        body,
        480,
        300,
    )


@figure("bayes-area")
def bayes_area() -> Plot:
    """12 days: 8 of tennis, of which 1 is sunny and windy; 4 others, of which 1 is."""
    body, unit = [], 420 / 12
    for day in range(12):
        seen = day in (0, 8)
        fill = COLOURS[5] if seen else COLOURS[0] if day < 8 else COLOURS[1]
        body.append(
            tag(
                "rect",
                x=30 + day * unit,
                y=70,
                width=unit,
                height=60,
                fill=fill,
                fill_opacity=0.85 if seen else 0.25,
                stroke=INK,
            )
        )
    body += [
        words("h1: she plays, 8 of 12 days", 30 + 4 * unit, 62),
        words("h2: she does not, 4 of 12", 30 + 10 * unit, 62),
        words("sunny and strong wind: 1 of 8 days of h1, 1 of 4 days of h2", 240, 155),
        words("given sunny and strong wind, each hypothesis has one of two days", 240, 176),
    ]
    return make_plot("Bayes' theorem: 2/3 · 1/8 = 1/3 · 1/4", {"days": 12}, body, 480, 196)


@figure("total-probability")
def total_probability() -> Plot:
    """Outlook divides the 14 days; tennis is part of each."""
    body, x = [], 30.0
    for number, (name, rows, play) in enumerate(
        (("Sunny", 5, 2), ("Overcast", 4, 4), ("Rain", 5, 3))
    ):
        width, height = 420 * rows / 14, 180 * play / rows
        body += [
            tag("rect", x=x, y=64, width=width, height=180, fill="none", stroke=INK),
            tag(
                "rect",
                x=x,
                y=244 - height,
                width=width,
                height=height,
                fill=COLOURS[number],
                fill_opacity=0.3,
            ),
            words(name, x + width / 2, 58),
            words(f"{play} of {rows}", x + width / 2, 236),
        ]
        x += width
    body.append(words("P(Yes) = 5/14 · 2/5 + 4/14 · 4/4 + 5/14 · 3/5 = 9/14", 240, 268))
    return make_plot("Total probability over the parts of a partition", {}, body, 480, 284)


@figure("two-splits")
def two_splits() -> Plot:
    body = []
    for x, name, left, right in (
        (125, "A1", "[21+, 5-]", "[8+, 30-]"),
        (355, "A2", "[18+, 33-]", "[11+, 2-]"),
    ):
        body += [
            words("[29+, 35-]", x, 58),
            words(name, x, 84, font_weight="bold"),
            line(x - 8, 92, x - 55, 138),
            line(x + 8, 92, x + 55, 138),
            words("t", x - 42, 112),
            words("f", x + 42, 112),
            words(left, x - 60, 156),
            words(right, x + 60, 156),
        ]
    body += [words("gain 0.2659", 125, 186), words("gain 0.1214", 355, 186)]
    return make_plot("Two splits of the same set", {}, body, 480, 204)


@figure("version-space")
def version_space() -> Plot:
    nodes = ["<?, ?>", "<Sunny, ?>", "<?, Strong>", "<Sunny, Strong>"]
    edges = [(nodes[0], nodes[1]), (nodes[0], nodes[2]), (nodes[1], nodes[3]), (nodes[2], nodes[3])]
    return draw_network(nodes, edges, "A version space, without its top")


@figure("subset-lattice")
def subset_lattice() -> Plot:
    names = ["x0", "x1", "x2"]
    every = [tuple(n for i, n in enumerate(names) if bits >> i & 1) for bits in range(8)]
    every.sort(key=len)

    def text(subset: tuple[str, ...]) -> str:
        return "{" + ", ".join(subset) + "}"

    edges = [
        (text(a), text(b)) for a in every for b in every if {*a} < {*b} and len(b) - len(a) == 1
    ]
    return draw_network([*map(text, every)], edges, "The subsets of three features")


@figure("naive-bayes-net")
def naive_bayes_net() -> Plot:
    return tl.ProbabilitySpace.naive_bayes("class", ["F1", "F2", "F3", "F4"]).plot()


# Trees


@figure("tree-tennis")
def tree_tennis() -> Plot:
    return tl.ID3().fit(tl.example("tennis")).plot(title="PlayTennis")


@figure("tree-tennis-noise")
def tree_tennis_noise() -> Plot:
    tennis = tl.example("tennis")
    values = {name: codes.items() for name, codes in tennis.block.codes.items()}
    rows = [dict(zip(values, day, strict=True)) for day in zip(*values.values(), strict=True)]
    plays = [*tennis.target.to_pylist(), "No"]
    return tl.ID3().fit([*rows, {**rows[1], "Humidity": "Normal"}], plays).plot(title="T'")


@figure("tree-reduced-outlook")
def tree_reduced_outlook() -> Plot:
    return tl.ID3().fit(reduced_days(), "PlayTennis").plot(title="Outlook first")


@figure("tree-reduced-temperature")
def tree_reduced_temperature() -> Plot:
    """ID3 would not grow it: Temperature gains nothing, and Outlook comes second."""
    nodes = [
        "Temperature",
        "Hot: Outlook",
        "Cold: Outlook",
        "Sunny: Yes",
        "Rain: No",
        "Sunny:  Yes",
        "Rain:  No",
    ]
    edges = [
        (nodes[0], nodes[1]),
        (nodes[0], nodes[2]),
        (nodes[1], nodes[3]),
        (nodes[1], nodes[4]),
        (nodes[2], nodes[5]),
        (nodes[2], nodes[6]),
    ]
    return draw_network(nodes, edges, "Temperature first")


def reduced_days() -> list[dict[str, str]]:
    """Table 2.2 of note 000."""
    rows = [
        ("Sunny", "Hot", "Yes"),
        ("Sunny", "Cold", "Yes"),
        ("Rain", "Hot", "No"),
        ("Rain", "Cold", "No"),
    ]
    return [dict(zip(("Outlook", "Temperature", "PlayTennis"), row, strict=True)) for row in rows]


@figure("tree-restaurant")
def tree_restaurant() -> Plot:
    return tl.ID3().fit(tl.example("restaurant")).plot(title="WillWait")


@figure("tree-restaurant-pruned")
def tree_restaurant_pruned() -> Plot:
    tree = tl.ID3(keep_rows=True).fit(tl.example("restaurant"))
    return tree.prune("chi2", level=0.05).plot(title="WillWait, pruned at 5 %")


@figure("tree-organs")
def tree_organs() -> Plot:
    tree = tl.DecisionTreeRegressor(category_split="multiway").fit(tl.example("organs"))
    return tree.plot(title="Price of an organ")


def fish_tree() -> tuple[Any, dict[str, list[float]], list[str]]:
    """The fish of chapter 9 of note 004."""
    fish = {
        "length": [30.0, 40, 45, 60, 80, 90, 95, 70],
        "width": [5.0, 14, 13, 12, 10, 22, 20, 18],
    }
    kinds = ["salmon"] * 3 + ["sea bass", "salmon"] + ["sea bass"] * 3
    return tl.CART().fit(fish, kinds), fish, kinds


@figure("tree-fish")
def tree_fish() -> Plot:
    return fish_tree()[0].plot(title="Salmon or sea bass")


@figure("tree-regions")
def tree_regions() -> Plot:
    tree, fish, kinds = fish_tree()
    return tl.plot_decision_regions(tree, fish, kinds, title="The regions of the tree")


@figure("tree-validation")
def tree_validation() -> Plot:
    tree = tl.ID3().fit(die_rolls(1), "six")
    return tree.pruning_curve(die_rolls(2), "six", how="cost_complexity").plot()


# Curves


@figure("entropy")
def entropy() -> Plot:
    p = np.linspace(0, 1, 101)
    return draw_lines(
        {"entropy": (p, [float(tl.entropy(float(q))) for q in p])},
        "Entropy of two classes",
        "share of one class",
        "bits",
    )


@figure("sigmoid")
def sigmoid() -> Plot:
    a = np.linspace(-6, 6, 121)
    return draw_lines(
        {"σ(a)": (a, 1 / (1 + np.exp(-a)))},
        "The sigmoid",
        "a",
        "σ(a)",
        level=("one half", 0.5),
        y_limits=(0, 1),
    )


@figure("class-densities")
def class_densities() -> Plot:
    x = np.linspace(-3, 12, 151)
    model = tl.LinearDiscriminantAnalysis().fit(ROWS_1D, CLASSES_1D)
    curves = {
        "p(x | c1)": bell(x, 2, 2),
        "p(x | c2)": bell(x, 7, 2),
        "P(c1 | x)": model.predict_proba(x[:, None])[:, 0],
    }
    return draw_lines(
        {name: (x, y) for name, y in curves.items()},
        "Two Gaussian classes and the posterior of c1",
        "x",
        y_limits=(0, 1),
    )


@figure("softmax")
def softmax() -> Plot:
    model = tl.LinearDiscriminantAnalysis().fit(
        [[1], [3], [5], [7], [9], [0], [-4]], list("aabbbcc")
    )
    x = np.linspace(-8, 12, 161)
    shares = model.predict_proba(x[:, None])
    return draw_lines(
        {f"P({c} | x)": (x, shares[:, k]) for k, c in enumerate("abc")},
        "Posteriors of three Gaussian classes",
        "x",
        "probability",
        y_limits=(0, 1),
    )


@figure("logistic-hours")
def logistic_hours() -> Plot:
    model = tl.LogisticRegression(C=math.inf).fit(HOURS, PASSED)
    x = np.linspace(0, 7, 141)
    layers: list[Layer] = [
        LineLayer("P(pass)", x, model.predict_proba(x[:, None])[:, 1], 0),
        PointLayer("students", np.ravel(HOURS), [float(p == "yes") for p in PASSED], 1),
    ]
    return draw_layers(layers, "The probability of passing", "hours of study", "P(pass)")


@figure("log-scores")
def log_scores() -> Plot:
    n = np.arange(0, 2001, 20)
    return draw_lines(
        {
            "sum of logarithms": (n, n * math.log10(2 / 3)),
            "logarithm of the smallest double": ([0, 2000], [-323.3, -323.3]),
        },
        "log10 of a product of n factors 2/3",
        "n",
    )


@figure("likelihood-balls")
def likelihood_balls() -> Plot:
    theta = np.linspace(0, 1, 101)
    layers: list[Layer] = [
        LineLayer("θ²(1 - θ)", theta, theta**2 * (1 - theta), 0),
        PointLayer("maximum at 2/3: 4/27", [2 / 3], [4 / 27], 1),
    ]
    return draw_layers(layers, "The likelihood of red, red, blue", "θ", "L(θ)")


@figure("laplace")
def laplace() -> Plot:
    k = np.arange(0, 21)
    return draw_lines(
        {"P(red) = (2 + k)/(3 + 2k)": (k, (2 + k) / (3 + 2 * k))},
        "The Laplace estimate of red, red, blue",
        "k",
        "P(red)",
        level=("1/|X|", 0.5),
    )


@figure("candy-bars")
def candy_bars() -> Plot:
    posterior = [0.0, 0.1, 0.4, 0.3, 0.2]
    bars = [
        [[i + 0.6, 0], [i + 1.4, 0], [i + 1.4, p], [i + 0.6, p]] for i, p in enumerate(posterior)
    ]
    layers: list[Layer] = [AreaLayer("P(h | one lime candy)", bars, 0, 0.4, True)]
    return draw_layers(
        layers,
        "The posterior after one lime candy",
        "bag h1 to h5",
        "P(h | D1)",
        x_range=(0, 6),
        y_range=(0, 0.5),
    )


@figure("candy-posterior")
def candy_posterior() -> Plot:
    prior = {"h1": "0.1", "h2": "0.2", "h3": "0.4", "h4": "0.2", "h5": "0.1"}
    lime = {"h1": 0, "h2": "0.25", "h3": "0.5", "h4": "0.75", "h5": 1}
    cherry = {"h1": 1, "h2": "0.75", "h3": "0.5", "h4": "0.25", "h5": 0}
    bags = tl.Hypotheses(prior, likelihood={"lime": lime, "cherry": cherry})
    return bags.observe(*["lime"] * 10).plot()


@figure("fish-posteriors")
def fish_posteriors() -> Plot:
    salmon = [3 / 17, 12 / 47, 15 / 36]
    bars = [
        [
            [[i + 0.6, low], [i + 1.4, low], [i + 1.4, high], [i + 0.6, high]]
            for i, (low, high) in enumerate(ends)
        ]
        for ends in ([(0, p) for p in salmon], [(p, 1) for p in salmon])
    ]
    layers: list[Layer] = [
        AreaLayer("P(salmon | length)", bars[0], 1, 0.4, True),
        AreaLayer("P(sea bass | length)", bars[1], 0, 0.3, True),
    ]
    return draw_layers(
        layers,
        "Posteriors of the two fish",
        "length: 1 under 50 cm, 2 from 50 to 100 cm, 3 over 100 cm",
        "probability",
        x_range=(0.4, 3.6),
        y_range=(0, 1),
    )


@figure("bayes-error")
def bayes_error() -> Plot:
    x = np.linspace(-3, 12, 151)
    first, second = 0.4 * bell(x, 2, 2), 0.6 * bell(x, 7, 2)
    low = np.minimum(first, second)
    area = [[x[0], 0.0], *zip(x.tolist(), low.tolist(), strict=True), [x[-1], 0.0]]
    layers: list[Layer] = [
        AreaLayer("Bayes error", [area], 3, 0.4),
        LineLayer("p(x | c1) P(c1)", x, first, 0),
        LineLayer("p(x | c2) P(c2)", x, second, 1, 1),
    ]
    return draw_layers(layers, "The Bayes error is the area below both curves", "x")


@figure("normal-interval")
def normal_interval() -> Plot:
    z = np.linspace(-4, 4, 161)
    inside = z[np.abs(z) <= 1.96]
    area = [
        [inside[0], 0.0],
        *zip(inside.tolist(), bell(inside, 0, 1).tolist(), strict=True),
        [inside[-1], 0.0],
    ]
    layers: list[Layer] = [
        AreaLayer("95 % within 1.96", [area], 0, 0.25),
        LineLayer("normal density", z, bell(z, 0, 1), 0),
    ]
    return draw_layers(layers, "The normal distribution", "standard deviations from the mean")


@figure("sample-error")
def sample_error() -> Plot:
    curves = {}
    for n in (5, 40):
        k = np.arange(n + 1)
        chance = [math.comb(n, i) * (1 / 3) ** i * (2 / 3) ** (n - i) for i in k]
        curves[f"{n} rows"] = (k / n, chance)
    return draw_lines(
        curves, "Distribution of the sample error, true error 1/3", "sample error", "probability"
    )


@figure("variance-bias")
def variance_bias() -> Plot:
    samples = np.random.default_rng(0).normal(0, 2, (20_000, 4))
    edges = np.linspace(0, 16, 33)
    curves = {}
    for name, ddof in (("s², divided by N - 1", 1), ("divided by N", 0)):
        share = np.histogram(samples.var(axis=1, ddof=ddof), edges)[0] / len(samples)
        curves[name] = ((edges[:-1] + edges[1:]) / 2, share)
    return draw_lines(
        curves, "Variances of samples of 4, population variance 4", "variance", "share of samples"
    )


@figure("confusion-matrix")
def confusion_matrix() -> Plot:
    counts = [[18, 2, 0], [3, 14, 3], [1, 4, 15]]
    names = ["C1", "C2", "C3"]
    return draw_matrix(counts, names, names, "A confusion matrix")


@figure("roc")
def roc() -> Plot:
    return tl.roc_curve(["+", "+", "-", "+", "-"], [0.9, 0.8, 0.7, 0.6, 0.2], positive="+").plot()


@figure("learning-curve")
def learning_curve() -> Plot:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = np.where(x.sum(axis=1) + rng.normal(0, 0.5, 300) > 0, "yes", "no")
    sizes = [4, 8, 15, 30, 60, 100, 150]
    scores = [tl.LogisticRegression().fit(x[:n], y[:n]).score(x[150:], y[150:]) for n in sizes]
    return draw_lines(
        {"accuracy on 150 other rows": (sizes, scores)},
        "A learning curve",
        "training rows",
        "accuracy",
        log_x=True,
    )


@figure("capacity")
def capacity() -> Plot:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 6, (200, 1))
    y = np.sin(x[:, 0]) + rng.normal(0, 0.5, 200)
    depths = range(1, 13)
    errors: dict[str, list[float]] = {"training rows": [], "test rows": []}
    for depth in depths:
        tree = tl.DecisionTreeRegressor(max_depth=depth).fit(x[:100], y[:100])
        for name, rows in (("training rows", slice(100)), ("test rows", slice(100, 200))):
            errors[name].append(float(((tree.predict(x[rows]) - y[rows]) ** 2).mean()))
    return draw_lines(
        {name: ([*depths], found) for name, found in errors.items()},
        "Underfitting and overfitting",
        "depth of the tree",
        "mean squared error",
    )


@figure("bias-variance")
def bias_variance() -> Plot:
    line_of = dict.fromkeys(range(5), "1/5")
    known = tl.Population(line_of, target=lambda x: {2 * x - 2: "1/2", 2 * x + 2: "1/2"})
    ks = [1, 2, 4, 7, 11, 16, 20]
    found = tl.bias_variance([tl.KNeighborsRegressor(k) for k in ks], known, n=20, draws=60).parts
    bias2, variance = [float(p.bias2) for p in found], [float(p.variance) for p in found]
    total = [a + b + 4 for a, b in zip(bias2, variance, strict=True)]
    return draw_lines(
        {"bias²": (ks, bias2), "variance": (ks, variance), "expected error": (ks, total)},
        "Bias and variance of k nearest neighbours",
        "k",
        "squared error",
    )


# Regression


@figure("fitted-line")
def fitted_line() -> Plot:
    fitted = -2 / 3 + 1.5 * TOY_X
    layers: list[Layer] = [
        LineLayer("y = -2/3 + 3/2 x", [0.5, 3.5], [-2 / 3 + 0.75, -2 / 3 + 5.25], 0)
    ]
    layers += [
        LineLayer("residual", [x, x], [y, f], 1, 1)
        for x, y, f in zip(TOY_X, TOY_Y, fitted, strict=True)
    ]
    return draw_layers([*layers, PointLayer("rows", TOY_X, TOY_Y, 1)], "Least squares", "x", "y")


@figure("loss-slope")
def loss_slope() -> Plot:
    slopes = np.linspace(0, 3, 61)
    loss = [float(((TOY_Y + 2 / 3 - s * TOY_X) ** 2).sum()) for s in slopes]
    layers: list[Layer] = [
        LineLayer("J(θ)", slopes, loss, 0),
        PointLayer("minimum", [1.5], [1 / 6], 1),
    ]
    return draw_layers(
        layers, "The squared error against the slope", "slope", "sum of squared errors"
    )


def error_contours() -> list[Layer]:
    """Ellipses on which the squared error of the three points is the same."""
    design = np.column_stack([np.ones(3), TOY_X])
    values, vectors = np.linalg.eigh(design.T @ design)
    circle = np.linspace(0, 2 * np.pi, 73)
    unit = np.column_stack([np.cos(circle), np.sin(circle)])
    layers: list[Layer] = []
    for level in (0.02, 0.1, 0.4, 1.2, 3.0):
        ring = [-2 / 3, 1.5] + unit * np.sqrt(level / values) @ vectors.T
        layers.append(
            LineLayer("equal error" if level == 0.02 else "", ring[:, 0], ring[:, 1], 4, width=0.7)
        )
    return layers


def batch_path(rate: float, steps: int) -> Numbers:
    design, w = np.column_stack([np.ones(3), TOY_X]), np.zeros(2)
    path = [w]
    for _ in range(steps):
        w = w + rate * 2 / 3 * design.T @ (TOY_Y - design @ w)
        path.append(w)
    return np.array(path)


@figure("descent-path")
def descent_path() -> Plot:
    path = batch_path(0.08, 60)
    layers = [
        *error_contours(),
        LineLayer("gradient descent", path[:, 0], path[:, 1], 1),
        PointLayer("steps", path[:12, 0], path[:12, 1], 1),
        PointLayer("minimum", [-2 / 3], [1.5], 2),
    ]
    return draw_layers(layers, "Gradient descent from 0", "intercept", "slope")


@figure("batch-stochastic")
def batch_stochastic() -> Plot:
    batch, w, path = batch_path(0.08, 60), np.zeros(2), [np.zeros(2)]
    for step in range(90):
        f = np.array([1, TOY_X[step % 3]])
        w = w + 2 * 0.05 * (TOY_Y[step % 3] - w @ f) * f
        path.append(w)
    single = np.array(path)
    layers = [
        *error_contours(),
        LineLayer("batch", batch[:, 0], batch[:, 1], 0),
        LineLayer("stochastic", single[:, 0], single[:, 1], 1, width=1.0),
        PointLayer("minimum", [-2 / 3], [1.5], 2),
    ]
    return draw_layers(layers, "Batch and stochastic gradient descent", "intercept", "slope")


@figure("gaussian-errors")
def gaussian_errors() -> Plot:
    layers: list[Layer] = [LineLayer("h(x) = 1 + x/2", [0, 8], [1, 5], 0)]
    t = np.linspace(-2, 2, 41)
    for number, x in enumerate((1.5, 4.0, 6.5)):
        layers.append(
            LineLayer(
                "density of y given x" if not number else "",
                x + 2.2 * bell(t, 0, 0.35),
                1 + x / 2 + t,
                1,
            )
        )
        layers.append(LineLayer("", [x, x], [x / 2 - 1, x / 2 + 3], 4, 2, 0.7))
    return draw_layers(layers, "Gaussian errors around a line", "x", "y")


@figure("correlation")
def correlation() -> Plot:
    rng = np.random.default_rng(1)
    x = rng.normal(size=40)
    layers: list[Layer] = []
    for number, share in enumerate((0.95, 0.5, 0.0)):
        y = share * x + math.sqrt(1 - share**2) * rng.normal(size=40)
        r = float(tl.correlation(x, y))
        layers.append(PointLayer(f"r = {r:.2f}", x + 7 * number, y, number))
    return draw_layers(
        layers, "Strong, weak and no correlation", "x (three samples side by side)", "y"
    )


@figure("outlier")
def outlier() -> Plot:
    x, y = np.array([1.0, 2.0, 3.0, 4.0, 10.0]), np.array([1.0, 2.5, 2.0, 4.0, 9.0])
    ends = np.array([0.0, 11.0])
    layers: list[Layer] = []
    for number, (name, last) in enumerate(
        (("the five rows", 9.0), ("the last row 20 higher", 29.0))
    ):
        found = np.polyfit(x, np.array([*y[:4], last]), 1)
        layers.append(
            LineLayer(
                f"{name}: slope {found[0]:.2f}", ends, np.polyval(found, ends), number, number
            )
        )
    layers += [PointLayer("rows", x, y, 0), PointLayer("outlier", [10.0], [29.0], 1)]
    return draw_layers(layers, "One outlier pulls the line", "x", "y")


@figure("polynomials")
def polynomials() -> Plot:
    rng = np.random.default_rng(4)
    x = np.linspace(-2, 2, 12)
    y = x**3 - 2 * x + rng.normal(0, 0.7, 12)
    at = np.linspace(-2, 2, 121)
    layers: list[Layer] = []
    for number, degree in enumerate((1, 3, 9)):
        model = tl.LinearRegression(degree=degree).fit(x[:, None], y)
        layers.append(LineLayer(f"degree {degree}", at, model.predict(at[:, None]), number, number))
    return draw_layers(
        [*layers, PointLayer("rows", x, y, 4)], "Polynomials of degree 1, 3 and 9", "x", "y"
    )


@figure("ridge-path")
def ridge_path() -> Plot:
    x, y = sparse_rows()
    penalties = np.logspace(-1, 4, 31)
    found = np.array([tl.Ridge(a).fit(x, y).coef_ for a in penalties])
    return draw_lines(
        {f"x{j}": (penalties, found[:, j]) for j in range(4)},
        "Ridge",
        "penalty λ",
        "coefficient",
        log_x=True,
    )


@figure("lasso-path")
def lasso_path() -> Plot:
    x, y = sparse_rows()
    penalties = np.logspace(-2, 0.7, 31)
    found = np.array([tl.Lasso(a).fit(x, y).coef_ for a in penalties])
    return draw_lines(
        {f"x{j}": (penalties, found[:, j]) for j in range(4)},
        "LASSO",
        "penalty λ",
        "coefficient",
        log_x=True,
    )


@figure("regression-steps")
def regression_steps() -> Plot:
    x = np.linspace(0, 6, 40)
    y = np.sin(x) + np.random.default_rng(0).normal(0, 0.15, 40)
    at = np.linspace(0, 6, 301)
    tree = tl.DecisionTreeRegressor(max_depth=3).fit(x[:, None], y)
    layers: list[Layer] = [
        LineLayer("tree of depth 3", at, tree.predict(at[:, None]), 0),
        PointLayer("rows", x, y, 1),
    ]
    return draw_layers(layers, "A regression tree predicts the mean of each part", "x", "y")


@figure("model-tree")
def model_tree() -> Plot:
    x = np.arange(20.0)
    y = np.where(x < 10, 2 * x + 1, 50 - x)
    tree = tl.M5(smooth=None).fit(x[:, None], y)
    parts = [np.linspace(0, 9.49, 20), np.linspace(9.51, 19, 20)]
    layers: list[Layer] = [
        LineLayer(f"LM{i + 1}", at, tree.predict(at[:, None]), i) for i, at in enumerate(parts)
    ]
    return draw_layers(
        [*layers, PointLayer("rows", x, y, 4)], "A model tree: a line in each part", "x", "y"
    )


# Classifiers in the plane


@figure("rectangles")
def rectangles() -> Plot:
    plus, minus = np.array([[1, 3], [3, 5], [5, 3], [3, 1]]), np.array([[3, 3], [8, 8]])
    box = [[1, 1], [5, 1], [5, 5], [1, 5]]
    layers: list[Layer] = [
        AreaLayer("smallest rectangle around +", [box], 0, 0.15, True),
        PointLayer("+", plus[:, 0], plus[:, 1], 0, shape=2),
        PointLayer("-", minus[:, 0], minus[:, 1], 1, shape=5),
    ]
    return draw_layers(
        layers,
        "Every rectangle around the + contains a -",
        "x",
        "y",
        x_range=(0, 9),
        y_range=(0, 9),
    )


@figure("gaussian-classes")
def gaussian_classes() -> Plot:
    x, y = two_clouds()
    model = tl.QuadraticDiscriminantAnalysis().fit(x, y)
    return tl.plot_class_densities(model, x[::2], y[::2], title="A Gaussian for each class")


@figure("naive-bayes-contours")
def naive_bayes_contours() -> Plot:
    x, y = two_clouds()
    model = tl.NaiveBayes().fit(x, y)
    return tl.plot_class_densities(model, x[::2], y[::2], title="Gaussian naive Bayes")


@figure("lda-regions")
def lda_regions() -> Plot:
    model = tl.LinearDiscriminantAnalysis().fit(*two_clouds())
    return tl.plot_decision_regions(model, *two_clouds(), title="Linear discriminant analysis")


@figure("linear-boundary")
def linear_boundary() -> Plot:
    model = tl.LogisticRegression().fit(*two_clouds())
    return tl.plot_decision_regions(model, *two_clouds(), title="A linear classifier")


@figure("knn-1")
def knn_1() -> Plot:
    model = tl.KNeighborsClassifier(1).fit(*two_moons())
    return tl.plot_voronoi(model, title="One nearest neighbour: Voronoi cells")


@figure("knn-15")
def knn_15() -> Plot:
    model = tl.KNeighborsClassifier(15).fit(*two_moons())
    return tl.plot_decision_regions(model, *two_moons(), title="15 nearest neighbours")


def bimodal() -> tuple[Numbers, list[str]]:
    """Class a has two modes, on both sides of b."""
    rng = np.random.default_rng(5)
    groups = [rng.normal(centre, 0.5, (15, 2)) for centre in ([-3, 0], [3, 0], [0.5, 0])]
    return np.vstack(groups), ["a"] * 30 + ["b"] * 15


@figure("centroid-regions")
def centroid_regions() -> Plot:
    model = tl.NearestCentroid().fit(*bimodal())
    return tl.plot_decision_regions(model, *bimodal(), title="One centroid per class")


@figure("centroid-modes")
def centroid_modes() -> Plot:
    model = tl.NearestCentroid(centroids_per_class=2).fit(*bimodal())
    return tl.plot_decision_regions(model, *bimodal(), title="A centroid for each mode")


@figure("unit-circles")
def unit_circles() -> Plot:
    angle = np.linspace(0, 2 * np.pi, 97)
    way = np.column_stack([np.cos(angle), np.sin(angle)])
    layers: list[Layer] = []
    for number, (name, p) in enumerate(
        (("Manhattan", 1.0), ("Euclid", 2.0), ("Minkowski, p = 3", 3.0), ("Chebyshev", math.inf))
    ):
        ring = way / np.linalg.norm(way, ord=p, axis=1)[:, None]
        layers.append(LineLayer(name, ring[:, 0], ring[:, 1], number, number))
    return draw_layers(
        layers,
        "Points at distance 1 from the origin",
        "x",
        "y",
        x_range=(-1.6, 1.6),
        y_range=(-1.2, 1.2),
    )


@figure("thresholds")
def thresholds() -> Plot:
    no, yes = [40.0, 48, 90], [60.0, 72, 80]
    layers: list[Layer] = [
        LineLayer("candidates 54 and 85" if t == 54 else "", [t, t], [0, 1], None, 1)
        for t in (54, 85)
    ]
    layers += [PointLayer("No", no, [0.5] * 3, 1), PointLayer("Yes", yes, [0.5] * 3, 0)]
    return draw_layers(layers, "Thresholds where the class changes", "temperature", y_range=(0, 1))


@figure("multiclass-regions")
def multiclass_regions() -> Plot:
    rng = np.random.default_rng(2)
    x = np.vstack([rng.normal(centre, 0.6, (15, 2)) for centre in ([0, 0], [4, 0], [2, 3])])
    y = ["0"] * 15 + ["1"] * 15 + ["2"] * 15
    model = tl.Perceptron(shuffle=False).fit(x, y)
    return tl.plot_decision_regions(model, x, y, title="A perceptron with three classes")


@figure("perceptron-boundary")
def perceptron_boundary() -> Plot:
    model = tl.Perceptron(coef_init=[-1, 0, 0], shuffle=False).fit(PERCEPTRON_X, PERCEPTRON_Y)
    return tl.plot_decision_regions(model, PERCEPTRON_X, PERCEPTRON_Y, title="-24 + 10 f1 + f2 = 0")


def vectors(title: str, found: Sequence[tuple[str, float, float, str]], *more: str) -> Plot:
    """Arrows from the origin in the middle of a sheet, 40 pixels a unit."""
    body = [
        line(240, 44, 240, 324, FAINT, stroke_dasharray="2 4"),
        line(40, 184, 440, 184, FAINT, stroke_dasharray="2 4"),
        *more,
    ]
    for name, x, y, colour in found:
        body += [
            arrow(240, 184, 240 + 40 * x, 184 - 40 * y, colour),
            words(name, 240 + 40 * x * 1.12 + 8, 184 - 40 * y * 1.12),
        ]
    return make_plot(title, {"vectors": [list(one[:3]) for one in found]}, body, 480, 340)


def boundary_of(w: tuple[float, float], colour: str, dash: str = "") -> str:
    """The line through the origin that is orthogonal to w."""
    scale = 130 / math.hypot(*w)
    dx, dy = -w[1] * scale, w[0] * scale
    return line(
        240 - dx, 184 + dy, 240 + dx, 184 - dy, colour, stroke_width=1.6, stroke_dasharray=dash
    )


@figure("weight-angle")
def weight_angle() -> Plot:
    return vectors(
        "The class is positive if the angle is below 90°",
        [("w", 2, 1, COLOURS[0]), ("f(x)", 1, 3, COLOURS[1])],
        boundary_of((2, 1), INK, "6 4"),
        words("boundary", 150, 60),
        words("45°", 285, 158),
    )


@figure("perceptron-update")
def perceptron_update() -> Plot:
    return vectors(
        "w + f(x) has a smaller angle to f(x)",
        [
            ("old w", 2, -1, COLOURS[0]),
            ("f(x), class +", -0.5, 2.5, COLOURS[1]),
            ("new w", 1.5, 1.5, COLOURS[2]),
        ],
        boundary_of((2, -1), COLOURS[0], "6 4"),
        boundary_of((1.5, 1.5), COLOURS[2], "6 4"),
    )


@figure("perceptron-bias")
def perceptron_bias() -> Plot:
    x, y = np.array(PERCEPTRON_X, dtype=float), np.array(PERCEPTRON_Y)
    layers: list[Layer] = [
        LineLayer("with a bias: 10 f1 + f2 = 24", [2.4, 1.9], [0, 5], 0),
        LineLayer("without: through the origin", [0, 3.5], [0, 5], 1, 1),
    ]
    layers += [
        PointLayer(name, x[y == k, 0], x[y == k, 1], number)
        for number, (name, k) in enumerate((("+", 1), ("-", -1)))
    ]
    return draw_layers(layers, "A bias moves the boundary away from the origin", "f1", "f2")


def write(names: Sequence[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        (FOLDER / f"{name}.svg").write_text(FIGURES[name]().svg, encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:] or [*FIGURES])
