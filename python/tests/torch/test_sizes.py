"""Tensors whose sizes differ between ranks: an error of all ranks, whoever computes, which says whose size is wrong."""

import pytest
import sectile
import sectile.torch
import sectile.torch.parallel as ours
import torch
from sectile.torch import _judge
from sectile.torch._site import site_of, world_of
from tensors import mesh_among, mesh_of
from torch import nn
from torch.distributed.tensor import DTensor, Shard, distribute_tensor
from torch.distributed.tensor.parallel import parallelize_module

CULPRIT = 1
# The ranks of another mesh.
OTHER = 1, 0
# As many calls as it takes until a way is chosen.
CALLS = 10


def _errors(prepare, less):
    """What a call says in which one rank has a wrong size: the first one, one of those that are timed, and one of
    the way that was chosen. Between these, the call is right."""
    mesh, _ = mesh_of((2,)), mesh_among(OTHER)
    if mesh.get_coordinate() is None:
        return None
    call, said = prepare(mesh), []
    world_of(site_of(mesh)).__dict__.pop("_trials", None)  # of the last call
    torch.use_deterministic_algorithms(False)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_judge, "_LESS", less)
            for calls in (0, 4, CALLS):
                for _ in range(calls):
                    sectile.torch.reset_calls()
                    call(False)
                try:
                    call(mesh.get_rank() == CULPRIT)
                except sectile.Error as problem:
                    said.append(str(problem))
            call(False)
    finally:
        torch.use_deterministic_algorithms(True, warn_only=True)
    return said, sectile.torch.calls()


def _product(mesh):
    b = distribute_tensor(torch.ones(8, 6), mesh, [Shard(1)])
    how = {"run_check": False, "shape": (4, 8), "stride": (8, 1)}

    def call(wrong):
        a = DTensor.from_local(torch.ones(4, 3 if wrong else 4), mesh, [Shard(1)], **how)
        with sectile.torch.enable():
            a @ b

    return call


def _product_without_shape(mesh):
    b = distribute_tensor(torch.ones(8, 6), mesh, [Shard(1)])

    def call(wrong):
        a = DTensor.from_local(torch.ones(3 if wrong else 4, 8), mesh, [Shard(0)], run_check=False)
        with sectile.torch.enable():
            a @ b

    return call


def _mlp(mesh):
    plan = {"0": ours.ColwiseParallel(input_layouts=Shard(1)), "2": ours.RowwiseParallel(output_layouts=Shard(1))}
    return parallelize_module(nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 8)), mesh, plan)


def _style(mesh):
    model = _mlp(mesh)
    return lambda wrong: model(torch.ones(2, 3 if wrong else 4, 8))


def _hidden(mesh):
    model = _mlp(mesh)
    return lambda wrong: model(torch.ones(2, 4, 6 if wrong else 8))


def _chosen(mesh):
    b = distribute_tensor(torch.ones(8, 6), mesh, [Shard(1)])

    def call(wrong):
        a = DTensor.from_local(torch.ones(3 if wrong else 4, 8), mesh, [Shard(0)], run_check=False)
        sectile.torch.matmul(a, b)

    return call


def _across(mesh):
    b, other = distribute_tensor(torch.ones(8, 6), mesh, [Shard(1)]), mesh_among(OTHER)

    def call(wrong):
        a = DTensor.from_local(torch.ones(3 if wrong else 4, 8), mesh, [Shard(0)], run_check=False)
        sectile.torch.matmul(a, b, out_mesh=other, out_placements=[Shard(0)])

    return call


def _moved(mesh):
    def call(wrong):
        a = DTensor.from_local(torch.ones(3 if wrong else 4, 8), mesh, [Shard(0)], run_check=False)
        sectile.torch.redistribute(a, mesh, [Shard(1)])

    return call


LOCAL = "a: the local tensor of rank 1 is (4, 3), but [Shard(dim=1)] of (4, 8) gives it (4, 4)"
WHOLE = "a: rank 1 has (3, 8), [S(0)] of (6, 8), but rank 0 has (4, 8), [S(0)] of (8, 8)"
MOVED = WHOLE.replace("a:", "redistribute:")
TOKENS = "activation: rank 1 has (2, 3, 8), [S(1)] of (2, 6, 8), but rank 0 has (2, 4, 8), [S(1)] of (2, 8, 8)"
HIDDEN = "the sizes do not fit: activation (2, 4, 6), [S(1)] of (2, 8, 6) and weight (6, 8), [S(0)] of (12, 8)"


@pytest.mark.parametrize(
    "prepare, others, culprit",
    [
        (_product, f"rank 1: {LOCAL}", LOCAL),
        (_product_without_shape, WHOLE, WHOLE),
        (_style, TOKENS, TOKENS),
        (_hidden, f"rank 1: {HIDDEN}", HIDDEN),
        (_chosen, WHOLE, WHOLE),
        (_across, WHOLE, WHOLE),
        (_moved, MOVED, MOVED),
    ],
)
@pytest.mark.parametrize("less", [1e9, 0])  # the chosen way is torch's, or the library's
def test_a_wrong_size(ranks, less, prepare, others, culprit):
    first, second = filter(None, ranks.run(_errors, prepare, less))
    assert first[0] == [others] * 3 and second[0] == [culprit] * 3
    assert ("torch is faster" in first[1].passed_on) == (less > 1 and prepare not in (_chosen, _across, _moved))
