"""How much of scikit-learn's own test file of trees our trees pass, test by test.

    python parity/scikit_learn_trees.py [-v]

The file is that of the installed scikit-learn, run as it is: only the four classes that it imports
are ours. ``-v`` names the tests that fail, with the first line of their errors.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sklearn.tree

import tallylearn as tl


class DecisionTreeClassifier(tl.DecisionTreeClassifier):
    """Ours, under scikit-learn's roof."""


class DecisionTreeRegressor(tl.DecisionTreeRegressor):
    """Ours, under scikit-learn's roof."""


def _extra(parent: Any, max_features: Any) -> Any:
    """A tree of random splits: ours is the parent with other defaults."""

    class Extra(parent):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(**{"splitter": "random", "max_features": max_features} | options)

        @classmethod
        def options(cls) -> tuple[str, ...]:
            found: tuple[str, ...] = parent.options()
            return found

    return Extra


class Counted:
    """What pytest saw."""

    def __init__(self) -> None:
        self.ends: Counter[str] = Counter()
        self.failed: list[tuple[str, str]] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.ends[report.outcome] += 1
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            told = str(getattr(crash, "message", report.longrepr)).strip().splitlines()
            self.failed.append((report.nodeid.split("::")[-1], told[0] if told else ""))


def counted() -> Counted:
    """Run the file with our classes in the place of scikit-learn's."""
    ours = {
        "DecisionTreeClassifier": DecisionTreeClassifier,
        "DecisionTreeRegressor": DecisionTreeRegressor,
        "ExtraTreeClassifier": _extra(tl.DecisionTreeClassifier, "sqrt"),
        "ExtraTreeRegressor": _extra(tl.DecisionTreeRegressor, 1.0),
    }
    for name, kind in ours.items():
        setattr(sklearn.tree, name, kind)
    found = Counted()
    file = Path(sklearn.tree.__file__).parent / "tests" / "test_tree.py"
    quiet = ["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-p", "no:xdist"]
    pytest.main([str(file), *quiet, "-c", "/dev/null", "--tb=line"], plugins=[found])
    return found


def main() -> None:
    found = counted()
    if "-v" in sys.argv:
        for name, message in found.failed:
            print(f"{name}: {message[:150]}")
    passed, failed, skipped = (found.ends[end] for end in ("passed", "failed", "skipped"))
    print(
        f"scikit-learn {sklearn.__version__}, sklearn/tree/tests/test_tree.py: "
        f"{passed} of {passed + failed} tests pass, {skipped} skipped"
    )


if __name__ == "__main__":
    main()
