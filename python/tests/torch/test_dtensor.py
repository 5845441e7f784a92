"""What a program sees of a product is what it sees without Sectile: the same placements and values.

The cases of test_matches_dtensor include those of PyTorch's own tests of matrix operations on DTensor.
"""

import itertools

import pytest
import sectile.torch
import tensors
import torch
from tensors import mesh_of
from torch.distributed.tensor import Partial, Replicate, Shard
from torch.nn import functional


def _mm(draw):
    return torch.mm, [draw(12, 8), draw(8, 16)]


def _t(draw):
    return lambda a, b: a.t() @ b.t(), [draw(8, 12), draw(16, 8)]


def _addmm(draw):
    return torch.addmm, [draw(16), draw(12, 8), draw(8, 16)]


def _addmm_of_one_row(draw):
    return torch.addmm, [draw(1, 16), draw(12, 8), draw(8, 16)]


def _addmm_without_terms(draw):
    return torch.addmm, [draw(16), draw(12, 0), draw(0, 16)]


def _bmm(draw):
    return torch.bmm, [draw(4, 8, 6), draw(4, 6, 12)]


def _baddbmm(draw):
    function = lambda bias, a, b: torch.baddbmm(bias, a, b, beta=3, alpha=2)
    return function, [draw(4, 1, 12), draw(4, 8, 6), draw(4, 6, 12)]


def _matmul(draw):
    return torch.matmul, [draw(4, 8, 6), draw(6, 12)]


def _linear(draw):
    return functional.linear, [draw(4, 8, 6), draw(12, 6), draw(12)]


OPERATIONS = [
    _mm,
    _t,
    _addmm,
    _addmm_of_one_row,
    _addmm_without_terms,
    _bmm,
    _baddbmm,
    _matmul,
    _linear,
]


def _outcome(function, wholes, mesh, places):
    """The placements and values of the result and the gradients, or the error."""
    spread = [
        tensors.spread(whole, mesh, how, 10 * i).requires_grad_()
        for i, (whole, how) in enumerate(zip(wholes, places))
    ]
    try:
        result = function(*spread)
        result.sum().full_tensor().backward()
    except RuntimeError as problem:
        return type(problem), None
    found = [result.detach(), *(each.grad for each in spread)]
    return [each.placements for each in found], [each.full_tensor() for each in found]


def _seed():
    numbers = itertools.count(1)
    return lambda *shape: tensors.integers(shape, torch.float64, next(numbers))


def _cases(wholes, mesh, most):
    """Evenly many of all placements."""
    ways = []
    for whole in wholes:
        kinds = [*(Shard(dim) for dim in range(whole.ndim)), Replicate(), Partial()]
        ways.append(list(itertools.product(kinds, repeat=mesh.ndim)))
    cases = list(itertools.product(*ways))
    return cases[:: -(-len(cases) // most)]


def _differ(theirs, ours):
    """DTensor divides what it makes a sum of parts, which rounds."""
    if theirs[1] is None:
        return False  # Sectile may compute what DTensor cannot
    return ours[0] != theirs[0] or not all(map(torch.allclose, ours[1], theirs[1]))


def _compare(operation, shape, most):
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    function, wholes = operation(_seed())
    differ, served = [], 0
    for places in _cases(wholes, mesh, most):
        theirs = _outcome(function, wholes, mesh, places)
        sectile.torch.reset_calls()
        with sectile.torch.enable():
            ours = _outcome(function, wholes, mesh, places)
        calls = sectile.torch.calls()
        served += calls.served
        if calls.passed_on or _differ(theirs, ours):
            differ.append((places, theirs[0], ours[0], calls))
    return differ, served


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("mesh, most", [((3,), 25), ((2, 2), 15)])
def test_matches_dtensor(ranks, operation, mesh, most):
    for found in ranks.run(_compare, operation, mesh, most):
        if found is not None:
            differ, served = found
            assert differ == []
            assert served > 0
