"""k nearest neighbours.

- `k_neighbours.py`: the estimators, on `neighbours_learner.py`; `neighbour_models.py`: the models.
- `examples.py`, `examples_in_files.py`: the training rows, in memory or in files.
- `example_survey.py`, `compared_columns.py`: how rows are scaled, and which columns count.
- `search_choice.py`: which search is chosen; `kd_tree.py`, `matrix_search.py`,
  `gower_search.py`, `brute_force.py`: the searches; `distances.py`: the metrics;
  `query_batches.py`: batches of queries as tasks for the engine.
- `votes.py`: weights of votes by distance.
"""
