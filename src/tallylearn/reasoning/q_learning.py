"""Q-learning: a policy learned from the rewards of actions (Watkins and Dayan, 1992)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tallylearn.errors import InputError, KindError, OptionError, error_context, short_repr
from tallylearn.reasoning.answers import WorkReport
from tallylearn.statistics.confidence_intervals import check_count
from tallylearn.statistics.resampling import generator
from tallylearn.workings import Derivation, Formula, Grid, Sentence

WHO = "q_learning"
MAX_STEPS = 10_000  # of one episode, which may never reach a final state
MAX_STEPS_PRINTED = 5  # updates that show_work() prints


@dataclass(frozen=True, repr=False, eq=False)
class QTable(WorkReport):
    """The values Q(s, a) that Q-learning found, and the policy that follows from them.

    Attributes
    ----------
    values : dict
        Q(s, a): the expected discounted reward, by state and action.
    policy : dict
        The best action of every state; the first of those that tie.
    n_steps : int
        Actions taken while learning.
    """

    values: dict[Any, dict[Any, float]]
    discount: float
    learning_rate: float
    n_steps: int
    first: tuple[tuple[str, ...], ...]  # the first updates, as they are printed

    @property
    def policy(self) -> dict[Any, Any]:
        """The best action of every state that is not final."""
        return {s: max(q, key=q.__getitem__) for s, q in self.values.items()}

    def show_work(self) -> Derivation:
        """Show the update rule, the first updates, and the table.

        Returns
        -------
        Derivation
            The steps, as text, Markdown or HTML.
        """
        actions = list(dict.fromkeys(a for q in self.values.values() for a in q))
        rows = tuple(
            (str(s), *(f"{q[a]:.4g}" if a in q else "" for a in actions), str(self.policy[s]))
            for s, q in self.values.items()
        )
        rule = "Q(s, a) ← Q(s, a) + α · (r + γ · max Q(s', a') - Q(s, a))"
        options = f"α = {self.learning_rate:g}, γ = {self.discount:g}"
        return Derivation(
            "Q-learning",
            (
                Formula(
                    f"{rule},  {options}",
                    r"Q(s, a) \leftarrow Q(s, a) + \alpha\,"
                    r"(r + \gamma \max_{a'} Q(s', a') - Q(s, a))",
                ),
                Grid("the first steps", ("s", "a", "r", "s'", "Q(s, a) after"), self.first),
                Grid("Q(s, a)", ("state", *map(str, actions), "policy"), rows),
                Sentence(f"{self.n_steps:,} actions were taken."),
            ),
        )


def q_learning(
    world: Mapping[Any, Mapping[Any, tuple[Any, float]]],
    start: Any = None,
    *,
    discount: float = 0.9,
    learning_rate: float = 0.5,
    exploration: float = 0.2,
    episodes: int = 500,
    seed: int = 0,
) -> QTable:
    """Learn a policy for a small world by tabular Q-learning.

    The learner does not read the world: it acts, and sees the next state and the reward.

    Parameters
    ----------
    world : dict
        ``{state: {action: (next state, reward)}}``. A state without actions is final.
    start : state, optional
        Where each episode begins; a random state that is not final by default.
    discount : float, default 0.9
        The discount factor γ: what a reward one step later is worth.
    learning_rate : float, default 0.5
        The step size α of the updates.
    exploration : float, default 0.2
        The share of actions that are random; the others are the best so far (ε-greedy).
    episodes : int, default 500
        How often the learner starts again. An episode ends in a final state.
    seed : int, default 0
        Seed of the random numbers.

    Returns
    -------
    QTable
        Q(s, a) as ``values``, and the ``policy``.

    References
    ----------
    C. J. C. H. Watkins and P. Dayan, Q-learning, Machine Learning 8, 1992.

    Examples
    --------
    >>> import tallylearn as tl
    >>> corridor = {
    ...     1: {"left": (1, 0), "right": (2, 0)},
    ...     2: {"left": (1, 0), "right": ("goal", 1)},
    ... }
    >>> found = tl.q_learning(corridor)
    >>> found.policy
    {1: 'right', 2: 'right'}
    >>> round(found.values[1]["right"], 3)
    0.9
    """
    check_count(WHO, "episodes", episodes, 1)
    for name, value, least in (
        ("discount", discount, 0.0),
        ("learning_rate", learning_rate, 1e-12),
        ("exploration", exploration, 0.0),
    ):
        if not isinstance(value, int | float) or not least <= value <= 1:
            raise OptionError(
                f"{WHO}: {name} is {short_repr(value)}. Give a number from 0 to 1, and a "
                "learning_rate above 0."
            )
    with error_context(WHO):
        known = _check_world(world)
        if start is not None and start not in known:
            raise OptionError(
                f"start is {short_repr(start)}, which is not a state with actions. Choose one of "
                "the states in world."
            )
    values = {s: dict.fromkeys(actions, 0.0) for s, actions in known.items()}
    states, rng, n_steps = list(known), generator(WHO, seed), 0
    first: list[tuple[str, ...]] = []
    for _ in range(episodes):
        s = states[int(rng.integers(len(states)))] if start is None else start
        for _ in range(MAX_STEPS):
            if s not in known:
                break
            q = values[s]
            if rng.random() < exploration:
                a = list(q)[int(rng.integers(len(q)))]
            else:  # ties are broken at random, or the first action would be tried for ever
                best = [a for a in q if q[a] == max(q.values())]
                a = best[int(rng.integers(len(best)))]
            then, r = known[s][a]
            target = r + discount * max(values[then].values() if then in values else (0.0,))
            q[a] += learning_rate * (target - q[a])
            if len(first) < MAX_STEPS_PRINTED:
                first.append((str(s), str(a), f"{r:g}", str(then), f"{q[a]:.4g}"))
            s, n_steps = then, n_steps + 1
    return QTable(values, float(discount), float(learning_rate), n_steps, tuple(first))


def _check_world(world: Any) -> dict[Any, dict[Any, tuple[Any, float]]]:
    """The states that have actions, with their outcomes."""
    if not isinstance(world, Mapping) or not all(isinstance(a, Mapping) for a in world.values()):
        raise KindError(
            f"world is {short_repr(world)}. Give {{state: {{action: (next state, reward)}}}}."
        )
    found: dict[Any, dict[Any, tuple[Any, float]]] = {}
    for s, actions in world.items():
        for a, outcome in actions.items():
            try:
                then, reward = outcome
                found.setdefault(s, {})[a] = (then, float(reward))
            except (TypeError, ValueError):
                raise KindError(
                    f"action {short_repr(a)} of state {short_repr(s)} has the outcome "
                    f"{short_repr(outcome)}. Give a pair (next state, reward)."
                ) from None
    if not found:
        raise InputError("world has no state with actions. Add one.")
    return found
