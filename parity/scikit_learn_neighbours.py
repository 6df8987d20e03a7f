"""How much of scikit-learn's own tests of neighbours and nearest centroids ours pass.

    python -m parity.scikit_learn_neighbours [-v] [neighbors nearest_centroid]

As in ``parity.scikit_learn_linear``: the files as they are installed, with our classes in the place
of scikit-learn's. docs/guide/nearest-neighbours.md says what does not pass, and why.
"""

from __future__ import annotations

import sys

import sklearn.neighbors
from sklearn.neighbors._base import KNeighborsMixin

from parity.scikit_learn_linear import ours, told

FILES = {
    "neighbors": "neighbors/tests/test_neighbors.py",
    "nearest_centroid": "neighbors/tests/test_nearest_centroid.py",
}
NAMES = ("KNeighborsClassifier", "KNeighborsRegressor", "NearestCentroid")


def main() -> None:
    for name in NAMES:
        kin = (KNeighborsMixin,) if name.startswith("KNeighbors") else ()
        setattr(sklearn.neighbors, name, ours(name, kin=kin))
    for file in [one for one in sys.argv[1:] if one in FILES] or FILES:
        told(FILES[file])


if __name__ == "__main__":
    main()
