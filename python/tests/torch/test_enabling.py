"""Enabling and disabling, counts and reasons, worlds of process groups, errors."""

import datetime
import time

import numpy as np
import pytest
import sectile
import sectile.torch
import tensors
import torch
import torch.distributed as dist
from sectile.torch import _dispatch
from tensors import mesh_of
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard


def _counted(mesh, a, b):
    sectile.torch.reset_calls()
    a @ b
    return sectile.torch.calls()


def _count(shape):
    mesh = mesh_of(shape)
    whole = torch.ones(6, 6)
    rows, copies = tensors.spread(whole, mesh, [Shard(0)]), tensors.spread(whole, mesh, [Replicate()])
    numbers = tensors.spread(whole.to(torch.int64), mesh, [Shard(0)])
    largest = DTensor.from_local(whole, mesh, [Partial("max")], run_check=False)
    states = [sectile.torch.is_enabled()]
    counts = [_counted(mesh, rows, rows)]
    with sectile.torch.enable():
        states.append(sectile.torch.is_enabled())
        counts += [
            _counted(mesh, rows, rows),
            *(_counted(mesh, rows, copies) for _ in range(3)),
            _counted(mesh, numbers, numbers),
            _counted(mesh, largest, copies),
        ]
        with sectile.torch.enable():
            pass
        states.append(sectile.torch.is_enabled())
    states.append(sectile.torch.is_enabled())
    return states, [tuple(count) for count in counts]


def test_counts(ranks):
    for states, counts in ranks.run(_count, (6,)):
        assert states == [False, True, True, False]
        assert counts == [
            (0, 0, {}),
            (1, 0, {}),
            *[(0, 1, {})] * 3,
            (0, 0, {"elements of type torch.int64": 1}),
            (0, 0, {"placement P(max)": 1}),
        ]


def _asked_of_python():
    """How often DTensor asks Python about a product, local or not, while products are served."""
    mesh = mesh_of((6,))
    whole = torch.ones(12, 12)
    rows, copies = tensors.spread(whole, mesh, [Shard(0)]), tensors.spread(whole, mesh, [Replicate()])
    asked = []
    with sectile.torch.enable():
        for a, b in ((rows, copies), (rows, rows)):
            a @ b
            with pytest.MonkeyPatch.context() as patch:
                dispatcher, before = DTensor._op_dispatcher, DTensor._op_dispatcher.unwrap_to_op_info
                calls = []
                patch.setattr(
                    dispatcher, "unwrap_to_op_info", lambda *x, calls=calls: calls.append(x) or before(*x)
                )
                for _ in range(5):
                    a @ b
            asked.append(len(calls))
    return asked


def test_local_products_stay_in_cpp(ranks):
    assert ranks.run(_asked_of_python) == [[0, 5]] * ranks.size


def _again():
    """What was multiplied before is served, left to DTensor and served again."""
    mesh = mesh_of((6,))
    a = tensors.spread(torch.ones(18, 18), mesh, [Shard(0)])
    found = []
    for enabled in (False, True, True, False, False, True):
        sectile.torch.reset_calls()
        if enabled:
            with sectile.torch.enable():
                c = a @ a
        else:
            c = a @ a
        assert tensors.equal(c, torch.full((18, 18), 18.0, dtype=torch.float64))
        found.append(tuple(sectile.torch.calls()))
    return found


def test_enabling_again(ranks):
    served, none = (1, 0, {}), (0, 0, {})
    for found in ranks.run(_again):
        assert found == [none, served, served, none, none, served]


def _others():
    """Products that are always left to DTensor."""
    mesh = mesh_of((6,))
    a, copies = (tensors.spread(torch.ones(6, 6), mesh, [how]) for how in (Shard(0), Replicate()))
    out = tensors.spread(torch.zeros(6, 6), mesh, [Shard(0)])
    with sectile.torch.enable():
        sectile.torch.reset_calls()
        torch.mv(a, copies[0])
        out.addmm_(a, copies)
        torch.mm(a, copies, out=out)
    return sectile.torch.calls()


def test_other_operations(ranks):
    counted = {"operation aten.mv.default": 1, "operation aten.addmm_.default": 1, "operation aten.mm.out": 1}
    for calls in ranks.run(_others):
        assert calls == (0, 0, counted)


def _in_inference_mode():
    """There, `linear` and `matmul` come to DTensor as they are."""
    mesh = mesh_of((6,))
    x, copies = (tensors.spread(torch.ones(6, 6), mesh, [how]) for how in (Shard(0), Replicate()))
    found = []
    for weight in (x, copies):
        for product in (torch.nn.functional.linear, torch.matmul):
            with sectile.torch.enable(), torch.inference_mode():
                sectile.torch.reset_calls()
                y = product(x, weight)
                found.append((bool((y.to_local() == 6).all()), *sectile.torch.calls()))
    return found


def test_inference_mode(ranks):
    for found in ranks.run(_in_inference_mode):
        assert found == [(True, 1, 0, {})] * 2 + [(True, 0, 1, {})] * 2


def _context_parallel():
    """It replaces the table of handlers, and puts the old one back."""
    from torch.distributed.tensor.experimental import context_parallel

    mesh = mesh_of((6,))
    a, copies = (tensors.spread(torch.ones(6, 6), mesh, [how]) for how in (Shard(0), Replicate()))
    found = []

    def replaced():
        return context_parallel(mesh, buffers=[torch.ones(12, 2)], buffer_seq_dims=[0])

    def look():
        sectile.torch.reset_calls()
        a @ a, a @ copies, a @ copies
        found.append((sectile.torch.is_enabled(), *sectile.torch.calls()))

    with sectile.torch.enable():
        with replaced():
            look()
        look()
    with replaced():
        sectile.torch.enable()
        look()
    look()
    sectile.torch.disable()
    return found


def test_context_parallel(ranks):
    for found in ranks.run(_context_parallel):
        assert found == [(True, 1, 2, {})] * 4


def _large(shape, how, dtype):
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    a, b = torch.ones(1024, 128, dtype=dtype), torch.ones(128, 1024, dtype=dtype)
    with sectile.torch.enable():
        sectile.torch.reset_calls()
        c = tensors.spread(a, mesh, how[:-1]) @ tensors.spread(b, mesh, how[1:])
        assert tensors.equal(c, torch.full((1024, 1024), 128.0, dtype=torch.float64))
        return sectile.torch.calls()


@pytest.mark.parametrize(
    "mesh, how, dtype, served",
    [
        ((2,), [Replicate(), Replicate()], torch.float32, 1),
        ((2, 3), [Replicate(), Replicate(), Replicate()], torch.float32, 1),
        ((2,), [Shard(0), Replicate()], torch.float32, 0),
        ((2,), [Shard(0), Replicate()], torch.float16, 1),
    ],
)
def test_large_products(ranks, mesh, how, dtype, served):
    """The library multiplies what ranks would compute alike, and what torch computes slowly."""
    found = ranks.run(_large, mesh, how, dtype)[0]
    assert (found.served, found.local, found.passed_on) == (served, 1 - served, {})


def _refused(shape):
    mesh = mesh_of(shape)
    a = tensors.spread(torch.ones(6, 4), mesh, [Shard(0)])
    reasons = []
    for b, placements in (
        (a, None),
        (torch.ones(4, 6), None),
        (tensors.spread(torch.ones(4, 6), mesh, [Shard(0)]), [Shard(0), Shard(1)]),
        (tensors.spread(torch.ones(4), mesh, [Shard(0)]), None),
    ):
        with pytest.raises(sectile.BadArgumentError) as problem:
            sectile.torch.matmul(a, b, out_placements=placements)
        reasons.append(str(problem.value))
    return reasons


def test_errors(ranks):
    for reasons in ranks.run(_refused, (6,)):
        assert reasons == [
            "matmul: the operands are (6, 4) and (6, 4)",
            "matmul: an operand is not a DTensor",
            "matmul: 2 placements for a mesh of 1 dimensions",
            "matmul: the operands are not two matrices, or two batches of them",
        ]


def _wrong_size(shape):
    mesh = mesh_of(shape)
    local = torch.ones(2 if mesh.get_rank() == 1 else 1, 6)
    a = DTensor.from_local(local, mesh, [Shard(0)], run_check=False, shape=(6, 6), stride=(6, 1))
    with pytest.raises(sectile.BadArgumentError) as problem:
        sectile.torch.matmul(a, a, [Shard(0)])
    return str(problem.value)


def test_a_local_tensor_of_another_size_fails_on_all_ranks(ranks):
    said = "a: the local tensor of rank 1 is (2, 6), but [Shard(dim=0)] of (6, 6) gives it (1, 6)"
    found = ranks.run(_wrong_size, (6,))
    assert found.pop(1) == said and set(found) == {f"rank 1: {said}"}


@pytest.mark.parametrize(
    "owner, name",
    [
        (DTensor._op_dispatcher, "_custom_op_handlers"),
        (torch._C, "_clear_DTensor_sharding_propagator_cache"),
    ],
)
def test_without_the_hook(monkeypatch, owner, name):
    monkeypatch.delattr(owner, name)
    with pytest.raises(sectile.NoEngineError, match=name) as problem:
        sectile.torch.enable()
    assert "\n" not in str(problem.value)


def _world(pairs):
    groups = [dist.new_group(pair) for pair in pairs]
    group = next(g for g, pair in zip(groups, pairs) if dist.get_rank() in pair)
    found = []
    for world in (
        sectile.World.from_torch(),
        sectile.World.from_torch(group),
        sectile.World.from_torch(group, ranks_per_node=1),
    ):
        a = world.from_numpy(np.full((8, 8), 1.0), "row")
        c = a @ a
        found.append((world.size, world.rank, float(c.to_numpy().sum())))
        del a, c
        world.close()
    return found


def test_worlds(ranks):
    found = ranks.run(_world, [(0, 5), (1, 4), (2, 3)])
    places = {0: 0, 5: 1, 1: 0, 4: 1, 2: 0, 3: 1}
    for rank, worlds in enumerate(found):
        assert worlds == [(6, rank, 512.0), (2, places[rank], 512.0), (2, places[rank], 512.0)]


def test_a_world_without_a_process_group():
    with pytest.raises(sectile.BadArgumentError, match="init_process_group"):
        sectile.World.from_torch()


def _late_rank():
    """The timeout of its group limits how long the others wait for it."""
    group = dist.new_group(timeout=datetime.timedelta(seconds=1))
    reasons = []
    for world in (
        sectile.World.from_torch(group),
        sectile.World.from_torch(group, wait_seconds=60),
    ):
        if dist.get_rank() == 4:
            time.sleep(4)
        try:
            world.barrier()
            reasons.append(None)
        except sectile.FailedError as problem:
            reasons.append(str(problem))
    return reasons


def test_a_rank_that_is_late(ranks):
    for first, second in ranks.run(_late_rank):
        assert first.startswith("rank 4 did not respond for 1 s") and second is None


class _Operation:
    """An operation with a hash of one's choice."""

    def __init__(self, number):
        self._number = number

    def __hash__(self):
        return self._number


def test_each_call_is_counted_once():
    """Wherever a dict looks for an operation: at some it looks twice."""
    compared = set()
    for number in range(2000):
        operation = _Operation(number * 7919)
        key = _dispatch._Counted(operation)
        table = {**dict.fromkeys(range(20)), key: None}
        key.calibrate(table)
        compared.add(key._each_call)
        sectile.torch.reset_calls()
        for calls in range(1, 4):
            assert operation not in table
            assert sectile.torch.calls().local == calls
    assert max(compared) > 1
