"""Explainable boosting beside interpret's: mean scores, and the time of an Adult-like table.

    python benchmarks/bench_additive.py [--peer PYTHON] [--data FOLDER]

``--peer`` is the Python of an environment that has interpret-core, which is not one of ours:

    python -m venv /tmp/peer && /tmp/peer/bin/pip install interpret-core
    python benchmarks/bench_additive.py --peer /tmp/peer/bin/python

Without it only our own figures are printed. Tables of scikit-learn are always there; those of
``--data`` are files of public sets. Both sides get the same five folds and their default options.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FOLDS, SEED, LARGEST = 5, 7, 4000  # folds; seed of their shuffle; rows of a table
MISSING = ["?", "", "NA"]
CLASSES, NUMBERS = "classification", "regression"
FILES = {  # file: target, task, columns that are left out
    "adult_train.csv.gz": ("income", CLASSES, []),
    "credit_g.csv": ("class", CLASSES, []),
    "titanic.csv": ("survived", CLASSES, ["name", "ticket", "cabin"]),
    "diabetes_pima.csv": ("class", CLASSES, []),
    "car.csv": ("class", CLASSES, []),
    "mushroom.csv": ("class", CLASSES, []),
    "abalone.csv": ("Rings", NUMBERS, []),
    "auto_mpg.csv": ("mpg", NUMBERS, []),
    "bike_hour.csv.gz": ("cnt", NUMBERS, ["instant", "dteday", "casual", "registered"]),
    "cpu_prp.csv": ("PRP", NUMBERS, []),
}
SCORE_BAR, TIME_BAR = -0.5, 10.0  # points; times


def tables(folder: Path) -> dict[str, tuple[pd.DataFrame, Any, str]]:
    """The tables: columns, target and task by name."""
    from sklearn import datasets

    found = {}
    for name, (target, task, left_out) in FILES.items():
        if not (folder / name).exists():
            print(f"{name} is left out: it is not in {folder}")
            continue
        frame = pd.read_csv(folder / name, na_values=MISSING, skipinitialspace=True)
        frame = frame.drop(columns=left_out)
        if len(frame) > LARGEST:
            frame = frame.sample(LARGEST, random_state=SEED).reset_index(drop=True)
        found[name.split(".")[0]] = (frame.drop(columns=target), frame[target].to_numpy(), task)
    for name, task in (("breast_cancer", CLASSES), ("wine", CLASSES), ("diabetes", NUMBERS)):
        bunch = getattr(datasets, f"load_{name}")(as_frame=True)
        found[name] = (bunch.data, bunch.target.to_numpy(), task)
    return found


def adult_like(n: int = 32_561) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows with the columns of the Adult table: six numbers and eight categories."""
    rng = np.random.default_rng(SEED)
    frame = pd.DataFrame(
        {
            "age": rng.integers(17, 91, n), "weight": rng.lognormal(12, 0.5, n).round(),
            "years": rng.integers(1, 17, n), "hours": rng.normal(40, 12, n).clip(1, 99).round(),
            "gain": np.where(rng.random(n) < 0.08, rng.lognormal(8, 1, n).round(), 0),
            "loss": np.where(rng.random(n) < 0.05, rng.normal(1900, 300, n).round(), 0),
        }
    )  # fmt: skip
    raw = 0.05 * (frame["age"] - 40) - 0.0012 * (frame["age"] - 48) ** 2
    raw += 0.3 * (frame["years"] - 10) + 0.03 * (frame["hours"] - 40) + (frame["gain"] > 5000) * 3
    for j, values in enumerate((8, 16, 7, 14, 6, 5, 2, 41)):
        share = rng.dirichlet(np.ones(values))
        codes = rng.choice(values, n, p=share)
        frame[f"category {j}"] = np.array([f"value {v}" for v in range(values)])[codes]
        raw += rng.normal(0, 0.5, values)[codes]
    raw += ((frame["age"] < 30) & (frame["hours"] > 45)) * 0.8 - 1.5
    return frame, np.where(rng.random(n) < 1 / (1 + np.exp(-raw)), ">50K", "<=50K")


def splits(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of the folds."""
    parts = np.array_split(np.random.default_rng(SEED).permutation(n), FOLDS)
    return [(np.concatenate([*parts[:i], *parts[i + 1 :]]), parts[i]) for i in range(FOLDS)]


def score(model: Any, X: pd.DataFrame, y: np.ndarray, task: str) -> float:
    """Accuracy or R-squared, in points, mean of the folds."""
    found = []
    for train, test in splits(len(X)):
        predicted = model.fit(X.iloc[train], y[train]).predict(X.iloc[test])
        if task == CLASSES:
            found.append(float((np.asarray(predicted) == y[test]).mean()))
        else:
            spread = ((y[test] - y[test].mean()) ** 2).sum()
            found.append(1 - float(((y[test] - predicted) ** 2).sum() / spread))
    return 100 * float(np.mean(found))


def measure(made: dict[str, Any], cases: Any, adult: Any) -> dict[str, Any]:
    """The scores of all tables with their seconds, and the seconds of a fit on Adult-like rows."""
    scores, seconds = {}, {}
    for name, (X, y, task) in cases.items():
        start = time.perf_counter()
        scores[name] = score(made[task](), X, y, task)
        seconds[name] = time.perf_counter() - start
    start = time.perf_counter()
    made[CLASSES]().fit(*adult)
    return {"scores": scores, "seconds": seconds, "adult": time.perf_counter() - start}


def peer_measures(path: str) -> None:
    """What interpret has on the tables of a pickle, as JSON; runs in the peer's environment."""
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    cases, adult = pickle.loads(Path(path).read_bytes())
    made = {CLASSES: ExplainableBoostingClassifier, NUMBERS: ExplainableBoostingRegressor}
    print(json.dumps(measure(made, cases, adult)))


def measure_peer(python: str, cases: Any, adult: Any) -> dict[str, Any] | None:
    """The figures of interpret, from its own environment; None where it is not there."""
    asked = [python, "-c", "import interpret.glassbox, pandas"]
    try:
        found = subprocess.run(asked, capture_output=True, check=False).returncode == 0
    except OSError:
        found = False
    if not found:
        print(f"interpret is left out: {python} cannot import interpret and pandas")
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tables.pickle"
        path.write_bytes(pickle.dumps((cases, adult)))
        asked = [python, __file__, "--tables", str(path)]
        ran = subprocess.run(asked, capture_output=True, text=True, check=True)
    return dict(json.loads(ran.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", default="", help="Python with interpret-core")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of files")
    parser.add_argument("--tables", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.tables:
        peer_measures(given.tables)
        return
    import tallylearn as tl

    cases, adult = tables(given.data), adult_like()
    made = {CLASSES: tl.ExplainableBoostingClassifier, NUMBERS: tl.ExplainableBoostingRegressor}
    ours = measure(made, cases, adult)
    theirs = None
    if given.peer:
        theirs = measure_peer(given.peer, cases, adult)
    else:
        print("interpret is left out: pass --peer with a Python that has interpret-core")
    print(f"\n{'mean of five folds, in points':<32}{'ours':>9}{'peer':>9}{'':>9}{'s':>8}{'s':>8}")
    for name, mine in ours["scores"].items():
        row = f"{name:<32}{mine:>9.2f}"
        if theirs:
            other = theirs["scores"][name]
            row += f"{other:>9.2f}{mine - other:>+9.2f}"
            row += f"{ours['seconds'][name]:>8.2f}{theirs['seconds'][name]:>8.1f}"
        print(row)
    if theirs:
        gaps = [mine - theirs["scores"][name] for name, mine in ours["scores"].items()]
        gap, ratio = float(np.mean(gaps)), theirs["adult"] / ours["adult"]
        print(f"{'mean difference':<50}{gap:>+9.2f}   bar {SCORE_BAR:+g} {mark(gap >= SCORE_BAR)}")
        print(
            f"{'Adult-like, 32,561 x 14: fit':<32}{ours['adult']:>7.2f} s{theirs['adult']:>7.1f} s"
            f"{ratio:>8.1f}x   bar {TIME_BAR:g}x {mark(ratio >= TIME_BAR)}"
        )
    else:
        print(f"{'Adult-like, 32,561 x 14: fit':<32}{ours['adult']:>7.2f} s")


def mark(met: bool) -> str:
    return "met" if met else "MISSED"


if __name__ == "__main__":
    main()
