"""Whatever a public function is given, it works or raises an error of the package."""

import types
from numbers import Number

import numpy as np
import pytest
from conftest import integers

import sectile

VALUES = [
    *(1 << 31, 1 << 70, 10**5000, -1, -(1 << 70)),
    *(float("nan"), float("inf"), 2.5, 1j, True),
    *(None, object(), type("", (), {})(), [], [None], {}, b"x", "x", "x\0", "\ud800"),
    *(np.array([1, 2]), np.int64(-5), np.ma.masked_array(np.eye(2)), lambda mine: [5]),
]
SHAPE = {"shape": (8, 8, 8), "ranks": 4}


class Refusing:
    """An array of another package that its package does not give."""

    def __dlpack__(self, **options):
        raise BufferError("no")


class NoCapsule:
    def __dlpack__(self, **options):
        return 5


class NoType:
    __array_interface__ = {"version": 3, "shape": (2, 2), "typestr": "no", "data": (1, False)}


ARRAYS = [*VALUES, Refusing(), NoCapsule(), NoType(), [[1, 2], [3]]]


@pytest.fixture(scope="module")
def given(world, tmp_path_factory):
    """What the calls are made on."""
    folder = tmp_path_factory.mktemp("hostile")
    a = world.from_numpy(integers((4, 4), "f8", 1))
    for name in ("a.npy", "a.safetensors"):
        sectile.save(folder / name, a)
    yield types.SimpleNamespace(
        world=world,
        a=a,
        folder=folder,
        layout=sectile.Layout("row", (4, 4), 4),
        machine=sectile.Machine("node"),
        choice=sectile.choose((8, 8, 8), 4)[0],
    )


def plan(*layouts, of=sectile.plan, **more):
    return of(*(layouts or ("row", "row", "row")), **{**SHAPE, **more})


def simulate(**more):
    return plan(of=sectile.simulate, **{"machine": "cluster", **more})


def choose(x="row", shape=(8, 8, 8), ranks=4, **more):
    return sectile.choose(shape, ranks, **more)


def symbol(name="Y"):
    return sectile.Products("Y = X[4,4] * W[4,4]")[name]


def choose_group(ranks=4, **more):
    return sectile.Products("Y = X[4,4] * W[4,4]").choose(ranks, **more)


def meet(rank=0, ranks=1, allgather=lambda mine: [mine], **more):
    sectile.World.from_bootstrap(rank, ranks, allgather, **more).close()


NUMBERS = {
    "run": lambda g, x: sectile.run(x).close(),
    "run per node": lambda g, x: sectile.run(1, ranks_per_node=x).close(),
    "run blas": lambda g, x: sectile.run(1, blas_threads=x).close(),
    "blas": lambda g, x: sectile.set_blas_threads(x),
    "rows": lambda g, x: g.world.array((x, 1)),
    "cols": lambda g, x: g.world.array((1, x)),
    "zeros": lambda g, x: g.world.zeros((x, 0)),
    "traffic": lambda g, x: g.world.traffic(x),
    "dlpack": lambda g, x: g.a.dlpack(x),
    "layout ranks": lambda g, x: sectile.Layout("row", (4, 4), x),
    "home": lambda g, x: g.layout.home(x),
    "nbytes": lambda g, x: g.layout.nbytes(x),
    "part": lambda g, x: g.layout.part(x),
    "tiles": lambda g, x: g.layout.tiles(x),
    "owner of row": lambda g, x: g.layout.owner(x, 0),
    "owner of col": lambda g, x: g.layout.owner(0, x),
    "owner in replica": lambda g, x: g.layout.owner(0, 0, x),
    "index": lambda g, x: g.a[x],
    "range": lambda g, x: g.a[x:, :x],
    "step": lambda g, x: g.a[::x],
    "alpha": lambda g, x: sectile.matmul(g.a, g.a, alpha=x),
    "full": lambda g, x: g.world.full((2, 2), x),
    "plus": lambda g, x: g.a + x,
    "minus from": lambda g, x: x - g.a,
    "times": lambda g, x: g.a * x,
    "by": lambda g, x: x / (g.a * 0 + 1),
    "times in place": lambda g, x: sectile.copy(g.a).__imul__(x),
    "beta": lambda g, x: sectile.matmul(g.a, g.a, g.world.array((4, 4)), beta=x),
    "copy workspace": lambda g, x: sectile.copy(g.a, workspace=x),
    "plan rank": lambda g, x: plan(rank=x),
    "plan ranks": lambda g, x: plan(ranks=x),
    "plan per node": lambda g, x: plan(ranks_per_node=x),
    "simulate ranks": lambda g, x: simulate(ranks=x),
    "choose ranks": lambda g, x: choose(ranks=x),
    "choose most": lambda g, x: choose(most=x),
    "choose memory": lambda g, x: choose(memory=x),
    "choose uses": lambda g, x: choose(uses=x),
    "choose redistribute": lambda g, x: choose(redistribute=x),
    "choose per node": lambda g, x: choose(ranks_per_node=x),
    "choice": lambda g, x: g.choice.plan(x),
    "bound ranks": lambda g, x: sectile.lower_bound((8, 8, 8), x),
    "bound memory": lambda g, x: sectile.lower_bound((8, 8, 8), 4, memory=x),
    "products size": lambda g, x: sectile.Products("Y = X[4,m] * W[m,4]", m=x),
    "products rows": lambda g, x: sectile.Products().matrix("X", (x, 4)),
    "products ranks": lambda g, x: choose_group(x),
    "products memory": lambda g, x: choose_group(memory=x),
    "products per node": lambda g, x: choose_group(ranks_per_node=x),
    "meet rank": lambda g, x: meet(rank=x),
    "meet ranks": lambda g, x: meet(ranks=x),
    "meet per node": lambda g, x: meet(ranks_per_node=x),
    **{
        f"{f.__name__} shape {i}": lambda g, x, f=f, i=i: f(shape=tuple(x if at == i else 8 for at in range(3)))
        for f in (plan, simulate, choose)
        for i in range(3)
    },
}
TEXTS = {
    "engine": lambda g, x: sectile.run(1, engine=x).close(),
    "meet engine": lambda g, x: meet(engine=x),
    "meet devices": lambda g, x: meet(devices=x),
    "path of MPI": lambda g, x: sectile.World.from_mpi(None, path=x),
    "layout": lambda g, x: g.world.array((1, 1), "f8", x),
    "layout text": lambda g, x: sectile.Layout(x, (4, 4), 4),
    "copy layout": lambda g, x: sectile.copy(g.a, x),
    "result layout": lambda g, x: sectile.matmul(g.a, g.a, layout=x),
    "dtype": lambda g, x: g.world.array((1, 1), x),
    "result dtype": lambda g, x: sectile.matmul(g.a, g.a, dtype=x),
    "astype": lambda g, x: g.a.astype(x),
    "ones dtype": lambda g, x: g.world.ones((1, 1), x),
    "full layout": lambda g, x: g.world.full((1, 1), 1, "f8", x),
    "copy of layout": lambda g, x: g.a.copy(x),
    "nbytes dtype": lambda g, x: g.layout.nbytes(0, x),
    "peak": lambda g, x: g.machine.peak(x),
    "plan a": lambda g, x: plan(x, "row", "row"),
    "plan c": lambda g, x: plan("row", "row", x),
    "plan op": lambda g, x: plan(op=x),
    "plan dtype": lambda g, x: plan(dtype=x),
    "choose a": lambda g, x: choose(a=x),
    "choose aim": lambda g, x: choose(aim=x),
    "choose dtype": lambda g, x: choose(dtype=x),
    "products": lambda g, x: sectile.Products(x),
    "products matrix": lambda g, x: sectile.Products().matrix(x, (4, 4)),
    "products name": lambda g, x: symbol(x),
    "products equal": lambda g, x: symbol().products.equal("X", x),
    "products dtype": lambda g, x: choose_group(dtype=x),
    "products layout": lambda g, x: choose_group(layouts={"X": x}),
    "machine": lambda g, x: sectile.Machine(x),
    "machine text": lambda g, x: sectile.Machine.parse(x),
    "machine origin": lambda g, x: sectile.Machine.parse("{}", x),
    "simulate machine": lambda g, x: simulate(machine=x),
    "load layout": lambda g, x: sectile.load(g.world, g.folder / "a.npy", x),
    "load path": lambda g, x: sectile.load(g.world, x),
    "load tensor": lambda g, x: sectile.load(g.world, g.folder / "a.safetensors", tensor=x),
    "save path": lambda g, x: sectile.save(x, g.a),
    "save tensor": lambda g, x: sectile.save(g.folder / "b.safetensors", g.a, tensor=x),
}
OPTIONS = [
    *("stay", "work", "slicing", "fetch", "order", "result", "start", "workspace", "prefetch"),
    *("products_in_flight", "accumulates_in_flight", "transfers_in_group", "sync", "ordered"),
    *("decisions", "machine", "unknown"),
]
OTHERS = {
    "shape": lambda g, x: g.world.array(x),
    "wrapped shape": lambda g, x: g.world.wrap([np.eye(2)] * 4, "row", x),
    "layout shape": lambda g, x: g.world.layout("row", x),
    "plan shape": lambda g, x: plan(shape=x),
    "simulate shape": lambda g, x: simulate(shape=x),
    "choose shape": lambda g, x: choose(shape=x),
    "bound shape": lambda g, x: sectile.lower_bound(x, 4),
    "products shape": lambda g, x: sectile.Products().matrix("X", x),
    "products layouts": lambda g, x: choose_group(layouts=x),
    "products world": lambda g, x: choose_group().group(x),
    "products arrays": lambda g, x: choose_group().run(g.world, x),
    "allgather": lambda g, x: meet(allgather=x),
    "left": lambda g, x: x @ g.a,
    "right": lambda g, x: g.a @ x,
    "a": lambda g, x: sectile.matmul(x, g.a),
    "b": lambda g, x: sectile.matmul(g.a, x),
    "out": lambda g, x: sectile.matmul(g.a, g.a, x),
    "copy": lambda g, x: sectile.copy(x),
    "save": lambda g, x: sectile.save(g.folder / "c.npy", x),
    "load": lambda g, x: sectile.load(x, g.folder / "a.npy"),
    **{
        f"{name} {option}": lambda g, x, f=f, option=option: f(g, **{option: x})
        for name, f in (
            ("matmul", lambda g, **x: sectile.matmul(g.a, g.a, **x)),
            ("plan", lambda g, **x: plan(**x)),
        )
        for option in OPTIONS
    },
}
CALLS = {**NUMBERS, **TEXTS, **OTHERS}
OF_ARRAYS = {
    "from_numpy": lambda g, x: g.world.from_numpy(x),
    "wrap": lambda g, x: g.world.wrap(x),
    "wrap parts": lambda g, x: g.world.wrap(x, "row", (4, 4)),
    "wrap part": lambda g, x: g.world.wrap([x] * 4, "row", (4, 4)),
    "wrap tiles": lambda g, x: g.world.wrap([[x]] * 4, "cuts:2x2@0,1,2,3", (4, 4)),
    # A number may be assigned, but not an array of one.
    "assign": lambda g, x: g.a.__setitem__(slice(None), [x] if isinstance(x, Number) else x),
}


def _refused(call, given, values):
    refused = []
    for value in values:
        try:
            call(given, value)
        except sectile.Error as problem:
            refused.append(problem)
    return refused


@pytest.mark.parametrize("name", CALLS)
def test_arguments(given, name):
    refused = _refused(CALLS[name], given, VALUES)
    assert len(refused) > len(VALUES) // 2
    assert all(str(problem) for problem in refused)


@pytest.mark.parametrize("name", sorted(NUMBERS.keys() - {"index"}))
def test_good_numbers(given, name):
    """The calls fail for no other reason."""
    assert len(_refused(NUMBERS[name], given, [0, 1])) < 2


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_arrays(given, name):
    assert len(_refused(OF_ARRAYS[name], given, ARRAYS)) > len(ARRAYS) - 3


def test_what_is_said():
    for call, kind, said in (
        (lambda: sectile.run(1 << 40), ValueError, r"ranks=1099511627776 is out of range"),
        (lambda: sectile.run("4"), TypeError, "ranks: a str is not a whole number"),
        (lambda: sectile.Layout("row", (1 << 70, 1), 4), ValueError, "rows=.* is out of range"),
        (lambda: sectile.Layout("row", (10**5000, 1), 4), ValueError, r"rows=0x.*\.\.\. is out"),
        (lambda: sectile.run(2, engine=3), TypeError, "engine: an int is not a text"),
        (lambda: sectile.Layout("\0", (4, 4), 4), ValueError, "layout: .* has a NUL"),
        (lambda: sectile.Machine(3), TypeError, "machine: an int is not a path"),
        (lambda: sectile.copy(None), TypeError, "matrix: None is not a matrix"),
        (lambda: sectile.set_blas_threads(0), ValueError, "threads: 0 is not at least 1"),
        (lambda: sectile.lower_bound((8, 8, 8), 4, memory=-1), ValueError, "memory=-1 is out"),
        (lambda: sectile.choose((8, 8), 4), ValueError, r"must be \(m, n, k\)"),
        (lambda: sectile.Layout("row", (4, 4), 4).owner(4, 0), IndexError, "not in 4 x 4"),
    ):
        with pytest.raises(kind, match=said) as problem:
            call()
        assert isinstance(problem.value, sectile.BadArgumentError)


def test_worlds_that_have_ended_or_are_others(given):
    ended = sectile.run(4)
    old = ended.array((4, 4))
    ended.close()
    x = np.eye(4)
    with sectile.run(4) as other:
        foreign = other.array((4, 4))
        for call in (
            lambda: given.a @ foreign,
            lambda: sectile.matmul(given.a, given.a, foreign),
            lambda: given.a.__setitem__(slice(None), foreign),
            lambda: old @ old,
            lambda: old[1:, :].T.to_numpy(),
            lambda: old.__setitem__(slice(None), x),
            lambda: sectile.copy(old),
            lambda: sectile.save(given.folder / "c.npy", old),
            lambda: sectile.load(ended, given.folder / "a.npy"),
            lambda: ended.array((4, 4)),
            lambda: ended.wrap(x),
            lambda: ended.from_numpy(x),
            lambda: ended.traffic(0),
            ended.barrier,
            lambda: given.a + foreign,
            lambda: old + 1,
            lambda: old.astype("f4"),
            lambda: given.a.__array__(copy=False),
        ):
            with pytest.raises(sectile.BadArgumentError):
                call()
