"""Copies and products of tensors on several meshes as an operator of torch on local tensors, for what traces or
observes operators.

As with products on one mesh, the operator takes a text that each rank of all meshes can read.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Iterable, NamedTuple, Sequence

import torch
import torch.distributed as dist
from torch.distributed.tensor.debug._comm_mode import c10d_collective_ops

from .._collective import telling
from .._processes import ProcessWorld
from . import _across
from ._calls import count
from ._library import define
from ._local import Operand
from ._operator import agreed, is_observed
from ._rendezvous import check_group
from ._sharding import Sharding
from ._site import Site, site_at, world_of
from ._texts import sharding_of_list, sharding_to_list


class Given(NamedTuple):
    """An operand without its tensor."""

    site: Site
    sharding: Sharding
    order: str


class Work(NamedTuple):
    """A copy of one operand, or the product of two. All sites are in the world of the ranks of all meshes."""

    given: tuple[Given, ...]
    site: Site
    wanted: Sharding
    calls: int  # as how many calls it is counted


def _site_to_list(site: Site) -> list[Any]:
    return [site.mesh.shape, [site.ranks[place] for place in site.mesh.ranks], site.kind]


@lru_cache(maxsize=4096)
def text_of(work: Work) -> str:
    """Describes it. The text is the same on all ranks."""
    described = {
        "ranks": work.site.ranks,
        "given": [[_site_to_list(g.site), *sharding_to_list(g.sharding), g.order] for g in work.given],
        "site": _site_to_list(work.site),
        "wanted": sharding_to_list(work.wanted),
        "calls": work.calls,
    }
    return json.dumps(described, separators=(",", ":"))


def _work_of(text: str) -> Work:
    check_group()
    return _read(text, dist.get_rank())


@lru_cache(maxsize=4096)
def _read(text: str, rank: int) -> Work:
    read = json.loads(text)
    ranks = tuple(read["ranks"])

    def site_of_list(parts: Sequence[Any]) -> Site:
        shape, places, kind = parts
        return site_at(shape, places, rank, ranks, kind)

    def given_of_list(place: Sequence[Any], *parts: Any) -> Given:
        site, (*sharding, order) = site_of_list(place), parts
        return Given(site, sharding_of_list(sharding, site.mesh), order)

    site = site_of_list(read["site"])
    given = tuple(given_of_list(*parts) for parts in read["given"])
    return Work(given, site, sharding_of_list(read["wanted"], site.mesh), read["calls"])


def computed_across(locals: Sequence[torch.Tensor], work: Work) -> torch.Tensor:
    """Returns this rank's part of the result; of a rank outside of its mesh, it has no elements. Collective."""
    if not is_observed(locals[0]):
        return _compute(locals, work)
    made: torch.Tensor = _operator(locals, text_of(work))
    return made


def _compute(locals: Sequence[torch.Tensor], work: Work) -> torch.Tensor:
    world, at = world_of(work.site), work.site.coordinate
    operands = [
        Operand(given.sharding, local, given.site.coordinate, given.order)
        for local, given in zip(locals, work.given)
    ]
    if len(operands) == 1:
        found = _across.copy(world, operands[0], work.wanted, at)
    else:
        a, b = agreed(world, operands)
        found = _across.multiply(world, a, b, work.wanted, at)
    count(served=work.calls)
    return found


# ---- The operator ----


def _world_of_text(values: Iterable[Any]) -> ProcessWorld:
    return world_of(next(_work_of(value).site for value in values if isinstance(value, str)))


@telling(_world_of_text)
def _run(locals: Sequence[torch.Tensor], work: str) -> torch.Tensor:
    return _compute(locals, _work_of(work))


def _fake(locals: Sequence[torch.Tensor], work: str) -> torch.Tensor:
    known = _work_of(work)
    return locals[0].new_empty(known.wanted.local_shape(known.site.coordinate))


# Ranks outside of the mesh of the result use none, but others fetch from them.
_operator = define("across(Tensor[] locals, str work) -> Tensor", _run, _fake, kept=True)
c10d_collective_ops.add(torch.ops.sectile.across)  # so that CommDebugMode counts it
