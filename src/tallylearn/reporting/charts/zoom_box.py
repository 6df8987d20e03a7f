"""An HTML box in which a large picture is moved by dragging and zoomed by the wheel."""

from __future__ import annotations

import re

MAX_WIDTH, MAX_HEIGHT = 1000.0, 700.0  # pixels: a larger picture is put into a box that zooms
ZOOM_STYLE = (
    ".tally-zoom{position:relative;border:1px solid #ddd;background:#fff;height:80vh;"
    "min-height:360px;max-height:900px;overflow:hidden;touch-action:none;cursor:grab}"
    ".tally-zoom svg{display:block;width:100%;height:100%;user-select:none}"
    ".tally-zoom div{position:absolute;right:8px;top:8px;z-index:1}"
    ".tally-zoom button{font:14px sans-serif;min-width:30px;padding:3px 8px;margin-left:4px;"
    "border:1px solid #999;border-radius:4px;background:#fff;color:#222;cursor:pointer}"
    "@media(prefers-color-scheme:dark){.tally-zoom{border-color:#444;background:#1b1b1b}"
    ".tally-zoom button{background:#2a2a2a;color:#ececec}}"
)
ZOOM_BUTTONS = (
    '<div><button type="button" data-by="0.7" title="closer">+</button>'
    '<button type="button" data-by="1.43" title="farther">−</button>'
    '<button type="button" data-by="1" title="letters as large as in the text">1:1</button>'
    '<button type="button" data-by="0" title="the whole picture">whole</button></div>'
)
# The part of the picture that is seen is the viewBox of its svg: x, y, width, height.
ZOOM_SCRIPT = """
document.querySelectorAll(".tally-zoom:not([data-on])").forEach(function (box) {
  box.setAttribute("data-on", "");
  var svg = box.querySelector("svg"), seen = svg.viewBox.baseVal, held = null;
  var whole = [seen.x, seen.y, seen.width, seen.height];
  function look(x, y, w, h) { svg.setAttribute("viewBox", [x, y, w, h].join(" ")); }
  function scale() {
    return Math.max(seen.width / svg.clientWidth, seen.height / svg.clientHeight);
  }
  function zoom(by, x, y) {
    look(x - (x - seen.x) * by, y - (y - seen.y) * by, seen.width * by, seen.height * by);
  }
  function begin() {  // the first node as large as in the text, where it is in the whole picture
    var first = svg.querySelector(".node"), s = scale();
    var spot = first ? first.getBBox() : { x: whole[0], y: whole[1], width: 0, height: 0 };
    var x = spot.x + spot.width / 2, y = spot.y + spot.height / 2;
    var w = seen.width / s, h = seen.height / s;
    var room = svg.clientWidth / svg.clientHeight;
    if (w / h < room) w = h * room; else h = w / room;
    look(Math.min(x - (x - whole[0]) / whole[2] * w, spot.x - 14),
         Math.min(y - (y - whole[1]) / whole[3] * h, spot.y - 50), w, h);
  }
  function at(event) {
    var point = new DOMPoint(event.clientX, event.clientY);
    return point.matrixTransform(svg.getScreenCTM().inverse());
  }
  svg.addEventListener("wheel", function (event) {
    event.preventDefault();
    var point = at(event);
    zoom(Math.pow(1.0015, event.deltaY), point.x, point.y);
  }, { passive: false });
  svg.addEventListener("pointerdown", function (event) {
    held = [event.clientX, event.clientY];
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", function (event) {
    if (!held) return;
    var s = scale();
    look(seen.x - (event.clientX - held[0]) * s, seen.y - (event.clientY - held[1]) * s,
         seen.width, seen.height);
    held = [event.clientX, event.clientY];
  });
  ["pointerup", "pointercancel"].forEach(function (name) {
    svg.addEventListener(name, function () { held = null; });
  });
  box.querySelectorAll("button").forEach(function (button) {
    button.addEventListener("click", function () {
      var by = Number(button.getAttribute("data-by"));
      if (by === 0) return look(whole[0], whole[1], whole[2], whole[3]);
      if (by === 1) return begin();
      zoom(by, seen.x + seen.width / 2, seen.y + seen.height / 2);
    });
  });
  if (scale() > 2) begin();
});
"""


def is_large(svg: str) -> bool:
    """Whether a picture does not fit a screen."""
    found = re.match(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"', svg)
    return found is not None and (float(found[1]) > MAX_WIDTH or float(found[2]) > MAX_HEIGHT)


def zoom_box(svg: str) -> str:
    """A picture in a box of HTML where it can be moved and scaled, without any library."""
    return (
        f'<style>{ZOOM_STYLE}</style><div class="tally-zoom">{ZOOM_BUTTONS}{svg.strip()}</div>'
        f"<script>{ZOOM_SCRIPT}</script>"
    )
