"""``python -m tallylearn`` is the ``tally`` command."""

from tallylearn.cli import main

if __name__ == "__main__":
    main(prog_name="tally")
