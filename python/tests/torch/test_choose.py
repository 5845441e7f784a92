"""Placements that are chosen for linear layers: programs with them equal torch's without."""

import copy
import itertools

import pytest
import sectile
import sectile.torch
import torch
from tensors import equal, integers, mesh_of
from torch import nn
from torch.distributed.tensor import Shard, distribute_tensor


def _model(sizes=(10, 24, 14), bias=True):
    layers = [nn.Linear(a, b, bias=bias, dtype=torch.float64) for a, b in itertools.pairwise(sizes)]
    model = nn.Sequential(*[each for layer in layers for each in (layer, nn.ReLU())][:-1])
    for i, parameter in enumerate(model.parameters()):
        # DTensor may give each rank a share of a bias, which is exact then.
        share = 12 if parameter.ndim == 1 else 1
        parameter.data = share * integers(parameter.shape, torch.float64, seed=i)
    return model


def _spread(model, mesh, placed):
    """The same model, with parameters in these placements."""
    made = copy.deepcopy(model)
    for name, parameter in model.named_parameters():
        path, _, last = name.rpartition(".")
        whole = distribute_tensor(parameter.detach(), mesh, placed.parameters[name])
        setattr(made.get_submodule(path), last, nn.Parameter(whole))
    return made


def _run(shape, rows, memory=0, machine="cluster", **more):
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    model = _model()
    placed = sectile.torch.choose(model, mesh, rows, machine=machine, memory=memory, **more)
    own = _spread(model, mesh, placed)
    x = integers((rows, 10), torch.float64, seed=9).requires_grad_(True)
    a = distribute_tensor(x.detach(), mesh, placed.input).requires_grad_(True)
    with sectile.torch.enable():
        y, expected = own(a), model(x)
        assert equal(y.detach(), expected.detach())
        expected.sum().backward()
        y.sum().backward()
    assert equal(a.grad, x.grad)
    for name, parameter in own.named_parameters():
        assert equal(parameter.grad, model.get_parameter(name).grad), name
    hidden = sectile.torch.matmul(a.detach(), own[0].weight.detach().t(), placed.outputs[0])
    assert hidden.placements == placed.outputs[0]
    assert equal(hidden, (x @ model[0].weight.t()).detach())
    return placed.input, placed.parameters["0.weight"], placed.outputs, placed.choice.seconds


@pytest.mark.parametrize("shape", [(1,), (2,), (3,), (2, 2), (2, 3), (1, 4)])
@pytest.mark.parametrize("rows", [5, 60])
def test_programs(ranks, shape, rows):
    found = [each for each in ranks.run(_run, shape, rows) if each is not None]
    assert all(each == found[0] for each in found)


def _mlp(rows, **more):
    mesh = mesh_of((2, 2))
    if mesh.get_coordinate() is None:
        return None
    shapes = [(4096, 1024), (1024, 4096)]
    placed = sectile.torch.choose(shapes, mesh, rows, dtype=torch.bfloat16, machine=_MACHINE, **more)
    return placed.input, placed.parameters, placed.outputs, placed.choice.memory


# Two nodes of two.
_MACHINE = sectile.Machine.parse(
    '{"name": "two by two", "ranks": 4, "peak": {"f32": 67e12, "bf16": 989e12}, "memory": 3.35e12,'
    '"product": 5e-6, "barrier": 5e-6, "links": [{"ranks": 2, "pair": 450e9, "port": 450e9,'
    '"latency": 5e-6}, {"pair": 10e9, "port": 10e9, "latency": 10e-6}]}'
)


def test_what_is_chosen(ranks):
    """With many rows, each node has rows of its own; a limit of memory cuts weights."""
    of_input, parameters, outputs, memory = ranks.run(_mlp, 1 << 18)[0]
    assert all(each[0] == Shard(0) for each in (of_input, *outputs))
    assert parameters.keys() == {"0.weight", "1.weight"}
    few = ranks.run(_mlp, 64)[0]
    assert few[0] != of_input
    *_, less = ranks.run(_tight, 1 << 14)[0]
    assert less <= _TIGHT


_TIGHT = 300 << 20


def _tight(rows):
    return _mlp(rows, memory=_TIGHT, same_ends=True)


def _refused():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return []
    said = []
    for arguments, more in (
        ((5, mesh, 8), {}),
        (([], mesh, 8), {}),
        (([(4, 4, 4)], mesh, 8), {}),
        (([(4, 5), (6, 7)], mesh, 8), {}),
        ((nn.ReLU(), mesh, 8), {}),
        (([(4, 4)], None, 8), {}),
        (([(4, 4)], mesh, 0), {}),
        (([(4, 4)], mesh, 8), {"dtype": torch.int64}),
        (([(4, 4)], mesh, 8), {"memory": 1}),
        (([(4, 5)], mesh, 8), {"same_ends": True}),
        (([(4, 4)], mesh, 8), {"machine": "h100x8"}),
    ):
        try:
            sectile.torch.choose(*arguments, **more)
        except sectile.Error as problem:
            said.append(str(problem))
    return said


def test_what_is_refused(ranks):
    said = ranks.run(_refused)[0]
    assert len(said) == 11 and all(said), said
    assert "1.weight takes 7 features, but 0.weight makes 4" in said[3]


def _bias():
    mesh = mesh_of((2, 2))
    if mesh.get_coordinate() is None:
        return None
    placed = sectile.torch.choose(_model(), mesh, 40)
    columns = [how == Shard(1) for how in placed.outputs[0]]
    return columns, [how == Shard(0) for how in placed.parameters["0.bias"]]


def test_a_bias_is_cut_as_the_columns(ranks):
    columns, bias = ranks.run(_bias)[0]
    assert columns == bias
