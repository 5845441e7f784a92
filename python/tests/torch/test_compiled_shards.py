"""Blocks that are compiled, each as one graph, and then sharded by sectile.torch.fully_shard train as those that are
not compiled."""

import os

import pytest
import sectile.torch
import torch
from ranks import Ranks
from sectile.torch import _fully_shard
from tensors import mesh_of
from test_fully_shard import _Checkpointed, _full, _model, _rows, _same, _shard, _step
from torch import nn
from torch._dynamo.utils import counters
from torch.distributed.fsdp import MixedPrecisionPolicy
from torch.distributed.fsdp import fully_shard as theirs

_fully_shard.LEAST = 1  # else these weights are left to torch


@pytest.fixture(scope="module")
def ranks():
    """Fewer than other tests have, since each compiles."""
    started = Ranks(2)
    yield started
    started.close()


def _compile(backend, cache, fullgraph=True, dynamic=None):
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
    torch._dynamo.reset()
    counters.clear()
    return lambda block: torch.compile(block, backend=backend, fullgraph=fullgraph, dynamic=dynamic)


def _blocks(kind, again):
    """With a weight that is frozen, and, if they are exact, with biases, of which one has a gradient of zero."""
    blocks = _model(bias=kind == torch.float64).to(kind)
    blocks[1].attn.wq.weight.requires_grad_(False)
    return map(_Checkpointed, blocks) if again else blocks


def _step_of(model, x):
    """The output, and all gradients that there are."""
    for parameter in model.parameters():
        parameter.grad = None
    x = x.clone().requires_grad_(True)
    y = model(x)
    (y**2).sum().backward()
    return [_full(t).detach() for t in (y, x.grad, *(p.grad for p in model.parameters())) if t is not None]


def _train(backend, cache, again=False, half=False):
    """Trains blocks that compute their products again for the backward pass, or in bf16. Returns what was
    served, and the numbers of graphs and of graph breaks."""
    mesh = mesh_of((2,))
    kind, how, bound = torch.float64, {}, 1e-10
    if half:
        kind, bound, how = torch.float32, 0.02, {"mp_policy": MixedPrecisionPolicy(torch.bfloat16, torch.float32)}
    x, compiled = _rows(mesh, dtype=kind), _compile(backend, cache)
    expected = _step_of(_shard(nn.Sequential(*_blocks(kind, again)), theirs, mesh, **how), x)
    model = nn.Sequential(*map(compiled, _blocks(kind, again)))
    _shard(model, sectile.torch.fully_shard, mesh, **how)
    sectile.torch.reset_calls()
    for _ in range(2):
        for found, wanted in zip(_step_of(model, x), expected, strict=True):
            assert found.dtype == wanted.dtype
            size = wanted.abs().max()
            assert (found - wanted).abs().max() <= bound * size + 1e-12
    return sectile.torch.calls(), counters["stats"]["unique_graphs"], sum(counters["graph_break"].values())


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_blocks(ranks, backend, tmp_path):
    """One graph serves both blocks, but for the weight that is frozen."""
    for calls, graphs, breaks in ranks.run(_train, backend, str(tmp_path)):
        assert calls == (2 * 2 * 7, 0, {})
        assert (graphs, breaks) == (2, 0)


def test_activation_checkpointing(ranks):
    for calls, _, breaks in ranks.run(_train, "aot_eager", "", True):
        assert calls == (2 * 2 * (7 + 6), 0, {})  # the last activation of a block is not needed again
        assert breaks == 0


def test_mixed_precision(ranks):
    for calls, _, breaks in ranks.run(_train, "aot_eager", "", False, True):
        assert calls == (2 * 2 * 7, 0, {})
        assert breaks == 0


def _whole(shard):
    """How often graphs of a model break that is compiled when all of it has been sharded."""
    mesh = mesh_of((2,))
    x = _rows(mesh)
    model = _shard(_model(bias=True), shard, mesh)
    expected = _step(model, x)
    compiled = _compile("aot_eager", "", fullgraph=False)(model)
    for _ in range(2):
        _same(_step(compiled, x), expected)
    return sum(counters["graph_break"].values())


def test_a_whole_model(ranks):
    """Graphs break at the hooks that torch has on sharded modules, and nowhere else."""
    assert ranks.run(_whole, sectile.torch.fully_shard) == ranks.run(_whole, theirs)
