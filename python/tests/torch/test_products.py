"""Products of all placements of the operands and of the result, forward and backward."""

import itertools
import random

import pytest
import sectile.torch
import tensors
import torch
from sectile.torch import _jobs, _product
from sectile.torch._jobs import _between_nodes, multiply_and_copy
from sectile.torch._operations import Call, compute, spec_of
from sectile.torch._sharding import Mesh, Sharding
from tensors import PLACEMENTS, STORED, TYPES, mesh_of
from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.placement_types import _StridedShard

MESHES = [(2,), (3,), (4,), (2, 2), (2, 3)]
SIZES = [0, 1, 7, 12, 64, 100]
SEED = 20
R, S0 = Replicate(), Shard(0)


def _cases(mesh, every):
    """Each pair of placements, with placements of the result and everything else in turn or drawn.
    With `every`, each pair with each placement of the result in each type; only the rest is drawn."""
    draw = random.Random(SEED + sum(mesh))
    ways = list(itertools.product(PLACEMENTS, repeat=len(mesh)))
    results = [None, *ways]
    if every:
        triples = [each for each in itertools.product(ways, ways, results) for _ in TYPES]
    elif len(mesh) == 1:
        triples = list(itertools.product(ways, ways, results))
    else:
        triples = [(a, b, draw.choice(results)) for a, b in itertools.product(ways, ways)]
    if len(mesh) == 2:
        strided = (_StridedShard(0, split_factor=mesh[1]), Shard(0))
        triples += [(strided, b, draw.choice(ways)) for b in draw.sample(ways, 6)]
        triples += [(a, strided, draw.choice(ways)) for a in draw.sample(ways, 6)]
        triples += [(a, draw.choice(ways), strided) for a in draw.sample(ways, 6)]
    shapes = list(itertools.product(SIZES, repeat=3))
    for number, (a, b, result) in enumerate(triples):
        large = tuple(draw.choice(SIZES[2:]) for _ in range(3))
        shape = draw.choice(shapes) if number % 4 == 0 else large
        stored = draw.choice(STORED), draw.choice(STORED)
        yield a, b, result, TYPES[number % len(TYPES)], shape, stored


def _multiply(a, b, result):
    return a @ b if result is None else sectile.torch.matmul(a, b, out_placements=result)


def _wrong(mesh, a_how, b_how, result, dtype, shape, stored):
    """What is wrong with a product and its gradients."""
    m, n, k = shape
    whole_a = tensors.integers((m, k), dtype, 1, stored[0])
    whole_b = tensors.integers((k, n), dtype, 2, stored[1])
    whole_g = tensors.integers((m, n), dtype, 3)
    a = tensors.spread(whole_a, mesh, a_how, 10).requires_grad_()
    b = tensors.spread(whole_b, mesh, b_how, 20).requires_grad_()
    c = _multiply(a, b, result)
    again = _multiply(a, b, result)
    if result is not None and c.placements != tuple(result):
        return f"placements {c.placements}"
    x, y, g = (tensors.exact(whole) for whole in (whole_a, whole_b, whole_g))
    if not tensors.equal(c.detach(), x @ y):
        return "the product"
    if not tensors.equal(again.detach(), x @ y):
        return "the product that is computed again"
    grad_how = [Replicate() if isinstance(how, Partial) else how for how in c.placements]
    c.backward(tensors.spread(whole_g, mesh, grad_how))
    if result is not None and (a.grad.placements, b.grad.placements) != tuple(
        tuple(Replicate() if isinstance(how, Partial) else how for how in given)
        for given in (a_how, b_how)
    ):
        return "the placements of the gradients"
    if not tensors.equal(a.grad, g @ y.mH):
        return "the gradient of a"
    if not tensors.equal(b.grad, x.mH @ g):
        return "the gradient of b"
    return None


def _check(shape, cases):
    """Computes cases; returns which are wrong on this rank, and what became of the calls."""
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return [], {}
    sectile.torch.reset_calls()
    with sectile.torch.enable():
        wrong = [(case, why) for case in cases if (why := _wrong(mesh, *case)) is not None]
    return wrong, sectile.torch.calls().passed_on


@pytest.mark.parametrize("mesh", MESHES)
def test_all_placements(ranks, mesh, request):
    every = request.config.getoption("every_product")
    cases = list(_cases(mesh, every))
    assert len(cases) == ({1: 480, 2: 26130} if every else {1: 80, 2: 274})[len(mesh)]
    for first in range(0, len(cases), 500):
        for found in ranks.run(_check, mesh, cases[first : first + 500]):
            assert found == ([], {})


def _communicates():
    """The products for which torch itself communicates, as it does to redistribute, or whose gradients
    are wrong."""
    mesh = mesh_of((3,))
    if mesh.get_coordinate() is None:
        return None
    found = []
    for a_how, b_how, dtype in itertools.product(PLACEMENTS, PLACEMENTS, TYPES[1:4]):
        y = tensors.integers((12, 8), dtype, 2)
        a = tensors.spread(tensors.integers((7, 12), dtype, 1), mesh, [a_how], 10).requires_grad_()
        b = tensors.spread(y, mesh, [b_how], 20).requires_grad_()
        with CommDebugMode() as debug:
            c = sectile.torch.matmul(a, b, out_placements=[Shard(0)])
            (grad,) = torch.autograd.grad(c, a, torch.ones_like(c), create_graph=True)
            (of_grad,) = torch.autograd.grad(grad, b, torch.ones_like(grad))
        ones = torch.ones(7, 8, dtype=tensors.exact(y).dtype)
        right = tensors.equal(grad.detach(), ones @ tensors.exact(y).mH)
        counts = debug.get_comm_counts()
        by_torch = sum(counts.values()) - counts[torch.ops.sectile.product]
        if by_torch > 0 or not right or of_grad.full_tensor().ne(7).any():
            found.append((a_how, b_how, dtype))
    return found


def test_torch_moves_nothing(ranks):
    assert [found for found in ranks.run(_communicates) if found] == []


def _on_their_way():
    """Whether operands of which torch has not received all yet are multiplied; what became of the calls."""
    mesh = mesh_of((3,))
    if mesh.get_coordinate() is None:
        return None
    x, y = tensors.integers((7, 12), torch.float64, 1), tensors.integers((12, 8), torch.float64, 2)
    right, b = [], tensors.spread(y, mesh, [Shard(1)])
    sectile.torch.reset_calls()
    with sectile.torch.enable():
        for how, multiply in (R, torch.matmul), (S0, torch.matmul), (S0, sectile.torch.matmul):
            a = tensors.spread(x, mesh, [Partial()], 10).redistribute(mesh, [how], async_op=True)
            right.append(tensors.equal(multiply(a, b), x @ y))
    return right, sectile.torch.calls()


def test_operands_on_their_way(ranks):
    expected = [True] * 3, (2, 1, {})
    assert [found for found in ranks.run(_on_their_way) if found != expected] == [None] * 3


def _check_in_parts(shape):
    """Computes all products with a replicated result, and adds each to a tensor, as if ranks shared no
    memory; returns which are wrong on this rank, and how many were computed in parts."""
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    in_parts = 0

    def count(*arguments):
        nonlocal in_parts
        done = multiply_and_copy(*arguments)
        in_parts += done is not None
        return done

    m, n, k = 7, 12, 80
    ways = itertools.product(PLACEMENTS, repeat=len(shape))
    wrong = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_jobs, "_from_afar", lambda *arguments: True)
        patch.setattr(_jobs, "_SMALL", 0)
        patch.setattr(_jobs, "_SHORTEST", 1)
        patch.setattr(_product, "multiply_and_copy", count)
        for number, (a_how, b_how) in enumerate(itertools.product(ways, repeat=2)):
            dtype = TYPES[number % 4]
            x, y = tensors.integers((m, k), dtype, 1), tensors.integers((k, n), dtype, 2)
            a, b = tensors.spread(x, mesh, a_how, 10), tensors.spread(y, mesh, b_how, 20)
            z = tensors.integers((m, n), dtype, 3)
            call = Call(a, b, 2, tensors.spread(z, mesh, a_how, 30), beta=3)
            c = compute(call, spec_of(call, [Replicate()] * len(shape)))
            if not tensors.equal(c, 2 * tensors.exact(x) @ tensors.exact(y) + 3 * tensors.exact(z)):
                wrong.append((a_how, b_how, dtype))
    return wrong, in_parts


@pytest.mark.parametrize("mesh, expected", [((3,), 11), ((2, 2), 101)])
def test_products_in_parts(ranks, mesh, expected):
    for found in ranks.run(_check_in_parts, mesh):
        if found is not None:
            wrong, in_parts = found
            assert wrong == []
            assert in_parts == expected


@pytest.mark.parametrize("copied, per_node, expected", [(0, 2, True), (1, 2, False), (1, 1, True)])
def test_copies_between_nodes(copied, per_node, expected):
    before = Sharding(Mesh((2, 2), (0, 1, 2, 3), 4), (8, 8), (Shard(0), Shard(1)), (0, 1))
    how = tuple(Replicate() if d == copied else h for d, h in enumerate(before.how))
    assert _between_nodes(per_node, before, before._replace(how=how)) == expected
