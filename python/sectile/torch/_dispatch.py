"""The hook in DTensor's dispatcher: which calls are served, and which are passed on."""

from __future__ import annotations

import math
import threading
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate
from torch.distributed.tensor._dtensor_spec import DTensorSpec
from torch.distributed.tensor._op_schema import OpSchema

from .._errors import NoEngineError
from ._calls import count
from ._operations import (
    DIMS,
    READ,
    Call,
    compute,
    local_of,
    misfit,
    placements_for,
    spec_of,
    why_not,
)
from ._operator import compile_apart
from ._recent import Recent


def _handlers() -> dict[Any, Any]:
    handlers = getattr(getattr(DTensor, "_op_dispatcher", None), "_custom_op_handlers", None)
    if not isinstance(handlers, dict):
        raise NoEngineError(
            f"torch {torch.__version__} has no DTensor._op_dispatcher._custom_op_handlers, by which "
            "products are served (torch 2.15 has)"
        )
    return handlers


class Decision(NamedTuple):
    local: bool  # torch multiplies local tensors, or slices of them
    sliced: bool
    spec: DTensorSpec


_decisions: Recent[Decision] = Recent(4096)


def _decide(op: Any, call: Call, args: Any, kwargs: Any) -> Decision:
    """The result is placed as DTensor would place it."""
    dispatcher = DTensor._op_dispatcher
    try:
        info = dispatcher.unwrap_to_op_info(op, args, kwargs)
        dispatcher.sharding_propagator.propagate(info)
    except (RuntimeError, NotImplementedError, AssertionError):
        return Decision(False, False, spec_of(call, placements_for(call)))
    sharding: Any = info.output_sharding
    slow = _is_large(call) and (_is_repeated(call, sharding.output_spec) or _is_slow(call))
    sliced = sharding.needs_redistribute
    schema: Any = info.schema
    moves = sliced and _moves(schema, sharding.redistribute_schema)
    return Decision(not moves and not slow, sliced, sharding.output_spec)


def _moves(given: OpSchema, wanted: OpSchema) -> bool:
    """True unless what is wanted of each tensor is the tensor, or a slice of a copy."""
    pairs = zip(given.args_spec, wanted.args_spec)
    hows = (how for x, y in pairs for how in zip(x.placements, y.placements))
    return any(x != y and x != Replicate() for x, y in hows)


# A product is large if there are at least so many multiplications for each rank, and so many for
# each element of the result: the library then takes less time for it than it saves.
_MULTIPLICATIONS = 1 << 24
_DEPTH = 128


def _is_large(call: Call) -> bool:
    depth = call.a.shape[-1]
    size = math.prod(call.a.shape) * call.b.shape[-1]
    return depth >= _DEPTH and size >= _MULTIPLICATIONS * call.a.device_mesh.size()


def _is_repeated(call: Call, spec: DTensorSpec) -> bool:
    """True if several ranks would compute the same."""
    alike = zip(spec.mesh.shape, spec.placements, call.a.placements, call.b.placements)
    return any(size > 1 and all(h == Replicate() for h in how) for size, *how in alike)


def _is_slow(call: Call) -> bool:
    """True for f16, for which torch has no fast product on most processors."""
    return call.a.dtype == torch.float16 and call.a.ndim == 2


class _Served(threading.local):
    """An operation, as the table of handlers has it. While a thread is in the block of a ``with``
    statement, it does not find the operation there, and so DTensor has it; other threads do."""

    passed_on = 0

    def __init__(self, op: Any):
        self._op = op

    def __hash__(self) -> int:
        return hash(self._op)

    def __eq__(self, other: object) -> bool:
        return self is other or (other is self._op and self.passed_on == 0)

    def __enter__(self) -> None:
        self.passed_on += 1

    def __exit__(self, *exception: object) -> None:
        self.passed_on -= 1


_served = {op: _Served(op) for op in READ}


class _Hook:
    """Our handlers, which are in the table while products are served."""

    def __init__(self) -> None:
        self.enabled = False
        self._lock = threading.Lock()

    def enable(self, enabled: bool) -> None:
        with self._lock:
            handlers = _handlers()
            for key in _served.values():
                if enabled:
                    handlers[key] = serve
                else:
                    handlers.pop(key, None)
            if enabled != self.enabled:
                compile_apart(enabled)
            self.enabled = enabled


_hook = _Hook()


def _by_dtensor(op: Any, args: Any, kwargs: Any) -> Any:
    with _served[op]:
        return op(*args, **kwargs)


def serve(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Handles a call that DTensor's dispatcher hands over."""
    call = READ[op](args, kwargs)
    why = why_not(call) or misfit(call, DIMS[op])
    if why is not None:
        count(passed_on=why)
        return _by_dtensor(op, args, kwargs)
    # A mesh of a process group that has ended may equal a new one.
    key = op, dist.group.WORLD, *(t._spec for t in call.tensors)
    decision = _decisions.get(key, lambda: _decide(op, call, args, kwargs))
    if not decision.local:
        return compute(call, decision.spec, calls=1)
    count(local=1)
    if decision.sliced:
        return _by_dtensor(op, args, kwargs)
    local = op(*(local_of(a) if isinstance(a, DTensor) else a for a in args), **kwargs)
    return DTensor(local, decision.spec, requires_grad=False)


class Enabled:
    """What `enable` returns: a context, at whose end everything is as it was before."""

    def __init__(self, before: bool):
        self._before = before

    def __enter__(self) -> None:
        _hook.enable(True)  # it may have been disabled since

    def __exit__(self, *exception: object) -> None:
        _hook.enable(self._before)


def is_enabled() -> bool:
    """Returns whether products are served."""
    return _hook.enabled


def enable() -> Enabled:
    """Serves all products of DTensors from now on, or in a ``with`` statement. On all ranks.

    >>> a = distribute_tensor(torch.ones(4, 4), mesh, [Shard(0)])
    >>> with sectile.torch.enable():
    ...     (a @ a).placements
    (Shard(dim=0),)
    >>> sectile.torch.is_enabled()
    False
    """
    enabled = Enabled(is_enabled())
    _hook.enable(True)
    return enabled


def disable() -> None:
    """Leaves all products to DTensor again. On all ranks."""
    _hook.enable(False)
