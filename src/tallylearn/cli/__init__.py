"""The ``tally`` command: check, describe, learn, predict, explain, evaluate, exercise ..."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import IO, Any

import click

from tallylearn import __version__
from tallylearn.cli.check_command import check
from tallylearn.cli.compare_command import compare
from tallylearn.cli.describe_command import describe
from tallylearn.cli.diff_command import diff
from tallylearn.cli.evaluate_command import evaluate
from tallylearn.cli.exercise_commands import exercise
from tallylearn.cli.explain_command import explain
from tallylearn.cli.export_command import export
from tallylearn.cli.learn_command import learn
from tallylearn.cli.model_commands import example, forget, merge, show
from tallylearn.cli.piped_input import restore_names
from tallylearn.cli.plot_command import plot
from tallylearn.cli.predict_command import predict
from tallylearn.cli.report_command import report
from tallylearn.cli.steps_command import steps
from tallylearn.cli.tree_commands import prune, rules
from tallylearn.cli.tune_command import tune

__all__ = ["main"]

EXAMPLES = """\b
Examples:
  tally example loans > loans.csv
  tally learn loans.csv --target denied
  tally evaluate loans.csv --target denied --model logistic
  tally predict loans.tally loans.csv --proba
  tally explain loans.tally loans.csv --rows 2-4

\b
Exit codes:
  0    success
  1    an error, or a decision that `tally check` asks for; no partial output
  2    wrong use of the command: see --help
  130  interrupted

TALLY_DEBUG=1 prints the traceback of an error.
"""
INTERRUPTED = 130  # as in a shell: 128 plus the number of the signal


class CommandError(click.ClickException):
    """An error as a user of the command sees it."""

    def show(self, file: IO[Any] | None = None) -> None:
        from tallylearn.cli import notices

        notices.write(self.message)


class TallyGroup(click.Group):
    """The group of commands; each error becomes one sentence on standard error."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.commands)  # as they were added, not by name

    def invoke(self, context: click.Context) -> Any:
        from tallylearn.cli import notices

        try:
            result = super().invoke(context)
            notices.close()
            return result
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None
        except click.exceptions.Exit:
            notices.close()
            raise
        except click.ClickException as error:
            from tallylearn.cli.terminal_text import visible

            if isinstance(error, click.NoSuchOption) and error.possibilities and error.ctx:
                listed = _option_names(error.ctx.command) or ()  # without older names
                vars(error)["possibilities"] = [n for n in error.possibilities if n in listed]
            vars(error)["message"] = visible(restore_names(error.message))
            raise
        except click.Abort:
            raise
        except Exception as error:
            if os.environ.get("TALLY_DEBUG") or getattr(error, "errno", None) == errno.EPIPE:
                raise
            command = self.get_command(context, context.invoked_subcommand or "")
            raise CommandError(restore_names(describe_error(error, command))) from None


def describe_error(error: Exception, command: click.Command | None = None) -> str:
    """One line for an error of tallylearn, of the system, or of a bug."""
    from tallylearn.cli.terminal_text import sentence
    from tallylearn.errors import TallyError

    if isinstance(error, TallyError):
        return sentence(error, _option_names(command))
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file'}: {error.strerror}."
    if isinstance(error, MemoryError):
        return "there is not enough memory. Use fewer columns, or a smaller model."
    what = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return f"{what}. This is a bug: please report it, with the output of TALLY_DEBUG=1."


def _option_names(command: click.Command | None) -> frozenset[str] | None:
    if command is None:
        return None
    return frozenset(name for one in command.params for name in (*one.opts, *one.secondary_opts))


@click.group(
    cls=TallyGroup, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="tally")
def main() -> None:
    """Machine learning for tables that shows its work."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without · must not fail
            stream.reconfigure(errors="backslashreplace")


for command in (  # in the order of the work, which --help keeps
    check,
    describe,
    learn,
    explain,
    evaluate,
    compare,
    tune,
    predict,
    report,
    plot,
    rules,
    prune,
    diff,
    export,
    merge,
    forget,
    show,
    example,
    steps,
    exercise,
):
    main.add_command(command)
