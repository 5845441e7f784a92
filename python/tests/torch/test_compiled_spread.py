"""Blocks whose weights are spread by tensor parallelism and by fully_shard are compiled, each as one graph."""

import layers
import pytest
import sectile.torch
import sectile.torch.parallel as ours
import torch
from ranks import Ranks
from sectile.torch import _fully_shard
from tensors import mesh_of
from test_compiled_shards import _compile, _step_of
from test_fully_shard import _model, _shard
from torch import nn
from torch._dynamo.utils import counters
from torch.distributed.fsdp import fully_shard as theirs
from torch.distributed.tensor import Shard, distribute_tensor, parallel
from torch.distributed.tensor.parallel import parallelize_module

_fully_shard.LEAST = 1  # else these weights are left to torch


@pytest.fixture(scope="module")
def ranks():
    """Fewer than other tests have, since each compiles."""
    started = Ranks(4)
    yield started
    started.close()


def _made(mesh, plan, styles, shard, compiled):
    blocks = _model(bias=True)
    for block in blocks:
        parallelize_module(block, mesh["model"], plan(styles))
    return _shard(nn.Sequential(*map(compiled, blocks)), shard, mesh["data"])


def _input(mesh, placements, rows):
    torch.manual_seed(7 + mesh["data"].get_local_rank())
    x = torch.randn(rows, 12, 24, dtype=torch.float64)
    return distribute_tensor(x, mesh["model"], placements) if placements else x


def _train(backend, cache, plan, placements):
    mesh = mesh_of((2, 2), ("data", "model"))
    x = _input(mesh, placements, 2)
    expected = _step_of(_made(mesh, plan, parallel, theirs, lambda block: block), x)
    model = _made(mesh, plan, ours, sectile.torch.fully_shard, _compile(backend, cache))
    sectile.torch.reset_calls()
    for _ in range(2):
        for found, wanted in zip(_step_of(model, x), expected, strict=True):
            torch.testing.assert_close(found, wanted, rtol=1e-10, atol=1e-11)
    return sectile.torch.calls(), counters["stats"]["unique_graphs"], sum(counters["graph_break"].values())


@pytest.mark.parametrize(
    "backend, plan, placements",
    [
        ("aot_eager", layers.sequence_parallel, [Shard(1)]),
        ("aot_eager", layers.tensor_parallel, None),
        ("inductor", layers.sequence_parallel, [Shard(1)]),
    ],
)
def test_blocks(ranks, backend, plan, placements, tmp_path):
    for calls, graphs, breaks in ranks.run(_train, backend, str(tmp_path), plan, placements):
        assert calls == (2 * 2 * 7, 0, {})
        assert (graphs, breaks) == (2, 0)


def _other_rows(whole, *counts):
    """Steps with different numbers of rows, which ranks may have, too. Returns the error at last."""
    mesh = mesh_of((2, 2), ("data", "model"))
    expected = _made(mesh, layers.sequence_parallel, parallel, theirs, lambda block: block)
    compiled = _compile("aot_eager", "", fullgraph=not whole)
    each = (lambda block: block) if whole else compiled
    model = _made(mesh, layers.sequence_parallel, ours, sectile.torch.fully_shard, each)
    model = compiled(model) if whole else model
    for rows in counts:
        x = _input(mesh, [Shard(1)], rows[mesh["data"].get_local_rank()])
        try:
            found = _step_of(model, x)
        except Exception as problem:
            return rows, type(problem).__name__, str(problem)
        for one, other in zip(found, _step_of(expected, x), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-11)
    return None


@pytest.mark.parametrize("whole", [False, True])
def test_other_rows(ranks, whole):
    """Each number of rows has a graph of its own; ranks must have equal ones."""
    one, other = ("(18, 24), [S(0), _S(0, 3)] of (72, 24)", "(12, 24), [S(0), _S(0, 2)] of (48, 24)")
    said = f"a: rank 2 has {one}, but rank 0 has {other}"
    counts = (2, 2), (3, 3), (5, 5), (2, 3)
    assert ranks.run(_other_rows, whole, *counts) == [((2, 3), "DisagreeError", said)] * 4


def _dynamic(*counts):
    mesh = mesh_of((2, 2), ("data", "model"))
    expected = _made(mesh, layers.sequence_parallel, parallel, theirs, lambda block: block)
    compiled = _compile("aot_eager", "", fullgraph=False, dynamic=True)
    model = _made(mesh, layers.sequence_parallel, ours, sectile.torch.fully_shard, compiled)
    sectile.torch.reset_calls()
    for rows in counts:
        x = _input(mesh, [Shard(1)], rows[mesh["data"].get_local_rank()])
        for found, wanted in zip(_step_of(model, x), _step_of(expected, x), strict=True):
            torch.testing.assert_close(found, wanted, rtol=1e-10, atol=1e-11)
    return sectile.torch.calls()


def test_dynamic(ranks):
    """Such layers run outside of the graphs, so that ranks may have different numbers of rows."""
    for calls in ranks.run(_dynamic, (2, 2), (5, 5), (2, 3)):
        assert calls == (2 * 2 * 7, 0, {"ranks have different numbers of rows": 2 * 7})
