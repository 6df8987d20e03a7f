"""Coverage: how often the prediction interval of a row holds its target.

Every learner is fitted to a drawn table, and predicts intervals for rows that it has not seen. The
share of these rows whose target is in its interval is the coverage of one table; printed are its
mean over tables, the 95 % interval of the mean, and the mean width in standard deviations of the
target. Simulated tables are drawn anew. Real ones, of ``../shared/data`` if it is there, are split
at random: their intervals treat splits as independent, which they are not.

Usage: prediction_interval_coverage.py [tables] [splits] [../shared/data]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import tallylearn as tl
from tallylearn.statistics.confidence_intervals import mean_interval

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
LEVEL, FRESH, MAX_ROWS = 0.9, 500, 600
LEARNERS: dict[str, Callable[[], object]] = {
    "least squares": tl.LinearRegression,
    "ridge": tl.Ridge,
    "tree, depth 4": lambda: tl.DecisionTreeRegressor(max_depth=4),
    "5 neighbours": lambda: tl.KNeighborsRegressor(5, metric="gower"),
    "random forest": lambda: tl.RandomForestRegressor(100),
    "extra trees": lambda: tl.ExtraTreesRegressor(30),
    "boosting": lambda: tl.HistGradientBoostingRegressor(max_iter=40),
}
TARGETS = {
    "auto_mpg": "mpg", "cpu_prp": "PRP", "cpu_with_vendor": "ERP", "abalone": "Rings",
    "diabetes_lars": "progression", "bike_hour": "cnt",
}  # fmt: skip
LEFT_OUT = ["instant", "dteday", "casual", "registered"]  # of bike_hour: they add up to the target


def columns(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Five numbers and a category."""
    frame = pd.DataFrame(rng.uniform(size=(n, 5)), columns=[*"abcde"])
    return frame.assign(colour=rng.choice(["red", "green", "blue"], n))


def linear(rng: np.random.Generator, n: int) -> pd.DataFrame:
    frame = columns(rng, n)
    mean = 4 * frame.a - 3 * frame.b + (frame.colour == "red")
    return frame.assign(y=mean + rng.normal(size=n))


def skewed(rng: np.random.Generator, n: int) -> pd.DataFrame:
    frame = columns(rng, n)
    mean = 4 * frame.a - 3 * frame.b + (frame.colour == "red")
    return frame.assign(y=mean + rng.exponential(size=n))


def unequal(rng: np.random.Generator, n: int) -> pd.DataFrame:
    frame = columns(rng, n)
    return frame.assign(y=4 * frame.a + (0.2 + 2 * frame.b) * rng.normal(size=n))


def smooth(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Friedman's first function."""
    f = columns(rng, n)
    mean = 10 * np.sin(np.pi * f.a * f.b) + 20 * (f.c - 0.5) ** 2 + 10 * f.d + 5 * f.e
    return f.assign(y=mean + rng.normal(size=n))


SHAPES = {"linear": linear, "skewed errors": skewed, "unequal errors": unequal, "smooth": smooth}


def grouped(rng: np.random.Generator, n: int, first: int = 0) -> pd.DataFrame:
    """Ten rows of every group, which share an effect and nearly share two columns."""
    who = np.arange(n) // 10
    effect, place = rng.normal(size=n // 10)[who], rng.uniform(size=(n // 10, 2))[who]
    near = place + rng.normal(size=(n, 2)) * 0.001
    y = near[:, 0] + effect + 0.3 * rng.normal(size=n)
    return pd.DataFrame({"a": near[:, 0], "b": near[:, 1], "who": first + who, "y": y})


def held(model: object, fresh: pd.DataFrame, target: str) -> tuple[float, float]:
    """The share of rows whose interval holds the target, and the mean width."""
    low, high = model.predict_interval(fresh.drop(columns=target), level=LEVEL).T  # type: ignore[attr-defined]
    y = fresh[target].to_numpy()
    return float(((low <= y) & (y <= high)).mean()), float((high - low).mean() / y.std())


def simulated(n: int, tables: int) -> Iterator[tuple[str, str, list[tuple[float, float]]]]:
    for shape, draw in SHAPES.items():
        for name, make in LEARNERS.items():
            found = []
            for seed in range(tables):
                rng = np.random.default_rng(seed)
                model = make().fit(draw(rng, n), "y")  # type: ignore[attr-defined]
                found.append(held(model, draw(rng, FRESH), "y"))
            yield shape, name, found


def groups(tables: int) -> Iterator[tuple[str, str, list[tuple[float, float]]]]:
    for name in ("random forest", "boosting"):
        for told in (True, False):
            found = []
            for seed in range(tables):
                rng = np.random.default_rng(seed)
                rows, fresh = grouped(rng, 300), grouped(rng, FRESH, 1000)
                kept = (
                    tl.table(rows, target="y", groups="who") if told else rows.drop(columns="who")
                )
                model = LEARNERS[name]().fit(kept, None if told else "y")  # type: ignore[attr-defined]
                found.append(held(model, fresh.drop(columns="who"), "y"))
            yield "groups given" if told else "groups ignored", name, found


def real(splits: int, data: Path) -> Iterator[tuple[str, str, list[tuple[float, float]]]]:
    for name, target in TARGETS.items():
        for path in data.glob(f"{name}.csv*"):
            frame = pd.read_csv(path, na_values=["?"])
            frame = frame.drop(columns=[one for one in LEFT_OUT if one in frame])
            for learner, make in LEARNERS.items():
                found = []
                for seed in range(splits):
                    rows = frame.sample(min(len(frame), MAX_ROWS), random_state=seed)
                    train, test = rows[: len(rows) * 2 // 3], rows[len(rows) * 2 // 3 :]
                    model = make().fit(train, target)  # type: ignore[attr-defined]
                    found.append(held(model, test, target))
                yield name, learner, found


def show(title: str, lines: Iterator[tuple[str, str, list[tuple[float, float]]]]) -> None:
    print(f"\n{title}\n{'':<16} {'':<15} covered  95 % CI of it    width", flush=True)
    for table, learner, found in lines:
        shares, widths = np.array(found).T
        interval = mean_interval(shares)
        print(
            f"{table:<16} {learner:<15} {shares.mean():7.1%}  {interval:.1%}  {widths.mean():6.2f}",
            flush=True,
        )


def main() -> None:
    """Simulated tables of two sizes, tables with groups, and real ones."""
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    splits = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    data = Path(sys.argv[3]) if len(sys.argv) > 3 else SHARED
    for n in (60, 300):
        show(f"{LEVEL:.0%} intervals, {tables} tables of {n} rows", simulated(n, tables))
    show(f"{LEVEL:.0%} intervals for new groups, {tables} tables of 30 groups", groups(tables))
    show(f"{LEVEL:.0%} intervals, {splits} splits of at most {MAX_ROWS} rows", real(splits, data))


if __name__ == "__main__":
    main()
