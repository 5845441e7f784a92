"""mpi_program.py ENGINE PATH RANKS_PER_NODE - products, files and errors on the ranks of an MPI job.

Not a test of pytest: test/python/mpi.sh runs it. Rank 0 says ok.
"""

import gc
import os
import sys
import tempfile
import warnings

import numpy as np
from conftest import integers
from mpi4py import MPI

import sectile

comm = MPI.COMM_WORLD
engine, path, ranks_per_node = sys.argv[1], sys.argv[2], int(sys.argv[3])
x, y = integers((17, 12), "f8", 1), integers((12, 19), "f8", 2)


def products(world):
    assert world.is_process and (world.rank, world.size) == (comm.rank, comm.size)
    for first in ("row", "col/f", "2d", "cyclic:2x3", "row*3"):
        for second in ("row", "cyclic:4x4", "col*3"):
            a, b = world.from_numpy(x, first), world.from_numpy(y, second)
            assert ((a @ b).to_numpy() == x @ y).all(), (first, second)
            c = sectile.matmul(b.T, a.T, layout="2d", ordered=True)
            assert (c.to_numpy() == (x @ y).T).all()


def arithmetic(world):
    for first in ("row", "cyclic:2x3", "row*3"):
        z = y.T[:17]
        a, b = world.from_numpy(x, first), world.from_numpy(z, "2d")
        assert ((2 * a - b).to_numpy() == 2 * x - z).all()
        a += b.astype("f4")
        a[1:] *= z[1:]
        expected = x + z
        expected[1:] *= z[1:]
        assert (a.to_numpy() == expected).all()
        assert ((a @ y).to_numpy() == expected @ y).all()
        assert ((z.T @ a).to_numpy() == z.T @ expected).all()
        assert len(a) == 17 and (world.full((3, 2), 5).to_numpy() == 5).all()


def wrapped(world):
    own = np.full((2, 3), comm.rank + 1.0)
    a = world.wrap(own, "row", shape=(2 * comm.size, 3))
    squares = 2 * sum((rank + 1) ** 2 for rank in range(comm.size))
    assert ((a.T @ a).to_numpy() == squares).all()


def parts(world):
    """Those on devices are no arrays; the others are here."""
    a = world.from_numpy(x, "row")
    try:
        shown = a.local.shape[1]
    except sectile.BadArgumentError as problem:
        assert engine == "emulated" and "lies on devices" in str(problem)
    else:
        assert engine == "mpi" and shown == x.shape[1]


def problems(world):
    try:
        world.wrap(np.ones((1 + (comm.rank == 1), 3)), "row", shape=(comm.size, 3))
    except sectile.Error as problem:
        assert "rank 1" in str(problem)
    else:
        raise AssertionError("a part of a wrong shape was wrapped")
    for none in (5, MPI.COMM_NULL):
        try:
            sectile.World.from_mpi(none)
        except sectile.Error as problem:
            assert "comm" in str(problem)
        else:
            raise AssertionError(f"{none} became a world")
    refused_by_one()


def refused_by_one():
    """A world that one rank refuses is made on no rank."""
    try:
        sectile.World.from_mpi(comm, path="auto" if comm.rank != 1 else "nowhere")
    except sectile.BadArgumentError as problem:
        told = "path='nowhere': must be one of auto, "
        assert str(problem).startswith(told if comm.rank == 1 else f"rank 1: {told}")
    else:
        raise AssertionError("a world was made of two ranks")


def files(world):
    folder = comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)
    for name in ("x.npy", "x.safetensors"):
        sectile.save(os.path.join(folder, name), world.from_numpy(x, "cyclic:2x2"))
        loaded = sectile.load(world, os.path.join(folder, name), "col")
        assert (loaded.to_numpy() == x).all()
    comm.Barrier()
    if comm.rank == 0:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)


def freed(world):
    """Each rank lets go of its matrices at a time of its own."""
    kept = []
    gc.freeze()  # nothing older is collected, and so looked at, below
    for i in range(200):
        kept.append(world.array((30, 30)))
        if i % (comm.rank + 2) == 0:
            kept.clear()
            gc.collect()


def warned():
    """A process that is alone, though a launcher says it is not, says so."""
    # Before what either MPI's own launcher has set.
    os.environ.update(TORCHELASTIC_RUN_ID="none", RANK="0", WORLD_SIZE="7")
    alone = comm.Split(comm.rank)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        sectile.World.from_mpi(alone).close()
        sectile.World.from_mpi(MPI.COMM_SELF).close()
    texts = [(str(each.message), each.category, each.filename) for each in said]
    assert len(texts) == 1 and texts[0][1:] == (RuntimeWarning, __file__), texts
    assert texts[0][0].startswith("WORLD_SIZE says that this is one of 7 processes, but its"), texts
    for name in ("TORCHELASTIC_RUN_ID", "RANK", "WORLD_SIZE"):
        del os.environ[name]


warned()
with sectile.World.from_mpi(
    comm, engine=engine, path=path, ranks_per_node=ranks_per_node
) as world:
    for check in (products, arithmetic, wrapped, parts, problems, files, freed):
        check(world)
try:
    world.array((2, 2))
except sectile.BadArgumentError as problem:
    assert "closed" in str(problem)
if comm.rank == 0:
    print("ok")
