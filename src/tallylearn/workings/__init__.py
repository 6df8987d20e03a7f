"""Explanations of predictions and derivations of models, as data."""

from tallylearn.reporting.formatting import format_number, latex_text
from tallylearn.workings.derivations import (
    Derivation,
    Equations,
    Formula,
    Grid,
    Heading,
    Listing,
    Sentence,
    Step,
)
from tallylearn.workings.equations import equation
from tallylearn.workings.evidence import Evidence, Explanation
from tallylearn.workings.terms import EvidenceLine, Term

__all__ = [
    "Derivation",
    "Equations",
    "Evidence",
    "EvidenceLine",
    "Explanation",
    "Formula",
    "Grid",
    "Heading",
    "Listing",
    "Sentence",
    "Step",
    "Term",
    "equation",
    "format_number",
    "latex_text",
]
