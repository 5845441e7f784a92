"""Products of matrices by the library, and what is kept with a world for the next product alike.

The plan of a product is kept. If the product comes again, and is small, a job is made whose matrices
are in memory of the library: it takes fewer steps that all ranks do together.
"""

from __future__ import annotations

import atexit
import math
from collections import OrderedDict
from typing import Any, NamedTuple

import torch

from .._native import ffi, lib
from .._types import scalar
from .._world import World
from ._local import TYPES, Operand, in_order, wrapped

# The most bytes of three matrices that count as small, and the most jobs that are kept.
_SMALL = 4 << 20
_JOBS = 64


class _Kept:
    """The plans and jobs of a world."""

    def __init__(self, world: World):
        self.plans: dict[Any, Any] = {}
        # All ranks make the same calls, so that they drop the same jobs.
        self.jobs: OrderedDict[Any, Any] = OrderedDict()
        self._world = world
        atexit.register(self._end)

    def add(self, key: Any, job: Any) -> None:
        self.jobs[key] = job
        if len(self.jobs) > _JOBS:
            self._world._call(lib.team_staged_free, self.jobs.popitem(last=False)[1])

    def _end(self) -> None:
        while self.jobs:
            self._world._call(lib.team_staged_free, self.jobs.popitem()[1])


def _kept(world: World) -> _Kept:
    kept: _Kept | None = world.__dict__.get("_products")
    if kept is None:
        kept = world.__dict__["_products"] = _Kept(world)
    return kept


def _options(parts: bool) -> Any:
    result = lib.SCT_RESULT_PARTIAL if parts else lib.SCT_RESULT_ALL
    return ffi.new("sct_options *", {"size": ffi.sizeof("sct_options"), "result": result})


class _Described(NamedTuple):
    """An operand for the library; its memory must stay."""

    wrapped: Any
    local: torch.Tensor


def _describe(operand: Operand) -> _Described:
    sharding, local, coordinate, order = operand
    local = in_order(local, order)
    return _Described(wrapped(sharding, local, sharding.local_shape(coordinate), order), local)


def multiply_into(
    world: World, a: Operand, b: Operand, c: Operand, alpha: complex, beta: complex
) -> None:
    """c = alpha a b + beta c. Collective."""
    key = a.sharding, a.order, b.sharding, b.order, c.sharding, c.local.dtype
    number = TYPES[c.local.dtype]
    factors = scalar(number, alpha), scalar(number, beta)
    options = _options(bool(c.sharding.partial))
    operands = _describe(a), _describe(b), _describe(c)
    elements = sum(math.prod(operand.sharding.shape) for operand in (a, b, c))
    small = elements * c.local.element_size() <= _SMALL
    run = _staged if small and key in _kept(world).plans else _planned
    run(world, key, operands, factors, options)


def _staged(world: World, key: Any, operands: Any, factors: Any, options: Any) -> None:
    kept = _kept(world)
    a, b, c = (operand.wrapped for operand in operands)
    job = kept.jobs.get(key)
    if job is None:
        made = ffi.new("staged **")
        world._call(lib.team_staged_new, a, b, c, options, made)
        job = made[0]
        kept.add(key, job)
    kept.jobs.move_to_end(key)
    world._call(lib.team_staged_run, job, factors[0], a, b, factors[1], c)


def _planned(world: World, key: Any, operands: Any, factors: Any, options: Any) -> None:
    kept = _kept(world).plans
    a, b, c = (operand.wrapped for operand in operands)
    plans = kept.get(key)
    if plans is None:
        plans = ffi.gc(ffi.new("wrapped_plans *"), lib.wrapped_plans_clear)
    world._call(lib.team_multiply_wrapped, factors[0], a, b, factors[1], c, options, plans)
    kept[key] = plans
