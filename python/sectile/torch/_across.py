"""Products and copies of tensors on several meshes.

All ranks of the meshes call these. A rank that is not in the mesh of a tensor has nothing of it. Each rank
fetches what it is to have from those that have it.
"""

from __future__ import annotations

import torch
from torch.distributed.tensor import Replicate, Shard

from .._world import World
from ._device import device_of
from ._gathered import factors_of
from ._jobs import multiply_into
from ._local import TYPES, Operand, move, summed
from ._product import filled, in_first
from ._sharding import Coordinate, Sharding

# Types of the library as which elements of so many bytes are copied.
_CARRIERS = {2: torch.float16, 4: torch.float32, 8: torch.float64, 16: torch.complex128}


def _carried(local: torch.Tensor) -> torch.Tensor:
    """A local tensor of any type as one of the library's, with the same bits."""
    if local.dtype in TYPES:
        return local
    if local.dtype.itemsize == 1:
        local = local.view(torch.uint8).to(torch.int16)
    return local.view(_CARRIERS[local.dtype.itemsize])


def _delivered(local: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The opposite of `_carried`."""
    if dtype.itemsize == 1:
        local = local.view(torch.int16).to(torch.uint8)
    return local.view(dtype)


def _as_matrix(operand: Operand) -> Operand:
    """A tensor of less than two dimensions with more of one index."""
    while len(operand.sharding.shape) < 2:
        sharding = operand.sharding.behind(1)
        operand = operand._replace(sharding=sharding, local=operand.local.unsqueeze(0))
    return operand


def copy(world: World, operand: Operand, to: Sharding, at: Coordinate) -> torch.Tensor:
    """Returns this rank's part of a copy of a tensor in another sharding, in whose mesh it is `at` a
    coordinate. Collective."""
    operand = summed(world, operand)
    whole = in_first(to)
    shape, dtype = whole.local_shape(at), operand.local.dtype
    given = _as_matrix(operand._replace(local=_carried(operand.local), order="C"))
    target = _as_matrix(Operand(whole, given.local.new_empty(0), at)).sharding
    part = move(world, given, target, at)
    part = part.reshape(shape) if part.numel() > 0 else part.new_zeros(shape)
    part = part.clone() if part.data_ptr() == given.local.data_ptr() else part
    return filled(_delivered(part, dtype), to, at)


def _cut_copies(to: Sharding) -> Sharding:
    """A matrix with pieces where ranks are to have copies, which they fetch from each other."""
    longest = Shard(0 if to.shape[0] >= to.shape[1] else 1)
    return to._replace(how=tuple(longest if h == Replicate() else h for h in to.how))


def multiply(
    world: World, a: Operand, b: Operand, result: Sharding, at: Coordinate
) -> torch.Tensor:
    """Returns this rank's part of ``a @ b``, in whose mesh it is `at` a coordinate. Collective."""
    a, b = summed(world, a), summed(world, b)
    whole = in_first(result)
    dtype, device = a.local.dtype, device_of(world)
    if len(result.shape) == 2 and dtype not in device.torchs and 0 not in (*a.sharding.shape, *result.shape):
        pieces = _cut_copies(whole)
        c = Operand(pieces, device.empty(pieces.local_shape(at), dtype), at)
        multiply_into(world, a, b, c, 1, 0)
        product = move(world, c, whole)
    else:
        need_a, need_b = factors_of(a.sharding, b.sharding, whole)
        product = torch.matmul(move(world, a, need_a, at), move(world, b, need_b, at))
    world._agree("product")  # torch may have failed on some ranks
    return filled(product, result, at)
