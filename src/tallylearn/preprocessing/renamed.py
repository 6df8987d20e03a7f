"""Old names of preprocessors, which make the new ones with the old defaults, for one release.

The old public names resolve to these functions with a DeprecationWarning. Model files that name
them are read through them too.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

from tallylearn.preprocessing.discretizer import KBinsDiscretizer
from tallylearn.preprocessing.encoders import OneHotEncoder, OrdinalEncoder
from tallylearn.preprocessing.imputer import SimpleImputer


def Imputer(  # noqa: N802  an old class
    numbers: str = "mean", *, categories: str = "mode", learners: Any = None
) -> SimpleImputer:
    """A ``SimpleImputer`` from the options of the old ``Imputer``."""
    return SimpleImputer(
        strategy="most_frequent" if numbers == "mode" else numbers,
        category_strategy="most_frequent" if categories == "mode" else categories,
        learners=learners,
    )


def Indicator(  # noqa: N802  an old class
    *, drop: str | None = None, unseen: str = "error"
) -> OneHotEncoder:
    """A ``OneHotEncoder`` from the options of the old ``Indicator``."""
    return OneHotEncoder(
        drop=drop,
        sparse_output=False,
        handle_unknown="ignore" if unseen == "gap" else unseen,
        feature_name_combiner="equals",
        columns="category",
        missing="ignore",
    )


def LabelCoder(*, unseen: str = "error") -> OrdinalEncoder:  # noqa: N802  an old class
    """An ``OrdinalEncoder`` from the option of the old ``LabelCoder``."""
    return OrdinalEncoder(
        handle_unknown="use_encoded_value" if unseen == "gap" else unseen,
        unknown_value=nan if unseen == "gap" else None,
        columns="category",
        missing="ignore",
    )


def Discretizer(  # noqa: N802  an old class
    bins: int = 5, *, strategy: str = "width", labels: str = "interval"
) -> KBinsDiscretizer:
    """A ``KBinsDiscretizer`` from the options of the old ``Discretizer``."""
    return KBinsDiscretizer(
        bins,
        encode="ordinal" if labels == "code" else labels,
        strategy={"width": "uniform", "frequency": "quantile"}.get(strategy, strategy),
        quantile_method="linear",
    )


OLD_CONSTRUCTORS: dict[str, Callable[..., Any]] = {
    "Discretizer": Discretizer,
    "Imputer": Imputer,
    "Indicator": Indicator,
    "LabelCoder": LabelCoder,
}
