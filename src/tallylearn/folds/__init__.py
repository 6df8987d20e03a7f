"""Which row goes where: folds, hold-outs, bootstraps, and splits that are given."""

from tallylearn.folds.givens import Given, held, partition, read
from tallylearn.folds.samples import Shares, representative
from tallylearn.folds.schemes import Folds
from tallylearn.folds.splits import Split

__all__ = ["Folds", "Given", "Shares", "Split", "held", "partition", "read", "representative"]
