from tallylearn.kernels.tree_predict cimport next_node
