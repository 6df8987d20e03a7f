"""How much of scikit-learn's own tests of linear models ours pass, test by test.

    python -m parity.scikit_learn_linear [-v] [base ridge coordinate_descent ...]

The files are those of the installed scikit-learn, run as they are: only six of the classes that
they import are ours. Tests are counted that make or fit one of these. ``-v`` names the tests that
fail, with the first line of their errors.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
import sklearn
import sklearn.linear_model
from scipy.sparse import issparse

import tallylearn as tl
from parity.scikit_learn_trees import Counted

FILES = (
    "base", "ridge", "coordinate_descent", "sparse_coordinate_descent", "logistic", "perceptron"
)  # fmt: skip
NAMES = ("LinearRegression", "Ridge", "Lasso", "ElasticNet", "LogisticRegression", "Perceptron")
USED: set[str] = set()  # of our classes, by the test that runs


class Touching(Counted):
    """What pytest saw of the tests that used one of our classes."""

    def pytest_runtest_setup(self) -> None:
        USED.clear()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if USED or report.outcome == "skipped":
            super().pytest_runtest_logreport(report)


def ours(name: str, dropped: Collection[str] = (), kin: tuple[type, ...] = ()) -> Any:
    """Our class, which notes that it is used; sparse rows are filled up for it.

    Options that ours does not have, and that change no answer, are dropped. ``kin`` are classes
    that the tests tell it by.
    """
    parent = getattr(tl, name)

    class Noted(parent, *kin):  # type: ignore[misc]
        @wraps(parent.__init__)
        def __init__(self, *given: Any, **options: Any) -> None:
            USED.add(name)
            known = {key: value for key, value in options.items() if key not in dropped}
            super().__init__(*given, **known)

        def fit(self, *given: Any, **options: Any) -> Any:
            USED.add(name)
            return super().fit(*given, **options)

        def _table(self, X: Any) -> Any:
            return super()._table(X.toarray() if issparse(X) else X)

        @classmethod
        def options(cls) -> tuple[str, ...]:
            found: tuple[str, ...] = parent.options()
            return found

    Noted.__name__ = Noted.__qualname__ = name
    globals()[name] = Noted  # where a pickle looks for it
    return Noted


DROPPED = {
    "LogisticRegression": ("random_state", "n_jobs", "verbose", "dual", "warm_start"),
    "Perceptron": ("tol", "n_jobs", "verbose"),
}


def counted(file: str) -> Touching:
    """Run a file of scikit-learn's, ``linear_model/tests/test_base.py`` say, as it is."""
    found = Touching()
    path = Path(sklearn.__file__).parent / file
    quiet = ["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-p", "no:xdist"]
    pytest.main([str(path), *quiet, "-c", "/dev/null", "--tb=line"], plugins=[found])
    return found


def told(file: str, found: Touching | None = None) -> None:
    """How many of the tests of a file pass, or passed; ``-v`` names the others."""
    if found is None:
        found = counted(file)
        for name, message in found.failed if "-v" in sys.argv else ():
            print(f"{name}: {message[:150]}")
    passed, failed = found.ends["passed"], found.ends["failed"]
    print(
        f"scikit-learn {sklearn.__version__}, sklearn/{file}: "
        f"{passed} of {passed + failed} tests pass"
    )


def main() -> None:
    for name in NAMES:
        setattr(sklearn.linear_model, name, ours(name, DROPPED.get(name, ())))
    for file in [one for one in sys.argv[1:] if one in FILES] or FILES:
        told(f"linear_model/tests/test_{file}.py")


if __name__ == "__main__":
    main()
