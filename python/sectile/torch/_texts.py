"""Shardings in texts of graphs, which each rank of the same mesh can read, also in another process."""

from __future__ import annotations

from typing import Any

from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor.placement_types import _StridedShard

from ._sharding import How, Mesh, Sharding

_HOWS = {"S": Shard, "R": Replicate, "P": Partial, "_S": _StridedShard}


def _how_to_list(how: How) -> list[Any]:
    if isinstance(how, _StridedShard):
        return ["_S", how.dim, how.split_factor]
    if isinstance(how, Shard):
        return ["S", how.dim]
    return ["P", how.reduce_op] if isinstance(how, Partial) else ["R"]


def _how_of_list(parts: list[Any]) -> How:
    kind, *values = parts
    if kind == "_S":
        return _StridedShard(values[0], split_factor=values[1])
    how: How = _HOWS[kind](*values)
    return how


def sharding_to_list(sharding: Sharding) -> list[Any]:
    return [sharding.shape, list(map(_how_to_list, sharding.how)), sharding.order]


def sharding_of_list(parts: list[Any], mesh: Mesh) -> Sharding:
    shape, hows, order = parts
    return Sharding(mesh, tuple(shape), tuple(map(_how_of_list, hows)), tuple(order))
