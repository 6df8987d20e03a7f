"""Bayesian updating over a finite set of hypotheses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tallylearn.errors import (
    InputError,
    MergeError,
    OptionError,
    error_context,
    quoted_list,
    short_repr,
)
from tallylearn.reasoning.answers import Answer, WorkReport
from tallylearn.reasoning.belief import decisions, families, posterior_report
from tallylearn.reasoning.belief.likelihoods import (
    ClassifierLikelihood,
    ColumnLikelihood,
    GaussianNoise,
    Likelihood,
    likelihood_of,
)
from tallylearn.reasoning.belief.priors import check_same_hypotheses, read_models, read_prior
from tallylearn.reasoning.belief.score_products import ScoreProducts
from tallylearn.reasoning.names import distinct_names, list_items, sort_if_possible
from tallylearn.reasoning.probabilities import Number, exact_sum, to_float
from tallylearn.reasoning.probability import joint_tables
from tallylearn.reasoning.probability.probability_space import ProbabilitySpace
from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.workings import Derivation

WHO = "Hypotheses"


@dataclass(frozen=True, repr=False, eq=False)
class Hypotheses(WorkReport):
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
    alive: tuple[Any, ...] = field(init=False, repr=False)  # hypotheses that allow all of it

    def __post_init__(self) -> None:
        with error_context(WHO):
            prior = read_prior(self.prior)
            object.__setattr__(self, "prior", prior)
            if self.likelihood is not None:
                found = likelihood_of(self.likelihood, tuple(prior), self.outcomes)
                object.__setattr__(self, "likelihood", found)
                object.__setattr__(self, "outcomes", found.outcomes)
            object.__setattr__(self, "seen", list_items(self.seen, "the observation"))
            alive = tuple(h for h, p in prior.items() if p)
            object.__setattr__(self, "alive", self._possible_hypotheses(alive, self.seen))

    @classmethod
    def classifiers(cls, models: Mapping[Any, Any], prior: Any = None) -> Hypotheses:
        """Hypotheses that classify: fitted models, or functions of x; observe pairs (x, class)."""
        with error_context(WHO):
            named = read_models(models, "models")
            weights = read_prior([*named] if prior is None else prior)
            check_same_hypotheses(named, weights, "models")
            return cls(weights, ClassifierLikelihood(named))

    @classmethod
    def functions(
        cls, functions: Mapping[Any, Callable[[Any], Any]], sigma: float = 1.0, prior: Any = None
    ) -> Hypotheses:
        """Hypotheses y = h(x) with Gaussian noise of deviation sigma; observe pairs (x, y)."""
        with error_context(WHO):
            if (deviation := to_float(sigma, "sigma")) <= 0:
                raise OptionError(
                    f"sigma is {short_repr(sigma)}. Give a standard deviation above zero."
                )
            named = read_models(functions, "functions")
            weights = read_prior([*named] if prior is None else prior)
            check_same_hypotheses(named, weights, "functions")
            return cls(weights, GaussianNoise(named, deviation))

    @classmethod
    def from_table(
        cls, table: Any, column: str | None = None, columns: Sequence[str] | None = None
    ) -> Hypotheses:
        """The values of a column as hypotheses: their shares of the rows are the priors.

        P(D | h) is counted among the rows of h. Observe what is said of a row, as {column: value}.
        Without ``column`` the target of the table; ``columns`` are those that can be observed.

        >>> import tallylearn as tl
        >>> days = tl.Hypotheses.from_table(tl.example("tennis"), "PlayTennis")
        >>> after = days.observe({"Outlook": "Sunny", "Humidity": "High"})
        >>> after.map(), after.ml(), after.posterior()["No"]
        ('No', 'No', Fraction(1, 1))
        """
        with error_context(WHO):
            name = joint_tables.hypothesis_column(table, column)
            if columns is not None:
                listed_ = (columns,) if isinstance(columns, str) else columns
                columns = tuple(dict.fromkeys((*distinct_names(listed_, "the column"), name)))
            space = ProbabilitySpace.from_table(table, columns)
            shares = space[name].distribution()
            return cls(
                {h: shares[h] for h in sort_if_possible(shares)}, ColumnLikelihood(space, name)
            )

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
        after = object.__new__(type(self))
        with error_context(WHO):
            seen = (*self.seen, *outcomes)
            # What was read and checked once is taken over: n observations take n steps.
            after.__dict__.update(
                prior=self.prior, likelihood=self.likelihood, outcomes=self.outcomes, seen=seen
            )
            object.__setattr__(after, "alive", after._possible_hypotheses(self.alive, outcomes))
        return after

    def first(self, n: int) -> Hypotheses:
        """As it was after the first n observations, and no more."""
        with error_context(WHO):
            if not isinstance(n, int) or not 0 <= n <= len(self.seen):
                raise OptionError(
                    f"n is {short_repr(n)}, and there are {len(self.seen)} observations. "
                    f"Give a whole number from 0 to {len(self.seen)}."
                )
        return replace(self, seen=self.seen[:n])

    def __add__(self, other: Hypotheses) -> Hypotheses:
        """What both observed, on the one prior they share."""
        if not isinstance(other, Hypotheses):
            return NotImplemented
        if self.prior != other.prior or self.likelihood != other.likelihood:
            what = "priors" if self.prior != other.prior else "likelihoods"
            raise MergeError(
                f"{WHO}: the two objects have different {what}. Create one object, and "
                "call observe on it for both."
            )
        return self.observe(*other.seen)

    @cached_property
    def tally(self) -> tuple[tuple[Any, int], ...]:
        """Every observation, and how often it came."""
        return count_observations(self.seen)

    @cached_property
    def likely(self) -> ScoreProducts:
        """P(D | h) for every hypothesis, kept so that it cannot underflow."""
        if self.likelihood is None:
            return ScoreProducts.of({h: [] for h in self.prior})
        return self._required_likelihood().scores(self.tally, self.prior)

    @cached_property
    def joint(self) -> ScoreProducts:
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
        with error_context(WHO):
            source = self._required_likelihood()
            shares = self.posterior().items()
            return exact_sum(source.of(outcome, h) * p for h, p in shares)

    def predictive(self) -> dict[Any, Number]:
        """P(next observation | D) for everything that can be observed."""
        return {outcome: self.predict(outcome) for outcome in self._outcomes()}

    def trajectory(self) -> list[dict[Any, Number]]:
        """The posterior before the first observation, after it, and so on."""
        steps = [replace(self, seen=())]
        for outcome in self.seen:
            steps.append(steps[-1].observe(outcome))
        return [step.posterior() for step in steps]

    def classify(self, x: Any) -> Answer:
        """The Bayes optimal classification of x."""
        with error_context(WHO):
            if not isinstance(self.likelihood, ClassifierLikelihood):
                raise OptionError(
                    "these hypotheses are not classifiers. Create them with Hypotheses.classifiers."
                )
            return decisions.classify(self.posterior(), self.likelihood, x)

    def decide(self, loss: Mapping[Any, Mapping[Any, Any]]) -> Answer:
        """The action of least expected loss; ``loss`` is {action: {hypothesis: loss}}."""
        with error_context(WHO):
            return decisions.decide(self.posterior(), loss)

    def bayes_error(self) -> Answer:
        """How often the best guess of the hypothesis from one more observation is wrong."""
        with error_context(WHO):
            self._outcomes()
            return decisions.bayes_error(self.posterior(), self._required_likelihood())

    def plot(self) -> Plot:
        """The posterior of every hypothesis as the evidence comes in."""
        steps = self.trajectory()
        x = list(range(len(steps)))
        lines = {h: (x, [float(step[h]) for step in steps]) for h in self.prior}
        return draw_lines(lines, "Posterior", "observations", "P(h | D)", y_range=(0.0, 1.0))

    def show_work(self) -> Derivation:
        """Priors, likelihoods, posteriors, h_MAP and h_ML, and the next observation."""
        return posterior_report.derivation(self)

    def to_dict(self) -> dict[str, Any]:
        return posterior_report.summary(self).to_dict()

    def __repr__(self) -> str:
        n = len(self.seen)
        return f"Hypotheses({len(self.prior)} hypotheses, {n} observation{'s' if n != 1 else ''})"

    def _required_likelihood(self) -> Likelihood:
        if self.likelihood is None:
            raise OptionError(f"{WHO}: there is no likelihood. Pass likelihood= to Hypotheses.")
        found: Likelihood = self.likelihood
        return found

    def _outcomes(self) -> tuple[Any, ...]:
        self._required_likelihood()
        if not self.outcomes:
            raise OptionError(
                f"{WHO}: the possible outcomes are not known. Pass outcomes=[...] to Hypotheses."
            )
        return tuple(self.outcomes)

    def _possible_hypotheses(
        self, alive: tuple[Any, ...], outcomes: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The hypotheses that allow these outcomes too; there must be one."""
        if not outcomes:
            return alive
        source = self._required_likelihood()
        for outcome in outcomes:
            alive = tuple(h for h in alive if source.allows(outcome, h))
        if not alive:
            raise impossible_evidence_error(
                self.seen, [h for h, p in self.prior.items() if p], source
            )
        return alive


def count_observations(seen: Sequence[Any]) -> tuple[tuple[Any, int], ...]:
    """Observations and how often each came; what cannot be hashed counts on its own.

    >>> count_observations(["lime", "cherry", "lime", ["x"], ["x"]])
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


def impossible_evidence_error(
    seen: Sequence[Any], hypotheses: Sequence[Any], likelihood: Likelihood
) -> InputError:
    """The error for evidence that no hypothesis allows: one observation, or all together."""
    for outcome, _ in count_observations(seen):
        if not any(likelihood.allows(outcome, h) for h in hypotheses):
            return InputError(
                f"{short_repr(outcome)} is impossible under every hypothesis "
                f"({quoted_list(hypotheses)}). Correct the observation, or the likelihood."
            )
    ruled = {h: next(d for d in seen if not likelihood.allows(d, h)) for h in hypotheses}
    reasons = ", ".join(f"P({short_repr(d)} | {h}) = 0" for h, d in list(ruled.items())[:6])
    return InputError(
        f"the observations together are impossible under every hypothesis: {reasons}. "
        "Correct the observations, or the likelihood."
    )
