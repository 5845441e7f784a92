"""Tensors on several meshes: every rank has what torch would give it on each mesh."""

import random

import pytest
import sectile
import sectile.torch
import tensors
import torch
import torch.distributed as dist
from tensors import PLACEMENTS, TYPES, mesh_among
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

SHAPES = [(2,), (3,), (4,), (2, 2), (2, 3)]
RANKS = 6


def _drawn(draw, shape=None):
    shape = shape or draw.choice(SHAPES)
    size = torch.Size(shape).numel()
    return mesh_among(sorted(draw.sample(range(RANKS), size)), shape)


def _placed(whole, mesh, placements, seed=0):
    """A tensor that all ranks have, on a mesh of some."""
    if mesh.get_coordinate() is not None:
        return tensors.spread(whole, mesh, placements, seed)
    none = torch.empty(0, dtype=whole.dtype)
    return DTensor.from_local(
        none, mesh, placements, run_check=False, shape=whole.shape, stride=whole.stride()
    )


def _in_a_mesh(*meshes):
    return any(mesh.get_coordinate() is not None for mesh in meshes)


def _right(found, mesh, placements, expected):
    """Whether a result is where it was asked for, and equal to this whole tensor."""
    if found.device_mesh != mesh or found.placements != tuple(placements):
        return False
    if mesh.get_coordinate() is None:
        return found.shape == expected.shape and found.to_local().numel() == 0
    return tensors.equal(found, expected)


def _placements(draw, dims, mesh, sums=True):
    choices = [Shard(dim) for dim in range(dims)] + [Replicate()] + [Partial()] * sums
    return [draw.choice(choices) for _ in range(mesh.ndim)]


# ---- Copies ----


def _copies(shape, seed, count):
    draw, wrong = random.Random(seed), []
    for number in range(count):
        before, after = _drawn(draw, shape), _drawn(draw)
        dims = draw.randint(1, 4)
        dtype = draw.choice(TYPES)
        size = [draw.choice([0, 1, 2, 3, 4, 5, 6, 7, 8]) for _ in range(dims)]
        stored = draw.choice(["C", "F"]) if dims > 1 else "C"
        whole = tensors.integers(size, dtype, number, stored)
        have, want = _placements(draw, dims, before), _placements(draw, dims, after)
        if _in_a_mesh(before, after):
            moved = sectile.torch.redistribute(_placed(whole, before, have, number), after, want)
            if not _right(moved, after, want, tensors.exact(whole)):
                wrong.append((before, have, after, want, size, dtype))
    return wrong


@pytest.mark.parametrize("shape", SHAPES)
def test_copies(ranks, shape):
    """From meshes of this shape to any others, disjoint or not, in any placements."""
    assert [wrong for found in ranks.run(_copies, shape, 5, 40) for wrong in found] == []


def _every_pair():
    before, after, wrong = mesh_among([0, 4]), mesh_among([1, 2, 4]), []
    whole = tensors.integers((7, 5), torch.float64, 3)
    if _in_a_mesh(before, after):
        for have in PLACEMENTS:
            for want in PLACEMENTS:
                moved = sectile.torch.redistribute(_placed(whole, before, [have]), after, [want])
                if not _right(moved, after, [want], whole):
                    wrong.append((have, want))
    return wrong


def test_every_pair_of_placements(ranks):
    assert ranks.run(_every_pair) == [[]] * RANKS


def _types():
    """Elements of any type arrive bit by bit."""
    before, after, wrong = mesh_among([3, 5]), mesh_among([0, 1, 3, 4], (2, 2)), []
    for dtype in (torch.int64, torch.int32, torch.int16, torch.uint8, torch.bool, torch.float8_e4m3fn):
        shape, generator = (64, 8 * dtype.itemsize), torch.Generator().manual_seed(1)
        bits = torch.randint(0, 256, shape, generator=generator, dtype=torch.uint8)
        whole = bits > 99 if dtype == torch.bool else bits.view(dtype)
        if _in_a_mesh(before, after):
            x = _placed(whole, before, [Shard(0)])
            moved = sectile.torch.redistribute(x, after, [Shard(1), Replicate()]).to_local()
            if after.get_coordinate() is not None:
                expected = torch.chunk(whole, 2, 1)[after.get_coordinate()[0]].contiguous()
                same = torch.equal(moved.view(torch.uint8), expected.view(torch.uint8))
                wrong += [] if same and moved.dtype == dtype else [dtype]
    scalar = distribute_tensor(torch.tensor(7), before, [Replicate()])
    if _in_a_mesh(before, after):
        moved = sectile.torch.redistribute(scalar, after, [Replicate()] * 2)
        if after.get_coordinate() is not None and moved.to_local() != 7:
            wrong.append("scalar")
    return wrong


def test_types(ranks):
    assert ranks.run(_types) == [[]] * RANKS


# ---- Products ----


def _products(shape, seed, count):
    draw, wrong = random.Random(seed), []
    for number in range(count):
        places = [_drawn(draw, shape), _drawn(draw), _drawn(draw)]
        batch = [draw.randint(1, 4)] * draw.randint(0, 1)
        m, n, k = (draw.choice([0, 1, 2, 5, 8, 12]) for _ in range(3))
        dtype = draw.choice(TYPES)
        a = tensors.integers((*batch, m, k), dtype, number, draw.choice(["C", "F", "view"]))
        b = tensors.integers((*batch, k, n), dtype, number + 1, draw.choice(["C", "F", "view"]))
        how = [_placements(draw, 2 + len(batch), mesh) for mesh in places]
        if _in_a_mesh(*places):
            c = sectile.torch.matmul(
                _placed(a, places[0], how[0], 1), _placed(b, places[1], how[1], 2), how[2], places[2]
            )
            if not _right(c, places[2], how[2], tensors.exact(a) @ tensors.exact(b)):
                wrong.append((places, how, (batch, m, n, k), dtype))
    return wrong


@pytest.mark.parametrize("shape", SHAPES)
def test_products(ranks, shape):
    assert [wrong for found in ranks.run(_products, shape, 6, 30) for wrong in found] == []


# ---- Gradients ----


def _gradients():
    """Two layers on two meshes, of which one has a rank of the other."""
    first, second = mesh_among([0, 1]), mesh_among([1, 2, 4, 5], (2, 2))
    x, w, v = (tensors.integers((6, 6), torch.float64, seed) for seed in (1, 2, 3))
    wholes = [whole.clone().requires_grad_() for whole in (x, w, v)]
    ((wholes[0] @ wholes[1]) @ wholes[2]).square().sum().backward()
    places = [(first, [Shard(0)]), (first, [Shard(1)]), (second, [Shard(0), Replicate()])]
    x, w, v = (
        _placed(whole, mesh, how).requires_grad_() for whole, (mesh, how) in zip((x, w, v), places)
    )
    hidden = sectile.torch.matmul(x, w, [Partial()], first)
    hidden = sectile.torch.redistribute(hidden, second, [Shard(1), Shard(0)])
    y = sectile.torch.matmul(hidden, v, [Replicate(), Shard(0)], second)
    (y * y).sum().backward()
    return [
        (mesh, how)
        for tensor, whole, (mesh, how) in zip((x, w, v), wholes, places)
        if not _right(tensor.grad, mesh, how, whole.grad)
    ]


def test_gradients(ranks):
    assert ranks.run(_gradients) == [[]] * RANKS


# ---- Errors ----


def _refused():
    first, second = mesh_among([0, 1]), mesh_among([1, 2])
    whole, found = torch.ones(6, 6), []
    a = _placed(whole, first, [Shard(0)])
    numbers = DTensor.from_local(torch.ones(6, 6, dtype=torch.int64), first, [Partial()], run_check=False)
    calls = [
        lambda: sectile.torch.redistribute(5, second, [Replicate()]),
        lambda: sectile.torch.redistribute(a, 5, [Replicate()]),
        lambda: sectile.torch.redistribute(a, second, [Shard(2)]),
        lambda: sectile.torch.redistribute(numbers, second, [Replicate()]),
        lambda: sectile.torch.matmul(a, a, out_mesh=second),
        lambda: sectile.torch.matmul(a, _placed(whole, second, [Shard(0)])),
        lambda: sectile.torch.matmul(a, 5, [Shard(0)], second),
    ]
    if dist.get_rank() < 3:
        for call in calls:
            with pytest.raises(sectile.BadArgumentError) as problem:
                call()
            found.append(str(problem.value))
    return found


def test_errors(ranks):
    found = ranks.run(_refused)
    reasons = [
        "redistribute: an int is not a DTensor",
        "redistribute: an int is not a DeviceMesh",
        "redistribute: placement S(2)",
        "redistribute: a sum of elements of type torch.int64",
        "matmul: out_mesh needs out_placements",
        "matmul: the operands are on several meshes",
        "matmul: an operand is not a DTensor",
    ]
    for rank in range(3):
        assert found[rank] == reasons
