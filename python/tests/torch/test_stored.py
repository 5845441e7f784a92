"""Products of tensors whose ranks store their parts in different orders, as `from_local` allows."""

import itertools
import random

import pytest
import sectile.torch
import tensors
import torch
from tensors import mesh_of
from torch.distributed.tensor import DTensor

OPERATIONS = {
    "mm": (torch.mm, [(8, 12), (12, 4)]),
    "addmm": (torch.addmm, [(8, 4), (8, 12), (12, 4)]),
    "bmm": (torch.bmm, [(4, 8, 12), (4, 12, 4)]),
}
# The ranks that store their parts by columns, in one product after another. Once a product has come
# twice, the library has a plan and a job for it.
BY_COLUMNS = [{}, {}, {1}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 2}]


def _stored(whole, mesh, how, seed, by_columns):
    local = tensors.spread(whole, mesh, how, seed).to_local().contiguous()
    if mesh.get_rank() in by_columns:
        local = local.transpose(-1, -2).contiguous().transpose(-1, -2)
    return DTensor.from_local(local, mesh, how, run_check=False)


def _wrong(shape, name, dtype):
    function, shapes = OPERATIONS[name]
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return []
    wholes = [tensors.integers(shape, dtype, i) for i, shape in enumerate(shapes)]
    expected = function(*map(tensors.exact, wholes))
    wrong = []
    sectile.torch.reset_calls()
    every = list(itertools.product(tensors.PLACEMENTS, repeat=len(wholes)))
    for places in random.Random(1).sample(every, 8):
        for by_columns in BY_COLUMNS:
            operands = [
                _stored(whole, mesh, [how], 10 * i, by_columns if i != 1 else {})
                for i, (whole, how) in enumerate(zip(wholes, places))
            ]
            with sectile.torch.enable():
                found = function(*operands)
            if not tensors.equal(found, expected):
                wrong.append((places, by_columns))
    assert sectile.torch.calls().served > 0
    return wrong


@pytest.mark.parametrize("mesh", [(2,), (4,)])
@pytest.mark.parametrize("name", OPERATIONS)
def test_stored_in_different_orders(ranks, mesh, name):
    for dtype in (torch.float32, torch.bfloat16):
        assert not any(ranks.run(_wrong, mesh, name, dtype))
