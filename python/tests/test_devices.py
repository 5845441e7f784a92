"""Worlds with devices: those of OpenCL, and emulated ones, whose memory ends a program that reads it."""

import gc

import numpy as np
import pytest
from conftest import LAYOUTS, TYPES, exact, integers
from test_bootstrap import on_ranks

import sectile


@pytest.fixture(scope="module", params=["emulated", "opencl"])
def devices(request):
    """A world of 4 ranks; of OpenCL with the parts of one device."""
    listed = {"opencl": "0/2"}.get(request.param)
    try:
        world = sectile.run(4, engine=request.param, devices=listed)
    except (sectile.NoEngineError, sectile.BadArgumentError) as problem:
        # No OpenCL, no device, or one that has no parts.
        pytest.skip(str(problem))
    with world:
        yield world
    gc.collect()


def test_a_tour(devices):
    x, y = integers((70, 50), "f4", 1), integers((50, 60), "f4", 2)
    a, b = devices.from_numpy(x, "row*2"), devices.from_numpy(y, "cyclic:8x16/f")
    c = a @ b
    assert (c.to_numpy() == x @ y).all()
    assert sectile.matmul(a, b, out=c, alpha=-2, beta=1) is c
    assert (np.asarray(c) == -(x @ y)).all()
    assert (sectile.copy(b.T, "col*4").to_numpy() == y.T).all()
    gram = sectile.matmul(a.T, a, layout="2d")
    assert (gram[3:, :20].to_numpy() == (x.T @ x)[3:, :20]).all()
    c[10:20, 5:] = np.ones((10, 55), "f4")
    sectile.matmul(a[:10, :], b[:, 20:25], out=c[60:, :5])
    expected = -(x @ y)
    expected[10:20, 5:] = 1
    expected[60:, :5] = (x @ y)[:10, 20:25]
    assert (c.to_numpy() == expected).all()


def test_what_ranks_move_is_counted(devices):
    a, b, c = (devices.array((32, 32), "f4", layout) for layout in ("row", "col", "2d"))
    a[:], b[:] = np.ones((32, 32), "f4"), np.ones((32, 32), "f4")
    before = [sum(devices.traffic(rank)) for rank in devices.ranks]
    sectile.matmul(a, b, out=c, stay="c")
    assert any(sum(devices.traffic(rank)) > was for rank, was in zip(devices.ranks, before))
    assert (c.to_numpy() == 32).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_types(devices, dtype):
    x, y = integers((9, 7), dtype, 3), integers((7, 8), dtype, 4)
    try:
        c = devices.from_numpy(x, "2d") @ devices.from_numpy(y, "col")
    except sectile.BadArgumentError as problem:
        pytest.skip(str(problem))  # a device without f64 or f16
    assert (c.to_numpy() == exact(x, y).astype(dtype)).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(devices, layout):
    x = integers((8, 15), "f4", 5)
    a = devices.from_numpy(x, layout)
    assert (a.to_numpy() == x).all()
    assert (sectile.copy(a, "col").to_numpy() == x).all()


def test_files(devices, tmp_path):
    x = integers((13, 6), "f4", 6)
    for name in ("x.npy", "x.safetensors"):
        sectile.save(tmp_path / name, devices.from_numpy(x, "2d"))
        assert (sectile.load(devices, tmp_path / name, "col*2").to_numpy() == x).all()


def test_memory_of_devices_is_no_array(devices):
    a = devices.array((8, 8), "f4")
    for use in (lambda: a.local, lambda: a.dlpack(1)):
        with pytest.raises(sectile.BadArgumentError, match="lies on devices.*to_numpy"):
            use()


def test_wrapped_arrays_stay_on_the_host(devices):
    """A product copies them to the devices, and its result back."""
    x, y, z = (integers((12, 12), "f4", seed) for seed in (7, 8, 9))
    expected = x @ y + z
    a, c = devices.wrap(x, "row"), devices.wrap(z, "row")
    assert np.shares_memory(a.local[1], x)
    sectile.matmul(a, devices.from_numpy(y, "2d"), out=c, beta=1)
    assert (z == expected).all()


def test_arrays_outlive_the_world():
    """The matrix of a wrapped array keeps the ranks; one on devices goes with its last name."""
    world = sectile.run(2, engine="emulated")
    x = np.zeros((4, 4))
    part, on_devices = world.wrap(x, "row").local[0], world.from_numpy(np.eye(4))
    world.close()
    with pytest.raises(sectile.BadArgumentError, match="closed"):
        on_devices.to_numpy()
    del on_devices, world
    assert (part == 0).all()


@pytest.mark.parametrize("ranks", [1, 3])
def test_each_rank_by_itself(ranks):
    x, y = integers((7, 6), "f8", 1), integers((6, 9), "f8", 2)

    def work(world):
        a, b = world.from_numpy(x, "row"), world.from_numpy(y, "2d")
        with pytest.raises(sectile.BadArgumentError, match="lies on devices"):
            a.local
        return bool(((a @ b).to_numpy() == x @ y).all())

    assert on_ranks(ranks, work, "emulated") == [True] * ranks


def test_an_engine_that_is_not_there():
    """The library knows which engines there are, and why one is not available."""
    for make in (
        lambda: sectile.run(2, engine="nonesuch"),
        lambda: sectile.World.from_bootstrap(0, 1, lambda mine: [mine], engine="nonesuch"),
    ):
        with pytest.raises(sectile.NoEngineError, match='"nonesuch" does not exist; engines: '):
            make()
    for make in (
        lambda: sectile.run(2, engine="mpi"),
        lambda: sectile.World.from_bootstrap(0, 1, lambda mine: [mine], engine="mpi"),
    ):
        with pytest.raises(sectile.NoEngineError, match="a communicator: .*World.from_mpi in Python$"):
            make()


def test_devices_that_are_not_there():
    """Where OpenCL is not there at all, that is the reason."""
    with pytest.raises(sectile.BadArgumentError, match="devices: the engine threads has none"):
        sectile.run(1, devices="0")
    for listed in ("999", "nonsense"):
        with pytest.raises(sectile.Error, match="999|nonsense|opencl|OpenCL"):
            sectile.run(1, engine="opencl", devices=listed)


def test_texts(world):
    for use in (
        lambda: sectile.run(1, engine="threads\0"),
        lambda: sectile.run(1, devices="0\0"),
    ):
        with pytest.raises(sectile.BadArgumentError, match="NUL"):
            use()
    with pytest.raises(TypeError, match="int is not a text"):
        sectile.run(1, engine="opencl", devices=0)
