"""Products of distributed tensors, in any shardings.

The library multiplies matrices, except those of types that are torch's on the device. Those, and batches of matrices, are multiplied by torch, when
the library has brought together what a rank needs.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch.distributed.tensor import Partial, Replicate, Shard

from .._world import World
from . import _gathered
from ._device import device_of
from ._jobs import multiply_and_copy, multiply_into
from ._local import Operand, move, summed
from ._sharding import Coordinate, First, Sharding, cut_dim


class Bias(NamedTuple):
    """What the product is added to, after a multiplication by `beta`."""

    operand: Operand
    beta: complex


def multiply(
    world: World,
    a: Operand,
    b: Operand,
    result: Sharding,
    alpha: complex = 1,
    bias: Bias | None = None,
    kind: torch.dtype | None = None,
) -> torch.Tensor:
    """Returns this rank's part of ``alpha a @ b + beta bias``, added up and returned in a wider type than that of
    the operands, if one is given. Collective."""
    library = len(result.shape) == 2 and a.local.dtype not in device_of(world).torchs
    if library and kind is not None:
        a, b = (x._replace(local=x.local.to(kind)) for x in (a, b))
    half = a.local.dtype.itemsize == 2
    torch_is_last = (
        not library or 0 in (*a.sharding.shape, *b.sharding.shape) or (half and result.partial)
    )
    a, b = summed(world, a), summed(world, b)
    averaged = result.averaged(result.partial)
    alpha *= averaged
    bias = bias and bias._replace(beta=bias.beta * averaged)
    if library:
        product = _by_library(world, a, b, result, alpha, bias)
    else:
        product = _by_torch(world, a, b, result, alpha, bias, kind)
    if torch_is_last:
        world._agree("product")  # no later call of the library tells of a rank on which torch has failed
    return product


def in_first(result: Sharding) -> Sharding:
    """The result as a whole, where it is to be a sum of parts: one part has it all."""
    how = (First() if isinstance(h, Partial) else h for h in result.how)
    return result._replace(how=tuple(how))


def _broadcast(world: World, bias: Operand, result: Sharding) -> torch.Tensor:
    """Returns what this rank's part of the result begins with; empty, if others add the bias."""
    bias = summed(world, bias)
    while len(bias.sharding.shape) < len(result.shape):
        bias = bias._replace(sharding=bias.sharding.behind(1), local=bias.local.unsqueeze(0))
    shape = bias.sharding.shape
    whole = in_first(result)
    # A dimension of one index is the same for all indices of the result.
    how = (Replicate() if (d := cut_dim(h)) is not None and shape[d] == 1 else h for h in whole.how)
    return move(world, bias, whole._replace(shape=shape, how=tuple(how)))


def _start(
    world: World, bias: Bias | None, result: Sharding, place: Operand
) -> tuple[torch.Tensor, complex]:
    """The memory of this rank's part of the result, and by what its contents are to be multiplied."""
    made = device_of(world).empty(result.local_shape(place.coordinate), place.local.dtype)
    if bias is None or bias.beta == 0:
        return made, 0
    added = _broadcast(world, bias.operand, result)
    if added.numel() > 0:
        made.copy_(added)
    return made, bias.beta


def _by_torch(
    world: World,
    a: Operand,
    b: Operand,
    result: Sharding,
    alpha: complex,
    bias: Bias | None,
    kind: torch.dtype | None,
) -> torch.Tensor:
    product = _gathered.by_torch(world, a, b, result, kind)
    if alpha != 1:
        product *= alpha
    if bias is not None and bias.beta != 0:
        added = _broadcast(world, bias.operand, result)
        if added.numel() > 0:
            product.add_(added, alpha=bias.beta)
    return product


# ---- By the library ----


def _pieces(a: Sharding, b: Sharding, result: Sharding) -> Sharding:
    """The result with its copies cut into pieces, as far as they can be as the operands are cut.

    Ranks compute these pieces, and then fetch those of others: half of what it takes to add up
    copies that each have some contributions.
    """
    how = list(result.how)
    longest = 0 if result.shape[0] >= result.shape[1] else 1
    for d, size in enumerate(result.mesh.shape):
        if how[d] == Replicate() and size > 1:
            by_rows, by_cols = cut_dim(a.how[d]) == 0, cut_dim(b.how[d]) == 1
            how[d] = Shard(longest if by_rows == by_cols else int(by_cols))
    return result._replace(how=tuple(how))


def _by_library(
    world: World, a: Operand, b: Operand, result: Sharding, alpha: complex, bias: Bias | None
) -> torch.Tensor:
    empty = a.sharding.shape[1] == 0
    # Ranks may keep their contributions as parts of a sum, but not halves, since the library rounds
    # its sums when they are complete.
    in_parts = a.local.dtype.itemsize > 2 and not empty
    target = result if in_parts else in_first(result)
    pieces = _pieces(a.sharding, b.sharding, target)
    made, beta = _start(world, bias, pieces, a)
    c = Operand(pieces, made, a.coordinate)
    if empty:
        made.mul_(beta) if beta != 0 else made.zero_()
    elif 0 not in result.shape:
        if pieces != target:
            copied = multiply_and_copy(world, a, b, c, target, alpha, beta)
            if copied is not None:
                return filled(copied, result, a.coordinate)
        multiply_into(world, a, b, c, alpha, beta)
    return filled(move(world, c, target), result, a.coordinate)


def filled(local: torch.Tensor, result: Sharding, at: Coordinate) -> torch.Tensor:
    """This rank's part of the result: zeros, where the first part of a sum has it all."""
    shape = result.local_shape(at)
    return local if local.shape == shape else local.new_zeros(shape)
