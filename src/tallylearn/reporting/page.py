"""The page template: one HTML document around a fragment, readable on light and dark screens."""

from __future__ import annotations

import re

from tallylearn import __version__
from tallylearn.reporting.formatting import escape_html

PAGE_STYLE = (
    "html{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60em;"
    "margin:2em auto;padding:0 1em;color:#222;background:#fff}"
    "table{border-collapse:collapse;margin:1em 0}"
    "td[style*=right]{white-space:nowrap}"  # an interval over two lines cannot be read
    "th,td{padding:.2em .8em;border-bottom:1px solid #ddd}caption{text-align:left;font-weight:600}"
    "h1.tally-title{font-size:1.3em}pre,p.tally-formula{overflow-x:auto}pre{line-height:1.35}"
    "h4.tally-heading{font-size:1.1em;margin:2em 0 .4em;break-after:avoid}"
    "math{font-size:1.1em}mfrac{padding:0 .1em}mfrac>*{padding:.1em 0}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}"
    "th,td{border-color:#444}}@media(max-width:40em){table{display:block;overflow-x:auto}"
    "td{white-space:nowrap}}"
)
FIRST_TITLE = re.compile(r'<h3 class="tally-title">(.*?)</h3>', re.DOTALL)
# A picture fills the window.
PICTURE_STYLE = (
    "html{color-scheme:light dark}body{margin:12px;background:#fff}"
    "@media(prefers-color-scheme:dark){body{background:#1b1b1b}}"
)


def html_page(title: object, body: str, style: str = PAGE_STYLE) -> str:
    """A document of its own: title, style, viewport and the program that wrote it."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="generator" content="tallylearn {__version__}">'
        f"<title>{escape_html(title)}</title><style>{style}</style></head>\n<body>\n"
        f"<main>{_with_main_heading(body.strip())}</main>\n</body></html>"
    )


def _with_main_heading(body: str) -> str:
    """The first title of a fragment is the heading of its page."""
    if "<h1" in body:
        return body
    return FIRST_TITLE.sub(r'<h1 class="tally-title">\1</h1>', body, count=1)
