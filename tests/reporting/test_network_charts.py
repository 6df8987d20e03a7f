"""Pictures of networks: parents stand above their children, and arrows end at them."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

import tallylearn as tl
from tallylearn.reporting.charts import draw_network

SVG = "{http://www.w3.org/2000/svg}"
EDGES = [("Burglary", "Alarm"), ("Earthquake", "Alarm"), ("Alarm", "John"), ("Burglary", "John")]


def nodes(picture: str) -> dict[str, tuple[float, float, float, float]]:
    """Every oval by its name: its centre and its half axes."""
    found = {}
    for oval in ET.fromstring(picture).iter(f"{SVG}ellipse"):
        name = oval[0].text or ""
        found[name] = tuple(float(oval.attrib[key]) for key in ("cx", "cy", "rx", "ry"))
    return found  # type: ignore[return-value]


def test_parents_stand_above_and_arrows_end_at_the_rim_of_the_child() -> None:
    net = tl.ProbabilitySpace.network(EDGES)
    picture = net.plot()
    at = nodes(picture.svg)
    assert {*at} == {*net.parents}
    assert all(at[parent][1] < at[child][1] for parent, child in EDGES)
    arrows = [g for g in ET.fromstring(picture.svg).iter(f"{SVG}g") if len(g) == 3]
    assert {arrow[0].text for arrow in arrows} == {f"{a} → {b}" for a, b in EDGES}
    for arrow in arrows:
        child = str(arrow[0].text).split(" → ")[1]
        x, y = map(float, arrow[2].attrib["points"].split()[0].split(","))
        cx, cy, rx, ry = at[child]
        assert abs(((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 - 1) < 0.02
    assert picture.data == {"nodes": [*net.order()], "edges": [[a, b] for a, b in _sorted(net)]}


def _sorted(net: object) -> list[tuple[str, str]]:
    return [(p, c) for c, above in net.parents.items() for p in above]  # type: ignore[attr-defined]


def test_nodes_of_a_layer_do_not_overlap_and_lie_on_the_sheet() -> None:
    names = [f"a rather long name of a variable {i}" for i in range(12)]
    picture = draw_network(names, [(names[0], name) for name in names[1:]], "wide")
    at = nodes(picture.svg)
    width = float(re.search(r'width="([\d.]+)"', picture.svg)[1])  # type: ignore[index]
    layer = sorted(at[name] for name in names[1:])
    assert len({y for _, y, _, _ in layer}) == 1
    assert all(a[0] + a[2] < b[0] - b[2] for a, b in itertools.pairwise(layer))
    assert layer[0][0] - layer[0][2] > 0
    assert layer[-1][0] + layer[-1][2] < width


def test_of_a_large_network_the_first_nodes_are_drawn_and_the_others_counted() -> None:
    names = [str(i) for i in range(250)]
    picture = draw_network(names, list(itertools.pairwise(names)), "<large> & long")
    assert len(nodes(picture.svg)) == 200
    assert "… and 50 more" in picture.svg
    assert len(picture.data["edges"]) == 249
