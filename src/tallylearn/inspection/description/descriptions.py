"""Descriptions: one pass over a table for its columns, one for what goes together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from tallylearn.errors import (
    CellError,
    ColumnError,
    KindError,
    OptionError,
    did_you_mean,
    error_context,
    quoted_list,
    short_repr,
)
from tallylearn.inspection.description.associations import Associations, Matrices
from tallylearn.inspection.description.described_columns import Described, describe_column
from tallylearn.inspection.description.described_sources import opened_with_target
from tallylearn.inspection.description.description_html import html_of
from tallylearn.inspection.description.description_text import sheet_of
from tallylearn.inspection.description.surveys import TableSurvey, survey_table
from tallylearn.inspection.description.table_changes import Changes, Side, compare_tables
from tallylearn.inspection.description.target_classes import TargetClasses
from tallylearn.inspection.description.target_links import links as linked
from tallylearn.reporting.formatting import plain_data
from tallylearn.reporting.report import ReportLayout, TableReport
from tallylearn.screening.identifiers import read_before
from tallylearn.sources import DeclaredTable
from tallylearn.tables import Array

FLAT = ("count", "missing", "distinct", "distinct_exact", "infinite", "mean", "median", "variance",
        "variance_n", "sd", "min", "q1", "q3", "max", "range", "quantile_error")  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class Description(TableReport):
    """A table in numbers. ``found["column"]`` has the figures of one.

    ``matrices`` are arrays over ``names``: ``covariance`` (divided by n - 1), ``covariance_n``,
    ``pearson`` and ``spearman``, each over the rows that show both columns.
    """

    what: str
    rows: int
    weight: float
    columns: tuple[Described, ...]
    matrices: Matrices
    exact: bool  # medians, quartiles and ranks are
    target: str | None = None
    measured: bool = False
    links: Mapping[str, Any] = field(default_factory=dict)
    identifiers: Mapping[str, str] = field(default_factory=dict)  # name: why it is one
    worth: float | None = None  # rows of equal weight that are as precise: those of importance

    @classmethod
    def of(
        cls, what: str, survey: TableSurvey, columns: tuple[Described, ...], matrices: Matrices,
        classes: TargetClasses | None, links: Mapping[str, Any] | None,
    ) -> Description:  # fmt: skip
        binned = any(column.is_binned for column in survey.numbers.values())
        target = None if classes is None else classes.target
        measured = classes is not None and classes.measured
        return cls(
            what=what,
            rows=survey.rows,
            weight=survey.weight,
            columns=columns,
            matrices=matrices,
            exact=not binned,
            target=target,
            measured=measured,
            links=links or {},
            worth=survey.weighing.worth,
        )

    def __getitem__(self, name: str) -> dict[str, Any]:
        for column in self.columns:
            if column.name == name:
                return {"kind": column.kind, **column.figures, **self.links.get(name, {})}
        hint = did_you_mean(name, self) or f" It has {quoted_list(self)}."
        raise ColumnError(f"the table has no column {name!r}.{hint}")

    def __iter__(self) -> Iterator[str]:
        return (column.name for column in self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the matrices: numbers and dates."""
        return self.matrices.names

    @property
    def covariance(self) -> Array:
        """(p, p) the covariances of ``names``, divided by n - 1."""
        return self.matrices.covariance

    @property
    def covariance_n(self) -> Array:
        """(p, p) the covariances of ``names``, divided by n."""
        return self.matrices.covariance_n

    @property
    def pearson(self) -> Array:
        """(p, p) Pearson's correlations of ``names``."""
        return self.matrices.pearson

    @property
    def spearman(self) -> Array:
        """(p, p) Spearman's rank correlations of ``names``."""
        return self.matrices.spearman

    def compare(self, other: Any) -> Changes:
        """Test what changed from this table to another.

        For every column of both tables, the distributions are compared (Kolmogorov-Smirnov test for
        numbers, chi-squared test for categories), and the shares of missing values. All p-values
        are adjusted together, by Holm and by Benjamini and Hochberg.

        Parameters
        ----------
        other : table or Description
            The other table.

        Returns
        -------
        Changes
            The tests of every column.
        """
        with error_context("compare"):
            second = other if isinstance(other, Description) else describe(other)
            return compare_tables(self._side(), second._side())

    def _side(self) -> Side:
        precision = 1.0 if self.worth is None else self.worth / self.rows
        return Side(self.what, self.rows, self.weight, self.columns, precision)

    def records(self) -> list[dict[str, Any]]:
        """A row for every column; what a column does not have is None."""
        said = dict.fromkeys(name for link in self.links.values() for name in _flat(link))
        rows = []
        for column in self.columns:
            top = (column.figures.get("top") or [{}])[0]
            row: dict[str, Any] = {"column": column.name, "kind": column.kind}
            row |= {name: column.figures.get(name) for name in FLAT}
            row |= {"top": _text(top.get("value")), "top_count": top.get("count")}
            row |= {**said, **_flat(self.links.get(column.name, {}))}
            rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        columns = [{"name": c.name, "kind": c.kind, **c.figures} for c in self.columns]
        matrices = {
            "columns": self.names, "rows": self.matrices.rows, "covariance": self.covariance,
            "covariance_n": self.covariance_n, "pearson": self.pearson, "spearman": self.spearman,
        }  # fmt: skip
        found: dict[str, Any] = plain_data(
            {"what": self.what, "rows": self.rows, "weight": self.weight, "exact": self.exact,
             "columns": columns, "matrices": matrices, "target": self.target,
             "measured": self.measured, "links": self.links, "identifiers": self.identifiers,
             "worth": self.worth}
        )  # fmt: skip
        return found

    @staticmethod
    def _layout(found: dict[str, Any]) -> ReportLayout:
        return ReportLayout(sheet_of(found), draw=partial(html_of, found), data=found)


def describe(table: Any, target: str | None = None) -> Description:
    """Describe the columns of a table, their correlations, and their association with a target.

    Sums are exact and rounded once. A table in memory is described exactly. Large files are read
    twice, block by block, in little memory. Their medians and quartiles then come from a sketch
    with a relative error below 0.1 % (``quantile_error``; exact for a column of up to 100 000
    values), and the ranks of Spearman's correlation are those of its buckets. Weights are
    frequencies: 2 is the row twice. Importance weights sum to the number of rows.

    Parameters
    ----------
    table : table or array
        Anything that ``tl.table`` takes or returns.
    target : str, optional
        A column. Each other column then has its information gain, its AUC for each class, or its
        correlation with a numeric target, with 95 % intervals.

    Returns
    -------
    Description
        Statistics by column, and matrices of associations.

    Examples
    --------
    >>> found = describe({"x": [1, 2, 4, 9], "colour": ["red", "blue", None, "red"]})
    >>> found["x"]["mean"], found["x"]["median"], found["x"]["variance"], found["x"]["variance_n"]
    (4.0, 3.0, 12.666666666666666, 9.5)
    >>> found["colour"]["top"][0]
    {'value': 'red', 'count': 2.0}
    """
    with error_context("describe"):
        if target is not None and not isinstance(target, str):
            raise OptionError(
                f"target={short_repr(target)} is not the name of a column. Pass a str."
            )
        if isinstance(table, Description):
            raise KindError(
                "this is already a Description. To compare it with a table: "
                "description.compare(table)."
            )
        source, declared = opened_with_target(table, target)
        return _describe(source, target or declared)


def _describe(source: DeclaredTable, target: str | None) -> Description:
    while True:
        try:
            return _describe_once(source, target)
        except CellError as odd:
            source = source.reinfer(odd)


def _describe_once(source: DeclaredTable, target: str | None) -> Description:
    survey = survey_table(source)
    classes = None if target is None else TargetClasses.of_survey(survey, target)
    pairs = Associations(survey, classes)
    matrices = pairs.matrices(source)
    found = None if classes is None else linked(pairs, matrices, classes)
    columns = tuple(describe_column(survey, column) for column in survey.schema.columns)
    whole = Description.of(
        source.title, survey, columns=columns, matrices=matrices, classes=classes, links=found
    )
    apart = read_before(source, survey.block, survey.different)
    return replace(whole, identifiers={name: apart[name] for name in apart if name != target})


def _flat(link: Mapping[str, Any]) -> dict[str, float | None]:
    """What a column says of the target, each figure with its interval.

    >>> _flat({"auc": {"yes": {"value": 0.8, "low": 0.7, "high": 0.9}}})
    {'auc_yes': 0.8, 'auc_yes_low': 0.7, 'auc_yes_high': 0.9}
    """
    one = {name: link[name] for name in ("gain", "pearson", "spearman") if name in link}
    one |= {f"auc_{name}": found for name, found in link.get("auc", {}).items()}
    return {
        name if key == "value" else f"{name}_{key}": figure
        for name, of in one.items()
        for key, figure in of.items()
    }


def _text(value: Any) -> str | None:
    return None if value is None else f"{value:.15g}" if isinstance(value, float) else str(value)
