"""Meshes as the library sees them, and the worlds of their ranks."""

from __future__ import annotations

import weakref
from typing import Any, Iterable, NamedTuple, Sequence

import torch.distributed as dist
from torch.utils._python_dispatch import _disable_current_modes

from .._collective import mark_told
from .._engine import ProcessOptions
from .._processes import ProcessWorld
from ._device import DEVICES, mark
from ._rendezvous import check_group, world_of_ranks
from ._sharding import Coordinate, Mesh


class Site(NamedTuple):
    """A mesh as the library sees it, where this rank is in it, the ranks of the world, and the kind of their
    devices."""

    mesh: Mesh
    coordinate: Coordinate
    ranks: tuple[int, ...]
    kind: str = "cpu"


_sites: weakref.WeakKeyDictionary[Any, dict[Any, Site]] = weakref.WeakKeyDictionary()
_meshes: weakref.WeakKeyDictionary[Any, dict[Site, Any]] = weakref.WeakKeyDictionary()
_worlds: weakref.WeakKeyDictionary[Any, dict[tuple[Any, ...], ProcessWorld]] = weakref.WeakKeyDictionary()


def site_of(device_mesh: Any, ranks: tuple[int, ...] | None = None) -> Site:
    """The site of a mesh in the world of these ranks, by default of its own."""
    sites = _sites.setdefault(device_mesh, {})
    site = sites.get(ranks)
    if site is None:
        with _disable_current_modes():  # its ranks are a tensor, which must be read also while torch traces
            places = device_mesh.mesh.flatten().tolist()
        kind = device_mesh.device_type
        site = sites[ranks] = site_at(device_mesh.shape, places, dist.get_rank(), ranks, kind)
        _meshes.setdefault(dist.group.WORLD, {}).setdefault(site, device_mesh)
    return site


def mesh_at(site: Site) -> Any:
    """The first mesh of torch that had this site; None if there was none."""
    return _meshes.get(dist.group.WORLD, {}).get(site)


def site_at(
    shape: Sequence[int],
    places: Sequence[int],
    rank: int,
    ranks: tuple[int, ...] | None = None,
    kind: str = "cpu",
) -> Site:
    """The site of a rank of the default process group, on a mesh that has these ranks in row-major order."""
    ranks = ranks or tuple(sorted(places))
    mesh = Mesh(tuple(shape), tuple(map(ranks.index, places)), len(ranks))
    return Site(mesh, mesh.coordinate(ranks.index(rank)) if rank in places else None, ranks, kind)


def union_of(meshes: Iterable[Any]) -> tuple[int, ...]:
    """The ranks of all meshes."""
    return tuple(sorted({rank for mesh in meshes for rank in site_of(mesh).ranks}))


def world_of(site: Site) -> ProcessWorld:
    """Returns the world of the ranks of a mesh. Collective at the first call."""
    check_group()
    worlds = _worlds.setdefault(dist.group.WORLD, {})
    device = DEVICES[site.kind]
    key = site.ranks, *device.engine()
    world = worlds.get(key)
    if world is None:
        try:
            world = worlds[key] = world_of_ranks(site.ranks, ProcessOptions(*key[1:]))
            mark(world, device)
        except Exception as problem:
            mark_told(problem)  # without a world there is nothing to tell others by
            raise
    return world
