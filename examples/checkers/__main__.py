"""``python examples/checkers``: the folder is run, and then found as a package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from checkers.commands import program

program(prog_name="checkers")
