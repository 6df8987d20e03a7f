"""The working: why a prediction came out so, and how a model came out of the counts."""

from tallylearn.reporting.formatting import latex_text, short
from tallylearn.workings.derivations import Derivation, Formula, Grid, Sentence
from tallylearn.workings.equations import equation
from tallylearn.workings.evidence import Evidence, Explanation
from tallylearn.workings.terms import Line, Term

__all__ = [
    "Derivation",
    "Evidence",
    "Explanation",
    "Formula",
    "Grid",
    "Line",
    "Sentence",
    "Term",
    "equation",
    "latex_text",
    "short",
]
