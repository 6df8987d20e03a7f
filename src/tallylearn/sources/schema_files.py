"""A schema file says once how a table is read: TOML, written by ``check`` and edited by hand.

target = "late"
missing = [-999]

[kinds]
price = "$1,234.5"
sold = "%d.%m.%Y"
zip = "category"
id = "ignore"

[dialect]
delimiter = ";"
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tallylearn.errors import FileError, OptionError, quoted_list, short_repr

ENTRIES = ("target", "weight", "importance", "groups", "missing", "kinds", "categories", "dates",
           "dialect")  # fmt: skip
TABLES = ("kinds", "categories", "dates", "dialect")


def schema_in(schema: Any) -> dict[str, Any]:
    """The options of ``tl.table`` that a schema holds: a path of a TOML file, or a dict."""
    where = "schema"
    if isinstance(schema, str | Path):
        where, schema = str(schema), _parse(Path(schema))
    if not isinstance(schema, Mapping):
        raise OptionError(
            f"schema={short_repr(schema)} is not a path or a dict. Pass the path of a TOML "
            "file, or the dict of tl.check(...).schema."
        )
    if odd := [name for name in schema if name not in ENTRIES]:
        raise OptionError(
            f"{where}: {short_repr(odd[0])} is not an entry of a schema. The entries are "
            f"{quoted_list(ENTRIES, 9)}."
        )
    for name in TABLES:
        if not isinstance(schema.get(name, {}), Mapping):
            raise OptionError(
                f"{where}: [{name}] is {short_repr(schema[name])}, and not a table. Write one "
                "line for each column."
            )
    return dict(schema)


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(
            f"{path} cannot be read: {error.strerror or error}. Check the path."
        ) from None
    except ValueError as error:  # no TOML, or no UTF-8
        raise FileError(
            f"{path} is not a TOML file: {error}. `tally check FILE --schema {path}` writes "
            "one if the file does not exist."
        ) from None


def toml_of(schema: Mapping[str, Any], heading: str = "") -> str:
    r"""A schema as TOML.

    >>> print(toml_of({"target": "late", "kinds": {"a b": "number", "day": "%d.%m.%Y"}}))
    target = "late"
    <BLANKLINE>
    [kinds]
    "a b" = "number"
    day = "%d.%m.%Y"
    <BLANKLINE>
    """
    lines = [f"# {line}" for line in heading.splitlines()]
    lines += [f"{_key(name)} = {_value(one)}" for name, one in schema.items() if name not in TABLES]
    for name in TABLES:
        if schema.get(name):
            pairs = schema[name].items()
            lines += ["", f"[{name}]", *(f"{_key(key)} = {_value(one)}" for key, one in pairs)]
    return "\n".join(lines).strip("\n") + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
