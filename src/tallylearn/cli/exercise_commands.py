"""``tally exercise``: list, show, new and grade, for teachers and students."""

from __future__ import annotations

from pathlib import Path

import click

from tallylearn.cli import notices, output_files, shared_options

EXAMPLES = """\b
Examples:
  tally exercise list
  tally exercise show information-gain --seed 7 --solution
  tally exercise new entropy,gini --students roster.csv -o sheets/
  tally exercise grade sheets/*.csv -o grades.csv
"""
LIST = """\b
Examples:
  tally exercise list
  tally exercise list --json
"""
SHOW = """\b
Examples:
  tally exercise show information-gain --seed 7
  tally exercise show information-gain --seed 7 --solution
  tally exercise show information-gain:7:1          # the code on a sheet
"""
NEW = """\b
Examples:
  tally exercise new entropy --seed 7 -o week-1/
  tally exercise new entropy,gini --students roster.csv -o sheets/
  tally exercise new naive-bayes -o quiz/ --format moodle,nbgrader
"""
GRADE = """\b
Examples:
  tally exercise grade sheets/*.csv
  tally exercise grade sheets/*.csv -o grades.csv
"""


@click.group(epilog=EXAMPLES)
def exercise() -> None:
    """Exercises with solutions: print them, write sheets, grade answers."""


@exercise.command("list", cls=shared_options.TallyCommand, epilog=LIST)
@shared_options.as_json
def list_kinds(as_json: bool) -> None:
    """List the kinds of exercises."""
    from tallylearn.exercises.catalogue import KINDS

    if as_json:
        output_files.echo_json([{"kind": k.name, "title": k.title} for k in KINDS.values()])
        return
    width = max(map(len, KINDS)) + 2
    for kind in KINDS.values():
        output_files.echo(f"{kind.name:<{width}}{kind.title}")


@exercise.command("show", cls=shared_options.TallyCommand, epilog=SHOW)
@click.argument("kind")
@shared_options.option("--seed", type=int, default=0, help="Another seed gives other numbers.")
@shared_options.option("--solution", is_flag=True, help="Print the solution after the question.")
@shared_options.as_json
def show_exercise(kind: str, seed: int, solution: bool, as_json: bool) -> None:
    """Print an exercise of a KIND, or the one of a sheet's code."""
    from tallylearn.exercises import exercise as make_exercise

    made = make_exercise(kind, seed)
    if as_json:
        key = {"key": made.key(), "solution": made.solution.to_dict()} if solution else {}
        output_files.echo_json(made.to_dict() | key)
        return
    output_files.echo(made)
    if solution:
        output_files.echo(f"\n{made.solution}")


@exercise.command("new", cls=shared_options.TallyCommand, epilog=NEW)
@click.argument("kinds", metavar="KIND[,KIND]")
@shared_options.option(
    "--seed", type=int, default=0, help="Another seed gives other exercises, or other variants."
)
@shared_options.option(
    "--students", type=click.Path(path_type=Path), metavar="FILE",
    help="CSV file with a column student, id, name, login or email: a variant for each.",
)  # fmt: skip
@shared_options.option(
    "--format", "formats", default="html,md", metavar="A,B",
    help="Forms of a sheet: html, md, moodle, nbgrader. Default: html,md.",
)  # fmt: skip
@shared_options.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FOLDER", required=True,
    help="The folder to write. Keys go into its folder keys.",
)  # fmt: skip
@shared_options.option("--force", is_flag=True, help="Overwrite existing files.")
def new_sheets(
    kinds: str, seed: int, students: Path | None, formats: str, output: Path, force: bool
) -> None:
    """Write sheets, answer forms and keys: one variant for each student."""
    from tallylearn.exercises import write_sheets

    written = write_sheets(
        shared_options.split_row(kinds),
        students,
        output,
        seed=seed,
        formats=shared_options.split_row(formats),
        force=force,
    )
    forms = [path for path in written if path.parent == output and path.suffix == ".csv"]
    sheets = f"{len(forms):,} {'sheet' if len(forms) == 1 else 'sheets'}"
    output_files.echo(f"{sheets} in {output}, keys in {output / 'keys'}")
    output_files.echo(f"to grade the filled forms: tally exercise grade {output}/*.csv")


@exercise.command("grade", cls=shared_options.TallyCommand, epilog=GRADE)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared_options.output(what="The table to write: .csv, .html, .json, .md or .txt.")
@shared_options.as_json
def grade_forms(files: tuple[str, ...], output: Path | None, force: bool, as_json: bool) -> None:
    """Grade filled answer forms: score, first error and mistake of every exercise."""
    from tallylearn.exercises import grade_answers
    from tallylearn.runtime.atomic_write import write_whole

    as_csv = output is not None and output.suffix.lower() == ".csv"
    (output_files.check_place if as_csv else output_files.check_report)(output, files, force)
    grades = grade_answers(shared_options.find_paths(files))
    if output is not None:
        if as_csv:
            write_whole(output, grades.to_csv().encode())
        else:
            grades.save(output.resolve())
        notices.note(f"wrote {output}.")
    output_files.echo_json(grades.to_dict()) if as_json else output_files.echo(grades)
