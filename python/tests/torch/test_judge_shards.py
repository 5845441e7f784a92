"""Which way layers of fully sharded modules take, by a clock that both ways set forward."""

import types

import pytest
import sectile.torch
import torch
from sectile.torch import _fully_shard, _judge
from sectile.torch._device import DEVICES
from sectile.torch._sharded_layer import ShardedLayer
from sectile.torch._steps import in_backward
from tensors import mesh_of
from test_fully_shard import _Checkpointed, _full, _model, _rows, _same, _shard
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy
from torch.distributed.fsdp import fully_shard as theirs

_fully_shard.LEAST = 1  # else these weights are left to torch
LAYERS = 14
_STEPS = 10  # more than are timed
_HALF = {"mp_policy": MixedPrecisionPolicy(torch.bfloat16, torch.float32)}


def _step(model, x):
    model.zero_grad()
    x = x.detach().requires_grad_(True)
    y = model(x)
    (y**2).sum().backward()
    return [_full(t).detach() for t in (y, x.grad, *(p.grad for p in model.parameters()))]


class _Slowed:
    """Both ways with a clock: products of the library take the given seconds of one rank in either pass, and none on
    others; torch's take one."""

    def __init__(self, patch, rank, forward, backward):
        self.wholes = 0
        processor = type(DEVICES["cpu"])
        clock, multiply, whole = [0.0], processor.multiply, ShardedLayer._whole

        def ours(*arguments, **how):
            clock[0] += (backward if in_backward() else forward) * (rank == 1)
            multiply(*arguments, **how)

        def torchs(*arguments):
            clock[0] += 1
            self.wholes += 1
            return whole(*arguments)

        patch.setattr(_judge, "time", types.SimpleNamespace(perf_counter=lambda: clock[0]))
        patch.setattr(processor, "multiply", ours)
        patch.setattr(ShardedLayer, "_whole", torchs)


def _judged(forward, backward, again=False, deterministic=False, half=False):
    """What becomes of the calls of the last of several steps, and how often a weight is whole in it."""
    mesh = mesh_of((3,))
    if mesh.get_coordinate() is None:
        return None
    kind, how, bound = (torch.float32, _HALF, 0.02) if half else (torch.float64, {}, 1e-10)
    x = _rows(mesh, 2 + mesh.get_rank(), dtype=kind)

    def made(shard):
        blocks = _model().to(kind)
        return _shard(nn.Sequential(*map(_Checkpointed, blocks)) if again else blocks, shard, mesh, **how)

    expected, model = _step(made(theirs), x), made(sectile.torch.fully_shard)
    torch.use_deterministic_algorithms(deterministic)
    try:
        with pytest.MonkeyPatch.context() as patch:
            slowed = _Slowed(patch, mesh.get_rank(), forward, backward)
            for _ in range(_STEPS):
                sectile.torch.reset_calls()
                slowed.wholes = 0
                for found, wanted in zip(_step(model, x), expected, strict=True):
                    assert found.dtype == wanted.dtype
                    assert (found - wanted).abs().max() <= bound * wanted.abs().max() + 1e-12
    finally:
        torch.use_deterministic_algorithms(True, warn_only=True)
    return sectile.torch.calls(), slowed.wholes


FASTER = "torch is faster"


@pytest.mark.parametrize(
    "forward, backward, calls, wholes",
    [
        (4, 4, (0, 0, {FASTER: LAYERS}), 2 * LAYERS),
        (0.1, 0.1, (LAYERS, 0, {}), 0),
        (0.1, 4, (LAYERS, 0, {}), LAYERS),
        (4, 0.1, (0, 0, {FASTER: LAYERS}), LAYERS),
    ],
)
def test_the_quicker_way(ranks, forward, backward, calls, wholes):
    """Each pass has a way of its own. The slowest rank counts, and ranks have different numbers of rows."""
    assert ranks.run(_judged, forward, backward)[:3] == [(calls, wholes)] * 3


def test_recomputed(ranks):
    """What a backward pass computes again takes the way of the forward pass."""
    expected = (0, 0, {FASTER: 2 * LAYERS}), 2 * LAYERS
    assert ranks.run(_judged, 4, 0.1, True)[:3] == [expected] * 3


def test_nothing_is_timed_where_results_must_not_change(ranks):
    assert ranks.run(_judged, 4, 4, False, True)[:3] == [((LAYERS, 0, {}), 0)] * 3


def test_mixed_precision(ranks):
    expected = (0, 0, {FASTER: LAYERS}), 2 * LAYERS
    assert ranks.run(_judged, 4, 4, False, False, True)[:3] == [expected] * 3


class _Some(nn.ModuleList):
    """Layers of which a call uses so many."""

    def forward(self, x, count):
        for layer in self[:count]:
            x = layer(x)
        return x


def _skipped():
    """What becomes of the calls of three layers of which one rank has used one so far, and the other two."""
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    model = sectile.torch.fully_shard(_Some(nn.Linear(24, 24, bias=False) for _ in range(3)), mesh=mesh)
    x = _rows(mesh, dtype=torch.float32)
    torch.use_deterministic_algorithms(False)
    try:
        with pytest.MonkeyPatch.context() as patch:
            _Slowed(patch, mesh.get_rank(), 4, 4)
            for _ in range(_STEPS):
                model(x, 1 + mesh.get_rank()).sum().backward()
            sectile.torch.reset_calls()
            model(x, 3)
    finally:
        torch.use_deterministic_algorithms(True, warn_only=True)
    return sectile.torch.calls()


def test_layers_that_ranks_skip(ranks):
    """They choose if any rank has used them."""
    assert ranks.run(_skipped)[:2] == [(1, 0, {FASTER: 2})] * 2
