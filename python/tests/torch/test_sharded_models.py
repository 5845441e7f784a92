"""What programs do with models that sectile.torch.fully_shard has sharded, beside that they train."""

import language_models
import layers
import pytest
import sectile
import sectile.torch
import sectile.torch.parallel
import torch
from sectile.torch import _fully_shard
from sectile.torch._sharded_layer import ShardedLayer
from tensors import mesh_of
from test_fully_shard import NAMES, _full, _model, _rows, _same, _shard, _step
from torch import nn
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy
from torch.distributed.fsdp import fully_shard as theirs
from torch.distributed.tensor import Shard, distribute_tensor, parallel
from torch.distributed.tensor.parallel import parallelize_module

ours = sectile.torch.fully_shard
_fully_shard.LEAST = 1  # else these weights are left to torch


# ---- Language models of transformers ----


def _language_step(model, tokens):
    model.zero_grad()
    found = model(input_ids=tokens, labels=tokens, use_cache=False)
    found.loss.backward()
    grads = [_full(p.grad).detach() for p in model.parameters()]
    return [found.loss.detach(), found.logits.detach(), *grads]


def _language_model(shape, kind, tied, dtype):
    mesh = mesh_of(shape, NAMES[-len(shape) :])
    if mesh.get_coordinate() is None:
        return None
    torch.manual_seed(3 + mesh.get_rank())
    tokens = torch.randint(1, 120, (2, 6))
    steps = []
    for shard in (theirs, ours):
        model = language_models.model(kind)
        model.config.tie_word_embeddings = tied
        if tied:
            model.lm_head.weight = model.model.embed_tokens.weight
        policy = MixedPrecisionPolicy(param_dtype=dtype, reduce_dtype=torch.float32)
        for block in model.model.layers:
            shard(block, mesh=mesh, mp_policy=policy)
        shard(model, mesh=mesh, mp_policy=policy)
        sectile.torch.reset_calls()
        steps.append(_language_step(model, tokens))
    tolerance = 1e-5 if dtype is None else 0.05
    for found, expected in zip(*steps):
        assert found.dtype == expected.dtype
        assert (found - expected).abs().max() <= tolerance * expected.abs().max() + 1e-7
    return sectile.torch.calls()


@pytest.mark.parametrize("dtype", [None, torch.bfloat16])
@pytest.mark.parametrize("kind, tied", [("Llama", False), ("Llama", True), ("Qwen2", False)])
@pytest.mark.parametrize("shape", [(2,), (4,), (2, 2)])
def test_language_models(ranks, shape, kind, tied, dtype):
    for calls in filter(None, ranks.run(_language_model, shape, kind, tied, dtype)):
        assert calls == (language_models.LAYERS * 7 + (not tied), 0, {"an embedding": 1})


# ---- Memory ----


def _shares(shape, dtype):
    """How many elements each layer has in memory, of all those of its weight; all that it works with."""
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    layer = nn.Linear(1024, 3072, bias=False)
    ours(layer, mesh=mesh, mp_policy=MixedPrecisionPolicy(param_dtype=dtype))
    layer(torch.randn(4, 1024, dtype=dtype or torch.float32)).sum().backward()
    served = vars(layer)["forward"].__self__
    assert isinstance(served, ShardedLayer)
    kept = [served._shards, served._low, served._sums]
    return [shards.local.numel() for shards in kept if shards is not None], served.steps.workspace.nbytes


@pytest.mark.parametrize("dtype", [None, torch.bfloat16])
@pytest.mark.parametrize("size", [2, 3])
def test_no_layer_is_whole(ranks, size, dtype):
    for found in filter(None, ranks.run(_shares, (size,), dtype)):
        kept, workspace = found
        assert kept == [3072 * 1024 // size] * (2 if dtype is None else 3)
        assert workspace <= 2 * (2 << 20)  # two sums that leave; panels are read in place


# ---- Steps ----


def _accumulated(shard, mesh, x):
    """Gradients of several steps, with zero_grad between the passes of one, or in place."""
    model = _shard(_model(), shard, mesh)
    for _ in range(2):
        (model(x) ** 2).sum().backward()
    found = [_full(p.grad).clone() for p in model.parameters()]
    loss = (model(2 * x) ** 2).sum()
    model.zero_grad()
    loss.backward()
    found += [_full(p.grad).clone() for p in model.parameters()]
    model.zero_grad(set_to_none=False)
    (model(x) ** 2).sum().backward()
    for p in model.parameters():
        p.grad = p.grad * 2
    (model(x) ** 2).sum().backward()
    return found + [_full(p.grad).clone() for p in model.parameters()]


def _accumulate(shape):
    mesh = mesh_of(shape, NAMES[-len(shape) :])
    if mesh.get_coordinate() is not None:
        x = _rows(mesh)
        _same(_accumulated(ours, mesh, x), _accumulated(theirs, mesh, x))


@pytest.mark.parametrize("shape", [(3,), (2, 2)])
def test_accumulated_gradients(ranks, shape):
    ranks.run(_accumulate, shape)


def _keep_gradients():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    model, x = _shard(_model(), ours, mesh), _rows(mesh)
    _step(model, x)
    kept = [p.grad for p in model.parameters()]
    before = [_full(grad).clone() for grad in kept]
    _step(model, 3 * x)
    _same([_full(grad) for grad in kept], before)


def test_kept_gradients(ranks):
    ranks.run(_keep_gradients)


def _freeze():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    steps = []
    for shard in (theirs, ours):
        model = _model(bias=True)
        model[0].attn.wq.weight.requires_grad_(False)
        model[1].mlp.requires_grad_(False)
        _shard(model, shard, mesh)
        (model(_rows(mesh)) ** 2).sum().backward()
        steps.append([p.grad for p in model.parameters()])
    assert [g is None for g in steps[0]] == [g is None for g in steps[1]]
    _same(*([_full(g) for g in grads if g is not None] for grads in steps))


def test_frozen_parameters(ranks):
    ranks.run(_freeze)


def _train_in_steps(shard, mesh, x, dtype):
    """Losses while weights change, of which other ranks must read the new ones."""
    model = _shard(_model().float(), shard, mesh, mp_policy=MixedPrecisionPolicy(param_dtype=dtype))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(6):
        loss = model(x).float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            losses.append(model(x).float().pow(2).mean())
    return torch.stack(losses)


def _change():
    mesh = mesh_of((3,))
    if mesh.get_coordinate() is None:
        return
    x = _rows(mesh, dtype=torch.float32)
    for dtype, bound in ((None, 1e-4), (torch.bfloat16, 0.05), (torch.float16, 0.05)):
        losses = [_train_in_steps(shard, mesh, x, dtype) for shard in (theirs, ours)]
        assert losses[0][-1] < losses[0][0]
        torch.testing.assert_close(losses[1], losses[0], rtol=bound, atol=0)


def test_weights_that_change(ranks):
    ranks.run(_change)


def _cast():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    found = []
    for shard in (theirs, ours):
        model = _shard(_model().float(), shard, mesh)
        with torch.autocast("cpu", torch.bfloat16):
            y = model(_rows(mesh, dtype=torch.float32))
        y.float().sum().backward()
        found.append([y.detach(), *(_full(p.grad) for p in model.parameters())])
    for mine, expected in zip(*found[::-1]):
        assert mine.dtype == expected.dtype
        assert (mine - expected).abs().max() <= 0.05 * expected.abs().max()


def test_autocast(ranks):
    ranks.run(_cast)


# ---- Modules ----


class _Doubled(nn.Linear):
    def forward(self, x):
        return 2 * super().forward(x)


def _subclass():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    steps = []
    for shard in (theirs, ours):
        torch.manual_seed(1)
        model = nn.Sequential(_Doubled(24, 32), nn.ReLU(), nn.Linear(32, 24)).double()
        shard(model, mesh=mesh)
        sectile.torch.reset_calls()
        steps.append(_step(model, _rows(mesh)))
    _same(*steps)
    return sectile.torch.calls()


def test_subclasses_are_left_to_torch(ranks):
    for calls in filter(None, ranks.run(_subclass)):
        assert calls.served == 1


def _on_meta(mesh):
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(24, 32), nn.Linear(32, 24)).double()
    return ours(model, mesh=mesh)


def _materialize():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    x = _rows(mesh)
    with pytest.raises(RuntimeError, match="to_empty"):
        _on_meta(mesh)(x)
    model = _on_meta(mesh)
    model.to_empty(device="cpu")
    expected = nn.Sequential(nn.Linear(24, 32), nn.Linear(32, 24)).double()
    with torch.no_grad():
        for number, pair in enumerate(zip(model.parameters(), expected.parameters())):
            for parameter in pair:
                parameter.fill_(0.1 * (number + 1))
    theirs(expected, mesh=mesh)
    _same(_step(model, x), _step(expected, x))


def test_meta_device(ranks):
    ranks.run(_materialize)


# ---- What may be set, and what is refused ----


def _without_sync(shard, mesh, batches):
    """The gradients of two batches, of which the first are not to be synchronised yet."""
    model = _shard(_model(), shard, mesh)
    for number, x in enumerate(batches):
        model.set_requires_gradient_sync(number == 1)
        (model(x) ** 2).sum().backward()
    return [_full(p.grad).detach() for p in model.parameters()]


def _synchronise_later():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is not None:
        batches = _rows(mesh), 2 * _rows(mesh)
        _same(_without_sync(ours, mesh, batches), _without_sync(theirs, mesh, batches))


def test_gradients_that_are_synchronised_later(ranks):
    ranks.run(_synchronise_later)


def _divided(shard, mesh, x):
    """The gradients of a step in which modules divide the sums by numbers of their own."""
    model = _shard(_model(), shard, mesh)
    inside = [m for m in model.modules() if isinstance(m, FSDPModule)]
    for number, module in enumerate(inside):
        module.set_gradient_divide_factor(3.0 + number)
    return _step(model, x)


def _divide_otherwise(shape):
    mesh = mesh_of(shape, NAMES[-len(shape) :])
    if mesh.get_coordinate() is not None:
        _same(_divided(ours, mesh, _rows(mesh)), _divided(theirs, mesh, _rows(mesh)))


@pytest.mark.parametrize("shape", [(2,), (2, 2)])
def test_gradients_divided_otherwise(ranks, shape):
    ranks.run(_divide_otherwise, shape)


def _hooked(shard, mesh, x):
    """What full backward hooks of all modules are given."""
    model, given = _shard(_model(), shard, mesh), []
    for name, module in model.named_modules():
        module.register_full_backward_hook(
            lambda _, before, after, name=name: given.append((name, *before, *after))
        )
    (model(x) ** 2).sum().backward()
    return given


def _hook():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    x = _rows(mesh).requires_grad_(True)
    found, expected = (_hooked(shard, mesh, x) for shard in (ours, theirs))
    assert sorted(name for name, *_ in found) == sorted(name for name, *_ in expected)
    for (name, *tensors), (other, *wanted) in zip(sorted(found, key=lambda f: f[0]), sorted(expected, key=lambda f: f[0])):
        _same(tensors, wanted)


def test_full_backward_hooks(ranks):
    ranks.run(_hook)


def _wrong_size():
    mesh = mesh_of((3,))
    if mesh.get_coordinate() is None:
        return None
    model = _shard(_model(), ours, mesh)
    weight = model[0].mlp.w1.weight
    local = weight._local_tensor
    if mesh.get_rank() == 1:
        weight._local_tensor = local[:3]
    with pytest.raises(sectile.Error) as problem:
        model(_rows(mesh))
    weight._local_tensor = local
    return str(problem.value), bool(torch.isfinite(model(_rows(mesh))).all())


def test_a_weight_of_the_wrong_size(ranks):
    """The error is that of the rank, on all, and the model can be used when it is put right."""
    found = ranks.run(_wrong_size)
    said = "weight: the local tensor of rank 1 is (3, 24), but [Shard(dim=0)] of (48, 24) gives it (16, 24)"
    assert found[:3] == [(said if rank == 1 else f"rank 1: {said}", True) for rank in range(3)]


def _wrong_size_over_both():
    """What a layer says of which a rank has a wrong part, with its weight spread over both dimensions of a mesh."""
    mesh = mesh_of((2, 2), ("data", "model"))
    if mesh.get_coordinate() is None:
        return None
    model = _model()
    plan = {f"{i}.{name}": style for i in range(2) for name, style in layers.sequence_parallel(parallel).items()}
    parallelize_module(model, mesh["model"], sectile.torch.parallel.convert(plan))
    _shard(model, ours, mesh["data"])
    torch.manual_seed(7)
    x = distribute_tensor(torch.randn(2, 8, 24, dtype=torch.float64), mesh["model"], [Shard(1)])
    weight = model[0].mlp.w1.weight
    local = weight._local_tensor
    if mesh.get_rank() == 1:
        weight._local_tensor = local[:3]
    with pytest.raises(sectile.Error) as problem:
        model(x)
    weight._local_tensor = local
    return str(problem.value), bool(torch.isfinite(_full(model(x))).all())


def test_a_weight_of_the_wrong_size_with_tensor_parallelism(ranks):
    found = ranks.run(_wrong_size_over_both)
    said = "weight: the local tensor of rank 1 is (3, 24), but [_StridedShard(dim=0, sf=2), Shard(dim=0)] of (48, 24) gives it (12, 24)"
    assert found[:4] == [(said if rank == 1 else f"rank 1: {said}", True) for rank in range(4)]
