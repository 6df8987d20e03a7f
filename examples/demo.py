"""Logistic regression on loan applications, then the tennis example by hand."""

from __future__ import annotations

import tallylearn as tl


def main() -> None:
    """Fit, score and explain on two example tables."""
    loans = tl.example("loans")
    model = tl.LogisticRegression().fit(loans)
    print(f"1. loans: {len(loans)} simulated applications. Which ones are denied?\n")
    print("Logistic regression: coefficients of the log-odds that an application is denied\n")
    for row in model.summary().records():
        print(f"{row['column']:24} {row['log_odds']:10.4g}")
    print("\nScore on rows that the model has not seen (ten folds):\n")
    print(tl.evaluate(model, loans).headline)
    print("\nWhy is the fourth application predicted to be denied? Terms of the log-odds:\n")
    print(model.explain(loans[3:4]))

    tennis = tl.example("tennis")
    bayes = tl.NaiveBayes(alpha=0).fit(tennis)
    day = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    print("\n\n2. tennis: naive Bayes on 14 days, with the working\n")
    print(bayes.show_work())
    print(f"\nA new day, {', '.join(day.values())}: prior times factors, normalised\n")
    print(bayes.explain(day))


if __name__ == "__main__":
    main()
