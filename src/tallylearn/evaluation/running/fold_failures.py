"""Failed folds: where an estimator could not be fitted or asked, and what it said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tallylearn.errors import InputError, TallyError, without_prefix
from tallylearn.estimators.estimator import Estimator
from tallylearn.evaluation.result import learner_text


@dataclass(frozen=True)
class Failure:
    """A fold on which an estimator failed."""

    repeat: int
    fold: int
    reason: str

    @classmethod
    def of(cls, error: Exception, repeat: int, fold: int) -> Failure:
        """With the error's own words; those of others begin with its class."""
        ours = isinstance(error, TallyError)
        return cls(
            repeat,
            fold,
            _one_line(error) if ours else f"{type(error).__name__}: {_one_line(error)}",
        )

    @property
    def where(self) -> str:
        return f"repeat {self.repeat}, fold {self.fold}" if self.repeat else f"fold {self.fold}"

    def rewrite(self, error: Exception, learner: Any, remedy: str) -> Exception:
        """The error, with who failed and where; one of ours in the place of others."""
        kind = who = type(learner).__name__
        if isinstance(learner, Estimator):  # a preset by its own name
            who = learner_text(learner).partition("(")[0]
        if isinstance(error, TallyError):
            error.args = (f"{who} on {self.where}: {without_prefix(_one_line(error), kind)}",)
            return error
        return InputError(f"{who} failed on {self.where}: {self.reason.rstrip('.')}.{remedy}")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
