"""Names in model files: classes, fields and options keep the name they were first stored under.

A class or field can be renamed in the code without changing the file format: its stored name goes
into these tables. A name that is not listed is stored as it is in the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# class name in the code -> class name in files
CLASSES: dict[str, str] = {
    "CrossValidationErrors": "CrossValidated",
    "Imputation": "Filling",
    "IntervalTransform": "Intervals",
    "NeighbourClassModel": "Voters",
    "NeighbourMeanModel": "Averaged",
    "OneHotTransform": "Indicating",
    "OrdinalTransform": "Coding",
    "RareValues": "Rare",
    "SolverOutcome": "Ending",
}

KEPT_ROWS = {"keep_rows": "record"}

# class name in the code -> field or option name in the code -> its name in files
FIELDS: dict[str, dict[str, str]] = {
    "Forest": {"node_values": "told"},
    "DecisionTreeClassifier": KEPT_ROWS,
    "DecisionTreeRegressor": KEPT_ROWS,
    "ModelTreeRegressor": KEPT_ROWS,
    "RandomForestClassifier": KEPT_ROWS,
    "RandomForestRegressor": KEPT_ROWS,
    "ExtraTreesClassifier": KEPT_ROWS,
    "ExtraTreesRegressor": KEPT_ROWS,
    "LMS": {"learning_rate": "rate"},
    "LogisticRegression": {"learning_rate": "rate", "coef_init": "initial"},
    "Perceptron": {"coef_init": "initial"},
    "IntervalTransform": {"labelled": "named"},
}


def stored_class(name: str) -> str:
    """The name that files use for a class."""
    return CLASSES.get(name, name)


def stored_field(owner: str, name: str) -> str:
    """The name that files use for a field, or an option, of the class ``owner``."""
    return FIELDS.get(owner, {}).get(name, name)


def code_fields(owner: str, stored: Mapping[str, Any]) -> dict[str, Any]:
    """The stored fields, or options, of the class ``owner``, by their names in the code."""
    in_code = {old: new for new, old in FIELDS.get(owner, {}).items()}
    fields = {in_code.get(name, name): value for name, value in stored.items()}
    if len(fields) != len(stored):
        raise ValueError(f"{owner} has a field under two names")
    return fields
