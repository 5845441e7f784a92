"""Tensors in memory of the library, which ranks of the same host read in place."""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Iterable
from typing import Any, Sequence, TypeVar, Union

import torch
from torch.distributed.tensor import DTensor, Placement

from .._arguments import whole
from .._errors import BadArgumentError, BadTypeError, TooLargeError, kind_of
from .._layout import find_layout
from .._native import lib
from .._processes import ProcessWorld
from .._storage import Storage
from ._device import DEVICES, device_of
from ._operations import checked_placements, collective, sharding_of
from ._site import site_of, world_of
from ._specs import by_rows

# Each tensor begins at a multiple of so many bytes, which are a row of the matrix that has them all.
_ROW = 64
_COLS = _ROW // 8

Shared = TypeVar("Shared", bound=Union[torch.nn.Module, Iterable[torch.Tensor]])


def _bytes_of(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _memory(world: ProcessWorld, rows: int) -> Any:
    """Makes memory of so many rows, which differ between ranks: a tensor of bytes, or None of none.
    Collective."""
    counts = [struct.unpack("=q", each)[0] for each in world._gather(struct.pack("=q", rows))]
    owners = [rank for rank, count in enumerate(counts) if count > 0]
    if not owners:
        return None
    ends = list(itertools.accumulate(counts[rank] for rank in owners))
    cuts = ",".join(map(str, ends[:-1])) or "-"
    text = f"cuts:{cuts}x-@{','.join(map(str, owners))}x0@{world.size}x1"
    layout = find_layout(text, (ends[-1], _COLS), world.size)
    storage = Storage(world, lib.SCT_F64, layout).create()
    return device_of(world).memory(storage) if rows > 0 else None


def _place(world: ProcessWorld, alike: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Makes tensors with the shapes and types of these, which differ between ranks. Collective.

    One matrix has all of them, and lives as long as any. Each has a storage of its own, as torch.save
    needs it.
    """
    device = device_of(world)
    rows = [-(-_bytes_of(tensor) // _ROW) for tensor in alike]
    memory = _memory(world, sum(rows))
    if memory is None:
        return [torch.empty_like(tensor, device=device.kind) for tensor in alike]
    made, start = [], 0
    for tensor, count in zip(alike, rows):
        address = device.address(memory[start:])
        own = device.shown(address, _bytes_of(tensor), memory).view(tensor.dtype)
        dense = torch.empty_like(tensor, device="meta")
        made.append(own.as_strided(tensor.shape, dense.stride()))
        start += count * _ROW
    return made


def _checked(
    size: tuple[Any, ...], dtype: Any, requires_grad: Any
) -> tuple[torch.Size, torch.dtype]:
    """Returns the shape and the type that a caller asks for."""
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if not isinstance(dtype, torch.dtype):
        raise BadTypeError(f"empty: {kind_of(dtype)} is not a dtype of torch")
    if not isinstance(requires_grad, bool):
        raise BadTypeError(f"empty: requires_grad: {kind_of(requires_grad)} is not True or False")
    if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
        raise BadArgumentError(f"empty: {dtype} has no gradient")
    try:
        given = tuple(size[0] if len(size) == 1 and not hasattr(size[0], "__index__") else size)
    except TypeError:
        raise BadTypeError(f"empty: {kind_of(size[0])} is not a size") from None
    shape = [whole("size", each, "int64_t", least=0) for each in given]
    if math.prod(max(each, 1) for each in shape) * dtype.itemsize >= 1 << 63:
        raise TooLargeError("empty: there are too many elements")
    return torch.Size(shape), dtype


@collective
def empty(
    *size: Any,
    dtype: torch.dtype | None = None,
    device_mesh: Any,
    placements: Sequence[Placement],
    requires_grad: bool = False,
) -> DTensor:
    """Makes a DTensor, whose elements are undefined, in memory that others read in place.

    Collective over the ranks of the mesh. The arguments are those of
    ``torch.distributed.tensor.empty``.

    >>> sectile.torch.empty(6, 4, device_mesh=mesh, placements=[Shard(0)]).shape
    torch.Size([6, 4])
    """
    shape, dtype = _checked(size, dtype, requires_grad)
    placements = checked_placements("empty", device_mesh, placements, len(shape))
    spec = by_rows(device_mesh, placements, shape, dtype)
    site = site_of(device_mesh)
    local = sharding_of(spec, site.mesh).local_shape(site.coordinate)
    alike = torch.empty(local, dtype=dtype, device="meta")
    world = world_of(site)
    made: DTensor = DTensor(_place(world, [alike])[0], spec, requires_grad=False)
    made.requires_grad_(requires_grad)
    world._agree("empty")  # torch may have refused on some ranks
    return made


def zeros(*size: Any, **how: Any) -> DTensor:
    """Makes a DTensor of zeros, as `empty` does.

    >>> sectile.torch.zeros(2, device_mesh=mesh, placements=[Replicate()]).to_local()
    tensor([0., 0.])
    """
    made = empty(*size, **how)
    made._local_tensor.zero_()
    return made


@collective
def share_(what: Shared) -> Shared:
    """Moves DTensors to memory that other ranks of the host read in place, and returns `what`.

    `what` is a module, whose parameters and buffers are moved, or a DTensor, or several. Tensors that
    are no DTensors stay where they are, and so do those that share memory with what is moved.
    Collective over the ranks of the meshes.

    >>> weight = distribute_tensor(torch.ones(2, 2), mesh, [Shard(0)])
    >>> sectile.torch.share_(weight) is weight
    True
    """
    if isinstance(what, torch.nn.Module):
        given: Iterable[torch.Tensor] = itertools.chain(what.parameters(), what.buffers())
    else:
        try:
            given = [what] if isinstance(what, torch.Tensor) else list(what)
        except TypeError:
            raise BadTypeError(f"share_: {kind_of(what)} is not a tensor or several") from None
    by_ranks: dict[ProcessWorld, dict[int, torch.Tensor]] = {}
    for tensor in given:
        if not isinstance(tensor, torch.Tensor):
            raise BadTypeError(
                f"share_: {kind_of(tensor)} in {kind_of(what)} is not a tensor: pass a module, a "
                "DTensor or a list of these; of a dict its values()"
            )
        if isinstance(tensor, DTensor) and tensor.device_mesh.get_coordinate() is not None:
            local = tensor._local_tensor
            kind = tensor.device_mesh.device_type
            if type(local) is not torch.Tensor or not local.device.type == kind in DEVICES:
                raise BadArgumentError(
                    "share_: a local tensor is not in the memory of the device of its mesh"
                )
            by_ranks.setdefault(world_of(site_of(tensor.device_mesh)), {})[id(local)] = local
    for world, found in by_ranks.items():
        locals = list(found.values())
        for local, placed in zip(locals, _place(world, locals)):
            placed.copy_(local)
            local.data = placed
        world._agree("share_")  # torch may have refused on some ranks
    return what
