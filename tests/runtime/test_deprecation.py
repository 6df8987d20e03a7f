"""Deprecated names of options work, and warn with the new name."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tallylearn.errors import OptionError
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.options import option
from tallylearn.runtime.deprecation import warn_deprecated


class Renamed(Estimator):
    renamed: ClassVar[Mapping[str, str]] = {"rate": "learning_rate"}
    learning_rate: float = option(default=0.1, low=0.0, doc="The step.")


class Inherits(Renamed):
    steps: int = option(default=3, low=1, doc="How many.")


def test_a_deprecated_name_warns_with_the_new_one_at_the_callers_line() -> None:
    with pytest.warns(DeprecationWarning, match=r"old is deprecated.*Use new\.") as caught:
        warn_deprecated("old", "new")
    assert Path(caught[0].filename) == Path(__file__)


@pytest.mark.parametrize("kind", [Renamed, Inherits])
def test_an_option_is_taken_by_its_deprecated_name(kind: Any) -> None:
    with pytest.warns(DeprecationWarning, match=f"{kind.__name__}: rate.*learning_rate") as caught:
        made = kind(rate=0.5)
    assert Path(caught[0].filename) == Path(__file__)
    assert made.get_params()["learning_rate"] == 0.5
    with pytest.warns(DeprecationWarning, match="learning_rate"):
        assert made.set_params(rate=0.25).learning_rate == 0.25
    with pytest.warns(DeprecationWarning, match="learning_rate"):
        assert made.rate == 0.25
    with pytest.warns(DeprecationWarning, match="learning_rate"):
        made.rate = 0.75
    assert made.learning_rate == 0.75


@pytest.mark.parametrize("kind", [Renamed, Inherits])
def test_the_signature_shows_the_new_name_only(kind: Any) -> None:
    assert "rate" not in inspect.signature(kind).parameters
    assert "rate" not in kind().get_params()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kind(learning_rate=0.5).learning_rate == 0.5
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed'"):
        kind(speed=1)


@pytest.mark.parametrize("kind", [Renamed, Inherits])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_both_names_at_once_are_refused(kind: Any) -> None:
    with pytest.raises(OptionError, match="learning_rate is given twice"):
        kind(rate=0.5, learning_rate=0.3)
    with pytest.raises(OptionError, match="learning_rate is given twice"):
        kind().set_params(rate=0.5, learning_rate=0.3)
