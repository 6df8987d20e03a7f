"""Naive Bayes on the tennis table: the model, its score, and the working of one prediction."""

from __future__ import annotations

import tallylearn as tl


def main() -> None:
    """Learn, score, explain."""
    tennis = tl.example("tennis")
    model = tl.NaiveBayes(alpha=0).fit(tennis)
    day = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}

    print(f"tennis: {len(tennis)} days, and whether tennis was played. What naive Bayes counts:\n")
    print(model.show_work())
    print("\nHow good is it? Each day is predicted by a model that has not seen it:\n")
    print(tl.evaluate(model, tennis, cv="loo").headline)
    print("\nFourteen days are few: the interval is wide, and holds the majority's share too.")
    print(f"\nWhat about a new day, {', '.join(day.values())}? Prior times factors, normalised:\n")
    print(model.explain(day))


if __name__ == "__main__":
    main()
