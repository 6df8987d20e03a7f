"""BLAS is held to one thread where bits are kept, and let go as it was found."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from tallylearn.runtime import blas_threads


def numbers() -> set[int]:
    """Of the threads of every BLAS; scikit-learn may have loaded a second one."""
    found = ThreadpoolController().select(user_api="blas")
    return {one.get_num_threads() for one in found.lib_controllers}


@pytest.fixture(autouse=True)
def three() -> Iterator[None]:
    with threadpool_limits(3, "blas"):
        yield


def test_blas_is_held_and_let_go() -> None:
    assert numbers() == {3}
    with blas_threads.one_thread():
        with blas_threads.one_thread():
            assert numbers() == {1}
        assert numbers() == {1}
    assert numbers() == {3}


def test_an_error_lets_blas_go() -> None:
    with pytest.raises(RuntimeError), blas_threads.one_thread():
        raise RuntimeError
    assert numbers() == {3}


def test_threads_that_come_and_go_in_turn_leave_blas_as_it_was() -> None:
    inside, leave = threading.Event(), threading.Event()
    seen: list[set[int]] = []

    def first() -> None:
        with blas_threads.one_thread():
            inside.set()
            leave.wait(10)
        seen.append(numbers())

    thread = threading.Thread(target=first)
    thread.start()
    inside.wait(10)
    with blas_threads.one_thread():  # the other goes before this one does
        leave.set()
        thread.join()
        assert numbers() == {1}
    assert seen == [{1}]
    assert numbers() == {3}


def test_many_threads_leave_blas_as_it_was() -> None:
    wrong: list[set[int]] = []

    def work() -> None:
        for _ in range(200):
            with blas_threads.one_thread():
                if numbers() != {1}:
                    wrong.append(numbers())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert numbers() == {3}


def test_a_library_that_is_loaded_later_is_held_too() -> None:
    program = """
from tallylearn.runtime import blas_threads as blas
with blas.one_thread():
    pass
import scipy.linalg
from threadpoolctl import threadpool_info
with blas.one_thread():
    print({one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"})
"""
    called = [sys.executable, "-c", program]
    there = {**os.environ, "OPENBLAS_NUM_THREADS": "3"}
    done = subprocess.run(called, env=there, capture_output=True, text=True, check=True)
    assert done.stdout == "{1}\n"


class Controller:
    """A controller of threadpoolctl 3.8: only the first thread that sets a limit is obeyed."""

    threading_layer = ""

    def __init__(self, threads: int = 3) -> None:
        self.threads = threads
        self.controlling: threading.Thread | None = threading.Thread()

    def get_num_threads(self) -> int:
        return self.threads

    def set_num_threads(self, number: int) -> None:
        self.controlling = self.controlling or threading.current_thread()
        if self.controlling is threading.current_thread():
            self.threads = number

    def clear_controlling_thread(self, force: bool) -> None:
        self.controlling = None


def test_a_limit_is_set_though_another_thread_controls_openblas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    controller = Controller()
    found = blas_threads._libraries_of([controller])
    monkeypatch.setattr(blas_threads, "_find_libraries", lambda scipy: found)
    with blas_threads.one_thread():
        assert controller.threads == 1
        assert controller.controlling is None
    assert controller.threads == 3
    assert controller.controlling is None


def test_every_thread_sets_the_limit_of_openmp_which_has_one_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits = threading.local()

    class OpenMP:
        threading_layer = "openmp"

        def get_num_threads(self) -> int:
            return getattr(limits, "number", 3)

        def set_num_threads(self, number: int) -> None:
            limits.number = number

    found, seen = blas_threads._libraries_of([OpenMP()]), list[int]()
    monkeypatch.setattr(blas_threads, "_find_libraries", lambda scipy: found)

    def work() -> None:
        with blas_threads.one_thread():
            seen.append(OpenMP().get_num_threads())
        seen.append(OpenMP().get_num_threads())

    with blas_threads.one_thread():
        other = threading.Thread(target=work)
        other.start()
        other.join()
        assert OpenMP().get_num_threads() == 1
    assert seen == [1, 3]
    assert OpenMP().get_num_threads() == 3
