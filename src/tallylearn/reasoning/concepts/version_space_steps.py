"""Candidate elimination row by row, and the lattice of a version space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallylearn.reasoning.concepts.candidate_elimination import Boundaries, BoundedVersion
from tallylearn.reasoning.concepts.labelled_examples import format_cell, join_names
from tallylearn.reporting.charts import Plot, draw_network
from tallylearn.workings import Grid, Sentence
from tallylearn.workings.step_sequence import AlgorithmStep, StepSequence

MAX_ROWS = 200  # examples that are told
MAX_DRAWN = 40  # hypotheses of a lattice


def elimination_steps(version: BoundedVersion[Any]) -> StepSequence:
    """S and G before the first example and after each."""
    now: Boundaries[Any] | None = Boundaries(version.nothing, (version.everything,))
    assert now is not None
    steps = [AlgorithmStep(
        "Start: S is the most specific hypothesis, G the most general", _numbers(now),
        (_boundaries(now),), _picture(now),
    )]  # fmt: skip
    examples = [*zip(version.examples.rows, version.examples.inside, strict=True)][:MAX_ROWS]
    for at, (x, inside) in enumerate(examples, 1):
        before, now = now, now.update(x, inside, version.examples.domains)
        if now is None:
            steps.append(AlgorithmStep("G has too many hypotheses to list", {}, ()))
            break
        row = join_names(map(format_cell, x))
        parts = (Sentence(_reason(before, now, inside)), _boundaries(now))
        steps.append(AlgorithmStep(
            f"Example {at}: {row} is {version.examples.label(inside)}", _numbers(now), parts,
            _picture(now),
        ))  # fmt: skip
    if version.reason:
        steps.append(AlgorithmStep(
            "No hypothesis is consistent", {"specific": [], "general": []},
            (Sentence(f"{version.reason}."),),
        ))  # fmt: skip
    elif now is not None:
        members = version.members
        rest = () if members is None else (
            Grid(f"{len(members)} consistent hypotheses", (f"{version.noun}s",),
                 tuple((str(h),) for h in members)),
        )  # fmt: skip
        steps.append(AlgorithmStep(
            "The version space: all hypotheses between S and G",
            {"specific": [*map(str, version.specific)], "general": [*map(str, version.general)],
             "members": None if members is None else [*map(str, members)]},
            rest, draw_lattice(members) if members and len(members) <= MAX_DRAWN else _picture(now),
        ))  # fmt: skip
    return StepSequence("Candidate elimination", tuple(steps))


def draw_lattice(members: Sequence[Any], title: str = "Version space") -> Plot:
    """Hypotheses with the more general above; an edge joins neighbours in the partial order."""
    below = {h: [k for k in members if k is not h and h.includes(k)] for h in members}
    ordered = sorted(members, key=lambda h: -len(below[h]))
    names = [str(h) for h in ordered]
    edges = [
        (str(h), str(k))
        for h in ordered
        for k in ordered
        if k in below[h] and not any(k in below[m] for m in below[h])
    ]
    return draw_network(names, edges, title)


def _numbers(now: Boundaries[Any]) -> dict[str, Any]:
    return {"specific": [str(now.least)] if now.most else [], "general": [*map(str, now.most)]}


def _boundaries(now: Boundaries[Any]) -> Grid:
    rows = [("S", str(now.least))] + [("G", str(g)) for g in now.most]
    return Grid("boundaries", ("", "hypothesis"), tuple(rows))


def _reason(before: Boundaries[Any], now: Boundaries[Any], inside: bool) -> str:
    lost = len([g for g in before.most if g not in now.most])
    if inside:
        moved = "S covers it already" if before.least == now.least else (
            f"S is generalised from {before.least} to {now.least}"
        )  # fmt: skip
        gone = f"G loses {lost}, which do not cover it" if lost else "all of G cover it"
        return f"Positive: {moved}; {gone}."
    if not lost:
        return "Negative: no hypothesis of G covers it, so G stays."
    return (
        f"Negative: {lost} of G must be specialised, because they cover it; G now has "
        f"{len(now.most)}."
    )


def _picture(now: Boundaries[Any]) -> Plot | None:
    """S below the hypotheses of G."""
    names = [*map(str, now.most)]
    if not now.most or len(now.most) > MAX_DRAWN:
        return None
    least = str(now.least)
    if least in names:
        return draw_network([least], [], "S and G are equal")
    return draw_network([*names, least], [(g, least) for g in names], "G above S")
