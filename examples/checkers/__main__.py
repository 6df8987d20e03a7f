"""``python examples/checkers``: a folder is run, and then found as the package that it is."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from examples.checkers.commands import program

program(prog_name="checkers")
