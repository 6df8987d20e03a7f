"""What `make test` takes of many combinations: all values, and every two of them together."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

from tests import soak


def test_every_two_values_meet_and_few_combinations_are_needed(monkeypatch: Any) -> None:
    values = [*"abcde"], [1, 2, 3], [True, False], [None, "w"]
    monkeypatch.setattr(soak, "SOAK", False)
    found = soak.pairs(*values)
    for i, j in combinations(range(4), 2):
        assert {(one[i], one[j]) for one in found} == {*product(values[i], values[j])}
    assert 15 <= len(found) < 20
    assert soak.some("abcdef", 3, 1) == ["b", "e"]
    monkeypatch.setattr(soak, "SOAK", True)
    assert soak.pairs(*values) == [*product(*values)]
    assert soak.some("abcdef", 3, 1) == [*"abcdef"]
