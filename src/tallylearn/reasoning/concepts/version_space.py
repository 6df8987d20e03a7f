"""Version spaces: all hypotheses that are consistent with the examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from tallylearn.errors import (
    InputError,
    KindError,
    MergeError,
    OptionError,
    error_context,
    not_fitted,
    quoted_list,
    short_repr,
)
from tallylearn.estimators.fit_input import read_fit_input, read_rows
from tallylearn.reasoning.concepts.candidate_elimination import Vote
from tallylearn.reasoning.concepts.conjunctions import Conjunctions
from tallylearn.reasoning.concepts.labelled_examples import (
    LabelledExamples,
    Row,
    format_cell,
    join_names,
    object_array,
    plain_rows,
)
from tallylearn.reasoning.concepts.listed_hypotheses import (
    ListedHypotheses,
    ListedVersion,
    MajorityVote,
    Measure,
    hypothesis_label,
    to_predicate,
)
from tallylearn.reasoning.concepts.rectangles import Rectangles
from tallylearn.reasoning.concepts.unions import Unions
from tallylearn.reasoning.concepts.version_space_steps import (
    MAX_DRAWN,
    draw_lattice,
    elimination_steps,
)
from tallylearn.reporting.charts import Plot
from tallylearn.tables import Array
from tallylearn.workings import Derivation, Grid, Sentence
from tallylearn.workings.step_sequence import StepSequence

WHO = "VersionSpace"


class VersionSpace:
    """All hypotheses of a space that are consistent with every example of a concept.

    The hypothesis space is one of

    - ``conjunctions()``: a value or any value in every column, such as <Sunny, ?, Strong>.
    - ``rectangles()``: between two bounds in every column of numbers.
    - ``unions()``: finite unions of rectangles.
    - ``of({name: hypothesis})``: listed hypotheses, as functions of a row or as sets of rows. A row
      is the value of a table's only column; with several columns a dict, in a set a tuple.
    - ``powerset({name: hypothesis})``: the subsets of those, each voting by majority.

    ``fit(table, target)`` learns from a target of two values. The concept is "+" or the last value
    in sorted order, unless ``positive`` names it. A prediction is the label that all consistent
    hypotheses agree on, or "undecided".

    Parameters
    ----------
    space : Conjunctions, Rectangles, Unions or ListedHypotheses
        The hypothesis space; the methods above make it.

    References
    ----------
    T. M. Mitchell, Machine Learning, 1997, chapter 2.

    Examples
    --------
    >>> import tallylearn as tl
    >>> days = [
    ...     {"Sky": "Sunny", "Wind": "Strong", "Sail": "Yes"},
    ...     {"Sky": "Sunny", "Wind": "Weak", "Sail": "Yes"},
    ...     {"Sky": "Rainy", "Wind": "Weak", "Sail": "No"},
    ... ]
    >>> space = tl.VersionSpace.conjunctions().fit(days, "Sail")
    >>> print(space)
    1 of 10 conjunctions agrees with 3 rows
    S  <Sunny, ?>
    G  <Sunny, ?>
    >>> space.predict({"Sky": "Rainy", "Wind": "Strong"})
    array(['No'], dtype=object)
    """

    def __init__(self, space: Any) -> None:
        self.space = space
        self._version: Any = None
        self._by_name = True

    @classmethod
    def conjunctions(cls) -> VersionSpace:
        """The space of conjunctions: a value, or any value, in every column.

        Returns
        -------
        VersionSpace
            The space, without examples.
        """
        return cls(Conjunctions())

    @classmethod
    def rectangles(cls) -> VersionSpace:
        """The space of axis-parallel rectangles: between two bounds in every column.

        Returns
        -------
        VersionSpace
            The space, without examples.
        """
        return cls(Rectangles())

    @classmethod
    def unions(cls) -> VersionSpace:
        """The space of finite unions of rectangles.

        Returns
        -------
        VersionSpace
            The space, without examples.
        """
        return cls(Unions())

    @classmethod
    def of(cls, hypotheses: Mapping[str, Any]) -> VersionSpace:
        """The space of listed hypotheses.

        Parameters
        ----------
        hypotheses : dict
            Functions of a row, or sets of rows, by name.

        Returns
        -------
        VersionSpace
            The space, without examples.
        """
        with error_context(WHO):
            return cls(ListedHypotheses.of(hypotheses))

    @classmethod
    def powerset(cls, hypotheses: Mapping[str, Any]) -> VersionSpace:
        """The space of all non-empty subsets of hypotheses, each voting by majority.

        Parameters
        ----------
        hypotheses : dict
            Up to 12 functions of a row, or sets of rows, by name.

        Returns
        -------
        VersionSpace
            The space, without examples.
        """
        with error_context(WHO):
            return cls(ListedHypotheses.of(hypotheses).subsets())

    def fit(self, table: Any, target: Any = None, *, positive: Any = None) -> Self:
        """Keep the hypotheses that are consistent with every row.

        With a column's name as target, columns of unique strings are not used, unless
        ``tl.table(keep=)`` names them. Listed hypotheses are given every column.

        Parameters
        ----------
        table : table
            The examples.
        target : array-like or str, optional
            Their labels, or the name of the column.
        positive : Any, optional
            The label of the concept; by default "+", or the last of the two in sorted order.

        Returns
        -------
        Self
            The fitted version space.
        """
        with error_context(f"{WHO}.fit"):
            every = isinstance(self.space, ListedHypotheses)
            read = read_fit_input(table, target, None, WHO, "classifier", more=every)
            examples = LabelledExamples.of(read, self.space.kinds, positive)
            version = self.space.version(examples)
            _ = version.reason  # asks listed hypotheses about every row
        self._version, self._by_name = version, read.call_style.by_name
        return self

    def __and__(self, other: VersionSpace) -> VersionSpace:
        """The hypotheses that are in both: those that agree with the examples of both."""
        with error_context(WHO):
            if not isinstance(other, VersionSpace) or self.space != other.space:
                raise MergeError(
                    f"{self!r} and {short_repr(other)} have different hypothesis spaces. "
                    "Combine version spaces of one hypothesis space."
                )
            both = VersionSpace(self.space)
            examples = self._require_fit().examples & other._require_fit().examples
            both._version = self.space.version(examples)
            both._by_name = self._by_name and other._by_name
            return both

    @property
    def specific(self) -> tuple[Any, ...]:
        """S: the least general consistent hypothesis; among rectangles the smallest."""
        found: tuple[Any, ...] = self._require_method("specific").specific
        return found

    @property
    def general(self) -> tuple[Any, ...]:
        """G: the most general consistent hypotheses; among rectangles the largest."""
        found: tuple[Any, ...] = self._require_method("general").general
        return found

    @property
    def members(self) -> tuple[Any, ...]:
        """Every consistent hypothesis; for listed hypotheses their names."""
        found: tuple[Any, ...] | None = self._require_fit().members
        if found is None:
            raise KindError(
                f"{WHO}.members: there are too many consistent {self.space.plural} to "
                "list. Use specific, the least general of them."
            )
        return found

    @property
    def count(self) -> int | None:
        """The number of consistent hypotheses; None if they cannot be listed."""
        found: int | None = self._require_fit().count
        return found

    @property
    def size(self) -> int | None:
        """The number of hypotheses in the space before any example; None if infinite."""
        found: int | None = self._require_fit().size
        return found

    @property
    def reason(self) -> str:
        """Why no hypothesis is consistent, with the rows; empty if one is."""
        return str(self._require_fit().reason)

    @property
    def contradictions(self) -> tuple[tuple[int, int], ...]:
        """Pairs of rows that are equal and have different labels."""
        examples: LabelledExamples = self._require_fit().examples
        return examples.contradictions()

    def find_s(self) -> Any:
        """Find-S: the least general hypothesis that covers the positive rows.

        Returns
        -------
        Conjunction or Rectangle
            The hypothesis; negative rows are not used.
        """
        return self._require_method("specific").least

    def cover(self) -> Any:
        """Cover the positive rows by few rectangles that contain no negative row.

        Returns
        -------
        Union
            The rectangles, found greedily.
        """
        version = self._require_method("cover")
        self._check_consistent()
        return version.cover()

    def predict(self, table: Any, by: Any = None) -> Array:
        """Predict the label on which all consistent hypotheses agree.

        Parameters
        ----------
        table : table
            Rows to predict.
        by : hypothesis, str or list, optional
            A single hypothesis that predicts instead, or a list of them that vote by majority.

        Returns
        -------
        ndarray of shape (n,)
            Labels; "undecided" where the hypotheses differ, "undefined" for a tied vote of ``by``.
        """
        with error_context(f"{WHO}.predict"):
            examples: LabelledExamples = self._require_fit().examples
            if by is None:
                return object_array(map(self._label, self.votes(table)))
            h, names = self._hypothesis(by), examples.schema.names
            return examples.labels(hypothesis_label(h, x, names) for x in self._rows(table))

    def votes(self, table: Any) -> list[Vote]:
        """Count the predictions of the consistent hypotheses for every row.

        Parameters
        ----------
        table : table
            Rows to predict.

        Returns
        -------
        list of Vote
            One verdict per row, with counts if the hypotheses can be listed.
        """
        version = self._require_fit()
        self._check_consistent()
        with error_context(f"{WHO}.votes"):
            return [version.vote(x) for x in self._rows(table)]

    def explain(self, table: Any) -> Derivation:
        """Show the predictions of the hypotheses for every row, and the reason for the verdict.

        Parameters
        ----------
        table : table
            Rows to predict.

        Returns
        -------
        Derivation
            A table and a sentence per row.
        """
        version = self._require_fit()
        self._check_consistent()
        steps: list[Grid | Sentence] = []
        with error_context(f"{WHO}.explain"):
            version = self._require_fit()
            self._check_consistent()
            for x in self._rows(table):
                vote = version.vote(x)
                labels = tuple(
                    (h, str(version.examples.label(a))) for h, a in version.statements(x)
                )
                steps.append(Grid(join_names(map(format_cell, x)), ("hypothesis", "says"), labels))
                steps.append(Sentence(f"{self._label(vote)}: {vote.because}"))
        return Derivation("Votes", tuple(steps))

    def show_work(self) -> Derivation:
        """Show how the examples reduce the hypotheses, step by step.

        Returns
        -------
        Derivation
            The steps.
        """
        found: Derivation = self._require_fit().working()
        return found

    def steps(self) -> StepSequence:
        """Candidate elimination, example by example, as a page to step through.

        Returns
        -------
        StepSequence
            S and G after each row; the last state is the version space.
        """
        return elimination_steps(self._require_method("boundaries"))

    def plot(self, title: str = "Version space") -> Plot:
        """Draw the lattice of the consistent hypotheses, the more general above.

        Parameters
        ----------
        title : str, default "Version space"
            The title.

        Returns
        -------
        Plot
            The drawing; ``data["edges"]`` joins neighbours in the partial order.
        """
        self._require_method("boundaries")
        members = self.members
        if not members or len(members) > MAX_DRAWN:
            raise InputError(
                f"{WHO}.plot: {len(members)} hypotheses are consistent, and a drawing shows 1 to "
                f"{MAX_DRAWN}. Fit more rows, or print the version space."
            )
        return draw_lattice(members, title)

    def mistakes(self, h: Any) -> tuple[int, ...]:
        """The examples that a hypothesis labels wrongly.

        Parameters
        ----------
        h : hypothesis, str or list
            A hypothesis, its name, a function or a set; a list votes by majority.

        Returns
        -------
        tuple of int
            Numbers of rows.
        """
        examples: LabelledExamples = self._require_fit().examples
        with error_context(f"{WHO}.mistakes"):
            found, names = self._hypothesis(h), examples.schema.names
            said = [hypothesis_label(found, x, names) for x in examples.rows]
        pairs = zip(said, examples.inside, examples.numbers, strict=True)
        return tuple(number for answered, truth, number in pairs if answered != truth)

    def consistent(self, h: Any) -> bool:
        """Whether a hypothesis agrees with every example.

        Parameters
        ----------
        h : hypothesis, str or list
            A hypothesis, its name, a function or a set; a list votes by majority.

        Returns
        -------
        bool
            True if it makes no mistake.
        """
        return not self.mistakes(h)

    def scores(self, measure: Measure | None = None) -> dict[str, float]:
        """The performance of every listed hypothesis on the examples.

        Parameters
        ----------
        measure : callable, optional
            A function of the true labels and the predictions; by default accuracy.

        Returns
        -------
        dict
            Scores by name.
        """
        version = self._require_fit()
        if not isinstance(version, ListedVersion):
            raise KindError(
                f"{WHO}.scores: {self.space.plural} are not listed. Use "
                "VersionSpace.of({name: function})."
            )
        return version.scores(measure)

    def best(self, measure: Measure | None = None) -> tuple[str, ...]:
        """The listed hypotheses with the best performance.

        Parameters
        ----------
        measure : callable, optional
            A function of the true labels and the predictions; by default accuracy.

        Returns
        -------
        tuple of str
            Names; more than one if they are tied.
        """
        found = self.scores(measure)
        return tuple(name for name, score in found.items() if score == max(found.values()))

    def __repr__(self) -> str:
        state = "" if self._version is None else f", {len(self._version.examples)} rows"
        return f"{WHO}({self.space.plural}{state}{self._identifier_note})"

    @property
    def _identifier_note(self) -> str:
        names = () if self._version is None else self._version.examples.identifiers
        return f"; identifiers, not used: {quoted_list(names)}" if names else ""

    def __str__(self) -> str:
        if self._version is None:
            return repr(self)
        n = len(self._version.examples)
        rows = f"{n:,} row" if n == 1 else f"{n:,} rows"
        if self.reason:
            return f"no consistent {self.space.noun}: {self.reason}"
        whole = "" if self.size is None else f" of {self.size:,}"
        many = "some" if self.count is None else f"{self.count:,}"
        verb = "agrees" if self.count == 1 else "agree"
        head = f"{many}{whole} {self.space.plural} {verb} with {rows}{self._identifier_note}"
        return "\n".join([head, *self._version.lines()])

    def _repr_html_(self) -> str:
        return f"<pre>{self!r}</pre>" if self._version is None else self.show_work().to_html()

    def _require_fit(self) -> Any:
        if self._version is None:
            raise not_fitted(WHO)
        return self._version

    def _require_method(self, what: str) -> Any:
        version = self._require_fit()
        if not hasattr(type(version), what):
            other = "unions" if what == "cover" else "rectangles"
            raise KindError(
                f"{WHO}.{what}: {self.space.plural} have no {what!r}. Use VersionSpace.{other}()."
            )
        return version

    def _check_consistent(self) -> None:
        if self.reason:
            raise InputError(
                f"{WHO}: no {self.space.noun} is consistent with the training rows: "
                f"{self.reason}. Correct those rows, or use a larger hypothesis space."
            )

    def _label(self, vote: Vote) -> Any:
        examples: LabelledExamples = self._require_fit().examples
        return {"yes": examples.yes, "no": examples.other_label}.get(vote.verdict, vote.verdict)

    def _rows(self, table: Any) -> list[Row]:
        examples: LabelledExamples = self._require_fit().examples
        with error_context(WHO):
            source = read_rows(table, examples.schema, self._by_name, WHO)
            found = [row for block in source.blocks() for row in plain_rows(block)]
            self.space.check(examples, found)
        return found

    def _hypothesis(self, h: Any) -> Any:
        """A hypothesis by its name, itself, as a function or a set; a list of them votes."""
        version = self._require_fit()
        if isinstance(h, list | tuple) and h:
            return MajorityVote(tuple(map(self._hypothesis, h)))
        if isinstance(h, str) and isinstance(version, ListedVersion):
            if h in version.hypotheses:
                return version.hypotheses[h]
            raise OptionError(
                f"{short_repr(h)} is not one of the hypotheses. Choose from "
                f"{quoted_list(version.hypotheses)}."
            )
        return h if hasattr(h, "covers") else to_predicate("by", h)
