"""Operands that do not fit fail as without us; whatever else callers pass is an error of the package."""

import threading

import pytest
import sectile
import sectile.torch
import tensors
import torch
import torch.distributed as dist
from sectile.torch._dispatch import _counted
from tensors import mesh_of
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard

MM = torch.ops.aten.mm.default


def _has_key():
    return any(key is _counted[MM] for key in DTensor._op_dispatcher._custom_op_handlers)


def _problem(call):
    try:
        call()
    except RuntimeError as problem:
        return type(problem).__name__, str(problem)
    raise AssertionError("it worked")


def _misfits():
    """What is raised without us and with us, and the reasons for which we left the calls."""
    mesh = mesh_of((6,))

    def ones(*shape):
        return tensors.spread(torch.ones(shape), mesh, [Shard(0)])

    calls = [
        lambda: ones(6, 4) @ ones(6, 4),
        lambda: torch.mm(ones(6), ones(6, 6)),
        lambda: torch.bmm(ones(6, 6), ones(6, 6)),
        lambda: torch.mm(ones(6, 6, 6), ones(6, 6, 6)),
        lambda: torch.bmm(ones(6, 6, 6), ones(5, 6, 6)),
        lambda: torch.addmm(ones(5), ones(6, 6), ones(6, 6)),
        lambda: torch.addmm(ones(6, 6, 6), ones(6, 6), ones(6, 6)),
        lambda: torch.addmm(ones(6), ones(6, 6), ones(6, 6), alpha=1j),
    ]
    plain = [_problem(call) for call in calls]
    with sectile.torch.enable():
        sectile.torch.reset_calls()
        served = [_problem(call) for call in calls]
    return plain, served, sectile.torch.calls()


def test_operands_that_do_not_fit(ranks):
    plain, served, calls = ranks.run(_misfits)[0]
    assert served == plain
    assert calls == (0, 0, {"the shapes do not fit": 7, "a factor is complex": 1})


def _refused():
    mesh = mesh_of((6,))
    a = tensors.spread(torch.ones(6, 6), mesh, [Shard(0)])
    empty = sectile.torch.empty

    def made(*size, device_mesh=mesh, placements=(Replicate(),), **more):
        empty(*size, device_mesh=device_mesh, placements=placements, **more)

    wrong = [5, [5], ["S0"], [Shard(2)], [Shard(-3)], Shard(0), [Partial("max")], [None], [a]]
    calls = [
        *((lambda how=how: sectile.torch.matmul(a, a, how)) for how in wrong),
        *((lambda how=how: made(6, 6, placements=how)) for how in wrong),
        *((lambda size=size: made(size)) for size in ("x", -4, 2.5, None, [None], 1 << 70, 1 << 62)),
        lambda: made(1 << 40, 1 << 40),
        lambda: made(0, 1 << 40, 1 << 40),
        lambda: made(6, device_mesh=None),
        lambda: made(6, dtype="f4"),
        lambda: made(6, dtype=torch.int64, requires_grad=True),
        lambda: made(6, requires_grad=1),
        lambda: sectile.torch.matmul(5, a),
        lambda: sectile.torch.matmul(a, None),
        *((lambda what=what: sectile.torch.share_(what)) for what in (5, None, [5], [a, "a"])),
        lambda: sectile.World.from_torch(5),
        lambda: sectile.World.from_torch(dist.GroupMember.NON_GROUP_MEMBER),
        lambda: sectile.World.from_torch(ranks_per_node=1 << 40),
    ]
    for call in calls:
        with pytest.raises(sectile.Error):
            call()
    assert sectile.torch.matmul(a, a, [Shard(-1)]).placements == (Shard(1),)
    with pytest.raises(sectile.BadArgumentError, match="the operands are of several types"):
        sectile.torch.matmul(a, a.to(torch.float64))
    return len(calls)


def test_arguments(ranks):
    assert min(ranks.run(_refused)) > 30


def test_contexts():
    states = []

    def look():
        states.append((sectile.torch.is_enabled(), _has_key()))

    with sectile.torch.enable():
        with sectile.torch.enable():
            sectile.torch.disable()
            look()
        look()
    look()
    later = sectile.torch.enable()
    sectile.torch.disable()
    for _ in range(2):
        with later:
            look()
        look()
    with pytest.raises(KeyError):
        with sectile.torch.enable():
            raise KeyError
    look()
    on, off = (True, True), (False, False)
    assert states == [off, on, off, on, off, on, off, off]


def _in_a_thread():
    """Enables in one thread, and multiplies in another."""
    mesh = mesh_of((6,))
    a = tensors.spread(torch.ones(6, 6), mesh, [Shard(0)])
    found = []
    with sectile.torch.enable():
        sectile.torch.reset_calls()
        thread = threading.Thread(target=lambda: found.append(a @ a))
        thread.start()
        thread.join()
    assert tensors.equal(found[0], torch.full((6, 6), 6.0, dtype=torch.float64))
    return sectile.torch.calls()


def test_another_thread(ranks):
    assert ranks.run(_in_a_thread) == [(1, 0, {})] * ranks.size
