"""The ``tally`` command: tables in, models, predictions and their working out."""

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
from tallylearn.cli.evaluate_command import evaluate
from tallylearn.cli.explain_command import explain
from tallylearn.cli.learn_command import learn
from tallylearn.cli.model_commands import example, forget, merge, show
from tallylearn.cli.piped_input import named
from tallylearn.cli.predict_command import predict

__all__ = ["main"]

EXAMPLES = """\b
Examples:
  tally example tennis > tennis.csv
  tally learn tennis.csv --target PlayTennis --model bayes --alpha 0 -o t.tally
  tally explain t.tally --row Sunny,Cool,High,Strong
  tally predict t.tally tennis.csv --proba
  tally evaluate tennis.csv --target PlayTennis --model bayes --cv loo

\b
Exit codes:
  0  fine
  1  an error: one sentence on standard error, and nothing half-written
  2  the command was not written as its --help says
  130  interrupted

TALLY_DEBUG=1 shows where in the code an error came up.
"""
INTERRUPTED = 130  # as a shell has it: 128 and the number of the signal


class Failure(click.ClickException):
    """An error as a user of the command sees it."""

    def show(self, file: IO[Any] | None = None) -> None:
        from tallylearn.cli.output_files import visible

        click.echo(visible(f"tally: {self.message}"), file=file, err=file is None)


class Tally(click.Group):
    """The commands; their errors are told in one sentence."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None
        except click.ClickException as error:
            from tallylearn.cli.output_files import visible

            vars(error)["message"] = visible(named(error.message))
            raise
        except (click.Abort, click.exceptions.Exit):
            raise
        except Exception as error:
            if os.environ.get("TALLY_DEBUG") or getattr(error, "errno", None) == errno.EPIPE:
                raise
            command = self.get_command(context, context.invoked_subcommand or "")
            raise Failure(named(told(error, command))) from None


def told(error: Exception, command: click.Command | None = None) -> str:
    """One sentence for an error of ours, of the system, or of nobody's expectation."""
    from tallylearn.cli.terminal_text import sentence
    from tallylearn.errors import TallyError

    if isinstance(error, TallyError):
        return sentence(error, _options(command))
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file'}: {error.strerror}."
    if isinstance(error, MemoryError):
        return "there is not enough memory."
    what = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return f"{what}. This was not expected: please report it, with what TALLY_DEBUG=1 shows."


def _options(command: click.Command | None) -> frozenset[str] | None:
    if command is None:
        return None
    return frozenset(name for one in command.params for name in (*one.opts, *one.secondary_opts))


@click.group(cls=Tally, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tally")
def main() -> None:
    """Classical machine learning on tables, with the working shown."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that has no · is no reason to fail
            stream.reconfigure(errors="backslashreplace")


for command in (
    check,
    describe,
    learn,
    predict,
    explain,
    evaluate,
    compare,
    merge,
    forget,
    show,
    example,
):
    main.add_command(command)
