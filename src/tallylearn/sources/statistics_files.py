"""Files of statistics programs: SAS, Stata and SPSS, with the labels of their values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ENDINGS = (".sas7bdat", ".xpt", ".dta", ".sav", ".zsav", ".por")


def signed(start: bytes) -> bool:
    return False


class StatisticsFile:
    def __init__(self, path: Path) -> None:
        self.path = path

    names: Any = ()
    start: Any = 1

    def tables(self, columns: Any) -> Any: ...
