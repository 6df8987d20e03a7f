"""Control-C ends long work soon: threads obey a flag, and kernels return from time to time."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn import engines
from tallylearn.kernels.trees import record as records
from tallylearn.models.forests import forest_grower
from tallylearn.models.glm import gradient_descent, lms
from tallylearn.models.glm.solvers import coordinate_descent
from tallylearn.models.trees.growing import grower
from tallylearn.runtime import worker_pool
from tallylearn.tallies import centred_sums, products

RNG = np.random.default_rng(0)
X, NUMBERS = RNG.normal(size=(400, 5)), RNG.normal(size=400)
CLASSES = (2 * X[:, 0] + X[:, 1] + X[:, 2] > 0).astype(int)
TREES: dict[str, Callable[[], Any]] = {
    "gini": lambda: tl.DecisionTreeClassifier().fit(X, CLASSES),
    "C4.5": lambda: tl.C45().fit(X, CLASSES),
    "absolute error": lambda: tl.DecisionTreeRegressor(criterion="absolute_error").fit(X, NUMBERS),
    "model tree": lambda: tl.M5().fit(X, NUMBERS),
    "forest": lambda: tl.RandomForestClassifier(3, random_state=0).fit(X, CLASSES),
}


@pytest.fixture
def pausing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Growers that pause after every node."""
    plain = records.Record

    def record(*given: Any) -> Any:
        made = plain(*given)
        made.cells_per_pause = 0
        return made

    monkeypatch.setattr(records, "Record", record)


@pytest.mark.parametrize("name", TREES)
def test_a_tree_that_is_grown_with_pauses_is_the_same(
    name: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    pauses, before = list[int](), TREES[name]().predict(X)
    request.getfixturevalue("pausing")
    monkeypatch.setattr(grower, "check_halted", lambda: pauses.append(1))
    assert (TREES[name]().predict(X) == before).all()
    assert len(pauses) > 5


@pytest.mark.usefixtures("pausing")
@pytest.mark.parametrize("name", TREES)
def test_an_interrupt_between_two_nodes_ends_a_fit(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(grower, "check_halted", interrupt)
    with pytest.raises(KeyboardInterrupt):
        TREES[name]()


def test_an_interrupt_ends_what_blocks_have_begun() -> None:
    begun, ended = threading.Event(), list[int]()

    def item(at: int) -> None:
        begun.set()
        threading.Event().wait(0.01)
        ended.append(at)

    def block(number: list[int]) -> int:
        if number[0]:
            engines.map_threads(item, range(400))
        return 0

    with tl.engine(threads=2) as engine:
        results = engine.map(block, engines.SinglePart([[0], [1], [1]]))
        next(results)
        begun.wait()
        with pytest.raises(KeyboardInterrupt):
            results.throw(KeyboardInterrupt)  # type: ignore[attr-defined]
    assert len(ended) < 400


def test_an_error_stops_the_items_after_it_and_not_those_before_it() -> None:
    begun, failed = threading.Barrier(3, timeout=30), threading.Event()

    def item(number: int) -> None:
        begun.wait()
        if number == 1:
            failed.set()
            raise ValueError(number)
        failed.wait()
        for _ in range(3000):  # until it is told to stop, or, of the first, for a while
            worker_pool.check_halted()
            threading.Event().wait(0.001 if number else 0.0)
        raise ValueError(number)

    with tl.engine(threads=3), pytest.raises(ValueError, match="0"):
        engines.map_threads(item, range(3))


def test_a_flag_stops_what_its_children_do() -> None:
    parent = worker_pool.StopFlag()
    child = worker_pool.StopFlag(worker_pool.StopFlag(parent))
    assert not child.is_set()
    parent.set()
    assert child.is_set()
    with pytest.raises(KeyboardInterrupt):
        worker_pool.with_flag(child).run(worker_pool.check_halted)
    worker_pool.check_halted()


def test_a_lasso_that_is_cut_into_short_calls_has_the_same_coefficients(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    near = X @ RNG.normal(size=(5, 8)) + 1e-3 * RNG.normal(size=(400, 8))
    alphas = np.geomspace(1, 1e-4, 20)
    path = tl.Lasso(alphas=alphas, alpha="cv", tol=1e-10, max_iter=10**6)
    whole, calls = path.fit(near, NUMBERS).coef_, list[int]()
    monkeypatch.setattr(coordinate_descent, "PRODUCTS_PER_CALL", 1)
    monkeypatch.setattr(coordinate_descent, "check_halted", lambda: calls.append(1))
    assert np.allclose(path.fit(near, NUMBERS).coef_, whole, rtol=1e-6, atol=1e-9)
    assert len(calls) >= len(alphas)


@pytest.mark.parametrize(("module", "exact"), [(centred_sums, False), (products, True)])
def test_an_interrupt_between_two_products_of_a_block_ends_a_linear_regression(
    module: Any, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = list[int]()

    def interrupt() -> None:
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(centred_sums, "FEWEST", 50)
    monkeypatch.setattr(centred_sums, "ROWS", 50)
    monkeypatch.setattr(module, "check_halted", interrupt)
    with tl.engine(threads=1), pytest.raises(KeyboardInterrupt):
        tl.LinearRegression(exact=exact, solver="cholesky").fit(X, NUMBERS)
    assert len(calls) == 3


@pytest.mark.parametrize("order", ["table", "random"])
def test_an_interrupt_between_two_steps_ends_least_mean_squares(
    order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit() -> Any:
        return tl.LMS(1e-3, steps=1000, order=order, random_state=0).fit(X, NUMBERS)

    before, pauses = fit(), list[int]()
    monkeypatch.setattr(lms, "KERNEL_STEPS", 7)
    monkeypatch.setattr(gradient_descent, "check_halted", lambda: pauses.append(1))
    after = fit()
    assert (after.coef_ == before.coef_).all()
    assert (after.trace_ == before.trace_).all()
    assert len(pauses) == 143

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(gradient_descent, "check_halted", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fit()


def test_an_interrupt_between_two_columns_of_a_large_node_ends_a_forest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng, calls = np.random.default_rng(0), list[int]()

    def interrupted() -> None:
        calls.append(1)
        if len(calls) == 5:  # once before the tree, then before every column of its root
            raise KeyboardInterrupt

    monkeypatch.setattr(forest_grower, "check_halted", interrupted)
    rows, y = rng.normal(size=(70_000, 8)), rng.normal(size=70_000)
    with tl.engine(threads=1), pytest.raises(KeyboardInterrupt):
        tl.ExtraTreesRegressor(1).fit(rows, y)
    assert len(calls) == 5


INTERRUPTED_AT_EVERY_LOCK = """
import signal, threading
import tallylearn as tl
from tallylearn import engines
from tallylearn.sources.files.csv.chunks import run_ahead

enter, main, acquired, at = threading.Condition.__enter__, threading.get_ident(), 0, 0

def interrupted(self):
    global acquired
    entered = enter(self)
    if threading.get_ident() == main:
        acquired += 1
        if acquired == at:
            signal.raise_signal(signal.SIGINT)  # the lock is held, and no with statement knows it
    return entered

def wait(number):
    threading.Event().wait(0.001)
    return number

class Block(list):
    pass

blocks = [Block([number]) for number in range(6)]
whole = engines.SinglePart(blocks)
parts = [engines.SinglePart(blocks[:3]), engines.SinglePart(blocks[3:])]

class Two:
    def parts(self):
        return iter(parts)

WORK = {
    "map_threads": lambda: engines.map_threads(wait, range(6)),
    "map": lambda: list(engines.current_engine().map(len, whole)),
    "total": lambda: engines.current_engine().total(len, whole),
    "two parts": lambda: engines.current_engine().total(len, Two()),
    "run_ahead": lambda: list(run_ahead(wait, range(9), 2)),
}
threading.Condition.__enter__ = interrupted
for name, work in WORK.items():
    interrupts = 0
    for at in range(1, 200):
        acquired = 0
        try:
            with tl.engine(threads=2):
                work()
        except KeyboardInterrupt:
            interrupts += 1
        else:
            if acquired < at:
                break  # the work needs fewer locks than this
    print(name, interrupts, flush=True)
"""


def test_control_c_between_two_instructions_of_a_thread_pool_leaves_no_lock_behind() -> None:
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT_EVERY_LOCK],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    interrupts = dict(line.rsplit(" ", 1) for line in run.stdout.splitlines())
    assert list(interrupts) == ["map_threads", "map", "total", "two parts", "run_ahead"]
    assert all(int(number) > 1 for number in interrupts.values())


def test_control_c_is_delayed_to_the_end_of_a_block_and_a_second_one_is_not() -> None:
    stops, ended = list[int](), list[str]()

    def interrupt(times: int) -> None:
        with worker_pool.delay_interrupt(lambda: stops.append(times)):
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
            ended.append(f"after {times}")

    for times in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            interrupt(times)
    assert (stops, ended) == ([1, 2, 2], ["after 1"])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
