"""How much of scikit-learn's own tests of k-means and of scalers ours pass, and why not more.

    python -m parity.scikit_learn_clusters [-v] [k_means scalers]

As in ``parity.scikit_learn_linear``: the files as they are installed, with our classes in the place
of scikit-learn's. Every test that fails is counted under its cause, in the tables that
docs/guide/clustering.md and docs/guide/preprocessing.md have; one that no cause explains is named.
"""

from __future__ import annotations

import re
import sys
from collections import Counter

import sklearn.cluster
import sklearn.preprocessing

from parity.scikit_learn_linear import counted, ours, told

FILES = {
    "k_means": "cluster/tests/test_k_means.py",
    "scalers": "preprocessing/tests/test_data.py",
}
CAUSES = {
    "k_means": {
        r"attribute '_|no setter": "they call private methods, or write over `cluster_centers_`",
        r"kmeans_verbose": "`verbose` prints other words",
        r"relocating|warns_less": "more clusters than different rows are an error, not a warning",
        r"test_warning": "`n_init` beside given centres, and one cluster by Elkan, are no warning",
        r"float_precision": "numbers are doubles: `float32` does not stay",
    },
    "scalers": {
        r"two sparse|Expected a CSR|without_centering|sparse_with_mean|partial_fit_sparse": (
            "sparse matrices, filled up for ours, come back as arrays, and taking their mean away "
            "is no error"
        ),
        r"near_constant": "a column is constant where it is: sums are exact, and a variance within "
        "rounding of zero is one",
        r"scaler_dtype": "numbers are doubles: `float32` and `float16` do not stay",
        r"2d_arrays": "`copy=False` writes over nothing",
        r"callback": "`set_callbacks` is not there",
    },
}


def explained(file: str) -> None:
    """How many tests pass, and the others by cause."""
    found = counted(FILES[file])
    causes: Counter[str] = Counter()
    for name, message in found.failed:
        said = f"{name}: {message}"
        cause = next((why for part, why in CAUSES[file].items() if re.search(part, said)), "")
        causes[cause] += 1
        if not cause or "-v" in sys.argv:
            print(f"{'explained' if cause else 'NOT EXPLAINED'}: {said[:200]}")
    told(FILES[file], found)
    print("| tests | why they fail |\n|---|---|")
    for cause, number in causes.most_common():
        print(f"| {number} | {cause or 'NOT EXPLAINED'} |")


def main() -> None:
    sklearn.cluster.KMeans = ours("KMeans")
    for name in ("StandardScaler", "MinMaxScaler"):
        setattr(sklearn.preprocessing, name, ours(name))
    for file in [one for one in sys.argv[1:] if one in FILES] or FILES:
        explained(file)


if __name__ == "__main__":
    main()
