"""An index beyond an end ends the process: a kernel that may not raise only reports its IndexError.

Python imports this file first, in every process whose PYTHONPATH has this folder: `make bounds`.
"""

import os
import sys
from typing import Any

STATUS = 86


def fatal(report: Any, usual: Any = sys.unraisablehook) -> None:
    """Show what could not be raised, as usual, and let nothing go on from an IndexError."""
    usual(report)
    if isinstance(report.exc_value, IndexError):
        sys.stderr.flush()
        os._exit(STATUS)


if __name__ == "sitecustomize":
    sys.unraisablehook = fatal
