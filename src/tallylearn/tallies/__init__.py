"""What adds up: counts, moments, scatter, triangle, ranks, distinct values, and bundles of them."""

from tallylearn.tallies.bundles import Bundle
from tallylearn.tallies.counts import Counts
from tallylearn.tallies.distinct import Distinct
from tallylearn.tallies.exact import Exact
from tallylearn.tallies.moments import Moments
from tallylearn.tallies.products import Products
from tallylearn.tallies.ranks import Ranks
from tallylearn.tallies.scatter import Scatter
from tallylearn.tallies.squares import Squares
from tallylearn.tallies.triangle import Triangle

__all__ = [
    "Bundle",
    "Counts",
    "Distinct",
    "Exact",
    "Moments",
    "Products",
    "Ranks",
    "Scatter",
    "Squares",
    "Triangle",
]
