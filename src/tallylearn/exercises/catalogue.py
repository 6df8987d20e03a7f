"""All kinds of exercises, by name, and the function that makes one."""

from __future__ import annotations

from difflib import get_close_matches

from tallylearn.errors import OptionError, quoted_list, short_repr
from tallylearn.exercises.exercise import VERSION, Exercise, ExerciseKind
from tallylearn.exercises.kinds import bayes, concepts, distances, linear, scores, trees

KINDS: dict[str, ExerciseKind] = {
    kind.name: kind for part in (trees, bayes, concepts, linear, distances, scores)
    for kind in part.KINDS
}  # fmt: skip
MAX_SEED = 2**31


def exercise_kinds() -> tuple[str, ...]:
    """The names of the kinds of exercises.

    Returns
    -------
    tuple of str
        What `exercise` takes as kind.

    Examples
    --------
    >>> import tallylearn as tl
    >>> "information-gain" in tl.exercise_kinds()
    True
    """
    return tuple(KINDS)


def exercise(kind: str, seed: int = 0) -> Exercise:
    """A new exercise of the notes' kind.

    Parameters
    ----------
    kind : str
        A name of `exercise_kinds`, or the code on a sheet ("information-gain:7:1"), which makes the
        same exercise again.
    seed : int, default=0
        Another seed gives other numbers; the same seed the same exercise on any machine.

    Returns
    -------
    Exercise
        ``question``, ``steps``, ``solution`` and ``grade(answer)``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> exercise = tl.exercise("bayes-rule", seed=3)
    >>> print(exercise.solution)
    Solution: Bayes' rule for a test
    ...
    """
    name, version = kind, VERSION
    if isinstance(kind, str) and kind.count(":") == 2:
        name, text, number = kind.split(":")
        if not (text.isdigit() and number.isdigit()):
            raise OptionError(
                f"exercise: {short_repr(kind)} is not the code of an exercise sheet. Write a code "
                "as kind:seed:version, such as entropy:1:1."
            )
        seed, version = int(text), int(number)
    if not isinstance(name, str) or name not in KINDS:
        close = get_close_matches(str(name), KINDS, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise OptionError(
            f"exercise: there is no kind {short_repr(name)}.{hint} There are "
            f"{quoted_list(KINDS, len(KINDS))}."
        )
    if version != VERSION:
        raise OptionError(
            f"exercise: the sheet has version {version} of the generators, and this is version "
            f"{VERSION}. Use the release of tallylearn that wrote the sheet."
        )
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < MAX_SEED:
        raise OptionError(
            f"exercise: seed is {short_repr(seed)}. Give an int from 0 to {MAX_SEED - 1}."
        )
    return Exercise(KINDS[name], seed)
