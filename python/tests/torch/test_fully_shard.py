"""Models that sectile.torch.fully_shard has sharded train as those that torch's fully_shard has."""

import io

import layers
import pytest
import sectile.torch
import sectile.torch.parallel as ours
import torch
from sectile.torch import _fully_shard
from tensors import mesh_of
from test_parallel import _close, _full
from torch import nn
from torch.distributed import checkpoint as distributed_checkpoint
from torch.distributed.fsdp import MixedPrecisionPolicy
from torch.distributed.fsdp import fully_shard as theirs
from torch.distributed.tensor import Shard, distribute_tensor
from torch.distributed.tensor import parallel
from torch.distributed.tensor.parallel import parallelize_module
from torch.utils.checkpoint import checkpoint

_fully_shard.LEAST = 1  # else these weights are left to torch


def _model(bias=False):
    torch.manual_seed(1)
    return nn.Sequential(layers.Layer(bias=bias), layers.Layer(bias=bias)).double()


def _shard(model, shard, mesh, **options):
    for layer in model:
        shard(layer, mesh=mesh, **options)
    return shard(model, mesh=mesh, **options)


def _step(model, x):
    model.zero_grad()
    x = x.clone().requires_grad_(True)
    y = model(x)
    (_full(y) ** 2).sum().backward()
    return [_full(t).detach() for t in (y, x.grad, *(p.grad for p in model.parameters()))]


def _same(found, expected):
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        _close(ours, theirs)


def _rows(mesh, count=2, dtype=torch.float64):
    torch.manual_seed(7 + mesh.get_rank())
    return torch.randn(count, 5, 24, dtype=dtype)


NAMES = ("replicate", "shard")


def _train(shape, bias):
    mesh = mesh_of(shape, NAMES[-len(shape) :])
    if mesh.get_coordinate() is None:
        return None
    x = _rows(mesh)
    expected = _step(_shard(_model(bias), theirs, mesh), x)
    model = _shard(_model(bias), sectile.torch.fully_shard, mesh)
    sectile.torch.reset_calls()
    for _ in range(2):
        _same(_step(model, x), expected)
    return sectile.torch.calls()


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(2,), (3,), (4,), (2, 3)])
def test_training(ranks, shape, bias):
    for calls in filter(None, ranks.run(_train, shape, bias)):
        assert calls.passed_on == {}
        assert calls.served == 2 * 2 * 7


def _with_tensor_parallelism(shape, plan, placements):
    mesh = mesh_of(shape, ("data", "model"))
    if mesh.get_coordinate() is None:
        return None
    inner = mesh["model"]
    torch.manual_seed(7 + mesh["data"].get_local_rank())
    x = torch.randn(2, 12, 24, dtype=torch.float64)
    x = distribute_tensor(x, inner, placements) if placements else x
    steps = []
    for styles, shard in ((parallel, theirs), (ours, sectile.torch.fully_shard)):
        model = _model()
        for layer in model:
            parallelize_module(layer, inner, plan(styles))
        _shard(model, shard, mesh["data"])
        sectile.torch.reset_calls()
        steps.append(_step(model, x))
    _same(steps[1], steps[0])
    return sectile.torch.calls()


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (2, 3)])
@pytest.mark.parametrize(
    "plan, placements", [(layers.sequence_parallel, [Shard(1)]), (layers.tensor_parallel, None)]
)
def test_with_tensor_parallelism(ranks, shape, plan, placements):
    for calls in filter(None, ranks.run(_with_tensor_parallelism, shape, plan, placements)):
        assert calls.passed_on == {}
        assert calls.served == 2 * 7


def _reduce_over_both(param, reduced, plan, placements, counts):
    """Gradients of weights that are spread over both dimensions of a mesh, added up in a type of their own."""
    mesh = mesh_of((2, 2), ("data", "model"))
    if mesh.get_coordinate() is None:
        return
    inner, number = mesh["model"], mesh["data"].get_local_rank()
    torch.manual_seed(7 + number)
    x = torch.randn(counts[number], 64, 24).to(param or torch.float32)
    x = distribute_tensor(x, inner, placements) if placements else x
    grads = []
    for styles, shard in ((parallel, theirs), (ours, sectile.torch.fully_shard)):
        model = _model().float()
        for layer in model:
            parallelize_module(layer, inner, plan(styles))
        _shard(model, shard, mesh["data"], mp_policy=MixedPrecisionPolicy(param, reduced))
        _step(model, x)
        grads.append([_full(p.grad) for p in model.parameters() if p.ndim == 2])
    least = min((kind for kind in (param, reduced) if kind), key=lambda kind: kind.itemsize)
    for expected, found in zip(*grads, strict=True):
        assert found.dtype == torch.float32
        bound = 16 * torch.finfo(least).eps * expected.abs().max()
        assert (found - expected).abs().max() <= bound
        assert torch.equal(found, found.to(least).float()) == (reduced == least)


@pytest.mark.parametrize("counts", [(2, 2), (1, 2)])
@pytest.mark.parametrize(
    "param, reduced",
    [(torch.bfloat16, torch.float32), (torch.float16, torch.float32), (None, torch.bfloat16)],
)
@pytest.mark.parametrize(
    "plan, placements", [(layers.sequence_parallel, [Shard(1)]), (layers.tensor_parallel, None)]
)
def test_reduced_in_another_type_with_tensor_parallelism(ranks, param, reduced, plan, placements, counts):
    """Sums have the precision of their type, also where torch computes products of different numbers of rows."""
    ranks.run(_reduce_over_both, param, reduced, plan, placements, counts)


def _clipped(shard, mesh, x):
    """The parameters after steps with clipped gradients."""
    model = _shard(_model(), shard, mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    norms = []
    for _ in range(3):
        optimizer.zero_grad()
        (model(x) ** 2).sum().backward()
        norms.append(_full(nn.utils.clip_grad_norm_(model.parameters(), 0.5)))
        optimizer.step()
    return norms + [_full(p).detach() for p in model.parameters()]


def _optimize():
    mesh = mesh_of((3,))
    if mesh.get_coordinate() is not None:
        x = _rows(mesh)
        _same(_clipped(sectile.torch.fully_shard, mesh, x), _clipped(theirs, mesh, x))


def test_clipped_gradients_and_optimizer(ranks):
    ranks.run(_optimize)


class _Checkpointed(nn.Module):
    """Computes its activations again for the backward pass."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return checkpoint(self.layer, x, use_reentrant=False)


def _recompute():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    x = _rows(mesh)
    steps = []
    for shard in (theirs, sectile.torch.fully_shard):
        model = nn.Sequential(*(_Checkpointed(layer) for layer in _model()))
        steps.append(_step(_shard(model, shard, mesh), x))
    _same(*steps)


def test_activation_checkpointing(ranks):
    ranks.run(_recompute)


def _mix():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    steps = []
    for shard in (theirs, sectile.torch.fully_shard):
        model = _shard(_model().float(), shard, mesh, mp_policy=policy)
        steps.append(_step(model, _rows(mesh, dtype=torch.float32)))
    for found, expected in zip(*steps):
        assert found.dtype == expected.dtype
        size = expected.abs().max()
        assert (found - expected).abs().max() < 0.02 * size


def test_mixed_precision(ranks):
    ranks.run(_mix)


def _reduce(shape, dtype, reduced):
    """Gradients that are added up in another type than theirs, in one step and in two."""
    mesh = mesh_of(shape, NAMES[-len(shape) :])
    if mesh.get_coordinate() is None:
        return
    policy, x, found = MixedPrecisionPolicy(reduce_dtype=reduced), _rows(mesh, dtype=dtype), []
    for shard in (theirs, sectile.torch.fully_shard):
        model = _shard(_model().to(dtype), shard, mesh, mp_policy=policy)
        for turn in range(2):
            (model(x) ** 2).sum().backward()
            grads = [_full(p.grad).clone() for p in model.parameters() if p.ndim == 2]
            found.append(grads)
            if turn == 0:
                assert all(torch.equal(grad, grad.to(reduced).to(dtype)) for grad in grads)
    for turn in range(2):
        for expected, mine in zip(found[turn], found[2 + turn], strict=True):
            assert expected.dtype == mine.dtype == dtype
            bound = 4 * torch.finfo(reduced).eps * expected.abs().max()
            assert (mine - expected).abs().max() <= bound


@pytest.mark.parametrize(
    "dtype, reduced", [(torch.float32, torch.bfloat16), (torch.float64, torch.float32)]
)
@pytest.mark.parametrize("shape", [(3,), (2, 2)])
def test_reduced_in_another_type(ranks, shape, dtype, reduced):
    ranks.run(_reduce, shape, dtype, reduced)


def _save(folder):
    """What torch's way has saved is loaded into ours, and the reverse."""
    mesh = mesh_of((6,))
    x = _rows(mesh)
    models = [_shard(_model(), shard, mesh) for shard in (theirs, sectile.torch.fully_shard)]
    with torch.no_grad():
        for number, model in enumerate(models):
            for parameter in model.parameters():
                parameter.mul_(number + 2)
    wanted = [_step(model, x) for model in models]
    for number, (saved, loaded) in enumerate(((0, 1), (1, 0))):
        state = models[saved].state_dict()
        distributed_checkpoint.save(state, checkpoint_id=f"{folder}/{number}")
        other = _shard(_model(), (theirs, sectile.torch.fully_shard)[loaded], mesh)
        found = other.state_dict()
        distributed_checkpoint.load(found, checkpoint_id=f"{folder}/{number}")
        other.load_state_dict(found)
        _same(_step(other, x), wanted[saved])


def test_distributed_checkpoint(ranks, tmp_path):
    ranks.run(_save, str(tmp_path))


def _uneven():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    x = _rows(mesh, 1 + mesh.get_rank())
    expected = _step(_shard(_model(), theirs, mesh), x)
    model = _shard(_model(), sectile.torch.fully_shard, mesh)
    sectile.torch.reset_calls()
    _same(_step(model, x), expected)
    return sectile.torch.calls()


def test_unequal_batches(ranks):
    for calls in filter(None, ranks.run(_uneven)):
        assert calls == (14, 0, {})
