"""A copy to another mesh as an operator of torch on local tensors, for what traces or observes operators.

As with products, the operator takes a text that each rank of both meshes can read.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Iterable, NamedTuple

import torch
import torch.distributed as dist

from .._collective import telling
from .._processes import ProcessWorld
from . import _across
from ._library import define
from ._local import Operand
from ._operator import is_observed
from ._rendezvous import check_group
from ._sharding import Sharding
from ._site import Site, site_at, world_of
from ._texts import sharding_of_list, sharding_to_list


class Move(NamedTuple):
    """A copy, without its tensor: where both sites are, in the world of the ranks of both."""

    before: Site
    given: Sharding
    order: str
    after: Site
    wanted: Sharding


def _site_to_list(site: Site) -> list[Any]:
    return [site.mesh.shape, [site.ranks[place] for place in site.mesh.ranks]]


@lru_cache(maxsize=4096)
def text_of(move: Move) -> str:
    """Describes a copy. The text is the same on all ranks."""
    described = {
        "ranks": move.after.ranks,
        "before": _site_to_list(move.before),
        "given": [*sharding_to_list(move.given), move.order],
        "after": _site_to_list(move.after),
        "wanted": sharding_to_list(move.wanted),
    }
    return json.dumps(described, separators=(",", ":"))


def _move_of(text: str) -> Move:
    check_group()
    return _read(text, dist.get_rank())


@lru_cache(maxsize=4096)
def _read(text: str, rank: int) -> Move:
    read = json.loads(text)
    ranks = tuple(read["ranks"])
    before, after = (
        site_at(shape, places, rank, ranks) for shape, places in (read["before"], read["after"])
    )
    *given, order = read["given"]
    return Move(
        before,
        sharding_of_list(given, before.mesh),
        order,
        after,
        sharding_of_list(read["wanted"], after.mesh),
    )


def moved(local: torch.Tensor, move: Move) -> torch.Tensor:
    """Returns this rank's part of a copy; of a rank outside of the new mesh, it has no elements. Collective."""
    if not is_observed(local):
        return _copy(local, move)
    made: torch.Tensor = _operator(local, text_of(move))
    return made


def _copy(local: torch.Tensor, move: Move) -> torch.Tensor:
    given = Operand(move.given, local, move.before.coordinate, move.order)
    return _across.copy(world_of(move.after), given, move.wanted, move.after.coordinate)


# ---- The operator ----


def _world_of_text(values: Iterable[Any]) -> ProcessWorld:
    return world_of(next(_move_of(value).after for value in values if isinstance(value, str)))


@telling(_world_of_text)
def _run(local: torch.Tensor, move: str) -> torch.Tensor:
    return _copy(local, _move_of(move))


def _fake(local: torch.Tensor, move: str) -> torch.Tensor:
    known = _move_of(move)
    return local.new_empty(known.wanted.local_shape(known.after.coordinate))


# Ranks outside of the new mesh use no result, but others fetch from them.
_operator = define("move(Tensor local, str move) -> Tensor", _run, _fake, kept=True)
