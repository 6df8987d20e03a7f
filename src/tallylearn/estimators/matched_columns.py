"""Match the columns of new rows with the fitted ones, by name or by place."""

from __future__ import annotations

import warnings
from dataclasses import replace

from tallylearn.errors import ColumnError, quoted_list
from tallylearn.sources.columns.schema_matching import missing_columns_error
from tallylearn.sources.memory.frames import Frame
from tallylearn.tables import Schema


def match_columns(frame: Frame, schema: Schema, by_name: bool, who: str) -> Frame:
    """The frame with the fitted columns: by name, or by place as in scikit-learn."""
    expected = _raw_names(schema)
    if frame.named == schema.named and frame.names == expected:
        return frame
    if frame.named and (by_name or schema.identifiers):  # only fit(table, name) finds identifiers
        wanted = [name for name in expected if name not in schema.identifiers]
        if missing := [name for name in wanted if name not in frame.names]:
            raise missing_columns_error(missing, frame.names)
        return frame
    if not schema.named and {*frame.names} == {*expected}:
        return frame  # x0, x1, ... in any order: rows of sample()
    if frame.named and schema.named:
        raise _other_names(frame.names, expected)
    if (given := len(frame.names)) != len(expected):
        raise ColumnError(
            f"the table has {given} column{'s' * (given != 1)}, and the model was fitted to "
            f"{len(expected)}: {quoted_list(expected)}. Pass the same columns in the same order. "
            f"X has {given} features, but {who} is expecting {len(expected)} features as input."
        )
    if frame.named != schema.named and not by_name:
        _warn_of_names(frame.named, who)
    return replace(frame, names=expected)


def _raw_names(schema: Schema) -> tuple[str, ...]:
    """The columns before dates were taken apart."""
    if not schema.parts:
        return schema.names
    apart = {f"{name}.{part}": name for name, parts in schema.parts for part in parts}
    return tuple(dict.fromkeys(apart.get(name, name) for name in schema.names))


def _warn_of_names(named: bool, who: str) -> None:
    message = (
        f"X has feature names, but {who} was fitted without feature names"
        if named
        else f"X does not have valid feature names, but {who} was fitted with feature names"
    )
    warnings.warn(message, UserWarning, stacklevel=6)


def _other_names(names: tuple[str, ...], expected: tuple[str, ...]) -> ColumnError:
    """Which names differ and what to do, then scikit-learn's sentences."""
    unseen, missing = sorted({*names} - {*expected}), sorted({*expected} - {*names})
    if missing:
        said = f"{missing_columns_error(missing, names)} "
    elif unseen:
        said = (
            f"the model was not fitted to {quoted_list(unseen)}. Leave such columns out with "
            "X[model.feature_names_in_]. "
        )
    else:
        said = (
            "the columns are in another order than in fit. Reorder them with "
            "X[model.feature_names_in_]. "
        )
    said += "The feature names should match those that were passed during fit.\n"
    for title, group in (
        ("unseen at fit time", unseen),
        ("seen at fit time, yet now missing", missing),
    ):
        if group:
            said += f"Feature names {title}:\n" + "".join(f"- {name}\n" for name in group[:5])
            said += "- ...\n" if len(group) > 5 else ""
    if not unseen and not missing:
        said += "Feature names must be in the same order as they were in fit.\n"
    return ColumnError(said)
