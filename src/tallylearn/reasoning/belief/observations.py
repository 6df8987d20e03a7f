"""Observations: what was seen, how often, and which hypothesis cannot explain it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallylearn.errors import InputError, listed, told
from tallylearn.reasoning.belief.likelihoods import Likelihood


def counted(seen: Sequence[Any]) -> tuple[tuple[Any, int], ...]:
    """Observations and how often each came; what cannot be hashed counts on its own.

    >>> counted(["lime", "cherry", "lime", ["x"], ["x"]])
    (('lime', 2), ('cherry', 1), (['x'], 1), (['x'], 1))
    """
    found: dict[Any, tuple[Any, int]] = {}
    for place, outcome in enumerate(seen):
        try:
            key = (hash(outcome), outcome)
        except Exception:
            key = (place, id(found))
        found[key] = (outcome, found.get(key, (outcome, 0))[1] + 1)
    return tuple(found.values())


def impossible(
    seen: Sequence[Any], hypotheses: Sequence[Any], likelihood: Likelihood
) -> InputError:
    """The error for evidence that no hypothesis allows: one observation, or all together."""
    for outcome, _ in counted(seen):
        if not any(likelihood.allows(outcome, h) for h in hypotheses):
            return InputError(
                f"{told(outcome)} is impossible under every hypothesis: {listed(hypotheses)}."
            )
    ruled = {h: next(d for d in seen if not likelihood.allows(d, h)) for h in hypotheses}
    reasons = ", ".join(f"{h} rules out {told(d)}" for h, d in list(ruled.items())[:6])
    return InputError(f"no hypothesis allows all that was observed: {reasons}.")
