"""Products of distributed tensors in torch's way: by collectives of torch.distributed, and torch's product of
local tensors."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor._redistribute import redistribute_local_tensor

from .._processes import ProcessWorld
from ._gathered import factors_of, work_of
from ._local import Operand
from ._sharding import How, Sharding, cut_dim
from ._site import Site, mesh_at
from ._specs import by_rows


def _mesh_for(world: ProcessWorld, site: Site) -> Any:
    """The mesh of torch at a site, if all ranks know one. Collective at the first call."""
    meshes = world.__dict__.setdefault("_meshes", {})
    if site not in meshes:
        mesh = mesh_at(site)
        known = all(each == b"y" for each in world._gather(b"n" if mesh is None else b"y"))
        meshes[site] = mesh if known else None
    return meshes[site]


def _is_plain(how: How) -> bool:
    return isinstance(how, (Replicate, Partial)) or type(how) is Shard


def _cut_in_turn(sharding: Sharding) -> bool:
    """Whether each dimension of a tensor is cut over those of the mesh in their order, as torch's specs say."""
    cuts = [(cut_dim(sharding.how[d]), d) for d in sharding.order]
    return all(one < other for i, (dim, other) in enumerate(cuts) for at, one in cuts[:i] if at == dim)


def can_multiply(
    world: ProcessWorld, site: Site, a: Sharding, b: Sharding, result: Sharding
) -> bool:
    """Whether torch's collectives move such tensors, and are right. All ranks give the same answer. Collective."""
    places = a.mesh.ranks
    hows = (*a.how, *b.how, *result.how)
    sums = (how.reduce_op for how in hows if isinstance(how, Partial))
    return (
        places == tuple(sorted(places))
        and all(map(_is_plain, hows))
        and all(op == "sum" for op in sums)
        and all(map(_cut_in_turn, (a, b, result)))
        and 0 not in (*a.shape, *b.shape)
        and _mesh_for(world, site) is not None
    )


def _moved(local: torch.Tensor, mesh: DeviceMesh, before: Sharding, after: Sharding) -> torch.Tensor:
    hows: Any = before.how, after.how
    one, other = (by_rows(mesh, how, before.shape, local.dtype) for how in hows)
    return redistribute_local_tensor(local, one, other)


def multiply(
    world: ProcessWorld,
    site: Site,
    a: Operand,
    b: Operand,
    result: Sharding,
    alpha: complex,
    kind: torch.dtype | None = None,
) -> torch.Tensor:
    """Returns this rank's part of ``alpha a @ b``, added up in another type, if one is given. Collective."""
    mesh = _mesh_for(world, site)
    work = work_of(a.sharding, b.sharding, result)
    pairs = zip((a, b), factors_of(a.sharding, b.sharding, work))
    factors = [_moved(operand.local, mesh, operand.sharding, to) for operand, to in pairs]
    product = torch.matmul(*factors)
    product = product if kind is None else product.to(kind)
    return _moved(product if alpha == 1 else alpha * product, mesh, work, result)
