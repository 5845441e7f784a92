"""What torch's tools show of the products: the profiler, CommDebugMode, policies of checkpoints."""

import functools

import pytest
import sectile.torch
import torch
from tensors import integers, mesh_of, spread
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.debug import CommDebugMode
from torch.profiler import ProfilerActivity, profile
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

_PRODUCT = torch.ops.sectile.product


def _operands(mesh):
    wholes = (integers(shape, torch.float64, 1) for shape in ((8, 6), (6, 4)))
    return [spread(whole, mesh, [Shard(1)]).requires_grad_(True) for whole in wholes]


def _profiled():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    a, b = _operands(mesh)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as found:
        sectile.torch.matmul(a, b, out_placements=[Replicate()])
    return {
        event.key: event.input_shapes[:2]
        for event in found.key_averages(group_by_input_shape=True)
        if event.key.startswith("sectile::")
    }


def test_profiler(ranks):
    """The shapes are those of what the rank has; half of the result is computed, and half is moved."""
    for found in filter(None, ranks.run(_profiled)):
        assert found["sectile::product"] == [[8, 3], [6, 2]]
        assert "sectile::multiply 8x3 6x2 8x2" in found
        assert "sectile::move 8x2 8x4" in found


def _counted():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    a, b = _operands(mesh)
    with CommDebugMode() as mode:
        sectile.torch.matmul(a, b, out_placements=[Shard(0)]).to_local().sum().backward()
    return mode.get_total_counts(), mode.get_comm_counts()[_PRODUCT]


def test_comm_debug_mode(ranks):
    """One forward, and two for the gradients."""
    for found in filter(None, ranks.run(_counted)):
        assert found == (3, 3)


def _called(compiled):
    """What is counted of `matmul` and `redistribute`, and of their gradients, on the mesh of the operands and on another."""
    mesh, other = mesh_of((2,)), mesh_of((3,))
    if other.get_coordinate() is None:
        return None
    a, b = _operands(other)
    matmul, redistribute = sectile.torch.matmul, sectile.torch.redistribute
    programs = [
        lambda: matmul(a, b),
        lambda: matmul(a, b, out_mesh=mesh, out_placements=[Shard(0)]),
        lambda: redistribute(a, other, [Shard(0)]),
        lambda: redistribute(a, mesh, [Shard(0)]),
    ]
    found = []
    for program in programs:
        run = torch.compile(program, backend="aot_eager", fullgraph=True) if compiled else program
        run().sum().backward()
        sectile.torch.reset_calls()
        run().sum().backward()
        found.append(sectile.torch.calls())
    return found


@pytest.mark.parametrize("compiled", [False, True])
def test_calls_with_placements_of_choice(ranks, compiled):
    for found in filter(None, ranks.run(_called, compiled)):
        assert found == [(3, 0, {}), (3, 0, {}), (2, 0, {}), (2, 0, {})]


def _saved(saves):
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    policy = {False: CheckpointPolicy.PREFER_RECOMPUTE, True: CheckpointPolicy.MUST_SAVE}

    def choose(context, op, *args, **kwargs):
        return policy[saves and op == _PRODUCT.default]

    def program(a, b):
        return (sectile.torch.matmul(a, b, out_placements=[Shard(0)]) ** 2).to_local()

    a, b = _operands(mesh)
    with CommDebugMode() as mode:
        contexts = functools.partial(create_selective_checkpoint_contexts, choose)
        checkpoint(program, a, b, use_reentrant=False, context_fn=contexts).sum().backward()
    return mode.get_comm_counts()[_PRODUCT]


def test_selective_checkpoints(ranks):
    """A policy keeps the results of products, or has them computed again."""
    for saves, products in ((False, 4), (True, 3)):
        for found in filter(None, ranks.run(_saved, saves)):
            assert found == products
