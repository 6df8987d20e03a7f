"""Q-learning: what it refuses, and where its episodes begin."""

from __future__ import annotations

from typing import Any

import pytest

import tallylearn as tl
from tallylearn import errors

WORLD: dict[Any, Any] = {1: {"left": (1, 0), "right": (2, 0)}, 2: {"right": ("goal", 1)}}


@pytest.mark.parametrize(
    ("world", "options", "message"),
    [
        ([1, 2], {}, "Give {state: {action"),
        ({1: {"go": 3}}, {}, "action 'go' of state 1 has the outcome 3"),
        ({1: {"go": ("x", "much")}}, {}, r"Give a pair \(next state, reward\)"),
        ({1: {}}, {}, "no state with actions"),
        (WORLD, {"discount": 2}, "discount is 2"),
        (WORLD, {"learning_rate": 0}, "learning_rate is 0"),
        (WORLD, {"exploration": "a"}, "exploration is 'a'"),
        (WORLD, {"episodes": 0}, "episodes"),
        (WORLD, {"start": "goal"}, "start is 'goal', which is not a state with actions"),
    ],
)
def test_an_odd_argument_is_refused(world: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.TallyError, match=message) as caught:
        tl.q_learning(world, **options)
    assert str(caught.value).startswith("q_learning")


def test_an_episode_begins_at_the_start() -> None:
    assert tl.q_learning(WORLD, start=2, episodes=4).n_steps == 4
    assert tl.q_learning(WORLD, start=2, episodes=4).values[1] == {"left": 0.0, "right": 0.0}


def test_rewards_later_are_discounted() -> None:
    found = tl.q_learning(WORLD, discount=0.5)
    assert found.values[1]["right"] == pytest.approx(0.5)
    assert found.values[1]["left"] == pytest.approx(0.25)
    assert "Q(s, a) ← Q(s, a) + α" in str(found)
