"""``python -m tallylearn.checkers``."""

from tallylearn.checkers.commands import program

program(prog_name="checkers")
