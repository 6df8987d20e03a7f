"""The tables of a model report: provenance, groups, and rows with the largest errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tallylearn.evaluation.learn.learn_report import headline_of, leaderboard_grid, notes_of
from tallylearn.reporting.formatting import format_number
from tallylearn.workings import Grid, Sentence

Found = Mapping[str, Any]


def provenance_rows(found: Found) -> list[tuple[str, str]]:
    """The facts of the provenance, a row each."""
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    rows = [
        ("learner", found["learner"]),
        ("target", found["target"]),
        ("table", f"{found['table']}, {found['rows']:,} rows scored"),
        ("scored by", found["scored"]),
        ("written", found["created"]),
        ("versions", versions),
        ("model digest", found["digest"]),
        ("tally digest", found["tally_digest"]),
    ]
    return [(name, str(value)) for name, value in rows if value]


def choice_steps(found: Found) -> list[Any]:
    """The pick of ``tl.learn``, its leaderboard, and the price of a simpler model."""
    choice = found.get("choice")
    if not choice:
        return []
    board = leaderboard_grid(choice, len(choice["rows"]))
    texts = [choice["tradeoff"], *notes_of({**choice, "cautions": []})]  # they are above
    return [Sentence(headline_of(choice)), board, *map(Sentence, texts)]


def groups_grid(found: Found) -> Grid:
    """The groups side by side."""
    head = (str(found["by"]), "rows", f"predicted {found['positive']}", "accuracy",
            "true positive rate", "false positive rate")  # fmt: skip
    rates = ("called", "accuracy", "true_positive_rate", "false_positive_rate")
    rows = tuple(
        ("missing" if row["group"] is None else str(row["group"]), f"{row['rows']:,}",
         *(_rate_text(row[name]) for name in rates))
        for row in found["rows"]
    )  # fmt: skip
    return Grid(f"Groups of {found['by']}", head, rows)


def _rate_text(rate: Found | None) -> str:
    if rate is None:
        return ""
    return f"{rate['value']:.3f} [{rate['low']:.3f}, {rate['high']:.3f}]"


def mistakes_grid(found: Sequence[Found]) -> Grid:
    """The rows with the largest errors."""
    shown = found and all("values" in one for one in found)
    head = ("row", "true", "predicted", "error", *(("values",) if shown else ()))
    rows = tuple(
        (str(one["row"]), _cell(one["truth"]), _cell(one["predicted"]), _loss(one),
         *((_values(one),) if shown else ()))
        for one in found
    )  # fmt: skip
    return Grid("Rows with the largest errors", head, rows)


def _cell(value: Any) -> str:
    return format_number(value) if isinstance(value, float) else str(value)


def _loss(found: Found) -> str:
    """One minus the probability of the true class, or the distance from the true number."""
    return f"{found['loss']:.3f}" if isinstance(found["truth"], str) else _cell(found["loss"])


def _values(found: Found) -> str:
    return ", ".join(f"{name} = {_cell(value)}" for name, value in found["values"].items())
