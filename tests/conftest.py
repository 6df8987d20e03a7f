"""What the tests share: how long Hypothesis looks, and tables with a bit of everything."""

from __future__ import annotations

import gc
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

# Workers share the processors: threads of BLAS that wait for each other took ten times as long as
# the fits of scikit-learn that asked for them. NumPy reads this when it is imported, below.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

from tests.soak import SOAK
from tests.tables import mixed_table

gc.disable()  # 16,000 tests are collected: a search through all of them finds no rubbish

settings.register_profile(
    "tests",
    max_examples=12,
    deadline=None,
    derandomize=True,  # the same tables every time; `make soak` looks at new ones
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "soak", parent=settings.get_profile("tests"), max_examples=3000, derandomize=False
)
settings.load_profile("soak" if SOAK else "tests")

DATA = Path(__file__).parent / "data"
# Slow tests with many cases: `make test` tries every so-manyth case, `make soak` all.
SAMPLED = {
    "test_a_cell_behind_the_first_block_tells_as_much_as_one_in_it": 3,
    "test_a_class_of_one_row_is_evaluated": 3,
    "test_a_finding_is_read_from_a_file_as_it_was_found": 2,
    "test_a_forest_with_class_weights_is_as_good_as_scikit_learns": 3,
    "test_a_section_runs_after_the_first_block_of_its_page": 2,
    "test_a_small_file_that_asks_for_much_memory_is_refused": 3,
    "test_a_view_is_read_from_a_file_as_it_was_shown": 3,
    "test_all_forms_are_written_and_lines_are_short": 3,
    "test_answers_are_those_of_rows_in_memory": 3,
    "test_counted_columns_give_the_tree_of_sorted_ones": 3,
    "test_decision_regions_are_where_predict_says_so": 2,
    "test_equal_learners_are_called_different_in_one_table_of_twenty": 2,
    "test_every_answer_is_that_of_a_fit_on_the_training_rows": 3,
    "test_every_option_on_every_table_is_saved_and_read_again": 4,
    "test_every_parameter_of_every_learner_comes_back_with_its_type": 3,
    "test_every_printed_number_follows_from_the_printed_operands": 2,
    "test_fit_hides_no_rows_on_the_learner": 2,
    "test_many_words_have_the_weights_of_memory_in_files": 3,
    "test_scikit_learns_checks_pass": 2,  # `make compat` runs all, too
    "test_so_it_is_in_linear_regressions": 4,
    "test_the_gradient_vanishes_where_conjugate_steps_end": 4,
    "test_the_kernel_grows_the_tree_that_is_grown_by_hand": 2,
    "test_the_scores_are_those_of_the_rows_that_are_left": 4,
    "test_thresholds_are_those_of_scikit_learn": 3,
    "test_weighted_models_are_saved_and_read_again": 4,
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out cases of slow tests, the same in every worker."""
    if SOAK:
        return
    seen: Counter[str] = Counter()
    kept = []
    for item in items:
        test = item.nodeid.partition("[")[0]
        every = SAMPLED.get(test.rpartition("::")[2], 1)
        if seen[test] % every == 0:
            kept.append(item)
        seen[test] += 1
    items[:] = kept


def pytest_collection_finish() -> None:
    """What was collected stays to the end: rubbish is looked for in the rest alone."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def golden() -> dict[str, dict[str, Any]]:
    """The worked numbers of the notes, by id."""
    return {entry["id"]: entry for entry in json.loads((DATA / "golden.json").read_text())}


@pytest.fixture
def mixed() -> pd.DataFrame:
    """240 rows with a bit of everything: numbers, categories, truth values, text and gaps."""
    return mixed_table()
