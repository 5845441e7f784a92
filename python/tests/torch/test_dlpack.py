"""Tensors of torch as matrices of the library, and its parts as tensors, without copies."""

import gc
import weakref

import numpy as np
import pytest
import sectile
import tensors
import torch
from tensors import TYPES


@pytest.fixture(scope="module")
def world():
    with sectile.run(2) as threads:
        yield threads


@pytest.mark.parametrize("stored", tensors.STORED)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_tensors_are_multiplied_where_they_lie(world, dtype, stored):
    x, y = tensors.integers((12, 8), dtype, 1, stored), tensors.integers((8, 6), dtype, 2)
    z = torch.empty(12, 6, dtype=dtype)
    sectile.matmul(world.wrap(x, "row"), world.wrap(y, "col"), out=world.wrap(z, "row"))
    assert torch.equal(tensors.exact(z), tensors.exact(x) @ tensors.exact(y))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_parts_are_tensors(world, dtype):
    whole = tensors.integers((12, 8), dtype, 3)
    a = world.from_numpy(whole, "row")
    for rank, part in enumerate(whole.chunk(2)):
        shown = torch.from_dlpack(a.dlpack(rank))
        assert shown.dtype == dtype and torch.equal(shown, part)
        shown.zero_()
        copied = torch.from_dlpack(a.dlpack(rank), copy=True)
        copied.fill_(1)
    assert (a.to_numpy() == np.zeros((12, 8))).all()


@pytest.mark.parametrize(
    "tensor",
    [
        torch.ones(4, 4, requires_grad=True),
        torch.ones(4, 4, dtype=torch.complex64).conj(),
        torch.ones(4, 4, dtype=torch.complex64).conj().imag,
        torch.ones(4, 4, device="meta"),
        torch.ones(4, 4).to_sparse(),
        torch.ones(4, 4, dtype=torch.float8_e4m3fn),
        torch.ones(4, 1).expand(4, 4),
        torch.ones(4),
    ],
    ids=lambda tensor: str(tensor.dtype),
)
def test_tensors_that_are_refused(world, tensor):
    with pytest.raises(sectile.BadArgumentError):
        world.wrap(tensor)


def test_a_tensor_keeps_the_matrix(world):
    a = world.from_numpy(torch.ones(4, 4), "row")
    gone = weakref.ref(a._storage)
    shown = torch.from_dlpack(a.dlpack(1))
    del a
    gc.collect()
    assert gone() is not None and torch.equal(shown, torch.ones(2, 4))
    del shown
    gc.collect()
    assert gone() is None


def test_a_matrix_keeps_the_tensor(world):
    x = torch.ones(64, 64)
    gone = weakref.ref(x.untyped_storage())
    a = world.wrap(x, "row")
    x = None
    gc.collect()
    assert (a.to_numpy() == 1).all()
    del a
    gc.collect()
    assert gone() is None
