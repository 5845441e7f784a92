"""Tensors in memory of the library: others read them in place, as long as they are used."""

import gc
import io

import pytest
import sectile
import sectile.torch
import tensors
import torch
from sectile.torch._site import site_of, world_of
from tensors import mesh_of
from torch import nn
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

# Large enough that the library does not copy the operands first.
M, N, K = 512, 768, 1024
S0, S1, R = Shard(0), Shard(1), Replicate()


def _bytes_got(mesh, function):
    """The bytes of other ranks that a call copies, and its result."""
    world = world_of(site_of(mesh))
    before = world.traffic(world.rank).bytes_got
    result = function()
    return world.traffic(world.rank).bytes_got - before, result


def _product(shape, a_how, b_how, result, stored):
    """The bytes that ranks get for a product, before and after its operands are shared."""
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    whole_a = tensors.integers((M, K), torch.float32, 1, stored)
    whole_b = tensors.integers((K, N), torch.float32, 2, stored)
    a, b = tensors.spread(whole_a, mesh, a_how), tensors.spread(whole_b, mesh, b_how)
    expected = tensors.exact(whole_a) @ tensors.exact(whole_b)
    got = []
    for shared in (False, True):
        if shared:
            sectile.torch.share_([a, b])
        for _ in range(2):  # the second is not planned again
            count, c = _bytes_got(mesh, lambda: sectile.torch.matmul(a, b, result))
            assert tensors.equal(c, expected)
        got.append(count)
    return got


@pytest.mark.parametrize("stored", ["C", "F"])
@pytest.mark.parametrize(
    "mesh, a, b, result",
    [
        ((2,), [S1], [S1], [S0]),
        ((4,), [S0], [S0], [S0]),
        ((3,), [S0], [S1], [S1]),
        ((2, 3), [S0, S1], [S1, S0], [S0, S1]),
        ((6,), [S0], [S1], [S0]),
    ],
)
def test_operands_are_read_in_place(ranks, mesh, a, b, result, stored):
    found = list(filter(None, ranks.run(_product, mesh, a, b, result, stored)))
    assert max(before for before, _ in found) > 0
    assert max(after for _, after in found) == 0


def _made():
    mesh = mesh_of((6,))
    a = sectile.torch.zeros(5, 1 << 16, device_mesh=mesh, placements=[S0], dtype=torch.bfloat16)
    assert tensors.equal(a, torch.zeros(5, 1 << 16, dtype=torch.float64))
    b = sectile.torch.empty((5, 0, 3), device_mesh=mesh, placements=[S0], requires_grad=True)
    c = sectile.torch.empty(7, device_mesh=mesh, placements=[R])
    return [
        (each.dtype, tuple(each.shape), tuple(each._local_tensor.shape), each.requires_grad)
        for each in (a, b, c)
    ]


def test_made(ranks):
    for rank, found in enumerate(ranks.run(_made)):
        own = int(rank < 5)
        assert found == [
            (torch.bfloat16, (5, 1 << 16), (own, 1 << 16), False),
            (torch.float32, (5, 0, 3), (own, 0, 3), True),
            (torch.float32, (7,), (7,), False),
        ]


def _refused():
    mesh = mesh_of((6,))
    reasons = []
    for call in (
        lambda: sectile.torch.empty(4, device_mesh=mesh, placements=[S0, S0]),
        lambda: sectile.torch.share_(DTensor.from_local(torch.ones(2, device="meta"), mesh, [R])),
    ):
        with pytest.raises(sectile.BadArgumentError) as problem:
            call()
        reasons.append(str(problem.value))
    return reasons


def test_errors(ranks):
    for reasons in ranks.run(_refused):
        assert reasons == [
            "empty: 2 placements for a mesh of 1 dimensions",
            "share_: a local tensor is not in the memory of the device of its mesh",
        ]


def _train(shape):
    """A module with shared parameters, used before and after, whose parameters then go."""
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    torch.manual_seed(3)
    plain = nn.Linear(K, N)
    module = nn.Linear(K, N, device="meta")
    for name, how in (("weight", [S1]), ("bias", [R])):
        spread = distribute_tensor(getattr(plain, name).detach(), mesh, how)
        setattr(module, name, nn.Parameter(spread))
    weight = module.weight
    assert sectile.torch.share_(module) is module and module.weight is weight
    whole = tensors.integers((M, K), torch.float32, 4)
    x = sectile.torch.share_(tensors.spread(whole, mesh, [S0]))
    with sectile.torch.enable():
        count, y = _bytes_got(mesh, lambda: module(x))
        y.square().mean().backward()
    with torch.no_grad():
        weight -= weight.grad
    plain(whole).square().mean().backward()
    with torch.no_grad():
        plain.weight -= plain.weight.grad
    assert torch.allclose(module.weight.full_tensor(), plain.weight, atol=1e-6)
    return count


def test_parameters(ranks):
    assert set(ranks.run(_train, (4,))) == {0, None}


def _saved():
    mesh = mesh_of((6,))
    module = nn.Sequential(nn.Linear(6, 12), nn.Linear(12, 6))
    for each in module:
        each.weight = nn.Parameter(distribute_tensor(each.weight.detach(), mesh, [S0]))
    sectile.torch.share_(module)
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    sizes = [each.weight._local_tensor.untyped_storage().nbytes() for each in module]
    return sizes, [
        torch.equal(loaded[name].to_local(), value.to_local())
        for name, value in module.state_dict().items()
        if isinstance(value, DTensor)
    ]


def test_shared_parameters_are_saved(ranks):
    """Each alone: torch saves the whole storage of a tensor, and of a DTensor only one from its start."""
    for found in ranks.run(_saved):
        assert found == ([48, 48], [True, True])


def _lives(shape):
    """Memory stays while a view of it is used, and is freed afterwards."""
    mesh = mesh_of(shape)
    world = world_of(site_of(mesh))
    gc.collect()
    world.collect()
    known = len(world._all_owned())
    a = sectile.torch.empty(600, 64, device_mesh=mesh, placements=[S0])
    a._local_tensor.fill_(mesh.get_rank())
    view = a._local_tensor[50:].t()
    del a
    gc.collect()
    world.collect()
    assert len(world._all_owned()) == known + 1
    assert torch.equal(view, torch.full((64, 50), float(mesh.get_rank())))
    del view
    gc.collect()
    world.collect()
    return len(world._all_owned()) - known


def test_memory_lives_as_long_as_its_tensors(ranks):
    assert set(ranks.run(_lives, (6,))) == {0}
