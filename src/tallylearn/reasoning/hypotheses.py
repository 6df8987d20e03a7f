"""Hypotheses: beliefs before the evidence, and after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from tallylearn.errors import InputError, KindError, MergeError, OptionError, listed, speaking, told
from tallylearn.plots import Plot, draw_lines
from tallylearn.reasoning import decisions, families, posteriors
from tallylearn.reasoning.answers import Answer, Worked
from tallylearn.reasoning.likelihoods import Classifiers, Likelihood, Noise, likelihood_of
from tallylearn.reasoning.names import distinct
from tallylearn.reasoning.probabilities import (
    Number,
    check_whole,
    number,
    probability,
    total,
)
from tallylearn.reasoning.scores import Scores
from tallylearn.workings import Derivation

WHO = "Hypotheses"


@dataclass(frozen=True, repr=False, eq=False)
class Hypotheses(Worked):
    """A finite space of hypotheses, their priors, and what was observed so far.

    ``prior`` gives every hypothesis its probability; a list of hypotheses means equal ones.
    ``likelihood`` is P(observation | hypothesis): a function of the two, or a table
    ``{hypothesis: {observation: probability}}``. With a function, ``outcomes`` says what can be
    observed. Observations are independent, given the hypothesis: only their counts matter, so
    what two observers saw adds up with ``+``.

    >>> import tallylearn as tl
    >>> bags = tl.Hypotheses(
    ...     {"h1": "10 %", "h2": "20 %", "h3": "40 %", "h4": "20 %", "h5": "10 %"},
    ...     likelihood={
    ...         "cherry": {"h1": 1, "h2": "3/4", "h3": "1/2", "h4": "1/4", "h5": 0},
    ...         "lime": {"h1": 0, "h2": "1/4", "h3": "1/2", "h4": "3/4", "h5": 1},
    ...     },
    ... )
    >>> after = bags.observe("lime", "lime", "lime")
    >>> print(after.map(), after.posterior()["h5"], after.predict("lime"))
    h5 8/19 121/152

    T. M. Mitchell: Machine Learning, 1997, chapter 6.
    """

    prior: Any  # hypothesis -> Number, once read
    likelihood: Any = None  # a Likelihood, once read
    outcomes: Sequence[Any] = ()  # all that can be observed, where that is known
    seen: tuple[Any, ...] = ()  # in the order in which it came

    def __post_init__(self) -> None:
        with speaking(WHO):
            prior = _prior(self.prior)
            object.__setattr__(self, "prior", prior)
            if self.likelihood is not None:
                found = likelihood_of(self.likelihood, tuple(prior), self.outcomes)
                object.__setattr__(self, "likelihood", found)
                object.__setattr__(self, "outcomes", found.outcomes)
            self._check_possible()

    @classmethod
    def classifiers(cls, models: Mapping[Any, Any], prior: Any = None) -> Hypotheses:
        """Hypotheses that classify: fitted models, or functions of x; observe pairs (x, class)."""
        return cls(tuple(models) if prior is None else prior, Classifiers(models))

    @classmethod
    def functions(
        cls, functions: Mapping[Any, Callable[[Any], Any]], sigma: float = 1.0, prior: Any = None
    ) -> Hypotheses:
        """Hypotheses y = h(x) with Gaussian noise of deviation sigma; observe pairs (x, y)."""
        with speaking(WHO):
            if (deviation := number(sigma, "sigma")) <= 0:
                raise OptionError(f"sigma is {told(sigma)}. Give a standard deviation above zero.")
        return cls(tuple(functions) if prior is None else prior, Noise(functions, float(deviation)))

    @staticmethod
    def bernoulli(success: Any, failure: Any) -> families.Bernoulli:
        """A hypothesis for every θ from 0 to 1: P(success) = θ."""
        return families.Bernoulli(success, failure)

    @staticmethod
    def family(
        log_likelihood: Callable[[Any, float], float], low: float, high: float
    ) -> families.Family:
        """A hypothesis for every θ from low to high; log_likelihood(observation, θ)."""
        return families.Family(log_likelihood, low, high)

    def observe(self, *outcomes: Any) -> Hypotheses:
        """The same hypotheses after more evidence."""
        return replace(self, seen=(*self.seen, *outcomes))

    def first(self, n: int) -> Hypotheses:
        """As it was after the first n observations, and no more."""
        return replace(self, seen=self.seen[:n])

    def __add__(self, other: Hypotheses) -> Hypotheses:
        """What both observed, on the one prior they share."""
        if not isinstance(other, Hypotheses):
            return NotImplemented
        if self.prior != other.prior or self.likelihood != other.likelihood:
            what = "priors" if self.prior != other.prior else "likelihoods"
            raise MergeError(f"{WHO}: the two have different {what}. Begin both from one object.")
        return self.observe(*other.seen)

    @property
    def tally(self) -> tuple[tuple[Any, int], ...]:
        """Every observation, and how often it came."""
        return _counted(self.seen)

    @cached_property
    def likely(self) -> Scores:
        """P(D | h) for every hypothesis, kept so that it cannot underflow."""
        if self.likelihood is None:
            return Scores.of({h: [] for h in self.prior})
        return self._needed().scores(self.tally, self.prior)

    @cached_property
    def joint(self) -> Scores:
        """P(D | h) P(h) for every hypothesis."""
        return self.likely.times(self.prior)

    def likelihoods(self) -> dict[Any, Number]:
        """P(D | h) for every hypothesis."""
        return self.likely.numbers()

    def posterior(self) -> dict[Any, Number]:
        """P(h | D) for every hypothesis."""
        return self.joint.shares()

    def evidence(self) -> Number:
        """P(D), the sum of P(D | h) P(h)."""
        return self.joint.sum()

    def map(self) -> Any:
        """h_MAP: the largest P(D | h) P(h), the first of those that tie."""
        return self.joint.best()[0]

    def ml(self) -> Any:
        """h_ML: the largest P(D | h), the first of those that tie."""
        return self.likely.best()[0]

    def ties(self) -> dict[str, tuple[Any, ...]]:
        """The hypotheses that tie for h_MAP and for h_ML."""
        best = {"MAP": self.joint.best(), "ML": self.likely.best()}
        return {name: tied for name, tied in best.items() if len(tied) > 1}

    def predict(self, outcome: Any) -> Number:
        """P(next observation | D): every hypothesis is asked, not only h_MAP."""
        with speaking(WHO):
            source = self._needed()
            shares = self.posterior().items()
            return total(source.of(outcome, h) * p for h, p in shares)

    def predictive(self) -> dict[Any, Number]:
        """P(next observation | D) for everything that can be observed."""
        return {outcome: self.predict(outcome) for outcome in self._outcomes()}

    def trajectory(self) -> list[dict[Any, Number]]:
        """The posterior before the first observation, after it, and so on."""
        return [self.first(n).posterior() for n in range(len(self.seen) + 1)]

    def classify(self, x: Any) -> Answer:
        """The Bayes optimal classification of x."""
        with speaking(WHO):
            if not isinstance(self.likelihood, Classifiers):
                raise OptionError("these do not classify. Make them with Hypotheses.classifiers.")
            return decisions.classify(self.posterior(), self.likelihood, x)

    def decide(self, loss: Mapping[Any, Mapping[Any, Any]]) -> Answer:
        """The action of least expected loss; ``loss`` is {action: {hypothesis: loss}}."""
        with speaking(WHO):
            return decisions.decide(self.posterior(), loss)

    def bayes_error(self) -> Answer:
        """How often the best guess of the hypothesis from one more observation is wrong."""
        self._outcomes()
        return decisions.bayes_error(self.posterior(), self._needed())

    def plot(self) -> Plot:
        """The posterior of every hypothesis as the evidence comes in."""
        steps = self.trajectory()
        x = list(range(len(steps)))
        lines = {h: (x, [float(step[h]) for step in steps]) for h in self.prior}
        return draw_lines(lines, "Posterior", "observations", "P(h | D)", y_range=(0.0, 1.0))

    def show_work(self) -> Derivation:
        """Priors, likelihoods, posteriors, h_MAP and h_ML, and the next observation."""
        return posteriors.derivation(self)

    def _shown(self) -> Derivation:
        return posteriors.summary(self)

    def __repr__(self) -> str:
        n = len(self.seen)
        return f"Hypotheses({len(self.prior)} hypotheses, {n} observation{'s' if n != 1 else ''})"

    def _needed(self) -> Likelihood:
        if self.likelihood is None:
            raise OptionError(f"{WHO}: nothing can be observed without a likelihood. Give one.")
        found: Likelihood = self.likelihood
        return found

    def _outcomes(self) -> tuple[Any, ...]:
        self._needed()
        if not self.outcomes:
            raise OptionError(
                f"{WHO}: it is not known what can be observed. Say it with outcomes=[...]."
            )
        return tuple(self.outcomes)

    def _check_possible(self) -> None:
        if not self.seen or not self._needed() or not self.joint.impossible:
            return
        alive = [h for h, p in self.prior.items() if p]
        ruled = {h: next(d for d, _ in self.tally if not self.likelihood.of(d, h)) for h in alive}
        never = [d for d, _ in self.tally if not any(self.likelihood.of(d, h) for h in alive)]
        if never:
            raise InputError(
                f"{told(never[0])} is impossible under every hypothesis: {listed(alive)}."
            )
        reasons = ", ".join(f"{h} rules out {told(d)}" for h, d in list(ruled.items())[:6])
        raise InputError(f"no hypothesis allows all that was observed: {reasons}.")


def _prior(given: Any) -> dict[Any, Number]:
    """Priors as they are given, or equal ones: 1 / |H|."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise KindError(
            f"the prior is {told(given)}. Give {{hypothesis: probability}}, or a list of hypotheses."
        )
    if not isinstance(given, Mapping):
        names = distinct(given, "the hypothesis")
        given = dict.fromkeys(names, Fraction(1, max(1, len(names))))
    if not given:
        raise InputError("the hypothesis space is empty. Give one hypothesis or more.")
    prior = {h: probability(p, f"P({h})") for h, p in given.items()}
    check_whole(prior, "the priors")
    return prior


def _counted(seen: Sequence[Any]) -> tuple[tuple[Any, int], ...]:
    """Observations and how often each came; what cannot be hashed counts on its own."""
    found: dict[Any, tuple[Any, int]] = {}
    for place, outcome in enumerate(seen):
        try:
            key = (hash(outcome), outcome)
        except TypeError:
            key = (place, id(found))
        found[key] = (outcome, found.get(key, (outcome, 0))[1] + 1)
    return tuple(found.values())
