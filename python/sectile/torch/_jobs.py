"""Products of matrices by the library, and the matrices that are kept with a world for small ones.

If a small product comes again, matrices are made for it in memory of the library, into which its operands
are copied: it then takes fewer steps that all ranks do together. The matrices that were used last are kept.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import Any, NamedTuple

import torch

from .._native import ffi, lib
from .._types import scalar
from .._world import World
from ._device import Device, device_of
from ._local import TYPES, Operand, in_order, wrapped
from ._profile import named
from ._recent import Recent
from ._sharding import Sharding, cut_dim

# The most bytes of three matrices that count as small, how many small products are known to have come, and
# of how many matrices are kept.
_SMALL = 4 << 20
_KNOWN = 256
_STAGED = 64
# In how many parts a result is computed that is to be copied, and the fewest rows or columns of one.
_PARTS = 4
_SHORTEST = 32


class _Kept:
    """The small products of a world that have come, and the matrices of those that came again."""

    def __init__(self, world: World):
        self.known: Recent[None] = Recent(_KNOWN)
        # All ranks make the same calls, so that they drop the same matrices.
        self.staged: Recent[Any] = Recent(
            _STAGED, lambda staged: world._call(lib.team_staged_free, staged)
        )

    def comes_again(self, key: Any) -> bool:
        """Whether a product has come before."""
        again = key in self.staged or key in self.known
        if not again:
            self.known.get(key, lambda: None)
        return again

    def clear(self) -> None:
        """Drops everything. Ranks whose calls differed may keep different things."""
        self.known.clear()
        self.staged.clear()


def _kept(world: World) -> _Kept:
    kept: _Kept | None = world.__dict__.get("_products")
    if kept is None:
        kept = world.__dict__["_products"] = _Kept(world)
        world._after_failure = kept.clear
    return kept


def _options(parts: bool) -> Any:
    result = lib.SCT_RESULT_PARTIAL if parts else lib.SCT_RESULT_ALL
    return ffi.new("sct_options *", {"size": ffi.sizeof("sct_options"), "result": result})


class _Described(NamedTuple):
    """An operand for the library; its memory must stay."""

    wrapped: Any
    local: torch.Tensor


def _describe(device: Device, operand: Operand) -> _Described:
    sharding, local, coordinate, order = operand
    local = device.reached(in_order(local, order))
    shape = sharding.local_shape(coordinate)
    return _Described(wrapped(device, sharding, local, shape, order), local)


def multiply_into(
    world: World, a: Operand, b: Operand, c: Operand, alpha: complex, beta: complex
) -> None:
    """c = alpha a b + beta c. Collective."""
    key = a.sharding, a.order, b.sharding, b.order, c.sharding, c.local.dtype
    number = TYPES[c.local.dtype]
    factors = scalar(number, alpha), scalar(number, beta)
    options = _options(bool(c.sharding.partial))
    device = device_of(world)
    operands = _describe(device, a), _describe(device, b), _describe(device, c)
    small = device.keeps_small and _is_small(a, b, c)
    staged = small and _kept(world).comes_again(key)
    with named("multiply", a.local, b.local, c.local):
        if staged:
            _multiply_staged(world, key, operands, factors, options)
        else:
            x, y, z = (operand.wrapped for operand in operands)
            device.call(world, lib.team_multiply_wrapped, factors[0], x, y, factors[1], z, options)


def _is_small(a: Operand, b: Operand, c: Operand) -> bool:
    elements = sum(math.prod(operand.sharding.shape) for operand in (a, b, c))
    return elements * c.local.element_size() <= _SMALL


def _stay(a: Sharding, b: Sharding) -> bool:
    """Whether the operands can be multiplied where they are."""
    cuts = [(cut_dim(x), cut_dim(y)) for x, y in zip(a.how, b.how)]
    return all(x is None or y is None or (x, y) == (1, 0) for x, y in cuts)


def _parted_dim(a: Sharding, b: Sharding, c: Sharding) -> int | None:
    """The dimension of c whose parts each give all ranks the same share of the work, and move no more
    than the product as a whole: neither c is cut along it, nor the operand that has it. All parts
    use the other operand: it moves in none, unless it is cut along a dimension that is too short."""
    if not _stay(a, b):
        return None
    for dim, (parted, shared) in enumerate(((a, b), (b, a))):
        if any(cut_dim(how) == dim for how in (*parted.how, *c.how)):
            continue
        long = c.shape[dim] >= _SHORTEST * _PARTS
        summed_over = any(cut_dim(how) == dim for how in shared.how)
        if long and (not summed_over or a.shape[1] >= c.shape[dim] * c.mesh.size):
            return dim
    return None


def multiply_and_copy(
    world: World, a: Operand, b: Operand, c: Operand, to: Sharding, alpha: complex, beta: complex
) -> torch.Tensor | None:
    """c = alpha a b + beta c; returns this rank's part of c in another sharding. Collective.

    Where ranks copy what they cannot read in memory, each part of c is copied while the next is
    computed. Returns None, and does nothing, if that cannot be done, or gains nothing. Not of halves,
    where each part would have sums of its own.
    """
    dim = _parted_dim(a.sharding, b.sharding, c.sharding)
    half = c.local.dtype.itemsize == 2
    if dim is None or half or _is_small(a, b, c) or not _from_afar(world, c.sharding, to):
        return None
    device = device_of(world)
    made = device.empty(to.local_shape(c.coordinate), c.local.dtype)
    described = [_describe(device, x) for x in (a, b, c, Operand(to, made, c.coordinate))]
    number = TYPES[c.local.dtype]
    how = {"to": described[3].wrapped, "by_rows": dim == 0, "parts": _PARTS}
    spread = ffi.new("struct spread *", how)
    with named("multiply", a.local, b.local, c.local):
        device.call(
            world,
            lib.team_multiply_spread,
            scalar(number, alpha),
            described[0].wrapped,
            described[1].wrapped,
            scalar(number, beta),
            described[2].wrapped,
            _options(bool(c.sharding.partial)),
            spread,
        )
    return made


def _from_afar(world: World, before: Sharding, after: Sharding) -> bool:
    """Whether some ranks copy what is not in the memory of their node."""
    per_node = lib.sct_world_ranks_per_node(lib.team_world(world._team, 0))
    return bool(per_node < world.size and _between_nodes(per_node, before, after))


@lru_cache(maxsize=256)
def _between_nodes(per_node: int, before: Sharding, after: Sharding) -> bool:
    mesh = before.mesh
    changed = [x != y for x, y in zip(before.how, after.how)]
    for coordinate in itertools.product(*map(range, mesh.shape)):
        first = [0 if moves else at for moves, at in zip(changed, coordinate)]
        if mesh.rank(coordinate) // per_node != mesh.rank(first) // per_node:
            return True
    return False


def _multiply_staged(world: World, key: Any, operands: Any, factors: Any, options: Any) -> None:
    a, b, c = (operand.wrapped for operand in operands)

    def make() -> Any:
        made = ffi.new("struct staged **")
        world._call(lib.team_staged_new, a, b, c, made)
        return made[0]

    staged = _kept(world).staged.get(key, make)
    world._call(lib.team_staged_run, staged, factors[0], a, b, factors[1], c, options)
