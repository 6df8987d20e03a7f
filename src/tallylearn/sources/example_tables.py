"""Example tables that are installed with the package: those of the course notes, and loans."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from tallylearn.errors import OptionError, did_you_mean, quoted_list, short_repr
from tallylearn.sources.declarations import declaration
from tallylearn.sources.files.table import Files
from tallylearn.sources.memory.table import Table

TARGETS = {
    "tennis": "PlayTennis",
    "tennis-day": "PlayTennis",
    "computer": "Buy_Computer",
    "restaurant": "WillWait",
    "organs": "Price",
    "loans": "denied",
}


def example(name: str, keep: Sequence[str] = ()) -> Table:
    """Load an example table into memory, with its target declared.

    Parameters
    ----------
    name : str
        "tennis", "tennis-day", "computer", "restaurant" or "organs", the tables of the course
        notes; or "loans", 600 simulated loan applications with cells as people write them.
    keep : sequence of str, optional
        Identifiers to use as columns, as in ``tl.table``.

    Returns
    -------
    Table
        The table.

    Examples
    --------
    >>> example("tennis")
    Table(14 rows: Outlook (category), Temperature (category), Humidity (category), Wind (category),
    target PlayTennis)
    """
    import pyarrow as pa

    path = resources.files("tallylearn") / "notes" / f"{_check_name(name)}.csv"
    with resources.as_file(path) as file:
        files = Files([file], declaration(target=TARGETS[name]))
        data = pa.concat_tables(files.typed_tables())
    return Table.of(data, declaration(target=TARGETS[name], keep=keep))


def text_of(name: str) -> str:
    """The table as it is shipped: CSV."""
    path = resources.files("tallylearn") / "notes" / f"{_check_name(name)}.csv"
    return path.read_text(encoding="utf-8")


def _check_name(name: str) -> str:
    if not isinstance(name, str) or name not in TARGETS:
        hint = did_you_mean(name, TARGETS) or f" The examples are {quoted_list(TARGETS)}."
        raise OptionError(f"there is no example table {short_repr(name)}.{hint}")
    return name
