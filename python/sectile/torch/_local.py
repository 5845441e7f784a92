"""Local tensors, as the library takes them, and its calls on them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch

from .._native import ffi, lib
from .._world import World
from ._device import Device, device_of, lies
from ._profile import named
from ._sharding import Coordinate, Sharding, layout_of

TYPES = {
    torch.float32: lib.SCT_F32,
    torch.float64: lib.SCT_F64,
    torch.complex64: lib.SCT_CF32,
    torch.complex128: lib.SCT_CF64,
    torch.float16: lib.SCT_F16,
    torch.bfloat16: lib.SCT_BF16,
}

_WRAPPED = ffi.typeof("wrapped *")


class Operand(NamedTuple):
    """A distributed tensor, and what this rank, at this coordinate of the mesh, has of it: nothing, if
    the rank is not in the mesh.

    ``order`` is how all ranks take the last two dimensions to be stored: "C" by rows, "F" by columns. A
    local tensor that is stored otherwise is copied where that matters.
    """

    sharding: Sharding
    local: torch.Tensor
    coordinate: Coordinate
    order: str = "C"

    def swapped(self) -> Operand:
        """The operand with its last two dimensions exchanged."""
        other = "F" if self.order == "C" else "C"
        return self._replace(
            sharding=self.sharding.swapped(), local=self.local.transpose(-1, -2), order=other
        )


def in_order(local: torch.Tensor, order: str) -> torch.Tensor:
    """A local matrix that lies in this order: a copy only if it does not, or must be conjugated."""
    local = local.resolve_conj().resolve_neg()
    if lies(local, order):
        return local
    return local.contiguous() if order == "C" else local.t().contiguous().t()


def wrapped(
    device: Device, sharding: Sharding, local: torch.Tensor, shape: tuple[int, ...], order: str
) -> Any:
    """Describes a tensor on a device, as a matrix, to the library. The caller keeps `local` alive.

    A local tensor of another size than the sharding says is left out, so that the call fails on all
    ranks together.
    """
    made = ffi.new(_WRAPPED)
    made.type = TYPES[local.dtype]
    made.layout = layout_of(sharding, order)._layout
    if local.numel() == math.prod(shape) > 0:
        lines = 0 if order == "C" else 1
        made.data = ffi.cast("void *", device.address(local))
        made.ld = local.stride(lines) if local.shape[lines] > 1 else 0
    return made


def rows_of(local: torch.Tensor) -> torch.Tensor:
    """A local tensor as a matrix by rows."""
    return in_order(local.reshape(math.prod(local.shape[:-1]), local.shape[-1]), "C")


def move(
    world: World, operand: Operand, to: Sharding, at: Coordinate = None
) -> torch.Tensor:
    """Returns this rank's part of a tensor in another sharding. Collective, and without a sum.

    If that is on another mesh, this rank is there `at` a coordinate.
    """
    sharding, local, coordinate, order = operand
    if sharding == to:
        return local
    if order == "F":
        return move(world, operand.swapped(), to.swapped(), at).transpose(-1, -2)
    shape = to.local_shape(coordinate if to.mesh == sharding.mesh else at)
    device = device_of(world)
    part = device.empty(shape, local.dtype)
    if math.prod(to.shape) > 0:
        source, target = device.reached(rows_of(local)), rows_of(part)
        with named("move", source, target):
            device.call(
                world,
                lib.team_copy_wrapped,
                wrapped(device, sharding, source, sharding.local_shape(coordinate), "C"),
                wrapped(device, to, target, shape, "C"),
            )
    return part


def summed(
    world: World, operand: Operand, mesh_dims: list[int] | None = None, cut: int | None = None
) -> Operand:
    """Adds up the parts of a sum, if the operand is one, over these dimensions of the mesh, or all.
    Collective.

    Each rank fetches its piece of all parts, and adds those up. The pieces are cut along a dimension
    of the tensor; without it, along the longest.
    """
    sharding, local, coordinate, order = operand
    dims = sharding.partial if mesh_dims is None else mesh_dims
    if not dims:
        return operand
    parts = math.prod(sharding.mesh.shape[d] for d in dims)
    if cut is None:
        cut = max(range(len(sharding.shape)), key=lambda dim: sharding.shape[dim])
    result = sharding.with_cut(dims, cut)
    pieces = move(
        world,
        Operand(sharding.behind(parts).with_cut(dims, 0), local.unsqueeze(0), coordinate, order),
        result.behind(parts),
    )
    total = pieces.sum(0)
    averaged = sharding.averaged(dims)
    return Operand(result, total / averaged if averaged > 1 else total, coordinate, order)
