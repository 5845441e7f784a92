"""Meshes as the library sees them, and the worlds of their ranks."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple, Sequence

import torch.distributed as dist
from torch.utils._python_dispatch import _disable_current_modes

from .._collective import mark_told
from .._engine import ProcessOptions
from .._processes import ProcessWorld
from ._meeting import check_group, world_of_ranks
from ._sharding import Mesh


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
        with _disable_current_modes():  # its ranks are a tensor, which must be read also while torch traces
            places = device_mesh.mesh.flatten().tolist()
        site = _sites[device_mesh] = site_at(device_mesh.shape, places, dist.get_rank())
    return site


def site_at(shape: Sequence[int], places: Sequence[int], rank: int) -> Site:
    """The site of a rank of the default process group, on a mesh that has these ranks in row-major order."""
    ranks = tuple(sorted(places))
    mesh = Mesh(tuple(shape), tuple(ranks.index(each) for each in places))
    return Site(mesh, mesh.coordinate(ranks.index(rank)), ranks)


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
