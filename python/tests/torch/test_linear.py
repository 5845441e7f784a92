"""Products of linear layers, and their gradients, from all placements to all, on all kinds of meshes."""

import itertools
import math
import random

import pytest
import torch
from sectile.torch._layer import misfit
from sectile.torch._linear import linear
from sectile.torch._operations import normalized
from tensors import equal, integers, mesh_of, spread
from torch.distributed.tensor import Partial, Replicate, Shard

_OF_ACTIVATIONS = [Shard(0), Shard(1), Shard(2), Replicate(), Partial()]
_OF_WEIGHTS = [Shard(0), Shard(1), Replicate(), Partial()]


def _cases(dims, most):
    """Placements of the activation, of the weight and of the result."""
    choices = (list(itertools.product(each, repeat=dims)) for each in (_OF_ACTIVATIONS, _OF_WEIGHTS))
    activations, weights = choices
    cases = list(itertools.product(activations, weights, activations))
    return cases if len(cases) <= most else random.Random(7).sample(cases, most)


def _gradient_of(whole, placements):
    """What torch has as the gradient of a tensor: that of a part of a sum is whole on all ranks."""
    return [Replicate() if isinstance(how, Partial) else how for how in placements]


def _check(mesh, x, weight, grad, of_x, of_weight, of_y):
    """False if the product cannot be served."""
    a = spread(x, mesh, of_x).requires_grad_(True)
    b = spread(weight, mesh, of_weight, seed=5).requires_grad_(True)
    placements = normalized(of_y, x.ndim)
    if misfit(a, b, placements) is not None:
        return False
    (y,) = linear(a, [b], placements)
    assert y.placements == placements
    assert equal(y.detach(), x @ weight.t())
    y.backward(spread(grad, mesh, _gradient_of(y, of_y)))
    for found, how, wanted in (
        (a.grad, of_x, grad @ weight),
        (b.grad, of_weight, torch.einsum("bso,bsi->oi", grad, x)),
    ):
        assert list(found.placements) == _gradient_of(found, how)
        assert equal(found, wanted)
    return True


def _all(shape, batch, tokens, most):
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return
    x = integers((batch, tokens, 10), torch.float64, seed=1)
    weight = integers((14, 10), torch.float64, seed=2)
    grad = integers((batch, tokens, 14), torch.float64, seed=3)
    for of_x, of_weight, of_y in _cases(len(shape), most):
        # A sequence that is cut along several dimensions of the mesh must be cut evenly.
        cuts = max(how.count(Shard(1)) for how in (of_x, of_y))
        can = cuts < 2 or tokens % batch == 0
        try:
            assert _check(mesh, x, weight, grad, of_x, of_weight, of_y) == can
        except Exception as problem:
            raise AssertionError(f"{shape}: {of_x}, {of_weight} to {of_y}") from problem


@pytest.mark.parametrize("shape, tokens", [((2,), 12), ((3,), 7), ((4,), 7), ((2, 2), 12), ((2, 3), 7)])
def test_placements(ranks, shape, tokens):
    batch = math.prod(shape)  # which all ranks can share evenly
    ranks.run(_all, shape, batch, tokens, 24)
