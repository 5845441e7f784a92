"""Which way is taken, by a clock that both ways set forward."""

import copy
import random
import types
from collections import Counter

import layers
import pytest
import sectile.torch
import sectile.torch.parallel
import tensors
import torch
from sectile.torch import _collectives, _judge, _operations, _operator
from sectile.torch._sharding import Sharding
from sectile.torch._site import site_of, world_of
from sectile.torch._specs import by_rows
from sectile.torch._steps import in_backward
from tensors import mesh_of
from test_parallel import _full
from torch.distributed.tensor import DTensor, Shard, distribute_tensor, parallel
from torch.distributed.tensor.parallel import parallelize_module

KEYS = iter(range(1 << 30))


def _ways(ours, torchs, calls, deterministic=False):
    """The ways that calls take, of which each takes so many seconds on each rank; and the counts."""
    mesh = mesh_of((4,))
    if mesh.get_coordinate() is None:
        return None
    clock, rank = [0.0], mesh.get_rank()

    def way(name, seconds):
        clock[0] += seconds[rank]
        return name

    world, key = world_of(site_of(mesh)), next(KEYS)
    torch.use_deterministic_algorithms(deterministic)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_judge, "time", types.SimpleNamespace(perf_counter=lambda: clock[0]))
            taken = [
                _judge.quicker(world, key, str, lambda: way("o", ours), lambda: way("t", torchs))
                for _ in range(calls)
            ]
    finally:
        torch.use_deterministic_algorithms(True, warn_only=True)
    return "".join(name for name, _ in taken), Counter(why for _, why in taken)


@pytest.mark.parametrize(
    "ours, torchs, taken, timed, faster",
    [
        ([1, 1, 1, 1], [4, 4, 4, 4], "oot" "ot" "ooooooo", 2, 0),
        ([4, 4, 4, 4], [1, 1, 1, 1], "oot" "ot" "ttttttt", 2, 7),
        ([8, 8, 8, 8], [7, 7, 7, 7], "oot" "ototot" "ttt", 4, 3),
        ([7, 7, 7, 7], [8, 8, 8, 8], "oot" "ototot" "ooo", 4, 0),
        ([9, 1, 1, 1], [1, 1, 1, 2], "oot" "ot" "ttttttt", 2, 7),
        ([100] * 4, [98] * 4, "oot" "ototot" "ooo", 4, 0),
    ],
)
def test_the_quicker_way(ranks, ours, torchs, taken, timed, faster):
    """Both are tried, for longer if neither is clearly quicker; the slowest rank counts."""
    reasons = {None: 12 - timed - faster, "torch is timed": timed, "torch is faster": faster}
    for ways, whys in ranks.run(_ways, ours, torchs, 12)[:4]:
        assert ways == taken
        assert whys == Counter(reasons)


def test_nothing_is_timed_where_results_must_not_change(ranks):
    for ways, whys in ranks.run(_ways, [4] * 4, [1] * 4, 12, True)[:4]:
        assert ways == "o" * 12 and whys == {None: 12}


def _results():
    """Products that are computed in both ways."""
    mesh = mesh_of((2, 2))
    if mesh.get_coordinate() is None:
        return None
    whole = tensors.integers((12, 12), torch.float32, 5)
    a = tensors.spread(whole, mesh, [Shard(1), Shard(0)])
    expected = tensors.exact(whole) @ tensors.exact(whole)
    torch.use_deterministic_algorithms(False)
    sectile.torch.reset_calls()
    try:
        with sectile.torch.enable():
            right = [tensors.equal(a @ a, expected) for _ in range(12)]
            right += [tensors.equal(torch.addmm(a, a, a), expected + whole) for _ in range(12)]
    finally:
        torch.use_deterministic_algorithms(True, warn_only=True)
    calls = sectile.torch.calls()
    return all(right), calls.served + calls.local + sum(calls.passed_on.values()), calls.passed_on


def test_both_ways_give_the_same(ranks):
    for right, counted, passed_on in ranks.run(_results)[:4]:
        assert right and counted == 24 and passed_on["torch is timed"] >= 4


# ---- Products in graphs and in backward passes ----


def _step(model, x):
    x = x.detach().requires_grad_(True)
    model.zero_grad()
    y = model(x)
    (y.full_tensor() ** 2).sum().backward()
    return [_full(t).detach() for t in (y, x.grad, *(p.grad for p in model.parameters()))]


def _judged(shape, compiled, forward, backward):
    """Steps of a layer with styles, in which each product of the library takes so many seconds in either pass, and
    each of torch one. Returns what became of the calls, and how many products torch computes in a step at last."""
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    torch.manual_seed(1)
    whole = layers.Layer().double()
    x = distribute_tensor(torch.randn(1, 12, 24, dtype=torch.float64), mesh, [Shard(1)] * len(shape))
    plan = layers.sequence_parallel
    theirs = parallelize_module(copy.deepcopy(whole), mesh, plan(parallel))
    expected = _step(theirs, x)
    model = parallelize_module(whole, mesh, plan(sectile.torch.parallel))
    world_of(site_of(mesh)).__dict__.pop("_trials", None)  # of the last call
    clock, by_torch = [0.0], []

    def slowed(function, forward, backward, made):
        def run(*arguments):
            clock[0] += backward if in_backward() else forward
            made.append(1)
            return function(*arguments)

        return run

    torch._dynamo.reset()
    torch.use_deterministic_algorithms(False)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_judge, "time", types.SimpleNamespace(perf_counter=lambda: clock[0]))
            patch.setattr(_operator, "multiply", slowed(_operator.multiply, forward, backward, []))
            patch.setattr(_collectives, "multiply", slowed(_collectives.multiply, 1, 1, by_torch))
            if compiled:
                model = torch.compile(model, backend="aot_eager", fullgraph=True)
            for _ in range(10):
                del by_torch[:]
                sectile.torch.reset_calls()
                for found, wanted in zip(_step(model, x), expected, strict=True):
                    torch.testing.assert_close(found, wanted, rtol=1e-10, atol=1e-11)
    finally:
        torch.use_deterministic_algorithms(True, warn_only=True)
    return sectile.torch.calls(), len(by_torch)


@pytest.mark.parametrize("shape", [(2,), (3,)])
def test_products_of_graphs(ranks, shape):
    """The seven layers are four products, and their gradients eight."""
    for calls, by_torch in filter(None, ranks.run(_judged, shape, True, 4, 4)):
        assert calls == (0, 0, {"torch is faster": 7}) and by_torch == 4 + 8
    for calls, by_torch in filter(None, ranks.run(_judged, shape, True, 0.25, 0.25)):
        assert calls == (7, 0, {}) and by_torch == 0


def test_products_of_backward_passes(ranks):
    """A layer whose forward pass is the library's has gradients from torch, where these take less time."""
    for calls, by_torch in filter(None, ranks.run(_judged, (2,), False, 0, 4)):
        assert calls == (7, 0, {}) and by_torch == 8
    for calls, by_torch in filter(None, ranks.run(_judged, (2,), False, 0, 0.25)):
        assert calls == (7, 0, {}) and by_torch == 0


def _by_collectives(shape, count):
    """Which products in torch's way are wrong, of so many between random placements."""
    mesh, draw, wrong = mesh_of(shape), random.Random(1), []
    if mesh.get_coordinate() is None:
        return wrong
    site = site_of(mesh)
    a, b = tensors.integers((7, 5), torch.float64, 1), tensors.integers((5, 6), torch.float64, 2)
    for _ in range(count):
        x, y, z = ([draw.choice(tensors.PLACEMENTS) for _ in shape] for _ in range(3))
        result = _operations.sharding_of(by_rows(mesh, z, (7, 6), a.dtype), site.mesh)
        pair = [
            _operations.operand_of(tensors.spread(whole, mesh, how, 3), site, "")
            for whole, how in ((a, x), (b, y))
        ]
        assert _collectives.can_multiply(world_of(site), site, pair[0].sharding, pair[1].sharding, result)
        local = _collectives.multiply(world_of(site), site, *pair, result, 2)
        found = DTensor.from_local(local, mesh, z, run_check=False, shape=(7, 6), stride=(6, 1))
        if not tensors.equal(found, 2 * (a @ b)):
            wrong.append((x, y, z))
    return wrong


@pytest.mark.parametrize("shape", [(3,), (2, 2), (2, 3)])
def test_products_by_collectives(ranks, shape):
    assert [wrong for found in ranks.run(_by_collectives, shape, 30) for wrong in found] == []


def _cut_out_of_turn():
    """What is said of a matrix whose rows are cut over the last dimension of the mesh first."""
    mesh = mesh_of((2, 2))
    if mesh.get_coordinate() is None:
        return None
    site = site_of(mesh)
    plain = Sharding(site.mesh, (8, 8), (Shard(0), Shard(0)), (0, 1))
    across = [plain._replace(how=(Shard(0), Shard(1)), order=order) for order in ((0, 1), (1, 0))]
    given = plain, plain._replace(order=(1, 0)), *across
    return [_collectives.can_multiply(world_of(site), site, a, plain, plain) for a in given]


def test_matrices_that_are_cut_out_of_turn(ranks):
    assert list(filter(None, ranks.run(_cut_out_of_turn))) == [[True, False, True, True]] * 4
