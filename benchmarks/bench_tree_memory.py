"""What a tree takes of memory beside scikit-learn's: the peak of a fresh process, less its table.

Usage: bench_tree_memory.py [rows columns]
"""

from __future__ import annotations

import resource
import subprocess
import sys

BAR = 3.0  # times scikit-learn


def fit(who: str, task: str, n: int, p: int) -> float:
    """Megabytes that fitting one tree adds to the peak."""
    import numpy as np
    import sklearn.tree as peer

    import tallylearn as tl

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n)
    target = y > 0 if task == "Classifier" else y
    makers = {"ours": tl, "theirs": peer}
    small = getattr(makers[who], f"DecisionTree{task}")(max_depth=1)
    small.fit(X[:100], target[:100])  # what is imported late is not the tree's
    before = _peak()
    getattr(makers[who], f"DecisionTree{task}")(max_depth=8).fit(X, target)
    return _peak() - before


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(n: int, p: int) -> None:
    print(f"peak memory of one exact tree, n = {n:,}, p = {p}, depth 8, beyond the table")
    for task in ("Classifier", "Regressor"):
        ours, theirs = (
            float(subprocess.check_output([sys.executable, __file__, who, task, str(n), str(p)]))
            for who in ("ours", "theirs")
        )
        mark = "met" if ours <= BAR * theirs else "MISSED"
        print(
            f"{task:<12} {ours:8.0f} MB   scikit-learn {theirs:8.0f} MB   {ours / theirs:5.2f}x"
            f"   bar {BAR:g}x {mark}",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) == 5:
        print(fit(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    else:
        rows, columns = [int(a) for a in sys.argv[1:]] or [100_000, 500]
        main(rows, columns)
