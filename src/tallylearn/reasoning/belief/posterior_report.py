"""The derivation of a posterior: prior times likelihood, divided by the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, Self

from tallylearn.reasoning.answers import WorkStep
from tallylearn.reasoning.belief.likelihoods import GaussianNoise, Likelihood
from tallylearn.reasoning.belief.score_products import ScoreProducts
from tallylearn.reasoning.probabilities import Number, format_percent, number_text
from tallylearn.reporting.formatting import format_number
from tallylearn.workings import Derivation, Grid, Sentence, equation

MAX_TRAJECTORY_STEPS = 8  # columns of the trajectory that are written out
MAX_LISTED_OBSERVATIONS = 12  # observations that are named one by one
MAX_TEXT_LENGTH = 60  # characters that they may take


class Belief(Protocol):
    """What is read of hypotheses to write their posterior down."""

    @property
    def prior(self) -> Mapping[Any, Number]: ...
    @property
    def likelihood(self) -> Likelihood: ...
    @property
    def outcomes(self) -> Sequence[Any]: ...
    @property
    def seen(self) -> tuple[Any, ...]: ...
    @property
    def tally(self) -> tuple[tuple[Any, int], ...]: ...
    @property
    def likely(self) -> ScoreProducts: ...
    @property
    def joint(self) -> ScoreProducts: ...
    def posterior(self) -> dict[Any, Number]: ...
    def evidence(self) -> Number: ...
    def map(self) -> Any: ...
    def ml(self) -> Any: ...
    def ties(self) -> dict[str, tuple[Any, ...]]: ...
    def predictive(self) -> dict[Any, Number]: ...
    def first(self, n: int, /) -> Self: ...


def summary(belief: Belief) -> Derivation:
    """The posterior, and the hypotheses that come first."""
    rows = tuple((str(h), number_text(p), format_percent(p)) for h, p in belief.posterior().items())
    table = Grid("", ("h", "P(h | D)", ""), rows)
    return Derivation(f"Posterior after {_data(belief)}", (table, *_list_best(belief)))


def derivation(belief: Belief) -> Derivation:
    """Every step from the priors to the next observation."""
    steps: list[WorkStep] = [equation("P(h | D) = P(D | h) P(h) / P(D) = α P(D | h) P(h)")]
    if isinstance(belief.likelihood, GaussianNoise):
        steps += _squares(belief, belief.likelihood)
    steps += [_table(belief), equation(_evidence(belief))]
    if len(belief.seen) > 1:
        steps.append(_trajectory(belief))
    steps += [*_list_best(belief), *_next_observation(belief)]
    return Derivation(f"Posterior after {_data(belief)}", tuple(steps))


def _table(belief: Belief) -> Grid:
    rows = tuple(
        (
            str(h),
            number_text(p),
            belief.likely.text(h),
            belief.joint.text(h),
            number_text(post),
            format_percent(post),
        )
        for (h, p), post in zip(belief.prior.items(), belief.posterior().values(), strict=True)
    )
    return Grid("", ("h", "P(h)", "P(D | h)", "P(D | h) P(h)", "P(h | D)", ""), rows)


def _evidence(belief: Belief) -> str:
    whole = belief.evidence()
    alpha = f", α = 1 / P(D) = {number_text(1 / whole)}" if whole else ""
    return f"P(D) = Σ P(D | h) P(h) = {belief.joint.sum_text()}{alpha}"


def _trajectory(belief: Belief) -> Grid:
    """The posterior after every observation; of many, the last ones."""
    last = len(belief.seen)
    shown = sorted({0, *range(max(0, last - MAX_TRAJECTORY_STEPS + 2), last + 1)})
    steps = {n: belief.first(n).posterior() for n in shown}
    header = (
        "P(h | D)",
        *("prior" if n == 0 else f"{n}: {_shorten(belief.seen[n - 1])}" for n in shown),
    )
    rows = tuple((str(h), *(number_text(steps[n][h]) for n in shown)) for h in belief.prior)
    return Grid("As the evidence comes in", header, rows)


def _list_best(belief: Belief) -> Iterator[Sentence]:
    ties = belief.ties()
    shares = belief.posterior()
    if belief.seen:
        said = f"h_ML = {belief.ml()}, with P(D | h) = {belief.likely.text(belief.ml())}."
        yield Sentence(said + _tie(ties.get("ML", ())))
    said = f"h_MAP = {belief.map()}, with P(h | D) = {number_text(shares[belief.map()])}."
    yield Sentence(said + _tie(ties.get("MAP", ())))


def _tie(names: tuple[Any, ...]) -> str:
    if not names:
        return ""
    return f" {', '.join(map(str, names[:-1]))} and {names[-1]} tie; the first is taken."


def _next_observation(belief: Belief) -> Iterator[WorkStep]:
    if not belief.outcomes:
        return
    best = belief.map()
    rows = tuple(
        (
            str(d),
            number_text(p),
            format_percent(p),
            number_text(belief.likelihood.of(d, best)),
        )
        for d, p in belief.predictive().items()
    )
    header = ("next", "Σ P(next | h) P(h | D)", "", f"{best} alone")
    yield Grid("The next observation", header, rows)


def _squares(belief: Belief, noise: GaussianNoise) -> Iterator[WorkStep]:
    """ML under Gaussian noise is least squares."""
    m = len(belief.seen)
    yield equation("log P(D | h) = m log(1 / sqrt(2 π s²)) - 1 / (2 s²) · Σ (y - h(x))²")
    rows = tuple(
        (
            str(h),
            number_text(noise.squares(belief.tally, h)),
            format_number(belief.likely.logs[h]),
        )
        for h in belief.prior
    )
    title = f"m = {m}, s = {format_number(noise.sigma)}"
    yield Grid(title, ("h", "Σ (y - h(x))²", "log P(D | h)"), rows)
    yield Sentence(
        "The first term is the same for all: the least squares have the largest P(D | h)."
    )


def _data(belief: Belief) -> str:
    """What was observed, or how much of it."""
    one_by_one = ", ".join(map(str, belief.seen[:MAX_TEXT_LENGTH]))
    together = ", ".join(f"{n} × {outcome}" for outcome, n in belief.tally[:MAX_TEXT_LENGTH])
    if not belief.seen:
        return "no observation"
    if len(one_by_one) <= MAX_TEXT_LENGTH and len(belief.seen) <= MAX_LISTED_OBSERVATIONS:
        return one_by_one
    n = len(belief.seen)
    return (
        together if len(together) <= MAX_TEXT_LENGTH else f"{n:,} observation{'s' if n > 1 else ''}"
    )


def _shorten(outcome: Any) -> str:
    text = str(outcome)
    return text if len(text) <= 20 else f"{text[:19]}…"
