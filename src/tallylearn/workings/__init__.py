"""Explanations of predictions and derivations of models, as data."""

from tallylearn.reporting.formatting import format_number, latex_text
from tallylearn.workings.derivations import Derivation, Formula, Grid, Sentence
from tallylearn.workings.equations import equation
from tallylearn.workings.evidence import Evidence, Explanation
from tallylearn.workings.terms import EvidenceLine, Term

__all__ = [
    "Derivation",
    "Evidence",
    "EvidenceLine",
    "Explanation",
    "Formula",
    "Grid",
    "Sentence",
    "Term",
    "equation",
    "format_number",
    "latex_text",
]
