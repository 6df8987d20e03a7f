"""The formulas of logistic regression: what the odds are, and which loss the weights make least."""

from __future__ import annotations

from tallylearn.workings import Formula

METHODS = {
    "newton-cholesky": "Newton's method",
    "newton-cg": "Newton-CG",
    "working-set": "Newton's method on the nonzero coefficients",
    "lbfgs": "L-BFGS",
}
TWO = Formula(
    "ln P(c2 | x) / P(c1 | x) = w0 + Σ w_i x_i,  P(c2 | x) = 1 / (1 + exp(-(w0 + Σ w_i x_i)))",
    r"\ln \frac{P(c_2 \mid x)}{P(c_1 \mid x)} = w_0 + \sum_i w_i x_i",
)
SEVERAL = Formula(
    "a_c = w_c0 + Σ w_ci x_i,  P(c | x) = exp(a_c) / Σ_d exp(a_d)",
    r"P(c \mid x) = \frac{e^{a_c}}{\sum_d e^{a_d}},\; a_c = w_{c0} + \sum_i w_{ci} x_i",
)
LOSSES = {
    "cross-entropy": Formula(
        "J = -1/n Σ ln P(class of the row | x)", r"J = -\frac1n \sum_j \ln P(y_j \mid x_j)"
    ),
    "squared": Formula(
        "L = ½ Σ (y - h)²,  h = P(c2 | x);  dL/dw_i = -Σ (y - h) h (1 - h) x_i",
        r"L = \tfrac12 \sum_j (y_j - h_j)^2,\; \frac{\partial L}{\partial w_i} = "
        r"-\sum_j (y_j - h_j) h_j (1 - h_j) x_{ji}",
    ),
}

PENALISED = {
    "cross-entropy": Formula(
        "J = -1/n Σ ln P(class of the row | x) + 1/(C n) (½ (1 - r) Σ w² + r Σ |w|)",
        r"J = -\frac1n \sum_j \ln P(y_j \mid x_j) + \frac{1}{Cn}\left(\frac{1-r}{2}\|w\|_2^2 + "
        r"r\|w\|_1\right)",
    ),
    "squared": Formula(
        "L = ½ Σ (y - h)² + 1/(2 C) Σ w²,  h = P(c2 | x);  "
        "dL/dw_i = -Σ (y - h) h (1 - h) x_i + w_i / C, w0 without the penalty",
        r"L = \tfrac12 \sum_j (y_j - h_j)^2 + \frac{1}{2C}\|w\|_2^2,\; "
        r"\frac{\partial L}{\partial w_i} = -\sum_j (y_j - h_j) h_j (1 - h_j) x_{ji} + "
        r"\frac{w_i}{C}",
    ),
}


def odds_formula(two: bool, intercept: bool) -> Formula:
    """What the odds are, without a constant where there is none."""
    found = TWO if two else SEVERAL
    if intercept:
        return found
    text, latex = found.text, found.latex
    for constant in ("w0 + ", "w_c0 + ", "w_0 + ", "w_{c0} + "):
        text, latex = text.replace(constant, ""), latex.replace(constant, "")
    return Formula(text.replace("-(Σ w_i x_i)", "-Σ w_i x_i"), latex)


def loss_formula(name: str, penalised: bool) -> Formula:
    """What was made least, with the penalty where there is one."""
    return (PENALISED if penalised else LOSSES)[name]
