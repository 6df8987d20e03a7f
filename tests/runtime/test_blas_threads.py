"""BLAS is held to one thread where bits are kept, and let go as it was found."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits

from tallylearn.runtime import blas_threads


def numbers() -> set[int]:
    """Of the threads of every BLAS; scikit-learn may have loaded a second one."""
    return {library.number() for library in blas_threads._libraries()}


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


class Other:
    """A library that threadpoolctl alone knows how to ask; it obeys who controls it."""

    threads, free = 3, True

    def get_num_threads(self) -> int:
        return self.threads

    def set_num_threads(self, number: int) -> None:
        self.threads, self.free = (number if self.free else self.threads), False

    def clear_controlling_thread(self, force: bool) -> None:
        self.free = force


def test_a_library_without_functions_of_openblas_is_changed_by_threadpoolctl() -> None:
    other = Other()
    library = blas_threads._library(other)
    for number in (1, 3):
        library.change(number)
        assert library.number() == number
        assert other.free
    assert not library.openmp
