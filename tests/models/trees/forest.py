"""Trees of every kind to look at: mixed columns, gaps, hostile names, all options that matter."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd

import tallylearn as tl

FIRST = datetime(2020, 1, 1)
HOSTILE = ('<b>&"quoted"</b>', "back\\slash {brace} %s", "two\nlines", "名前 ü", "it's; -- a\ttab")


def rows(n: int, seed: int = 0, gaps: float = 0.1) -> pd.DataFrame:
    """Rows with numbers, dates, categories of text, numbers and truth, and gaps."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "x": rng.normal(size=n).round(2),
            "small": rng.integers(0, 4, n).astype(float),
            "when": [FIRST + timedelta(hours=int(h)) for h in rng.integers(0, 9000, n)],
            "colour": rng.choice(["red", "green", "blue", "grey"], n),
            HOSTILE[0]: rng.choice(HOSTILE, n),
            "yes": rng.choice([True, False], n),
        }
    )  # fmt: skip
    score = table["x"] + (table["colour"] == "red") - table["small"] * table["yes"]
    table["y"] = score + rng.normal(size=n).round(3)
    table["class"] = np.where(table["y"] > 0.5, "high", np.where(table["y"] > -0.5, "mid", "low"))
    for name in [*table.columns[:6]]:
        table[name] = table[name].astype(object).where(rng.random(n) >= gaps, None)
    table["x"], table["small"] = table["x"].astype(float), table["small"].astype(float)
    table["when"] = pd.to_datetime(table["when"])
    return table


COLUMNS = [*rows(2).columns[:6]]
LEARNERS: dict[str, Any] = {
    "id3": tl.ID3(),
    "c45": tl.C45(),
    "cart": tl.CART(max_depth=6),
    "node": tl.ID3(missing="node", max_depth=5),
    "global": tl.CART(missing="global", max_depth=5),
    "loss": tl.CART(loss=[[0, 1, 5], [2, 0, 1], [1, 1, 0]], max_depth=4),
    "parts with loss": tl.C45(loss=[[0, 1, 5], [2, 0, 1], [1, 1, 0]], max_depth=4),
    "regression": tl.CART(task="regression", max_depth=6),
    "regression in parts": tl.CART(task="regression", missing="fractional", max_depth=4),
    "sdr": tl.CART(task="regression", criterion="sdr", category_split="multiway", max_depth=4),
    "root": tl.ID3(max_depth=0),
}


def target(name: str) -> str:
    return "y" if "regression" in name or name == "sdr" else "class"


def fitted(name: str, n: int = 300, seed: int = 0, gaps: float = 0.1) -> Any:
    table = rows(n, seed, gaps)
    return LEARNERS[name].fit(table[[*COLUMNS, target(name)]], target(name))


def asked_for(n: int, seed: int) -> list[dict[str, Any]]:
    """Rows to answer, as dicts: with gaps, and with categories that no table had."""
    table = rows(n, seed, gaps=0.2)[COLUMNS]
    strange = np.random.default_rng(seed).random(n) < 0.1
    table["colour"] = table["colour"].where(~strange, "octarine")
    plain = table.astype(object).where(table.notna(), None).to_dict("records")
    for one in plain:
        one["when"] = None if one["when"] is None else one["when"].to_pydatetime()
    return plain


def grown(nodes: int, names: tuple[str, ...] = ("a", "b", "c")) -> Any:
    """A tree with about so many nodes."""
    rng = np.random.default_rng(nodes)
    n = max(40, nodes * 2)
    X = pd.DataFrame({name: rng.normal(size=n) for name in names})
    X["kind"] = rng.choice([*"pqrs"], n)
    y = rng.choice(["left", "right", "straight on"], n)
    return tl.CART(max_leaf_nodes=(nodes + 1) // 2).fit(X, y)
