"""Compiled programs give what they give when they are not compiled, and their products are served."""

import json
import os

import layers
import pytest
import sectile.torch
import sectile.torch.parallel as ours
import torch
from ranks import Ranks
from sectile.torch import _operator
from sectile.torch._sharding import Sharding
from sectile.torch._site import site_at
from tensors import equal, exact, integers, mesh_among, mesh_of, spread
from torch import nn
from torch._dynamo.utils import counters
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor import parallel as theirs
from torch.distributed.tensor.parallel import parallelize_module
from torch.distributed.tensor.placement_types import _StridedShard
from torch.utils.checkpoint import checkpoint


@pytest.fixture(scope="module")
def ranks():
    """Fewer than other tests have, since each compiles."""
    started = Ranks(4)
    yield started
    started.close()


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A folder for what inductor compiles."""
    return str(tmp_path_factory.mktemp("inductor"))


def _compiled(function, backend, cache, **how):
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
    torch._dynamo.reset()
    counters.clear()
    sectile.torch.reset_calls()
    return torch.compile(function, backend=backend, fullgraph=True, **how)


def _program(a, b, bias):
    return torch.relu(torch.addmm(bias, a, b)) @ b.t()


def _step(program, mesh, how, dtype=torch.float64):
    """The output and all gradients, of small integers: their sums are exact."""
    shapes = ((8, 6), (6, 4), (4,))
    wholes = [integers(shape, dtype, seed) for seed, shape in enumerate(shapes)]
    given = [spread(x, mesh, h).requires_grad_(True) for x, h in zip(wholes, how)]
    y = program(*given)
    y.full_tensor().square().sum().backward()
    return [exact(x.full_tensor()).detach() for x in (y, *(x.grad for x in given))]


def _products(shape, how, backend, cache):
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    expected = _step(_program, mesh, how)
    with sectile.torch.enable():
        compiled = _compiled(_program, backend, cache)
        for turn in range(2):
            for one, other in zip(_step(compiled, mesh, how), expected):
                assert torch.equal(one, other)
            if turn == 0:
                first = sectile.torch.calls().served
    calls = sectile.torch.calls()
    return calls.passed_on, first, calls.served, counters["inductor"]["fxgraph_cache_hit"]


_CUTS = ([Shard(1)], [Shard(1)], [Shard(0)])
_GRID = ([Shard(1), Shard(0)], [Shard(0), Shard(1)], [Replicate(), Shard(0)])


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_products(ranks, backend, cache):
    for passed_on, first, total, _ in filter(None, ranks.run(_products, (2,), _CUTS, backend, cache)):
        assert passed_on == {}
        assert first >= 2 and total == 2 * first


@pytest.mark.parametrize("shape, how", [((4,), _CUTS), ((2, 2), _GRID)])
def test_meshes(ranks, shape, how, cache):
    for passed_on, first, total, _ in filter(None, ranks.run(_products, shape, how, "aot_eager", cache)):
        assert passed_on == {}
        assert first >= 2 and total == 2 * first


def test_graphs_in_the_cache_of_another_process(tmp_path):
    """Processes that start take what others have compiled."""
    hits = []
    for _ in range(2):
        fresh = Ranks(2)
        found = fresh.run(_products, (2,), _CUTS, "inductor", str(tmp_path))
        fresh.close()
        assert all(total == 2 * first >= 4 for _, first, total, _ in found)
        hits.append(found[0][3])
    assert hits[1] > 0


def _dynamic(cache):
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    b = spread(integers((6, 4), torch.float64, 1), mesh, [Shard(1)])
    with sectile.torch.enable():
        compiled = _compiled(torch.mm, "aot_eager", cache, dynamic=True)
        for rows in (8, 12):
            a = integers((rows, 6), torch.float64, 2)
            assert equal(compiled(spread(a, mesh, [Shard(1)]), b), a @ b.full_tensor())
    return sectile.torch.calls()


def test_dynamic_shapes(ranks, cache):
    for calls in filter(None, ranks.run(_dynamic, cache)):
        assert calls.served == 0
        assert list(calls.passed_on) == ["dynamic shapes"]


def _placed_product(a, b):
    return torch.relu(sectile.torch.matmul(a, b, out_placements=[Shard(0)])) * 2


def _matmul():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return
    compiled = _compiled(_placed_product, "aot_eager", "")
    for rows in (8, 8, 12):  # of which the third is dynamic
        results = []
        for program in (_placed_product, compiled):
            shapes = ((rows, 6), (6, 4))
            given = [
                spread(integers(shape, torch.float64, 1), mesh, [Shard(1)]).requires_grad_(True)
                for shape in shapes
            ]
            y = program(*given)
            assert y.placements == (Shard(0),)
            y.full_tensor().square().sum().backward()
            results.append([x.full_tensor() for x in (y, *(x.grad for x in given))])
        assert all(map(torch.equal, *results))
    assert sectile.torch.calls().passed_on.keys() == {"dynamic shapes"}


def test_matmul(ranks):
    ranks.run(_matmul)


def _moved(x, mesh, placements):
    return sectile.torch.redistribute(torch.relu(x) * 2, mesh, placements) * 3


def _placed(whole, mesh, placements):
    """A tensor that all ranks have, on a mesh of some."""
    if mesh.get_coordinate() is not None:
        return spread(whole, mesh, placements)
    none, shape = torch.empty(0, dtype=whole.dtype), {"shape": whole.shape, "stride": whole.stride()}
    return DTensor.from_local(none, mesh, placements, run_check=False, **shape)


def _there_and_back(program, before, after, rows):
    """What a rank has of a moved tensor, and of the gradient, which moves back."""
    x = _placed(integers((rows, 6), torch.float64, 1), before, [Shard(0)]).requires_grad_(True)
    y = program(x, after, [Shard(1)])
    (y * y).sum().backward()
    return y.to_local().detach(), x.grad.to_local()


def _redistributed(places, sizes, backend, cache):
    before, after = map(mesh_among, places)
    compiled = _compiled(_moved, backend, cache)
    for rows in sizes:
        found = _there_and_back(compiled, before, after, rows)
        assert all(map(torch.equal, found, _there_and_back(_moved, before, after, rows)))
    return sum(counters["graph_break"].values())


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_redistribute(ranks, backend, cache):
    places = [0, 2], [1, 2, 3]
    assert ranks.run(_redistributed, places, (8, 8), backend, cache) == [0] * 4


def test_redistribute_other_sizes(ranks):
    """The size that changes is another constant in another graph."""
    places = [0, 1, 2, 3], [3, 2, 1, 0]
    assert ranks.run(_redistributed, places, (8, 12, 16), "aot_eager", "") == [0] * 4


def _product_across(a, b, mesh):
    """A product on a third mesh, and one there."""
    c = sectile.torch.matmul(torch.relu(a) * 2, b, [Shard(1)], mesh)
    return sectile.torch.matmul(c * 3, b, [Shard(0)], mesh)


def _step_across(program, places, rows):
    """What a rank has of the product, and of both gradients, which move back to the meshes of the operands."""
    first, second, third = map(mesh_among, places)
    a = _placed(integers((rows, 6), torch.float64, 1), first, [Shard(0)]).requires_grad_(True)
    b = _placed(integers((6, 6), torch.float64, 2), second, [Shard(1)]).requires_grad_(True)
    y = program(a, b, third)
    (y * y).sum().backward()
    return [y.to_local().detach(), *(x.grad.to_local() for x in (a, b))]


def _multiplied_across(places, sizes, backend, cache):
    compiled = _compiled(_product_across, backend, cache)
    for rows in sizes:
        found = _step_across(compiled, places, rows)
        assert all(map(torch.equal, found, _step_across(_product_across, places, rows)))
    return sum(counters["graph_break"].values())


_APART = [0, 1], [1, 2], [3, 2, 0]
_ALL = [0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]


@pytest.mark.parametrize(
    "places, sizes, backend",
    [(_APART, (8,), "aot_eager"), (_APART, (8,), "inductor"), (_ALL, (8, 12), "aot_eager")],
)
def test_matmul_on_several_meshes(ranks, places, sizes, backend, cache):
    """As with copies, a size that changes is another constant in another graph."""
    assert ranks.run(_multiplied_across, places, sizes, backend, cache) == [0] * 4


def _full(tensor):
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def _train(model, x):
    model.zero_grad()
    x = x.detach().requires_grad_(True)
    y = model(x)
    (_full(y) ** 2).sum().backward()
    return [_full(t).detach() for t in (y, x.grad, *(p.grad for p in model.parameters()))]


def _decoder(mesh, plan, styles, bias):
    torch.manual_seed(1)
    return parallelize_module(layers.Layer(bias=bias).double(), mesh, plan(styles))


def _products_of(step):
    """What a step returns, and how many products the library computes in it."""
    made = []
    multiply = _operator.multiply
    _operator.multiply = lambda *arguments: made.append(1) or multiply(*arguments)
    try:
        return step(), len(made)
    finally:
        _operator.multiply = multiply


def _styles(shape, plan, how, bias, backend, cache):
    mesh = mesh_of(shape)
    if mesh.get_coordinate() is None:
        return None
    torch.manual_seed(2)
    x = torch.randn(2, 12, 24, dtype=torch.float64)
    x = distribute_tensor(x, mesh, how) if how else x
    expected = _train(_decoder(mesh, plan, theirs, bias), x)
    eager = _decoder(mesh, plan, ours, bias)
    _, products = _products_of(lambda: _train(eager, x))
    compiled = _compiled(_decoder(mesh, plan, ours, bias), backend, cache)
    for _ in range(2):
        found, made = _products_of(lambda: _train(compiled, x))
        assert made == products > 0
        for one, other in zip(found, expected):
            torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-11)
    return sectile.torch.calls()


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_sequence_parallel(ranks, backend, cache):
    arguments = ((2,), layers.sequence_parallel, [Shard(1)], False, backend, cache)
    for calls in filter(None, ranks.run(_styles, *arguments)):
        assert calls == (2 * 7, 0, {})


def test_tensor_parallel(ranks):
    """The first layers of each block need nothing of other ranks, and are torch's own."""
    arguments = ((4,), layers.tensor_parallel, None, True, "aot_eager", "")
    for calls in ranks.run(_styles, *arguments):
        assert calls == (2 * 2, 0, {})


def _checkpointed():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None

    def program(a, b, bias):
        return checkpoint(_program, a, b, bias, use_reentrant=False)

    expected = _step(_program, mesh, _CUTS)
    with sectile.torch.enable():
        compiled = _compiled(program, "aot_eager", "")
        for one, other in zip(_step(compiled, mesh, _CUTS), expected):
            assert torch.equal(one, other)
    return sectile.torch.calls()


def test_activation_checkpointing(ranks):
    """The first product is computed again in the backward pass; the gradients need no other."""
    for calls in filter(None, ranks.run(_checkpointed)):
        assert calls.served == 3 and calls.passed_on == {}


class _Exported(nn.Module):
    def __init__(self, weight, multiply):
        super().__init__()
        self.weight = nn.Parameter(weight)
        self._multiply = multiply

    def forward(self, x):
        return self._multiply(x, self.weight)


def _export():
    mesh = mesh_of((2,))
    if mesh.get_coordinate() is None:
        return None
    wholes = [integers(shape, torch.float64, 1) for shape in ((8, 6), (6, 4))]
    x, weight = (spread(whole, mesh, [Shard(1)]) for whole in wholes)
    program = torch.export.export(_Exported(weight, torch.matmul), (x,)).module()
    sectile.torch.reset_calls()
    with sectile.torch.enable():
        assert equal(program(x), wholes[0] @ wholes[1])
    for refused in (sectile.torch.matmul, lambda x, _: sectile.torch.redistribute(x, mesh, [Shard(0)])):
        with pytest.raises(sectile.BadArgumentError, match="torch.export"):
            torch.export.export(_Exported(weight, refused), (x,))
    return sectile.torch.calls()


def test_export(ranks):
    """An exported program has products of DTensors, which are served as those of any program."""
    for calls in filter(None, ranks.run(_export)):
        assert calls == (1, 0, {})


def _product(rank):
    site = site_at((2, 2), (0, 2, 4, 6), rank)
    a = Sharding(site.mesh, (8, 6), (Shard(1), _StridedShard(0, split_factor=2)), (1, 0))
    b = Sharding(site.mesh, (6, 4), (Replicate(), Partial("avg")), (0, 1))
    c = Sharding(site.mesh, (8, 4), (Shard(0), Shard(0)), (0, 1))
    return _operator.Product(site, ((a, "C"), (b, "F")), c, 2, 1 + 3j, kind=torch.float32)


def test_the_text_of_a_product():
    """It stands in graphs that outlive the process, and is the same on all ranks."""
    text = _operator.text_of(_product(4))
    assert text == _operator.text_of(_product(0))
    assert json.loads(text) == {
        "mesh": [2, 2],
        "ranks": [0, 2, 4, 6],
        "device": "cpu",
        "operands": [
            [[8, 6], [["S", 1], ["_S", 0, 2]], [1, 0], "C"],
            [[6, 4], [["R"], ["P", "avg"]], [0, 1], "F"],
        ],
        "result": [[8, 4], [["S", 0], ["S", 0]], [0, 1]],
        "factors": [[2, 0], [1, 3]],
        "alike": True,
        "calls": 0,
        "timed": False,
        "kind": "float32",
    }
    assert _operator._product_of(text, 4) == _product(4)
    with pytest.raises(sectile.BadArgumentError, match=r"for ranks \[0, 2, 4, 6\], .* rank 1"):
        _operator._product_of(text, 1)
