"""What adds up: counts, moments, and bundles of them."""

from tallylearn.tallies.bundles import Bundle
from tallylearn.tallies.counts import Counts
from tallylearn.tallies.exact import Exact
from tallylearn.tallies.moments import Moments

__all__ = ["Bundle", "Counts", "Exact", "Moments"]
