"""The numbers in the pictures of models are those of predict, predict_proba and the formulas."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.stats import multivariate_normal, norm
from scipy.stats import t as student

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError
from tallylearn.inspection.plots.voronoi_cells import voronoi_cells
from tallylearn.reporting.charts import Plot, redraw_chart
from tallylearn.reporting.charts.region_outlines import level_outlines, region_outlines

SVG = "{http://www.w3.org/2000/svg}"


def blobs(seed: int = 3, k: int = 3, n: int = 25) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    centres = np.array([[0.0, 0.0], [2.5, 2.0], [3.0, -2.0]])[:k]
    x = np.concatenate([rng.normal(centre, [1.0, 0.7], (n, 2)) for centre in centres])
    return {"length": x[:, 0], "width": x[:, 1], "kind": np.repeat([*"abc"][:k], n)}


def check(plot: Plot) -> ET.Element:
    """The picture can be drawn again from its data as JSON."""
    assert redraw_chart(json.loads(json.dumps(plot.data, allow_nan=False))) == plot
    return ET.fromstring(plot.svg)


def inside(point: np.ndarray, outlines: list[Any]) -> bool:
    """The even-odd rule: how often a ray from the point crosses the outlines."""
    x, y = point
    crossings = 0
    for outline in outlines:
        a = np.asarray(outline)
        b = np.roll(a, -1, axis=0)
        spans = (a[:, 1] > y) != (b[:, 1] > y)
        at = a[spans, 0] + (y - a[spans, 1]) / (b[spans, 1] - a[spans, 1]) * (b - a)[spans, 0]
        crossings += int((at > x).sum())
    return crossings % 2 == 1


CLASSIFIERS = [
    tl.CART(), tl.KNeighborsClassifier(1), tl.KNeighborsClassifier(7), tl.NaiveBayes(),
    tl.LinearDiscriminantAnalysis(), tl.QuadraticDiscriminantAnalysis(), tl.NearestCentroid(),
    tl.LogisticRegression(), tl.Perceptron(), tl.RandomForestClassifier(5, random_state=1),
    tl.Pipeline([("scale", tl.StandardScaler()), ("near", tl.KNeighborsClassifier(3))]),
]  # fmt: skip


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("k", [2, 3])
def test_decision_regions_are_where_predict_says_so(model: Any, k: int) -> None:
    table = blobs(k=k)
    model.fit(table, "kind")
    plot = tl.plot_decision_regions(model, table)
    check(plot)
    x, y = (np.array(plot.data["grid"][name]) for name in ("length", "width"))
    across, upwards = np.meshgrid(x, y)
    predicted = model.predict({"length": across.ravel(), "width": upwards.ravel()})
    assert (np.array(plot.data["predicted"]).ravel() == predicted).all()
    areas = {one["name"]: one["outlines"] for one in plot.data["layers"] if one["kind"] == "area"}
    assert {*areas} == {*predicted}
    rng = np.random.default_rng(0)  # between grid points too, away from the cells with a border
    points = np.column_stack([rng.uniform(x[0], x[-1], 400), rng.uniform(y[0], y[-1], 400)])
    truth = model.predict({"length": points[:, 0], "width": points[:, 1]})
    grid = np.array(plot.data["predicted"])
    wrong = 0
    for point, value in zip(points, truth, strict=True):
        found = [name for name, outlines in areas.items() if inside(point, outlines)]
        assert len(found) == 1  # the regions cover the picture without overlap
        i, j = np.searchsorted(y, point[1]) - 1, np.searchsorted(x, point[0]) - 1
        uniform = len({*grid[i : i + 2, j : j + 2].ravel().tolist()}) == 1
        if uniform and found != [value]:
            # a region smaller than a cell of the grid may be missed, and nothing else
            near = points[np.abs(points - point).max(axis=1) < 1e-9]
            wrong += len(near)
    assert wrong <= 2
    errors = int((model.predict(table) != table["kind"]).sum())
    assert plot.data["misclassified"] == errors


def test_a_linear_border_is_exact_to_a_thousandth_of_a_cell() -> None:
    table = blobs(k=2)
    model = tl.LogisticRegression().fit(table, "kind")
    plot = tl.plot_decision_regions(model, table)
    x, y = (np.array(plot.data["grid"][name]) for name in ("length", "width"))
    frame = [(x[0], x[-1]), (y[0], y[-1])]
    for layer in plot.data["layers"]:
        if layer["kind"] == "area":
            corners = np.concatenate(layer["outlines"])
            on_frame = np.zeros(len(corners), dtype=bool)
            for axis, ends in enumerate(frame):
                for end in ends:
                    on_frame |= np.abs(corners[:, axis] - end) < 1e-12
            score = corners[~on_frame] @ model.coef_[0] + model.intercept_[0]
            cell = np.hypot(x[1] - x[0], y[1] - y[0])
            assert np.abs(score / np.linalg.norm(model.coef_)).max() < cell / 1000


def test_the_regions_of_a_tree_keep_their_right_angles() -> None:
    grid = np.linspace(0, 1, 9)

    def code_at(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return ((x > 0.3) & (y > 0.6)).astype(int)

    found = region_outlines(grid, grid, code_at(*np.meshgrid(grid, grid)), code_at)
    corners = found[1][0]
    assert len(corners) == 4
    assert np.abs(corners - [0.3, 0.6]).max(axis=1).min() < 1e-3
    assert len(found[0][0]) == 6


def test_a_round_region_is_not_given_corners() -> None:
    grid = np.linspace(-1, 1, 41)

    def code_at(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (x**2 + y**2 < 0.5).astype(int)

    [outline] = region_outlines(grid, grid, code_at(*np.meshgrid(grid, grid)), code_at)[1]
    assert np.hypot(*outline.T) == pytest.approx(np.full(len(outline), 0.5**0.5), abs=1e-3)


def test_many_regions_that_meet_in_a_point_cover_the_plane_once() -> None:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 4, (12, 12))  # saddles and cells of four codes
    grid = np.arange(12.0)
    found = region_outlines(grid, grid, codes, lambda x, y: np.full(len(x), -1))
    area = 0.0
    for outlines in found.values():
        for a in outlines:
            b = np.roll(a, -1, axis=0)
            area += float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()) / 2
    assert area == pytest.approx(121.0)
    for point in rng.uniform(0, 11, (200, 2)):
        assert sum(inside(point, outlines) for outlines in found.values()) == 1


def test_the_outline_of_a_level_lies_on_the_level() -> None:
    x, y = np.linspace(-2, 2, 81), np.linspace(-3, 3, 91)
    heights = x[None, :] + 2 * y[:, None]
    [outline] = level_outlines(x, y, heights, 1.0)
    reached = outline[:, 0] + 2 * outline[:, 1]
    assert reached.min() == pytest.approx(1.0)
    before = np.roll(outline, 1, axis=0)
    area = (before[:, 0] * outline[:, 1] - before[:, 1] * outline[:, 0]).sum() / 2
    assert area == pytest.approx(10.0)  # of the 24 of the rectangle
    assert not level_outlines(x, y, heights, 100.0)


def test_probability_shades_have_the_probabilities_of_predict_proba() -> None:
    table = blobs()
    model = tl.LogisticRegression().fit(table, "kind")
    plot = tl.plot_decision_regions(model, table, response_method="predict_proba")
    check(plot)
    across, upwards = np.meshgrid(plot.data["grid"]["length"], plot.data["grid"]["width"])
    expected = model.predict_proba({"length": across.ravel(), "width": upwards.ravel()})
    found = np.array(plot.data["probabilities"])
    assert found.reshape(-1, 3) == pytest.approx(expected, abs=1e-12)
    rng = np.random.default_rng(1)
    low, high = across[0, 0], across[0, -1]
    for point in np.column_stack([rng.uniform(low, high, 200), rng.uniform(low, high, 200) / 2]):
        share = model.predict_proba({"length": [point[0]], "width": [point[1]]})[0]
        if not (upwards[0, 0] < point[1] < upwards[-1, 0]):
            continue
        for code, name in enumerate("abc"):
            levels = [0.5, 0.6, 0.7, 0.8, 0.9]
            if np.abs(share[code] - levels).min() < 0.02:
                continue  # a border between grid points is interpolated
            shades = sum(inside(point, one["outlines"]) for one in plot.data["layers"]
                         if one["kind"] == "area" and one["name"] == name)  # fmt: skip
            assert shades == sum(share[code] >= level for level in levels)


def test_arrays_without_names_are_drawn_too() -> None:
    table = blobs(k=2)
    x = np.column_stack([table["length"], table["width"]])
    model = tl.KNeighborsClassifier(3).fit(x, table["kind"])
    plot = tl.plot_decision_regions(model, x, table["kind"])
    assert [*plot.data["grid"]] == ["x0", "x1"]
    tree = tl.CART().fit(x, table["kind"])
    assert tl.plot_decision_regions(tree) == tl.plot_decision_regions(tree, x, table["kind"])


def test_a_picture_that_cannot_be_drawn_says_why() -> None:
    tennis = tl.ID3().fit(tl.example("tennis"), "PlayTennis")
    with pytest.raises(KindError, match=r"plot_decision_regions: column 'Outlook' is a category"):
        tl.plot_decision_regions(tennis)
    table = blobs(k=2)
    near = tl.KNeighborsClassifier(3).fit(table, "kind")
    with pytest.raises(InputError, match=r"kept no training rows. Pass X"):
        tl.plot_decision_regions(near)
    with pytest.raises(OptionError, match="response_method is 'proba'"):
        tl.plot_decision_regions(near, table, response_method="proba")
    with pytest.raises(OptionError, match="model is 5"):
        tl.plot_decision_regions(5, table)
    with pytest.raises(KindError, match="KNeighborsClassifier has no class densities"):
        tl.plot_class_densities(near, table)
    with pytest.raises(OptionError, match="show is 'odds'"):
        tl.plot_class_densities(near, table, show="odds")
    numbers = {"a": [1, 2, 3], "b": [2, 1, 1], "y": [1, 2, 3]}
    with pytest.raises(KindError, match=r"2 columns \('a', 'b'\).*one numeric column"):
        tl.plot_regression(tl.LinearRegression().fit(numbers, "y"))
    with pytest.raises(OptionError, match="residuals is 'yes'"):
        tl.plot_regression(near, residuals="yes")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="z is 'a'"):
        tl.plot_sigmoid("a")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="Pass a fitted KNeighborsClassifier"):
        tl.plot_voronoi(tennis)
    manhattan = tl.KNeighborsClassifier(1, metric="manhattan").fit(table, "kind")
    with pytest.raises(KindError, match="Euclidean distance"):
        tl.plot_voronoi(manhattan)


@pytest.mark.parametrize("model", [tl.NaiveBayes(var_smoothing=0), tl.LinearDiscriminantAnalysis(),
                                   tl.QuadraticDiscriminantAnalysis()])  # fmt: skip
def test_curves_are_the_normal_densities_of_the_classes(model: Any) -> None:
    table = blobs()
    del table["width"]
    model.fit(table, "kind")
    plots = {show: tl.plot_class_densities(model, table, show=show)
             for show in ("density", "joint", "posterior")}  # fmt: skip
    for plot in plots.values():
        check(plot)
    x = np.array(plots["density"].data["x"])
    by_class = [np.asarray(table["length"])[np.asarray(table["kind"]) == c] for c in "abc"]
    spread = np.array([one.var() for one in by_class])  # maximum likelihood, as scikit-learn
    if type(model) is tl.LinearDiscriminantAnalysis:
        spread = np.full(3, spread.mean())
    density = np.array([norm.pdf(x, one.mean(), s**0.5)
                        for one, s in zip(by_class, spread, strict=True)])  # fmt: skip
    joint = density / 3
    for show, expected in (("density", density), ("joint", joint),
                           ("posterior", joint / joint.sum(axis=0))):  # fmt: skip
        for code, name in enumerate("abc"):
            found = plots[show].data["curves"][name]
            assert found == pytest.approx(expected[code], rel=1e-6, abs=1e-12)


def test_unequal_priors_scale_the_joint_density_only() -> None:
    table = {"x": [1.0, 2, 3, 4, 7, 9], "c": [*"aaaabb"]}
    model = tl.NaiveBayes().fit(table, "c")
    density = tl.plot_class_densities(model).data["curves"]
    joint = tl.plot_class_densities(model, show="joint").data["curves"]
    assert joint["a"] == pytest.approx(np.array(density["a"]) * 4 / 6, abs=1e-14)
    assert joint["b"] == pytest.approx(np.array(density["b"]) * 2 / 6, abs=1e-14)


@pytest.mark.parametrize("model", [tl.NaiveBayes(var_smoothing=0), tl.LinearDiscriminantAnalysis(),
                                   tl.QuadraticDiscriminantAnalysis()])  # fmt: skip
def test_ellipses_have_the_mahalanobis_distance_that_the_note_says(model: Any) -> None:
    table = blobs()
    model.fit(table, "kind")
    plot = tl.plot_class_densities(model, table)
    check(plot)
    x = np.column_stack([table["length"], table["width"]])
    for code, name in enumerate("abc"):
        rows = x[np.asarray(table["kind"]) == name]
        mean = rows.mean(axis=0)
        if type(model) is tl.NaiveBayes:
            covariance = np.diag(rows.var(axis=0))
        elif type(model) is tl.QuadraticDiscriminantAnalysis:
            covariance = np.cov(rows.T, ddof=0)
        else:
            parts = [np.cov(x[np.asarray(table["kind"]) == c].T, ddof=0) for c in "abc"]
            covariance = np.mean(parts, axis=0)
        assert plot.data["means"][code] == pytest.approx(mean)
        for radius, ellipse in zip((1, 2), plot.data["ellipses"][name], strict=True):
            away = np.array(ellipse) - mean
            squared = (away @ np.linalg.inv(covariance) * away).sum(axis=1)
            assert squared == pytest.approx(np.full(len(away), radius**2), rel=1e-6)
            peak = multivariate_normal(mean, covariance)
            ratio = peak.pdf(ellipse) / peak.pdf(mean)
            assert ratio == pytest.approx(np.full(len(away), np.exp(-(radius**2) / 2)), rel=1e-6)


def test_the_bands_of_a_regression_are_those_of_the_textbook() -> None:
    rng = np.random.default_rng(2)
    x = rng.uniform(0, 10, 20)
    y = 3 + 0.8 * x + rng.normal(0, 1.5, 20)
    model = tl.LinearRegression().fit({"hours": x, "score": y}, "score")
    plot = tl.plot_regression(model, level=0.9, residuals=True)
    check(plot)
    at = np.array(plot.data["x"])
    slope, intercept = np.polyfit(x, y, 1)
    assert plot.data["predicted"] == pytest.approx(intercept + slope * at)
    sigma = np.sqrt(((y - intercept - slope * x) ** 2).sum() / 18)
    leverage = 1 / 20 + (at - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum()
    for name, width in (("90 % confidence interval", leverage),
                        ("90 % prediction interval", 1 + leverage)):  # fmt: skip
        half = student.ppf(0.95, 18) * sigma * np.sqrt(width)
        assert plot.data["bands"][name]["high"] == pytest.approx(intercept + slope * at + half)
        assert plot.data["bands"][name]["low"] == pytest.approx(intercept + slope * at - half)
    residuals = [one for one in plot.data["layers"] if one["name"] == "residuals"]
    assert len(residuals) == 20
    for layer, a, b in zip(residuals, x, y, strict=True):
        assert layer["x"] == [a, a]
        assert layer["y"] == pytest.approx([b, intercept + slope * a])


@pytest.mark.parametrize("model", [tl.CART(), tl.Ridge(), tl.KNeighborsRegressor(3)],
                         ids=lambda m: type(m).__name__)  # fmt: skip
def test_any_regressor_of_one_column_has_its_curve(model: Any) -> None:
    table = {"x": [0.0, 1, 2, 3, 4, 5], "y": [0.5, 1, 4, 9, 16, 25]}
    if type(model).__name__.startswith("DecisionTree"):
        model = tl.DecisionTreeRegressor(max_depth=2)
    model.fit(table, "y")
    plot = tl.plot_regression(model, table)
    check(plot)
    assert plot.data["predicted"] == model.predict({"x": plot.data["x"]}).tolist()
    assert plot.data["bands"] == {}


def test_a_classifier_of_two_classes_has_the_probability_of_the_second() -> None:
    table = {"hours": [1, 2, 3, 4, 5, 6], "passed": ["no", "no", "yes", "no", "yes", "yes"]}
    model = tl.LogisticRegression().fit(table, "passed")
    plot = tl.plot_regression(model, table)
    check(plot)
    at = np.array(plot.data["x"])
    expected = 1 / (1 + np.exp(-(model.intercept_[0] + model.coef_[0, 0] * at)))
    assert plot.data["predicted"] == pytest.approx(expected)
    [rows] = [one for one in plot.data["layers"] if one["kind"] == "points"]
    assert rows["y"] == [0, 0, 1, 0, 1, 1]
    three = tl.LogisticRegression().fit({"x": [1, 2, 3], "c": [*"abc"]}, "c")
    with pytest.raises(InputError, match=r"3 classes.*show='posterior'"):
        tl.plot_regression(three, {"x": [1, 2, 3], "c": [*"abc"]})


def test_the_sigmoid_goes_through_its_marked_points() -> None:
    plot = tl.plot_sigmoid([-9.0, 0.0, 2.0])
    check(plot)
    z, heights = np.array(plot.data["z"]), plot.data["sigmoid"]
    assert heights == pytest.approx(1 / (1 + np.exp(-z)))
    assert [p for _, p in plot.data["points"]] == pytest.approx(
        [float(tl.sigmoid(z)) for z in (-9, 0, 2)]
    )
    assert z[0] < -9


@pytest.mark.parametrize("n", [1, 2, 7, 60])
def test_a_voronoi_cell_has_the_points_that_are_nearest_to_its_site(n: int) -> None:
    rng = np.random.default_rng(n)
    sites = rng.uniform(0, 1, (n, 2))
    cells = voronoi_cells(sites, (-1, 2, -1, 2))
    points = rng.uniform(-1, 2, (500, 2))
    _, nearest = cKDTree(sites).query(points)
    for point, site in zip(points, nearest, strict=True):
        assert [k for k, cell in enumerate(cells) if inside(point, [cell])] == [site]


@pytest.mark.parametrize("scale", [None, "minmax", "standard"])
def test_the_cells_of_one_nearest_neighbour_are_its_predictions(scale: str | None) -> None:
    table = blobs()
    table["width"] = 50 * np.asarray(table["width"])
    model = tl.KNeighborsClassifier(1, scale=scale).fit(table, "kind")
    plot = tl.plot_voronoi(model)
    check(plot)
    assert len(plot.data["cells"]) == 75
    for cell, value in zip(plot.data["cells"], plot.data["classes"], strict=True):
        corners = np.array(cell)
        points = 0.9 * corners + 0.1 * corners.mean(axis=0)  # inside, near every corner
        found = model.predict({"length": points[:, 0], "width": points[:, 1]})
        assert {*found} == {value}


def test_the_cells_of_centroids_and_clusters_are_their_predictions() -> None:
    table = blobs()
    centroid = tl.NearestCentroid().fit(table, "kind")
    plain = {name: table[name] for name in ("length", "width")}
    clusters = tl.KMeans(4).fit(plain)
    for model, names in ((centroid, [*"abc"]), (clusters, [0, 1, 2, 3])):
        plot = tl.plot_voronoi(model)
        check(plot)
        for cell, value in zip(plot.data["cells"], names, strict=True):
            points = 0.99 * np.array(cell) + 0.01 * np.mean(cell, axis=0)
            found = model.predict({"length": points[:, 0], "width": points[:, 1]})
            assert {*found} == {value}
