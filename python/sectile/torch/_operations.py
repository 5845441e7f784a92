"""The operations of torch that are served: how their arguments are read, and who computes them."""

from __future__ import annotations

import math
from typing import Any, Iterable, NamedTuple, Sequence

import torch
import torch.distributed as dist
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard
from torch.distributed.tensor._dtensor_spec import DTensorSpec
from torch.distributed.tensor.placement_types import _StridedShard

from .._collective import telling
from .._errors import BadArgumentError, BadTypeError, kind_of
from .._processes import ProcessWorld
from ._across_operator import Given, Work, computed_across
from ._device import DEVICES
from ._local import TYPES, Operand
from ._operator import TRACED, Product, computed, is_traced
from ._sharding import Mesh, Sharding, cut_dim, on_dim
from ._site import Site, site_of, union_of, world_of
from ._sizes import compare, sizes_of
from ._specs import by_rows

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
# In inference mode, these are not yet the products that they are made of.
COMPOSED = (aten.linear.default, aten.matmul.default)
# Other products are left to torch.
_NAMES = (
    "mm bmm addmm addmm_ baddbmm baddbmm_ addbmm addbmm_ _addmm_activation mv addmv addmv_ dot vdot "
    "_scaled_mm _scaled_mm_v2 _grouped_mm _scaled_grouped_mm _scaled_grouped_mm_v2"
)
_packets = [getattr(aten, name) for name in _NAMES.split() if hasattr(aten, name)]
_overloads = [getattr(packet, name) for packet in _packets for name in packet.overloads()]
OTHERS = [op for op in _overloads if op not in READ]
_NAMES_OF_OPERANDS = ("a", "b", "bias")
# The classes of local tensors that are served. One of the second is still being received by torch;
# `local_of` waits for it.
_LOCAL = (torch.Tensor, AsyncCollectiveTensor, *TRACED)
DYNAMIC = "dynamic shapes"
# The dimensions of the operands.
DIMS = {
    aten.mm.default: 2,
    aten.addmm.default: 2,
    aten.bmm.default: 3,
    aten.baddbmm.default: 3,
}


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
    shape = tuple(map(int, spec.shape))  # where a graph leaves a size open, it becomes one for this size
    return Sharding(mesh, shape, spec.placements, tuple(order))


def _stored_by_columns(spec: DTensorSpec) -> bool:
    *_, rows, cols = spec.shape
    *_, down, across = spec.stride
    return (rows <= 1 or down == 1) and not (cols <= 1 or across == 1)


def local_of(tensor: DTensor) -> torch.Tensor:
    """Returns what this rank has of a tensor, once that has arrived."""
    local = tensor._local_tensor
    return local.wait() if isinstance(local, AsyncCollectiveTensor) else local


def _none_of(local: torch.Tensor) -> torch.Tensor:
    """No elements of a tensor. In a graph they come from it, so that both passes keep their order."""
    return local.flatten()[:0]


def local_in(tensor: DTensor, site: Site, name: str) -> tuple[Sharding, torch.Tensor]:
    """How a tensor is spread, and what this rank has of it. Fails if that is of another size than the
    placements give this rank; `name` is that of the tensor in errors."""
    spec, local = tensor._spec, local_of(tensor)
    sharding = sharding_of(spec, site.mesh)
    shape = sharding.local_shape(site.coordinate)
    if site.coordinate is None:
        return sharding, _none_of(local).view(shape) if shape else local.new_empty(shape)
    if local.shape != shape and (local.numel() > 0 or math.prod(shape) > 0):
        whole, placements = tuple(spec.shape), ", ".join(map(repr, spec.placements))
        raise BadArgumentError(
            f"{name}: the local tensor of rank {dist.get_rank()} is {tuple(local.shape)}, but "
            f"[{placements}] of {whole} gives it {shape}"
        )
    return sharding, local


def brought(tensors: Sequence[DTensor], names: Sequence[str] = _NAMES_OF_OPERANDS) -> str:
    """Which tensors ranks are to bring to a product; all on one mesh."""
    mesh = site_of(tensors[0].device_mesh).mesh
    return sizes_of(tuple(names), tuple(sharding_of(tensor._spec, mesh) for tensor in tensors))


def check_locals(tensors: Sequence[DTensor], names: Sequence[str] = _NAMES_OF_OPERANDS) -> None:
    """Fails if this rank has a local tensor of the wrong size; all are on one mesh."""
    site = site_of(tensors[0].device_mesh)
    for tensor, name in zip(tensors, names):
        local_in(tensor, site, name)


def operand_of(tensor: DTensor, site: Site, name: str) -> Operand:
    """What the library takes of a tensor, which is named so in errors."""
    sharding, local = local_in(tensor, site, name)
    order = "F" if len(tensor.shape) > 1 and _stored_by_columns(tensor._spec) else "C"
    return Operand(sharding, local, site.coordinate, order)


def spec_of(call: Call, placements: Sequence[Placement], mesh: Any = None) -> DTensorSpec:
    """Describes the result with these placements on a mesh, by default that of the operands."""
    shape = (*call.a.shape[:-1], call.b.shape[-1])
    return by_rows(mesh or call.a.device_mesh, placements, shape, call.a.dtype)


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
    if device_mesh.device_type not in DEVICES:
        return f"a mesh of devices of the kind {device_mesh.device_type}"
    if len(placements) != device_mesh.ndim:
        return f"{len(placements)} placements for a mesh of {device_mesh.ndim} dimensions"
    for how in placements:
        dim = cut_dim(how) if _is_known(how) else dims
        if dim is not None and not -dims <= dim < dims:
            return f"placement {how}"
    return None


def checked_placements(
    what: str, device_mesh: Any, placements: Any, dims: int, inside: bool = True
) -> tuple[Placement, ...]:
    """Returns what a caller passes as the placements of a tensor of so many dimensions. Fails on ranks
    outside of the mesh, if they must be `inside`."""
    if not isinstance(device_mesh, DeviceMesh):
        raise BadTypeError(f"{what}: {kind_of(device_mesh)} is not a DeviceMesh")
    try:
        given = tuple(placements)
    except TypeError:
        raise BadTypeError(f"{what}: {kind_of(placements)} is not several placements") from None
    outside = inside and device_mesh.get_coordinate() is None
    why = "the rank is not in the mesh" if outside else why_not_on(device_mesh, given, dims)
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
    if mesh.get_coordinate() is None:
        return "the rank is not in the mesh"
    return why_not_of(call.tensors)


def why_not_of(tensors: Sequence[DTensor]) -> str | None:
    """The same of operands on any meshes."""
    kind = tensors[0].device_mesh.device_type
    if kind not in DEVICES or any(t.device_mesh.device_type != kind for t in tensors):
        return "the operands are on devices that are not served, or on several kinds"
    if any(t._local_tensor.device.type != kind for t in tensors):
        return "the operands are not in the memory of the devices of their mesh"
    if any(t.dtype != tensors[0].dtype for t in tensors):
        return "the operands are of several types"
    if tensors[0].dtype not in TYPES:
        return f"elements of type {tensors[0].dtype}"
    return why_not_moved(tensors)


def why_not_moved(tensors: Sequence[DTensor]) -> str | None:
    """Why the library cannot move tensors; None if it can."""
    if any(type(t._local_tensor) not in _LOCAL for t in tensors):
        return "a local tensor is of a class of its own"
    if any(map(_is_dynamic, tensors)):
        return DYNAMIC
    for tensor in tensors:
        for how in tensor.placements:
            if not _is_known(how):
                return f"placement {how}"
    return None


def _is_dynamic(tensor: DTensor) -> bool:
    """Whether a size is not known while torch traces."""
    local = tensor._local_tensor
    return is_traced(local) and any(
        isinstance(size, torch.SymInt) for size in (*tensor.shape, *local.shape)
    )


def _is_known(how: Placement) -> bool:
    if isinstance(how, Partial):
        return how.reduce_op in Partial.LINEAR_REDUCE_OPS
    return isinstance(how, (Shard, _StridedShard, Replicate))


def _compare(site: Site, operands: Sequence[Operand], names: Sequence[str]) -> None:
    """Fails on all ranks if some bring operands of other sizes. Collective, but in a graph."""
    if not is_traced(operands[0].local):
        shardings = tuple(operand.sharding for operand in operands)
        compare(world_of(site), sizes_of(tuple(names), shardings))


@collective
def compute(call: Call, spec: DTensorSpec, calls: int = 0, timed: bool = False) -> DTensor:
    """Computes a product by the library, or by torch if it is `timed` and that takes less time. It is counted as so many
    calls. Collective."""
    site = site_of(call.a.device_mesh)
    operands = [operand_of(t, site, name) for t, name in zip(call.tensors, _NAMES_OF_OPERANDS)]
    product = Product(
        site,
        tuple((operand.sharding, operand.order) for operand in operands),
        sharding_of(spec, site.mesh),
        call.alpha,
        call.beta,
        alike=False,
        calls=calls,
        timed=timed,
    )
    a, b, *bias = (operand.local for operand in operands)
    if calls:
        _compare(site, operands, _NAMES_OF_OPERANDS)
    return DTensor(computed(product, a, [b], *bias), spec, requires_grad=False)


# ---- Several meshes ----


def _meshes_among(values: Iterable[Any]) -> list[DeviceMesh]:
    meshes = (value.device_mesh if isinstance(value, DTensor) else value for value in values)
    return [mesh for mesh in meshes if isinstance(mesh, DeviceMesh)]


def _world_of_meshes(values: Iterable[Any]) -> ProcessWorld | None:
    meshes = _meshes_among(values)
    ranks = union_of(meshes)
    if not dist.is_initialized() or dist.get_rank() not in ranks:
        return None
    return world_of(site_of(meshes[0], ranks))


#: The same of a function of tensors on several meshes, which all ranks of these call.
collective_across = telling(_world_of_meshes)


def compute_across(a: DTensor, b: DTensor, spec: DTensorSpec) -> DTensor:
    """Computes ``a @ b`` by the library, of operands on other meshes than the result. Collective over the
    ranks of all meshes."""
    return _across([a, b], _NAMES_OF_OPERANDS, spec, 1)


def move_across(tensor: DTensor, spec: DTensorSpec, calls: int = 1) -> DTensor:
    """Moves a tensor to where it is to be, which is counted as so many calls. Collective over the ranks of both meshes."""
    return _across([tensor], ["redistribute"], spec, calls)


def _across(tensors: Sequence[DTensor], names: Sequence[str], spec: DTensorSpec, calls: int) -> DTensor:
    ranks = union_of([spec.mesh, *(tensor.device_mesh for tensor in tensors)])
    if dist.get_rank() not in ranks:
        return _placed(local_of(tensors[0]), spec)
    site = site_of(spec.mesh, ranks)
    sites = [site_of(tensor.device_mesh, ranks) for tensor in tensors]
    operands = list(map(operand_of, tensors, sites, names))
    if calls:
        _compare(site, operands, names)
    given = tuple(Given(at, x.sharding, x.order) for at, x in zip(sites, operands))
    work = Work(given, site, sharding_of(spec, site.mesh), calls)
    return _placed(computed_across([x.local for x in operands], work), spec)


def _placed(local: torch.Tensor, spec: DTensorSpec) -> DTensor:
    """A tensor of which this rank has this; a rank outside of the mesh has an empty one, as torch has it."""
    if spec.mesh.get_coordinate() is None:
        local = _none_of(local)
    return DTensor(local, spec, requires_grad=False)
