"""Products of distributed tensors, in any shardings.

Matrices are multiplied by the library. Of batches of matrices, each rank computes its part of the
result with torch, when the library has brought together what that takes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch.distributed.tensor import Partial, Replicate, Shard

from .._native import ffi, lib
from .._types import scalar
from .._world import World
from ._local import TYPES, Operand, in_order, move, summed, wrapped
from ._sharding import First, How, Sharding, cut_dim, on_dim

_HALVES = (torch.float16, torch.bfloat16)


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
) -> torch.Tensor:
    """Returns this rank's part of ``alpha a @ b + beta bias``. Collective."""
    a, b = summed(world, a), summed(world, b)
    for size, how in zip(result.mesh.shape, result.how):
        if isinstance(how, Partial) and how.reduce_op == "avg":
            alpha *= size
            bias = bias and bias._replace(beta=bias.beta * size)
    product = _batched if len(result.shape) > 2 else _matrices
    return product(world, a, b, result, alpha, bias)


def _first(result: Sharding) -> Sharding:
    """The result as a whole, where it is to be a sum of parts: one part has it all."""
    how = (First() if isinstance(h, Partial) else h for h in result.how)
    return result._replace(how=tuple(how))


def _broadcast(world: World, bias: Operand, result: Sharding) -> torch.Tensor:
    """Returns what this rank's part of the result begins with; empty, if others add the bias."""
    bias = summed(world, bias)
    while len(bias.sharding.shape) < len(result.shape):
        bias = bias._replace(sharding=bias.sharding.behind(1), local=bias.local.unsqueeze(0))
    shape = bias.sharding.shape
    whole = _first(result)
    # A dimension of one index is the same for all indices of the result.
    how = (Replicate() if (d := cut_dim(h)) is not None and shape[d] == 1 else h for h in whole.how)
    return move(world, bias, whole._replace(shape=shape, how=tuple(how)))


def _start(
    world: World, bias: Bias | None, result: Sharding, place: Operand
) -> tuple[torch.Tensor, complex]:
    """The memory of this rank's part of the result, and by what its contents are to be multiplied."""
    made = torch.empty(result.local_shape(place.coordinate), dtype=place.local.dtype)
    if bias is None or bias.beta == 0:
        return made, 0
    added = _broadcast(world, bias.operand, result)
    if added.numel() > 0:
        made.copy_(added)
    return made, bias.beta


# ---- Matrices ----


def _is_kept_in_parts(result: Sharding, dtype: torch.dtype) -> bool:
    """True if each rank keeps what it computes of a result that is to be a sum of parts.

    Not of halves, which the library rounds when their sums are complete.
    """
    return any(isinstance(how, Partial) for how in result.how) and dtype not in _HALVES


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


def _matrices(
    world: World, a: Operand, b: Operand, result: Sharding, alpha: complex, bias: Bias | None
) -> torch.Tensor:
    empty = a.sharding.shape[1] == 0
    parts = _is_kept_in_parts(result, a.local.dtype) and not empty
    target = result if parts else _first(result)
    pieces = _pieces(a.sharding, b.sharding, target)
    c, beta = _start(world, bias, pieces, a)
    if empty:
        c.mul_(beta) if beta != 0 else c.zero_()
    elif 0 not in result.shape:
        _multiply_into(world, a, b, c, pieces, alpha, beta)
    c = move(world, Operand(pieces, c, a.coordinate), target)
    shape = result.local_shape(a.coordinate)
    return c if c.shape == shape else c.new_zeros(shape)


def _describe(operand: Operand) -> tuple[torch.Tensor, Any]:
    sharding, local, coordinate, order = operand
    local = in_order(local, order)
    return local, wrapped(sharding, local, sharding.local_shape(coordinate), order)


def _options(parts: bool) -> Any:
    result = lib.SCT_RESULT_PARTIAL if parts else lib.SCT_RESULT_ALL
    return ffi.new("sct_options *", {"size": ffi.sizeof("sct_options"), "result": result})


def _multiply_into(
    world: World,
    a: Operand,
    b: Operand,
    c: torch.Tensor,
    target: Sharding,
    alpha: complex,
    beta: complex,
) -> None:
    """c = alpha a b + beta c, by the library. Plans are kept with the world."""
    plans: dict[Any, Any] = world.__dict__.setdefault("_wrapped_plans", {})
    key = a.sharding, a.order, b.sharding, b.order, target, c.dtype
    known = plans.get(key)
    plan = ffi.new("sct_plan **", known or ffi.NULL)
    local_a, wrapped_a = _describe(a)
    local_b, wrapped_b = _describe(b)
    _, wrapped_c = _describe(Operand(target, c, a.coordinate))
    number = TYPES[c.dtype]
    parts = any(isinstance(how, Partial) for how in target.how)
    world._call(
        lib.team_multiply_wrapped,
        scalar(number, alpha),
        wrapped_a,
        wrapped_b,
        scalar(number, beta),
        wrapped_c,
        _options(parts),
        plan,
    )
    if known is None:
        plans[key] = ffi.gc(plan[0], lib.sct_plan_destroy)


# ---- Batches ----


def _factor(factor: Operand, result: Sharding, own: int, inner: int) -> Sharding:
    """What a rank needs of a factor for its part of the result.

    `own` is the dimension that only this factor has in common with the result, `inner` the one that
    is summed over. Ranks that each have a part of the sum divide that one.
    """
    how: list[How] = []
    for h in result.how:
        dim = cut_dim(h)
        if isinstance(h, Partial):
            how.append(Shard(inner))
        elif dim is None or dim in (0, own):
            how.append(h)
        else:
            how.append(Replicate())
    return result._replace(shape=factor.sharding.shape, how=tuple(how))


def _batched(
    world: World, a: Operand, b: Operand, result: Sharding, alpha: complex, bias: Bias | None
) -> torch.Tensor:
    local_a = move(world, a, _factor(a, result, 1, 2))
    local_b = move(world, b, _factor(b, result, 2, 1))
    added, beta = _start(world, bias, _first(result), a)
    c = torch.bmm(local_a, local_b)
    if alpha != 1:
        c *= alpha
    if beta != 0 and added.numel() > 0:
        c.add_(added, alpha=beta)
    return c
