"""The operations of torch that are served: how their arguments are read, and who computes them."""

from __future__ import annotations

import weakref
from typing import Any, Iterable, NamedTuple, Sequence

import torch
import torch.distributed as dist
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard
from torch.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torch.distributed.tensor.placement_types import _StridedShard

from .._collective import mark_told, telling
from .._engine import ProcessOptions
from .._errors import BadArgumentError, BadTypeError, kind_of
from .._processes import ProcessWorld
from ._local import TYPES, Operand
from ._meeting import check_group, world_of_ranks
from ._product import Bias, multiply
from ._sharding import Mesh, Sharding, cut_dim, on_dim

aten = torch.ops.aten


class Call(NamedTuple):
    """A product as it was called: ``alpha a @ b + beta bias``."""

    a: DTensor
    b: DTensor
    alpha: complex = 1
    bias: DTensor | None = None
    beta: complex = 1

    @property
    def tensors(self) -> tuple[DTensor, ...]:
        return (self.a, self.b) if self.bias is None else (self.a, self.b, self.bias)


def read_product(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    a, b = args
    return Call(a, b)


def read_sum(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    bias, a, b = args
    return Call(a, b, kwargs.get("alpha", 1), bias, kwargs.get("beta", 1))


READ = {
    aten.mm.default: read_product,
    aten.addmm.default: read_sum,
    aten.bmm.default: read_product,
    aten.baddbmm.default: read_sum,
}
_MOST_OPERANDS = 3
# The classes of local tensors that are served. One of the second is still being received by torch;
# `local_of` waits for it.
_LOCAL = (torch.Tensor, AsyncCollectiveTensor)
# The dimensions of the operands.
DIMS = {
    aten.mm.default: 2,
    aten.addmm.default: 2,
    aten.bmm.default: 3,
    aten.baddbmm.default: 3,
}


# ---- Meshes ----


class Site(NamedTuple):
    """A mesh as the library sees it, and where this rank is in it."""

    mesh: Mesh
    coordinate: tuple[int, ...]
    ranks: tuple[int, ...]


_sites: weakref.WeakKeyDictionary[Any, Site] = weakref.WeakKeyDictionary()
_worlds: weakref.WeakKeyDictionary[Any, dict[tuple[int, ...], ProcessWorld]] = weakref.WeakKeyDictionary()


def site_of(device_mesh: Any) -> Site:
    site = _sites.get(device_mesh)
    if site is None:
        places = device_mesh.mesh.flatten().tolist()
        ranks = tuple(sorted(places))
        mesh = Mesh(tuple(device_mesh.shape), tuple(ranks.index(rank) for rank in places))
        site = _sites[device_mesh] = Site(mesh, tuple(device_mesh.get_coordinate()), ranks)
    return site


def world_of(site: Site) -> ProcessWorld:
    """Returns the world of the ranks of a mesh. Collective at the first call."""
    check_group()
    worlds = _worlds.setdefault(dist.group.WORLD, {})
    world = worlds.get(site.ranks)
    if world is None:
        try:
            world = worlds[site.ranks] = world_of_ranks(site.ranks, ProcessOptions("processes"))
        except Exception as problem:
            mark_told(problem)  # without a world there is nothing to tell others by
            raise
    return world


def _world_of_tensors(values: Iterable[Any]) -> ProcessWorld | None:
    """The world of the first mesh, or distributed tensor."""
    for value in values:
        if isinstance(value, torch.nn.Module):
            value = list(value.parameters())
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, (list, tuple)):
            world = _world_of_tensors(value)
            if world is not None:
                return world
        mesh = value.device_mesh if isinstance(value, DTensor) else value
        if isinstance(mesh, DeviceMesh) and mesh.get_coordinate() is not None:
            return world_of(site_of(mesh)) if dist.is_initialized() else None
    return None


#: Has a function of distributed tensors tell other ranks why it fails.
collective = telling(_world_of_tensors)


# ---- Shardings ----


def sharding_of(spec: DTensorSpec, mesh: Mesh) -> Sharding:
    order = [d for entry in spec.shard_order or () for d in entry.mesh_dims]
    order += [d for d in range(len(mesh.shape)) if d not in order]
    return Sharding(mesh, tuple(spec.shape), spec.placements, tuple(order))


def _stored_by_columns(spec: DTensorSpec) -> bool:
    *_, rows, cols = spec.shape
    *_, down, across = spec.stride
    return (rows <= 1 or down == 1) and not (cols <= 1 or across == 1)


def local_of(tensor: DTensor) -> torch.Tensor:
    """Returns what this rank has of a tensor, once that has arrived."""
    local = tensor._local_tensor
    return local.wait() if isinstance(local, AsyncCollectiveTensor) else local


def operand_of(tensor: DTensor, site: Site) -> Operand:
    spec = tensor._spec
    order = "F" if len(spec.shape) > 1 and _stored_by_columns(spec) else "C"
    return Operand(sharding_of(spec, site.mesh), local_of(tensor), site.coordinate, order)


def _agreed(world: ProcessWorld, operands: list[Operand]) -> list[Operand]:
    """The operands in storage orders that all ranks have: by rows, where ranks differ, as they may
    after `DTensor.from_local`. Collective."""
    mine = "".join(operand.order for operand in operands).ljust(_MOST_OPERANDS).encode()
    everyone = world._gather(mine)
    if everyone.count(mine) == len(everyone):
        return operands
    alike = [len(set(orders)) == 1 for orders in zip(*everyone)]
    return [x if same else x._replace(order="C") for x, same in zip(operands, alike)]


def spec_of(call: Call, placements: Sequence[Placement]) -> DTensorSpec:
    """Describes the result with these placements, stored by rows."""
    shape = (*call.a.shape[:-1], call.b.shape[-1])
    return by_rows(call.a.device_mesh, placements, shape, call.a.dtype)


def by_rows(
    device_mesh: Any, placements: Sequence[Placement], shape: Sequence[int], dtype: torch.dtype
) -> DTensorSpec:
    """Describes a tensor that is stored by rows."""
    stride = [1] * len(shape)
    for dim in range(len(shape) - 2, -1, -1):
        stride[dim] = stride[dim + 1] * max(shape[dim + 1], 1)
    meta = TensorMeta(torch.Size(shape), tuple(stride), dtype)
    return DTensorSpec(device_mesh, tuple(placements), meta)


def placements_for(call: Call) -> list[Placement]:
    """Chooses placements of the result, where DTensor has none: those that move least."""
    chosen: list[Placement] = []
    last = len(call.a.shape) - 1
    for how_a, how_b in zip(call.a.placements, call.b.placements):
        dim_a, dim_b = cut_dim(how_a), cut_dim(how_b)
        if dim_a is not None and dim_a < last:
            chosen.append(Shard(dim_a))
        elif dim_b is not None and dim_b != last - 1:
            chosen.append(Shard(dim_b))
        else:
            chosen.append(Replicate())
    return chosen


def why_not_on(device_mesh: Any, placements: Sequence[Placement], dims: int) -> str | None:
    """Why the library cannot place a tensor of so many dimensions so; None if it can."""
    if device_mesh.device_type != "cpu":
        return "the mesh is not of processors"
    if device_mesh.get_coordinate() is None:
        return "the rank is not in the mesh"
    if len(placements) != device_mesh.ndim:
        return f"{len(placements)} placements for a mesh of {device_mesh.ndim} dimensions"
    for how in placements:
        dim = cut_dim(how) if _is_known(how) else dims
        if dim is not None and not -dims <= dim < dims:
            return f"placement {how}"
    return None


def checked_placements(
    what: str, device_mesh: Any, placements: Any, dims: int
) -> tuple[Placement, ...]:
    """Returns what a caller passes as the placements of a tensor of so many dimensions."""
    if not isinstance(device_mesh, DeviceMesh):
        raise BadTypeError(f"{what}: {kind_of(device_mesh)} is not a DeviceMesh")
    try:
        given = tuple(placements)
    except TypeError:
        raise BadTypeError(f"{what}: {kind_of(placements)} is not several placements") from None
    why = why_not_on(device_mesh, given, dims)
    if why is not None:
        raise BadArgumentError(f"{what}: {why}")
    return normalized(given, dims)


def normalized(placements: Sequence[Placement], dims: int) -> tuple[Placement, ...]:
    """The same placements, with dimensions that are counted from the first of so many."""
    cuts = [(how, cut_dim(how)) for how in placements]
    moved: list[Any] = [how if dim is None else on_dim(how, dim % dims) for how, dim in cuts]
    return tuple(moved)


def misfit(call: Call, dims: int) -> str | None:
    """Why these are not operands of so many dimensions that can be multiplied; None if they are."""
    a, b = call.a.shape, call.b.shape
    if not len(a) == len(b) == dims or a[:-2] != b[:-2] or a[-1] != b[-2]:
        return "the shapes do not fit"
    if call.bias is None:
        return None
    sizes = zip(reversed(call.bias.shape), (b[-1], *reversed(a[:-1])))
    if call.bias.ndim > dims or any(size not in (1, whole) for size, whole in sizes):
        return "the shapes do not fit"
    if not call.a.dtype.is_complex and complex in (type(call.alpha), type(call.beta)):
        return "a factor is complex"
    return None


def why_not(call: Call) -> str | None:
    """Why the library cannot compute a product; None if it can."""
    if not all(isinstance(t, DTensor) for t in call.tensors):
        return "an operand is not a DTensor"
    mesh = call.a.device_mesh
    if any(t.device_mesh != mesh for t in call.tensors):
        return "the operands are on several meshes"
    if mesh.device_type != "cpu" or any(t._local_tensor.device.type != "cpu" for t in call.tensors):
        return "the operands are not in the memory of the processor"
    if mesh.get_coordinate() is None:
        return "the rank is not in the mesh"
    if any(t.dtype != call.a.dtype for t in call.tensors):
        return "the operands are of several types"
    if call.a.dtype not in TYPES:
        return f"elements of type {call.a.dtype}"
    if any(type(t._local_tensor) not in _LOCAL for t in call.tensors):
        return "a local tensor is of a class of its own"
    for tensor in call.tensors:
        for how in tensor.placements:
            if not _is_known(how):
                return f"placement {how}"
    return None


def _is_known(how: Placement) -> bool:
    if isinstance(how, Partial):
        return how.reduce_op in Partial.LINEAR_REDUCE_OPS
    return isinstance(how, (Shard, _StridedShard, Replicate))


@collective
def compute(call: Call, spec: DTensorSpec) -> DTensor:
    """Computes a product by the library. Collective."""
    site = site_of(call.a.device_mesh)
    world = world_of(site)
    a, b, *added = _agreed(world, [operand_of(tensor, site) for tensor in call.tensors])
    bias = Bias(added[0], call.beta) if added else None
    local = multiply(world, a, b, sharding_of(spec, site.mesh), call.alpha, bias)
    return DTensor(local, spec, requires_grad=False)
