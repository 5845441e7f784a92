"""The hook in DTensor's dispatcher: which products are served, and which are left to torch.

The dispatcher is in C++. It asks Python how an operation on certain placements is to be computed, and
keeps the answer for the next operation alike. The hook answers for products. If nothing has to move,
the answer is that of torch, and products alike stay in C++ from then on. Otherwise the hook returns
the product itself, which the dispatcher does not keep: it asks again.
"""

from __future__ import annotations

import math
import threading
from typing import Any, Callable, NamedTuple

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate
from torch.distributed.tensor._dtensor_spec import DTensorSpec
from torch.distributed.tensor._op_schema import OpSchema, OutputSharding

from .._errors import FailedError, NoEngineError
from ._calls import count, counter
from ._device import DEVICES
from ._judge import quicker
from ._rendezvous import announce, not_serving
from ._operations import (
    COMPOSED,
    DIMS,
    OTHERS,
    READ,
    Call,
    brought,
    check_locals,
    compute,
    misfit,
    placements_for,
    spec_of,
    why_not,
)
from ._operator import compile_apart, is_traced
from ._recent import Recent
from ._site import site_of, world_of

_QUESTION = "_propagate_op_sharding_dispatch_slow_path"
_FORGET = "_clear_DTensor_sharding_propagator_cache"


def _dispatcher() -> Any:
    dispatcher = getattr(DTensor, "_op_dispatcher", None)
    for owner, name in (
        (dispatcher, "_custom_op_handlers"),
        (dispatcher, _QUESTION),
        (torch._C, _FORGET),
    ):
        if not hasattr(owner, name):
            raise NoEngineError(
                f"torch {torch.__version__} has no {name}, by which products are served (torch 2.15 has)"
            )
    return dispatcher


# ---- Who computes a product ----


class Decision(NamedTuple):
    """How torch would compute a product, unless it cannot, and how the result is placed."""

    torchs: OutputSharding | None
    local: bool  # torch is to multiply local tensors, or slices of them
    spec: DTensorSpec


_decisions: Recent[Decision] = Recent(4096)


def _decide(call: Call, ask: Callable[[], Any], schema: OpSchema) -> Decision:
    """The result is placed as DTensor would place it."""
    try:
        torchs = ask()
    except (RuntimeError, NotImplementedError, AssertionError):
        return Decision(None, False, spec_of(call, placements_for(call)))
    slow = _is_large(call) and (_is_repeated(call, torchs.output_spec) or _is_slow(call))
    return Decision(torchs, not slow and not _moves(schema, torchs), torchs.output_spec)


def _moves(given: OpSchema, torchs: OutputSharding) -> bool:
    """True unless what torch takes of each tensor is the tensor, or a slice of a copy."""
    wanted = torchs.redistribute_schema
    if not torchs.needs_redistribute or wanted is None:
        return False
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
    """True for types of which torch has no fast product."""
    return call.a.ndim == 2 and call.a.dtype in DEVICES[call.a.device_mesh.device_type].slow


def _compute(key: Any, call: Call, decision: Decision, by_torch: Callable[[], Any]) -> Any:
    """Collective."""
    if decision.torchs is None or is_traced(call.a._local_tensor):
        return compute(call, decision.spec, calls=1, timed=True)
    world = world_of(site_of(call.a.device_mesh))
    product, why = quicker(
        world,
        key,
        lambda: brought(call.tensors),
        lambda: compute(call, decision.spec),
        by_torch,
        lambda: check_locals(call.tensors),
    )
    count(served=int(why is None), passed_on=why)
    return product


def _by_torch(op: Any, args: Any, info: Any, torchs: Any) -> Any:
    dispatcher: Any = DTensor._op_dispatcher
    info.output_sharding = torchs
    local = dispatcher._dispatch_get_local_results_slow_path(op, args, info)
    return dispatcher.wrap(local, torchs.output_spec)


# ---- The hook ----


class _Counted:
    """An operation in the table of handlers, where the dispatcher does not find it: it compares this
    key with each call of the operation, which is counted."""

    def __init__(self, op: Any):
        self._op = op
        # A product is local unless the hook finds otherwise.
        self._counts, self._what = counter(f"operation {op}" if op in OTHERS else None)
        self._compared, self._each_call = 0, 1

    def calibrate(self, table: dict[Any, Any]) -> None:
        """Finds how often a table compares this key in each call: a dict may look at a place again."""
        self._compared, self._each_call = 0, 0
        table.get(self._op)
        self._compared, self._each_call = 0, max(1, self._compared)

    def __hash__(self) -> int:
        return hash(self._op)

    def __eq__(self, other: object) -> bool:
        if other is self._op:
            self._compared += 1
            if self._each_call and self._compared % self._each_call == 0:
                self._counts[self._what] += 1
        return self is other


_counted = {op: _Counted(op) for op in (*READ, *COMPOSED, *OTHERS)}


class _Hook:
    """Our answers in place of torch's, from the first time that products are served. Until then the
    dispatcher has kept others, which it must forget."""

    def __init__(self) -> None:
        self.enabled = False
        self._lock = threading.Lock()
        self._torchs: Any = None
        self._announced: tuple[Any, bool] | None = None

    def enable(self, enabled: bool) -> None:
        with self._lock:
            dispatcher = _dispatcher()
            if self._torchs is None and enabled:
                self._torchs = getattr(dispatcher, _QUESTION)
                setattr(dispatcher, _QUESTION, self._answer)
                getattr(torch._C, _FORGET)()
            table = dispatcher._custom_op_handlers
            for key in _counted.values():
                if enabled:
                    table[key] = None
                else:
                    table.pop(key, None)
            for key in _counted.values() if enabled else ():
                key.calibrate(table)
            if enabled != self.enabled:
                compile_apart(enabled)
            self.enabled = enabled
            if dist.is_initialized():
                self._announce()

    def _announce(self) -> None:
        """Once for each process group, and then for each change."""
        state = dist.group.WORLD, self.enabled
        if self._announced != state:
            announce(self.enabled)
            self._announced = state

    def _count(self, op: Any, **what: Any) -> None:
        """Counts a product that is not local."""
        key = _counted[op]
        table: Any = DTensor._op_dispatcher._custom_op_handlers
        if key in table:
            count(local=-1, **what)
        elif self.enabled:  # the table is another, in which the call was not counted
            table[key] = None
            key.calibrate(table)
            count(**what)

    def _answer(self, op: Any, args: Any, kwargs: Any, info: Any, try_cache: bool) -> Any:
        """How an operation is to be computed, or what it gives."""

        def ask() -> Any:
            return self._torchs(op, args, kwargs, info, try_cache or op in READ)

        if op in COMPOSED:
            return self._in_products(op, args, kwargs, info, ask())
        if op not in READ:
            return ask()
        call = READ[op](args, kwargs)
        why = why_not(call) or misfit(call, DIMS[op])
        if why is not None or not self.enabled:
            return self._pass_on(op, args, info, ask, why)
        # A mesh of a process group that has ended may equal a new one.
        key = op, dist.group.WORLD, *(t._spec for t in call.tensors)
        decision = _decisions.get(key, lambda: _decide(call, ask, info.schema))
        if decision.local:
            return decision.torchs
        self._count(op)
        self._announce()
        try:
            return _compute(key, call, decision, lambda: _by_torch(op, args, info, decision.torchs))
        except FailedError as problem:
            others = not_serving(site_of(call.a.device_mesh).ranks)
            if not others:
                raise
            without = ", ".join(map(str, others))
            raise FailedError(f"{problem}: sectile.torch is not enabled on rank {without}") from None

    def _in_products(self, op: Any, args: Any, kwargs: Any, info: Any, torchs: Any) -> Any:
        if not isinstance(torchs, OutputSharding) or not _moves(info.schema, torchs):
            return torchs
        self._count(op)
        return op.decompose(*args, **kwargs)

    def _pass_on(self, op: Any, args: Any, info: Any, ask: Callable[[], Any], why: str | None) -> Any:
        try:
            torchs = ask()
        except Exception:
            self._count(op, passed_on=why)
            raise
        if not _moves(info.schema, torchs):
            return torchs
        self._count(op, passed_on=why)
        return _by_torch(op, args, info, torchs)


_hook = _Hook()


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
