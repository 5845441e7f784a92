"""Models whose parameters and inputs are sharded in several ways train as unsharded ones."""

import pytest
import sectile.torch
import torch
from tensors import mesh_of
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.nn import functional

STEPS = 5
R, S0, S1, S2 = Replicate(), Shard(0), Shard(1), Shard(2)


def _numbers(*shape):
    """Parameters and inputs, the same on all ranks."""
    generator = torch.Generator().manual_seed(sum(shape) + len(shape))
    return torch.randn(shape, generator=generator, dtype=torch.float64) / 4


def perceptron(x, w1, b1, w2, b2):
    return functional.linear(torch.relu(functional.linear(x, w1, b1)), w2, b2)


def attention(x, wq, wk, wv, wo):
    q, k, v = x @ wq, x @ wk, x @ wv
    weights = torch.softmax(torch.bmm(q, k.transpose(1, 2)) / 4, -1)
    return torch.bmm(weights, v) @ wo


PERCEPTRON = [(10, 12), (16, 12), (16,), (8, 16), (8,)]
ATTENTION = [(12, 6, 16), (16, 16), (16, 16), (16, 16), (16, 16)]
# The placements of the input and of each parameter: on three ranks, and on a mesh of 2 x 2.
PERCEPTRONS = [
    ((3,), [[R], [S0], [S0], [S1], [R]]),
    ((3,), [[S0], [R], [R], [R], [R]]),
    ((3,), [[S1], [S1], [R], [S1], [R]]),
    ((3,), [[S0], [S0], [S0], [S0], [S0]]),
    ((3,), [[S1], [S0], [R], [S0], [S0]]),
    ((3,), [[R], [R], [R], [R], [R]]),
    ((2, 2), [[S0, R], [R, S0], [R, S0], [R, S1], [R, R]]),
    ((2, 2), [[S0, R], [S0, S0], [S0, S0], [S0, S1], [S0, R]]),
    ((2, 2), [[S0, S1], [S1, S0], [R, S0], [S1, S0], [S0, R]]),
    ((2, 2), [[R, S0], [S1, S1], [S0, R], [R, S0], [R, S0]]),
]
ATTENTIONS = [
    ((3,), [[R], [S1], [S1], [S1], [S0]]),
    ((3,), [[S0], [R], [R], [R], [R]]),
    ((3,), [[S1], [R], [R], [R], [R]]),
    ((3,), [[S2], [S0], [S0], [S0], [S0]]),
    ((3,), [[S0], [S0], [S1], [S0], [S1]]),
    ((3,), [[S1], [S1], [S0], [R], [S0]]),
    ((2, 2), [[S0, R], [R, S1], [R, S1], [R, S1], [R, S0]]),
    ((2, 2), [[S0, S1], [S0, S1], [S0, S1], [S0, S1], [S0, S1]]),
    ((2, 2), [[S0, R], [S0, S1], [S0, S1], [S0, S1], [S1, S0]]),
    ((2, 2), [[R, S2], [S0, R], [S1, R], [R, S1], [S0, S0]]),
]


def _losses(model, x, parameters):
    """The loss before each step of gradient descent."""
    losses = []
    for parameter in parameters:
        parameter.requires_grad_()
    optimizer = torch.optim.SGD(parameters, lr=2)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = ((model(x, *parameters) - 1) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.full_tensor().item() if isinstance(loss, DTensor) else loss.item())
    return losses


def _train(model, shapes, mesh_shape, places):
    mesh = mesh_of(mesh_shape)
    if mesh.get_coordinate() is None:
        return None
    wholes = [_numbers(*shape) for shape in shapes]
    spread = [distribute_tensor(whole.clone(), mesh, how) for whole, how in zip(wholes, places)]
    sectile.torch.reset_calls()
    with sectile.torch.enable():
        ours = _losses(model, spread[0], spread[1:])
    return ours, _losses(model, wholes[0], wholes[1:]), sectile.torch.calls()


def _check(found):
    for ours, whole, calls in filter(None, found):
        assert whole[0] > whole[-1]
        assert ours == pytest.approx(whole, rel=1e-12)
        assert calls.passed_on == {}
        assert calls.served + calls.local > 0


@pytest.mark.parametrize("mesh, places", PERCEPTRONS)
def test_perceptron(ranks, mesh, places):
    _check(ranks.run(_train, perceptron, PERCEPTRON, mesh, places))


@pytest.mark.parametrize("mesh, places", ATTENTIONS)
def test_attention(ranks, mesh, places):
    _check(ranks.run(_train, attention, ATTENTION, mesh, places))
