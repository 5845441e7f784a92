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


S0, S1, S2, R, P = Shard(0), Shard(1), Shard(2), Replicate(), Partial()


def _turned(a, b):
    """A product that is a sum of parts, transposed, and then used as a sum."""
    product = torch.mm(a, b)
    assert product.placements == (P,)
    return product.t() @ product.t().t()


# Those that PyTorch's own tests of matrix operations compute, with a name for what each is about.
DESCRIBED = {
    "addmm with a bias for all rows": (_addmm, [R], [S0], [R]),
    "addmm with a cut bias": (_addmm, [S0], [S0], [R]),
    "addmm with a bias of one row": (_addmm_of_one_row, [S1], [R], [S1]),
    "addmm whose product is a sum": (_addmm, [R], [S1], [S0]),
    "addmm with a bias that is a sum": (_addmm, [P], [R], [R]),
    "addmm of empty operands": (_addmm_without_terms, [R], [S0], [R]),
    "addmm of empty operands, cut where they are empty": (_addmm_without_terms, [R], [S1], [S0]),
    "mm of a sum and copies": (_mm, [P], [R]),
    "mm of copies and a sum": (_mm, [R], [P]),
    "mm of two sums": (_mm, [P], [P]),
    "a transposed sum": (lambda draw: (_turned, [draw(8, 12), draw(12, 8)]), [S1], [S0]),
    "bmm of cut batches": (_bmm, [S0], [S0]),
    "bmm of cut rows": (_bmm, [S1], [R]),
    "bmm of cut columns": (_bmm, [R], [S2]),
    "bmm whose product is a sum": (_bmm, [S2], [S1]),
    "bmm of batches cut apart": (_bmm, [S0], [S1]),
    "bmm of copies": (_bmm, [R], [R]),
    "baddbmm of cut batches": (_baddbmm, [S0], [S0], [S0]),
    "baddbmm with a bias for all rows": (_baddbmm, [R], [S1], [R]),
    "baddbmm whose product is a sum": (_baddbmm, [R], [S2], [S1]),
    "baddbmm with a bias that is a sum": (_baddbmm, [P], [R], [S2]),
}


def _described(name):
    """What differs from DTensor alone, and from the product of the whole tensors."""
    mesh = mesh_of((6,))
    operation, *places = DESCRIBED[name]
    function, wholes = operation(_seed())
    theirs = _outcome(function, wholes, mesh, places)
    sectile.torch.reset_calls()
    with sectile.torch.enable():
        ours = _outcome(function, wholes, mesh, places)
    calls = sectile.torch.calls()
    if function is _turned:
        product = torch.mm(*wholes)
        expected = product.t() @ product
    else:
        expected = function(*wholes)
    return (
        _differ(theirs, ours),
        ours[1] is not None and torch.allclose(ours[1][0], expected),
        calls.passed_on,
        calls.served + calls.local > 0,
    )


@pytest.mark.parametrize("name", DESCRIBED)
def test_described(ranks, name):
    for found in ranks.run(_described, name):
        assert found == (False, True, {}, True)


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
