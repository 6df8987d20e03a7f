"""What adds up: counts, moments, scatter, triangle, extents, values, ranks, and bundles of them."""

from tallylearn.tallies.bundles import Bundle
from tallylearn.tallies.counts import Counts
from tallylearn.tallies.distinct import Distinct
from tallylearn.tallies.exact import Exact
from tallylearn.tallies.extent import Extent
from tallylearn.tallies.moments import Moments
from tallylearn.tallies.nearest import Nearest
from tallylearn.tallies.products import Products
from tallylearn.tallies.ranks import Ranks
from tallylearn.tallies.scatter import Scatter
from tallylearn.tallies.squares import Squares
from tallylearn.tallies.triangle import Triangle
from tallylearn.tallies.values import Values

__all__ = [
    "Bundle",
    "Counts",
    "Distinct",
    "Exact",
    "Extent",
    "Moments",
    "Nearest",
    "Products",
    "Ranks",
    "Scatter",
    "Squares",
    "Triangle",
    "Values",
]
