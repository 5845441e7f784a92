"""Models that are spread over ranks cannot be exported. They say so, and can be used as before."""

import layers
import pytest
import sectile
import sectile.torch
import sectile.torch.parallel
import torch
from sectile.torch import _fully_shard
from tensors import mesh_of
from test_fully_shard import _model, _rows
from torch.distributed.tensor.parallel import parallelize_module

_fully_shard.LEAST = 1  # else these weights are left to torch


def _styles(model, mesh):
    for layer in model:
        parallelize_module(layer, mesh, layers.tensor_parallel(sectile.torch.parallel))
    return model


def _prepared(model, mesh):
    """With a style that is asked before those of the linear layers."""
    for layer in model:
        plan = layers.sequence_parallel(sectile.torch.parallel)
        parallelize_module(layer, mesh, {name: style for name, style in plan.items() if name[0] != "n"})
    return model


def _sharded(model, mesh):
    return sectile.torch.fully_shard(model, mesh=mesh)


def _export(spread):
    """What is said, and whether the model then computes what it does in another process."""
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    model, x = spread(_model(), mesh), _rows(mesh)
    with pytest.raises(sectile.BadArgumentError) as problem:
        torch.export.export(model, (x,))
    if spread is not _prepared:
        assert torch.isfinite(model(x)).all()
    return str(problem.value)


@pytest.mark.parametrize(
    "spread, what",
    [
        (_styles, "a style: torch.export cannot trace it; export the model before parallelize_module"),
        (_prepared, "a style: torch.export cannot trace it; export the model before parallelize_module"),
        (_sharded, "fully_shard: torch.export cannot trace it; export the model before it is sharded"),
    ],
)
def test_refused(ranks, spread, what):
    assert ranks.run(_export, spread)[:2] == [what] * 2
