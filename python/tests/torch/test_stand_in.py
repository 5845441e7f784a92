"""What is served on GPUs, by the engine `cuda` on stand-ins for CUDA: everything but what a GPU of torch does."""

import os
import random

import layers
import pytest
import sectile.torch
import stand_in
import test_across
import test_fully_shard
import test_parallel
import test_products
import torch
from ranks import Ranks
from tensors import equal, exact, integers, mesh_of, spread
from torch.distributed.tensor import Replicate, Shard

pytestmark = pytest.mark.skipif(
    not os.path.exists(stand_in.LIBRARY), reason="the engine for CUDA is not built for tests"
)
#: The types of which GPUs have fast products.
TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


def _on_device(function, *arguments):
    """What a function returns, and how often this rank has waited for torch, and copied what the device cannot use."""
    device = stand_in.install()
    before = device.settled, device.copied
    found = function(*arguments)
    assert device.failures() == 0
    return found, device.settled - before[0], device.copied - before[1]


@pytest.fixture(scope="module")
def devices():
    started = Ranks(6)
    yield started
    started.close()


def _run(devices, function, *arguments):
    """What a function returns on each rank that is in the mesh."""
    found = devices.run(_on_device, function, *arguments)
    assert any(settled > 0 for _, settled, _ in found)
    return [result for result, _, _ in found if result is not None]


def _cases(mesh):
    """Some of the cases of products on processors, in the types of GPUs."""
    draw = random.Random(len(mesh))
    cases = draw.sample(list(test_products._cases(mesh, False)), 24)
    for number, (a, b, result, _, shape, stored) in enumerate(cases):
        yield a, b, result, TYPES[number % len(TYPES)], shape, stored


@pytest.mark.parametrize("mesh", [(2,), (3,), (2, 2)])
def test_placements(devices, mesh):
    for found in _run(devices, test_products._check, mesh, list(_cases(mesh))):
        assert found == ([], {})


def _in_place():
    """A product of tensors in memory of the library, to which nothing is copied."""
    mesh = mesh_of((6,))
    wholes = integers((16, 24), torch.float32, 1), integers((24, 8), torch.float32, 2)
    operands = []
    for whole in wholes:
        made = sectile.torch.empty(*whole.shape, device_mesh=mesh, placements=[Shard(0)])
        made._local_tensor.copy_(spread(whole, mesh, [Shard(0)])._local_tensor)
        operands.append(made)
    device = stand_in.install()
    before = device.copied
    c = sectile.torch.matmul(*operands, out_placements=[Replicate()])
    assert device.copied == before
    assert equal(c, exact(wholes[0]) @ exact(wholes[1]))
    return True


def test_memory_of_the_library(devices):
    assert all(_run(devices, _in_place))


@pytest.mark.parametrize("plan, placements", [(layers.sequence_parallel, [Shard(1)]), (layers.tensor_parallel, None)])
def test_styles(devices, plan, placements):
    for calls in _run(devices, test_parallel._trained, (2,), plan, placements, 2, 12, False):
        assert calls.passed_on == {}
        assert calls.served == 2 * 7


@pytest.mark.parametrize("shape", [(2,), (2, 2)])
def test_fully_sharded(devices, shape):
    for calls in _run(devices, test_fully_shard._train, shape, False):
        assert calls.passed_on == {}
        assert calls.served == 2 * 2 * 7


def _in_halves(dtype):
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    torch.manual_seed(3)
    model = test_fully_shard._model().to(dtype)
    wanted = model(test_fully_shard._rows(mesh, dtype=dtype))
    test_fully_shard._shard(model, sectile.torch.fully_shard, mesh)
    torch.testing.assert_close(model(test_fully_shard._rows(mesh, dtype=dtype)), wanted, rtol=0.05, atol=0.05)
    return True


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_fully_sharded_in_halves(devices, dtype):
    assert len(_run(devices, _in_halves, dtype)) == 2


def test_redistribute(devices):
    for wrong in _run(devices, test_across._copies, None, 5, 20):
        assert wrong == []


def test_refused_kinds(devices):
    """A type that the library does not have is moved, but not multiplied."""
    for calls in _run(devices, _passed_on):
        assert calls.passed_on == {"elements of type torch.int64": 1}


def _passed_on():
    mesh = mesh_of((6,))
    a = spread(integers((8, 8), torch.int64, 1), mesh, [Shard(0)])
    with sectile.torch.enable():
        sectile.torch.reset_calls()
        a @ a
    sectile.torch.redistribute(a, mesh, [Shard(1)])
    return sectile.torch.calls()
