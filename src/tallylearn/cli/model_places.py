"""Where ``tally learn`` saves: beside each other in the working folder, under a free name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import click

from tallylearn.cli import output_files, piped_input

MODEL, PAGE = ".tally", ".html"
PACKED = {".gz", ".bz2", ".xz", ".zst", ".zip"}
UNNAMED = "model"  # of standard input, and of files whose names have no common beginning


@dataclass(frozen=True)
class ModelPlaces:
    """The model file and the page of a fit; None where nothing is saved."""

    model: Path | None
    page: Path | None = None

    @classmethod
    def of(
        cls,
        files: Sequence[str],
        output: Path | None,
        save: bool,
        force: bool,
        inputs: Iterable[str | Path] = (),
        page: bool = True,
    ) -> ModelPlaces:
        """The places that -o, --no-save and the names of the files ask for, checked.

        Without -o they are in the working folder: loans.tally and loans.html, and loans-2.tally
        where one of them exists and --force is not given.
        """
        if not save:
            if output is not None:
                raise click.UsageError("-o and --no-save exclude each other. Give one.")
            return cls(None)
        if output is None:
            output = _free_name(stem(files), force, page)
        elif page and output.suffix == PAGE:
            raise click.UsageError(
                f"-o {output} is the name of a page. Name the model file, such as "
                f"{output.with_suffix(MODEL)}."
            )
        found = cls(output, output.with_suffix(PAGE) if page else None)
        for place in (found.model, found.page):
            if place is not None:
                output_files.check_place(place, [*inputs, *files], force)
        return found

    def pairs(self) -> list[tuple[str, str]]:
        """The files that are written, each after a word."""
        named = {"saved": self.model, "page": self.page}
        return [(word, str(place)) for word, place in named.items() if place is not None]

    def to_dict(self) -> dict[str, str | None]:
        """The same as plain data."""
        return {"saved": None, "page": None} | dict(self.pairs())


def _free_name(name: str, force: bool, page: bool) -> Path:
    endings = (MODEL, PAGE) if page else (MODEL,)
    number, tried = 1, name
    while not force and any(Path(tried + ending).exists() for ending in endings):
        number += 1
        tried = f"{name}-{number}"
    return Path(tried + MODEL)


def stem(files: Sequence[str]) -> str:
    """The name that files share, without their endings.

    >>> stem(["data/loans.csv.gz"]), stem(["sales-2023.csv", "sales-2024.csv"]), stem(["-"])
    ('loans', 'sales', 'model')
    >>> stem(["sales-*.parquet"]), stem(["v1.2.csv"])
    ('sales', 'v1.2')
    """
    names = [_name(file) for file in files]
    shared = names[0] if len({*names}) == 1 else _shared_start(names).rstrip("0123456789")
    return shared.strip(" -_.") or UNNAMED


def _shared_start(names: Sequence[str]) -> str:
    columns = takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in columns)


def _name(file: str) -> str:
    """The name of one file without its ending; of a glob the part before the first mark."""
    path = Path(file.partition("?")[0] if "://" in file else file)
    if file in piped_input.STDIN or (path.exists() and not path.is_file()):
        return ""
    whole = path.name
    starts = [whole.find(mark) for mark in "*?[" if mark in whole]
    if starts and not path.is_file():
        return whole[: min(starts)].rstrip("0123456789")
    inner = path.with_suffix("") if path.suffix.lower() in PACKED else path
    return inner.stem or whole
