"""Threads: rows that several of them teach one estimator are all learned."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import sys
import threading
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, delayed

import tallylearn as tl
from tallylearn import engines, modelfile
from tallylearn.estimators.fit_lock import fit_lock
from tallylearn.runtime import cpu_count

THREADS, TIMES = 8, 25


def at_once(call: Any) -> None:
    """The call from several threads, which the interpreter changes as often as it can."""
    gate, failures = threading.Barrier(THREADS), []

    def work(at: int) -> None:
        gate.wait()
        try:
            for turn in range(TIMES):
                call(at * TIMES + turn)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(THREADS)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not failures


def rows(at: int) -> tuple[list[list[float]], list[str]]:
    return [[float(at)], [at + 0.5]], ["u", "v"]


@pytest.mark.parametrize("make", [tl.NaiveBayes, tl.NearestCentroid, tl.DummyClassifier])
def test_rows_taught_by_many_threads_are_all_learned_and_forgotten(make: Any) -> None:
    model = make()
    at_once(lambda at: model.partial_fit(*rows(at)))
    whole = make()
    for at in range(THREADS * TIMES):
        whole.partial_fit(*rows(at))
    assert modelfile.digests(model) == modelfile.digests(whole)
    model.partial_fit([[-1.0]], ["u"])
    at_once(lambda at: model.forget(*rows(at)))
    assert modelfile.digests(model) == modelfile.digests(make().partial_fit([[-1.0]], ["u"]))


def test_an_incremental_learner_takes_a_step_for_every_row() -> None:
    model = tl.LMS(1e-9)
    at_once(lambda at: model.partial_fit([[float(at)]], [1.0]))
    assert model.model_.steps == THREADS * TIMES


def test_a_thread_waits_for_its_turn() -> None:
    model, done = tl.NaiveBayes(), threading.Event()
    thread = threading.Thread(target=lambda: (model.fit(*rows(1)), done.set()))
    with fit_lock(model):
        thread.start()
        assert not done.wait(0.05)
    thread.join()
    assert done.is_set()


def test_an_estimator_that_is_being_taught_is_copied_without_its_lock() -> None:
    model = tl.NaiveBayes().fit(*rows(1))
    with fit_lock(model):
        for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            again.partial_fit(*rows(2))
            assert again.class_count_.tolist() == [2.0, 2.0]


def processors_there() -> int:
    return cpu_count.available_cpus()


def test_a_worker_of_joblib_or_a_daemon_works_on_one_thread() -> None:
    assert Parallel(n_jobs=2)(delayed(processors_there)() for _ in range(2)) == [1, 1]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(processors_there) == 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="a system without affinities")
def test_threads_are_as_many_as_processors_that_may_be_used() -> None:
    before = os.sched_getaffinity(0)
    assert cpu_count.available_cpus() == len(before)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert cpu_count.available_cpus() == engines.current_engine().n_threads == 1
    finally:
        os.sched_setaffinity(0, before)


def test_a_fork_in_the_middle_of_learning_can_learn() -> None:
    if not hasattr(os, "fork"):
        return
    model = tl.LinearDiscriminantAnalysis()
    X, y = np.arange(8.0).reshape(4, 2) ** 2, [0, 0, 1, 1]
    held, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with fit_lock(model):
            held.set()
            leave.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(10)
    child = os.fork()
    if child == 0:
        os._exit(0 if len(model.fit(X, y).predict(X)) == 4 else 1)
    leave.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
