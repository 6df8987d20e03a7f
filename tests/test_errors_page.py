"""docs/errors.md lists every message of our error classes, from the source.

``make errors`` writes the list again. The introduction above the list is written by hand.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest

import tallylearn
from tallylearn import errors

SOURCE = Path(tallylearn.__file__).parent
PAGE = Path(__file__).parent.parent / "docs" / "errors.md"
MARK = "## All messages\n"
CLASSES = {
    name
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, errors.TallyError)
} | {"UsageError", "BadParameter"}  # Click's, for a command
SHOWN_AS_ARGUMENT = {"len", "quoted_list", "repr", "short_repr", "sorted", "str"}
SCOPES = (ast.ClassDef, ast.FunctionDef)


@dataclass(frozen=True)
class Message:
    """A message template, its class, and the function that creates it."""

    path: str  # below src/tallylearn
    scope: str
    kind: str
    text: str

    @property
    def folder(self) -> str:
        parts = self.path.split("/")[:-1]
        return "/".join(parts[: 2 if parts[:1] == ["models"] else 1]) or "tallylearn"

    def row(self) -> str:
        text = re.sub(r"([|*_<\[\]`\\])", r"\\\1", " ".join(self.text.split()))
        return f"| {text} | `{self.kind}` | `{self.path}`: `{self.scope}` |"


def placeholder(node: ast.expr) -> str:
    """The name of a value in a template: of a variable, an attribute or a function's argument."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return "type" if name == "__name__" else name.strip("_")
        case ast.Constant(value=value):
            return str(value)
        case ast.Subscript(value=value) | ast.Starred(value=value):
            return placeholder(value)
        case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in SHOWN_AS_ARGUMENT:
            return placeholder(first)
    return "…"


def template(node: ast.expr) -> str:
    """The text of a string expression, with its values in braces."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(map(template, parts))
        case ast.FormattedValue(value=value):
            return f"{{{placeholder(value)}}}"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return template(left) + template(right)
    return f"{{{placeholder(node)}}}"


def messages_in(tree: ast.AST, path: str, scope: str = "") -> Iterator[Message]:
    """The messages of our error classes in a syntax tree, in the order of the file."""
    for node in ast.iter_child_nodes(tree):
        inner = ".".join(filter(None, (scope, node.name))) if isinstance(node, SCOPES) else scope
        if isinstance(node, ast.Call) and node.args:
            called = node.func
            kind = getattr(called, "id", getattr(called, "attr", ""))
            if kind in CLASSES and re.search("[a-z]", re.sub(r"{.*?}", "", template(node.args[0]))):
                yield Message(path, scope or "module", kind, template(node.args[0]))
        yield from messages_in(node, path, inner)


def all_messages() -> list[Message]:
    """All messages of the package, by folder and file."""
    found = [
        message
        for path in sorted(SOURCE.rglob("*.py"))
        for message in messages_in(
            ast.parse(path.read_text("utf-8")), path.relative_to(SOURCE).as_posix()
        )
    ]
    return sorted(dict.fromkeys(found), key=lambda message: (message.folder, message.path))


def page() -> str:
    """The page: its introduction as it is, then the list."""
    introduction = PAGE.read_text("utf-8").split(MARK)[0]
    found = all_messages()
    parts = [introduction + MARK, f"There are {len(found):,} messages, by folder of the source.\n"]
    for folder, group in groupby(found, key=lambda message: message.folder):
        parts += [f"### {folder}\n", "| message | class | raised in |\n|---|---|---|"]
        parts += [*(message.row() for message in group), ""]
    return "\n".join(parts)


def test_the_page_lists_the_messages_of_the_source() -> None:
    assert PAGE.read_text("utf-8") == page(), "docs/errors.md is out of date: make errors"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("raise InputError('a is ' 'wrong.')", "a is wrong."),
        ("raise InputError(f'a is {short_repr(value, 60)}, not {n:,}.')", "a is {value}, not {n}."),
        ("return KindError(f'{type(x).__name__} is ' + 'wrong')", "{type} is wrong"),
        ("raise OptionError(f'one of {names[0]} and {a + b}.')", "one of {names} and {…}."),
        ("raise click.UsageError('take --set.')", "take --set."),
    ],
)
def test_a_template_names_its_values(source: str, text: str) -> None:
    tree = ast.parse(f"class A:\n def f(self):\n  {source}")
    assert [(found.text, found.scope) for found in messages_in(tree, "a.py")] == [(text, "A.f")]


def test_messages_without_words_and_of_other_classes_are_left_out() -> None:
    source = "InputError(text); InputError(f'{a}: {b}'); ValueError('a is wrong.')"
    assert [*messages_in(ast.parse(source), "a.py")] == []


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
