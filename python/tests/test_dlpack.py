"""Arrays of other packages, in and out, without copies."""

import gc
import weakref

import numpy as np
import pytest
from conftest import TYPES, integers

import sectile
from sectile import _dlpack


class Foreign:
    """Has __dlpack__ only, as tensors of other packages have."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_in(world):
    for x in (np.zeros((6, 4)), np.zeros((6, 4), "c8", order="F"), np.zeros((9, 9))[1:7, 2:6]):
        a = world.wrap(Foreign(x), "row")
        a[:] = integers((6, 4), x.dtype, 1)
        assert (x == integers((6, 4), x.dtype, 1)).all()
        assert (world.from_numpy(Foreign(x), "col").to_numpy() == x).all()


def test_in_keeps_the_memory(world):
    x = np.ones((300, 300))
    gone = weakref.ref(x)
    a = world.wrap(Foreign(x))
    del x
    gc.collect()
    assert gone() is not None and (a.to_numpy() == 1).all()
    del a
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_out_and_in(world, dtype):
    x = integers((6, 4), dtype, 1)
    a = world.from_numpy(x, "2d:2x2")
    for rank in range(4):
        tensor = a.dlpack(rank)
        assert tensor.__dlpack_device__() == (1, 0)
        shown = _dlpack.from_dlpack(tensor)
        assert shown.dtype == x.dtype and (shown == a.local[rank]).all()
        assert np.shares_memory(shown, a.local[rank])
        assert not np.shares_memory(_dlpack.from_dlpack(Copied(tensor)), a.local[rank])


class Copied:
    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self):
        return self.tensor.__dlpack__(copy=True)


def test_out_to_numpy():
    """NumPy renames the capsule and calls the deleter; the memory lives until then."""
    before = len(_dlpack._exported)
    with sectile.run(2) as world:
        shown = np.from_dlpack(world.from_numpy(np.full((4, 4), 5.0)).dlpack(1))
    gc.collect()
    assert len(_dlpack._exported) == before + 1 and (shown == 5).all()
    del shown
    gc.collect()
    assert len(_dlpack._exported) == before


def test_refused(world):
    with pytest.raises(sectile.BadArgumentError, match="dimensions"):
        world.wrap(Foreign(np.zeros(3)))
    with pytest.raises(sectile.BadArgumentError, match="type"):
        world.wrap(Foreign(np.zeros((3, 3), "i4")))
    with pytest.raises(sectile.BadArgumentError, match="whole"):
        world.array((3, 3))[1:].dlpack()
    with pytest.raises(ValueError):
        world.array((3, 3)).dlpack(9)
