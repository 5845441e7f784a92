"""Sums with products, and products of batches: all operations that are served."""

import itertools
import random

import pytest
import sectile.torch
import tensors
import torch
from tensors import TYPES, mesh_of
from torch.distributed.tensor import Partial, Replicate, Shard

# Where DTensor divides a bias among parts of a sum, that is exact on these.
MESHES = [(2,), (4,), (2, 2)]
MATRIX = tensors.PLACEMENTS
BATCH = [*MATRIX, Shard(2)]
VECTOR = [Shard(0), Replicate(), Partial()]


def _on_all(function, shape):
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    sectile.torch.reset_calls()
    with sectile.torch.enable():
        wrong = [case for case in function.cases(shape) if not function(mesh, *case)]
    return wrong, sectile.torch.calls()


def _check(ranks, function, mesh):
    for found in ranks.run(_on_all, function, mesh):
        if found is not None:
            wrong, calls = found
            assert wrong == []
            assert calls.served > 0 and calls.passed_on == {}


def _draw(kinds, dims, count, seed):
    """Placements on a mesh: all on one dimension, otherwise drawn."""
    ways = [list(itertools.product(kind, repeat=dims)) for kind in kinds]
    draw = random.Random(seed)
    cases = list(itertools.product(*ways))
    return draw.sample(cases, min(count, len(cases))), draw


def _adds(operation, mesh, *operands):
    """Whether beta bias + alpha a @ b of tensors, each with its placements, is that of the whole ones."""
    spread = [
        tensors.spread(whole, mesh, how, seed)
        for (whole, how), seed in zip(operands, (30, 10, 20))
    ]
    expected = operation(*(tensors.exact(whole) for whole, _ in operands), alpha=2, beta=-1)
    return tensors.equal(operation(*spread, alpha=2, beta=-1), expected)


class AddMM:
    """beta bias + alpha a @ b, for all shapes of a bias that is broadcast."""

    @staticmethod
    def cases(mesh):
        places, draw = _draw([MATRIX, MATRIX, MATRIX], len(mesh), 64, 30)
        for number, how in enumerate(places):
            m, n, k = (draw.choice([0, 1, 5, 12]) for _ in range(3))
            shape = [(m, n), (1, n), (m, 1), (n,), (1,)][number % 5]
            vector = tuple(VECTOR[i % 3] for i in range(number, number + len(mesh)))
            bias = vector if len(shape) == 1 else how[2]
            yield *how[:2], bias, shape, (m, n, k), TYPES[number % len(TYPES)]

    @staticmethod
    def __call__(mesh, a_how, b_how, bias_how, bias_shape, shape, dtype):
        m, n, k = shape
        a, b = tensors.integers((m, k), dtype, 1), tensors.integers((k, n), dtype, 2)
        bias = tensors.integers(bias_shape, dtype, 3)
        return _adds(torch.addmm, mesh, (bias, bias_how), (a, a_how), (b, b_how))


class BMM:
    """Batches, transposed or not, with gradients."""

    @staticmethod
    def cases(mesh):
        places, draw = _draw([BATCH, BATCH, [None, *BATCH]], len(mesh), 100, 40)
        for number, (a, b, result) in enumerate(places):
            shape = tuple(draw.choice([0, 1, 2, 3, 5, 8]) for _ in range(4))
            result = None if None in result else result
            stored = draw.choice("CF"), draw.choice("CF")
            yield a, b, result, shape, stored, TYPES[number % len(TYPES)]

    @staticmethod
    def __call__(mesh, a_how, b_how, result, shape, stored, dtype):
        s, m, n, k = shape
        whole_a = tensors.integers((s, m, k), dtype, 1, stored[0])
        whole_b = tensors.integers((s, k, n), dtype, 2, stored[1])
        whole_g = tensors.integers((s, m, n), dtype, 3)
        a = tensors.spread(whole_a, mesh, a_how, 10).requires_grad_()
        b = tensors.spread(whole_b, mesh, b_how, 20).requires_grad_()
        c = torch.bmm(a, b) if result is None else sectile.torch.matmul(a, b, result)
        grad_how = [Replicate() if isinstance(how, Partial) else how for how in c.placements]
        c.backward(tensors.spread(whole_g, mesh, grad_how))
        x, y, g = (tensors.exact(whole) for whole in (whole_a, whole_b, whole_g))
        return (
            tensors.equal(c.detach(), x @ y)
            and tensors.equal(a.grad, g @ y.mH)
            and tensors.equal(b.grad, x.mH @ g)
        )


class BAddBMM:
    """beta bias + alpha a @ b of batches."""

    @staticmethod
    def cases(mesh):
        places, draw = _draw([BATCH, BATCH, BATCH], len(mesh), 64, 50)
        for number, how in enumerate(places):
            s, m, n, k = (draw.choice([0, 1, 3, 4]) for _ in range(4))
            bias = [(s, m, n), (1, m, n), (s, 1, n), (s, m, 1), (1, 1, 1)][number % 5]
            yield *how, bias, (s, m, n, k), TYPES[number % len(TYPES)]

    @staticmethod
    def __call__(mesh, a_how, b_how, bias_how, bias_shape, shape, dtype):
        s, m, n, k = shape
        a, b = tensors.integers((s, m, k), dtype, 1), tensors.integers((s, k, n), dtype, 2)
        bias = tensors.integers(bias_shape, dtype, 3)
        return _adds(torch.baddbmm, mesh, (bias, bias_how), (a, a_how), (b, b_how))


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("operation", [AddMM(), BMM(), BAddBMM()])
def test_operation(ranks, operation, mesh):
    _check(ranks, operation, mesh)
