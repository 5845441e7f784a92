"""Products by torch: the library brings together what each rank needs for its part of the work, and
takes the results where they belong.

The work is placed as a result is: cut along a dimension of the result, or, where ranks have a part of
a sum, along the dimension that is summed over. Of all such ways the one is taken that moves least.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import torch
from torch.distributed.tensor import Partial, Replicate, Shard

from .._world import World
from ._local import Operand, move, summed
from ._sharding import How, Sharding, cut_dim


def _needed(factor: Sharding, work: Sharding, own: int, inner: int) -> Sharding:
    """What the work takes of a factor. `own` is the dimension that it alone shares with the result,
    `inner` the one that is summed over."""
    how: list[How] = []
    for h in work.how:
        dim = cut_dim(h)
        if isinstance(h, Partial):
            how.append(Shard(inner))
        elif dim is None or dim == own or dim < len(work.shape) - 2:
            how.append(h)
        else:
            how.append(Replicate())
    return work._replace(shape=factor.shape, how=tuple(how))


def factors_of(a: Sharding, b: Sharding, work: Sharding) -> tuple[Sharding, Sharding]:
    """What the work takes of both operands."""
    last = len(work.shape) - 1
    return _needed(a, work, last - 1, last), _needed(b, work, last, last - 1)


def _places(sharding: Sharding) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(size) for size in sharding.mesh.shape)))


def _fetched(source: Sharding, to: Sharding) -> int:
    """The most elements that a rank has to fetch from others."""

    def at(place: tuple[int, ...]) -> int:
        here = 1
        for dim in range(len(to.shape)):
            pairs = itertools.product(source.ranges(dim, place), to.ranges(dim, place))
            here *= sum(max(0, min(x[1], y[1]) - max(x[0], y[0])) for x, y in pairs)
        return math.prod(to.local_shape(place)) - here

    return max(map(at, _places(to)))


def _pieces(work: Sharding, result: Sharding) -> tuple[list[int], int, Sharding]:
    """The mesh dimensions over which parts of the work are added up, along which dimension their sum
    is cut, and how it then lies."""
    sums = [d for d in work.partial if d not in result.partial]
    cuts = [dim for d in sums if (dim := cut_dim(result.how[d])) is not None]
    longest = max(range(len(work.shape)), key=lambda dim: work.shape[dim])
    dim = cuts[0] if cuts else longest
    return sums, dim, work.with_cut(sums, dim)


def _moved(a: Sharding, b: Sharding, work: Sharding, result: Sharding) -> int:
    need_a, need_b = factors_of(a, b, work)
    sums, _, pieces = _pieces(work, result)
    parts = math.prod(work.mesh.shape[d] for d in sums)
    size = max(math.prod(pieces.local_shape(place)) for place in _places(pieces))
    factors = _fetched(a, need_a) + _fetched(b, need_b)
    return factors + (parts - 1) * size + _fetched(pieces, result)


@lru_cache(maxsize=4096)
def work_of(a: Sharding, b: Sharding, result: Sharding) -> Sharding:
    """How the work is placed."""
    choices: list[list[How]] = []
    for size, how in zip(result.mesh.shape, result.how):
        cuts = [Shard(dim) for dim in range(len(result.shape))]
        choices.append([how] if isinstance(how, Partial) or size == 1 else [how, *cuts, Partial()])
    ways = (result._replace(how=how) for how in itertools.product(*choices))
    return min(ways, key=lambda work: _moved(a, b, work, result))


def by_torch(
    world: World, a: Operand, b: Operand, result: Sharding, kind: torch.dtype | None = None
) -> torch.Tensor:
    """Returns this rank's part of ``a @ b``, whose parts are added up in another type, if one is given. Collective."""
    work = work_of(a.sharding, b.sharding, result)
    need_a, need_b = factors_of(a.sharding, b.sharding, work)
    product = torch.matmul(move(world, a, need_a), move(world, b, need_b))
    product = product if kind is None else product.to(kind)
    sums, dim, pieces = _pieces(work, result)
    found = Operand(work, product, a.coordinate)
    if sums:
        found = summed(world, found, sums, dim)
    return move(world, found, result)
