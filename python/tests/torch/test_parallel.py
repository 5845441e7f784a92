"""Modules with styles of sectile.torch.parallel give what they give with those of torch."""

import copy

import layers
import pytest
import sectile
import sectile.torch
import sectile.torch.parallel as ours
import torch
from sectile.torch import _judge, _operator
from tensors import mesh_of
from torch import nn
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor import parallel as theirs
from torch.distributed.tensor.parallel import parallelize_module
from torch.utils.checkpoint import checkpoint


def _close(found, expected):
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-11)


def _full(tensor):
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def _step(model, x, how=lambda model, x: model(x)):
    """The output and all gradients of a step."""
    model.zero_grad()
    return _grads(model, x, how)


def _grads(model, x, how):
    """The output of another step, and the sums of the gradients since they were zero."""
    x = x.detach().requires_grad_(True)
    y = how(model, x)
    (_full(y) ** 2).sum().backward()
    grads = (torch.zeros(()) if p.grad is None else _full(p.grad) for p in model.parameters())
    return [_full(t).detach() for t in (y, x.grad, *grads)]


def _model(bias, dtype=torch.float64):
    torch.manual_seed(1)
    return layers.Layer(bias=bias).to(dtype)


def _placements(model):
    return [p.grad.placements for p in model.parameters() if isinstance(p, DTensor)]


def _trained(shape, plan, placements, batch, tokens, bias):
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    torch.manual_seed(2)
    x = torch.randn(batch, tokens, 24, dtype=torch.float64)
    x = distribute_tensor(x, mesh, placements) if placements else x
    a = parallelize_module(_model(bias), mesh, plan(theirs))
    b = parallelize_module(_model(bias), mesh, plan(ours))
    expected = _step(a, x)
    sectile.torch.reset_calls()
    for _ in range(2):
        for found, wanted in zip(_step(b, x), expected):
            _close(found, wanted)
    assert _placements(b) == _placements(a)
    return sectile.torch.calls()


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("batch, tokens", [(1, 12), (3, 12), (1, 10)])
@pytest.mark.parametrize("ranks_used", [2, 3, 4])
def test_sequence_parallel(ranks, ranks_used, batch, tokens, bias):
    arguments = ((ranks_used,), layers.sequence_parallel, [Shard(1)], batch, tokens, bias)
    for calls in filter(None, ranks.run(_trained, *arguments)):
        assert calls.passed_on == {}
        assert calls.served == 2 * 7


@pytest.mark.parametrize("bias", [False, True])
def test_tensor_parallel(ranks, bias):
    for calls in filter(None, ranks.run(_trained, (3,), layers.tensor_parallel, None, 2, 10, bias)):
        assert calls.passed_on == {}
        assert calls.served == 2 * 7


def _optimized(optimizer):
    """Steps of training with clipped gradients, whose norm is that of what each rank has."""
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    torch.manual_seed(2)
    x = distribute_tensor(torch.randn(2, 12, 24, dtype=torch.float64), mesh, [Shard(1)])
    models = [parallelize_module(_model(True), mesh, layers.sequence_parallel(s)) for s in (theirs, ours)]
    steps = [optimizer(model.parameters(), lr=0.01) for model in models]
    for _ in range(3):
        found = []
        for model, step in zip(models, steps):
            _step(model, x)
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            step.step()
            found.append([_full(norm), *(p.full_tensor().detach() for p in model.parameters())])
        for one, other in zip(*found, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
def test_optimizers(ranks, optimizer):
    ranks.run(_optimized, optimizer)


def _biased(plan):
    """How the gradients of a layer with a bias are placed, by torch's style and by ours, also compiled."""
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    found = []
    for styles, compiled in ((theirs, False), (ours, False), (ours, True)):
        style = getattr(styles, plan)(input_layouts=Shard(1), output_layouts=Shard(1))
        model = parallelize_module(nn.Linear(24, 8), mesh, style)
        model = torch.compile(model, backend="aot_eager", fullgraph=True) if compiled else model
        model(torch.ones(1, 3, 24)).sum().backward()
        found.append((_placements(model), [_full(p.grad).tolist() for p in model.parameters()]))
    return found


@pytest.mark.parametrize("plan", ["ColwiseParallel", "RowwiseParallel"])
def test_placements_of_gradients(ranks, plan):
    for theirs, ours, compiled in filter(None, ranks.run(_biased, plan)):
        assert theirs == ours == compiled


class _Projections(nn.Module):
    """Takes one input, or another one for the second projection; the third is used or not."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.a, self.b, self.c = (nn.Linear(24, size, bias=False).double() for size in (12, 24, 36))

    def forward(self, x, cross=False, last=True):
        a, b, c = self.a(x), self.b(x * 2 if cross else x), self.c(x)
        return torch.cat([a, b, c] if last else [a, b], -1)


def _projections(styles):
    mesh = mesh_of((2,))
    whole = {"input_layouts": (Shard(1),), "desired_input_layouts": (Replicate(),)}
    module = parallelize_module(_Projections(), mesh, styles.PrepareModuleInput(**whole))
    return parallelize_module(module, mesh, {name: styles.ColwiseParallel() for name in "abc"})


def _group():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    torch.manual_seed(2)
    x = distribute_tensor(torch.randn(2, 6, 24, dtype=torch.float64), mesh, [Shard(1)])
    reference, module = _projections(theirs), _projections(ours)
    for way in ({}, {}, {"last": False}, {"cross": True}, {}, {"cross": True, "last": False}):
        module.zero_grad()  # torch copies no gradients
        for each in (module, copy.deepcopy(module)):
            found = _step(each, x, lambda model, x: model(x, **way))
            expected = _step(reference, x, lambda model, x: model(x, **way))
            for one, other in zip(found, expected, strict=True):
                _close(one, other)


def test_layers_of_one_input_are_one_product(ranks):
    ranks.run(_group)


def _calls_of(step):
    """How many products of the library a step makes."""
    made = []
    multiply = _operator.multiply
    _operator.multiply = lambda *arguments: made.append(1) or multiply(*arguments)
    try:
        step()
    finally:
        _operator.multiply = multiply
    return len(made)


def _count():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    x = distribute_tensor(torch.ones(1, 6, 24, dtype=torch.float64), mesh, [Shard(1)])
    together = _calls_of(lambda: _step(_projections(ours), x))
    plan = {name: ours.ColwiseParallel() for name in "abc"}
    alone = parallelize_module(_Projections(), mesh, plan)
    return together, _calls_of(lambda: _step(alone, x))


def test_products_of_a_group(ranks):
    """One forward, one for the gradient of the input, and one for those of the weights."""
    for together, alone in filter(None, ranks.run(_count)):
        assert together == 3
        assert alone == 9


def _recompute():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    torch.manual_seed(2)
    x = distribute_tensor(torch.randn(1, 12, 24, dtype=torch.float64), mesh, [Shard(1)])
    models = [
        parallelize_module(_model(False), mesh, layers.sequence_parallel(styles))
        for styles in (theirs, ours)
    ]
    for _ in range(2):
        expected, found = (
            _step(model, x, lambda model, x: checkpoint(model, x, use_reentrant=False))
            for model in models
        )
        for one, other in zip(found, expected):
            _close(one, other)


def test_activation_checkpointing(ranks):
    ranks.run(_recompute)


def _recompute_apart():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    torch.manual_seed(2)
    x = distribute_tensor(torch.randn(2, 6, 24, dtype=torch.float64), mesh, [Shard(1)])
    models = _projections(theirs), _projections(ours)
    for _ in range(2):  # steps whose gradients add up
        expected, found = (
            _grads(model, x, lambda model, x: checkpoint(model, x, cross=True, use_reentrant=False))
            for model in models
        )
        for one, other in zip(found, expected, strict=True):
            _close(one, other)


def test_recomputation_of_layers_that_are_no_group_after_all(ranks):
    ranks.run(_recompute_apart)


def _whichever_is_faster(less, tokens):
    """Torch's way is taken if it takes less than this part of our time."""
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    torch.manual_seed(2)
    x = distribute_tensor(torch.randn(2, tokens, 24, dtype=torch.float64), mesh, [Shard(1)])
    by_torch, model = (
        parallelize_module(_model(True), mesh, layers.sequence_parallel(styles)) for styles in (theirs, ours)
    )
    expected, steps = _step(by_torch, x), []
    torch.use_deterministic_algorithms(False)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_judge, "_LESS", less)
            for number in range(17):
                sectile.torch.reset_calls()
                again = lambda model, x: checkpoint(model, x, use_reentrant=False)
                found = _step(model, x, again) if number % 3 == 0 else _step(model, x)
                for one, other in zip(found, expected):
                    _close(one, other)
                steps.append(sectile.torch.calls())
    finally:
        torch.use_deterministic_algorithms(True, warn_only=True)
    return steps


@pytest.mark.parametrize(
    "less, tokens, last", [(1e9, 8, (0, 0, {"torch is faster": 7})), (0, 4, (7, 0, {}))]
)
def test_whichever_is_faster(ranks, less, tokens, last):
    """Also while the first calls are timed, what is computed again is computed in the same way."""
    for steps in filter(None, ranks.run(_whichever_is_faster, less, tokens)):
        assert steps[0].passed_on == {}  # a checkpoint's are not timed
        assert any("torch is timed" in step.passed_on for step in steps)
        assert steps[-1] == last


def _pass_on():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    x = distribute_tensor(torch.ones(3, 4, 24), mesh, [Shard(0)])  # 2 sequences, and 1
    torch.manual_seed(1)
    linear = nn.Linear(24, 8)
    found, expected = (
        parallelize_module(copy.deepcopy(linear), mesh, styles.ColwiseParallel(input_layouts=Shard(0)))
        for styles in (ours, theirs)
    )
    sectile.torch.reset_calls()
    torch.testing.assert_close(found(x), expected(x))
    return sectile.torch.calls()


def test_what_cannot_be_served(ranks):
    for calls in filter(None, ranks.run(_pass_on)):
        assert calls == (0, 0, {"a batch is cut unevenly": 1})


def _wrong_size():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    x = distribute_tensor(torch.ones(1, 6, 24), mesh, [Shard(1)])
    linear = parallelize_module(nn.Linear(24, 8), mesh, ours.ColwiseParallel(input_layouts=Shard(1)))
    if mesh.get_rank() == 1:
        x._local_tensor = x._local_tensor[:, :2]
    with pytest.raises(sectile.Error) as problem:
        linear(x)
    return str(problem.value)


def test_an_activation_of_the_wrong_size(ranks):
    said = (
        "activation: the local tensor of rank 1 is (1, 2, 24), but [Shard(dim=1)] of (1, 6, 24) gives it (1, 3, 24)"
    )
    assert ranks.run(_wrong_size)[:2] == [f"rank 1: {said}", said]


def test_conversion():
    plan = layers.sequence_parallel(theirs)
    found = ours.convert(plan)
    assert found.keys() == plan.keys()
    for name, style in plan.items():
        assert type(found[name]) is getattr(ours, type(style).__name__)
        assert repr(found[name]) == repr(style)
        assert type(style).__module__.startswith("torch.")
    both = theirs.PrepareModuleInputOutput(
        input_layouts=Shard(0),
        desired_input_layouts=Replicate(),
        output_layouts=Shard(0),
        desired_output_layouts=Shard(0),
    )
    assert type(ours.convert(both).prepare_module_input) is ours.PrepareModuleInput
    assert type(both.prepare_module_input) is theirs.PrepareModuleInput
    assert ours.convert(7) == 7
