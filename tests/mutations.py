"""Mutations: a test suite is worth what it notices. Run by hand, not by pytest.

    python -m tests.mutations 'src/tallylearn/reasoning/*.py' --tests 'tests/reasoning/test_*.py'

Draws places in the sources by lot, changes one comparison, sign, number or truth value at a time in
a copy of the package, and runs the tests against the copy. A change that no test notices survives:
it wants a test, or a reason.
"""

from __future__ import annotations

import argparse
import ast
import glob
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from multiprocessing import get_context
from pathlib import Path
from queue import Queue
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "tallylearn"
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip


# Guards against slips of the programmer: zip(strict=True) and frozen dataclasses change no result.
GUARDS = frozenset({"strict", "frozen", "repr", "compare", "stacklevel"})
LIBRARIES = ("numpy", "pandas", "pyarrow", "scipy.special", "hypothesis", "pytest")


class Mutation(NamedTuple):
    """One place of one file, and how it reads before and after."""

    path: Path
    number: int  # of the places of this file
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.before}  →  {self.after}"


def places(tree: ast.AST) -> Iterator[ast.AST]:
    """What can be changed, in the order of the file; annotations and texts are left alone."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        if changed(node) is not None:
            yield node
        skipped = {getattr(node, "annotation", None), getattr(node, "returns", None)}
        kept = [child for child in ast.iter_child_nodes(node) if child not in skipped]
        left += [child for child in kept if getattr(child, "arg", "") not in GUARDS][::-1]


def changed(node: ast.AST) -> ast.AST | None:
    """Another node in its place; None where there is nothing to change."""
    new = deepcopy(node)
    if isinstance(new, ast.Compare) and type(new.ops[0]) in COMPARED:
        new.ops[0] = COMPARED[type(new.ops[0])]()
    elif isinstance(new, ast.BinOp) and type(new.op) in CALCULATED and not _typed(new):
        new.op = CALCULATED[type(new.op)]()
    elif isinstance(new, ast.BoolOp):
        new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.Not):
        return new.operand
    elif isinstance(new, ast.Constant) and type(new.value) in (bool, int, float):
        new.value = not new.value if isinstance(new.value, bool) else new.value + 1
    else:
        return None
    return new


def _typed(node: ast.BinOp) -> bool:
    """Unions of types, and texts that are put together, are no arithmetic."""
    sides = [
        side for side in ast.walk(node) if isinstance(side, ast.Name | ast.Constant | ast.JoinedStr)
    ]
    names = {side.id for side in sides if isinstance(side, ast.Name)}
    kinds = {"int", "float", "str", "bytes", "bool", "tuple", "list", "Fraction", "Decimal", "None"}
    texts = any(
        isinstance(s, ast.JoinedStr) or isinstance(getattr(s, "value", 0), str) for s in sides
    )
    return texts or (isinstance(node.op, ast.BitOr) and bool(names & kinds))


def found(pattern: Sequence[str]) -> list[Path]:
    return sorted({ROOT / path for part in pattern for path in glob.glob(part, root_dir=ROOT)})


def mutations(paths: Sequence[Path]) -> list[Mutation]:
    """Every change of every file."""
    every = []
    for path in paths:
        for number, node in enumerate(places(ast.parse(path.read_text()))):
            after = changed(node)
            assert after is not None
            line = getattr(node, "lineno", 0)
            every.append(Mutation(path, number, line, ast.unparse(node), ast.unparse(after)))
    return every


def mutated(mutation: Mutation, source: str) -> str:
    """The file with its one change."""
    tree = ast.parse(source)
    chosen = [*places(tree)][mutation.number]

    class Exchange(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return changed(node) or node if node is chosen else self.generic_visit(node)

    return ast.unparse(ast.fix_missing_locations(Exchange().visit(tree)))


def tested(copy: Path, tests: Sequence[str]) -> None:
    """Run the tests on the copy, in a process of its own; its exit code is what they say."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    os.chdir(ROOT)
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(copy))
    import pytest

    quiet = ["-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore:Module already imported"]
    os._exit(int(pytest.main(["-x", "-q", *quiet, *tests])))


def passes(copy: Path, tests: Sequence[str], seconds: float) -> bool:
    """Whether all tests pass on a copy; one that never ends does not."""
    process = get_context("fork").Process(target=tested, args=(copy, tests))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode == 0


def survives(mutation: Mutation, copy: Path, tests: Sequence[str], seconds: float) -> bool:
    """Whether all tests pass on the copy with this change."""
    target = copy / mutation.path.relative_to(SOURCE.parent)
    source = target.read_text()
    target.write_text(mutated(mutation, source))
    # The test file of the same name is the likeliest to notice.
    first = sorted(tests, key=lambda test: mutation.path.stem not in test)
    alive = passes(copy, first, seconds)
    target.write_text(source)
    return alive


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sources", nargs="+", help="globs of the files to change")
    parser.add_argument(
        "--tests", nargs="+", required=True, help="globs of the tests that should notice"
    )
    parser.add_argument("--count", type=int, default=100, help="changes, drawn by lot")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds a change")
    given = parser.parse_args()
    every, tests = mutations(found(given.sources)), [str(path) for path in found(given.tests)]
    drawn = random.Random(given.seed).sample(every, min(given.count, len(every)))
    with tempfile.TemporaryDirectory() as folder:
        copies: Queue[Path] = Queue()
        for number in range(given.workers):
            whole = Path(folder) / str(number)
            shutil.copytree(SOURCE, whole / SOURCE.name, ignore=shutil.ignore_patterns("*.c"))
            copies.put(whole)
        for library in LIBRARIES:  # once, and not in every process
            __import__(library)

        if not passes(whole, tests, given.timeout):
            sys.exit("The tests fail on the sources as they are: nothing can be learned from that.")

        def run(mutation: Mutation) -> bool:
            copy = copies.get()
            try:
                alive = survives(mutation, copy, tests, given.timeout)
            finally:
                copies.put(copy)
            print(f"{'SURVIVED' if alive else 'noticed '}  {mutation}", flush=True)
            return alive

        with ThreadPoolExecutor(given.workers) as pool:
            alive = sum(pool.map(run, drawn))
    print(f"{len(drawn) - alive} of {len(drawn)} changes were noticed ({len(every)} are possible).")


if __name__ == "__main__":
    main()
