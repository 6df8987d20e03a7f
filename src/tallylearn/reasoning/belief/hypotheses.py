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
    """Bayesian updating over a finite set of hypotheses: priors, likelihoods and observations.

    Observations are independent, given the hypothesis: only their counts matter. The observations
    of two objects with the same prior can therefore be added with ``+``.

    Parameters
    ----------
    prior : dict or sequence
        The probability of every hypothesis; a list of hypotheses gives them equal ones.
    likelihood : callable or dict, optional
        P(observation | hypothesis): a function of the two, or a table
        ``{hypothesis: {observation: probability}}``, also with the two exchanged.
    outcomes : sequence, optional
        All possible observations, if the likelihood is a function.
    seen : tuple, optional
        Observations so far, in their order.

    References
    ----------
    T. M. Mitchell: Machine Learning, 1997, chapter 6.

    Examples
    --------
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
        """Make hypotheses that are classifiers; observations are pairs (x, class).

        Parameters
        ----------
        models : dict
            Fitted models, or functions of x, by name.
        prior : dict or sequence, optional
            The probability of every hypothesis; equal by default.

        Returns
        -------
        Hypotheses
            The hypotheses, without observations.
        """
        with error_context(WHO):
            named = read_models(models, "models")
            weights = read_prior([*named] if prior is None else prior)
            check_same_hypotheses(named, weights, "models")
            return cls(weights, ClassifierLikelihood(named))

    @classmethod
    def functions(
        cls, functions: Mapping[Any, Callable[[Any], Any]], sigma: float = 1.0, prior: Any = None
    ) -> Hypotheses:
        """Make hypotheses y = h(x) with Gaussian noise; observations are pairs (x, y).

        Parameters
        ----------
        functions : dict
            Functions of x, by name.
        sigma : float, default 1.0
            Standard deviation of the noise.
        prior : dict or sequence, optional
            The probability of every hypothesis; equal by default.

        Returns
        -------
        Hypotheses
            The hypotheses, without observations.
        """
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
        cls,
        table: Any,
        column: str | None = None,
        columns: Sequence[str] | None = None,
        *,
        order: Sequence[Any] | None = None,
    ) -> Hypotheses:
        """Make the values of a column hypotheses; their shares of the rows are the priors.

        P(D | h) is counted among the rows of h. An observation is a dict of column to value.

        Parameters
        ----------
        table : table
            The rows to count.
        column : str, optional
            The column of the hypotheses; by default the target of the table.
        columns : sequence of str, optional
            Columns that can be observed; by default all others.
        order : sequence, optional
            The hypotheses h1, h2, ... in their order, the first of which wins a tie; sorted by
            default.

        Returns
        -------
        Hypotheses
            The hypotheses, without observations.

        Examples
        --------
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
            listed = [*sort_if_possible(shares)] if order is None else [*distinct_names(order, "h")]
            if {*listed} != {*shares}:
                raise OptionError(
                    f"order is {short_repr(listed)}, and column {name!r} has the values "
                    f"{quoted_list(shares)}. List each of them once."
                )
            return cls({h: shares[h] for h in listed}, ColumnLikelihood(space, name))

    @staticmethod
    def bernoulli(success: Any, failure: Any) -> families.Bernoulli:
        """Make the family of Bernoulli distributions: P(success) = θ, for every θ from 0 to 1.

        Parameters
        ----------
        success : Any
            The observation of probability θ.
        failure : Any
            The observation of probability 1 - θ.

        Returns
        -------
        Bernoulli
            The family, without observations.
        """
        return families.Bernoulli(success, failure)

    @staticmethod
    def family(
        log_likelihood: Callable[[Any, float], float], low: float, high: float
    ) -> families.Family:
        """Make a family of hypotheses with one parameter θ.

        Parameters
        ----------
        log_likelihood : callable
            ``log_likelihood(observation, θ)``, the logarithm of P(observation | θ).
        low : float
            Smallest value of θ.
        high : float
            Largest value of θ.

        Returns
        -------
        Family
            The family, without observations.
        """
        return families.Family(log_likelihood, low, high)

    def observe(self, *outcomes: Any) -> Hypotheses:
        """Add observations.

        Parameters
        ----------
        *outcomes : Any
            The observations.

        Returns
        -------
        Hypotheses
            A new object with the same hypotheses and all observations.
        """
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
        """Keep only the first observations.

        Parameters
        ----------
        n : int
            Number of observations to keep.

        Returns
        -------
        Hypotheses
            A new object, as it was after the first n observations.
        """
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
        """The number of times that each observation occurred."""
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
        """The likelihood P(D | h) of every hypothesis.

        Returns
        -------
        dict
            Likelihoods by hypothesis.
        """
        return self.likely.numbers()

    def posterior(self) -> dict[Any, Number]:
        """The posterior P(h | D) of every hypothesis.

        Returns
        -------
        dict
            Probabilities by hypothesis.
        """
        return self.joint.shares()

    def evidence(self) -> Number:
        """The evidence P(D): the sum of P(D | h) P(h) over all hypotheses.

        Returns
        -------
        Fraction or float
            A probability or density.
        """
        return self.joint.sum()

    def map(self) -> Any:
        """The maximum a posteriori hypothesis h_MAP: the largest P(D | h) P(h).

        Returns
        -------
        Any
            The hypothesis; the first of those that tie.
        """
        return self.joint.best()[0]

    def ml(self) -> Any:
        """The maximum likelihood hypothesis h_ML: the largest P(D | h).

        Returns
        -------
        Any
            The hypothesis; the first of those that tie.
        """
        return self.likely.best()[0]

    def ties(self) -> dict[str, tuple[Any, ...]]:
        """The hypotheses that tie for h_MAP and for h_ML.

        Returns
        -------
        dict
            Tuples of hypotheses under "MAP" and "ML"; empty without ties.
        """
        best = {"MAP": self.joint.best(), "ML": self.likely.best()}
        return {name: tied for name, tied in best.items() if len(tied) > 1}

    def predict(self, outcome: Any) -> Number:
        """Predict an observation: P(next observation | D), averaged over all hypotheses.

        Parameters
        ----------
        outcome : Any
            The observation.

        Returns
        -------
        Fraction or float
            Its probability, weighted by the posterior and not by h_MAP alone.
        """
        with error_context(WHO):
            source = self._required_likelihood()
            shares = self.posterior().items()
            return exact_sum(source.of(outcome, h) * p for h, p in shares)

    def predictive(self) -> dict[Any, Number]:
        """The predictive distribution: P(next observation | D) for all possible observations.

        Returns
        -------
        dict
            Probabilities by observation.
        """
        return {outcome: self.predict(outcome) for outcome in self._outcomes()}

    def trajectory(self) -> list[dict[Any, Number]]:
        """The posterior after every observation.

        Returns
        -------
        list of dict
            Posteriors; the first is the prior, before any observation.
        """
        steps = [replace(self, seen=())]
        for outcome in self.seen:
            steps.append(steps[-1].observe(outcome))
        return [step.posterior() for step in steps]

    def classify(self, x: Any) -> Answer:
        """The Bayes optimal classification of x.

        Parameters
        ----------
        x : Any
            What the classifiers classify.

        Returns
        -------
        Answer
            The most probable class, with its derivation; ``scores`` has all classes.
        """
        with error_context(WHO):
            if not isinstance(self.likelihood, ClassifierLikelihood):
                raise OptionError(
                    "these hypotheses are not classifiers. Create them with Hypotheses.classifiers."
                )
            return decisions.classify(self.posterior(), self.likelihood, x)

    def decide(self, loss: Mapping[Any, Mapping[Any, Any]]) -> Answer:
        """The action with the smallest expected loss.

        Parameters
        ----------
        loss : dict
            ``{action: {hypothesis: loss}}``.

        Returns
        -------
        Answer
            The action, with its derivation.
        """
        with error_context(WHO):
            return decisions.decide(self.posterior(), loss)

    def bayes_error(self) -> Answer:
        """The Bayes error of predicting the hypothesis from one more observation.

        Returns
        -------
        Answer
            The probability that the best decision is wrong, with its derivation.
        """
        with error_context(WHO):
            self._outcomes()
            return decisions.bayes_error(self.posterior(), self._required_likelihood())

    def plot(self) -> Plot:
        """Plot the posterior of every hypothesis against the number of observations.

        Returns
        -------
        Plot
            An SVG chart.
        """
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
