"""Probabilities as areas: the parts of a partition, and the share of an event in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tallylearn.errors import InputError, KindError, short_repr
from tallylearn.reasoning.probabilities import Number, number_text
from tallylearn.reasoning.probability.probability_space import ProbabilitySpace
from tallylearn.reporting.charts import Plot
from tallylearn.reporting.charts.plot import make_plot
from tallylearn.reporting.charts.svg_elements import COLOURS, INK, label, tag, tooltip

WHO = "plot_event_areas"
LEFT, TOP, WIDTH, HEIGHT = 30.0, 62.0, 420.0, 200.0
MAX_PARTS = 12  # columns that have room for their names
OPACITY = 0.35


class PartitionPart(NamedTuple):
    """A part of the partition, with the share of the event."""

    name: str
    p: Number
    given: Number | None  # P(event | part); None for a part of probability 0
    joint: Number


def plot_event_areas(space: Any, event: Any, partition: Any = None, *, title: str = "") -> Plot:
    """Plot probabilities as areas: P(A) as the parts of A in the columns of a partition.

    The rectangle is Ω, with an area of 1. A column for each part B is P(B) wide, and its shaded
    share is P(A | B) high, so the shaded area is P(A, B). Columns of equal height show that A and
    B are independent.

    Parameters
    ----------
    space : ProbabilitySpace
        The probability space.
    event : event
        The event A, in any form that ``space.event`` takes.
    partition : event, RandomVariable, str or list of events, optional
        An event B, for B and not B; a variable or its name, for its values; or events that exclude
        each other and cover everything. Without it, the picture shows P(A) alone.
    title : str, optional
        The title.

    Returns
    -------
    Plot
        The picture. ``data["parts"]`` has P(B), P(A | B) and P(A, B) of each part.

    Examples
    --------
    >>> import tallylearn as tl
    >>> dice = tl.ProbabilitySpace.uniform(range(1, 7))
    >>> odd, low = dice.event({1, 3, 5}, name="odd"), dice.event({1, 2}, name="low")
    >>> plot = tl.plot_event_areas(dice, odd, low)
    >>> plot.data["P(event)"], plot.data["independent"]
    (0.5, True)
    """
    if not isinstance(space, ProbabilitySpace):
        raise KindError(
            f"{WHO}: space is {short_repr(space)}. Give a tl.ProbabilitySpace, such as "
            "tl.ProbabilitySpace.from_table(table)."
        )
    shown = space.event(event)
    parts = [
        PartitionPart(
            part.name,
            p := space.P(part),
            space.P(shown, given=part) if p else None,
            space.P(shown, part),
        )
        for part in _read_partition(space, partition)
    ]
    if len(parts) > MAX_PARTS:
        raise InputError(
            f"{WHO}: the partition has {len(parts)} parts. A picture has room for {MAX_PARTS}. "
            "Give a coarser partition."
        )
    whole = space.P(shown)
    given = [part.given for part in parts if part.given is not None]
    independent = len(parts) > 1 and max(given) - min(given) <= 1e-12
    name = shown.name
    data = {
        "event": name, "P(event)": float(whole), "independent": independent,
        "parts": [{"part": part.name, "P(part)": float(part.p),
                   "P(event | part)": None if part.given is None else float(part.given),
                   "P(event, part)": float(part.joint)} for part in parts],
    }  # fmt: skip
    lines = _sentences(name, whole, parts, independent)
    below = TOP + HEIGHT + 24
    body = [*_columns(name, parts), *(
        label(text, 240, below + 18 * i, room=460, size=12, text_anchor="middle")
        for i, text in enumerate(lines)
    )]  # fmt: skip
    by = f" by {_variable(parts)}" if _variable(parts) else " as an area"
    height = below + 18 * (len(lines) - 1) + 16
    return make_plot(title or f"P({name}){by}", data, body, 480, height)


def _read_partition(space: ProbabilitySpace, partition: Any) -> Sequence[Any]:
    if partition is None:
        return (space.event(lambda _: True, name="Ω"),)
    variable = isinstance(partition, str) and partition in space.names
    if variable or isinstance(partition, list | tuple) or hasattr(partition, "distribution"):
        return space.partition(partition)
    part = space.event(partition)
    return space.partition([part, ~part])


def _variable(parts: Sequence[PartitionPart]) -> str:
    """The variable that the parts are values of, or an empty text."""
    names = {part.name.partition(" = ")[0] for part in parts}
    return names.pop() if len(parts) > 1 and len(names) == 1 else ""


def _columns(name: str, parts: Sequence[PartitionPart]) -> Iterator[str]:
    x = LEFT
    prefix = f"{_variable(parts)} = "
    for number, part in enumerate(parts):
        width = WIDTH * float(part.p)
        height = HEIGHT * float(part.given or 0)
        middle = x + width / 2
        alone = len(parts) == 1
        about = f"P({part.name}) = {number_text(part.p)}"
        inside = f"P({name})" if alone else f"P({name}, {part.name})"
        yield tag(
            "rect", tooltip(about), x=x, y=TOP, width=width, height=HEIGHT, fill="none", stroke=INK,
            pointer_events="all",
        )  # fmt: skip
        yield tag(
            "rect", tooltip(f"{inside} = {number_text(part.joint)}"), x=x, y=TOP + HEIGHT - height,
            width=width, height=height, fill=COLOURS[number % len(COLOURS)], fill_opacity=OPACITY,
            stroke=INK, stroke_width=0.8,
        )  # fmt: skip
        yield label(part.name.removeprefix(prefix), middle, TOP - 8, room=width, size=12,
                    text_anchor="middle")  # fmt: skip
        if width > 24:
            yield label(number_text(part.p), middle, TOP + 14, room=width, text_anchor="middle")
        if width > 24 and height > 16:
            yield label(number_text(part.joint), middle, TOP + HEIGHT - 6, room=width,
                        text_anchor="middle", font_weight="bold")  # fmt: skip
        x += width


def _sentences(
    name: str, whole: Number, parts: Sequence[PartitionPart], independent: bool
) -> list[str]:
    text = f"P({name}) = {number_text(whole)}"
    if len(parts) == 1:
        return [text]
    terms = [f"{number_text(p.p)} · {number_text(p.given)}" for p in parts if p.given is not None]
    lines = [f"P({name}) = {' + '.join(terms)} = {number_text(whole)}"]
    if independent:
        lines.append(f"Columns of one height: {name} is independent of the parts.")
    return lines
