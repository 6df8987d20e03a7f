"""Write ``loans.csv``: 600 simulated loan applications, with cells as people write them.

    python examples/make_loans.py > src/tallylearn/notes/loans.csv

The probability of denial is logistic in the logarithm of amount over income, the debt ratio, late
payments and the kind of employment. Nothing in the table is about real persons.
"""

from __future__ import annotations

import csv
import sys
from datetime import date, timedelta

import numpy as np

N_ROWS = 600
EMPLOYMENT = {"employed": 0.0, "self-employed": 0.5, "retired": -0.4, "unemployed": 1.6}
SHARES = (0.62, 0.18, 0.12, 0.08)
PURPOSES = ("car", "home", "education", "business", "other")
NAMES = (
    "loan_id",
    "applied",
    "amount",
    "income",
    "employment",
    "years_employed",
    "debt_ratio",
    "late_payments",
    "purpose",
    "denied",
)


def main() -> None:
    """Draw the applications and print them as CSV."""
    rng = np.random.default_rng(2024)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(NAMES)
    for number in range(N_ROWS):
        employment = rng.choice([*EMPLOYMENT], p=SHARES)
        income = float(np.exp(rng.normal(10.7, 0.45)))
        if employment == "unemployed":
            income *= 0.45
        amount = float(np.exp(rng.normal(9.4, 0.7)))
        years = float(rng.gamma(2.0, 3.5)) if employment != "unemployed" else 0.0
        debt = float(rng.beta(2.2, 4.0))
        late = int(rng.poisson(0.7))
        purpose = rng.choice(PURPOSES, p=(0.3, 0.25, 0.15, 0.1, 0.2))
        log_odds = (
            0.6
            + 1.5 * np.log(amount / income)
            + 5.0 * (debt - 0.35)
            + 0.9 * late
            + EMPLOYMENT[employment]
            - 0.05 * years
        )
        denied = rng.random() < 1 / (1 + np.exp(-log_odds))
        applied = date(2024, 1, 2) + timedelta(days=int(number * 360 / N_ROWS))
        row = [
            f"L-{10_000 + 7 * number}",
            applied.isoformat(),
            f"${round(amount, -2):,.0f}",
            f"${round(income, -2):,.0f}" if rng.random() > 0.06 else "",
            employment,
            f"{years:.1f}" if rng.random() > 0.04 else "",
            f"{100 * debt:.1f} %",
            late,
            purpose,
            "yes" if denied else "no",
        ]
        writer.writerow(row)


if __name__ == "__main__":
    main()
