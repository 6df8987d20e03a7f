"""Decompositions: an expected squared error is bias squared, plus variance, plus noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tallylearn.errors import OptionError, error_context, item_at, quoted_list
from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.evaluation.result import Result
from tallylearn.evaluation.running.dataset import Dataset, task_of
from tallylearn.evaluation.running.parallel_folds import jobs
from tallylearn.evaluation.running.progress_bar import fold_progress
from tallylearn.evaluation.theory.all_samples import Number
from tallylearn.evaluation.theory.bias_variance import ErrorParts, of_population, of_table, verdicts
from tallylearn.evaluation.theory.population import Population
from tallylearn.evaluation.theory.sample_error import exact_of, fraction_text
from tallylearn.folds import Folds
from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.statistics.confidence_intervals import check_count
from tallylearn.workings import Derivation, Grid, Sentence

NOISE_NOTE = (
    "Without a known distribution, noise cannot be separated from bias. Their column also has the "
    "variance that all bootstrap samples share, because they are drawn from the same rows."
)
PART_NAMES = ("bias2", "variance", "noise", "total", "error")  # in the order of the columns
SQUARED, BRIER = "squared error", "squared error of the probability of {!r}"
HARD = "squared error of the predictions ({!r} is 1, any other 0): there are no probabilities"


@dataclass(frozen=True, eq=False)
class Decomposition(Result):
    """The result of ``tl.bias_variance``: bias², variance and noise of one or more learners.

    ``found[0]`` has the parts of the first learner. For a single learner, ``found.bias2``,
    ``found.variance``, ``found.noise`` and ``found.error`` are its parts.

    Attributes
    ----------
    parts : tuple of Parts
        One entry per learner.
    loss : str
        The error that is decomposed.
    n : int
        Rows in a sample.
    means : str
        The samples over which the means are taken, as text.
    remarks : tuple of str
        Notes about rows that were left out.
    """

    parts: tuple[ErrorParts, ...]
    loss: str
    n: int  # rows in a sample
    means: str  # how the means over samples were taken
    remarks: tuple[str, ...] = ()  # rows that were left out

    def __getitem__(self, at: int) -> ErrorParts:
        found: ErrorParts = item_at(self.parts, at, "learners")
        return found

    def __iter__(self) -> Iterator[ErrorParts]:
        return iter(self.parts)

    @property
    def error(self) -> Number:
        """The expected squared error of a single learner."""
        return self._only_parts.error

    @property
    def bias2(self) -> Number:
        """The squared bias of a single learner; for a table it includes the noise."""
        return self._only_parts.bias2

    @property
    def variance(self) -> Number:
        """The variance of a single learner."""
        return self._only_parts.variance

    @property
    def noise(self) -> Number | None:
        """The noise of the target; None for a table."""
        return self._only_parts.noise

    @property
    def verdict(self) -> str:
        """Which part is larger, and what a simpler and a more complex learner show."""
        return " ".join(verdicts(self.parts))

    @property
    def _only_parts(self) -> ErrorParts:
        if len(self.parts) > 1:
            names = quoted_list(part.learner for part in self.parts)
            raise OptionError(
                f"{type(self).__name__}: there are several learners: {names}. "
                "Choose one, as in found[0]."
            )
        return self.parts[0]

    @property
    def _names(self) -> tuple[str, ...]:
        first = self.parts[0]
        return (first.form, "variance", *(() if first.noise is None else ("noise",)))

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        """The parts, their sum, and the error as it was measured."""
        lines = tuple(
            (
                part["learner"],
                *(fraction_text(exact_of(part[name])) for name in PART_NAMES if name in part),
            )
            for part in found["parts"]
        )
        grid = Grid(found["loss"], found["header"], lines, f"Means over {found['means']}.")
        said = [*found["verdicts"], *([] if "noise" in found["parts"][0] else [NOISE_NOTE])]
        said += found.get("remarks", ())
        return Derivation(found["title"], (grid, *map(Sentence, said)))

    def facts(self) -> dict[str, Any]:
        """The parts of every learner's error, fractions as text, and what follows."""
        return {
            "kind": "decomposition",
            "title": f"Bias, variance and noise, from {self.n:,} rows",
            "loss": self.loss, "n": self.n, "means": self.means,
            "header": ("learner", *self._names, "sum", "error"),
            "parts": [_plain_parts(part) for part in self.parts],
            "verdicts": [*verdicts(self.parts)], "remarks": self.remarks,
        }  # fmt: skip

    def records(self) -> list[dict[str, Any]]:
        """One row a learner, numbers as floats."""
        return [
            {
                "learner": part.learner,
                "error": float(part.error),
                "bias2": float(part.bias2),
                "variance": float(part.variance),
                "noise": None if part.noise is None else float(part.noise),
            }
            for part in self.parts
        ]

    def plots(self) -> dict[str, Plot]:
        """The parts from learner to learner, where there are several."""
        if len(self.parts) < 2:
            return {}
        rows = [[float(value) for value in (*part.values, part.error)] for part in self.parts]
        places = list(range(len(rows)))
        names = (*self._names, "error")
        columns = zip(*rows, strict=True)
        series = {name: (places, list(v)) for name, v in zip(names, columns, strict=True)}
        return {"parts": draw_lines(series, "Bias and variance", "learner, in order", self.loss)}


def bias_variance(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    n: int | None = None,
    draws: int = 100,
    seed: int = 0,
    positive: Any = None,
    progress: bool | None = None,
    n_jobs: int | None = None,
) -> Decomposition:
    """Decompose the expected squared error of a learner: E (y - f^)² = bias² + variance + noise.

    Bias is the difference between the mean prediction over all samples and the mean of the target.
    Variance is the spread of predictions from single samples around their mean. Noise is the spread
    of the target around its own mean. For classifiers, the error is the squared error of the
    probability of the positive class (Brier score); without probabilities, 0 or 1.

    - With a `Population`: over all samples of n rows where there are at most 1000, in fractions if
      its probabilities are; else over ``draws`` random samples.
    - With a table: models fitted to ``draws`` bootstrap samples predict their out-of-bag rows.
      Noise and bias² cannot be separated then. Their sum includes the part of the variance that all
      bootstrap samples share, since all are drawn from the same rows.

    Over random samples, variance and bias² are unbiased estimates that add up: bias² may be
    slightly below 0. Weights and groups are those that the table declares:
    ``tl.table(source, groups="patient")``.

    Parameters
    ----------
    learner : Estimator or list of Estimator
        One learner, or several to compare, from simple to complex.
    X : Population, table or array
        A `Population`, or the columns as in `evaluate`, in memory.
    y : array-like or str, optional
        The target of a table, or the name of its column.
    n : int, optional
        Rows in a sample from the population.
    draws : int, default 100
        Number of random samples.
    seed : int, default 0
        Seed of the random samples.
    positive : Any, optional
        The class whose probability is decomposed; by default the last of two.
    progress : bool, optional
        Whether to show a progress bar, for tables; by default for long work on a terminal or in a
        notebook.
    n_jobs : int, optional
        How many samples are fitted at a time, for tables; -1: one per processor.

    Returns
    -------
    Decomposition
        Bias², variance, noise and error of every learner.

    References
    ----------
    S. Geman, E. Bienenstock and R. Doursat, Neural networks and the bias/variance dilemma, Neural
    Computation 4, 1992.

    Examples
    --------
    >>> import tallylearn as tl
    >>> coin = tl.Population({"toss": 1}, target=lambda x: {0: "1/2", 10: "1/2"})
    >>> found = tl.bias_variance(tl.DummyRegressor(), coin, n=5)
    >>> print(found.bias2, found.variance, found.noise, found.error)
    0 5 25 30
    """
    with error_context("bias_variance"), jobs(n_jobs):
        learners = list(learner) if isinstance(learner, list | tuple) else [learner]
        if len({task_of(one) for one in learners}) != 1:
            raise OptionError(
                "the learners mix classifiers and regressors. Pass only classifiers, "
                "or only regressors."
            )
        check_count("the means", "draws", draws, 2)
        if isinstance(X, Population):
            return _of_population(learners, X, y=y, n=n, draws=draws, seed=seed, positive=positive)
        return _of_table(
            learners, X, y=y, n=n, draws=draws, seed=seed, positive=positive, progress=progress
        )


def _of_population(
    learners: list[Any], known: Population, y: Any, n: int | None, draws: int, seed: int,
    positive: Any,
) -> Decomposition:  # fmt: skip
    if n is None or y is not None:
        raise OptionError(
            "a Population needs n, the number of rows in a sample, and no y. Pass "
            "n=, and leave y out."
        )
    found = known.drawings(n, draws, seed)
    one = None
    if task_of(learners[0]) == "classifier":
        one = positive_class(known.outcomes, positive)
    parts = tuple(of_population(learner, known, found, one) for learner in learners)
    return Decomposition(parts, _loss(one, parts), n, found.description)


def _of_table(
    learners: list[Any], X: Any, y: Any, n: int | None, draws: int, seed: int, positive: Any,
    progress: bool | None,
) -> Decomposition:  # fmt: skip
    if n is not None:
        raise OptionError(
            "n applies to a Population; bootstrap samples have as many rows as the "
            "table. Leave n out."
        )
    dataset = Dataset.of(X, y, None, None, task_of(learners[0]), learners=learners)
    one = None
    if dataset.task == "classifier":
        one = positive_class(dataset.classes, positive)
    splits = list(Folds.bootstrap(draws, seed=seed).splits(len(dataset), None, dataset.groups))
    with fold_progress(learners, draws, progress) as watch:
        parts = tuple(of_table(learner, dataset, splits, one, watch) for learner in learners)
    means = f"{draws} bootstrap samples"
    return Decomposition(parts, _loss(one, parts), len(dataset), means, dataset.remarks)


def _plain_parts(part: ErrorParts) -> dict[str, Any]:
    noise = {} if part.noise is None else {"noise": part.noise}
    return {"learner": part.learner, "bias2": part.bias2, "variance": part.variance, **noise,
            "total": part.total, "error": part.error}  # fmt: skip


def _loss(one: Any, parts: tuple[ErrorParts, ...]) -> str:
    """What was squared: a classifier without probabilities has its predictions taken."""
    if one is None:
        return SQUARED
    hard = [part.learner for part in parts if part.hard]
    if len(hard) == len(parts):
        return HARD.format(one)
    return BRIER.format(one) + (f" ({', '.join(hard)}: predictions as 1 or 0)" if hard else "")
