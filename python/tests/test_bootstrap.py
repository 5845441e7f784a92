"""Worlds of which each caller is one rank. Here the ranks are threads of Python's."""

import gc
import sys
import threading

import numpy as np
import pytest
from conftest import LAYOUTS, integers

import sectile
from sectile._wrapped import describe


class Meeting:
    """An allgather between threads."""

    def __init__(self, ranks):
        self.barrier = threading.Barrier(ranks)
        self.offered = [b""] * ranks

    def of(self, rank):
        def allgather(mine):
            self.offered[rank] = mine
            self.barrier.wait(60)
            everyone = list(self.offered)
            self.barrier.wait(60)
            return everyone

        return allgather


def on_threads(ranks, rank_main):
    """Runs rank_main(rank) in a thread for each rank."""
    threads = [threading.Thread(target=rank_main, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def on_ranks(ranks, work, engine="threads"):
    """Runs work(world) on each rank, and returns the results or exceptions."""
    meeting, results = Meeting(ranks), [None] * ranks

    def rank_main(rank):
        try:
            world = sectile.World.from_bootstrap(rank, ranks, meeting.of(rank), engine=engine)
            with world:
                results[rank] = work(world)
        except Exception as problem:
            results[rank] = problem
            del world

    on_threads(ranks, rank_main)
    for each in results:
        if isinstance(each, Exception) and not isinstance(each, sectile.Error):
            raise each
    return results


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_products(ranks):
    x, y = integers((7, 6), "f8", 1), integers((6, 9), "f8", 2)

    def work(world):
        assert world.is_process and list(world.ranks) == [world.rank] and world.size == ranks
        a, b = world.from_numpy(x, "row"), world.from_numpy(np.asfortranarray(y), "2d")
        c = a @ b.T.T
        count = "1 rank" if ranks == 1 else f"{ranks} ranks"
        assert a.local.shape[1] == 6 and f"of {count}: rank {world.rank}>" in repr(world)
        return (c.to_numpy() == x @ y).all() and (sectile.copy(c, "col").to_numpy() == x @ y).all()

    assert all(result is np.True_ for result in on_ranks(ranks, work))


@pytest.mark.parametrize(
    "wrong",
    [
        {"engine": 5},
        {"engine": "a\0b"},
        {"devices": 5},
        {"ranks_per_node": "x"},
        {"rank": 3},
        {"rank": 1 << 40},
        {"ranks": 1.5},
        {"ranks": 2},
    ],
    ids=str,
)
def test_a_world_that_one_rank_refuses(wrong):
    """It is made on no rank, and then on all."""
    first, second, told = Meeting(3), Meeting(3), [None] * 3

    def rank_main(rank):
        given = {"rank": rank, "ranks": 3, "allgather": first.of(rank), "engine": "threads"}
        try:
            sectile.World.from_bootstrap(**{**given, **(wrong if rank == 2 else {})})
        except sectile.BadArgumentError as problem:
            told[rank] = str(problem)
        given["allgather"] = second.of(rank)
        sectile.World.from_bootstrap(**given).close()

    on_threads(3, rank_main)
    assert told[:2] == [f"rank 2: {told[2]}"] * 2


def test_an_allgather_that_returns_other_bytes():
    """As many items as there should be bytes, but of 8 bytes each."""
    for wrong in (lambda mine: [np.zeros(len(mine))], lambda mine: [mine[:-1]], lambda mine: []):
        with pytest.raises(sectile.FailedError, match="did not return"):
            sectile.World.from_bootstrap(0, 1, wrong, engine="threads")


def test_wrap():
    def work(world):
        own = np.full((2, 5), world.rank + 1.0)
        a = world.wrap(own, "row", shape=(8, 5))
        assert np.shares_memory(a.local, own)
        return a.to_numpy()[:, 0].tolist()

    assert on_ranks(4, work) == [[1, 1, 2, 2, 3, 3, 4, 4]] * 4


def test_a_part_that_does_not_fit_is_everyones_problem():
    def work(world):
        world.wrap(np.ones((2 if world.rank != 1 else 3, 5)), "row", shape=(6, 5))

    results = on_ranks(3, work)
    assert isinstance(results[1], sectile.BadArgumentError)
    assert "rank 1" in str(results[0]) and "3 x 5" in str(results[2])


def test_calls_that_differ():
    def work(world):
        world.array((3, 3 + world.rank))

    results = on_ranks(2, work)
    assert all(isinstance(result, sectile.DisagreeError) for result in results)


def test_matrices_are_freed_in_step():
    """Ranks let go of matrices in different orders, and late."""

    def work(world):
        kept = []
        for i in range(500):
            kept.append(world.array((3, 3)))
            if len(kept) > world.rank * 10:
                kept.pop(0 if world.rank % 2 else -1)
        kept.clear()
        gc.collect()
        world.barrier()
        world.collect()
        return len(world._all_owned())

    assert on_ranks(3, work) == [0, 0, 0]


def test_what_a_rank_keeps_holds_up_no_others():
    def work(world):
        kept, most = [], 0
        for _ in range(300):
            kept.append(world.array((3, 3)))
            if world.rank == 0 or len(kept) > 100:
                kept.pop()
            most = max(most, len(world._all_owned()))
        return most

    assert max(on_ranks(3, work)) < 170


def test_large_matrices_are_freed_soon():
    def work(world):
        most = 0
        for _ in range(20):
            world.array((1000, 2000))
            most = max(most, sum(storage.nbytes for storage in world._all_owned()))
        return most < 100e6

    assert on_ranks(2, work) == [True, True]


def test_close_with_an_array_in_use():
    def work(world):
        a = world.array((4, 4))
        part = a.local if world.rank == 1 else None
        with pytest.raises(sectile.Error, match="still in use"):
            world.close()
        a[:] = np.eye(4)
        trace = a.to_numpy().trace()
        del part
        return trace

    assert on_ranks(2, work) == [4, 4]


def test_closing_while_another_thread_collects_garbage(request):
    stop = threading.Event()

    def collect():
        while not stop.is_set():
            gc.collect()

    request.addfinalizer(lambda interval=sys.getswitchinterval(): sys.setswitchinterval(interval))
    request.addfinalizer(gc.unfreeze)
    sys.setswitchinterval(1e-6)
    gc.freeze()  # so that there is little to look at
    thread = threading.Thread(target=collect)
    thread.start()
    try:
        for _ in range(600):
            world = sectile.World.from_bootstrap(0, 1, lambda mine: [mine], engine="threads")
            for _ in range(40):
                cycle = [world.array((1, 1))]
                cycle.append(cycle)
            del cycle
            world.close()
    finally:
        stop.set()
        thread.join()


def test_after_close():
    def work(world):
        a = world.array((4, 4))
        world.close()
        world.close()
        for use in (a.to_numpy, lambda: a.local, lambda: sectile.plan(a, a, a)):
            with pytest.raises(sectile.BadArgumentError, match="closed"):
                use()

    assert on_ranks(2, work) == [None, None]


def test_the_allgather_serves_only_to_meet(tmp_path):
    meeting, results = Meeting(2), [None, None]

    def rank_main(rank):
        allgather, usable = meeting.of(rank), [True]

        def once(mine):
            assert usable
            return allgather(mine)

        with sectile.World.from_bootstrap(rank, 2, once, engine="threads") as world:
            usable.clear()
            a = world.wrap(np.full((1, 2), 1.0 + rank), "row", shape=(2, 2))
            sectile.save(tmp_path / "a.npy", a)
            world.collect()
            results[rank] = sectile.load(world, tmp_path / "a.npy").to_numpy().tolist()
            del a

    on_threads(2, rank_main)
    assert results == [[[1, 1], [2, 2]]] * 2


@pytest.mark.parametrize("problem", [KeyError("\ud800"), EOFError()], ids=repr)
def test_whatever_one_rank_raises_is_everyones_problem(tmp_path, monkeypatch, problem):
    x = np.ones((2, 2))
    np.save(tmp_path / "x.npy", x)

    def fail_on(rank, function):
        def failing(world, *arguments):
            if world.rank == rank:
                raise problem
            return function(world, *arguments)

        return failing

    def work(world):
        with pytest.raises(type(problem) if world.rank == 1 else sectile.FailedError) as found:
            world.wrap(x, "row")
        return world.rank == 1 or "rank 1: " in str(found.value)

    monkeypatch.setattr("sectile._world.describe", fail_on(1, describe))
    assert on_ranks(2, work) == [True, True]


def test_a_file_that_only_one_rank_has(tmp_path):
    np.save(tmp_path / "1.npy", np.ones((2, 2)))
    (tmp_path / "0.npy").write_bytes(b"")

    def work(world):
        with pytest.raises(sectile.Error, match="rank 0|0.npy"):
            sectile.load(world, tmp_path / f"{world.rank}.npy")

    assert on_ranks(2, work) == [None, None]


@pytest.mark.parametrize("end", ["npy", "safetensors"])
def test_files_of_empty_matrices(tmp_path, end):
    def work(world):
        shapes = [(0, 3), (3, 0), (0, 0)]
        for shape in shapes:
            sectile.save(tmp_path / f"x.{end}", world.array(shape))
            assert sectile.load(world, tmp_path / f"x.{end}", "col").shape == shape
            world.barrier()

    assert on_ranks(2, work) == [None, None]


def test_ranks_that_do_not_understand_each_other():
    with pytest.raises(sectile.FailedError, match="understand"):
        sectile.World.from_bootstrap(0, 2, lambda mine: [b"\x77" * len(mine)] * 2, engine="threads")


def test_allgather_that_fails():
    class Broken(Exception):
        pass

    def broken(mine):
        raise Broken

    with pytest.raises(Broken):
        sectile.World.from_bootstrap(0, 2, broken, engine="threads")
    with pytest.raises(sectile.FailedError, match="allgather"):
        sectile.World.from_bootstrap(0, 2, lambda mine: [mine], engine="threads")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    x = integers((7, 9), "f4", 1)
    assert all((r == x).all() for r in on_ranks(4, lambda w: w.from_numpy(x, layout).to_numpy()))


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e300, True, "5"])
def test_limits_that_are_none(seconds):
    with pytest.raises((sectile.BadArgumentError, sectile.BadTypeError), match="wait_seconds"):
        sectile.World.from_bootstrap(0, 1, lambda mine: [mine], wait_seconds=seconds)
