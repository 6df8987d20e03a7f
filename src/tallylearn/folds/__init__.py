"""Which row goes where: folds, hold-outs, bootstraps, and splits that are given."""

from tallylearn.folds.givens import GivenSplits, keep_splits, partition, read_cv
from tallylearn.folds.samples import Shares, representative
from tallylearn.folds.schemes import Folds
from tallylearn.folds.splits import Split

__all__ = [
    "Folds",
    "GivenSplits",
    "Shares",
    "Split",
    "keep_splits",
    "partition",
    "read_cv",
    "representative",
]
