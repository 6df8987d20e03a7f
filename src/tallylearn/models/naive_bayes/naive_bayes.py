"""Naive Bayes: every column votes for a class with P(x | c), independently of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import OptionError, error_context, quoted_list, short_repr
from tallylearn.estimators import Classifier
from tallylearn.estimators.estimator import one_explanation
from tallylearn.estimators.options import fitted, option
from tallylearn.models.design.informative_categories import KEEP, SKIP
from tallylearn.models.naive_bayes import chance_columns, vocabulary
from tallylearn.models.naive_bayes.bayes_model import Bayes, bags_of, categorical_columns
from tallylearn.models.naive_bayes.chance_columns import categories
from tallylearn.models.naive_bayes.class_priors import Priors, shares
from tallylearn.models.naive_bayes.class_spreads import COLUMN, TABLE, Smoothing
from tallylearn.models.naive_bayes.column_factors import Categories, Gaussians, in_table_order
from tallylearn.models.naive_bayes.leave_one_out import (
    numbers_of_others,
    prior_of_others,
    value_of_others,
    words_of_others,
)
from tallylearn.models.naive_bayes.text_factors import BERNOULLI, MULTINOMIAL, SET, Texts
from tallylearn.models.naive_bayes.vocabulary import Vocabulary
from tallylearn.models.stored_tallies import check_classes, check_parts, check_tables, check_words
from tallylearn.tables import (
    CATEGORY,
    DATE,
    NUMBER,
    TEXT,
    Array,
    Block,
    Codes,
    Schema,
    check_columns,
)
from tallylearn.tallies import Bundle, Counts, Moments
from tallylearn.tallies.documents import Reader
from tallylearn.tallies.weight_kinds import tally_counted_once
from tallylearn.tallies.words import KINDS, words
from tallylearn.workings.evidence_steps import product_steps
from tallylearn.workings.step_sequence import StepSequence

ROWS = "rows"  # of a tally that is solved: rows with sample weights, counted once


class NaiveBayes(Classifier):
    """Naive Bayes on categories, truth values, numbers and text together.

    A column of categories gives the share of rows of the class that have the value; a column of
    numbers the normal density with the class's mean and variance; a column of text a share for
    every word. A missing value says nothing and is skipped, as is a word that was never seen.

    References
    ----------
    T. Mitchell, Machine Learning, 1997, chapter 6.9.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.NaiveBayes(alpha=0).fit(tl.example("tennis"))
    >>> print(model.explain([["Sunny", "Cool", "High", "Strong"]]))
    The probability of PlayTennis = No is 79.5 %; it is 35.7 % by the prior.
    Reasons, the largest effect first:
    - Outlook = Sunny raised it from 35.7 % to 60.0 %
    - Humidity = High raised it from 60.0 % to 78.3 %
    - Wind = Strong raised it from 78.3 % to 86.6 %
    - Temperature = Cool lowered it from 86.6 % to 79.5 %
    <BLANKLINE>
    No   5/14 · 3/5 · 1/5 · 4/5 · 3/5 = 18/875   79.5 %
    Yes  9/14 · 2/9 · 3/9 · 3/9 · 3/9 =  1/189   20.5 %
    """

    family: ClassVar[str] = "generative"
    generative: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, CATEGORY, TEXT, DATE)
    counts_values: ClassVar[bool] = True
    shaping: ClassVar[tuple[str, ...]] = ("numbers", "ngram_range", "tokenizer")
    stored: ClassVar[tuple[type, ...]] = (Bayes, Priors, Categories, Gaussians, Texts, Reader)
    formerly: ClassVar[Mapping[str, Any]] = {"var_smoothing_by": TABLE, "chance": KEEP}
    model_: Bayes = fitted()

    alpha: float = option(
        default=1.0,
        kw_only=False,
        low=0.0,
        infinite=True,
        doc="Added to every count of a category (Laplace smoothing). 0 is the maximum likelihood "
        "estimate, infinity makes all values of a column equally probable.",
    )
    m: float | None = option(
        default=None,
        low=0.0,
        doc="Weight of the m-estimate (n + m p) / (N + m), which replaces alpha.",
    )
    p: str | Mapping[str, Mapping[str, float]] = option(
        default="uniform",
        doc='Prior of the m-estimate: "uniform", or {column: {value: probability}}.',
    )
    chance: str = option(
        default=SKIP,
        choices=(SKIP, KEEP),
        doc="A category of many values (more than 64, or than a quarter of the rows, of which "
        "there are 50 or more) that predicts the classes of left out rows no better than chance "
        'is not used: "skip". "keep" learns from every column.',
    )
    var_smoothing: float = option(
        default=1e-9,
        low=0.0,
        doc="Lower bound of a class's variance in a column, as a share of the column's variance "
        "over all rows. 0 refuses a column that is constant in a class. A column of numbers that "
        "is constant in all rows is not used.",
    )
    var_smoothing_by: str = option(
        default=COLUMN,
        choices=(COLUMN, TABLE),
        doc='"column" as above: the unit of a column does not matter. "table" as in scikit-learn: '
        "the share is of the largest variance of all columns, and is added to every variance, so "
        "that a column of large numbers blurs those of small ones.",
    )
    class_prior: Any = option(
        default=None,
        type_name="array-like of shape (n_classes,), dict or None",
        doc="Prior probabilities of the classes, in the order of ``classes_``, or by class. A "
        "class that was declared and has no rows is never predicted, whatever its prior.",
    )
    fit_prior: bool = option(
        default=True, doc="Whether to learn prior probabilities; False takes them as equal."
    )
    numbers: str = option(
        default="gaussian",
        choices=("gaussian", "bernoulli"),
        doc='Model of a column of numbers: "gaussian" is a normal density a class, "bernoulli" '
        "the probability that the number is above zero.",
    )
    at_half: str = option(
        default="first",
        choices=("first", "positive"),
        doc='Which of several tied classes is predicted: the "first" in sorted order, or the last: '
        '"positive".',
    )
    text_model: str = option(
        default=MULTINOMIAL,
        choices=(MULTINOMIAL, SET, BERNOULLI),
        doc='"multinomial" has a factor for every word of a document, "set" for every distinct '
        'word, "bernoulli" for every known word, present or absent.',
    )
    ngram_range: tuple[int, int] = option(
        default=(1, 1),
        takes=vocabulary.NGRAM_RANGE,
        doc="Lengths of the runs of words that are terms: (1, 2) is words and pairs of words.",
    )
    min_df: float = option(
        default=1,
        takes=vocabulary.DOCUMENTS,
        doc="Leave out terms in fewer documents; a number below 1 is a share of them. Documents "
        "are counted, whatever their rows weigh.",
    )
    max_df: float = option(
        default=1.0,
        takes=vocabulary.DOCUMENTS,
        doc="Leave out terms in more documents; a number up to 1 is a share of them.",
    )
    stop_words: Sequence[str] | None = option(
        default=None,
        takes=vocabulary.STOP_WORDS,
        doc="Words to leave out, with the runs of words that contain them.",
    )
    max_features: int | None = option(
        default=None, low=1, doc="Keep only so many terms: the most frequent ones."
    )
    tokenizer: Callable[[str], Iterable[str]] | None = option(
        default=None,
        takes=vocabulary.TOKENIZER,
        doc="Function from a text to its words. None takes the runs of letters, digits and "
        "underscores of its lower case. A function is not saved.",
    )

    def tally(self, block: Block) -> Bundle:
        """Rows by class, by class and value or word; moments by class for numbers."""
        columns = categorical_columns(block, self.numbers == "bernoulli")
        counts = Counts.each(block.target, columns, block.weight)
        moments = Moments.empty()
        if self.numbers == "gaussian" and block.schema.numbers:
            names = block.schema.numbers
            moments = Moments.of(block.numbers, block.target, names, block.weight, block.start)
        target = Counts.of(block.target, weight=block.weight)
        parts = {"target": target, "categories": Bundle(counts), "numbers": moments}
        if block.text:
            parts["text"] = Bundle({name: self._words(block, name) for name in block.text})
        return Bundle(parts)

    @property
    def _takes_weights_as_given(self) -> bool:
        return True  # smoothing is added to sums of weights, as in scikit-learn

    def _in_rows(self, tally: Bundle) -> Bundle:
        found = super()._in_rows(tally)
        rows = tally_counted_once(tally, "categories")
        return found if rows is None else Bundle({**found.parts, ROWS: rows})

    def solve(self, tally: Bundle) -> Bayes:
        """Estimate the probabilities from the counts, and the densities from the moments."""
        priors = Priors.of(tally["target"], self.class_prior, self.fit_prior)
        judged = self.chance == SKIP and self._alike
        rows = tally.get(ROWS) or tally  # which share a value, whatever they weigh
        silent = (
            chance_columns.find_uninformative(rows, priors, self._compute_pseudocounts)
            if judged
            else ()
        )
        tables = [
            Categories.of(name, counts, priors.classes, self._pseudocount(name, counts))
            for name, counts in categories(tally).items()
            if name not in silent
        ]
        gaussians = None
        if moments := tally.get("numbers"):
            alone = not tables and "text" not in tally
            gaussians = Gaussians.of(moments, priors.classes, self._smoothing, alone)
        halved = self.numbers == "bernoulli"
        texts = tuple(self._texts(tally, priors)) if "text" in tally else ()
        return Bayes(
            priors=priors,
            tables=tuple(tables),
            gaussians=gaussians,
            halved=halved,
            at_half=self.at_half,
            texts=texts,
            chance=silent,
        )

    @property
    def _alike(self) -> bool:
        """Whether all values of a column have the same number added to their counts."""
        return self._uniform and isfinite(self.alpha if self.m is None else self.m)

    def leave_one_out(self, tally: Bundle, block: Block) -> Array | None:
        """The scores of every row under the model of all others; None where it takes n fits."""
        counted = isinstance(block.target, Codes) and block.weight is None
        if not counted or not self._alike or (tally["target"].floats() < 2).any():
            return None
        priors = Priors.of(tally["target"], self.class_prior, self.fit_prior)
        own = block.target.recode(priors.classes)
        prior = np.broadcast_to(prior_of_others(priors, own), (len(own), len(priors.classes)))
        out = np.array(prior)
        for found in self._factors_of_others(tally, block, priors, own):
            if found is None:
                return None
            out += found
        dead = np.isneginf(out).all(axis=1)
        out[dead] = prior[dead]
        return out

    def _factors_of_others(
        self, tally: Bundle, block: Block, priors: Priors, own: Array
    ) -> Iterable[Array | None]:
        """Every column's evidence about the rows, by all other rows."""
        classes = priors.classes
        if moments := tally.get("numbers"):
            yield numbers_of_others(moments, classes, self._smoothing, block)
        codes = categorical_columns(block, self.numbers == "bernoulli")
        for name, counts in categories(tally).items():
            judged = codes[name], own, self._compute_pseudocounts
            found = value_of_others(counts, classes, *judged)
            if self.chance == SKIP:
                found[chance_columns.silent_by_others(counts, priors, *judged)] = 0.0
            yield found
        if "text" not in tally:
            return
        limited = self.text_model == BERNOULLI or (self.min_df, self.max_df) != (1, 1.0)
        if limited or self.max_features is not None:
            yield None
        for text in self._texts(tally, priors):
            documents = tally["text"][text.name]["terms"].reindex(KINDS, classes, text.terms)
            bags = bags_of(block, text)
            yield words_of_others(
                text, documents.floats()[0].sum(axis=0), bags, own, self._compute_pseudocounts
            )

    @property
    def _smoothing(self) -> Smoothing:
        return Smoothing(float(self.var_smoothing), self.var_smoothing_by)

    def _compute_pseudocounts(self, known: Array) -> Array:
        """What is added to the count of every value or word, where so many are known."""
        if self.m is None:
            return np.full(len(known), float(self.alpha))
        return float(self.m) / np.maximum(1, known)

    def document_log_likelihood(self, X: Any, column: str | None = None) -> Array:
        """Return the log-likelihood of each document, with the multinomial coefficient.

        All orders of the words, (sum d)! / prod d! in number, are counted. Words that no training
        document
        contains are skipped.

        Parameters
        ----------
        X : table
            The rows with the documents.
        column : str, optional
            The text column. Required if the model has several.

        Returns
        -------
        array of shape (n, k)
            log P(document | class).
        """
        text = self._text(column)
        if text.model != MULTINOMIAL:
            raise OptionError(
                f"{type(self).__name__}.document_log_likelihood: the model was fitted with "
                f"text_model={text.model!r}. Fit with text_model='multinomial'."
            )

        def likelihood(block: Block) -> Array:
            bags = bags_of(block, text)
            out = np.tile(text.coefficient(bags)[:, None], (1, len(self.classes_)))
            text.add(bags, out)
            return out

        return self._map_rows(X, likelihood, "document_log_likelihood")

    def top_words(self, n: int = 10, column: str | None = None) -> dict[Any, list[Any]]:
        """Return the words that most favour each class.

        Parameters
        ----------
        n : int, default 10
            The number of words for each class.
        column : str, optional
            The text column. Required if the model has several.

        Returns
        -------
        dict
            For each class, a list of words with their log-odds log P(w | c) - log P(w | other
            classes).
        """
        text = self._text(column)
        return {key: text.top(c, n) for c, key in enumerate(self.classes_.tolist())}

    @property
    def class_count_(self) -> Array:
        """(k,) the rows of every class; a model without its tally does not know them."""
        self._check_fitted()
        if self.tally_ is None:
            raise AttributeError("class_count_: this model was saved without its tally.")
        return np.asarray(self.tally_["target"].floats())

    def steps(self, X: Any) -> StepSequence:
        """The prediction of one row, factor by factor, as a page to step through.

        Parameters
        ----------
        X : table or dict
            The row to predict.

        Returns
        -------
        StepSequence
            The prior, a state for each column, and the posterior.
        """
        evidence = one_explanation(self, X)
        return product_steps(evidence, "Naive Bayes: one prediction, factor by factor")

    @property
    def theta_(self) -> Array:
        """(k, p) the means of the columns of numbers, in the table's order."""
        self._check_fitted()
        bells = self.model_.gaussians
        names, mean = (bells.names, bells.mean) if bells else ((), np.empty((0, 0)))
        return in_table_order(mean, names, self.schema_, len(self.classes_))

    @property
    def var_(self) -> Array:
        """(k, p) their variances, smoothing included."""
        self._check_fitted()
        bells = self.model_.gaussians
        names, spread = (bells.names, bells.variance) if bells else ((), np.empty((0, 0)))
        return in_table_order(spread, names, self.schema_, len(self.classes_))

    def _sample_rows(self, n: int, rng: np.random.Generator) -> tuple[list[dict[str, Any]], Array]:
        if self.model_.texts:
            raise OptionError(
                f"{type(self).__name__}.sample: the model has no distribution of the length of "
                f"texts, so column {self.model_.texts[0].name!r} cannot be sampled. Fit without "
                f"it, with tl.table(..., ignore=[{self.model_.texts[0].name!r}])."
            )
        rows, drawn = self.model_.sample(n, rng, self.schema_)
        return rows, drawn

    def _list_counted_columns(self, tally: Bundle) -> set[str]:
        moments = tally.get("numbers")
        found = set() if moments is None else {*map(str, moments.columns)}
        for part in (tally.get("categories"), tally.get("text")):
            found |= {*part.parts} if part is not None else set()
        return found

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_classes(tally["target"], self.model_.classes)
        halved = self.numbers == "bernoulli"
        kinds: dict[str, type] = {"categories": Bundle, "text": Bundle}
        check_parts(tally, kinds if halved else {**kinds, "numbers": Moments})
        counted = {*schema.categories, *(schema.numbers if halved else ())}
        check_tables(tally.get("categories"), counted)
        check_words(tally.get("text"), {column.name for column in schema.of_kind(TEXT)})
        if "numbers" in tally:
            tally["numbers"].check()
            check_columns("moments", tally["numbers"].columns, {*schema.numbers})

    def _add_tags(self, tags: Any) -> None:
        tags.classifier_tags.poor_score = self.numbers == "bernoulli"

    def _check_combinations(self) -> None:
        if self.m is not None and self.alpha != 1.0:
            raise OptionError(
                f"m={self.m} and alpha={self.alpha} smooth the same counts. Pass one of them."
            )
        if self.m is None and not self._uniform:
            raise OptionError("p= needs m=, as in NaiveBayes(m=2, p={...}). Set m, or leave p out.")

    @property
    def _uniform(self) -> bool:
        return isinstance(self.p, str) and self.p == "uniform"

    def _pseudocount(self, name: str, counts: Counts) -> float | dict[str, float]:
        """What is added to the counts of a column's values."""
        if self.m is None:
            return float(self.alpha)
        if self._uniform:
            return float(self.m) / max(1, len(counts.keys[1]))
        given = self.p.get(name) if isinstance(self.p, Mapping) else None
        if not isinstance(given, Mapping) or not shares(given.values()):
            raise OptionError(
                f"p has {short_repr(given)} for column {name!r}. Pass p='uniform', or for every "
                "column the probabilities of its values, which sum to 1."
            )
        return {value: float(self.m) * share for value, share in given.items()}

    @property
    def _reader(self) -> Reader:
        return Reader(*self.ngram_range, self.tokenizer)

    def _words(self, block: Block, name: str) -> Bundle:
        bags = self._reader.bags(block.text[name], name, block.start)
        with error_context(f"column {name!r}"):
            return words(bags, block.target, block.weight, block.weight_kind)

    def _texts(self, tally: Bundle, priors: Priors) -> Iterable[Texts]:
        stop = frozenset(() if self.stop_words is None else self.stop_words)
        chosen = Vocabulary(self.min_df, self.max_df, stop, self.max_features)
        for name, part in tally["text"].parts.items():
            if "terms" not in part:  # documents without a word
                continue
            text = Texts.of(
                name,
                part,
                classes=priors.classes,
                model=self.text_model,
                vocabulary=chosen,
                reader=self._reader,
            )
            if text.terms:
                yield text.smooth(self._compute_word_pseudocount(text))

    def _compute_word_pseudocount(self, text: Texts) -> float:
        if self.m is None:
            return float(self.alpha)
        if isinstance(self.p, Mapping) and text.name in self.p:
            raise OptionError(
                f"p names the text column {text.name!r}, whose words all have the same prior. "
                "Leave it out of p."
            )
        return float(self.m) / (2 if text.model == BERNOULLI else len(text.terms))

    def _text(self, column: str | None) -> Texts:
        """The column of text that a call means."""
        self._check_fitted()
        found: dict[str, Texts] = {text.name: text for text in self.model_.texts}
        if column is None and len(found) == 1:
            return next(iter(found.values()))
        if not isinstance(column, str) or column not in found:
            given = "" if column is None else f", not {short_repr(column)}"
            raise OptionError(
                f"{type(self).__name__}: the text columns are {quoted_list(found) or 'none'}. "
                f"Name one with column={given}."
            )
        return found[column]
