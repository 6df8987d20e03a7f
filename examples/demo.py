"""Naive Bayes on the tennis table: the model, its score, and the working of one prediction."""

from __future__ import annotations

from typing import Any

import tallylearn as tl
from tallylearn.intervals import wilson


def left_out(model: Any, table: Any) -> int:
    """Rows predicted right by a model that forgot each first, and learned it again after."""
    right = 0
    for at in range(len(table)):
        row = table[at]
        model.forget(row)
        right += model.score(row) == 1
        model.partial_fit(row)
    return right


def scored(name: str, model: Any, table: Any) -> str:
    """The share of rows that are right when left out, with its interval."""
    right, n = left_out(model, table), len(table)
    low, high = wilson(right, n)
    share = f"{right:>2} of {n} right  {right / n:.1%}"
    return f"{name:<14} {share}  95 % interval {low:.1%} to {high:.1%}"


def main() -> None:
    """Learn, score, explain."""
    tennis = tl.example("tennis")
    model = tl.NaiveBayes(alpha=0).fit(tennis)
    day = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}

    print(f"tennis: {len(tennis)} days, and whether tennis was played. What naive Bayes counts:\n")
    print(model.show_work())
    print("\nHow good is it? Each day is forgotten, predicted, and learned again:\n")
    print(scored("naive Bayes", model, tennis))
    print(scored("majority class", tl.DummyClassifier().fit(tennis), tennis))
    print("\nFourteen days are few: the intervals are wide, and neither is shown to be better.")
    print(f"\nWhat about a new day, {', '.join(day.values())}? Prior times factors, normalised:\n")
    print(model.explain(day))


if __name__ == "__main__":
    main()
