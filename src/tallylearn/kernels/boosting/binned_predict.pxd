from tallylearn.kernels.boosting.leafwise_grower cimport COLUMN, LEFT
