"""Control-C: seconds from the signal to the end of a fit or a prediction that takes long.

python benchmarks/interrupt_latency.py               all cases
python benchmarks/interrupt_latency.py CART forest   some of them

Each case runs in a process of its own, which gets the signal one second and four seconds after the
work began. The bar is two seconds on a machine that does nothing else.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time

BAR = 2.0  # seconds
WAITS = 1.0, 4.0  # seconds of work before the signal
TABLES = """
import signal, warnings
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
import numpy as np, tallylearn as tl
warnings.simplefilter("ignore")
def rows(n, p, seed=0): return np.random.default_rng(seed).normal(size=(n, p))
def numbers(n): return np.random.default_rng(9).normal(size=n)
def classes(n, k=2): return np.random.default_rng(8).integers(0, k, n)
"""
CASES = {  # what is prepared, and what is interrupted
    "kNN": (
        "m = tl.KNeighborsClassifier(50).fit(rows(200_000, 20), classes(200_000))",
        "m.predict(rows(200_000, 20, 1))",
    ),
    "kNN, 3 columns": (
        "m = tl.KNeighborsRegressor(500).fit(rows(2_000_000, 3), numbers(2_000_000))",
        "m.predict(rows(1_000_000, 3, 1))",
    ),
    "kNN, manhattan": (
        "m = tl.KNeighborsRegressor(metric='manhattan').fit(rows(200_000, 20), numbers(200_000))",
        "m.predict(rows(100_000, 20, 1))",
    ),
    "CART": (
        "X, y = rows(2_000_000, 30), classes(2_000_000)",
        "tl.DecisionTreeClassifier().fit(X, y)",
    ),
    "CART, one thread": (
        "X, y = rows(1_000_000, 30), classes(1_000_000)",
        "with tl.engine(threads=1): tl.DecisionTreeClassifier().fit(X, y)",
    ),
    "absolute error": (
        "X, y = rows(200_000, 20), numbers(200_000)",
        "tl.DecisionTreeRegressor(criterion='absolute_error').fit(X, y)",
    ),
    "C4.5": ("X, y = rows(500_000, 16), classes(500_000)", "tl.C45().fit(X, y)"),
    "M5": ("X, y = rows(500_000, 20), numbers(500_000)", "tl.M5().fit(X, y)"),
    "forest": (
        "X, y = rows(1_000_000, 20), classes(1_000_000)",
        "tl.RandomForestClassifier(100).fit(X, y)",
    ),
    "extra trees": (
        "X, y = rows(1_000_000, 20), classes(1_000_000)",
        "tl.ExtraTreesClassifier(100).fit(X, y)",
    ),
    "extra trees, numbers": (
        "X, y = rows(500_000, 20), numbers(500_000)",
        "tl.ExtraTreesRegressor(100).fit(X, y)",
    ),
    "forest, numbers": (
        "X, y = rows(500_000, 20), numbers(500_000)",
        "tl.RandomForestRegressor(100).fit(X, y)",
    ),
    "forest, predict": (
        "X, y = rows(100_000, 20), classes(100_000)\n"
        "m, X = tl.RandomForestClassifier(200).fit(X, y), rows(3_000_000, 20)",
        "m.predict(X)",
    ),
    "k-means": ("X = rows(3_000_000, 30)", "tl.KMeans(200).fit(X)"),
    "logistic": (
        "X, y = rows(2_000_000, 50), classes(2_000_000, 5)",
        "tl.LogisticRegression(C=1e6, tol=1e-14, max_iter=10_000).fit(X, y)",
    ),
    "logistic lasso": (
        "X, y = rows(20_000, 2000), classes(20_000)",
        "tl.LogisticRegression(l1_ratio=1, C=0.1, tol=1e-14, max_iter=10_000).fit(X, y)",
    ),
    "lasso": (
        "X, y = rows(20_000, 3000), numbers(20_000)",
        "tl.Lasso(1e-4, tol=1e-14, max_iter=1_000_000).fit(X, y)",
    ),
    "lasso, folds": ("X, y = rows(20_000, 1900), numbers(20_000)", "tl.Lasso('cv').fit(X, y)"),
    "lasso, wide": (
        "X, y = rows(2000, 20_000), numbers(2000)",
        "tl.Lasso(1e-5, tol=1e-14, max_iter=1_000_000).fit(X, y)",
    ),
    "least squares, exact": (
        "X, y = rows(300_000, 100), numbers(300_000)",
        "tl.LinearRegression(exact=True).fit(X, y)",
    ),
    "least squares, wide": (
        "X, y = rows(40_000, 3000), numbers(40_000)",
        "tl.LinearRegression().fit(X, y)",
    ),
    "all subsets": ("X, y = rows(3000, 30), numbers(3000)", "tl.SubsetSelection().fit(X, y)"),
    "perceptron": (
        "X, y = rows(1_000_000, 50), classes(1_000_000)",
        "tl.Perceptron(max_iter=100_000).fit(X, y)",
    ),
    "LMS": (
        "X, y = 0.01 * rows(1_000_000, 50), numbers(1_000_000)",
        "tl.LMS(1e-6, steps=4 * 10**9).fit(X, y)",
    ),
    "PCA": ("X = rows(40_000, 3000)", "tl.PCA(10).fit(X)"),
    "QDA": (
        "X, y = rows(100_000, 600), classes(100_000, 10)",
        "tl.QuadraticDiscriminantAnalysis().fit(X, y)",
    ),
    "evaluate, forest": (
        "X, y = rows(100_000, 20), classes(100_000)",
        "tl.evaluate(tl.RandomForestClassifier(100), X, y)",
    ),
    "describe": ("X = rows(3_000_000, 40)", "tl.describe(X)"),
}
REPORT = """
print("ready", flush=True)
try:
    {run}
    print("finished before", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def latency(name: str, wait: float) -> tuple[float, str]:
    """Seconds from the signal to the end, and how it ended."""
    setup, run = CASES[name]
    code = TABLES + setup + REPORT.format(run=run)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(wait)
    child.send_signal(signal.SIGINT)
    start = time.perf_counter()
    try:
        ended = child.communicate(timeout=60)[0].strip()
    except subprocess.TimeoutExpired:
        child.kill()
        ended = "still running"
    return time.perf_counter() - start, ended


if __name__ == "__main__":
    print(f"{'case':<24} {'after':>6} {'ends in':>8}")
    for name in sys.argv[1:] or CASES:
        for wait in WAITS:
            seconds, ended = latency(name, wait)
            mark = "" if seconds <= BAR else "  MISSED"
            print(f"{name:<24} {wait:4.1f} s {seconds:6.2f} s  {ended}{mark}", flush=True)
