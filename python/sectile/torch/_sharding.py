"""Placements of a tensor on a mesh as layouts of the library.

A tensor of any number of dimensions is a matrix here: its last dimension is the columns, and all
others together are the rows, as they lie in memory.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import Mapping, NamedTuple, Optional, Sequence, Union

from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor.placement_types import Placement, _StridedShard

from .._layout import Layout, Range


class First(NamedTuple):
    """Where the ranks at coordinate 0 of a mesh dimension have the tensor, and the others nothing."""


How = Union[Placement, First]


# The place of a rank in a mesh; None of a rank of the world that is not in the mesh.
Coordinate = Optional[tuple[int, ...]]


class Mesh(NamedTuple):
    """The sizes of a mesh, for each of its places, in row-major order, the rank in the world, and the
    number of ranks of the world."""

    shape: tuple[int, ...]
    ranks: tuple[int, ...]
    world: int

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def rank(self, coordinate: Sequence[int]) -> int:
        place = 0
        for size, at in zip(self.shape, coordinate):
            place = place * size + at
        return self.ranks[place]

    def coordinate(self, rank: int) -> tuple[int, ...]:
        place = self.ranks.index(rank)
        at = []
        for size in reversed(self.shape):
            place, index = divmod(place, size)
            at.append(index)
        return tuple(reversed(at))


class Sharding(NamedTuple):
    """How a tensor is spread over a mesh. ``order`` has the mesh dimensions in which it is cut."""

    mesh: Mesh
    shape: tuple[int, ...]
    how: tuple[How, ...]
    order: tuple[int, ...]

    @property
    def partial(self) -> list[int]:
        """The mesh dimensions whose ranks each have a part of a sum."""
        return [d for d, how in enumerate(self.how) if isinstance(how, Partial)]

    def averaged(self, mesh_dims: Sequence[int]) -> int:
        """The number of parts over these dimensions of the mesh, where the tensor is their average
        and not their sum."""
        return math.prod(
            self.mesh.shape[d]
            for d in mesh_dims
            if isinstance(how := self.how[d], Partial) and how.reduce_op == "avg"
        )

    def with_cut(self, mesh_dims: Sequence[int], dim: int) -> Sharding:
        """The tensor cut along a dimension over some dimensions of the mesh."""
        how = tuple(Shard(dim) if d in mesh_dims else h for d, h in enumerate(self.how))
        return self._replace(how=how)

    def swapped(self) -> Sharding:
        """The tensor with its last two dimensions exchanged."""
        last = len(self.shape) - 1
        other = {last: last - 1, last - 1: last}
        shape = (*self.shape[:-2], self.shape[-1], self.shape[-2])
        return self._replace(shape=shape, how=tuple(_moved(h, other) for h in self.how))

    def flattened(self) -> Sharding | None:
        """The tensor as a matrix, whose rows are all dimensions but the last: its local tensors stay as
        they are. None if ranks would have unequal pieces of each row of a batch."""
        last = len(self.shape) - 1
        if last == 1:
            return self
        sizes, how, uneven = list(self.shape), list(self.how), False
        for d in self.order:
            dim = cut_dim(how[d])
            if dim is None:
                continue
            outer, inner = math.prod(sizes[:dim]), math.prod(sizes[dim + 1 : last])
            rest = sizes[dim] % self.mesh.shape[d]
            if dim == last:
                how[d] = on_dim(how[d], 1)
            elif isinstance(how[d], _StridedShard) or uneven or (rest and inner != 1):
                return None
            else:
                how[d] = Shard(0) if outer == 1 else _StridedShard(0, split_factor=outer)
                uneven = rest != 0
                sizes[dim] //= self.mesh.shape[d]
        return self._replace(shape=(math.prod(self.shape[:-1]), self.shape[-1]), how=tuple(how))

    def behind(self, size: int) -> Sharding:
        """The tensor with a new first dimension."""
        behind = {dim: dim + 1 for dim in range(len(self.shape))}
        how = tuple(_moved(h, behind) for h in self.how)
        return self._replace(shape=(size, *self.shape), how=how)

    def ranges(self, dim: int, coordinate: Sequence[int]) -> list[Range]:
        """The indices of a dimension at a place of the mesh, in the order in which they are stored."""
        ranges = [(0, self.shape[dim])] if self.shape[dim] > 0 else []
        for d in self.order:
            if cut_dim(self.how[d]) == dim:
                ranges = _cut(ranges, self.how[d], self.mesh.shape[d], coordinate[d])
        return ranges

    def local_shape(self, coordinate: Coordinate) -> tuple[int, ...]:
        if coordinate is None or any(isinstance(h, First) and at > 0 for h, at in zip(self.how, coordinate)):
            return (0,) * len(self.shape)
        return tuple(
            sum(high - low for low, high in self.ranges(dim, coordinate))
            for dim in range(len(self.shape))
        )


def stays(a: Sharding, b: Sharding, product: Sharding) -> bool:
    """Whether the product of two matrices is that of their local tensors."""
    return all(map(_stays, a.how, b.how, product.how))


def _stays(a: How, b: How, product: How) -> bool:
    if isinstance(a, Partial) or isinstance(b, Partial):
        return False
    if cut_dim(a) == 1 and cut_dim(b) == 0:
        return isinstance(product, Partial) and on_dim(a, 0) == b
    if cut_dim(a) == 0:
        return isinstance(b, Replicate) and product == a
    return isinstance(a, Replicate) and cut_dim(b) != 0 and product == b


def cut_dim(how: How) -> int | None:
    """The tensor dimension that a placement cuts."""
    return how.dim if isinstance(how, (Shard, _StridedShard)) else None


def on_dim(how: How, dim: int) -> How:
    """A placement that cuts, on another dimension."""
    if isinstance(how, _StridedShard):
        return _StridedShard(dim, split_factor=how.split_factor)
    return Shard(dim)


def _moved(how: How, dims: Mapping[int, int]) -> How:
    """A placement after dimensions of the tensor have moved."""
    dim = cut_dim(how)
    return how if dim is None else on_dim(how, dims.get(dim, dim))


def _take(ranges: list[Range], low: int, high: int) -> list[Range]:
    """The indices number `low` to `high` of those in the ranges."""
    taken = []
    for start, end in ranges:
        count = end - start
        if low < count and high > 0:
            taken.append((start + max(low, 0), start + min(high, count)))
        low, high = low - count, high - count
    return [(start, end) for start, end in taken if start < end]


def _chunk(ranges: list[Range], chunks: int, index: int) -> list[Range]:
    """A chunk of the indices, as torch.chunk cuts them: the last ones may be shorter, or empty."""
    size = -(-sum(high - low for low, high in ranges) // chunks)
    return _take(ranges, index * size, (index + 1) * size)


def _cut(ranges: list[Range], how: How, chunks: int, index: int) -> list[Range]:
    if not isinstance(how, _StridedShard):
        return _chunk(ranges, chunks, index)
    split = int(how.split_factor)
    pieces = (_chunk(ranges, split, i) for i in range(split))
    return [part for piece in pieces for part in _chunk(piece, chunks, index)]


def _stacked(ranges: list[list[Range]], shape: tuple[int, ...]) -> list[Range]:
    """Ranges of several dimensions as ranges of the one that they make together."""
    *outer, found = ranges
    inner = shape[-1]
    for dim in range(len(outer) - 1, -1, -1):
        if found == [(0, inner)]:
            found = [(low * inner, high * inner) for low, high in outer[dim]]
        else:
            indices = itertools.chain.from_iterable(range(*r) for r in outer[dim])
            found = [(i * inner + low, i * inner + high) for i in indices for low, high in found]
        inner *= shape[dim]
    return found


class _Axis(NamedTuple):
    cuts: str
    owners: str
    grid: int
    mesh_dims: list[int]


def _axis(sharding: Sharding, dims: range) -> _Axis:
    """How the dimensions together are cut: each combination of coordinates is a place of the grid."""
    mesh_dims = [d for d, how in enumerate(sharding.how) if cut_dim(how) in dims]
    shape = sharding.shape[dims.start : dims.stop]
    blocks = []
    places = list(itertools.product(*(range(sharding.mesh.shape[d]) for d in mesh_dims)))
    for place, at in enumerate(places):
        coordinate = [0] * len(sharding.how)
        for d, value in zip(mesh_dims, at):
            coordinate[d] = value
        own = _stacked([sharding.ranges(dim, coordinate) for dim in dims], shape)
        blocks += [(low, place) for low, high in own]
    blocks.sort()
    cuts = ",".join(str(low) for low, _ in blocks[1:]) or "-"
    owners = ",".join(str(place) for _, place in blocks)
    return _Axis(cuts, owners, len(places), mesh_dims)


@lru_cache(maxsize=4096)
def layout_of(sharding: Sharding, order: str = "C") -> Layout:
    """Makes the layout of a tensor without empty dimensions. ``order`` is "F" for a matrix that is
    stored by columns."""
    last = len(sharding.shape) - 1
    rows, cols = _axis(sharding, range(last)), _axis(sharding, range(last, last + 1))
    copied = [d for d, how in enumerate(sharding.how) if isinstance(how, (Replicate, Partial))]
    mesh_dims = [*copied, *rows.mesh_dims, *cols.mesh_dims]
    ranks = []
    for at in itertools.product(*(range(sharding.mesh.shape[d]) for d in mesh_dims)):
        coordinate = [0] * len(sharding.how)
        for d, value in zip(mesh_dims, at):
            coordinate[d] = value
        ranks.append(str(sharding.mesh.rank(coordinate)))
    replicas = math.prod(sharding.mesh.shape[d] for d in copied)
    text = (
        f"cuts:{rows.cuts}x{cols.cuts}@{rows.owners}x{cols.owners}@{rows.grid}x{cols.grid}"
        f"*{replicas}%{','.join(ranks)}{'/f' if order == 'F' else ''}"
    )
    shape = (math.prod(sharding.shape[:-1]), sharding.shape[-1])
    return Layout(text, shape, sharding.mesh.world)
