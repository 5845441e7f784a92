"""Worlds: threads, Python's lock, processes that fork."""

import gc
import os
import signal
import threading
import time

import numpy as np
import pytest

import sectile


def test_python_runs_while_ranks_work(world):
    """Another thread notes the time, also in the middle of a product."""
    a = world.from_numpy(np.ones((1500, 1500)))
    times, done = [], threading.Event()

    def note():
        while not done.wait(0.001):
            times.append(time.perf_counter())

    noting = threading.Thread(target=note)
    noting.start()
    start = time.perf_counter()
    sectile.matmul(a, a, layout="row")
    end = time.perf_counter()
    done.set()
    noting.join()
    quarter = (end - start) / 4
    assert any(start + quarter < each < end - quarter for each in times)


def test_threads_take_turns(world):
    x = np.arange(36.0).reshape(6, 6)
    wrong = []

    def multiply():
        a = world.from_numpy(x, "2d")
        for _ in range(50):
            if ((a @ a).to_numpy() != x @ x).any():
                wrong.append(1)

    threads = [threading.Thread(target=multiply) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def threads_of_process():
    return len(os.listdir("/proc/self/task"))


def test_threads_end():
    gc.collect()
    before = threads_of_process()
    world = sectile.run(5)
    a = world.array((3, 3))
    assert threads_of_process() == before + 4
    world.close()
    del world
    gc.collect()
    assert threads_of_process() == before + 4  # a still needs them
    del a
    gc.collect()
    assert threads_of_process() == before


def test_memory_is_freed(world):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def use():
        a = world.array((2000, 2000))
        a[:] = np.zeros((2000, 2000))

    use()
    before = resident()
    for _ in range(8):
        use()
    assert resident() - before < 3 * 32e6


def test_forked_child_is_refused(world):
    """The child has no threads that would work, or free a matrix."""
    a = world.array((1000, 1000))
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        code = 2
        try:
            a.to_numpy()
        except sectile.BadArgumentError as problem:
            code = 0 if "another process" in str(problem) else 1
        del a
        gc.collect()
        os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def test_blas_threads():
    if sectile.blas_threads() == 0:
        pytest.skip("the BLAS is not OpenBLAS")
    before = sectile.blas_threads()
    with sectile.run(1, blas_threads=2):
        assert sectile.blas_threads() == 2
    sectile.set_blas_threads(before)
    with pytest.raises(ValueError):
        sectile.set_blas_threads(0)
